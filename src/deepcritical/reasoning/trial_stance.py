"""What a registry entry says of its treatment: by its status, stop reason and posted results.

An entry whose trial stopped for futility or harm speaks against the treatment; so does a posted
primary outcome without a significant difference, and one that the control arm had better (ICH E9).
A status alone, such as COMPLETED, says nothing of the effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import is_harm_stop, is_negative_reason, is_negative_stop
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span, fold, sentences
from deepcritical.reasoning.directions import BAD, GOOD
from deepcritical.reasoning.figures import CONTROL, Way, figures_cue, p_values

__all__ = ["TrialFinding", "stop_sentence", "trial_finding"]

_POSTED = "Posted result: "
_ARM = bounded(r"^\s*(?P<name>.+?)(?: \([^()]*\))? (?P<value>[-−]?\d+(?:\.\d+)?)(?= \(|$)")
_EQUIVALENCE = bounded(r"non-?inferiority or equivalence", re.IGNORECASE)
_BAD = bounded(rf"\b{BAD}\b", re.IGNORECASE)
_GOOD = bounded(rf"\b{GOOD}\b|\bsurviv\w+|\bremission\b|\brespon[ds]\w+", re.IGNORECASE)


class TrialFinding(NamedTuple):
    """What an entry says, where, and why."""

    stance: Stance
    span: Span | None
    cue: str
    rule: str


def trial_finding(record: Evidence) -> TrialFinding:
    """What a registry entry without a paper's text says of its treatment."""
    status = record.metadata.status or "status not given"
    if is_negative_stop(record):
        return _stopped(record, status)
    posted = [_posted(span) for span in sentences(record.content) if span.text.startswith(_POSTED)]
    told = [finding for finding in posted if finding]
    if told:
        return _together(told)
    rule = f"{status}: no result that tells a direction is posted"
    return TrialFinding(Stance.NEUTRAL, None, "", rule)


def stop_sentence(record: Evidence) -> Span | None:
    """The sentence of an entry that holds the registry's reason, where it speaks against it."""
    why = fold(record.metadata.why_stopped or "")
    quoted = (
        span
        for span in sentences(record.content)
        if fold(span.text).removeprefix("why stopped: ") in why and is_negative_reason(span.text)
    )
    return next(quoted, None)


def _stopped(record: Evidence, status: str) -> TrialFinding:
    why = record.metadata.why_stopped or ""
    ground = "harm" if is_harm_stop(why) else "futility or lack of effect"
    rule = f"{status}: stopped for {ground}"
    return TrialFinding(Stance.REFUTES, stop_sentence(record), why, rule)


def _together(told: Iterable[TrialFinding]) -> TrialFinding:
    """One finding of all primary outcomes: those that disagree leave the entry neutral."""
    by_stance = {finding.stance: finding for finding in reversed(list(told))}
    if len(by_stance) == 1:
        return next(iter(by_stance.values()))
    first = by_stance.get(Stance.SUPPORTS) or next(iter(by_stance.values()))
    return first._replace(stance=Stance.NEUTRAL, rule="the posted primary outcomes disagree")


def _posted(span: Span) -> TrialFinding | None:
    """What one posted primary outcome says; None without a comparison of arms."""
    measure, _, told = span.text.removeprefix(_POSTED).partition("): ")
    if _EQUIVALENCE.search(told):
        return None
    figured = figures_cue(told)
    if figured and figured.way is Way.NO_EFFECT:
        rule = "a posted primary outcome without a significant difference"
        return TrialFinding(Stance.REFUTES, span, told[figured.at :].split(";")[0].strip(), rule)
    if not any(p_values(told)):
        return None
    better = _treated_fared_better(measure, told)
    if better is None:
        return None
    rule = f"a posted primary outcome that is {'better' if better else 'worse'} with treatment"
    return TrialFinding(Stance.SUPPORTS if better else Stance.REFUTES, span, measure, rule)


def _treated_fared_better(measure: str, told: str) -> bool | None:
    """By the arms' values and whether more of the measure is good; None when either is unclear."""
    arms = list(_arms(told))
    control = [value for name, value in arms if CONTROL.search(name)]
    treated = [value for name, value in arms if not CONTROL.search(name)]
    good, bad = bool(_GOOD.search(measure)), bool(_BAD.search(measure))
    if not control or not treated or good is bad or treated[0] == control[0]:
        return None
    return (treated[0] > control[0]) is good


def _arms(told: str) -> Iterator[tuple[str, float]]:
    for piece in told.split(";"):
        if " vs " not in piece and (match := _ARM.match(piece)):
            yield match["name"], float(match["value"].replace("−", "-"))
