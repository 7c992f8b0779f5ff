"""Lists what must be known to answer a free question: a checklist of typed needs, by the frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from deepcritical.answering.cues import says
from deepcritical.answering.kinds import asks_under_way, is_of, kind_of
from deepcritical.answering.topics import asked_in, topics_of
from deepcritical.domain.appraisal.checklist import (
    Aspect,
    Checklist,
    ChecklistItem,
    Inquiry,
    InquiryKind,
)
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame
from deepcritical.questions.forms import require_answerable
from deepcritical.questions.naming import as_condition, find_names
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.wording import headed

_MOST = 7
_SAID_BY_ITSELF = (InquiryKind.SAFETY, InquiryKind.DOSE, InquiryKind.FREQUENCY)
"""Kinds of questions that say what is wanted of records without a name."""
_MOST_NAMED = 3
_MOST_WORDS = 2
"""Words beside names that are told of in an item; more make no phrase."""
_SCOPE_OUT = (
    "plans and protocols without a result",
    "retracted records, which are counted and never used",
    "advice for one patient",
)


class _Need(NamedTuple):
    aspect: Aspect
    text: str
    """With places for what is asked about and in whom."""
    studies: int = 1
    level: int | None = None


_EFFECT = _Need(
    Aspect.EFFECT, "Which effects of {about} do studies report{inside}, and how large?", 2, 3
)
_COMPARED = _Need(
    Aspect.COMPARISON, "How do the treatments compare with one another{inside}?", 1, 3
)
_HARMS = _Need(Aspect.SAFETY, "Which harms of {about} are reported{inside}?", 1, 4)
_AGAINST = _Need(Aspect.AGAINST, "What speaks against it: no effect, harm, trials stopped early?")
_CONTRADICTS = _Need(Aspect.AGAINST, "What contradicts it?")
_GUIDANCE = _Need(Aspect.RECOMMENDED, "What do reviews and guidelines say of {about}{inside}?")
_UNDER_WAY = _Need(
    Aspect.REGISTERED, "Which trials of {about}{inside} are registered, and where do they stand?"
)
_BACKGROUND = _Need(Aspect.BACKGROUND, "What is the background of {about}{inside}?")
_RATE = _Need(Aspect.RATE, "How often, in figures?", 1, 4)
_WHO = _Need(Aspect.ELIGIBILITY, "In whom is it so, more or less?", 1, 4)

_NEEDS: dict[InquiryKind, tuple[_Need, ...]] = {
    InquiryKind.EFFECT: (_EFFECT, _AGAINST, _HARMS, _GUIDANCE, _UNDER_WAY),
    InquiryKind.TREATMENT: (
        _Need(Aspect.EFFECT, "Which treatments were tested{inside}, and with what result?", 2, 3),
        _COMPARED,
        _Need(Aspect.RECOMMENDED, "Which treatments do reviews and guidelines name{inside}?"),
        _Need(Aspect.SAFETY, "Which harms of these treatments are reported?", 1, 4),
        _Need(Aspect.AGAINST, "Which treatments did not work, or did harm?"),
    ),
    InquiryKind.COMPARISON: (
        _Need(Aspect.COMPARISON, "How do the treatments compare{inside}: {about}?", 1, 3),
        _Need(Aspect.AGAINST, "Where was there no difference, or the contrary?"),
        _Need(Aspect.SAFETY, "How do their harms compare?", 1, 4),
        _GUIDANCE,
    ),
    InquiryKind.MECHANISM: (
        _Need(Aspect.MECHANISM, "By which steps does {about} act{inside}?", 1, 5),
        _Need(Aspect.EFFECT, "Does it show in people?", 1, 4),
        _CONTRADICTS,
        _BACKGROUND,
    ),
    InquiryKind.SAFETY: (
        _Need(Aspect.SAFETY, "Which harms of {about} are reported{inside}?", 2, 4),
        _RATE,
        _Need(Aspect.AGAINST, "Where was it tolerated, or no worse than a control?"),
        _Need(Aspect.ELIGIBILITY, "Who is at higher risk?", 1, 4),
        _GUIDANCE,
    ),
    InquiryKind.DOSE: (
        _Need(Aspect.DOSE, "Which doses or regimens of {about} do studies report{inside}?", 1, 4),
        _Need(Aspect.EFFECT, "What came of them?", 1, 3),
        _Need(Aspect.SAFETY, "Which harms are reported, and at which dose?", 1, 4),
        _Need(Aspect.AGAINST, "Which doses did not work, or did harm?"),
    ),
    InquiryKind.FREQUENCY: (
        _Need(Aspect.RATE, "Which figures do studies report on {about}{inside}?", 1, 4),
        _WHO,
        _CONTRADICTS,
    ),
    InquiryKind.DIAGNOSIS: (
        _Need(Aspect.DIAGNOSIS, "How well does {about} tell or predict it{inside}?", 1, 4),
        _Need(Aspect.COMPARISON, "How does it compare with other tests?", 1, 4),
        _CONTRADICTS,
        _GUIDANCE,
    ),
    InquiryKind.CAUSE: (
        _Need(Aspect.CAUSE, "Which causes or risk factors of {about} do studies report?", 1, 4),
        _RATE,
        _CONTRADICTS,
    ),
    InquiryKind.TRIALS: (
        _UNDER_WAY,
        _Need(Aspect.EFFECT, "What did finished trials find?", 1, 3),
        _Need(Aspect.AGAINST, "Which were stopped early, or found no effect?"),
        _HARMS,
    ),
    InquiryKind.ELIGIBILITY: (
        _Need(
            Aspect.ELIGIBILITY,
            "In whom was {about} tested{inside}, and in whom does it help?",
            1,
            4,
        ),
        _EFFECT,
        _HARMS,
        _AGAINST,
    ),
    InquiryKind.GUIDANCE: (
        _Need(Aspect.RECOMMENDED, "What do reviews and guidelines say of {about}{inside}?", 1),
        _EFFECT,
        _HARMS,
        _AGAINST,
    ),
    InquiryKind.UNKNOWN: (
        _Need(Aspect.UNKNOWN, "What do records call unclear of {about}{inside}?"),
        _EFFECT,
        _AGAINST,
        _GUIDANCE,
    ),
    InquiryKind.DEFINITION: (
        _Need(Aspect.BACKGROUND, "What is {about}{inside}?"),
        _RATE,
        _GUIDANCE,
    ),
    InquiryKind.OTHER: (
        _Need(Aspect.EFFECT, "What do studies find on {about}{inside}?", 1, 4),
        _RATE,
        _GUIDANCE,
        _CONTRADICTS,
    ),
}
_MORE: Mapping[Aspect, _Need] = {
    Aspect.EFFECT: _EFFECT,
    Aspect.COMPARISON: _COMPARED,
    Aspect.SAFETY: _HARMS,
    Aspect.RATE: _RATE,
    Aspect.MECHANISM: _Need(Aspect.MECHANISM, "By which steps could it act?", 1, 5),
    Aspect.DOSE: _Need(Aspect.DOSE, "Which doses are reported?", 1, 4),
    Aspect.ELIGIBILITY: _WHO,
    Aspect.DIAGNOSIS: _Need(Aspect.DIAGNOSIS, "How accurate is the test?", 1, 4),
    Aspect.CAUSE: _Need(Aspect.CAUSE, "Which causes or risk factors are reported?", 1, 4),
    Aspect.RECOMMENDED: _GUIDANCE,
    Aspect.REGISTERED: _UNDER_WAY,
    Aspect.BACKGROUND: _BACKGROUND,
}
"""Needs that the question beside its first one, its context or a model may add."""
_CONTEXT: dict[Aspect, re.Pattern[str]] = {
    Aspect.SAFETY: says(r"safe\w*", r"adverse", r"side effects?", r"tolera(?!nce)\w+", r"harms?"),
    Aspect.DOSE: says(r"dos(?:e|es|age|ing)"),
    Aspect.MECHANISM: says(r"mechanis\w+", r"pathways?"),
    Aspect.RATE: says(r"how (?:often|common|frequent)", r"prevalence", r"incidence"),
    Aspect.REGISTERED: says(r"(?:ongoing|registered|recruiting) trials?"),
    Aspect.RECOMMENDED: says(r"guidelines?", r"recommend\w+"),
}


def inquiry_of(text: str, context: str = "") -> Inquiry:
    """A free question on records that are there already; see `read_inquiry`."""
    return read_inquiry(literal_frame(text), context)


def _kind_of(frame: QuestionFrame) -> InquiryKind:
    """Return what is asked by the sentences that ask."""
    return kind_of(frame.model_copy(update={"text": asked_in(frame.text)}))


def plainly(inquiry: Inquiry) -> str:
    """Return what is asked, the names and the other words, the same however it was put."""
    if inquiry.frame is None:
        return inquiry.text
    of_frame = is_of(inquiry.kind, inquiry.frame)
    asked = checklist_of(inquiry).items[0].text if of_frame else inquiry.kind.value
    names = (*(d.name for d in inquiry.drugs), *(headed(c).name for c in inquiry.conditions))
    told = " ".join((asked, *names))
    more = (
        word for word in topics_of(inquiry.frame).searched if word.casefold() not in told.casefold()
    )
    return " ".join((told, *more))


def read_inquiry(frame: QuestionFrame, context: str = "", *, at_hand: bool = False) -> Inquiry:
    """A free question, read by rules.

    Args:
        frame: How it was understood.
        context: What was said beside it.
        at_hand: Whether it is put to records that are there: then it need not name what they are
            on, if it says what is wanted of them ("Was it tolerated?").

    Raises:
        QuestionDeclinedError: It is none that papers and trials answer.
        QuestionError: It names nothing that could be looked for.
    """
    require_answerable(frame)
    topics = topics_of(frame)
    drugs, conditions = _named(frame)
    words = tuple(word[0] for word in topics.words)
    names = dict.fromkeys((*(s.name for s in topics.subjects), *words))
    kind = _kind_of(frame)
    is_clear = at_hand and kind in _SAID_BY_ITSELF
    if not names and not is_clear:
        raise QuestionError(
            "The question names nothing to look for.",
            "Name a drug, a condition, a target or an outcome.",
        )
    return Inquiry(
        text=frame.text,
        context=context,
        kind=kind,
        drugs=drugs,
        conditions=conditions,
        key_terms=tuple(names),
        aspects=tuple(_aspects(f"{asked_in(frame.text)} {context}", frame)),
        scope_in=_scope(kind),
        scope_out=_SCOPE_OUT,
        notices=frame.notices,
        frame=frame,
    )


def _aspects(told: str, frame: QuestionFrame) -> Iterator[Aspect]:
    """Yield what is wanted beside what the kind of the question asks for."""
    for aspect, pattern in _CONTEXT.items():
        if pattern.search(told) or (aspect is Aspect.SAFETY and frame.harm):
            yield aspect


def _named(frame: QuestionFrame) -> tuple[tuple[Drug, ...], tuple[Condition, ...]]:
    """The drugs and conditions of a question, those first that it is about."""
    names = find_names(frame.text)
    drugs = {drug.name: drug for drug in frame.drugs}
    for named in sorted(names.drugs, key=lambda one: one.drug.name):
        drugs.setdefault(named.drug.name, named.drug)
    conditions = {c.name: c for c in (frame.condition, frame.harm) if c}
    known = {name for c in conditions.values() for name in c.names}
    for mention in sorted(names.conditions, key=lambda one: one.condition.name):
        if mention.condition.name not in known:
            conditions.setdefault(mention.text, as_condition(mention.condition, mention.text))
    return tuple(drugs.values()), tuple(conditions.values())


def _scope(kind: InquiryKind) -> tuple[str, ...]:
    people = "studies of people first, then animals and cells"
    if kind is InquiryKind.MECHANISM:
        people = "studies of people, animals and cells alike"
    return "records that name all of the drugs and conditions asked about", people


def checklist_of(inquiry: Inquiry) -> Checklist:
    """The needs of a question of its kind, then what else it wants known, 3-7 in all."""
    needs = {need.aspect: need for need in _NEEDS.get(inquiry.kind, _NEEDS[InquiryKind.OTHER])}
    for aspect in inquiry.aspects:
        if aspect in _MORE:
            needs.setdefault(aspect, _MORE[aspect])
    if inquiry.kind is InquiryKind.EFFECT and not inquiry.drugs:
        # What acts and what is acted on is not told apart where no drug is named.
        needs[Aspect.EFFECT] = _NEEDS[InquiryKind.OTHER][0]
    about, inside = _about(inquiry)
    harm = inquiry.frame.harm if inquiry.frame else None
    if inquiry.kind is InquiryKind.SAFETY and harm:
        inside, asked = "", _Need(Aspect.SAFETY, f"Does {{about}} bring {harm.name}?", 2, 4)
        needs[Aspect.SAFETY] = asked
    if inquiry.kind is InquiryKind.TRIALS and asks_under_way(inquiry.text):
        needs[Aspect.REGISTERED] = _Need(
            Aspect.REGISTERED, "Which trials of {about}{inside} are under way?"
        )
    if inquiry.kind is InquiryKind.FREQUENCY and harm:
        inside, asked = "", _Need(Aspect.RATE, f"How common is {harm.name} with {{about}}?", 1, 4)
        needs[Aspect.RATE] = asked
    return Checklist(
        items=tuple(
            ChecklistItem(
                id=f"C{number}",
                aspect=need.aspect,
                text=need.text.format(about=about, inside=inside),
                studies=need.studies,
                level=need.level,
            )
            for number, need in enumerate(list(needs.values())[:_MOST], 1)
        )
    )


def _about(inquiry: Inquiry) -> tuple[str, str]:
    """Return what a question is about, and in which condition, in words for the items."""
    subjects = [drug.name for drug in inquiry.drugs]
    conditions = [condition.name for condition in inquiry.conditions]
    if subjects:
        return " and ".join(subjects[:_MOST_NAMED]), f" in {conditions[0]}" if conditions else ""
    words = [term for term in inquiry.key_terms if term not in conditions]
    if 0 < len(words) <= _MOST_WORDS + (inquiry.kind is InquiryKind.DIAGNOSIS):
        return " ".join(words), f" in {conditions[0]}" if conditions else ""
    if inquiry.kind is InquiryKind.DIAGNOSIS and conditions:
        return "the test", f" in {conditions[0]}"
    return (conditions[0] if conditions else "it"), ""
