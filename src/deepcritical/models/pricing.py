"""What an answer costs, by the price library's list: by the server's address, else its name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from genai_prices import Usage, calc_price
from genai_prices.types import AbstractUsage

from deepcritical.domain.budget import Price

__all__ = ["Cost", "cost_of", "price_by"]

Cost = Callable[[AbstractUsage], float | None]
"""US dollars for the usage that a server told; None when the price is unknown."""


def cost_of(provider: str, model: str, url: str) -> Cost:
    """The cost of a model's answers.

    Args:
        provider: The service, as pydantic-ai calls it.
        model: The model's name.
        url: Where it is asked; several services sell one model.
    """

    def cost(used: AbstractUsage) -> float | None:
        for priced in (
            partial(calc_price, used, model, provider_api_url=url),
            partial(calc_price, used, model, provider_id=provider),
        ):
            # Not on the list, or a usage that cannot be.
            with suppress(LookupError, ValueError):
                return float(priced().total_price)
        return None

    return cost


def price_by(cost: Cost) -> Price:
    """The price of so many tokens read and written."""
    return lambda read, written: cost(Usage(input_tokens=read, output_tokens=written))
