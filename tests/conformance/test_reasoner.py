"""The contract of every reasoner, with a model or without."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import islice

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from deepcritical.answering.coverage import covered
from deepcritical.domain.appraisal.checklist import Aspect, Coverage, Inquiry, lower_of
from deepcritical.domain.appraisal.findings import Appraisal
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.question import QuestionForm, ResearchQuestion
from deepcritical.domain.report.claims import claim_holds, located
from deepcritical.domain.report.parts import SearchRun
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import StopReason
from deepcritical.jobs.conduct import DurableReasoner
from deepcritical.jobs.recorder import Host, Recorder
from deepcritical.models.desk import RunDesk
from deepcritical.models.providers import ModelServer, model_server
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner, Unread
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.tasks import calculated
from deepcritical.tools.snapshot import parse
from deepcritical.writing.ledger.auditing import audit
from deepcritical.writing.sections.context import ReportContext
from tests.conftest import DEMO, DEMO_QUESTION
from tests.servers import models
from tests.servers.answers import answer
from tests.servers.running import running

EVERY_NTH = 5
"""Of the records of the snapshot, those that are read with a model: each costs a reading."""


def made_up(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """A sane model without a server."""
    asked = "\n".join(str(getattr(p, "content", "")) for m in messages for p in m.parts)
    return ModelResponse([ToolCallPart(info.output_tools[0].name, answer(asked))])


@asynccontextmanager
async def by_rules() -> AsyncIterator[Reasoner]:
    yield ExtractiveReasoner()


@asynccontextmanager
async def by_function() -> AsyncIterator[Reasoner]:
    server = ModelServer(name="function", open=lambda _key: FunctionModel(made_up))
    async with LLMReasoner(server).for_run(RunDesk(limits=AMPLE)) as reasoner:
        yield reasoner


@asynccontextmanager
async def over_http(spec: str, path: str) -> AsyncIterator[Reasoner]:
    scripted = models.ModelServer()
    async with running(scripted.app) as url:
        server = model_server(spec, base_url=f"{url}{path}", api_key="made-up")
        async with LLMReasoner(server).for_run(RunDesk(limits=AMPLE)) as reasoner:
            yield reasoner


@asynccontextmanager
async def recorded() -> AsyncIterator[Reasoner]:
    session = ResearchSession(
        text=DEMO_QUESTION,
        limits=AMPLE,
        reasoner=ExtractiveReasoner(),
        log=EventLog("made"),
        clock=time.monotonic,
        searched_on="2999-01-01",
    )
    recorder = Recorder(session, Host())
    async with DurableReasoner(session.reasoner, recorder).for_run(RunDesk()) as reasoner:
        yield reasoner


AMPLE = RunLimits(max_calls=1_000, max_tokens=10_000_000)
REASONERS: dict[str, Callable[[], AbstractAsyncContextManager[Reasoner]]] = {
    "extractive": by_rules,
    "recorded": recorded,
    "function": by_function,
    "openai": lambda: over_http("openai-chat:made-up", "v1"),
    "anthropic": lambda: over_http("anthropic:made-up", ""),
}
CONTEXT = ReportContext(
    stop_reason=StopReason.SUFFICIENT_EVIDENCE.value,
    iterations=1,
    searched_on="2999-01-01",
    sources=("made: 0 records",),
    notices=("A made-up notice.",),
)
FORMS = {
    DEMO_QUESTION: QuestionForm.DRUG_CONDITION,
    "What could be repurposed for Alzheimer's disease?": QuestionForm.CONDITION,
    "Does metformin slow Alzheimer's through AMPK and tau?": QuestionForm.HYPOTHESIS,
}

_READ: dict[tuple[type, str, str], tuple[ResearchQuestion, EvidenceStore]] = {}


@pytest.fixture(params=REASONERS)
async def reasoner(request: pytest.FixtureRequest) -> AsyncIterator[Reasoner]:
    async with REASONERS[request.param]() as one:
        yield one


def demo_store(reasoner: Reasoner) -> EvidenceStore:
    store = EvidenceStore()
    step = 1 if isinstance(reasoner, ExtractiveReasoner) else EVERY_NTH
    store.add(islice(parse(DEMO.read_bytes(), "demo").records, 0, None, step))
    return store


async def read_all(reasoner: Reasoner, text: str) -> tuple[ResearchQuestion, EvidenceStore]:
    """The same once for all tests that only look."""
    key = (type(reasoner), reasoner.name, text)
    if key not in _READ:
        _READ[key] = await read_afresh(reasoner, text)
    return _READ[key]


async def read_afresh(reasoner: Reasoner, text: str) -> tuple[ResearchQuestion, EvidenceStore]:
    """The question as understood, and a store in which every demo record is read and judged."""
    question = await reasoner.refine_question(await calculated(literal_frame, text))
    store = await asyncio.to_thread(demo_store, reasoner)
    drugs = await reasoner.name_candidates(question, store)
    studies = (await reasoner.read_studies(store.evidence, "")).readings
    records = store.evidence.items()
    unread = [Unread(drug, key, e, studies[key]) for drug in drugs for key, e in records]
    async for reading in reasoner.read_all(question, unread):
        graded = grade(store.evidence[reading.evidence_id])
        store.add_appraisal(Appraisal(reading=reading, grade=graded))
    store.hypotheses = await reasoner.propose_hypotheses(question, store)
    store.assessments.append(await reasoner.assess_evidence(question, store))
    return question, store


class TestQuestion:
    def test_it_is_a_reasoner_with_a_name(self, reasoner: Reasoner) -> None:
        assert isinstance(reasoner, Reasoner)
        assert reasoner.name.strip()

    @pytest.mark.parametrize(("text", "form"), FORMS.items())
    async def test_the_three_forms_are_told_apart(
        self, reasoner: Reasoner, text: str, form: QuestionForm
    ) -> None:
        question = await reasoner.refine_question(await calculated(literal_frame, text))
        assert question.form is form
        assert question.text == text
        assert question.condition
        assert question.condition.mesh_id
        assert (question.drug is None) is (form is QuestionForm.CONDITION)
        assert bool(question.mechanism_terms) is (form is QuestionForm.HYPOTHESIS)

    async def test_an_unknown_name_is_searched_with_a_notice(self, reasoner: Reasoner) -> None:
        frame = literal_frame("Can examplol be repurposed for testitis?")
        question = await reasoner.refine_question(frame)
        assert question.drug
        assert question.condition
        assert (question.drug.name, question.drug.known) == ("examplol", False)
        assert (question.condition.name, question.condition.known) == ("testitis", False)
        assert len(question.notices) == 2

    @pytest.mark.parametrize("text", ["xyzzy", "???", "Why?", "a " * 900])
    async def test_no_question_is_a_question_error(self, reasoner: Reasoner, text: str) -> None:
        with pytest.raises(QuestionError) as caught:
            await reasoner.refine_question(await calculated(literal_frame, text))
        assert caught.value.advice

    @pytest.mark.parametrize("text", FORMS)
    async def test_there_is_something_to_search_at_first(
        self, reasoner: Reasoner, text: str
    ) -> None:
        question = await reasoner.refine_question(await calculated(literal_frame, text))
        queries = await reasoner.generate_queries(question, EvidenceStore())
        assert queries
        assert len({query.text for query in queries}) == len(queries)
        assert all(query.text.strip() for query in queries)
        # A registry holds neither mechanism nor results in prose: it must be asked without them.
        assert any(not query.literature_only for query in queries)


@pytest.mark.slow
@pytest.mark.parametrize("text", FORMS)
class TestEvidence:
    async def test_every_fact_is_located_in_its_record(self, reasoner: Reasoner, text: str) -> None:
        _, store = await read_all(reasoner, text)
        readings = [a.reading for d in store.drugs for a in store.appraisals(d).values()]
        facts = [fact for reading in readings for fact in reading.facts]
        facts += [f for h in store.hypotheses for edge in h.edges for f in edge.facts]
        assert facts
        for fact in facts:
            content = store.evidence[fact.evidence_id].content
            assert content[fact.start : fact.end] == fact.quote
            assert located(fact, store.evidence) == fact

    async def test_a_reading_is_of_the_record_and_the_drug_it_was_asked_for(
        self, reasoner: Reasoner, text: str
    ) -> None:
        _, store = await read_all(reasoner, text)
        for drug in store.drugs:
            for key, appraisal in store.appraisals(drug).items():
                assert {fact.evidence_id for fact in appraisal.reading.facts} <= {key}
                assert appraisal.reading.drug == drug
                assert appraisal.reading.included or not appraisal.reading.facts

    async def test_the_assessment_is_in_range(self, reasoner: Reasoner, text: str) -> None:
        _, store = await read_all(reasoner, text)
        (assessment,) = store.assessments
        assert 0 <= assessment.mechanism_score <= 10
        assert 0 <= assessment.clinical_score <= 10
        assert 0 <= assessment.confidence <= 1
        assert assessment.reasoning
        assert (assessment.recommendation == "synthesize") is assessment.sufficient

    async def test_a_chain_runs_from_the_drug_to_the_condition(
        self, reasoner: Reasoner, text: str
    ) -> None:
        question, store = await read_all(reasoner, text)
        assert question.condition
        for hypothesis in store.hypotheses:
            assert hypothesis.nodes[0] == hypothesis.drug
            assert hypothesis.nodes[-1] == question.condition.name
            assert 0 <= hypothesis.confidence <= 0.5
            settled = hypothesis.complete or hypothesis.proposed_by_model
            assert bool(hypothesis.search_suggestions) is not settled

    async def test_the_report_refers_to_records_of_the_store_only(
        self, reasoner: Reasoner, text: str
    ) -> None:
        question, store = await read_all(reasoner, text)
        report = await reasoner.write_report(question, store, CONTEXT)
        assert report.references
        assert {r.evidence_id for r in report.references} <= set(store.evidence)
        assert report.claims
        assert all(claim_holds(claim, store.evidence) for claim in report.claims)

    async def test_the_same_store_gives_the_same_bytes(self, reasoner: Reasoner, text: str) -> None:
        first = await reasoner.write_report(*await read_all(reasoner, text), CONTEXT)
        second = await reasoner.write_report(*await read_afresh(reasoner, text), CONTEXT)
        assert first.model_dump_json() == second.model_dump_json()
        assert first.to_markdown() == second.to_markdown()


@pytest.mark.parametrize("text", [*FORMS, "Can examplol be repurposed for testitis?"])
async def test_a_store_without_evidence_is_no_error(reasoner: Reasoner, text: str) -> None:
    store = EvidenceStore()
    question = await reasoner.refine_question(await calculated(literal_frame, text))
    chains = await reasoner.propose_hypotheses(question, store)
    assert not any(edge.evidenced for chain in chains for edge in chain.edges)
    assessment = await reasoner.assess_evidence(question, store)
    assert (assessment.sufficient, assessment.clinical_score) == (False, 0)
    store.assessments.append(assessment)
    report = await reasoner.write_report(question, store, CONTEXT)
    assert (report.references, report.claims) == ((), ())
    assert "A made-up notice." in report.notices


@pytest.mark.slow
async def test_a_record_read_alone_is_read_for_the_drug(reasoner: Reasoner) -> None:
    question, store = await read_all(reasoner, DEMO_QUESTION)
    assert question.drug
    for key, appraisal in islice(store.appraisals(question.drug.name).items(), 3):
        studies = (await reasoner.read_studies({key: store.evidence[key]}, "")).readings
        unread = Unread(question.drug, key, store.evidence[key], studies[key])
        alone = await reasoner.read_evidence(question, unread)
        assert alone == appraisal.reading


async def test_a_reasoner_never_writes_the_store(reasoner: Reasoner) -> None:
    question, store = await read_all(reasoner, DEMO_QUESTION)
    before = (dict(store.evidence), store.hypotheses, list(store.assessments), store.report)
    await reasoner.generate_queries(question, store)
    await reasoner.assess_evidence(question, store)
    await reasoner.write_report(question, store, CONTEXT)
    after = (dict(store.evidence), store.hypotheses, list(store.assessments), store.report)
    assert before == after


INQUIRIES = (
    DEMO_QUESTION,
    "What is the first-line treatment of infantile hemangioma?",
    "How does metformin act on AMPK?",
    "Is ivermectin safe in COVID-19?",
    "Does examplol lower testase?",
)


_ASKED: dict[tuple[str, str], tuple[Inquiry, EvidenceStore]] = {}


async def asked(reasoner: Reasoner, text: str) -> tuple[Inquiry, EvidenceStore]:
    """The same once for all tests, none of which writes the store."""
    if (reasoner.name, text) not in _ASKED:
        _ASKED[reasoner.name, text] = await asked_afresh(reasoner, text)
    return _ASKED[reasoner.name, text]


async def asked_afresh(reasoner: Reasoner, text: str) -> tuple[Inquiry, EvidenceStore]:
    """The question as understood, and a store in which every record is read for its checklist."""
    inquiry = await reasoner.refine_inquiry(await calculated(literal_frame, text))
    store = await asyncio.to_thread(demo_store, reasoner)
    store.checklist = await reasoner.generate_checklist(inquiry)
    facts = await reasoner.find_facts(inquiry, store, list(store.evidence))
    store.add_item_facts(facts)
    store.coverage = await reasoner.check_completeness(inquiry, store)
    return inquiry, store


@pytest.mark.parametrize("text", INQUIRIES)
class TestInquiry:
    async def test_a_checklist_asks_for_the_answer_and_for_what_speaks_against(
        self, reasoner: Reasoner, text: str
    ) -> None:
        inquiry = await reasoner.refine_inquiry(await calculated(literal_frame, text))
        assert inquiry.text == text
        assert inquiry.key_terms
        items = (await reasoner.generate_checklist(inquiry)).items
        assert 3 <= len(items) <= 7
        assert Aspect.AGAINST in {item.aspect for item in items}
        assert len({item.aspect for item in items}) == len(items)

    async def test_there_is_something_to_search_at_first_and_later_something_else(
        self, reasoner: Reasoner, text: str
    ) -> None:
        inquiry = await reasoner.refine_inquiry(await calculated(literal_frame, text))
        store = EvidenceStore()
        store.checklist = await reasoner.generate_checklist(inquiry)
        first = await reasoner.generate_item_queries(inquiry, store, web=False)
        assert any(not query.literature_only for query in first)
        assert len({query.text for query in first}) == len(first)
        store.searches += [
            SearchRun(source="made", query=q.text, outcome="empty", identified=0, new=0)
            for q in first
        ]
        then = await reasoner.generate_item_queries(inquiry, store, web=False)
        assert then
        assert not {query.text for query in first} & {query.text for query in then}

    @pytest.mark.slow
    async def test_facts_are_located_and_of_an_item(self, reasoner: Reasoner, text: str) -> None:
        _, store = await asked(reasoner, text)
        assert store.checklist
        ids = {item.id for item in store.checklist.items}
        for fact in store.item_facts:
            assert located(fact.fact, store.evidence) == fact.fact
            assert fact.items
            assert set(fact.items) <= ids

    async def test_coverage_is_never_above_the_rule(self, reasoner: Reasoner, text: str) -> None:
        _, store = await asked(reasoner, text)
        assert store.checklist
        assert [one.item for one in store.coverage] == [i.id for i in store.checklist.items]
        assert lower_of(store.coverage, covered(store)) == store.coverage
        facts = {fact.id: fact for fact in store.item_facts}
        for one in store.coverage:
            assert all(one.item in facts[i].items for i in one.fact_ids)
            assert bool(one.fact_ids) or one.coverage is Coverage.UNSATISFIED

    @pytest.mark.slow
    async def test_every_sentence_of_the_answer_is_borne_out(
        self, reasoner: Reasoner, text: str
    ) -> None:
        inquiry, store = await asked(reasoner, text)
        context = CONTEXT.model_copy(update={"stop_reason": StopReason.NO_NEW_EVIDENCE.value})
        answer = await reasoner.synthesize_answer(inquiry, store, context)
        assert {r.evidence_id for r in answer.references} <= set(store.evidence)
        assert all(claim_holds(claim, store.evidence) for claim in answer.claims)
        assert bool(answer.references) is bool(store.item_facts)
        assert not (await asyncio.to_thread(audit, answer)).failed
        again = await reasoner.synthesize_answer(inquiry, store, context)
        assert again.to_markdown() == answer.to_markdown()


async def test_a_free_question_that_names_nothing_is_a_question_error(reasoner: Reasoner) -> None:
    with pytest.raises(QuestionError):
        await reasoner.refine_inquiry(literal_frame("Why?"))


async def test_a_free_question_never_writes_the_store(reasoner: Reasoner) -> None:
    inquiry, store = await asked(reasoner, DEMO_QUESTION)
    before = repr((vars(store), vars(store.evidence)))
    await reasoner.generate_item_queries(inquiry, store, web=True)
    await reasoner.find_facts(inquiry, store, list(store.evidence)[:5])
    await reasoner.check_completeness(inquiry, store)
    await reasoner.synthesize_answer(inquiry, store, CONTEXT)
    assert repr((vars(store), vars(store.evidence))) == before
