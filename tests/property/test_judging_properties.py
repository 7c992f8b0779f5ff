"""Properties of judging, from made-up records to the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Appraisal, Direction, StudyFinding
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.grading import Grade, grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.reading.rules import read_by_rules
from deepcritical.reasoning.judging import clinical_score
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.domain.records import paper, study, trial

UNHURRIED = settings(deadline=None)
"""The first example waits until the dictionaries of drugs and conditions are read."""
THOROUGH = settings(UNHURRIED, max_examples=150)
"""For what costs little and fails in few bodies, such as large trials that all refute."""
DRUG = Drug(name="examplol", known=False)
CONDITION = Condition(name="testitis", names=("testitis",), known=False)
ASKED = asked_of(DRUG, CONDITION)
READ_AT = datetime(2999, 1, 1, tzinfo=UTC)
RANK = {label: rank for rank, label in enumerate(VerdictLabel)}
"""0 is the best label."""

STUDIES = st.builds(
    study,
    st.sampled_from(Direction),
    st.sampled_from([None, 1, 2, 3, 4, 5]),
    st.sampled_from([None, 20, 399, 400, 1000]),
    direct=st.booleans(),
)
BODIES = st.lists(STUDIES, max_size=6)


def speaking(levels: Sequence[int]) -> st.SearchStrategy[StudyFinding]:
    """A study of the condition that says something, of one of the levels."""
    told = st.sampled_from([d for d in Direction if d is not Direction.NONE])
    sizes = st.sampled_from([None, 20, 399, 400, 1000])
    return st.builds(study, told, st.sampled_from(levels), sizes, direct=st.just(True))


WEAKER = STUDIES.filter(lambda added: added.level not in (1, 2))
BESIDE = STUDIES.filter(lambda added: not added.direct or added.level in (None, 5))


class Judged(NamedTuple):
    """A verdict with what it rests on, whatever ids the records were given."""

    label: VerdictLabel
    certainty: Certainty
    score: int
    deciding: frozenset[frozenset[str]]
    studies: frozenset[tuple[frozenset[frozenset[str]], Direction, int | None]]
    grades: frozenset[tuple[frozenset[str], Grade]]


def judged(records: Sequence[Evidence]) -> Judged:
    """The records read, graded and judged as in a run, in the order in which they came."""
    store = EvidenceStore()
    for record in records:
        store.add([record])
    for key, record in store.evidence.items():
        graded = grade(record)
        reading = read_for(ASKED, key, record, read_by_rules(record, READ_AT), graded)
        store.add_appraisal(Appraisal(reading=reading, grade=graded))
    found = store.studies(DRUG.name)
    verdict = decide(found)
    ids = {key: canonical_ids(record) for key, record in store.evidence.items()}
    return Judged(
        verdict.label,
        verdict.certainty,
        clinical_score(found),
        frozenset(ids[key] for key in verdict.deciding_ids),
        frozenset(
            (frozenset(ids[key] for key in one.evidence_ids), one.direction, one.level)
            for one in found
        ),
        frozenset((ids[key], grade(record)) for key, record in store.evidence.items()),
    )


RESULTS = st.sampled_from(
    [
        "Examplol significantly improved symptoms of testitis compared with placebo.",
        "Examplol did not improve symptoms of testitis compared with placebo.",
        "Examplol worsened testitis compared with placebo.",
        "Testitis was seen often.",
    ]
)
TYPES = st.sampled_from(
    [
        "Randomized Controlled Trial",
        "Observational Study",
        "Case Reports",
        "Review",
        "Meta-Analysis",
    ]
)
SIZES = st.sampled_from([30, 500])
NUMBERS = st.integers(1, 4)


def made(number: int, kind: str, size: int, result: str) -> Evidence:
    return paper(
        f"Examplol in testitis, number {number}",
        f"METHODS: {size} patients with testitis were studied. RESULTS: {result}",
        pmid=f"9900000{number}",
        publication_types=(kind,),
    )


PAPERS = st.lists(
    st.builds(made, NUMBERS, TYPES, SIZES, RESULTS),
    max_size=4,
    unique_by=lambda record: record.metadata.pmid,
)


def stopped(number: int, why: str) -> Evidence:
    return trial(
        f"NCT9900000{number}",
        f"Randomised trial of examplol in testitis.\n\nWhy stopped: {why}",
        conditions=("Testitis",),
        interventions=("Examplol",),
        status="TERMINATED",
        why_stopped=why,
        enrollment=200,
    )


FAILED = st.builds(stopped, NUMBERS, st.sampled_from(["Futility", "Lack of efficacy", "Toxicity"]))
ENTRIES = st.lists(
    st.one_of(FAILED, st.builds(stopped, NUMBERS, st.just("Slow enrolment"))),
    max_size=2,
    unique_by=lambda record: record.metadata.nct_id,
)


@THOROUGH
@given(BODIES, speaking([1, 2]), WEAKER)
def test_weaker_evidence_never_raises_what_trials_allow(
    others: list[StudyFinding], trial_: StudyFinding, added: StudyFinding
) -> None:
    body = [*others, trial_]
    assert RANK[decide([*body, added]).label] >= RANK[decide(body).label]


@THOROUGH
@given(BODIES, speaking([1, 2, 3, 4]), BESIDE)
def test_indirect_or_mechanistic_evidence_never_raises_what_direct_evidence_allows(
    others: list[StudyFinding], direct: StudyFinding, added: StudyFinding
) -> None:
    body = [*others, direct]
    before, after = decide(body), decide([*body, added])
    assert RANK[after.label] >= RANK[before.label]
    assert set(before.caps) <= set(after.caps)


@UNHURRIED
@given(PAPERS, ENTRIES, FAILED)
def test_a_failed_trial_never_raises_score_or_verdict(
    papers: list[Evidence], entries: list[Evidence], failed: Evidence
) -> None:
    assume(failed.metadata.nct_id not in {e.metadata.nct_id for e in entries})
    before, after = judged([*papers, *entries]), judged([*papers, *entries, failed])
    assert after.score <= before.score
    if before.label is not VerdictLabel.INSUFFICIENT:
        assert RANK[after.label] >= RANK[before.label]
    else:
        assert after.label in (VerdictLabel.INSUFFICIENT, VerdictLabel.UNSUPPORTED)


@UNHURRIED
@given(PAPERS, NUMBERS, TYPES, SIZES, RESULTS)
def test_a_retracted_paper_neither_helps_nor_harms(
    papers: list[Evidence], number: int, kind: str, size: int, result: str
) -> None:
    record = made(number + 4, kind, size, result)
    types = (*record.metadata.publication_types, "Retracted Publication")
    retracted = record.model_copy(
        update={"metadata": record.metadata.model_copy(update={"publication_types": types})}
    )
    before, after = judged(papers), judged([*papers, retracted])
    assert (after.label, after.certainty, after.score) == (
        before.label,
        before.certainty,
        before.score,
    )
    assert after.deciding == before.deciding
    assert after.studies == before.studies


@UNHURRIED
@given(PAPERS, ENTRIES, st.data())
def test_the_order_of_arrival_does_not_change_the_result(
    papers: list[Evidence], entries: list[Evidence], data: st.DataObject
) -> None:
    records = [*papers, *entries]
    assert judged(data.draw(st.permutations(records))) == judged(records)


@UNHURRIED
@given(PAPERS, st.data())
def test_the_order_of_a_paper_s_two_records_does_not_change_the_result(
    papers: list[Evidence], data: st.DataObject
) -> None:
    """One work comes from two sources: without its text from one, with more ids from the other."""
    doubled = [
        record.model_copy(
            update={
                "content": "",
                "metadata": record.metadata.model_copy(update={"doi": f"10.9999/{n}"}),
            }
        )
        for n, record in enumerate(papers)
    ]
    records = [*papers, *doubled]
    assert judged(data.draw(st.permutations(records))) == judged(records)
