"""Types and rules of the field: standard library and pydantic only, no I/O."""
