"""Reads studies by rules, for use without a language model: precise where they read at all."""

from deepcritical.reading.rules.reader import RULES_READER, read_by_rules

__all__ = ["RULES_READER", "read_by_rules"]
