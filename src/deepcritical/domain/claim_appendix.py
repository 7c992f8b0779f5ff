"""The claim appendix of a report: each claim, the quote that it rests on, and where that stands."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.markdown import escape_markdown, table, unescape_markdown, visible
from deepcritical.domain.report_parts import Claim, Reference
from deepcritical.domain.text import fold

__all__ = ["claim_appendix", "is_quote"]

_HEADER = ("No.", "Claim", "Quote", "Source", "Characters")
_HEADER_OF_QUOTES = ("No.", "Claim, which is the quote word for word", "Source", "Characters")
_SHORT = 140
_SAME = "the same words"


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


def is_quote(claim: Claim) -> bool:
    """Return whether a claim's sentence is its quote, markup and control characters aside."""
    quote = fold(visible(claim.quote))
    return quote in (fold(unescape_markdown(claim.sentence)), fold(claim.sentence))


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
