"""Submits a question as a run, and guarantees that its log ends with exactly one terminal event.

With a database a run is durable: another process goes on with it when this one dies. Without one,
or where the database cannot take it, it ends with this process.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.budget import Depth, OwnLimits, RunLimits
from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.frame import QuestionFrame
from deepcritical.domain.own_documents import OwnDocument
from deepcritical.domain.plan import Place, ResearchPlan, check_plan
from deepcritical.domain.question import checked_question
from deepcritical.domain.recipe import ModelChoice, Recipe
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.traces import LOCAL_USER
from deepcritical.jobs.admitting import check_question
from deepcritical.jobs.conduct import OpenSources, Orchestrate, forget_causes, log_defect, within
from deepcritical.jobs.conducting import Conducting, Own
from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.held import Held, owner_of
from deepcritical.jobs.hosting import ChooseReasoner, Parts, PartsFor, Tool
from deepcritical.jobs.known_runs import MAX_ACTIVE, MAX_KEPT, KnownRuns
from deepcritical.jobs.run import Once, RunOf
from deepcritical.models.desk import RunDesk
from deepcritical.reasoning.base import Reasoner
from deepcritical.research.planning import plan_research
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.trace_writer import TraceWriter

__all__ = ["MAX_ACTIVE", "MAX_KEPT", "RunService"]

RESEARCH, DEEP_RESEARCH = "research", "deep_research"
"""What runs that end with a report, and with an answer, are called among the tools."""
NO_LIMITS = OwnLimits()


class RunService(KnownRuns):
    """Starts runs, and remembers those that it started.

    Args:
        orchestrate: The schedule of steps for a report; it leaves it in the session's store.
        answering: The schedule of steps for a free question; it leaves the answer there.
        reasoner: Makes the judgements, unless a run has a model of its own.
        open_sources: Opens the sources of one run until the context ends.
        limits_for: Limits of a run of a depth.
        traces: Keeps the runs; None keeps them in memory only.
        durable: Has them outlive this process; None has them end with it.
        clock: Monotonic seconds.
        choose_reasoner: Gives a run the reasoner of its own model; without it there are none.
        place: Where the sources search, as a plan names it.
        model: What the reasoner asks.
        parts_for: Makes the parts of a run that is of another place or model.
        telemetry: Is told what runs do; closed with the service.
        open_at: Opens other sources, and documents beside them; without it neither can be had.
    """

    def __init__(
        self,
        *,
        orchestrate: Orchestrate,
        answering: Orchestrate,
        reasoner: Reasoner,
        open_sources: OpenSources,
        limits_for: Callable[[Depth], RunLimits],
        traces: ToolTraceService | None = None,
        durable: DurableRuns | None = None,
        clock: Callable[[], float] = time.monotonic,
        choose_reasoner: ChooseReasoner | None = None,
        place: Place | None = None,
        model: ModelChoice | None = None,
        parts_for: PartsFor | None = None,
        telemetry: Telemetry = OFF,
        open_at: Callable[[Place, Sequence[OwnDocument]], OpenSources] | None = None,
        lacks_key: bool = False,
    ) -> None:
        super().__init__(traces, durable)
        self._tools = {
            RESEARCH: Tool(orchestrate, lambda store: store.report, telemetry),
            DEEP_RESEARCH: Tool(answering, lambda store: store.answer, telemetry),
        }
        self._reasoner = reasoner
        self._open_sources = open_sources
        self._limits_for = limits_for
        self._clock = clock
        self._choose_reasoner = choose_reasoner
        self._place = place or Place()
        self._model = model or ModelChoice()
        self._build_parts = parts_for
        self._open_at = open_at
        self._lacks_key = lacks_key
        self._telemetry = telemetry
        self._conducting = Conducting(self._tools, durable, self._parts)

    async def sources(self) -> tuple[str, ...]:
        """One line on each source."""
        async with self._open_sources() as sources:
            return sources.described

    @property
    def place(self) -> Place:
        """Where runs search, unless they leave sources out."""
        return self._place

    def limits_of(self, depth: Depth) -> RunLimits:
        """The limits of a run of this depth; no run may go beyond those of ``deep``."""
        return self._limits_for(depth)

    @property
    def reasoner(self) -> str:
        """Name of the reasoner, as the reader is told."""
        return self._reasoner.name

    def reasoner_of(self, model: str = "", key: SecretStr | None = None) -> Reasoner:
        """The reasoner for a run with this model and key. Blocks: it may load libraries.

        Args:
            model: As ``provider:name``; '' is the service's own.
            key: The user's own key.

        Raises:
            ConfigurationError: There is none.
        """
        if self._choose_reasoner is None:
            if model:
                raise ConfigurationError("No other model can be chosen here.", "Leave it out.")
            return self._reasoner
        return self._choose_reasoner(model, key)

    async def warm_up(self) -> None:
        """Load what every run needs, so that the first one does not wait for it."""
        await self.sources()
        await self._reasoner.warm_up()

    async def tend(self) -> None:
        """Conduct what other processes left, from now on; nothing without a database.

        Raises:
            StorageError: The database cannot be used.
        """
        await self._conducting.tend()

    async def _taken_in(self) -> None:
        await self._conducting.handed_out()

    def cancel_all(self) -> None:
        """Stop every run that is under way; a durable one goes on when there is a process again."""
        self._conducting.let_go()

    async def close(self) -> None:
        """Stop what is under way, and close the database when everything is written."""
        await self._conducting.close()
        if self._traces:
            await self._traces.close()
        await asyncio.to_thread(self._telemetry.close)

    async def check(
        self,
        question: str,
        tool: str = RESEARCH,
        *,
        context: str = "",
        sources: Sequence[str] = (),
        reasoner: Reasoner | None = None,
    ) -> QuestionFrame:
        """The frame of a question that a run could begin with; see `check_question`."""
        opening = self._opening(self._place.only(sources))
        is_report = tool == RESEARCH
        asked = reasoner or self._reasoner
        return await check_question(question, context, opening, asked, is_report=is_report)

    async def plan(
        self,
        question: str,
        *,
        depth: Depth = "standard",
        reasoner: Reasoner | None = None,
        model_api_key: SecretStr | None = None,
        sources: Sequence[str] = (),
        own_limits: OwnLimits = NO_LIMITS,
    ) -> ResearchPlan:
        """What a run of this question would do first, for a person to review.

        Nothing is searched and nothing is kept: the next run starts with what is given to `submit`.

        Raises:
            QuestionError: The question cannot be worked on.
            ConfigurationError: Sources or limits cannot be had here.
            BudgetExceeded: It took longer than a run may.
        """
        recipe = self._recipe(RESEARCH, question, sources, depth, own_limits)
        log = EventLog(str(uuid.uuid4()))
        session = self._session(recipe.question, recipe.limits, log, reasoner)
        desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, model_api_key)
        async with (
            within(session.limits),
            self._opening(recipe.place)() as session.sources,
            session.reasoner.for_run(desk) as session.reasoner,
        ):
            return await plan_research(session, recipe.place)

    def submit(
        self,
        question: str,
        *,
        depth: Depth = "standard",
        log_path: Path | None = None,
        reasoner: Reasoner | None = None,
        model_api_key: SecretStr | None = None,
        user_id: str = LOCAL_USER,
        plan: ResearchPlan | None = None,
        sources: Sequence[str] = (),
        own_limits: OwnLimits = NO_LIMITS,
        once: Once | None = None,
        documents: Sequence[OwnDocument] = (),
    ) -> RunOf[ResearchReport]:
        """Start a run that ends with a report; must be called within a running event loop.

        Args:
            question: The question as the user wrote it.
            depth: How far the run may go.
            log_path: File to which events are also appended.
            reasoner: The run's own, of `reasoner_of`; without it the service's.
            model_api_key: The user's own key for the model; it is kept for this run only.
            user_id: Who asks.
            plan: What was reviewed; its limits hold, and `question` is the plan's.
            sources: Those of the service's live sources that are searched; none given means all.
            own_limits: What the user sets beside the depth.
            once: How the start may be repeated; the run is then the one that it began first.
            documents: Of the user's own, of `documents_of`; they are read beside what is found.

        Raises:
            EmptyQuestionError, QuestionTooLongError, CapacityError: Nothing is started.
            PlanError: The plan is for another question or place, or goes beyond the limits.
            ConfigurationError: Sources or limits cannot be had here.
        """
        asked = question, sources, depth, own_limits, documents
        recipe = self._recipe(RESEARCH, *asked, plan=plan)
        noted = {"question": recipe.question, "depth": depth, **own_limits.noted}
        return self._start(recipe, noted, Own(reasoner, model_api_key, log_path, user_id, once))

    def ask(
        self,
        question: str,
        *,
        context: str = "",
        max_iterations: int | None = None,
        log_path: Path | None = None,
        reasoner: Reasoner | None = None,
        model_api_key: SecretStr | None = None,
        user_id: str = LOCAL_USER,
        depth: Depth = "deep",
        sources: Sequence[str] = (),
        own_limits: OwnLimits = NO_LIMITS,
        once: Once | None = None,
        documents: Sequence[OwnDocument] = (),
    ) -> RunOf[DeepAnswer]:
        """Start a run that ends with an answer; must be called within a running event loop.

        Args:
            question: Any biomedical question, as the user wrote it.
            context: What the user says beside it.
            max_iterations: Rounds of search at most, 1-10; None leaves it to the depth.
            log_path: As for `submit`.
            reasoner: As for `submit`.
            model_api_key: As for `submit`.
            user_id: As for `submit`.
            depth: As for `submit`.
            sources: As for `submit`.
            own_limits: As for `submit`.
            once: As for `submit`.
            documents: As for `submit`.

        Raises:
            DeepCriticalError: As `submit`, but of a plan.
        """
        asked = question, sources, depth, own_limits, documents
        recipe = self._recipe(DEEP_RESEARCH, *asked, rounds=max_iterations, context=context)
        said = {"question": recipe.question, "context": recipe.context}
        noted = {**said, "max_iterations": recipe.limits.max_iterations, **own_limits.noted}
        return self._start(recipe, noted, Own(reasoner, model_api_key, log_path, user_id, once))

    def _opening(self, place: Place, documents: Sequence[OwnDocument] = ()) -> OpenSources:
        if place == self._place and not documents:
            return self._open_sources
        if self._open_at is None:
            raise ConfigurationError("Nothing but all sources can be read here.", "Choose those.")
        return self._open_at(place, documents)

    def _recipe(
        self,
        tool: str,
        question: str,
        sources: Sequence[str],
        depth: Depth,
        own_limits: OwnLimits,
        documents: Sequence[OwnDocument] = (),
        *,
        plan: ResearchPlan | None = None,
        rounds: int | None = None,
        context: str = "",
    ) -> Recipe:
        most = self._limits_for("deep")
        limits = own_limits.over(self._limits_for(depth), most)
        text, place = checked_question(question), self._place.only(sources)
        if plan:
            check_plan(plan, text, place, most)
            limits = plan.limits
        if rounds is not None:
            limits = RunLimits(**{**dict(limits), "max_iterations": rounds})
        return Recipe(
            tool=tool,
            question=text,
            context=checked_question(context) if context.strip() else "",
            limits=limits,
            plan=plan,
            place=place,
            documents=tuple(documents),
            model=self._model,
            searched_on=datetime.now(UTC).date().isoformat(),
        )

    def _start(self, recipe: Recipe, asked: Mapping[str, object], own: Own) -> RunOf[Any]:
        if own.once and (known := self._runs.get(own.once.run_id)):
            return known
        self._make_room(own.user_id)
        run_id = own.once.run_id if own.once else str(uuid.uuid4())
        given = {"documents": [d.upload_id or d.name for d in recipe.documents]}
        asked = {**asked, "request": own.once.request} if own.once else asked
        asked = {**asked, **given} if recipe.documents else asked
        told: dict[str, Any] = {"tool_name": recipe.tool, "user_id": own.user_id}
        told["input_params"] = asked
        writer = TraceWriter(self._traces, run_id, **told) if self._traces else None
        log = EventLog(run_id, own.log_path, writer)
        session = self._session(recipe.question, recipe.limits, log, own.reasoner, recipe.plan)
        own_key = own.key is not None or own.reasoner not in (None, self._reasoner)
        handed = recipe.model_copy(update={"own_key": own_key})
        session.context, session.owner = recipe.context, owner_of(handed, own.user_id, run_id)
        ending: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        opening = self._opening(recipe.place, recipe.documents)
        held = Held(session, opening, writer, ending, own.key, own_key)
        stop = partial(self._conducting.stop, run_id)
        run = RunOf(session, ending, stop, own.user_id, recipe.tool, own.once)
        ending.add_done_callback(log_defect)
        ending.add_done_callback(forget_causes)
        if writer:  # what is stored whole is read from the database from then on
            ending.add_done_callback(lambda _: writer.stored and self._runs.pop(run_id, None))
        self._runs[run_id] = run
        self._conducting.start(held, handed, asked, own.user_id)
        return run

    def _parts(self, recipe: Recipe) -> Parts:
        """What a run of another process is made of here.

        Raises:
            DeepCriticalError: It cannot be made here.
        """
        same = (recipe.place, recipe.model) == (self._place, self._model)
        if same and not self._lacks_key:
            return Parts(self._reasoner, self._opening(recipe.place, recipe.documents))
        if self._build_parts is None:
            why = "The run was begun with other sources or another model than there are here."
            raise ConfigurationError(why, "Resume it with those, or ask the question again.")
        return self._build_parts(recipe)

    def _session(
        self,
        text: str,
        limits: RunLimits,
        log: EventLog,
        reasoner: Reasoner | None = None,
        plan: ResearchPlan | None = None,
    ) -> ResearchSession:
        return ResearchSession(
            text=text,
            limits=limits,
            reasoner=reasoner or self._reasoner,
            log=log,
            clock=self._clock,
            searched_on=datetime.now(UTC).date().isoformat(),
            plan=plan,
        )
