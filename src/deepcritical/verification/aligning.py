"""Aligns a sentence with sentences of a record, word by word.

A sentence is near-verbatim if all its words stand in the record's sentence in the same order, and
if what it leaves out changes no meaning: a parenthesis, an opening, an adverb, a clause beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepcritical.verification.signs import SIGN_WORDS
from deepcritical.verification.words import NEGATIONS, Word, stem, stems, words

NEGATING = stems(" ".join(NEGATIONS))
PAIRS = frozenset(
    pair
    for told in (
        "increase/decrease increase/reduce higher/lower more/less more/fewer greater/less "
        "greater/smaller larger/smaller rise/fall raise/lower improve/worsen "
        "improvement/worsening better/worse superior/inferior superior/noninferior "
        "longer/shorter faster/slower earlier/later benefit/harm beneficial/harmful "
        "effective/ineffective safe/unsafe similar/different positive/negative "
        "positively/negatively upregulate/downregulate activate/inhibit promote/inhibit "
        "gain/loss before/after"
    ).split()
    for left, right in [map(stem, told.split("/"))]
    for pair in ((left, right), (right, left))
)
OPPOSITES = frozenset(one for one, _ in PAIRS)
_FRAME = stems(
    "study trial review analysis metaanalysis report paper article record abstract author "
    "researcher investigator result finding data work we our it they from according to present "
    "current find show observe report reveal conclude state note describe"
)
_TELLING = stems("find show observe report reveal conclude state note describe")
_LIGHT = stems("receive treat treatment therapy level user use cohort condition arm occur")
"""Words without which a sentence says the same of the same people."""
_SEEN = stems("find observe see detect note evident")
_DESIGN = stems(
    "randomised double single blind blinded masked placebo controlled control open label pilot "
    "phase multicentre crossover parallel group cohort observational prospective retrospective "
    "systematic meta clinical large small"
)
_STUDIES = stems("study trial review analysis metaanalysis report cohort survey meta")
_RESTRICTING = NEGATING | stems(
    "only except unless if subgroup subset women woman men man female male children child infant "
    "adolescent elderly older younger pregnant mouse mice rat animal dog monkey vitro cell "
    "healthy may might could post hoc limited protocol secondary sensitivity exploratory stratified"
)
_CONCEDING = stems("although though whereas")
DEGREE = stems("significantly statistically markedly substantially significant statistical")
COMPARING = stems("versus than")
_LEADING = frozenset(
    "in with after before at during versus between among for by over on within throughout "
    "following compared".split()
)
_ALIKE = stems("similar similarly comparable alike same unchanged")
_FIXED = COMPARING | OPPOSITES | NEGATING
_BESIDE_CLAUSE = stems("while whereas")
_OF_WHAT_WAS_TOLD = stems(
    "this effect difference benefit association result finding significant significance adjusted "
    "adjustment improvement"
)
_LONGEST_NAME = 8
_CONTRASTS = stems("while whereas but or")
_JOINING = frozenset({"and", "both"})
_LONGEST_PART = 4


def without_frame(told: Sequence[Word], known: frozenset[str]) -> tuple[Word, ...]:
    """The words without "the study found that", if its design is one that the record tells."""
    verbs = [n for n, word in enumerate(told[:12]) if word.key in _TELLING]
    for end in (n + 1 for n in verbs):
        if all(w.key in _FRAME or (w.key in _DESIGN and w.key in known) for w in told[:end]):
            return without_frame(told[end:], known)
    opening = opening_of(told)
    named = {w.key for w in opening}
    if opening and named & _STUDIES and named <= _FRAME | (_DESIGN & known):
        return tuple(told[len(opening) :])
    return tuple(told)


def opening_of(told: Sequence[Word]) -> Sequence[Word]:
    """The words before the first comma."""
    if not told or told[-1].part == told[0].part:
        return ()
    return [word for word in told if word.part == told[0].part and not word.depth]


def is_free_opening(opening: Sequence[Word], text: str) -> bool:
    """Return whether an opening may be left out: it names the study, a time or a concession."""
    keys = {word.key for word in opening}
    if keys & (_RESTRICTING | COMPARING):
        return False
    start = text.lstrip().lower()
    if start.startswith(("in this ", "in our ", "in the present ", "in a ")) and keys & _STUDIES:
        return True
    timed = any(word.key.endswith("time") for word in opening) and len(opening) <= 4
    return timed or opening[0].key in _CONCEDING


def _may_go(part: Sequence[Word], *, denied: bool) -> bool:
    """Return whether a parenthesis may be left out: no restriction, and no chance finding."""
    told_of_share = part[0].is_figure and "%" in part[0].key
    if {word.key for word in part} & (NEGATING if told_of_share else _RESTRICTING):
        return False
    by_chance = any(w.key == "ns" or _is_by_chance(w.key) for w in part) or _holds_no_effect(part)
    return denied or not by_chance


def _is_by_chance(key: str) -> bool:
    if not (key.startswith("#") and key.endswith("p")):
        return False
    value = float(key.strip("#<>p"))
    return "<" not in key and value >= 0.05


def _holds_no_effect(part: Sequence[Word]) -> bool:
    """Return whether a confidence interval includes 1, or includes 0."""
    keys = [word.key for word in part]
    if "ci" not in keys:
        return False
    limits = [_value(k) for k in keys[keys.index("ci") :] if k.startswith("#")][:2]
    if len(limits) < 2 or None in limits:
        return False
    low, high = (float(limit or 0) for limit in limits)
    return low <= 0 <= high or 0 < low <= 1 <= high


def _value(key: str) -> float | None:
    try:
        return float(key.strip("#<>"))
    except ValueError:
        return None


def follows(said: str, source: str, known: frozenset[str]) -> bool:
    """Return whether a sentence is near-verbatim one of the record.

    Args:
        said: The sentence, abbreviations spelled out.
        source: One sentence of the record, or two neighbouring ones, likewise.
        known: All words of the record, as `stem` gives them.
    """
    claim, there = (_told(text, known) for text in (said, source))
    if not claim:
        return False
    if not {word.key for word in claim} <= {word.key for word in there}:
        return False
    return any(
        _embeds([w.key for w in one], moved, source)
        for one in orders_of(claim, said)
        for other in orders_of(there, source)
        for moved in _moves(other)
    )


def _told(text: str, known: frozenset[str]) -> tuple[Word, ...]:
    """The words without "the study found that", "was seen" and what else tells nothing."""
    kept: list[Word] = []
    lead: frozenset[str] = frozenset()
    for word in without_frame(words(text), known):
        if word.key in _SEEN | _LIGHT:
            lead |= word.lead
        else:
            kept.append(word._replace(lead=word.lead | lead))
            lead = frozenset()
    return tuple(kept)


def _moves(told: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """The words as they stand, and with one prepositional phrase elsewhere in its clause.

    Where a sentence tells two things, a phrase passes no figure, comparison or direction: it would
    become that of the other one.
    """
    yield told
    yield from _with_gerund_behind(told)
    inner = range(1, len(told))
    starts = (n for n in inner if told[n].part != told[n - 1].part or _begins_phrase(told[n]))
    places = (0, *starts, len(told))
    single = not any(w.lead & _JOINING or w.key in COMPARING | _CONTRASTS for w in told)
    times = sum(w.key.endswith("time") for w in told)
    for start, end in pairwise(places):
        if not _begins_phrase(told[start]):
            continue
        for to in places:
            passed = told[to:start] if to < start else told[end:to]
            free = single or (times == 1 and any(w.key.endswith("time") for w in told[start:end]))
            if passed and (free or not any(w.is_figure or w.key in _FIXED for w in passed)):
                rest = (*told[:start], *told[end:])
                at = to if to < start else to - (end - start)
                yield (*rest[:at], *told[start:end], *rest[at:])


def _with_gerund_behind(told: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """The words with one verb behind its object: "after X was renewed" of "after renewing X"."""
    for at, word in enumerate(told):
        for to in range(at + 2, min(at + 2 + _LONGEST_PART, len(told) + 1)):
            passed = told[at + 1 : to]
            plain = not any(w.is_figure or w.key in _FIXED or _begins_phrase(w) for w in passed)
            if word.raw.endswith("ing") and plain and word.key not in OPPOSITES:
                yield (*told[:at], *passed, word, *told[to:])


def _begins_phrase(word: Word) -> bool:
    return word.raw in _LEADING or bool(word.lead & _LEADING)


def orders_of(told: tuple[Word, ...], text: str) -> Iterator[tuple[Word, ...]]:
    """The words as they stand, and with an opening phrase moved to the end."""
    yield told
    opening = opening_of(told)
    first = text.split(maxsplit=1)[0].lower() if text.strip() else ""
    if opening and first in _LEADING and ";" not in text:
        yield (*told[len(opening) :], *told[: len(opening)])


def _embeds(claim: Sequence[str], there: Sequence[Word], source: str) -> bool:
    """Return whether the claim's words stand there in order, and the rest may be left out."""
    skips = _skips(there, source)
    reached = {0}
    waiting: list[set[int]] = [set() for _ in range(len(there) + 1)]
    waiting[0] = reached
    for at, word in enumerate(there):
        for done in waiting[at]:
            if done < len(claim) and claim[done] == word.key:
                waiting[at + 1].add(done + 1)
            for end in skips.get(at, ()):
                waiting[end].add(done)
    return len(claim) in waiting[len(there)]


def _skips(there: Sequence[Word], source: str) -> dict[int, list[int]]:
    """From which word to which one may be left out."""
    found: dict[int, list[int]] = {}
    denied = any(word.key in NEGATING for word in there)
    alike = denied or any(word.key in _ALIKE for word in there)
    alike = alike or not any(word.key in SIGN_WORDS for word in there)
    opening = opening_of(there)
    first = bool(opening) and list(there[: len(opening)]) == list(opening)
    if first and is_free_opening(opening, source):
        found[0] = [len(opening)]
    for start, word in enumerate(there):
        if word.key in DEGREE and not denied:
            found.setdefault(start, []).append(start + 1)
        if _is_added_clause(there, start):
            found.setdefault(start, []).append(len(there))
        if end := _end_of_second(there, start):
            found.setdefault(start, []).append(end)
        if not word.depth or (start and there[start - 1].part == word.part):
            continue
        for end in _ends_of_parts(there, start):
            if not _may_go(there[start:end], denied=alike):
                break
            found.setdefault(start, []).append(end)
    return found


def _is_added_clause(there: Sequence[Word], start: int) -> bool:
    """Say whether a last clause tells more than the rest: ", while B rose", ", which A shows".

    One that takes back or limits what was told is none.
    """
    word = there[start]
    if word.depth or not start or word.part == there[start - 1].part:
        return False
    rest = {later.key for later in there[start:]}
    if "which" in word.lead:
        return not rest & (_RESTRICTING | DEGREE)
    return word.key in _BESIDE_CLAUSE and not rest & _OF_WHAT_WAS_TOLD


def _end_of_second(there: Sequence[Word], start: int) -> int:
    """Return the end of the second of two things with a parenthesis each; 0 where it is none.

    Of "risk of A (HR 1.4) and B (HR 1.2)" what is told of B may be left out, all of it.
    """
    if there[start].depth or "and" not in there[start].lead or not there[start - 1].depth:
        return 0
    end = start
    while end < len(there) and not there[end].depth and there[end].part == there[start].part:
        end += 1
    named = {word.key for word in there[start:end]}
    if end == len(there) or not there[end].depth or end - start > _LONGEST_NAME or named & _FIXED:
        return 0
    while end < len(there) and there[end].depth:
        end += 1
    return end


def _ends_of_parts(there: Sequence[Word], start: int) -> Iterator[int]:
    end = start
    while end < len(there) and there[end].depth:
        end += 1
        if end == len(there) or there[end].part != there[end - 1].part:
            yield end
