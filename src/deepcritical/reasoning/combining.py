"""A record as read by rules and by a model: the less favourable reading of a sentence holds.

What only one of them read stands as it was read. So a model can find what the rules do not know,
and can doubt a benefit that they saw, but it can neither take back a finding against the drug nor
turn one round.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from deepcritical.domain.appraisal import Reading, Remark
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.grading import grade
from deepcritical.domain.question import Drug
from deepcritical.domain.text import Span
from deepcritical.reasoning.answers import Finding, ReadRecord
from deepcritical.reasoning.directions import NO_EFFECT
from deepcritical.reasoning.names import DrugNames
from deepcritical.reasoning.quoting import is_own_finding, quoted_sentence, sentence_fact

__all__ = ["combined"]

_MOST_FINDINGS = 60
"""Of one record; a model that repeats itself is not followed for ever."""
_CHANGE = re.compile(
    r"\b(?:improv|reduc|lower|decreas|declin|fewer|less|slow|delay|prevent|protect|attenuat|alleviat|"
    r"ameliorat|increas|rais|higher|more|greater|better|best|benefi|effective|efficac|superior|"
    r"surviv|remission|remit|respon|recover|resol|restor|rescu|normali[sz]|favou?r|associat|risk|odds|"
    r"hazard|ratio|significan)",
    re.IGNORECASE,
)
"""Stems of words without which no sentence states a benefit."""


@dataclass
class _Both:
    """One reading in the making."""

    rules: Reading
    evidence: Evidence
    drug: Drug
    dropped: int = 0
    """Quotes that stand nowhere in the record."""
    _supporting: dict[int, Fact] = field(default_factory=dict)
    _refuting: dict[int, Fact] = field(default_factory=dict)
    _context: dict[int, Fact] = field(default_factory=dict)
    _null: bool = False
    _harmful: bool = False

    def __post_init__(self) -> None:
        for facts, kept in (
            (self.rules.supporting, self._supporting),
            (self.rules.refuting, self._refuting),
            (self.rules.context, self._context),
        ):
            kept.update({fact.start: fact for fact in facts})
        self._names = DrugNames(
            self.drug, f"{self.evidence.citation.title}\n{self.evidence.content}"
        )
        self._speaks = _may_speak(self.rules, self.evidence)

    def take(self, finding: Finding) -> None:
        """Take one finding of the model in."""
        span = quoted_sentence(finding.quote, self.evidence)
        if span is None:
            self.dropped += 1
            return
        direction = finding.direction if self._may_decide(span, finding.direction) else "none"
        fact = sentence_fact(span, self.rules.evidence_id, FactRole(finding.role))
        if span.start in self._refuting:
            return
        if direction in ("no_effect", "harm"):
            self._supporting.pop(span.start, None)
            self._context.pop(span.start, None)
            self._refuting[span.start] = fact
            self._null |= direction == "no_effect"
            self._harmful |= direction == "harm"
        elif direction == "benefit":
            if self._is_harm(span):
                return
            self._context.pop(span.start, None)
            self._supporting.setdefault(span.start, fact)
        elif span.start in self._supporting:
            self._context[span.start] = self._supporting.pop(span.start)
        else:
            self._context.setdefault(span.start, fact)

    def _is_harm(self, span: Span) -> bool:
        """Whether the rules read a harm in a sentence; more of one is never a benefit."""
        known = self._context.get(span.start)
        return known is not None and known.role is FactRole.HARM

    def _may_decide(self, span: Span, direction: str) -> bool:
        """Whether a sentence can bear a direction; a benefit must be stated, and not be denied."""
        about = self.rules.about_drug or self._names.named(span.text)
        stated = bool(_CHANGE.search(span.text)) and not NO_EFFECT.search(span.text)
        return (
            self._speaks and about and is_own_finding(span) and (stated or direction != "benefit")
        )

    def reading(self, *, studies_condition: bool) -> Reading:
        """The reading, its facts in the record's order.

        A record that speaks against the drug stays as direct as the rules found it.
        """
        decided = bool(self._supporting or self._refuting)
        return self.rules.model_copy(
            update={
                "supporting": _in_order(self._supporting),
                "refuting": _in_order(self._refuting),
                "context": _in_order(self._context),
                "null": self.rules.null or self._null,
                "harmful": self.rules.harmful or self._harmful,
                "direct": self.rules.direct and (studies_condition or bool(self._refuting)),
                "remark": "" if decided else self.rules.remark or Remark.SILENT,
            }
        )


def _may_speak(rules: Reading, evidence: Evidence) -> bool:
    """Whether the record can have a direction: it reports results, on the drug against another."""
    plan = evidence.metadata.kind == "trial" and not evidence.metadata.has_results
    barred = rules.remark not in ("", Remark.SILENT)
    return not (plan or barred) and grade(evidence).level is not None


def _in_order(facts: dict[int, Fact]) -> tuple[Fact, ...]:
    return tuple(facts[start] for start in sorted(facts))


def combined(
    rules: Reading, read: ReadRecord, evidence: Evidence, drug: Drug
) -> tuple[Reading, int]:
    """The reading of both, and how many of the model's quotes were dropped.

    Args:
        rules: What the rules read; its facts are located.
        read: The model's answer on the same record.
        evidence: The record.
        drug: The drug that it is read for.
    """
    both = _Both(rules, evidence, drug)
    for finding in read.findings[:_MOST_FINDINGS]:
        both.take(finding)
    return both.reading(studies_condition=read.studies_condition), both.dropped
