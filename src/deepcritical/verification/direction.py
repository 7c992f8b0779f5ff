"""Checks that each clause of a sentence tells the direction of the findings that it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import quantities
from deepcritical.domain.sentences import Finding
from deepcritical.domain.votes import Way
from deepcritical.verification.fields import RATIOS, VAGUE, Judge, keys_of
from deepcritical.verification.signs import SIGN_WORDS, Sign, clauses, signs
from deepcritical.verification.words import stem

_AMOUNTS: dict[bool, Sign] = {True: "more", False: "less"}
_RISKS = frozenset(map(stem, "risk hazard odds probability likelihood".split()))
_TIME_TO = bounded(r"\btime (?:to|until)\b", re.IGNORECASE)
_EITHER: frozenset[Sign] = frozenset({"more", "less"})
_ANY: frozenset[Sign] = _EITHER | {"none", "mixed", "good", "bad"}


def owners_of(clause: str, cited: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings that a clause may be about; all of them where it tells none apart.

    It tells them apart by words that only some have: of the outcome, then of the study, then of
    comparator, people, design and time.
    """
    there = keys_of(clause)
    owners = tuple(cited)
    for field in (_outcome, _study, _setting):
        scores = _scores(field, there, owners)
        if not any(scores.values()):
            continue
        if field is _outcome:  # "overall survival" stands beside "disease-free survival"
            owners = tuple(f for f in owners if scores[f.id] or keys_of(f.outcome) <= there)
        else:
            owners = tuple(f for f in owners if scores[f.id] == max(scores.values()))
    return owners


def _scores(
    field: Callable[[Finding], str], there: frozenset[str], cited: Sequence[Finding]
) -> dict[str, int]:
    """Return how many of some words are those of a field that only a part of the findings has."""
    free = VAGUE if field is _outcome else VAGUE | SIGN_WORDS | {"or"}  # the ratio, too
    words_of = {f.id: keys_of(field(f)) - free for f in cited}
    shared = frozenset.intersection(*words_of.values())
    return {key: len((words - shared) & there) for key, words in words_of.items()}


def _outcome(finding: Finding) -> str:
    return finding.outcome


def _study(finding: Finding) -> str:
    return finding.study


def _setting(finding: Finding) -> str:
    f = finding
    return f"{f.comparator} . {f.population} . {f.design} . {f.timepoint}"


def _whole_clauses(text: str) -> Iterator[tuple[str, str]]:
    """Yield each clause that tells a direction, alone and with those before that tell none.

    What follows the last of them belongs to it.
    """
    kept: list[tuple[str, str]] = []
    before = ""
    for clause in clauses(text):
        before = f"{before}, {clause}" if before else clause
        if signs(clause):
            kept.append((clause, before))
            before = ""
    if before and kept:
        kept[-1] = (kept[-1][0], f"{kept[-1][1]}, {before}")
    yield from kept


def direction_faults(text: str, cited: Sequence[Finding], judge: Judge) -> Iterator[str]:
    """Yield the directions that are told of a finding and are not its own.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        judge: Who judges its meaning.
    """
    borne = {f.id for f in cited if _tells_effect(text, f)}
    told: set[Sign] = set()
    former = tuple(cited)
    for clause, whole in _whole_clauses(text):
        near = clause if any(_scores(_study, keys_of(clause), cited).values()) else whole
        owners = owners_of(near, cited)
        owners = former if len(owners) == len(cited) else owners
        given = tuple(f for f in cited if _tells_effect(clause, f))
        owners = tuple(f for f in given if f in owners) or given or owners
        former = owners
        outcome = frozenset().union(*(keys_of(f.outcome) for f in owners))
        for sign in signs(clause, outcome):
            told.add(sign)
            if sign == "mixed" and len({f.way for f in cited}) > 1:
                continue  # of findings that differ
            fitting = [f for f in owners if sign in _expected(f, whole, judge)]
            borne |= {f.id for f in fitting}
            if not fitting:
                said = ", ".join(f"{f.id} says “{f.way.value}”" for f in owners if f.way)
                yield f"it says “{sign}”" + (f", {said}" if said else " and its findings do not")
    if told:
        rest = (f.id for f in cited if f.way and f.id not in borne)
        yield from (f"{finding_id} bears no part of it" for finding_id in rest)


def _tells_effect(text: str, finding: Finding) -> bool:
    """Whether a text gives the estimate of a finding."""
    value = finding.effect.value if finding.effect else None
    return value is not None and any(abs(q.value) == abs(value) for q in quantities(text))


def _expected(finding: Finding, clause: str, judge: Judge) -> frozenset[Sign]:
    """Return the directions that a clause may tell of a finding."""
    way = finding.way
    outcome = keys_of(finding.outcome)
    quoted: frozenset[Sign] = frozenset().union(*(signs(q, outcome) for q in finding.quotes))
    if way is None:  # told in the words of a record; another judge reads them
        return quoted if judge == "writer" else _ANY
    if way is Way.NO_DIFFERENCE:
        return frozenset({"none"})
    if way is Way.CONFLICT:
        return _ANY
    amounts: set[Sign] = set()
    if finding.higher_is_better is not None:
        amounts.add(_AMOUNTS[finding.higher_is_better is (way is Way.BENEFIT)])
    # A hazard ratio below 1 is a lower hazard, and longer survival.
    if (more := _has_more(finding)) is not None and (not amounts or _RISKS & keys_of(clause)):
        amounts.add(_AMOUNTS[more])
    if _TIME_TO.search(clause):  # a shorter time to recovery is a better recovery
        amounts = {*(quoted & _EITHER)}
    if (
        not amounts
    ):  # whether more of it is better is not known, and a quote may be of the other arm
        amounts = {*(quoted & _EITHER if judge == "nobody" else _EITHER)}
    return frozenset({"good" if way is Way.BENEFIT else "bad", *amounts})


def _has_more(finding: Finding) -> bool | None:
    """Whether those with the drug have more of the outcome, by the estimate."""
    effect = finding.effect
    if effect is None or effect.value is None or effect.measure is None:
        return None
    none = 1.0 if effect.measure in RATIOS or effect.measure == "ratio" else 0.0
    if effect.value == none:
        return None
    return (effect.value > none) != (effect.measure == "RRR")
