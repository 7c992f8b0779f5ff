"""Writes every sentence of the briefs on some questions, so that two versions can be compared.

    python -m benchmarks.brief_sentences QUESTIONS.jsonl SNAPSHOT.jsonl [--readings FILE.jsonl.gz]

No model is asked. Each question is answered over all records of the snapshot, read by rules, or as
`--readings` hold them. Only questions that may be looked at are answered: those of development, and
those marked `looked_at` or `side_by_side`. The order is always the same, so `diff` shows changes.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.matched_verdicts import Studied, studied
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Appraisal, study_findings
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.report.brief import finding_cells, study_words
from deepcritical.domain.study.identity import study_groups
from deepcritical.evaluation.scores import json_lines
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame
from deepcritical.writing.sentences.brief import brief_of
from deepcritical.writing.sentences.matter import Matter
from deepcritical.writing.sentences.words import row_sentence


def matter_of(over: Studied, text: str) -> Matter | None:
    """Return what a brief on a question is written from; None where it asks for no drug."""
    try:
        question = research_question(read_frame(text))
    except QuestionError:
        return None
    drug, condition, frame = question.drug, question.condition, question.frame
    if drug is None or condition is None or frame is None:
        return None
    asked, found = asked_of(drug, condition, frame), {}
    for key, record in over.records.items():
        told = read_for(asked, key, record, over.readings[key], graded := grade(record))
        found[key] = Appraisal.weighed(told, graded)
    studies = study_findings(found, study_groups(over.records, over.readings))
    made = (frame, decide(studies), studies, over.records, over.readings, found)
    return Matter(drug.name, condition.name, *made, searched_on="2026-01-01")


def lines_of(matter: Matter) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the parts of a brief: what part it is, a sentence, and the records that it cites."""
    brief, verdict = brief_of(matter), matter.verdict
    yield "verdict", f"{verdict.label.value} ({verdict.certainty.value})", verdict.deciding_ids
    for part, sentences in (("answer", brief.answer), ("harms", brief.harms)):
        yield from ((part, one.text, one.evidence_ids) for one in sentences)
    for row in verdict.rows:
        yield "row", row_sentence(row, matter.given), row.evidence_ids
    yield from (("table", " | ".join(finding_cells(r)), r.evidence_ids) for r in brief.findings)
    for study in brief.studies:
        told = f"{study.name}; {study_words(study)}: {study.result.text}"
        yield "study", told, study.evidence_ids
    yield from (("missing", sentence, ()) for sentence in brief.missing)


def main() -> None:
    """Print a line of JSON for each sentence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--readings", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        none = Path(folder) / "none.jsonl.gz"
        none.write_bytes(gzip.compress(b""))
        over = studied(given.snapshot, given.readings or none)
    rows = list(json_lines(given.questions))
    seen = [r for r in rows if r.get("half") == "development" or r.get("looked_at")]
    seen += [r for r in rows if r.get("side_by_side")]
    for text in sorted({row["question"] for row in seen}):
        matter = matter_of(over, text)
        for part, said, ids in lines_of(matter) if matter else [("none", "", ())]:
            cited = [over.records[i].metadata.pmid or i for i in ids]
            print(json.dumps([text, part, said, cited], ensure_ascii=False))


if __name__ == "__main__":
    main()
