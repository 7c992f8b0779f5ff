"""The names of drugs, as the package drug-named-entity-recognition has them.

They are those of DrugBank, MeSH, MedlinePlus, NHS and Wikipedia. Only the package's tables are
used: its matcher needs text split into tokens without offsets, and its options for structures,
PubChem and OMOP go to the network or write files.
"""

from __future__ import annotations

import bz2
import pickle
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["LABEL_IDS", "TOKEN", "DrugDictionary", "dictionary"]

_PACKAGE = "drug-named-entity-recognition"
_TABLES = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
_ACTION_TREES = "D27.505"
_RELEASE_FORMS = ("xr", "er", "sr", "xl", "cr", "la")
_COMBINATION = re.compile(r"/| and ")
LABEL_IDS = ("medline_plus_id", "nhs_url")
"""Fields of an entry that a medicine's label fills."""
TOKEN = re.compile(r"[^\W_]+")
"""A word of a name, and of a text that is searched for names."""


class DrugDictionary(NamedTuple):
    """What names stand for."""

    canonical: dict[str, str]
    """Name in lower case -> canonical name; ambiguous names are left out."""
    variants: dict[str, tuple[str, ...]]
    """Canonical name -> its names."""
    data: Mapping[str, Mapping[str, Any]]
    actions: frozenset[str]
    """MeSH ids of pharmacological actions."""
    longest: dict[str, int]
    """First word of a name -> the most words that a name beginning with it has."""


@cache
def dictionary() -> DrugDictionary:
    """The dictionary, read once."""
    read = _package_data()
    named: Mapping[str, Sequence[str]] = read["drug_variant_to_canonical"]
    data: Mapping[str, Mapping[str, Any]] = read["drug_canonical_to_data"]
    combined = _brands_of_combinations(named)
    canonical = {
        name: targets[0]
        for name, targets in named.items()
        if len(set(targets)) == 1 and targets[0] in data and name not in combined
    }
    canonical |= {name: name for name, entry in data.items() if _is_medicine(entry)}
    variants: dict[str, list[str]] = {}
    longest: dict[str, int] = {}
    for name, target in canonical.items():
        variants.setdefault(target, []).append(name)
        words = TOKEN.findall(name)
        if words:
            longest[words[0]] = max(len(words), longest.get(words[0], 0))
    kept = {target: tuple(sorted(names)) for target, names in variants.items()}
    return DrugDictionary(canonical, kept, data, _actions(data), longest)


def _package_data() -> dict[str, Any]:
    """The tables of the package, from its file.

    Its module is not imported: for its own matcher it makes an index of the trigrams of all names,
    which takes seconds and hundreds of megabytes.
    """
    file = Path(str(distribution(_PACKAGE).locate_file(_TABLES)))
    # As trustworthy as the package's code, which reads it in the same way.
    tables: dict[str, Any] = pickle.loads(bz2.decompress(file.read_bytes()))  # noqa: S301
    return tables


def _is_medicine(entry: Mapping[str, Any]) -> bool:
    """Whether a medicine's source and DrugBank both know an entry.

    The package leaves the names of foods and chemicals out of its index, and oxytocin, estradiol
    and nicotine with them.
    """
    sources = (*LABEL_IDS, "wikipedia_url")
    return bool(entry.get("drugbank_id")) and any(entry.get(key) for key in sources)


def _brands_of_combinations(named: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Brands that are filed under one component although their release form is a combination.

    `trijardy` is filed under metformin, `trijardy xr` under empagliflozin/linagliptin/metformin.
    """
    parted = ((*name.rpartition(" "), targets) for name, targets in named.items())
    return frozenset(
        brand
        for brand, _, form, targets in parted
        if form in _RELEASE_FORMS and brand in named
        if any(_COMBINATION.search(target) and target not in named[brand] for target in targets)
    )


def _actions(data: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(
        str(entry["mesh_id"])
        for entry in data.values()
        if any(tree.startswith(_ACTION_TREES) for tree in entry.get("mesh_tree", ()))
    )
