"""Checks a model by one question, asked as a run would ask it."""

from __future__ import annotations

import time

from deepcritical.domain.budget import RunLimits, Spent
from deepcritical.domain.checks import Check, failed, passed, skipped
from deepcritical.domain.errors import (
    ConfigurationError,
    DeepCriticalError,
    KeyRefusedError,
    ModelUnknownError,
)
from deepcritical.models.answers import Plan
from deepcritical.models.asking import open_asker
from deepcritical.models.desk import OutputMode, RunDesk
from deepcritical.models.providers import ModelServer
from deepcritical.prompts.asks import ask_plan

_QUESTION = "Can metformin be repurposed for Alzheimer's disease?"
_DRUG = "metformin"
_MODES: dict[OutputMode, str] = {
    "tool": "by a tool call",
    "native": "by a JSON schema",
    "prompted": "in words, the least reliable way",
}
_NOT_ANSWERED = "none without a key that is accepted"
_NO_KEY = ConfigurationError(
    "The model's server wants one, and none is set.",
    "Set DEEPCRITICAL_MODEL_API_KEY or the provider's own variable, or use --ask-key.",
)


async def check_model(
    server: ModelServer, key_found_in: str, limits: RunLimits
) -> tuple[Check, ...]:
    """Check a model for a run with these limits: server, key, typed answer, price.

    `key_found_in` is '' without a key; the limits hold for the one question, too.
    """
    resolved = passed("model", _resolved(server))
    if server.needs_key and not key_found_in:
        return resolved, failed("key", _NO_KEY), skipped("answer", _NOT_ANSWERED)
    asked = await _asked(server, limits)
    return resolved, _key(key_found_in, asked.error), *asked.told(server, limits)


class _Asked:
    def __init__(self) -> None:
        self.error: DeepCriticalError | None = None
        self.understood = False
        self.seconds = 0.0
        self.spent = Spent()

    def told(self, server: ModelServer, limits: RunLimits) -> tuple[Check, ...]:
        if isinstance(self.error, ConfigurationError) and not isinstance(
            self.error, ModelUnknownError
        ):
            return (skipped("answer", _NOT_ANSWERED),)  # the key's check tells why
        if self.error:
            return (failed("answer", self.error),)
        how = _MODES[server.mode or "tool"]
        read = "" if self.understood else "; but it misread the question, so expect little help"
        answer = f"in the form asked for, {how}, after {self.seconds:.1f} s{read}"
        return passed("answer", answer), _price(self.spent, limits)


async def _asked(server: ModelServer, limits: RunLimits) -> _Asked:
    started, asked = time.monotonic(), _Asked()
    desk = RunDesk(limits, lambda: time.monotonic() - started)
    try:
        async with open_asker(server, desk) as asker:
            prompt = ask_plan(_QUESTION, short=server.profile.short)
            plan = await asker.ask("question", prompt, Plan)
            asked.understood = any(_DRUG in drug.lower() for drug in plan.drugs)
            asked.spent = asker.purse.spent
    except DeepCriticalError as error:
        asked.error = error
    asked.seconds = time.monotonic() - started
    return asked


def _resolved(server: ModelServer) -> str:
    profile = server.profile
    size = "short prompts" if profile.short else "full prompts"
    effort = f", {server.effort} effort" if server.effort else ""
    return (
        f"{server.name} at {server.address}; {size}{effort}, {profile.batch_records} records a call"
    )


def _key(found_in: str, error: DeepCriticalError | None) -> Check:
    if isinstance(error, KeyRefusedError):
        return failed("key", error if found_in else _NO_KEY)
    answered = error is None or isinstance(error, ModelUnknownError)
    if not found_in:
        asked = "this server asked for none" if answered else "whether one is wanted is not known"
        return skipped("key", f"none is set, and {asked}")
    if answered:
        return passed("key", f"that of {found_in} was not refused")
    if isinstance(error, ConfigurationError):
        return failed("key", error)
    return skipped("key", f"that of {found_in} is set; whether it is accepted is not known")


def _price(spent: Spent, limits: RunLimits) -> Check:
    counted = f"{spent.calls} calls, {spent.tokens:,} tokens"
    if spent.cost_usd is not None:
        return passed("price", f"known; this check cost ${spent.cost_usd:.4f} ({counted})")
    if limits.max_cost_usd is None:
        return skipped("price", f"not known for this name; this check took {counted}")
    return failed(
        "price",
        ConfigurationError(
            "Not known for this name: the limit in dollars cannot be kept.",
            "Set DEEPCRITICAL_MAX_TOKENS or DEEPCRITICAL_MAX_CALLS beside it.",
        ),
    )
