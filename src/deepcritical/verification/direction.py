"""Checks that each clause of a sentence tells the direction of the findings that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepcritical.domain.sentences import Finding
from deepcritical.domain.votes import Way
from deepcritical.verification.fields import RATIOS, VAGUE, Judge, fields_of, keys_of
from deepcritical.verification.signs import Sign, clauses, signs
from deepcritical.verification.words import stem, words

__all__ = ["direction_faults", "owned"]

_AMOUNTS: dict[bool, Sign] = {True: "more", False: "less"}
_RISKS = frozenset(map(stem, "risk hazard odds probability likelihood".split()))
_EITHER: frozenset[Sign] = frozenset({"more", "less"})
_ANY: frozenset[Sign] = _EITHER | {"none", "mixed", "good", "bad"}


def owned(text: str, cited: Sequence[Finding]) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    """Yield each clause that tells a direction with the findings that it may be about.

    These are the findings whose outcome it names in full; of several with one outcome, those of
    whose other fields it names most. A clause that names nothing goes on with those before.
    """
    outcomes = {f.id: keys_of(f.outcome) - VAGUE for f in cited}
    labels = {f.id: frozenset(w.key for w in words(fields_of(f))) - VAGUE for f in cited}
    shared = frozenset.intersection(*labels.values())
    owners = tuple(cited)
    for clause in _whole_clauses(text):
        there = frozenset(w.key for w in words(clause))
        score = {f.id: len((labels[f.id] - shared) & there) for f in cited}
        named = [f for f in cited if (own := outcomes[f.id] - shared) and own <= there] or [*cited]
        if max(score.values()):
            best: dict[str, int] = {}
            for f in named:
                best[f.outcome] = max(best.get(f.outcome, 0), score[f.id])
            if len(named) == len(cited):
                best = dict.fromkeys(best, max(score.values()))
            owners = tuple(f for f in named if score[f.id] == best[f.outcome])
        yield clause, owners


def _whole_clauses(text: str) -> Iterator[str]:
    """Yield the clauses; one without a direction goes with the next, the last with the former."""
    kept: list[str] = []
    open_part = ""
    for clause in clauses(text):
        open_part = f"{open_part}, {clause}" if open_part else clause
        if any(signs(part) for part in clauses(open_part)):
            kept.append(open_part)
            open_part = ""
    if open_part:
        kept[-1:] = [f"{kept[-1]}, {open_part}" if kept else open_part]
    yield from kept


def direction_faults(text: str, cited: Sequence[Finding], judge: Judge) -> Iterator[str]:
    """Yield the directions that are told of a finding and are not its own.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        judge: Who judges its meaning.
    """
    borne: set[str] = set()
    told: set[Sign] = set()
    for clause, owners in owned(text, cited):
        outcome = frozenset().union(*(keys_of(f.outcome) for f in owners))
        for sign in {s for part in clauses(clause) for s in signs(part, outcome)}:
            told.add(sign)
            if sign == "mixed" and len({f.way for f in cited}) > 1:
                continue  # of findings that differ
            fitting = [f for f in owners if sign in _expected(f, clause, judge)]
            borne |= {f.id for f in fitting}
            if not fitting:
                said = ", ".join(f"{f.id} says “{f.way.value}”" for f in owners if f.way)
                yield f"it says “{sign}”" + (f", {said}" if said else " and its findings do not")
    if told:
        rest = (f.id for f in cited if f.way and f.id not in borne)
        yield from (f"{finding_id} bears no part of it" for finding_id in rest)


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
    amounts = amounts or {*(quoted & _EITHER)}
    if judge != "nobody":
        amounts = amounts or {*_EITHER}  # whether more of it is better is not known
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
