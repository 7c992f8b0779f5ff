"""The base model and the bounded numbers of the domain."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""

Score10 = Annotated[int, Field(ge=0, le=10)]
"""A whole number from 0 to 10.

It is what a model is asked for, because local grammars do not enforce bounds on floats.
"""


class Model(BaseModel):
    """Immutable, strict about unknown fields; the docstring under a field is its description.

    It is read from the source where a JSON schema is made, and not where the class is: pydantic's
    own `use_attribute_docstrings` takes as long as all other imports of the command line.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        described: dict[str, Any] = handler.resolve_ref_schema(schema).get("properties", {})
        for name, field in cls.model_fields.items():
            own = (b for b in cls.__mro__ if name in vars(b).get("__annotations__", ()))
            told = attribute_docstrings(next(own, cls)).get(name)
            for key in (name, field.alias, field.serialization_alias):
                if told and key in described:
                    described[key].setdefault("description", told)
        return schema


@cache
def attribute_docstrings(model: type) -> dict[str, str]:
    """Return the docstrings under the fields of a model, but not those of its bases.

    There are none where the project is installed without its sources.
    """
    if not issubclass(model, Model):
        return {}
    try:
        (told,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    except (OSError, TypeError, SyntaxError, ValueError):  # none, or not those of this process
        return {}
    docs: dict[str, str] = {}
    for field, under in pairwise(told.body if isinstance(told, ast.ClassDef) else ()):
        match field, under:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                docs[name] = inspect.cleandoc(text)
    return docs


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
