"""Writes the abstracts of the PICO corpus as a snapshot, on which questions can be asked.

    python -m benchmarks.pico_snapshot pico_corpus_dev.jsonl.gz breast_cancer_trials.jsonl

The first sentence of a text is its title.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from deepcritical.evaluation.scores import json_lines


def main() -> None:
    """Read the corpus of the first path, write the snapshot of the second one."""
    corpus, snapshot = map(Path, sys.argv[1:3])
    with snapshot.open("w", encoding="utf-8") as lines:
        for row in json_lines(corpus):
            title, _, abstract = row["text"].partition(". ")
            told = {"title": f"{title}.", "pmid": row["pmid"], "abstract": abstract.strip()}
            lines.write(json.dumps({"kind": "publication", **told}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
