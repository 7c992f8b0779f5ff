"""Lists the trials on a question that are under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepcritical.domain.appraisal import Appraisal, StudyFinding
from deepcritical.domain.brief import TrialUnderWay
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.record_kinds import is_current, is_under_way, told_status
from deepcritical.writing.studies import short_name


def trials_under_way(
    studies: Sequence[StudyFinding],
    evidence: Mapping[str, Evidence],
    appraisals: Mapping[str, Appraisal],
    today: str,
) -> tuple[TrialUnderWay, ...]:
    """Return the registered trials that run and report nothing yet, the largest first.

    Args:
        studies: Of one drug.
        evidence: The records.
        appraisals: Of the drug, by evidence id.
        today: ISO date; a trial whose planned end is before it is not under way.
    """
    reported = {i for s in studies if s.votes for i in s.evidence_ids}
    registered = [
        (i, evidence[i])
        for i, appraisal in appraisals.items()
        if appraisal.reading.included and evidence[i].metadata.kind == "trial"
    ]
    found = [
        _trial(i, record)
        for i, record in registered
        if i not in reported and _may_report(record, today)
    ]
    return tuple(sorted(found, key=lambda trial: -(trial.participants or 0)))


def _may_report(record: Evidence, today: str) -> bool:
    """Return whether a trial is under way; an old copy's status counts where an end is planned."""
    dated = is_current(record) or bool(record.metadata.completion_date)
    return dated and is_under_way(record, today)


def _trial(evidence_id: str, record: Evidence) -> TrialUnderWay:
    meta = record.metadata
    return TrialUnderWay(
        registry_id=meta.nct_id or short_name(record),
        title=record.citation.title,
        status=told_status(record),
        participants=meta.planned_enrollment or meta.enrollment,
        completion=meta.completion_date or "",
        evidence_id=evidence_id,
    )
