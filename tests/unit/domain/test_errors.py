from __future__ import annotations

import pickle

import pytest

from deepcritical.domain import errors
from deepcritical.domain.errors import DeepCriticalError, RateLimitError, ResearchCancelled

CONCRETE = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, DeepCriticalError)
]


@pytest.mark.parametrize("cls", CONCRETE)
def test_an_error_keeps_its_words_when_pickled(cls: type[DeepCriticalError]) -> None:
    copy = pickle.loads(pickle.dumps(cls("It broke.", "Mend it.")))  # noqa: S301 - our own bytes
    assert type(copy) is cls
    assert (copy.message, copy.advice, str(copy)) == ("It broke.", "Mend it.", "It broke. Mend it.")


@pytest.mark.parametrize("seconds", [None, 0.0, 2.5])
def test_a_rate_limit_keeps_its_wait_when_pickled(seconds: float | None) -> None:
    error = RateLimitError("Too fast.", "Wait.", seconds)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (copy.message, copy.advice, copy.retry_after_s) == ("Too fast.", "Wait.", seconds)


def test_an_error_without_advice_reads_as_its_message() -> None:
    assert str(DeepCriticalError("It broke.")) == "It broke."


def test_a_rate_limit_does_not_read_its_wait_aloud() -> None:
    assert str(RateLimitError("Too fast.", "Wait.", 3)) == "Too fast. Wait."


def test_a_cancelled_run_is_no_exception() -> None:
    assert not issubclass(ResearchCancelled, Exception)
    assert pickle.loads(pickle.dumps(ResearchCancelled("stop"))).args == ("stop",)  # noqa: S301 - our own bytes
