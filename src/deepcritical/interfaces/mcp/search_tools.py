"""MCP tools that search live sources, and check a sentence against the records it cites."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from deepcritical.domain.question.question import checked_question
from deepcritical.domain.report.claims import check_size
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.domain.text.markdown import visible
from deepcritical.domain.text.spans import shorten_at_sentence
from deepcritical.interfaces.mcp import models
from deepcritical.interfaces.mcp.models import Call, Run, ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deepcritical.bootstrap import Lookups
    from deepcritical.domain.evidence.record import Evidence
    from deepcritical.domain.report.claims import Check, ClaimCheck

_SNIPPET = 500
"""Characters that a snippet should not exceed; it is cut at a sentence."""
_KINDS = ("pmid", "nct", "doi", "pmcid", "registry")
"""The kinds of ids, the best first."""


class SearchTools:
    """The tools over the live sources."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    def of(self, source: str) -> Run:
        """The search of one source."""

        async def search(_call: Call, given: models.Search) -> models.SearchOutput:
            query = checked_question(given.query)
            found = await self._lookups.search([source], query, given.max_results)
            answer = found.answers[0]
            return models.SearchOutput(
                source=answer.source,
                outcome=answer.result.outcome.value,
                query_as_run=answer.result.query_as_run,
                total=answer.result.total,
                records=tuple(map(_record, found.records.values())),
                skipped=tuple(map(visible, answer.result.skipped)),
            )

        return search

    async def verify_claim(self, _call: Call, given: models.VerifyClaim) -> models.Verified:
        """Check a sentence against the records that it cites.

        Raises:
            ToolError: An id is none.
            QuestionError: There are too many numbers.
        """
        claim, ids = checked_question(given.claim), [_canonical(one) for one in given.ids]
        check_size(claim, ())
        records = await self._lookups.records_of(ids)
        check_size(claim, (record.content for record in records.values()))
        check = await asyncio.to_thread(_checked, claim, records, given.quote or None)
        source = records.get(check.evidence_id)
        return models.Verified(
            claim=claim,
            verdict=check.verdict,
            reasons=tuple(map(visible, check.reasons)),
            supported=check.supported,
            reason=visible(check.reason),
            source=_record(source) if source else None,
            quotes=tuple(visible(quote.text) for quote in check.quotes),
            checks=tuple(map(_check_made, check.checks)),
            not_found=tuple(i for i in ids if i not in records),
        )


def _checked(claim: str, records: Mapping[str, Evidence], quote: str | None) -> ClaimCheck:
    # Imported late: the dictionaries take seconds.
    from deepcritical.verification.claims import verify_claim

    return verify_claim(claim, records, quote)


def _check_made(check: Check) -> models.CheckMade:
    reason = visible(check.reason)
    return models.CheckMade(kind=check.kind.value, outcome=check.outcome.value, reason=reason)


def _record(record: Evidence) -> models.FoundRecord:
    meta, citation = record.metadata, record.citation
    ids = sorted(canonical_ids(record), key=_rank)
    return models.FoundRecord(
        id=ids[0],
        ids=tuple(ids),
        title=visible(citation.title),
        year=citation.date[:4],
        kind=visible(meta.status or ", ".join(meta.publication_types)),
        url=citation.url,
        snippet=visible(shorten_at_sentence(record.content, _SNIPPET)),
        integrity=meta.integrity,
    )


def _rank(identifier: str) -> tuple[int, str]:
    kind = identifier.partition(":")[0]
    return (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), identifier)


def _canonical(given: str) -> str:
    from deepcritical.verification.ids import id_named

    if found := id_named(given):
        return found
    raise ToolError(f"`ids`: {visible(given)!r} is not a PMID, PMCID, DOI or NCT number.")
