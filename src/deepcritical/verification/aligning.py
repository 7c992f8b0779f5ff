"""Aligns a sentence with sentences of a record, word by word.

A sentence is near-verbatim if all its words stand in the record's sentence in the same order, and
if what it leaves out changes no meaning: a parenthesis, an opening, an adverb. It is turned round
if it differs by a negation, a direction, or two parts that changed places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from deepcritical.verification.signs import SIGN_WORDS
from deepcritical.verification.words import NEGATIONS, Word, stem, words

__all__ = ["follows", "is_turned", "replaced_name", "share_in_order"]


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


_NEGATIONS = _stems(" ".join(NEGATIONS))
_PAIRS = frozenset(
    pair
    for left, right in (
        ("increase", "decrease"),
        ("increase", "reduce"),
        ("higher", "lower"),
        ("more", "less"),
        ("more", "fewer"),
        ("greater", "less"),
        ("greater", "smaller"),
        ("larger", "smaller"),
        ("rise", "fall"),
        ("raise", "lower"),
        ("improve", "worsen"),
        ("improvement", "worsening"),
        ("better", "worse"),
        ("superior", "inferior"),
        ("superior", "noninferior"),
        ("longer", "shorter"),
        ("faster", "slower"),
        ("earlier", "later"),
        ("benefit", "harm"),
        ("beneficial", "harmful"),
        ("effective", "ineffective"),
        ("safe", "unsafe"),
        ("similar", "different"),
        ("positive", "negative"),
        ("positively", "negatively"),
        ("upregulate", "downregulate"),
        ("activate", "inhibit"),
        ("promote", "inhibit"),
        ("gain", "loss"),
        ("before", "after"),
    )
    for pair in ((stem(left), stem(right)), (stem(right), stem(left)))
)
_OPPOSITES = frozenset(one for one, _ in _PAIRS)
_FRAME = _stems(
    "study trial review analysis metaanalysis report paper article record abstract author "
    "researcher investigator result finding data work we our it they from according to present "
    "current find show observe report reveal conclude state note describe"
)
_TELLING = _stems("find show observe report reveal conclude state note describe")
_DESIGN = _stems(
    "randomised double single blind blinded masked placebo controlled control open label pilot "
    "phase multicentre crossover parallel group cohort observational prospective retrospective "
    "systematic meta clinical large small"
)
_STUDIES = _stems("study trial review analysis metaanalysis report cohort survey meta")
_RESTRICTING = _NEGATIONS | _stems(
    "only except unless if subgroup subset women woman men man female male children child infant "
    "adolescent elderly older younger pregnant mouse mice rat animal dog monkey vitro cell "
    "healthy may might could post hoc limited protocol secondary sensitivity exploratory stratified"
)
_CONCEDING = _stems("although though whereas")
_DEGREE = _stems("significantly statistically markedly substantially significant statistical")
_COMPARING = _stems("versus than")
_LEADING = frozenset(
    "in with after before at during versus between among for by over on within throughout "
    "following compared".split()
)
_ALIKE = _stems("similar similarly comparable alike same unchanged")
_FIXED = _COMPARING | _OPPOSITES | _NEGATIONS
_CONTRASTS = _stems("while whereas but or")
_JOINING = frozenset({"and", "both"})
_LONGEST_PART = 4
_FEWEST = 3
_CLOSE = 0.6


def _without_frame(told: Sequence[Word], known: frozenset[str]) -> tuple[Word, ...]:
    """The words without "the study found that", if its design is one that the record tells."""
    verbs = [n for n, word in enumerate(told[:12]) if word.key in _TELLING]
    for end in (n + 1 for n in verbs):
        if all(w.key in _FRAME or (w.key in _DESIGN and w.key in known) for w in told[:end]):
            return _without_frame(told[end:], known)
    opening = _opening(told)
    named = {w.key for w in opening}
    if opening and named & _STUDIES and named <= _FRAME | (_DESIGN & known):
        return tuple(told[len(opening) :])
    return tuple(told)


def _opening(told: Sequence[Word]) -> Sequence[Word]:
    """The words before the first comma."""
    if not told or told[-1].part == told[0].part:
        return ()
    return [word for word in told if word.part == told[0].part and not word.depth]


def _is_free_opening(opening: Sequence[Word], text: str) -> bool:
    """Whether an opening may be left out: it names the study, a time or a concession."""
    keys = {word.key for word in opening}
    if keys & (_RESTRICTING | _COMPARING):
        return False
    start = text.lstrip().lower()
    if start.startswith(("in this ", "in our ", "in the present ", "in a ")) and keys & _STUDIES:
        return True
    timed = any(word.key.endswith("time") for word in opening) and len(opening) <= 4
    return timed or opening[0].key in _CONCEDING


def _may_go(part: Sequence[Word], *, denied: bool) -> bool:
    """Whether a parenthesis may be left out: it restricts nothing, and shows no chance finding."""
    told_of_share = part[0].is_figure and "%" in part[0].key
    if {word.key for word in part} & (_NEGATIONS if told_of_share else _RESTRICTING):
        return False
    by_chance = any(w.key == "ns" or _is_by_chance(w.key) for w in part) or _holds_no_effect(part)
    return denied or not by_chance


def _is_by_chance(key: str) -> bool:
    if not (key.startswith("#") and key.endswith("p")):
        return False
    value = float(key.strip("#<>p"))
    return "<" not in key and value >= 0.05


def _holds_no_effect(part: Sequence[Word]) -> bool:
    """Whether a confidence interval includes 1, or includes 0."""
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
    """Whether a sentence is near-verbatim one of the record.

    Args:
        said: The sentence, abbreviations spelled out.
        source: One sentence of the record, or two neighbouring ones, likewise.
        known: All words of the record, as `stem` gives them.
    """
    claim, there = (_without_frame(words(text), known) for text in (said, source))
    if not claim:
        return False
    if not {word.key for word in claim} <= {word.key for word in there}:
        return False
    return any(
        _embeds([w.key for w in one], moved, source)
        for one in _orders(claim, said)
        for other in _orders(there, source)
        for moved in _moves(other)
    )


def _moves(told: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """The words as they stand, and with one prepositional phrase elsewhere in its clause.

    Where a sentence tells two things, a phrase passes no figure, comparison or direction: it would
    become that of the other one.
    """
    yield told
    inner = range(1, len(told))
    starts = (n for n in inner if told[n].part != told[n - 1].part or _begins_phrase(told[n]))
    places = (0, *starts, len(told))
    single = not any(w.lead & _JOINING or w.key in _COMPARING | _CONTRASTS for w in told)
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


def _begins_phrase(word: Word) -> bool:
    return word.raw in _LEADING or bool(word.lead & _LEADING)


def _orders(told: tuple[Word, ...], text: str) -> Iterator[tuple[Word, ...]]:
    """The words as they stand, and with an opening phrase moved to the end."""
    yield told
    opening = _opening(told)
    first = text.split(maxsplit=1)[0].lower() if text.strip() else ""
    if opening and first in _LEADING and ";" not in text:
        yield (*told[len(opening) :], *told[: len(opening)])


def _embeds(claim: Sequence[str], there: Sequence[Word], source: str) -> bool:
    """Whether the claim's words stand there in order, and the rest may be left out."""
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
    denied = any(word.key in _NEGATIONS for word in there)
    alike = denied or any(word.key in _ALIKE for word in there)
    alike = alike or not any(word.key in SIGN_WORDS for word in there)
    opening = _opening(there)
    first = bool(opening) and list(there[: len(opening)]) == list(opening)
    if first and _is_free_opening(opening, source):
        found[0] = [len(opening)]
    for start, word in enumerate(there):
        if word.key in _DEGREE and not denied:
            found.setdefault(start, []).append(start + 1)
        if not word.depth or (start and there[start - 1].part == word.part):
            continue
        for end in _ends_of_parts(there, start):
            if not _may_go(there[start:end], denied=alike):
                break
            found.setdefault(start, []).append(end)
    return found


def _ends_of_parts(there: Sequence[Word], start: int) -> Iterator[int]:
    end = start
    while end < len(there) and there[end].depth:
        end += 1
        if end == len(there) or there[end].part != there[end - 1].part:
            yield end


def is_turned(said: str, source: str, known: frozenset[str]) -> str:
    """How a sentence turns one of the record round; '' if it does not, or is another sentence."""
    claim, there = (_without_frame(words(text), known) for text in (said, source))
    opening = _opening(there)
    orders = list(_orders(there, source))
    if opening and _is_free_opening(opening, source):
        orders.append(there[len(opening) :])
    for inner in (True, False):
        for one in _orders(claim, said):
            for other in orders:
                told = _turn(_compared(one, inner=inner), _compared(other, inner=inner))
                if told:
                    return told
    return ""


def _compared(told: Sequence[Word], *, inner: bool) -> list[str]:
    """The keys of the words, with those in parentheses or without."""
    return [w.key for w in told if (inner or not w.depth) and w.key not in _DEGREE]


def _turn(claim: Sequence[str], there: Sequence[str]) -> str:
    if len(claim) < _FEWEST:
        return ""
    matcher = SequenceMatcher(None, there, claim, autojunk=False)
    if matcher.real_quick_ratio() < _CLOSE or matcher.ratio() < _CLOSE:
        return ""
    if sorted(claim) == sorted(there):
        return _swap(claim, there)
    turns, figures = 0, 0
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        old, new = there[i1:i2], claim[j1:j2]
        denials = sum(w in _NEGATIONS for w in (*old, *new))
        old, new = _asserted(old), _asserted(new)
        if len(old) != len(new):
            return ""
        pairs = list(zip(old, new, strict=True))
        opposite = all(pair in _PAIRS for pair in pairs)
        changed = all(o[0] == n[0] == "#" for o, n in pairs)
        if not (opposite or changed):
            return ""
        turns += denials + (len(old) if opposite and old else 0)
        figures += len(old) if changed and not opposite else 0
    if figures and not turns:
        return "the record gives another figure in its place"
    return "direction or negation is the opposite one" if turns % 2 and not figures else ""


def _asserted(keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key not in _NEGATIONS]


def _swap(claim: Sequence[str], there: Sequence[str]) -> str:
    """Two figures, or two parts of a comparison, that changed places."""
    moved = [(o, n) for o, n in zip(there, claim, strict=True) if o != n]
    if moved and all(o[0] == n[0] == "#" for o, n in moved):
        return "figures have changed places"
    if not moved:
        return ""
    places = [n for n, (o, c) in enumerate(zip(there, claim, strict=True)) if o != c]
    old, new = there[places[0] : places[-1] + 1], claim[places[0] : places[-1] + 1]
    sizes = range(1, _LONGEST_PART + 1)
    swapped = any(_exchanged(old, new, x, y) for x in sizes for y in sizes)
    return "names or groups have changed places" if swapped else ""


def _exchanged(old: Sequence[str], new: Sequence[str], x: int, y: int) -> bool:
    """Whether the first and last words changed places around a comparison."""
    middle = old[x : len(old) - y]
    if not any(k in _COMPARING or k in _OPPOSITES or k[0] == "#" for k in middle):
        return False  # of a list, any order is right
    return [*old[len(old) - y :], *middle, *old[:x]] == list(new)


def replaced_name(said: str, source: str, known: frozenset[str]) -> str:
    """The only word that is another one than the record's, if it is nowhere in it; else ''."""
    claim, there = (
        [w for w in _without_frame(words(text), known) if not w.depth] for text in (said, source)
    )
    if len(claim) != len(there):
        return ""
    pairs = [(o, n) for o, n in zip(there, claim, strict=True) if o.key != n.key]
    if len(pairs) != 1 or len(claim) < 4:
        return ""
    new = pairs[0][1]
    return "" if new.is_figure or new.key in known else new.raw


def share_in_order(said: str, source: str) -> float:
    """Share of a sentence's words that another one has in the same order, 0-1."""
    claim, there = ([w.key for w in words(text)] for text in (said, source))
    if not set(claim) & set(there):
        return 0.0
    blocks = SequenceMatcher(None, there, claim, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(claim))
