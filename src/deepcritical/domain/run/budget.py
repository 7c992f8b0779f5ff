"""The limits of one run, and the account that keeps a model within them.

A call is reserved before it is sent, so that calls made at once cannot overspend together. Each
judgement may draw on the purse up to a share of it: reading gives way first, then hypotheses, then
the judge, and what is left is kept for the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import Field

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.errors import BudgetExceeded, ConfigurationError

Depth = Literal["quick", "standard", "deep"]

Judgement = Literal[
    "question", "queries", "reading", "hypotheses", "assessment", "manager", "report", "verify"
]
"""A task that a reasoner is asked to do."""

Step = Literal["reader", "writer", "verifier", "manager"]
"""A part of the work that may have a model of its own."""

STEPS: Mapping[str, Step] = {
    "reading": "reader",
    "manager": "manager",
    "report": "writer",
    "write": "writer",
    "verify": "verifier",
}
"""The step that a judgement belongs to; those that are not named go to the model of the run."""

SHARES: dict[Judgement, float] = {
    "question": 0.8,
    "queries": 0.8,
    "reading": 0.5,
    "hypotheses": 0.75,
    "assessment": 0.8,
    "manager": 0.7,
    "report": 1.0,
    "verify": 1.0,
}
"""The share of each cap up to which a judgement may be asked for.

0.2 is kept for writing and checking.
"""


_UNANSWERED_PER_CALL = 3
"""Requests without an answer for each call that is allowed, after which none is sent any more."""
_QUESTION_SHARE = 0.4
_MOST_TIMES = 4
"""Of the default time, that a run with a slow model may take."""
_IN_A_ROW, _IN_A_ROW_EACH_ROUND = 6, 3
"""Requests of a run, repairs included, of which each waits for the one before."""
_CODE_S = 2.0
"""Seconds in which code writes and checks a report, also on a machine that has more to do."""


class RunLimits(Model):
    """The limits after which a run must write its report."""

    max_iterations: int = Field(default=3, ge=1, le=10)
    """Rounds of search and judgement."""
    deadline_s: float = Field(default=180.0, gt=0)
    """Seconds from the first step."""
    paced: bool = False
    """Whether that is a default, which gives a slow model more time."""
    results_per_query: int = Field(default=10, ge=1, le=100)
    full_texts: int = Field(default=0, ge=0, le=20)
    """Studies whose full text may be read where the abstract gives no result."""
    report_share: UnitInterval = 0.2
    """The share of the time that is kept back for writing the report."""
    max_calls: int = Field(default=60, ge=0)
    """Requests that a model answers."""
    max_tokens: int = Field(default=600_000, ge=0)
    """Tokens of a model, read and written."""
    max_cost_usd: float | None = Field(default=None, ge=0)
    """US dollars for a model; None sets no limit. Not kept for a model whose price is unknown."""

    @classmethod
    def for_depth(cls, depth: Depth) -> RunLimits:
        """The limits of a depth."""
        rounds, seconds, calls, tokens = {
            "quick": (1, 60.0, 20, 200_000),
            "standard": (3, 180.0, 60, 600_000),
            "deep": (10, 600.0, 200, 2_000_000),
        }[depth]
        return cls(
            max_iterations=rounds,
            deadline_s=seconds,
            paced=True,
            max_calls=calls,
            max_tokens=tokens,
            full_texts=0 if depth == "quick" else 5,
        )

    def beyond(self, most: RunLimits) -> tuple[str, str] | None:
        """The first limit that goes further than `most`, and in words how far; None if none does.

        Less kept for the report goes further, too.
        """
        for name, allowed in most:
            wanted = getattr(self, name)
            if name == "paced":
                continue
            if name == "report_share":
                wrong = wanted < allowed
            else:
                wrong = allowed is not None and (wanted is None or wanted > allowed)
            if wrong:
                far = "none" if wanted is None else f"{wanted:g}"
                side = "least" if name == "report_share" else "most"
                return name, f"is {far}; at {side} {allowed:g} is allowed"
        return None

    def at_pace(self, answer_s: float) -> RunLimits:
        """The limits for a model that took so many seconds for its first answer.

        They hold its requests in a row, as far as that takes no more than four times the default.
        """
        needed_s = (_IN_A_ROW + _IN_A_ROW_EACH_ROUND * self.max_iterations) * answer_s
        deadline_s = max(self.deadline_s, min(needed_s, _MOST_TIMES * self.deadline_s))
        return self.until(round(deadline_s))

    def until(self, deadline_s: float) -> RunLimits:
        """The limits with this deadline, which no speed changes any more."""
        return self.model_copy(update={"deadline_s": deadline_s, "paced": False})

    @property
    def research_deadline_s(self) -> float:
        """Seconds after which no further round begins."""
        return self.deadline_s * (1 - self.report_share)


class OwnLimits(Model):
    """The limits that a user sets for a run; None takes the value of the depth."""

    max_iterations: int | None = Field(default=None, ge=1, le=10)
    deadline_s: float | None = Field(default=None, gt=0)
    max_tokens: int | None = Field(default=None, ge=0)
    max_cost_usd: float | None = Field(default=None, ge=0)

    @property
    def given(self) -> dict[str, float]:
        """Those that are set."""
        return self.model_dump(exclude_none=True)

    def over(self, limits: RunLimits, most: RunLimits) -> RunLimits:
        """The limits with what is set here in their place.

        Raises:
            ConfigurationError: That goes further than `most`.
        """
        paced = limits.paced and self.deadline_s is None
        own = RunLimits(**{**dict(limits), **self.given, "paced": paced})
        if self.given and (wrong := own.beyond(most)):
            raise ConfigurationError(f"The limit {wrong[0]} {wrong[1]}.", "Choose a lower one.")
        return own

    @property
    def noted(self) -> dict[str, object]:
        """Return the part that is stored with a run: only runs with equal limits reuse it."""
        return {"limits": self.given} if self.given else {}


class Spent(Model):
    """The cost of model calls, spent or expected."""

    calls: int = 0
    """Requests that were answered."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """US dollars; None when the model's price is unknown."""
    unanswered: int = 0
    """Requests without an answer. They are in no other figure; the provider may charge for them."""
    by_fallback: int = 0
    """Of the calls, those that the fallback model answered in another's place."""

    @property
    def requests(self) -> int:
        """Requests in all, answered or not."""
        return self.calls + self.unanswered

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: Spent, sign: int = 1) -> Spent:
        """Both together; with `sign` -1 what remains without the other."""
        known = self.cost_usd is not None or other.cost_usd is not None
        both: dict[str, Any] = {
            name: (one or 0) + sign * (getattr(other, name) or 0) for name, one in self
        }
        return Spent(**{**both, "cost_usd": both["cost_usd"] if known else None})


Price = Callable[[int, int], float | None]
"""US dollars for so many tokens read and written; None when unknown."""


class Purse:
    """The budget of one run. One task at a time touches it, for no method awaits.

    Invariant: spent and reserved together never exceed a cap, as far as a call costs no more than
    was reserved for it.
    """

    def __init__(
        self, limits: RunLimits, price: Price, elapsed_s: Callable[[], float] = lambda: 0.0
    ) -> None:
        self.limits = limits
        self._price = price
        self._elapsed_s = elapsed_s
        self._reserved = Spent()
        self.spent = Spent(cost_usd=price(0, 0))
        self.first_answer_s = 0.0
        """Seconds that the first answer took; 0 before it."""

    def priced(self, input_tokens: int, output_tokens: int, price: Price | None = None) -> Spent:
        """One call of so many tokens, with its cost; `price` is that of another model."""
        cost = (price or self._price)(input_tokens, output_tokens)
        return Spent(calls=1, input_tokens=input_tokens, output_tokens=output_tokens, cost_usd=cost)

    def reserve(self, judgement: Judgement, most: Spent) -> None:
        """Set aside what one call may cost at most.

        Raises:
            BudgetExceeded: The judgement's share of a cap does not hold it.
        """
        if name := self._short_of(judgement, most, self._reserved):
            raise BudgetExceeded(
                f"The budget of {name} does not hold this call.",
                f"Raise DEEPCRITICAL_{name.upper()}, or ask at a greater depth.",
            )
        # The provider may charge for them, too.
        if self.spent.unanswered >= _UNANSWERED_PER_CALL * self.limits.max_calls > 0:
            raise BudgetExceeded(
                f"{self.spent.unanswered} requests to the model had no answer.",
                "Use a server that answers, or raise DEEPCRITICAL_MAX_CALLS.",
            )
        self._reserved = self._reserved.plus(most)

    @property
    def under_way(self) -> bool:
        """Return whether a call is reserved and not settled."""
        return self._reserved.calls > 0

    def may_fit(self, judgement: Judgement, most: Spent) -> bool:
        """Return whether the call would fit if those under way turned out to cost nothing."""
        return not self._short_of(judgement, most, Spent())

    def settle(self, reserved: Spent, actual: Spent) -> None:
        """Release a reservation and count what the call did cost."""
        self._reserved = self._reserved.plus(reserved, -1)
        self.spent = self.spent.plus(actual)

    def seconds_left(self, judgement: Judgement) -> float:
        """Seconds in which the judgement must be made.

        A tenth of the report's are for code, and two at least, as far as that is no more than half.
        A question is understood within two fifths of research: the rest is for what is found.
        """
        limits = self.limits
        report_s = limits.deadline_s - limits.research_deadline_s
        code_s = max(0.1 * report_s, min(_CODE_S, 0.5 * report_s))
        end_s = limits.deadline_s - code_s if judgement == "report" else limits.research_deadline_s
        if judgement == "question":
            end_s *= _QUESTION_SHARE
        return max(0.0, end_s - self._elapsed_s())

    def _short_of(self, judgement: Judgement, most: Spent, reserved: Spent) -> str:
        """The cap whose share does not hold the call beside what is spent and reserved; or ''."""
        for name in ("calls", "tokens", "cost_usd"):
            cap: float | None = getattr(self.limits, f"max_{name}")
            each = getattr(most, name)
            used = (getattr(self.spent, name) or 0) + (getattr(reserved, name) or 0)
            # A billionth against the rounding of shares, such as 0.8 x 5.
            if cap is not None and each and used + each > cap * SHARES[judgement] + 1e-9:
                return f"max_{name}"
        return ""
