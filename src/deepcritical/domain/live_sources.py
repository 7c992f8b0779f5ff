"""The live sources by the names that a user gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

__all__ = ["SOURCES", "SOURCE_NAMES", "SourceKey", "parse_sources"]

SourceKey = Literal["pubmed", "clinicaltrials", "europepmc", "web"]
SOURCES: tuple[SourceKey, ...] = get_args(SourceKey)
SOURCE_NAMES: Mapping[SourceKey, str] = MappingProxyType(
    {
        "pubmed": "PubMed",
        "clinicaltrials": "ClinicalTrials.gov",
        "europepmc": "Europe PMC",
        "web": "Web (DuckDuckGo)",
    }
)
"""What a reader calls them."""


def parse_sources(text: str) -> tuple[SourceKey, ...]:
    """Names of sources with commas or blanks between them, each once, in the order of `SOURCES`.

    Raises:
        ValueError: A name is none of `SOURCES`, or there is none.
    """
    names = set(text.lower().replace(",", " ").split())
    if unknown := sorted(names - set(SOURCES)):
        raise ValueError(f"there is no source {', '.join(unknown)}; choose of {', '.join(SOURCES)}")
    if not names:
        raise ValueError(f"name at least one of {', '.join(SOURCES)}")
    return tuple(name for name in SOURCES if name in names)
