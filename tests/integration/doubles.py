"""Reasoners that misbehave in one way each; in all else they are the extractive one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from deepcritical.domain.appraisal.assessment import JudgeAssessment
from deepcritical.domain.appraisal.findings import Reading
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Drug, QuestionFrame
from deepcritical.domain.question.question import ResearchQuestion, SearchQuery
from deepcritical.domain.report.report import ResearchReport
from deepcritical.reasoning.base import ExtractiveReasoner, Studies, Unread
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.context import ReportContext

METHODS = (
    "refine_question",
    "generate_queries",
    "read_studies",
    "name_candidates",
    "read_evidence",
    "propose_hypotheses",
    "assess_evidence",
    "write_report",
)
"""The methods of the seam, in the order in which a run first calls them."""


class Interrupted(ExtractiveReasoner):
    """Does something before the chosen method: raises, waits, or counts.

    Args:
        method: One of METHODS.
        before: Called with the number of the call, from 1.
    """

    def __init__(self, method: str, before: Callable[[int], Awaitable[None]]) -> None:
        super().__init__()
        self._method = method
        self._before = before
        self._calls = 0

    async def _enter(self, method: str) -> None:
        if method == self._method:
            self._calls += 1
            await self._before(self._calls)

    async def refine_question(self, frame: QuestionFrame) -> ResearchQuestion:
        await self._enter("refine_question")
        return await super().refine_question(frame)

    async def generate_queries(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[SearchQuery, ...]:
        await self._enter("generate_queries")
        return await super().generate_queries(question, store)

    async def read_studies(self, records: Mapping[str, Evidence], owner: str) -> Studies:
        await self._enter("read_studies")
        return await super().read_studies(records, owner)

    async def name_candidates(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[Drug, ...]:
        await self._enter("name_candidates")
        return await super().name_candidates(question, store)

    async def read_evidence(self, question: ResearchQuestion, unread: Unread) -> Reading:
        await self._enter("read_evidence")
        return await super().read_evidence(question, unread)

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        await self._enter("propose_hypotheses")
        return await super().propose_hypotheses(question, store)

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        await self._enter("assess_evidence")
        return await super().assess_evidence(question, store)

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        await self._enter("write_report")
        return await super().write_report(question, store, context)


def failing(method: str, error: BaseException, from_call: int = 1) -> Interrupted:
    """A reasoner that raises in one method, from a certain call on."""

    async def fail(call: int) -> None:
        if call >= from_call:
            raise error

    return Interrupted(method, fail)


def hanging(method: str, reached: asyncio.Event) -> Interrupted:
    """A reasoner that says when it has reached a method, and then waits for ever."""

    async def hang(_call: int) -> None:
        reached.set()
        await asyncio.Event().wait()

    return Interrupted(method, hang)


def slow(method: str, seconds: float) -> Interrupted:
    """A reasoner that takes its time before one method."""

    async def wait(_call: int) -> None:
        await asyncio.sleep(seconds)

    return Interrupted(method, wait)


class Forging(ExtractiveReasoner):
    """Writes the extractive report, and then changes it.

    Args:
        forge: The honest report to the one that is handed in.
    """

    def __init__(self, forge: Callable[[ResearchReport], dict[str, Any]]) -> None:
        super().__init__()
        self._forge = forge
        self.honest: ResearchReport | None = None

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        self.honest = await super().write_report(question, store, context)
        return self.honest.model_copy(update=self._forge(self.honest))
