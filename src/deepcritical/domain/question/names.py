"""Drugs and conditions that a question names, with their synonyms."""

from __future__ import annotations

from pydantic import Field

from deepcritical.domain.base import Model


class Drug(Model):
    """A drug and the other names it goes by."""

    name: str = Field(min_length=1)
    synonyms: tuple[str, ...] = ()
    known: bool = True
    """False when no vocabulary has the name; it is then searched literally."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name and its synonyms."""
        return (self.name, *self.synonyms)


class Condition(Model):
    """A condition and the other names it goes by."""

    name: str = Field(min_length=1)
    names: tuple[str, ...] = ()
    """All names, the first one included."""
    mesh_id: str | None = None
    either: tuple[Condition, ...] = ()
    """Of several that are asked about at once ("agitation and aggression"), each by itself."""
    known: bool = True

    @property
    def each(self) -> tuple[Condition, ...]:
        """The conditions of which any counts: itself, where it is one."""
        return self.either or (self,)
