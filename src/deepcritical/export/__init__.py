"""Writes finished reports as files: HTML, PDF, Markdown, JSON, references and figures."""
