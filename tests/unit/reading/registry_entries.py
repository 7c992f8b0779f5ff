"""Made-up entries of ClinicalTrials.gov, and their readings."""

from __future__ import annotations

import copy
import json
from typing import Any

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import Result, StudyReading
from deepcritical.reading.registry import read_registry
from deepcritical.tools.clinicaltrials.records import parse
from tests.unit.reading.study_answers import READ_AT

Part = dict[str, Any]
TITLES = ("Examplol", "Placebo")
SCORE = "Testitis Score"


ARMS: Part = {
    "armGroups": [
        {
            "label": "Examplol",
            "type": "EXPERIMENTAL",
            "interventionNames": ["Drug: Examplol"],
        },
        {
            "label": "Placebo",
            "type": "PLACEBO_COMPARATOR",
            "interventionNames": ["Drug: Placebo"],
        },
    ],
    "interventions": [
        {"type": "DRUG", "name": "Examplol"},
        {"type": "DRUG", "name": "Placebo"},
    ],
}


def made_groups(start: str, titles: tuple[str, ...]) -> list[Part]:
    return [{"id": f"{start}{n:03d}", "title": title} for n, title in enumerate(titles)]


def made_by_group(start: str, values: tuple[Any, ...], name: str = "value") -> list[Part]:
    return [{"groupId": f"{start}{n:03d}", name: str(v)} for n, v in enumerate(values)]


def made_analysis(groups: tuple[int, ...] = (0, 1), **told: Any) -> Part:
    return {"groupIds": [f"OG{n:03d}" for n in groups], "nonInferiorityType": "SUPERIORITY", **told}


def made_difference(value: str, low: str, high: str, **told: Any) -> Part:
    return made_analysis(
        paramType="Mean Difference (Final Values)",
        paramValue=value,
        ciPctValue="95",
        ciNumSides="TWO_SIDED",
        ciLowerLimit=low,
        ciUpperLimit=high,
        **told,
    )


def made_measure(
    values: tuple[Any, ...] = (12.1, 13.6),
    *analyses: Part,
    titles: tuple[str, ...] = TITLES,
    sizes: tuple[int, ...] = (40, 41),
    **told: Any,
) -> Part:
    return {
        "type": "PRIMARY",
        "title": SCORE,
        "paramType": "MEAN",
        "dispersionType": "Standard Deviation",
        "unitOfMeasure": "points",
        "timeFrame": "Week 12",
        "groups": made_groups("OG", titles),
        "denoms": [{"units": "Participants", "counts": made_by_group("OG", sizes)}],
        "classes": [{"categories": [{"measurements": made_by_group("OG", values)}]}],
        "analyses": list(analyses),
        **told,
    }


def made_flow(titles: tuple[str, ...] = TITLES, sizes: tuple[int, ...] = (41, 42)) -> Part:
    started = {"type": "STARTED", "achievements": made_by_group("FG", sizes, "numSubjects")}
    ended = {"type": "COMPLETED", "achievements": made_by_group("FG", (1, 1), "numSubjects")}
    return {
        "groups": made_groups("FG", titles),
        "periods": [
            {"title": "First", "milestones": [started, ended]},
            {"title": "Second", "milestones": [started]},
        ],
    }


def made_study(*measures: Part, flow: Part | None = None, harms: list[Part] | None = None) -> Part:
    return {
        "protocolSection": {
            "identificationModule": {"nctId": "NCT99000001", "briefTitle": "Examplol in Testitis"},
            "statusModule": {"overallStatus": "COMPLETED"},
            "conditionsModule": {"conditions": ["Testitis"]},
            "designModule": {
                "studyType": "INTERVENTIONAL",
                "designInfo": {
                    "allocation": "RANDOMIZED",
                    "interventionModel": "PARALLEL",
                    "maskingInfo": {"masking": "QUADRUPLE"},
                },
                "enrollmentInfo": {"count": 84, "type": "ACTUAL"},
            },
            "armsInterventionsModule": copy.deepcopy(ARMS),
        },
        "resultsSection": {
            "participantFlowModule": flow or {},
            "outcomeMeasuresModule": {"outcomeMeasures": list(measures)},
            "adverseEventsModule": {"eventGroups": harms or []},
        },
        "hasResults": bool(measures),
    }


def made_evidence(study: Part) -> Evidence:
    parsed = parse(json.dumps(study).encode())
    assert parsed.skipped == ()
    return parsed.records[0]


def made_read(study: Part) -> StudyReading:
    reading = read_registry(made_evidence(study), READ_AT)
    assert reading is not None
    return reading


def made_only(measure: Part) -> Result:
    found = made_read(made_study(measure)).results
    assert len(found) == 1, found
    return found[0]
