"""Measures verdicts: on sentences and abstracts against records, and on questions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepcritical.answering.stance import stance
from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.appraisal.verdict import DIRECTIONS, VerdictLabel
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.report.claims import ClaimVerdict
from deepcritical.domain.run.budget import Spent
from deepcritical.domain.run.events import JudgementMade
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.tool.traces import LOCAL_USER
from deepcritical.evaluation.scores import (
    Half,
    Measured,
    Outcome,
    half_of,
    json_lines,
    table,
    text_of,
)
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.study_readings import StudyReadings, reading_key
from deepcritical.verification.claims import verify_claim

if TYPE_CHECKING:
    from deepcritical.jobs.runs import RunService

_STRONG = frozenset({VerdictLabel.SUPPORTED, VerdictLabel.REFUTED, VerdictLabel.HARMFUL})
_SURE = ("figure", "number", "id", "name")
"""Beginnings of the kinds of mistakes that code alone must find."""
_SUPPORTED, _CONTRADICTED = ClaimVerdict.SUPPORTED, ClaimVerdict.CONTRADICTED


def _record(title: str, text: str, pmid: str | None = None, nct: str | None = None) -> Evidence:
    return Evidence(
        content=text,
        citation=Citation(source="pubmed", title=title or "-"),
        metadata=EvidenceMetadata(pmid=pmid, nct_id=nct),
    )


def judge_sentences(path: Path) -> Iterator[Outcome]:
    """Yield what is made of true and wrong sentences on the records beside them.

    A line has `sentence`, `record` (its id in records.jsonl), `label` (true or wrong), `kind`,
    `near_verbatim` and `half` (tuned or aside).
    """
    records = {
        row["id"]: _record(row["title"], row["text"], row.get("pmid"), row.get("nct"))
        for row in json_lines(path.parent / "records.jsonl")
    }
    for row in json_lines(path):
        half: Half = "development" if row["half"] == "tuned" else "kept aside"
        check = verify_claim(row["sentence"], records[row["record"]])
        told = check.verdict is not ClaimVerdict.CANNOT_TELL
        shown = f"[{check.verdict.value}] {row['kind']}: {row['sentence']} ({check.reason})"
        for measure, right in _measures(row, check.verdict):
            yield Outcome(measure, half, told, right, shown)


def _measures(row: dict[str, Any], verdict: ClaimVerdict) -> Iterator[tuple[str, bool]]:
    if row["label"] == "true":
        yield "true sentences not contradicted", verdict is not _CONTRADICTED
        if row["near_verbatim"]:
            yield "near-verbatim true sentences supported", verdict is _SUPPORTED
        return
    yield "wrong sentences not supported", verdict is not _SUPPORTED
    kind = str(row["kind"]).lower()
    if kind.startswith(_SURE) and "other" not in kind:  # another result's figure is in the record
        yield "wrong figures, ids and names contradicted", verdict is _CONTRADICTED


_OF_LABEL = {
    "support": _SUPPORTED,
    "supports": _SUPPORTED,
    "contradict": _CONTRADICTED,
    "refutes": _CONTRADICTED,
}


def _claim_judged(key: str, claim: str, record: Evidence, label: str) -> Outcome:
    wanted = _OF_LABEL.get(label.casefold(), ClaimVerdict.CANNOT_TELL)
    verdict = verify_claim(claim, record).verdict
    told = verdict is not ClaimVerdict.CANNOT_TELL
    shown = f"{verdict.value}, not {wanted.value}: {claim}"
    return Outcome(f"claims, {wanted.value}", half_of(key), told, verdict is wanted, shown)


def judge_scifact(path: Path) -> Iterator[Outcome]:
    """Yield the verdict on each claim of SciFact and each abstract that it cites.

    The corpus (corpus.jsonl) lies beside the file of claims, as published.
    """
    corpus = {row["doc_id"]: row for row in json_lines(path.parent / "corpus.jsonl")}
    for row in json_lines(path):
        for doc_id in row["cited_doc_ids"]:
            found = row.get("evidence", {}).get(str(doc_id), [])
            label = found[0]["label"] if found else "NOT_ENOUGH_INFO"
            told = corpus[int(doc_id)]
            record = _record(told["title"], " ".join(told["abstract"]))
            yield _claim_judged(str(row["id"]), row["claim"], record, label)


def judge_healthver(path: Path) -> Iterator[Outcome]:
    """Yield the verdict on each pair of claim and evidence of HealthVer."""
    for row in table(path):
        record = _record("", row["evidence"])
        yield _claim_judged(row["claim"], row["claim"], record, row["label"])


_STANCES = {"yes": Stance.SUPPORTS, "no": Stance.REFUTES, "maybe": Stance.NEUTRAL}


def judge_abstracts(path: Path) -> Iterator[Outcome]:
    """Yield for each question of PubMedQA the stance of its abstract, conclusion included."""
    for key, row in json.loads(text_of(path)).items():
        parts = zip(row["LABELS"], row["CONTEXTS"], strict=True)
        text = "\n".join(f"{label}: {part}" for label, part in parts)
        record = _record("", f"{text}\nCONCLUSIONS: {row['LONG_ANSWER']}", key)
        said = stance(record, row["QUESTION"]).stance
        wanted = _STANCES[row["final_decision"]]
        shown = f"{said.value}, not {wanted.value}: {row['QUESTION']}"
        decided = said is not Stance.NEUTRAL
        measure = f"stance of an abstract, {row['final_decision']}"
        yield Outcome(measure, half_of(key), decided, said is wanted, shown)


def is_overstated(said: VerdictLabel, expected: VerdictLabel) -> bool:
    """Return whether a verdict goes further than the expected one, or another way than it.

    A verdict that leaves the question open never does.
    """
    if DIRECTIONS[said] == "open" or said is expected:
        return False
    return DIRECTIONS[said] != DIRECTIONS[expected] or (said in _STRONG and expected not in _STRONG)


async def judge_verdicts(
    rows: Iterable[Mapping[str, Any]], runs: RunService, *, reader: str = ""
) -> Measured:
    """Return for each question whether its verdict is right, and whether it is no overstatement.

    A line has `question`, `expected` (a label of `VerdictLabel`), `half`, and may have `accepted`:
    further labels that a reader of the records would let pass. A verdict is right when it is one of
    these, or of the expected direction.
    """
    outcomes: list[Outcome] = []
    total = Spent()
    for row in rows:
        said, spent = await _verdict(runs, row["question"])
        total = total.plus(spent)
        outcomes += _judged(row, said, f" ({reader})" if reader else "")
    return Measured(outcomes, total)


async def keep_readings(path: Path, database: str, reader: str = "") -> None:
    """Put the readings of a file (JSON lines of `StudyReading`) into a database, to be used.

    They stand for the model `reader`, as `reader_identity` tells it, so that its runs over a
    snapshot read nothing again; if left out, they serve runs without a model.
    """
    readings = [StudyReading.model_validate(row) for row in json_lines(path)]
    owner = LOCAL_USER if reader else ""
    by = [reader or f"recorded {one.reader.name}" for one in readings]
    keyed = {
        reading_key(one.text_sha256, name, owner): one
        for one, name in zip(readings, by, strict=True)
    }
    opened = Database(database)
    try:
        await StudyReadings(opened).keep(keyed, owner)
    finally:
        await opened.close()


async def _verdict(runs: RunService, question: str) -> tuple[VerdictLabel, Spent]:
    try:
        run = runs.submit(question)
        report = await run.result()
    except QuestionError:
        return VerdictLabel.NOT_ASSESSED, Spent()
    made = [e.event.spent for e in await run.events() if isinstance(e.event, JudgementMade)]
    return report.verdict.label, max(made, key=lambda one: one.requests, default=Spent())


def _judged(row: Mapping[str, Any], said: VerdictLabel, by: str) -> Iterator[Outcome]:
    expected = VerdictLabel(row["expected"])
    accepted = {VerdictLabel(label) for label in row.get("accepted", ())}
    shown = f"{said.value}, not {expected.value}: {row['question']}"
    told = said is not VerdictLabel.NOT_ASSESSED
    right = told and (said in accepted or DIRECTIONS[said] == DIRECTIONS[expected])
    yield Outcome(f"direction of the verdict{by}", row["half"], told, right, shown)
    fair = said in accepted or not is_overstated(said, expected)
    yield Outcome(f"verdicts no stronger than expected{by}", row["half"], told, fair, shown)
