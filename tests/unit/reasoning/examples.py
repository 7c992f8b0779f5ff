"""The made-up drug and condition of these tests, and the relations that rules read in a sentence.

Neither name is in a vocabulary; other drugs and conditions stand where the grammar needs a known
one, and what is said of them is made up.
"""

from __future__ import annotations

from deepcritical.domain.hypotheses import Relation, Sign
from deepcritical.domain.question import Condition, Drug, QuestionForm, ResearchQuestion
from deepcritical.reasoning.relations import RecordRelations, record_relations
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


def relations(content: str, title: str = "A made-up study") -> RecordRelations:
    """The signed relations in the text of one record."""
    return record_relations(EXAMPLOL, TESTITIS, "E1", paper(title, content))


def signed(found: tuple[Relation, ...]) -> set[tuple[str, Sign, str]]:
    """Relations without the sentences that they stand in."""
    return {(relation.subject, relation.sign, relation.object) for relation in found}


def acts(content: str) -> set[tuple[Sign, str]]:
    """What examplol does to which molecule, in a text."""
    return {(relation.sign, relation.object) for relation in relations(content).drug}
