"""Invented readings, records and votes; every drug, condition and figure in here is made up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from deepcritical.appraisal.pico.asked import Asked, asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.appraisal.votes.voting import Ballot, ballot_of
from deepcritical.domain.appraisal.findings import Appraisal, Direction, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import TIERS, Directness, Importance, OutcomeRow, Vote, Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame
from deepcritical.domain.study.reading import (
    Arm,
    Better,
    ControlKind,
    Effect,
    EffectMeasure,
    Intervention,
    Population,
    Reader,
    Result,
    StudyReading,
)

READ_AT = datetime(2030, 1, 1, tzinfo=UTC)
DRUG, CONDITION, OUTCOME = "examplol", "testitis", "flurb score"
DEATHS = "all-cause mortality"
SIGNIFICANT, NULL = Effect(p=0.01), Effect(p=0.45)
LESS = Effect(measure="SMD", value=-0.5, ci_low=-0.7, ci_high=-0.3)
MORE = Effect(measure="SMD", value=0.5, ci_low=0.3, ci_high=0.7)
SAME = Effect(measure="SMD", value=0.0, ci_low=-0.15, ci_high=0.15)
"""Estimates with an interval, of a measure that is not pooled."""
TEXT = "Adults with testitis got examplol. The flurb score was better. Examplol works."

_NEAR: tuple[Directness, ...] = ("direct", "broader", "related")
_IMPORTANCE: dict[str, Importance] = {OUTCOME: "critical", DEATHS: "critical"}


def asked(condition: str = CONDITION, frame: QuestionFrame | None = None, **changes: Any) -> Asked:
    """Build a question about examplol; keywords are fields of it."""
    drug = Drug(name=DRUG, known=False)
    named = Condition(name=condition, names=(condition,), known=False)
    return asked_of(drug, named, frame)._replace(**changes)


def arm(
    arm_id: str,
    *drugs: str,
    n: int | None = 150,
    control: ControlKind | None = None,
    alternatives: bool = False,
) -> Arm:
    """People who got these drugs; of no drugs, a placebo."""
    got = tuple(Intervention(name=name) for name in drugs or ("placebo",))
    kind = control or (None if drugs else "placebo")
    return Arm(
        id=arm_id, label=arm_id, interventions=got, n=n, control=kind, alternatives=alternatives
    )


PLACEBO_CONTROLLED = (arm("A", DRUG), arm("B"))


def result(outcome: str = OUTCOME, **changes: Any) -> Result:
    """A primary result in favour of arm A, or as told."""
    effect = NULL if changes.get("better") == "no_difference" else SIGNIFICANT
    fields = {"level": "primary", "a": "A", "b": "B", "better": "a", "effect": effect}
    return Result.model_validate({"outcome": outcome, "sentences": (2,), **fields, **changes})


def null(outcome: str = OUTCOME, **changes: Any) -> Result:
    return result(outcome, better="no_difference", **changes)


def study(
    *results: Result, arms: Sequence[Arm] = PLACEBO_CONTROLLED, **changes: Any
) -> StudyReading:
    """A randomised trial in testitis, as a model read it; keywords are fields of the reading."""
    fields = {
        "text_sha256": "0" * 64,
        "reader": Reader(kind="model", name="test:model"),
        "read_at": READ_AT,
        "kinds": ("trial",),
        "design": ("randomised", "double_blind"),
        "population": people(),
    }
    return StudyReading.model_validate({"arms": arms, "results": results, **fields, **changes})


def people(*conditions: str, **changes: Any) -> Population:
    """Those studied: 300 people with testitis, or with the conditions named."""
    fields = {"conditions": conditions or (CONDITION,), "n_randomised": 300}
    return Population.model_validate({**fields, **changes})


def record(title: str = "Examplol in testitis", content: str = TEXT, **metadata: Any) -> Evidence:
    """A publication of a randomised trial; keywords are fields of its metadata."""
    fields = {"publication_types": ("Randomized Controlled Trial",), **metadata}
    return Evidence(
        content=content,
        citation=Citation(source="pubmed", title=title, date="2029"),
        metadata=EvidenceMetadata.model_validate(fields),
    )


def ballot(
    reading: StudyReading, question: Asked | None = None, evidence: Evidence | None = None
) -> Ballot:
    """The votes of a reading, of a paper that names drug and condition, or of one that is given."""
    evidence = evidence or record()
    return ballot_of(reading, evidence, question or asked(), grade(evidence))


def appraised(reading: StudyReading, key: str = "E1", **metadata: Any) -> Appraisal:
    """A record as it is weighed; keywords are fields of its metadata."""
    evidence = record(**metadata)
    graded = grade(evidence)
    return Appraisal.weighed(read_for(asked(), key, evidence, reading, graded), graded)


_FOUND = {Way.BENEFIT: LESS, Way.HARM: MORE, Way.NO_DIFFERENCE: NULL, Way.CONFLICT: NULL}


def vote(way: Way = Way.BENEFIT, **changes: Any) -> Vote:
    """A randomised primary vote of 300 people on a critical outcome; keywords are its fields."""
    fields = {
        "row": OUTCOME,
        "importance": "critical",
        "level": "primary",
        "tier": "randomised",
        "people": 300,
        "effect": _FOUND[way],
        **changes,
    }
    return Vote.model_validate({"outcome": fields["row"], "way": way, **fields})


def finding(*votes: Vote, key: str = "E1", **changes: Any) -> StudyFinding:
    """One study with its votes; keywords are fields of the finding."""
    held = tuple(v.model_copy(update={"evidence_id": key}) for v in votes)
    fields = {
        "evidence_ids": (key,),
        "deciding_ids": (key,) if held else (),
        "direction": Direction.NONE,
        "level": 2,
        "direct": True,
        "participants": None,
        "votes": held,
    }
    return StudyFinding.model_validate({**fields, **changes})


def findings(*votes: Vote) -> tuple[StudyFinding, ...]:
    return tuple(finding(one, key=f"E{n}") for n, one in enumerate(votes, start=1))


def orderless(row: OutcomeRow) -> dict[str, object]:
    """A row with the lists of its records sorted and its estimate rounded, to be compared."""
    told = row.model_dump(mode="json", exclude={"pooled", "finding", "sentence"})
    for name in ("evidence_ids", "beside", "effects"):
        told[name] = sorted(told[name], key=repr)
    if row.pooled:
        told["pooled"] = (row.pooled.measure, row.pooled.studies, round(row.pooled.value, 6))
    return told


def same(one: Verdict, other: Verdict) -> bool:
    """Tell if two verdicts have label, certainty and rows, in their order, in common."""
    pair = (one, other)
    label, certainty, rows = (
        [v.label for v in pair],
        [v.certainty for v in pair],
        [[orderless(row) for row in v.rows] for v in pair],
    )
    return label[0] == label[1] and certainty[0] == certainty[1] and rows[0] == rows[1]


EFFECTS = {
    Way.BENEFIT: (
        None,
        SIGNIFICANT,
        LESS,
        Effect(measure="RR", value=0.7, ci_low=0.6, ci_high=0.82),
    ),
    Way.HARM: (None, SIGNIFICANT, MORE, Effect(measure="RR", value=1.4, ci_low=1.2, ci_high=1.63)),
    Way.NO_DIFFERENCE: (
        None,
        NULL,
        SAME,
        Effect(measure="RR", value=1.0, ci_low=0.9, ci_high=1.11),
    ),
    Way.CONFLICT: (None, NULL),
}


@st.composite
def made_up_votes(
    draw: st.DrawFn,
    *,
    rows: Sequence[str] = (OUTCOME, DEATHS, "snerk"),
    ways: Sequence[Way] = tuple(Way),
    near: Sequence[Directness] = _NEAR,
) -> Vote:
    """A vote with any way, design, people and size; its effect tells what its way says."""
    row = draw(st.sampled_from(rows))
    way = draw(st.sampled_from(ways))
    return vote(
        way,
        row=row,
        importance=_IMPORTANCE.get(row, "important"),
        is_grave=row == DEATHS,
        is_fatal=row == DEATHS,
        comparator=draw(st.sampled_from(("", "", "", "testamine", "zorbafen"))),
        tier=draw(st.sampled_from(TIERS)),
        directness=draw(st.sampled_from(near)),
        level=draw(st.sampled_from(("primary", "secondary", "unstated"))),
        people=draw(st.sampled_from((None, 40, 150, 300, 450, 2000))),
        review=draw(st.booleans()),
        year=draw(st.sampled_from((None, 2020, 2029))),
        open_label=draw(st.booleans()),
        effect=draw(st.sampled_from(EFFECTS[way])),
        higher_is_better=False,
    )


@st.composite
def made_up_studies(
    draw: st.DrawFn, most: int = 5, votes: st.SearchStrategy[Vote] | None = None
) -> tuple[StudyFinding, ...]:
    """Up to as many studies, each with one to three votes."""
    lists = st.lists(made_up_votes() if votes is None else votes, min_size=1, max_size=3)
    return tuple(
        finding(*own, key=f"E{n}")
        for n, own in enumerate(draw(st.lists(lists, min_size=1, max_size=most)), start=1)
    )


def favourable_studies(most: int = 5) -> st.SearchStrategy[tuple[StudyFinding, ...]]:
    """Studies of the people asked about, of which most found a benefit."""
    ways = (*[Way.BENEFIT] * 5, Way.NO_DIFFERENCE)
    votes = made_up_votes(rows=(OUTCOME, OUTCOME, "snerk"), ways=ways, near=("direct",))
    return made_up_studies(most, votes)


_MEASURES: tuple[EffectMeasure, ...] = ("RR", "OR", "HR", "IRR", "RD", "MD", "SMD")
_DIFFERENCES = frozenset({"RD", "MD", "SMD"})
_OTHER: dict[Better, Better] = {"a": "b", "b": "a"}


@st.composite
def made_up_effects(draw: st.DrawFn) -> Effect:
    """An estimate within its interval, a ratio or a difference."""
    measure = draw(st.sampled_from(_MEASURES))
    hundredths = st.integers(5, 500)
    low, value, high = sorted(draw(st.tuples(hundredths, hundredths, hundredths)))
    shift = 250 if measure in _DIFFERENCES else 0
    return Effect(
        measure=measure,
        value=(value - shift) / 100,
        ci_low=(low - shift) / 100,
        ci_high=(high - shift) / 100,
    )


def made_up_results() -> st.SearchStrategy[Result]:
    """Results of arm A against arm B with figures, words, both or neither."""
    return st.builds(
        result,
        outcome=st.sampled_from((OUTCOME, DEATHS, "overall survival")),
        better=st.sampled_from(("a", "b", "no_difference", "unclear")),
        more=st.sampled_from((None, "a", "b")),
        higher_is_better=st.sampled_from((None, True, False)),
        level=st.sampled_from(("primary", "secondary", "unstated", "subgroup")),
        effect=st.none() | made_up_effects(),
    )


def swapped(told: Result) -> Result:
    """The same result with its arms the other way round."""
    changes = {
        "a": told.b,
        "b": told.a,
        "better": _OTHER.get(told.better, told.better),
        "more": _OTHER[told.more] if told.more else None,
        "effect": _inverted(told.effect),
    }
    return told.model_copy(update=changes)


def _inverted(effect: Effect | None) -> Effect | None:
    if effect is None or effect.value is None or effect.ci_low is None or effect.ci_high is None:
        return effect
    is_difference = effect.measure in _DIFFERENCES
    told = (effect.value, effect.ci_high, effect.ci_low)
    value, low, high = (-x if is_difference else 1 / x for x in told)
    return effect.model_copy(update={"value": value, "ci_low": low, "ci_high": high})
