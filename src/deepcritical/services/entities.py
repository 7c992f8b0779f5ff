"""Drugs named in text: canonical names, synonyms and kinds.

A drug is identified by its canonical name. The dictionary's `mesh_id` must not be used for that: it
often is the MeSH term of the pharmacological action, which aspirin and paracetamol share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from deepcritical.domain.base import Model
from deepcritical.domain.text import fold
from deepcritical.services.drug_dictionary import LABEL_IDS, TOKEN, dictionary
from deepcritical.services.vocabulary import (
    CONDITION_LABELS,
    GREEK_NAMES,
    NodeMention,
    Vocabulary,
    VocabularyNode,
    condition,
    vocabulary,
)

__all__ = [
    "CONDITION_LABELS",
    "DrugKind",
    "DrugMention",
    "DrugName",
    "NodeMention",
    "Vocabulary",
    "VocabularyNode",
    "condition",
    "find_drugs",
    "lookup_drug",
    "vocabulary",
]

_MIN_LENGTH = 4
_BIOLOGICAL_TREES = ("D05", "D06", "D08", "D12", "D13", "D23")
_SIGNALLING_TREE = "D23.529"
_COUNTER_IONS = frozenset(
    "acetate besylate bromide chloride citrate dimesylate fumarate gluconate hydrobromide "
    "hydrochloride lactate maleate mesylate nitrate phosphate potassium sodium succinate sulfate "
    "tartrate tosylate tromethamine".split()
)
_DOSAGE_FORMS = frozenset("buccal implant patch topical urogenital vaginal".split())
_WORDS = frozenset({"buffers", "generics", "indicators", "luminal"})
"""Names in the dictionary that biomedical English uses in another sense."""

_NOT_MEDICINES = frozenset(
    {
        "amino acids",
        "carbon dioxide",
        "escherichia coli",
        "house dust",
        "malonaldehyde",
        "natural killer cell",
        "potassium",
        "saccharomyces cerevisiae",
    }
)
"""DrugBank entries of allergens, cells and analytes that abstracts name without giving them."""

_ENDOGENOUS_CONTEXT = re.compile(
    r"[\s-]+(?:action|analog|concentration|deficien|gene|level|receptor|resistan|secreti|sensiti|"
    r"signal|synthesis|transporter)",
    re.IGNORECASE,
)
_LIKE = re.compile(r"-like\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_PLURAL = re.compile(r".*[^siu]s")
_CHEMICAL_NOISE = re.compile(
    r"[\[\]{}()®]|\d[rsez]-|\d'?,\d|^(?=.{19})(?:\d+'?|[a-z])-|^(?:acid[eou]m?|ácido) "
)
_TRANSLATION = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u02bc`´", "'")
    | dict.fromkeys("\t\n\r\u00a0\u2009\u202f", " ")
)


class DrugKind(StrEnum):
    """What a name in the dictionary of drugs stands for."""

    DRUG = "drug"
    DRUG_CLASS = "drug_class"
    TARGET = "target"
    UNKNOWN = "unknown"


class DrugName(Model):
    """A drug, a drug class or a biological substance under its canonical name."""

    name: str
    """Canonical name in lower case; for an unknown name, the name as given."""
    kind: DrugKind
    synonyms: tuple[str, ...] = ()
    """Other names fit for a literal search, in lower case, sorted."""
    drugbank_id: str | None = None


class DrugMention(Model):
    """A drug named in a text: `source[start:end] == text`."""

    drug: DrugName
    start: int
    end: int
    text: str


@cache
def _substances() -> frozenset[str]:
    """Names of the chemical substances and proteins of the body in the vocabulary."""
    labels = {"ChemicalSubstance", "Protein"}
    nodes = (node for node in vocabulary().nodes if node.label in labels)
    return frozenset(name.casefold() for node in nodes for name in node.names)


def _in_trees(entry: Mapping[str, Any], prefixes: str | tuple[str, ...]) -> bool:
    return any(tree.startswith(prefixes) for tree in entry.get("mesh_tree", ()))


def _is_endogenous(canonical: str, entry: Mapping[str, Any]) -> bool:
    if entry.get("wikipedia_url"):
        return False
    return canonical in _substances() or _in_trees(entry, _SIGNALLING_TREE)


def _kind(canonical: str) -> DrugKind:
    """What an entry is, by the sources that know it.

    A medicine label (MedlinePlus, NHS) or a DrugBank id makes a drug, but a substance of the body
    that of these only DrugBank lists, and no Wikipedia article on a drug, is a target. Of what only
    MeSH lists, branch D27 and plural families are classes, the biological branches targets, and a
    chemical is a drug if MeSH gives it a pharmacological action.
    """
    entry = dictionary().data[canonical]
    if any(entry.get(key) for key in LABEL_IDS):
        return DrugKind.DRUG
    if entry.get("drugbank_id"):
        return DrugKind.TARGET if _is_endogenous(canonical, entry) else DrugKind.DRUG
    if _in_trees(entry, "D27"):
        return DrugKind.DRUG_CLASS
    if _in_trees(entry, _BIOLOGICAL_TREES):
        return DrugKind.TARGET
    if not entry.get("mesh_tree"):
        return DrugKind.DRUG
    if _PLURAL.fullmatch(canonical):
        return DrugKind.DRUG_CLASS
    return DrugKind.DRUG if entry["mesh_id"] in dictionary().actions else DrugKind.TARGET


@cache
def _base(canonical: str) -> str:
    """The entry of the drug itself when an entry is one of its salts, forms or indications.

    "diclofenac (arthritis pain)", "fentanyl patch" and "raloxifene hydrochloride" have entries
    beside those of the drugs.
    """
    data = dictionary().data
    plain = re.sub(r" \([^()]*\)$", "", canonical)
    if plain != canonical and plain in data:
        return plain
    stem, _, last = canonical.rpartition(" ")
    is_salt = last in _COUNTER_IONS and not data[canonical].get("drugbank_id")
    if stem in data and (is_salt or last in _DOSAGE_FORMS) and _kind(stem) is DrugKind.DRUG:
        return stem
    return canonical


def _display_name(canonical: str) -> str:
    """The canonical name without a note in parentheses and without MeSH inversion."""
    plain = re.sub(r" \([^()]*\)$", "", canonical).strip()
    if plain.count(", ") == 1:
        direct = " ".join(reversed(plain.split(", ")))
        if dictionary().canonical.get(direct) == canonical:
            return direct
    return plain


def _inflections(name: str) -> set[str]:
    """Latin, Romance and other foreign spellings of an international non-proprietary name."""
    stems = {name, name.removesuffix("e"), name.removesuffix("um"), name.removesuffix("a")}
    return {stem + ending for stem in stems for ending in ("a", "e", "o", "um", "us")} - {name}


def _searchable(synonym: str) -> bool:
    """Whether a synonym finds literature when it is searched literally."""
    return (
        len(synonym) >= _MIN_LENGTH
        and synonym.isascii()
        and "," not in synonym
        and synonym not in _WORDS
        and _CHEMICAL_NOISE.search(synonym) is None
    )


@cache
def _drug_name(canonical: str) -> DrugName:
    found = dictionary()
    name = _display_name(canonical)
    variants = found.variants.get(canonical, ())
    unwanted = _inflections(name) | {name} | {f"{variant}um" for variant in variants}
    synonyms = (variant for variant in variants if variant not in unwanted)
    return DrugName(
        name=name,
        kind=_kind(canonical),
        synonyms=tuple(synonym for synonym in synonyms if _searchable(synonym)),
        drugbank_id=found.data[canonical].get("drugbank_id"),
    )


def _spelled(name: str) -> str:
    """A folded name with Greek letters spelled out, as the dictionary has them."""
    return name if name.isascii() else "".join(GREEK_NAMES.get(char, char) for char in name)


def lookup_drug(name: str) -> DrugName:
    """The drug that a name stands for.

    Args:
        name: A drug's name, synonym or brand.

    Returns:
        The drug under its canonical name; for a name that the dictionary does not have, the name
        as given (without outer blanks) with kind unknown.
    """
    folded = fold(name)
    for candidate in (folded, _spelled(folded), folded.removesuffix("'s")):
        known = candidate if candidate in dictionary().data else None
        canonical = dictionary().canonical.get(candidate, known)
        if canonical:
            return _drug_name(_base(canonical))
    return DrugName(name=name.strip(), kind=DrugKind.UNKNOWN)


def find_drugs(text: str) -> tuple[DrugMention, ...]:
    """The drugs, drug classes and biological substances named in a text.

    Names are matched exactly but for case, dashes and Greek letters; the longest name at a
    position wins. Abbreviations of up to four letters must be written in capitals, and a hormone
    or cytokine is skipped where it is part of biology ("insulin resistance").

    Returns:
        Mentions in order of offset, without overlap; look at `drug.kind` before using one as a
        drug.
    """
    return tuple(_mentions(text))


def _mentions(text: str) -> Iterator[DrugMention]:
    same_length = _fold_in_place(text)
    tokens = [match.span() for match in TOKEN.finditer(same_length)]
    at = 0
    while at < len(tokens):
        count, canonical = _longest_name(same_length, tokens, at)
        start, end = tokens[at][0], tokens[at + count - 1][1]
        if canonical and _is_meant(text, start, end, canonical):
            drug = _drug_name(_base(canonical))
            yield DrugMention(drug=drug, start=start, end=end, text=text[start:end])
        at += count


def _fold_in_place(text: str) -> str:
    """Text in lower case with plain dashes, apostrophes and blanks, character for character."""
    low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return low.translate(_TRANSLATION)


def _longest_name(text: str, tokens: list[tuple[int, int]], at: int) -> tuple[int, str | None]:
    """How many tokens the longest name at a token takes, and its canonical name."""
    found = dictionary()
    start, end = tokens[at]
    reach = min(found.longest.get(_spelled(text[start:end]), 0), len(tokens) - at)
    for count in range(reach, 0, -1):
        name = _spelled(text[start : tokens[at + count - 1][1]])
        canonical = found.canonical.get(name)
        # In running text an inverted MeSH form is an accident of two items in a list.
        if canonical and (", " not in name or " and " in name):
            return count, _class_of(name, canonical)
    return 1, None


def _class_of(name: str, canonical: str) -> str:
    """The class that a name in the singular stands for, else the entry itself.

    The dictionary files "thiazolidinedione" under the chemical 2,4-thiazolidinedione, but a text
    means one of the thiazolidinediones.
    """
    plural = dictionary().canonical.get(f"{name}s", canonical)
    is_class = canonical.endswith(f"-{name}") and _kind(plural) is DrugKind.DRUG_CLASS
    return plural if is_class else canonical


def _is_meant(text: str, start: int, end: int, canonical: str) -> bool:
    """Whether a name in a text means the substance rather than a word or a part of biology."""
    written = text[start:end]
    if written.casefold() in _WORDS or canonical in _NOT_MEDICINES or _LIKE.match(text, end):
        return False
    if _is_abbreviation(written) and written.casefold() != canonical:
        return _has_capitals(written)
    endogenous = _in_trees(dictionary().data[canonical], ("D06", "D12", "D23"))
    return not (endogenous and _ENDOGENOUS_CONTEXT.match(text, end))


def _is_abbreviation(written: str) -> bool:
    return max((len(run) for run in _LETTERS.findall(written)), default=0) <= _MIN_LENGTH


def _has_capitals(written: str) -> bool:
    """Two capitals, or one in a single letter such as the L of "L-dopa"; "At 10" has neither."""
    capitals = sum(char.isupper() for char in written)
    return capitals >= 2 or (capitals == 1 and not written[1:2].isalpha())
