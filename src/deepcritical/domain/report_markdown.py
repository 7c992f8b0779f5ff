"""The report as Markdown: verdict first, references last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepcritical.domain.markdown import escape_markdown, table

if TYPE_CHECKING:
    from deepcritical.domain.report import HypothesisTested, Reference, ResearchReport
    from deepcritical.domain.verdict import Verdict

__all__ = ["to_markdown"]

DISCLAIMER = "For research use, not medical advice."


def to_markdown(report: ResearchReport) -> str:
    """All parts of the report in reading order."""
    numbers = {reference.evidence_id: n for n, reference in enumerate(report.references, 1)}
    parts = [
        f"# {escape_markdown(report.title)}",
        f"> **Verdict: {report.verdict.label.value}** · certainty {report.verdict.certainty.value} · confidence {report.confidence_score:.1f}"
        + (f" · mechanism {report.assessment.mechanism_score}/10 · clinical {report.assessment.clinical_score}/10" if report.assessment else ""),
        _because(report.verdict, numbers),
        f"*{DISCLAIMER}*",
        f"## Executive summary\n\n{report.executive_summary}",
        f"## Research question\n\n{escape_markdown(report.research_question)}",
        _candidates(report, numbers),
        _hypotheses(report.hypotheses_tested),
        *(f"## {s.title}\n\n{s.content}" for s in (report.clinical_findings, report.mechanistic_findings, report.contradictions, report.safety)),
        "## Limitations\n\n" + "\n".join(f"- {limitation}" for limitation in report.limitations),
        f"## Conclusion\n\n{report.conclusion}",
        f"## {report.methodology.title}\n\n{report.methodology.content}",
        "## References\n\n" + ("\n".join(f"{n}. {_reference(r)}" for n, r in enumerate(report.references, 1)) or "None."),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _markers(ids: tuple[str, ...], numbers: dict[str, int]) -> str:
    return "".join(f"[{n}]" for n in sorted(numbers[i] for i in ids if i in numbers))


def _because(verdict: Verdict, numbers: dict[str, int]) -> str:
    lines = [f"Rule: {verdict.rule.rstrip('.')} {_markers(verdict.deciding_ids, numbers)}".strip() + "."]
    lines += [f"Lowered the certainty: {reason}." for reason in verdict.downgrades]
    lines += [f"Cap: {cap}." for cap in verdict.caps]
    return "\n".join(f"- {line}" for line in lines)


def _candidates(report: ResearchReport, numbers: dict[str, int]) -> str:
    if not report.drug_candidates:
        return ""
    rows = [
        (escape_markdown(c.name), c.verdict.label.value, c.verdict.certainty.value, str(c.studies), f"{c.verdict.rule.rstrip('.')} {_markers(c.verdict.deciding_ids, numbers)}.")
        for c in report.drug_candidates
    ]
    return f"## Drug candidates\n\n{table(('Drug', 'Verdict', 'Certainty', 'Studies', 'Decided by'), rows)}"


def _hypotheses(hypotheses: tuple[HypothesisTested, ...]) -> str:
    if not hypotheses:
        return "## Hypotheses tested\n\nNo record names a mechanism."
    return "## Hypotheses tested\n\n" + "\n\n".join(_hypothesis(n, h) for n, h in enumerate(hypotheses, 1))


def _hypothesis(number: int, hypothesis: HypothesisTested) -> str:
    chain = " → ".join(map(escape_markdown, hypothesis.chain))
    head = f"**H{number}. {chain}** (confidence {hypothesis.confidence:.2f}): {escape_markdown(hypothesis.prediction)}."
    edges = [f"- {escape_markdown(e.subject)} → {escape_markdown(e.object)}: {e.finding}." for e in hypothesis.edges]
    return "\n".join((head, "", *edges))


def _reference(reference: Reference) -> str:
    """Vancouver order: authors, title, journal, year, volume and pages, ids."""
    authors = ", ".join(reference.authors[:6]) + (", et al" if len(reference.authors) > 6 else "")
    place = " ".join(part for part in (reference.journal, reference.date, reference.volume_pages) if part)
    ids = ", ".join(i for i in reference.ids if not i.startswith(("url:", "title:")))
    note = {"summary": "text used: summary written for the snapshot", "registry": "text used: registry entry"}.get(reference.text_kind, "")
    texts = [part.rstrip(".") for part in (authors, reference.title, place, ids, note) if part]
    link = f" <{reference.url}>" if reference.url.startswith("https://") and not set(reference.url) & set("<> \"'`") else ""
    return f"{'. '.join(map(escape_markdown, texts))}.{link}"
