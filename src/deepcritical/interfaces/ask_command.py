"""``deepcritical ask QUESTION``: any biomedical question, researched, or put to records at hand.

Progress, and how records were ranked, go to stderr, the answer to stdout.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.question import checked_question
from deepcritical.domain.run_files import RUN_LOG
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.asked_records import ask_records
from deepcritical.interfaces.cli import (
    Choice,
    Snapshot,
    Sources,
    chosen,
    folder_of,
    prepared,
)
from deepcritical.interfaces.exit_codes import NO_EVIDENCE
from deepcritical.interfaces.model_options import (
    AskKey,
    BaseUrl,
    ChosenModel,
    ModelName,
    chosen_model,
)
from deepcritical.interfaces.output import plain_json, to_stdout
from deepcritical.interfaces.progress import show
from deepcritical.interfaces.report_files import ANSWER_FILES, write_report
from deepcritical.interfaces.reuse import Former, NoSimilar, Reuse, Reusing, former_run
from deepcritical.interfaces.stop_signals import on_signals, resumable

if TYPE_CHECKING:
    from deepcritical.domain.answer import DeepAnswer, ToolOutput
    from deepcritical.jobs.runs import RunService

__all__ = ["ask"]

_MOST = 10


class _Asked(NamedTuple):
    question: str
    context: str
    max_iterations: int | None
    out: Path | None
    quiet: bool
    as_json: bool
    reusing: Reusing


class _Finished(NamedTuple):
    imprint: Imprint
    answer: DeepAnswer
    files: dict[str, bytes]
    """The records of the run, as a snapshot file."""


_Question = Annotated[str, typer.Argument(help="Any biomedical question, best on one thing.")]
_Evidence = Annotated[
    str | None,
    typer.Option(
        help="Ask only the records at hand: 'demo', a .jsonl file, or a folder written by --out. "
        "Nothing is searched."
    ),
]
_Context = Annotated[
    str, typer.Option(help="What should be known beside the question: whom, what matters.")
]
_MaxIterations = Annotated[
    int | None, typer.Option(min=1, max=10, help="Rounds of search at most, by default 10.")
]
_Out = Annotated[
    str | None,
    typer.Option(
        help="Folder for the answer (answer.html, .md, .json and the references), evidence.jsonl "
        "and events.jsonl; made if missing."
    ),
]
_Max = Annotated[
    int | None, typer.Option("--max", min=1, max=1000, help="With --evidence: records shown.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
_Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress on stderr, only warnings.")
]


def ask(
    question: _Question,
    evidence: _Evidence = None,
    snapshot: Snapshot = None,
    sources: Sources = None,
    context: _Context = "",
    max_iterations: _MaxIterations = None,
    out: _Out = None,
    most: _Max = None,
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    as_json: _Json = False,
    quiet: _Quiet = False,
    reuse: Reuse = None,
    no_similar: NoSimilar = False,
) -> None:
    """Answer any biomedical QUESTION in located sentences with inline [n]; takes 1-3 minutes live.

    A checklist says what must be known; sources are searched for what it still wants. With
    --evidence only records at hand are asked, and passages are quoted.

    Exit codes: 0 answer; 3 nothing in the evidence; 4 empty question; 5 question too long; 6
    question names nothing to look for; 7 no such snapshot; 8 snapshot not readable; 9 wrong
    setting; 10 no source reachable; 11 file or database not usable; 12 time limit; 14 no such run;
    17 question declined; 18-21 database damaged, only readable, full, absent; 130 interrupted.
    """
    asked = checked_question(question)
    if evidence is not None:
        chosen_model_options = (model, model_base_url, ask_key or None)
        _refuse(snapshot, sources, context, max_iterations, out, reuse, *chosen_model_options)
        found = ask_records(evidence, asked, most or _MOST, as_json=as_json)
    else:
        folder = _folder(out, most)
        reusing = Reusing(reuse, look=not (no_similar or quiet))
        wanted = _Asked(asked, context, max_iterations, folder, quiet, as_json, reusing)
        with_model = chosen_model(model, model_base_url, ask_key)
        found = _research(wanted, chosen(snapshot, sources), with_model)
    if not found:
        raise typer.Exit(NO_EVIDENCE)


def _refuse(*searching: object) -> None:
    if any(option not in (None, "") for option in searching):
        raise typer.BadParameter(
            "it asks records at hand and no model: leave out --snapshot, --sources, --context, "
            "--max-iterations, --out, --reuse and the options of a model",
            param_hint="--evidence",
        )


def _folder(out: str | None, most: int | None) -> Path | None:
    if most is not None:
        raise typer.BadParameter("it goes with --evidence", param_hint="--max")
    return folder_of(out)


def _research(wanted: _Asked, choice: Choice, model: ChosenModel) -> bool:
    # Imported late: `--help` and a refused question must not wait for the framework.
    from deepcritical.bootstrap import build_runs, build_similar, place_of, read_settings
    from deepcritical.domain.answer import DeepAnswer
    from deepcritical.jobs.runs import DEEP_RESEARCH

    settings = read_settings(*model)
    runs = build_runs(settings, snapshot=choice.snapshot, sources=choice.sources)
    place = place_of(settings, snapshot=choice.snapshot, sources=choice.sources)
    looking = partial(
        build_similar(settings, runs, place).similar,
        wanted.question,
        DEEP_RESEARCH,
        context=wanted.context,
        max_iterations=wanted.max_iterations,
    )
    if former := former_run(runs, looking, wanted.reusing, DeepAnswer):
        return _hand_over_former(former, wanted)
    log_path = prepared(wanted.out, ANSWER_FILES) if wanted.out else None
    finished = asyncio.run(_run(runs, wanted, log_path))
    if wanted.out:
        _save(finished, wanted.out)
    return _hand_over(finished, wanted)


def _hand_over_former(former: Former[DeepAnswer], wanted: _Asked) -> bool:
    if wanted.out:
        former.save(wanted.out)
    return _hand_over(_Finished(former.imprint, former.document, {}), wanted)


def _hand_over(finished: _Finished, wanted: _Asked) -> bool:
    to_stdout(_as_json(finished) if wanted.as_json else finished.answer.to_markdown())
    return bool(finished.answer.references)


async def _run(runs: RunService, wanted: _Asked, log_path: Path | None) -> _Finished:
    from deepcritical.jobs.runs import DEEP_RESEARCH

    try:
        await runs.check(wanted.question, DEEP_RESEARCH, context=wanted.context)
        run = runs.ask(
            wanted.question,
            context=wanted.context,
            max_iterations=wanted.max_iterations,
            log_path=log_path,
        )
        on_signals(run.cancel)
        await show(run, wanted.quiet)
        try:
            with resumable(run.run_id, is_kept=runs.keeps_runs):
                answer = await run.result()
        except DeepCriticalError as error:
            from deepcritical.jobs.stored_runs import failed_output

            if wanted.as_json:  # for the program that reads it; people are told on stderr
                to_stdout(_printed(await failed_output(run, str(error))))
            raise
        return _Finished(Imprint(run.run_id, run.ended_at), answer, run.files())
    finally:
        await runs.close()


def _save(finished: _Finished, out: Path) -> None:
    names = write_report(finished.answer, finished.imprint, out, finished.files)
    written = ", ".join((*names, RUN_LOG))
    typer.echo(f"Written to {out}: {written}", err=True)


def _as_json(finished: _Finished) -> str:
    """The answer as the `deep_research` tool hands it out."""
    return _printed(finished.answer.tool_output(finished.imprint.run_id))


def _printed(output: ToolOutput) -> str:
    return plain_json(output.model_dump_json(indent=2)) + "\n"
