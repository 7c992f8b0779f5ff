"""The REST API under ``/api``: `api` puts it together."""
