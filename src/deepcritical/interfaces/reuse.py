"""Former runs of similar questions on a terminal: offered, and printed where that is wanted."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeVar

import typer

from deepcritical.domain.errors import DeepCriticalError, StorageError
from deepcritical.domain.markdown import visible
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.printing import Wanted, print_report
from deepcritical.interfaces.report_files import write_report

if TYPE_CHECKING:
    from deepcritical.domain.documents import Document
    from deepcritical.domain.similar import SimilarRun
    from deepcritical.jobs.runs import RunService

__all__ = ["Former", "NoSimilar", "Reuse", "Reusing", "former_run", "similar_line"]

Ended = TypeVar("Ended", bound="Document")

Reuse = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Print this former run of yours, by its id or the beginning of it; search nothing.",
    ),
]
NoSimilar = Annotated[
    bool, typer.Option("--no-similar", help="Do not look for former runs of similar questions.")
]


class Reusing(NamedTuple):
    """What the command line says of former runs."""

    reuse: str | None
    look: bool
    """Whether similar ones are looked for."""


@dataclass(frozen=True)
class Former(Generic[Ended]):
    """What a former run ended with."""

    imprint: Imprint
    document: Ended
    events: bytes
    """Its log, as lines of JSON."""

    def hand_over(self, wanted: Wanted, folder: Path | None) -> bool:
        """Print it, and write its files; whether it has any evidence."""
        if folder:
            self.save(folder)
        print_report(self.document, self.imprint, wanted, folder, is_kept=True)
        return bool(self.document.references)

    def save(self, out: Path) -> None:
        """Write its files; the records that it read are not kept."""
        names = write_report(self.document, self.imprint, out, {"events.jsonl": self.events})
        typer.echo(f"Written to {out}: {', '.join(names)}", err=True)


def former_run(
    runs: RunService,
    looking: Callable[[], Coroutine[Any, Any, tuple[SimilarRun, ...]]],
    reusing: Reusing,
    kind: type[Ended],
) -> Former[Ended] | None:
    """The former run that is wanted instead of a new one; None for a new one.

    On a terminal who asks is asked; in a script it is told on stderr, and the new run begins.

    Args:
        runs: Where former runs are.
        looking: Looks for similar ones.
        reusing: What the command line says.
        kind: What the new run would end with.

    Raises:
        TraceNotFoundError: There is no run of the id that the command line names.
        StorageError: That run has no result of this kind.
    """
    if reusing.reuse is not None:
        return asyncio.run(_former(runs, reusing.reuse, kind))
    found = _looked(looking) if reusing.look else ()
    for one in found:
        typer.echo(visible(similar_line(one)), err=True)
    if not found:
        return None
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        typer.echo(f"Asking anew; --reuse {found[0].run_id} prints that run instead.", err=True)
        return None
    if typer.confirm("Show the first of them instead of asking anew?", default=False, err=True):
        return asyncio.run(_former(runs, found[0].run_id, kind))
    return None


def _looked(
    looking: Callable[[], Coroutine[Any, Any, tuple[SimilarRun, ...]]],
) -> tuple[SimilarRun, ...]:
    try:
        return asyncio.run(looking())
    except DeepCriticalError as error:
        typer.echo(visible(f"Similar questions could not be looked up: {error}"), err=True)
        return ()


def similar_line(one: SimilarRun) -> str:
    """A former run in one line."""
    return (
        f"Similar, {one.age} ago (run {one.run_id[:8]}): “{one.question}” - {one.headline}, "
        f"{one.references} references, by {one.written_by}. {one.news.told}"
    )


async def _former(runs: RunService, beginning: str, kind: type[Ended]) -> Former[Ended]:
    run = await runs.find_own(beginning)
    document = run.report or run.answer
    if not isinstance(document, kind):
        raise StorageError(
            f"The run {run.run_id} has no result of this kind.",
            f"Ask anew, or see `deepcritical traces export {run.run_id[:8]}`.",
        )
    lines = [f"{logged.model_dump_json()}\n" async for logged in run.tail()]
    typer.echo(f"Run {run.run_id} of {run.ended_at:%Y-%m-%d}; nothing was searched.", err=True)
    return Former(Imprint(run.run_id, run.ended_at), document, "".join(lines).encode())
