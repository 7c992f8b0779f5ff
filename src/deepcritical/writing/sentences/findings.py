"""Lists the rows of a verdict as findings, and writes sentences on single results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from deepcritical.appraisal.votes.main_vote import first_of
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import (
    NOT_STATED,
    STOPPED_EARLY,
    Directness,
    Importance,
    OutcomeRow,
    Tier,
    Vote,
    Way,
)
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.spans import whole_sentences
from deepcritical.reading.sentences import numbered
from deepcritical.vocabulary.words import in_running_text
from deepcritical.writing.sentences.studies import comparator_of, design_of, short_name
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import CONTROL, row_sentence

_DESIGNS: dict[Tier, str] = {
    "randomised": "randomised trials",
    "controlled": "studies without randomisation",
    "reported": "narrative reviews",
    "uncontrolled": "studies without a control group",
}
_BY_WEIGHT: tuple[Importance, ...] = ("critical", "important", "harm", "surrogate")
_MOST_ROWS = 8
_FEW_WORDS = 110
"""Characters of the longest population that a sentence on a harm names."""


def findings_of(
    drug: str,
    verdict: Verdict,
    studies: Sequence[StudyFinding],
    evidence: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
) -> dict[str, Finding]:
    """Return the findings on a drug by id: its rows over studies, the weightiest first.

    Args:
        drug: The drug.
        verdict: On the drug, with its rows.
        studies: Of the drug.
        evidence: The records.
        readings: Of the records, by evidence id.
    """
    made = [*_of_rows(drug, verdict, studies, evidence, readings)]
    once = {(f.sentence, f.evidence_ids): f for f in reversed(made)}
    told = [f for f in made if once[f.sentence, f.evidence_ids] is f]
    return {f"F{n}": f.model_copy(update={"id": f"F{n}"}) for n, f in enumerate(told, 1)}


def study_sentence(name: str, vote: Vote, drug: str = "") -> str:
    """Return the sentence on one result of a study of a drug."""
    if vote.row == STOPPED_EARLY:
        return f"{name} was {vote.outcome}."
    told = vote_words(vote, named=False, drug=drug)
    return f"In {name}, {in_running_text(vote.outcome)}: {told}."


def harm_sentence(name: str, quote: str, people: str = "") -> str:
    """Return the sentence on a harm that a record tells in its own words, with whom it studied."""
    of = f" ({people})" if people and len(people) <= _FEW_WORDS else ""
    return f"{name}{of} reports: “{quote.rstrip('.')}”."


def _of_rows(
    drug: str,
    verdict: Verdict,
    studies: Sequence[StudyFinding],
    evidence: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
) -> Iterator[Finding]:
    """Yield the rows; one of a single result with its study, and that result not again."""
    for row in sorted(verdict.rows, key=_weight)[:_MOST_ROWS]:
        own = _votes_of(row, studies)
        found = row_finding(drug, row, [q for _, v in own for q in _quotes(v, evidence, readings)])
        if single := _single(row, studies):
            found = found.model_copy(update=_of_study(*single, evidence, readings))
        yield found


def _single(row: OutcomeRow, studies: Sequence[StudyFinding]) -> tuple[StudyFinding, Vote] | None:
    """Return the study of a row that is of one alone, with the result that the row tells."""
    own = _votes_of(row, studies)
    if len(row.effects) != 1 or len({id(study) for study, _ in own}) != 1:
        return None
    return own[0][0], first_of([vote for _, vote in own])


def _votes_of(row: OutcomeRow, studies: Sequence[StudyFinding]) -> list[tuple[StudyFinding, Vote]]:
    return [
        (study, v)
        for study in studies
        for v in study.votes
        if (v.row, v.comparator) == (row.outcome, row.comparator)
        and v.evidence_id in row.evidence_ids
    ]


def _of_study(
    study: StudyFinding,
    vote: Vote,
    evidence: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
) -> dict[str, Any]:
    """Return the fields of a finding that tell of its study and of its people in all results."""
    reading = readings.get(vote.evidence_id)
    return {
        "study": short_name(evidence[vote.evidence_id]),
        "design": design_of(study, vote, readings),
        "comparator": comparator_of(vote, readings),
        "population": _people(reading, vote) if reading else "",
        "directness": min((v.directness for v in study.votes), key=get_args(Directness).index),
        "timepoint": vote.timepoint,
        "level": "" if vote.level == "unstated" else vote.level,
    }


def _people(reading: StudyReading, vote: Vote) -> str:
    """Return who was studied; how many were randomised, where a result is of another number."""
    who, number = reading.population.description, reading.population.n_randomised
    if vote.tier != "randomised" or vote.review or not number or number == vote.people:
        return who
    return f"{who} ({number:,} randomised)".strip()


def _weight(row: OutcomeRow) -> tuple[bool, bool, int]:
    """Return what a row is sorted by: results that patients feel go before laboratory values."""
    beside = bool(row.comparator) and not row.asked
    return row.importance == "surrogate", beside, _BY_WEIGHT.index(row.importance)


def row_finding(drug: str, row: OutcomeRow, quotes: Sequence[str] = ()) -> Finding:
    """Return a row as a finding, with the sentences of its records that it rests on."""
    single = row.effects[0] if len(row.effects) == 1 else None
    return Finding(
        id="F0",
        evidence_ids=row.evidence_ids,
        design=_DESIGNS[row.tier],
        drug=drug,
        comparator=row.comparator or row.control.replace(NOT_STATED, "") or CONTROL,
        directness=row.directness,
        outcome=row.outcome,
        way=row.way,
        effect=row.pooled.as_effect() if row.pooled else single.effect if single else None,
        unit=row.pooled.unit if row.pooled else single.unit if single else "",
        studies=max(row.studies, 1),
        people=row.people,
        certainty=row.certainty.value,
        quotes=tuple(dict.fromkeys(quotes)),
        sentence=row_sentence(row, drug),
    )


def _quotes(
    vote: Vote, evidence: Mapping[str, Evidence], readings: Mapping[str, StudyReading]
) -> Iterator[str]:
    """Yield the whole sentences that a vote rests on; where results differ, those of each."""
    record, reading = evidence[vote.evidence_id], readings.get(vote.evidence_id)
    starts = {vote.start}
    if vote.way is Way.CONFLICT and reading:
        told, names = numbered(record), vote.outcome.split("; ")
        own = (one for one in reading.results if vote.arm in (one.a, one.b))
        of_all = (one.sentences for one in own if one.outcome in names)
        starts |= {told[n].start for cited in of_all for n in cited if 0 < n < len(told)}
    for span in whole_sentences(record.content):
        if span.start in starts:
            yield span.text
