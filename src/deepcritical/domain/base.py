"""The base model and the bounded numbers of the domain."""

from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""

Score10 = Annotated[int, Field(ge=0, le=10)]
"""A whole number from 0 to 10.

It is what a model is asked for, because local grammars do not enforce bounds on floats.
"""


class Model(BaseModel):
    """Immutable, strict about unknown fields; the docstring under a field is its description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Invalid(NamedTuple):
    """The part of a value that a model refused."""

    where: str
    """Names and places from the outside in, with dots between them; '' for the whole."""
    why: str
    given: object


def first_invalid(error: ValidationError) -> Invalid:
    """Return the first part that was refused."""
    first = error.errors(include_url=False, include_context=False)[0]
    why = first["msg"].removeprefix("Value error, ")
    return Invalid(".".join(map(str, first["loc"])), why, first["input"])
