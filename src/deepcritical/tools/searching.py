"""A search outside of any run: every source is asked once, and each work becomes one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.question import SearchQuery
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import CheckIntegrity
from deepcritical.tools.crossref import check_all
from deepcritical.tools.search_handler import Searches, SourceAnswer, require_any

_AS_INDEXED = partial(check_all, client=None)
"""Asks nobody: a record whose own source calls it retracted is marked all the same."""


class Found(NamedTuple):
    """What a search brought."""

    answers: tuple[SourceAnswer, ...]
    """One of each query at each source."""
    records: Mapping[str, Evidence]
    """One for each work, by id (``E1``, ``E2`` ...), as far as wanted checked for retractions."""


async def search(
    handler: Searches,
    queries: Sequence[SearchQuery],
    most: int,
    check_within_s: float,
    check_integrity: CheckIntegrity | None = None,
) -> Found:
    """The records that sources find.

    Args:
        handler: Asks the sources.
        queries: What to search for.
        most: Records of each answer at most.
        check_within_s: Seconds for looking retractions up; what takes longer stays unchecked.
        check_integrity: Looks them up; None for what the sources themselves say.

    Raises:
        SearchError: None of the sources could be reached.
        StorageError: The snapshot that is searched cannot be read.
    """
    answers = await handler.execute(queries, most)
    require_any(answers)
    store = EvidenceStore()
    for answer in answers:
        store.add(answer.result.evidence)
    check = check_integrity or _AS_INDEXED
    checked = await check(list(store.evidence.values()), check_within_s)
    return Found(answers, dict(zip(store.evidence, checked, strict=True)))
