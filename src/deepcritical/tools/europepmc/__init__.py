"""Europe PMC: searches by its REST API, and reads its records."""
