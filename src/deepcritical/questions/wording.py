"""One wording for every question of the same frame, so that how it was put changes no answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.patterns import bounded
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.questions import cues

__all__ = ["answer_to", "claim_of", "plain_wording"]

_HIGHER_IS_BETTER = frozenset(
    {
        "survival",
        "progression-free survival",
        "relapse-free survival",
        "remission",
        "cognition",
        "quality of life",
        "kidney function",
        "lung function",
        "live birth",
        "sleep",
        "function",
        "transplant survival",
        "vision",
    }
)


_TRIALS = bounded(r"\b(?:trials?|registered|recruiting|ongoing|under ?way)\b", re.IGNORECASE)
_STOPPED = bounded(
    r"\b(?:stopp|terminat|withdr|halt|suspend|approv|licen|guideline|recommend|phase)\w*",
    re.IGNORECASE,
)
"""Asks for some of them, or for something else."""


_ANY_HARM = bounded(
    r"\b(?:side[- ]effects?|adverse|SAEs?|AEs?|safe(?:ty|ly)?|toxic\w*|harms?|harmful|tolerab\w+|"
    r"tolerated|danger\w*|risks|complications)\b",
    re.IGNORECASE,
)


def plain_wording(frame: QuestionFrame) -> str:
    """The question in the words of its frame; as written where a frame says less than the text."""
    worded = _WORDINGS.get(frame.kind)
    is_whole = bool(frame.drugs) and not frame.not_understood
    return (worded(frame) if worded and is_whole else "") or frame.text


_OPEN = {
    VerdictLabel.MIXED: "Open: studies disagree on whether {claim}.",
    VerdictLabel.INSUFFICIENT: "Not known: the records found do not tell whether {claim}.",
}
_SAID = _OPEN | {
    VerdictLabel.SUPPORTED: "Yes: the studies found support that {claim}.",
    VerdictLabel.PROMISING: "Perhaps: there are signs that {claim}, and no proof.",
    VerdictLabel.UNSUPPORTED: "Not shown: the studies found do not bear out that {claim}.",
    VerdictLabel.REFUTED: (
        "No: it was tested whether {claim}, and the trials found that it did not."
    ),
}
_SAID_OF_DENIAL = _OPEN | {
    VerdictLabel.SUPPORTED: "No: the studies found support that {claim}.",
    VerdictLabel.PROMISING: "Not so: there are signs that {claim}, though no proof.",
    VerdictLabel.UNSUPPORTED: "So far, yes: the studies found do not bear out that {claim}.",
    VerdictLabel.REFUTED: (
        "Yes: it was tested whether {claim}, and the trials found that it did not."
    ),
}


def answer_to(frame: QuestionFrame, label: VerdictLabel) -> str:
    """A verdict as the answer to a question as it was put; '' where it asks for no yes or no.

    The verdict is always on the positive proposition, so "Is it true that it does not help?" is
    answered with a yes where it was refuted.
    """
    claim = claim_of(frame)
    said = _SAID_OF_DENIAL if frame.negative else _SAID
    return said[label].format(claim=claim) if claim else ""


def claim_of(frame: QuestionFrame) -> str:
    """What a verdict is on: "colchicine reduces recurrence in pericarditis"; '' for no one drug."""
    if frame.kind not in _EFFECTS or len(frame.drugs) != 1 or not frame.condition:
        return ""
    (drug,) = frame.drugs
    ending = "" if frame.kind is QuestionKind.CLASS else "s"
    verb = f"{_verb(frame.outcomes)}{ending} {_listed(frame.outcomes)}" if frame.outcomes else ""
    return f"{drug.name} {verb or f'help{ending}'}{_where(frame)}"


def _effect(frame: QuestionFrame) -> str:
    if frame.outcomes:
        did = f"{_verb(frame.outcomes)} {_listed(frame.outcomes)}"
    else:
        did = "help" if frame.condition else ""
    return f"Does {_drugs(frame)} {did}{_where(frame)}?" if did else ""


def _safety(frame: QuestionFrame) -> str:
    if frame.condition and _is_the_harm(frame):
        return f"Does {_drugs(frame)} cause {frame.condition.name}{_whom(frame)}?"
    if frame.outcomes or (cues.CAUSED.search(frame.text) and not frame.condition):
        return ""  # the harm that is asked about is in its words alone
    if frame.condition or frame.population:
        return f"Is {_drugs(frame)} safe{_where(frame)}?"
    return f"What are the side effects of {_drugs(frame)}?"


def _is_the_harm(frame: QuestionFrame) -> bool:
    """Whether the condition is what a drug may cause, and not what it is given for."""
    if cues.CAUSED.search(frame.text) or not frame.condition:
        return bool(frame.condition)
    name = re.escape(frame.condition.name)
    given_for = rf"\b(?:in|for|with|have|has) (?:[\w-]+ ){{0,2}}{name}"
    return not _ANY_HARM.search(frame.text) and not re.search(given_for, frame.text, re.IGNORECASE)


def _dose(frame: QuestionFrame) -> str:
    return f"What dose of {_drugs(frame)} was given{_where(frame)}?" if frame.condition else ""


def _mechanism(frame: QuestionFrame) -> str:
    if frame.through:
        ways = _listed(frame.through)
        return f"Does {_drugs(frame)} act through {ways}{_where(frame)}?"
    return ""  # on what it is to act is in its words alone


def _status(frame: QuestionFrame) -> str:
    """Only where trials are asked for; approval and guidelines are in the words alone."""
    asks = _TRIALS.search(frame.text) and not _STOPPED.search(frame.text)
    return f"Which trials of {_drugs(frame)}{_where(frame)} are registered?" if asks else ""


def _comparison(frame: QuestionFrame) -> str:
    if not frame.comparators:
        return ""
    other = _listed(frame.comparators)
    return f"Is {_drugs(frame)} more effective than {other}{_where(frame)}?"


_WORDINGS: dict[QuestionKind, Callable[[QuestionFrame], str]] = {
    QuestionKind.EFFICACY: _effect,
    QuestionKind.COMBINATION: _effect,
    QuestionKind.CLASS: _effect,
    QuestionKind.SAFETY: _safety,
    QuestionKind.DOSE: _dose,
    QuestionKind.MECHANISM: _mechanism,
    QuestionKind.COMPARISON: _comparison,
    QuestionKind.STATUS: _status,
}


_EFFECTS = frozenset({QuestionKind.EFFICACY, QuestionKind.CLASS})


def _verb(outcomes: tuple[str, ...]) -> str:
    return "improve" if outcomes[0] in _HIGHER_IS_BETTER else "reduce"


def _drugs(frame: QuestionFrame) -> str:
    return _listed(drug.name for drug in frame.drugs)


def _where(frame: QuestionFrame) -> str:
    condition = f" in {frame.condition.name}" if frame.condition else ""
    return f"{condition}{_whom(frame)}"


def _whom(frame: QuestionFrame) -> str:
    return f" in {_listed(frame.population)}" if frame.population else ""


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)
