"""The seam of a curated source, and what all of them share: terms, outcomes, names of drugs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from deepcritical.domain.drug_facts import AskedOf, DrugFacts, Origin
from deepcritical.domain.errors import SearchError
from deepcritical.domain.named import Drug
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold
from deepcritical.tools.base import SourceOutcome
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.http import Payload

__all__ = ["FactSource", "Found", "Terms", "answered", "is_form_of", "object_of", "substances_in"]

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
    """Who curates facts, and on what terms."""

    source: str
    licence: str
    url: str
    via: str = ""

    def origin(self, retrieved: str, url: str = "") -> Origin:
        """What a fact of that day says of where it is from."""
        return Origin(
            source=self.source,
            via=self.via,
            licence=self.licence,
            url=url or self.url,
            retrieved=retrieved,
        )


class Found(NamedTuple):
    """What a source answered about a drug."""

    facts: DrugFacts
    """Without who was asked."""
    skipped: tuple[str, ...] = ()
    """What of the answer could not be read."""
    cached: bool = False


class FactSource(Protocol):
    """Protocol: one curated source."""

    @property
    def terms(self) -> Terms:
        """Its name, licence and address."""

    def request(self, drug: Drug) -> str:
        """What is asked, in words that a reader can follow."""

    async def ask(self, drug: Drug, today: str, by: Deadline) -> Found:
        """What it knows; facts that are empty where it knows nothing.

        Raises:
            SearchError: It could not be read.
        """
        ...


def answered(source: FactSource, drug: Drug, today: str, found: Found | SearchError) -> DrugFacts:
    """What is kept of an answer, with how the look-up ended."""
    terms = source.terms
    outcome, note, cached = SourceOutcome.UNAVAILABLE, "", False
    facts = DrugFacts(drug=drug.name)
    if isinstance(found, SearchError):
        note = found.message
    else:
        facts, note, cached = found.facts, "; ".join(found.skipped[:3]), found.cached
        known = facts != DrugFacts(drug=facts.drug)
        outcome = SourceOutcome.DATA if known else SourceOutcome.EMPTY
        outcome = SourceOutcome.DEGRADED if found.skipped else outcome
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


def object_of(payload: Payload | bytes, source: str) -> dict[str, Any]:
    """The JSON object of a body.

    Raises:
        SearchError: The body is none.
    """
    content = payload if isinstance(payload, bytes) else payload.content
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SearchError(f"{source}'s answer is not JSON.", "Try again later.") from error
    if not isinstance(value, dict):
        raise SearchError(f"{source}'s answer is no object.", "Try again later.")
    return value


def is_form_of(written: str, names: Iterable[str]) -> str | None:
    """The words behind the name of one of the drugs: '' for the drug itself, else its salt.

    None for another substance, and for a product of several.
    """
    words = fold(written).replace(",", " , ").split()
    for name in map(_words, names):
        if words[: len(name)] == name and all(word in _FORMS for word in words[len(name) :]):
            return " ".join(words[len(name) :])
    return None


def substances_in(name: str) -> tuple[str, ...]:
    """The substances that the generic name of a product tells."""
    return tuple(part.strip() for part in _BETWEEN.split(name) if part.strip())


def _words(name: str) -> Sequence[str]:
    return fold(name).split()
