"""The checklist of a free question by its kind: each item a side that an expert would ask for.

What speaks against is an item of every checklist.
"""

from __future__ import annotations

from typing import NamedTuple

from deepcritical.domain.checklist import Aspect, Checklist, ChecklistItem, Inquiry, InquiryKind
from deepcritical.reasoning.inquiries import asks_what_is_recommended
from deepcritical.reasoning.tolerability import asks_for_harm

__all__ = ["checklist_of"]

_MOST = 7


class _Side(NamedTuple):
    aspect: Aspect
    text: str
    studies: int = 1
    level: int | None = None


_TRIALS = _Side(Aspect.TRIALS, "What do randomised trials, or reviews of them, find?", 2, 2)
_AGAINST = _Side(Aspect.AGAINST, "What speaks against it: no effect, harm, trials stopped early?")
_SAFETY = _Side(Aspect.SAFETY, "What harms are reported in people?", 2, 4)
_PEOPLE = _Side(Aspect.PEOPLE, "What is known from studies of people?", 1, 4)
_MODELS = _Side(Aspect.MODELS, "What is known from animals and cells?", 1, 5)
_REVIEWED = _Side(Aspect.TRIALS, "What do randomised trials or systematic reviews find?", 1, 2)
_CONTRADICTS = _Side(Aspect.AGAINST, "What contradicts it?")
_UNSAFE = _Side(Aspect.AGAINST, "What speaks against its being safe?")

_SIDES: dict[InquiryKind, tuple[_Side, ...]] = {
    InquiryKind.EFFECT: (
        _Side(Aspect.ANSWER, "What do studies of this very question find?", 2, 3),
        _TRIALS,
        _Side(Aspect.SIZE, "How large is the effect, in figures?", 1, 3),
        _AGAINST,
        _SAFETY,
    ),
    InquiryKind.TREATMENT: (
        _Side(Aspect.ANSWER, "Which treatments do studies report on, and with what outcome?", 2, 3),
        _Side(Aspect.RECOMMENDED, "Which is called first-line, standard or recommended?", 2),
        _TRIALS,
        _Side(Aspect.AGAINST, "Which treatments did not work, or did harm?"),
        _SAFETY,
    ),
    InquiryKind.MECHANISM: (
        _Side(Aspect.ANSWER, "By which steps does it act?", 2, 5),
        _PEOPLE,
        _MODELS,
        _CONTRADICTS,
    ),
    InquiryKind.SAFETY: (
        _Side(Aspect.ANSWER, "Which harms are reported?", 2, 4),
        _REVIEWED,
        _Side(Aspect.SERIOUS, "Which serious harms are reported?", 1, 4),
        _Side(Aspect.AGAINST, "Where was it tolerated, or no worse than a control?"),
    ),
    InquiryKind.DOSE: (
        _Side(Aspect.ANSWER, "Which doses do studies report?", 2, 4),
        _Side(Aspect.TRIALS, "Which doses do randomised trials report?", 1, 2),
        _SAFETY,
        _Side(Aspect.AGAINST, "Which doses did not work, or did harm?"),
    ),
    InquiryKind.FREQUENCY: (
        _Side(Aspect.ANSWER, "Which figures do studies report?", 2, 4),
        _REVIEWED,
        _CONTRADICTS,
    ),
    InquiryKind.DIAGNOSIS: (
        _Side(Aspect.ANSWER, "Which tests or criteria do studies report on?", 2, 4),
        _REVIEWED,
        _PEOPLE,
        _CONTRADICTS,
    ),
    InquiryKind.CAUSE: (
        _Side(Aspect.ANSWER, "Which causes or risk factors do studies report?", 2, 4),
        _PEOPLE,
        _MODELS,
        _CONTRADICTS,
    ),
    InquiryKind.TRIALS: (
        _Side(Aspect.REGISTERED, "Which trials are registered, and where do they stand?"),
        _Side(Aspect.ANSWER, "What do published studies find?", 1, 4),
        _REVIEWED,
        _Side(Aspect.AGAINST, "Which were stopped early, or found no effect?"),
        _SAFETY,
    ),
    InquiryKind.OTHER: (
        _Side(Aspect.ANSWER, "What do studies report on it?", 2, 4),
        _REVIEWED,
        _PEOPLE,
        _CONTRADICTS,
    ),
}
_MORE: dict[Aspect, _Side] = {
    Aspect.TRIALS: _TRIALS,
    Aspect.SIZE: _Side(Aspect.SIZE, "How large is the effect, in figures?"),
    Aspect.SAFETY: _SAFETY,
    Aspect.SERIOUS: _Side(Aspect.SERIOUS, "Which serious harms are reported?", 1, 4),
    Aspect.RECOMMENDED: _Side(
        Aspect.RECOMMENDED, "Which treatment is called first-line, standard or recommended?"
    ),
    Aspect.DOSE: _Side(Aspect.DOSE, "Which doses are reported?", 1, 4),
    Aspect.MECHANISM: _Side(Aspect.MECHANISM, "By which steps could it act?"),
    Aspect.PEOPLE: _PEOPLE,
    Aspect.MODELS: _MODELS,
}
"""Sides that context or a model may add."""


def checklist_of(inquiry: Inquiry) -> Checklist:
    """The items for a question of its kind, then what else it wants known, 3-7 in all."""
    sides = {side.aspect: side for side in _SIDES[inquiry.kind]}
    if Aspect.RECOMMENDED in sides and asks_what_is_recommended(inquiry.text):
        sides = {Aspect.RECOMMENDED: sides[Aspect.RECOMMENDED]} | sides
    if inquiry.kind is InquiryKind.SAFETY and not asks_for_harm(inquiry.plain):
        sides[Aspect.AGAINST] = _UNSAFE
    for aspect in inquiry.aspects:
        if aspect in _MORE:
            sides.setdefault(aspect, _MORE[aspect])
    return Checklist(
        items=tuple(
            ChecklistItem(
                id=f"C{number}",
                aspect=side.aspect,
                text=side.text,
                studies=side.studies,
                level=side.level,
            )
            for number, side in enumerate(list(sides.values())[:_MOST], 1)
        )
    )
