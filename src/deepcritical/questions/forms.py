"""A frame as what research works on: a drug for a condition, candidates, or a hypothesis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepcritical.domain.errors import QuestionDeclinedError, QuestionError
from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.named import Condition
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import QuestionForm, ResearchQuestion
from deepcritical.questions.declining import advice_of
from deepcritical.questions.dosing import is_between_doses
from deepcritical.questions.unused import unused_words

_FOR_ASK = {
    QuestionKind.DOSE: "Which dose or course is right was not assessed.",
    QuestionKind.STATUS: (
        "Approval, licence and guidelines were not assessed, and neither was which trials run."
    ),
    QuestionKind.POPULATION: "Who benefits most was not assessed.",
    QuestionKind.LOOK_UP: "The fact that is asked for was not looked up.",
}
"""Things that questions ask for and that a verdict does not answer."""
_OR = bounded(r"\bor\b", re.IGNORECASE)
_CHOOSES = bounded(
    r"\b(?:which|what|better|best|worse|more|less|fewer|safer|prefer\w*|choos\w+|versus|vs|than|"
    r"compar\w+|differ\w*|superior|inferior)\b",
    re.IGNORECASE,
)
"""Words by which "A or B" surely asks which one is better."""
_WEIGHED = frozenset(
    {
        QuestionKind.EFFICACY,
        QuestionKind.CLASS,
        QuestionKind.COMBINATION,
        QuestionKind.COMPARISON,
        QuestionKind.SAFETY,
        QuestionKind.POPULATION,
    }
)
"""Kinds of which studies are weighed by their people."""
_WITH_VERDICT = frozenset(
    {
        QuestionKind.EFFICACY,
        QuestionKind.CLASS,
        QuestionKind.COMBINATION,
        QuestionKind.COMPARISON,
        QuestionKind.MECHANISM,
    }
)


def require_answerable(frame: QuestionFrame) -> None:
    """Let pass what can be searched.

    Raises:
        QuestionDeclinedError: With the reason, what to do instead, and offers.
    """
    if frame.answerable:
        return
    raise QuestionDeclinedError(
        frame.notices[0],
        advice_of(frame.declined, frame.offers),
        frame.declined.value if frame.declined else frame.kind.value,
        frame.offers,
    )


def require_one_meaning(frame: QuestionFrame) -> None:
    """Let pass a question without a name of several things; for where a person can be asked back.

    Raises:
        QuestionDeclinedError: With the question in each of its meanings.
    """
    for found in frame.ambiguities:
        meanings = (found.taken, *found.others)
        raise QuestionDeclinedError(
            f'"{found.text}" can mean {" or ".join(meanings)}.',
            "Which one is meant? Ask again with its name.",
            "ambiguous",
            tuple(frame.text.replace(found.text, name) for name in meanings),
        )


def wants_verdict(frame: QuestionFrame) -> bool:
    """Return whether a report with a verdict answers it: if a drug helps, or which ones could."""
    if frame.kind is QuestionKind.CANDIDATES:
        return frame.condition is not None
    is_whole = bool(frame.drugs) and frame.condition is not None
    asks_effect = frame.kind is not QuestionKind.MECHANISM or bool(frame.through)
    return frame.kind in _WITH_VERDICT and is_whole and asks_effect


def research_question(frame: QuestionFrame) -> ResearchQuestion:
    """A question whose answer is a report with a verdict.

    Raises:
        QuestionDeclinedError: It is none that papers and trials answer.
        QuestionError: It names no condition, or asks for something other than a drug's effect.
    """
    require_answerable(frame)
    condition = frame.condition or frame.harm or _as_condition(frame)
    if condition is None:
        named = f" for {frame.drugs[0].name}" if frame.drugs else ""
        raise QuestionError(
            f"No condition could be recognised in the question{named}.",
            'Name one, as in "Can metformin be repurposed for Alzheimer\'s disease?" '
            'or "What could be repurposed for long COVID?"; any other question is for '
            "`deepcritical ask`.",
        )
    if not frame.drugs and frame.kind is not QuestionKind.CANDIDATES:
        raise QuestionError(
            f"The question asks for no drug that could help in {condition.name}.",
            "Name a drug, or ask which ones could help; any other question is for "
            "`deepcritical ask`.",
        )
    drug = next(iter(frame.drugs), None)
    terms = frame.through if drug else ()
    form = QuestionForm.DRUG_CONDITION if drug else QuestionForm.CONDITION
    return ResearchQuestion(
        text=frame.text,
        form=QuestionForm.HYPOTHESIS if terms else form,
        drug=drug,
        condition=condition,
        mechanism_terms=terms,
        notices=(*frame.notices, *_limits(frame)),
        frame=frame,
    )


def _as_condition(frame: QuestionFrame) -> Condition | None:
    """Of a question without a condition what it is on: an outcome, or the people it is safe for."""
    who = frame.population[:1] if frame.feared else ()
    named = frame.outcomes[:1] or who
    if not frame.drugs or not named:
        return frame.feared
    return Condition(name=named[0], names=named)


_LINK = re.compile(r"^(?:of|to|from|for|with|by|in|on|at) ", re.IGNORECASE)


def _limits(frame: QuestionFrame) -> Iterator[str]:
    """Yield what of the question the report does not answer, or answers from another side."""
    if len(frame.drugs) > 1 and not frame.together:
        yield f"Several drugs are named; this run asks about {frame.drugs[0].name} only."
    if frame.comparators and frame.kind is not QuestionKind.COMPARISON:
        yield (
            f"The report answers whether {frame.drugs[0].name} helps; what it says of "
            f"{' and '.join(frame.comparators)} beside it is told, and not weighed."
        )
    if frame.kind in _WEIGHED and (unused := unused_words(frame)):
        told = " or ".join(f'"{_LINK.sub("", words)}"' for words in unused)
        yield f"The studies were not selected or weighed by {told}, which the question names."
    if frame.kind is QuestionKind.CLASS:
        yield (
            f'"{frame.drugs[0].name}" stands for several drugs: what is found on any of them, '
            "or on all under one name, counts together."
        )
    unnamed = frame.kind is QuestionKind.SAFETY and not frame.is_on_harm
    if unnamed and not re.search(r"\bsafe", frame.text, re.IGNORECASE):
        yield (
            "The question asks about harm. The report answers whether the drug helps; "
            "findings of harm are shown as such."
        )
    is_either = _OR.search(frame.text) and not _CHOOSES.search(frame.text)
    if frame.kind is QuestionKind.COMPARISON and is_either:
        yield (
            f"The report answers whether {frame.drugs[0].name} works better than the other; "
            "whether each of them helps by itself is a question of its own."
        )
    is_weighed = frame.kind is QuestionKind.DOSE and is_between_doses(frame.text)
    if frame.drugs and not is_weighed and (asked := _FOR_ASK.get(frame.kind)):
        yield (
            f"{asked} The report answers whether {frame.drugs[0].name} helps; `deepcritical ask` "
            "answers the question itself."
        )
