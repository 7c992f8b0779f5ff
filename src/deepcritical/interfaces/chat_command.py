"""``deepcritical chat``: quick questions at once, research when it is accepted, line by line.

What tools do goes to stderr, answers to stdout.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from deepcritical.domain import errors
from deepcritical.domain.chat import (
    ChatAnswer,
    ChatEvent,
    ResearchOffered,
    ToolCalled,
    ToolTold,
    TurnFailed,
)
from deepcritical.interfaces.chat_render import as_text
from deepcritical.interfaces.cli import Choice, Snapshot, Sources, chosen
from deepcritical.interfaces.exit_codes import INTERRUPTED, NO_EVIDENCE
from deepcritical.interfaces.model_options import (
    AskKey,
    BaseUrl,
    ChosenModel,
    ModelName,
    chosen_model,
)
from deepcritical.interfaces.output import plain_json
from deepcritical.interfaces.render import describe

if TYPE_CHECKING:
    from deepcritical.orchestrators.chat import Chat

__all__ = ["chat"]

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


class _Said(NamedTuple):
    """How the chat is shown."""

    as_json: bool
    quiet: bool


def chat(
    question: _Question = None,
    run: _Run = None,
    snapshot: Snapshot = None,
    sources: Sources = None,
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    yes: _Yes = False,
    as_json: _Json = False,
    quiet: _Quiet = False,
) -> None:
    """Chat: look-ups are searched at once, research is offered, a finished run can be asked.

    Every sentence on a study cites its record. Exit codes for QUESTION: 0 answered, or research
    offered; 3 not in the evidence; 14 no such run; others as for `research`.
    """
    if yes and question is None:
        raise typer.BadParameter("it goes with a QUESTION", param_hint="--yes")
    with_model = chosen_model(model, model_base_url, ask_key)
    said = _Said(as_json, quiet)
    try:
        # Lines are read between the runs of the loop, so that reading blocks nothing in it.
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            try:
                talk = runner.run(_opened(stack, chosen(snapshot, sources), with_model, run))
                if question is None:
                    _read_lines(runner, talk, said)
                else:
                    _once(runner, talk, question, said, yes=yes)
            finally:
                runner.run(stack.aclose())
    except KeyboardInterrupt as error:
        raise typer.Exit(INTERRUPTED) from error


async def _opened(
    stack: AsyncExitStack, choice: Choice, model: ChosenModel, run: str | None
) -> Chat:
    # Imported late: `--help` must not wait for the framework.
    from deepcritical.bootstrap import build_runs, open_chats, place_of, read_settings

    settings = read_settings(*model)
    place = place_of(settings, snapshot=choice.snapshot, sources=choice.sources)
    runs = build_runs(settings, snapshot=choice.snapshot, sources=choice.sources)
    stack.push_async_callback(runs.close)
    run_id = (await runs.find_own(run)).run_id if run is not None else ""
    chats = await stack.enter_async_context(open_chats(settings, runs, place, describe))
    return chats.chat(run_id)


def _read_lines(runner: asyncio.Runner, talk: Chat, said: _Said) -> None:
    asked = sys.stdin.isatty()
    while True:
        if asked:
            typer.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line or line.strip() in ("/quit", "/exit"):
            return
        if line.strip():
            runner.run(_shown(talk.say(line), said))


def _once(runner: asyncio.Runner, talk: Chat, question: str, said: _Said, *, yes: bool) -> None:
    ending = runner.run(_shown(talk.say(question), said))
    if isinstance(ending, ResearchOffered) and yes:
        ending = runner.run(_shown(talk.accept(ending.offer_id), said))
    if isinstance(ending, TurnFailed):
        kind = getattr(errors, ending.error, errors.DeepCriticalError)
        raise kind(ending.message, ending.advice)
    if isinstance(ending, ChatAnswer) and not ending.in_evidence:
        raise typer.Exit(NO_EVIDENCE)


async def _shown(events: AsyncGenerator[ChatEvent, None], said: _Said) -> ChatEvent | None:
    """Print a turn as it comes; the event that ended it."""
    last: ChatEvent | None = None
    async with aclosing(events) as coming:
        async for last in coming:
            _print(last, said)
    return last


def _print(event: ChatEvent, said: _Said) -> None:
    if said.as_json:
        typer.echo(plain_json(event.model_dump_json()))
    elif isinstance(event, ToolCalled | ToolTold):
        if not said.quiet:
            typer.echo(as_text(event), err=True)
    else:
        typer.echo(as_text(event), err=isinstance(event, TurnFailed))
