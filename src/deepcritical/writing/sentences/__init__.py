"""Sentences of code on rows, studies, harms and passages."""
