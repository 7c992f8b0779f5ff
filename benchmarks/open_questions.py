"""Measures answers to free questions: how many of the points that a right answer states they state.

    python -m benchmarks.open_questions SNAPSHOT.jsonl [--half "kept aside"] [-v]

`question_sets/open_questions.jsonl` holds questions with the record that answers each and two or
three points; a point is fragments of that record, alternatives behind `|`, which one printed
sentence must hold. A point is `met` so, `first` where the sentence stands in the opening of the
answer; `open` where it is not met and the opening rests on no record and so says that it is not
known; else it is missed. Whether an answer is inverted only a reader can tell: -v prints the
openings of development questions, and never those of the half that is kept aside.

SNAPSHOT holds the dementia records, the abstracts of the PICO corpus and those of PubMedQA.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from deepcritical.bootstrap.application import build_runs
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.evaluation.scores import json_lines, share_words, wilson
from deepcritical.jobs.runs import RunService
from deepcritical.settings import Settings

ASKED = Path(__file__).parent / "question_sets" / "open_questions.jsonl"


def opening(answer: DeepAnswer) -> list[str]:
    """The sentences of the answer before its needs."""
    brief = answer.brief
    told = (*brief.answer, *brief.harms, *brief.synthesis) if brief else ()
    return [sentence.text for sentence in (*told, *answer.lead)]


def rests_on_records(answer: DeepAnswer) -> bool:
    """Return whether anything in the opening is of a record."""
    told = (*answer.brief.answer, *answer.brief.synthesis) if answer.brief else ()
    return any(sentence.evidence_ids for sentence in (*told, *answer.lead))


def holds(sentences: Sequence[str], point: Sequence[str]) -> bool:
    """Return whether one sentence has all fragments of a point."""
    folded = (" ".join(sentence.split()).casefold() for sentence in sentences)
    return any(
        all(any(one.casefold() in text for one in part.split("|")) for part in point)
        for text in folded
    )


def scored(answer: DeepAnswer, points: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield for each point if it is told first, told later, or missed."""
    first = opening(answer)
    all_told = [*first, *(s.text for part in answer.parts for s in part.sentences)]
    for point in points:
        if holds(first, point):
            yield "first"
        elif holds(all_told, point):
            yield "met"
        else:
            yield "missed" if rests_on_records(answer) else "open"


async def asked(runs: RunService, row: dict[str, Any], *, tell: bool) -> list[str]:
    """Score the points of one question; a refused question misses them."""
    try:
        answer = await runs.ask(row["question"]).result()
    except QuestionError as error:
        found, said = ["missed"] * len(row["points"]), [str(error)]
    else:
        found, said = list(scored(answer, row["points"])), opening(answer)
    if tell and row["half"] == "development":
        print(f"\n{row['question']} {found}", *said, sep="\n  ")
    return found


async def main(snapshot: str, halves: Sequence[str], *, tell: bool) -> None:
    """Ask all questions of some halves and print the shares."""
    settings = Settings.model_validate({"DATABASE_URL": "", "model": None})
    runs = build_runs(settings, snapshot=snapshot)
    for half in halves:
        found: Counter[str] = Counter()
        for row in json_lines(ASKED):
            if row["half"] == half:
                found.update(await asked(runs, row, tell=tell))
        n, met = found.total(), found["first"] + found["met"]
        print(f"{half}: {json.dumps(dict(sorted(found.items())))}")
        print(f"  met {share_words(wilson(met, n))}")
        print(f"  met or open {share_words(wilson(met + found['open'], n))}")
    await runs.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot")
    parser.add_argument("--half", choices=("development", "kept aside"))
    parser.add_argument("-v", action="store_true", dest="tell")
    given = parser.parse_args()
    wanted = (given.half,) if given.half else ("development", "kept aside")
    asyncio.run(main(given.snapshot, wanted, tell=given.tell))
