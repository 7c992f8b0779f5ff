"""The command ``research``: answers a question with a report.

Progress goes to stderr, the brief of the report to stdout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from deepcritical.domain.errors import NoVerdictError, PlanError, StorageError
from deepcritical.domain.question.question import checked_question
from deepcritical.domain.run.budget import Depth
from deepcritical.domain.run.plan import ResearchPlan, parse_plan
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.cli import ended, options
from deepcritical.interfaces.cli.ask import Asked, answered
from deepcritical.interfaces.cli.output import NO_EVIDENCE, REPORT_FILES, bootstrap
from deepcritical.questions.claims import subject_of
from deepcritical.tools.registry import known

if TYPE_CHECKING:
    from deepcritical.domain.report.report import ResearchReport
    from deepcritical.jobs.runs import RunService
    from deepcritical.settings import Settings

_LARGEST_PLAN = 1_000_000
"""In bytes."""


_Question = Annotated[
    str | None,
    typer.Argument(help="A drug and a condition, a condition alone, or a hypothesis to judge."),
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
    Depth | None,
    typer.Option(
        help="How far the search goes: 1, 3 or 10 rounds at most; by default standard, which is 3."
    ),
]
_Manager = Annotated[
    Literal["guided", "standard"] | None,
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


def _wanted_form(as_json: bool, full: bool) -> ended.Wanted:
    if as_json and full:
        raise typer.BadParameter("choose this or --json, not both", param_hint="--full")
    return "json" if as_json else "full" if full else "brief"


def research(
    question: _Question = None,
    snapshot: options.Snapshot = None,
    sources: options.Sources = None,
    out: _Out = None,
    as_json: _Json = False,
    full: _Full = False,
    depth: _Depth = None,
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
    ask_key: options.AskKey = False,
    quiet: options.Quiet = False,
    manager: _Manager = None,
    plan: _Plan = None,
    from_plan: _FromPlan = None,
    reuse: ended.Reuse = None,
    no_similar: ended.NoSimilar = False,
    own: options.With = None,
) -> None:
    """Answer QUESTION from evidence, with verdict and certainty.

    What asks for no drug's effect is answered as by `ask`. Exit codes: 0 report; 1 other failure; 2
    wrong usage; 3 report without evidence; 4 empty question; 5 question too long; 6 question not
    understood; 7 no such snapshot; 8 snapshot or report not readable; 9 wrong setting; 10 no source
    reachable; 11 file or database not usable; 12 time limit; 13 sources do not bear a report out
    (verify); 14 no such run; 15 a check found a problem (doctor); 16 no usable plan; 17 question
    declined; 18 database damaged; 19 only readable; 20 disk full; 21 no database; 130 interrupted.
    """
    folder, wanted = options.folder_of(out), _wanted_form(as_json, full)
    question = None if question is None else checked_question(question)
    with_model = options.chosen_model(model, model_base_url, ask_key)
    reusing = ended.Reusing(reuse, look=not (no_similar or quiet or from_plan or own))
    asked = _Asked(
        question, options.chosen(snapshot, sources, own), with_model, depth, manager, reusing
    )
    if plan:
        others = {"--from-plan": from_plan, "--out": out, "--reuse": reuse, "--with": own}
        _plan(asked, plan, quiet, {**others, "--json": as_json or None, "--full": full or None})
    elif not _handed_over(asked, from_plan, folder, wanted, quiet):
        raise typer.Exit(NO_EVIDENCE)


class _Asked(NamedTuple):
    question: str | None
    choice: options.Choice
    model: options.ChosenModel
    depth: Depth | None
    manager: str | None
    reusing: ended.Reusing

    @property
    def text(self) -> str:
        """The question; '' where a former run is named, which has its own."""
        if self.question is None and self.reusing.reuse:
            return ""
        if self.question is None:
            others = "a plan with --from-plan, or a former run with --reuse"
            raise typer.BadParameter(f"name one, {others}", param_hint="QUESTION")
        return checked_question(self.question)

    def planned(self, path: Path) -> ResearchPlan:
        """The plan in a file, which says all that is asked."""
        said = {
            "QUESTION": self.question,
            "--snapshot": self.choice.snapshot,
            "--sources": self.choice.sources or None,
            "--depth": self.depth,
            "--reuse": self.reusing.reuse,
            "--with": self.choice.documents or None,
        }
        _check_alone("--from-plan", said)
        return read_plan(path)


def _check_alone(option: str, others: Mapping[str, object]) -> None:
    """Refuse options beside one that leaves no room for them; None is not given."""
    if given := [name for name, value in others.items() if value is not None]:
        raise typer.BadParameter(f"not together with {', '.join(given)}", param_hint=option)


def _built(asked: _Asked, choice: options.Choice) -> tuple[Settings, RunService]:
    manages = {"manager": asked.manager} if asked.manager else {}
    settings = bootstrap.read_settings(*asked.model).model_copy(update=manages)
    return settings, bootstrap.build_runs(settings, **choice.sought)


def _plan(asked: _Asked, path: Path, quiet: bool, others: dict[str, object]) -> None:
    _check_alone("--plan", others)
    text = asked.text
    _check_new(path)
    _, runs = _built(asked, asked.choice)
    plan = asyncio.run(runs.plan(text, depth=asked.depth or "standard"))
    write_plan(plan, path)
    if not quiet:
        typer.echo(visible(_summary(plan, path)), err=True)


def _research(
    asked: _Asked, planned: Path | None, out: Path | None, quiet: bool
) -> ended.Ended[ResearchReport]:
    from deepcritical.domain.report.report import ResearchReport
    from deepcritical.jobs.runs import RESEARCH

    plan = asked.planned(planned) if planned else None
    question = plan.question.text if plan else asked.text
    choice = options.Choice(plan.place.snapshot, plan.place.sources) if plan else asked.choice
    settings, runs = _built(asked, choice)
    depth: dict[str, Any] = {"depth": asked.depth or "standard"}
    if not plan:
        similar = ended.Similar(settings, runs, question, RESEARCH, depth)
        if former := ended.former_run(similar, asked.reusing, ResearchReport):
            return former
    submit = partial(
        runs.submit,
        question,
        log_path=ended.prepared(out, REPORT_FILES),
        plan=plan,
        documents=choice.documents,
        **depth,
    )
    check = None if plan else runs.check(question)
    return asyncio.run(ended.run_out(runs, check, submit, quiet))


def _handed_over(
    asked: _Asked, planned: Path | None, out: Path | None, wanted: ended.Wanted, quiet: bool
) -> bool:
    """Hand over a report, or an answer without a verdict; whether it rests on any record."""
    try:
        return _research(asked, planned, out, quiet).hand_over(wanted, out)
    except NoVerdictError as error:
        if wanted == "json" or planned or asked.manager:  # each is for a report
            raise
        told = f"{error.message} It is answered without a verdict, as by `deepcritical ask`."
        typer.echo(visible(told), err=True)
    freely = Asked(asked.text, "", None, out, quiet, as_json=False, reusing=asked.reusing)
    return answered(freely, asked.choice, asked.model)


def _check_new(path: Path) -> None:
    """Refuse a path at which something is: a plan that was edited must not be lost."""
    if path.exists():
        raise PlanError(f"{path} exists already.", "Name another file, or remove this one.")


def read_plan(path: Path) -> ResearchPlan:
    """The plan in a file.

    Raises:
        PlanError: There is none, or none that can be run.
    """
    try:
        with path.open("rb") as file:
            written = file.read(_LARGEST_PLAN + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise PlanError(
            f"The plan {path} cannot be read: {why}.", "Write one with --plan."
        ) from error
    if len(written) > _LARGEST_PLAN:
        raise PlanError(f"{path} is too large for a plan.", "Write one with --plan.")
    plan = parse_plan(written, str(path))
    try:
        known(plan.place.sources)
    except ValueError as error:
        raise PlanError(
            f"{path} is not a plan that can be run: {error} at place.sources.",
            "Correct the plan, or write a new one with --plan.",
        ) from error
    return plan


def write_plan(plan: ResearchPlan, path: Path) -> None:
    """Write a plan, indented, to a new file.

    Raises:
        PlanError: There is a file already.
        StorageError: The file cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(plan.model_dump_json(indent=2) + "\n")
    except FileExistsError:
        _check_new(path)
        raise
    except OSError as error:
        raise StorageError(
            f"The plan cannot be written to {path}: {error.strerror}.", "Name another file."
        ) from error


def _summary(plan: ResearchPlan, path: Path) -> str:
    question, limits = plan.question, plan.limits
    rounds = f"{limits.max_iterations} {'round' if limits.max_iterations == 1 else 'rounds'}"
    lines = (
        f"Understood as: {subject_of(question)}",
        f"Where: {plan.place.snapshot or ', '.join(plan.place.sources)}",
        f"First round: {len(plan.queries)} searches; at most {rounds}, {limits.deadline_s:g} s",
        *(f"Note: {notice}" for notice in plan.notices),
        f"Written to {path}. Nothing was searched. Edit it, then start the run with: "
        f"deepcritical research --from-plan {path}",
    )
    return "\n".join(lines)
