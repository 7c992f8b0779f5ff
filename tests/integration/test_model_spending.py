"""Only answered requests are spending, over real HTTP; no other one costs or stays reserved."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.function import FunctionModel

from deepcritical.domain.run.budget import Purse, RunLimits, Spent
from deepcritical.domain.run.events import DeadlineMoved, Event
from deepcritical.domain.tool.traces import fold
from deepcritical.interfaces.page.views import render_trace
from deepcritical.interfaces.render import describe
from deepcritical.models import metering
from deepcritical.models.answers import Plan
from deepcritical.models.asking import Asker, open_asker
from deepcritical.models.desk import Asked, RunDesk
from deepcritical.models.failing import NoAnswerError
from deepcritical.models.providers import ModelServer as Resolved
from deepcritical.models.providers import model_server
from deepcritical.prompts.asks import ask_plan
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.services.storage.model_answers import AnswerBook, Place
from tests.conftest import QUESTION, ended, of_type, run_service
from tests.integration.modelled import records
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

Address = AbstractAsyncContextManager[str]
Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send no request again, so that no test waits between two; test_model_faults repeats them."""
    monkeypatch.setattr(metering, "_LONGEST_WAIT_S", 0.0)


@asynccontextmanager
async def refusing() -> AsyncIterator[str]:
    """A port on which nobody listens, and which nobody else is given."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/v1"


@asynccontextmanager
async def speaking(handle: Handle) -> AsyncIterator[str]:
    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read until the client gives up."""
    await reader.read()
    writer.close()


async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


@asynccontextmanager
async def faulty(fault: Fault) -> AsyncIterator[str]:
    server = ModelServer()
    server.fault = lambda _asked: fault
    async with running(server.app) as url:
        yield f"{url}v1"


def priced(address: str, timeout_s: float = 5.0) -> Resolved:
    return model_server(
        "openai-chat:gpt-4o",
        base_url=address,
        api_key="made-up-key",
        profile="large",
        timeout_s=timeout_s,
    )


@asynccontextmanager
async def asker_of(server: Resolved, **limits: float) -> AsyncIterator[Asker]:
    async with open_asker(server, RunDesk(RunLimits.model_validate(limits))) as asker:
        yield asker


async def ask(asker: Asker) -> Plan:
    return await asker.ask("question", ask_plan(QUESTION), Plan)


def assert_only_unanswered(purse: Purse) -> None:
    assert purse.spent == Spent(cost_usd=0.0, unanswered=purse.spent.unanswered)
    assert purse.spent.unanswered > 0
    assert not purse.under_way


UNANSWERED: dict[str, tuple[Callable[[], Address], float]] = {
    "refused": (refusing, 5.0),
    "silent": (lambda: speaking(silence), 0.1),
    "hangs up": (lambda: speaking(hang_up), 5.0),
    "cut off": (lambda: faulty(Fault(reset=True)), 5.0),
    "dripping": (lambda: faulty(Fault(drip_s=0.05)), 0.3),
    "400": (lambda: faulty(Fault(status=400)), 5.0),
    "429": (lambda: faulty(Fault(status=429)), 5.0),
    "500": (lambda: faulty(Fault(status=500)), 5.0),
    "503": (lambda: faulty(Fault(status=503)), 5.0),
    "a page": (lambda: faulty(Fault(body="<html>Welcome</html>")), 5.0),
}


@pytest.mark.parametrize("how", UNANSWERED)
async def test_a_request_without_an_answer_is_not_spending(how: str) -> None:
    address, timeout_s = UNANSWERED[how]
    async with address() as url, asker_of(priced(url, timeout_s)) as asker:
        with pytest.raises(NoAnswerError):
            await ask(asker)
        assert_only_unanswered(asker.purse)


async def test_of_an_address_that_is_no_api_the_address_is_named() -> None:
    async with faulty(Fault(body="<html>Welcome</html>")) as url, asker_of(priced(url)) as asker:
        with pytest.raises(NoAnswerError, match=r"could not be read.*DEEPCRITICAL_MODEL_BASE_URL"):
            await ask(asker)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["refused", "silent", "500"])
async def test_requests_to_a_dead_server_are_few_although_none_uses_the_budget(how: str) -> None:
    address, timeout_s = UNANSWERED[how]
    async with address() as url, asker_of(priced(url, timeout_s), max_calls=2) as asker:
        for _ in range(2):
            failed = await asyncio.gather(*(ask(asker) for _ in range(20)), return_exceptions=True)
            assert {type(error) for error in failed} == {NoAnswerError}
        assert_only_unanswered(asker.purse)
        # The first question is asked in three ways; the others that have a slot run to their end.
        assert asker.purse.spent.unanswered <= 3 + 3 + asker.profile_for("question").at_once
        assert asker.asked.given_up


async def test_a_question_that_is_cancelled_in_flight_is_not_spending() -> None:
    arrived = asyncio.Event()

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await silence(reader, writer)

    async with speaking(note) as url, asker_of(priced(url)) as asker:
        question = asyncio.create_task(ask(asker))
        await arrived.wait()
        assert asker.purse.under_way
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question
        assert_only_unanswered(asker.purse)


async def test_an_answer_is_spending_also_when_it_cannot_be_used() -> None:
    server = ModelServer()
    async with running(server.app) as url, asker_of(priced(f"{url}v1")) as asker:
        await ask(asker)
        told = asker.purse.spent
        assert (told.calls, told.tokens, told.unanswered) == (1, server.tokens, 0)
        server.change = lambda *_: "I think it works very well."
        with pytest.raises(NoAnswerError):
            await ask(asker)
        unfit = asker.purse.spent
        assert (unfit.calls, unfit.tokens) == (len(server.asked), server.tokens)
        assert 0 < (told.cost_usd or 0.0) < (unfit.cost_usd or 0.0)
        assert not asker.purse.under_way


async def test_another_process_goes_on_from_what_was_spent() -> None:
    server = ModelServer()
    async with running(server.app) as url, asker_of(priced(f"{url}v1")) as first:
        await ask(first)
        server.fault = lambda _asked: Fault(status=503)
        with pytest.raises(NoAnswerError):
            await ask(first)
        async with asker_of(priced(f"{url}v1")) as second:
            second.go_on(Asked.model_validate_json(first.asked.model_dump_json()))
            assert second.asked == first.asked
            assert (second.purse.spent.calls, second.purse.spent.unanswered) == (1, 1)
            server.fault = lambda _asked: None
            await ask(second)
            assert (second.purse.spent.calls, second.purse.spent.unanswered) == (2, 1)


async def test_a_run_with_a_dead_server_tells_of_no_dollars(tmp_path: Path) -> None:
    path = records(tmp_path)
    async with refusing() as url:
        run = run_service(path, LLMReasoner(priced(url))).submit(QUESTION)
        events = await ended(run)
        assert (await run.result()).written_by.startswith("extractive (no model)")
    planned = of_type(events, "budget_planned")[0]
    assert planned.estimate.cost_usd > 0
    last = of_type(events, "judgement_made")[-1]
    assert last.spent == Spent(cost_usd=0.0, unanswered=1)
    assert "so far 0 calls, 0 tokens, $0.0000, unanswered requests: 1" in describe(last)
    metrics = fold(events).metrics
    assert (metrics.llm_calls, metrics.cost_usd, metrics.unanswered) == (0, 0.0, 1)
    shown = await asyncio.to_thread(render_trace, events)
    assert "<dt>Cost</dt><dd>$0.0000</dd>" in shown
    assert "<dt>Unanswered requests</dt><dd>1</dd>" in shown


class Noting(AnswerBook):
    """Remembers how many requests had arrived at the server when one was noted."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self.arrived: list[int] = []

    async def sending(self, place: Place) -> None:
        await super().sending(place)
        await asyncio.sleep(0.01)  # one that is sent meanwhile arrives
        self.arrived.append(len(self._server.asked))


@pytest.mark.parametrize("api", ["openai", "openai-chat", "anthropic", "ollama"])
async def test_a_request_is_noted_by_its_client_once_and_before_it_goes_out(api: str) -> None:
    server = ModelServer()
    book = Noting(server)
    async with running(server.app) as url:
        address = url if api == "anthropic" else f"{url}v1"
        resolved = model_server(f"{api}:made-up", base_url=address, api_key="made-up-key")
        assert resolved.notes
        async with open_asker(resolved, RunDesk(book=book)) as asker:
            await ask(asker)
            await ask(asker)
    assert (len(server.asked), book.arrived) == (2, [0, 1])


@pytest.mark.parametrize("paced", [True, False])
async def test_a_slow_model_gets_more_time_where_no_deadline_was_set(paced: bool) -> None:
    server, told = ModelServer(), list[Event]()
    server.latency_s = 0.3

    async def tell(event: Event) -> None:
        told.append(event)

    async with running(server.app) as url:
        desk = RunDesk(RunLimits(deadline_s=3.0, paced=paced), tell=tell)
        async with open_asker(priced(f"{url}v1"), desk) as asker:
            await ask(asker)
            await ask(asker)
            moved = [event for event in told if isinstance(event, DeadlineMoved)]
            limits = asker.purse.limits
            assert [event.deadline_s for event in moved] == [limits.deadline_s] * paced
            assert (limits.deadline_s > 3.0, limits.paced) == (paced, False)
            async with open_asker(priced(f"{url}v1"), desk) as second:
                second.go_on(asker.asked)
                assert second.purse.limits == limits


async def test_what_cannot_be_asked_at_all_costs_nothing() -> None:
    def refused(*_: object) -> Any:
        raise UserError("This model cannot be asked like that.")

    server = Resolved("made:up", lambda _key: FunctionModel(refused))
    async with asker_of(server) as asker:
        with pytest.raises(NoAnswerError):
            await ask(asker)
        assert (asker.purse.spent, asker.purse.under_way) == (Spent(), False)


async def test_a_client_that_sends_nothing_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(*_: object, **__: object) -> Any:
        raise RuntimeError("before a request is made")

    monkeypatch.setattr(httpx2.AsyncClient, "send", failing)
    async with asker_of(priced("http://127.0.0.1:9/v1")) as asker:
        with pytest.raises(NoAnswerError):
            await ask(asker)
        assert (asker.purse.spent, asker.purse.under_way) == (Spent(cost_usd=0.0), False)


async def test_a_client_is_closed_to_the_end_though_its_run_is_cancelled_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened, closing, closed = asyncio.Event(), asyncio.Event(), list[httpx2.AsyncClient]()
    close = httpx2.AsyncClient.aclose

    async def slowly(client: httpx2.AsyncClient) -> None:
        closing.set()
        await asyncio.sleep(0.05)
        await close(client)
        closed.append(client)

    async def asked() -> None:
        async with asker_of(priced("http://127.0.0.1:9/v1")):
            opened.set()
            await asyncio.Event().wait()

    monkeypatch.setattr(httpx2.AsyncClient, "aclose", slowly)
    run = asyncio.create_task(asked())
    for done in (opened, closing):
        await done.wait()
        run.cancel()
    await asyncio.wait([run])
    assert run.cancelled()
    assert [client.is_closed for client in closed] == [True]


class Stalling(AnswerBook):
    """A record that takes longer for a note than the model may for its answer."""

    async def sending(self, place: Place) -> None:
        await asyncio.sleep(0.6)
        await super().sending(place)


async def test_what_the_record_of_a_request_takes_is_no_time_of_the_models() -> None:
    server = ModelServer()
    async with running(server.app) as url:
        desk = RunDesk(book=Stalling())
        async with open_asker(priced(f"{url}v1", timeout_s=0.5), desk) as asker:
            await ask(asker)
            assert (asker.purse.spent.unanswered, len(server.asked)) == (0, 1)
            assert asker.purse.first_answer_s < 0.5
