"""A record of a source: its citation, kind, design, size and grade."""
