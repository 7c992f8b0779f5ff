"""Builds a signed graph from curated facts and studies, and mechanism chains from it."""
