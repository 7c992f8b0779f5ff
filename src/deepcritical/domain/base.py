"""The one base model and the bounded numbers that the whole domain shares."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""

Score10 = Annotated[int, Field(ge=0, le=10)]
"""A whole number from 0 to 10.

It is what a model is asked for, because local grammars do not enforce bounds on floats.
"""


class Model(BaseModel):
    """Immutable, strict about unknown fields; the docstring under a field is its description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
