"""``deepcritical readings``: what was read of a study, and readings from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from deepcritical.domain.markdown import visible
from deepcritical.interfaces.cli.output import from_database

if TYPE_CHECKING:
    from deepcritical.domain.study import StudyReading
    from deepcritical.services.study_readings import Kept, StudyReadings

T = TypeVar("T")

readings = typer.Typer(
    help="What was read of studies, for whoever operates the database.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@readings.command()
def show(
    record: Annotated[str, typer.Argument(help="A PMID, NCT id or DOI.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the readings as JSON.")] = False,
) -> None:
    """Show every reading of a record: by whom, with which results.

    Exit codes of all `readings` commands: 0 done; 2 wrong usage; 9 wrong setting; 11 the database
    cannot be used.
    """
    found = _with_store(lambda store: store.of_record(canonical_id(record)))
    if as_json:
        for kept in found:
            typer.echo(kept.reading.model_dump_json(exclude_defaults=True))
    elif not found:
        typer.echo(f"No reading of {canonical_id(record)} is kept.")
    else:
        typer.echo("\n\n".join(map(_told, found)))


@readings.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="Readings, one a line, such as readings.jsonl.")],
) -> None:
    """Take in readings from elsewhere; none is used before `readings accept`."""
    from deepcritical.services.study_readings import reading_key

    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read: {error}") from error
    given = [_reading(line, f"{n} of {file}") for n, line in enumerate(lines, 1) if line.strip()]
    keyed = {
        reading_key(r.text_sha256, f"imported {r.reader.kind} {r.reader.name}"): r for r in given
    }
    _with_store(lambda store: store.keep(keyed, "", accepted=False))
    typer.echo(f"{len(keyed)} readings wait; `deepcritical readings accept` lets them be used.")


def _reading(line: str, place: str) -> StudyReading:
    from pydantic import ValidationError

    from deepcritical.domain.study import StudyReading

    try:
        return StudyReading.model_validate_json(line)
    except ValidationError as error:
        raise typer.BadParameter(f"Line {place} is no reading.") from error


@readings.command()
def accept() -> None:
    """Show the readings that were imported, and let them be used."""
    waiting = _with_store(lambda store: store.waiting())
    for kept in waiting:
        typer.echo(_told(kept))
    if not waiting:
        typer.echo("No reading waits.")
        return
    typer.confirm(f"Use these {len(waiting)} readings?", abort=True)
    done = _with_store(lambda store: store.accept([kept.key for kept in waiting]))
    typer.echo(f"{done} readings are used from now on.")


def canonical_id(record: str) -> str:
    """The id as readings have it: ``pmid:``, ``pmcid:``, ``nct:`` or ``doi:``."""
    given = record.strip()
    if ":" in given and not given.lower().startswith("http"):
        return given if given[:4].lower() != "nct:" else f"nct:{given[4:].upper()}"
    if re.fullmatch(r"\d{1,9}", given):
        return f"pmid:{given}"
    if re.fullmatch(r"NCT\d{8}", given, re.IGNORECASE):
        return f"nct:{given.upper()}"
    if re.fullmatch(r"PMC\d{1,9}", given, re.IGNORECASE):
        return f"pmcid:{given.upper()}"
    return f"doi:{given.lower().removeprefix('https://doi.org/')}"


def _told(kept: Kept) -> str:
    reading = kept.reading
    reader = " ".join(filter(None, (reading.reader.kind, reading.reader.name)))
    state = "" if kept.accepted else " (waits to be accepted)"
    head = f"{reading.record_id}, read by {reader} on {reading.read_at:%Y-%m-%d}{state}"
    people = reading.population.n_randomised
    study = ", ".join((*reading.kinds, *reading.design))
    lines = [head, f"  {study or 'kind not read'}; {people or 'number not read'} people"]
    for result in reading.results:
        sides = f"{result.a} against {result.b}" if result.b else result.a
        better = {"a": result.a, "b": result.b}.get(result.better, result.better)
        lines.append(f"  {result.outcome} ({result.level}; {sides}): better {better}")
    return visible("\n".join(lines))


def _with_store(work: Callable[[StudyReadings], Awaitable[T]]) -> T:
    from deepcritical.bootstrap import open_readings

    return from_database(open_readings, lambda opened: work(opened.store))
