"""The source that docs/sources.md adds as its example, taken from there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from deepcritical.domain.errors import SearchError
from deepcritical.tools.http import SourceClient
from deepcritical.tools.rate_limiter import new_limiter
from tests.conformance import test_search_tool as conformance
from tests.packages import changed_file, example, printed, with_files
from tests.servers.faults import Faults
from tests.servers.running import running
from tests.servers.world import given

KEY = "exampleindex"
PAPERS = [
    {"title": f"Examplol {n}", "doi": f"10.5555/{n}", "abstract": "It works."} for n in range(120)
]


def block() -> str:
    return example("docs/sources.md", KEY)


async def papers(request: Request) -> JSONResponse:
    """Example Index, which knows papers on all but zorblaxin."""
    most = int(request.query_params["size"])
    found = [] if "zorblaxin" in request.query_params["q"] else PAPERS[:most]
    return JSONResponse({"papers": found})


def app() -> Starlette:
    return Starlette(routes=[Route("/papers", papers)])


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    """The example, loaded from a file."""
    path = tmp_path / f"{KEY}.py"
    path.write_text(block(), encoding="utf-8")
    spec = spec_from_file_location(KEY, path)
    assert spec
    assert spec.loader
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@asynccontextmanager
async def opened(module: ModuleType, url: str) -> AsyncIterator[conformance.Case]:
    client = SourceClient(KEY, url, limiter=new_limiter(1000), wait_s=0.01)
    tool = module.SOURCE.open(given(client))
    try:
        yield conformance.Case(tool, "examplol", "zorblaxin", nasty=False)
    finally:
        await client.aclose()


class TestTheExample(conformance.TestSearchTool):
    @pytest.fixture
    async def case(self, module: ModuleType) -> AsyncIterator[conformance.Case]:
        async with running(app()) as url, opened(module, url) as made:
            yield made


async def test_a_broken_answer_of_the_example_is_a_typed_error(module: ModuleType) -> None:
    faults = Faults(app())
    faults.on("html")
    async with running(faults) as url, opened(module, url) as case:
        with pytest.raises(SearchError):
            await case.tool.search("examplol")


def test_the_example_is_short() -> None:
    assert len([line for line in block().splitlines() if line.strip()]) < 60


def with_the_example(folder: Path) -> Path:
    """The package with one file more and its line in the registry."""
    registry = changed_file(
        "tools/registry.py",
        ("import web_search\n", f"import {KEY}, web_search\n"),
        ("    web_search.SOURCE,\n", f"    web_search.SOURCE,\n    {KEY}.SOURCE,\n"),
    )
    return with_files(folder, {f"tools/{KEY}.py": block(), "tools/registry.py": registry})


@pytest.mark.slow
async def test_a_file_and_a_line_add_a_source(tmp_path: Path) -> None:
    package = with_the_example(tmp_path)
    async with running(app()) as url:
        own = {f"DEEPCRITICAL_{KEY.upper()}_URL": url, "DEEPCRITICAL_HTTP_CACHE": ""}
        told = await printed(package, "search", KEY, "examplol", "--max", "3", **own)
        doctor = await printed(package, "doctor", "--sources", KEY, **own)
    assert [line.split(" · ")[-1] for line in told.splitlines()] == [p["title"] for p in PAPERS[:3]]
    assert "Example Index" in doctor
    assert KEY in await printed(package, "research", "--help")
