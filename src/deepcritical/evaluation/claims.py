"""Measures the check of sentences against records, on own sentences and published claims."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deepcritical.answering.stance import stance
from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.report.claims import ClaimVerdict
from deepcritical.evaluation.scores import Half, Outcome, half_of, json_lines, table, text_of
from deepcritical.verification.claims import verify_claim

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


def _judged(key: str, claim: str, record: Evidence, label: str) -> Outcome:
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
            yield _judged(str(row["id"]), row["claim"], record, label)


def judge_healthver(path: Path) -> Iterator[Outcome]:
    """Yield the verdict on each pair of claim and evidence of HealthVer."""
    for row in table(path):
        record = _record("", row["evidence"])
        yield _judged(row["claim"], row["claim"], record, row["label"])


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
