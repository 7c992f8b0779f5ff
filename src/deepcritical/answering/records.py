"""Answers a further question from records alone: quoted sentences, and no word of our own.

Every quote is a sentence that stands in its record and speaks to the question (`passages`). Where
the question is on what a drug does in a condition, each record also has a stance: that of its
reading. No record leaves the counts because fewer are shown, and of those shown each stance has
its share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from deepcritical.answering.needs import checklist_of, read_inquiry
from deepcritical.answering.passages import PassageReader
from deepcritical.answering.weighing import appraised, drugs_asked
from deepcritical.domain.appraisal.checklist import Aspect, Inquiry, ItemFact
from deepcritical.domain.appraisal.findings import Appraisal, Direction, Stance
from deepcritical.domain.base import Model
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.grading import Grade, grade
from deepcritical.domain.evidence.kinds import is_notice
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import DeclineReason, QuestionFrame, QuestionKind
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.study.identity import study_groups
from deepcritical.domain.text.spans import Span, whole_sentences
from deepcritical.questions.forms import wants_verdict
from deepcritical.questions.reading import literal_frame
from deepcritical.reading.library import read_by_code
from deepcritical.services.ranking import Candidate, select_diverse_evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_QUOTES = 3
"""Sentences that are quoted of one record."""
_WORSE = 0.12
"""Amount by which a sentence may fit less than the best one of its record."""


class Quote(Model):
    """A sentence of a record that bears on the question: ``content[start:end] == text``."""

    text: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    section: str = ""
    """Label of the section that it stands in, in lower case; '' when there is none."""
    decides: bool = False
    """True where the record's stance rests on it."""


class Passage(Model):
    """The part of one record that speaks to the question."""

    reference: Reference
    quotable: bool
    """True where the text is the source's own words; else it is a summary of them."""
    design: Design
    design_from_text: bool
    """True where the design was read from the text, because the index names none."""
    level: int | None
    """OCEBM 2011 level 1-5, or None for a trial without a result."""
    participants: int | None
    stance: Stance | None
    """None when the question is not one of yes or no."""
    why: str = ""
    """Reason why the stance is what it is, as a sentence."""
    caution: str = ""
    """``retracted``, ``notice about another record`` or ``expression of concern``; else ''."""
    quotes: tuple[Quote, ...]
    """The best, at most three, in the order of the text."""

    @property
    def strength(self) -> str:
        """Level, design and size of the study, in words."""
        level = f"OCEBM level {self.level}" if self.level else "no OCEBM level"
        fallback = " (read from the text)" if self.design_from_text else ""
        people = f", {self.participants:,} participants" if self.participants else ""
        return f"{level}, {self.design.value}{fallback}{people}"

    @property
    def counts(self) -> bool:
        """Return whether the record is counted: neither retracted nor a notice."""
        return self.caution not in (_RETRACTED, _NOTICE)


_RETRACTED, _NOTICE, _CONCERN = "retracted", "notice about another record", "expression of concern"


class StudyCounts(Model):
    """The number of studies on each side; records of one study count once, retracted ones never."""

    studies: int = 0
    supporting: int = 0
    refuting: int = 0
    mixed: int = 0
    neutral: int = 0
    supporting_level: int | None = None
    """Best OCEBM level among the supporting studies."""
    refuting_level: int | None = None
    """Best OCEBM level among the refuting studies."""
    not_counted: int = 0
    """Records that bear on the question but are retracted, or notices about others."""

    @property
    def sides(self) -> str:
        """Return how many studies stand on each side, and the best level of each, in words."""
        levels = (self.supporting_level, self.refuting_level)
        best = [f" (best OCEBM level {level})" if level else "" for level in levels]
        mixed = f", {self.mixed} both" if self.mixed else ""
        return (
            f"{self.supporting} for{best[0]}, {self.refuting} against{best[1]}{mixed}, "
            f"{self.neutral} neutral"
        )


class FollowUp(Model):
    """The answer to a further question."""

    question: str
    looked_for: tuple[str, ...] = ()
    """Names that a record must be on to bear on the question."""
    subjects: tuple[str, ...] = ()
    """The drugs and conditions that the question names."""
    yes_no: bool = False
    """True where the question is one of yes or no, so that records have a stance."""
    searched: int
    """Records that were asked."""
    bearing: int = 0
    """Those that bear on the question."""
    counts: StudyCounts = StudyCounts()
    passages: tuple[Passage, ...] = ()
    """Of the records that bear on it, those shown; empty when it is not in the evidence."""
    why_not: str = ""
    """Reason why the question cannot be put to records; '' where it was."""

    @property
    def told(self) -> str:
        """Return how many studies bear on the question; one study may have several records."""
        verb = "bears" if self.bearing == 1 else "bear"
        counts = self.counts
        studies = f"{counts.studies} {'study' if counts.studies == 1 else 'studies'}"
        sides = f": {counts.sides}" if self.yes_no and counts.studies else ""
        out = (
            f"; {counts.not_counted} retracted or a notice, not counted"
            if counts.not_counted
            else ""
        )
        searched = f"{self.bearing} of {self.searched} records"
        return f"{searched} {verb} on the question ({studies}{sides}{out})."

    @property
    def missing(self) -> str:
        """Return why nothing bears on the question."""
        if self.why_not:
            return self.why_not
        if not self.looked_for:
            return "The question names nothing to look for: name a drug, a condition or an outcome."
        return f"None of {self.searched} records is on: {'; '.join(self.looked_for)}."


class _Found(NamedTuple):
    evidence_id: str
    record: Evidence
    passage: Passage


def _frame_of(question: str) -> QuestionFrame:
    """The frame of a further question: one without a name is on what its records are on."""
    frame = literal_frame(question)
    is_bare = frame.kind is QuestionKind.CONVERSATION
    if is_bare or frame.declined is DeclineReason.NOT_BIOMEDICAL:
        return QuestionFrame(text=question, kind=QuestionKind.OPEN)
    return frame


class _Asked:
    """A question, put to records.

    Args:
        question: In any words.
        records: All that are asked, by evidence id.
    """

    def __init__(self, question: str, records: Mapping[str, Evidence]) -> None:
        self.why_not = ""
        self.inquiry: Inquiry | None = None
        try:
            self.inquiry = read_inquiry(_frame_of(question), at_hand=True)
        except QuestionError as error:
            self.why_not = str(error)
            return
        checklist = checklist_of(self.inquiry)
        # What is registered and what is background is no answer to a further question.
        items = tuple(i for i in checklist.items if i.aspect not in _BESIDE)
        if not self.inquiry.key_terms:
            items = items[:1]
        asked = checklist.model_copy(update={"items": items or checklist.items})
        self._reader = PassageReader(self.inquiry, asked, list(records.values()))
        self._main = asked.items[0].id
        frame = self.inquiry.frame
        drugs, condition = drugs_asked(self.inquiry)
        self.yes_no = bool(frame and drugs and condition and wants_verdict(frame))
        self._appraisals: Mapping[str, Appraisal] = {}
        if self.yes_no and condition:
            readings = read_by_code(records)
            self._appraisals = appraised(self.inquiry, drugs[0], condition, records, readings)

    def passage(
        self, evidence_id: str, record: Evidence, chosen: Sequence[Span] = ()
    ) -> Passage | None:
        """Return what a record says to the question; None when it does not bear on it."""
        graded = grade(record)
        caution = _caution(record, graded)
        # What is shown of a record that does not count takes no side.
        appraisal = self._appraisals.get(evidence_id) if caution in ("", _CONCERN) else None
        facts = [f for f in self._reader.found(evidence_id, record, appraisal) if f.direct]
        if not facts:
            return None
        stance = appraisal.reading.stance if appraisal else None
        return Passage(
            reference=build_reference_from_evidence(record, evidence_id),
            quotable=record.quotable,
            design=graded.design,
            design_from_text=graded.from_text,
            level=graded.level,
            participants=graded.participants,
            stance=(stance or Stance.NEUTRAL) if self.yes_no else None,
            why=appraisal.reading.remark if appraisal else "",
            caution=caution,
            quotes=tuple(self._quotes(record, facts, chosen)),
        )

    def _quotes(
        self, record: Evidence, facts: Sequence[ItemFact], chosen: Sequence[Span]
    ) -> list[Quote]:
        """At most three, one that decides among them; the question itself before what is beside."""
        ranked = sorted(
            facts,
            key=lambda f: (f.side is Stance.NEUTRAL, self._main not in f.items, -f.relevance),
        )
        deciding = [f.fact.start for f in ranked if f.side is not Stance.NEUTRAL]
        best = max((f.relevance for f in facts if not f.by_reading), default=0.0)
        fitting = [f for f in ranked if f.by_reading or f.relevance >= best - _WORSE]
        starts = [span.start for span in chosen] or [f.fact.start for f in fitting]
        kept = list(dict.fromkeys((*deciding[:1], *starts)))[:MAX_QUOTES]
        spans = {span.start: span for span in whole_sentences(record.content)}
        return [
            Quote(
                text=spans[at].text,
                start=at,
                end=spans[at].end,
                section=spans[at].label,
                decides=at in deciding[:1],
            )
            for at in sorted(kept)
            if at in spans
        ]


_BESIDE = (Aspect.REGISTERED, Aspect.BACKGROUND)


def answer(
    question: str,
    records: Mapping[str, Evidence],
    *,
    most: int = 10,
    vectors: NDArray[np.float32] | None = None,
) -> FollowUp:
    """Return what records say to a question, in their own words. No model is asked.

    Args:
        question: Any question, best on one thing.
        records: Evidence id -> record; its `relevance_score` orders what is shown.
        most: Records to show, at least 1.
        vectors: `(n_records, dim)` float32, L2-normalised, in the order of the records; with them
            what is shown differs in meaning, without in words.
    """
    asked = _Asked(question, records)
    if asked.inquiry is None:
        return FollowUp(question=question, searched=len(records), why_not=asked.why_not)
    found = [
        _Found(evidence_id, record, passage)
        for evidence_id, record in records.items()
        if (passage := asked.passage(evidence_id, record))
    ]
    inquiry = asked.inquiry
    return FollowUp(
        question=question,
        looked_for=inquiry.key_terms,
        subjects=(*(d.name for d in inquiry.drugs), *(c.name for c in inquiry.conditions)),
        yes_no=asked.yes_no,
        searched=len(records),
        bearing=len(found),
        counts=_counted(found, records),
        passages=_selected(found, most, _rows(found, records, vectors)),
    )


def chosen_passages(
    question: str, records: Mapping[str, Evidence], chosen: Mapping[str, Sequence[Span]]
) -> tuple[Passage, ...]:
    """Return the passages of chosen sentences; design, stance and caution are those of code.

    The sentence that a record's stance rests on is added. A record that does not bear on the
    question has no passage.

    Args:
        question: As `answer` takes it.
        records: Evidence id -> record.
        chosen: Evidence id -> sentences of that record.
    """
    asked = _Asked(question, records)
    if asked.inquiry is None:
        return ()
    passages = (asked.passage(i, records[i], spans) for i, spans in chosen.items())
    return tuple(passage for passage in passages if passage)


def _rows(
    found: Sequence[_Found],
    records: Mapping[str, Evidence],
    vectors: NDArray[np.float32] | None,
) -> NDArray[np.float32] | None:
    if vectors is None:
        return None
    place = {evidence_id: at for at, evidence_id in enumerate(records)}
    rows: NDArray[np.float32] = vectors[[place[one.evidence_id] for one in found]]
    return rows


def _selected(
    found: Sequence[_Found], most: int, vectors: NDArray[np.float32] | None
) -> tuple[Passage, ...]:
    passages = {one.evidence_id: one.passage for one in found}
    candidates = [
        Candidate(i, record, passage.stance or Stance.NEUTRAL, passage.design)
        for i, record, passage in found
    ]
    chosen = select_diverse_evidence(candidates, most, vectors) if candidates else ()
    return tuple(passages[candidate.evidence_id] for candidate in chosen)


def _caution(record: Evidence, graded: Grade) -> str:
    if graded.retracted:
        return _RETRACTED
    return _NOTICE if is_notice(record) else _CONCERN if graded.concern else ""


def _counted(found: Sequence[_Found], records: Mapping[str, Evidence]) -> StudyCounts:
    counting = {one.evidence_id: one.passage for one in found if one.passage.counts}
    groups = [[counting[i] for i in group if i in counting] for group in study_groups(records)]
    studies = [(_direction(group), group) for group in groups if group]
    by = {d: [group for way, group in studies if way is d] for d in Direction}
    return StudyCounts(
        studies=len(studies),
        supporting=len(by[Direction.SUPPORTS]),
        refuting=len(by[Direction.REFUTES]),
        mixed=len(by[Direction.MIXED]),
        neutral=len(by[Direction.NONE]),
        supporting_level=_best(by[Direction.SUPPORTS], Stance.SUPPORTS),
        refuting_level=_best(by[Direction.REFUTES], Stance.REFUTES),
        not_counted=len(found) - len(counting),
    )


def _direction(passages: Iterable[Passage]) -> Direction:
    stances = {passage.stance for passage in passages}
    if {Stance.SUPPORTS, Stance.REFUTES} <= stances:
        return Direction.MIXED
    if Stance.SUPPORTS in stances:
        return Direction.SUPPORTS
    return Direction.REFUTES if Stance.REFUTES in stances else Direction.NONE


def _best(groups: Iterable[Sequence[Passage]], stated: Stance) -> int | None:
    levels = (p.level for group in groups for p in group if p.stance is stated)
    return min((level for level in levels if level is not None), default=None)
