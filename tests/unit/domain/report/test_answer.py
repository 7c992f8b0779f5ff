from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.checklist import Aspect, ChecklistItem, Coverage
from deepcritical.domain.evidence.record import SourceName
from deepcritical.domain.report.answer import AnsweredItem, DeepAnswer
from deepcritical.domain.report.parts import Claim, Reference, ReportSection
from deepcritical.domain.run.events import StopReason

QUOTE = "Examplol improved testitis."


def answered(number: int, coverage: Coverage) -> AnsweredItem:
    item = ChecklistItem(id=f"C{number}", aspect=Aspect.ANSWER, text=f"What of {number}?")
    return AnsweredItem(item=item, coverage=coverage, reason="it is so", evidence_ids=("E1",))


def answer(source: SourceName = "pubmed", **changes: object) -> DeepAnswer:
    reference = Reference(
        evidence_id="E1",
        title="Made\u202e up",
        source=source,
        url="https://example.org/1",
        ids=("pmid:99000001",),
        text=f"Some words. {QUOTE}",
    )
    fields = {
        "question": "Does examplol help?",
        "overview": "- The strongest studies that take a side speak for a yes [1].",
        "sections": (ReportSection(title="What?", content=f"- “{QUOTE}” [1]."),),
        "checklist": (
            answered(1, Coverage.SATISFIED),
            answered(2, Coverage.PARTIAL),
            answered(3, Coverage.UNSATISFIED),
        ),
        "limitations": ("Read were titles.",),
        "references": (reference,),
        "claims": (Claim(sentence=QUOTE, evidence_id="E1", quote=QUOTE, start=12, end=39),),
        "search_iterations": 2,
        "stop_reason": StopReason.NO_NEW_EVIDENCE,
    }
    return DeepAnswer.model_validate(fields | changes)


def test_the_tool_gets_exactly_what_its_interface_says() -> None:
    output = answer().tool_output("trace").model_dump()
    assert list(output) == [
        "trace_id",
        "answer",
        "sources",
        "checklist_coverage",
        "iterations_used",
        "status",
    ]
    assert output["trace_id"] == "trace"
    assert output["iterations_used"] == 2
    assert output["sources"] == (
        {
            "id": "src_1",
            "type": "pubmed",
            "title": "Made up",
            "url": "https://example.org/1",
            "snippet": QUOTE,
        },
    )
    assert output["checklist_coverage"]["satisfied"] == ("What of 1?",)
    assert [gap.partition(":")[0] for gap in output["checklist_coverage"]["gaps"]] == [
        "What of 2? Partial",
        "What of 3? Unsatisfied",
    ]


def test_the_answer_of_the_tool_has_its_markers_gaps_and_limitations() -> None:
    text = answer().answer
    assert f"“{QUOTE}” [1]." in text
    assert "## Gaps\n\n- What of 2?" in text
    assert "## Limitations\n\n- Read were titles." in text


@pytest.mark.parametrize("reason", StopReason)
def test_only_the_limit_of_rounds_is_a_status_of_its_own(reason: StopReason) -> None:
    status = answer(stop_reason=reason).tool_output("t").status
    limit = reason is StopReason.MAX_ITERATIONS
    assert status == ("max_iterations_reached" if limit else "completed")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("pubmed", "pubmed"),
        ("clinicaltrials", "clinicaltrials"),
        ("registry", "clinicaltrials"),
        ("europepmc", "europepmc"),
        ("doi", "web"),
        ("web", "web"),
    ],
)
def test_every_source_has_a_type(source: SourceName, kind: str) -> None:
    assert answer(source).tool_output("t").sources[0].type == kind


def test_the_markdown_shows_the_checklist_with_what_covers_it() -> None:
    text = answer().to_markdown()
    assert "| What of 1? | satisfied | it is so | [1] |" in text
    assert "ended by no new evidence" in text
