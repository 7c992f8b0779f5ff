"""Parts of a round: its records are ranked, read and graded; what the next round is for.

Abstracts are read first, then full texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from deepcritical.answering.needs import plainly
from deepcritical.domain.appraisal.assessment import JudgeAssessment, RoundChoice
from deepcritical.domain.appraisal.findings import Appraisal, Reading
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence, Fact
from deepcritical.domain.report.claims import located
from deepcritical.domain.run import events
from deepcritical.domain.run.plan import ResearchPlan
from deepcritical.domain.study.reading import StudyReading
from deepcritical.questions.searching import posed_queries, search_sides
from deepcritical.reasoning.base import Unread
from deepcritical.research.session import ResearchSession
from deepcritical.research.stopping import RoundResult
from deepcritical.services.tasks import calculated


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
        events.EvidenceProcessed(
            read=read, included=included, facts_located=kept, facts_dropped=dropped
        ),
        events.Stage.SEARCH,
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
    last = next(iter(matched.values()))
    for appraisal in list(store.appraisals(question.drug.name).values()):
        if appraisal.reading.proposed:  # maybe of a round before
            told = {"proposed": last.proposed, "rated": last.rated}
            reading = appraisal.reading.model_copy(update=told)
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


def round_result(session: ResearchSession, assessment: JudgeAssessment) -> RoundResult:
    """Return what the termination authority is told of a round that was judged."""
    # What a choice leaves for later is still open: it cannot end the search.
    wanted = {query.text for query in (*assessment.next_queries, *assessment.postponed)}
    return RoundResult(
        iteration=session.iteration,
        records=len(session.store.evidence),
        new_records=session.new_in_round,
        sufficient=assessment.recommendation == "synthesize",
        settled=assessment.settled and not session.failed_in_round,
        open_queries=len(wanted - session.store.queries_run),
        unread=session.failed_in_round and not session.answered_in_round,
        elapsed_s=session.elapsed_s,
        stop_wanted=session.stop_wanted,
    )


async def tell_choice(session: ResearchSession, assessment: JudgeAssessment) -> None:
    """Show which gap the next round goes for, and who chose it."""
    choice = assessment.choice or RoundChoice(wants_more=not assessment.sufficient)
    run = session.store.queries_run
    await session.emit(
        events.RoundChosen(
            iteration=session.iteration + 1,
            gaps=choice.gaps,
            searches=len({query.text for query in assessment.next_queries} - run),
            postponed=len({query.text for query in assessment.postponed} - run),
            made_by=choice.made_by,
            wanted=choice.wants_more,
        )
    )


def told_of_plan(plan: ResearchPlan) -> tuple[str, ...]:
    """Return what the reader must know of a reviewed plan, with the rule searches it leaves out."""
    by_rule = (*search_sides(plan.question, ()), *posed_queries(plan.question))
    planned = {query.text for query in plan.search_queries}
    missing = [query.text for query in by_rule if query.text not in planned]
    if not missing:
        return plan.notices
    some = f"The reviewed plan begins without {len(missing)} of the {len(by_rule)} searches by rule"
    return (*plan.notices, f"{some}: {'; '.join(missing)}.")


async def rank_records(session: ResearchSession) -> None:
    """Rank all records for the question: what is read first, and what the report tells first."""
    store, ranking = session.store, session.searched.records
    if ranking is None or not store.evidence or not session.new_in_round:
        return
    text = session.question.text if session.question else session.text
    text = await calculated(plainly, session.inquiry) if session.inquiry else text
    found = await ranking.rank(text, dict(store.evidence), sentences=session.inquiry is not None)
    store.relevance, store.retrieval = found.relevance, found.retrieval
    store.likeness = found.likeness
    ranked = events.RecordsRanked(records=len(found.relevance), retrieval=found.retrieval)
    await session.emit(ranked, events.Stage.SEARCH)


async def read_studies(session: ResearchSession, among: Collection[str] | None = None) -> None:
    """Read every record that was not read yet into what it says of its study, the best first.

    `among` are the ids of those that are wanted; None wants all.
    """
    store = session.store
    wanted = store.evidence if among is None else among
    new = store.best_first(key for key in wanted if key not in store.readings)
    unread = {
        key: store.evidence[key].model_copy(update={"relevance_score": store.relevance[key]})
        if key in store.relevance
        else store.evidence[key]
        for key in new
    }
    if not unread:
        return
    try:
        studies = await session.reasoner.read_studies(unread, session.owner)
    except ReasoningError as error:
        await session.notify(f"{len(unread)} records were not read into studies: {error}")
        return
    if studies.problem:
        await session.notify(studies.problem)
    found = studies.readings
    for key, reading in found.items():
        session.store.add_study(key, reading)
    told = tuple(
        events.RecordRead(
            evidence_id=key,
            reader=reading.reader.name if reading.reader.kind == "model" else reading.reader.kind,
            results=len(reading.results),
            unread=reading.unread,
            **(_titled(store.evidence[key].citation.title, reading) if reading.results else {}),
        )
        for key, reading in found.items()
    )
    await session.emit(events.StudiesRead(records=told), events.Stage.SEARCH)


def _titled(title: str, reading: StudyReading) -> dict[str, str]:
    first = reading.results[0]
    design = next(iter((*reading.design, *reading.kinds)), "")
    arm = reading.arm({"a": first.a, "b": first.b}.get(first.better, ""))
    found = "no difference" if first.better == "no_difference" else ""
    if arm and arm.label and first.contrast == "between":
        found = f"better with {arm.label}"
    outcome = ": ".join(part for part in (first.concept or first.outcome, found) if part)
    told = " · ".join(part for part in (design.replace("_", " "), outcome) if part)
    return {"title": _cut(title, 120), "told": _cut(told, 160)}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def included_with_doi(session: ResearchSession) -> tuple[str, ...]:
    """The records that bear on the question and can be looked up in Crossref."""
    cited = (fact.fact.evidence_id for fact in session.store.item_facts)
    records = session.store.evidence
    included = dict.fromkeys((*session.store.included, *cited))
    return tuple(i for i in included if records[i].metadata.doi)
