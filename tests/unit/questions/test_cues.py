"""Questions that ask whether there is no effect."""

from __future__ import annotations

import pytest

from deepcritical.questions.cues import is_negative


@pytest.mark.parametrize(
    "text",
    [
        "Does colchicine not help in pericarditis?",
        "Colchicine doesn't really work in pericarditis, does it?",
        "colchicine doesnt work in pericarditis, right",
        "Isn't colchicine useless in pericarditis?",
        "Isn't it true that colchicine makes no difference in pericarditis?",
        "Colchicine is no better than placebo in pericarditis. Is that correct?",
        "Has colchicine failed to prevent pericarditis?",
        "Is colchicine a waste of time in pericarditis?",
        "Trials of colchicine in pericarditis were negative, weren't they?",
        "There is little benefit of colchicine in pericarditis, is there?",
        "Colchicine has never been shown to prevent pericarditis, has it?",
        "Is it a myth that colchicine helps in pericarditis?",
        "My sister takes colchicine. Does it not work?",
        "Isn't it right that colchicine fails in pericarditis?",
    ],
)
def test_a_question_for_no_effect_is_negative(text: str) -> None:
    assert is_negative(text)


@pytest.mark.parametrize(
    "text",
    [
        "Does colchicine help in pericarditis or not?",
        "Colchicine helps in pericarditis, doesn't it?",
        "Isn't colchicine effective in pericarditis?",
        "Isn't it true that colchicine prevents pericarditis?",
        "So isn't it the case that colchicine works?",
        "Is it not well known that colchicine helps in pericarditis?",
        "Does colchicine help people who do not respond to ibuprofen?",
        "Does colchicine help in pericarditis if ibuprofen fails?",
        "Is colchicine not only cheap but effective in pericarditis?",
        "I have pericarditis and nothing works. Is colchicine worth trying?",
        "I'm not sure what this means. Does colchicine help in pericarditis?",
        "My doctor couldn't explain it. How does colchicine act?",
        "Does colchicine help in heart failure?",
        "Which drug helps against a cough that does not stop?",
        "How much iodine is needed so the baby doesn't get goitre?",
        "Two trials contradict each other: does zinc shorten colds?",
    ],
)
def test_what_only_says_who_or_asks_for_a_yes_is_not(text: str) -> None:
    assert not is_negative(text)


def test_a_long_text_takes_no_long_time() -> None:
    assert is_negative("it does not work and " * 5000)
