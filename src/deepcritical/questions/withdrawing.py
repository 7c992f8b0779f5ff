"""Recognises questions and titles on stopping a drug, and frames such questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from deepcritical.domain.question.frame import QuestionFrame, QuestionKind
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.naming import find_names
from deepcritical.vocabulary.classes import find_classes
from deepcritical.vocabulary.drugs import find_drugs

STOPS = bounded(
    r"\b(?:stop|stops|stopping|stopped|discontinu\w+|withdr[ae]w\w*|cessation|ceasing|taper\w*|"
    r"deprescri\w+|wean\w*|drug holidays?|coming off|come off|quitting|holding|pausing|"
    r"switch\w* (?:[\w-]+ ){0,4}to placebo)\b",
    re.IGNORECASE,
)
"""Words for taking a drug away."""
_BEFORE = bounded(
    rf"(?:{STOPS.pattern}|\b(?:tak|wean|get)\w* [\w' ]{{1,40}} off)"
    r"(?: (?:(?:versus|vs\.?|or|and) continu\w+|of|off|the|use|from|their|his|her|a|an|my|"
    r"long-term|chronic|maintenance|(?:treatment|therapy|medication) (?:with|of)|"
    r"(?:trial|study) of|(?:patients|people) from)){0,4} $",
    re.IGNORECASE,
)
_AFTER = bounded(
    r" (?:(?:drugs?|dose|maintenance|treatment|therapy|medications?) ){0,2}(?:"
    r"(?:discontinuation|withdrawal|cessation|tapering|deprescribing|holidays?)\b"
    r"(?! (?:symptoms?|syndromes?|seizures?|delirium|rates?|due|because))|"
    r"(?:can |could |should |may )?(?:is|are|was|were|be|been|being) (?:\w+ly )?"
    r"(?:stopped|withdrawn|discontinued|tapered|deprescribed)\b)",
    re.IGNORECASE,
)
_TREATED = bounded(
    r"\b(?:for|in|during|treat\w*|manag\w+)(?: (?:of|the|acute)){0,2} $", re.IGNORECASE
)
"""Before a drug whose withdrawal is itself what is treated."""
_NAMED_BEFORE = bounded(
    r"\b(?:wants? to|should (?:we|i|she|he|they)|safe to|can (?:we|i|she|he|they)) "
    r"(?:stop|withdraw|discontinue) (?:it|them|this)\b|"
    r"\b(?:it|they|this) (?:is|are|was|were) (?:stopped|withdrawn|discontinued)\b|"
    r"\bswitch\w* (?:[\w-]+ ){0,4}to placebo\b",
    re.IGNORECASE,
)
"""Words for a drug that was named before."""
_OF_THE_PAST = bounded(
    r"\bwhy\b|\bmarket\b|"
    r"\b(?:trials?|study|studies|development)\b[^.?]{0,60}\b(?:stopped|discontinued|withdrawn)\b",
    re.IGNORECASE,
)
"""Asks what became of a drug or a trial."""
_EFFECTS = frozenset(
    {
        QuestionKind.SAFETY,
        QuestionKind.DOSE,
        QuestionKind.STATUS,
        QuestionKind.POPULATION,
        QuestionKind.COMPARISON,
    }
)
"""Kinds that ask, of stopping a drug without a named harm, how patients fare."""
_NEAR = 80
"""Characters before a drug in which it is told that it is stopped."""


@lru_cache(maxsize=2048)
def stopped_in(text: str, names: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the drugs and classes that a text has as stopped, in small letters.

    They are found by the tables and by these further `names`.
    """
    return frozenset(
        name.casefold()
        for start, end, name in mentions_in(text, names)
        if _BEFORE.search(text[max(0, start - _NEAR) : start])
        or (_AFTER.match(text[end:]) and not _TREATED.search(text[max(0, start - _NEAR) : start]))
    )


def mentions_in(text: str, names: Iterable[str] = ()) -> Iterator[tuple[int, int, str]]:
    """Yield where drugs and classes stand in a text, those of the tables and the given names."""
    yield from ((drug.start, drug.end, drug.drug.name) for drug in find_drugs(text))
    yield from ((kind.start, kind.end, kind.group.name) for kind in find_classes(text))
    for name in names:
        found = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
        yield from ((*one.span(), name) for one in found)


def with_stopping(frame: QuestionFrame) -> QuestionFrame:
    """Return the frame; of a question on stopping its drug as one on how those who stop fare.

    What they are compared with is going on with the drug, whatever the question calls it.
    """
    if not frame.drugs or not frame.answerable or not _is_stopped(frame):
        return frame
    kind = frame.kind
    others = tuple(name for name in frame.comparators if find_drugs(name) or find_classes(name))
    if kind in _EFFECTS and not frame.harm and not (kind is QuestionKind.COMPARISON and others):
        kind = QuestionKind.CLASS if frame.members else QuestionKind.EFFICACY
    return frame.model_copy(update={"kind": kind, "comparators": others, "stopping": True})


def _is_stopped(frame: QuestionFrame) -> bool:
    text = find_names(frame.text).text
    if _OF_THE_PAST.search(text):
        return False
    if _NAMED_BEFORE.search(text):
        return True
    first = frame.drugs[0]
    known = {named.text for named in find_names(text).every if named.drug.name == first.name}
    return not stopped_in(text, frozenset((*first.names, *known))).isdisjoint(
        name.casefold() for name in (*first.names, *known)
    )
