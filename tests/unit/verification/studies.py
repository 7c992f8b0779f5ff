"""Invented studies of examplol in testitis, as records and as typed findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.report.sentences import Draft, Finding
from deepcritical.domain.study.reading import Effect
from deepcritical.verification.verifiers import Item, Judged
from tests.unit.domain.records import paper

TEXTS = {
    "E1": "In this double-blind trial, 412 adults with testitis received examplol or placebo. "
    "Relapse was less frequent with examplol than with placebo (RR 0.71, 95% CI 0.55 to 0.92; "
    "P = 0.01). Nausea was more frequent with examplol (RR 1.60, 95% CI 1.20 to 2.10).",
    "E2": "In a cohort of 5210 patients with testitis, the risk of fracture was higher with "
    "examplol than with madeupol (HR 1.30, 95% CI 1.10 to 1.54).",
    "E3": "In a randomised trial of 900 patients, mortality did not differ between examplol and "
    "placebo (RR 0.98, 95% CI 0.80 to 1.20).",
    "E4": "In mice with testitis, examplol reduced lesion size by 40%.",
    "E5": "In a post hoc analysis of women, pain was lower with examplol than with placebo.",
    "E6": "In a second randomised trial of 300 adults with testitis, relapse did not differ "
    "between examplol and placebo (RR 1.02, 95% CI 0.70 to 1.48).",
    "E7": "Examplol cured everybody.",
    "E8": "In the phase II CheckUp 227 trial, median survival rose from 6.1 to 9.4 months with "
    "examplol (HR 0.80, 95% CI 0.70 to 0.90), 45% of patients with examplol against 30% with "
    "placebo responded, and events of grade 3 or higher did not differ.",
    "E9": "In a randomised trial of 200 adults with testitis, relapse was less frequent with "
    "metformin plus simvastatin than with placebo.",
    "E10": "In a randomised trial, semaglutide lowered body weight more than liraglutide in "
    "adults with testitis.",
    "E11": "In a randomised trial of 412 adults with testitis, the primary end point was less "
    "frequent with examplol than with placebo (RR 0.71, 95% CI 0.55 to 0.92). Nausea was more "
    "frequent with examplol (RR 1.60, 95% CI 1.20 to 2.10).",
    "E12": "In mice with testitis, examplol reduced lesion size by 40% compared with aspirin.",
}
RECORDS = {
    key: paper(f"Study {key}", text, integrity="retracted" if key == "E7" else "clean")
    for key, text in TEXTS.items()
}
_ADULTS = "adults with testitis"


def _finding(number: int, outcome: str, way: Way, **changes: object) -> Finding:
    key = f"E{number}"
    fields = {
        "id": f"F{number}",
        "evidence_ids": (key,),
        "study": f"Study {key}",
        "design": "randomised trial",
        "drug": "examplol",
        "comparator": "placebo",
        "population": _ADULTS,
        "outcome": outcome,
        "way": way,
        "certainty": "moderate",
        "quotes": tuple(s for s in (TEXTS[key],) if s),
        "sentence": f"Template of {key}.",
        **changes,
    }
    return Finding.model_validate(fields)


def _ratio(measure: str, value: float, low: float, high: float, p: float | None = None) -> Effect:
    fields = {"measure": measure, "value": value, "ci_low": low, "ci_high": high, "p": p}
    return Effect.model_validate(fields)


FINDINGS = {
    f.id: f
    for f in (
        _finding(
            1,
            "relapse",
            Way.BENEFIT,
            effect=_ratio("RR", 0.71, 0.55, 0.92, 0.01),
            people=412,
            higher_is_better=False,
        ),
        _finding(
            2,
            "fracture",
            Way.HARM,
            effect=_ratio("HR", 1.3, 1.1, 1.54),
            people=5210,
            design="cohort",
            comparator="madeupol",
            population="patients with testitis",
            certainty="very low",
        ),
        _finding(
            3,
            "mortality",
            Way.NO_DIFFERENCE,
            effect=_ratio("RR", 0.98, 0.8, 1.2),
            people=900,
            population="patients with testitis",
        ),
        _finding(
            4,
            "lesion size",
            Way.BENEFIT,
            population="mice with testitis",
            design="animal study",
            comparator="",
            higher_is_better=False,
        ),
        _finding(
            5,
            "pain",
            Way.BENEFIT,
            population="women with testitis",
            level="subgroup",
            higher_is_better=False,
        ),
        _finding(
            6,
            "relapse",
            Way.NO_DIFFERENCE,
            effect=_ratio("RR", 1.02, 0.7, 1.48),
            people=300,
        ),
        _finding(7, "recovery", Way.BENEFIT),
        _finding(
            8,
            "survival",
            Way.BENEFIT,
            effect=_ratio("HR", 0.8, 0.7, 0.9),
            population="patients with stage IV testitis",
            study="CheckUp 227",
            higher_is_better=True,
        ),
        _finding(
            9, "relapse", Way.BENEFIT, drug="metformin plus simvastatin", higher_is_better=False
        ),
        _finding(
            10,
            "body weight",
            Way.BENEFIT,
            drug="GLP-1 receptor agonists",
            comparator="",
            higher_is_better=False,
        ),
        _finding(
            11,
            "relapse",
            Way.BENEFIT,
            effect=_ratio("RR", 0.71, 0.55, 0.92),
            higher_is_better=False,
        ),
        _finding(
            12,
            "lesion size",
            Way.BENEFIT,
            population="mice with testitis",
            design="animal study",
            comparator="",
            higher_is_better=False,
        ),
    )
}


def draft(text: str, *ids: str) -> Draft:
    """Return a sentence of an invented model over findings."""
    return Draft(text=text, finding_ids=ids, written_by="test:writer")


class ScriptedVerifier:
    """Judges as it was told: the sentences of `right` are supported, or all of them."""

    name = "test:verifier"

    def __init__(self, right: Sequence[str] = (), *, lies: bool = False) -> None:
        self.right = frozenset(right)
        self.lies = lies
        self.seen: list[str] = []

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        """Return a judgement for each sentence."""
        self.seen += [item.text for item in items]
        return {item.id: self._judged(item) for item in items}

    def _judged(self, item: Item) -> Judged:
        if self.lies or item.text in self.right:
            return Judged("supported", frozenset(item.quotes))
        return Judged("contradicted", frozenset(), "the quotes say something else")
