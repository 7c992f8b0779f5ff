"""The public function, where people call it."""

from __future__ import annotations

import asyncio

import pytest

import deepcritical

QUESTION = "Can minoxidil be repurposed for Alzheimer's disease?"


@pytest.mark.slow
def test_research_answers_where_a_loop_is_running_already() -> None:
    async def as_in_a_notebook() -> str:
        return deepcritical.research(QUESTION, snapshot="demo").research_question

    assert asyncio.run(as_in_a_notebook()) == QUESTION


def test_deep_research_answers_any_question() -> None:
    question = "How does metformin act on AMPK?"
    answer = deepcritical.deep_research(question, max_iterations=1, snapshot="demo")
    assert answer.question == question
    assert answer.search_iterations == 1
    assert answer.references
