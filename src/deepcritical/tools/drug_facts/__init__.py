"""Curated sources of facts on drugs, asked about one drug at a time."""
