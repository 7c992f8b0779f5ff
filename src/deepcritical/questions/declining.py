"""Writes the reply to a user whose text is not searched.

A hint to a crisis line names no number: numbers differ by country, and a wrong one is worse than
none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.domain.question.frame import (
    Condition,
    DeclineReason,
    Drug,
    QuestionFrame,
    QuestionKind,
)

_CONVERSATION = "I answer questions about drugs and diseases from papers and trials."
_EXAMPLE = '"Does colchicine prevent recurrent pericarditis?"'
_ASK = (
    "Ask about a drug or a condition, such as \"Can metformin be repurposed for Alzheimer's "
    f'disease?" or {_EXAMPLE}'
)
_LINES = {
    DeclineReason.EMPTY: "There is no question.",
    DeclineReason.NOT_BIOMEDICAL: "This is not a question of biomedicine.",
    DeclineReason.GIBBERISH: "No question could be read in this.",
    DeclineReason.PERSONAL_ADVICE: "Nobody's own treatment is advised on here.",
    DeclineReason.HARMFUL: "This is not answered.",
    DeclineReason.INSTRUCTION: "Questions are answered here, instructions are not followed.",
    DeclineReason.OTHER_LANGUAGE: "Only questions in English are read for now.",
    DeclineReason.UNKNOWN_NAME: "No vocabulary knows what is asked about: nothing was searched.",
}
_ADVICE = {
    DeclineReason.PERSONAL_ADVICE: (
        "Please ask a doctor or a pharmacist, in an emergency your local emergency number; what "
        "studies found in general can be asked here"
    ),
    DeclineReason.HARMFUL: (
        "If you or somebody else may be in danger, please call your local emergency number or a "
        "crisis line now; for a poisoning, a poison control centre."
    ),
    DeclineReason.OTHER_LANGUAGE: "Ask the same in English.",
}


def line_of(reason: DeclineReason | None, unknown: Sequence[str] = ()) -> str:
    """Return the reply for a reason or to small talk, with the names that nobody knows, if any."""
    if unknown:
        named = " or ".join(f'"{name}"' for name in unknown)
        return f"No vocabulary knows {named}, so nothing was searched."
    return _CONVERSATION if reason is None else _LINES[reason]


def advice_of(reason: DeclineReason | None, offers: Sequence[str] = ()) -> str:
    """Return what to do next, with what can be asked instead, if anything."""
    offered = " or ".join(f'"{offer}"' for offer in offers)
    if reason is DeclineReason.PERSONAL_ADVICE:
        return f"{_ADVICE[reason]}, as in {offered or _EXAMPLE}"
    if offered:
        return f"Did you mean {offered}?"
    return _ASK if reason is None else _ADVICE.get(reason, _ASK)


def as_typed(name: str, what: str) -> str:
    """Return the words for a name that no vocabulary has."""
    return f'We do not recognise "{name}" as a {what}; it is searched as typed.'


def general_questions(drugs: Sequence[Drug], condition: Condition | None) -> Iterator[str]:
    """Yield questions to ask of studies, where a user asks for their own treatment."""
    for drug in drugs[:1]:
        if condition:
            yield f"Does {drug.name} help in {condition.name}?"
        yield f"What are the side effects of {drug.name}?"
    if condition and not drugs:
        yield f"Which drugs help in {condition.name}?"


def unsearched(
    text: str,
    reason: DeclineReason | None = None,
    drugs: Sequence[Drug] = (),
    condition: Condition | None = None,
) -> QuestionFrame:
    """Return the frame of a text that is declined, or, without a reason, of small talk."""
    if reason is None:
        return QuestionFrame(text=text, kind=QuestionKind.CONVERSATION, notices=(line_of(None),))
    is_personal = reason is DeclineReason.PERSONAL_ADVICE
    return QuestionFrame(
        text=text,
        kind=QuestionKind.DECLINED,
        declined=reason,
        drugs=tuple(drugs),
        condition=condition,
        notices=(line_of(reason),),
        offers=tuple(general_questions(drugs, condition)) if is_personal else (),
    )


_LOOSE = frozenset({QuestionKind.OPEN, QuestionKind.LOOK_UP})
_GRAVE = frozenset({DeclineReason.HARMFUL, DeclineReason.PERSONAL_ADVICE})
_MILD = frozenset(
    {QuestionKind.CONVERSATION, DeclineReason.INSTRUCTION, DeclineReason.NOT_BIOMEDICAL}
)


REFUSALS = _GRAVE | _MILD
"""The kinds of texts that are no question for the literature, as a model names them."""


def refused_by_model(by_rule: QuestionFrame, kind: str) -> QuestionFrame | None:
    """Return the frame of a text that a model holds to be no question for the literature.

    None where it is one: what asks whether a known drug helps, or what helps in a known condition,
    is on biomedicine whatever a model says.
    """
    if kind not in REFUSALS:
        return None
    if by_rule.declined in _GRAVE:  # nothing milder is made of what may be a danger
        return by_rule if kind in _MILD else _refused(by_rule, kind)
    named = any(one and one.known for one in (*by_rule.drugs, by_rule.condition))
    is_loose = not by_rule.answerable or by_rule.kind in _LOOSE or not named
    return _refused(by_rule, kind) if kind in _GRAVE or is_loose else None


def _refused(by_rule: QuestionFrame, kind: str) -> QuestionFrame:
    reason = None if kind == QuestionKind.CONVERSATION else DeclineReason(kind)
    return unsearched(by_rule.text, reason, by_rule.drugs, by_rule.condition)
