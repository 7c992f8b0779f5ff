"""Writes the brief: the answer to a question on one screen, from a verdict and its studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from deepcritical.domain.appraisal import Appraisal, StudyFinding
from deepcritical.domain.brief import Brief, DecidingStudy
from deepcritical.domain.certainty import Certainty
from deepcritical.domain.effect_words import FIFTH, LATEST, gravest_first
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import SERIOUS_HARM, QuestionFrame, QuestionKind
from deepcritical.domain.grading import grade
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.study import StudyReading
from deepcritical.domain.text import capitalised, fold
from deepcritical.domain.verdict import DIRECTIONS, Verdict, VerdictLabel
from deepcritical.domain.votes import Importance, OutcomeRow, Vote, Way
from deepcritical.questions.claims import answer_on, answered_by, claim_of
from deepcritical.questions.wording import as_nouns, given_in
from deepcritical.writing.harms import feared_names, harms_beside, harms_in_own_words
from deepcritical.writing.studies import (
    comparator_of,
    design_of,
    leading_vote,
    people_in,
    study_name,
)
from deepcritical.writing.told_rows import leading_rows
from deepcritical.writing.under_way import trials_under_way
from deepcritical.writing.unread import own_words, quoted, tells_failure, without_text
from deepcritical.writing.words import listed, row_sentence, told_of, vote_words

_MOST_CITED = 5
"""Records that are named where nothing was decided: of dozens each number would stand there."""
_FEWEST_STUDIES = 3
_MOST_STUDIES = 5
_MOST_ROWS: dict[Importance, int] = {"critical": 3, "harm": 2, "important": 1, "surrogate": 1}
"""Rows of each weight in the brief's table."""
_FELT = ("critical", "important")
"""Weights of what patients feel: a question on one outcome makes all others important at most."""
_FEW_STUDIES = 2
_FEW = "No more than two studies have a result that is weighed here; a search may miss others."
_INDIRECT = "None of the results weighed here is of just the people and drugs asked about."
_UNSURE = "The certainty of all results weighed here is very low."
_OF_OTHERS = "; the people studied are not just those of this question"
_CONCERN = "An expression of concern stands against one of the studies; it supports nothing here."
_OPEN = (VerdictLabel.NOT_ASSESSED, VerdictLabel.INSUFFICIENT)


class Matter(NamedTuple):
    """The material that a brief is written from."""

    drug: str
    condition: str
    frame: QuestionFrame | None
    verdict: Verdict
    studies: Sequence[StudyFinding]
    evidence: Mapping[str, Evidence]
    """All records of the run."""
    readings: Mapping[str, StudyReading]
    appraisals: Mapping[str, Appraisal]
    """Of the drug, by evidence id."""
    searched_on: str
    """ISO date; a trial whose planned end is before it is not under way."""

    @property
    def claim(self) -> str:
        """Return what the verdict is on."""
        asked = claim_of(answered_by(self.verdict, self.frame)) if self.frame else ""
        return asked or f"{self.given} helps in {self.condition}"

    @property
    def given(self) -> str:
        """Return what was tested, as the subject of a sentence: the drug, or stopping it."""
        return given_in(self.frame, self.drug) if self.frame else self.drug


def brief_of(matter: Matter, lead: Sentence | None = None) -> Brief:
    """Return the brief on one drug.

    Args:
        matter: Verdict, studies and records.
        lead: A sentence to say first, such as which of several candidates this is.
    """
    verdict, drug, claim = matter.verdict, matter.given, matter.claim
    frame = matter.frame
    put = Put(claim, bool(frame and frame.negative), bool(frame and frame.is_on_harm), lead)
    held = (matter.appraisals, matter.evidence, frame)
    told_harms = harms_in_own_words(matter.drug, verdict, *held)
    answer = answer_sentences(verdict, drug, put)
    return Brief(
        drug=drug,
        claim=claim,
        denied=put.denied,
        raises=put.raises,
        lead=lead.text if lead else "",
        lead_ids=lead.evidence_ids if lead else (),
        answer=answer,
        harms=(*harms_beside(answer, verdict, drug), *told_harms),
        findings=tuple(_rows(verdict)),
        studies=_main_studies(matter),
        missing=tuple(_missing(matter)) or _weak(verdict.rows),
        trials=trials_under_way(
            matter.studies, matter.evidence, matter.appraisals, matter.searched_on
        ),
    )


class Put(NamedTuple):
    """The way that a question put what the verdict is on."""

    claim: str
    denied: bool = False
    """True where it asks for the opposite of the claim."""
    raises: bool = False
    """True where the claim is that something bad gets more."""
    lead: Sentence | None = None
    """The sentence that is said first."""

    @classmethod
    def of(cls, brief: Brief) -> Put:
        """Return how a brief that was written took it."""
        lead = Sentence(text=brief.lead, evidence_ids=brief.lead_ids) if brief.lead else None
        return cls(brief.claim, brief.denied, brief.raises, lead)


def answer_sentences(
    verdict: Verdict,
    drug: str,
    put: Put,
    most: int | None = _MOST_CITED,
    *,
    wording: int = LATEST,
) -> tuple[Sentence, ...]:
    """Return the answer: yes or no, the rows that lead, and why it is no more certain.

    Args:
        verdict: What was found.
        drug: Of what.
        put: How it was asked.
        most: Records that may be cited for "not known"; None for all, as former reports did.
        wording: One of `WORDINGS`.
    """
    return tuple(_answer(verdict, drug, put, most, wording))


def _answer(
    verdict: Verdict, drug: str, put: Put, most: int | None, wording: int
) -> Iterator[Sentence]:
    if put.lead:
        yield put.lead
    assessed = verdict.label is not VerdictLabel.NOT_ASSESSED
    ids = verdict.deciding_ids if assessed else ()
    if verdict.label is VerdictLabel.INSUFFICIENT:
        ids = ids[:most]
    said = answer_on(
        put.claim,
        verdict.label,
        denied=put.denied,
        raises=put.raises,
        strength=verdict.strength_of_harm,
        priced=verdict.is_at_a_price,
        wording=wording,
    )
    if wording >= FIFTH and assessed and _is_of_others(verdict):
        said = f"{said.rstrip('.')}{_OF_OTHERS}."
    yield Sentence(text=said, evidence_ids=ids)
    if not assessed or verdict.label is VerdictLabel.INSUFFICIENT:
        yield Sentence(text=_why_open(verdict), evidence_ids=verdict.deciding_ids[:_MOST_CITED])
    # What could be read of many trials is not what the trials show.
    for row in leading_rows(verdict) if assessed else ():
        said = row_sentence(row, drug, wording=wording)
        yield Sentence(text=said, evidence_ids=told_of(row, wording))
    if verdict.downgrades and assessed:
        rated = _rated(verdict, wording)
        ids = rated.evidence_ids if rated and wording >= FIFTH else verdict.deciding_ids
        yield Sentence(text=_certainty(verdict, rated), evidence_ids=ids)


def _why_open(verdict: Verdict) -> str:
    if verdict.label is VerdictLabel.NOT_ASSESSED and verdict.caps:
        return f"{capitalised(verdict.caps[0]).rstrip('.')}."
    return verdict.told_rule


def _is_of_others(verdict: Verdict) -> bool:
    """Return whether the deciding rows are of other people than those asked about, or of more."""
    decided = set(verdict.deciding_ids)
    rows = [r for r in verdict.rows if decided & set(r.evidence_ids) and r.importance != "harm"]
    told = rows if verdict.label not in _OPEN else []
    return bool(told) and all(r.directness != "direct" and not _is_of_class(r) for r in told)


def _is_of_class(row: OutcomeRow) -> bool:
    return bool(row.tested_as) or any(effect.tested_as for effect in row.effects)


def _rated(verdict: Verdict, wording: int) -> OutcomeRow | None:
    """Return the row whose reasons are those of the verdict: of several, one that decides."""
    rows = [r for r in verdict.rows if r.reasons == verdict.downgrades]
    decided = set(verdict.deciding_ids)
    deciding = [r for r in rows if decided & set(r.evidence_ids)] if wording >= FIFTH else []
    return next(iter((*deciding, *rows)), None)


def _certainty(verdict: Verdict, row: OutcomeRow | None) -> str:
    """Return why the certainty is no higher; of two reasons of one kind the more serious one."""
    told = {
        reason.partition(": ")[0].removeprefix("very serious "): reason
        for reason in verdict.downgrades
    }
    reasons = [reason.partition(": ")[2] or reason for reason in told.values()]
    of = f" of the finding on {row.outcome}" if row and len(verdict.rows) > 1 else ""
    return f"The certainty{of} is {verdict.certainty.value}: {listed(reasons)}."


def _rows(verdict: Verdict) -> Iterator[OutcomeRow]:
    """Yield the rows of the table: by weight, those first that the answer tells, then trials."""
    told = leading_rows(verdict)
    near = [row for row in verdict.rows if row.directness != "related"] or list(verdict.rows)

    def order(row: OutcomeRow) -> tuple[bool, int, bool]:
        place = told.index(row) if row in told else len(told)
        return bool(row.comparator) and not row.asked, place, row.tier != "randomised"

    ordered = sorted(near, key=order)
    for weight, most in _MOST_ROWS.items():
        of_weight = [row for row in ordered if row.importance == weight]
        yield from (gravest_first(of_weight) if weight == "harm" else of_weight)[:most]


def _deciding(matter: Matter) -> list[tuple[StudyFinding, Vote]]:
    """Return the studies that decide, and up to three where fewer do, each with its main result."""
    decided = set(matter.verdict.deciding_ids)
    told = [(s, v) for s in matter.studies if (v := leading_vote(s))]
    larger = [study for _, study, _ in _larger(matter)]
    ranked = sorted(told, key=lambda one: (one[0] not in larger, *_rank(one[0], one[1], decided)))
    deciding = len(larger) + sum(bool(decided & set(s.evidence_ids)) for s, _ in told)
    most = max(_FEWEST_STUDIES, min(deciding, _MOST_STUDIES))
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
        people=people_in(study, vote, matter.readings),
        comparator=comparator_of(vote, matter.readings),
        result=Sentence(text=vote_words(vote), evidence_ids=(vote.evidence_id,)),
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


def _main_studies(matter: Matter) -> tuple[DecidingStudy, ...]:
    """Return the studies that decide, then those that nobody could read, in their own words.

    Where all of these speak for the drug, a trial that found no difference is one of them, though
    its results are not weighed.
    """
    chosen = _deciding(matter)
    weighed = tuple(_as_weighed(matter, *one) for one in chosen)
    label, frame = matter.verdict.label, matter.frame
    compares = frame is not None and (frame.kind is QuestionKind.COMPARISON or frame.stopping)
    is_open, open_too = label in _OPEN, not compares
    known = {one.evidence_ids for one in weighed}
    others = _unread(matter, open_too=is_open and open_too)
    own = tuple(islice((o for o in others if o.evidence_ids not in known), _FEWEST_STUDIES))
    if not is_open:
        own = own[: max(0, _FEWEST_STUDIES - len(weighed))]
    told = (*weighed[: _MOST_STUDIES - len(own)], *own) if is_open else (*weighed, *own)
    is_for = all(v.way is Way.BENEFIT for _, v in chosen) and not any(map(_tells_failure, told))
    is_for = is_for and (is_open or DIRECTIONS[label] == "benefit")
    null = tuple(islice(_unread(matter, open_too=open_too, null=True), int(is_for)))
    left = [one for one in told if one.evidence_ids not in {n.evidence_ids for n in null}]
    return (*left[: _MOST_STUDIES - len(null)], *null)


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
    ranked = sorted(unread, key=lambda s: (not (s.direct or s.unread), s.level or 9, -(s.participants or 0)))
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
    held: dict[str, Any] = {"wanted": wanted, "null": null, "in_title": not _prevents(matter)}
    words = ((i, r, own_words(r, drugs or matter.drug, asked, **held)) for i, r in records)
    told = sorted(
        (one for one in words if one[2]),
        key=lambda one: not any(name in fold(one[2]) for name in wanted),
    )
    for evidence_id, record, quote in told:
        # The people of another report, as of a substudy, are not those of the quote.
        own = {"evidence_ids": (evidence_id,), "participants": None} if records[1:] else {}
        yield DecidingStudy(
            name=study_name(study, matter.evidence, evidence_id),
            design=grade(record).design.value.partition(" (")[0],
            people=people_in(study.model_copy(update=own), None, matter.readings),
            result=Sentence(
                text=quoted(quote, quotable=record.quotable),
                evidence_ids=(evidence_id,),
                origin="quote",
            ),
            evidence_ids=study.evidence_ids,
        )


def _prevents(matter: Matter) -> bool:
    return bool(matter.frame and matter.frame.prevents)


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


def _weak(rows: Sequence[OutcomeRow]) -> tuple[str, ...]:
    """Return what is missing where nothing else is: all that was found is of others, or unsure."""
    if rows and all(row.directness != "direct" for row in rows):
        return (_INDIRECT,)
    return (_UNSURE,) if rows and all(r.certainty is Certainty.VERY_LOW for r in rows) else ()


def _missing(matter: Matter) -> Iterator[str]:
    """Yield what the results that are weighed lack: what no record holds nobody can know."""
    frame, rows = matter.frame, matter.verdict.rows
    trials = [row for row in rows if row.tier == "randomised"]
    effects = [row for row in trials if row.importance != "harm"]
    if rows and not trials:
        yield "None of the results weighed here is of a randomised trial."
    elif effects and not any(row.importance in _FELT for row in effects):
        yield "No trial result weighed here is of what patients feel, as symptoms or survival are."
    if frame and frame.outcomes and not any(row.wanted or row.harm_asked for row in rows):
        named = listed([*as_nouns(frame.outcomes)], "or")
        yield f"None of the results weighed here is on {named} by itself."
    for row, study, vote in _larger(matter):
        name = study_name(study, matter.evidence, vote.evidence_id)
        yield (
            f"A larger study than those of the answer on {row.outcome} stands beside them: "
            f"{name} ({vote.people:,} people), under the main studies."
        )
    if frame and len(frame.comparators) > 1 and not frame.compared_together:
        yield (
            f"Only {matter.drug} is weighed here, against {listed([*frame.comparators], 'or')}; "
            "these are not compared with each other."
        )
    if frame:
        yield from without_text(matter.drug, frame, matter.evidence.values())
    unread = sum(s.unread for s in matter.studies)
    if unread:
        what = "study" if unread == 1 else "studies"
        yield f"{unread} relevant {what} could not be read without a language model."
    if 0 < len({s.evidence_ids for s in matter.studies if s.votes}) <= _FEW_STUDIES:
        yield _FEW
    if any(s.concern for s in matter.studies):
        yield _CONCERN


def _larger(matter: Matter) -> Iterator[tuple[OutcomeRow, StudyFinding, Vote]]:
    """Yield studies beside a row of the answer that hold more people than all of the row."""
    for row in leading_rows(matter.verdict):
        for study in matter.studies if row.people else ():
            vote = leading_vote(study)
            is_of_it = vote and (vote.row, vote.tier) == (row.outcome, row.tier)
            beside = vote and vote.evidence_id in row.beside and vote.directness != "related"
            if vote and is_of_it and beside and (vote.people or 0) > (row.people or 0):
                yield row, study, vote
