"""One record's word for or against the drug, and the remark where no sentence bears it."""

from __future__ import annotations

from typing import Literal

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import Asked, asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Appraisal, Remark, study_findings
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.study.reading import Reader
from deepcritical.questions.reading import read_frame
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import row_sentence
from tests.unit.appraisal.builders import CONDITION, DRUG, arm, asked, people, record, result, study


def test_a_stop_that_only_the_registry_field_tells_is_explained() -> None:
    entry = Evidence(
        content="Adults with testitis get examplol or placebo.",
        citation=Citation(source="clinicaltrials", title="Examplol in testitis"),
        metadata=EvidenceMetadata(
            kind="trial",
            status="TERMINATED",
            why_stopped="Futility at the interim analysis",
            conditions=(CONDITION,),
            interventions=(DRUG,),
        ),
    )
    read = read_for(asked(), "E1", entry, study(), grade(entry))
    assert [vote.row for vote in read.votes] == ["stopped early"]
    weighed = {"E1": Appraisal.weighed(read, grade(entry))}
    (row,) = outcome_rows(study_findings(weighed, (("E1",),)))
    assert row_sentence(row, DRUG).startswith("A trial of examplol was stopped early for futility")
    assert [vote_words(vote) for vote in read.votes] == ["Stopped early for futility."]
    assert (read.supporting, read.refuting, read.remark) == ((), (), Remark.COUNTED)


UNREAD = study(reader=Reader(kind="rules", name="1"))


@pytest.mark.parametrize(
    ("question", "text", "is_missed"),
    [
        (asked(), "It was a trial.", True),
        (asked(comparators=frozenset({"aspirin"})), "It was compared with aspirin.", True),
        (asked(comparators=frozenset({"aspirin"})), "It was compared with placebo.", False),
        (asked(outcomes=("mortality",)), "Nobody died.", True),
        (asked(outcomes=("mortality",)), "Pain was less.", False),
        (asked(outcomes=("flurbing",)), "Pain was less.", True),
    ],
)
def test_a_trial_that_no_rule_reads_is_missed_where_it_may_answer(
    question: Asked, text: str, is_missed: bool
) -> None:
    paper = record(content=text)
    read = read_for(question, "E1", paper, UNREAD, grade(paper))
    assert (read.unclear, read.unread) == (True, is_missed)


@pytest.mark.parametrize(
    ("reader", "label"), [("rules", "not assessed"), ("model", "insufficient evidence")]
)
def test_nothing_is_called_insufficient_that_rules_alone_have_read(
    reader: Literal["rules", "model"], label: str
) -> None:
    """They read a part of what a study tells: here a harm, and no result on what was asked."""
    told = result("nausea", kind="safety", level="secondary")
    by = Reader(kind=reader, name="1")
    reading = study(told, reader=by)
    graded = grade(record())
    found = read_for(asked(), "E1", record(), reading, graded)
    assert found.votes
    weighed = {"E1": Appraisal.weighed(found, graded)}
    assert decide(study_findings(weighed, (("E1",),))).label.value == label


VERSUS = asked(comparators={"aspirin": "aspirin"})


@pytest.mark.parametrize(
    ("question", "arms", "title", "is_missed"),
    [
        (asked(), (DRUG, "warfarin"), "", False),
        (asked(), (DRUG, "warfarin"), " against placebo", True),
        (asked(), (DRUG, "warfarin"), " and warfarin or warfarin alone", True),
        (asked(), (DRUG, ""), "", True),
        (asked(on_harm=True), (DRUG, "warfarin"), "", True),
        (asked(), ("warfarin", "aspirin"), "", True),
        (VERSUS, (DRUG, "warfarin"), "", False),
        (VERSUS, (DRUG, "warfarin"), " and aspirin", True),
        (VERSUS, (DRUG, "aspirin"), "", True),
    ],
)
def test_a_trial_against_what_nobody_asked_about_is_not_missed(
    question: Asked, arms: tuple[str, str], title: str, is_missed: bool
) -> None:
    one, other = (arm(key, *filter(None, [name])) for key, name in zip("AB", arms, strict=True))
    paper = record(f"Examplol{title} in testitis", "Aspirin is known. Adults got a drug.")
    reading = UNREAD.model_copy(update={"arms": (one, other)})
    read = read_for(question, "E1", paper, reading, grade(paper))
    assert (read.unclear, read.unread) == (True, is_missed)


@pytest.mark.parametrize(
    ("kind", "species", "counts"),
    [("trial", "human", False), ("animal", "mouse", True), ("trial", "dog", True)],
)
def test_what_is_asked_of_animals_is_not_told_by_people(
    kind: str, species: str, counts: bool
) -> None:
    frame = read_frame("Does zinc help mice with gout?")
    question = asked()._replace(population=frame.population)
    reading = study(result(), kinds=(kind,), population=people(species=species))
    read = read_for(question, "E1", record(), reading, grade(record()))
    assert (not read.excluded_because, read.votes) == (counts, ())


@pytest.mark.parametrize("drug", ["zinc", "gold", "green tea", "cranberry"])
def test_the_words_of_the_question_name_the_drug_in_a_record(drug: str) -> None:
    question = asked_of(Drug(name=drug), Condition(name=CONDITION, names=(CONDITION,)))
    paper = record(title=f"A trial of {drug} in testitis", content=f"Adults got {drug}.")
    assert not read_for(question, "E1", paper, UNREAD, grade(paper)).excluded_because
    other = record(title="A trial of copper in testitis", content="Adults got copper.")
    assert read_for(question, "E1", other, UNREAD, grade(other)).excluded_because
