"""Searches ClinicalTrials.gov for trials under way, ended and stopped."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.evidence.record import Evidence
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
from deepcritical.tools.clinicaltrials.records import parse, studies_in
from deepcritical.tools.deadline import Deadline, together
from deepcritical.tools.query_utils import trial_params

if TYPE_CHECKING:
    from deepcritical.tools.http import SourceClient

MAX_PAGE = 100
"""Studies of one request; the API allows 1,000, which with posted results are over 20 MB."""
_MOST_EMPTY_PAGES = 5
"""A page may have no study and yet a next one."""
_STATUSES = {
    "completed, running or planned": (
        "COMPLETED|ACTIVE_NOT_RECRUITING|RECRUITING|ENROLLING_BY_INVITATION|NOT_YET_RECRUITING|UNKNOWN"
    ),
    "stopped": "TERMINATED|WITHDRAWN|SUSPENDED",
}
_FILTERS = {
    "filter.advanced": "AREA[StudyType]INTERVENTIONAL",
    "sort": "@relevance",  # the API does not sort by itself
}
_RAN, _STOPPED = (statuses.replace("|", ", ") for statuses in _STATUSES.values())
_TOLD = (
    "interventional studies",
    f"statuses {_RAN}",
    f"and {_STOPPED}",
    "each sorted by relevance, studies with results first, two of the former for one of the latter",
)
"""The filters in the words of a reader."""
_FIELDS = (
    "IdentificationModule|StatusModule|SponsorCollaboratorsModule|DescriptionModule|"
    "ConditionsModule|DesignModule|ArmsInterventionsModule|OutcomesModule|ReferencesModule|"
    "OutcomeMeasuresModule|ConditionBrowseModule|InterventionBrowseModule|HasResults"
)
"""The modules that are read; without sites and adverse events a page is a tenth as large."""
_STRAY_BRACKETS = re.compile(
    r"(?<!\bAREA)(?<!\bRANGE)(?<!\bSEARCH)(?<!\bEXPANSION)(?<!\bCOVERAGE)(?<!\bTILT)\[[^\[\]]*\]"
)


class ClinicalTrials(SearchTool):
    """A search tool over ClinicalTrials.gov.

    Each search is two queries, so that the many trials that ran to their end never crowd out the
    few that were stopped: of three records one is a stopped trial, as long as there are any.
    """

    name = "ClinicalTrials.gov"

    def __init__(self, client: SourceClient) -> None:
        self._client = client

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The best records of both queries.

        When one of them fails, or a later page does, the rest is kept and the answer `degraded`.
        A query for literature only is `not_applicable`, and nothing is asked.

        Raises:
            RateLimitError: ClinicalTrials.gov refuses for the moment.
            SearchError: Neither query got an answer.
        """
        if query.literature_only:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        params = await asyncio.to_thread(trial_params, query)  # reads vocabulary files
        asked = {name: _essie(text) for name, text in params.items()}
        if not any(asked.values()):  # without a query the API would return every study there is
            return SourceResult(outcome=SourceOutcome.EMPTY, query_as_run=query.text)
        most = query.max_results
        found = [
            _Found(what, {**asked, "filter.overallStatus": statuses, **_FILTERS})
            for what, statuses in _STATUSES.items()
        ]
        await together(self._search(one, most, query.answer_by) for one in found)
        errors = [search.error for search in found if search.error and not search.pages]
        if len(errors) == len(found):
            raise next((e for e in errors if isinstance(e, RateLimitError)), errors[0])
        return _result(found, most)

    async def _search(self, found: _Found, most: int, by: Deadline | None) -> None:
        """Page by page, until there are enough; an error ends it and is kept."""
        try:
            while found.goes_on(most):
                params = found.next_params(most)
                payload = await self._client.get("studies", params, studies_in, by)
                page = await asyncio.to_thread(parse, payload.content)
                found.add(page, cached=payload.cached)
        except SearchError as error:
            found.error = error


class _Found:
    """The results of one of the queries so far."""

    def __init__(self, what: str, params: Mapping[str, str]) -> None:
        self.what = what
        self.params = dict(params)
        self.records: dict[str, Evidence] = {}
        self.skipped: list[str] = []
        self.total = 0
        self.pages = 0
        self.cached = True
        self.error: SearchError | None = None
        self._token = ""
        self._empty = 0

    def goes_on(self, most: int) -> bool:
        more = not self.pages or self._token
        return bool(more) and len(self.records) < most and self._empty < _MOST_EMPTY_PAGES

    def next_params(self, most: int) -> dict[str, str | int]:
        """All but page and count must stay as they were for the first page."""
        page: dict[str, str | int] = {"pageSize": min(most, MAX_PAGE), "fields": _FIELDS}
        page |= {"pageToken": self._token} if self._token else {"countTotal": "true"}
        return {**self.params, **page}

    def add(self, page: Page, *, cached: bool) -> None:
        self.pages += 1
        self.cached &= cached
        self.total = page.total or self.total
        self._empty = 0 if page.records else self._empty + 1
        self._token = page.next_page if page.next_page != self._token else ""
        self.skipped.extend(page.skipped)
        for record in page.records:
            self.records.setdefault(record.metadata.nct_id or "", record)

    def reasons(self) -> Iterator[str]:
        yield from self.skipped
        if self.error:
            after = f" after {len(self.records)} records" if self.pages else ""
            yield f"{self.what} trials{after}: {self.error}"


def _essie(text: str) -> str:
    """A query without brackets that are no Essie operator, such as a PubMed field tag.

    The API answers them with an error.
    """
    return " ".join(_STRAY_BRACKETS.sub(" ", text).split())


def _result(found: list[_Found], most: int) -> SourceResult:
    # A stable sort: within each half the order of the registry stays.
    ran, stopped = (
        sorted(f.records.values(), key=lambda r: not r.metadata.has_results) for f in found
    )
    known = {record.metadata.nct_id for record in ran}
    # The API drops the filters of a query that is a list of NCT ids: both answers are then alike.
    new = [record for record in stopped if record.metadata.nct_id not in known]
    records = _interleaved(ran, new)
    evidence = ranked(records[:most])
    skipped = tuple(chain.from_iterable(f.reasons() for f in found))
    return SourceResult(
        outcome=outcome_of(evidence, skipped),
        evidence=evidence,
        query_as_run=" ; ".join(
            "&".join(f"{name}={value}" for name, value in f.params.items()) for f in found
        ),
        filters=(*_TOLD, f"first {most:,}"),
        total=sum(f.total for f in found) - (len(stopped) - len(new)),
        skipped=skipped,
        cached=all(f.cached for f in found if f.pages),
    )


def _interleaved(ran: list[Evidence], stopped: list[Evidence]) -> list[Evidence]:
    """Two of the first list, one of the second between them; what is left of either at the end."""
    mixed: list[Evidence] = []
    first, second = deque(ran), deque(stopped)
    while first or second:
        takes_second = second and (len(mixed) % 3 == 1 or not first)
        mixed.append((second if takes_second else first).popleft())
    return mixed


SOURCE = SourceDescription(
    key="clinicaltrials",
    name=ClinicalTrials.name,
    url="https://clinicaltrials.gov/api/v2/",
    per_second=1,
    by_requests=True,
    by_default=True,
    by_id={"nct": "{}"},
    agent_search=AgentSearch(
        "clinical_trials", "for interventional trials, stopped ones with the reason among them"
    ),
    indexes="trials, with their results where posted",
    asked=(
        "interventional studies, completed, active, recruiting, planned or of unknown status, "
        "those with results first; and, in a query of its own, terminated, withdrawn and suspended "
        "ones, so that these are never crowded out"
    ),
    terms="https://clinicaltrials.gov/about-site/terms-conditions",
    open=lambda means: ClinicalTrials(means.client()),
)
