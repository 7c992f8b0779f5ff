"""Compares a study with the question: people, arms, controls, doses and outcomes."""
