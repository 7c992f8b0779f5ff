"""The source that docs/sources.md adds as its example, taken from there."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
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

import deepcritical
from deepcritical.domain.errors import SearchError
from deepcritical.tools.http import SourceClient
from deepcritical.tools.rate_limiter import new_limiter
from tests.conformance import test_search_tool as conformance
from tests.conftest import ROOT
from tests.environment import without_settings
from tests.servers.faults import Faults
from tests.servers.running import running
from tests.servers.world import given

KEY = "exampleindex"
PAPERS = [
    {"title": f"Examplol {n}", "doi": f"10.5555/{n}", "abstract": "It works."} for n in range(120)
]


def block() -> str:
    """The module of the example."""
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"<!-- {KEY} -->\n```python\n(.*?)```", page, re.DOTALL)
    return str(found)


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
    """The package with one file more and its line in the registry; the rest is linked."""
    package = Path(deepcritical.__file__).parent
    made, tools = folder / "deepcritical", folder / "deepcritical" / "tools"
    tools.mkdir(parents=True)
    for here, there in ((package, made), (package / "tools", tools)):
        for path in here.iterdir():
            if path.name not in ("tools", "registry.py", "__pycache__"):
                (there / path.name).symlink_to(path)
    (tools / f"{KEY}.py").write_text(block(), encoding="utf-8")
    registry = (package / "tools" / "registry.py").read_text(encoding="utf-8")
    imported = registry.replace("import clinicaltrials,", f"import clinicaltrials, {KEY},", 1)
    entered = imported.replace(
        "    web_search.SOURCE,\n", f"    web_search.SOURCE,\n    {KEY}.SOURCE,\n"
    )
    (tools / "registry.py").write_text(entered, encoding="utf-8")
    return folder


async def called(package: Path, *args: str, **settings: str) -> str:
    """What the command prints with that package in place of ours."""
    code = "from deepcritical.interfaces.main import main; main()"
    environment = without_settings() | settings | {"PYTHONPATH": str(package)}
    return await asyncio.to_thread(
        subprocess.check_output,
        [sys.executable, "-c", code, *args],
        env=environment,
        encoding="utf-8",
    )


@pytest.mark.slow
async def test_a_file_and_a_line_add_a_source(tmp_path: Path) -> None:
    package = with_the_example(tmp_path)
    async with running(app()) as url:
        own = {f"DEEPCRITICAL_{KEY.upper()}_URL": url, "DEEPCRITICAL_HTTP_CACHE": ""}
        told = await called(package, "search", KEY, "examplol", "--max", "3", **own)
        doctor = await called(package, "doctor", "--sources", KEY, **own)
    assert [line.split(" · ")[-1] for line in told.splitlines()] == [p["title"] for p in PAPERS[:3]]
    assert "Example Index" in doctor
    assert KEY in await called(package, "research", "--help")
