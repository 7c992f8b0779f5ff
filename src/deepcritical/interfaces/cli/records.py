"""The commands on records and their readings: search, read, understand and readings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from deepcritical.domain.question.question import checked_question
from deepcritical.domain.text.markdown import one_line, visible
from deepcritical.interfaces.cli.options import AskKey, BaseUrl, ModelName, chosen_model, is_file
from deepcritical.interfaces.cli.output import (
    NO_EVIDENCE,
    bootstrap,
    from_database,
    plain_json,
    print_json,
    to_stdout,
)
from deepcritical.tools.registry import KEYS, SOURCES

if TYPE_CHECKING:
    from deepcritical.bootstrap.application import StudyCard
    from deepcritical.domain.evidence.record import Evidence
    from deepcritical.domain.study.reading import Result, StudyReading
    from deepcritical.services.storage.study_readings import Kept, StudyReadings
    from deepcritical.tools.search_handler import SourceAnswer
    from deepcritical.tools.searching import Found

_UNREAD = {
    "title_only": "There is no text beside the title.",
    "not_english": "The text is not in English.",
    "results_not_given": "No result between arms could be read.",
    "main_result_not_read": "The main result, or a sentence on more deaths, could not be read.",
}
Source = StrEnum("Source", {key: key for key in (*KEYS, "all")})  # type: ignore[misc]
"""The sources by key."""
T = TypeVar("T")
readings = typer.Typer(
    help="What was read of studies, for whoever operates the database.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def search(
    source: Annotated[Source, typer.Argument(help="Where to search; all leaves out the web.")],
    query: Annotated[str, typer.Argument(help="Words, or a query in the source's own language.")],
    most: Annotated[int, typer.Option("--max", min=1, max=1000, help="Records a source.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the records as JSON.")] = False,
) -> None:
    """Search a live source and print its records.

    Outcomes go to stderr, records to stdout.

    Exit codes: 0 records; 3 none; 4 empty query; 5 query too long; 9 wrong setting; 10 no source
    reachable.
    """
    checked_question(query)
    answers, found = asyncio.run(_searched(source.value, query, most))
    records = tuple(found.values())
    for answer in answers:
        typer.echo(_outcome(answer), err=True)
    if as_json:
        print_json([record.model_dump(mode="json") for record in records])
    else:
        typer.echo("\n".join(map(_record_line, records)))
    if not records:
        raise typer.Exit(NO_EVIDENCE)


async def _searched(source: str, query: str, most: int) -> Found:
    names = [one.key for one in SOURCES if one.key == source or (source == "all" and one.in_all)]
    return await bootstrap.Lookups(bootstrap.read_settings()).search(names, query, most)


def _outcome(answer: SourceAnswer) -> str:
    """One line on what a source did, with the query exactly as it was run (PRISMA-S, item 8)."""
    result = answer.result
    kept = " (kept from an earlier search)" if result.cached else ""
    told = (
        f"{answer.source}: {result.outcome.value}, {len(result.evidence)} of {result.total}{kept}"
    )
    why = f" - {'; '.join(result.skipped)}" if result.skipped else ""
    return visible(f"{told} for {result.query_as_run}{why}")


def _record_line(record: Evidence) -> str:
    meta, citation = record.metadata, record.citation
    kind = meta.status or ", ".join(meta.publication_types[:2])
    number = meta.nct_id or (f"PMID {meta.pmid}" if meta.pmid else meta.doi or citation.url)
    flag = f" [{meta.integrity.upper()}]" if meta.integrity in ("retracted", "concern") else ""
    parts = (number, citation.date[:4], kind, citation.title)
    return visible(" · ".join(part for part in parts if part)) + flag


def read(
    what: Annotated[
        str, typer.Argument(help="A .pdf, .txt or .md file, or a PMID, PMCID, DOI or NCT id.")
    ],
    question: Annotated[
        str, typer.Option("--question", help="What it would count for: a drug and a condition.")
    ] = "",
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reading as JSON.")] = False,
) -> None:
    """Read one study: design, people, arms, results.

    Each comes with its sentence and page. A file is read on this machine and kept nowhere; only a
    model that you chose gets its text. Ids are looked up where research would look.

    Exit codes: 0 read; 4, 5, 6, 17 the question cannot be read; 9 wrong setting; 10 no source
    reachable; 11 the document cannot be read.
    """
    path = Path(what).expanduser()
    given: Path | str = path if is_file(path) else _known(what)
    settings = bootstrap.read_settings(*chosen_model(model, model_base_url, ask_key))
    card = asyncio.run(bootstrap.read_alone(settings, given, question))
    if as_json:
        print_json(
            {
                "record": card.record.model_dump(mode="json", exclude={"content"}),
                "reading": card.reading.model_dump(mode="json", exclude_defaults=True),
                "grade": card.grade.model_dump(mode="json"),
                "verdict": card.weighed.verdict.model_dump(mode="json") if card.weighed else None,
            }
        )
        return
    typer.echo("\n".join(visible(line) for line in _lines(card, question)))


def _lines(card: StudyCard, question: str) -> Iterator[str]:
    reading, citation = card.reading, card.record.citation
    yield one_line(citation.title)
    if citation.url:
        yield citation.url
    people = reading.population.n_randomised or reading.population.n_analysed
    level = f"OCEBM level {card.grade.level}" if card.grade.level else ""
    told = (card.grade.design.value, f"{people:,} people" if people else "", level)
    yield " · ".join(part for part in told if part)
    if card.grade.retracted:
        yield "RETRACTED: it supports nothing."
    yield from _arms(card)
    results = [result for result in reading.results if not result.restated]
    if results:
        yield "\nResults"
        for result in results:
            yield from _result(card, result)
    for why in reading.unread:
        text = _UNREAD.get(why, "")
        by_rules = reading.reader.kind == "rules" and why == "results_not_given"
        yield f"\n{text}{' A language model may: --model.' if by_rules else ''}"
    yield f"\nRead by {' '.join(filter(None, (reading.reader.kind, reading.reader.name)))}."
    if question:
        yield from _counting(card)


def _arms(card: StudyCard) -> Iterator[str]:
    if card.reading.arms:
        yield "\nArms"
    for arm in card.reading.arms:
        names = " + ".join(i.name for i in arm.interventions)
        label = one_line(_arm_name(card, arm.id) or names)
        yield f"  {label}{f' (n = {arm.n:,})' if arm.n else ''}"


def _arm_name(card: StudyCard, arm_id: str) -> str:
    arm = card.reading.arm(arm_id)
    return one_line((arm.label or (arm.control or "").replace("_", " ")) if arm else "")


def _result(card: StudyCard, result: Result) -> Iterator[str]:
    from deepcritical.domain.appraisal.effect_words import effect_words
    from deepcritical.reading.sentences import quoted
    from deepcritical.tools.documents import page_of

    sides = {"a": _arm_name(card, result.a), "b": _arm_name(card, result.b)}
    better, more = sides.get(result.better, ""), sides.get(result.more or "", "")
    said = f"better with {better}" if better else f"more with {more}" if more else ""
    said = "no difference shown" if result.better == "no_difference" else said
    effect = effect_words(result.effect, result.unit) if result.effect else ""
    level = result.level if result.level != "unstated" else ""
    told = (level, " against ".join(filter(None, sides.values())), said, effect)
    yield f"  {one_line(result.outcome)}: {', '.join(part for part in told if part)}"
    for span in quoted(result.sentences[:1], card.record):
        page = page_of(card.record, span.start)
        yield f"    “{one_line(span.text)}”{f' (p. {page})' if page else ''}"


def _counting(card: StudyCard) -> Iterator[str]:
    if card.weighed is None:
        yield "\nOn the question it says nothing: it is on another drug or condition."
        return
    verdict = card.weighed.verdict
    about = f"{card.weighed.drug.name} in {card.weighed.condition.name}"
    yield f"\nBy itself on {about}: {verdict.label.value}, {verdict.certainty.value} certainty."
    yield verdict.told_rule
    for study in card.weighed.studies:
        if study.why:
            yield f"Remark: {study.why}."


def understand(question: Annotated[str, typer.Argument(help="Any question.")]) -> None:
    """Print as JSON how QUESTION is read.

    Its kind, drugs, condition, who is studied, polarity. As `research`, `ask` and the chat read it
    before a model is asked. Where `declined` holds a reason, the question is not searched; a name
    that no table has may still be known to MeSH.

    Exit codes: 0 printed; 4 empty question; 5 question too long.
    """
    from deepcritical.questions.reading import read_frame

    frame = read_frame(checked_question(question))
    to_stdout(plain_json(frame.model_dump_json(indent=2)))


@readings.command()
def show(
    record: Annotated[str, typer.Argument(help="A PMID, NCT id or DOI.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the readings as JSON.")] = False,
) -> None:
    """Show every reading of a record: by whom, with which results.

    Exit codes of all `readings` commands: 0 done; 2 wrong usage; 9 wrong setting; 11 the database
    cannot be used.
    """
    found = _with_store(lambda store: store.of_record(_known(record)))
    if as_json:
        for kept in found:
            typer.echo(kept.reading.model_dump_json(exclude_defaults=True))
    elif not found:
        typer.echo(f"No reading of {_known(record)} is kept.")
    else:
        typer.echo("\n\n".join(map(_told, found)))


@readings.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="Readings, one a line, such as readings.jsonl.")],
) -> None:
    """Take in readings; none is used before `readings accept`."""
    from deepcritical.services.storage.study_readings import reading_key

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

    from deepcritical.domain.study.reading import StudyReading

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


def _known(record: str) -> str:
    """The id as readings have it, whatever kind of id it is."""
    from deepcritical.verification.ids import id_named

    return id_named(record) or record.strip()


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
    return from_database(bootstrap.open_readings, work)
