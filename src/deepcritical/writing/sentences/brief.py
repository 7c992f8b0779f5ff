"""Writes the brief: the answer to a question on one screen, from a verdict and its studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.effect_words import gravest_first
from deepcritical.domain.appraisal.findings import Appraisal, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import Importance, OutcomeRow
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.kinds import is_current, is_under_way, told_status
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionKind
from deepcritical.domain.report.brief import Brief, TrialUnderWay
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.text.spans import capitalised
from deepcritical.questions.claims import answer_on
from deepcritical.questions.wording import as_nouns
from deepcritical.writing.sentences.harms import harms_beside
from deepcritical.writing.sentences.main_studies import OPEN, larger, main_studies
from deepcritical.writing.sentences.matter import Matter, leading_rows
from deepcritical.writing.sentences.studies import short_name, study_name
from deepcritical.writing.sentences.told_harms import harms_in_own_words
from deepcritical.writing.sentences.unread import without_text
from deepcritical.writing.sentences.words import CERTAINTY, listed, row_sentence, told_of

_MOST_CITED = 5
"""Records that are named where nothing was decided: of dozens each number would stand there."""
_MOST_ROWS: dict[Importance, int] = {"critical": 3, "harm": 2, "important": 1, "surrogate": 1}
"""Rows of each weight in the brief's table."""
_FELT = ("critical", "important")
"""Weights of what patients feel: a question on one outcome makes all others important at most."""
_FEW = {
    1: "Only one study has a result that is weighed here; a search may miss others.",
    2: "Only two studies have a result that is weighed here; a search may miss others.",
}
_INDIRECT = "None of the results weighed here is of just the people and drugs asked about."
_UNSURE = "The certainty of all results weighed here is very low."
_ON_RESULTS = (
    "None of the results",
    "No trial result",
    "The verdict is on",
    "A larger study",
    _UNSURE,
    *_FEW.values(),
)
"""How sentences begin on what the results lack that are weighed."""
_OF_OTHERS = "; the people studied are not just those of this question"
_FOUND, _FOUND_BY_ONE = (
    "the results found differ",
    "the results of the only study that decides differ",
)
_CONCERN = "An expression of concern stands against one of the studies; it supports nothing here."


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
    of_dose = frame is not None and frame.kind is QuestionKind.DOSE
    claimed = bool(lead) + 1 + (verdict.label in OPEN)
    return Brief(
        drug=drug,
        claim=claim,
        denied=put.denied,
        raises=put.raises,
        lead=lead.text if lead else "",
        lead_ids=lead.evidence_ids if lead else (),
        answer=answer,
        stated=tuple(range(0 if of_dose else int(bool(lead)), claimed)),
        harms=(*harms_beside(answer, verdict, drug), *told_harms),
        findings=tuple(table_rows(verdict.rows, leading_rows(verdict))),
        studies=main_studies(matter),
        missing=tuple(_missing(matter)) or weak(verdict.rows),
        trials=_trials_under_way(
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


def answer_sentences(verdict: Verdict, drug: str, put: Put) -> tuple[Sentence, ...]:
    """Return the answer: yes or no, the rows that lead, and why it is no more certain.

    Args:
        verdict: What was found.
        drug: Of what.
        put: How it was asked.
    """
    return tuple(_answer(verdict, drug, put))


def _answer(verdict: Verdict, drug: str, put: Put) -> Iterator[Sentence]:
    if put.lead:
        yield put.lead
    assessed = verdict.label is not VerdictLabel.NOT_ASSESSED
    ids = verdict.deciding_ids if assessed else ()
    if verdict.label is VerdictLabel.INSUFFICIENT:
        ids = ids[:_MOST_CITED]
    said = answer_on(
        put.claim,
        verdict.label,
        denied=put.denied,
        raises=put.raises,
        strength=verdict.strength_of_harm,
        priced=verdict.is_at_a_price,
    )
    if _is_of_one_study(verdict):
        said = said.replace(_FOUND, _FOUND_BY_ONE)
    if assessed and _is_of_others(verdict):
        said = f"{said.rstrip('.')}{_OF_OTHERS}."
    yield Sentence(text=said, evidence_ids=ids)
    if not assessed or verdict.label is VerdictLabel.INSUFFICIENT:
        yield Sentence(text=_why_open(verdict), evidence_ids=verdict.deciding_ids[:_MOST_CITED])
    # What could be read of many trials is not what the trials show.
    for row in leading_rows(verdict) if assessed else ():
        yield Sentence(text=row_sentence(row, drug), evidence_ids=told_of(row))
    if verdict.downgrades and assessed:
        rated = _rated(verdict)
        ids = rated.evidence_ids if rated else verdict.deciding_ids
        yield Sentence(text=certainty_words(verdict, rated), evidence_ids=ids)


def _why_open(verdict: Verdict) -> str:
    if verdict.label is VerdictLabel.NOT_ASSESSED and verdict.caps:
        return f"{capitalised(verdict.caps[0]).rstrip('.')}."
    return verdict.told_rule


def _is_of_one_study(verdict: Verdict) -> bool:
    """Return whether all that decides are outcomes of one study."""
    rows, decided = leading_rows(verdict), set(verdict.deciding_ids)
    own = {row.evidence_ids for row in rows if row.studies < 2 and not row.review}
    return len(own) == 1 and decided <= set(*own) and all(row.evidence_ids in own for row in rows)


def _is_of_others(verdict: Verdict) -> bool:
    """Return whether the deciding rows are of other people than those asked about, or of more."""
    decided = set(verdict.deciding_ids)
    rows = [r for r in verdict.rows if decided & set(r.evidence_ids) and r.importance != "harm"]
    told = rows if verdict.label not in OPEN else []
    return bool(told) and all(r.directness != "direct" and not _is_of_class(r) for r in told)


def _is_of_class(row: OutcomeRow) -> bool:
    return bool(row.tested_as) or any(effect.tested_as for effect in row.effects)


def _rated(verdict: Verdict) -> OutcomeRow | None:
    """Return the row whose reasons are those of the verdict: of several, one that decides."""
    rows = [r for r in verdict.rows if r.reasons == verdict.downgrades]
    decided = set(verdict.deciding_ids)
    deciding = [r for r in rows if decided & set(r.evidence_ids)]
    return next(iter((*deciding, *rows)), None)


def certainty_words(verdict: Verdict, row: OutcomeRow | None) -> str:
    """Return why the certainty is no higher; of two reasons of one kind the more serious one."""
    told = {
        reason.partition(": ")[0].removeprefix("very serious "): reason
        for reason in verdict.downgrades
    }
    reasons = [reason.partition(": ")[2] or reason for reason in told.values()]
    of = f" of the finding on {row.outcome}" if row and len(verdict.rows) > 1 else ""
    return f"{CERTAINTY}{of} is {verdict.certainty.value}: {listed(reasons)}."


def table_rows(rows: Sequence[OutcomeRow], told: Sequence[OutcomeRow] = ()) -> Iterator[OutcomeRow]:
    """Yield the rows of the table: by weight, those first that the answer tells, then trials."""
    near = [row for row in rows if row.directness != "related"] or list(rows)

    def order(row: OutcomeRow) -> tuple[bool, int, bool]:
        place = told.index(row) if row in told else len(told)
        return bool(row.comparator) and not row.asked, place, row.tier != "randomised"

    ordered = sorted(near, key=order)
    for weight, most in _MOST_ROWS.items():
        of_weight = [row for row in ordered if row.importance == weight]
        yield from (gravest_first(of_weight) if weight == "harm" else of_weight)[:most]


def is_on_results(text: str) -> bool:
    """Return whether a sentence on what is missing is on the results that were weighed.

    A text that names their limits says it better.
    """
    return text.startswith(_ON_RESULTS)


def weak(rows: Sequence[OutcomeRow]) -> tuple[str, ...]:
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
    for row, study, vote in larger(matter):
        name = study_name(study, matter.evidence, vote.evidence_id)
        yield (
            f"A larger study than those of the answer on {row.outcome} stands beside them: "
            f"{name} ({vote.people:,} people), under the main studies."
        )
    if frame and len(frame.comparators) > 1 and not frame.compared_together:
        yield (
            f"The verdict is on {matter.drug} against {listed([*frame.comparators], 'or')}; "
            "it does not rank these among each other."
        )
    if frame:
        yield from without_text(matter.drug, frame, matter.evidence.values())
    unread = sum(s.unread for s in matter.studies)
    if unread:
        what = "study" if unread == 1 else "studies"
        yield f"{unread} relevant {what} could not be read without a language model."
    if few := _FEW.get(len({s.evidence_ids for s in matter.studies if s.votes})):
        yield few
    if any(s.concern for s in matter.studies):
        yield _CONCERN


def _trials_under_way(
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
