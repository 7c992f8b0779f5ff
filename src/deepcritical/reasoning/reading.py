"""Reads one record about one drug.

Does it bear on the question, which way does it point, in which sentences?
"""

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
from deepcritical.services.vocabulary import CONDITION_LABELS, vocabulary

__all__ = ["Direction", "clause_direction", "read_record"]

Direction = int
"""+1 the clause reports benefit, -1 no effect or harm, 0 neither."""

REFERENCE_ARM = (
    "the drug is the comparator or part of every arm, so it is not tested against no treatment"
)
_PLAN = "a registered plan without a reported result"
_FIRST_FINDING = 0.35
"""In an abstract without labels, the share at its beginning that is background."""
_NO_DRUG_AT_ALL = re.compile(
    r"\bno (?:\w+ ){0,3}(?:drugs?|agents?|medications?|treatments?)\b", re.IGNORECASE
)
"""Says something of every drug, the one in question included."""
_AT_RISK = re.compile(r"\bat (?:\w+ )?risk (?:of|for)\b.{0,60}$", re.IGNORECASE)
_CONCLUSION = ("conclusion", "interpretation")
_BUT_NOT = re.compile(r"\bbut not (?:\w+ ){0,5}$", re.IGNORECASE)


class _Names(NamedTuple):
    drug: DrugNames
    condition: ConditionNames
    about_drug: bool
    """Whether the title names this drug alone: then a sentence without a drug is about it."""


class _Finding(NamedTuple):
    span: Span
    direction: Direction
    names_condition: bool
    other_population: bool
    names_other: bool
    """Whether the clause names another condition.

    For example dementia, when the question is about Alzheimer's disease.
    """


def clause_direction(clause: str, names: _Names) -> Direction:
    """What a clause reports, by its cue words: no effect outranks harm, harm outranks benefit."""
    if any(_BUT_NOT.search(clause[: place.start()]) for place in names.condition.find(clause)):
        return -1
    against = lexicon.NO_EFFECT.search(clause) or lexicon.HARM.search(clause)
    direction = -1 if against else 1 if lexicon.BENEFIT.search(clause) else 0
    return -direction if lexicon.UNDO.search(clause) else direction


def _is_finding(span: Span, position: float, labelled: bool) -> bool:
    """Whether a sentence can state a result: no aim, method, background or safety statement."""
    if (
        span.label.startswith(lexicon.NOT_FINDINGS)
        or lexicon.AIM.search(span.text)
        or lexicon.SAFETY.search(span.text)
    ):
        return False
    return bool(span.label) or labelled or position >= _FIRST_FINDING


def _only_comparator(clause: str, names: _Names) -> bool:
    """Whether the clause has the drug as what others are compared with, alone or in both arms."""
    return any(
        lexicon.COMPARATOR.search(clause[: place.start()]) for place in names.drug.find(clause)
    )


def _clauses(sentence: str) -> list[str]:
    return [clause for clause in lexicon.CLAUSE_BREAK.split(sentence) if clause and clause.strip()]


def _speaks_of_drug(clause: str, sentence: str, names: _Names, drug: str) -> bool:
    places = names.drug.find(clause)
    if places:
        denied = all(clause[: place.start()].rstrip().lower().endswith(" not") for place in places)
        return not denied and not _only_comparator(clause, names)
    if names.drug.named(sentence):
        # "Metformin lowered X but did not change Y": the second clause inherits its subject.
        return not _only_comparator(sentence, names) and (
            bool(_NO_DRUG_AT_ALL.search(clause)) or not other_drugs(clause, drug)
        )
    return (
        names.about_drug
        and bool(lexicon.OF_TREATMENT.search(clause))
        and not other_drugs(sentence, drug)
    )


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
                found.append(
                    _Finding(
                        span,
                        direction,
                        names.condition.named(clause),
                        bool(lexicon.OTHER_POPULATION.search(clause)),
                        _names_other(clause, names),
                    )
                )
    return found


def _names_other(clause: str, names: _Names) -> bool:
    mentions = vocabulary().find(clause, CONDITION_LABELS)
    return any(not names.condition.named(m.text) for m in mentions)


def _population(evidence: Evidence, names: _Names) -> bool:
    """Whether the people or animals studied have the condition.

    By title, registry or a phrase such as "patients with".
    """
    if names.condition.named(evidence.citation.title) or any(
        names.condition.named(c) for c in evidence.metadata.conditions
    ):
        return True
    for span in sentences(evidence.content):
        if span.label.startswith(
            ("background", "introduction", "objective", "aim")
        ) or lexicon.AIM.search(span.text):
            continue
        before = [span.text[: place.start()] for place in names.condition.find(span.text)]
        if any(lexicon.POPULATION.search(text) and not _AT_RISK.search(text) for text in before):
            return True
    return False


def _fact(span: Span, evidence_id: str, role: FactRole) -> Fact:
    return Fact(
        statement=span.text,
        evidence_id=evidence_id,
        quote=span.text,
        start=span.start,
        end=span.end,
        role=role,
    )


def _context(
    evidence: Evidence,
    evidence_id: str,
    names: _Names,
    findings: list[_Finding],
    taken: set[int],
) -> tuple[Fact, ...]:
    """Findings that do not decide, then design, safety and conclusion without a direction."""
    results = {f.span.start: f.span for f in findings if f.span.start not in taken}
    facts = [_fact(span, evidence_id, FactRole.RESULT) for span in results.values()]
    is_trial = evidence.metadata.kind == "trial"
    for index, span in enumerate(sentences(evidence.content)):
        role = _role(span, names, first_of_trial=is_trial and index == 0)
        if role and span.start not in taken and span.start not in results:
            facts.append(_fact(span, evidence_id, role))
    return tuple(facts)


def _role(span: Span, names: _Names, *, first_of_trial: bool) -> FactRole | None:
    if span.label.startswith(("design", "method", "study design")):
        return FactRole.DESIGN
    if first_of_trial and not span.label:
        return FactRole.DESIGN
    if _reports_safety(span.text, names):
        return FactRole.HARM
    return FactRole.CONCLUSION if span.label.startswith(_CONCLUSION) else None


def _reports_safety(sentence: str, names: _Names) -> bool:
    plain = (
        lexicon.SAFETY.search(sentence)
        and not lexicon.AIM.search(sentence)
        and not lexicon.OUTLOOK.search(sentence)
    )
    return bool(plain) and (names.drug.named(sentence) or names.about_drug)


def _exclusion(evidence: Evidence, condition: Condition, drug: Drug) -> str:
    text = f"{evidence.citation.title}\n{evidence.content}"
    terms = " ".join((text, *evidence.metadata.interventions))
    if not evidence.content and evidence.metadata.kind != "trial":
        return "no text available, bibliography only"
    if not DrugNames(drug, terms).named(terms):
        return f"does not name {drug.name}"
    where = "\n".join((text, *evidence.metadata.conditions))
    return (
        "" if ConditionNames(condition, where).named(where) else f"does not name {condition.name}"
    )


def _names(evidence: Evidence, drug: Drug, condition: Condition) -> _Names:
    text = f"{evidence.citation.title}\n{evidence.content}"
    drug_names = DrugNames(drug, text)
    about = drug_names.named(evidence.citation.title) and not other_drugs(
        evidence.citation.title, drug.name
    )
    return _Names(drug_names, ConditionNames(condition, text), about)


def _unique(findings: list[_Finding], direction: Direction, evidence_id: str) -> tuple[Fact, ...]:
    spans = {f.span.start: f.span for f in findings if f.direction == direction}
    return tuple(
        _fact(
            s,
            evidence_id,
            FactRole.CONCLUSION
            if s.label.startswith(("conclusion", "interpretation"))
            else FactRole.RESULT,
        )
        for s in spans.values()
    )


def _stopped(evidence: Evidence, evidence_id: str) -> tuple[Fact, ...]:
    """The registry's stop reason as a finding, when it speaks against the drug."""
    why = fold(evidence.metadata.why_stopped or "")
    if not is_negative_stop(evidence):
        return ()
    return tuple(
        _fact(s, evidence_id, FactRole.STATUS)
        for s in sentences(evidence.content)
        if fold(s.text).removeprefix("why stopped: ") in why
    )[:1]


def read_record(drug: Drug, condition: Condition, evidence_id: str, evidence: Evidence) -> Reading:
    """The reading of one record; every fact is a whole sentence of it.

    When a sentence with a direction names the condition itself, those that name another one do
    not decide: "less dementia, but no effect on Alzheimer's disease" refutes for the latter.
    """
    if excluded := _exclusion(evidence, condition, drug):
        return Reading(evidence_id=evidence_id, drug=drug.name, excluded_because=excluded)
    names = _names(evidence, drug, condition)
    silent = _silence(evidence, names)
    findings = [] if silent else _findings(evidence, names, drug)
    in_patients = _population(evidence, names)
    deciding = _deciding(findings, in_patients)
    supporting = _unique(deciding, 1, evidence_id)
    refuting = _unique(deciding, -1, evidence_id) + _stopped(evidence, evidence_id)
    taken = {fact.start for fact in (*supporting, *refuting)}
    return Reading(
        evidence_id=evidence_id,
        drug=drug.name,
        direct=_is_direct(findings, in_patients),
        about_drug=names.about_drug,
        supporting=supporting,
        refuting=refuting,
        context=_context(evidence, evidence_id, names, findings, taken),
        remark="" if taken else silent or _why_silent(evidence, names),
    )


def _silence(evidence: Evidence, names: _Names) -> str:
    """Why no sentence of the record can have a direction; '' when one may."""
    if evidence.metadata.kind == "trial" and not evidence.metadata.has_results:
        return _PLAN
    return REFERENCE_ARM if _is_reference_arm(evidence, names) else ""


def _deciding(findings: list[_Finding], in_patients: bool) -> list[_Finding]:
    if not any(f.names_condition for f in findings):
        return findings
    return [f for f in findings if f.names_condition or (in_patients and not f.names_other)]


def _is_direct(findings: list[_Finding], in_patients: bool) -> bool:
    """Whether the findings are about the condition: they name it, or those studied have it."""
    if any(f.names_condition for f in findings):
        return True
    elsewhere = findings and all(f.other_population or f.names_other for f in findings)
    return in_patients and not elsewhere


def _is_reference_arm(evidence: Evidence, names: _Names) -> bool:
    return any(
        lexicon.REFERENCE_ARM.search(s.text) and names.drug.named(s.text)
        for s in sentences(evidence.content)
    )


def _why_silent(evidence: Evidence, names: _Names) -> str:
    spans = sentences(evidence.content)
    stated = [
        s
        for i, s in enumerate(spans)
        if _is_finding(s, i / len(spans), labelled=any(x.label for x in spans))
    ]
    clauses = [
        c
        for s in stated
        for c in _clauses(s.text)
        if names.drug.named(c) and clause_direction(c, names)
    ]
    return (
        REFERENCE_ARM
        if any(_only_comparator(c, names) for c in clauses)
        else "no sentence states a direction"
    )
