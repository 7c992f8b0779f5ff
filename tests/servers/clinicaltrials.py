"""API v2 of ClinicalTrials.gov over made-up studies, with the traits of the real one that hurt.

It sorts only when asked to, drops the filters of a query that is an NCT id, tells the count on the
first page only, and refuses syntax, fields and page tokens that it does not know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

DATA = Path(__file__).parent.parent / "data" / "clinicaltrials"
Study = dict[str, Any]

_QUERIES = ("query.intr", "query.cond", "query.term")
_PAGING = ("countTotal", "pageSize", "pageToken")
_ESSIE_ERROR = re.compile(r"(?<!AREA)(?<!RANGE)\[")
_SECTIONS = {
    "protocolSection": (
        *("IdentificationModule", "StatusModule", "SponsorCollaboratorsModule"),
        *("DescriptionModule", "ConditionsModule", "DesignModule", "ArmsInterventionsModule"),
        *("OutcomesModule", "ReferencesModule", "EligibilityModule"),
    ),
    "resultsSection": ("OutcomeMeasuresModule", "AdverseEventsModule"),
    "derivedSection": ("MiscInfoModule", "ConditionBrowseModule", "InterventionBrowseModule"),
}
_PIECES = {piece for pieces in _SECTIONS.values() for piece in pieces} | {"HasResults"}


def made_up_studies() -> list[Study]:
    """The studies of tests/data/clinicaltrials/studies.json."""
    studies: list[Study] = json.loads((DATA / "studies.json").read_text(encoding="utf-8"))
    return studies


def made_up_study(number: int, status: str = "COMPLETED", why: str | None = None) -> Study:
    return {
        "protocolSection": {
            "identificationModule": {
                "nctId": f"NCT9900{number:04d}",
                "briefTitle": f"Examplol in Testitis, Made-Up Study {number}",
            },
            "statusModule": {"overallStatus": status, "whyStopped": why},
            "conditionsModule": {"conditions": ["Testitis"]},
            "designModule": {"studyType": "INTERVENTIONAL"},
            "armsInterventionsModule": {"interventions": [{"type": "DRUG", "name": "Examplol"}]},
        },
        "hasResults": False,
    }


class ClinicalTrialsServer:
    """The service, as far as the client uses it.

    Args:
        studies: What it knows, most relevant first; by default the made-up studies.
    """

    def __init__(self, studies: list[Study] | None = None) -> None:
        self.studies = made_up_studies() if studies is None else studies
        self.asked: list[dict[str, str]] = []
        """The parameters of each request."""
        self.page_limit = 1_000
        """Larger pages than this are cut down to it."""
        self.refused_statuses: set[str] = set()
        """Requests for any of these statuses are answered with an error."""
        self.refuses_tokens = False
        """Requests for a further page are answered with an error."""
        self.app = Starlette(
            routes=[
                Route("/api/v2/studies", self._search),
                Route("/api/v2/studies/{nct}", self._single),
            ]
        )

    async def _search(self, request: Request) -> Response:
        params = dict(request.query_params)
        self.asked.append(params)
        if problem := self._problem(params):
            return PlainTextResponse(problem, status_code=400)
        found = list(self._matching(params))
        if params.get("sort") != "@relevance":
            found.reverse()
        start = _start(params)
        end = start + min(int(params.get("pageSize", "10")), self.page_limit)
        answer: dict[str, Any] = {
            "studies": [_projected(study, params["fields"]) for study in found[start:end]]
        }
        if params.get("countTotal") == "true" and start == 0:
            answer["totalCount"] = len(found)
        if end < len(found):
            answer["nextPageToken"] = f"{end}:{_fixed(params)}"
        return JSONResponse(answer)

    async def _single(self, request: Request) -> Response:
        nct = request.path_params["nct"].upper()
        known = {_part(study, "identificationModule")["nctId"]: study for study in self.studies}
        if nct not in known:
            return PlainTextResponse(f"NCT number {nct} not found", status_code=404)
        return JSONResponse(known[nct])

    def _problem(self, params: dict[str, str]) -> str:
        for name in _QUERIES:
            text = params.get(name, "")
            if _ESSIE_ERROR.search(text) or text.count("(") != text.count(")"):
                return f"Error parsing query in {name}: mismatched input"
        if unknown := set(params.get("fields", "").split("|")) - _PIECES:
            return f"`fields` parameter has not-recognized value: {sorted(unknown)}"
        if self.refused_statuses & set(params.get("filter.overallStatus", "").split("|")):
            return "this fault was asked for by the test"
        token = params.get("pageToken")
        if token and (self.refuses_tokens or token.partition(":")[2] != _fixed(params)):
            return "`pageToken` parameter has incorrect value"
        return ""

    def _matching(self, params: dict[str, str]) -> Iterator[Study]:
        asked = [params[name] for name in _QUERIES if name in params]
        by_id = [re.findall(r"NCT\d{8}", text) for text in asked if _is_ids(text)]
        statuses = set(params.get("filter.overallStatus", "").split("|"))
        kind = params.get("filter.advanced", "").removeprefix("AREA[StudyType]")
        for study in self.studies:
            if by_id:
                if _part(study, "identificationModule")["nctId"] in by_id[0]:
                    yield study
                continue
            if (
                _part(study, "statusModule").get("overallStatus") in statuses
                and _part(study, "designModule").get("studyType") == kind
                and all(_holds(study, text) for text in asked)
            ):
                yield study


def _part(study: Study, name: str) -> dict[str, Any]:
    part = study["protocolSection"].get(name)
    return part if isinstance(part, dict) else {}


def _is_ids(text: str) -> bool:
    return re.fullmatch(r"(?:NCT\d{8}[\s,]*)+", text) is not None


def _holds(study: Study, text: str) -> bool:
    """Tell if one of the phrases between ORs, or each word of it, is in the study."""
    known = json.dumps(study, ensure_ascii=False).lower()
    phrases = [phrase.strip(' ()"').lower() for phrase in text.split(" OR ")]
    return any(phrase in known or _has_words(phrase, known) for phrase in phrases)


def _has_words(phrase: str, known: str) -> bool:
    words = [word for word in re.findall(r"\w+", phrase) if word not in ("and", "or", "not")]
    return bool(words) and all(re.search(rf"\b{word}\b", known) for word in words)


def _fixed(params: dict[str, str]) -> str:
    """Return a sum of the parameters that must be the same for every page."""
    kept = sorted((name, value) for name, value in params.items() if name not in _PAGING)
    return str(sum(map(ord, str(kept))))


def _start(params: dict[str, str]) -> int:
    return int(params.get("pageToken", "0").partition(":")[0])


def _projected(study: Study, fields: str) -> Study:
    """The study with the modules that were asked for."""
    asked = {piece[:1].lower() + piece[1:] for piece in fields.split("|")}
    kept: Study = {"hasResults": study["hasResults"]} if "hasResults" in asked else {}
    for section in _SECTIONS:
        modules = study.get(section)
        if isinstance(modules, dict):
            kept[section] = {name: part for name, part in modules.items() if name in asked}
    return kept
