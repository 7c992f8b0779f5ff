"""Submits a question as a run, whose log ends with exactly one terminal event.

With a database that can take it a run is durable: another process continues it when this one dies.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack, get_args  # noqa: TID251 - no model of pydantic reads it

from pydantic import SecretStr

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.question.frame import DeclineReason, QuestionFrame
from deepcritical.domain.question.question import checked_question
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import Depth, OwnLimits, RunLimits
from deepcritical.domain.run.plan import Place, ResearchPlan, check_plan
from deepcritical.domain.run.recipe import ModelChoice, Once, OwnDocument, Recipe
from deepcritical.domain.tool.traces import LOCAL_USER
from deepcritical.jobs.conduct import Orchestrate, Tool
from deepcritical.jobs.hosting import Parts, PartsFor
from deepcritical.jobs.known_runs import KnownRuns
from deepcritical.jobs.run import OpenSources, RunOf, RunView
from deepcritical.models.desk import RunDesk
from deepcritical.questions.forms import require_answerable, research_question
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.research.closing import close_answer, close_report
from deepcritical.research.session import session_of
from deepcritical.research.steps import plan_research
from deepcritical.research.understanding import frame_of
from deepcritical.services.event_log import EventLog, TraceWriter
from deepcritical.services.tasks import calculated, within
from deepcritical.services.telemetry import OFF, Telemetry

RESEARCH, DEEP_RESEARCH = "research", "deep_research"
"""The tools whose runs end with a report, and with an answer."""
NO_LIMITS = OwnLimits()


class Given(TypedDict, total=False):
    """The options that a run may be given beside its question; every part may be left out."""

    reasoner: Reasoner | None
    """The run's own, of `RunService.reasoner_of`; without it the service's."""
    model_api_key: SecretStr | None
    """The user's own key for the model; it is kept in memory for this run only."""
    log_path: Path | None
    """File to which events are also appended."""
    user_id: str
    sources: Sequence[str]
    """Those of the service's live sources that are searched; none given means all."""
    own_limits: OwnLimits
    """Limits that the user sets beside the depth."""
    once: Once | None
    """Makes the start repeatable: the run is then the one that it began first."""
    documents: Sequence[OwnDocument]
    """The user's own; they are read beside what is found."""
    former: str
    """Id of the run whose question is asked again."""


@dataclass(kw_only=True, eq=False)
class RunService(KnownRuns):
    """Starts runs, and remembers those that it started."""

    orchestrate: Orchestrate
    """The schedule of steps for a report; it leaves it in the session's store."""
    answering: Orchestrate
    """The schedule of steps for a free question; it leaves the answer there."""
    reasoner: Reasoner
    """Makes the judgements, unless a run has a model of its own."""
    open_sources: OpenSources
    """Opens the sources of one run until the context ends."""
    limits_for: Callable[[Depth], RunLimits]
    """Limits of a run of a depth; no run may go beyond those of ``deep``."""
    clock: Callable[[], float] = time.monotonic
    """Monotonic seconds."""
    choose_reasoner: Callable[[str, SecretStr | None], Reasoner] | None = None
    """Makes the reasoner for a model as ``provider:name`` ('' is the service's own) and a user's
    key; without it there is no other model."""
    place: Place = field(default_factory=Place)
    """Place where runs search, unless they leave sources out."""
    model: ModelChoice = field(default_factory=ModelChoice)
    """The model of `reasoner`."""
    parts_for: PartsFor | None = None
    """Makes the parts of a run of another place or model."""
    telemetry: Telemetry = OFF
    """Receives what runs do; closed with the service."""
    open_at: Callable[[Place, Sequence[OwnDocument]], OpenSources] | None = None
    """Opens other sources, and documents beside them; without it neither can be had."""
    lacks_key: bool = False
    """True where `model` needs a key that is not set."""

    @property
    def tools(self) -> dict[str, Tool]:
        """Return how the runs of each tool are conducted."""
        told = self.telemetry
        return {
            RESEARCH: Tool(self.orchestrate, close_report, lambda store: store.report, told),
            DEEP_RESEARCH: Tool(self.answering, close_answer, lambda store: store.answer, told),
        }

    async def sources(self) -> tuple[str, ...]:
        """Return one line on each source."""
        async with self.open_sources() as sources:
            return sources.described

    def reasoner_of(self, model: str = "", key: SecretStr | None = None) -> Reasoner:
        """Return the reasoner for a run with this model and key. Blocks: it may load libraries.

        The model is ``provider:name``; '' is the service's own.

        Raises:
            ConfigurationError: There is none.
        """
        if self.choose_reasoner is not None:
            return self.choose_reasoner(model, key)
        if model:
            raise ConfigurationError("No other model can be chosen here.", "Leave it out.")
        return self.reasoner

    async def warm_up(self) -> None:
        """Load what every run needs, so that the first one does not wait for it."""
        await self.sources()
        await self.reasoner.warm_up()

    async def close(self) -> None:
        """Stop what is under way, and close the database when everything is written."""
        await super().close()
        await asyncio.to_thread(self.telemetry.close)

    async def check(
        self,
        question: str,
        tool: str = RESEARCH,
        *,
        context: str = "",
        sources: Sequence[str] = (),
        reasoner: Reasoner | None = None,
    ) -> QuestionFrame:
        """Return the frame of a question with which a run could begin.

        A model may understand what rules do not, so for a reasoner with a model only that is
        refused which no model can set aside.

        Raises:
            EmptyQuestionError, QuestionTooLongError: It is no question.
            QuestionDeclinedError: It is none that papers and trials answer.
            QuestionError: No report can be written on it.
        """
        open_sources = self._opening(self.place.only(sources))
        frame = await frame_of(question, context)
        by_rule = isinstance(reasoner or self.reasoner, ExtractiveReasoner)
        if frame.declined is DeclineReason.UNKNOWN_NAME and by_rule:
            async with open_sources() as opened:  # which may know a name that no table has
                frame = await frame_of(question, context, opened.look_up)
        if by_rule or frame.is_final:
            require_answerable(frame)
        if by_rule and tool == RESEARCH:
            await calculated(research_question, frame)
        return frame

    async def plan(
        self, question: str, *, depth: Depth = "standard", **given: Unpack[Given]
    ) -> ResearchPlan:
        """Return what a run of this question would do first, for a person to review.

        Nothing is searched and nothing is kept: the next run starts with what is given to `submit`.

        Raises:
            QuestionError: The question cannot be worked on.
            ConfigurationError: Sources or limits cannot be had here.
            BudgetExceeded: It took longer than a run may.
        """
        recipe = self._recipe(RESEARCH, question, depth, given)
        reasoner, key = given.get("reasoner") or self.reasoner, given.get("model_api_key")
        session = session_of(recipe, EventLog(str(uuid.uuid4())), reasoner, self.clock, "")
        desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, key)
        async with (
            within(lambda: session.limits),
            self._opening(recipe.place)() as session.sources,
            session.reasoner.for_run(desk) as session.reasoner,
        ):
            return await plan_research(session, recipe.place)

    def submit(
        self,
        question: str,
        *,
        depth: Depth = "standard",
        plan: ResearchPlan | None = None,
        **given: Unpack[Given],
    ) -> RunOf[ResearchReport]:
        """Start a run that ends with a report; must be called within a running event loop.

        The limits of a reviewed `plan` hold, and `question` is its own. See `Given` for the rest.

        Raises:
            EmptyQuestionError, QuestionTooLongError, CapacityError: Nothing is started.
            PlanError: The plan is for another question or place, or goes beyond the limits.
            ConfigurationError: Sources or limits cannot be had here.
        """
        recipe = self._recipe(RESEARCH, question, depth, given, plan=plan)
        return self._start(recipe, {"question": recipe.question, "depth": depth}, given)

    def ask(
        self,
        question: str,
        *,
        context: str = "",
        max_iterations: int | None = None,
        depth: Depth = "deep",
        **given: Unpack[Given],
    ) -> RunOf[DeepAnswer]:
        """Start a run that ends with an answer; must be called within a running event loop.

        `max_iterations`, 1-10, are rounds of search at most; None leaves them to the depth.
        The rest, and the errors, are as for `submit`.
        """
        recipe = self._recipe(
            DEEP_RESEARCH, question, depth, given, rounds=max_iterations, context=context
        )
        said = {"question": recipe.question, "context": recipe.context}
        noted = {**said, "max_iterations": recipe.limits.max_iterations}
        return self._start(recipe, noted, given)

    def again(self, run: RunView, **given: Unpack[Given]) -> RunOf[Any]:
        """Start a run of the question of another one, with its depth or rounds, limits and sources.

        The plan is made anew. Documents and the model are those of `given`.

        Raises:
            DeepCriticalError: As of `submit`.
        """
        asked = run.asked
        given["former"], given["sources"] = run.run_id, asked.get("sources", ())
        given["own_limits"] = OwnLimits.model_validate(asked.get("limits", {}))
        if run.tool_name == RESEARCH:
            return self.submit(run.question, depth=asked.get("depth", "standard"), **given)
        rounds, context = asked.get("max_iterations"), asked.get("context", "")
        return self.ask(run.question, context=context, max_iterations=rounds, **given)

    def _opening(self, place: Place, documents: Sequence[OwnDocument] = ()) -> OpenSources:
        if place == self.place and not documents:
            return self.open_sources
        if self.open_at is None:
            raise ConfigurationError("Nothing but all sources can be read here.", "Choose those.")
        return self.open_at(place, documents)

    def _recipe(
        self,
        tool: str,
        question: str,
        depth: Depth,
        given: Given,
        *,
        plan: ResearchPlan | None = None,
        rounds: int | None = None,
        context: str = "",
    ) -> Recipe:
        most = self.limits_for("deep")
        limits = given.get("own_limits", NO_LIMITS).over(self.limits_for(depth), most)
        text, place = checked_question(question), self.place.only(given.get("sources", ()))
        if plan:
            check_plan(plan, text, place, most)
            limits = plan.limits
            if not self._is_default(limits):
                limits = limits.until(limits.deadline_s)
        if rounds is not None:
            limits = RunLimits(**{**dict(limits), "max_iterations": rounds})
        other_model = given.get("reasoner") not in (None, self.reasoner)
        return Recipe(
            tool=tool,
            question=text,
            context=checked_question(context) if context.strip() else "",
            limits=limits,
            plan=plan,
            place=place,
            documents=tuple(given.get("documents", ())),
            model=self.model,
            own_key=other_model or given.get("model_api_key") is not None,
            searched_on=datetime.now(UTC).date().isoformat(),
        )

    def _is_default(self, limits: RunLimits) -> bool:
        """Return whether nobody set the time of a plan: a default may follow a model's speed."""
        of_plan = (limits.deadline_s, limits.max_calls)
        defaults = map(self.limits_for, get_args(Depth))
        return any(one.paced and (one.deadline_s, one.max_calls) == of_plan for one in defaults)

    def _start(self, recipe: Recipe, noted: Mapping[str, object], given: Given) -> RunOf[Any]:
        once, user_id = given.get("once"), given.get("user_id", LOCAL_USER)
        if once and (known := self._runs.get(once.run_id)):
            return known
        self._make_room(user_id)
        run_id = once.run_id if once else str(uuid.uuid4())
        asked = self._asked(recipe, noted, given)
        told: dict[str, Any] = {"tool_name": recipe.tool, "user_id": user_id, "input_params": asked}
        writer = TraceWriter(self.traces, run_id, **told) if self.traces else None
        log = EventLog(run_id, given.get("log_path"), writer)
        reasoner = given.get("reasoner") or self.reasoner
        session = session_of(recipe, log, reasoner, self.clock, user_id)
        run: RunOf[Any] = RunOf(
            recipe=recipe,
            session=session,
            open_sources=self._opening(recipe.place, recipe.documents),
            ending=asyncio.get_running_loop().create_future(),
            writer=writer,
            stop=partial(self._stop, run_id),
            user_id=user_id,
            asked=asked,
            once=once,
            key=given.get("model_api_key"),
        )
        if writer:  # what is stored whole is read from the database from then on
            run.ending.add_done_callback(lambda _: writer.stored and self._runs.pop(run_id, None))
        self._runs[run_id] = run
        if self.durable is None:
            self._conduct_alone(run)
        else:
            self.durable.hold(run)
            task = asyncio.create_task(self._hand_out(self.durable, run))
            self._handing_out[run_id] = task
            task.add_done_callback(lambda _task: self._handing_out.pop(run_id, None))
        return run

    def _asked(self, recipe: Recipe, noted: Mapping[str, object], given: Given) -> dict[str, Any]:
        """Return the parameters of the tool, as the trace keeps them."""
        asked = {**noted, **given.get("own_limits", NO_LIMITS).noted}
        if once := given.get("once"):
            asked["request"] = once.request
        if former := given.get("former"):
            asked["former"] = former
        if recipe.place.sources != self.place.sources:
            asked["sources"] = list(recipe.place.sources)
        if recipe.documents:
            asked["documents"] = [d.upload_id or d.name for d in recipe.documents]
        return asked

    def parts_of(self, recipe: Recipe) -> Parts:
        """Return what a run of another process needs here; raise DeepCriticalError without it."""
        same = (recipe.place, recipe.model) == (self.place, self.model)
        if same and not self.lacks_key:
            return Parts(self.reasoner, self._opening(recipe.place, recipe.documents))
        if self.parts_for is None:
            why = "The run was begun with other sources or another model than there are here."
            raise ConfigurationError(why, "Resume it with those, or ask the question again.")
        return self.parts_for(recipe)
