"""Names in a question that no table has: which words they are, and what stands in their place.

A question that names a drug or a condition nobody knows here is not searched before somebody does:
see `OutsideName`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.question.frame import Condition, Drug, OutsideName
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.questions.asked_drugs import DrugNamed
from deepcritical.questions.naming import Names, taken_by
from deepcritical.vocabulary.conditions import ConditionMention, KnownCondition
from deepcritical.vocabulary.folding import overlaps

_HEAD = (
    r"(?:diseases?|syndromes?|disorders?|deficiency|dystrophy|palsy|fever|tumou?rs?|cancers?|"
    r"an(?:a?)emia|neuropathy|myopathy|carcinoma|infection|poisoning|injury)"
)
_HEADED = bounded(
    rf"(?<![\w-])(?:(?!(?:the|an?|in|with|for|of|and|or|any|this|that|my|his|her|their|to|from|on|"
    rf"by|who|have|has|rare|treat|against|other|some|which|what|is|are|does|help|severe|chronic|"
    rf"acute|these|such|infectious|no)\b)[\w'’-]+ ){{1,3}}{_HEAD}\b",
    re.IGNORECASE,
)
"""A condition by its last word: "hungry bone syndrome"."""
_HEADED_END = bounded(rf"{_HEAD}$", re.IGNORECASE)
_FOLLOWED = bounded(rf"[\s-]+{_HEAD}\b", re.IGNORECASE)
_BESIDE = bounded(r"[\s-]{1,2}")
_FOR = bounded(
    r"\b(?:for|against|(?:people|patients|adults|children|those) with|(?:treat\w*|prevent\w*|"
    r"help\w*|slow\w*|reliev\w+|improv\w+|manag\w+|cur(?:e|es|ed|ing)|eas(?:e|es|ing))"
    r"(?: in| with)?) $",
    re.IGNORECASE,
)
"""Before a condition. "In" alone stands before any place: "legal in Ontario"."""
_DONE_TO = bounded(
    r" (?:be )?(?:diagnosed|treated|managed|prevented|cured|patients?)\b", re.IGNORECASE
)
"""Behind a condition."""
_AS_DRUG = bounded(
    r"(?:^|\b(?:does|do|did|can|could|may|might|will|would|is|are|was|were|has|have|had|should|"
    r"compare|recommend|prescribe|of|with|by|using|giving|"
    r"adding|about|that|whether|if|takes?|taking|drug|called|named|and|or|plus|than|versus|vs\.?|"
    r"over|on) |[,:;(/+\"'“] ?)$",
    re.IGNORECASE,
)
"""Words before a drug, not before an adjective of something else."""
_SET_BESIDE = bounded(
    r"\b(?:compar(?:e|es|ed|ing)(?: with| to)?|versus|vs\.?|than|plus|combin\w+ with|"
    r"adding|instead of|rather than) $",
    re.IGNORECASE,
)
_BESIDE_BEHIND = bounded(
    r"^ (?:versus|vs\.?|plus|compared (?:with|to)|(?:is |work )?(?:better|worse|safer) than|"
    r"(?:combined|together) with) ",
    re.IGNORECASE,
)
_SHORTEST = 5
"""Letters of a drug's name, at least: shorter ones are shorthand, or slips of ordinary words."""
_MOST = 4
"""Names that are looked up for one question, at most."""


class _Words(NamedTuple):
    text: str
    start: int
    end: int


def unplaced(names: Names) -> tuple[OutsideName, ...]:
    """The unknown words that stand where a drug or a condition is missing, each as what it may be.

    Both kinds are searched for literally if nothing better is found, so they are `known=False`.
    """
    found = list(_phrases(names))
    if names.drugs and names.conditions:
        return tuple(_other_sides(names, found))[:_MOST]
    found = [w for w in found if not any(p.fullmatch(w.text) for _, p in _ELSEWHERE)]
    return tuple(_as_missing(names, found))[:_MOST]


def _other_sides(names: Names, found: Sequence[_Words]) -> Iterator[OutsideName]:
    """Unknown words that are set beside a known drug: "examplol versus aspirin"."""
    for words in found:
        is_long = len(words.text) >= _SHORTEST and words.text in names.unknown
        before, behind = names.text[: words.start], names.text[words.end :]
        if is_long and (_SET_BESIDE.search(before) or _BESIDE_BEHIND.match(behind)):
            yield OutsideName(text=words.text, drug=Drug(name=words.text, known=False))


_ELSEWHERE = (*cues.GROUPS, *cues.OUTCOMES)


def _as_missing(names: Names, found: Sequence[_Words]) -> Iterator[OutsideName]:
    has_drug, has_condition = bool(names.drugs), bool(names.conditions)
    for words in found:
        is_last = not any(map(str.isalnum, names.text[words.end :]))
        is_of_drug = is_last or names.text[: words.start].casefold().endswith(" in ")
        is_condition = _is_condition(names.text, words) or (has_drug and is_of_drug)
        if is_condition and not has_condition:
            has_condition = True
            condition = Condition(name=words.text, names=(words.text,), known=False)
            yield OutsideName(text=words.text, condition=condition)
        elif (
            not has_drug
            and not _HEADED_END.search(words.text)
            and len(words.text) >= _SHORTEST
            and _AS_DRUG.search(names.text[: words.start])
        ):
            has_drug = True
            yield OutsideName(text=words.text, drug=Drug(name=words.text, known=False))


def _is_condition(text: str, words: _Words) -> bool:
    headed = _HEADED_END.search(words.text)
    is_told = _FOR.search(text[: words.start]) or _DONE_TO.match(text, words.end)
    return bool(headed or is_told)


def _phrases(names: Names) -> Iterator[_Words]:
    """Unknown words, those side by side as one; and conditions known by their last word alone."""
    text = names.text
    taken = taken_by(*names.drugs, *names.conditions)
    places = sorted(
        {
            m.span()
            for word in dict.fromkeys(names.unknown)
            for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)
        }
        | {m.span() for m in _HEADED.finditer(text) if not overlaps(*m.span(), taken)}
    )
    joined: list[tuple[int, int]] = []
    for start, end in places:
        if joined and (start < joined[-1][1] or _BESIDE.fullmatch(text, joined[-1][1], start)):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    seen: set[str] = set()
    for start, end in joined:
        more = _FOLLOWED.match(text, end)
        end = more.end() if more else end
        if text[start:end].casefold() not in seen:
            seen.add(text[start:end].casefold())
            yield _Words(text[start:end], start, end)


def with_outside(names: Names, outside: Iterable[OutsideName]) -> Names:
    """The names of a question with those that somebody else knows among them."""
    for name in outside:
        match = re.search(rf"(?<!\w){re.escape(name.text)}(?!\w)", names.text, re.IGNORECASE)
        if match is None:
            continue
        start, end = match.span()
        unknown = tuple(w for w in names.unknown if w.casefold() not in name.text.casefold())
        names = names._replace(unknown=unknown)
        if name.drug:
            drug = DrugNamed(name.drug, None, start, end, match[0])
            drugs = sorted((*names.drugs, drug), key=lambda n: n.start)
            names = names._replace(drugs=tuple(drugs))
        elif name.condition:
            mention = ConditionMention(_known(name.condition), start, end, match[0])
            conditions = sorted((*names.conditions, mention), key=lambda n: n.start)
            names = names._replace(conditions=tuple(conditions))
        else:
            names = names._replace(targets=(*names.targets, match[0]))
    return names


def _known(told: Condition) -> KnownCondition:
    mesh_id = (told.mesh_id or "").removeprefix("MESH:")
    return KnownCondition(told.name, mesh_id, (), (), told.names)
