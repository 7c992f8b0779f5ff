"""Finds which arm of a comparison stopped the drug that the other one went on with."""

from __future__ import annotations

import re
from typing import Literal

from deepcritical.appraisal.pico.arms import IN_BOTH, Tested, tested_by
from deepcritical.appraisal.pico.asked import Asked, canonical
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import Arm, Result, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.withdrawing import STOPS, mentions_in, stopped_in

_GOES_ON = bounded(r"\b(?:continu(?:e|es|ed|ing|ation)|not withdrawn)\b", re.IGNORECASE)
_TRIAL_OF_STOPPING = bounded(
    r"\b(?:withdrawal|discontinuation|cessation|tapering|deprescribing) (?:trial|study)\b",
    re.IGNORECASE,
)
_STARTED = "it tests taking the drug, and not stopping it"


def compared_in(reading: StudyReading, result: Result, evidence: Evidence, asked: Asked) -> Tested:
    """Return what a result tests of the drug, or of stopping it where that is asked about."""
    found = tested_by(reading, result, asked)
    return stopped_by(found, reading, result, evidence, asked) if asked.stopping else found


def stopped_by(
    found: Tested, reading: StudyReading, result: Result, evidence: Evidence, asked: Asked
) -> Tested:
    """Return what a result tests of stopping the drug; its side is the arm that stopped.

    The other arm went on with the drug and with nothing else: the arms or the title say so. A trial
    of starting the drug is none.

    Args:
        found: What the result tests of the drug.
        reading: The study.
        result: Its result.
        evidence: The record.
        asked: What the question asks for.
    """
    arms = {"a": reading.arm(result.a), "b": reading.arm(result.b)}
    told = [side for side in _SIDES if _says_stopped(arms[side], asked)]
    if found.why_not == IN_BOTH and len(told) == 1:
        return Tested(told[0], stopped=True)
    if found.why_not:
        return found
    if found.comparator or found.given_with:
        return Tested(why_not="the drug was replaced by another, and not only stopped")
    off: Literal["a", "b"] = "b" if found.side == "a" else "a"
    on_arm, off_arm = arms[found.side], arms[off]
    if on_arm is None or off_arm is None or found.side in told:
        return Tested(why_not=_STARTED)
    went_on = _GOES_ON.search(on_arm.label) and not _GOES_ON.search(off_arm.label)
    if told or went_on or is_on_stopping(evidence.citation.title, asked):
        return found._replace(side=off, stopped=True)
    return Tested(why_not=_STARTED)


_SIDES: tuple[Literal["a", "b"], ...] = ("a", "b")


def is_on_stopping(title: str, asked: Asked) -> bool:
    """Return whether a title is of stopping the drug, or one of its class.

    A withdrawal trial is of the only drug that its title names.
    """
    named = {name for _, _, name in mentions_in(title, asked.names)}
    alone = named if len(named) == 1 and _TRIAL_OF_STOPPING.search(title) else set()
    stopped = {canonical(name) for name in (*stopped_in(title, asked.names), *alone)}
    return bool(stopped & (asked.names | asked.classes))


def _says_stopped(arm: Arm | None, asked: Asked) -> bool:
    """Return whether an arm's label says that it stopped something, and names no other drug."""
    if arm is None or not STOPS.search(arm.label):
        return False
    named = {canonical(name) for _, _, name in mentions_in(arm.label)}
    return named <= asked.names | asked.classes | asked.kin
