"""The evidence table of a report, from what was read and graded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deepcritical.domain.appraisal.evidence_table import DrugStance, EvidenceRow, VerdictRole
from deepcritical.domain.appraisal.findings import Appraisal
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import classify_stop
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.parts import DrugCandidate, Reference
from deepcritical.services.evidence_store import EvidenceStore


def evidence_rows(
    store: EvidenceStore, references: Iterable[Reference], candidates: Sequence[DrugCandidate]
) -> tuple[EvidenceRow, ...]:
    """A row for each reference that has a record in the store, in the order of the references.

    Args:
        store: The run's store.
        references: Those of the report.
        candidates: The drugs of the report with their verdicts.
    """
    cited = [r for r in references if r.evidence_id in store.evidence]
    others = _same_study(store, [r.evidence_id for r in cited])
    return tuple(
        _row(
            store.evidence[r.evidence_id],
            r.evidence_id,
            _stances(store, r, candidates),
            others[r.evidence_id],
        )
        for r in cited
    )


def _same_study(store: EvidenceStore, cited: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For each evidence id the others of its study."""
    study_of = store.study_of
    return {
        i: tuple(other for other in cited if other != i and study_of[other] == study_of[i])
        for i in cited
    }


def _row(
    record: Evidence,
    evidence_id: str,
    stances: tuple[DrugStance, ...],
    same_study: tuple[str, ...],
) -> EvidenceRow:
    graded, meta = grade(record), record.metadata
    why = meta.why_stopped or ""
    return EvidenceRow(
        evidence_id=evidence_id,
        design=graded.design.value,
        level=graded.level,
        design_from_text=graded.from_text,
        certainty=graded.certainty.value if graded.certainty else "",
        certainty_reasons=graded.certainty_reasons,
        quality=graded.quality,
        participants=graded.participants,
        planned=meta.planned_enrollment,
        stances=stances,
        status=meta.status or "",
        phase=meta.phase or "",
        why_stopped=why,
        stop_class=meta.stop_class or (classify_stop(why) if why else None),
        has_results=meta.has_results,
        same_study=same_study,
        integrity="retracted" if graded.retracted else meta.integrity,
    )


def _stances(
    store: EvidenceStore, reference: Reference, candidates: Sequence[DrugCandidate]
) -> tuple[DrugStance, ...]:
    read = (
        (candidate, store.appraisals(candidate.name).get(reference.evidence_id))
        for candidate in candidates
    )
    return tuple(
        DrugStance(
            drug=candidate.name,
            direction=appraisal.reading.direction,
            direct=appraisal.reading.direct,
            role=_role(appraisal, candidate),
            why=appraisal.reading.remark,
        )
        for candidate, appraisal in read
        if appraisal and appraisal.reading.included
    )


def _role(appraisal: Appraisal, candidate: DrugCandidate) -> VerdictRole:
    if appraisal.evidence_id in candidate.verdict.deciding_ids:
        return VerdictRole.DECIDES
    return VerdictRole.COUNTS if appraisal.counts else VerdictRole.RETRACTED
