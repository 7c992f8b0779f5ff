"""Describes studies for people: names, designs, comparators, and the table of studies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from deepcritical.appraisal.votes.main_vote import first_of
from deepcritical.domain.appraisal.findings import Appraisal, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import NOT_STATED, Importance, Vote
from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.brief import StudyRow
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.study.reading import Arm, StudyKind, StudyReading
from deepcritical.domain.text.spans import capitalised
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import CONTROL

_BY_WEIGHT: tuple[Importance, ...] = ("critical", "important", "surrogate", "harm")
_MASKED = {"double_blind": "double-blind", "single_blind": "single-blind", "open_label": "open"}
_KINDS: dict[StudyKind, str] = {
    "systematic_review": "systematic review",
    "pooled_analysis": "pooled analysis",
    "narrative_review": "narrative review",
    "guideline": "guideline",
    "protocol": "study protocol",
    "trial": "trial",
    "observational": "observational study",
    "pharmacokinetic": "pharmacokinetic study",
    "economic": "economic study",
    "case_report": "case report",
    "animal": "animal study",
    "in_vitro": "laboratory study",
}
"""Kinds of study by name; of several the first is told."""
_AS_GRADED = (Design.PROTOCOL, Design.REGISTERED_TRIAL)
_GRADED: dict[StudyKind, tuple[Design, ...]] = {
    "systematic_review": (
        Design.REVIEW_OF_RCTS,
        Design.REVIEW_OF_COHORTS,
        Design.REVIEW_UNSTATED,
        Design.REVIEW_WITH_ANIMALS,
    ),
    "trial": (Design.RCT, Design.NON_RANDOMISED_TRIAL),
    "observational": (Design.COHORT, Design.CASE_CONTROL),
}
"""Designs by which a kind of study is graded, and that say more of it."""
_MOST_ARMS = 5
_COMPARED = 2
"""Arms that one result compares: of more, not all people of a study are behind it."""
_NARRATIVE = "a narrative review, which weighs nothing beside studies"


def short_name(record: Evidence) -> str:
    """Return how running text calls a record, such as Koenig 2017, ACTT-2 2021 or PMID 123."""
    return build_reference_from_evidence(record).short_name


def study_name(study: StudyFinding, evidence: Mapping[str, Evidence], lead: str = "") -> str:
    """Return the name of a study: that of a publication, else of its registry entry.

    Args:
        study: One study with its records.
        evidence: The records.
        lead: The record whose result is told; its publication goes before the study's first one.
    """
    ids = sorted(study.evidence_ids, key=lambda i: i != lead)
    records = [evidence[i] for i in ids]
    papers = [record for record in records if record.metadata.kind != "trial"]
    return short_name((papers or records)[0])


def leading_vote(study: StudyFinding) -> Vote | None:
    """Return the weightiest result of a study; None for a study without a result that counts.

    A harm is the main result only of a question on harm.
    """
    for weight in _BY_WEIGHT:
        votes = [v for v in study.votes if v.importance == weight]
        votes = [v for v in votes if weight != "harm" or v.harm_asked]
        near = [v for v in votes if v.against_asked or not v.comparator] or votes
        if near:
            primary = next((v for v in near if v.level == "primary"), near[0])
            return first_of([v for v in near if v.row == primary.row])
    return None


def design_of(study: StudyFinding, vote: Vote, readings: Mapping[str, StudyReading]) -> str:
    """Return the design in words, such as "double-blind randomised trial"."""
    if vote.review:
        return f"review of {vote.studies:,} studies" if (vote.studies or 0) > 1 else "review"
    reading = readings.get(vote.evidence_id)
    if reading and "narrative_review" in reading.kinds:
        return "narrative review"
    masked = next((_MASKED[f] for f in (reading.design if reading else ()) if f in _MASKED), "")
    kind = {
        "randomised": "randomised trial",
        "controlled": "controlled study, not randomised",
        "uncontrolled": "study without a control group",
        "reported": "narrative review",
    }[vote.tier]
    if vote.tier == "controlled" and reading and not {*reading.kinds} & {"trial", "observational"}:
        return kind_of(reading, Design.UNCLEAR)
    if vote.tier in ("controlled", "uncontrolled") and study.level is not None and study.level >= 3:
        features = reading.design if reading else ()
        named = [f.replace("_", "-") for f in features if f in ("cohort", "case_control")]
        kind = f"{named[0]} study" if named else kind
    return f"{masked} {kind}".strip() if vote.tier == "randomised" else kind


def comparator_of(vote: Vote, readings: Mapping[str, StudyReading]) -> str:
    """Return what the drug was compared with; '' where nobody was."""
    if vote.other_arm or vote.comparator:
        return vote.other_arm or vote.comparator
    if vote.tier == "uncontrolled" or vote.control == NOT_STATED:
        return ""
    if vote.control:
        return vote.control
    reading = readings.get(vote.evidence_id)
    kinds = [a.control for a in (reading.arms if reading else ()) if a.control and a.id != vote.arm]
    return kinds[0].replace("_", " ") if kinds else CONTROL


def people_in(
    study: StudyFinding, vote: Vote | None, readings: Mapping[str, StudyReading]
) -> int | None:
    """Return the people of a result, else of its study as it was read.

    A number that was found in the text alone counts only where no careful reader read it: it may
    be of houses, of a case series within a review, or of who was let in.
    """
    if vote and vote.people:
        return vote.people
    read = [readings[i] for i in study.evidence_ids if i in readings]
    if vote and vote.comparator and any(len(reading.arms) > _COMPARED for reading in read):
        return None
    told = [n for r in read for n in (r.population.n_randomised, r.population.n_analysed) if n]
    by_rules = all(reading.reader.kind == "rules" for reading in read)
    return max(told) if told else study.participants if by_rules else None


def people_of(study: StudyFinding, vote: Vote, readings: Mapping[str, StudyReading]) -> int | None:
    """Return all people of a study; of a review, and where that is not told, those of a result."""
    read = [readings[i] for i in study.evidence_ids if i in readings]
    whole = [r.population.n_randomised or 0 for r in read if not vote.review]
    return max((*whole, people_in(study, vote, readings) or 0)) or None


def study_rows(
    studies: Sequence[StudyFinding],
    appraisals: Mapping[str, Appraisal],
    evidence: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
    verdict: Verdict,
) -> Iterator[StudyRow]:
    """Yield a row for each study, those that decide first, then the strongest designs.

    Args:
        studies: Of one drug.
        appraisals: Of the same drug, by evidence id.
        evidence: The records.
        readings: Of the records, by evidence id.
        verdict: On the drug; what stands in none of its rows does not count.
    """
    # Where nothing was decided, these are the studies that could not be read.
    is_open = verdict.label is VerdictLabel.NOT_ASSESSED
    chosen = set() if is_open else set(verdict.deciding_ids)
    weighed = {i for row in verdict.rows for i in (*row.evidence_ids, *row.beside)}

    def order(study: StudyFinding) -> tuple[bool, bool, int, int]:
        return (
            not chosen & set(study.evidence_ids),
            not study.votes,
            study.level or 9,
            -(study.participants or 0),
        )

    for study in sorted(studies, key=order):
        row = _row(study, appraisals, evidence, readings)
        yield row.model_copy(update={"counts": _counts(study, chosen, weighed)})


def _counts(study: StudyFinding, chosen: set[str], weighed: set[str]) -> str:
    """Return whether a study decides, counts, or why it does not count."""
    own = set(study.evidence_ids)
    if study.votes and own & weighed:
        return "decides" if own & chosen else "counts"
    if study.votes and all(vote.tier == "reported" for vote in study.votes):
        return f"does not count: {_NARRATIVE}"
    return f"does not count: {study.why}" if study.why else "does not count"


def _row(
    study: StudyFinding,
    appraisals: Mapping[str, Appraisal],
    evidence: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
) -> StudyRow:
    vote = leading_vote(study)
    main = vote.evidence_id if vote else study.evidence_ids[0]
    reading, grade = readings.get(main), appraisals[main].grade
    return StudyRow(
        name=study_name(study, evidence, main),
        design=design_of(study, vote, readings) if vote else kind_of(reading, grade.design),
        population=_population(reading),
        arms=tuple(_arm(arm) for arm in (reading.arms if reading else ())[:_MOST_ARMS]),
        comparator=comparator_of(vote, readings) if vote else "",
        outcome=vote.outcome if vote else "",
        result=vote_words(vote, named=False) if vote else "",
        people=people_in(study, vote, readings),
        certainty=grade.certainty.value if grade.certainty else "",
        evidence_ids=study.evidence_ids,
    )


def kind_of(reading: StudyReading | None, design: Design) -> str:
    """Return what kind of study a record reports: as a careful reader found, else as graded.

    Words alone often take what a review is of for its own design.
    """
    careful = reading is not None and reading.reader.kind in ("model", "curated")
    if reading is None or not careful or design in _AS_GRADED:
        return re.sub(r"\s+", " ", design.value)
    kind = next((kind for kind in _KINDS if kind in reading.kinds), None)
    if design in _GRADED.get(kind or "other", ()):
        return design.value
    if kind == "trial" and "randomised" in reading.design:
        return Design.RCT.value
    named = [f.replace("_", "-") for f in reading.design if f in ("cohort", "case_control")]
    if kind == "observational" and named:
        return f"{named[0]} study"
    return _KINDS[kind] if kind else "report, design not stated"


def _population(reading: StudyReading | None) -> str:
    if reading is None:
        return ""
    told = reading.population.description or ", ".join(reading.population.conditions)
    animal = reading.population.species
    return capitalised(told) if animal in ("", "human") else f"{animal}: {told}"


def _arm(arm: Arm) -> str:
    names = " + ".join(i.name for i in arm.interventions) or (arm.control or "").replace("_", " ")
    label = arm.label or names
    return f"{label} (n = {arm.n:,})" if arm.n else label
