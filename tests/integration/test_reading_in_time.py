"""Reading by a slow model, or beside another run, leaves a run its time for the report."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deepcritical.domain.run.budget import RunLimits
from deepcritical.models.providers import model_server
from deepcritical.reading.library import Library
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.study_readings import StudyReadings
from tests.conftest import QUESTION, ended, of_type, run_service
from tests.integration.model_reading import read
from tests.integration.modelled import many, modelled, records
from tests.integration.reading_stores import trials
from tests.servers.models import Asked, Fault, ModelServer
from tests.servers.running import running


def slow_after(number: int, wait_s: float) -> Callable[[ModelServer], None]:
    """Return what prepares a server to answer so many questions at once, and the rest late."""
    numbers = itertools.count(1)

    def late(asked: Asked) -> Fault | None:
        is_reading = asked.task == "read_studies"
        return Fault(wait_s=wait_s) if is_reading and next(numbers) > number else None

    def prepare(server: ModelServer) -> None:
        server.fault = late

    return prepare


class TestTime:
    @pytest.mark.slow
    async def test_a_limit_in_the_middle_keeps_what_was_read(self) -> None:
        limits = RunLimits(deadline_s=4.0)
        begun = time.monotonic()
        run = await read(trials(24), slow_after(2, 30.0), limits)
        assert time.monotonic() - begun < 10
        assert len(run.readings.found) == 16
        assert sorted(run.kept) == sorted(run.readings.found)
        assert [str(error) for error in run.readings.failed] == [
            "the model did not answer in time "
            "Raise DEEPCRITICAL_MODEL_TIMEOUT_S, or use a faster model."
        ]

    @pytest.mark.slow
    async def test_a_run_over_a_slow_server_with_a_short_deadline_ends_with_a_report(
        self, tmp_path: Path
    ) -> None:
        run = await modelled(
            many(tmp_path),
            slow_after(1, 60.0),
            timeout_s=30,
            deadline_s=12.0,
            max_iterations=2,
            results_per_query=40,
        )
        assert run.report
        assert run.report.references
        assert run.made_by["reading"] == {"model in part"}
        readers = {
            told.reader for event in of_type(run.events, "studies_read") for told in event.records
        }
        assert readers == {"openai-chat:made-up", "rules"}

    @pytest.mark.slow
    async def test_a_run_does_not_wait_past_its_time_for_what_another_one_reads(
        self, tmp_path: Path
    ) -> None:
        """Another process that was killed holds its claims for two minutes."""

        class AllClaimed(StudyReadings):
            async def claim(self, *_: object) -> frozenset[str]:
                return frozenset()

        server, path = ModelServer(), await asyncio.to_thread(records, tmp_path)
        kept = Database(normalised_url(f"sqlite:///{tmp_path / 'readings.sqlite'}"))
        async with running(server.app) as url:
            resolved = model_server("vllm:made-up", base_url=f"{url}v1", profile="large")
            reasoner = LLMReasoner(resolved, library=Library(AllClaimed(kept)))
            runs = run_service(path, reasoner, deadline_s=8.0, max_iterations=1)
            events = await ended(runs.submit(QUESTION))
        await kept.close()
        assert events[-1].event.type == "run_completed"
