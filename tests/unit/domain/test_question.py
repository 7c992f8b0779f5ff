from __future__ import annotations

import pytest

from deepcritical.domain.errors import EmptyQuestionError, QuestionTooLongError
from deepcritical.domain.named import Drug
from deepcritical.domain.question import MAX_QUESTION_CHARS, checked_question


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Does it help?", "Does it help?", id="plain"),
        pytest.param("  Does\n it\thelp? ", "Does it help?", id="blanks"),
        pytest.param("x", "x", id="one letter"),
        pytest.param("¿Ayuda?", "¿Ayuda?", id="another language"),
        pytest.param("x" * MAX_QUESTION_CHARS, "x" * MAX_QUESTION_CHARS, id="as long as can be"),
        pytest.param(f"{'x' * MAX_QUESTION_CHARS}  ", "x" * MAX_QUESTION_CHARS, id="blanks behind"),
    ],
)
def test_a_question_is_trimmed(text: str, expected: str) -> None:
    assert checked_question(text) == expected


@pytest.mark.parametrize("text", ["", " \n\t", "?", "123 456", "...!", "🙂"])
def test_a_question_without_letters_is_empty(text: str) -> None:
    with pytest.raises(EmptyQuestionError) as caught:
        checked_question(text)
    assert caught.value.advice


def test_a_question_that_is_too_long_is_refused_with_both_numbers() -> None:
    with pytest.raises(QuestionTooLongError, match="2,001 characters; at most 2,000"):
        checked_question("x" * (MAX_QUESTION_CHARS + 1))


def test_the_names_of_a_drug_begin_with_its_own() -> None:
    assert Drug(name="examplol", synonyms=("Testalin",)).names == ("examplol", "Testalin")


def test_bytes_of_another_encoding_become_question_marks() -> None:
    assert checked_question("Does examplol help?\udcff") == "Does examplol help??"
