"""The live sources: each is a module with a `SOURCE`, and a line here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from deepcritical.tools import web_search
from deepcritical.tools.base import SourceDescription
from deepcritical.tools.clinicaltrials import source as clinicaltrials
from deepcritical.tools.europepmc import source as europepmc
from deepcritical.tools.pubmed import source as pubmed

SOURCES: tuple[SourceDescription, ...] = (
    pubmed.SOURCE,
    clinicaltrials.SOURCE,
    europepmc.SOURCE,
    web_search.SOURCE,
)
FULL_TEXTS = europepmc.SOURCE
"""Has open full texts too."""
MESH = pubmed.SOURCE
"""Its host has MeSH too."""
BY_KEY = {source.key: source for source in SOURCES}
KEYS = tuple(BY_KEY)
DEFAULT_KEYS = tuple(source.key for source in SOURCES if source.by_default)
_DEFAULT = [source.name for source in SOURCES if source.by_default]
DEFAULT_NAMES = " and ".join(part for part in (", ".join(_DEFAULT[:-1]), _DEFAULT[-1]) if part)
"""The sources of a run that is told no other, as in "PubMed and ClinicalTrials.gov"."""


def known(names: Iterable[str]) -> tuple[str, ...]:
    """Keys of sources, each once, in the order of `SOURCES`; ValueError for another."""
    named = set(names)
    if unknown := sorted(named - set(KEYS)):
        raise ValueError(f"there is no source {', '.join(unknown)}; choose of {', '.join(KEYS)}")
    return tuple(key for key in KEYS if key in named)


def parse_sources(text: str) -> tuple[str, ...]:
    """Keys of sources with commas or blanks between them; as `known`."""
    names = text.lower().replace(",", " ").split()
    if not names:
        raise ValueError(f"name at least one of {', '.join(KEYS)}")
    return known(names)


SourceKey = Annotated[
    str,
    AfterValidator(lambda key: known([key])[0]),
    WithJsonSchema({"type": "string", "enum": list(KEYS)}),
]
"""The key of a source, where it comes from outside."""
