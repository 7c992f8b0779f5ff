"""Measures verdicts over recorded readings, as more of the work is a careful reader's.

    python -m benchmarks.matched_verdicts FOLDER SNAPSHOT.jsonl

FOLDER is one of `question_sets`. Its files hold questions with the right verdict;
`readings.jsonl.gz` studies as such a reader read them, `frames.jsonl` the questions as one
understood them, and `matches.jsonl` what one found the results to tell of the question, who saw the
question and the results alone.
Only questions with a match are counted, all ways over the records that the reader was shown. A
verdict is right when its direction is the expected one, or its label one of those accepted.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Appraisal, Matched, study_findings
from deepcritical.domain.appraisal.verdict import DIRECTIONS, VerdictLabel
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.study.identity import study_groups
from deepcritical.domain.study.reading import StudyReading
from deepcritical.evaluation.scores import json_lines, wilson
from deepcritical.models.answers import AssessedResults
from deepcritical.questions.by_model import read_by_model
from deepcritical.questions.forms import research_question
from deepcritical.questions.model_reading import ModelReading
from deepcritical.questions.reading import read_frame
from deepcritical.reading.rules.reader import read_by_rules
from deepcritical.reading.sentences import text_hash
from deepcritical.reasoning.by_model import matches_of
from deepcritical.tools.snapshot import parse

SETS = ("verdicts", "fresh_verdicts", "unseen_verdicts", "new_verdicts")
_SCORES = {"mechanism_score": 0, "clinical_score": 0, "confidence": "low", "answers_question": True}


class Studied(NamedTuple):
    """Records with the readings of their studies, by place in the snapshot: E1 is the first."""

    records: dict[str, Evidence]
    readings: dict[str, StudyReading]


def studied(snapshot: Path, readings: Path) -> Studied:
    """The records of a snapshot; what is not in the readings is read by rules."""
    with gzip.open(readings, "rt") as lines:
        held = [StudyReading.model_validate_json(line) for line in lines]
    by_text = {one.text_sha256: one for one in held}
    found = parse(snapshot.read_bytes(), snapshot.name).records
    records = {f"E{number}": record for number, record in enumerate(found, 1)}
    now = datetime.now(UTC)
    read = {k: by_text.get(text_hash(e)) or read_by_rules(e, now) for k, e in records.items()}
    return Studied(records, read)


def verdict(
    over: Studied, frame: QuestionFrame, matches: Mapping[str, Matched] | None = None
) -> VerdictLabel:
    """The label over the records, by rules or as a reader matched their results."""
    try:
        question = research_question(frame)
    except QuestionError:
        return VerdictLabel.NOT_ASSESSED
    if question.drug is None or question.condition is None:
        return VerdictLabel.NOT_ASSESSED
    asked = asked_of(question.drug, question.condition, frame)
    found = {}
    for key, record in over.records.items():
        graded, matched = grade(record), matches.get(key) if matches else None
        told = read_for(asked, key, record, over.readings[key], graded, matched)
        found[key] = Appraisal.weighed(told, graded)
    return decide(study_findings(found, study_groups(over.records, over.readings))).label


def is_right(said: VerdictLabel, row: Mapping[str, Any]) -> bool:
    """Tell if a verdict other than "not assessed" has the right direction."""
    direction = DIRECTIONS[VerdictLabel(row["expected"])]
    told = said is not VerdictLabel.NOT_ASSESSED
    return told and (said in row.get("accepted", ()) or DIRECTIONS[said] == direction)


def ways(
    over: Studied, text: str, frame: object, match: Mapping[str, Any]
) -> Iterator[tuple[str, VerdictLabel]]:
    """The verdict of each way of working on one question."""
    by_rule = read_frame(text)
    read = read_by_model(by_rule, ModelReading.model_validate(frame))
    answer = AssessedResults.model_validate({**_SCORES, **match})
    shown = {key: over.records[key] for key in match["shown"]}
    over = Studied(shown, over.readings)
    yield "question by rules", verdict(over, by_rule)
    yield "question by a reader", verdict(over, read)
    yield "and results matched", verdict(over, read, matches_of(answer, shown, over.readings))
    yield "what the reader proposed", VerdictLabel(match["shows"])


def counts(folder: Path, over: Studied) -> Counter[tuple[str, str]]:
    """Right verdicts and questions, by whether anybody looked at them, and by way."""
    frames = {row["id"]: row["answer"] for row in json_lines(folder / "frames.jsonl")}
    matches = {row["id"]: row["answer"] for row in json_lines(folder / "matches.jsonl")}
    counted: Counter[tuple[str, str]] = Counter()
    for name in SETS:
        for number, row in enumerate(json_lines(folder / f"{name}.jsonl")):
            key = f"{name}-{number}"
            if key not in matches:
                continue
            unseen = name == "unseen_verdicts" and not row.get("looked_at")
            half = "never looked at" if unseen or name == "new_verdicts" else "looked at"
            counted[half, "questions"] += 1
            for way, said in ways(over, row["question"], frames.get(key, {}), matches[key]):
                counted[half, way] += is_right(said, row)
    return counted


def main(argv: Sequence[str] | None = None) -> None:
    """Print a line for each half and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("snapshot", type=Path)
    given = parser.parse_args(argv)
    over = studied(given.snapshot, given.folder / "readings.jsonl.gz")
    counted = counts(given.folder, over)
    for (half, way), right in counted.items():
        if way != "questions":
            of = counted[half, "questions"]
            share = wilson(right, of)
            print(
                json.dumps(
                    {
                        "half": half,
                        "way": way,
                        "right": right,
                        "of": of,
                        "ci": [round(share.low, 2), round(share.high, 2)],
                    }
                )
            )


if __name__ == "__main__":
    main()
