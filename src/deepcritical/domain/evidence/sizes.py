"""Reads how many people a record is on, from its registry entry or its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from deepcritical.domain.evidence.kinds import is_paper
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import Quantity, quantities
from deepcritical.domain.text.spans import sentences

_LEAST = 6
"""Fewer people are rather those of an event than those of a study."""
_N = r"(\d{1,3}(?:[ ,\u00a0\u2009\u202f]\d{3}){1,4}|\d{1,7})"
_WHO = (
    r"(?:patients?|(?:in|out)patients|participants|subjects|adults|persons|people|individuals|"
    r"veterans|volunteers|infants|children|women|men|cases|controls|residents|users|students)"
)
_NOUN = rf"(?:[\w-]+ ){{0,3}}{_WHO}"
_RANDOM = r"(?:randomi[sz]ed|randomly (?:assigned|allocated)|assigned|allocated)"
_TO_ARMS = bounded(
    rf"(?:\b{_RANDOM} {_N}(?: {_NOUN})?|{_N}(?: {_NOUN})?(?: were)? {_RANDOM}) to [^.;]{{1,120}}?"
    rf"\band {_N} (?:{_NOUN} )?(?:were )?(?:{_RANDOM} )?to\b",
    re.IGNORECASE,
)
"""The people of two arms, one after the other."""
_AT_RANDOM = bounded(
    r"^[^.;\d]{0,100}?\b(?:were|underwent|who|we)\b[^.;\d]{0,60}?\brandom(?:i[sz]|ly)|"
    r"^[^.;\d]{0,60}?\s(?:randomi[sz]ed|randomi[sz]ation)\b",
    re.IGNORECASE,
)
_WERE_RANDOM = r"(?:were|underwent) (?:[^.;\d]{0,60}?\s)?random(?:i[sz]|ly)"
_MADE_RANDOM = bounded(rf"^ {_WERE_RANDOM}", re.I)
_RANDOMISED = bounded(r"\b(?:randomi[sz]ed|randomly (?:assigned|allocated))\s$", re.IGNORECASE)
_ASIDE = bounded(rf"\((?:[^();]{{0,40}}[,;]\s)??(?:[nN]\s?=\s?)?{_N}(?: {_NOUN})?(?=[),;])")
_ONE_SEX = bounded(r"\b(?:wo)?men\b", re.IGNORECASE)
_WHO_COUNTED = bounded(rf" {_NOUN}(?: (?:with|who|aged) [^(),;\d]{{1,60}})? ", re.IGNORECASE)
_SIZE = bounded(rf"\b[nN]\s?=\s?{_N}(?![\d.-])")
_IN_ARMS = bounded(
    r"\brandom\w*\b[^.]*\b(?:to|against|versus|vs|compar\w+|groups?|arms?)\b|\breceive|\bassigned\b",
    re.IGNORECASE,
)
_OF_ARMS = bounded(
    rf"\b\d+\s?(?:/|of|out of)\s?{_N}\b[^.;]{{0,80}}?\b(?:versus|vs\.?|compared with|and)\s"
    rf"[^.;]{{0,40}}?\b\d+\s?(?:/|of|out of)\s?{_N}\b",
    re.IGNORECASE,
)
"""Events and size of two arms: "79/741 versus 119/756"."""
_OTHER_ARMS = bounded(
    rf"\b(?:an)?other (?:interventions?|treatments?|arms?|drugs?|groups?)[^()]{{0,20}}"
    rf"\((?:[nN]\s*=\s*)?{_N}\b",
    re.IGNORECASE,
)
_NOT_COUNTED = bounded(
    r"\b(?:screened|target\w*|planned|invited|(?<!trial )(?<!phase )\b\d{1,7} (?:of|in)|"
    r"of whom|per|each|every|between|up to|additional|at least|only)\s(?:for )?(?:a total of )?$",
    re.IGNORECASE,
)
_TO_COME = bounded(
    r"\b(?:will(?: be)?|plan(?:s|ned)? to|(?:is|are) (?:to be|being)) "
    r"(?:randomi[sz]|enrol|recruit|assign|allocat|includ)",
    re.IGNORECASE,
)
"""Of people who are not yet in a study."""
_TRIAL = bounded(r"\b[A-Z][A-Z-]{2,}[ -](?P<n>0\d{1,5}|\d{1,6}(?= random\w+ (?!to\b|into\b)\w))")
"""The name of a trial, of which a number is a part."""
_REST = bounded(
    r"^(?![^.;]{0,60}(?:\b(?:from|of) wh(?:ich|om)\b|[:,(] ?\d{1,6} (?:\w+ )?(?:to|were|was|"
    r"received|got|took|had)\b))(?:[^.;]|\.\d){0,120}?\bthe "
    r"(?:rest|remaining|remainder)\b",
    re.IGNORECASE,
)
"""Behind a part of the people: the others get something else."""
_OF_THE = bounded(r"\b[Oo]f the $")
_WHO_GOT = bounded(
    rf"^ {_NOUN}(?: with [\w-]+)?(?: who were)? {_RANDOM} to\b(?![^.;]{{0,100}}\band (?:the )?\d)",
    re.IGNORECASE,
)
_NEAR = 400
"""Characters before and behind a number that tell what it counts."""
_EACH = bounded(r"^[^.;,\d]{0,60}?\b(?:to|in|into|per) each\b", re.IGNORECASE)
"""The people of one arm: each has as many."""
_CALENDAR = bounded(
    r"\b(?:in|since|from|to|and|between|until|through|during|years|\w{3,9} \d{1,2}),?\s"
    r"(?:[A-Z][a-z]{2,8}\.?,?\s)?$"
)
_YEARS = range(1950, 2036)
_GOES_ON = bounded(r"^(?:,| and| to|-|) ?\d")
_PREPOSITION = bounded(rf"^(?: (?!{_WHO}\b)[\w-]+){{1,3}}? (?:in|of|with|among|from|for) ")
_TO_ONE_ARM = bounded(rf"^ {_NOUN}(?: who were)? {_RANDOM} to [\w -]+,", re.IGNORECASE)
_SCREENED = bounded(
    r"^[^.;\d]{0,60}\b(?:evaluable|assessable|screened|assessed for|invited|approached|"
    r"contacted)\b",
    re.IGNORECASE,
)
_SHARE = bounded(r"^[^.;(\d]{0,40}\(\d[\d.·]*\s?%[);]|^ (?:out )?of (?:the )?\d")
_MADE_SHARE = bounded(
    rf"^(?: {_NOUN})? ?\(\d[\d.·]*\s?%\) "
    rf"(?={_WERE_RANDOM}(?!\w*(?: assigned| allocated)? (?:in)?to [^.;]{{0,100}}? and \d))",
    re.IGNORECASE,
)
"""The share that those who were randomised are of all who were seen; arms have shares too."""


class Count(NamedTuple):
    """A count of people, and whether they are said to be randomised."""

    n: int
    at_random: bool


def participants(evidence: Evidence) -> int | None:
    """Return the people studied; None when neither registry nor text says.

    For a registry entry its enrolment. In a text the people randomised come before all others that
    are counted (CONSORT 2010, item 13a), and the arms that a platform trial reports elsewhere are
    taken off. Arms whose sum is a count of the text are the people compared, also where a platform
    randomised more. Without any count, the arms that a sentence gives the sizes of.
    """
    if not is_paper(evidence):
        return evidence.metadata.enrollment
    text = evidence.abstract
    if two := _TO_ARMS.search(text):
        return _sum(two)
    counts = list(_counts(text))
    arms = _arms(text)
    strata = [count.n for count in counts if count.at_random]
    for parts in (arms, sum(strata) if len(strata) > 1 else None):
        if parts and any(count.n == parts for count in counts):
            return parts
    best = min(counts, key=lambda count: not count.at_random, default=None)
    if best is None or (arms and best.n < arms and not best.at_random):
        return arms or _of_results(text)
    other = _OTHER_ARMS.search(text)
    rest = best.n - (_sum(other) if other else 0)
    return rest if rest >= _LEAST else best.n


def _counts(text: str) -> Iterator[Count]:
    told = (span.text for span in sentences(text))
    return (count for text in told if not _TO_COME.search(text) for count in counts_in(text))


def counts_in(sentence: str) -> Iterator[Count]:
    """Yield the counts of people in a sentence, and whether these are said to be randomised."""
    for one in people_in(sentence):
        before, behind = sentence[: one.start], _MADE_SHARE.sub(" ", sentence[one.end :])
        is_aside = before.rfind("(") > before.rfind(")")
        yield Count(int(one.value), not is_aside and _is_at_random(before, behind))


def people_in(sentence: str) -> Iterator[Quantity]:
    """Yield the quantities of a sentence that count people; no parts of them, none of an event."""
    named = {match.start("n") for match in _TRIAL.finditer(sentence)}
    for one in quantities(sentence):
        before = sentence[max(0, one.start - _NEAR) : one.start]
        behind = _MADE_SHARE.sub(" ", sentence[one.end : one.end + _NEAR])
        if not _is_whole(one, behind) or one.start in named:
            continue
        part = _NOT_COUNTED.search(before) or _SHARE.match(behind) or _TO_ONE_ARM.match(behind)
        screened = _SCREENED.match(behind) and not _is_at_random(before, behind)
        part = part or _EACH.match(behind) or _REST.match(behind)
        part = part or (_OF_THE.search(before) and _WHO_GOT.match(behind))
        date = one.value in _YEARS and _CALENDAR.search(before)
        if not (part or screened or date or _GOES_ON.match(behind)):
            yield one


def _is_at_random(before: str, behind: str) -> bool:
    return bool(_RANDOMISED.search(before) or _AT_RANDOM.match(behind))


def _is_whole(one: Quantity, behind: str) -> bool:
    is_people = one.noun == "people" and not _PREPOSITION.match(behind)
    is_count = not (one.kind or one.decimals or one.unit.dimension) and one.value >= _LEAST
    return is_count and (is_people or bool(_MADE_RANDOM.match(behind)))


def _arms(text: str) -> int | None:
    """The sum of all arms that one sentence gives the sizes of; of one, its people."""
    alone = None
    for span in sentences(text):
        found = list(_ASIDE.finditer(span.text)) if _IN_ARMS.search(span.text) else []
        other = _OTHER_ARMS.search(span.text)
        own = [match for match in found if not (other and other.end(1) == match.end(1))]
        own = [match for match in own if not _is_of_counted(span.text, match)]
        own = [match for match in own if not _ONE_SEX.search(match.group())] or own
        sizes = [size for match in own if (size := _sum(match)) >= _LEAST]
        if len(sizes) > 1:
            whole = sum(sizes)
            return max(sizes) if 2 * max(sizes) == whole and len(sizes) > 2 else whole
        of_all = [_sum(match) for match in _SIZE.finditer(span.text)]
        alone = alone or (of_all[0] if len(of_all) == 1 and of_all[0] >= _LEAST else None)
    return alone


def _is_of_counted(sentence: str, aside: re.Match[str]) -> bool:
    """Return whether a bracket tells of the people that are counted before it, and is no arm."""
    counted = (one.end for one in people_in(sentence[: aside.start()]))
    return any(_WHO_COUNTED.fullmatch(sentence, end, aside.start()) for end in counted)


def _of_results(text: str) -> int | None:
    """The sum of the sizes that a result gives for two arms."""
    found = _OF_ARMS.search(text)
    return _sum(found) if found else None


def _sum(match: re.Match[str]) -> int:
    return sum(int(re.sub(r"\D", "", size)) for size in match.groups() if size)
