"""Train the classifier of question kinds: `python scripts/train_kinds.py FILE.jsonl ...`.

Each line of a file is {"text": ..., "kind": ...}; a line of a benchmark with "wordings" counts as
so many lines. Needs scikit-learn, which the program itself does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from deepcritical.questions.features import features_of
from deepcritical.questions.naming import find_names

DATA = Path(__file__).parent.parent / "src" / "deepcritical" / "data"
SMALLEST = 0.04
"""Weights below it change nothing, and are left out."""


def examples(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Text and kind of each example; "answerable" ones tell no kind, and are left out."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            read = json.loads(line)
            for wording in read.get("wordings", [read]):
                if read["kind"] != "answerable":
                    yield wording["text"], read["kind"]


def main(arguments: list[str] | None = None) -> int:
    """Read the files named on the command line and write the weights."""
    parser = argparse.ArgumentParser(description="Train the classifier of question kinds.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--strength", type=float, default=2.0, help="inverse of regularisation")
    options = parser.parse_args(arguments)
    told = list(examples(options.files))
    rows = [dict.fromkeys(features_of(text, find_names(text)), 1.0) for text, _ in told]
    vectors = DictVectorizer()
    fitted = LogisticRegression(C=options.strength, max_iter=2000)
    fitted.fit(vectors.fit_transform(rows), [kind for _, kind in told])
    weights = {
        name: [round(float(w) * 100) for w in column]
        for name, column in zip(vectors.feature_names_, fitted.coef_.T, strict=True)
        if abs(column).max() >= SMALLEST
    }
    learnt = {
        "kinds": list(map(str, fitted.classes_)),
        "bias": [round(float(b), 3) for b in fitted.intercept_],
        "weights": dict(sorted(weights.items())),
    }
    text = json.dumps(learnt, ensure_ascii=False, separators=(",", ":"))
    (DATA / "question_kinds.json").write_text(text.replace("],", "],\n") + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(told)} examples, {len(weights)} features\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
