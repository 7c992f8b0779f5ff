"""Reads and grades the records of a round, first from abstracts, then from full texts."""

from __future__ import annotations

from collections.abc import Iterator

from deepcritical.domain.appraisal import Appraisal, Reading
from deepcritical.domain.claims import located
from deepcritical.domain.events import EvidenceProcessed, Stage
from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.grading import grade
from deepcritical.domain.study import StudyReading
from deepcritical.reasoning.base import Unread
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


_SHARE = 0.25
"""Share of the time left for research that fetching may take."""
_LONGEST_S = 30.0
_SHORTEST_S = 2.0
"""With less time nothing is fetched."""
_UNGRADED = 9


async def take_full_texts(session: ResearchSession) -> bool:
    """Fetch the full texts of studies that decide; whether any record has more to read now.

    In one wave, at most as many in a run as its limits allow. What was fetched, and for how many
    studies no text was open, becomes a notice.
    """
    fetch = session.searched.full_texts
    within_s = min(_LONGEST_S, _SHARE * session.research_s)
    left = session.limits.full_texts - len(session.full_texts_asked)
    if fetch is None or left < 1 or within_s < _SHORTEST_S:
        return False
    wanted = [key for key in _by_weight(session) if key not in session.full_texts_asked]
    open_ = [key for key in wanted if _may_be_open(session.store.evidence[key])][:left]
    session.full_texts_closed.update(
        key for key in wanted if not _may_be_open(session.store.evidence[key])
    )
    answers = await fetch([session.store.evidence[key] for key in open_], within_s) if open_ else ()
    session.full_texts_asked.update(open_)
    found = [answer.evidence for answer in answers if answer.evidence]
    session.store.add(found)
    session.full_texts_closed.update(
        key for key, answer in zip(open_, answers, strict=True) if answer.evidence is None
    )
    if open_:
        await session.notify(_told(len(found), len(session.full_texts_closed)))
    return bool(found)


def _told(read: int, closed: int) -> str:
    studies = "study" if read == 1 else "studies"
    told = f"The full text of {read} {studies} was read, because the abstract gave no result"
    return f"{told}; of {closed} it is not open or could not be read." if closed else f"{told}."


def _may_be_open(record: Evidence) -> bool:
    """Return whether it has a PMCID, and its index does not say that it is closed."""
    return (
        bool(record.metadata.pmcid) and getattr(record.metadata, "open_access", None) is not False
    )


def _by_weight(session: ResearchSession) -> list[str]:
    """Included records whose result is unread: strongest design first, then the larger ones."""
    ranks: dict[str, tuple[int, int, int]] = {}
    for position, (key, appraisal) in enumerate(_unread(session)):
        grade = appraisal.grade
        people = grade.participants or 0
        ranks.setdefault(key, (grade.level or _UNGRADED, -people, position))
    return sorted(ranks, key=ranks.__getitem__)


def _unread(session: ResearchSession) -> Iterator[tuple[str, Appraisal]]:
    for drug in session.store.drugs:
        for key, appraisal in session.store.appraisals(drug).items():
            record = session.store.evidence[key]
            study = session.store.readings.get(key)
            is_new = record.metadata.full_text_from is None and record.metadata.kind != "trial"
            if is_new and appraisal.counts and _lacks_result(appraisal, study):
                yield key, appraisal


def _lacks_result(appraisal: Appraisal, study: StudyReading | None) -> bool:
    """Return whether a study bears on the question and its primary result was not read."""
    if study is None or appraisal.reading.unread:
        return True
    if set(study.kinds) & {"protocol", "narrative_review", "guideline", "animal", "in_vitro"}:
        return False
    if not appraisal.reading.votes:
        return bool(study.unread) or not study.results
    primary = any(result.level == "primary" for result in study.results)
    return "results_not_given" in study.unread and not primary
