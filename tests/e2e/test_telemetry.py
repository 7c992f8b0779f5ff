"""Spans of the command as a collector on loopback gets them, and what they never say."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest

from tests.conftest import QUESTION
from tests.integration.modelled import records
from tests.servers.commands import forked_command, forked_module
from tests.servers.models import ModelServer
from tests.servers.otlp import Collector
from tests.servers.running import running
from tests.servers.serving import refusing

pytest.importorskip(
    "opentelemetry.exporter.otlp.proto.http", reason="the extra telemetry is not installed"
)
COMMAND = forked_command()
KEY = "made-up-key-that-nobody-may-tell"
CONVENTIONS = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "made-up",
    "server.address": "127.0.0.1",
}


class Site(NamedTuple):
    """A model's server, a collector, and the environment in which the command finds them."""

    collector: Collector
    model: ModelServer
    environment: dict[str, str]
    folder: Path

    async def call(
        self, *args: str, command: Sequence[str | Path] = (COMMAND,), **more: str
    ) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *command, *args, env=self.environment | more, cwd=self.folder, stderr=subprocess.PIPE
        )

    async def ran(self, *args: str, command: Sequence[str | Path] = (COMMAND,), **more: str) -> str:
        """Run the command, which must succeed, and return its stderr."""
        process = await self.call(*args, command=command, **more)
        _, said = await process.communicate()
        assert process.returncode == 0, said.decode()
        return said.decode()

    @property
    def research(self) -> tuple[str, ...]:
        source, out = str(self.folder / "made.jsonl"), str(self.folder / "out")
        return ("research", QUESTION, "--snapshot", source, "--depth", "quick", "--out", out)

    def run_id(self) -> str:
        with closing(sqlite3.connect(self.folder / "runs.sqlite")) as kept:
            return str(kept.execute("SELECT id FROM tool_traces").fetchone()[0])

    def recorded(self) -> Counter[str]:
        """The steps that the engine has of the one run, by the names of their spans."""
        with closing(sqlite3.connect(self.folder / "runs.sqlite")) as kept:
            names = kept.execute("SELECT function_name FROM operation_outputs").fetchall()
        return Counter(f"step {name}" for (name,) in names)


@asynccontextmanager
async def site(folder: Path) -> AsyncIterator[Site]:
    records(folder)
    collector, model = Collector(), ModelServer()
    async with running(collector.app) as collecting, running(model.app) as modelling:
        environment = {
            "DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite'}",
            "DEEPCRITICAL_MODEL": "openai-chat:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": f"{modelling}v1",
            "DEEPCRITICAL_MODEL_API_KEY": KEY,
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collecting,
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        yield Site(collector, model, os.environ | environment, folder)


@pytest.mark.slow
async def test_a_run_is_one_trace_of_steps_searches_and_model_calls(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.ran(*here.research)
        spans = here.collector.spans
        (run,) = here.collector.named("run")
        steps, chats = here.collector.named("step "), here.collector.named("chat ")
        searches = here.collector.named("search ")
        assert {span.trace for span in spans} == {UUID(here.run_id()).hex}
        assert run.parent == ""
        assert {span.parent for span in steps} == {run.id}
        assert {span.parent for span in chats + searches} <= {span.id for span in steps}
        assert {"step execute", "step read_all", "step write_report"} <= {s.name for s in steps}
        assert len(chats) == len(here.model.asked) > 0
        assert all(span.remote for span in chats + searches)
        assert all(span.seconds >= 0 for span in spans)
        # The span of the run holds all others, in time and in what they cost.
        assert run.seconds >= max(span.seconds for span in steps)
        assert run.attributes["deepcritical.run.model_calls"] == len(chats)
        read = sum(span.attributes["gen_ai.usage.input_tokens"] for span in chats)
        written = sum(span.attributes["gen_ai.usage.output_tokens"] for span in chats)
        assert run.attributes["deepcritical.run.tokens"] == read + written == here.model.tokens
        assert all(span.attributes.items() >= CONVENTIONS.items() for span in chats)
        outcomes = {span.attributes["deepcritical.search.outcome"] for span in searches}
        assert "data" in outcomes <= {"data", "not_applicable"}
        assert {span.sender["service.name"] for span in spans} == {"deepcritical"}


@pytest.mark.slow
async def test_neither_key_nor_question_nor_record_nor_prompt_is_told(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.ran(*here.research)
        told = b"".join(here.collector.bodies).lower()
        assert told
        for word in (KEY, "examplol", "testitis", "randomised", "you are"):
            assert word.encode() not in told
        assert any("examplol" in asked.prompt.lower() for asked in here.model.asked)


@pytest.mark.slow
@pytest.mark.timeout(400)  # two processes, each of which loads a model's libraries
async def test_a_run_that_is_killed_and_taken_over_stays_one_trace_without_repeats(
    tmp_path: Path,
) -> None:
    async with site(tmp_path) as here:
        here.model.latency_s = 0.3
        first = await here.call(*here.research)
        async with asyncio.timeout(120):
            while len(here.collector.named("step ")) < 4:  # noqa: ASYNC110 - told by HTTP
                await asyncio.sleep(0.02)
        os.kill(first.pid, signal.SIGKILL)
        await first.communicate()
        before = len(here.collector.spans)
        in_flight = here.collector.named("step ")[-1].name
        assert here.collector.named("run") == []
        run_id = here.run_id()
        await here.ran("traces", "resume", run_id)
        (run,) = here.collector.named("run")
        steps = here.collector.named("step ")
        assert {span.trace for span in here.collector.spans} == {UUID(run_id).hex}
        assert {span.parent for span in steps} == {run.id}
        assert len({span.sender["service.instance.id"] for span in here.collector.spans}) == 2
        assert len(here.collector.spans) > before
        # A step of the record is not told again; the one in flight is, if it was killed when it
        # had been told and was not on record yet.
        recorded = await asyncio.to_thread(here.recorded)
        told = Counter(span.name for span in steps)
        assert told - recorded in (Counter(), Counter([in_flight]))
        assert (recorded - told).total() <= 4  # told by nobody: killed before they were sent


@pytest.mark.slow
async def test_a_failed_call_and_a_failed_run_say_the_kind_of_error_alone(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        with refusing() as address:
            asked = ("research", "Can metformin help in asthma?", "--sources", "pubmed")
            process = await here.call(
                *asked, DEEPCRITICAL_PUBMED_URL=address, DEEPCRITICAL_DRUG_FACTS="off"
            )
            await process.communicate()
        (run,) = here.collector.named("run")
        assert process.returncode == 10
        assert run.failed
        assert run.attributes["error.type"] == "SearchError"
        assert b"asthma" not in b"".join(here.collector.bodies)


@pytest.mark.slow
async def test_a_collector_that_is_away_hurts_no_run(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        begun = time.monotonic()
        await here.ran(*here.research)
        usual_s = time.monotonic() - begun
        begun = time.monotonic()
        await here.ran(*here.research, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
        assert time.monotonic() - begun < 2 * usual_s + 10
        assert (here.folder / "out" / "report.json").exists()


LOADED = """
import sys
from deepcritical.interfaces.main import main
try:
    main(sys.argv[2:])
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""
"""The command, which names in the end every module that it or its parent has loaded."""


class TestOff:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "variables", [{}, {"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_SDK_DISABLED": "true"}], ids=str
    )
    async def test_nothing_is_sent_or_imported(
        self, tmp_path: Path, variables: dict[str, str]
    ) -> None:
        async with site(tmp_path) as here:
            more = {**(variables or {"OTEL_EXPORTER_OTLP_ENDPOINT": ""})}
            command = (*forked_module(), "tests.servers.program", LOADED)
            said = await here.ran(*here.research, command=command, **more)
            imported = set(said.splitlines())
            assert "deepcritical.services.telemetry" in imported
            assert not {name for name in imported if name.startswith("opentelemetry.sdk")}
            assert not {name for name in imported if name.startswith("opentelemetry.exporter")}
            assert "deepcritical.services.otel" not in imported
            assert here.collector.bodies == []

    @pytest.mark.parametrize(
        ("variables", "told"),
        [
            ({"OTEL_TRACES_EXPORTER": "zipkin"}, "exporter zipkin"),
            ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "protocol grpc"),
        ],
    )
    async def test_what_cannot_be_done_is_told_before_anything_is_run(
        self, tmp_path: Path, variables: dict[str, str], told: str
    ) -> None:
        async with site(tmp_path) as here:
            process = await here.call(*here.research, **variables)
            _, said = await process.communicate()
            assert process.returncode == 9
            assert told in said.decode()
            assert here.model.asked == []
