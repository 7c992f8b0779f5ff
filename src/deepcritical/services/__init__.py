"""Storage and look-up: evidence, retrieval, the database of runs, and telemetry."""
