"""Looks drugs up in all curated sources at once; a source that fails costs no other its facts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import reduce

from deepcritical.domain.drug_facts import DrugFacts
from deepcritical.domain.errors import SearchError
from deepcritical.domain.named import Drug
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.drug_facts.base import FactSource, answered

__all__ = ["DrugFactsLookUp"]

_MERGED = tuple(name for name in DrugFacts.model_fields if name not in ("drug", "identity"))
_GRACE_S = 0.5


class DrugFactsLookUp:
    """Everything that is known of drugs.

    Args:
        sources: Who is asked, in the order in which they are told.
        deadline_s: Seconds that a source gets.
        today: The date, ISO.
    """

    def __init__(
        self, sources: Sequence[FactSource], *, deadline_s: float, today: Callable[[], str]
    ) -> None:
        self._sources = tuple(sources)
        self._deadline_s = deadline_s
        self._today = today

    @property
    def names(self) -> tuple[str, ...]:
        """Who is asked."""
        return tuple(source.terms.source for source in self._sources)

    async def look_up(self, drugs: Sequence[Drug], within_s: float) -> tuple[DrugFacts, ...]:
        """The facts on each drug, in their order, after so many seconds at the latest."""
        today = self._today()
        calls = [
            self._ask(source, drug, today, within_s) for drug in drugs for source in self._sources
        ]
        parts = await asyncio.gather(*calls)
        size = len(self._sources)
        return tuple(
            reduce(_merged, parts[n : n + size], DrugFacts(drug=drug.name))
            for drug, n in zip(drugs, range(0, len(parts), size or 1), strict=True)
        )

    async def _ask(self, source: FactSource, drug: Drug, today: str, within_s: float) -> DrugFacts:
        given_s = min(self._deadline_s, within_s)
        by = Deadline(given_s, max(given_s, within_s))
        try:
            async with by.limit(_GRACE_S):
                found = await source.ask(drug, today, by)
        except SearchError as error:
            return answered(source, drug, today, error)
        except TimeoutError:
            told = f"{source.terms.source} did not answer in time."
            return answered(source, drug, today, SearchError(told))
        return answered(source, drug, today, found)


def _merged(one: DrugFacts, other: DrugFacts) -> DrugFacts:
    joined = {name: getattr(one, name) + getattr(other, name) for name in _MERGED}
    return one.model_copy(update={**joined, "identity": one.identity or other.identity})
