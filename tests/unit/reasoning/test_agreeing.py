"""A report that tells another verdict than its own, a figure that cites nothing, a wrong place."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.ledger import EntryKind
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.verdict import Certainty, Verdict, VerdictLabel
from deepcritical.reasoning.auditing import audit
from tests.unit.domain.records import CONTENT, QUOTE, claim, paper, reference, report
from tests.unit.reasoning.test_report_parts import report_of

FAVOURABLE = (
    "RESULTS: 300 adults with testitis were randomised to examplol or placebo. "
    "Pain was lower with examplol than with placebo in testitis (p = 0.01)."
)


def found(told: ResearchReport) -> list[EntryKind]:
    return [entry.kind for entry in audit(told).failed]


@pytest.fixture(scope="module")
def told() -> ResearchReport:
    return report_of(paper("Examplol in testitis", FAVOURABLE, pmid="99001"))


def changed_verdict(told: ResearchReport, **changes: Any) -> ResearchReport:
    return told.model_copy(update={"verdict": told.verdict.model_copy(update=changes)})


class TestTheVerdict:
    def test_agrees_wherever_it_is_told(self, told: ResearchReport) -> None:
        assert told.verdict.label is VerdictLabel.PROMISING
        assert found(told) == []

    @pytest.mark.parametrize(
        ("field", "old", "new"),
        [
            ("executive_summary", "Possibly: early", "Yes: strong"),
            ("executive_summary", "low certainty", "high certainty"),
            ("conclusion", "without proof", "beyond doubt"),
            ("conclusion", " is low: ", " is high: "),
        ],
    )
    def test_is_not_told_otherwise_in_words(
        self, told: ResearchReport, field: str, old: str, new: str
    ) -> None:
        text = getattr(told, field)
        assert old in text
        changed = told.model_copy(update={field: text.replace(old, new)})
        assert found(changed)

    def test_cites_the_records_that_decided(self, told: ResearchReport) -> None:
        other = reference(paper("Another", "Nothing.", pmid="99002"), evidence_id="E9")
        changed = told.model_copy(
            update={
                "references": (*told.references, other),
                "conclusion": told.conclusion.replace("[1]", "[2]"),
            }
        )
        assert EntryKind.VERDICT in found(changed)

    @pytest.mark.parametrize(
        "changes",
        [
            {"label": VerdictLabel.SUPPORTED},
            {"certainty": Certainty.HIGH},
            {"deciding_ids": ()},
        ],
    )
    def test_is_that_of_its_rule_its_words_and_its_candidate(
        self, told: ResearchReport, changes: dict[str, Any]
    ) -> None:
        assert EntryKind.VERDICT in found(changed_verdict(told, **changes))

    def test_a_rule_gives_one_label_only(self) -> None:
        rule = "No record bears on the question."
        false = Verdict(label=VerdictLabel.REFUTED, certainty=Certainty.VERY_LOW, rule=rule)
        assert found(report(verdict=false)) == [EntryKind.VERDICT]

    def test_goes_with_its_confidence(self) -> None:
        assert found(report(confidence_score=0.8)) == [EntryKind.VERDICT]


class TestFigures:
    @pytest.mark.parametrize(
        "text",
        ["Examplol cured 4711 people.", "Pain fell.\n\n- It fell by 12.5%, as was hoped."],
    )
    def test_about_the_evidence_cite_a_record(self, text: str) -> None:
        assert found(report(text)) == [EntryKind.UNCITED]

    @pytest.mark.parametrize("text", ["**IL-6 → BACE1**", "Does it help in COVID-19?", "Cats fly."])
    def test_are_no_part_of_a_name(self, text: str) -> None:
        assert found(report(text)) == []

    def test_in_the_name_of_the_condition_are_none(self) -> None:
        text = "**Does examplol help in type 2 testitis?**"
        assert found(report(text, title="Examplol for type 2 testitis")) == []
        assert found(report(text, title="Examplol for testitis")) == [EntryKind.UNCITED]


RECORD = paper(pmid="99000001")


def test_a_quote_stands_at_its_offsets() -> None:
    start = CONTENT.find(QUOTE) + 3
    moved = claim().model_copy(update={"start": start, "end": start + len(QUOTE)})
    told = report(f"{QUOTE} [1]", reference(RECORD, evidence_id="E1"), claims=(moved,))
    assert found(told) == [EntryKind.PLACE]


@pytest.mark.parametrize(
    ("record", "kinds"),
    [
        pytest.param(RECORD, [], id="the same"),
        pytest.param(paper("Cats fly", pmid="99000001"), [EntryKind.REFERENCE], id="another title"),
    ],
)
def test_a_reference_has_the_title_of_its_record(record: Evidence, kinds: list[EntryKind]) -> None:
    told = report("", reference(RECORD, evidence_id="E1"))
    assert [e.kind for e in audit(told, [record]).failed] == kinds
