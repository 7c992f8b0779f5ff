"""The one base model and the bounded numbers that the whole domain shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Model", "Score10", "UnitInterval", "map_texts"]

UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""

Score10 = Annotated[int, Field(ge=0, le=10)]
"""A whole number from 0 to 10.

It is what a model is asked for, because local grammars do not enforce bounds on floats.
"""


class Model(BaseModel):
    """Immutable, strict about unknown fields; the docstring under a field is its description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with each text in it changed: in itself, in tuples and in models.

    Values of an enumeration are names, not texts, and stay as they are.
    """
    if type(value) is str:
        return change(value)
    if isinstance(value, tuple):
        return tuple(map_texts(item, change) for item in value)
    if isinstance(value, Model):
        return type(value)(**{name: map_texts(item, change) for name, item in value})
    return value
