"""The reading of a study, its effects, and which records are of one study."""
