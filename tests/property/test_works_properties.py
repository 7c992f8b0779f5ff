"""A run's knowledge of a work does not depend on which source was heard first."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.services.evidence_store import EvidenceStore

METADATA = st.fixed_dictionaries(
    {},
    optional={
        "pmid": st.sampled_from(["1", "2"]),
        "doi": st.sampled_from(["10.9999/made.1", "10.9999/made.2"]),
        "pmcid": st.sampled_from(["PMC1", "PMC2"]),
        "journal": st.sampled_from(["J Made-Up Rec", "Made-Up Lett"]),
        "integrity": st.sampled_from(["clean", "concern", "retracted"]),
        "publication_types": st.sampled_from([("Review",), ("Letter", "Comment")]),
        "text_kind": st.sampled_from(["abstract", "summary"]),
        "cited_by": st.integers(0, 2),
        "allocation": st.sampled_from(["RANDOMIZED", "NA"]),
    },
)
CITATIONS = st.builds(
    Citation,
    source=st.sampled_from(["pubmed", "europepmc", "doi"]),
    title=st.sampled_from(["Examplol", "Examplol: a trial", "Retracted: Examplol"]),
    date=st.sampled_from(["", "2998", "2999-01-01"]),
    authors=st.sampled_from([(), ("Ada Invented",)]),
)
RECORDS = st.builds(
    Evidence,
    content=st.sampled_from(["", "Pain fell.", "Pain rose.", "Pain fell in testitis."]),
    citation=CITATIONS,
    relevance_score=st.sampled_from([0.0, 0.5, 1.0]),
    metadata=METADATA.map(EvidenceMetadata.model_validate),
)


def merged(*answers: list[Evidence]) -> Counter[str]:
    """Count the records that a store holds in the end, whatever their keys."""
    store = EvidenceStore()
    for answer in answers:
        store.add(answer)
    return Counter(record.model_dump_json() for record in store.evidence.values())


@given(st.lists(RECORDS, min_size=2, max_size=6), st.data())
def test_neither_order_nor_repetition_of_records_changes_a_merged_record(
    records: list[Evidence], data: st.DataObject
) -> None:
    expected = merged(records)
    assert merged(*([record] for record in data.draw(st.permutations(records)))) == expected
    assert merged(records, records[::-1]) == expected


@given(st.lists(RECORDS, min_size=1, max_size=6))
def test_every_id_given_out_finds_all_that_was_known_under_it(records: list[Evidence]) -> None:
    store = EvidenceStore()
    known: dict[str, Evidence] = {}
    for record in records:
        store.add([record])
        known |= store.evidence
        for key, former in known.items():
            found = store.evidence[key]
            links = canonical_ids(found) | set(found.metadata.linked_ids)
            titled = {i for i in canonical_ids(former) if i.startswith("title:")}
            assert links >= canonical_ids(former) - titled
            assert len(found.content) >= len(former.content)


@given(st.lists(RECORDS, min_size=1, max_size=6))
def test_no_two_records_of_a_run_share_an_id(records: list[Evidence]) -> None:
    store = EvidenceStore()
    store.add(records)
    ids = Counter(i for record in store.evidence.values() for i in canonical_ids(record))
    assert all(count == 1 for count in ids.values())
