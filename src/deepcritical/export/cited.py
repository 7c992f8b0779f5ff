"""Sentences and studies with the numbers of the references that they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from deepcritical.domain.brief import DecidingStudy, TrialUnderWay
from deepcritical.domain.markdown import visible
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Reference
from deepcritical.domain.sentences import Sentence
from deepcritical.export.prose import chip

_STOPS = ".!?"
_ORIGINS = {"template": "written by rules from typed results", "quote": "a record's own words"}


class Cited(NamedTuple):
    """A sentence in the pieces in which it is printed."""

    text: str
    """Without its stop."""
    numbers: tuple[int, ...]
    stop: str


def numbers_of(evidence_ids: Sequence[str], references: Sequence[Reference]) -> tuple[int, ...]:
    """Return the places of the records in the list of references, from 1."""
    return tuple(n for n, r in enumerate(references, 1) if r.evidence_id in evidence_ids)


def cited(sentences: Sequence[Sentence], references: Sequence[Reference]) -> Iterator[Cited]:
    """Return each sentence with the numbers that stand before its stop."""
    for sentence in sentences:
        text = sentence.text.rstrip()
        stop = text[-1] if text.endswith(tuple(_STOPS)) else "."
        yield Cited(text.rstrip(_STOPS), numbers_of(sentence.evidence_ids, references), stop)


def cited_html(sentences: Sequence[Sentence], references: Sequence[Reference]) -> str:
    """Return the sentences as safe HTML with a citation chip for each record."""
    return " ".join(
        escape(visible(text)) + _chips(numbers, references) + stop
        for text, numbers, stop in cited(sentences, references)
    )


def how_checked(sentence: Sentence) -> str:
    """Return who wrote a sentence and which checks it passed, in words."""
    wrote = _ORIGINS.get(sentence.origin) or f"written by {sentence.written_by or 'a model'}"
    passed = [
        f"{check.name} ({check.by})" if check.by else check.name
        for check in sentence.checks
        if check.passed
    ]
    return f"{wrote}; checked: {', '.join(passed)}" if passed else wrote


def study_facts(study: DecidingStudy) -> str:
    """Return design, size and comparator of a study."""
    people = f"{study.people:,} people" if study.people else ""
    against = f"against {study.comparator}" if study.comparator else ""
    return ", ".join(filter(None, (study.design, people, against)))


def trial_facts(trial: TrialUnderWay) -> str:
    """Return registry id, status, size and end of a trial."""
    people = f"{trial.participants:,} people" if trial.participants else ""
    ends = f"completion expected {trial.completion}" if trial.completion else ""
    return ", ".join(filter(None, (trial.registry_id, trial.status, people, ends)))


def study_name(evidence_ids: Sequence[str], report: ResearchReport) -> str:
    """Return the short name of the study that these records report; '' if none is cited."""
    for study in report.study_table:
        if set(study.evidence_ids) & set(evidence_ids):
            return study.name
    return next((r.short_name for r in report.references if r.evidence_id in evidence_ids), "")


def _chips(numbers: Sequence[int], references: Sequence[Reference]) -> str:
    return f" {''.join(chip(n, references) for n in numbers)}" if numbers else ""
