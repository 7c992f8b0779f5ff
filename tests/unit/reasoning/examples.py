"""The made-up drug and condition of these tests, and what the rules read in one sentence of them.

Neither name is in a vocabulary; other drugs and conditions stand where the grammar needs a known
one, and what is said of them is made up.
"""

from __future__ import annotations

from typing import Any

from deepcritical.domain.appraisal import Reading
from deepcritical.domain.hypotheses import Relation, Sign
from deepcritical.domain.question import Condition, Drug, QuestionForm, ResearchQuestion
from deepcritical.domain.text import sentences
from deepcritical.reasoning.figures import Way
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.reading import read_record
from deepcritical.reasoning.relations import RecordRelations, record_relations
from deepcritical.reasoning.stance import Finding, RecordNames, span_findings
from tests.unit.domain.records import paper

EXAMPLOL = Drug(name="examplol", known=False)
TESTITIS = Condition(name="testitis", names=("testitis",), known=False)
QUESTION = ResearchQuestion(
    text="Can examplol be repurposed for testitis?",
    form=QuestionForm.DRUG_CONDITION,
    drug=EXAMPLOL,
    condition=TESTITIS,
)
CANDIDATES = ResearchQuestion(
    text="What could be repurposed for testitis?",
    form=QuestionForm.CONDITION,
    condition=TESTITIS,
)


UP, DOWN, SAME = Sign.INCREASES, Sign.DECREASES, Sign.NO_EFFECT


def names(text: str = "", *, about_drug: bool = True) -> RecordNames:
    """How a record with this text names examplol and testitis."""
    return RecordNames(DrugNames(EXAMPLOL, text), ConditionNames(TESTITIS, text), about_drug)


def findings(text: str, *, about_drug: bool = True) -> list[Finding]:
    """The findings for examplol in the sentences of a text."""
    known = names(text, about_drug=about_drug)
    return [f for span in sentences(text) for f in span_findings(span, known, EXAMPLOL.name)]


def ways(text: str, *, about_drug: bool = True) -> list[Way]:
    """Which way the clauses of a text point for examplol."""
    return [finding.way for finding in findings(text, about_drug=about_drug)]


def reading(content: str, title: str = "Examplol in testitis", **metadata: Any) -> Reading:
    """A record as read about examplol in testitis."""
    return read_record(EXAMPLOL, TESTITIS, "E1", paper(title, content, **metadata))


def relations(content: str, title: str = "A made-up study") -> RecordRelations:
    """The signed relations in the text of one record."""
    return record_relations(EXAMPLOL, TESTITIS, "E1", paper(title, content))


def signed(found: tuple[Relation, ...]) -> set[tuple[str, Sign, str]]:
    """Relations without the sentences that they stand in."""
    return {(relation.subject, relation.sign, relation.object) for relation in found}


def acts(content: str) -> set[tuple[Sign, str]]:
    """What examplol does to which molecule, in a text."""
    return {(relation.sign, relation.object) for relation in relations(content).drug}
