"""Weighs what readings say to a free question on a drug in a condition: a report's verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from deepcritical.answering.topics import told_of
from deepcritical.appraisal.body.ranking import candidate_rank
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.pico.people import names_condition
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.checklist import Inquiry
from deepcritical.domain.appraisal.findings import Appraisal, Matched, StudyFinding, study_findings
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import is_paper
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Condition, Drug, QuestionKind
from deepcritical.domain.study.identity import study_groups
from deepcritical.domain.study.reading import StudyReading
from deepcritical.questions.forms import research_question
from deepcritical.vocabulary.drugs import DrugKind, find_drugs, lookup_drug

_MOST_CANDIDATES = 12
"""Drugs that records are read for when candidates are sought."""
_IN_TITLE = 4
"""Number of mere mentions that a drug in a paper's title is worth."""
_OPEN = (VerdictLabel.INSUFFICIENT, VerdictLabel.NOT_ASSESSED)


class Weighed(NamedTuple):
    """A drug with what the studies show of it."""

    drug: Drug
    condition: Condition
    verdict: Verdict
    studies: tuple[StudyFinding, ...]
    appraisals: Mapping[str, Appraisal]

    @property
    def is_open(self) -> bool:
        """Return whether nothing was decided."""
        return self.verdict.label in _OPEN


def drugs_asked(inquiry: Inquiry) -> tuple[tuple[Drug, ...], Condition | None]:
    """The drugs that a verdict is on and the condition; no drugs where candidates are wanted."""
    frame = inquiry.frame
    if frame is None:
        return (), None
    try:
        question = research_question(frame)
    except QuestionError:
        return (), None
    if question.drug is None:
        return (), question.condition
    others = frame.drugs[1:] if frame.kind is QuestionKind.COMPARISON else ()
    return (question.drug, *others), question.condition


def appraised(
    inquiry: Inquiry,
    drug: Drug,
    condition: Condition,
    records: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
    matched: Mapping[str, Matched] | None = None,
) -> dict[str, Appraisal]:
    """Return what each record says of a drug in a condition, by evidence id.

    `matched` is what a model found records to tell of the question, as far as one was asked.
    """
    asked = asked_of(drug, condition, inquiry.frame)
    matched = matched or {}
    found = {}
    for key, record in records.items():
        graded = grade(record)
        read = read_for(asked, key, record, readings.get(key), graded, matched.get(key))
        found[key] = Appraisal.weighed(read, graded)
    return found


def weigh(
    inquiry: Inquiry,
    records: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
    matched: Mapping[str, Matched] | None = None,
) -> tuple[Weighed, ...]:
    """The drugs that a question is on with their verdicts; of candidates the best first.

    Args:
        inquiry: The question.
        records: All records, by evidence id.
        readings: Of the records, by evidence id.
        matched: What a model found records to tell of the first drug asked about.
    """
    drugs, condition = drugs_asked(inquiry)
    if condition is None:
        return ()
    groups = study_groups(records, readings)
    found = []
    for drug in drugs or candidates(condition, records):
        own = matched if drugs and drug is drugs[0] else None
        appraisals = appraised(inquiry, drug, condition, records, readings, own)
        studies = study_findings(appraisals, groups)
        if studies:
            found.append(Weighed(drug, condition, decide(studies), studies, appraisals))
    return tuple(found) if drugs else tuple(sorted(found, key=_rank))


def _rank(one: Weighed) -> tuple[int, float, int, int, int, str]:
    return *candidate_rank(one.verdict, one.studies), one.drug.name


def candidates(condition: Condition, records: Mapping[str, Evidence]) -> tuple[Drug, ...]:
    """The drugs that most records on the condition name; a paper's title weighs most.

    Registered plans list many drugs and report on none.
    """
    named: Counter[str] = Counter()
    for record in records.values():
        if names_condition((told_of(record),), condition):
            named.update(_drugs_in(told_of(record)))
            if record.content and is_paper(record):
                named.update(dict.fromkeys(_drugs_in(record.citation.title), _IN_TITLE))
    ranked = sorted(named, key=lambda name: (-named[name], name))[:_MOST_CANDIDATES]
    known = (lookup_drug(name) for name in ranked)
    return tuple(Drug(name=one.name, synonyms=one.synonyms, known=True) for one in known)


def _drugs_in(text: str) -> set[str]:
    return {m.drug.name for m in find_drugs(text) if m.drug.kind is DrugKind.DRUG}
