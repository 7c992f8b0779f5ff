"""The command ``traces``: lists, follows, exports, stops and resumes stored runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from deepcritical.domain.errors import ERRORS, DeepCriticalError, ResearchCancelled, StorageError
from deepcritical.domain.run.events import Notice, RunCancelled, RunFailed
from deepcritical.domain.run.recipe import RUN_LOG
from deepcritical.domain.text.markdown import visible
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.export.formats import FORMATS, formats_of
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.cli.options import AskKey, BaseUrl, ModelName, Quiet, chosen_model
from deepcritical.interfaces.cli.output import (
    INTERRUPTED,
    bootstrap,
    file_to_stdout,
    from_database,
    on_signals,
    plain_json,
    print_json,
    resumable,
    write_report,
)
from deepcritical.services.imports import Later

if TYPE_CHECKING:
    from deepcritical.domain.report.answer import Document
    from deepcritical.domain.run.events import Event, LoggedEvent
    from deepcritical.domain.tool.traces import ToolTrace, TraceSummary
    from deepcritical.jobs import requests
    from deepcritical.jobs.runs import RunService
    from deepcritical.services.storage.job_board import JobBoard
    from deepcritical.services.storage.tool_trace_service import ToolTraceService
else:  # `--help` must not wait for the framework
    requests = Later("deepcritical.jobs.requests")

T = TypeVar("T")

traces = typer.Typer(
    help="List, follow, export, stop, resume or delete kept runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_ELSEWHERE = (
    "The run is under way in another process, and is followed from here. Ctrl-C ends the following "
    "and not the run; `deepcritical traces cancel` cancels it."
)
_Id = Annotated[str, typer.Argument(metavar="ID", help="Id of a run, or the beginning of it.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@traces.command("list")
def list_runs(
    tool: Annotated[str | None, typer.Option(help="Only runs of this tool, as 'research'.")] = None,
    most: Annotated[int, typer.Option("--max", min=1, max=1000, help="Runs shown.")] = 20,
    as_json: _Json = False,
) -> None:
    """List your runs, newest first.

    Exit codes of all `traces` commands: 0 done; 2 wrong usage; 9 wrong setting; 11 a file or the
    database cannot be used, or the run has no report, has ended already (cancel, stop) or has not
    ended (delete); 14 no such run.
    """
    found = _with_traces(lambda kept: kept.list_traces(tool_name=tool, most=most))
    if as_json:
        print_json([trace.model_dump(mode="json") for trace in found])
        return
    for trace in found:
        typer.echo(_line(trace))
    if not found:
        typer.echo("No run is kept yet.", err=True)


@traces.command()
def show(run: _Id, as_json: _Json = False) -> None:
    """Show what a run was asked, how far it is, and what came out."""
    trace = _with_traces(lambda kept: kept.find_trace(run))
    if as_json:
        print_json(trace.model_dump(mode="json"))
        return
    for name, value in _shown(trace).items():
        typer.echo(visible(f"{name:11}{value}"))


@traces.command()
def tail(
    run: _Id,
    after: Annotated[int, typer.Option(min=0, help="Begin behind the event of this number.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON an event.")] = False,
) -> None:
    """Print the events of a run up to its end.

    Also of one that is under way elsewhere.
    """

    async def follow(kept: ToolTraceService) -> None:
        trace = await kept.find_trace(run)
        async for logged in kept.tail(trace.id, after):
            typer.echo(plain_json(logged.model_dump_json()) if as_json else _told(logged))

    _with_traces(follow)


@traces.command()
def export(
    run: _Id,
    form: Annotated[
        str, typer.Option("--format", help=f"What is printed: {', '.join(FORMATS)}.")
    ] = "md",
    out: Annotated[
        Path | None, typer.Option(help="Folder for all formats and events.jsonl, instead.")
    ] = None,
) -> None:
    """Print or write the report or answer of a run.

    In one format on stdout, or in all it has into a folder.
    """
    if form not in FORMATS:
        raise typer.BadParameter(f"choose {', '.join(FORMATS)}", param_hint="--format")
    report, events = _with_traces(lambda kept: _finished(kept, run))
    if form not in formats_of(report):
        choice = ", ".join(formats_of(report))
        raise typer.BadParameter(f"an answer has {choice}", param_hint="--format")
    imprint = Imprint(events[-1].run_id, events[-1].at)
    if out is None:
        file_to_stdout(form, FORMATS[form].render(report, imprint))
        return
    lines = "".join(f"{logged.model_dump_json()}\n" for logged in events)
    names = write_report(report, imprint, out, {RUN_LOG: lines.encode()})
    typer.echo(f"Written to {out}: {', '.join(names)}", err=True)


@traces.command()
def delete(
    run: _Id,
    force: Annotated[
        bool, typer.Option("--force", help="Also a run that has not ended; it is cancelled.")
    ] = False,
) -> None:
    """Delete a run for good: its events, its report and what was asked."""
    deleted = _changed(
        run, lambda kept, board, trace: requests.delete(kept, board, trace.id, under_way=force)
    )
    typer.echo(f"Deleted: {deleted}")


@traces.command()
def cancel(run: _Id) -> None:
    """Stop a run wherever it is; `resume` goes on with it.

    It ends as cancelled.
    """

    async def stop(kept: ToolTraceService, board: JobBoard, trace: ToolTrace) -> None:
        _refuse_ended(trace)
        await requests.cancel(kept, board, trace.id)
        if (ended := await kept.get_trace(trace.id)).status is not TraceStatus.CANCELLED:
            _refuse_ended(ended)  # its end was faster

    typer.echo(f"Cancelled: {_changed(run, stop)}")


@traces.command()
def stop(run: _Id) -> None:
    """Have a run end its search and write from what there is.

    The step in hand is finished.
    """

    async def write(kept: ToolTraceService, board: JobBoard, trace: ToolTrace) -> None:
        _refuse_ended(trace)
        await requests.write_now(kept, board, trace.id)

    typer.echo(f"Writes now: {_changed(run, write)}")


def _changed(
    run: str, change: Callable[[ToolTraceService, JobBoard, ToolTrace], Awaitable[None]]
) -> str:
    """The id of the run, once it has been changed."""

    async def use(kept: ToolTraceService) -> str:
        from deepcritical.services.storage.job_board import JobBoard

        trace = await kept.find_trace(run)
        await change(kept, JobBoard(kept.database), trace)
        return trace.id

    return _with_traces(use)


@traces.command()
def resume(
    run: _Id,
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a run that did not complete.

    One that failed, was cancelled or lost its process; the end is waited for. What it had recorded
    is not done, nor paid, again. Ctrl-C cancels it. One that is under way in another process is
    followed, and Ctrl-C ends that alone. Exit codes: those of `research` for how it ends; 11 also
    when it is completed already; 14 also when nothing is recorded of its steps.
    """
    settings = bootstrap.read_settings(*chosen_model(model, model_base_url, ask_key))
    found = _with_traces(lambda kept: kept.find_trace(run))
    runs = bootstrap.build_runs(settings)
    end = asyncio.run(_resumed(runs, found.id, quiet))
    if end is None:
        typer.echo(f"The run {found.id} goes on in its own process.", err=True)
        raise typer.Exit(INTERRUPTED)
    if isinstance(end, RunFailed):
        raise ERRORS.get(end.error, DeepCriticalError)(end.message, end.advice)
    if isinstance(end, RunCancelled):
        with resumable(found.id, is_kept=True):
            raise ResearchCancelled
    typer.echo(f"Completed: {found.id}")


async def _resumed(runs: RunService, run_id: str, quiet: bool) -> Event | None:
    """Return the end of a resumed run; None if it goes on in its own process."""
    cancelling: set[asyncio.Task[None]] = set()
    try:
        elsewhere = await runs.resume(run_id)
        if elsewhere:
            typer.echo(_ELSEWHERE, err=True)
        following = asyncio.create_task(_followed(runs, run_id, quiet))

        def stop() -> None:
            if elsewhere and not runs.conducts(run_id):
                following.cancel()
            else:
                cancelling.add(asyncio.create_task(runs.cancel(run_id)))

        on_signals(stop)
        await asyncio.wait([following])
        await asyncio.gather(*cancelling)
        return None if following.cancelled() else following.result()
    finally:
        await runs.close()


async def _followed(runs: RunService, run_id: str, quiet: bool) -> Event:
    view = await runs.find(run_id)
    assert view is not None  # noqa: S101 - it was just resumed
    async for logged in view.tail():
        if not quiet or isinstance(logged.event, Notice):
            typer.echo(_told(logged), err=True)
    return logged.event


def _refuse_ended(trace: TraceSummary) -> None:
    if trace.status.ended:
        raise StorageError(f"The run {trace.id} has ended: it is {trace.status.value}.")


def _with_traces(use: Callable[[ToolTraceService], Awaitable[T]]) -> T:
    return from_database(bootstrap.open_traces, use)


async def _finished(kept: ToolTraceService, run: str) -> tuple[Document, tuple[LoggedEvent, ...]]:
    from deepcritical.jobs.run import document_of

    trace = await kept.find_trace(run)
    report = document_of(trace)
    if report is None:
        raise StorageError(f"The run {trace.id} has no report: it is {trace.status.value}.")
    return report, await kept.events(trace.id)


def _line(trace: TraceSummary) -> str:
    asked = trace.input_params.get("question", "")
    state = trace.status.value if trace.status.ended else f"{trace.progress:.0%}"
    words = f"{trace.id}  {trace.created_at:%Y-%m-%d %H:%M}  {state:9}  {trace.tool_name}  {asked}"
    return visible(words)


def _told(logged: LoggedEvent) -> str:
    from deepcritical.interfaces.render import describe

    return visible(f"{logged.seq:3} {logged.progress:4.0%} {describe(logged.event)}")


def _shown(trace: ToolTrace) -> dict[str, str]:
    """Return the description of a run, without what does not apply."""
    metrics, known = trace.metrics, trace.state.knowledge_base
    queries = ", ".join(f"{source} {number}" for source, number in metrics.queries.items())
    model = f"{metrics.llm_calls} calls, {metrics.tokens:,} tokens"
    cost = "" if metrics.cost_usd is None else f", ${metrics.cost_usd:.4f}"
    lost = f", unanswered requests: {metrics.unanswered}" if metrics.unanswered else ""
    told = {
        "Run": trace.id,
        "Question": str(trace.input_params.get("question", "")),
        "Tool": trace.tool_name,
        "Status": _status(trace),
        "Asked": f"{trace.created_at:%Y-%m-%d %H:%M:%S} UTC",
        "Took": _took(trace),
        "Rounds": str(metrics.iterations or ""),
        "Queries": queries,
        "Records": str(metrics.sources_processed or ""),
        "Model": f"{model}{cost}{lost}" if metrics.llm_calls or lost else "",
        "Verdict": _verdict(trace),
        "Checklist": _checklist(trace),
        "Rests on": f"{len(known.facts)} statements, {len(known.sources)} references"
        if known.sources
        else "",
        "Gaps": "; ".join(known.gaps),
        "Error": trace.error_message,
    }
    return {name: value for name, value in told.items() if value}


def _status(trace: TraceSummary) -> str:
    if trace.status.ended:
        return trace.status.value
    return f"{trace.status.value} ({trace.progress:.0%}, {trace.current_stage or 'not begun'})"


def _took(trace: TraceSummary) -> str:
    if trace.started_at is None or trace.completed_at is None:
        return ""
    return f"{(trace.completed_at - trace.started_at).total_seconds():.1f} s"


def _verdict(trace: ToolTrace) -> str:
    verdict = (trace.result or {}).get("verdict")
    return str(verdict.get("label", "")) if isinstance(verdict, dict) else ""


def _checklist(trace: ToolTrace) -> str:
    items = trace.state.checklist
    done = sum(item.coverage == "satisfied" for item in items)
    return f"{done} of {len(items)} items satisfied" if items else ""
