"""Finds conditions, targets and processes in text, by the vocabulary built from DrugMechDB.

Words are compared in a folded form, so that spellings of one name meet: Greek letters and their
names, possessives, plurals, hyphens, accents and British ae/oe/our. Offsets always refer to the
text as given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from deepcritical.domain.base import Model
from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.folding import (
    SEPARATORS,
    Token,
    fold_word,
    key_of,
    scan,
    stands_alone,
    tokens_of,
)
from deepcritical.vocabulary.words import data_text

_CONDITION_LABELS = frozenset({"Disease", "PhenotypicFeature"})
"""The labels of nodes that a question can be about."""

_LABEL_ORDER = (
    "Disease PhenotypicFeature Protein GeneFamily ChemicalSubstance Pathway BiologicalProcess "
    "MolecularActivity CellularComponent".split()
)
_GAP = bounded(rf"{SEPARATORS}|,(?=\d)")
_EPONYM = bounded(r"([A-Z][^\W\d_]{1,40})(?:['’]s?)? disease", re.IGNORECASE)
_TRAILING_PARENTHESES = bounded(r"\s*\([^()]*\)\s*\Z")
_SHORT = 4


class VocabularyNode(Model):
    """A node of a drug mechanism."""

    id: str
    """Identifier with its prefix, such as `MESH:D000544` or `UniProt:P42345`."""
    label: str
    """Kind of node, such as Disease, Protein or BiologicalProcess."""
    name: str
    """The shortest of its names that is not inverted."""
    names: tuple[str, ...]
    """Every name that the source gives it."""


class NodeMention(NamedTuple):
    """A node named in a text: `source[start:end] == text`."""

    node: VocabularyNode
    start: int
    end: int
    text: str


class _Entry(NamedTuple):
    node: VocabularyNode
    spellings: frozenset[str] | None
    """The only spellings accepted, for acronyms; None for ordinary words."""


def _derived_forms(node: VocabularyNode) -> Iterator[str]:
    """Other ways to write the names of a node that follow from the names alone."""
    for name in node.names:
        if "," in name:
            yield " ".join(part.strip() for part in reversed(name.split(",")))
        whole = _TRAILING_PARENTHESES.sub("", name)
        yield whole
        # "Protein kinase C (PKC)-ε" does not make PKC a name of the isoform.
        yield from (s for s, long in expand_abbreviations(name).items() if long == whole != name)
        eponym = _EPONYM.fullmatch(name)
        if eponym and node.label in _CONDITION_LABELS:
            yield f"{eponym[1]} dementia"


def _accepted_spellings(name: str) -> frozenset[str] | None:
    """The exact spelling that an acronym of few characters needs; None for ordinary words.

    `Gout` and `pain` are words in any case, `ACE` is an acronym that `ace` does not name.
    """
    word_like = name[1:].islower() and name.isalpha()
    return None if len(name) > _SHORT or word_like else frozenset({name})


class _Index:
    """Names as tuples of folded words, for the longest match at a position."""

    def __init__(self, nodes: Iterable[VocabularyNode]) -> None:
        ordered = sorted(nodes, key=lambda node: (_LABEL_ORDER.index(node.label), node.id))
        self._entries: dict[tuple[str, ...], _Entry] = {}
        self._longest: dict[str, int] = {}
        self._eponyms: dict[str, VocabularyNode] = {}
        for node in ordered:
            for name in node.names:
                self._add(name, node)
        # A derived form must never take a name that the source itself gives to another node.
        for node in ordered:
            for form in _derived_forms(node):
                self._add(form, node)
            self._add_eponyms(node)

    def _add(self, name: str, node: VocabularyNode) -> None:
        key = tuple(key_of(name).split())
        if not key or (len(name) == 1):
            return
        spellings = _accepted_spellings(name)
        known = self._entries.get(key)
        if known and known.node is node and known.spellings is not None:
            spellings = known.spellings | spellings if spellings else None
        elif known:
            return
        self._entries[key] = _Entry(node, spellings)
        self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))

    def _add_eponyms(self, node: VocabularyNode) -> None:
        matches = (_EPONYM.fullmatch(name) for name in node.names)
        for match in matches:
            if match and node.label in _CONDITION_LABELS:
                self._eponyms.setdefault(fold_word(match[1]), node)

    def match(self, text: str, tokens: Sequence[Token], at: int) -> tuple[NodeMention, int] | None:
        """The longest mention that starts at a token, and how many tokens it takes."""
        first = tokens[at]
        reach = min(self._longest.get(first.folded, 0), len(tokens) - at)
        for count in range(reach, 0, -1):
            entry = self._entries.get(tuple(token.folded for token in tokens[at : at + count]))
            if entry and _is_written(text, tokens[at : at + count], entry):
                end = tokens[at + count - 1].end
                return NodeMention(entry.node, first.start, end, text[first.start : end]), count
        eponym = self._eponyms.get(first.folded)
        if eponym and first.possessive_end > first.end and text[first.start].isupper():
            end = first.possessive_end
            return NodeMention(eponym, first.start, end, text[first.start : end]), 1
        return None


def _is_written(text: str, tokens: Sequence[Token], entry: _Entry) -> bool:
    """Return whether the tokens stand alone and in an accepted spelling."""
    written = text[tokens[0].start : tokens[-1].end]
    accepted = entry.spellings is None or written in entry.spellings
    return accepted and stands_alone(text, tokens, _GAP)


class Vocabulary:
    """The nodes of the vocabulary and where a text names them."""

    def __init__(self, nodes: Iterable[VocabularyNode]) -> None:
        self.nodes = tuple(nodes)
        self._indexes: dict[frozenset[str] | None, _Index] = {}

    def find(self, text: str, labels: Collection[str] | None = None) -> tuple[NodeMention, ...]:
        """The nodes named in a text, in order, without overlap; the longest name wins.

        Returns:
            Mentions whose offsets refer to `text`.
        """
        asked = None if labels is None else frozenset(labels)
        if asked not in self._indexes:
            chosen = (node for node in self.nodes if asked is None or node.label in asked)
            self._indexes[asked] = _Index(chosen)
        return tuple(scan(tokens_of(text), partial(self._indexes[asked].match, text)))


def _preferred(names: Sequence[str]) -> str:
    readable = [name for name in names if not re.search(r"[,()]", name)]
    return min(readable or names, key=lambda name: (len(name), name))


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary shipped with the package, read once."""
    nodes = json.loads(data_text("vocabulary.json"))["nodes"]
    return Vocabulary(
        VocabularyNode(
            id=node["id"],
            label=node["label"],
            name=_preferred(node["names"]),
            names=tuple(node["names"]),
        )
        for node in nodes
    )
