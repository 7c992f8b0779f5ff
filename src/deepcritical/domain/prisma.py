"""The flow of records through a search, in the counts of PRISMA 2020."""

from __future__ import annotations

from pydantic import Field

from deepcritical.domain.base import Model


class RecordCount(Model):
    """How many records have something in common."""

    name: str
    """A source, or a reason for exclusion."""
    records: int = Field(ge=0)


class PrismaFlow(Model):
    """Records at each stage; one is counted as often as it was found until duplicates are removed.

    ``identified - duplicates == screened`` and ``screened - excluded == included``.
    """

    by_source: tuple[RecordCount, ...] = ()
    """Records identified in each source, in the order of the search."""
    duplicates: int = Field(ge=0)
    """Removed before screening."""
    exclusions: tuple[RecordCount, ...] = ()
    """Records excluded for each reason."""
    included: int = Field(ge=0)
    """Records."""
    studies: int = Field(ge=0)
    """Studies that the included records are of."""

    @property
    def identified(self) -> int:
        """Records in all answers of all sources."""
        return sum(count.records for count in self.by_source)

    @property
    def screened(self) -> int:
        """Records left when duplicates are removed."""
        return self.identified - self.duplicates

    @property
    def excluded(self) -> int:
        """Records excluded for any reason."""
        return sum(count.records for count in self.exclusions)
