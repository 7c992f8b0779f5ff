"""Reads one record about one drug: does it bear on the question, which way does it point, in which sentences."""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.appraisal import Reading
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.grading import is_negative_stop
from deepcritical.domain.question import Condition, Drug
from deepcritical.domain.text import Span, fold, sentences
from deepcritical.reasoning import lexicon
from deepcritical.reasoning.names import ConditionNames, DrugNames, other_drugs

__all__ = ["Direction", "clause_direction", "read_record"]

Direction = int
"""+1 the clause reports benefit, -1 no effect or harm, 0 neither."""

REFERENCE_ARM = "the drug is the comparator or part of every arm, so it is not tested against no treatment"
_PLAN = "a registered plan without a reported result"
_FIRST_FINDING = 0.35
"""In an abstract without labels, the share at its beginning that is background."""
_BUT_NOT = re.compile(r"\bbut not (?:\w+ ){0,5}$", re.IGNORECASE)


class _Names(NamedTuple):
    drug: DrugNames
    condition: ConditionNames
    about_drug: bool
    """Whether the title names this drug and no other: then a sentence without a drug is about it."""


class _Finding(NamedTuple):
    span: Span
    direction: Direction
    names_condition: bool
    other_population: bool


def clause_direction(clause: str, names: _Names) -> Direction:
    """What a clause reports, by its cue words: no effect outranks harm, harm outranks benefit."""
    if any(_BUT_NOT.search(clause[: place.start()]) for place in names.condition.find(clause)):
        return -1
    against = lexicon.NO_EFFECT.search(clause) or lexicon.HARM.search(clause)
    direction = -1 if against else 1 if lexicon.BENEFIT.search(clause) else 0
    return -direction if lexicon.UNDO.search(clause) else direction


def _is_finding(span: Span, position: float, labelled: bool) -> bool:
    """Whether a sentence can state a result: not an aim, a method, background or a statement on safety."""
    if span.label.startswith(lexicon.NOT_FINDINGS) or lexicon.AIM.search(span.text) or lexicon.SAFETY.search(span.text):
        return False
    return bool(span.label) or labelled or position >= _FIRST_FINDING


def _only_comparator(clause: str, names: _Names) -> bool:
    """Whether the drug stands in the clause as what others are compared with, alone or in both arms."""
    return any(lexicon.COMPARATOR.search(clause[: place.start()]) for place in names.drug.find(clause))


def _clauses(sentence: str) -> list[str]:
    return [clause for clause in lexicon.CLAUSE_BREAK.split(sentence) if clause and clause.strip()]


def _speaks_of_drug(clause: str, sentence: str, names: _Names, drug: str) -> bool:
    places = names.drug.find(clause)
    if places:
        denied = all(clause[: place.start()].rstrip().lower().endswith(" not") for place in places)
        return not denied and not _only_comparator(clause, names)
    if names.drug.named(sentence):
        # "Metformin lowered X but did not change Y": the second clause inherits its subject.
        return not _only_comparator(sentence, names) and not other_drugs(clause, drug)
    return names.about_drug and bool(lexicon.OF_TREATMENT.search(clause)) and not other_drugs(sentence, drug)


def _findings(evidence: Evidence, names: _Names, drug: Drug) -> list[_Finding]:
    spans = sentences(evidence.content)
    labelled = any(span.label for span in spans)
    found = []
    for index, span in enumerate(spans):
        if not _is_finding(span, index / max(1, len(spans)), labelled):
            continue
        for clause in _clauses(span.text):
            direction = clause_direction(clause, names)
            if direction and _speaks_of_drug(clause, span.text, names, drug.name):
                found.append(_Finding(span, direction, names.condition.named(clause), bool(lexicon.OTHER_POPULATION.search(clause))))
    return found


def _population(evidence: Evidence, names: _Names) -> bool:
    """Whether the people or animals studied have the condition, by title, registry or a phrase such as "patients with"."""
    if names.condition.named(evidence.citation.title) or any(names.condition.named(c) for c in evidence.metadata.conditions):
        return True
    for span in sentences(evidence.content):
        if span.label.startswith(("background", "introduction", "objective", "aim")) or lexicon.AIM.search(span.text):
            continue
        if any(lexicon.POPULATION.search(span.text[: place.start()]) for place in names.condition.find(span.text)):
            return True
    return False


def _fact(span: Span, evidence_id: str, role: FactRole) -> Fact:
    return Fact(statement=span.text, evidence_id=evidence_id, quote=span.text, start=span.start, end=span.end, role=role)


def _context(evidence: Evidence, evidence_id: str, names: _Names, taken: set[int]) -> tuple[Fact, ...]:
    """Design, safety and conclusion sentences that state no direction."""
    facts = []
    spans = sentences(evidence.content)
    for index, span in enumerate(spans):
        if span.start in taken:
            continue
        if span.label.startswith(("design", "method", "study design")) or (index == 0 and not span.label and evidence.metadata.kind == "trial"):
            facts.append(_fact(span, evidence_id, FactRole.DESIGN))
        elif lexicon.SAFETY.search(span.text) and (names.drug.named(span.text) or names.about_drug) and not lexicon.AIM.search(span.text):
            facts.append(_fact(span, evidence_id, FactRole.HARM))
        elif span.label.startswith(("conclusion", "interpretation")):
            facts.append(_fact(span, evidence_id, FactRole.CONCLUSION))
    return tuple(facts)


def _exclusion(evidence: Evidence, condition: Condition, drug: Drug) -> str:
    text = f"{evidence.citation.title}\n{evidence.content}"
    terms = " ".join((text, *evidence.metadata.interventions))
    if not evidence.content:
        return "no text available, bibliography only"
    if not DrugNames(drug, terms).named(terms):
        return f"does not name {drug.name}"
    where = "\n".join((text, *evidence.metadata.conditions))
    return "" if ConditionNames(condition, where).named(where) else f"does not name {condition.name}"


def _names(evidence: Evidence, drug: Drug, condition: Condition) -> _Names:
    text = f"{evidence.citation.title}\n{evidence.content}"
    drug_names = DrugNames(drug, text)
    about = drug_names.named(evidence.citation.title) and not other_drugs(evidence.citation.title, drug.name)
    return _Names(drug_names, ConditionNames(condition, text), about)


def _unique(findings: list[_Finding], direction: Direction, evidence_id: str) -> tuple[Fact, ...]:
    spans = {f.span.start: f.span for f in findings if f.direction == direction}
    return tuple(_fact(s, evidence_id, FactRole.CONCLUSION if s.label.startswith(("conclusion", "interpretation")) else FactRole.RESULT) for s in spans.values())


def _stopped(evidence: Evidence, evidence_id: str) -> tuple[Fact, ...]:
    """The registry's stop reason as a finding, when it speaks against the drug."""
    why = fold(evidence.metadata.why_stopped or "")
    if not is_negative_stop(evidence):
        return ()
    return tuple(_fact(s, evidence_id, FactRole.STATUS) for s in sentences(evidence.content) if fold(s.text).removeprefix("why stopped: ") in why)[:1]


def read_record(drug: Drug, condition: Condition, evidence_id: str, evidence: Evidence) -> Reading:
    """The reading of one record; every fact is a whole sentence of it.

    When sentences with a direction name the condition itself, only those decide: "less dementia, but no effect on
    Alzheimer's disease" refutes for Alzheimer's disease.
    """
    if excluded := _exclusion(evidence, condition, drug):
        return Reading(evidence_id=evidence_id, drug=drug.name, excluded_because=excluded)
    names = _names(evidence, drug, condition)
    is_plan = evidence.metadata.kind == "trial" and not evidence.metadata.has_results
    is_reference = _is_reference_arm(evidence, names)
    findings = [] if is_plan or is_reference else _findings(evidence, names, drug)
    on_condition = [f for f in findings if f.names_condition]
    deciding = on_condition or findings
    supporting, refuting = _unique(deciding, 1, evidence_id), _unique(deciding, -1, evidence_id) + _stopped(evidence, evidence_id)
    taken = {fact.start for fact in (*supporting, *refuting)}
    others = tuple(_fact(f.span, evidence_id, FactRole.RESULT) for f in findings if f.span.start not in taken)
    context = _context(evidence, evidence_id, names, taken | {fact.start for fact in others})
    return Reading(
        evidence_id=evidence_id,
        drug=drug.name,
        direct=bool(on_condition) or (_population(evidence, names) and not (findings and all(f.other_population for f in findings))),
        supporting=supporting,
        refuting=refuting,
        context=(*dict.fromkeys(others), *context),
        remark="" if supporting or refuting else _PLAN if is_plan else REFERENCE_ARM if is_reference else _why_silent(evidence, names),
    )


def _is_reference_arm(evidence: Evidence, names: _Names) -> bool:
    return any(lexicon.REFERENCE_ARM.search(s.text) and names.drug.named(s.text) for s in sentences(evidence.content))


def _why_silent(evidence: Evidence, names: _Names) -> str:
    spans = sentences(evidence.content)
    stated = [s for i, s in enumerate(spans) if _is_finding(s, i / len(spans), labelled=any(x.label for x in spans))]
    clauses = [c for s in stated for c in _clauses(s.text) if names.drug.named(c) and clause_direction(c, names)]
    return REFERENCE_ARM if any(_only_comparator(c, names) for c in clauses) else "no sentence states a direction"
