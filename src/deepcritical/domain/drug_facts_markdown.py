"""Writes curated facts as Markdown: who was asked, what they know, and on what terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.domain.drug_facts import EVENTS_CAVEAT, DrugFacts, DrugTarget
from deepcritical.domain.markdown import escape_markdown, table
from deepcritical.domain.text import capitalised

_MOST = 8
"""Of each kind that are printed; the data holds all."""


def facts_markdown(facts: Sequence[DrugFacts] | None) -> str:
    """Return the section on curated facts; '' where nobody was asked."""
    parts = [part for one in facts or () for part in _of_drug(one)]
    return "\n\n".join(("## Curated drug facts", *parts)) if parts else ""


def _of_drug(facts: DrugFacts) -> Iterator[str]:
    yield f"### {escape_markdown(capitalised(facts.drug))}"
    if lines := list(_lines(facts)):
        yield "\n".join(f"- **{name}:** {escape_markdown(text)}" for name, text in lines)
    rows = [
        (
            escape_markdown(asked.source),
            asked.outcome.replace("_", " "),
            asked.retrieved + (" (kept)" if asked.cached else ""),
            escape_markdown(asked.licence),
            escape_markdown(asked.note),
        )
        for asked in facts.asked
    ]
    if rows:
        yield table(("Asked", "Outcome", "On", "Licence", "Note"), rows)
    if facts.origins:
        each = {origin.source: origin for origin in facts.origins}.values()
        named = sorted({f"{o.source} ({o.licence}, {o.url})" for o in each})
        yield f"Attribution: {escape_markdown('; '.join(named))}."


def _lines(facts: DrugFacts) -> Iterator[tuple[str, str]]:
    classes = [f"{c.name} ({c.kind})" if c.kind else c.name for c in facts.classes]
    approved = [i.condition for i in facts.indications if i.approved]
    agencies = [f"{a.agency} {a.date}".strip() for a in facts.approvals]
    targets = [_target(t) for t in facts.targets]
    events = [f"{e.event.lower()} {e.reports:,}" for e in facts.events]
    relations = [f"{r.kind} {r.object}" for r in facts.relations]
    labels = [", ".join(one.products) or facts.drug for one in facts.labels]
    for name, texts in (
        ("Class", classes),
        ("Targets", targets),
        ("Approved for", approved),
        ("Approved by", agencies),
        ("Labels", labels),
        ("Read from papers by PubTator3", relations),
    ):
        if texts:
            yield name, _some(texts)
    if events:
        yield "Reported with it (FAERS)", f"{_some(events)}. {EVENTS_CAVEAT}"


def _target(target: DrugTarget) -> str:
    own = target.symbol and target.symbol != target.target
    name = f"{target.target} ({target.symbol})" if own else target.target
    action = f", {target.action_type.lower()}" if target.action_type else ""
    return f"{name}{action}, by {target.origin.source}"


def _some(texts: Sequence[str]) -> str:
    known = list(dict.fromkeys(texts))
    rest = len(known) - _MOST
    return "; ".join(known[:_MOST]) + (f"; and {rest} more" if rest > 0 else "")
