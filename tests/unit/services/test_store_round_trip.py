"""The records of a store exported as a snapshot and run again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.errors import SnapshotCorruptError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.services.evidence_store import EvidenceStore, as_snapshot
from deepcritical.tools.snapshot import parse
from tests.conftest import DEMO, DEMO_QUESTION, make_evidence, run_service

EXTRA = {
    "mesh_terms": ("Animals", "Testitis*"),
    "posted_results": ("Pain (12 weeks): Examplol 2; Placebo 3",),
    "cited_by": 7,
    "integrity": "concern",
    "allocation": "RANDOMIZED",
}
records = st.builds(
    lambda pmid, title, content, extra: make_evidence(
        f"Examplol {title}", content, pmid=pmid, **(EXTRA if extra else {})
    ),
    st.sampled_from([None, "99000001", "99000002"]),
    st.text(min_size=1, max_size=20),
    st.text(max_size=60),
    st.booleans(),
)


def exported(*found: Evidence) -> bytes:
    store = EvidenceStore()
    store.add(found)
    return as_snapshot(store.evidence.values(), "made", "2999-01-01")


@given(st.lists(records, min_size=1, max_size=5))
def test_an_exported_snapshot_holds_every_field_of_every_record(found: list[Evidence]) -> None:
    store = EvidenceStore()
    store.add(found)
    parsed = parse(as_snapshot(store.evidence.values(), "made"), "made.jsonl")
    assert parsed.skipped == ()
    assert parsed.records == tuple(store.evidence.values())
    assert [grade(r) for r in parsed.records] == [grade(r) for r in store.evidence.values()]


def test_the_score_of_one_search_is_not_exported() -> None:
    record = make_evidence(pmid="99000001")
    scored = record.model_copy(update={"relevance_score": 0.7})
    assert exported(scored) == exported(record)


def test_the_header_names_what_the_file_holds() -> None:
    head = json.loads(exported(make_evidence(pmid="99000001")).split(b"\n")[0])
    assert (head["kind"], head["name"], head["created"], head["records"]) == (
        "snapshot",
        "made",
        "2999-01-01",
        1,
    )
    assert re.fullmatch("[0-9a-f]{64}", head["sha256"])


def test_a_changed_export_is_refused() -> None:
    payload = exported(make_evidence("Examplol fell", pmid="99000001"))
    with pytest.raises(SnapshotCorruptError, match="changed after its export"):
        parse(payload.replace(b"fell", b"rose"), "made.jsonl")


def test_export_and_import_of_the_demo_give_the_same_bytes_again() -> None:
    store = EvidenceStore()
    store.add(parse(DEMO.read_bytes(), "demo").records)
    once = as_snapshot(store.evidence.values(), "demo", "2026-11-20")
    again = EvidenceStore()
    again.add(parse(once, "demo").records)
    assert as_snapshot(again.evidence.values(), "demo", "2026-11-20") == once


@pytest.mark.slow
async def test_a_run_over_the_exported_demo_gives_the_same_report(tmp_path: Path) -> None:
    path = tmp_path / "demo.jsonl"
    path.write_bytes(as_snapshot(parse(DEMO.read_bytes(), "demo").records, "demo", "2026-11-20"))
    first, second = [
        (await run_service(source).submit(DEMO_QUESTION).result()).to_markdown()
        for source in (DEMO, path)
    ]
    assert first.encode() == second.encode()
