"""The made-up drug and condition of these tests; neither name is in a vocabulary."""

from __future__ import annotations

from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import QuestionForm, ResearchQuestion

EXAMPLOL = Drug(name="examplol", known=False)
TESTITIS = Condition(name="testitis", names=("testitis",), known=False)
QUESTION = ResearchQuestion(
    text="Can examplol be repurposed for testitis?",
    form=QuestionForm.DRUG_CONDITION,
    drug=EXAMPLOL,
    condition=TESTITIS,
)
CANDIDATES = ResearchQuestion(
    text="What could be repurposed for testitis?", form=QuestionForm.CONDITION, condition=TESTITIS
)
