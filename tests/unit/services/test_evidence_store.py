from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.appraisal import Appraisal, Reading
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import grade
from deepcritical.domain.identity import canonical_ids
from deepcritical.domain.report_parts import SearchRun
from deepcritical.services.evidence_store import EvidenceStore
from tests.conftest import make_evidence

numbers = st.sampled_from([None, "1", "2", "3"])
records = st.builds(
    lambda pmid, doi, title, content: make_evidence(
        f"Examplol {title}", content, pmid=pmid, doi=doi and f"10.9999/made.{doi}"
    ),
    numbers,
    numbers,
    st.sampled_from("AB"),
    st.sampled_from(["", "Short.", "A longer made-up text."]),
)
batches = st.lists(st.lists(records, max_size=4), max_size=6)


def read(store: EvidenceStore, key: str, drug: str = "examplol") -> None:
    reading = Reading(evidence_id=key, drug=drug)
    store.add_appraisal(Appraisal(reading=reading, grade=grade(store.evidence[key])))


class TestNeverShrinks:
    @given(batches)
    def test_no_id_no_text_and_no_record_is_ever_lost(self, added: list[list[Evidence]]) -> None:
        store = EvidenceStore()
        for batch in added:
            before = dict(store.evidence)
            store.add(batch)
            assert list(store.evidence)[: len(before)] == list(before)
            for key, record in before.items():
                assert canonical_ids(store.evidence[key]) >= canonical_ids(record)
                assert len(store.evidence[key].content) >= len(record.content)

    @given(batches)
    def test_whatever_id_was_seen_names_a_record_that_is_there(
        self, added: list[list[Evidence]]
    ) -> None:
        store = EvidenceStore()
        for batch in added:
            store.add(batch)
        before = list(store.evidence)
        for record in (record for batch in added for record in batch):
            pmid, doi = record.metadata.pmid, record.metadata.doi
            store.add([make_evidence("Other", pmid=pmid)] if pmid else [])
            store.add([make_evidence("Other", doi=doi)] if doi else [])
        assert list(store.evidence) == before

    @given(batches)
    def test_adding_the_same_again_changes_nothing(self, added: list[list[Evidence]]) -> None:
        store = EvidenceStore()
        for batch in added:
            store.add(batch)
        before = list(store.evidence)
        for batch in added:
            store.add(batch)
        assert list(store.evidence) == before

    @given(batches)
    def test_what_is_new_or_grew_is_reported_as_unread(self, added: list[list[Evidence]]) -> None:
        store = EvidenceStore()
        for batch in added:
            before = {key: record.content for key, record in store.evidence.items()}
            unread = store.add(batch)
            changed = {k for k, record in store.evidence.items() if before.get(k) != record.content}
            assert set(unread) == changed


class TestMerging:
    def test_ids_are_numbered_in_the_order_of_finding(self) -> None:
        store = EvidenceStore()
        found = store.add([make_evidence(pmid="1"), make_evidence(pmid="2")])
        assert found == ("E1", "E2")
        assert list(store.evidence) == ["E1", "E2"]

    def test_records_that_share_an_id_are_one_with_the_fields_of_both(self) -> None:
        store = EvidenceStore()
        store.add([make_evidence(pmid="1", journal="J Made-Up Rec")])
        store.add([make_evidence(pmid="1", doi="10.9999/made.1")])
        (record,) = store.evidence.values()
        assert (record.metadata.journal, record.metadata.doi) == ("J Made-Up Rec", "10.9999/made.1")

    def test_a_record_is_found_by_an_id_that_it_gained(self) -> None:
        store = EvidenceStore()
        store.add([make_evidence(pmid="1")])
        store.add([make_evidence(pmid="1", doi="10.9999/made.1")])
        store.add([make_evidence(doi="https://doi.org/10.9999/MADE.1")])
        assert list(store.evidence) == ["E1"]

    def test_the_same_title_under_different_ids_is_two_records(self) -> None:
        store = EvidenceStore()
        store.add([make_evidence("Reply", pmid="1"), make_evidence("Reply", pmid="2")])
        assert len(store.evidence) == 2


class TestReading:
    def test_a_record_whose_text_grew_must_be_read_again(self) -> None:
        store = EvidenceStore()
        store.add([make_evidence(pmid="1")])
        read(store, "E1")
        assert store.add([make_evidence(pmid="1", content="Examplol in testitis.")]) == ("E1",)
        assert store.appraisals("examplol") == {}

    def test_a_reading_stays_when_the_text_is_the_same(self) -> None:
        store = EvidenceStore()
        store.add([make_evidence(pmid="1", content="Examplol in testitis.")])
        read(store, "E1")
        assert store.add([make_evidence(pmid="1", content="Shorter.")]) == ()
        assert list(store.appraisals("examplol")) == ["E1"]

    def test_readings_are_kept_by_drug_and_come_in_store_order(self) -> None:
        store = EvidenceStore()
        store.add([make_evidence(pmid=str(n)) for n in range(3)])
        for key in ("E3", "E1"):
            read(store, key)
        read(store, "E2", "otherol")
        assert list(store.appraisals("examplol")) == ["E1", "E3"]
        assert list(store.appraisals("otherol")) == ["E2"]
        assert store.appraisals("unheardol") == {}
        assert store.drugs == ("examplol", "otherol")


def test_identified_counts_every_answer_with_its_duplicates() -> None:
    store = EvidenceStore()
    for identified, new in ((10, 10), (10, 2), (0, 0)):
        run = SearchRun(source="made", query="q", outcome="data", identified=identified, new=new)
        store.searches.append(run)
    assert store.identified == 20


def test_a_query_that_no_source_could_answer_is_still_open() -> None:
    store = EvidenceStore()
    for query, outcome in (
        ("down", "unavailable"),
        ("down", "not_applicable"),
        ("half", "unavailable"),
        ("half", "empty"),
        ("elsewhere", "not_applicable"),
    ):
        run = SearchRun(source="made", query=query, outcome=outcome, identified=0, new=0)
        store.searches.append(run)
    assert store.queries_run == {"half", "elsewhere"}
