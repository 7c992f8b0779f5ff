"""Asks language models: servers, typed answers, limits and costs; it judges nothing."""
