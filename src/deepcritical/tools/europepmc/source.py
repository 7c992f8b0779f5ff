"""Searches Europe PMC for papers, preprints, patents and theses by its REST API."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import SearchBlock
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.domain.text.patterns import bounded
from deepcritical.tools.base import (
    AgentSearch,
    Page,
    SearchTool,
    SourceDescription,
    SourceOutcome,
    SourceQuery,
    SourceResult,
    outcome_of,
    ranked,
)
from deepcritical.tools.concepts import Concept, singular
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.europepmc.records import NoAnswerError, parse
from deepcritical.tools.query_utils import concept_groups

if TYPE_CHECKING:
    from deepcritical.tools.http import Payload, SourceClient

MAX_PAGE = 100
"""Records of one request; Europe PMC allows 1,000, which with abstracts take seconds."""
_ASKED_AGAIN = 2
"""Times that an answer without results or error is asked for again."""


class EuropePMC(SearchTool):
    """A search tool over Europe PMC."""

    name = "Europe PMC"

    def __init__(self, client: SourceClient) -> None:
        self._client = client

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The best records for a query, in the order of the source.

        What came before a later page that failed is kept, and the answer is `degraded`.

        Raises:
            RateLimitError: Europe PMC refuses for the moment.
            SearchError: It cannot be reached, or its answer is no result list.
        """
        if query.block is SearchBlock.WORDS:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        asked = await asyncio.to_thread(europepmc_query, query)  # reads vocabulary files
        if not asked:
            return SourceResult(outcome=SourceOutcome.EMPTY, query_as_run=query.text)
        found = _Found(query.max_results)
        while found.cursor:
            try:
                await self._next_page(asked, found, query.answer_by)
            except SearchError as error:
                if not found.pages:
                    raise
                found.skipped.append(f"the answer after {len(found.records)} records: {error}")
                break
        return found.result(asked)

    async def _next_page(self, asked: str, found: _Found, by: Deadline | None) -> None:
        params: dict[str, str | int] = {
            "query": asked,
            "resultType": "core",
            "format": "json",
            "pageSize": min(found.wanted, MAX_PAGE),
            "cursorMark": found.cursor,
            "synonym": "false",  # the query has its synonyms, and the reader sees them
        }
        payload = await self._answered(params, by)
        found.add(await asyncio.to_thread(parse, payload.content), payload.cached)

    async def _answered(self, params: dict[str, str | int], by: Deadline | None) -> Payload:
        ask = partial(self._client.get, "search", params, parse, by, "searchPOST")
        for _ in range(_ASKED_AGAIN):
            with suppress(NoAnswerError):  # the next one mostly is whole
                return await ask()
        return await ask()


class _Found:
    """The content of an answer's pages so far."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.records: list[Evidence] = []
        self.skipped: list[str] = []
        self.cursor = "*"
        self.pages = 0
        self._seen: set[str] = set()
        self._total = 0
        self._cached = True

    def add(self, page: Page, cached: bool) -> None:
        before = len(self.records)
        for record in page.records:
            ids = canonical_ids(record)
            # A page may repeat the end of the one before.
            if not ids & self._seen:
                self.records.append(record)
            self._seen |= ids
        self.skipped += page.skipped
        self.pages += 1
        self._total = max(self._total, page.total or 0)
        self._cached = self._cached and cached
        enough = len(self.records) >= self.wanted
        last = len(self.records) + len(self.skipped) >= self._total
        moved = page.next_page not in ("", self.cursor)
        # Cursors that lead back to pages already read would go on for ever.
        new = len(self.records) > before or bool(page.skipped)
        self.cursor = page.next_page if new and moved and not (enough or last) else ""

    def result(self, asked: str) -> SourceResult:
        return SourceResult(
            outcome=outcome_of(self.records, self.skipped),
            evidence=ranked(self.records[: self.wanted]),
            query_as_run=asked,
            filters=("sorted by relevance", "no expansion by synonyms", f"first {self.wanted:,}"),
            total=max(self._total, len(self.records)),
            skipped=tuple(dict.fromkeys(self.skipped)),
            cached=self._cached,
        )


_FIELD = bounded(
    r"(?:ABSTRACT|ACCESSION_\w+|AFF|AUTH\w*|CHEM|CHEBI_\w+|CITED|CITES|CREATION_DATE|DATA_\w+|DISEASE|"
    r"DISEASE_ID|DOI|EXT_ID|FIRST_PDATE|GENE_PROTEIN|GRANT_\w+|HAS_\w+|IN_EPMC|IN_PMC|JOURNAL|KW|"
    r"LANG|LICENSE|METHODS|OPEN_ACCESS|ORGANISM|ORGANISM_ID|PMCID|PUB_TYPE|PUB_YEAR|RESULTS|SRC|"
    r"TITLE|TITLE_ABS|UPDATE_DATE|FIRST_IDATE|ISSN|ISBN):"
)


def _words(*words: str) -> str:
    return " OR ".join(f'TITLE_ABS:"{word}"' for word in words)


_FILTERS: Mapping[SearchBlock, str] = {
    SearchBlock.TRIALS: 'PUB_TYPE:"Randomized Controlled Trial" OR PUB_TYPE:"Clinical Trial" OR '
    + _words("randomized", "randomised", "randomly", "placebo"),
    SearchBlock.REVIEWS: 'PUB_TYPE:"systematic-review" OR PUB_TYPE:"Systematic Review" OR '
    'PUB_TYPE:"Meta-Analysis" OR ' + _words("systematic review", "meta-analysis"),
    SearchBlock.OBSERVATIONAL: 'PUB_TYPE:"Observational Study" OR '
    + _words("cohort", "case-control", "observational"),
    SearchBlock.HARMS: _words(
        "adverse events", "adverse effects", "side effects", "safety", "tolerability", "mortality"
    ),
    SearchBlock.MECHANISM: _words("mechanism", "mechanisms", "pathway", "signaling", "signalling"),
    # What is not in an index yet is here as a preprint.
    SearchBlock.RECENT: 'SRC:"PPR"',
}
"""Ours, after the filters for PubMed; none is validated for Europe PMC."""


def europepmc_query(query: SourceQuery) -> str:
    """Return the query that Europe PMC is asked; '' when nothing is left to search for.

    TITLE_ABS is title and abstract, KW are keywords and MeSH headings, PUB_TYPE is the kind of
    publication and SRC the collection, of which PPR are preprints; CITES and REFFED_BY take the id
    of a work and its collection (Europe PMC, search syntax reference).
    """
    groups = concept_groups(query, _block, _block, _lucene_text)
    if query.linked_to:
        kinds = ("CITES", "REFFED_BY")
        links = (f"{kind}:{pmid}_med" for pmid in query.linked_to for kind in kinds)
        groups.insert(0, f"({' OR '.join(links)})")
    if groups and (filtered := _FILTERS.get(query.block)):
        groups.append(f"({filtered})")
    return " AND ".join(groups)


def _block(concept: Concept) -> str:
    """A concept as keyword, truncated words and names in titles and abstracts."""
    keyword = concept.heading or (concept.names[0] if concept.names else "")
    parts = [f'KW:"{keyword}"'] if keyword else []
    parts += [f"TITLE_ABS:{stem}*" for stem in concept.stems]
    forms = dict.fromkeys(form for name in concept.phrases for form in (name, singular(name)))
    parts += [f'TITLE_ABS:"{form}"' for form in forms]
    if concept.parts:
        parts.append(f"({' AND '.join(f'({_block(part)})' for part in concept.parts)})")
    return " OR ".join(parts)


def _lucene_text(text: str) -> str:
    """Text without what Lucene would read as syntax that the user did not mean.

    A colon behind a word that is no field finds nothing, a slash begins a regular expression.
    """
    pieces = re.split(r'("[^"]*")', text)
    pieces[::2] = [" ".join(map(_lucene_word, piece.split(" "))) for piece in pieces[::2]]
    pieces[1::2] = [_lucene_phrase(piece.replace("\\", " ")) for piece in pieces[1::2]]
    return "".join(pieces)


def _lucene_phrase(phrase: str) -> str:
    """A phrase; one with a wildcard as its words, because Lucene truncates no word of a phrase."""
    if "*" not in phrase:
        return phrase
    words = re.findall(r"\w[\w'-]*\*?", phrase.lower())  # in capitals they would be operators
    return f"({' AND '.join(words)})" if words else ""


def _lucene_word(word: str) -> str:
    if _FIELD.match(word.lstrip("(-+")):
        return word.replace("\\", " ")
    word = re.sub(r"[:/\\!{}^]", " ", word)
    return " " if re.fullmatch(r"[-+&|~]+", word) else word


SOURCE = SourceDescription(
    key="europepmc",
    name=EuropePMC.name,
    url="https://www.ebi.ac.uk/europepmc/webservices/rest/",
    per_second=5,
    by_default=True,
    by_id={"doi": 'DOI:"{}"', "pmcid": 'PMCID:"{}"'},
    agent_search=AgentSearch(
        "europe_pmc", "for papers and preprints, by words or in its own language"
    ),
    indexes="papers, preprints, patents and theses",
    asked="core records, preprints marked `[PREPRINT - Not peer-reviewed]`",
    terms="https://europepmc.org/Copyright",
    open=lambda means: EuropePMC(means.client()),
)
