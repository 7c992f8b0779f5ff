"""Words, sentences and numbers of a text."""
