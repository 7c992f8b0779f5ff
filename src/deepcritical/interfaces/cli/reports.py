"""The commands ``verify`` and ``render``: check a saved report, or write it again, offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepcritical.domain.errors import ClaimsUnsupportedError, StorageError
from deepcritical.domain.report.parts import EntryKind
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.cli.output import print_json, read_report, write_report

if TYPE_CHECKING:
    from deepcritical.domain.evidence.record import Evidence
    from deepcritical.domain.report.parts import Ledger, LedgerEntry

_OF_MARKDOWN = (
    "A former version wrote it, in Markdown: its references and located quotes are checked, and "
    "what its prose says beside them is not."
)
_IN_FORMER_WORDS = (
    "An earlier version wrote {count} of its sentences in words that are no longer written: their "
    "records, figures, names and direction are compared with its results, their other words are "
    "not checked."
)


def verify(
    report: Annotated[Path, typer.Argument(help="A report or answer as JSON, as --out writes it.")],
    snapshot: Annotated[
        str | None,
        typer.Option(help="Check against these records: 'demo', or the path of a .jsonl file."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the ledger as JSON.")] = False,
) -> None:
    """Check a report's references and sentences again.

    Every reference and every cited sentence, without network or model.

    What does not hold is printed first. It ends with 0 when all hold, with 13 when some do not, and
    with 8 when the report cannot be read.
    """
    # Imported late: the dictionaries take seconds, and `--help` must not wait for them.
    from deepcritical.writing.ledger.auditing import audit, is_of_markdown
    from deepcritical.writing.ledger.completeness import notices_of
    from deepcritical.writing.ledger.former_words import in_former_words

    told, _ = read_report(report)
    ledger = audit(told, _records(snapshot) if snapshot is not None else None)
    notices = [_OF_MARKDOWN] if is_of_markdown(told) else []
    if count := in_former_words(ledger.entries):
        notices.append(_IN_FORMER_WORDS.format(count=count))
    notices += notices_of(told)
    if as_json:
        entries = ledger.model_dump(mode="json")["entries"]
        support = ledger.support.model_dump()
        print_json({"support": support, "notices": notices, "entries": entries})
    else:
        typer.echo("\n".join((_as_text(ledger), *notices)))
    if ledger.failed:
        raise ClaimsUnsupportedError(
            f"{len(ledger.failed)} of {len(ledger.entries)} entries do not hold.",
            "Read them against their sources before using the report.",
        )


def _records(name: str) -> tuple[Evidence, ...]:
    from deepcritical.tools.snapshot import parse, snapshot_path

    path = snapshot_path(name)
    try:
        payload = path.read_bytes()
    except OSError as error:
        raise StorageError(f"The snapshot {path.name} cannot be read: {error.strerror}.") from error
    return parse(payload, path.name).records


def _as_text(ledger: Ledger) -> str:
    ratings = sum(entry.kind is EntryKind.RATING for entry in ledger.entries)
    references = [e for e in ledger.entries if e.kind is EntryKind.REFERENCE]
    sound = sum(entry.holds for entry in references)
    shown = (e for e in ledger.entries if e.kind is not EntryKind.RATING or not e.holds)
    return "\n".join(
        (
            *map(_line, shown),
            "",
            f"{ledger.support}.",
            f"{sound} of {len(references)} references hold.",
            f"{ratings} sentences rate the evidence by rule and are not counted.",
        )
    )


def _line(entry: LedgerEntry) -> str:
    """One entry: outcome, sentence, quote and source."""
    markers = "".join(f"[{number}]" for number in entry.numbers)
    head = f"{'holds' if entry.holds else 'FAILS'}  {entry.kind.value}  {entry.text} {markers}"
    quote = f"“{entry.quote}”" if entry.quote and entry.quote != entry.text else ""
    parts = (entry.reason, quote, entry.source)
    return "\n".join((visible(head), *(f"    {visible(part)}" for part in parts if part)))


def render(
    report: Annotated[Path, typer.Argument(help="A report as JSON, as --out writes it.")],
    out: Annotated[Path, typer.Option(help="Folder for the files; made if missing.")],
) -> None:
    """Write a finished report in all formats again.

    Byte by byte, without network or model.

    Exit codes: 0 written; 8 the report cannot be read; 11 a file cannot be written.
    """
    names = write_report(*read_report(report), out)
    typer.echo(f"Written to {out}: {', '.join(names)}", err=True)
