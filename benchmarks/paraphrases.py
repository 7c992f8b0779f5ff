"""One question in several wordings gets one answer, over the demo snapshot.

A report counts as the same with the same verdict and the same deciding studies, an answer with the
same side and the same references, and as nearly the same with four fifths of them. The first twenty
questions of `questions_data/paraphrases.jsonl`, in six wordings each, are by somebody who had not
seen the code. Those from a11 on were written by the author of a change, when it was done, and no
rule was changed for them.

Usage: `python -m benchmarks.paraphrases [-v] [ID ...]`
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path

from deepcritical.bootstrap.application import build_runs
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.report.parts import Reference
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
    """The side that an answer takes and the records that it refers to; or why there is none."""
    try:
        answer = await runs.ask(text).result()
    except QuestionError as error:
        return type(error).__name__
    side = answer.verdict.label.value if answer.verdict else ""
    return side, _records(answer.references)


def _records(references: Iterable[Reference]) -> frozenset[str]:
    """By what they are in the literature: the number in a store follows the order of a search."""
    return frozenset(reference.title for reference in references)


async def main(ids: Sequence[str], *, tell: bool) -> None:
    """Ask everything, and print how many wordings got what most wordings of theirs got.

    `ids` are the questions that are asked; all of them where it is empty.
    """
    settings = Settings.model_validate({"DATABASE_URL": "", "model": None})
    runs = build_runs(settings, snapshot="demo")
    same, near, asked = Counter[str](), Counter[str](), Counter[str]()
    whole = defaultdict[str, list[str]](list)
    for line in ASKED.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        if ids and told["id"] not in ids:
            continue
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
    """Return whether two are the same, or on the same side with four fifths of all references."""
    if not (isinstance(found, tuple) and isinstance(most, tuple)):
        return found == most
    return found[0] == most[0] and len(found[1] & most[1]) >= 0.8 * len(found[1] | most[1])


def _short(found: Hashable) -> str:
    return repr(found)[:200]


if __name__ == "__main__":
    asyncio.run(main([one for one in sys.argv[1:] if one != "-v"], tell="-v" in sys.argv))
