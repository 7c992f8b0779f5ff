"""The question of a run: its frame, the names in it, and its searches."""
