"""Builds the service of runs from the settings; reads a single study without a run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
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
    open_telemetry,
    place_of,
    sources_at,
    users_server,
)
from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import ConfigurationError, DocumentError, StorageError
from deepcritical.domain.evidence.grading import Grade, grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.run.budget import Depth, RunLimits
from deepcritical.domain.run.events import Notice
from deepcritical.domain.run.recipe import ModelChoice, Recipe
from deepcritical.domain.study.reading import StudyReading
from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.hosting import Parts
from deepcritical.jobs.runs import RunService
from deepcritical.models.desk import RunDesk
from deepcritical.orchestrators.deep_research import deep_research
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reading.library import Library
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.reasoning.choosing import ChooseEvidence, DiverseEvidence, OpenChoosing
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import SHIPPED_VECTORS, EmbeddingService
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.study_readings import StudyReadings
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.services.tasks import SOON_S, calculated, to_the_end
from deepcritical.settings import Settings
from deepcritical.tools.documents import read_document

if TYPE_CHECKING:
    from deepcritical.models.providers import ModelServer


LOCAL_RESULTS = 30
"""Records that a query takes from a snapshot: a local file costs no request, so it may be many."""


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
    """The parts of a run that was begun with other options; keys are those of these settings.

    Raises:
        ConfigurationError: There is no key for its model, or no such snapshot any more.
    """
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

    Raises:
        ConfigurationError: The model is none that may be chosen, or key and model do not go
            together.
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


def limits_of(settings: Settings, depth: Depth, *, local: bool = False) -> RunLimits:
    """The limits of a depth, as far as no setting overrides them; `local` for a snapshot."""
    chosen = {
        "paced": None if settings.deadline_s is None else False,
        "max_iterations": settings.max_iterations,
        "deadline_s": settings.deadline_s,
        "results_per_query": LOCAL_RESULTS if local else None,
        "max_calls": settings.max_calls,
        "max_tokens": settings.max_tokens,
        "max_cost_usd": settings.max_cost_usd,
    }
    return RunLimits.for_depth(depth).model_copy(
        update={name: value for name, value in chosen.items() if value is not None}
    )


@asynccontextmanager
async def open_retrieval(
    settings: Settings, run_id: str, tell: Callable[[str], None]
) -> AsyncIterator[LlamaIndexRAGService]:
    """Retrieval over the records of one run, until the context ends.

    `tell` gets what the reader must know at the end: vectors not kept, rows not removed.
    """
    embeddings, index = retrieval_parts(settings)
    rag = LlamaIndexRAGService(run_id, embeddings, index)
    try:
        yield rag
    finally:
        try:
            await rag.close()
        except StorageError as error:
            tell(str(error))
        await asyncio.to_thread(index.close)
        if embeddings and embeddings.cache_problem:
            tell(f"Vectors are not kept: {embeddings.cache_problem}")


def retrieval_parts(settings: Settings) -> tuple[EmbeddingService | None, ChromaIndex]:
    """The embedding model, if one is set, and the index of vectors. Neither is opened yet."""
    kept = settings.vector_cache.expanduser() if settings.vector_cache else None
    model = settings.embedding_model.strip()
    embeddings = _embeddings(model, kept) if model else None
    return embeddings, ChromaIndex(settings.chroma_url, settings.chroma_headers)


@cache
def _embeddings(model: str, vectors: Path | None) -> EmbeddingService:
    """One for all parts of a process: a model takes seconds to load, and 100 MB."""
    return EmbeddingService(model, cache=vectors, shipped=SHIPPED_VECTORS)


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
