"""The judgements on a free question with a model, joined with those of code."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from deepcritical.answering.coverage import checklist_in, counting
from deepcritical.answering.drafting import Draft, draft_of, findings_in
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
from deepcritical.domain.sentences import Sentence
from deepcritical.models.accounting import RunAccount
from deepcritical.models.answers import (
    Completeness,
    InquiryPlan,
    MappedFacts,
    MappedSentence,
)
from deepcritical.models.asking import Asker, NoAnswerError
from deepcritical.prompts import inquiry_asks
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, ShownRecords, batches
from deepcritical.questions.by_model import read_by_model
from deepcritical.reasoning.extractive import BY_RULES, Rules
from deepcritical.services.calculating import calculated
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.by_model import Writer
from deepcritical.writing.context import ReportContext

__all__ = ["InquiryModel"]


class InquiryModel:
    """Asks one run's model about a free question.

    Args:
        asker: Asks the model within the run's budget.
        account: Tells what it made, and what rules made in its place.
        writer: Writes over findings; every sentence passes the gate.
    """

    def __init__(self, asker: Asker, account: RunAccount, writer: Writer) -> None:
        self._asker = asker
        self._writer = writer
        self._account = account
        self._rules = Rules()
        self.searches: tuple[str, ...] = ()
        """What the last check of completeness would search for."""

    async def refine(self, frame: QuestionFrame, context: str) -> Inquiry:
        """As the model reads it, with the aspects and searches that it adds; else by rule."""
        prompt = inquiry_asks.ask_inquiry(frame.text, context, short=self._short("question"))
        try:
            plan = await self._asker.ask("question", prompt, InquiryPlan)
        except NoAnswerError as error:
            await self._account.fell_back("question", error)
            return await self._rules.refine_inquiry(frame, context)
        await self._account.made("question")
        read = await calculated(read_by_model, frame, plan)
        return planned(await self._rules.refine_inquiry(read, context), plan)

    async def queries(
        self, inquiry: Inquiry, store: EvidenceStore, *, web: bool
    ) -> tuple[SearchQuery, ...]:
        """The rules' queries with those of the last check."""
        if store.searches:
            inquiry = inquiry.model_copy(update={"searches": self.searches})
        return await self._rules.generate_item_queries(inquiry, store, web=web)

    async def facts(
        self, inquiry: Inquiry, store: EvidenceStore, unread: Sequence[str]
    ) -> tuple[ItemFact, ...]:
        """The rules' facts, and what the model finds in the records that name the drugs."""
        by_rule = await self._rules.find_facts(inquiry, store, unread)
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

    async def completeness(
        self, inquiry: Inquiry, store: EvidenceStore
    ) -> tuple[ItemCoverage, ...]:
        """The rule's coverage, lowered where the model doubts it."""
        by_rule = await self._rules.check_completeness(inquiry, store)
        self.searches = ()
        run = list(dict.fromkeys(search.query for search in store.searches))
        prompt = inquiry_asks.ask_completeness(
            inquiry,
            checklist_in(store),
            counting(store),
            run,
            self._limit_chars("assessment"),
            short=self._short("assessment"),
        )
        try:
            answer = await self._asker.ask("assessment", prompt, Completeness)
        except NoAnswerError as error:
            await self._account.fell_back("assessment", error)
            return by_rule
        await self._account.made("assessment")
        self.searches = searches_of(answer.searches)
        return doubted(by_rule, answer)

    async def answer(
        self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext, name: str
    ) -> DeepAnswer:
        """The answer from findings and passages, with what the model writes of them, checked."""
        draft = await calculated(draft_of, inquiry, store)
        written = await self._written(inquiry, store, draft) if draft.findings else ()
        author = self._account.author(name, BY_RULES, wrote=bool(written))
        told = context.model_copy(update={"found_by": "rules and a model"})
        return await calculated(synthesize, inquiry, store, told, author, draft, written)

    async def _written(
        self, inquiry: Inquiry, store: EvidenceStore, draft: Draft
    ) -> tuple[Sentence, ...]:
        asked = f"{inquiry.text}\nContext: {inquiry.context}" if inquiry.context else inquiry.text
        try:
            written = await self._writer.write(asked, findings_in(draft), store.evidence)
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
        return self._asker.profile_for(judgement).short

    def _limit_chars(self, judgement: Judgement) -> int:
        return self._asker.profile_for(judgement).context_tokens * CHARS_PER_TOKEN
