"""The report and the answer as data, and as Markdown."""
