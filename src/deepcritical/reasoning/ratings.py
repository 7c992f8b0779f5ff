"""Sentences that tell what the project's rules make of the records, and quote none.

A writer builds them here, and the ledger knows them by the same wording: a sentence that is built
elsewhere, or told in other words, is checked against the records that it cites like every other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from deepcritical.appraisal.verdict import RULES
from deepcritical.domain.appraisal import Remark
from deepcritical.domain.patterns import bounded
from deepcritical.domain.verdict import FORMER_RULES, Certainty, VerdictLabel

__all__ = ["BOTH", "IN_FAVOUR", "NO_EFFECT", "Rating", "Strongest", "Way", "rating_pattern"]

IN_FAVOUR, NO_EFFECT, BOTH = "in favour", "without effect or with harm", "both ways"
"""How studies with a direction are counted."""


class Way(StrEnum):
    """What a mechanism chain says of the condition."""

    HELPS = "would help"
    HARMS = "would harm"
    DISPUTED = "disputed between records"
    INCOMPLETE = "no chain without a gap"


class Strongest(StrEnum):
    """What the strongest studies come to, of a question of yes or no."""

    DISAGREE = "The strongest studies found disagree"
    YES = "The strongest studies that take a side speak for a yes"
    NO = "The strongest studies that take a side speak for a no"
    ONE_YES = "The strongest study that takes a side speaks for a yes"
    ONE_NO = "The strongest study that takes a side speaks for a no"
    ONLY_YES = "The only study found that takes a side speaks for a yes"
    ONLY_NO = "The only study found that takes a side speaks for a no"


class Rating(StrEnum):
    """The wording of each rating; every slot has its own form, see `_SLOTS`."""

    VERDICT = "{drug} for {condition}: **{label}**, {certainty} certainty: {rule} {cited}."
    SUPPORTED = "The evidence found supports {drug} for {condition} {cited}."
    PROMISING = (
        "The evidence found is promising for {drug} in {condition}, and not yet enough to act on "
        "{cited}."
    )
    MIXED = (
        "The evidence found does not settle whether {drug} helps in {condition}: findings point "
        "both ways {cited}."
    )
    INSUFFICIENT = (
        "The evidence found is insufficient to say whether {drug} helps in {condition} {cited}."
    )
    UNSUPPORTED = "The evidence found does not support {drug} for {condition} {cited}."
    REFUTED = "The evidence found speaks against {drug} for {condition} {cited}."
    HARMFUL = "The evidence found speaks of harm by {drug} in {condition} {cited}."
    NOT_ASSESSED = "Whether {drug} helps in {condition} was not assessed: {why} {cited}."
    CERTAINTY = "Certainty is {certainty}{because} {cited}."
    COUNTS = "Clinical studies of the condition with a direction: {n} ({counts})."
    CHAINS = "Complete mechanism pathways: {n} ({effects}) {cited}."
    FORMER_CHAINS = "Mechanism chains without a gap: {n} ({effects}) {cited}."
    POSED = "Ways through what was asked about: {ways}."
    AWAITED = (
        "Registered trials that could change this verdict (status as of the record): {trials}."
    )
    REGISTERED = "Registered trials found (status as of the record): {trials}."
    FURTHER_TRIALS = "Further registered trials: {cited}."
    FOUND = "{finding} {cited}."
    STUDY = "**{name}**{same}: {remark} {cited}."
    READ_TOO = "{name}: {remark} {cited}."
    STRONGEST = "{strongest}{level} {cited}."
    SIDE = "{side}: {n} {studies}{best} {cited}."

    def told(self, **slots: str | int) -> str:
        """The sentence with its slots filled."""
        return self.value.format(**slots)


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))


_CITED = r"(?:\[\d+\])+"
_FREE = r"(?:(?![.!?] [A-Z])(?:\\.|[^\[\]\\\n])){1,200}?"
_STATUS = r"[a-z ]+(?: \(as recorded(?: in \d{4})?\))?(?:, [\d,]+ participants)?"
_WAY = rf"{_FREE}: (?:{_any_of(Way)})(?: {_CITED})?"
_COUNT = rf"\d+ (?:{_any_of((IN_FAVOUR, NO_EFFECT, BOTH))}) {_CITED}"
_EFFECT = rf"\d+ (?:{_any_of(Way)})"


def _slots(name: str, finding: str, remark: str) -> dict[str, str]:
    """The form of what may stand in each slot.

    Args:
        name: A pattern for how a reference is named.
        finding: A pattern for the sentences of the summary of findings.
        remark: A pattern for what is said of records.
    """
    trial = rf"(?:{name}), {_STATUS} {_CITED}"
    return {
        "finding": finding,
        "drug": _FREE,
        "condition": _FREE,
        "label": _any_of(VerdictLabel),
        "certainty": _any_of(Certainty),
        "rule": f"(?i:{_any_of(rule.rstrip('.') for rule in {**FORMER_RULES, **RULES})})",
        "cited": _CITED,
        "why": r"[^\[\]\n]{1,300}?",
        "because": r"(?: \([^\[\]\n]{1,900}?\))?",
        "n": r"\d+",
        "counts": rf"{_COUNT}(?:, {_COUNT})*",
        "effects": rf"{_EFFECT}(?:, {_EFFECT})*",
        "ways": rf"{_WAY}(?:; {_WAY})*",
        "trials": rf"{trial}(?:; {trial})*(?:; and \d+ more {_CITED})?",
        "name": name,
        "same": rf"(?: \(same study as (?:{name})(?: {_CITED})?\))?",
        "remark": f"(?i:{remark})",
        "strongest": _any_of(Strongest),
        "level": r"(?: \(OCEBM level [1-5]\))?",
        "side": r"For a (?:yes|no)|Without a clear side",
        "studies": r"stud(?:y|ies)",
        "best": r"(?:, the best of OCEBM level [1-5])?",
    }


_SLOT = bounded(r"\\\{(\w+)\\\}")


def rating_pattern(
    names: Iterable[str], findings: Iterable[str] = (), remarks: Iterable[str] = ()
) -> re.Pattern[str]:
    """Finds the ratings of a line of prose, at its beginning or that of a sentence.

    Args:
        names: How the references are named in prose; no other name makes a rating.
        findings: The sentences of the summary of findings, as printed; no other makes one.
        remarks: What is said of records beside the constant remarks, as printed.
    """
    told = _any_of({finding.rstrip(".") for finding in findings if finding})
    said = _any_of({*Remark, *filter(None, remarks)})
    slots = _slots(_any_of({name for name in names if name}) or r"(?!)", told or r"(?!)", said)
    each = "|".join(
        _SLOT.sub(lambda slot: f"(?:{slots[slot[1]]})", re.escape(rating.value))
        for rating in Rating
    )
    return bounded(rf"(?:^|(?<=^- )|(?<=[.!?] ))(?:{each})(?=\s|$)")
