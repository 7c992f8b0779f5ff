"""The REST API under ``/api``; `api` assembles it."""
