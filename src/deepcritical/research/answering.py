"""The loop and the verbs of a free question: what must be known, what is known, and the answer.

Searching is that of every run; see `steps`.
"""

from __future__ import annotations

from itertools import compress

from deepcritical.answering.coverage import covered
from deepcritical.answering.topics import topics_of
from deepcritical.domain.appraisal.checklist import Coverage, InquiryKind, ItemFact, lower_of
from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.report.claims import located
from deepcritical.domain.run import events
from deepcritical.research.processing import rank_records, read_studies
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import check_document, check_integrity, execute_searches
from deepcritical.research.stopping import CoverageResult, answer_stop_reason
from deepcritical.research.understanding import understand_freely
from deepcritical.services.tasks import calculated
from deepcritical.tools.search_handler import WEB
from deepcritical.writing.sections.context import ReportContext


async def refine_inquiry(session: ResearchSession) -> None:
    """Understand a free question; what the reader must know of that becomes a notice.

    Raises:
        QuestionError: It is empty, too long, or names nothing that could be looked for.
    """
    frame = await understand_freely(session)
    session.inquiry = await session.reasoner.refine_inquiry(frame, session.context)
    await session.emit(events.InquiryRefined(inquiry=session.inquiry), events.Stage.QUESTION)
    for notice in session.inquiry.notices:
        await session.notify(notice)


async def generate_checklist(session: ResearchSession) -> None:
    """Say what must be known, and what is searched first."""
    store = session.store
    store.checklist = await session.reasoner.generate_checklist(session.inquired)
    await session.emit(events.ChecklistMade(checklist=store.checklist), events.Stage.QUESTION)
    session.queries_ahead = await _queries(session)


async def search_for_items(session: ResearchSession) -> None:
    """Run the queries for what is not satisfied, all at once, and read what they bring.

    After the first round only records are read that name what is asked about, and only they count
    as new: sources that rank by words always find more.

    Raises:
        DeepCriticalError: No source could be read, and there is nothing to answer from.
    """
    await execute_searches(session, session.queries_ahead)
    unread = await calculated(_unread, session)
    if session.iteration > 1:
        session.new_in_round = len(unread)
    await rank_records(session)
    await read_studies(session, unread)
    await map_facts(session)


def _unread(session: ResearchSession) -> tuple[str, ...]:
    store, frame = session.store, session.inquired.frame
    unread = [key for key in store.evidence if key not in store.read_for_items]
    if session.iteration > 1 and frame:
        topics = topics_of(frame)
        by_drug = session.inquired.kind is not InquiryKind.TREATMENT
        named = (topics.are_named_in(store.evidence[key], by_drug=by_drug) for key in unread)
        unread = list(compress(unread, named))
    return tuple(unread)


async def check_completeness(session: ResearchSession) -> None:
    """Measure how far each item is covered, and decide if that, or a limit, ends the search.

    By rule alone where the user wants the answer now.
    """
    store, now = session.store, session.stop_wanted
    store.coverage = (
        covered(store)
        if now
        else await session.reasoner.check_completeness(session.inquired, store)
    )
    await session.emit(
        events.CompletenessChecked(iteration=session.iteration, items=store.coverage),
        events.Stage.JUDGEMENT,
    )
    session.queries_ahead = () if now else await _queries(session)
    coverages = [item.coverage for item in store.coverage]
    result = CoverageResult(
        iteration=session.iteration,
        facts=len(store.item_facts),
        new_facts=session.new_facts_in_round,
        new_records=session.new_in_round,
        items=len(coverages),
        satisfied=coverages.count(Coverage.SATISFIED),
        partial=coverages.count(Coverage.PARTIAL),
        open_queries=len(session.queries_ahead),
        unread=session.failed_in_round and not session.answered_in_round,
        elapsed_s=session.elapsed_s,
        spent=session.spent,
        stop_wanted=session.stop_wanted,
    )
    session.stop_reason = answer_stop_reason(result, session.limits)
    if session.stop_reason is None:
        session.begin_round()


async def synthesize_answer(session: ResearchSession) -> None:
    """Write the answer, then check it: references against the store, sentences against records."""
    await check_integrity(session)
    store = session.store
    # What was found retracted just now supports nothing any more.
    store.coverage = lower_of(store.coverage or covered(store), covered(store))
    context = ReportContext(
        stop_reason=session.stop_reason or events.StopReason.NO_NEW_EVIDENCE,
        iterations=session.iteration,
        searched_on=session.searched_on,
        sources=session.searched.described,
        notices=tuple(session.notices),
        retrieval=store.retrieval,
    )
    draft = await session.reasoner.synthesize_answer(session.inquired, store, context)
    named = draft.model_copy(update={"notices": tuple(session.notices)})
    store.answer = await check_document(session, named)
    satisfied = sum(item.coverage is Coverage.SATISFIED for item in store.answer.checklist)
    await session.emit(
        events.AnswerWritten(
            satisfied=satisfied,
            items=len(store.answer.checklist),
            references=len(store.answer.references),
        ),
        events.Stage.REPORT,
    )


async def _queries(session: ResearchSession) -> tuple[SearchQuery, ...]:
    """The next queries that have not been run yet, or that no source could answer."""
    wanted = await session.reasoner.generate_item_queries(
        session.inquired, session.store, web=WEB in session.searched.handler.sources
    )
    run = session.store.queries_run
    return tuple({q.text: q for q in wanted if q.text not in run}.values())


async def map_facts(session: ResearchSession) -> None:
    """Read records for the checklist that were not yet; a quote that is not there is dropped."""
    store = session.store
    unread = store.best_first(await calculated(_unread, session))
    before = store.facts_dropped
    found = await session.reasoner.find_facts(session.inquired, store, unread)
    kept = [fact for fact in (_located(session, one) for one in found) if fact]
    store.facts_dropped += len(found) - len(kept)
    store.add_item_facts(kept)
    store.read_for_items.update(dict.fromkeys(unread))
    session.new_facts_in_round = len(kept)
    await session.emit(
        events.FactsMapped(
            read=len(unread), facts_located=len(kept), facts_dropped=store.facts_dropped - before
        ),
        events.Stage.SEARCH,
    )


def _located(session: ResearchSession, fact: ItemFact) -> ItemFact | None:
    found = located(fact.fact, session.store.evidence)
    return fact.model_copy(update={"fact": found}) if found else None


async def stop_early(session: ResearchSession, error: DeepCriticalError) -> None:
    """Answer from what there is when research fails on the way.

    Raises:
        DeepCriticalError: There is nothing to answer from.
    """
    if not session.store.item_facts:
        raise error
    session.stop_reason = events.StopReason.NO_NEW_EVIDENCE
    await session.notify(f"Research stopped early: {error}")


async def deep_research(session: ResearchSession) -> None:
    """Run the loop until there is an answer in the session's store.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
    """
    await refine_inquiry(session)
    await generate_checklist(session)
    while session.stop_reason is None:
        try:
            await search_for_items(session)
            await check_completeness(session)
        except DeepCriticalError as error:
            await stop_early(session, error)
    await synthesize_answer(session)
