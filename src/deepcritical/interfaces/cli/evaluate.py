"""The command ``eval``: measures accuracy on labelled sets."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepcritical.domain.errors import StorageError
from deepcritical.interfaces.cli import options
from deepcritical.interfaces.cli.output import bootstrap

if TYPE_CHECKING:
    from deepcritical.evaluation.scores import Evaluation, Outcome
    from deepcritical.jobs.runs import RunService


def evaluate_sets(
    paths: Annotated[
        list[Path], typer.Argument(help="Files of labelled sets, or folders with such files.")
    ],
    snapshot: Annotated[
        str, typer.Option(help="Records for verdicts and searches: 'demo', or a .jsonl file.")
    ] = "demo",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Rows, articles or questions of each file.")
    ] = None,
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
    ask_key: options.AskKey = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for evaluation.json and evaluation.md.")
    ] = None,
    missed: Annotated[
        int, typer.Option(min=0, help="So many missed labels of the development half are shown.")
    ] = 0,
) -> None:
    """Measure the program on labelled sets.

    Understanding, reading, verdicts and checks.

    Every figure has its number of labels and its interval; the half that rules may be written on
    and the one kept aside stand apart. Nothing is fetched. Exit codes: 0 measured; 2 wrong usage; 9
    no set of a known form; 11 the files cannot be written.
    """
    asked = options.chosen_model(model, model_base_url, ask_key)
    told, wrong = _measured(paths, snapshot, limit, asked)
    # Late: the dictionaries take seconds, and `--help` must not wait for them.
    from deepcritical.evaluation.scores import markdown

    text = markdown(told)
    typer.echo(text)
    for outcome in wrong[:missed]:
        typer.echo(f"- {outcome.measure}: {outcome.shown}")
    if out:
        _write(out, told, text)


def _measured(
    paths: list[Path], snapshot: str, limit: int | None, model: options.ChosenModel
) -> tuple[Evaluation, list[Outcome]]:
    from pydantic import SecretStr

    from deepcritical.evaluation.measuring import Bench, evaluate, sets_in

    found = sets_in(paths)
    # Nothing of a measurement is kept, and no former run answers in its place.
    settings = bootstrap.read_settings(*model).model_copy(update={"database_url": None})

    def runs(database: str | None) -> RunService:
        url = SecretStr(database) if database else None
        return bootstrap.build_runs(
            settings.model_copy(update={"database_url": url}), snapshot=snapshot
        )

    reasoner, by_model = bootstrap.build_reasoner(settings), settings.model is not None
    bench = Bench(reasoner, runs, snapshot, by_model, limit)
    return asyncio.run(evaluate(found, bench, model=settings.model or ""))


def _write(folder: Path, told: Evaluation, text: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "evaluation.json").write_text(told.model_dump_json(indent=1), encoding="utf-8")
        (folder / "evaluation.md").write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror}.") from error
    typer.echo(f"Written to {folder}: evaluation.json, evaluation.md", err=True)
