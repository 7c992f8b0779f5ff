"""Finds the words of a question that nothing in its frame stands for.

They are told to the reader: an answer on all people with a condition is none on those of them that
the question meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from deepcritical.domain.frame import QuestionFrame
from deepcritical.domain.patterns import bounded
from deepcritical.questions import cues
from deepcritical.questions.naming import find_names
from deepcritical.questions.withdrawing import STOPS
from deepcritical.questions.wording import ASKING_WORDS, EFFECT_WORDS
from deepcritical.vocabulary.classes import find_classes
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
