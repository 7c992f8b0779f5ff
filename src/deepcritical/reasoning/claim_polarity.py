"""Whether a sentence denies what its source asserts, or turns its direction round.

Two ways of looking: word by word, where the sentence follows its source closely, and by what each
denial and each sign of a direction governs, where it is told in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.reasoning.claim_standing import other_standing
from deepcritical.reasoning.claim_words import (
    ASSOCIATED,
    BETTER,
    DOWN,
    EFFECT,
    FINDING,
    GENERIC,
    SAME,
    SIGNIFICANT,
    UP,
    WORSE,
    Word,
    words,
)
from deepcritical.reasoning.directions import BAD, GOOD

__all__ = [
    "Change",
    "changes",
    "direction_conflict",
    "finds_nothing",
    "finds_something",
    "has_direction",
    "negation_conflict",
]

_DENIALS = frozenset(
    "not no without neither nor never none cannot fail fails failed failure failing lack lacks "
    "lacked lacking absence absent unable hardly nonsignificant insignificant ineffective unlikely "
    "unrelated non didn doesn wasn isn weren "
    "unproven refuted denied unsuccessful".split()
)
_OF_THINGS = frozenset("without lack lacks lacked lacking absence absent".split())
_OWN_SCOPE = frozenset(
    "nonsignificant insignificant ineffective unrelated unsuccessful unproven".split()
)
_NO_DENIAL = bounded(
    r"\bnot (?:only|just|merely|limited|uncommon)\b|\bno (?:doubt|later than|"
    r"less than|more than)\b|"
    r"\bwhether or not\b|\bnot necessarily\b|\bnon-?(?=[a-z])(?!signif)[\w-]+|"
    r"\b(?:heart|kidney|renal|cardiac|respiratory|hepatic|liver|treatment|organ) "
    r"failures?\b|"
    r"\bfailure (?:patients|rates?)\b|\b(?:those|patients|people|subjects|individuals|women|men|"
    r"children|controls|adults|participants|persons) (?:without|not|who (?:did|do|had|have|were) "
    r"not)\b|\bwith (?:and|or) without\b|\bwith/without\b|\bno\. ?(?=\d)",
    re.IGNORECASE,
)
"""Words of denial that deny nothing of the finding."""
_AHEAD, _BACK = 6, 4
_COMPARED = 16
"""Words between a sign and its "than", figures in brackets among them."""
_OPPOSITE = {UP: DOWN, DOWN: UP, BETTER: WORSE, WORSE: BETTER}
_RESULT = frozenset({UP, DOWN, BETTER, WORSE, SAME, ASSOCIATED, SIGNIFICANT})
_COMPARATOR = frozenset("than versus vs compared".split())
_BAD = bounded(rf"\b{BAD}\b", re.IGNORECASE)
_GOOD = bounded(rf"\b{GOOD}\b", re.IGNORECASE)


class Change(NamedTuple):
    """Words of the source and what the sentence has in their place."""

    said: tuple[Word, ...]
    source: tuple[Word, ...]


class _Denial(NamedTuple):
    at: int
    ahead: frozenset[int]
    """Indices of the words it governs."""
    back: frozenset[int]


class _Sign(NamedTuple):
    key: str
    at: int
    around: Mapping[str, float]
    """Keys of the words around it, what stands nearest behind it first of all."""
    valence: int
    """+1 where it says that things got better, -1 for worse, 0 where that is not known."""


def _tokens(told: Sequence[Word]) -> list[str]:
    return [w.key or w.raw for w in told]


def changes(said: Sequence[Word], source: Sequence[Word]) -> tuple[Change, ...]:
    """Where a sentence that follows its source closely departs from it."""
    matcher = SequenceMatcher(None, _tokens(source), _tokens(said), autojunk=False)
    return tuple(
        Change(tuple(said[c:d]), tuple(source[a:b]))
        for op, a, b, c, d in matcher.get_opcodes()
        if op != "equal"
    )


@lru_cache(maxsize=8192)
def _denials(text: str) -> tuple[_Denial, ...]:
    told = words(text)
    spared = [m.span() for m in _NO_DENIAL.finditer(text)]
    return tuple(
        _denial(told, at)
        for at, word in enumerate(told)
        if word.raw in _DENIALS
        and _denies_finding(text, told, at)
        and not any(a <= word.start < b for a, b in spared)
    )


def _denial(told: Sequence[Word], at: int) -> _Denial:
    clause = told[at].clause
    ahead = [i for i in range(at + 1, len(told)) if told[i].key and told[i].clause == clause]
    back = [i for i in range(at - 1, -1, -1) if told[i].key and told[i].clause == clause]
    own = [at] if told[at].raw in _OWN_SCOPE else []
    return _Denial(at, frozenset(own + ahead[:_AHEAD]), frozenset(back[:_BACK]))


@lru_cache(maxsize=8192)
def _nulls(text: str) -> frozenset[int]:
    """Indices of the words about which a sentence says that nothing differs or nothing is so."""
    told = words(text)
    found: set[int] = set()
    for denial in _denials(text):
        found |= denial.ahead | denial.back
    for at, word in enumerate(told):
        if word.key == SAME:
            near = [i for i, w in enumerate(told) if w.key and w.clause == word.clause]
            found |= {i for i in near if abs(i - at) <= _AHEAD + _BACK}
    return frozenset(found)


def negation_conflict(said: str, source: str, close: Sequence[Change] | None) -> str:
    """What the sentence denies and the source does not, or the other way round; '' for nothing.

    Args:
        said: The sentence.
        source: The sentence of the record that it rests on.
        close: The changes, where the sentence follows its source closely.
    """
    if told := _difference_made(said, source):
        return told
    alike = _deny_alike(said, source)
    if close is not None and not alike and (told := _inserted_denial(close, said, source)):
        return told
    if close is None and not finds_something(source):
        return ""  # what was measured, or how, is neither asserted nor denied
    return _unborne(said, source, "denies") or _unborne(source, said, "does not deny")


def finds_something(sentence: str) -> bool:
    """Whether a sentence says what came out: that something rose, was alike or went together."""
    return any(w.key in _RESULT for w in words(sentence)) or bool(_denials(sentence))


@lru_cache(maxsize=8192)
def has_direction(sentence: str) -> bool:
    """Whether a sentence says which way something went; one that does not contradicts no other."""
    return any(w.key in _OPPOSITE or w.key == SAME for w in words(sentence)) or bool(
        _denials(sentence)
    )


def finds_nothing(sentence: str) -> bool:
    """Whether all that a sentence says came out is that nothing differs or nothing is so."""
    null = _nulls(sentence)
    signs = [at for at, w in enumerate(words(sentence)) if w.key in _OPPOSITE]
    return bool(null) and all(at in null for at in signs)


def _denies_finding(text: str, told: Sequence[Word], at: int) -> bool:
    """Whether "without" and "lack of" are said of a finding, not of how something is done."""
    if told[at].raw not in _OF_THINGS:
        return True
    behind = (w for w in told[at + 1 : at + 5] if "," not in text[told[at].end : w.start])
    return any(w.key in FINDING for w in behind)


def _inserted_denial(close: Sequence[Change], said: str, source: str) -> str:
    net = 0
    said_at = {words(said)[d.at] for d in _denials(said)}
    source_at = {words(source)[d.at] for d in _denials(source)}
    for change in close:
        blocks = ([w for w in block if w not in said_at | source_at] for block in change)
        if all(len(b) <= 4 and sum(_carries(w.key) for w in b) <= 1 for b in blocks):
            net += _parity(change.said, said_at) - _parity(change.source, source_at)
    if net > 0:
        return "the sentence adds a denial"
    return "the sentence drops a denial" if net < 0 else ""


def _deny_alike(said: str, source: str) -> bool:
    """Whether both deny as often, and each denial is of something that the other denies too."""
    mine, theirs = _denied(said), _denied(source)
    return len(mine) == len(theirs) > 0 and all(a & b for a, b in zip(mine, theirs, strict=True))


def _denied(text: str) -> list[set[str]]:
    """The words that each denial of a sentence governs, on either side of it."""
    told = words(text)
    governed = ({told[i].key for i in d.ahead | d.back} for d in _denials(text))
    return [{key for key in keys if _carries(key)} for keys in governed]


def _difference_made(said: str, source: str) -> str:
    """A difference told of what the source says does not differ: "not" left out of a summary."""
    told, other, null = words(said), words(source), _nulls(source)
    if _denials(said) or any(w.key == SAME for w in told) or not _names_difference(told):
        return ""
    core = {w.key for w in told if _carries(w.key)}
    at = [i for i, w in enumerate(other) if w.key in (SIGNIFICANT, EFFECT)]
    clauses = {other[i].clause for i in at}
    about = {w.key for w in other if w.clause in clauses} & core
    denied = bool(at) and null.issuperset(at) and len(core) > 1 and len(about) * 2 > len(core)
    return "the sentence tells a difference where the source has none" if denied else ""


def _names_difference(told: Sequence[Word]) -> bool:
    keys = [w.key for w in told]
    return EFFECT in keys and SIGNIFICANT in keys and not any(k in _OPPOSITE for k in keys)


def _parity(told: Sequence[Word], denials: set[Word]) -> int:
    return sum(w in denials or w.key == SAME for w in told) % 2


def _unborne(first: str, second: str, verb: str) -> str:
    """A denial of the first sentence whose words the second one asserts."""
    other = words(second)
    null = _nulls(second)
    denied = {other[i].key for i in null}
    asserted = {w.key for i, w in enumerate(other) if w.key and i not in null}
    told = words(first)
    for denial in _denials(first):
        core = [told[i].key for i in sorted(denial.ahead)][:4]
        plain = {k for k in core if k not in GENERIC and not k[0].isdigit()}
        if not plain or len(plain & (asserted | denied)) * 2 < len(plain):
            continue
        if plain & denied:
            continue
        if len(plain & asserted) >= 2 or (plain & asserted and len(plain) == 1):
            phrase = " ".join(told[i].raw for i in sorted(denial.ahead)[:4])
            return f"the sentence {verb}: {told[denial.at].raw} {phrase}"
    return ""


@lru_cache(maxsize=8192)
def _signs(text: str) -> tuple[_Sign, ...]:
    told = words(text)
    return tuple(
        _Sign(w.key, at, _around(told, at), _valence(text, told, at))
        for at, w in enumerate(told)
        if w.key in _OPPOSITE
    )


def _around(told: Sequence[Word], at: int) -> dict[str, float]:
    """The words it governs: those behind it, or before it in "pain was reduced"."""
    mine = [(i, w) for i, w in enumerate(told) if w.clause == told[at].clause and _carries(w.key)]
    upto = next((i for i in range(at + 1, len(told)) if told[i].key in _OPPOSITE), len(told))
    ahead = [w.key for i, w in mine if at < i < upto][:4]
    back = [w.key for i, w in mine if i < at][::-1][:4]
    passive = at > 0 and told[at - 1].raw in ("was", "were", "is", "are", "been", "significantly")
    first, second = (back, ahead) if passive and at + 1 >= len(told) else (ahead, back)
    found: dict[str, float] = {}
    for keys, most in ((first, 1.0), (second, 0.8 if passive else 0.5)):
        for distance, key in enumerate(keys):
            found.setdefault(key, most * (1 - 0.2 * distance))
    return found


def _carries(key: str) -> bool:
    return bool(key) and key not in GENERIC and key not in _OPPOSITE


def _valence(text: str, told: Sequence[Word], at: int) -> int:
    key = told[at].key
    if key in (BETTER, WORSE):
        return 1 if key == BETTER else -1
    ahead = text[told[at].end : told[min(at + 4, len(told) - 1)].end]
    behind = text[told[max(0, at - 4)].start : told[at].start]
    for words_near in (ahead, behind):
        bad, good = _BAD.search(words_near), _GOOD.search(words_near)
        if bool(bad) != bool(good):
            return (-1 if bad else 1) * (1 if key == UP else -1)
    return 0


def direction_conflict(said: str, source: str, close: Sequence[Change] | None) -> str:
    """Where the sentence goes the other way than its source; '' where it does not."""
    if close is not None and (told := _turned(close)):
        return told
    if told := other_standing(said, source):
        return told
    nulls, source_signs = _nulls(said), _signs(source)
    source_nulls = _nulls(source)
    usable = [s for s in source_signs if s.at not in source_nulls]
    for sign in _signs(said):
        if sign.at in nulls or not usable or len(sign.around) < 2:
            continue
        if _is_against(sign, usable, said, source):
            return f"“{words(said)[sign.at].raw}” goes the other way than the source"
    return ""


def _turned(close: Sequence[Change]) -> str:
    """A sign that stands where the source has the opposite; turned twice it is the same."""
    turned = [
        (said.raw, source.raw)
        for change in close
        if len(change.said) <= 5 and len(change.source) <= 5
        for said, source in _opposed(change)
    ]
    swapped = _swapped_words(close)
    if len(turned) == 1 and not swapped:
        return f"“{turned[0][0]}” for “{turned[0][1]}”"
    return ""


def _opposed(change: Change) -> Iterator[tuple[Word, Word]]:
    have = {w.key for w in change.said}
    for source in change.source:
        opposite = _OPPOSITE.get(source.key)
        said = next((w for w in change.said if w.key == opposite), None)
        if said and source.key not in have:
            yield said, source


def _swapped_words(close: Sequence[Change]) -> bool:
    """Whether words changed places, as the arms do in "A exceeded B" and "B fell short of A"."""
    gone = {w.key for c in close for w in c.source if w.key and w.key not in _OPPOSITE}
    come = {w.key for c in close for w in c.said if w.key and w.key not in _OPPOSITE}
    return bool((gone & come) - GENERIC)


def _is_against(sign: _Sign, usable: Sequence[_Sign], said: str, source: str) -> bool:
    agree = against = 0.0
    total = sum(sign.around.values())
    for other in usable:
        common = sign.around.keys() & other.around.keys()
        share = sum(min(sign.around[k], other.around[k]) for k in common) / total
        turned_arms = sign.key == other.key and _arms_reversed(sign, other, said, source)
        if turned_arms or _opposes(sign, other, said, source):
            against = max(against, share if len(common) > 1 else 0.0)
        elif sign.key == other.key or sign.valence == other.valence != 0:
            agree = max(agree, share, 0.3)
    return against >= 0.45 and against > agree + 0.2


def _opposes(sign: _Sign, other: _Sign, said: str, source: str) -> bool:
    if sign.key == other.key:
        return False
    turned = _OPPOSITE[sign.key] == other.key
    valence = sign.valence * other.valence
    if turned and valence > 0:
        return False  # less harm and more good are one thing
    against = turned or valence < 0
    return against and not _arms_reversed(sign, other, said, source)


def _arms_reversed(sign: _Sign, other: _Sign, said: str, source: str) -> bool:
    """Whether one sentence compares A with B where the other compares B with A."""
    before, behind = _arms(words(said), sign.at)
    source_before, source_behind = _arms(words(source), other.at)
    return bool(behind & source_before and before & source_behind) and not behind & source_behind


def _arms(told: Sequence[Word], at: int) -> tuple[frozenset[str], frozenset[str]]:
    ahead = range(at, min(len(told), at + _COMPARED))
    than = next((i for i in ahead if told[i].raw in _COMPARATOR), None)
    if than is None:
        return frozenset(), frozenset()
    skip = GENERIC | set(_OPPOSITE) | {ASSOCIATED, ""}
    before = frozenset(w.key for w in told[max(0, at - 6) : than]) - skip
    return before, frozenset(w.key for w in told[than + 1 : than + 6]) - skip
