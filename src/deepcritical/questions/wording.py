"""One wording for every question of the same frame, so that how it was put changes no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.questions import cues

__all__ = ["plain_wording", "proposition_of"]

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


def plain_wording(frame: QuestionFrame) -> str:
    """The question in the words of its frame; as written where a frame says less than the text."""
    worded = _WORDINGS.get(frame.kind)
    is_whole = bool(frame.drugs) and not frame.not_understood
    return (worded(frame) if worded and is_whole else "") or frame.text


def proposition_of(frame: QuestionFrame) -> str:
    """What a verdict is on: "colchicine reduces recurrence in pericarditis"."""
    drug = _drugs(frame)
    verb = f"{_verb(frame.outcomes)}s {_listed(frame.outcomes)}" if frame.outcomes else "helps"
    return f"{drug} {verb}{_where(frame)}"


def _effect(frame: QuestionFrame) -> str:
    if frame.outcomes:
        did = f"{_verb(frame.outcomes)} {_listed(frame.outcomes)}"
    else:
        did = "help" if frame.condition else ""
    return f"Does {_drugs(frame)} {did}{_where(frame)}?" if did else ""


def _safety(frame: QuestionFrame) -> str:
    if frame.condition and cues.CAUSED.search(frame.text):
        return f"Does {_drugs(frame)} cause {frame.condition.name}{_whom(frame)}?"
    if frame.outcomes or (cues.CAUSED.search(frame.text) and not frame.condition):
        return ""  # the harm that is asked about is in its words alone
    if frame.condition or frame.population:
        return f"Is {_drugs(frame)} safe{_where(frame)}?"
    return f"What are the side effects of {_drugs(frame)}?"


def _dose(frame: QuestionFrame) -> str:
    return f"What dose of {_drugs(frame)} was given{_where(frame)}?" if frame.condition else ""


def _mechanism(frame: QuestionFrame) -> str:
    if frame.through:
        ways = _listed(frame.through)
        return f"Does {_drugs(frame)} act through {ways}{_where(frame)}?"
    return f"How does {_drugs(frame)} act{_where(frame)}?"


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
}


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
