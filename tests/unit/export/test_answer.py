"""The formats of an answer: each is written, and hostile text harms none."""

from __future__ import annotations

import json

import html5lib
import pytest

from deepcritical.domain.appraisal.checklist import Aspect, ChecklistItem, Coverage
from deepcritical.domain.report.answer import AnsweredItem, DeepAnswer
from deepcritical.domain.report.parts import Claim, Reference, ReportSection
from deepcritical.export.formats import ANSWER_FORMATS
from tests.unit.export.reports import IMPRINT
from tests.unit.export.test_hostile_text import CORPUS, LOADING, XHTML


def answer(text: str) -> DeepAnswer:
    """An answer whose every text of a record or a user is this one."""
    item = ChecklistItem(id="C1", aspect=Aspect.ANSWER, text="What?")
    reference = Reference(
        evidence_id="E1", title=text or "-", authors=(text,), text=text, note=text
    )
    return DeepAnswer(
        question=text,
        context=text,
        key_terms=(text,),
        scope_in=(text,),
        overview="- For a yes: 1 study [1].",
        sections=(ReportSection(title="What?", content="- Words of ours [1]."),),
        checklist=(
            AnsweredItem(item=item, coverage=Coverage.PARTIAL, reason=text, evidence_ids=("E1",)),
        ),
        references=(reference,),
        claims=(Claim(sentence="Words", evidence_id="E1", quote=text, start=0, end=len(text)),),
        sources_searched=(text,),
        notices=(text,),
        written_by=text,
    )


@pytest.mark.parametrize("text", CORPUS)
def test_nothing_of_a_record_runs_in_the_page(text: str) -> None:
    page = ANSWER_FORMATS["html"].render(answer(text), IMPRINT).decode()
    tree = html5lib.parse(page)
    assert not [tag for tag in LOADING if tree.find(f".//{XHTML}{tag}") is not None]
    assert not [e for e in tree.iter() if any(str(name).startswith("on") for name in e.attrib)]
    assert "\u202e" not in page


@pytest.mark.parametrize("suffix", ANSWER_FORMATS)
def test_every_format_of_an_answer_is_written(suffix: str) -> None:
    form = ANSWER_FORMATS[suffix]
    written = form.render(answer("Examplol"), IMPRINT)
    assert b"Examplol" in written
    if suffix == "json":
        fields = json.loads(written)
        assert fields.pop("run_id") == IMPRINT.run_id
        assert fields.pop("generated_at") == IMPRINT.generated_at.isoformat()
        assert DeepAnswer.model_validate(fields) == answer("Examplol")


def test_the_page_shows_the_checklist_and_marks_the_words_used() -> None:
    page = ANSWER_FORMATS["html"].render(answer("Examplol"), IMPRINT).decode()
    assert "What must be known" in page
    assert "<mark>Examplol</mark>" in page
    assert 'popovertarget="src-1"' in page
