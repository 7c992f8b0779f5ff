"""A frame as what research works on: a drug for a condition, candidates, or a hypothesis.

Words that nothing in the frame stands for are told to the reader: an answer on all people with a
condition is none on those of them that the question meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from deepcritical.domain.errors import NoVerdictError, QuestionDeclinedError
from deepcritical.domain.question.frame import Condition, QuestionFrame, QuestionKind
from deepcritical.domain.question.question import QuestionForm, ResearchQuestion
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.questions.asked_drugs import CHOOSES
from deepcritical.questions.declining import advice_of
from deepcritical.questions.dosing import is_between_doses
from deepcritical.questions.naming import find_names
from deepcritical.questions.withdrawing import STOPS
from deepcritical.questions.wording import ASKING_WORDS, EFFECT_WORDS
from deepcritical.vocabulary.classes import find_classes
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.vocabulary.folding import overlaps
from deepcritical.vocabulary.outcomes import term_in
from deepcritical.vocabulary.qualifiers import places_of_qualifiers

_DRUG, _NAME, _GROUP, _KNOWN_MARK = " ⟨drug⟩ ", " ⟨name⟩ ", " ⟨group⟩ ", " ⟨known⟩ "
_TOKEN = bounded(r"⟨\w+⟩|[^\W_]+(?:['’.-][^\W_]+)*|[.,;:?!()–]")
_BEFORE = frozenset(
    "in on of for with to by from at after before during without within through via under over "
    "among between while when who whose whom where if because despite since until following "
    "against into".split()
)
"""Words that begin to say in whom, when or how."""
_OF_VERBS = frozenset("at by for from of in to".split())
"""Words behind which a verb says what is to be done, and not in whom."""
_LINKS = frozenset(
    "and or but nor plus not no than as per vs versus etc such other others another same only even "
    "already itself themselves himself herself hardly ever just very much many most lot kind sort "
    "make makes made try tries happen happens start starts starting get gets gain gains free "
    "overall freedom score scores lengthen continue continues continuing switch switching "
    "residents real link terms someone anyone somebody him her according action reasons reason "
    "endpoint year years month months week weeks old each every both either one two".split()
)
_KNOWN = (ASKING_WORDS | EFFECT_WORDS | _LINKS) - _BEFORE
_CUES = (
    *(cues.LOWERS, cues.RAISES, cues.COMPARES, cues.INJURES, cues.WORSE, cues.SIDE_EFFECTS),
    cues.LATEST,
    bounded(
        r"\b(?:safer?|tolera\w+|toxic\w*|(?<!high-)(?<!high )(?<!low-)(?<!low )risks?|"
        r"adverse|events?|harm\w*|danger\w*|risky|serious|"
        r"approv\w+|licen[sc]\w+|indicat\w+|off-label|add\w*|combin\w+|together|giv\w+|tak\w+|"
        r"us(?:e|es|ed|ing)|options?|candidates?|repurpos\w+|alone|dos(?:e|es|ing|age)|"
        r"(?:high|low)(?:er)?[- ]dos\w+|superior|inferior|non-?inferior|equivalent|placebo|act|"
        r"acts|through|pathways?|mechanisms?|class|agents?|people|persons|adults|cases|disease|"
        r"new|really|actually|any|worth|true|good|bad|guidelines?|recommend\w*|registered)\b",
        re.IGNORECASE,
    ),
)
"""Words that ask for an effect, whatever else is asked."""
_MOST, _LONGEST = 3, 8
"""Phrases that are told, and words of one."""


def unused_words(frame: QuestionFrame) -> tuple[str, ...]:
    """Return what a question says of people, times and ways that no part of its frame stands for.

    Only the sentence that asks counts, and of it groups of people by whom studies are not told
    apart, what stands behind a preposition, and what stands beside the name of a drug.
    """
    text = find_names(cues.asks_in(frame.text)[1]).text
    places = sorted((*_places(text, frame), *_groups(text, frame)))
    marked = _marked(text, places)
    tokens = _TOKEN.findall(STOPS.sub(_KNOWN_MARK, marked) if frame.stopping else marked)
    runs = (_told(tokens, start, end) for start, end in _runs(tokens))
    groups = (text[start:end] for start, end, mark in places if mark == _GROUP)
    told = (phrase for phrase in (*groups, *runs) if phrase)
    return tuple(dict.fromkeys(told))[:_MOST]


def _groups(text: str, frame: QuestionFrame) -> Iterator[tuple[int, int, str]]:
    """Yield the places of groups of people by whom studies are not told apart: "athletes"."""
    known = {at for place in places_of_qualifiers(text) for at in range(*place)}
    for name, pattern in cues.GROUPS:
        for found in pattern.finditer(text) if name in frame.population else ():
            if not overlaps(*found.span(), known):
                yield (*found.span(), _GROUP)


def _marked(text: str, places: Iterable[tuple[int, int, str]]) -> str:
    """The text with marks for all that its frame has, and for the words that people are told by."""
    marked, end = "", 0
    for start, stop, mark in places:
        if stop > end:
            marked += f"{text[end : max(start, end)]}{mark if start >= end else ''}"
            end = stop
    marked += text[end:]
    for pattern in _CUES:
        marked = pattern.sub(_KNOWN_MARK, marked)
    return marked


def _places(text: str, frame: QuestionFrame) -> Iterator[tuple[int, int, str]]:
    names = find_names(text)
    ours = {d.name for d in frame.drugs} | {*frame.members, *frame.comparators}
    drugs = [d for d in names.every if d in names.drugs or d.drug.name in ours]
    kinds = (c for c in find_classes(text) if ours & {c.group.name, *c.group.members})
    yield from ((drug.start, drug.end, _DRUG) for drug in drugs)
    yield from ((kind.start, kind.end, _DRUG) for kind in kinds)
    yield from ((c.start, c.end, _NAME) for c in names.conditions)
    conditions = (c for c in (frame.condition, frame.harm) if c and not c.known)
    said = (*(c.name for c in conditions), *frame.outcomes, *frame.through, *frame.comparators)
    for written in said:
        found = re.finditer(rf"(?<!\w){re.escape(written)}(?!\w)", text, re.IGNORECASE)
        yield from ((*match.span(), _NAME) for match in found)
    for name, pattern in cues.OUTCOMES:
        told = pattern.finditer(text) if name in frame.outcomes else ()
        yield from ((*match.span(), _NAME) for match in told)
    yield from ((start, end, _NAME) for start, end in places_of_qualifiers(text))


def _runs(tokens: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of runs of words that are neither names nor known."""
    start = 0
    for n, token in enumerate((*tokens, "?")):
        if not token[0].isalnum() or _is_known(token):
            if any(not _is_before(word) for word in tokens[start:n]):
                yield start, n
            start = n + 1


def _is_before(token: str) -> bool:
    return token.casefold() in _BEFORE


def _is_known(token: str) -> bool:
    return token.casefold().replace("’", "'") in _KNOWN or len(token) == 1


def _told(tokens: list[str], start: int, end: int) -> str:
    """The words of a run, from where they tell of people, times or ways; '' for a mere verb."""
    first = next((n for n in range(start, end) if _is_before(tokens[n])), end)
    beside_drug = start and tokens[start - 1] == _DRUG.strip()
    is_noun = beside_drug and _KNOWN_MARK.strip() in tokens[end:]
    is_last = not _is_before(tokens[end - 1])
    modifies = is_last and tokens[end : end + 1] == [_DRUG.strip()]
    if not (modifies or is_noun):
        start = first
    while end > start and _is_before(tokens[end - 1]):
        end -= 1
    words = tokens[start:end][:_LONGEST]
    text = " ".join(words)
    is_verb = len(words) > 1 and words[0] in _OF_VERBS and words[1].endswith("ing")
    return "" if is_verb or term_in(text) or all(map(_is_before, words)) else text


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
        NoVerdictError: It names no condition, or asks for something other than a drug's effect.
    """
    require_answerable(frame)
    condition = frame.condition or frame.harm or _as_condition(frame)
    if condition is None:
        named = f" for {frame.drugs[0].name}" if frame.drugs else ""
        raise NoVerdictError(
            f"No condition could be recognised in the question{named}.",
            'Name one, as in "Can metformin be repurposed for Alzheimer\'s disease?" '
            'or "What could be repurposed for long COVID?"; any other question is for '
            "`deepcritical ask`.",
        )
    if not frame.drugs and frame.kind is not QuestionKind.CANDIDATES:
        raise NoVerdictError(
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
    return Condition(name=named[0], names=named, known=condition_named(named[0]) is not None)


_LINK = re.compile(r"^(?:of|to|from|for|with|by|in|on|at) ", re.IGNORECASE)


def _limits(frame: QuestionFrame) -> Iterator[str]:
    """Yield what of the question the report does not answer, or answers from another side."""
    if len(frame.drugs) > 1 and not frame.together:
        yield f"Several drugs are named; this run asks about {frame.drugs[0].name} only."
    if frame.comparators and frame.kind is not QuestionKind.COMPARISON and not frame.by_model:
        yield (
            f"The report answers whether {frame.drugs[0].name} helps; what it says of "
            f"{' and '.join(frame.comparators)} beside it is told, and not weighed."
        )
    weighs_names = frame.kind in _WEIGHED and not frame.by_model
    if weighs_names and (unused := unused_words(frame)):
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
    is_either = _OR.search(frame.text) and not CHOOSES.search(frame.text)
    if frame.kind is QuestionKind.COMPARISON and is_either:
        yield (
            f"The report answers whether {frame.drugs[0].name} works better than the other; "
            "whether each of them helps by itself is a question of its own."
        )
    is_weighed = frame.kind is QuestionKind.DOSE and is_between_doses(frame.text)
    is_told = frame.by_model and frame.kind is QuestionKind.DOSE
    asked = "" if is_weighed or is_told else _FOR_ASK.get(frame.kind, "")
    if frame.drugs and asked:
        yield (
            f"{asked} The report answers whether {frame.drugs[0].name} helps; `deepcritical ask` "
            "answers the question itself."
        )
