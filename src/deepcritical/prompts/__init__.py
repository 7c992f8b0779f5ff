"""Prompts as pure functions over question and store: the same store gives the same text."""
