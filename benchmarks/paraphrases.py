"""One question in several wordings gets one answer, over the demo snapshot.

A report counts as the same with the same verdict and the same deciding studies, an answer with the
same references, and as nearly the same with four fifths of them. The twenty questions of
`questions_data/paraphrases.jsonl`, in six wordings each, are by somebody who had not seen the code.

Usage: `python -m benchmarks.paraphrases [-v]`
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from pathlib import Path

from deepcritical.bootstrap.application import build_runs
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.report_parts import Reference
from deepcritical.jobs.runs import RunService
from deepcritical.settings import Settings

ASKED = Path(__file__).parent / "questions_data" / "paraphrases.jsonl"


async def reported(runs: RunService, text: str) -> Hashable:
    """The verdict on a question and the records that decided it; or why there is none."""
    try:
        report = await runs.submit(text).result()
    except QuestionError as error:
        return type(error).__name__
    decided = set(report.verdict.deciding_ids)
    return report.verdict.label.value, _records(
        r for r in report.references if r.evidence_id in decided
    )


async def answered(runs: RunService, text: str) -> Hashable:
    """The records that an answer refers to; or why there is none."""
    try:
        answer = await runs.ask(text).result()
    except QuestionError as error:
        return type(error).__name__
    return _records(answer.references)


def _records(references: Iterable[Reference]) -> frozenset[str]:
    """By what they are in the literature: the number in a store follows the order of a search."""
    return frozenset(reference.title for reference in references)


async def main(*, tell: bool) -> None:
    """Ask everything, and print how many wordings got what most wordings of theirs got."""
    settings = Settings.model_validate({"DATABASE_URL": "", "model": None})
    runs = build_runs(settings, snapshot="demo")
    same, near, asked = Counter[str](), Counter[str](), Counter[str]()
    whole = defaultdict[str, list[str]](list)
    for line in ASKED.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        ask = reported if told["mode"] == "research" else answered
        found = [await ask(runs, text) for text in told["wordings"]]
        most, times = Counter(found).most_common(1)[0]
        near[told["mode"]] += sum(_is_near(got, most) for got in found)
        same[told["mode"]] += times
        asked[told["mode"]] += len(found)
        if times == len(found):
            whole[told["mode"]].append(told["id"])
        for text, got in zip(told["wordings"], found, strict=True):
            if tell and got != most:
                print(f"  {told['id']} {text}\n    {_short(got)}, not {_short(most)}")
    for mode, n in asked.items():
        print(
            f"{mode}: {same[mode]} of {n} wordings alike, {near[mode]} nearly; "
            f"{len(whole[mode])} questions wholly"
        )
    await runs.close()


def _is_near(found: Hashable, most: Hashable) -> bool:
    """Return whether two are the same, or have four fifths of all their references in common."""
    if not (isinstance(found, frozenset) and isinstance(most, frozenset)):
        return found == most
    return len(found & most) >= 0.8 * len(found | most)


def _short(found: Hashable) -> str:
    return repr(found)[:200]


if __name__ == "__main__":
    asyncio.run(main(tell="-v" in sys.argv))
