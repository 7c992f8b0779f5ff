"""A run: its plan, its limits, its request and its events."""
