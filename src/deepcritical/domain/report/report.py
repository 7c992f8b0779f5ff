"""The structured report, which renders itself as Markdown; the PDF is set from that, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.report.brief import label_words, study_words, trial_words
from deepcritical.domain.report.claims import is_quote
from deepcritical.domain.report.data import ReportData
from deepcritical.domain.report.grids import Cell, Grid, candidates_grid, findings_grid
from deepcritical.domain.report.layout import Chains, Ledger, References, parts_of
from deepcritical.domain.report.markdown import reference_list, titled
from deepcritical.domain.report.parts import Claim, Reference
from deepcritical.domain.report.sentences import as_markdown, citation_marks, how_checked
from deepcritical.domain.text.markdown import escape_markdown, table, unescape_markdown

_DISCLAIMER = "*For research use, not medical advice.*"
_FIRST_SENTENCES = (
    "The sentences of the first page, with who wrote each and which checks it passed:"
)
_OF_RECORDS = (
    "Every sentence taken from a record, with the place of its quote in the record's text, "
    "counted in characters:"
)


def report_markdown(report: ReportData) -> str:
    """Return the whole report."""
    parts = (
        f"# {escape_markdown(report.title)}",
        head_markdown(report),
        _DISCLAIMER,
        *(
            titled(part.title, _joined(block_markdown(b, report.references) for b in part.blocks))
            for part in parts_of(report, "paper")
        ),
    )
    return _joined(parts) + "\n"


def head_markdown(report: ReportData) -> str:
    """Return the first screen without its title: verdict, answer, findings, notices.

    The verdict is the first paragraph; a report without a brief has its summary instead.
    """
    label, remarks = badge(report)
    notices = (f"> Note: {escape_markdown(notice)}" for notice in report.notices)
    parts = (
        " · ".join((f"**{label}**", *map(escape_markdown, remarks))),
        *answered(report),
        grid_markdown(findings_grid(report)),
        titled("Drug candidates", grid_markdown(candidates_grid(report))),
        *(titled(*part) for part in listed(report)),
        *notices,
    )
    return _joined(parts)


class Badge(NamedTuple):
    """The verdict in a word or two, with its remarks."""

    label: str
    remarks: tuple[str, ...]
    """Certainty, and the drug or statement that the verdict is on."""


def badge(report: ReportData) -> Badge:
    """Return the verdict with its certainty and, where that is not plain, what it is on.

    A licence stands before it: what is licensed is more than promising, whatever was found.
    """
    verdict = report.verdict
    rated = verdict.label is not VerdictLabel.NOT_ASSESSED
    certainty = f"certainty: {verdict.certainty.value}" if rated else ""
    remarks = tuple(part for part in (certainty, report.verdict_on) if part)
    if report.brief and report.brief.licensed:
        licensed = report.brief.licensed[0].text.partition(": ")[0]
        return Badge(licensed, (f"evidence found: {verdict.label.value}", *remarks))
    return Badge(label_words(verdict.label, report.brief), remarks)


def answered(report: ReportData) -> Iterator[str]:
    """Yield the paragraphs that answer the question; '' for those that say nothing."""
    brief, references = report.brief, report.references
    if brief is None:
        yield escape_markdown(report.answer)
        yield report.executive_summary
        return
    yield as_markdown(brief.licensed, references)
    yield from (as_markdown(told, references) for told in brief.paragraphs)
    for name, told in (("Harms", brief.harms), ("Label", brief.label)):
        yield f"**{name}:** {as_markdown(told, references)}" if told else ""


def listed(report: ReportData) -> Iterator[tuple[str, str]]:
    """Yield the lists of the brief, each with its heading; '' for an empty one."""
    brief, references = report.brief, report.references
    if brief is None:
        return
    studies = (
        f"**{escape_markdown(study.name)}**{_after(', ', escape_markdown(study_words(study)))}"
        + _after(": ", as_markdown((study.result,), references))
        for study in brief.listed_studies
    )
    trials = (
        f"**{escape_markdown(trial.registry_id)}**: "
        + escape_markdown(f"{trial.title} ({trial_words(trial)})")
        + _after(" ", citation_marks((trial.evidence_id,), references))
        for trial in brief.trials
    )
    yield "Main studies", _bullets(studies)
    yield "What is missing", _bullets(map(escape_markdown, brief.told_missing))
    yield "Trials under way", _bullets(trials)


def block_markdown(block: object, references: Sequence[Reference]) -> str:
    """Return a block of a part; '' for a figure, which Markdown cannot show."""
    match block:
        case str():
            return block
        case Grid():
            return grid_markdown(block)
        case Chains():
            return _chains(block)
        case References():
            return reference_list(references)
        case Ledger():
            return _joined(_ledger(block, references))
    return ""


def grid_markdown(grid: Grid) -> str:
    """Return a table; '' for one without rows."""
    rows = [tuple(map(_cell, row)) for row in grid.rows]
    return table(grid.heads, rows) if rows else ""


def _cell(cell: Cell) -> str:
    marks = "".join(f"[{n}]" for n in cell.numbers)
    note = f"*{escape_markdown(cell.note)}*" if cell.note else ""
    return " ".join(filter(None, (escape_markdown(cell.text), marks, note)))


def _chains(chains: Chains) -> str:
    named = f" of {escape_markdown(chains.drug)}" if chains.drug else ""
    lines = (
        f"**H{n}. {' → '.join(map(escape_markdown, one.chain))}** "
        f"(confidence {one.confidence:.2f}): {escape_markdown(one.prediction)}."
        for n, one in enumerate(chains.hypotheses, 1)
    )
    return _bullets(lines) or f"No mechanism{named} was recognised in the records."


def _ledger(ledger: Ledger, references: Sequence[Reference]) -> Iterator[str]:
    if ledger.sentences:
        yield _FIRST_SENTENCES
        yield _bullets(
            f"{as_markdown((one,), references)} *{escape_markdown(how_checked(one))}*"
            for one in ledger.sentences
        )
    if ledger.entries:
        yield _OF_RECORDS
    for entry in ledger.entries:
        yield f"**{escape_markdown(entry.name)}** [{entry.number}]"
        yield _bullets(map(_claim, entry.claims))


def _claim(claim: Claim) -> str:
    place = ", ".join(filter(None, (claim.place, f"{claim.start}–{claim.end}")))
    rests = place if is_quote(claim) else f"{place}: “{claim.quote}”"
    said = escape_markdown(unescape_markdown(claim.sentence))
    return f"{said} *{escape_markdown(rests)}*"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _after(lead: str, text: str) -> str:
    return f"{lead}{text}" if text else ""


class ResearchReport(ReportData):
    """Everything that a reader gets. Every factual sentence ends in `[n]`."""

    def _repr_markdown_(self) -> str:
        """Return the Markdown that a notebook shows."""
        return self.to_markdown()

    def to_markdown(self) -> str:
        """The report as Markdown, for people."""
        return report_markdown(self)
