from __future__ import annotations

import pytest

from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.prompts.managing import ask_manager, tell_state
from deepcritical.services.evidence_store import EvidenceStore

SAID = tuple(f"SearchAgent: turn {number} {'x' * 50}" for number in range(20))


@pytest.mark.parametrize("limit_chars", [100, 300, 1_000, 10_000])
def test_what_does_not_fit_is_the_oldest(limit_chars: int) -> None:
    prompt = ask_manager("team_ledger", SAID, "Who speaks next?", limit_chars)
    kept = [line for line in SAID if line in prompt.text]
    assert kept == list(SAID[len(SAID) - len(kept) :])
    assert len("\n\n".join(kept)) + len("Who speaks next?") <= limit_chars
    assert bool(kept) is ("So far:" in prompt.text)
    assert prompt.text.startswith("Task: team_ledger\n")
    assert prompt.text.endswith("Who speaks next?")
    assert len(kept) == min(20, (limit_chars - 16) // (len(SAID[-1]) + 2))


def test_what_cannot_be_seen_is_not_shown_to_a_model() -> None:
    prompt = ask_manager("team_note", ["a\u202eb\x00c"], "Go.", 1_000)
    assert "\u202e" not in prompt.text
    assert "\x00" not in prompt.text


def test_the_state_is_told_in_numbers_with_the_last_gaps() -> None:
    store = EvidenceStore()
    bare = tell_state(store, 1, 3, ("JudgeAgent", "SearchAgent"))
    assert bare == (
        "Round 1 of 3 at most. Records: 0; searches run: 0; chains: 0, 0 without a gap.\n"
        "Agents that can act now: JudgeAgent, SearchAgent."
    )
    gaps = tuple(f"Gap {number}." for number in range(9))
    store.assessments.append(
        JudgeAssessment(
            mechanism_score=2,
            clinical_score=5,
            confidence=0.6,
            sufficient=False,
            recommendation="continue",
            gaps=gaps,
            reasoning="made up",
        )
    )
    told = tell_state(store, 2, 3, ("SearchAgent",))
    assert "mechanism 2/10, clinical 5/10; gaps: Gap 0. Gap 1. Gap 2. Gap 3. Gap 4." in told
    assert "Gap 5." not in told
