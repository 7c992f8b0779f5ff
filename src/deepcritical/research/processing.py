"""Reads and grades the records of a round, first from abstracts, then from full texts."""

from __future__ import annotations

from deepcritical.domain.appraisal import Appraisal, Reading
from deepcritical.domain.claims import located
from deepcritical.domain.events import EvidenceProcessed, Stage
from deepcritical.domain.evidence import Fact
from deepcritical.domain.grading import grade
from deepcritical.reasoning.base import Unread
from deepcritical.research.full_texts import take_full_texts
from deepcritical.research.rounds import read_studies
from deepcritical.research.session import ResearchSession


async def process_results(session: ResearchSession) -> None:
    """Read every record that was not read yet, once for each drug in question.

    Records whose deciding result was not in the abstract are read again with their full text. A
    quote that is not there is dropped. A record that was read before is graded anew: another source
    may have told of a retraction since.
    """
    grade_anew(session)
    before = session.store.facts_dropped
    read, kept = await _read(session)
    if await take_full_texts(session):
        more = await _read(session)
        read, kept = read + more[0], kept + more[1]
    dropped = session.store.facts_dropped - before
    included = sum(
        a.reading.included
        for drug in session.store.drugs
        for a in session.store.appraisals(drug).values()
    )
    await session.emit(
        EvidenceProcessed(read=read, included=included, facts_located=kept, facts_dropped=dropped),
        Stage.SEARCH,
    )


async def _read(session: ResearchSession) -> tuple[int, int]:
    """Read what is unread; how many readings were made, and with how many facts."""
    await read_studies(session)
    read = kept = 0
    drugs = await session.reasoner.name_candidates(session.understood, session.store)
    unread = [
        Unread(drug, key, evidence, session.store.readings.get(key))
        for drug in drugs
        for key, evidence in session.store.evidence.items()
        if key not in session.store.appraisals(drug.name)
    ]
    async for reading in session.reasoner.read_all(session.understood, unread):
        appraisal = _appraised(session, reading)
        session.store.add_appraisal(appraisal)
        read, kept = read + 1, kept + len(appraisal.reading.facts)
    return read, kept


async def match_results(session: ResearchSession) -> None:
    """Appraise anew the records in which a model found what tells of the question."""
    question, store = session.understood, session.store
    matched = await session.reasoner.match_results(question, store)
    if question.drug is None or not matched:
        return
    anew = [
        Unread(question.drug, key, store.evidence[key], store.readings.get(key), found)
        for key, found in matched.items()
    ]
    async for reading in session.reasoner.read_all(question, anew):
        store.add_appraisal(_appraised(session, reading))
    proposed = next((found.proposed for found in matched.values()), None)
    for appraisal in list(store.appraisals(question.drug.name).values()):
        if appraisal.reading.proposed not in (None, proposed):  # of a round before
            reading = appraisal.reading.model_copy(update={"proposed": proposed})
            store.add_appraisal(appraisal.model_copy(update={"reading": reading}))


def _appraised(session: ResearchSession, reading: Reading) -> Appraisal:
    """The reading with what is located in its record, and the grade that code gives."""
    checked = reading.model_copy(
        update={
            name: located_facts(session, facts) for name, facts in reading.facts_by_kind.items()
        }
    )
    session.store.facts_dropped += len(reading.facts) - len(checked.facts)
    return Appraisal.weighed(checked, grade(session.store.evidence[reading.evidence_id]))


def located_facts(session: ResearchSession, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts whose quotes stand in their records."""
    found = (located(fact, session.store.citable) for fact in facts)
    return tuple(fact for fact in found if fact is not None)


def grade_anew(session: ResearchSession) -> bool:
    """Grade what is known by now, such as a retraction; whether that changed any grade."""
    changed = False
    for drug in session.store.drugs:
        for key, appraisal in session.store.appraisals(drug).items():
            regraded = grade(session.store.evidence[key])
            if regraded != appraisal.grade:
                session.store.add_appraisal(Appraisal.weighed(appraisal.reading, regraded))
                changed = True
    return changed
