"""Puts the study behind a finding into a line of a prompt, alike for writer and verifier."""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Finding
from deepcritical.prompts.evidence import record_text

_FORGED = bounded(
    r"<(?=\s{0,20}/?\s{0,20}(?:quote|sentence|finding|record|study)s?\b)", re.IGNORECASE
)


def study_line(finding: Finding) -> str:
    """Return what is known of the study of a finding: its name, its design, who was studied."""
    told = (finding.study, finding.design, finding.population)
    return told_text("; ".join(part for part in told if part))


def told_text(text: str) -> str:
    """Return text that cannot end or begin a record, a quote or a sentence of its own."""
    return _FORGED.sub("(", record_text(text))
