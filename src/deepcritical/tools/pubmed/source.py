"""Searches PubMed by NCBI's E-utilities: ESearch and ELink find ids, EFetch gives records.

Rules are those of "A General Introduction to the E-utilities" and "The E-utilities In-Depth"
(Entrez Programming Utilities Help, NCBI Bookshelf NBK25497 and NBK25499): every call names `tool`
and `email`; more than about 200 ids, and long terms, are sent by POST; ESearch gives at most the
first 9,999 records of PubMed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import SearchBlock
from deepcritical.tools.base import (
    AgentSearch,
    Parsed,
    SearchTool,
    SourceDescription,
    SourceOutcome,
    SourceQuery,
    SourceResult,
    outcome_of,
)
from deepcritical.tools.concepts import Concept, truncated
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.pubmed.records import is_whole, parse
from deepcritical.tools.pubmed.search import Found, read_elink, read_esearch
from deepcritical.tools.query_utils import concept_groups
from deepcritical.vocabulary.classes import drug_class

if TYPE_CHECKING:
    from deepcritical.tools.http import Check, Payload, SourceClient

MOST_RECORDS = 9_999
"""ESearch gives no record of PubMed behind this one."""
IDS_BY_POST = 400
"""Ids of one request, by POST above some 200; that many records with their reference lists stay
under `MAX_BODY_BYTES`."""
MOST_LINKED = 1_000
"""Linked works of which those that fit the rest of the query are sought."""


class PubMed(SearchTool):
    """A search tool over PubMed, which asks who runs this program for an address."""

    name = "PubMed"

    def __init__(self, client: SourceClient, *, email: str = "") -> None:
        self._client = client
        named = {"db": "pubmed", "tool": "deepcritical", "email": email}
        self._always = {name: value for name, value in named.items() if value}

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The records that match best, in PubMed's order (`sort=relevance`).

        Records that are not indexed yet are asked for by date, the newest first (`sort=pub_date`).
        A record's `relevance_score` is 1 - rank / n, rank 0 being the best of all n that match.
        `skipped` names the records that were found and could not be read, which makes the outcome
        `degraded`, and then the phrases that PubMed did not know and searched without. These alone
        leave the outcome as it is: no record was lost by them, but what was found may be broader
        than what was asked, and the reader is told.

        Raises:
            RateLimitError: PubMed still refuses after all attempts.
            SearchError: The search failed, or no record could be fetched.
        """
        if query.block is SearchBlock.WORDS:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        term = await asyncio.to_thread(pubmed_term, query)  # the vocabulary is read from files
        if not term:
            return SourceResult(outcome=SourceOutcome.EMPTY, query_as_run=query.text)
        as_run = term
        if query.linked_to:
            pmids = await self._linked(query)
            term = f"({' OR '.join(f'{pmid}[uid]' for pmid in pmids)}) AND {term}"
            links = f"{len(pmids):,} works that ELink links to PMID {', '.join(query.linked_to)}"
            as_run = f"({links}) AND {as_run}"
            if not pmids:
                return SourceResult(outcome=SourceOutcome.EMPTY, query_as_run=as_run)
        most = min(query.max_results, MOST_RECORDS)
        sort = "pub_date" if query.block is SearchBlock.RECENT else "relevance"
        asked = {"term": term, "retmax": str(most), "retmode": "json", "sort": sort}
        answer = await self._ask("esearch.fcgi", asked, read_esearch, query.answer_by)
        found = read_esearch(answer.content)
        found = found._replace(pmids=found.pmids[:most])
        fetched = await self._fetch(found, query.answer_by)
        result = _result(as_run, found, fetched, cached=answer.cached and fetched.cached)
        order = "sorted by relevance" if sort == "relevance" else "sorted by date"
        return result.model_copy(update={"filters": (order, f"first {most:,}")})

    async def _linked(self, query: SourceQuery) -> tuple[str, ...]:
        """Works that cite those named, that these cite or that are like them, the best known first.

        Without a link's name ELink gives the links of all kinds in one answer.
        """
        ids = ",".join(query.linked_to)
        asked = {"dbfrom": "pubmed", "id": ids, "cmd": "neighbor", "retmode": "json"}
        answer = await self._ask("elink.fcgi", asked, read_elink, query.answer_by)
        found = await asyncio.to_thread(read_elink, answer.content)
        return tuple(pmid for pmid in found if pmid not in query.linked_to)[:MOST_LINKED]

    async def _ask(
        self, path: str, asked: Mapping[str, str | int], check: Check, by: Deadline | None
    ) -> Payload:
        return await self._client.get(path, {**self._always, **asked}, check, by, path)

    async def _fetch(self, found: Found, by: Deadline | None) -> _Fetched:
        """The records of all ids, in batches; a batch that fails costs no other one.

        Raises SearchError where no batch could be fetched.
        """
        pmids, read = found.pmids, _Fetched()
        for start in range(0, len(pmids), IDS_BY_POST):
            batch = pmids[start : start + IDS_BY_POST]
            asked = {"id": ",".join(batch), "retmode": "xml"}
            try:
                answer = await self._ask("efetch.fcgi", asked, is_whole, by)
                # Hundreds of records are too much for the event loop.
                read.add(await asyncio.to_thread(parse, answer.content), cached=answer.cached)
            except SearchError as error:
                # Who refuses after all attempts is not asked for the rest, nor is it after the end.
                ends = isinstance(error, RateLimitError) or (by and not by.left_s)
                read.lose(pmids[start:] if ends else batch, error)
                if ends:
                    break
        if read.error and len(read.unread) == len(pmids):
            raise _all_unread(found, read.error)
        return read


def _all_unread(found: Found, error: SearchError) -> SearchError:
    """The error of the fetch, which also says what the search had found."""
    message = f"PubMed found {found.total:,} records and gave none of them: {error.message}"
    if isinstance(error, RateLimitError):
        return RateLimitError(message, error.advice, error.retry_after_s)
    return SearchError(message, error.advice)


class _Fetched:
    """The results of EFetch so far."""

    def __init__(self) -> None:
        self.records: list[Evidence] = []
        self.skipped: list[str] = []
        self.unread: set[str] = set()
        """Ids of batches that failed, which `skipped` names as one."""
        self.error: SearchError | None = None
        """Why the first of them failed."""
        self.cached = True

    def add(self, parsed: Parsed, *, cached: bool) -> None:
        self.records += parsed.records
        self.skipped += parsed.skipped
        self.cached &= cached

    def lose(self, pmids: Sequence[str], error: SearchError) -> None:
        note = f"{len(pmids)} records, PMID {pmids[0]} to {pmids[-1]}: {error.message}"
        self.skipped.append(note)
        self.unread |= set(pmids)
        self.error = self.error or error


def _result(term: str, found: Found, fetched: _Fetched, *, cached: bool) -> SourceResult:
    evidence = _ranked(fetched.records, found)
    lost = (*fetched.skipped, *_missing(found.pmids, fetched))
    if found.total and not found.pmids:
        lost = (f"PubMed counts {found.total:,} records and names none", *lost)
    return SourceResult(
        outcome=outcome_of(evidence, lost),
        evidence=evidence,
        query_as_run=term,
        understood_as=found.understood_as,
        total=found.total,
        skipped=(*lost, *found.notes),
        cached=cached,
    )


def _ranked(records: Sequence[Evidence], found: Found) -> tuple[Evidence, ...]:
    """Records in the order of ESearch, because EFetch promises none; nothing that was not asked."""
    ranks = {pmid: rank for rank, pmid in enumerate(found.pmids)}
    by_rank = {ranks[r.metadata.pmid]: r for r in reversed(records) if r.metadata.pmid in ranks}
    return tuple(
        by_rank[rank].model_copy(update={"relevance_score": 1 - rank / found.total})
        for rank in sorted(by_rank)
    )


def _missing(pmids: Sequence[str], fetched: _Fetched) -> list[str]:
    """A note for each id that EFetch answered nothing for, as for a withdrawn record."""
    present = {record.metadata.pmid for record in fetched.records} | fetched.unread
    named = {note.partition(":")[0] for note in fetched.skipped}
    return [
        f"PMID {pmid}: found, but not in the answer"
        for pmid in pmids
        if pmid not in present and f"PMID {pmid}" not in named
    ]


_FILTERS: Mapping[SearchBlock, str] = {
    # The Cochrane Highly Sensitive Search Strategy for identifying randomized trials in MEDLINE:
    # sensitivity-maximizing version (2008 revision), PubMed format: Cochrane Handbook 5.1, Box
    # 6.4.a; its last line excludes studies of animals alone. The British spelling is added: a word
    # with a field tag is not mapped to it.
    SearchBlock.TRIALS: (
        '("randomized controlled trial"[pt] OR "controlled clinical trial"[pt]'
        " OR randomized[tiab] OR randomised[tiab] OR placebo[tiab]"
        ' OR "drug therapy"[sh] OR randomly[tiab]'
        " OR trial[tiab] OR groups[tiab]) NOT (animals[mh] NOT humans[mh])"
    ),
    # PubMed's own filter for systematic reviews (a subset of the National Library of Medicine),
    # and what its indexers call a meta-analysis.
    SearchBlock.REVIEWS: (
        'systematic[sb] OR "meta-analysis"[pt] OR "systematic review"[tiab]'
        ' OR "meta-analysis"[tiab]'
    ),
    # Ours, not validated: publication type and headings of MeSH with the words of authors.
    SearchBlock.OBSERVATIONAL: (
        '"observational study"[pt] OR "cohort studies"[Mesh] OR "case-control studies"[Mesh]'
        ' OR cohort*[tiab] OR "case-control"[tiab] OR observational[tiab]'
    ),
    # Ours, not validated: subheadings of MeSH for harms with the words of authors.
    SearchBlock.HARMS: (
        '"adverse effects"[sh] OR toxicity[sh] OR poisoning[sh] OR safety[tiab]'
        ' OR "adverse event*"[tiab] OR "adverse effect*"[tiab] OR "side effect*"[tiab]'
        " OR tolerability[tiab] OR mortality[tiab] OR harm*[tiab]"
    ),
    # Ours, not validated.
    SearchBlock.MECHANISM: (
        '"signal transduction"[Mesh] OR mechanism*[tiab] OR pathway*[tiab]'
        " OR signaling[tiab] OR signalling[tiab]"
    ),
}


def pubmed_term(query: SourceQuery) -> str:
    """Return the term that ESearch is asked; '' when nothing is left to search for.

    Concept blocks are joined by AND, with a filter for a kind of evidence. [Mesh] includes the
    narrower headings by itself. A phrase in quotes or with a field tag is searched as it is; a name
    with neither is mapped by PubMed to its heading and its other names (PubMed User Guide,
    Automatic Term Mapping). So a concept without a heading of ours has its first name once without
    quotes.
    """
    groups = concept_groups(query, partial(_block, field="nm"), _block)
    if not groups:
        return ""
    if filtered := _FILTERS.get(query.block):
        groups.append(f"({filtered})")
    asked = " AND ".join(groups)
    return f"({asked}) NOT medline[sb]" if query.block is SearchBlock.RECENT else asked


def _block(concept: Concept, field: str = "") -> str:
    """A concept in its heading, its truncated words and its names.

    `field` is a further field of its first name, such as `nm`, the names of substances.
    """
    # Operators are read from left to right: words that no parentheses hold would narrow the rest.
    mapped = f"({concept.mapped})" if " " in concept.mapped else concept.mapped
    parts = [f'"{concept.heading}"[Mesh]' if concept.heading else mapped]
    if field and concept.names and not drug_class(concept.names[0]):
        parts.append(f'"{concept.names[0]}"[{field}]')
    parts += [f"{stem}*[tiab]" for stem in concept.stems]
    phrases = {truncated(name).casefold(): truncated(name) for name in concept.phrases}
    parts += [f'"{name}"[tiab]' for name in phrases.values()]
    if concept.parts:
        parts.append(f"({' AND '.join(f'({_block(part)})' for part in concept.parts)})")
    return " OR ".join(filter(None, parts))


SOURCE = SourceDescription(
    key="pubmed",
    name=PubMed.name,
    url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils/",
    service="the E-utilities",
    per_second=3,
    api_key="ncbi_api_key",
    per_second_with_key=10,
    by_default=True,
    by_id={"pmid": "{}[uid]"},
    agent_search=AgentSearch("pubmed", "for papers, by words or in its own language"),
    indexes="papers",
    asked="ESearch by relevance, then EFetch",
    beside="10 with `NCBI_API_KEY`",
    terms="https://www.nlm.nih.gov/databases/download.html",
    open=lambda means: PubMed(means.client(), email=means.email),
)
