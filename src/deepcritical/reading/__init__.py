"""Reads a record once into a typed study: by its registry, by a model, by rules, or not at all."""
