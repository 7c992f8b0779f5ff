"""A finished report as files that people keep: Markdown, HTML, JSON."""
