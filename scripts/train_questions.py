"""Train the classifiers of questions: `python scripts/train_questions.py FILE.jsonl ...`.

Each line of a file is {"text": ..., "kind": ...}; a line with "wordings" counts as so many lines,
and where it names its parts (`drugs`, `comparators`, `condition`, `population`, `harm`, `outcome`)
the roles of drugs and conditions are learnt from it too. Needs scikit-learn, which the program
itself does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.svm import LinearSVC

from deepcritical.domain.question.frame import QuestionKind
from deepcritical.questions import classifying
from deepcritical.questions.classifying import ANSWERABLE, KINDS, ROLES, UNIT, packed
from deepcritical.questions.features import features_of
from deepcritical.questions.naming import mentions_in
from deepcritical.questions.reading import names_in
from deepcritical.questions.sides import split_through

DATA = Path(__file__).parent.parent / "src" / "deepcritical" / "data"
MEASURED = Path(__file__).parent.parent / "benchmarks" / "questions_data"
ASKED_KINDS = frozenset(map(str, QuestionKind)) - {QuestionKind.CONVERSATION, QuestionKind.DECLINED}
SMALLEST = 5
"""A feature of which no weight is as large changes nothing, and is left out."""


class Task(NamedTuple):
    """The rows that one classifier learns from, and their labels."""

    rows: list[int]
    labels: list[str]


def lines_of(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """The lines of the files, without the texts that the benchmarks measure."""
    measured = {_plain(text) for file in MEASURED.rglob("*.jsonl") for text in _texts(file)}
    for file in files:
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            wordings = line.get("wordings", [line])
            left = [one for one in wordings if _plain(one["text"]) not in measured]
            if left:
                yield line | {"wordings": left}


def _texts(file: Path) -> Iterator[str]:
    if file.parent.name in ("dev", "held_out"):
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            yield from (one["text"] for one in line.get("wordings", [line]) if "text" in one)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def as_asked(kind: str) -> str:
    """The kind as the wording tells it: the names tell a class from a drug."""
    return str(QuestionKind.EFFICACY) if kind == QuestionKind.CLASS else kind


def fitted(rows: Any, labels: list[str], strength: float) -> tuple[list[str], Any, Any]:
    """Labels, weights and biases, scaled so that exp(score) is in proportion to probability."""
    machine = LinearSVC(C=strength)
    tried = cross_val_predict(machine, rows, labels, cv=5, method="decision_function")
    machine.fit(rows, labels)

    def loss(scale: float) -> float:
        grown = np.exp(scale * tried)
        return float(log_loss(labels, grown / grown.sum(axis=1, keepdims=True)))

    scale = min(np.arange(1, 12, 0.25), key=loss)
    right = machine.classes_[tried.argmax(axis=1)] == np.array(labels)
    sys.stdout.write(f"cross-validated: {right.mean():.1%} right, scale {scale}\n")
    return list(machine.classes_), scale * machine.coef_, scale * machine.intercept_


def write(name: str, features: Sequence[Collection[str]], tasks: Sequence[Task], c: float) -> None:
    """Learn the tasks from these features, and write their weights as data."""
    vectors = DictVectorizer()
    rows = vectors.fit_transform([dict.fromkeys(told, 1.0) for told in features]).tocsr()
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    parts = [fitted(rows[task.rows], task.labels, c) for task in tasks]
    weights = np.rint(np.vstack([coefficients for _, coefficients, _ in parts]) / UNIT).astype(int)
    kept = np.abs(weights).max(axis=0) >= SMALLEST
    biases = np.rint(np.concatenate([bias for _, _, bias in parts]) / UNIT).astype(int)
    learnt = {
        "labels": [label for labels, _, _ in parts for label in labels],
        "bias": packed(biases),
        "weights": {
            name: packed(weights[:, n]) for n, name in enumerate(vectors.feature_names_) if kept[n]
        },
    }
    text = json.dumps(learnt, ensure_ascii=False, separators=(",", ":"), indent=0)
    (DATA / name).write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{name}: {len(features)} examples, {kept.sum()} of {len(kept)} features\n")


@cache
def _drugs(name: str) -> frozenset[str]:
    return frozenset(d.drug.name for d in mentions_in(f"Does {name} help in asthma?").drugs)


@cache
def _conditions(name: str) -> frozenset[str]:
    return frozenset(c.condition.name for c in mentions_in(name).conditions)


def _listed(told: str | list[str]) -> list[str]:
    return [told] if isinstance(told, str) else told


def drug_role(line: dict[str, Any], name: str) -> str:
    """Return the role of a drug in a question with these labels."""
    if any(name in _drugs(one) for one in line["drugs"]):
        return classifying.ASKED
    compared = any(name in _drugs(one) for one in line["comparators"])
    return classifying.COMPARED if compared else classifying.BESIDE


def condition_role(line: dict[str, Any], name: str, written: str) -> str:
    """Return the role of a condition in a question with these labels."""

    def is_told(label: str) -> bool:
        names = filter(None, _listed(line.get(label, "")))
        return any(name in _conditions(one) or one.casefold() == written for one in names)

    on_harm = line["kind"] == QuestionKind.SAFETY
    found = {
        "harm": classifying.HARM,
        "condition": classifying.CONDITION,
        "population": classifying.POPULATION,
        "outcome": classifying.HARM if on_harm else classifying.OUTCOME,
    }
    return next((role for label, role in found.items() if is_told(label)), classifying.NOTHING)


def learn_roles(lines: Sequence[dict[str, Any]], strength: float) -> None:
    """Train the classifiers of the roles of drugs and conditions."""
    features: list[frozenset[str]] = []
    drugs, conditions = Task([], []), Task([], [])
    for line in lines:
        for wording in line["wordings"] if "condition" in line else ():
            body, _ = split_through(" ".join(wording["text"].split()))
            names = mentions_in(body)
            told = classifying.features_of_mentions(names.text, names.drugs, names.conditions)
            for n, drug in enumerate(names.drugs):
                drugs.rows.append(len(features) + n)
                drugs.labels.append(drug_role(line, drug.drug.name))
            for n, mention in enumerate(names.conditions, len(names.drugs)):
                role = condition_role(line, mention.condition.name, mention.text.casefold())
                conditions.rows.append(len(features) + n)
                conditions.labels.append(role)
            features += told
    write(ROLES, features, (drugs, conditions), strength)


def learn_kinds(lines: Sequence[dict[str, Any]], strength: float) -> None:
    """Train the classifiers of the kind of a question, and of the reason to decline it."""
    told = [
        (" ".join(wording["text"].split()), line["kind"])
        for line in lines
        for wording in line.get("wordings", [line])
    ]
    asked = [n for n, (_, kind) in enumerate(told) if kind in ASKED_KINDS]
    declined = [
        ANSWERABLE if kind in ASKED_KINDS or kind == ANSWERABLE else kind for _, kind in told
    ]
    tasks = (
        Task(list(range(len(told))), declined),
        Task(asked, [as_asked(told[n][1]) for n in asked]),
    )
    write(KINDS, [features_of(*names_in(text)) for text, _ in told], tasks, strength)


def main(arguments: list[str] | None = None) -> int:
    """Read the files named on the command line and write the weights."""
    parser = argparse.ArgumentParser(description="Train the classifiers of questions.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--strength", type=float, default=0.03, help="inverse of regularisation")
    options = parser.parse_args(arguments)
    lines = list(lines_of(options.files))
    learn_roles(lines, options.strength)
    learn_kinds(lines, options.strength)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
