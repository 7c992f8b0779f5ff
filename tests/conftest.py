"""Fixtures of all tests: a clean environment, an event loop unblocked, small factories.

No record that is made here is of this world: the drug is "examplol", the condition "testitis".
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import certifi
import pytest
from blockbuster import BlockBuster, blockbuster_ctx

from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.question.frame import OutsideName
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import LoggedEvent
from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.research.answering import deep_research
from deepcritical.research.session import RunSources
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.base import SearchTool
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path
from deepcritical.toolset.similar_runs import SimilarRuns
from tests.databases import ON_SERVERS, build_durable, fresh_database
from tests.environment import LEXICAL
from tests.indexes import chroma_server, close_indexes
from tests.slow import SlowTests

SERVERS = frozenset({"browser", "chroma", "on_server"})
"""Fixtures that need more than files and memory, as does the parameter `postgresql` or `server`."""
TABLE = "table: "
"""How the name of a recorded property begins that is a cell of a table: row, column, cell."""

ROOT = Path(__file__).parent.parent
DEMO = snapshot_path("demo")
DEMO_QUESTION = "Can metformin be repurposed for Alzheimer's disease?"
QUESTION = "Can examplol be repurposed for testitis?"


@pytest.hookimpl(tryfirst=True)  # the profile that the command line names comes after it
def pytest_configure(config: pytest.Config) -> None:
    """Properties try the same examples in every run, and have time for them.

    ``--hypothesis-profile=exploring`` tries new ones.
    """
    # Not for the processes that tests start, which import this module, too.
    from hypothesis import settings

    settings.register_profile("exploring", deadline=None)
    settings.register_profile("repeatable", deadline=None, derandomize=True)
    settings.load_profile("repeatable")
    # Else every event loop sets its own handler of Ctrl-C, which Python compares with those it
    # knows by an error that writes out what the loop's task returned: 20 ms for a report.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *given: signal.default_int_handler(*given))
    if not hasattr(config, "workerinput"):  # one process counts for all
        processes = config.getoption("numprocesses", None) or 1
        is_fast_suite = "not slow" in config.getoption("markexpr", "")
        config.pluginmanager.register(SlowTests(processes, is_fast_suite))


@pytest.hookimpl(optionalhook=True)  # of a plugin that may be switched off
def pytest_xdist_auto_num_workers() -> int:
    """Return the processes of `-n auto`: one more than there are cores, because many tests wait."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True, scope="module")
def own_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No run of a test, nor of a process that it starts, is kept in the developer's database.

    Each file of tests has one of its own: what a made-up model read of a record is used by later
    runs over the same database.
    """
    kept = fresh_database("any", tmp_path_factory.mktemp("database"))
    with pytest.MonkeyPatch.context() as environment, kept as url:
        environment.setenv("DATABASE_URL", url)
        yield


@pytest.fixture(autouse=True, scope="session")
def kept_bytecode() -> Iterator[None]:
    """The hundreds of processes that tests start do not compile the project anew each time."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def one_authority(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A client of HTTP trusts one authority: to load all takes 20 ms of a core for each client."""
    if any(item.get_closest_marker("live") for item in request.session.items):
        yield
        return
    end = "-----END CERTIFICATE-----\n"
    first = Path(certifi.where()).read_text(encoding="utf-8").partition(end)[0] + end
    file = tmp_path_factory.mktemp("authority") / "one.pem"
    file.write_text(first, encoding="utf-8")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of Chroma, which the tests of this process share."""
    pytest.importorskip("chromadb", reason="needs the extra embeddings")
    with chroma_server(tmp_path_factory.mktemp("chroma")) as url:
        yield url


@pytest.fixture(autouse=True, scope="session")
def own_index(request: pytest.FixtureRequest) -> Iterator[None]:
    """Vectors are in memory or in the tests' own server, never in the developer's."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("CHROMA_URL", "CHROMA_TOKEN", "CHROMA_TOKEN_HEADER"):
            environment.delenv(name, raising=False)
        if ON_SERVERS:
            environment.setenv("CHROMA_URL", request.getfixturevalue("chroma"))
        yield


@pytest.fixture(autouse=True)
def closed_indexes() -> Iterator[None]:
    yield
    close_indexes()


@pytest.fixture(scope="session")
def empty_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Returns an empty folder, the same one for as long as nobody leaves a file in it.

    To make and remove a folder for each of thousands of tests takes minutes of a slow disk.
    """
    folder = tmp_path_factory.mktemp("empty")

    def empty() -> Path:
        nonlocal folder
        if any(folder.iterdir()):
            folder = tmp_path_factory.mktemp("empty")
        return folder

    return empty


@pytest.fixture(autouse=True)
def clean_environment(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    empty_folder: Callable[[], Path],
) -> None:
    """No setting of the developer's shell, and no .env file of the checkout, reaches a test.

    Nor does a proxy, which would be asked for the servers on loopback. A test starts in its
    `tmp_path` if it has one, else in an empty folder.
    """
    for name in os.environ.copy():
        if name.startswith("DEEPCRITICAL_") or name.upper().endswith("_PROXY"):
            monkeypatch.delenv(name)
    for name, value in LEXICAL.items():  # but see the fixture `hybrid`
        monkeypatch.setenv(name, value)
    own = "tmp_path" in request.fixturenames
    monkeypatch.chdir(request.getfixturevalue("tmp_path") if own else empty_folder())


@pytest.fixture
def hybrid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are ranked as by default: by words and by vectors of the model, if it is there."""
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("needs the extra embeddings")
    for name in LEXICAL:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DEEPCRITICAL_VECTOR_CACHE", "")


@pytest.fixture(autouse=True)
def own_engine() -> Iterator[None]:
    """The engine that a test left ends with it.

    A process has one, and its threads draw random numbers, which makes properties of others flaky.
    """
    yield
    engine = sys.modules.get("deepcritical.jobs.dbos_engine")
    if engine is not None and engine._Host.conduct is not None:
        engine._Host.conduct = None
        engine.DBOS.destroy()


@pytest.fixture(autouse=True)
def no_blocking(request: pytest.FixtureRequest) -> Iterator[BlockBuster | None]:
    """A call of our code that blocks the event loop raises BlockingError in an async test."""
    if request.node.get_closest_marker("asyncio") is None:
        yield None
        return
    with blockbuster_ctx("deepcritical") as watch:
        yield watch


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database, of one kind after the other."""
    with fresh_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture
async def traces(url: str) -> AsyncIterator[ToolTraceService]:
    """The traces of that database, as a process of their own sees them."""
    service = ToolTraceService(Database(url))
    yield service
    await service.close()


def paper(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A line of a snapshot: a made-up randomised trial in which examplol helps in testitis."""
    return {
        "kind": "publication",
        "pmid": f"9900000{number}",
        "title": f"Examplol in testitis: made-up trial {number}",
        "authors": [f"Ada Invented{number}"],
        "journal": "J Made-Up Rec",
        "year": "2999",
        "pub_types": ["Randomized Controlled Trial"],
        "text": (
            f"Design: Randomised placebo-controlled trial {number} in 40 patients with testitis. "
            "Results: Examplol significantly improved testitis symptoms compared with placebo. "
            "Harms: Examplol was well tolerated."
        ),
        "text_kind": "summary",
        **fields,
    }


def trial(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A line of a snapshot: a made-up registry entry."""
    return {
        "kind": "trial",
        "nct": f"NCT9900000{number}",
        "title": f"Examplol for testitis, made-up registry entry {number}",
        "conditions": ["Testitis"],
        "interventions": ["Examplol"],
        "status": "Completed",
        "text": "A made-up registry entry on examplol in testitis.",
        **fields,
    }


def snapshot(path: Path, *lines: object) -> Path:
    """A snapshot file; a line that is text is written as it is."""
    text = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return path


def make_evidence(title: str = "Examplol in testitis", content: str = "", **meta: Any) -> Evidence:
    return Evidence(
        content=content,
        citation=Citation(source="pubmed", title=title, url=""),
        metadata=EvidenceMetadata(**meta),
    )


async def as_they_stand(names: Sequence[OutsideName]) -> tuple[OutsideName, ...]:
    """Knows every made-up name, as what it was taken for."""
    return tuple(names)


@asynccontextmanager
async def opened(*tools: SearchTool) -> AsyncIterator[RunSources]:
    names = tuple(tool.name for tool in tools)
    yield RunSources(SearchHandler(tools), names, look_up=as_they_stand)


def queries(*texts: str) -> tuple[SearchQuery, ...]:
    """Queries in plain words."""
    return tuple(SearchQuery(text=text) for text in texts)


def run_service(
    source: Path | Sequence[SearchTool] = DEMO,
    reasoner: Reasoner | None = None,
    traces: ToolTraceService | None = None,
    durable: DurableRuns | None = None,
    **limits: Any,
) -> RunService:
    """The real team over a snapshot file, or over the given sources."""

    tools = [SnapshotSource(source)] if isinstance(source, Path) else list(source)
    return RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=reasoner or ExtractiveReasoner(),
        open_sources=partial(opened, *tools),
        limits_for=lambda _depth: RunLimits(**limits),
        durable=durable or (build_durable(traces) if traces else None),
    )


def none_similar(runs: RunService) -> SimilarRuns:
    """A search that offers no former run."""
    return SimilarRuns(runs, None, runs.open_sources, ttl_days=0)


async def ended(run: Run) -> list[LoggedEvent]:
    """All events of a run, once it has ended."""
    return [logged async for logged in run.tail()]


def of_type(events: Sequence[LoggedEvent], kind: str) -> list[Any]:
    """The events of one type, without their place in the log."""
    return [logged.event for logged in events if logged.event.type == kind]


async def collected(events: AsyncIterator[LoggedEvent]) -> list[LoggedEvent]:
    return [logged async for logged in events]


@pytest.hookimpl(tryfirst=True)  # before the marks choose
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a server or a browser, and put the tests in order."""
    for item in items:
        params = getattr(item, "callspec", None)
        kinds = (
            {value for value in params.params.values() if isinstance(value, str)}
            if params
            else set()
        )
        if SERVERS & {*getattr(item, "fixturenames", ())} or kinds & {"postgresql", "server"}:
            item.add_marker("servers")
    _put_in_order(items)


def pytest_collection_finish() -> None:
    """Keep all that is loaded by now out of the garbage collection."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _put_in_order(items: list[pytest.Item]) -> None:
    """Mix what keeps a core busy with what waits, and keep what is short for the end.

    Files are handed out in this order: end-to-end tests, which start processes and browsers, with
    those of integration between them, then all others.
    """
    places: dict[Path, int] = {}
    for item in items:
        places.setdefault(item.path, len(places))
    folders = ("e2e", "integration")
    parts = {name: [path for path in places if path.parent.name == name] for name in folders}
    order = {
        path: (at + 0.5) / len(paths) for paths in parts.values() for at, path in enumerate(paths)
    }
    items.sort(key=lambda item: (order.get(item.path, 2.0), places[item.path]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables whose cells the tests recorded, wherever they ran."""
    tables: dict[str, dict[tuple[str, str], str]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name.startswith(TABLE) and report.when == "call":
                    row, column, cell = value
                    tables.setdefault(name.removeprefix(TABLE), {})[row, column] = cell
    for name, cells in tables.items():
        _print_table(terminalreporter, name, cells)


def _print_table(
    terminalreporter: pytest.TerminalReporter, name: str, cells: dict[tuple[str, str], str]
) -> None:
    rows, columns = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    terminalreporter.section(name)
    for row in ("", *rows):
        shown = (cells.get((row, column), "-") if row else column for column in columns)
        terminalreporter.write_line(f"{row:18}" + "".join(f"{cell:>22}" for cell in shown))
