"""Measures whether outcomes under different names come into the right rows.

`python -m benchmarks.outcomes [PAIRS]` prints precision and recall by halves over pairs of outcomes
that were judged without sight of the code. The table was tuned on the even half; the odd one shows
what it is worth. With `--wrong` it shows what the even half gets wrong.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from deepcritical.appraisal.outcomes import construct_of

PAIRS = Path(__file__).parent / "outcome_data" / "pairs.jsonl"


def row_of(outcome: dict[str, str]) -> str:
    """Return the name of the row that an outcome comes into."""
    found = construct_of(outcome["concept"], outcome["outcome"])
    return found.name if found else " ".join(outcome["concept"].casefold().split())


def measure(pairs: list[dict[str, Any]], *, wrong: bool) -> None:
    """Print how many pairs are joined and kept apart as a panel would."""
    joined = [(pair, row_of(pair["a"]), row_of(pair["b"])) for pair in pairs]
    right = sum(a == b and pair["same"] for pair, a, b in joined)
    both = sum(a == b for _, a, b in joined)
    same = sum(pair["same"] for pair in pairs)
    print(f"  {len(pairs)} pairs: precision {right / both:.3f}, recall {right / same:.3f}")
    for pair, a, b in joined:
        if wrong and (a == b) != pair["same"]:
            print(f"    {pair['a']['outcome']} ({a}) | {pair['b']['outcome']} ({b})")


def main() -> None:
    """Print both halves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path, nargs="?", default=PAIRS)
    parser.add_argument("--wrong", action="store_true", help="show what the even half gets wrong")
    asked = parser.parse_args()
    pairs = [json.loads(line) for line in asked.pairs.read_text("utf-8").splitlines()]
    for at, half in enumerate(("even", "odd")):
        print(f"{half} half")
        measure(pairs[at::2], wrong=asked.wrong and at == 0)


if __name__ == "__main__":
    main()
