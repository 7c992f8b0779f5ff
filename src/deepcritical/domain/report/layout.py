"""Arranges the parts of a report behind its first screen.

HTML folds the parts, Markdown and PDF print them one after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from deepcritical.domain.report.data import ReportData
from deepcritical.domain.report.grids import Grid, outcomes_grid, studies_grid, trials_grid
from deepcritical.domain.report.markdown import (
    because,
    change_table,
    edge_evidence,
    evidence_table,
    facts_markdown,
    quotes,
    search_log,
)
from deepcritical.domain.report.parts import Claim, HypothesisTested, ReportSection
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.text.markdown import escape_markdown

Medium = Literal["page", "file", "paper"]
"""The results of a run, which have mechanism, evidence and timeline in tabs of their own; one HTML
file; Markdown and PDF."""
Figures = Mapping[str, Sequence[object]]
"""Drawings that are not empty: `forest`, `mechanism`, `prisma` and `timeline`."""


class Chains(NamedTuple):
    """The mechanism chains."""

    hypotheses: tuple[HypothesisTested, ...]
    drug: str
    """The drug that they are of; '' where none is known."""


class References(NamedTuple):
    """The list of references."""


class LedgerEntry(NamedTuple):
    """The sentences that rest on one record."""

    number: int
    name: str
    claims: tuple[Claim, ...]


class Ledger(NamedTuple):
    """The evidence and the checks behind each printed sentence."""

    sentences: tuple[Sentence, ...]
    entries: tuple[LedgerEntry, ...]


class Part(NamedTuple):
    """A part under its heading."""

    key: str
    """Letters; unique in a report."""
    title: str
    blocks: tuple[object, ...]
    """Markdown as text, `Grid`, `Chains`, `References`, `Ledger`, or a figure."""
    holds: str = ""
    """How much is in it, in words."""
    appendix: bool = False


def parts_of(
    report: ReportData, medium: Medium, figures: Figures | None = None
) -> tuple[Part, ...]:
    """Return the parts that have something in them, in the order of reading."""
    drawn = figures or {}
    parts = (*_body(report, medium, drawn), *_appendices(report, medium, drawn))
    return tuple(part._replace(blocks=kept) for part in parts if (kept := _filled(part.blocks)))


def _body(report: ReportData, medium: Medium, figures: Figures) -> Iterator[Part]:
    forests, trials = figures.get("forest", ()), trials_grid(report)
    yield _studies(report, medium, figures)
    rows = report.verdict.rows
    if medium != "page" and report.brief and len(rows) > len(report.brief.findings):
        yield Part("outcomes", "All outcomes", (outcomes_grid(report),))
    yield Part("findings", report.clinical_findings.title, _section(report, "clinical_findings"))
    yield Part("forest", "Forest plots", tuple(forests), _count(len(forests), "outcome"))
    yield Part("harms", "Harms", _section(report, "safety"))
    yield _mechanism(report, medium, figures)
    yield Part("trials", "Registered trials", (trials,), _count(len(trials.rows), "trial"))
    contradictions, change = report.contradictions, report.what_would_change
    yield Part("contradictions", contradictions.title, _section(report, "contradictions"))
    changes = change_table(report.verdict_changes, report.references)
    yield Part("change", change.title, (change.content, changes))
    yield Part("curated", "Curated drug facts", (facts_markdown(report.drug_facts),))
    limitations = "\n".join(f"- {text}" for text in report.limitations)
    yield Part("limitations", "Limitations", (limitations,))
    yield Part("conclusion", "Conclusion", ("" if report.brief else report.conclusion,))


def _studies(report: ReportData, medium: Medium, figures: Figures) -> Part:
    """The table of studies; of a report without one, that of its references."""
    rows = evidence_table(report.evidence_table, report.references)
    if report.study_table or medium == "page":
        grid = studies_grid(report)
        # Of several candidates it has only those of the first.
        others = rows if medium != "page" and len(report.drug_candidates) > 1 else ""
        count = _count(len(grid.rows), "study", "studies")
        return Part("studies", "Studies", (grid, others), count)
    return Part("studies", "Evidence table", (*figures.get("timeline", ()), rows))


def _mechanism(report: ReportData, medium: Medium, figures: Figures) -> Part:
    figure = figures.get("mechanism", ()) if medium != "page" else ()
    drugs = report.drug_candidates
    chains = Chains(report.hypotheses_tested, drugs[0].name if drugs else "")
    holds = _count(len(chains.hypotheses), "chain")
    found = _section(report, "mechanistic_findings")
    return Part("mechanism", "Mechanism", (*figure, chains, *found), holds)


def _appendices(report: ReportData, medium: Medium, figures: Figures) -> Iterator[Part]:
    yield Part("assessed", "How this was assessed", _assessed(report, figures), appendix=True)
    searches = "" if medium == "page" else search_log(report.searches)
    yield Part("log", "Search log", (searches,), appendix=True)
    if medium == "paper":
        edges = edge_evidence(report.hypotheses_tested, report.evidence_table, report.references)
        yield Part("steps", "Evidence on each step of the mechanism", (edges,), appendix=True)
    holds = str(len(report.references) or "")
    yield Part("references", "References", (References(),), holds, appendix=True)
    ledger = _ledger(report)
    count = len(ledger.sentences) + sum(len(entry.claims) for entry in ledger.entries)
    holds = _count(count, "sentence")
    yield Part("ledger", "What each sentence rests on", (ledger,), holds, appendix=True)


def _assessed(report: ReportData, figures: Figures) -> tuple[object, ...]:
    told = f"Question: {escape_markdown(report.research_question)}\n\n"
    told += because(report.verdict, report.references)
    told += f"\n- {report.support}." if report.support else ""
    for one in report.brief.contested if report.brief else ():
        said = f"Left out of the brief, because {one.by} found it contradicted: “{one.told}”"
        told += f"\n- {escape_markdown(said)}"
    return (told, *figures.get("prisma", ()), report.methodology.content)


def _ledger(report: ReportData) -> Ledger:
    entries = (
        LedgerEntry(n, reference.short_name, _claims(report.claims, reference.evidence_id))
        for n, reference in enumerate(report.references, 1)
    )
    sentences = report.brief.sentences if report.brief else ()
    return Ledger(sentences, tuple(entry for entry in entries if entry.claims))


def _claims(claims: Sequence[Claim], evidence_id: str) -> tuple[Claim, ...]:
    own = (claim for claim in claims if claim.evidence_id == evidence_id)
    return tuple(sorted(own, key=lambda claim: (claim.start, claim.end)))


def _filled(blocks: Sequence[object]) -> tuple[object, ...]:
    return tuple(block for block in blocks if not _empty(block))


def _empty(block: object) -> bool:
    if isinstance(block, Grid):
        return not block.rows
    return block == "" or block == Ledger((), ())


def _section(report: ReportData, name: str) -> tuple[str, str]:
    """The text of a section, then the sentences of records in it."""
    part: ReportSection = getattr(report, name)
    return part.content, quotes(part.quoted, report.references, report.evidence_table)


def _count(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or f'{one}s'}" if count else ""
