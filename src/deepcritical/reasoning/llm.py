"""The reasoner with a model. It asks for typed judgements and has code make them safe.

The rules' judgement is always made as well. It is what a model's answer is joined with, and what
stands when there is no answer; either is told, with what was spent.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

from pydantic import BaseModel

from deepcritical.domain.appraisal.assessment import JudgeAssessment
from deepcritical.domain.appraisal.findings import Matched
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.base import Model
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Drug, QuestionFrame
from deepcritical.domain.question.question import ResearchQuestion, SearchQuery
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import Judgement
from deepcritical.domain.run.events import Notice
from deepcritical.mechanism.graph import proposed_chains
from deepcritical.models.accounting import RunAccount
from deepcritical.models.answers import (
    Assessed,
    AssessedResults,
    Hypotheses,
    NextTurn,
    Plan,
    TeamNote,
)
from deepcritical.models.asking import Asker, open_asker
from deepcritical.models.desk import Asked, RunDesk
from deepcritical.models.failing import NoAnswerError
from deepcritical.models.providers import ModelServer
from deepcritical.prompts import asks
from deepcritical.prompts.asks import ask_manager
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, ShownRecords, shown_records
from deepcritical.questions.by_model import read_by_model
from deepcritical.questions.searching import condition_of, drug_named
from deepcritical.reading.library import Library
from deepcritical.reading.model import ModelReader
from deepcritical.reasoning.base import BY_RULES, ManagerModel, Reasoner, Studies
from deepcritical.reasoning.by_model import Proposed, judged, led, matches_of, worded_queries
from deepcritical.reasoning.choosing import (
    ChooseEvidence,
    OpenChoosing,
    choose_by_grade,
    studies_to_match,
    with_unrecognised,
)
from deepcritical.reasoning.judging import (
    OpenGap,
    best_drug,
    graph_of,
    is_tried,
    last_assessment,
    open_gaps,
)
from deepcritical.reasoning.llm_inquiry import InquiryModel, Opened
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.tasks import calculated
from deepcritical.writing.sections.context import ReportContext
from deepcritical.writing.sections.report import Synthesis, store_sources, told_by_code, write

T = TypeVar("T", bound=BaseModel)


class AskedManager:
    """Implements `ManagerModel` over the questions and the budget of one run."""

    def __init__(self, asker: Asker, account: RunAccount) -> None:
        self._asker = asker
        self._account = account

    async def note(self, said: Sequence[str], request: str) -> str:
        """Return what is given and missing, or how to go about it, in a few lines."""
        return "\n".join((await self._asked("team_note", TeamNote, said, request)).lines)

    async def ledger(self, said: Sequence[str], request: str) -> str:
        """Return who speaks next, as JSON in the framework's form."""
        return _as_ledger(await self._asked("team_ledger", NextTurn, said, request))

    async def overruled(self, why: str) -> None:
        """Say that code decided in the model's place."""
        await self._account.fell_back("manager", ReasoningError(why), in_part=True)

    async def _asked(self, task: str, form: type[T], said: Sequence[str], request: str) -> T:
        limit_chars = self._asker.profile_for("manager").context_tokens * CHARS_PER_TOKEN
        prompt = ask_manager(task, said, request, limit_chars)
        try:
            answer = await self._asker.ask("manager", prompt, form)
        except NoAnswerError as error:
            await self._account.fell_back("manager", error)
            raise
        await self._account.made("manager")
        return answer


def _as_ledger(turn: NextTurn) -> str:
    """The answer in the form that the framework reads."""
    answers = {
        "is_request_satisfied": turn.request_satisfied,
        "is_in_loop": turn.in_loop,
        "is_progress_being_made": turn.progress,
        "next_speaker": turn.next_agent,
        "instruction_or_question": turn.instruction,
    }
    return json.dumps({name: {"reason": "", "answer": given} for name, given in answers.items()})


_NO_MANAGER = "Small-model profile: no model manager. Code decides which agent speaks next."


_UNGRADED = 9
"""Behind every OCEBM level."""
_MOST_GAPS = 10
"""Gaps that a model is shown to choose from; what it is not shown is not put off."""


class Remembered(Model):
    """The state that all calls so far left, so that another process can go on with it."""

    asked: Asked
    by_rule: dict[Judgement, str]
    """The parts that rules did in the model's place, and how far."""
    plans: dict[str, Plan | None]
    """The model's plan for each question, by its text."""
    searches: tuple[str, ...]
    """The searches that the last check of a checklist asks for."""
    assessed: Assessed | None = None
    """Its last answer as the judge."""
    judged_on: str = ""
    """Hash of the studies that it was shown for that."""
    gaps: tuple[OpenGap, ...] = ()
    """The open gaps that it was shown for that."""
    proposed: Proposed | None = None
    """Its last answer on mechanism chains."""
    new_records: int = 0
    """Records that it was to read, as the budget was last told; 0 while that is not known."""
    matching: int = 0
    """Requests in which it was to match sentences, likewise."""


class LLMReasoner(InquiryModel):
    """Implements `Reasoner` with one model. `for_run` gives each run one of its own."""

    def __init__(
        self,
        server: ModelServer,
        choosing: OpenChoosing | None = None,
        library: Library | None = None,
        *,
        manages: bool = False,
    ) -> None:
        super().__init__(server, library)
        self._choosing = choosing
        self._choose: ChooseEvidence = choose_by_grade
        self._manages = manages
        self._plans: dict[str, Plan | None] = {}
        self._assessed: Assessed | None = None
        """The model's last answer as the judge."""
        self._judged_on = ""
        """Hash of the studies that it was shown for that."""
        self._gaps: tuple[OpenGap, ...] = ()
        """The open gaps that it was shown for that."""
        self._proposed: Proposed | None = None
        """Its last answer on mechanism chains."""

    @asynccontextmanager
    async def for_run(self, desk: RunDesk) -> AsyncIterator[Reasoner]:
        """A reasoner with a client, a key and a budget of its own."""
        manages = self._manages and not self._short("manager")
        own = LLMReasoner(self._server, library=self._library, manages=manages)
        async with AsyncExitStack() as stack:
            asker = await stack.enter_async_context(open_asker(self._server, desk))
            if self._choosing:
                own._choose = await stack.enter_async_context(self._choosing(desk))
            own._opened = Opened.of(self._server, asker, desk)
            await own._opened.account.budget(manages=own._manages)
            if self._manages and not own._manages:
                await desk.tell(Notice(message=_NO_MANAGER))
            yield own

    def manager_model(self) -> ManagerModel | None:
        """The model, if it is to manage the team."""
        return AskedManager(self._asker, self._account) if self._manages else None

    def remembered(self) -> dict[str, Any]:
        """Return what was spent, how the server answers, what rules did instead, and the plans."""
        done, searches = self._account.by_rule, self._searches
        left = Remembered(
            asked=self._asker.asked,
            by_rule=done,
            plans=self._plans,
            searches=searches,
            assessed=self._assessed,
            judged_on=self._judged_on,
            gaps=self._gaps,
            proposed=self._proposed,
            new_records=self._account.new_records,
            matching=self._account.matching,
        )
        return left.model_dump(mode="json")

    def remember(self, left: Mapping[str, Any]) -> None:
        """Go on with that."""
        kept = Remembered.model_validate(left)
        self._asker.go_on(kept.asked)
        self._account.by_rule = dict(kept.by_rule)
        self._account.new_records, self._account.matching = kept.new_records, kept.matching
        self._plans = dict(kept.plans)
        self._searches = kept.searches
        self._assessed = kept.assessed
        self._judged_on = kept.judged_on
        self._gaps = kept.gaps
        self._proposed = kept.proposed

    async def refine_question(self, frame: QuestionFrame) -> ResearchQuestion:
        """As the model reads it, as far as its words bear that out; else as the rules did."""
        plan = await self._plan("question", frame.text)
        if plan:
            frame = await calculated(read_by_model, frame, plan)
        return await super().refine_question(frame)

    async def generate_queries(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[SearchQuery, ...]:
        """The rules' queries, and those that the model adds: at first, and where it manages."""
        by_rule = await super().generate_queries(question, store)
        if store.searches:
            drug, searches = await self._drug(question, store), store.instruction.split(";")
        else:
            asked = question.text in self._plans
            plan = (
                self._plans[question.text] if asked else await self._plan("queries", question.text)
            )
            drug, searches = question.drug, plan.searches if plan else []
        added = worded_queries(drug, condition_of(question), searches)
        return tuple(dict.fromkeys((*by_rule, *added)))

    async def read_studies(self, records: Mapping[str, Evidence], owner: str) -> Studies:
        """Let the model read where neither registry nor curators did, and rules where it fails.

        The strongest records go first, and of equal ones those that fit the question best: what
        the budget does not hold is the weakest.
        """
        ordered = dict(sorted(records.items(), key=_weakest_last))
        reader = ModelReader(self._asker, self._account.to_read)
        outcome = await self._library.read(ordered, reader, owner)
        read = outcome.by_model
        if read.failed:
            helped = bool(read.found)
            await self._account.fell_back("reading", read.failed[0], read.strange, in_part=helped)
        elif outcome.asked:
            await self._account.made("reading", read.strange)
        return Studies(readings=dict(outcome.readings), problem=outcome.problem)

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        """The chains of the graph, with those that the model proposes over it.

        It is asked of no empty graph, but where a mechanism is to be tested. Its former proposals
        are laid over the graph as it is now, unless the manager asks or much has become known.
        """
        by_rule = await super().propose_hypotheses(question, store)
        graph = await calculated(graph_of, question, store)
        wish = store.instruction
        if graph is None or not (graph.nodes or wish or question.mechanism_terms):
            return by_rule
        before = self._proposed
        if before and not wish and await calculated(before.holds, graph, by_rule):
            return (await calculated(proposed_chains, graph, by_rule, before.chains))[0]
        short = self._short("hypotheses")
        prompt = asks.ask_hypotheses(question, graph.drug.name, graph.edges, wish, short=short)
        try:
            answer = await self._asker.ask("hypotheses", prompt, Hypotheses)
        except NoAnswerError as error:
            await self._account.fell_back("hypotheses", error)
            return by_rule
        self._proposed = await calculated(Proposed.of, answer.chains, graph, by_rule)
        chains, dropped = await calculated(proposed_chains, graph, by_rule, answer.chains)
        await self._account.made("hypotheses", dropped)
        return chains

    async def match_results(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> dict[str, Matched]:
        """Of the drug asked about, as the model matches results to the question.

        A small model is asked for none. What it answers beside is kept for `assess_evidence`. Where
        a round brought no other studies, what was answered before stands, but for its searches.
        """
        name, before = best_drug(question, store), self._assessed
        self._assessed = None
        shown = await self._shown(question, store, name) if name else None
        if name is None or shown is None or not shown.ids:
            return {}
        judged_on, self._judged_on = self._judged_on, _hash_of(shown)
        if before and judged_on == self._judged_on and not store.instruction:
            self._assessed = before.model_copy(update={"close_next": [], "searches": []})
            return {}
        self._gaps = (await calculated(open_gaps, question, store))[:_MOST_GAPS]
        told = [gap.text for gap in self._gaps]
        short = self._short("assessment")
        prompt = asks.ask_assessment(question, store, name, shown, told, short=short)
        if not self._matches(question):
            self._assessed = await self._ask("assessment", prompt, Assessed)
            return {}
        self._assessed = answer = await self._ask("assessment", prompt, AssessedResults)
        return matches_of(answer, shown.ids, store.readings) if answer else {}

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        """The lower of the rules' and the model's scores, and the gaps and searches of both.

        A model that matched the results also says whether it is enough, and aims the next round.
        """
        by_rule = await super().assess_evidence(question, store)
        answer, name = self._assessed, best_drug(question, store)
        if answer is None or name is None:
            return by_rule
        drug, condition = question.drug or drug_named(name), condition_of(question)
        queries = worded_queries(drug, condition, answer.searches)
        tried = await calculated(is_tried, store, name)
        both = judged(by_rule, answer, name, queries, condition, self._gaps, tried=tried)
        if not self._matches(question):
            return both
        return await calculated(led, both, answer, queries, question, store, self._gaps)

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        """The rules' report, with what the studies show together in the model's words, checked."""
        told = context.model_copy(update={"found_by": "rules and a model"})
        drug = await self._drug(question, store)
        made = calculated(store_sources, store, drug.name, question.frame) if drug else None
        sources = await made if made else {}
        assessment = await calculated(last_assessment, question, store)
        by_code = await calculated(told_by_code, question, store, told, assessment)
        # A small model is not asked for so much.
        beside = () if self._short("report") else by_code.statements
        written, contested = await self._written(
            question.text, sources, store, by_code.above, beside
        )
        author = self._account.author(self.name, BY_RULES, wrote=bool(written))
        synthesis = Synthesis(written, sources, contested)
        return await calculated(write, question, store, told, assessment, author, synthesis)

    async def _shown(
        self, question: ResearchQuestion, store: EvidenceStore, drug: str
    ) -> ShownRecords:
        """The chosen records as text; where results are to be matched, as what was read in them.

        Then also records in which the rules did not recognise what is asked about.
        """
        ids = list(await self._choose(question, store, drug))
        limit = self._limit_chars("assessment")
        if not self._matches(question):
            return await calculated(shown_records, store, drug, ids, limit)
        found = {key: record.relevance_score for key, record in store.evidence.items()}
        shown = await calculated(with_unrecognised, question, store, ids, found)
        return await calculated(studies_to_match, question, store, shown, limit)

    def _matches(self, question: ResearchQuestion) -> bool:
        """Return whether the judge matches results to the question: a model of some size."""
        return question.drug is not None and not self._short("assessment")

    async def _drug(self, question: ResearchQuestion, store: EvidenceStore) -> Drug | None:
        """The drug asked about, or the best candidate so far."""
        name = await calculated(best_drug, question, store)
        return question.drug or (drug_named(name) if name else None)

    async def _plan(self, judgement: Judgement, text: str) -> Plan | None:
        prompt = asks.ask_plan(text, short=self._short(judgement))
        self._plans[text] = await self._ask(judgement, prompt, Plan)
        return self._plans[text]


def _weakest_last(item: tuple[str, Evidence]) -> tuple[int, float]:
    """By level, then by relevance."""
    return grade(item[1]).level or _UNGRADED, -item[1].relevance_score


def _hash_of(shown: ShownRecords) -> str:
    """The same for the same studies in whatever order."""
    lines = sorted(shown.text.splitlines())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
