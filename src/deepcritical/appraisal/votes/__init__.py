"""Decides which results of a study count, and as which vote."""
