"""Chooses the main studies of a brief, and what is told of each: its result, or its own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import DIRECTIONS, VerdictLabel
from deepcritical.domain.appraisal.votes import OutcomeRow, Vote, Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.frame import SERIOUS_HARM, QuestionKind
from deepcritical.domain.report.brief import DecidingStudy
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.text.spans import fold
from deepcritical.writing.sentences.matter import Matter, leading_rows
from deepcritical.writing.sentences.studies import (
    comparator_of,
    design_of,
    kind_of,
    leading_vote,
    people_in,
    people_of,
    study_name,
)
from deepcritical.writing.sentences.told_harms import feared_names
from deepcritical.writing.sentences.unread import own_words, quoted, tells_failure
from deepcritical.writing.sentences.vote_words import vote_words

_FEWEST_STUDIES = 3
MOST_STUDIES = 5
OPEN = (VerdictLabel.NOT_ASSESSED, VerdictLabel.INSUFFICIENT)
"""Verdicts that decide nothing."""


def _deciding(matter: Matter) -> list[tuple[StudyFinding, Vote]]:
    """Return the studies that decide, and up to three where fewer do, each with its main result."""
    decided = set(matter.verdict.deciding_ids)
    told = [(s, v) for s in matter.studies if (v := leading_vote(s))]
    bigger = [study for _, study, _ in larger(matter)]
    ranked = sorted(told, key=lambda one: (one[0] not in bigger, *_rank(one[0], one[1], decided)))
    deciding = len(bigger) + sum(bool(decided & set(s.evidence_ids)) for s, _ in told)
    most = max(_FEWEST_STUDIES, min(deciding, MOST_STUDIES))
    return _with_other_side(ranked, most)


def _as_weighed(matter: Matter, study: StudyFinding, vote: Vote) -> DecidingStudy:
    """Return a study with its result, or with the words in which it tells that the drug failed.

    These go before a benefit on something that was not asked about.
    """
    if vote.way is Way.BENEFIT and not vote.wanted:
        for told in _in_own_words(matter, study, null=True):
            if vote.evidence_id in told.result.evidence_ids or _is_on_wanted(matter, told):
                return told
    return DecidingStudy(
        name=study_name(study, matter.evidence, vote.evidence_id),
        design=design_of(study, vote, matter.readings),
        people=people_of(study, vote, matter.readings),
        comparator=comparator_of(vote, matter.readings),
        result=Sentence(text=vote_words(vote, drug=matter.drug), evidence_ids=(vote.evidence_id,)),
        evidence_ids=study.evidence_ids,
    )


def _with_other_side(
    ranked: Sequence[tuple[StudyFinding, Vote]], most: int
) -> list[tuple[StudyFinding, Vote]]:
    """Return the first studies; where all of these say one thing, the next that says another."""
    first = list(ranked[:most])
    said = {vote.way for _, vote in first}
    others = [
        (study, vote)
        for study, vote in ranked[most:]
        if vote.way not in said and vote.importance == "critical"
    ]
    others.sort(key=lambda one: bool(one[1].comparator))
    other = others[0] if others and len(said) == 1 else None
    return first if other is None else [first[0], other, *first[1 : most - 1]]


def main_studies(matter: Matter) -> tuple[DecidingStudy, ...]:
    """Return the studies that decide, then those that nobody could read, in their own words.

    Where all of these speak for the drug, a trial that found no difference is one of them, though
    its results are not weighed.
    """
    chosen = _deciding(matter)
    weighed = tuple(_as_weighed(matter, *one) for one in chosen)
    label, frame = matter.verdict.label, matter.frame
    compares = frame is not None and (frame.kind is QuestionKind.COMPARISON or frame.stopping)
    is_open, open_too = label in OPEN, not compares
    known = {one.evidence_ids for one in weighed}
    others = _unread(matter, open_too=is_open and open_too)
    own = tuple(islice((o for o in others if o.evidence_ids not in known), _FEWEST_STUDIES))
    if not is_open:
        own = own[: max(0, _FEWEST_STUDIES - len(weighed))]
    told = (*weighed[: MOST_STUDIES - len(own)], *own) if is_open else (*weighed, *own)
    shown = {one.evidence_ids for one in told}
    is_for = all(v.way is Way.BENEFIT for s, v in chosen if s.evidence_ids in shown)
    is_for = is_for and (is_open or DIRECTIONS[label] == "benefit")
    is_for = is_for and not any(map(_tells_failure, told))
    null = tuple(islice(_unread(matter, open_too=open_too, null=True), int(is_for)))
    left = [one for one in told if one.evidence_ids not in {n.evidence_ids for n in null}]
    return (*left[: MOST_STUDIES - len(null)], *null)


def _tells_failure(study: DecidingStudy) -> bool:
    return study.result.origin == "quote" and tells_failure(study.result.text)


def _unread(
    matter: Matter, *, open_too: bool = False, null: bool = False
) -> Iterator[DecidingStudy]:
    """Yield the studies without a reading, the strongest first, each with a sentence of its own.

    Args:
        matter: Of what.
        open_too: Whether also those that were read, and tell no result that counts.
        null: Whether only trials that found no difference.
    """
    cited = set(matter.verdict.deciding_ids)
    silent = [s for s in matter.studies if not s.votes and (s.direct or cited & {*s.evidence_ids})]
    unread = [s for s in matter.studies if s.unread or (open_too and s in silent)]
    unread = [s for s in unread if not null or ((s.direct or s.unread) and s.randomised)]
    ranked = sorted(
        unread, key=lambda s: (not (s.direct or s.unread), s.level or 9, -(s.participants or 0))
    )
    for study in ranked:
        yield from islice(_in_own_words(matter, study, null=null), 1)


def _in_own_words(
    matter: Matter, study: StudyFinding, *, null: bool = False
) -> Iterator[DecidingStudy]:
    """Yield a study with each sentence in which a record of it tells its main result.

    A record that tells what the question asks for goes first.
    """
    frame = matter.frame
    asked, wanted = _asked_names(matter), _wanted_names(matter)
    is_serious = bool(frame and frame.feared and frame.feared.name == SERIOUS_HARM.name)
    drugs = (matter.drug, *(d.name for d in frame.drugs)) if frame and frame.together else ()
    records = [(i, matter.evidence[i]) for i in study.evidence_ids]
    null = null or is_serious
    prevents = matter.frame is not None and matter.frame.prevents
    held: dict[str, Any] = {"wanted": wanted, "null": null, "in_title": not prevents}
    words = ((i, r, own_words(r, drugs or matter.drug, asked, **held)) for i, r in records)
    told = sorted(
        (one for one in words if one[2]),
        key=lambda one: not any(name in fold(one[2]) for name in wanted),
    )
    for evidence_id, record, quote in told:
        # The people of another report, as of a substudy, are not those of the quote.
        own = {"evidence_ids": (evidence_id,), "participants": None} if records[1:] else {}
        read = matter.readings.get(evidence_id)
        yield DecidingStudy(
            name=study_name(study, matter.evidence, evidence_id),
            design=kind_of(read, grade(record).design).partition(" (")[0],
            people=people_in(study.model_copy(update=own), None, matter.readings),
            result=Sentence(
                text=quoted(quote, quotable=record.quotable),
                evidence_ids=(evidence_id,),
                origin="quote",
            ),
            evidence_ids=study.evidence_ids,
        )


def _asked_names(matter: Matter) -> tuple[str, ...] | None:
    """Return the folded names of what a quote must be on: a harm, or what is to be prevented."""
    frame = matter.frame
    if frame and frame.condition and frame.prevents:
        return tuple(map(fold, (frame.condition.name, *frame.condition.names)))
    if frame is None or (frame.feared and frame.feared.name == SERIOUS_HARM.name):
        return None
    return feared_names(frame)


def _wanted_names(matter: Matter) -> tuple[str, ...]:
    return tuple(map(fold, matter.frame.outcomes)) if matter.frame else ()


def _is_on_wanted(matter: Matter, told: DecidingStudy) -> bool:
    return any(name in fold(told.result.text) for name in _wanted_names(matter))


def _rank(
    study: StudyFinding, vote: Vote, decided: set[str]
) -> tuple[bool, bool, int, bool, int, int]:
    near = ("direct", "broader", "related").index(vote.directness)
    people = vote.people or study.participants or 0
    return (
        not decided & set(study.evidence_ids),
        bool(vote.comparator) and not vote.against_asked,
        near,
        vote.importance != "critical",
        study.level or 9,
        -people,
    )


def larger(matter: Matter) -> Iterator[tuple[OutcomeRow, StudyFinding, Vote]]:
    """Yield studies beside a row of the answer that hold more people than all of the row."""
    for row in leading_rows(matter.verdict):
        for study in matter.studies if row.people else ():
            vote = leading_vote(study)
            is_of_it = vote and (vote.row, vote.tier) == (row.outcome, row.tier)
            beside = vote and vote.evidence_id in row.beside and vote.directness != "related"
            if vote and is_of_it and beside and (vote.people or 0) > (row.people or 0):
                yield row, study, vote
