"""The judgements on a free question with a model, joined with those of code."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from deepcritical.answering.coverage import checklist_in, counting
from deepcritical.answering.drafting import draft_of, findings_in
from deepcritical.answering.joining import (
    doubted,
    for_a_model,
    joined_facts,
    planned,
    searches_of,
)
from deepcritical.answering.writing import synthesize
from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.budget import Judgement
from deepcritical.domain.checklist import Checklist, Inquiry, ItemCoverage, ItemFact
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import QuestionFrame
from deepcritical.domain.question import SearchQuery
from deepcritical.domain.sentences import Finding, Sentence
from deepcritical.models.accounting import RunAccount
from deepcritical.models.answers import (
    Completeness,
    InquiryPlan,
    MappedFacts,
    MappedSentence,
)
from deepcritical.models.asking import Asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.failing import NoAnswerError
from deepcritical.models.providers import ModelServer
from deepcritical.prompts import inquiry_asks
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, ShownRecords, batches
from deepcritical.questions.by_model import read_by_model
from deepcritical.reading.library import Library
from deepcritical.reasoning.base import BY_RULES, Reasoner
from deepcritical.services.calculating import calculated
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.verification.verifiers import ModelVerifier
from deepcritical.writing.by_model import Writer
from deepcritical.writing.context import ReportContext

T = TypeVar("T", bound=BaseModel)
_WRITING: tuple[Judgement, Judgement] = ("report", "verify")


class Opened(NamedTuple):
    """What a run's model is asked through."""

    asker: Asker
    account: RunAccount
    writer: Writer

    @classmethod
    def of(cls, server: ModelServer, asker: Asker, desk: RunDesk) -> Opened:
        """That of one run; every sentence of its writer passes the gate."""
        writer, judge = (server.server_for(step).name for step in _WRITING)
        writing = Writer(asker, writer, ModelVerifier(asker, judge), own=judge == writer)
        return cls(asker, RunAccount(server, asker.purse, desk), writing)


class InquiryModel(Reasoner):
    """Asks one run's model about a free question; what it answers is joined with the rules'."""

    def __init__(self, server: ModelServer, library: Library | None = None) -> None:
        super().__init__(library)
        self._server = server
        self._opened: Opened | None = None
        self._searches: tuple[str, ...] = ()
        """What the last check of completeness would search for."""

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        return f"model {self._server.name}"

    @property
    def _model(self) -> Opened:
        if self._opened is None:
            raise ValueError("a model is asked within a run; use for_run")
        return self._opened

    @property
    def _asker(self) -> Asker:
        return self._model.asker

    @property
    def _account(self) -> RunAccount:
        return self._model.account

    async def _ask(self, judgement: Judgement, prompt: Prompt, form: type[T]) -> T | None:
        """The model's answer; None where rules judge in its place. Either is told."""
        try:
            answer = await self._asker.ask(judgement, prompt, form)
        except NoAnswerError as error:
            await self._account.fell_back(judgement, error)
            return None
        await self._account.made(judgement)
        return answer

    async def refine_inquiry(self, frame: QuestionFrame, context: str = "") -> Inquiry:
        """As the model reads it, with the aspects and searches that it adds; else by rule."""
        prompt = inquiry_asks.ask_inquiry(frame.text, context, short=self._short("question"))
        plan = await self._ask("question", prompt, InquiryPlan)
        if plan is None:
            return await super().refine_inquiry(frame, context)
        read = await calculated(read_by_model, frame, plan)
        return planned(await super().refine_inquiry(read, context), plan)

    async def generate_item_queries(
        self, inquiry: Inquiry, store: EvidenceStore, *, web: bool
    ) -> tuple[SearchQuery, ...]:
        """The rules' queries with those of the last check."""
        if store.searches:
            inquiry = inquiry.model_copy(update={"searches": self._searches})
        return await super().generate_item_queries(inquiry, store, web=web)

    async def find_facts(
        self, inquiry: Inquiry, store: EvidenceStore, unread: Sequence[str]
    ) -> tuple[ItemFact, ...]:
        """The rules' facts, and what the model finds in the records that name the drugs."""
        by_rule = await super().find_facts(inquiry, store, unread)
        records = {key: store.evidence[key] for key in unread}
        checklist, everything = checklist_in(store), list(store.evidence.values())
        wanted = await calculated(for_a_model, inquiry, checklist, records, everything)
        if not wanted:
            return by_rule
        answers, failed = await self._read(inquiry, checklist, wanted)
        both = await calculated(joined_facts, checklist, wanted, by_rule, answers)
        if failed:
            await self._account.fell_back("reading", failed, both.dropped, in_part=bool(answers))
        else:
            await self._account.made("reading", both.dropped)
        return both.facts

    async def check_completeness(
        self, inquiry: Inquiry, store: EvidenceStore
    ) -> tuple[ItemCoverage, ...]:
        """The rule's coverage, lowered where the model doubts it."""
        by_rule = await super().check_completeness(inquiry, store)
        self._searches = ()
        run = list(dict.fromkeys(search.query for search in store.searches))
        prompt = inquiry_asks.ask_completeness(
            inquiry,
            checklist_in(store),
            counting(store),
            run,
            self._limit_chars("assessment"),
            short=self._short("assessment"),
        )
        answer = await self._ask("assessment", prompt, Completeness)
        if answer is None:
            return by_rule
        self._searches = searches_of(answer.searches)
        return doubted(by_rule, answer)

    async def synthesize_answer(
        self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext
    ) -> DeepAnswer:
        """The answer from findings and passages, with what the model writes of them, checked."""
        draft = await calculated(draft_of, inquiry, store)
        asked = f"{inquiry.text}\nContext: {inquiry.context}" if inquiry.context else inquiry.text
        written = await self._written(asked, findings_in(draft), store)
        author = self._account.author(self.name, BY_RULES, wrote=bool(written))
        told = context.model_copy(update={"found_by": "rules and a model"})
        return await calculated(synthesize, inquiry, store, told, author, draft, written)

    async def _written(
        self, asked: str, findings: Mapping[str, Finding], store: EvidenceStore
    ) -> tuple[Sentence, ...]:
        """What the model writes of findings, checked; () where it does not."""
        if not findings:
            return ()
        try:
            written = await self._model.writer.write(asked, findings, store.evidence)
        except NoAnswerError as error:
            await self._account.fell_back("report", error)
            return ()
        replaced = sum(bool(sentence.in_place_of) for sentence in written)
        await self._account.made("report", replaced)
        return written

    async def _read(
        self, inquiry: Inquiry, checklist: Checklist, records: Mapping[str, Evidence]
    ) -> tuple[list[MappedSentence], NoAnswerError | None]:
        """What the model found in batches, all at once, and why anything is missing."""
        failed: list[NoAnswerError] = []
        size = self._asker.profile_for("reading").batch_records
        shown = batches(records, size, self._limit_chars("reading"))
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._read_batch(inquiry, checklist, batch, failed))
                for batch in shown
            ]
        found = [sentence for task in tasks for sentence in task.result()]
        return found, next(iter(failed), None)

    async def _read_batch(
        self,
        inquiry: Inquiry,
        checklist: Checklist,
        shown: ShownRecords,
        failed: list[NoAnswerError],
    ) -> list[MappedSentence]:
        prompt = inquiry_asks.ask_facts(inquiry, checklist, shown, short=self._short("reading"))
        try:
            answer = await self._asker.ask("reading", prompt, MappedFacts)
        except NoAnswerError as error:
            failed.append(error)
            return []
        # A sentence counts only for a record that this very prompt showed.
        return [fact for fact in answer.facts if fact.evidence_id in shown.ids]

    def _short(self, judgement: Judgement) -> bool:
        return self._server.server_for(judgement).profile.short

    def _limit_chars(self, judgement: Judgement) -> int:
        return self._server.server_for(judgement).profile.context_tokens * CHARS_PER_TOKEN
