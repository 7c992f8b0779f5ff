"""A verdict agrees with the text and the table that a model wrote on it."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.proposals import held_to_show, judged_alike
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.brief import ToldRow
from deepcritical.domain.report.sentences import Sentence, row_text
from deepcritical.writing.sentences.synthesis import as_told_by
from tests.unit.appraisal.body.test_verdict import TIGHT
from tests.unit.appraisal.builders import findings, vote
from tests.unit.writing.sentences.test_brief import told


def _row(key: str, level: str, result: str = "lower with flurbol") -> ToldRow:
    cells = ("flurb score", "placebo", "1 trial")
    text = row_text(cells, result)
    rated = Certainty(level)
    said = Sentence(text=text, evidence_ids=(key,), origin="model", cells=cells, rated=rated)
    return ToldRow(said=said, certainty=rated)


def _opening(shows: VerdictLabel | None) -> Sentence:
    return Sentence(text="So.", evidence_ids=("E1",), origin="model", opens=True, shows=shows)


@pytest.mark.parametrize(
    ("people", "level", "shows", "label"),
    [
        (20, "very low", VerdictLabel.INSUFFICIENT, "insufficient evidence"),
        (20, "very low", VerdictLabel.PROMISING, "promising"),
        (20, "very low", None, "promising"),
        (20, "very low", VerdictLabel.REFUTED, "promising"),  # no result shows that
        (900, "moderate", VerdictLabel.UNSUPPORTED, "promising"),
    ],
)
def test_a_verdict_agrees_with_what_its_text_comes_to_as_far_as_results_bear_it(
    people: int, level: str, shows: VerdictLabel | None, label: str
) -> None:
    own = told(Way.BENEFIT, "flurb score").model_copy(update={"matched": True, "people": people})
    held = {"proposed": VerdictLabel.PROMISING, "rated": Certainty(level)}
    studies = [s.model_copy(update=held) for s in findings(own)]
    verdict = decide(as_told_by(studies, decide(studies), (), [_opening(shows)]))
    assert verdict.label == label


@pytest.mark.parametrize(
    ("shows", "label"),
    [
        (VerdictLabel.REFUTED, "unsupported"),
        (VerdictLabel.SUPPORTED, "promising"),
        (VerdictLabel.MIXED, "mixed"),
        (VerdictLabel.HARMFUL, "harmful"),
        (VerdictLabel.INSUFFICIENT, "insufficient evidence"),
    ],
)
def test_where_rules_leave_it_open_a_row_of_the_table_bears_a_text_out(
    shows: VerdictLabel, label: str
) -> None:
    (study,) = findings(told(Way.BENEFIT, "flurb score"))
    studies = [study.model_copy(update={"votes": ()})]
    open_by_rule = decide(studies)
    assert open_by_rule.label == "insufficient evidence"
    (key,) = study.evidence_ids
    as_read = as_told_by(studies, open_by_rule, [_row(key, "moderate")], [_opening(shows)])
    verdict = decide(as_read)
    assert verdict.label == label
    assert verdict.certainty == ("very low" if label == "insufficient evidence" else "low")
    without_table = as_told_by(studies, open_by_rule, (), [_opening(shows)])
    assert decide(without_table).label == "insufficient evidence"
    null = [_row(key, "moderate", "no difference")]
    beside_null = as_told_by(studies, open_by_rule, null, [_opening(shows)])
    is_told = label in ("unsupported", "mixed")
    assert decide(beside_null).label == (label if is_told else "insufficient evidence")
    assert decide(judged_alike(studies, as_read)) == verdict


@pytest.mark.parametrize(
    ("own", "sure", "weaker"),
    [
        (vote(people=900), "supported", VerdictLabel.PROMISING),
        (TIGHT, "refuted", VerdictLabel.UNSUPPORTED),
    ],
)
def test_of_one_direction_the_weaker_label_holds(
    own: Vote, sure: str, weaker: VerdictLabel
) -> None:
    studies = findings(own, own)
    assert decide(studies).label == sure
    verdict = decide(held_to_show(studies, weaker, (), None))
    assert verdict.label == weaker
    assert verdict.certainty == "moderate"


@pytest.mark.parametrize(
    ("level", "shown"), [("high", "low"), ("low", "low"), ("very low", "very low")]
)
def test_no_verdict_is_very_uncertain_beside_rows_that_are_not(level: str, shown: str) -> None:
    (study,) = findings(vote(tier="controlled", people=20))
    assert decide([study]).certainty == "very low"
    assert decide([study.model_copy(update={"told_as": Certainty(level)})]).certainty == shown


def test_what_an_unmatched_study_lacks_is_taken_from_the_next_one() -> None:
    studies = findings(vote(people=20), vote(people=20))
    held = [studies[0], studies[1].model_copy(update={"proposed": VerdictLabel.INSUFFICIENT})]
    seen = [held[0].model_copy(update={"told_as": Certainty.LOW}), held[1]]
    assert {s.proposed for s in judged_alike(studies, seen)} == {VerdictLabel.INSUFFICIENT}
    assert {s.told_as for s in judged_alike(studies, seen)} == {Certainty.LOW}


def test_a_grave_harm_beside_a_benefit_is_not_written_away() -> None:
    dead = {"is_grave": True, "people": 300}
    studies = findings(vote(people=20), told(Way.HARM, "mortality").model_copy(update=dead))
    assert (decide(studies).label, decide(studies).certainty) == ("mixed", "low")
    for label in (VerdictLabel.INSUFFICIENT, VerdictLabel.UNSUPPORTED):
        assert decide(held_to_show(studies, label, (), None)).label == "mixed"


def test_a_least_certain_benefit_is_not_told_over_a_text_and_a_row_that_found_none() -> None:
    (study,) = findings(vote(tier="controlled", people=20))
    by_rule = decide([study])
    assert (by_rule.label, by_rule.certainty) == ("promising", "very low")
    (key,) = study.evidence_ids
    rows = [_row(key, "low", "no significant difference")]
    for given, label in ((rows, "unsupported"), ([], "promising")):
        shown = [_opening(VerdictLabel.UNSUPPORTED)]
        assert decide(as_told_by([study], by_rule, given, shown)).label == label
