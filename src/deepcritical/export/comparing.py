"""Two runs side by side as a page, and what the later one has that the earlier one had not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from deepcritical.domain.answer import Document
from deepcritical.domain.brief import COLUMNS, StudyRow, finding_cells
from deepcritical.domain.comparison import compare, outcome_words
from deepcritical.domain.votes import OutcomeRow
from deepcritical.export.preview import preview_of
from deepcritical.export.prose import chip, numbers_of
from deepcritical.export.templating import filled, stylesheet


class Side(NamedTuple):
    """One of two runs that are compared."""

    run_id: str
    question: str
    ended_at: datetime
    document: Document

    @property
    def on(self) -> str:
        """Return when it ended, for the reader."""
        return f"{self.ended_at.astimezone(UTC):%-d %b %Y, %H:%M} UTC"

    @property
    def outcome(self) -> str:
        """Return its verdict with the certainty; of an answer what it comes to."""
        return outcome_words(self.document)

    @property
    def answer(self) -> str:
        """Return its answer in a sentence."""
        return preview_of(self.document).sentence

    def link(self, study: StudyRow) -> str:
        """Return the address of a study's first record; '' where none is safe to follow."""
        own = (r for r in self.document.references if r.evidence_id in study.evidence_ids)
        return next((r.link for r in own if r.link), "")

    def chips(self, study: StudyRow) -> str:
        """Return the buttons that open a study's records within the run, as safe HTML."""
        references = self.document.references
        return "".join(chip(n, references) for n in numbers_of(study.evidence_ids, references))


def render_comparison(first: Side, second: Side) -> str:
    """Return a page with two runs side by side; it needs no script and makes no request."""
    shown = filled(
        "compare.html",
        sides=(first, second),
        compared=compare(first.document, second.document),
        columns=COLUMNS[:2],
        names=_names,
        found=_found,
    )
    page = {"title": "Two runs side by side", "preview": None, "sources": ""}
    return filled("page.html", style=stylesheet(), shown=shown, **page)


def render_news(former: Side | None, now: Side) -> str:
    """Return what is new in a run that asks the question of a former one, as an HTML fragment.

    `former` is None for a run that was deleted.
    """
    compared = compare(former.document, now.document) if former else None
    return filled("news.html", former=former, now=now, compared=compared)


def _names(row: OutcomeRow) -> tuple[str, ...]:
    return finding_cells(row)[:2]


def _found(row: OutcomeRow) -> tuple[str, str]:
    """Return what was found with its certainty, and how many studies and people stand behind it."""
    _, _, _, result, certainty = finding_cells(row)
    counted = "1 study" if row.studies == 1 else f"{row.studies:,} studies"
    studies = "a review" if row.review and row.studies == 1 else counted
    people = f", {row.people:,} people" if row.people else ""
    return f"{result}, {certainty} certainty", f"{studies}{people}"
