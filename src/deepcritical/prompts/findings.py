"""Puts a finding into lines of a prompt, alike for its writer and its verifier."""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Finding
from deepcritical.prompts.evidence import record_text

_FORGED = bounded(r"<(?=\s{0,3}/?\s{0,3}(?:quote|sentence|finding)s?\b)", re.IGNORECASE)
_FITTING = {"broader": "not all of them", "related": "no, they have another condition"}


def finding_lines(finding: Finding, told: dict[str, str] | None = None) -> list[str]:
    """Return what is known of a finding, a field a line, without its quotes.

    With `told`, the studies so far with the ids of their first findings, one that was told of is
    told by name and that id.
    """
    study = {
        "design": finding.design,
        "people": finding.population,
        "people in this result": f"{finding.people:,}" if finding.people and finding.study else "",
    }
    first = told.setdefault(f"{finding.study} {study}", finding.id) if told is not None else ""
    known = finding.study and first and first != finding.id
    fields = {
        "study": f"{finding.study}, as in {first}" if known else finding.study,
        **({} if known else study),
        "people fit the question": _FITTING.get(finding.directness, ""),
        "compared with": finding.comparator,
        "finding": finding.sentence,
        "time": finding.timepoint,
        "rank": finding.level,
    }
    return [f"{name}: {told_text(value)}" for name, value in fields.items() if value]


def told_text(text: str) -> str:
    """Return text that cannot end or begin a finding, a quote or a sentence of its own."""
    return _FORGED.sub("(", record_text(text))
