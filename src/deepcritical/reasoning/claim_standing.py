"""Superior, non-inferior, inferior: whether a sentence tells another result of a trial."""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = ["other_standing"]

_STANDING = (
    ("superior", bounded(r"\bsuperior", re.IGNORECASE)),
    ("non-inferior", bounded(r"\bnon-?inferior", re.IGNORECASE)),
    ("inferior", bounded(r"(?<!non-)(?<!non)\binferior", re.IGNORECASE)),
)


def other_standing(said: str, source: str) -> str:
    """Superior, non-inferior and inferior are three results of a trial, and none is another."""
    claimed = {name for name, pattern in _STANDING if pattern.search(said)}
    told = {name for name, pattern in _STANDING if pattern.search(source)}
    if claimed and told and not claimed & told and claimed | told != {"superior", "inferior"}:
        return f"{', '.join(claimed)} is not {', '.join(told)}"
    return ""
