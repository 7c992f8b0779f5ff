"""Finds names and figures of a sentence that its source does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import NO_UNIT, Quantity, quantities, same_value
from deepcritical.vocabulary.conditions import (
    ConditionMention,
    KnownCondition,
    find_conditions,
    is_kind_of,
)
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.nodes import vocabulary
from deepcritical.vocabulary.words import is_english

_GENES = ("Protein", "GeneFamily")
_SYMPTOMS = "C23"
"""Branch of MeSH for signs and symptoms, which are words of outcomes and no names."""
_CAUSE = re.compile(r"^\w+ (?:induced|related|associated) ")
_SYMBOL = re.compile(r"(?<![\w-])[A-Za-z]+(?:-?\d+)?[A-Za-z]*(?!\w)")
_OFTEN = bounded(
    r"(?:once|twice|three times|four times) (?:daily|weekly|a|an|per|each)\b", re.IGNORECASE
)
"""The frequency of a dose, which records write as "BID"."""
_COMMON = re.compile(r"(?:HR|OR|RR|CI|SD|SE|RCT|NNT|AE|SAE|US|USA|UK|EU|MRI|CT|ECG|DNA|RNA)s?")
"""Abbreviations that need no definition."""
_MARKS = 2
_FEW = 10
_COUNTED = frozenset({"people", "studies", "animals", "sites"})
_CLOSED_KINDS = frozenset({"p", "confidence"})


@lru_cache(maxsize=2048)
def drugs_in(text: str) -> frozenset[str]:
    """The canonical names of the drugs in a text."""
    return frozenset(m.drug.name for m in find_drugs(text))


@lru_cache(maxsize=2048)
def conditions_in(text: str) -> tuple[ConditionMention, ...]:
    """The conditions that a text names."""
    return tuple(find_conditions(text))


@lru_cache(maxsize=2048)
def _genes_in(text: str) -> frozenset[str]:
    return frozenset(m.node.id for m in vocabulary().find(text, _GENES))


def unknown_names(said: str, source: str) -> tuple[str, ...]:
    """The drugs, conditions and genes of a sentence that a source has under no name.

    Args:
        said: The sentence.
        source: All that the record says, its title and index terms included.
    """
    there = f" {key_of(source)} "
    found = (
        *_drugs(said, source),
        *_conditions(said, source),
        *_genes(said, source),
        *_symbols(said, source),
    )
    return tuple(dict.fromkeys(n for n in found if f" {key_of(n)} " not in there))


def _drugs(said: str, source: str) -> Iterator[str]:
    known = drugs_in(source)
    for mention in find_drugs(said):
        drug = mention.drug
        parts = set(re.split(r"\s(?:and|with)\s|[/+]", drug.name))
        if drug.kind is DrugKind.DRUG and drug.name not in known and not parts <= known:
            # A salt is told by its drug, and the other way round.
            first = key_of(drug.name).split(" ")[0]
            if first not in key_of(source).split(" "):
                yield mention.text


def _conditions(said: str, source: str) -> Iterator[str]:
    there = {c for m in conditions_in(source) for c in (m.condition, *m.others)}
    words = set(key_of(source).split())
    for mention in conditions_in(said):
        meant = (mention.condition, *mention.others)
        told = set(_CAUSE.sub("", key_of(mention.text)).split())
        if told <= words or any(_is_symptom(c) for c in meant):
            continue
        if not any(is_kind_of(c, o) or is_kind_of(o, c) for c in meant for o in there):
            yield mention.text


def _is_symptom(condition: KnownCondition) -> bool:
    return not condition.trees or all(t.startswith(_SYMPTOMS) for t in condition.trees)


def _genes(said: str, source: str) -> Iterator[str]:
    known = _genes_in(source)
    compact = re.sub(r"\W", "", source).casefold()
    for mention in vocabulary().find(said, _GENES):
        names = (re.sub(r"\W", "", name).casefold() for name in mention.node.names)
        stands = any(len(name) > 2 and name in compact for name in names)
        if mention.node.id not in known and not stands and not is_english(mention.text):
            yield mention.text


def _symbols(said: str, source: str) -> Iterator[str]:
    """The symbols, as of a gene, that a source does not have and that abbreviate none of it."""
    told = key_of(source).split()
    initials = ["".join(w[0] for w in some) for some in (told, [w for w in told if len(w) > 3])]
    compact = "".join(told)
    for symbol in _SYMBOL.findall(said):
        if sum(c.isupper() or c.isdigit() for c in symbol) < _MARKS or _COMMON.fullmatch(symbol):
            continue
        folded = "".join(key_of(symbol).split()).removesuffix("s")
        letters = folded.rstrip("0123456789")
        short = any(letters in row for row in initials) or any(_in_order(letters, w) for w in told)
        if folded not in compact and not (short and folded.removeprefix(letters) in compact):
            yield symbol


def _in_order(letters: str, word: str) -> bool:
    """Return whether a word has letters in order from its first, as "phosphodiesterase" has PDE."""
    rest = iter(word)
    return word[:1] == letters[:1] and all(letter in rest for letter in letters)


def unknown_figures(
    said: str, source: str, known: Iterable[float] = (), sentences: Iterable[str] = ()
) -> tuple[str, ...]:
    """The figures of a sentence that stand nowhere in a source with their unit.

    Rounding and another unit of the same dimension are allowed; a figure that has to be worked out
    is not.

    Args:
        said: The sentence.
        source: The record's text with its title.
        known: Numbers of the entry itself, such as its year.
        sentences: Those of the source from each of which a figure may be worked out.
    """
    there, entry = quantities(source), frozenset(known)
    apart = [quantities(sentence) for sentence in sentences]
    return tuple(
        said[q.start : q.end]
        for q in quantities(said)
        if not (q.value in entry and not q.unit.dimension)
        and not _is_small_count(q)
        and not _OFTEN.match(said, q.start)
        and not any(_is_same(q, other) for other in there)
        and not any(_is_derived(q, others) for others in apart)
    )


def _is_derived(said: Quantity, there: Sequence[Quantity]) -> bool:
    """Return whether a figure can be worked out from those of one sentence.

    A percentage may tell a ratio ("24 % lower" for 0.76). Any figure may be the difference or the
    sum of two of its kind.
    """
    if said.unit.dimension == "%":
        ratios = (q.value for q in there if q.decimals > 1 and not q.kind and not q.unit.dimension)
        if any(_rounds_to(said, 100 * abs(1 - value)) for value in ratios):
            return True
    return any(
        _rounds_to(said, value / said.unit.factor)
        for one, other in combinations([q for q in there if not q.kind], 2)
        if one.unit == other.unit and len({one.noun, other.noun} - {""}) < 2
        if one.unit.dimension in ("", said.unit.dimension)
        for value in (abs(one.base - other.base), one.base + other.base)
    )


def _rounds_to(said: Quantity, value: float) -> bool:
    return abs(round(value, said.decimals) - abs(said.value)) < 1e-6


def _is_small_count(q: Quantity) -> bool:
    """Return whether it is a small number in words of what readers may have counted themselves."""
    return q.spelled and q.value <= _FEW and not q.unit.dimension and q.noun not in _COUNTED


def _is_same(said: Quantity, source: Quantity) -> bool:
    if said.kind != source.kind and (_CLOSED_KINDS & {said.kind, source.kind} or said.kind):
        return False
    if {said.unit.dimension, source.unit.dimension} == {"", "%"} and same_value(said, source):
        return True
    # What is counted and what is measured are two things; a figure without either may be both.
    # A fraction counts nothing: in "by 1.89 and 2.11 points" only the last has the unit beside it.
    said, source = (q._replace(noun="") if q.decimals else q for q in (said, source))
    measured = {said.unit.dimension or said.noun, source.unit.dimension or source.noun}
    measured -= {"", "groups"}  # "26 in the group" are people
    if len(measured) > 1 and measured != {"%", "points"}:
        return False
    if len(measured) > 1 or not (said.unit.dimension and source.unit.dimension):
        said, source = said._replace(unit=NO_UNIT), source._replace(unit=NO_UNIT)
    return same_value(said, source)
