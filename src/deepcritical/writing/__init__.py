"""Writes the brief and the table of studies from verdicts and readings."""
