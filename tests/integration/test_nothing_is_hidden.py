"""No record that bears on the question is left out of the report."""

from __future__ import annotations

import re

import pytest

from deepcritical import research

QUESTIONS = (
    "Can metformin be repurposed for Alzheimer's disease?",
    "Does metformin slow Alzheimer's through AMPK and tau?",
    "What could be repurposed for Alzheimer's disease?",
)


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_included_record_is_a_reference_or_named_as_unused(question: str) -> None:
    report = research(question, snapshot="demo")
    assert report.references
    cited = {reference.title for reference in report.references}
    listed = report.methodology.content.split("Retrieved but not used:")[-1]
    more = [int(n) for n in re.findall(r"^- and (\d+) more$", listed, re.MULTILINE)]
    unused = listed.count("\n- ") + sum(more) - len(more)
    assert len(cited) + unused == report.total_papers_reviewed
