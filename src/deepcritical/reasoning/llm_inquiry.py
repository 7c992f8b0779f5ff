"""The judgements on a free question with a model, joined with those of code."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from deepcritical.answering.coverage import checklist_in, counting
from deepcritical.answering.drafting import WITH_VERDICT, draft_of, with_sources
from deepcritical.answering.joining import (
    asked_itself,
    doubted,
    for_a_model,
    joined_facts,
    numbered,
    on_the_question,
    planned,
    searches_of,
)
from deepcritical.answering.writing import synthesize
from deepcritical.domain.appraisal.checklist import Checklist, Inquiry, ItemCoverage, ItemFact
from deepcritical.domain.appraisal.findings import Matched
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.brief import Statement
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.run.budget import Judgement
from deepcritical.models.accounting import RunAccount
from deepcritical.models.answers import Completeness, InquiryPlan, MappedFacts, MatchedResults
from deepcritical.models.asking import Asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.failing import NoAnswerError
from deepcritical.models.providers import ModelServer
from deepcritical.prompts import inquiry_asks
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, ShownRecords, batches
from deepcritical.questions.by_model import read_by_model
from deepcritical.reading.library import Library
from deepcritical.reasoning.base import BY_RULES, Reasoner, rule_facts
from deepcritical.reasoning.by_model import matches_of
from deepcritical.reasoning.choosing import studies_asked
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.tasks import calculated
from deepcritical.verification.verifiers import ModelVerifier
from deepcritical.writing.by_model import Text, Writer
from deepcritical.writing.sections.context import ReportContext

T = TypeVar("T", bound=BaseModel)
_WRITING: tuple[Judgement, Judgement] = ("report", "verify")
_MOST_REQUESTS = 3
"""Requests in which records of a round are matched to needs, the best by retrieval first."""


class Opened(NamedTuple):
    """The means by which a run's model is asked."""

    asker: Asker
    account: RunAccount
    writer: Writer

    @classmethod
    def of(cls, server: ModelServer, asker: Asker, desk: RunDesk) -> Opened:
        """That of one run; every sentence of its writer passes the gate."""
        writer, judge = (server.server_for(step).name for step in _WRITING)
        writing = Writer(asker, writer, ModelVerifier(asker, judge), own=judge == writer)
        return cls(asker, RunAccount(server, asker.purse, desk), writing)


class _Mapped(NamedTuple):
    """The matches of a model to needs in the records of one request."""

    ids: tuple[str, ...]
    answer: MappedFacts


class InquiryModel(Reasoner):
    """Asks one run's model about a free question; what it answers is joined with the rules'."""

    def __init__(self, server: ModelServer, library: Library | None = None) -> None:
        super().__init__(library)
        self._server = server
        self._opened: Opened | None = None
        self._searches: tuple[str, ...] = ()
        """The searches that the last answer on the checklist asks for."""

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
        inquiry = await super().refine_inquiry(read, context)
        return planned(inquiry, plan, sure=not self._short("assessment"))

    async def generate_checklist(self, inquiry: Inquiry) -> Checklist:
        """The rules' needs; a model that is no small one is put the question as it is."""
        checklist = await super().generate_checklist(inquiry)
        return checklist if self._short("assessment") else asked_itself(inquiry, checklist)

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
        """The sentences that the model matched to needs; the rules' where it was not asked.

        What a small model matches is added to what rules find.
        """
        short = self._short("assessment")
        records = {key: store.evidence[key] for key in unread}
        wanted = await calculated(for_a_model, records)
        checklist, found = checklist_in(store), list(store.evidence.values())
        if short:
            wanted = await calculated(on_the_question, inquiry, checklist, wanted, found)
        judgement: Judgement = "reading" if short else "assessment"
        run = _searched(store)
        answers, failed, beyond = await self._mapped(judgement, inquiry, checklist, wanted, run)
        self._searches = searches_of(text for one in answers for text in one.answer.searches)
        done = {*beyond, *(key for one in answers for key in one.ids)}
        left = [key for key in unread if short or key not in done]
        by_rule = await super().find_facts(inquiry, store, left) if left else ()
        facts, dropped = list(by_rule), 0
        for one in answers:
            shown = {key: wanted[key] for key in one.ids}
            known = facts
            if not short:
                known = [*await calculated(rule_facts, inquiry, store, one.ids, by_words=False)]
            both = await calculated(
                joined_facts, checklist, shown, known, one.answer.needs, only=not short
            )
            facts = [*both.facts] if short else [*facts, *both.facts]
            dropped += both.dropped
        if failed:
            await self._account.fell_back(judgement, failed, dropped, in_part=bool(answers))
        elif answers:
            await self._account.made(judgement, dropped)
        return tuple(facts)

    async def check_completeness(
        self, inquiry: Inquiry, store: EvidenceStore
    ) -> tuple[ItemCoverage, ...]:
        """The rule's coverage; lowered where a small model doubts it."""
        by_rule = await super().check_completeness(inquiry, store)
        if not self._short("assessment"):
            return by_rule
        self._searches = ()
        prompt = inquiry_asks.ask_completeness(
            inquiry,
            checklist_in(store),
            counting(store),
            _searched(store),
            self._limit_chars("assessment"),
            short=True,
        )
        answer = await self._ask("assessment", prompt, Completeness)
        if answer is None:
            return by_rule
        self._searches = searches_of(answer.searches)
        return doubted(by_rule, answer)

    async def synthesize_answer(
        self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext
    ) -> DeepAnswer:
        """The answer from findings and passages, with what the model writes of records, checked."""
        matched = await self._matched(inquiry, store)
        by_rule = await calculated(draft_of, inquiry, store, matched)
        draft = await calculated(with_sources, by_rule, inquiry, store)
        wanted = inquiry_asks.beside_question(inquiry, checklist_in(store))
        table = inquiry.kind in WITH_VERDICT
        asked, found = inquiry.text, draft.sources
        written, _ = await self._written(asked, found, store, wanted=wanted, table=table)
        author = self._account.author(self.name, BY_RULES, wrote=bool(written))
        told = context.model_copy(update={"found_by": "rules and a model"})
        return await calculated(synthesize, inquiry, store, told, author, draft, written)

    async def _written(
        self,
        asked: str,
        findings: Mapping[str, Finding],
        store: EvidenceStore,
        above: str = "",
        beside: Sequence[Statement] = (),
        *,
        wanted: str = "",
        table: bool = True,
    ) -> Text:
        """Return what the model writes below a text, checked, and what of code's it refutes.

        Args:
            asked: The question.
            findings: Sentences of records; without any nothing is written.
            store: The run's records.
            above: What stands above the text.
            beside: Results that code tells beside it.
            wanted: What else is to be told.
            table: Whether a table of results is wanted.
        """
        if not findings:
            return Text(())
        try:
            text = await self._model.writer.write(
                asked, findings, store.evidence, above, wanted=wanted, table=table, beside=beside
            )
        except NoAnswerError as error:
            await self._account.fell_back("report", error)
            return Text(())
        replaced = sum(bool(sentence.in_place_of) for sentence in text.sentences)
        await self._account.made("report", replaced)
        return text

    async def _mapped(
        self,
        judgement: Judgement,
        inquiry: Inquiry,
        checklist: Checklist,
        records: Mapping[str, Evidence],
        run: Sequence[str],
    ) -> tuple[list[_Mapped], NoAnswerError | None, frozenset[str]]:
        """Return the matches made in batches, all at once, why any is missing, what is beyond.

        A model that decides alone is shown as many records as fit into a few requests.
        """
        failed: list[NoAnswerError] = []
        limit = self._limit_chars(judgement)
        short = self._short(judgement)
        size = self._asker.profile_for(judgement).batch_records if short else len(records)
        every = await calculated(batches, records, size, limit, numbered)
        shown = every if short else every[:_MOST_REQUESTS]
        beyond = frozenset(key for one in every[len(shown) :] for key in one.ids)
        await self._account.to_match(len(shown))
        ask = partial(inquiry_asks.ask_facts, inquiry, checklist, run=run, short=short)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._map_batch(judgement, ask(batch), batch, failed))
                for batch in shown
            ]
        found = [one for task in tasks if (one := task.result())]
        return found, next(iter(failed), None), beyond

    async def _map_batch(
        self, judgement: Judgement, prompt: Prompt, shown: ShownRecords, failed: list[NoAnswerError]
    ) -> _Mapped | None:
        try:
            answer = await self._asker.ask(judgement, prompt, MappedFacts)
        except NoAnswerError as error:
            failed.append(error)
            return None
        numbers = [n for need in answer.needs for n in (*need.meets, *need.contradicts, *need.near)]
        if numbers and all(n.partition(".")[0] not in shown.ids for n in numbers):
            failed.append(NoAnswerError("it named no sentence that it was shown"))
            return None
        return _Mapped(shown.ids, answer)

    async def _matched(self, inquiry: Inquiry, store: EvidenceStore) -> dict[str, Matched] | None:
        """Return what studies tell of the drug asked about, as the model matches; None by rules."""
        if self._short("assessment"):
            return None
        limit = self._limit_chars("assessment")
        asked = await calculated(studies_asked, inquiry, store, limit)
        if asked is None:
            return {}
        prompt = inquiry_asks.ask_matches(asked.question, inquiry.context, asked.shown)
        answer = await self._ask("assessment", prompt, MatchedResults)
        return matches_of(answer, asked.shown.ids, store.readings) if answer else {}

    def _short(self, judgement: Judgement) -> bool:
        return self._server.server_for(judgement).profile.short

    def _limit_chars(self, judgement: Judgement) -> int:
        return self._server.server_for(judgement).profile.context_tokens * CHARS_PER_TOKEN


def _searched(store: EvidenceStore) -> list[str]:
    """The searches that were run, each once."""
    return list(dict.fromkeys(search.query for search in store.searches))
