"""Claims of a report: whether each is words of its record, and the appendix that lists them.

A claim that is its quote, at its place in a record that is not retracted, needs no other check.
What is told in other words is for the claim ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.markdown import escape_markdown, table, unescape_markdown, visible
from deepcritical.domain.record_kinds import is_retracted
from deepcritical.domain.report_parts import Claim, Reference
from deepcritical.domain.text import fold, locate_quote

_HEADER = ("No.", "Claim", "Quote", "Source", "Characters")
_HEADER_OF_QUOTES = ("No.", "Claim, which is the quote word for word", "Source", "Characters")
_SHORT = 140
_SAME = "the same words"


def located(fact: Fact, evidence: Mapping[str, Evidence]) -> Fact | None:
    """The fact with its offsets set to where its quote really stands; None if it stands nowhere."""
    record = evidence.get(fact.evidence_id)
    place = locate_quote(fact.quote, record.content) if record else None
    if record is None or place is None:
        return None
    if record.content[fact.start : fact.end] == fact.quote:
        return fact
    start, end = place
    return fact.model_copy(update={"quote": record.content[start:end], "start": start, "end": end})


def claim_holds(claim: Claim, evidence: Mapping[str, Evidence]) -> bool:
    """Whether the quote stands at its offsets, the sentence is it, and its record counts."""
    record = evidence.get(claim.evidence_id)
    if record is None or is_retracted(record):
        return False
    if fold(record.content[claim.start : claim.end]) != fold(claim.quote):
        return False
    return is_quote(claim)


def is_quote(claim: Claim) -> bool:
    """Return whether a claim's sentence is its quote, markup and control characters aside."""
    quote = fold(visible(claim.quote))
    return quote in (fold(unescape_markdown(claim.sentence)), fold(claim.sentence))


def claim_appendix(claims: Sequence[Claim], references: Sequence[Reference]) -> str:
    """Return a table of the claims in the order of their sources; '' without any."""
    numbers = {r.evidence_id: n for n, r in enumerate(references, 1)}
    cited = [claim for claim in claims if claim.evidence_id in numbers]
    cited.sort(key=lambda claim: (numbers[claim.evidence_id], claim.start, claim.end))
    if not cited:
        return ""
    quoted = all(map(is_quote, cited))
    rows = [
        _row(f"C{n}", claim, numbers[claim.evidence_id], references, quoted)
        for n, claim in enumerate(cited, 1)
    ]
    note = (
        "What each sentence taken from a record rests on: the quote, and where it stands in the "
        "record's text as it was read, counted in characters. Long texts are shortened here; "
        "report.json holds them whole."
    )
    return f"{note}\n\n{table(_HEADER_OF_QUOTES if quoted else _HEADER, rows)}"


def _row(
    name: str,
    claim: Claim,
    cited: int,
    references: Sequence[Reference],
    quoted: bool,
) -> tuple[str, ...]:
    def shown(text: str) -> str:
        return escape_markdown(_shortened(text))

    quote = _SAME if is_quote(claim) else shown(claim.quote)
    return (
        name,
        shown(unescape_markdown(claim.sentence)),
        *(() if quoted else (quote,)),
        f"{escape_markdown(references[cited - 1].short_name)} [{cited}]",
        ", ".join(filter(None, (claim.place, f"{claim.start}–{claim.end}"))),
    )


def _shortened(text: str) -> str:
    """The text up to a word's end, with an ellipsis where something is left out."""
    if len(text) <= _SHORT:
        return text
    return f"{text[: _SHORT + 1].rpartition(' ')[0] or text[:_SHORT]} …"
