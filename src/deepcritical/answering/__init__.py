"""Answers a free question from findings of studies and located passages."""
