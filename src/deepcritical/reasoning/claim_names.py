"""Whether the drugs, genes, diseases and symbols that a sentence names are those of its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold
from deepcritical.reasoning.claim_polarity import Change
from deepcritical.reasoning.claim_words import BETTER, DOWN, UP, WORSE, Word, key_of, words
from deepcritical.reasoning.mentions import NOT_A_MOLECULE
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.folding import GREEK_NAMES
from deepcritical.vocabulary.nodes import vocabulary

__all__ = ["Names", "missing_names", "name_keys", "names_in", "swapped_name"]

_LABELS = ("Disease", "PhenotypicFeature", "Protein", "GeneFamily")
_SYMBOL = bounded(
    r"(?<![\w-])(?:[A-Za-z]{1,6}-?\d{1,4}[A-Za-z]?|[A-Za-z]*[A-Z]{2,}[A-Za-z]*(?:-?\d{1,3})?|"
    r"[A-Z]{2,5}-[α-ωκ]\w?|[A-Z]\w*[α-ω]\w*)(?![\w])"
)
_NO_SYMBOL = NOT_A_MOLECULE | frozenset(
    "II III IV VI AND THE FOR NOT WITH UK EU OF IN TO CI ITT SD SE SEM IQR RCTS RCT VS NS HRS ORS "
    "RRS AOR AHR SMD WMD MD MDS PP BACKGROUND METHODS RESULTS CONCLUSION CONCLUSIONS OBJECTIVE AIM "
    "PURPOSE DESIGN SETTING AUC ROC PMID NCT DOI PMC NO ARR NNT IRR USD GBP ICU".split()
)
_DRUG_ENDING = bounded(
    r"\b[A-Za-z]{2,}(?:ol|pril|sartan|statin|mab|nib|vir|cillin|mycin|azole|gliptin|gliflozin|"
    r"glutide|formin|dipine|setron|triptan|caine|azepam|platin|taxel|tidine|terol|oxacin|zumab|"
    r"ximab|xaban|gatran|fibrate|thiazide)\b",
    re.IGNORECASE,
)
"""Stems of international non-proprietary names, for drugs that no dictionary holds."""
_NO_DRUG = bounded(
    r"(?:[\w-]*(?:control|cholesterol|alcohol)|protocol|symbol|school|patrol|enrol|petrol|tool|pool|"
    r"gaol|idol|parasol|aerosol|cortisol|sterol|glycerol|ethanol|methanol|glycol|capitol|stool|"
    r"overtool|cool|viol|cytosol)\Z",
    re.IGNORECASE,
)
_DISEASE_ENDING = bounded(
    r"\b[A-Za-z]{2,}(?:itis|aemia|emia|opathy|opathies|penia|algia|oma)\b", re.IGNORECASE
)
_UNITS = bounded(r"(?:mg|kg|ml|dl|µg|ng|pg|h|d|wk|mm|cm|[nmµ]M|IU|U)\Z", re.IGNORECASE)
_GENERIC_NAMES = frozenset(
    "disease diseases syndrome disorder infection pain death water oxygen inflammation injury "
    "tumor cancer drug protein enzyme receptor illness symptoms mortality antibiotic antibiotics "
    "antioxidant antioxidants hormone hormones steroid steroids vitamins anesthetics".split()
)


class _Name(NamedTuple):
    canonical: str
    kind: str
    start: int
    end: int
    keys: frozenset[str]


class Names(NamedTuple):
    """What a source names, for looking up names in it."""

    canonical: frozenset[str]
    synonyms: tuple[frozenset[str], ...]
    """The keys of each name that what it names has."""
    told: tuple[tuple[str, ...], ...]
    """The keys of its sentences."""
    compact: str
    """Its letters and digits alone, in lower case, Greek letters spelled out."""
    initials: str


def _compact(text: str) -> str:
    spelled = "".join(GREEK_NAMES.get(c, c) for c in fold(text))
    return re.sub(r"[^a-z0-9]", "", spelled)


@lru_cache(maxsize=1024)
def names_in(text: str) -> Names:
    """The names of a source's text, its title included."""
    found = tuple(_named(text))
    nodes = {m.node.id: m.node for m in vocabulary().find(text, _LABELS)}
    told: dict[int, list[str]] = {}
    for w in words(text):
        told.setdefault(text.count(". ", 0, w.start), []).append(w.key or w.raw)
    return Names(
        canonical=frozenset(n.canonical for n in found),
        synonyms=tuple({_keys(name) for node in nodes.values() for name in node.names}),
        told=tuple(map(tuple, told.values())),
        compact=_compact(text),
        initials="".join(w.raw[0] if w.raw[0].isalpha() else " " for w in words(text)),
    )


def _named(text: str) -> Iterator[_Name]:
    taken: set[int] = set()
    for name in (
        *_of_drugs(text),
        *_of_vocabulary(text),
        *_of_symbols(text),
        *_of_endings(text),
    ):
        if taken.isdisjoint(range(name.start, name.end)):
            taken.update(range(name.start, name.end))
            yield name


@lru_cache(maxsize=8192)
def _names(text: str) -> tuple[_Name, ...]:
    return tuple(_named(text))


def _keys(surface: str) -> frozenset[str]:
    raws = re.findall(r"[^\W_]+", surface.lower().replace("'s", "").replace("’s", ""))
    return frozenset(key for raw in raws if (key := key_of(raw)))


def _of_drugs(text: str) -> Iterator[_Name]:
    for m in find_drugs(text):
        if m.text.lower() in _GENERIC_NAMES:
            continue
        kind = "class" if m.drug.kind is DrugKind.DRUG_CLASS else "drug"
        yield _Name(m.drug.name.casefold(), kind, m.start, m.end, _keys(m.text))


def _of_vocabulary(text: str) -> Iterator[_Name]:
    for m in vocabulary().find(text, _LABELS):
        kind = "disease" if m.node.label in ("Disease", "PhenotypicFeature") else "molecule"
        if m.text.lower() not in _GENERIC_NAMES:
            yield _Name(m.node.name.casefold(), kind, m.start, m.end, _keys(m.text))


def _of_symbols(text: str) -> Iterator[_Name]:
    for m in _SYMBOL.finditer(text):
        surface = m.group()
        short = len(surface) < 3 and surface.isalpha()  # GI and GP need no definition
        if surface.upper() not in _NO_SYMBOL and not short and not _is_plain(surface):
            yield _Name(_compact(surface), "symbol", m.start(), m.end(), _keys(surface))


def _of_endings(text: str) -> Iterator[_Name]:
    """Names known by their ending alone."""
    for kind, pattern in (("drug", _DRUG_ENDING), ("disease", _DISEASE_ENDING)):
        for m in pattern.finditer(text):
            if len(m.group()) > 5 and not _NO_DRUG.match(m.group()):
                yield _Name(m.group().casefold(), kind, m.start(), m.end(), _keys(m.group()))


def _is_plain(surface: str) -> bool:
    """Whether what looks like a symbol is a word, a unit or a numbered thing such as "day-28"."""
    letters = re.sub(r"[^A-Za-z]", "", surface)
    word_like = len(letters) > 3 and (letters.islower() or letters[1:].islower())
    return word_like or bool(_UNITS.match(letters)) or letters.lower() in ("n", "p", "e", "day")


def name_keys(said: str) -> frozenset[str]:
    """The keys of all words of a sentence that are of a name."""
    return frozenset(key for name in _names(said) for key in name.keys)


def missing_names(said: str, source: Names) -> tuple[str, ...]:
    """The names of a sentence that its source does not have under any name."""
    return tuple(said[n.start : n.end] for n in _names(said) if not _has(source, n, said))


def _has(source: Names, name: _Name, said: str) -> bool:
    surface = _compact(said[name.start : name.end])
    if name.canonical in source.canonical or not name.keys:
        return True
    if len(surface) > 2 and surface in source.compact:
        return True
    if name.kind == "symbol" and surface.rstrip("s") in source.initials:
        return True
    if any(name.keys <= synonym for synonym in source.synonyms):
        return True  # what is more general: diabetes, where the source has type 2 diabetes
    return any(_together(name.keys, told) for told in source.told)


def _together(keys: frozenset[str], told: Sequence[str]) -> bool:
    """Whether the words of a name stand near one another, as in "cancer of the breast"."""
    places = [i for i, key in enumerate(told) if key in keys]
    reach = len(keys) + 4
    return any(keys <= {told[j] for j in places if at <= j < at + reach} for at in places)


def swapped_name(said: str, source: str, close: Sequence[Change]) -> str:
    """A name that stands where the source has another one; '' for none.

    Names that only changed places in a list are no swap.
    """
    pairs = [
        (one, other)
        for change in close
        if len(change.said) <= 4 and len(change.source) <= 4
        for one, other in _pairs(said, source, change)
    ]
    put, replaced = {one.canonical for one, _ in pairs}, {other.canonical for _, other in pairs}
    exchanged = len(pairs) > 1 and put == replaced
    if exchanged and (_is_turned(close) or not _has_sign(source)):
        return ""
    if not pairs:
        return ""
    one, other = pairs[0]
    return f"{said[one.start : one.end]} for {source[other.start : other.end]}"


def _pairs(said: str, source: str, change: Change) -> Iterator[tuple[_Name, _Name]]:
    if not change.said or not change.source:
        return
    ours = _within(_names(said), change.said)
    theirs = _within(_names(source), change.source)
    for one in ours:
        for other in theirs:
            here = _compact(said[one.start : one.end])
            there = _compact(source[other.start : other.end])
            moved = one.kind != other.kind and one.canonical in {
                n.canonical for n in _names(source)
            }
            if _are_two(one, other) and not moved and here[:4] != there[:4]:
                yield one, other


def _are_two(one: _Name, other: _Name) -> bool:
    """Whether two names of one kind stand for two things."""
    same_kind = one.kind == other.kind or "disease" not in (one.kind, other.kind)
    return same_kind and one.canonical != other.canonical and not one.keys & other.keys


def _within(names: Sequence[_Name], told: Sequence[Word]) -> list[_Name]:
    start, end = told[0].start, told[-1].end
    return [n for n in names if n.start < end and start < n.end]


def _is_turned(close: Sequence[Change]) -> bool:
    opposite = {UP: DOWN, DOWN: UP, BETTER: WORSE, WORSE: BETTER}
    return any(
        opposite.get(s.key) in {w.key for w in c.said} for c in close for s in c.source if s.key
    )


def _has_sign(source: str) -> bool:
    return any(w.key in (UP, DOWN, BETTER, WORSE) for w in words(source))
