"""Parts of a round: its records are read, what is known after it, what the next is for."""

from __future__ import annotations

from deepcritical.domain.assessment import JudgeAssessment, RoundChoice
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.events import RecordRead, RecordsRanked, RoundChosen, Stage, StudiesRead
from deepcritical.domain.plan import ResearchPlan
from deepcritical.domain.study import StudyReading
from deepcritical.questions.searching import posed_queries, search_sides
from deepcritical.questions.wording import as_meant
from deepcritical.research.session import ResearchSession
from deepcritical.research.stopping import RoundResult
from deepcritical.services.calculating import calculated


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
        RoundChosen(
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
    frame = session.inquiry.frame if session.inquiry else None
    text = session.question.text if session.question else session.text
    text = (await calculated(as_meant, frame)).text if frame else text
    found = await ranking.rank(text, dict(store.evidence))
    store.relevance, store.retrieval = found.relevance, found.retrieval
    ranked = RecordsRanked(records=len(found.relevance), retrieval=found.retrieval)
    await session.emit(ranked, Stage.SEARCH)


async def read_studies(session: ResearchSession) -> None:
    """Read every record that was not read yet into what it says of its study, the best first."""
    store = session.store
    new = store.best_first(key for key in store.evidence if key not in store.readings)
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
        RecordRead(
            evidence_id=key,
            reader=reading.reader.name if reading.reader.kind == "model" else reading.reader.kind,
            results=len(reading.results),
            unread=reading.unread,
            **(_titled(store.evidence[key].citation.title, reading) if reading.results else {}),
        )
        for key, reading in found.items()
    )
    await session.emit(StudiesRead(records=told), Stage.SEARCH)


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
