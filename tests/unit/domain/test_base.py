"""The descriptions of fields in the JSON schema of a model."""

from typing import Any

from pydantic import Field

from deepcritical.domain.base import Model


class Parent(Model):
    """A parent."""

    number: int
    """Of people."""
    plain: str = ""


class Child(Parent):
    """A child."""

    plain: str = ""
    """Told here."""
    inner: Parent | None = None
    called: str = Field(default="", alias="calledOtherwise")
    """By an alias."""


class Silent(Parent):
    """A child that says nothing of a field of its own."""

    number: int


def test_the_docstring_under_a_field_describes_it_also_in_a_subclass() -> None:
    schema = Child.model_json_schema()
    told = {name: field.get("description") for name, field in schema["properties"].items()}
    aliased = {"calledOtherwise": "By an alias."}
    assert told == {"number": "Of people.", "plain": "Told here.", "inner": None, **aliased}
    assert "description" not in Silent.model_json_schema()["properties"]["number"]
    inner = schema["$defs"]["Parent"]["properties"]
    assert inner["number"]["description"] == "Of people."


def test_a_class_without_a_source_has_no_descriptions() -> None:
    names: dict[str, Any] = {"Model": Model}
    exec("class Made(Model):\n    number: int\n    'Of people.'\n", names)  # noqa: S102
    assert "description" not in names["Made"].model_json_schema()["properties"]["number"]
