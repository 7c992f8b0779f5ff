"""The command ``chat``: answers look-ups at once, and starts research after a confirmation.

What tools do goes to stderr, answers to stdout.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import Future
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple, TextIO

import typer

from deepcritical.domain import errors
from deepcritical.domain.tool.chat import (
    ChatAnswer,
    ChatEvent,
    ResearchOffered,
    ToolCalled,
    ToolTold,
    TurnFailed,
)
from deepcritical.interfaces.cli import options
from deepcritical.interfaces.cli.output import NO_EVIDENCE, bootstrap, on_signals, plain_json
from deepcritical.interfaces.render import as_text, describe

if TYPE_CHECKING:
    from deepcritical.orchestrators.chat import Chat

_Question = Annotated[
    str | None, typer.Argument(help="One message; without it lines are read until the end.")
]
_Run = Annotated[
    str | None,
    typer.Option("--run", metavar="ID", help="A finished run of yours whose evidence is asked."),
]
_Yes = Annotated[
    bool, typer.Option("--yes", help="Accept research where it is offered for QUESTION.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print a line of JSON an event.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing of the tools on stderr.")]


class _Wanted(NamedTuple):
    question: str | None
    run: str | None
    yes: bool
    as_json: bool
    quiet: bool


def chat(
    question: _Question = None,
    run: _Run = None,
    snapshot: options.Snapshot = None,
    sources: options.Sources = None,
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
    ask_key: options.AskKey = False,
    yes: _Yes = False,
    as_json: _Json = False,
    quiet: _Quiet = False,
) -> None:
    """Chat: ask, look up, start a run, talk about a finished one.

    Look-ups are searched at once, research is offered, a finished run can be asked.

    Every sentence on a study cites its record. Exit codes for QUESTION: 0 answered, or research
    offered; 3 not in the evidence; 14 no such run; 130 interrupted, which cancels research under
    way; others as for `research`.
    """
    if yes and question is None:
        raise typer.BadParameter("it goes with a QUESTION", param_hint="--yes")
    with_model = options.chosen_model(model, model_base_url, ask_key)
    wanted = _Wanted(question, run, yes, as_json, quiet)
    try:
        ending = asyncio.run(_talked(options.chosen(snapshot, sources), with_model, wanted))
    except asyncio.CancelledError as error:
        raise errors.ResearchCancelled from error
    _end(ending)


async def _talked(
    choice: options.Choice, model: options.ChosenModel, wanted: _Wanted
) -> ChatEvent | None:
    """The event that ended the turn of one message; after lines, that of a key that is refused."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine runs in a task
    on_signals(task.cancel)
    async with _opened(choice, model, wanted.run) as talk:
        if wanted.question is None:
            return await _read_lines(talk, wanted)
        ending = await _shown(talk.say(wanted.question), wanted)
        if isinstance(ending, ResearchOffered) and wanted.yes:
            return await _shown(talk.accept(ending.offer_id), wanted)
        return ending


@asynccontextmanager
async def _opened(
    choice: options.Choice, model: options.ChosenModel, run: str | None
) -> AsyncIterator[Chat]:
    settings = bootstrap.read_settings(*model)
    runs = bootstrap.build_runs(settings, **choice.sought)
    try:
        run_id = (await runs.find_own(run)).run_id if run is not None else ""
        async with bootstrap.open_chats(settings, runs, runs.place, describe) as chats:
            yield chats.chat(run_id)
    finally:
        await runs.close()


async def _read_lines(talk: Chat, wanted: _Wanted) -> TurnFailed | None:
    """Answer lines up to the last; a model that refuses the key would fail at every one."""
    asked = sys.stdin.isatty()
    lines = _own_stdin()
    while True:
        if asked:
            typer.echo("> ", nl=False, err=True)
        line = await _next_line(lines)
        if not line or line.strip() in ("/quit", "/exit"):
            return None
        if not line.strip():
            continue
        ending = await _shown(talk.say(line), wanted)
        if isinstance(ending, TurnFailed) and ending.error == errors.KeyRefusedError.__name__:
            return ending


def _own_stdin() -> TextIO:
    # Not `sys.stdin` itself, nor ever closed: either would wait for whoever waits for a line.
    return open(sys.stdin.fileno(), encoding=sys.stdin.encoding, closefd=False)


async def _next_line(lines: TextIO) -> str:
    """The next line, '' at the end; read in a thread for which no process waits that is to end.

    Meanwhile the loop goes on: this process is a worker once it has done research.
    """
    read: Future[str] = Future()
    read.set_running_or_notify_cancel()

    def work() -> None:
        try:
            read.set_result(lines.readline())
        except Exception as error:  # noqa: BLE001 - whoever waits gets it
            read.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return await asyncio.wrap_future(read)


def _end(ending: ChatEvent | None) -> None:
    if isinstance(ending, TurnFailed):
        kind = getattr(errors, ending.error, errors.DeepCriticalError)
        raise kind(ending.message, ending.advice)
    if isinstance(ending, ChatAnswer) and not ending.in_evidence:
        raise typer.Exit(NO_EVIDENCE)


async def _shown(events: AsyncGenerator[ChatEvent, None], wanted: _Wanted) -> ChatEvent | None:
    """Print a turn as it comes; the event that ended it."""
    last: ChatEvent | None = None
    async with aclosing(events) as coming:
        async for last in coming:
            _print(last, wanted)
    return last


def _print(event: ChatEvent, wanted: _Wanted) -> None:
    if wanted.as_json:
        typer.echo(plain_json(event.model_dump_json()))
    elif isinstance(event, ToolCalled | ToolTold):
        if not wanted.quiet:
            typer.echo(as_text(event), err=True)
    else:
        typer.echo(as_text(event), err=isinstance(event, TurnFailed))
