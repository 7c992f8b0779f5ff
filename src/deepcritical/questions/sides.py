"""Separates what a question asks about from its comparators, and from what a drug acts through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.asked_drugs import DrugNamed
from deepcritical.questions.cues import GROUPS, SENTENCE_END, asks_in
from deepcritical.questions.naming import Names, taken_by
from deepcritical.vocabulary.folding import overlaps

_BESIDE = (
    r"versus|vs?\.?|than|or|against|over|(?:as )?compared (?:with|to)|instead of|rather than|"
    r"in place of|as (?:good|well|much|effective) as|beats?|outperforms?"
)
_PLACEBO = bounded(
    r"\b(?:placebo|dummy (?:pills?|treatments?)|sugar pills?|inactive pills?|sham|no treatment|"
    r"usual care)\b",
    re.IGNORECASE,
)
_ARM = (
    r"(?P<{0}>(?:(?!(?:is|are|does|do|did|was|can|should|would) )[\w-]+ ){{0,2}}(?:surger\w+|"
    r"operations?|exercise|diet\w*|lifestyle\w*|CBT|acupuncture|physio|ablation|stent\w*|"
    r"angioplasty|massage|laser|CPAP|ECT|electroshock|watchful waiting|active surveillance|"
    r"standard (?:of )?care|standard treatment|supportive care|observation alone|doing nothing|"
    r"decompression|resection|excision|ligation|banding|patching|freezing|alarm|release|"
    r"\w+(?:ectomy|otomy|ostomy|plasty|scopy)|\w* ?therapy))\b"
)
_ANY_ARM = (
    r"\b(?:versus|vs?\.?|(?:as )?compared (?:with|to)|instead of|rather than) (?:the |an? )?"
    r"(?P<any>[^\W\d_][\w-]+(?: [^\W\d_][\w-]+){0,2}?)"
    r"(?= (?:in|for|among|after|at|to|on|when|if|with|as)\b| ?[-–—:;,?.!)(]|$)"
)
"""Behind these words whatever stands is a side; behind "or" only what is a treatment."""
_OTHER_ARM = bounded(
    rf"\b(?:{_BESIDE})\s+(?:after |under |with |the |to |an? )?{_ARM.format('arm')}|"
    rf"\b{_ARM.format('first')} (?:{_BESIDE}|better than) |{_ANY_ARM}",
    re.IGNORECASE,
)
_AGAINST = bounded(
    rf"\b(?:versus|vs?\.?|than|compared (?:with|to)) (?:an? |the )?"
    rf"(?:{_PLACEBO.pattern}|observation\b)(?! or\b)",
    re.IGNORECASE,
)
"""A control as the other side, whatever drugs are named beside it."""
_BETTER = bounded(
    r"\b(?:(?:any|the|really|work\w*|do(?:es)?|is|be|help\w*|much|even) better"
    r"(?! than (?:placebo|nothing))|as (?:good|well|effective)|more effective|superior|"
    r"(?:does|do) more|gentler|stronger|safer|which (?:one )?(?:of (?:the|them|these))?)\b",
    re.IGNORECASE,
)
_SHORT = 4
"""Words of a sentence that only asks for the one before it: "Is it?"."""
_ALONE = bounded(r" (?:alone|only|by itself|on its own|monotherapy)\b", re.IGNORECASE)
"""Behind the name of a drug that is given without another."""
_COMBINES = bounded(r"\b(?:combin\w+|together|interact\w*|concomitant\w*|co-?administ\w+)\b")
_WITH = bounded(r"\s*(?:with|plus|\+|alongside|on top of|added to)\s*")
_OVER = bounded(r"\b(?:versus|vs\.?|than|compared (?:with|to)|over|against) $", re.IGNORECASE)
_FAR = 40
"""Characters before a name that are looked at."""
_THROUGH = bounded(
    r"(?:, ?| )(?:(?:acting |working |acts? )?"
    r"(?:through|via|by way of|thanks to|because of|mediated by|"
    r"by (?:\w+ly )?(?:inhibit|activat|block|target|modulat|reduc|increas|lower|rais|suppress|"
    r"stimulat|restor|improv|enhanc|act|promot|chang|regulat|clear|decreas|induc)"
    r"\w*(?: on)?)) (?P<terms>[^ ].*?)"
    r"(?= (?:in|for|among|according|that|does|do|did|can|is|are|helps?|works?) |[?!.;]|$)",
    re.IGNORECASE,
)
_LISTED = bounded(r"\s*(?:,|;|/|&|\band\b|\bor\b)\s*", re.IGNORECASE)


class Sides(NamedTuple):
    """The two sides of a question."""

    asked: list[DrugNamed]
    compared: list[DrugNamed]
    other: tuple[str, ...]
    """The other comparators, which are no drugs."""
    together: bool = False
    """True where the drugs that it is compared with are given together."""


def is_added(names: Names) -> bool:
    """Say whether a drug with another is compared with that one alone: "A and B versus B alone"."""
    told = [d.drug.name for d in names.every]
    alone = [
        d
        for d in names.every
        if _ALONE.match(names.text, d.end)
        and _OVER.search(names.text, max(0, d.start - _FAR), d.start)
    ]
    return len(set(told)) > 1 and any(told.count(d.drug.name) > 1 for d in alone)


def is_over_part(text: str, part: str) -> bool:
    """Say whether the other side gets only what is added to: "A after B versus B alone"."""
    written = rf"(?<!\w){re.escape(part)}(?!\w)"
    ends = [found.end() for found in re.finditer(written, text, re.IGNORECASE)]
    return len(_ALONE.findall(text)) == 1 and any(_ALONE.match(text, end) for end in ends)


def are_together(names: Names) -> bool:
    """Return whether drugs are asked about as given together: "A with B"."""
    told = names.drugs
    if len({named.drug.name for named in told}) < 2 or any(named.group for named in told):
        return False
    return bool(_COMBINES.search(names.text)) or any(_joined(names, told).values())


def sets_beside(names: Names) -> bool:
    """Say whether a drug is set beside another treatment, or the last asked above other drugs."""
    if other_arm(names):
        return True
    told = {d.drug.name for d in (*names.drugs, *names.beside)}
    sentences = SENTENCE_END.split(names.text)
    last = sentences[-2:] if len(sentences[-1].split()) <= _SHORT else [asks_in(names.text)[1]]
    return len(told) > 1 and any(_BETTER.search(one) for one in last)


def other_arm(names: Names) -> str:
    """The treatment that is one side of a comparison and no drug; empty when there is none."""
    text = names.text
    named = taken_by(*names.drugs, *names.conditions)
    for match in _OTHER_ARM.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        arm = text[start:end].casefold()
        is_group = any(pattern.search(arm) for _, pattern in GROUPS)
        if not (overlaps(start, end, named) or _PLACEBO.search(arm) or is_group):
            return arm
    return ""


def sides_of(names: Names, drugs: Sequence[DrugNamed], *, two: bool) -> Sides:
    """Return who is on which side: of these drugs, each once, that a question on `two` compares."""
    against = bool(_AGAINST.search(names.text))
    placebo = ("placebo",) if drugs and (against or _PLACEBO.search(names.text)) else ()
    if not two:
        return Sides(list(drugs), [], placebo)
    behind = {named.drug.name for named in names.compared}
    last = asks_in(names.text)[1]
    there = [d for d in drugs if d.text in last] if last != names.text else []
    asked = next((d for d in drugs if d.drug.name not in behind), drugs[0])
    asked = there[0] if len(there) == 1 else asked
    pairs = [pair for pair, joined in _joined(names, names.every).items() if joined]
    beside = {name for pair in pairs if asked.drug.name in pair for name in pair}
    left = [d for d in drugs if d.drug.name not in beside] if names.compared else []
    compared = [d for d in left if d is not asked]
    compared = compared or [d for d in drugs if d is not asked] or list(names.beside[:1])
    arm = "" if compared else other_arm(names)
    other = (arm, *placebo) if arm else placebo
    joined = _joined(names, compared)
    return Sides([asked], compared, other, together=bool(joined) and all(joined.values()))


def _joined(names: Names, drugs: Sequence[DrugNamed]) -> dict[tuple[str, str], bool]:
    """Of each drug and the next one, whether they are given together: "A plus B"."""
    told = sorted(drugs, key=lambda named: named.start)
    return {
        (a.drug.name, b.drug.name): _WITH.fullmatch(names.text, a.end, b.start) is not None
        for a, b in pairwise(told)
    }


def split_through(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a question without "through AMPK and tau", and the terms of that clause as written."""
    match = _THROUGH.search(text)
    if match is None:
        return text, ()
    terms = (term.strip(" ?.!") for term in _LISTED.split(match["terms"]))
    rest = f"{text[: match.start()]}{text[match.end('terms') :]}"
    return rest, tuple(dict.fromkeys(term for term in terms if term))
