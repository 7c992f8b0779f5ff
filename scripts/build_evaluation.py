"""Write the measured figures into docs/evaluation.md and README.md, between their marks.

docs/evaluation/*.json are what `deepcritical eval --out` and `benchmarks.side_by_side --out`
wrote. Usage: `python scripts/build_evaluation.py`. With `--check` nothing is written, and the exit
code is 1 when a file does not say what was measured.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from benchmarks.side_by_side import table
from deepcritical.evaluation.scores import Evaluation, Figure, markdown, share_words

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "docs" / "evaluation"
PAGES = (ROOT / "docs" / "evaluation.md", ROOT / "README.md")
SHOWN = (
    ("questions", "same frame", "wordings of a question read as labelled"),
    ("inputs to decline", "declined rightly", "inputs without an answer declined rightly"),
    ("PICO corpus", "people by arm", "people by arm read from an abstract without a model"),
    ("Evidence Inference", "directions", "directions of results read without a model"),
    ("sentences", "wrong sentences not supported", "wrong sentences that pass no check"),
)
"""What README shows of the half kept aside: set, measure, words."""


def build_parts() -> dict[str, str]:
    """The text of each mark."""
    parts = {}
    for path in sorted(MEASURED.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        if "figures" in told:
            found = Evaluation.model_validate(told)
            parts[path.stem] = markdown(found)
            if path.stem == "without-model":
                parts["summary"] = summary(found.figures)
        else:
            parts[path.stem] = f"{table(told)}\n"
    return parts


def summary(figures: tuple[Figure, ...]) -> str:
    """The figures that README shows."""
    lines = [
        "| Measured on labels kept aside | Right of all | Right of those told |",
        "|---|---|---|",
    ]
    for name, measure, words in SHOWN:
        wanted = (name, measure, "kept aside")
        for figure in figures:
            if (figure.set, figure.measure, figure.half) == wanted:
                cells = (words, share_words(figure.right), share_words(figure.precise))
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def filled(text: str, parts: dict[str, str]) -> str:
    """The page with what stands between its marks replaced."""
    for name, part in parts.items():
        mark = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
        text = mark.sub(lambda _, part=part: part, text)  # type: ignore[misc]
    return text


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` compare them; returns the exit code."""
    parts = build_parts()
    stale = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        if (new := filled(text, parts)) != text:
            stale.append(path.name)
            if "--check" not in arguments:
                path.write_text(new, encoding="utf-8")
    if "--check" in arguments and stale:
        print(f"Not as measured: {', '.join(stale)}. Run `python -m scripts.build_evaluation`.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
