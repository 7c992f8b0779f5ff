"""The reasoner with a model. It asks for typed judgements and has code make them safe.

The rules' judgement is always made as well. It is what a model's answer is joined with, and what
stands when there is no answer; either is told, with what was spent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from pydantic_ai.models import Model

from deepcritical.domain.appraisal import Reading
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.budget import Judgement
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import grade
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.question import Drug, ResearchQuestion, SearchQuery
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.text import locate_quote
from deepcritical.prompts import asks
from deepcritical.prompts.evidence import (
    CHARS_PER_TOKEN,
    ChooseEvidence,
    ShownRecords,
    batches,
    by_grade,
    shown_records,
)
from deepcritical.reasoning.answers import Assessed, Hypotheses, Plan, Readings, ReadRecord, Section
from deepcritical.reasoning.asking import Asker, NoAnswerError
from deepcritical.reasoning.base import Reasoner, ReportContext, RunDesk, Unread
from deepcritical.reasoning.chains import joined_chains
from deepcritical.reasoning.combining import combined, may_be_asked
from deepcritical.reasoning.extractive import ExtractiveReasoner
from deepcritical.reasoning.judged import judged, worded_queries
from deepcritical.reasoning.judging import best_drug
from deepcritical.reasoning.providers import ModelServer
from deepcritical.reasoning.queries import condition_of, drug_named
from deepcritical.reasoning.quoting import addresses_a_model
from deepcritical.reasoning.sections import (
    ChosenSentence,
    chosen_sentences,
    section_records,
    with_sections,
)
from deepcritical.reasoning.telling import Telling
from deepcritical.reasoning.writing import write
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["LLMReasoner"]

_Answers = dict[tuple[str, str], ReadRecord]
"""What a model read, by name of the drug and evidence id."""


class _Opened(NamedTuple):
    asker: Asker
    telling: Telling


def _opened(server: ModelServer, model: Model, desk: RunDesk) -> _Opened:
    asker = Asker(server, model, desk)
    return _Opened(asker, Telling(server, asker.purse, desk))


class LLMReasoner:
    """Implements `Reasoner` with one model. `for_run` gives each run one of its own.

    Args:
        server: The model's server.
        desk: The run's limits, clock and ear.
        choose: Which records a prompt shows, the most wanted first.
    """

    def __init__(
        self,
        server: ModelServer,
        desk: RunDesk | None = None,
        choose: ChooseEvidence = by_grade,
    ) -> None:
        self._server = server
        self._desk = desk or RunDesk()
        self._choose = choose
        self._rules = ExtractiveReasoner()
        self._short = server.profile.short
        self._opened: _Opened | None = None
        self._plans: dict[str, Plan] = {}

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        return f"model {self._server.name}"

    async def warm_up(self) -> None:
        """Load the vocabularies."""
        await self._rules.warm_up()

    @asynccontextmanager
    async def for_run(self, desk: RunDesk) -> AsyncIterator[Reasoner]:
        """A reasoner with a client, a key and a budget of its own."""
        own = LLMReasoner(self._server, desk, self._choose)
        key = desk.model_api_key
        # Making a client reads certificates from the disk.
        model = await asyncio.to_thread(self._server.open, key.get_secret_value() if key else None)
        async with model:
            own._opened = _opened(self._server, model, desk)
            await own._opened.telling.budget()
            yield own

    async def refine_question(self, text: str) -> ResearchQuestion:
        """As the rules read it; where they know no name, the model's, if it is in the question."""
        by_rule, error = await self._read_question(text)
        if error and not any(char.isalpha() for char in text):
            raise error
        plan = await self._plan("question", text)
        if plan and (by_rule is None or not _is_known(by_rule)):
            by_rule = await self._as_planned(text, plan) or by_rule
        if by_rule is None:
            raise error or QuestionError("The question was not understood.", "Name a condition.")
        return by_rule

    async def generate_queries(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[SearchQuery, ...]:
        """The rules' queries, and at first those that the model adds."""
        by_rule = await self._rules.generate_queries(question, store)
        if store.searches:
            return by_rule
        plan = self._plans.get(question.text) or await self._plan("queries", question.text)
        texts = plan.searches if plan else []
        added = worded_queries(question.drug, condition_of(question), texts)
        return tuple(dict.fromkeys((*by_rule, *added)))

    async def name_candidates(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[Drug, ...]:
        """By rule: the drugs that most records name."""
        return await self._rules.name_candidates(question, store)

    async def read_evidence(
        self, question: ResearchQuestion, drug: Drug, evidence_id: str, evidence: Evidence
    ) -> Reading:
        """One record, read by rules and by the model."""
        unread = [Unread(drug, evidence_id, evidence)]
        (reading,) = [r async for r in self.read_all(question, unread)]
        return reading

    async def read_all(
        self, question: ResearchQuestion, unread: Sequence[Unread]
    ) -> AsyncIterator[Reading]:
        """Every record by rules, and in batches at once those to which a model can add."""
        by_rule = [r async for r in self._rules.read_all(question, unread)]
        pairs = list(zip(unread, by_rule, strict=True))
        wanted = [one for one, reading in pairs if _worth_asking(one, reading)]
        answers, failed = await self._read_in_batches(question, wanted)
        both = await asyncio.to_thread(_joined, pairs, answers)
        known = answers.keys() & {(one.drug.name, one.evidence_id) for one in wanted}
        dropped = sum(lost for _, lost in both) + len(answers) - len(known)
        if failed:
            await self._telling.fell_back("reading", failed, dropped, in_part=bool(known))
        elif wanted:
            await self._telling.made("reading", dropped)
        for reading, _ in both:
            yield reading

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        """The chains of the rules, with what the model proposes and finds on their edges."""
        by_rule = await self._rules.propose_hypotheses(question, store)
        name = best_drug(question, store)
        shown = self._shown(store, name) if name else None
        if name is None or shown is None or not shown.ids:
            return by_rule
        prompt = asks.ask_hypotheses(question, name, shown, short=self._short)
        try:
            answer = await self._asker.ask("hypotheses", prompt, Hypotheses)
        except NoAnswerError as error:
            await self._telling.fell_back("hypotheses", error)
            return by_rule
        drug = question.drug or drug_named(name)
        counted = [i for i in shown.ids if store.appraisals(name)[i].counts]
        records = {i: store.evidence[i] for i in counted}
        chains, dropped = await asyncio.to_thread(
            joined_chains, drug, condition_of(question), records, by_rule, answer.chains
        )
        await self._telling.made("hypotheses", dropped)
        return chains

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        """The lower of the rules' and the model's scores, and the gaps and searches of both."""
        by_rule = await self._rules.assess_evidence(question, store)
        name = best_drug(question, store)
        shown = self._shown(store, name) if name else None
        if name is None or shown is None or not shown.ids:
            return by_rule
        prompt = asks.ask_assessment(question, store, name, shown, short=self._short)
        try:
            answer = await self._asker.ask("assessment", prompt, Assessed)
        except NoAnswerError as error:
            await self._telling.fell_back("assessment", error)
            return by_rule
        condition = condition_of(question)
        queries = worded_queries(question.drug or drug_named(name), condition, answer.searches)
        await self._telling.made("assessment")
        return judged(by_rule, answer, name, queries, condition.name)

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        """The rules' report, with the sentences that the model finds most telling at the head."""
        name = best_drug(question, store)
        sections = await self._sections(question, store, name) if name else {}
        author = self._telling.author(self.name, self._rules.name, wrote=bool(sections))
        told = context.model_copy(update={"found_by": "rules and a model"})
        report = await asyncio.to_thread(write, question, store, told, author)
        return await asyncio.to_thread(with_sections, report, store, sections, self.name)

    @property
    def _asker(self) -> Asker:
        return self._model.asker

    @property
    def _telling(self) -> Telling:
        return self._model.telling

    @property
    def _model(self) -> _Opened:
        if self._opened is None:
            self._opened = _opened(self._server, self._server.open(None), self._desk)
        return self._opened

    def _shown(
        self, store: EvidenceStore, drug: str, among: Sequence[str] | None = None
    ) -> ShownRecords:
        ids = [i for i in self._choose(store, drug) if among is None or i in among]
        return shown_records(store, drug, ids, self._limit_chars)

    @property
    def _limit_chars(self) -> int:
        return self._server.profile.context_tokens * CHARS_PER_TOKEN

    # --- the question ---------------------------------------------------------------------------

    async def _read_question(
        self, text: str
    ) -> tuple[ResearchQuestion | None, QuestionError | None]:
        try:
            return await self._rules.refine_question(text), None
        except QuestionError as error:
            return None, error

    async def _plan(self, judgement: Judgement, text: str) -> Plan | None:
        try:
            prompt = asks.ask_plan(text, short=self._short)
            plan = await self._asker.ask(judgement, prompt, Plan)
        except NoAnswerError as error:
            await self._telling.fell_back(judgement, error)
            return None
        self._plans[text] = plan
        await self._telling.made(judgement)
        return plan

    async def _as_planned(self, text: str, plan: Plan) -> ResearchQuestion | None:
        """The question in the model's reading, if the names it read are words of the question."""
        drug, condition = (_in_words(name, text) for name in (plan.drug, plan.condition))
        if not condition:
            return None
        asked = (
            f"Can {drug} be repurposed for {condition}?"
            if drug
            else f"What could be repurposed for {condition}?"
        )
        understood, _ = await self._read_question(asked)
        terms = tuple(t for t in (_in_words(name, text) for name in plan.mechanism_terms) if t)
        if understood is None or understood.drug is None:
            terms = ()
        return understood and understood.model_copy(
            update={"text": text, "mechanism_terms": terms or understood.mechanism_terms}
        )

    # --- reading --------------------------------------------------------------------------------

    async def _read_in_batches(
        self, question: ResearchQuestion, wanted: Sequence[Unread]
    ) -> tuple[_Answers, NoAnswerError | None]:
        """What the model read, unknown ids included, and why anything is missing."""
        failed: list[NoAnswerError] = []
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._read_batch(question, drug, shown, failed))
                for drug, shown in self._batched(wanted)
            ]
        answers = {key: read for task in tasks for key, read in task.result().items()}
        return answers, next(iter(failed), None)

    def _batched(self, wanted: Sequence[Unread]) -> list[tuple[Drug, ShownRecords]]:
        profile = self._server.profile
        by_drug: dict[str, tuple[Drug, dict[str, Evidence]]] = {}
        # The strongest first: what the budget does not hold is the weakest.
        for drug, evidence_id, evidence in sorted(wanted, key=_by_level):
            by_drug.setdefault(drug.name, (drug, {}))[1][evidence_id] = evidence
        return [
            (drug, shown)
            for drug, records in by_drug.values()
            for shown in batches(records, profile.batch_records, self._limit_chars)
        ]

    async def _read_batch(
        self,
        question: ResearchQuestion,
        drug: Drug,
        shown: ShownRecords,
        failed: list[NoAnswerError],
    ) -> _Answers:
        prompt = asks.ask_reading(question, drug.name, shown, short=self._short)
        try:
            answer = await self._asker.ask("reading", prompt, Readings)
        except NoAnswerError as error:
            failed.append(error)
            return {}
        if set(shown.ids) - {record.evidence_id for record in answer.records}:
            failed.append(NoAnswerError("it did not answer on every record"))
        return {(drug.name, record.evidence_id): record for record in answer.records}

    # --- the report -----------------------------------------------------------------------------

    async def _sections(
        self, question: ResearchQuestion, store: EvidenceStore, drug: str
    ) -> dict[asks.SectionName, tuple[ChosenSentence, ...]]:
        wanted = {name: ids for name, ids in section_records(store, drug).items() if ids}
        failed: list[NoAnswerError] = []
        async with asyncio.TaskGroup() as group:
            tasks = {
                name: group.create_task(self._section(question, store, drug, name, ids, failed))
                for name, ids in wanted.items()
            }
        made = {name: task.result() for name, task in tasks.items()}
        dropped = sum(lost for _, lost in made.values())
        sections = {name: sentences for name, (sentences, _) in made.items() if sentences}
        if failed:
            await self._telling.fell_back("report", failed[0], dropped, in_part=bool(sections))
        elif wanted:
            await self._telling.made("report", dropped)
        return sections

    async def _section(
        self,
        question: ResearchQuestion,
        store: EvidenceStore,
        drug: str,
        name: asks.SectionName,
        ids: Sequence[str],
        failed: list[NoAnswerError],
    ) -> tuple[tuple[ChosenSentence, ...], int]:
        shown = self._shown(store, drug, ids)
        prompt = asks.ask_section(question, drug, name, shown, short=self._short)
        try:
            answer = await self._asker.ask("report", prompt, Section)
        except NoAnswerError as error:
            failed.append(error)
            return (), 0
        return chosen_sentences(answer, store, shown.ids)


def _joined(
    pairs: Sequence[tuple[Unread, Reading]], answers: _Answers
) -> list[tuple[Reading, int]]:
    """Each reading with what the model read in the record, and how many quotes were dropped."""
    joined = []
    for one, by_rule in pairs:
        read = answers.get((one.drug.name, one.evidence_id))
        joined.append(combined(by_rule, read, one.evidence, one.drug) if read else (by_rule, 0))
    return joined


def _by_level(unread: Unread) -> int:
    return grade(unread.evidence).level or 9


def _worth_asking(unread: Unread, by_rule: Reading) -> bool:
    """Whether a model may read the record: one whose text gives orders is read by rules alone."""
    text = f"{unread.evidence.citation.title}\n{unread.evidence.content}"
    return may_be_asked(by_rule, unread.evidence) and not addresses_a_model(text)


def _is_known(question: ResearchQuestion) -> bool:
    drug, condition = question.drug, question.condition
    return (drug is None or drug.known) and (condition is None or condition.known)


def _in_words(name: str, text: str) -> str:
    """A name as the question writes it; '' when the question does not."""
    place = locate_quote(name, text)
    return text[place[0] : place[1]] if place and any(map(str.isalpha, name)) else ""
