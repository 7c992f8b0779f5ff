"""Finds targets and pathways in text, by the vocabulary built from DrugMechDB.

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
    key_of,
    scan,
    stands_alone,
    tokens_of,
)
from deepcritical.vocabulary.words import data_text

_LABELS = ("Protein", "GeneFamily", "Pathway")
"""The labels of nodes that are found; of nodes with one name that of the first label counts."""
_GAP = bounded(rf"{SEPARATORS}|,(?=\d)")
_TRAILING_PARENTHESES = bounded(r"\s*\([^()]*\)\s*\Z")


class VocabularyNode(Model):
    """A node of a drug mechanism."""

    id: str
    """Identifier with its prefix, such as `MESH:D000544` or `UniProt:P42345`."""
    label: str
    """Kind of node, such as Protein, GeneFamily or Pathway."""
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


def _derived_forms(names: Iterable[str]) -> Iterator[str]:
    """Other ways to write names: in natural order, without parentheses, as what these shorten."""
    for name in names:
        if "," in name:
            yield " ".join(part.strip() for part in reversed(name.split(",")))
        whole = _TRAILING_PARENTHESES.sub("", name)
        yield whole
        # "Protein kinase C (PKC)-ε" does not make PKC a name of the isoform.
        yield from (s for s, long in expand_abbreviations(name).items() if long == whole != name)


class _Index:
    """Names as folded words, for the longest match at a position."""

    def __init__(self, nodes: Iterable[VocabularyNode]) -> None:
        chosen = sorted(nodes, key=lambda node: (_LABELS.index(node.label), node.id))
        names = [(name, node) for node in chosen for name in node.names]
        # A derived form must never take a name that the source itself gives to another node.
        names += [(form, node) for node in chosen for form in _derived_forms(node.names)]
        self._nodes: dict[str, VocabularyNode] = {}
        self._longest: dict[str, int] = {}
        for name, node in names:
            words = key_of(name).split()
            self._nodes.setdefault(" ".join(words), node)
            self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def match(self, text: str, tokens: Sequence[Token], at: int) -> tuple[NodeMention, int] | None:
        """The longest mention that starts at a token, and how many tokens it takes."""
        start = tokens[at].start
        reach = min(self._longest.get(tokens[at].folded, 0), len(tokens) - at)
        for count in range(reach, 0, -1):
            taken = tokens[at : at + count]
            node = self._nodes.get(" ".join(token.folded for token in taken))
            if node and stands_alone(text, taken, _GAP):
                end = taken[-1].end
                return NodeMention(node, start, end, text[start:end]), count
        return None


class Vocabulary:
    """The nodes of the vocabulary and where a text names them."""

    def __init__(self, nodes: Iterable[VocabularyNode]) -> None:
        self.nodes = tuple(nodes)
        self._indexes: dict[frozenset[str], _Index] = {}

    def find(self, text: str, labels: Collection[str]) -> tuple[NodeMention, ...]:
        """The nodes of these labels named in a text, without overlap; the longest name wins."""
        asked = frozenset(labels)
        if asked not in self._indexes:
            self._indexes[asked] = _Index(node for node in self.nodes if node.label in asked)
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
