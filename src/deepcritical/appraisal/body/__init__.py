"""Rates the body of evidence: rows, certainty, verdict, and what would change it."""
