"""Asking a model: servers, typed answers within limits, what was spent. No judgement is here."""
