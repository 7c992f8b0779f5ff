"""Weighs readings of studies for a question: votes, outcome rows, certainty and the verdict."""
