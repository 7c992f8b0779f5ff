"""Records as a writer is shown them, and rows as findings."""

from __future__ import annotations

from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Appraisal, study_findings
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.by_model import _shown
from deepcritical.writing.sections.sources import ranked, sources_of
from deepcritical.writing.sentences.findings import findings_of
from tests.unit.appraisal.builders import (
    PLACEBO_CONTROLLED,
    arm,
    asked,
    finding,
    null,
    people,
    record,
    result,
    study,
    vote,
)


def test_a_record_is_shown_once_with_its_study_and_numbered_sentences() -> None:
    said = "Pain fell by a tenth, from 5 to 4."
    paper = record(content=f"Adults got examplol or placebo. {said}")
    read = study(result(sentences=(2,)), population=people(description="Adults", n_randomised=300))
    graded = grade(paper)
    weighed = {"E1": Appraisal.weighed(read_for(asked(), "E1", paper, read, graded), graded)}
    studies = study_findings(weighed, [["E1"]])
    told = sources_of("examplol", ["E9", "E1", "E1"], studies, {"E1": paper}, {"E1": read})
    assert [*told] == ["1.1", "1.2"]
    assert (told["1.1"].way, told["1.2"].way) == (None, Way.BENEFIT)
    assert told["1.2"].quotes == (said,)
    shown = _shown("Does it help?", "Possibly.", told, 9_000)
    assert shown.count("<record id=") == 1
    assert f"\n[1.2] {said}\n</record>" in shown
    assert "\nPossibly.\n" in shown
    assert shown.count("Adults") == 2  # of the study, and in its words


def test_a_retracted_record_and_one_without_a_text_are_not_shown() -> None:
    gone = record(content="Pain fell.", integrity="retracted")
    records = {"E1": gone, "E2": record(content=" "), "E3": record(content="Pain fell.")}
    told = sources_of("examplol", records, (), records, {})
    assert {i for one in told.values() for i in one.evidence_ids} == {"E3"}


def test_records_that_decide_go_first_and_then_those_that_name_most_of_the_question() -> None:
    store = EvidenceStore()
    texts = ("Examplol.", "Examplol in testitis.", "Testitis.", "Examplol, testamine, testitis.")
    keys = store.add(
        record(title=f"Study {n}", content=text, pmid=f"9900000{n}")
        for n, text in enumerate(texts, 1)
    )
    store.relevance = dict(zip(keys, (0.9, 0.1, 0.5, 0.2), strict=True))
    (one,) = [finding(vote(), key=keys[1])]
    asked_for = QuestionFrame(
        text="",
        kind=QuestionKind.COMPARISON,
        drugs=(Drug(name="examplol"),),
        comparators=("testamine",),
        condition=Condition(name="testitis", names=("testitis",)),
    )
    assert ranked([one], [keys[2]], {}, store, asked_for) == (
        *(keys[2], keys[1]),
        *(keys[3], keys[0]),
    )


def test_of_results_that_differ_each_is_quoted() -> None:
    said = (
        "Adults got examplol, testamine or placebo. Pain fell by a tenth. The flurb score did not "
        "change. With testamine it fell."
    )
    arms = (*PLACEBO_CONTROLLED, arm("C", "testamine"))
    other = result(a="C", sentences=(4,))  # of another arm
    paper = record(content=said)
    read = study(result(sentences=(2,)), null(sentences=(3,)), other, arms=arms)
    graded = grade(paper)
    weighed = {"E1": Appraisal.weighed(read_for(asked(), "E1", paper, read, graded), graded)}
    studies = study_findings(weighed, [["E1"]])
    told = findings_of("examplol", decide(studies), studies, {"E1": paper}, {"E1": read})
    assert told["F1"].way is Way.CONFLICT
    assert told["F1"].quotes == ("Pain fell by a tenth.", "The flurb score did not change.")
