"""The verbs of research.

A step reads the store, asks the reasoner or the sources, writes the store, emits an event.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from deepcritical.appraisal.body.proposals import judged_alike
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.assessment import JudgeAssessment
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.question.frame import Drug, QuestionKind
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.report.citation_validator import AnyDocument, validate_references
from deepcritical.domain.report.parts import SearchRun
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run import events
from deepcritical.domain.run.plan import MOST_QUERIES, Place, PlannedQuery, ResearchPlan
from deepcritical.research.processing import (
    grade_anew,
    included_with_doi,
    located_facts,
    match_results,
    process_results,
    rank_records,
    round_result,
    tell_choice,
    told_of_plan,
)
from deepcritical.research.session import ResearchSession
from deepcritical.research.stopping import stop_reason
from deepcritical.research.understanding import understand
from deepcritical.services.tasks import calculated
from deepcritical.tools.base import SourceOutcome
from deepcritical.tools.deadline import together
from deepcritical.tools.search_handler import SourceAnswer, require_any
from deepcritical.writing.ledger.auditing import check_sentences
from deepcritical.writing.sections.context import ReportContext


async def refine_question(session: ResearchSession) -> None:
    """Understand the question; what the reader must know of that becomes a notice.

    A plan that was reviewed has it understood already.

    Raises:
        QuestionError: It is empty, too long, declined, or names no condition.
    """
    plan = session.plan
    session.question = (
        plan.question if plan else await session.reasoner.refine_question(await understand(session))
    )
    await session.emit(events.QuestionRefined(question=session.question), events.Stage.QUESTION)
    for notice in (*session.question.notices, *(told_of_plan(plan) if plan else ())):
        await session.notify(notice)


async def search_for_evidence(session: ResearchSession) -> None:
    """Generate queries, run the new ones, read and grade what they bring."""
    targeted = session.proposed_in_round
    queries = await generate_queries(session)
    await beside_facts(session, execute_searches(session, queries))
    await rank_records(session)
    await process_results(session)
    session.searched_in_round = True
    session.targeted_in_round = targeted


async def generate_queries(session: ResearchSession) -> tuple[SearchQuery, ...]:
    """Queries that have not been run yet, and those that no source could answer.

    The first ones are those of a plan that was reviewed, if there is one.
    """
    if session.plan and not session.store.searches:
        wanted = session.plan.search_queries
    else:
        wanted = await session.reasoner.generate_queries(session.understood, session.store)
    run = session.store.queries_run
    fresh: dict[str, SearchQuery] = {}
    for query in wanted:
        if query.text not in run:
            fresh.setdefault(query.text, query)
    return tuple(fresh.values())


async def plan_research(session: ResearchSession, place: Place) -> ResearchPlan:
    """Question as understood, sources, the first round's searches, and limits.

    Raises:
        QuestionError: The question cannot be worked on.
    """
    await refine_question(session)
    queries = await generate_queries(session)
    return ResearchPlan(
        question=session.understood,
        place=place,
        queries=tuple(PlannedQuery.of(query) for query in queries[:MOST_QUERIES]),
        limits=session.given_limits,
        notices=tuple(session.notices),
    )


async def execute_searches(session: ResearchSession, queries: tuple[SearchQuery, ...]) -> None:
    """Run queries against all sources and take in the records.

    A source that fails costs no other its records; once there are records, a search that fails
    whole costs none of them.

    Raises:
        DeepCriticalError: No source could be read, and there is nothing to report on.
    """
    if session.searched.records:
        session.searched.records.begin()  # loads while sources are waited for
    answers = await session.searched.handler.execute(
        queries, session.limits.results_per_query, within_s=session.search_s
    )
    for answer in answers:
        await _take_in(session, answer)
    if not session.store.evidence:
        require_any(answers)


async def _take_in(session: ResearchSession, answer: SourceAnswer) -> None:
    result = answer.result
    before = len(session.store.evidence)
    session.store.add(result.evidence)
    new = max(0, len(session.store.evidence) - before)  # a record may show that two others are one
    session.new_in_round += new
    run = SearchRun(
        source=answer.source,
        query=answer.query.text,
        query_as_run=result.query_as_run,
        filters=result.filters,
        understood_as=result.understood_as,
        searched_at=answer.searched_at,
        outcome=result.outcome.value,
        total=result.total,
        identified=len(result.evidence),
        new=new,
        cached=result.cached,
        notes=result.skipped,
    )
    session.store.searches.append(run)
    if result.outcome is SourceOutcome.NOT_APPLICABLE:
        return
    unread = result.outcome is SourceOutcome.UNAVAILABLE
    session.failed_in_round |= unread
    session.answered_in_round |= not unread
    told = run.model_dump(exclude={"filters", "understood_as", "searched_at", "notes"})
    await session.emit(events.SourceSearched(**told, seconds=answer.seconds), events.Stage.SEARCH)
    if result.outcome in (SourceOutcome.UNAVAILABLE, SourceOutcome.DEGRADED):
        why = "; ".join(reason.rstrip(".") for reason in result.skipped[:3])
        await session.notify(f"{answer.source} was {result.outcome.value}: {why}.")


async def check_integrity(session: ResearchSession) -> None:
    """Look up retractions of the records that bear on the question, if that is switched on.

    A record found retracted is graded anew, and chains and scores are made without it, so that it
    supports nothing. What was found, and what could not be looked up, becomes a notice.
    """
    look_up = session.searched.check_integrity
    wanted = included_with_doi(session) if look_up else ()
    if look_up is None or not wanted:
        return
    before = {i: session.store.evidence[i].metadata.integrity for i in wanted}
    # The other half of the time is for writing.
    session.store.add(
        await look_up([session.store.evidence[i] for i in wanted], session.report_s / 2)
    )
    if grade_anew(session):
        await _judge_anew(session)
    after = [session.store.evidence[i] for i in wanted]
    worse = [
        record.citation.title
        for i, record in zip(wanted, after, strict=True)
        if record.metadata.integrity in ("retracted", "concern")
        and record.metadata.integrity != before[i]
    ]
    failed = sum(record.metadata.integrity == "not_checked" for record in after)
    await session.emit(
        events.IntegrityChecked(checked=len(wanted), failed=failed, found=tuple(worse)),
        events.Stage.REPORT,
    )
    if worse:
        titles = "; ".join(title.rstrip(".") for title in worse)
        await session.notify(f"Looked up and found retracted or of concern: {titles}.")
    if failed:
        await session.notify(
            f"{failed} of {len(wanted)} records could not be looked up for retractions."
        )


async def _judge_anew(session: ResearchSession) -> None:
    """Chains and scores from the records as they are graded by now."""
    try:
        session.store.hypotheses = await _proposed(session)
        await judge(session, events.Stage.REPORT)
    except DeepCriticalError as error:
        session.store.hypotheses = ()
        await session.notify(
            f"No chains are shown, and scores are from before a retraction was found: {error}"
        )


async def propose_hypotheses(session: ResearchSession) -> None:
    """Find mechanism chains; a fact on an edge whose quote is not there is dropped."""
    session.store.hypotheses = await _proposed(session)
    session.proposed_in_round = True
    await session.emit(
        events.HypothesesProposed(
            chains=tuple(" → ".join(h.nodes) for h in session.store.hypotheses)
        ),
        events.Stage.HYPOTHESES,
    )


async def _proposed(session: ResearchSession) -> tuple[MechanismHypothesis, ...]:
    proposed = await session.reasoner.propose_hypotheses(session.understood, session.store)
    return tuple(_with_located_edges(session, h) for h in proposed)


def _with_located_edges(
    session: ResearchSession, hypothesis: MechanismHypothesis
) -> MechanismHypothesis:
    edges = tuple(
        edge.each(lambda facts: located_facts(session, facts)) for edge in hypothesis.edges
    )
    session.store.facts_dropped += sum(len(e.facts) for e in hypothesis.edges) - sum(
        len(e.facts) for e in edges
    )
    return hypothesis.model_copy(update={"edges": edges})


async def assess_evidence(session: ResearchSession) -> None:
    """Score the evidence, then let the termination authority decide on another round."""
    assessment = await judge(session, events.Stage.JUDGEMENT)
    session.stop_reason = stop_reason(round_result(session, assessment), session.limits)
    if session.stop_reason is None:
        await tell_choice(session, assessment)
        session.begin_round()


async def judge(session: ResearchSession, stage: events.Stage) -> JudgeAssessment:
    """Score the evidence, with what a model matched in it."""
    await match_results(session)
    assessment = await session.reasoner.assess_evidence(session.understood, session.store)
    session.store.assessments.append(assessment)
    await session.emit(
        events.EvidenceAssessed(
            mechanism_score=assessment.mechanism_score,
            clinical_score=assessment.clinical_score,
            recommendation=assessment.recommendation,
            gaps=assessment.gaps,
        ),
        stage,
    )
    return assessment


def stop_if_due(session: ResearchSession) -> None:
    """Stop when the user wants it or research is out of time, and something can be reported."""
    if session.stop_reason is not None or not session.store.drugs:
        return
    if session.stop_wanted:
        session.stop_reason = events.StopReason.USER_STOP
    elif session.elapsed_s >= session.limits.research_deadline_s:
        session.stop_reason = events.StopReason.DEADLINE


async def write_report(session: ResearchSession) -> None:
    """Write the report, then check it.

    Retractions are looked up before, references are checked against the store and sentences
    against what they cite afterwards.
    """
    await check_integrity(session)
    context = ReportContext(
        stop_reason=session.cut_short or (session.stop_reason or ""),
        iterations=session.iteration,
        searched_on=session.searched_on,
        sources=session.searched.described,
        notices=tuple(session.notices),
        plan_reviewed=session.plan is not None,
        retrieval=session.store.retrieval,
    )
    draft = await session.reasoner.write_report(session.understood, session.store, context)
    session.store.report = await check_document(session, _decided(session, draft))
    await session.emit(
        events.ReportWritten(
            verdict=session.store.report.verdict.label.value,
            references=len(session.store.report.references),
        ),
        events.Stage.REPORT,
    )


def _decided(session: ResearchSession, draft: ResearchReport) -> ResearchReport:
    """The draft with verdicts by rule, of the first drug as sure as its table, and the notices."""
    held, asked = draft.drug_candidates, session.understood.drug
    first = held[0].name if held else ""

    def decided(name: str) -> Verdict:
        told = draft.studies if name == first else ()
        return decide(judged_alike(session.store.studies(name), told))

    verdict = decided(name) if (name := asked.name if asked else first) else decide(())
    changes = {
        "verdict": verdict,
        "confidence_score": verdict.confidence,
        "drug_candidates": tuple(
            one.model_copy(update={"verdict": decided(one.name)}) for one in held
        ),
        "notices": _notes(session, draft),
    }
    return draft.model_copy(update=changes)


def _notes(session: ResearchSession, draft: ResearchReport) -> tuple[str, ...]:
    """The notes of the report.

    Where a model read the question and answers it, how it read it stands under the methods.
    """
    question = session.understood
    by_model = question.frame is not None and question.frame.by_model
    told = draft.brief is not None and draft.brief.is_answered and by_model
    asked = (session.question, question)
    beside = {text for one in asked if one and told for text in one.notices}
    return tuple(text for text in session.notices if text not in beside)


async def check_document(session: ResearchSession, draft: AnyDocument) -> AnyDocument:
    """The draft with only references that exist and sentences that stand, and its support rate."""
    validated = validate_references(draft, session.store.citable)
    await session.emit(
        events.ReferencesValidated(
            kept=len(validated.report.references),
            removed=tuple(reference.title for reference in validated.removed),
        ),
        events.Stage.REPORT,
    )
    checked, ledger = await calculated(check_sentences, validated.report)
    failed = tuple(entry.text for entry in ledger.failed)
    await session.emit(events.ClaimsChecked(checked=ledger.support.cited, failed=failed))
    return checked.model_copy(update={"support": ledger.support})


_MOST_DRUGS = 3


async def beside_facts(session: ResearchSession, searching: Coroutine[Any, Any, None]) -> None:
    """Search, and meanwhile look up the drugs asked about, if nobody has done so in this run.

    Raises:
        DeepCriticalError: What the search raises; a look-up raises nothing.
    """
    look_up = session.searched.facts
    drugs = _drugs(session)
    if look_up is None or session.store.drug_facts is not None:
        await searching
        return
    if not drugs:
        session.store.drug_facts = ()
        await searching
        return
    facts, _ = await together((_looked_up(look_up(drugs, session.search_s)), searching))
    session.store.drug_facts = facts
    # Told only now, so that a run that goes on elsewhere tells things in the same order.
    await _tell(session)


async def _looked_up(asking: Any) -> Any:
    return await asking


def _drugs(session: ResearchSession) -> tuple[Drug, ...]:
    """The drugs that a question names; a class is none."""
    question = session.understood
    frame = question.frame
    if question.drug is None or (frame and frame.kind is QuestionKind.CLASS):
        return ()
    named = {drug.name: drug for drug in (question.drug, *(frame.drugs if frame else ()))}
    return tuple(named.values())[:_MOST_DRUGS]


async def _tell(session: ResearchSession) -> None:
    for facts in session.store.drug_facts or ():
        for how in ("unavailable", "degraded"):
            names = [asked.source for asked in facts.asked if asked.outcome == how]
            if names:
                what = "were" if len(names) > 1 else "was"
                await session.notify(
                    f"Curated facts on {facts.drug}: {', '.join(names)} {what} {how}."
                )
