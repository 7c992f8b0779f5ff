"""``deepcritical research QUESTION`` in a terminal.

Progress goes to stderr, the brief of the report to stdout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from deepcritical.domain import errors
from deepcritical.domain.markdown import visible
from deepcritical.domain.question import checked_question
from deepcritical.domain.run_files import RUN_LOG, RUN_READINGS, RUN_RECORDS
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.exit_codes import NO_EVIDENCE
from deepcritical.interfaces.model_options import (
    AskKey,
    BaseUrl,
    ChosenModel,
    ModelName,
    chosen_model,
)
from deepcritical.interfaces.plan_file import check_new, read_plan, summary, write_plan
from deepcritical.interfaces.printing import Wanted, print_report
from deepcritical.interfaces.progress import show
from deepcritical.interfaces.read_command import documents_of
from deepcritical.interfaces.report_files import REPORT_FILES, write_report
from deepcritical.interfaces.reuse import Former, NoSimilar, Reuse, Reusing, former_run
from deepcritical.interfaces.stop_signals import on_signals, resumable
from deepcritical.tools.registry import DEFAULT_KEYS, KEYS, parse_sources

if TYPE_CHECKING:
    from deepcritical.domain.budget import Depth
    from deepcritical.domain.own_documents import OwnDocument
    from deepcritical.domain.plan import ResearchPlan
    from deepcritical.domain.report import ResearchReport
    from deepcritical.jobs.run import RunOf
    from deepcritical.jobs.runs import RunService
    from deepcritical.settings import Settings

__all__ = [
    "Choice",
    "Snapshot",
    "Sources",
    "chosen",
    "folder_of",
    "prepared",
    "research",
]


class DepthName(StrEnum):
    """The depths by name; see `RunLimits.for_depth`."""

    quick = "quick"
    standard = "standard"
    deep = "deep"


class ManagerName(StrEnum):
    """Who may manage the team."""

    guided = "guided"
    standard = "standard"


class Choice(NamedTuple):
    """Where to search, if the command line says so."""

    snapshot: str | None
    sources: tuple[str, ...]
    documents: tuple[OwnDocument, ...] = ()

    @property
    def sought(self) -> dict[str, Any]:
        """Where to search, as keywords of what builds on it."""
        return {"snapshot": self.snapshot, "sources": self.sources}


def chosen(snapshot: str | None, sources: str | None, own: Sequence[str] | None = None) -> Choice:
    """The options that choose where to search, and what is read too.

    Raises:
        BadParameter: Both are given, or a source is none, or a document.
        DocumentError: A document cannot be read.
    """
    if snapshot is not None and sources is not None:
        raise typer.BadParameter("choose these or a snapshot, not both", param_hint="--sources")
    try:
        named = parse_sources(sources) if sources is not None else ()
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--sources") from error
    return Choice(snapshot, named, documents_of(own or ()))


class _Finished(NamedTuple):
    imprint: Imprint
    report: ResearchReport
    files: dict[str, bytes]
    """The records of the run as a snapshot, and what they say of their studies."""

    is_kept: bool
    """Whether the run can be had again by its id."""

    def hand_over(self, wanted: Wanted, folder: Path | None) -> bool:
        """Print the report, and say what was written; whether it has any evidence."""
        print_report(self.report, self.imprint, wanted, folder, is_kept=self.is_kept)
        if folder:
            written = ", ".join((*REPORT_FILES, RUN_RECORDS, RUN_READINGS, RUN_LOG))
            typer.echo(f"Written to {folder}: {written}", err=True)
        return bool(self.report.references)


_Question = Annotated[
    str | None,
    typer.Argument(help="A drug and a condition, a condition alone, or a hypothesis to judge."),
]
Snapshot = Annotated[
    str | None,
    typer.Option(help="Search a snapshot, not live: 'demo', or the path of a .jsonl file."),
]
Sources = Annotated[
    str | None,
    typer.Option(
        help=f"Live sources, with commas between them: {', '.join(KEYS)}; "
        f"by default {', '.join(DEFAULT_KEYS)}."
    ),
]
_Out = Annotated[
    str | None,
    typer.Option(
        help="Folder for the report in all formats (report.html, .pdf, .md, .json, .bib, .ris, "
        "figures and more), evidence.jsonl, readings.jsonl and events.jsonl; made if missing."
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
_Full = Annotated[
    bool, typer.Option("--full", help="Print the whole report, as Markdown, and not its brief.")
]
_Depth = Annotated[
    DepthName | None,
    typer.Option(
        help="How far the search goes: 1, 3 or 10 rounds at most; by default standard, which is 3."
    ),
]
_Manager = Annotated[
    ManagerName | None,
    typer.Option(
        help="Who names the next agent: code (guided, the default), or the model (standard)."
    ),
]
_Plan = Annotated[
    Path | None, typer.Option(help="Write a plan to this new file for review; search nothing.")
]
_FromPlan = Annotated[
    Path | None,
    typer.Option(help="Start with the plan in this file, which has question, sources and limits."),
]
_With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        help="A document of your own that is read too: a .pdf, .txt or .md file, a folder of them, "
        "or a PMID, PMCID, DOI or NCT id; may be given several times.",
    ),
]
_Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress on stderr, only warnings.")
]


def _wanted_form(as_json: bool, full: bool) -> Wanted:
    """Return the form in which the report is printed.

    Raises:
        BadParameter: Two forms are asked for.
    """
    if as_json and full:
        raise typer.BadParameter("choose this or --json, not both", param_hint="--full")
    return "json" if as_json else "full" if full else "brief"


def folder_of(out: str | None) -> Path | None:
    """The folder for files, if one is named.

    Raises:
        BadParameter: Its name is empty.
    """
    if out is not None and not out.strip():
        raise typer.BadParameter("name a folder", param_hint="--out")
    return Path(out) if out else None


def research(
    question: _Question = None,
    snapshot: Snapshot = None,
    sources: Sources = None,
    out: _Out = None,
    as_json: _Json = False,
    full: _Full = False,
    depth: _Depth = None,
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    quiet: _Quiet = False,
    manager: _Manager = None,
    plan: _Plan = None,
    from_plan: _FromPlan = None,
    reuse: Reuse = None,
    no_similar: NoSimilar = False,
    own: _With = None,
) -> None:
    """Answer QUESTION from evidence: progress on stderr, the brief of the report on stdout.

    Exit codes: 0 report; 1 other failure; 2 wrong usage; 3 report without evidence; 4 empty
    question; 5 question too long; 6 question not understood; 7 no such snapshot; 8 snapshot or
    report not readable; 9 wrong setting; 10 no source reachable; 11 file or database not usable;
    12 time limit; 13 sources do not bear a report out (verify); 14 no such run; 15 a check found a
    problem (doctor); 16 no usable plan; 17 question declined; 18 database damaged; 19 it can only
    be read; 20 its disk is full; 21 there is none; 130 interrupted.
    """
    folder, wanted = folder_of(out), _wanted_form(as_json, full)
    question = None if question is None else checked_question(question)
    with_model = chosen_model(model, model_base_url, ask_key)
    reusing = Reusing(reuse, look=not (no_similar or quiet or from_plan or own))
    asked = _Asked(question, chosen(snapshot, sources, own), with_model, depth, manager, reusing)
    if plan:
        others = {"--from-plan": from_plan, "--out": out, "--reuse": reuse, "--with": own}
        _plan(asked, plan, quiet, {**others, "--json": as_json or None, "--full": full or None})
        return
    ended = (None if from_plan else _former(asked)) or _research(asked, from_plan, folder, quiet)
    if not ended.hand_over(wanted, folder):
        raise typer.Exit(NO_EVIDENCE)


class _Asked(NamedTuple):
    """What the command line says of a run."""

    question: str | None
    choice: Choice
    model: ChosenModel
    depth: DepthName | None
    manager: ManagerName | None
    reusing: Reusing

    @property
    def text(self) -> str:
        """The question.

        Raises:
            BadParameter: There is none.
        """
        if self.question is None:
            raise typer.BadParameter("name one, or a plan with --from-plan", param_hint="QUESTION")
        return checked_question(self.question)

    @property
    def depth_name(self) -> Depth:
        """The depth, or the default one."""
        return (self.depth or DepthName.standard).value

    def planned(self, path: Path) -> ResearchPlan:
        """The plan in a file, which says all that is asked.

        Raises:
            BadParameter: The command line says some of it, too.
            PlanError: There is no plan that can be run.
        """
        said = {
            "QUESTION": self.question,
            "--snapshot": self.choice.snapshot,
            "--sources": self.choice.sources or None,
            "--depth": self.depth,
            "--reuse": self.reusing.reuse,
            "--with": self.choice.documents or None,
        }
        check_alone("--from-plan", said)
        return read_plan(path)


def check_alone(option: str, others: Mapping[str, object]) -> None:
    """Refuse options beside one that leaves no room for them.

    Raises:
        BadParameter: One of the others is given, which is all but None.
    """
    if given := [name for name, value in others.items() if value is not None]:
        raise typer.BadParameter(f"not together with {', '.join(given)}", param_hint=option)


def _settings(asked: _Asked) -> Settings:
    # Imported late: `--help` and a refused question must not wait for the framework.
    from deepcritical.bootstrap import read_settings

    settings = read_settings(*asked.model)
    manages = {"manager": asked.manager.value} if asked.manager else {}
    return settings.model_copy(update=manages)


def _runs(asked: _Asked, choice: Choice) -> RunService:
    from deepcritical.bootstrap import build_runs

    return build_runs(_settings(asked), snapshot=choice.snapshot, sources=choice.sources)


def _former(asked: _Asked) -> Former[ResearchReport] | None:
    """The former run that is wanted instead of a new one."""
    from deepcritical.bootstrap import build_similar, place_of
    from deepcritical.domain.report import ResearchReport
    from deepcritical.jobs.runs import RESEARCH

    if asked.reusing.reuse is None and not asked.reusing.look:
        return None
    runs = _runs(asked, asked.choice)
    place = place_of(_settings(asked), snapshot=asked.choice.snapshot, sources=asked.choice.sources)
    similar = build_similar(_settings(asked), runs, place).similar
    looking = partial(similar, asked.text, RESEARCH, depth=asked.depth_name)
    return former_run(runs, looking, asked.reusing, ResearchReport)


def _plan(asked: _Asked, path: Path, quiet: bool, others: dict[str, object]) -> None:
    check_alone("--plan", others)
    text = asked.text
    check_new(path)
    runs = _runs(asked, asked.choice)
    plan = asyncio.run(runs.plan(text, depth=asked.depth_name))
    write_plan(plan, path)
    if not quiet:
        typer.echo(visible(summary(plan, path)), err=True)


def _research(asked: _Asked, planned: Path | None, out: Path | None, quiet: bool) -> _Finished:
    plan = asked.planned(planned) if planned else None
    question = plan.question.text if plan else asked.text
    choice = Choice(plan.place.snapshot, plan.place.sources) if plan else asked.choice
    runs = _runs(asked, choice)
    log_path = prepared(out, REPORT_FILES) if out else None
    given: dict[str, Any] = {"plan": plan, "documents": choice.documents}
    submit = partial(runs.submit, question, depth=asked.depth_name, log_path=log_path, **given)
    checked = "" if plan else question
    finished = asyncio.run(_run(runs, checked, submit, quiet))
    if out:
        write_report(finished.report, finished.imprint, out, finished.files)
    return finished


async def _run(
    runs: RunService, checked: str, submit: Callable[[], RunOf[ResearchReport]], quiet: bool
) -> _Finished:
    try:
        if checked:
            await runs.check(checked)
        run = submit()
        on_signals(run.cancel)
        await show(run, quiet)
        with resumable(run.run_id, is_kept=runs.keeps_runs):
            report = await run.result()
        imprint = Imprint(run.run_id, run.ended_at)
        return _Finished(imprint, report, run.files(), runs.keeps_runs)
    finally:
        await runs.close()


def prepared(out: Path, files: Iterable[str]) -> Path:
    """The folder, made and without these files, and the path of a fresh log in it."""
    log_path = out / RUN_LOG
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in (*files, RUN_RECORDS, RUN_READINGS):
            # A run that fails must not leave the report of another one beside its log.
            (out / name).unlink(missing_ok=True)
        log_path.write_text("", encoding="utf-8")
    except OSError as error:
        raise errors.StorageError(
            f"The folder {out} cannot be written: {error.strerror}.",
            "Choose another one with --out.",
        ) from error
    return log_path
