"""Build the tables of drugs, of what a question alone calls so, and of their classes.

Usage: python scripts/build_drugs.py DRUG_NAMES.pkl.bz2 WORDS.msgpack.gz

DRUG_NAMES is the table in the package drug-named-entity-recognition 2.0.9 (MIT): the names of
DrugBank's open vocabulary, MeSH, MedlinePlus, NHS and Wikipedia. Its `mesh_id` must not identify a
drug: it often is the MeSH term of the pharmacological action, which aspirin and paracetamol share.
WORDS is the small English list of the package wordfreq 3.1.1, by which names that are words of
ordinary English are left out. `reviewed_classes.tsv` gives the stems of WHO's Stem Book (INN) by
which the members of a class are found, `reviewed_drugs.tsv` names that the package lacks, and
`reviewed_asked.tsv` names that mean a drug in a question only.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgpack

from deepcritical.vocabulary.folding import key_of

HERE = Path(__file__).parent
DATA = HERE.parent / "src" / "deepcritical" / "data"
LABEL_IDS = ("medline_plus_id", "nhs_url")
BIOLOGICAL_TREES = ("D05", "D06", "D08", "D12", "D13", "D23")
ENDOGENOUS_TREES = ("D06", "D12", "D23")
RELEASE_FORMS = ("xr", "er", "sr", "xl", "cr", "la")
COUNTER_IONS = frozenset(
    "acetate besylate bromide chloride citrate dimesylate fumarate gluconate hydrobromide "
    "hydrochloride lactate maleate mesylate nitrate phosphate potassium sodium succinate sulfate "
    "tartrate tosylate tromethamine".split()
)
ESTERS = frozenset(
    "acetate caproate cypionate decanoate dipropionate enantate enanthate palmitate propionate "
    "undecanoate valerate".split()
)
"""What a drug is bound to that is set free in the body; DrugBank counts each as a drug."""
DOSAGE_FORMS = frozenset(
    "buccal capsules cream gel gum implant inhaler injection patch spray tablets topical "
    "urogenital vaginal".split()
)
NOT_MEDICINES = frozenset(
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

Entry = Mapping[str, Any]


class Names:
    """The package's table, and what its entries are."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self.named: Mapping[str, list[str]] = tables["drug_variant_to_canonical"]
        self.data: Mapping[str, Entry] = tables["drug_canonical_to_data"]
        self.brands = {
            n for n, d in tables["drug_variant_to_variant_data"].items() if d["is_brand"]
        }
        self.actions = {
            str(entry["mesh_id"]) for entry in self.data.values() if self.in_trees(entry, "D27.505")
        }
        nodes = json.loads((DATA / "vocabulary.json").read_text(encoding="utf-8"))["nodes"]
        self.substances = {
            name.casefold()
            for node in nodes
            if node["label"] in {"ChemicalSubstance", "Protein"}
            for name in node["names"]
        }

    @staticmethod
    def in_trees(entry: Entry, prefixes: str | tuple[str, ...]) -> bool:
        """Tell if MeSH files an entry under one of the branches."""
        return any(tree.startswith(prefixes) for tree in entry.get("mesh_tree", ()))

    def canonical(self) -> dict[str, str]:
        """Name -> entry; ambiguous names and brands of combinations are left out."""
        combined = self._brands_of_combinations()
        found = {
            name: targets[0]
            for name, targets in self.named.items()
            if len(set(targets)) == 1 and targets[0] in self.data and name not in combined
        }
        return found | {name: name for name, e in self.data.items() if self._is_medicine(e)}

    def _is_medicine(self, entry: Entry) -> bool:
        """Tell if a medicine's source and DrugBank both know an entry.

        The package leaves the names of foods and chemicals out of its index, and oxytocin,
        estradiol and nicotine with them.
        """
        sources = (*LABEL_IDS, "wikipedia_url")
        return bool(entry.get("drugbank_id")) and any(entry.get(key) for key in sources)

    def _brands_of_combinations(self) -> set[str]:
        """Brands that are filed under one component although their release form is a combination.

        `trijardy` is filed under metformin, `trijardy xr` under a combination of three.
        """
        parted = ((*name.rpartition(" "), targets) for name, targets in self.named.items())
        return {
            brand
            for brand, _, form, targets in parted
            if form in RELEASE_FORMS and brand in self.named
            if any(re.search("/| and ", t) and t not in self.named[brand] for t in targets)
        }

    def kind(self, canonical: str) -> str:
        """Return the kind of an entry, by the sources that know it.

        A medicine label (MedlinePlus, NHS) or a DrugBank id makes a drug, but a substance of the
        body that of these only DrugBank lists, and no Wikipedia article on a drug, is a target. Of
        what only MeSH lists, branch D27 and plural families are classes, the biological branches
        targets, and a chemical is a drug if MeSH gives it a pharmacological action.
        """
        entry = self.data[canonical]
        if any(entry.get(key) for key in LABEL_IDS):
            return "drug"
        if entry.get("drugbank_id"):
            signals = canonical in self.substances or self.in_trees(entry, "D23.529")
            return "target" if signals and not entry.get("wikipedia_url") else "drug"
        if self.in_trees(entry, "D27"):
            return "drug_class"
        if self.in_trees(entry, BIOLOGICAL_TREES):
            return "target"
        if not entry.get("mesh_tree"):
            return "drug"
        if re.fullmatch(r".*[^siu]s", canonical):
            return "drug_class"
        return "drug" if entry["mesh_id"] in self.actions else "target"

    def base(self, canonical: str) -> str:
        """The entry of the drug itself when an entry is one of its salts, forms or indications."""
        plain = re.sub(r" \([^()]*\)$", "", canonical)
        if plain != canonical and plain in self.data:
            return plain
        # A biosimilar's or a newer biologic's suffix of four letters: "erenumab-aooe".
        biologic = re.fullmatch(r"(.*(?:mab|cept|stim|in|ase))-[a-z]{4}", canonical)
        if biologic and biologic[1] in self.data:
            return biologic[1]
        stem, _, last = canonical.rpartition(" ")
        is_salt = last in COUNTER_IONS and not self.data[canonical].get("drugbank_id")
        bound = is_salt or last in ESTERS or last in DOSAGE_FORMS
        known = stem in self.data and stem not in NOT_MEDICINES
        if known and bound and self.kind(stem) == "drug":
            return stem
        return canonical


def display_name(canonical: str, index: Mapping[str, str]) -> str:
    """The entry's name without a note in parentheses and without MeSH inversion."""
    plain = re.sub(r" \([^()]*\)$", "", canonical).strip()
    direct = " ".join(reversed(plain.split(", "))) if plain.count(", ") == 1 else ""
    return direct if direct and index.get(direct) == canonical else plain


def english_words(path: Path) -> set[str]:
    """Words of ordinary English: those of the list that are used in more than one in 10^5.5."""
    bins = msgpack.unpackb(gzip.decompress(path.read_bytes()), raw=False)[1:]
    return {word for words in bins[:550] for word in words}


def variants_of(
    names: Names, english: set[str], added: Mapping[str, list[str]]
) -> dict[str, set[str]]:
    """Entry -> its names, with those of the reviewed list and of entries that are the same."""
    index = names.canonical()
    variants: dict[str, set[str]] = defaultdict(set)
    for name, target in index.items():
        base = names.base(target)
        plural = index.get(f"{name}s", target)
        if target.endswith(f"-{name}") and names.kind(plural) == "drug_class":
            base = plural  # the dictionary files "thiazolidinedione" under one chemical
        medicine = names.data[base]
        known = any(medicine.get(key) for key in LABEL_IDS) and name == target
        if name in english and not known and (name in names.brands or name != target):
            continue
        if target not in NOT_MEDICINES and "|" not in name and "\t" not in name:
            variants[base].add(name)
    for entry in list(variants):
        variants[entry] |= set(orders(entry, names.data))
    claimed = {
        name: entry
        for entry, more in added.items()
        for name in (*more, entry)
        if not name.startswith("+")
    }
    for name, entry in claimed.items():
        variants[entry] |= {name, *(variants.pop(name, ()) if name != entry else ())}
    for entry, held in variants.items():
        held -= {name for name in held if claimed.get(name, entry) != entry}
        held |= {name[1:] for name in added.get(entry, ()) if name.startswith("+")}
    return variants


def orders(entry: str, data: Mapping[str, Entry]) -> Iterator[str]:
    """Yield other spellings of a combination of two drugs: "b/a" and "a-b" for "a and b"."""
    parts = re.split(r"/| and ", entry)
    if len(parts) == 2 and all(part in data for part in parts):
        for pair in (parts, parts[::-1]):
            yield from (mark.join(pair) for mark in ("/", "-", " and "))


def lines_of(names: Names, variants: Mapping[str, set[str]]) -> Iterator[str]:
    """The table of drugs: entry, name, kind, DrugBank id, whether endogenous, other names."""
    index = names.canonical()
    for canonical in sorted(variants):
        entry = names.data.get(canonical, {})
        yield "\t".join(
            (
                canonical,
                display_name(canonical, index),
                names.kind(canonical) if entry else "drug",
                entry.get("drugbank_id") or "",
                "endogenous" if names.in_trees(entry, ENDOGENOUS_TREES) else "",
                "|".join(sorted(variants[canonical])),
            )
        )


def asked(drugs: list[str], grouped: list[str]) -> Iterator[str]:
    """The table of names that mean a drug in a question: entry, names, words, kind of a new one."""
    entries = {line.split("\t")[0] for line in drugs}
    groups = {line.split("\t")[0] for line in grouped}
    for name, more, words, *_ in reviewed("reviewed_asked.tsv"):
        new = "" if name in entries or not name else "drug_class" if name in groups else "drug"
        if new == "drug":
            sys.stdout.write(f"asked, but in no source: {name}\n")
        yield f"{name}\t{more}\t{' '.join(key_of(word) for word in words.split())}\t{new}"


def reviewed(name: str) -> Iterator[list[str]]:
    """The rows of a reviewed list, without its comments."""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [*line.split("\t"), "", ""]


def classes(drugs: list[str]) -> Iterator[str]:
    """The table of classes: name, other names, members."""
    rows = [line.split("\t") for line in drugs]
    single = {r[1] for r in rows if r[2] == "drug" and r[3] and re.fullmatch(r"[a-z]{5,}", r[1])}
    for name, aliases, stems, members, *_ in reviewed("reviewed_classes.tsv"):
        pattern = re.compile(stems or r"(?!)")
        found = {drug for drug in single if pattern.search(drug)}
        missing = set(filter(None, members.split("|"))) - {r[1] for r in rows}
        if missing:
            sys.stdout.write(f"{name}: no such drug: {sorted(missing)}\n")
        found |= set(filter(None, members.split("|"))) - missing
        yield "\t".join((name, aliases, "|".join(sorted(found))))


def main(arguments: list[str] | None = None) -> int:
    """Read the files named on the command line and write both tables."""
    parser = argparse.ArgumentParser(description="Build the tables of drugs and their classes.")
    parser.add_argument("names", type=Path)
    parser.add_argument("words", type=Path)
    options = parser.parse_args(arguments)
    # Read once, by hand: as trustworthy as the package's code, which reads it in the same way.
    tables = pickle.loads(bz2.decompress(options.names.read_bytes()))  # noqa: S301
    added = {row[0]: row[1].split("|") for row in reviewed("reviewed_drugs.tsv")}
    names = Names(tables)
    for new in set(added) - set(names.data):
        sys.stdout.write(f"new: {new}\n")
    drugs = list(lines_of(names, variants_of(names, english_words(options.words), added)))
    grouped = list(classes(drugs))
    (DATA / "drugs.tsv").write_text("\n".join(drugs) + "\n", encoding="utf-8")
    (DATA / "asked_drugs.tsv").write_text("\n".join(asked(drugs, grouped)) + "\n", encoding="utf-8")
    (DATA / "drug_classes.tsv").write_text("\n".join(grouped) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(drugs)} drugs, {len(grouped)} classes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
