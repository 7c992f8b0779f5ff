"""Train the classifiers of question kinds: `python scripts/train_kinds.py FILE.jsonl ...`.

Each line of a file is {"text": ..., "kind": ...}; a line of a benchmark with "wordings" counts as
so many lines. Needs scikit-learn, which the program itself does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.svm import LinearSVC

from deepcritical.domain.frame import QuestionKind
from deepcritical.questions.classifying import ANSWERABLE, UNIT, packed
from deepcritical.questions.features import features_of
from deepcritical.questions.reading import names_in

DATA = Path(__file__).parent.parent / "src" / "deepcritical" / "data"
KINDS = frozenset(map(str, QuestionKind)) - {QuestionKind.CONVERSATION, QuestionKind.DECLINED}
SMALLEST = 5
"""A feature of which no weight is as large changes nothing, and is left out."""


def examples(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Text and kind of each example."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            read = json.loads(line)
            for wording in read.get("wordings", [read]):
                yield " ".join(wording["text"].split()), read["kind"]


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


def main(arguments: list[str] | None = None) -> int:
    """Read the files named on the command line and write the weights."""
    parser = argparse.ArgumentParser(description="Train the classifiers of question kinds.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--strength", type=float, default=0.03, help="inverse of regularisation")
    options = parser.parse_args(arguments)
    told = list(examples(options.files))
    vectors = DictVectorizer()
    rows = vectors.fit_transform(
        [dict.fromkeys(features_of(*names_in(text)), 1.0) for text, _ in told]
    ).tocsr()
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    asked = [n for n, (_, kind) in enumerate(told) if kind in KINDS]
    declined = [ANSWERABLE if kind in KINDS else kind for _, kind in told]
    parts = (
        fitted(rows, declined, options.strength),
        fitted(rows[asked], [as_asked(told[n][1]) for n in asked], options.strength),
    )
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
    (DATA / "question_kinds.json").write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(told)} examples, {kept.sum()} of {len(kept)} features\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
