"""Checks sentences against the records and findings that they cite."""
