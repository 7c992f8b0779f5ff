"""Dictionaries of names: drugs, drug classes, conditions, and nodes of mechanisms."""
