"""Starts that a client repeats because it did not hear the answer begin one run, not two."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from deepcritical.domain.base import Model
from deepcritical.domain.errors import QuestionError

__all__ = ["RepeatedStarts"]


class _Started(NamedTuple):
    asked: Model
    run_id: str


class RepeatedStarts:
    """Which run each key of each user stands for, in this process.

    Invariant: between looking a key up and keeping it nothing awaits.
    """

    MAX_KEPT = 1000
    """The oldest are forgotten beyond it."""

    def __init__(self) -> None:
        self._started: OrderedDict[tuple[str, str], _Started] = OrderedDict()

    def once(self, user_id: str, key: str | None, asked: Model, start: Callable[[], str]) -> str:
        """The id of the run that the key began, or of one that is begun now.

        Raises:
            QuestionError: The key began a run of something else.
        """
        if key is None:
            return start()
        known = self._started.get((user_id, key))
        if known is None:
            known = self._started[user_id, key] = _Started(asked, start())
        if known.asked != asked:
            raise QuestionError(
                "This Idempotency-Key was sent with another request.", "Make a new one."
            )
        if len(self._started) > self.MAX_KEPT:
            self._started.popitem(last=False)
        return known.run_id
