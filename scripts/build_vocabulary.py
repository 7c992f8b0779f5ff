"""Build the vocabulary of mechanism nodes from a DrugMechDB file.

Usage: python scripts/build_vocabulary.py DRUGMECHDB.jsonl.gz [--output PATH]

Every identifier and every name comes from that file; nothing is added by hand.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

LABELS = (
    "Disease",
    "PhenotypicFeature",
    "Protein",
    "GeneFamily",
    "ChemicalSubstance",
    "Pathway",
    "BiologicalProcess",
    "MolecularActivity",
    "CellularComponent",
)
"""The labels kept, in the order that decides between labels of one id used equally often."""

CONDITION_LABELS = frozenset({"Disease", "PhenotypicFeature"})
DEFAULT_OUTPUT = Path(__file__).parent.parent / "src" / "deepcritical" / "data" / "vocabulary.json"

ADDED = (
    {
        "id": "MESH:D000086382",
        "label": "Disease",
        "names": [
            "COVID-19",
            "Coronavirus Disease 2019",
            "Coronavirus Disease-19",
            "COVID-19 Virus Infection",
            "SARS-CoV-2 Infection",
            "SARS Coronavirus 2 Infection",
            "2019-nCoV Infection",
            "2019 Novel Coronavirus Infection",
            "SARS-CoV-2",
        ],
    },
)
"""Conditions newer than the source of the vocabulary.

Names are entry terms of MeSH (D000086382), and the virus (D000086402): laboratory papers name the
infection by it.
"""


class Tally(NamedTuple):
    """Counts of labels and names in a DrugMechDB file."""

    labels: dict[str, Counter[str]]
    """Node id -> how often each kept label is used for it."""
    names: dict[str, Counter[str]]
    """Node id -> how often each name is used for it under a kept label."""
    drug_ids: set[str]
    """Ids of nodes labelled Drug."""
    drug_names: set[str]
    """Case-folded names of the drugs that the paths are about."""


def clean(text: str) -> str:
    """Text without byte-order marks and with single blanks."""
    return " ".join(text.replace("\ufeff", "").split())


def read_paths(source: Path) -> list[dict[str, Any]]:
    """The paths of a gzipped DrugMechDB file with one JSON object a line."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def tally(paths: list[dict[str, Any]]) -> Tally:
    """Count labels and names of each node id over all paths."""
    counted = Tally(defaultdict(Counter), defaultdict(Counter), set(), set())
    for path in paths:
        counted.drug_names.add(clean(path["graph"]["drug"]).casefold())
        for node in path["nodes"]:
            node_id, label, name = (clean(node[key]) for key in ("id", "label", "name"))
            if label == "Drug":
                counted.drug_ids.add(node_id)
            elif label in LABELS and name:
                counted.labels[node_id][label] += 1
                counted.names[node_id][name] += 1
    return counted


def best_label(labels: Counter[str]) -> str:
    """The label used most often; on a tie, the earliest in `LABELS`."""
    return min(labels, key=lambda label: (-labels[label], LABELS.index(label)))


def distinct_names(names: Counter[str]) -> list[str]:
    """Names that differ by more than case, each in its most frequent spelling, sorted."""
    chosen: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (-names[name], name)):
        chosen.setdefault(name.casefold(), name)
    return sorted(chosen.values(), key=lambda name: (name.casefold(), name))


def is_drug(node_id: str, counted: Tally) -> bool:
    """Tell if an id is that of a drug: used for a Drug node, or a DrugBank id."""
    return node_id in counted.drug_ids or node_id.startswith("DB:")


def build_nodes(counted: Tally) -> list[dict[str, Any]]:
    """The nodes of the vocabulary, sorted by id."""
    nodes = []
    for node_id in sorted(counted.labels):
        label = best_label(counted.labels[node_id])
        names = distinct_names(counted.names[node_id])
        if label == "ChemicalSubstance" and is_drug(node_id, counted):
            continue
        if label in CONDITION_LABELS:
            # Some paths label their drug as a Disease; a drug must never be found as a condition.
            names = [name for name in names if name.casefold() not in counted.drug_names]
        if names:
            nodes.append({"id": node_id, "label": label, "names": names})
    return sorted((*nodes, *ADDED), key=lambda node: str(node["id"]))


def render(nodes: list[dict[str, Any]]) -> str:
    """The vocabulary as JSON with one node a line, so that changes are readable."""
    lines = ",\n".join(json.dumps(node, ensure_ascii=False) for node in nodes)
    head = '"source": "DrugMechDB",\n"licence": "CC0-1.0",\n"nodes": [\n'
    return "{\n" + head + lines + "\n]\n}\n"


def main(arguments: list[str] | None = None) -> int:
    """Read the file named on the command line and write the vocabulary."""
    parser = argparse.ArgumentParser(description="Build the vocabulary of mechanism nodes.")
    parser.add_argument("source", type=Path, help="DrugMechDB paths, gzipped JSON lines")
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT)
    options = parser.parse_args(arguments)
    nodes = build_nodes(tally(read_paths(options.source)))
    options.output.write_text(render(nodes), encoding="utf-8")
    sys.stdout.write(f"{len(nodes)} nodes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
