"""A question as a model reads it: its names must be words of the question; code looks them up."""

from __future__ import annotations

from deepcritical.domain.errors import QuestionError
from deepcritical.domain.question import QuestionForm, ResearchQuestion
from deepcritical.domain.text import locate_quote
from deepcritical.reasoning.answers import Plan
from deepcritical.reasoning.questions import read_question

__all__ = ["as_planned", "is_known"]


def is_known(question: ResearchQuestion) -> bool:
    """Whether a vocabulary has the drug and the condition."""
    drug, condition = question.drug, question.condition
    return (drug is None or drug.known) and (condition is None or condition.known)


def as_planned(text: str, plan: Plan, by_rule: ResearchQuestion | None) -> ResearchQuestion | None:
    """The question in the model's reading; None where that adds nothing.

    It adds nothing if it names no condition of the question's own words, or the same as the rules.
    The reader is told of another reading; a name that no vocabulary has keeps its notice.
    """
    drug, condition = (_in_words(name, text) for name in (plan.drug, plan.condition))
    asked = f"Can {drug} be repurposed for {condition}?"
    if not drug:
        asked = f"What could be repurposed for {condition}?"
    try:
        understood = read_question(asked) if condition else None
    except QuestionError:
        return None
    if understood is None or (by_rule and _names(understood) == _names(by_rule)):
        return None
    terms = tuple(t for t in (_in_words(name, text) for name in plan.mechanism_terms) if t)
    posed = {"mechanism_terms": terms, "form": QuestionForm.HYPOTHESIS}
    notice = f'The question was read by the model as "{asked}"'
    return understood.model_copy(
        update={
            "text": text,
            "notices": (notice, *understood.notices),
            **(posed if understood.drug and terms else {}),
        }
    )


def _names(question: ResearchQuestion) -> tuple[str, str]:
    drug, condition = question.drug, question.condition
    return drug.name if drug else "", condition.name if condition else ""


def _in_words(name: str, text: str) -> str:
    """A name as the question writes it; '' when the question does not."""
    place = locate_quote(name, text)
    return text[place[0] : place[1]] if place and any(map(str.isalpha, name)) else ""
