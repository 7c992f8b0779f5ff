"""Reads the sources of the table of conditions: MeSH, the Disease Ontology, Mondo."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import pickle
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from deepcritical.domain.text.abbreviations import expand_abbreviations
from scripts.build_forms import Condition, is_short_of, key_of, readable

BRANCHES = ("C", "F03", "F01.145.126", "F01.470.132")
"""Branches of MeSH that hold conditions: diseases, mental disorders, behaviour, anxiety."""
NO_CONDITIONS = ("C23.550.291", "C22.674", "C23.550.260")
"""Attributes of diseases, animal trade, death: a heading with no other place is left out."""
_KINDS = frozenset({"disease", "disorder", "syndrome"})


def read_mesh(path: Path) -> dict[str, Condition]:
    """Heading in lower case -> condition, with tree numbers and entry terms."""
    found: dict[str, Condition] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        mesh, heading, terms, trees, *_ = line.split("\t")
        own = heading_at(mesh, heading, trees.split("|"))
        if own.trees:
            found[heading.lower()] = own
            for term in filter(None, terms.split("|")):
                add_entry(own, term)
    return found


def heading_at(mesh: str, heading: str, trees: Iterable[str]) -> Condition:
    """A heading with its places among the conditions; without one it is none."""
    own = Condition(readable(heading))
    own.add(heading)
    own.mesh, placed = mesh, [tree for tree in trees if tree.startswith(BRANCHES)]
    own.trees = placed if any(not tree.startswith(NO_CONDITIONS) for tree in placed) else []
    return own


def add_entry(condition: Condition, term: str) -> None:
    """Take an entry term, and the abbreviation that it begins with."""
    short = re.match(r"([A-Za-z0-9]{2,6}) (?:- |\()", term)
    long = term[short.end() :].strip(" )") if short else ""
    if short and expand_abbreviations(f"{long} ({short[1].upper()})"):
        condition.add(short[1].upper())
    condition.enter(term)


def add_further_entries(headings: dict[str, Condition], path: Path, later: Path) -> None:
    """Take entry terms and later headings of a table, these with the ids of `later`.

    The terms are all in small letters: of these, initials are acronyms.
    """
    tables = pickle.loads(bz2.decompress(path.read_bytes()))  # noqa: S301 - read once, by hand
    with later.open(encoding="utf-8", newline="") as rows:
        ids = {row["subject"]: row["id"].rpartition("/")[2] for row in csv.DictReader(rows)}
    held = {own.mesh: own for own in headings.values()}
    for name, entry in tables["disease_canonical_to_data"].items():
        mesh = ids.get(entry["name"], "")
        own = held.get(mesh) or heading_at(mesh, entry["name"], entry["mesh_tree"])
        if mesh and own.trees:
            headings.setdefault(name, own).add(entry["name"])
    index = by_key(headings.values())
    for term, names in tables["disease_variant_to_canonical"].items():
        for own in (headings[name] for name in names if name in headings):
            if index.setdefault(key_of(term), own) is not own:
                continue
            is_short = re.fullmatch(r"[a-z]{2,5}", term)
            if is_short and any(is_short_of(term, other) for other in own.names):
                own.add(term.upper())
            else:
                add_entry(own, term)


def by_key(conditions: Iterable[Condition]) -> dict[str, Condition]:
    """Folded name -> condition; a heading before an entry term."""
    index: dict[str, Condition] = {}
    listed = list(conditions)
    for condition in listed:
        index.setdefault(key_of(condition.name), condition)
    for condition in listed:
        for name in condition.names:
            index.setdefault(key_of(name), condition)
    for condition in listed:
        index.setdefault(words_of(condition.name), condition)
    index.pop("", None)
    return index


def words_of(name: str) -> str:
    """The words of a name in one order, without those that say only that it is a disease."""
    words = sorted(set(key_of(name).split()) - _KINDS)
    return f"={' '.join(words)}" if len(words) > 1 else ""


def read_ontology(path: Path) -> list[tuple[str, str, list[str], str, list[str]]]:
    """The terms of the ontology: id, label, parents, MeSH id, exact synonyms."""
    rows = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            doid, label, parents, mesh, said = line.rstrip("\n").split("\t")
            exact = [s.partition(":")[2] for s in said.split("|") if s.startswith("exact:")]
            rows.append((doid, label, parents.split("|"), mesh, exact))
    return rows


class MondoTerm(NamedTuple):
    """A disease of Mondo, with the ids and the names that it holds for the same."""

    doids: list[str]
    meshes: list[str]
    names: list[str]


def read_mondo(path: Path) -> list[MondoTerm]:
    """The terms of Mondo that MeSH or the Disease Ontology has, too."""
    found = []
    for term in json.loads(path.read_text(encoding="utf-8")):
        ids = [(x["namespace"], x["id"]) for x in term.get("xrefs", ())]
        doids = [f"DOID:{number}" for space, number in ids if space == "DOID"]
        meshes = [number for space, number in ids if space == "MESH"]
        names = [term["name"], *term.get("synonyms", ())]
        if doids or meshes:
            found.append(MondoTerm(doids, meshes, [n for n in names if not re.search(r"[(),]", n)]))
    return found
