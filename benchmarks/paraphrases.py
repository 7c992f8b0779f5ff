"""One question in several wordings gets one answer, over the demo snapshot.

A report counts as the same with the same verdict and the same deciding studies, an answer with the
same side and the same references, and as nearly the same with four fifths of them. The first twenty
questions of `questions_data/paraphrases.jsonl`, in six wordings each, are by somebody who had not
seen the code. Those from a11 on were written by the author of a change, when it was done. All were
looked at since, so they show what holds, and not how new wordings fare.

With --agree each wording, and some further questions, is put both ways: where the report and the
answer both have a verdict, the two must be the same.

Usage: `python -m benchmarks.paraphrases [-v] [--agree] [ID ...]`
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.bootstrap.application import build_runs
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.report.parts import Reference
from deepcritical.jobs.runs import RunService
from deepcritical.settings import Settings

ASKED = Path(__file__).parent / "questions_data" / "paraphrases.jsonl"
ENOUGH = 0.8
"""The share of all references that two answers have in common which are nearly the same."""


class Got(NamedTuple):
    """The side that an answer takes, '' for none, and the records on which it rests."""

    side: str
    records: frozenset[str] = frozenset()

    def is_near(self, other: Got) -> bool:
        """Return whether both take one side over nearly the same records."""
        shared, all_of_both = self.records & other.records, self.records | other.records
        return self.side == other.side and len(shared) >= ENOUGH * len(all_of_both)


async def reported(runs: RunService, text: str) -> Got:
    """The verdict on a question and the records that decided it; or why there is none."""
    try:
        report = await runs.submit(text).result()
    except QuestionError as error:
        return Got(type(error).__name__)
    decided = set(report.verdict.deciding_ids)
    return Got(
        report.verdict.label.value,
        _records(r for r in report.references if r.evidence_id in decided),
    )


async def answered(runs: RunService, text: str) -> Got:
    """The side that an answer takes and the records that it refers to; or why there is none."""
    try:
        answer = await runs.ask(text).result()
    except QuestionError as error:
        return Got(type(error).__name__)
    return Got(answer.verdict.label.value if answer.verdict else "", _records(answer.references))


def _records(references: Iterable[Reference]) -> frozenset[str]:
    """By what they are in the literature: the number in a store follows the order of a search."""
    return frozenset(reference.title for reference in references)


def questions(ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the questions with these ids; all of them where there are none."""
    for line in ASKED.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        if not ids or told["id"] in ids:
            yield told


async def alike(runs: RunService, ids: Sequence[str], *, tell: bool) -> None:
    """Ask everything, and print how many wordings got what most wordings of theirs got."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for told in questions(ids):
        if told["mode"] == "agree":
            continue
        ask = reported if told["mode"] == "research" else answered
        found = [await ask(runs, text) for text in told["wordings"]]
        most, times = Counter(found).most_common(1)[0]
        counted[told["mode"]] += Counter(
            wordings=len(found),
            same=times,
            near=sum(got.is_near(most) for got in found),
            side=max(Counter(got.side for got in found).values()),
            whole=times == len(found),
        )
        for text, got in zip(told["wordings"], found, strict=True):
            if tell and got != most:
                print(f"  {told['id']} {text}\n    {got!s:.200}, not {most!s:.200}")
    for mode, n in counted.items():
        print(
            f"{mode}: of {n['wordings']} wordings {n['side']} on one side, {n['same']} alike, "
            f"{n['near']} nearly; {n['whole']} questions wholly"
        )


async def agreeing(runs: RunService, ids: Sequence[str], *, tell: bool) -> None:
    """Put each wording both ways, and print how often report and answer have the same verdict."""
    n, asked = Counter[str](), set[str]()
    for told in questions(ids):
        for text in told["wordings"]:
            report, answer = await reported(runs, text), await answered(runs, text)
            if not (report.records and answer.side):
                continue
            n.update(both=1, same=report.side == answer.side)
            asked.add(told["id"])
            if tell and report.side != answer.side:
                print(f"  {told['id']} {text}\n    {report.side}, but {answer.side}")
    print(
        f"report and answer have one verdict in {n['same']} of {n['both']} wordings "
        f"of {len(asked)} questions"
    )


async def main(given: argparse.Namespace) -> None:
    """Measure over the demo snapshot, without a model."""
    settings = Settings.model_validate({"DATABASE_URL": "", "model": None})
    runs = build_runs(settings, snapshot="demo")
    await (agreeing if given.agree else alike)(runs, given.ids, tell=given.tell)
    await runs.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--agree", action="store_true")
    parser.add_argument("-v", action="store_true", dest="tell")
    asyncio.run(main(parser.parse_args()))
