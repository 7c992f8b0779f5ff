"""Rows of the evidence table: design, size, direction and part in the verdict by reference."""

from enum import StrEnum

from pydantic import Field

from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.record import Integrity, StopClass


class VerdictRole(StrEnum):
    """The part of a record in a verdict, the greatest first."""

    DECIDES = "decides"
    COUNTS = "counts"
    """It bears on the question, and the rule that applied names other records."""
    RETRACTED = "retracted"
    """It bears on the question, is shown, and may not count."""
    NONE = "none"
    """It does not bear on the question."""


class DrugStance(Model):
    """One record's position on one drug for the condition."""

    drug: str
    direction: Direction
    direct: bool
    """Whether the finding is about the condition itself."""
    role: VerdictRole
    why: str = ""
    """Why the record has no say on whether the drug helps, or how it must be read."""
    model_direction: Direction = Direction.NONE
    """Of versions before 0.3: the direction that a model read, which no verdict counted."""

    @property
    def dispute(self) -> str:
        """Return how a model's reading differs from `direction`; '' where it does not."""
        if self.model_direction in (Direction.NONE, self.direction):
            return ""
        if self.direction is Direction.NONE:
            return f"read by the model only, not counted: {self.model_direction.value}"
        return f"disputed by the model: {self.model_direction.value}"


class EvidenceRow(Model):
    """One reference as a line of the evidence table."""

    evidence_id: str
    """That of the reference; its number is the reference's place in the list."""
    design: str
    level: int | None = Field(default=None, ge=1, le=5)
    """OCEBM 2011 level; None where there is no result to grade."""
    design_from_text: bool = False
    """Whether the design was read from the text, for want of a publication type."""
    certainty: str = ""
    """GRADE certainty of the record alone; '' without a result."""
    certainty_reasons: tuple[str, ...] = ()
    """What lowered or raised it from where its design starts."""
    quality: UnitInterval | None = None
    """A weighted mean of design, size, integrity, peer review and citations; ranks, not decides."""
    participants: int | None = Field(default=None, ge=0)
    """People studied; those planned are not counted."""
    planned: int | None = Field(default=None, ge=0)
    """People that a registered trial plans to enrol."""
    stances: tuple[DrugStance, ...] = ()
    """One for each drug of the report that the record bears on, in the report's order."""
    status: str = ""
    """Registry status in capitals."""
    phase: str = ""
    why_stopped: str = ""
    """The registry's words."""
    stop_class: StopClass | None = None
    has_results: bool | None = None
    """Whether results are posted in the registry; None where it does not say."""
    same_study: tuple[str, ...] = ()
    """Evidence ids of the other references to the same study."""
    integrity: Integrity = "not_checked"

    @property
    def direction(self) -> Direction:
        """That for the first drug which the record says something of."""
        said = (s.direction for s in self.stances if s.direction is not Direction.NONE)
        return next(said, Direction.NONE)

    @property
    def role(self) -> VerdictRole:
        """The greatest part that the record has in a verdict of the report."""
        return min((s.role for s in self.stances), key=_ROLES.index, default=VerdictRole.NONE)


_ROLES = tuple(VerdictRole)


def phase_name(phase: str) -> str:
    """A phase as people write it; a device has none (`NA`)."""
    told = phase.replace("EARLY_PHASE", "Early Phase ").replace("PHASE", "Phase ")
    return "" if told == "NA" else told
