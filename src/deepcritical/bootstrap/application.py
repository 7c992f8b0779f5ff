"""Builds the service of runs and the chats from the settings; reads a study without a run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from pydantic import SecretStr, ValidationError

from deepcritical.answering.needs import inquiry_of
from deepcritical.answering.weighing import Weighed, weigh
from deepcritical.bootstrap.live import Lookups
from deepcritical.bootstrap.parts import (
    OpenAt,
    OpenRag,
    build_model_server,
    libraries_of,
    limits_of,
    open_sources_of,
    open_telemetry,
    place_of,
    retrieval_parts,
    sources_at,
    users_server,
)
from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import ConfigurationError, DocumentError, StorageError
from deepcritical.domain.evidence.grading import Grade, grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import Event, Notice
from deepcritical.domain.run.plan import Place
from deepcritical.domain.run.recipe import ModelChoice, Recipe
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.tool.registry import ToolCaller, ToolRegistry
from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.hosting import Parts
from deepcritical.jobs.runs import RunService
from deepcritical.models.desk import RunDesk
from deepcritical.orchestrators.chat import TURN_LIMITS, Chat
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reading.library import Library
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.reasoning.chatting import ChatReasoner
from deepcritical.reasoning.choosing import ChooseEvidence, DiverseEvidence, OpenChoosing
from deepcritical.research.answering import deep_research
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.study_readings import StudyReadings
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.services.tasks import SOON_S, calculated, to_the_end
from deepcritical.settings import Settings
from deepcritical.tools.documents import read_document
from deepcritical.toolset.research_tools import RunEvidence, registered_tools
from deepcritical.toolset.similar_runs import SimilarRuns

if TYPE_CHECKING:
    from deepcritical.models.providers import ModelServer


def read_settings(
    model: str | None = None, base_url: str | None = None, api_key: SecretStr | None = None
) -> Settings:
    """Settings of the environment, with another model as far as one is given; '' for rules alone.

    Raises:
        ConfigurationError: A value is not usable.
    """
    try:
        return Settings().with_model(model, base_url, api_key)
    except ValidationError as error:
        place, why, _ = first_invalid(error)
        name = place if place.isupper() else f"DEEPCRITICAL_{place.upper()}"  # an alias is in full
        raise ConfigurationError(
            f"The setting {name} is not usable: {why}.", "Correct it in the environment or in .env."
        ) from error


def build_runs(
    settings: Settings,
    *,
    snapshot: str | None = None,
    sources: Sequence[str] = (),
    serves: bool = False,
    conducts: bool = True,
) -> RunService:
    """The service that runs questions against live sources, or against one snapshot.

    A process that `serves` is there for runs of others, and not for one of its own; one that does
    not conduct runs leaves them to a worker.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
        StorageError: The database of runs cannot be used.
        ValueError: Both a snapshot and sources are given.
    """
    place = place_of(settings, snapshot=snapshot, sources=sources)
    traces, telemetry, open_rag = open_traces(settings), open_telemetry(), _open_rag(settings)
    choosing = _over_retrieval(open_rag)
    library = Library(StudyReadings(traces.database) if traces else None)
    own = build_reasoner(settings, choosing, library)
    opening = sources_at(settings, telemetry, open_rag)
    return RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=own,
        choose_reasoner=partial(_chosen_reasoner, settings, own, choosing, library),
        open_sources=opening(place, ()),
        limits_for=lambda depth: limits_of(settings, depth, local=place.snapshot is not None),
        durable=_durable(settings, traces, serves, conducts) if traces else None,
        place=place,
        model=_model_of(settings),
        parts_for=partial(_parts_for, settings, choosing, library, opening),
        telemetry=telemetry,
        open_at=opening,
        lacks_key=_lacks_key(settings),
    )


def _model_of(settings: Settings) -> ModelChoice:
    name, url = settings.model or "", settings.model_base_url or ""
    return ModelChoice(name=name, base_url=url, manager=settings.manager)


def _durable(
    settings: Settings, traces: ToolTraceService, serves: bool, conducts: bool
) -> DurableRuns:
    board = JobBoard(
        traces.database,
        queue_limit_s=settings.queue_limit_s,
        most_of_user=settings.user_runs,
        keeping=(settings.keep_events_days, settings.keep_runs_days),
    )
    return DurableRuns(
        board,
        traces,
        slots=settings.worker_runs,
        most=(settings.user_active, settings.all_active),
        conducts=conducts,
        one_shot=not serves,
    )


def _parts_for(
    settings: Settings, choosing: OpenChoosing, library: Library, opening: OpenAt, recipe: Recipe
) -> Parts:
    """The parts of a run that was begun with other options; keys are those of these settings."""
    model = recipe.model
    own = settings.with_model(model.name, model.base_url or None).model_copy(
        update={"manager": model.manager}
    )
    if _lacks_key(own):
        raise ConfigurationError(
            f"The run was begun with a key for the model {own.model}, and none is set here.",
            "Set DEEPCRITICAL_MODEL_API_KEY, and resume it.",
        )
    return Parts(build_reasoner(own, choosing, library), opening(recipe.place, recipe.documents))


def _lacks_key(settings: Settings) -> bool:
    """Return whether their model answers nobody without a key, and they have none."""
    if settings.model is None or settings.model_key:
        return False
    return build_model_server(settings, settings.model).needs_key


def open_traces(settings: Settings) -> ToolTraceService | None:
    """The traces in the database of the settings; None when nothing is to be kept.

    Raises:
        ConfigurationError: The database needs a library that is not installed.
        StorageError: The database cannot be used.
    """
    if settings.database_url is None:
        return None
    traces = ToolTraceService(Database(settings.database_url.get_secret_value()))
    traces.database.check()
    return traces


def build_reasoner(
    settings: Settings, choosing: OpenChoosing | None = None, library: Library | None = None
) -> Reasoner:
    """The reasoner of the settings: rules alone, or with a model. Nothing is sent."""
    if settings.model is None:
        if beside := settings.models_beside:
            raise ConfigurationError(
                f"{beside[0]} names a model beside the one of the run, and that is not set.",
                "Set DEEPCRITICAL_MODEL, too.",
            )
        if settings.manager == "standard":
            raise ConfigurationError(
                "The standard manager asks a model, and none is set.",
                "Set DEEPCRITICAL_MODEL, or leave DEEPCRITICAL_MANAGER at guided.",
            )
        return ExtractiveReasoner(library)
    choosing = choosing or _over_retrieval(_open_rag(settings))
    return _with_model(settings, build_model_server(settings, settings.model), choosing, library)


def _with_model(
    settings: Settings, server: ModelServer, choosing: OpenChoosing, library: Library | None
) -> Reasoner:
    with libraries_of(server.name):
        from deepcritical.reasoning.llm import LLMReasoner
    manages = settings.manager == "standard"
    return LLMReasoner(server, choosing=choosing, library=library, manages=manages)


def _chosen_reasoner(
    settings: Settings,
    own: Reasoner,
    choosing: OpenChoosing,
    library: Library,
    model: str,
    key: SecretStr | None,
) -> Reasoner:
    """The reasoner for what a user of the page chose.

    The address of another model is its provider's, and its key the user's: what the settings hold
    is for the model of the settings alone.
    """
    if model in ("", settings.model):
        if key and settings.model is None:
            raise ConfigurationError(
                "A key was given, but no model.", "Name one, such as anthropic:claude-opus-4-6."
            )
        return own
    server = users_server(settings, model)
    if key is None:
        raise ConfigurationError(
            f"The model {model} needs a key of yours.", "Give it beside the model's name."
        )
    return _with_model(settings, server, choosing, library)


def _open_rag(settings: Settings) -> OpenRag:
    """Retrieval for every run, over one embedding model and one index for all."""
    embeddings, index = retrieval_parts(settings)
    return lambda: LlamaIndexRAGService(uuid4().hex, embeddings, index)


def _over_retrieval(open_rag: OpenRag) -> OpenChoosing:
    """Chooses the records of a run's prompts by retrieval of its own."""

    @asynccontextmanager
    async def opened(desk: RunDesk) -> AsyncIterator[ChooseEvidence]:
        rag = open_rag()
        try:
            yield DiverseEvidence(rag)
        finally:
            try:
                await to_the_end(rag.close(), SOON_S)
            except StorageError as error:
                await desk.tell(Notice(message=str(error)))

    return opened


_ONLY = "E1"


class StudyCard(NamedTuple):
    """One record's account of its study."""

    record: Evidence
    reading: StudyReading
    grade: Grade
    weighed: Weighed | None
    """Its weight on a question, by itself; None without one, or where it bears on none."""


async def read_alone(settings: Settings, what: Path | str, question: str = "") -> StudyCard:
    """Return the card of a file, or of a record by its canonical id.

    Nothing is kept: a document of the user's own is in no reading that others see.

    Raises:
        DocumentError: The file cannot be read, or no source knows the id.
        QuestionError: The question cannot be read.
        SearchError: A source that would know the id could not be reached.
    """
    inquiry = await calculated(inquiry_of, question) if question else None
    record = await _record(settings, what)
    async with build_reasoner(settings).for_run(RunDesk()) as reasoner:
        studies = await reasoner.read_studies({_ONLY: record}, "")
    reading = studies.readings[_ONLY]
    weighed: tuple[Weighed, ...] = ()
    if inquiry:
        records, readings = {_ONLY: record}, {_ONLY: reading}
        weighed = await calculated(weigh, inquiry, records, readings)
    graded = await calculated(grade, record)
    return StudyCard(record, reading, graded, next(iter(weighed), None))


async def _record(settings: Settings, what: Path | str) -> Evidence:
    if isinstance(what, Path):
        return await asyncio.to_thread(read_document, what)
    found = await Lookups(settings, settings.snapshot).records_of([what])
    if what not in found:
        raise DocumentError(
            f"No source that was asked knows {what}.", "Check the id, or give a file."
        )
    return found[what]


@dataclass(frozen=True)
class ChatService:
    """Makes chats over the tools of one application."""

    registry: ToolRegistry
    reasoner_of: Callable[[str], ChatReasoner]
    """The reasoner of a model as ``provider:name``; '' for that of the settings."""
    similar: SimilarRuns
    limits: RunLimits

    def chat(self, run_id: str = "", caller: ToolCaller | None = None) -> Chat:
        """A new conversation, over a finished run or over none. Blocks: it may load libraries."""
        caller = caller or ToolCaller()
        return Chat(
            self.registry,
            self.reasoner_of(caller.model),
            self.similar.beside_offer,
            run_id=run_id,
            caller=caller,
            limits=self.limits,
        )


@asynccontextmanager
async def open_chats(
    settings: Settings, runs: RunService, place: Place, describe: Callable[[Event], str]
) -> AsyncIterator[ChatService]:
    """Chats over these runs, until the context ends."""
    embeddings, index = retrieval_parts(settings)
    evidence = RunEvidence(runs, lambda run_id: LlamaIndexRAGService(run_id, embeddings, index))
    # Looking for a snapshot reads the disk.
    sources = await asyncio.to_thread(open_sources_of, settings, place)
    similar = await asyncio.to_thread(build_similar, settings, runs, place)
    try:
        yield ChatService(
            registered_tools(runs, sources, evidence, describe),
            partial(_chat_reasoner, settings),
            similar,
            TURN_LIMITS.model_copy(update={"deadline_s": settings.chat_deadline_s}),
        )
    finally:
        try:
            await evidence.close()
        finally:
            await asyncio.to_thread(index.close)


def build_similar(settings: Settings, runs: RunService, place: Place) -> SimilarRuns:
    """Return the search for former runs of nearly the same question."""
    local = place.snapshot is not None
    return SimilarRuns(
        runs,
        retrieval_parts(settings)[0],
        open_sources_of(settings, place),
        ttl_days=settings.similar_ttl_days,
        rounds=limits_of(settings, "deep", local=local).max_iterations,
    )


def _chat_reasoner(settings: Settings, model: str) -> ChatReasoner:
    own = model in ("", settings.model)
    if own and settings.model is None:
        return ChatReasoner()
    server = (
        build_model_server(settings, settings.model or "") if own else users_server(settings, model)
    )
    # Late, as its libraries are: without a model nobody waits for them.
    from deepcritical.reasoning.llm_chat import ModelChat

    return ModelChat(server)
