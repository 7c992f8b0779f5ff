from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.appraisal.findings import Appraisal, Reading
from deepcritical.domain.appraisal.hypotheses import Edge, MechanismHypothesis
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import is_notice
from deepcritical.domain.evidence.record import Evidence, Fact, FactRole
from deepcritical.domain.report.parts import SearchRun
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.services.evidence_store import EvidenceStore, Taken, Works
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
            listed = list(store.evidence)
            assert [i for i in before if i in listed] == listed[: len(set(before) & set(listed))]
            for key, record in before.items():
                found = store.evidence[key]
                known = canonical_ids(found) | set(found.metadata.linked_ids)
                assert known >= canonical_ids(record)
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


class TestWorksThatTurnOutToBeOne:
    """A third record holds the id of one and the id of another."""

    BY_PMID = make_evidence("Examplol", "Examplol in testitis.", pmid="1", journal="J Made-Up")
    BY_DOI = make_evidence("Examplol", "Examplol helped in testitis.", doi="10.9999/made.1")
    BOTH = make_evidence("Examplol", pmid="1", doi="10.9999/made.1")

    def test_they_become_one_record_and_both_ids_find_it(self) -> None:
        store = EvidenceStore()
        assert store.add([self.BY_PMID, self.BY_DOI, make_evidence(pmid="3")]) == ("E1", "E2", "E3")
        assert store.add([self.BOTH]) == ("E1",)
        assert list(store.evidence) == ["E1", "E3"]
        assert store.evidence["E1"] == store.evidence["E2"]
        assert store.evidence["E1"].metadata.journal == "J Made-Up"
        assert store.evidence["E1"].content == self.BY_DOI.content

    def test_no_id_is_given_twice(self) -> None:
        store = EvidenceStore()
        store.add([self.BY_PMID, self.BY_DOI, self.BOTH])
        assert store.add([make_evidence(pmid="3")]) == ("E3",)

    def test_an_id_that_was_given_up_within_one_answer_is_not_reported(self) -> None:
        assert EvidenceStore().add([self.BY_PMID, self.BY_DOI, self.BOTH]) == ("E1",)

    def test_what_was_read_in_the_text_that_stays_follows_it(self) -> None:
        store = EvidenceStore()
        store.add([self.BY_PMID, self.BY_DOI])
        fact = Fact(
            statement="It helped.",
            evidence_id="E2",
            quote="Examplol helped",
            start=0,
            end=15,
            role=FactRole.RESULT,
        )
        grades = {key: grade(record) for key, record in store.evidence.items()}
        about = Reading(evidence_id="E2", drug="examplol", supporting=(fact,))
        outdated = Reading(evidence_id="E1", drug="examplol")
        store.add_appraisal(Appraisal(reading=about, grade=grades["E2"]))
        store.add_appraisal(Appraisal(reading=outdated, grade=grades["E1"]))
        edge = Edge(subject="Examplol", object="testitis", decreases=(fact,))
        chain = MechanismHypothesis(
            drug="examplol", target="TSTA", effect="pain", confidence=0.1, edges=(edge,)
        )
        store.hypotheses = (chain,)
        store.add([self.BOTH])
        (edge,) = store.hypotheses[0].edges
        assert edge.records == {"E1"}
        (kept,) = store.appraisals("examplol").values()
        (moved,) = kept.reading.supporting
        assert kept.evidence_id == moved.evidence_id == "E1"
        text = store.evidence["E1"].content
        assert text[moved.start : moved.end] == moved.quote

    def test_a_chain_of_works_is_one_in_the_end(self) -> None:
        store = EvidenceStore()
        store.add([make_evidence(pmid="1"), make_evidence(pmid="2"), make_evidence(pmid="3")])
        store.add([make_evidence(pmid="3", doi="10.9999/made.1")])
        store.add([make_evidence(pmid="2", doi="10.9999/made.1")])
        store.add([make_evidence(pmid="1", doi="10.9999/made.1")])
        assert list(store.evidence) == ["E1"]
        assert store.evidence["E3"] == store.evidence["E2"] == store.evidence["E1"]


class TestNotices:
    """A retraction or a correction is a work of its own, also under the DOI of its article."""

    ARTICLE = make_evidence("Examplol", "It helped.", pmid="1", doi="10.9999/made.1")

    @pytest.mark.parametrize(
        "notice",
        [
            make_evidence(
                "Examplol",
                pmid="2",
                doi="10.9999/made.1",
                publication_types=("Retraction of Publication",),
            ),
            make_evidence("Erratum to: Examplol", doi="10.9999/made.1"),
        ],
    )
    def test_it_never_merges_with_its_article(self, notice: Evidence) -> None:
        for records in permutations([self.ARTICLE, notice, notice]):
            store = EvidenceStore()
            store.add(records)
            assert Counter(map(is_notice, store.evidence.values())) == {False: 1, True: 1}

    def test_one_from_two_sources_is_one_record(self) -> None:
        by_doi = make_evidence("Retraction: Examplol", doi="10.9999/made.2")
        by_both = make_evidence("Retraction: Examplol", doi="10.9999/made.2", pmid="2")
        store = EvidenceStore()
        store.add([by_doi, by_both])
        assert list(store.evidence) == ["E1"]


def test_blank_numbers_join_nothing() -> None:
    store = EvidenceStore()
    store.add([make_evidence("A", pmid=" "), make_evidence("B", pmid=" ")])
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


def test_studies_are_those_of_the_records_and_links_that_are_there() -> None:
    store = EvidenceStore()
    store.add([make_evidence(pmid="1", linked_ids=("nct:NCT99000001",))])
    assert store.study_of == {"E1": 0}
    store.add([make_evidence("Another", pmid="2"), make_evidence("A third", nct_id="NCT99000001")])
    assert store.study_of == {"E1": 0, "E3": 0, "E2": 1}


def test_who_looks_while_a_record_comes_in_hides_it_from_nobody() -> None:
    store = EvidenceStore()

    class Watched(Works):
        def take(self, record: Evidence) -> Taken:
            assert len(store.study_of) == len(self)
            return super().take(record)

    store._works = Watched()
    store.add([make_evidence(pmid="1"), make_evidence("Another", pmid="2")])
    assert store.study_of == {"E1": 0, "E2": 1}


@pytest.mark.parametrize(("scores", "kept"), [((0.2, 0.9), 0.9), ((0.9, 0.2), 0.9)])
def test_of_one_record_the_best_score_of_its_queries_is_kept(
    scores: tuple[float, float], kept: float
) -> None:
    store = EvidenceStore()
    one = make_evidence("Examplol", "A made-up text.", pmid="1")
    keys = [store.add([one.model_copy(update={"relevance_score": s})]) for s in scores]
    assert keys == [("E1",), ()]
    assert [record.relevance_score for record in store.evidence.values()] == [kept]
