"""Shows records to a writer as numbered sentences, each a finding that its text may cite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from deepcritical.domain.appraisal.findings import Appraisal, StudyFinding
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.spans import fold
from deepcritical.reading.sentences import numbered, shown_numbers
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sentences.passages import passage_finding
from deepcritical.writing.sentences.studies import comparator_of

_MOST_RECORDS = 14
_MAIN_RECORDS, _MAIN_CHARS, _MOST_CHARS = 6, 6_000, 2_600
"""Records that are shown as whole abstracts, and characters of one of them, and of any other; of a
longer one its beginning and its results are shown."""


def ranked(
    studies: Sequence[StudyFinding],
    decided: Iterable[str],
    appraisals: Mapping[str, Appraisal],
    store: EvidenceStore,
    frame: QuestionFrame | None = None,
) -> tuple[str, ...]:
    """Return records in the order in which a writer needs them.

    Those that decide go first, then other results, those that bear on the question, and the rest;
    of each those first that name most of what is asked about, then by relevance.
    """
    named, fits = _named_in(store.evidence, frame), store.relevance
    weighed = (v.evidence_id for study in studies for v in study.votes)
    bearing = (i for i, one in appraisals.items() if one.counts)
    told: dict[str, None] = {}
    for group in (decided, weighed, bearing, fits):
        known = {i for i in group if i in named}
        told |= dict.fromkeys(sorted(known, key=lambda i: (-named[i], -fits.get(i, 0.0), i)))
    return tuple(told)


def _named_in(evidence: Mapping[str, Evidence], frame: QuestionFrame | None) -> dict[str, int]:
    """Return how many of the things that a question names each record names."""
    wanted: list[tuple[str, ...]] = []
    if frame:
        wanted += [(drug.name, *drug.names) for drug in frame.drugs]
        wanted += [(name,) for name in (*frame.comparators, *frame.outcomes, *frame.population)]
        conditions = (frame.condition, frame.harm)
        wanted += [(one.name, *one.names) for c in conditions if c for one in c.each]
    names = [{fold(name) for name in group if name} for group in wanted]
    texts = {i: fold(f"{one.citation.title} {one.content}") for i, one in evidence.items()}
    return {
        i: sum(any(name in text for name in group) for group in names) for i, text in texts.items()
    }


def sources_of(
    drug: str,
    ids: Iterable[str],
    studies: Sequence[StudyFinding],
    evidence: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
) -> dict[str, Finding]:
    """Return the sentences of records as findings, by ids such as "2.5", record by record.

    A sentence on which a result that counts rests has the direction of that result. A retracted
    record has none.

    Args:
        drug: The drug asked about; '' for none.
        ids: Of the records, the most important first.
        studies: With the results that count.
        evidence: The records.
        readings: Of the records, by evidence id.
    """
    kept = [i for i in dict.fromkeys(ids) if i in evidence and not is_retracted(evidence[i])]
    votes = [v for study in studies for v in study.votes]
    found: dict[str, Finding] = {}
    told = (i for i in kept if evidence[i].content.strip())
    for place, evidence_id in enumerate(islice(told, _MOST_RECORDS), 1):
        own = [v for v in votes if v.evidence_id == evidence_id]
        record, reading = evidence[evidence_id], readings.get(evidence_id)
        spans = numbered(record)
        room = _MAIN_CHARS if place <= _MAIN_RECORDS else _MOST_CHARS
        for number in shown_numbers(spans, room):
            if number:
                key = f"{place}.{number}"
                typed = _typed([v for v in own if v.start == spans[number].start], readings)
                base = passage_finding(key, evidence_id, spans[number], record, reading)
                found[key] = base.model_copy(update={"drug": drug} | typed)
    return found


def _typed(votes: Sequence[Vote], readings: Mapping[str, StudyReading]) -> dict[str, Any]:
    """Return what is known of the results that rest on one sentence, as far as they agree."""
    if len({vote.way for vote in votes}) != 1 or votes[0].way is Way.CONFLICT:
        return {}
    first, alone = votes[0], len(votes) == 1
    return {
        "way": first.way,
        "outcome": "; ".join(dict.fromkeys(vote.outcome for vote in votes)),
        "comparator": comparator_of(first, readings),
        "directness": first.directness,
        "people": first.people if alone else None,
        "effect": first.effect if alone else None,
        "unit": first.unit if alone else "",
        "timepoint": first.timepoint if alone else "",
        "level": first.level if alone and first.level != "unstated" else "",
    }
