"""The base class of curated sources, and the look-up that asks all of them at once.

A source that fails costs no other its facts.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, ClassVar, NamedTuple

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.drug_facts import AskedOf, DrugFacts, Origin
from deepcritical.domain.question.frame import Drug
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold
from deepcritical.tools.base import SourceOutcome, outcome_of
from deepcritical.tools.deadline import Deadline, together
from deepcritical.tools.http import NoMatchError, SourceClient
from deepcritical.tools.json_values import as_dict, decoded

_FORMS = frozenset(
    "acetate acetonide alafenamide anhydrous arginine aspartate axetil besilate besylate bromide "
    "butyrate calcium camsylate carbonate chloride cilexetil citrate decanoate dihydrate "
    "dihydrochloride dimesylate dipropionate disodium disoproxil edisylate enanthate erbumine "
    "esylate etabonate etexilate fumarate furoate gluconate glucuronate hcl hemihydrate "
    "hydrobromide hydrochloride hyclate iodide isethionate lactate lysine magnesium malate maleate "
    "meglumine medoxomil mesilate mesylate mofetil monohydrate mononitrate napsylate nitrate "
    "olamine oxalate palmitate pamoate pentahydrate phosphate pivoxil potassium propionate "
    "proxetil sesquihydrate sodium stearate succinate sulfate sulphate tartrate tosylate triflate "
    "trihydrate trometamol tromethamine valerate xinafoate zinc".split()
)
"""Words behind the name of a drug that name its salt, ester or hydrate."""
_BETWEEN = bounded(r",|;|/|\+|&|\b(?:and|with)\b", re.IGNORECASE)


class Terms(NamedTuple):
    """The curator of facts, and the terms of use."""

    source: str
    licence: str
    url: str
    via: str = ""

    def origin(self, retrieved: str, url: str = "") -> Origin:
        """Return the origin of a fact that was looked up on a day."""
        return Origin(
            source=self.source,
            via=self.via,
            licence=self.licence,
            url=url or self.url,
            retrieved=retrieved,
        )


class Found(NamedTuple):
    """A source's answer on a drug."""

    facts: DrugFacts
    """Without who was asked."""
    skipped: tuple[str, ...] = ()
    """The parts of the answer that could not be read."""
    cached: bool = False


class FactSource(ABC):
    """One curated source, which answers what it knows of a drug in one request."""

    terms: Terms
    """Its name, licence and address."""
    _path: str
    _read: Callable[[bytes, Drug, str], Found]
    """Reads an answer about a drug, of this day; raises SearchError for a body that is none."""
    _beside: ClassVar[Mapping[str, str | int]] = {}
    """Parameters that are the same for every drug, and tell a reader nothing."""
    _lacks_by_404 = False
    """True if status 404 says that nothing matches."""

    def __init__(self, client: SourceClient) -> None:
        self._client = client

    def request(self, drug: Drug) -> str:
        """The request in words for a reader."""
        return f"{self._path}?{'&'.join(f'{n}={value}' for n, value in self._asked(drug).items())}"

    async def ask(self, drug: Drug, today: str, by: Deadline) -> Found:
        """Return the source's facts on the drug; empty where it has none.

        Raises:
            SearchError: It could not be read.
        """
        return await self._found(self._asked(drug), drug, today, by)

    async def _found(self, asked: Mapping[str, str], drug: Drug, today: str, by: Deadline) -> Found:
        def read(content: bytes) -> Found:
            return self._read(content, drug, today)

        try:
            payload = await self._client.get(self._path, {**asked, **self._beside}, read, by)
        except NoMatchError:
            if self._lacks_by_404:
                return Found(DrugFacts(drug=drug.name))
            raise
        return read(payload.content)._replace(cached=payload.cached)

    @abstractmethod
    def _asked(self, drug: Drug) -> dict[str, str]: ...


def answered(source: FactSource, drug: Drug, today: str, found: Found | SearchError) -> DrugFacts:
    """Return the facts to store of an answer, with the outcome of the look-up."""
    terms = source.terms
    outcome, note, cached = SourceOutcome.UNAVAILABLE, "", False
    facts = DrugFacts(drug=drug.name)
    if isinstance(found, SearchError):
        note = found.message
    else:
        facts, note, cached = found.facts, "; ".join(found.skipped[:3]), found.cached
        known = facts != DrugFacts(drug=facts.drug)
        outcome = outcome_of((facts,) if known else (), found.skipped)
    asked = AskedOf(
        source=terms.source,
        outcome=outcome.value,
        request=source.request(drug),
        licence=terms.licence,
        url=terms.url,
        retrieved=today,
        note=note,
        cached=cached,
    )
    return facts.model_copy(update={"drug": drug.name, "asked": (asked,)})


def list_in(content: bytes, source: str, name: str) -> list[Any]:
    """The list of this name in an answer; raises SearchError where there is none."""
    found = as_dict(decoded(content, source)).get(name)
    if not isinstance(found, list):
        raise SearchError(f"{source}'s answer holds no list of {name}.", "Try again later.")
    return found


def quoted(drug: Drug) -> str:
    """The name of a drug as a phrase, which nothing in it ends."""
    return '"' + drug.name.replace('"', " ").replace("\\", " ") + '"'


def is_form_of(written: str, names: Iterable[str]) -> str | None:
    """The words behind the name of one of the drugs: '' for the drug itself, else its salt.

    None for another substance, and for a product of several.
    """
    words = fold(written).replace(",", " , ").split()
    for name in (fold(name).split() for name in names):
        if words[: len(name)] == name and all(word in _FORMS for word in words[len(name) :]):
            return " ".join(words[len(name) :])
    return None


def substances_in(name: str) -> tuple[str, ...]:
    """The substances that the generic name of a product tells."""
    return tuple(part.strip() for part in _BETWEEN.split(name) if part.strip())


_MERGED = tuple(name for name in DrugFacts.model_fields if name not in ("drug", "identity"))
_GRACE_S = 0.5


class DrugFactsLookUp:
    """Everything that is known of drugs."""

    def __init__(
        self, sources: Sequence[FactSource], *, deadline_s: float, today: Callable[[], str]
    ) -> None:
        self._sources = tuple(sources)
        self._deadline_s = deadline_s
        self._today = today

    async def look_up(self, drugs: Sequence[Drug], within_s: float) -> tuple[DrugFacts, ...]:
        """The facts on each drug, in their order, after so many seconds at the latest."""
        today = self._today()
        calls = [
            self._ask(source, drug, today, within_s) for drug in drugs for source in self._sources
        ]
        parts = await together(calls)
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
