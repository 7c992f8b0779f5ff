"""Finds conditions in text, with their MeSH headings and places in the tree.

The table is made by `scripts/build_conditions.py` from MeSH, the Disease Ontology, Mondo and a
reviewed list.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import capitalised
from deepcritical.vocabulary.folding import SEPARATORS, Token, key_of, scan, stands_alone, tokens_of
from deepcritical.vocabulary.words import data_text, is_english

_ACRONYM = re.compile("[A-Z]{2}")
_EPONYM = re.compile("[a-z]{1,30}'s ")

_MOST_WORDS = 10
_GAP = bounded(rf"{SEPARATORS}|[,.] ?")
_CUT = bounded(r"[a-z]{3}(?:ie|ose|yse|ide)$")
"""The end of a plural without its s."""
_RARE = 20
"""A word that is written so many times less than its plural is a slip: "diabete"."""
_CONTEXT = 300
_LONGEST_SHORT = 14
_ARTICLES = frozenset("a an the my his her our their your".split())
_SHOUTED = 0.7
"""From this share of capitals on, capitals do not tell an acronym from a word."""
_FEW_LETTERS = 12
_NEAR = 2
"""Dots in a tree number from which on a heading is no whole branch of medicine."""


_SYMPTOMS = ("C23.888", "F01", "C23.550.414")
"""Trees of MeSH for signs and symptoms, for behaviour, and for bleeding."""


class KnownCondition(NamedTuple):
    """A condition of the table."""

    name: str
    """Its heading, in the order of speech: "Type 2 Diabetes Mellitus"."""
    mesh_id: str
    """Its MeSH descriptor, `D` and digits; '' where no source gives the right one."""
    trees: tuple[str, ...]
    """Its MeSH tree numbers."""
    parents: tuple[int, ...]
    """Rows of the conditions above it in the Disease Ontology."""
    names: tuple[str, ...]
    """Other names fit for a literal search."""

    @property
    def is_symptom(self) -> bool:
        """Return whether it is a sign, a symptom or a behaviour, which many diseases bring."""
        return any(tree.startswith(_SYMPTOMS) for tree in self.trees)


class ConditionMention(NamedTuple):
    """A condition named in a text: `source[start:end] == text`."""

    condition: KnownCondition
    start: int
    end: int
    text: str
    others: tuple[KnownCondition, ...] = ()
    """Other meanings of an abbreviation."""


class _Table(NamedTuple):
    rows: tuple[str, ...]
    """Without the folded names, which are keys already."""
    at: dict[str, int]
    """Folded name -> its row."""
    acronyms: dict[str, int]
    """As written -> its row."""
    first: frozenset[str]


@cache
def _table() -> _Table:
    rows: list[str] = []
    at: dict[str, int] = {}
    acronyms: dict[str, int] = {}
    for n, row in enumerate(data_text("conditions.tsv").splitlines()):
        *told, keys, shorts, names = row.split("\t")
        rows.append("\t".join((*told, shorts, names)))
        for key in keys.split("|") if keys else ():
            at.setdefault(key, n)
        for short in shorts.split("|") if shorts else ():
            acronyms.setdefault(short, n)
    return _Table(tuple(rows), at, acronyms, frozenset(key.partition(" ")[0] for key in at))


_THE = bounded(r"\bthe $", re.IGNORECASE)
"""Before an abbreviation of a place, as in "at the ED": conditions have no article."""


class _Meaning(NamedTuple):
    """One meaning of an abbreviation that stands for several conditions."""

    row: int | None
    """None where it means no condition: the ED of a hospital."""
    words: frozenset[str]
    """Folded words of a text that tell so."""


@cache
def _ambiguous() -> dict[str, tuple[_Meaning, ...]]:
    found: dict[str, list[_Meaning]] = defaultdict(list)
    for line in data_text("abbreviations.tsv").splitlines():
        short, name, words = line.split("\t")
        row = _table().at[key_of(name)] if name else None
        found[short].append(_Meaning(row, frozenset(words.split())))
    return {short: tuple(meanings) for short, meanings in found.items()}


@cache
def _condition(row: int) -> KnownCondition:
    name, mesh_id, trees, parents, shorts, names = _table().rows[row].split("\t")
    mesh_id = mesh_id.partition(",")[0]
    said = [n for n in names.split("|") if n]
    return KnownCondition(
        name,
        mesh_id,
        tuple(filter(None, trees.split("|"))),
        tuple(int(n) for n in parents.split("|") if n),
        (*said, *(s for s in shorts.split("|") if s)),
    )


def condition_names() -> tuple[str, ...]:
    """The folded names of all conditions, for offering the nearest."""
    return tuple(_table().at)


def condition_spelled(key: str) -> str:
    """A folded name as it is written, in small letters: "diabetes mellitus" for its folded form."""
    known = _condition(_table().at[key])
    return next((n.lower() for n in (known.name, *known.names) if key_of(n) == key), key)


@cache
def _keys_of() -> dict[int, tuple[str, ...]]:
    """Row -> its folded names."""
    keys = defaultdict(list)
    for key, row in _table().at.items():
        keys[row].append(key)
    return {row: tuple(found) for row, found in keys.items()}


@cache
def further_names(known: KnownCondition) -> tuple[str, ...]:
    """Return names of a condition that stand in one order of words alone, short first.

    They are in lower case, with the plurals that folding took an s off: "malignancies".
    Of names that stand in several orders the table does not tell which one is written.
    """
    own = {key_of(name) for name in (known.name, *known.names)}
    keys = _keys_of().get(_table().at.get(key_of(known.name), -1), ())
    orders = Counter(tuple(sorted(key.split())) for key in {*keys, *own})
    once = (key for key in keys if orders[tuple(sorted(key.split()))] == 1 and key not in own)
    return tuple(map(_with_plurals, sorted(once, key=lambda key: (len(key), key))))


def _with_plurals(key: str) -> str:
    """A folded name in words that are written: "diabetes" of "diabete"."""
    times = _times_written()
    words = [f"{w}s" if times[f"{w}s"] > _RARE * times[w] else w for w in key.split()]
    is_cut = not times[words[-1]] and _CUT.search(words[-1])
    return " ".join(words) + ("s" if is_cut else "")


@cache
def _times_written() -> Counter[str]:
    """Counts of each word in all names, in lower case."""
    cells = (row.split("\t") for row in _table().rows)
    names = " ".join(f"{name} {names}" for name, *_, names in cells)
    return Counter(re.findall(r"[^\W_]+", names.lower()))


def condition_named(name: str) -> KnownCondition | None:
    """The condition that a whole text names."""
    row = _table().acronyms.get(name.strip(), _table().at.get(key_of(name)))
    if row is None and (meant := _ambiguous().get(name.strip().upper())):
        row = meant[0].row
    if row is None and 2 < len(name.strip()) <= 6:
        row = _any_case().get(name.strip().casefold())
    return None if row is None else _condition(row)


@cache
def _shortened() -> dict[str, str]:
    """Folded words that clinicians write for others within a name: "insuff", "mets"."""
    return dict(line.split("\t") for line in data_text("short_words.tsv").splitlines())


@cache
def _any_case() -> dict[str, int]:
    return {short.casefold(): row for short, row in _table().acronyms.items() if len(short) > 2}


def find_conditions(text: str, *, any_case: bool = False) -> tuple[ConditionMention, ...]:
    """The conditions named in a text, in order, without overlap; the longest name wins.

    With `any_case` acronyms of three characters or more may be written small, as in a search box;
    in records they must be written as they are.
    """
    return tuple(scan(tokens_of(text), partial(_match, text, any_case, is_shouted(text))))


def is_shouted(text: str) -> bool:
    """Return whether a text is written in capitals, so that "ALL" and "IT" are words.

    Where words of English stand small between ("MTX + SSZ in RA"), capitals are acronyms.
    """
    letters = sum(map(str.isalpha, text))
    if letters <= _FEW_LETTERS or sum(map(str.isupper, text)) <= _SHOUTED * letters:
        return False
    words = [word for word in text.split() if word.isalpha() and is_english(word)]
    return not words or 2 * sum(map(str.isupper, words)) > len(words)


def _match(
    text: str, any_case: bool, shouted: bool, tokens: Sequence[Token], at: int
) -> tuple[ConditionMention | None, int] | None:
    table = _table()
    first = tokens[at]
    begins = first.folded in table.first or (any_case and first.folded in _shortened())
    reach = min(_MOST_WORDS, len(tokens) - at) if begins else 0
    for count in range(reach, 0, -1):
        taken = tokens[at : at + count]
        row = next((table.at[key] for key in _keys(taken, any_case) if key in table.at), None)
        if row is not None and stands_alone(text, taken, _GAP):
            return _mention(text, row, first.start, taken[-1].end), count
    for count in (2, 1):
        taken = tokens[at : at + count]
        short = text[first.start : taken[-1].end]
        if len(taken) < count or len(short) > _LONGEST_SHORT:
            continue
        meant = _meanings(short, any_case, shouted)
        if meant and stands_alone(text, taken, _GAP):
            return _among(text, meant, first.start, taken[-1].end), count
    return None


def _keys(taken: Sequence[Token], any_case: bool) -> Iterator[str]:
    """The folded names that words may be: as they stand; of a question also in full."""
    words = [token.folded for token in taken]
    yield " ".join(words)
    if len(words) == 1 or not any_case:
        return
    if not _shortened().keys().isdisjoint(words):
        words = " ".join(_shortened().get(word, word) for word in words).split()
        yield " ".join(words)
    plain = [words[0], *(word for word in words[1:] if word not in _ARTICLES)]
    if len(plain) < len(words) and words[-1] not in _ARTICLES:
        yield " ".join(plain)


def _meanings(short: str, any_case: bool, shouted: bool) -> tuple[_Meaning, ...]:
    """Return the meanings of an acronym; () for none, and for a word of a text in capitals."""
    table = _table()
    # Names such as "burns", which in the singular are words, stand in the table in small letters.
    row = table.acronyms.get(short.lower()) if any_case or short.islower() else None
    if row is None and not (shouted and is_english(short)):
        if meant := _ambiguous().get(short):
            return meant
        row = table.acronyms.get(short)
        # "AKs" are more than one.
        if row is None and any_case and short[-1:] == "s" and short[:-1].isupper():
            return _meanings(short[:-1], any_case, shouted)
        if row is None and any_case and not is_english(short):
            row = _any_case().get(short.casefold())
    return () if row is None else (_Meaning(row, frozenset()),)


def _mention(text: str, row: int, start: int, end: int) -> ConditionMention:
    return ConditionMention(_condition(row), start, end, text[start:end])


def _among(text: str, meant: tuple[_Meaning, ...], start: int, end: int) -> ConditionMention | None:
    """The meaning of which the text has most words; the first where none is told.

    A text of nothing else names a condition.
    """
    if len(meant) == 1 and meant[0].row is not None:
        return _mention(text, meant[0].row, start, end)
    around = {token.folded for token in tokens_of(text[max(0, start - _CONTEXT) : end + _CONTEXT])}
    alone = end - start == len(text)
    ranked = sorted(meant, key=lambda m: (alone and m.row is None, -len(m.words & around)))
    is_place = any(m.row is None for m in meant) and _THE.search(text, max(0, start - 9), start)
    if ranked[0].row is None or is_place:
        return None
    told = bool(ranked[0].words & around)
    rows = () if told else tuple(m.row for m in ranked[1:] if m.row is not None)
    others = tuple(_condition(row) for row in rows)
    return ConditionMention(_condition(ranked[0].row), start, end, text[start:end], others)


@cache
def _below() -> dict[str, tuple[int, ...]]:
    """MeSH tree number -> rows of the headings directly below it."""
    found: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(_table().rows):
        for tree in row.split("\t")[2].split("|"):
            if "." in tree:
                found[tree.rpartition(".")[0]].append(n)
    return {tree: tuple(rows) for tree, rows in found.items()}


def narrower_conditions(broad: KnownCondition, most: int) -> tuple[KnownCondition, ...]:
    """Return up to `most` headings directly below a condition, those with most names first."""
    rows = dict.fromkeys(row for tree in broad.trees for row in _below().get(tree, ()))
    found = [_condition(row) for row in rows]
    return tuple(sorted(found, key=lambda c: (-len(c.names), c.name))[:most])


@cache
def broader_conditions(narrow: KnownCondition) -> tuple[KnownCondition, ...]:
    """Return the headings directly above a condition, but for whole branches of medicine.

    "Dementia" is above Alzheimer's disease; above heart failure is such a branch.
    """
    above = {tree.rpartition(".")[0] for tree in narrow.trees}
    near = {tree for tree in above if tree.count(".") >= _NEAR}
    return tuple(_condition(row) for row in dict.fromkeys(_at_trees(frozenset(near))))


def _at_trees(trees: frozenset[str]) -> Iterator[int]:
    for n, row in enumerate(_table().rows if trees else ()):
        if not trees.isdisjoint(row.split("\t")[2].split("|")):
            yield n


def is_kind_of(narrow: KnownCondition, broad: KnownCondition) -> bool:
    """Return whether a condition is the other one or lies below it, by tree number or by parent."""
    left, seen = [narrow], set[str]()
    while left:
        one = left.pop()
        if one.name == broad.name:
            return True
        if any(n.startswith(f"{b}.") for n in one.trees for b in broad.trees):
            return True
        seen.add(one.name)
        # The two sources place some conditions above each other.
        left += [c for c in map(_condition, one.parents) if c.name not in seen]
    return False


def condition_in(text: str) -> str:
    """Return a text that names a condition as it is written in a sentence; '' for another."""
    known = condition_named(text)
    if known is None:
        return ""
    if known.name.casefold() == text.casefold() and _ACRONYM.search(known.name):
        return known.name
    return capitalised(text) if _EPONYM.match(text) else text
