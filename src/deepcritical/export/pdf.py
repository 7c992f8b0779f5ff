"""The report as PDF, set by Typst from the parts of the report.

All text reaches the typesetter as data in JSON, never as markup of its language, so that no record
can steer it. Fonts come with the package `typst`; scripts that these lack are set in the fonts of
the machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deepcritical.domain.brief import (
    Brief,
    DecidingStudy,
    TrialUnderWay,
    licensed_words,
    verdict_words,
)
from deepcritical.domain.checks import Check, failed, passed
from deepcritical.domain.claims import is_quote
from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_markdown import candidate_table, reference_list
from deepcritical.domain.report_parts import Claim, HypothesisTested, Reference
from deepcritical.export import pdf_nodes as nodes
from deepcritical.export.grids import Grid, findings_grid
from deepcritical.export.parts import Block, Chains, Ledger, Prose, parts_of
from deepcritical.export.pdf_nodes import Node
from deepcritical.export.plain import one_line
from deepcritical.export.prose import how_checked, numbers_of, study_facts, trial_facts
from deepcritical.export.svg import Drawing

if TYPE_CHECKING:
    from typst import Fonts

TONES = {
    "supported": "good",
    "promising": "good",
    "mixed": "mixed",
    "unsupported": "bad",
    "refuted": "bad",
    "harmful": "bad",
}


def as_pdf(report: ResearchReport) -> bytes:
    """The report on A4, with figures as vectors and each ``[n]`` a link to its reference."""
    return typeset("report.typ", "report", _document(report), format="pdf")


def typeset(template: str, name: str, data: Node, **wanted: Any) -> bytes:
    """A template of ours, set with data that it knows by a name."""
    import typst

    written = typst.Compiler(
        (files(__package__) / "templates" / template).read_bytes(),
        font_paths=_fonts(),
        sys_inputs={name: json.dumps(data, ensure_ascii=False)},
    ).compile(**wanted)
    assert isinstance(written, bytes)  # noqa: S101 - the library's type: a list is for pictures
    return written


@cache
def _fonts() -> Fonts:
    """The package's fonts and the machine's, looked up once."""
    import typst

    return typst.Fonts()


def check_pdf() -> Check:
    """Whether a page of one word can be set. Blocks for less than a second."""
    try:
        import typst

        written = typst.Compiler(b"checked").compile(format="pdf")
    except (ImportError, OSError, RuntimeError) as error:
        reason = f"The typesetter cannot be used: {error}."
        return failed("PDF", ConfigurationError(reason, "Install the package typst again."))
    size = len(written) if isinstance(written, bytes) else 0
    return passed("PDF", f"a page of one word was set in {size:,} bytes")


def _document(report: ResearchReport) -> Node:
    return {
        "title": one_line(report.title),
        "tone": TONES.get(report.verdict.label.value, "plain"),
        "blocks": [*_first(report), {"kind": "contents"}, *_parts(report)],
    }


def _badge(report: ResearchReport) -> list[Node]:
    label, on = report.verdict.label.value, f" {report.verdict_on}" if report.verdict_on else ""
    head = [nodes.strong(verdict_words(report))]
    if licensed := report.brief and licensed_words(report.brief):
        head = [nodes.strong(licensed), nodes.text(f" · evidence found: {label}")]
    return [*head, nodes.text(f" · {report.verdict.certainty.value} certainty{on}")]


def _answered(brief: Brief, references: Sequence[Reference]) -> Iterator[Node]:
    if brief.licensed:
        yield nodes.paragraph(*nodes.sentences(brief.licensed, references))
    yield {"kind": "lead", "children": nodes.sentences(brief.answer, references)}
    for heading, told in (("Harms.", brief.harms), ("Label.", brief.label)):
        if told:
            said = nodes.sentences(told, references)
            yield nodes.paragraph(nodes.strong(heading), nodes.text(" "), *said)
    if brief.synthesis:
        yield nodes.paragraph(*nodes.sentences(brief.synthesis, references))


def _first(report: ResearchReport) -> Iterator[Node]:
    references = report.references
    yield nodes.heading(1, report.title)
    yield {"kind": "badge", "children": _badge(report)}
    if report.brief:
        yield from _answered(report.brief, references)
    else:
        yield {"kind": "lead", "children": [nodes.text(report.answer)]}
        yield from nodes.prose(report.executive_summary, len(references))
    for notice in report.notices:
        yield {"kind": "notice", "children": [nodes.text(f"Note: {notice}")]}
    if (findings := findings_grid(report)).rows:
        yield nodes.heading(3, findings.name)
        yield nodes.table(findings)
    if len(report.drug_candidates) > 1:
        yield nodes.heading(3, "Drug candidates")
        candidates = candidate_table(report.drug_candidates, references)
        yield from nodes.prose(candidates, len(references))[1:]
    if report.brief:
        yield from _rest(report.brief, references)


def _rest(brief: Brief, references: tuple[Reference, ...]) -> Iterator[Node]:
    if brief.studies:
        yield nodes.heading(3, "Main studies")
        yield nodes.bullets(_study(study, references) for study in brief.studies)
    if brief.missing:
        yield nodes.heading(3, "What is missing")
        yield nodes.bullets([nodes.text(told)] for told in brief.missing)
    if brief.trials:
        yield nodes.heading(3, "Trials under way")
        yield nodes.bullets(_trial(trial, references) for trial in brief.trials)


def _study(study: DecidingStudy, references: tuple[Reference, ...]) -> list[Node]:
    return [
        nodes.strong(study.name),
        nodes.text(f" ({study_facts(study)}): "),
        *nodes.sentences([study.result], references),
    ]


def _trial(trial: TrialUnderWay, references: tuple[Reference, ...]) -> list[Node]:
    cited = map(nodes.citation, numbers_of([trial.evidence_id], references))
    return [nodes.text(f"{trial.title} ({trial_facts(trial)}) "), *cited]


def _parts(report: ResearchReport) -> Iterator[Node]:
    body = True
    for part in parts_of(report, "paper"):
        if part.appendix and body:
            body = False
            yield {"kind": "appendix"}
        yield nodes.heading(2, part.title)
        for block in part.blocks:
            yield from _block(block, report)


def _block(block: Block, report: ResearchReport) -> list[Node]:
    count = len(report.references)
    match block:
        case Prose(markdown):
            return nodes.prose(markdown, count)
        case Grid():
            return [nodes.table(block)]
        case Drawing():
            return [nodes.figure(block)]
        case Chains(hypotheses):
            return [_chains(hypotheses)]
        case Ledger():
            return list(_ledger(block, report))
        case _:
            listed = nodes.prose(reference_list(report.references), count)[1:]
            return [node | {"kind": "references"} if report.references else node for node in listed]


def _chains(hypotheses: Sequence[HypothesisTested]) -> Node:
    if not hypotheses:
        return nodes.paragraph(nodes.text("No mechanism was recognised in the records."))
    return nodes.bullets(
        [
            nodes.strong(f"H{n}. {' → '.join(one.chain)}"),
            nodes.text(f" (confidence {one.confidence:.2f}): {one.prediction}."),
        ]
        for n, one in enumerate(hypotheses, 1)
    )


def _ledger(ledger: Ledger, report: ResearchReport) -> Iterator[Node]:
    references = report.references
    if ledger.sentences:
        words = "The sentences of the first page, with who wrote each and which checks it passed:"
        yield nodes.paragraph(nodes.text(words), leads=True)
        yield nodes.bullets(
            (
                [*nodes.sentences([told], references), nodes.aside(how_checked(told))]
                for told in ledger.sentences
            ),
            small=True,
        )
    if ledger.entries:
        words = (
            "Every sentence taken from a record, with the place of its quote in the record's "
            "text, counted in characters:"
        )
        yield nodes.paragraph(nodes.text(words), leads=True)
    for entry in ledger.entries:
        named = nodes.strong(entry.name)
        yield nodes.paragraph(named, nodes.text(" "), nodes.citation(entry.number), leads=True)
        claims = (_claim(claim, len(references)) for claim in entry.claims)
        yield nodes.bullets(claims, small=True)


def _claim(claim: Claim, n_references: int) -> list[Node]:
    place = f"{claim.start}–{claim.end}"
    rests = place if is_quote(claim) else f"{place}: “{claim.quote}”"
    return [*nodes.inline_prose(claim.sentence, n_references), nodes.aside(rests)]
