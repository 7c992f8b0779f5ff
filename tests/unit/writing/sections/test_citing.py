from __future__ import annotations

from deepcritical.domain.evidence.record import Fact, FactRole
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.quoting import Citer
from tests.unit.domain.records import paper


def store_of(content: str = "Pain fell.", records: int = 1, **metadata: str) -> EvidenceStore:
    store = EvidenceStore()
    store.add(
        paper(f"A study, {n}", content, pmid=str(99000 + n), **metadata)
        for n in range(1, records + 1)
    )
    return store


def whole(content: str, evidence_id: str = "E1") -> Fact:
    return Fact(
        statement=content,
        evidence_id=evidence_id,
        quote=content,
        start=0,
        end=len(content),
        role=FactRole.RESULT,
    )


class TestNumbers:
    def test_are_given_in_the_order_of_citing_and_not_of_the_store(self) -> None:
        citer = Citer(store_of(records=3))
        assert [citer.cite([i]) for i in ("E3", "E1", "E3")] == ["[1]", "[2]", "[1]"]

    def test_stand_in_their_order_within_one_citation(self) -> None:
        citer = Citer(store_of(records=3))
        citer.cite(["E3"])
        assert citer.cite(["E1", "E3"]) == "[1][2]"

    def test_are_given_once_to_an_id_that_is_repeated(self) -> None:
        assert Citer(store_of()).cite(["E1", "E1"]) == "[1]"

    def test_of_nothing_are_nothing(self) -> None:
        assert Citer(store_of()).cite([]) == ""

    def test_are_those_of_the_reference_list(self) -> None:
        citer = Citer(store_of(records=3))
        citer.cite(["E2"])
        citer.cite(["E1"])
        assert [reference.evidence_id for reference in citer.references] == ["E2", "E1"]


class TestClaims:
    def test_hold_the_quote_as_it_is_and_the_sentence_as_printed(self) -> None:
        citer = Citer(store_of("Pain fell [12]."))
        citer.claim(whole("Pain fell [12]."))
        (claim,) = citer.claims
        assert (claim.quote, claim.sentence) == ("Pain fell [12].", "Pain fell \\[12\\].")

    def test_hold_the_place_of_the_quote(self) -> None:
        citer = Citer(store_of())
        citer.claim(whole("Pain fell."))
        (claim,) = citer.claims
        assert (claim.evidence_id, claim.start, claim.end) == ("E1", 0, 10)

    def test_hold_a_sentence_that_is_printed_twice_once(self) -> None:
        citer = Citer(store_of())
        for _ in range(2):
            citer.claim(whole("Pain fell."))
        assert len(citer.claims) == 1

    def test_hold_the_same_words_of_two_records_twice(self) -> None:
        citer = Citer(store_of(records=2))
        for evidence_id in ("E1", "E2"):
            citer.claim(whole("Pain fell.", evidence_id))
        assert [claim.evidence_id for claim in citer.claims] == ["E1", "E2"]

    def test_are_not_made_by_a_citation_alone(self) -> None:
        citer = Citer(store_of())
        citer.cite(["E1"])
        assert citer.claims == ()
