"""Reads one record about one drug.

Does it bear on the question, which way does it point, in which sentences?
"""

from __future__ import annotations

import re

from deepcritical.domain import harms
from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.appraisal import Reading, Remark
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.grading import (
    grade,
    is_harm_stop,
    is_negative_stop,
    is_notice,
    is_paper,
    is_retracted,
)
from deepcritical.domain.orders import addresses_a_model
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Condition, Drug
from deepcritical.domain.text import Span, sentences, whole_sentences
from deepcritical.reasoning import arms, directions, lexicon
from deepcritical.reasoning.clauses import clauses
from deepcritical.reasoning.figures import Way, has_result_figures
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.outcomes import Weight, primary_outcomes, weigh
from deepcritical.reasoning.stance import (
    Finding,
    RecordNames,
    clause_cue,
    is_against_another,
    is_in_combination,
    is_only_comparator,
    span_findings,
)
from deepcritical.reasoning.trial_stance import stop_sentence

__all__ = ["read_record"]

_MECHANISM_LEVEL = 5
_FIRST_FINDING = 0.35
"""In an abstract without labels, the share at its beginning that is background."""
_AT_RISK = bounded(r"\bat (?:\w+ )?risk (?:of|for)\b.{0,60}$", re.IGNORECASE)
_CONCLUSION = ("conclusion", "interpretation")
_INACTIVE = bounded(r"placebo|standard|usual care|no treatment|sham|supportive", re.IGNORECASE)


def _may_be_finding(span: Span, position: float, labelled: bool) -> bool:
    """Whether a sentence stands where results stand, or holds figures that only results have."""
    if span.label.startswith(lexicon.NOT_FINDINGS):
        return False
    placed = bool(span.label) or labelled or position >= _FIRST_FINDING
    return placed or has_result_figures(span.text)


def _telling_spans(evidence: Evidence, *, ended: bool = False) -> list[Span]:
    """The whole sentences of a record; one that gives orders to a machine tells nothing."""
    spans = whole_sentences(evidence.content, ended=ended)
    return [s for s in spans if not addresses_a_model(s.text)]


def _result_spans(evidence: Evidence) -> list[Span]:
    spans = _telling_spans(evidence)
    labelled = any(span.label for span in spans)
    return [s for i, s in enumerate(spans) if _may_be_finding(s, i / len(spans), labelled)]


def _findings(evidence: Evidence, names: RecordNames, drug: Drug) -> list[Finding]:
    found = [f for s in _result_spans(evidence) for f in span_findings(s, names, drug.name)]
    return [f for f in found if not _in_harms(f.span) or _is_deadly(f)]


def _in_harms(span: Span) -> bool:
    """Whether a sentence stands in a section on harms, which says nothing of efficacy."""
    return span.label.startswith(harms.HARMS_SECTION)


def _is_deadly(finding: Finding) -> bool:
    return finding.way is Way.HARM and finding.weight is Weight.DEATH


def _population(evidence: Evidence, names: RecordNames) -> bool:
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
        if any(arms.POPULATION.search(text) and not _AT_RISK.search(text) for text in before):
            return True
    return False


def _context(
    evidence: Evidence,
    evidence_id: str,
    names: RecordNames,
    findings: list[Finding],
    taken: set[int],
) -> tuple[Fact, ...]:
    """Findings that do not decide, then design, safety and conclusion without a direction."""
    results = {f.span.start: f.span for f in findings if f.span.start not in taken}
    facts = [Fact.of(span, evidence_id, FactRole.RESULT) for span in results.values()]
    is_trial = evidence.metadata.kind == "trial"
    for index, span in enumerate(_telling_spans(evidence, ended=not is_trial)):
        role = _role(span, names, first_of_trial=is_trial and index == 0)
        if role and span.start not in taken and span.start not in results:
            facts.append(Fact.of(span, evidence_id, role))
    return tuple(facts)


def _role(span: Span, names: RecordNames, *, first_of_trial: bool) -> FactRole | None:
    if span.label.startswith(("design", "method", "study design")):
        return FactRole.DESIGN
    if first_of_trial and not span.label:
        return FactRole.DESIGN
    if _reports_safety(span, names):
        return FactRole.HARM
    if names.drug.named(span.text) and _is_caveat(span):
        return FactRole.RESULT
    return FactRole.CONCLUSION if span.label.startswith(_CONCLUSION) else None


def _is_caveat(span: Span) -> bool:
    """A null on something else than an outcome of patients, or what the text says is missing."""
    if span.label.startswith(lexicon.NOT_FINDINGS):
        return False
    missing = lexicon.NOT_GIVEN.search(span.text) or lexicon.TREND.search(span.text)
    return bool(missing or (directions.NO_EFFECT.search(span.text) and not _is_aim(span.text)))


def _is_aim(text: str) -> bool:
    return lexicon.AIM.search(text) is not None


def _reports_safety(span: Span, names: RecordNames) -> bool:
    sentence = span.text
    plain = (
        not span.label.startswith(lexicon.NOT_FINDINGS)
        and (harms.SAFETY.search(sentence) or _in_harms(span))
        and not harms.SAFETY_AS_TOPIC.search(sentence)
        and not lexicon.AIM.search(sentence)
        and not lexicon.OUTLOOK.search(sentence)
        and not lexicon.NOT_GIVEN.search(sentence)
    )
    return bool(plain) and (names.drug.named(sentence) or names.about_drug)


def _exclusion(evidence: Evidence, condition: Condition, drug: Drug) -> str:
    """Why the record does not bear on the question; a trial must have the drug as intervention."""
    text = f"{evidence.citation.title}\n{evidence.content}"
    meta = evidence.metadata
    if is_notice(evidence):
        return "a notice about another record, not a study"
    if not evidence.content and meta.kind != "trial" and not is_retracted(evidence):
        return "no text available, bibliography only"
    given = "\n".join((evidence.citation.title, *meta.interventions))
    terms = given if meta.kind == "trial" and meta.interventions else f"{text}\n{given}"
    if not DrugNames(drug, terms).named(terms):
        return f"does not name {drug.name}" + (" as intervention" if terms is given else "")
    where = "\n".join((text, *meta.conditions))
    return (
        "" if ConditionNames(condition, where).named(where) else f"does not name {condition.name}"
    )


def _names(evidence: Evidence, drug: Drug, condition: Condition) -> RecordNames:
    title = evidence.citation.title
    text = "\n".join((title, evidence.content, *evidence.metadata.conditions))
    drug_names = DrugNames(drug, text)
    about = drug_names.named(title) and not drug_names.others(title)
    primary = primary_outcomes(sentences(evidence.content))
    defined = expand_abbreviations(text).items()
    healthy = tuple(s for s, long in defined if arms.OTHER_POPULATION.search(long))
    return RecordNames(
        drug_names, ConditionNames(condition, text), about, drug_names.classes, healthy, primary
    )


def _unique(findings: list[Finding], evidence_id: str, *, against: bool) -> tuple[Fact, ...]:
    spans = {f.span.start: f.span for f in findings if f.way.against is against}
    return tuple(
        Fact.of(
            span,
            evidence_id,
            FactRole.CONCLUSION if span.label.startswith(_CONCLUSION) else FactRole.RESULT,
        )
        for span in spans.values()
    )


def _stopped(evidence: Evidence, evidence_id: str, names: RecordNames) -> tuple[Fact, ...]:
    """The registry's stop reason as a finding, when it speaks against this drug.

    The stop of a trial of several drugs is charged to the one that the reason names.
    """
    why = evidence.metadata.why_stopped or ""
    if not is_negative_stop(evidence):
        return ()
    active = [i for i in evidence.metadata.interventions if not _INACTIVE.search(i)]
    own = names.about_drug if not active else all(names.drug.named(i) for i in active)
    if not own and not names.drug.named(why):
        return ()
    told = stop_sentence(evidence)
    return (Fact.of(told, evidence_id, FactRole.STATUS),) if told else ()


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
    if _is_clinical(evidence):
        findings = [f for f in findings if not f.laboratory]
    if not _is_review(evidence):
        findings = [f for f in findings if not f.before]
    in_patients = _population(evidence, names)
    deciding = _deciding(findings, in_patients)
    supporting = _unique(deciding, evidence_id, against=False)
    stopped = _stopped(evidence, evidence_id, names)
    refuting = _unique(deciding, evidence_id, against=True) + stopped
    taken = {fact.start for fact in (*supporting, *refuting)}
    return Reading(
        evidence_id=evidence_id,
        drug=drug.name,
        direct=_is_direct(findings, in_patients),
        about_drug=names.about_drug,
        harmful=any(f.way is Way.HARM for f in deciding)
        or any(is_harm_stop(f.quote) for f in stopped),
        null=any(not is_harm_stop(f.quote) for f in stopped)
        or any(f.way is Way.NO_EFFECT for f in deciding),
        supporting=supporting,
        refuting=refuting,
        context=_context(evidence, evidence_id, names, findings, taken),
        remark="" if taken else _stop_remark(evidence) or silent or _why_silent(evidence, names),
    )


def _is_review(evidence: Evidence) -> bool:
    return "review" in grade(evidence).design.value


def _stop_remark(evidence: Evidence) -> str:
    """What to say of a failed trial whose reason for stopping is not this drug's alone."""
    return Remark.NOT_CHARGED if is_negative_stop(evidence) else ""


def _is_clinical(evidence: Evidence) -> bool:
    """Whether people were studied; there a laboratory value is no benefit and no lack of it."""
    level = grade(evidence).level
    return level is not None and level < _MECHANISM_LEVEL


def _silence(evidence: Evidence, names: RecordNames) -> str:
    """Why no sentence of the record can have a direction; '' when one may."""
    if not is_paper(evidence) and not evidence.metadata.has_results:
        return Remark.PLAN
    return Remark.REFERENCE_ARM if _is_reference_arm(evidence, names) else ""


def _deciding(findings: list[Finding], in_patients: bool) -> list[Finding]:
    """The findings about the condition where there are any, and of these the weightiest."""
    if not any(f.names_condition for f in findings):
        return weigh(findings)
    return weigh([f for f in findings if f.names_condition or (in_patients and not f.names_other)])


def _is_direct(findings: list[Finding], in_patients: bool) -> bool:
    """Whether the findings are about the condition: they name it, or those studied have it."""
    if any(f.names_condition for f in findings):
        return True
    elsewhere = findings and all(f.other_population or f.names_other for f in findings)
    return in_patients and not elsewhere


def _is_reference_arm(evidence: Evidence, names: RecordNames) -> bool:
    for span in sentences(evidence.content):
        for match in arms.REFERENCE_ARM.finditer(span.text):
            bracket = re.match(r" \(([^)]*)\)", span.text[match.end() :])
            if names.drug.named(bracket.group(1) if bracket else span.text):
                return True
    return False


def _why_silent(evidence: Evidence, names: RecordNames) -> str:
    """Why no finding is about the drug: it is the comparator, or nothing was recognised."""
    for span in _result_spans(evidence):
        for clause in clauses(span.text):
            if clause_cue(clause, names) and is_only_comparator(clause, names):
                return Remark.REFERENCE_ARM
            if clause_cue(clause, names) and is_against_another(clause, names):
                return Remark.HEAD_TO_HEAD
            if names.drug.named(clause) and is_in_combination(clause, names):
                return Remark.COMBINATION
    return Remark.SILENT
