"""The verdict on a question, with its rule and the rows it rests on."""

from enum import StrEnum
from typing import Literal

from deepcritical.domain.appraisal.votes import OutcomeRow, Way, as_stopped
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.certainty import Certainty


class VerdictLabel(StrEnum):
    """The strength of the evidence that the drug helps in the condition, from best to worst."""

    SUPPORTED = "supported"
    PROMISING = "promising"
    MIXED = "mixed"
    INSUFFICIENT = "insufficient evidence"
    NOT_ASSESSED = "not assessed"
    """Too little could be read to say anything."""
    UNSUPPORTED = "unsupported"
    REFUTED = "refuted"
    HARMFUL = "harmful"


DIRECTIONS: dict[VerdictLabel, str] = {
    VerdictLabel.SUPPORTED: "benefit",
    VerdictLabel.PROMISING: "benefit",
    VerdictLabel.MIXED: "mixed",
    VerdictLabel.INSUFFICIENT: "open",
    VerdictLabel.NOT_ASSESSED: "open",
    VerdictLabel.UNSUPPORTED: "no benefit",
    VerdictLabel.REFUTED: "no benefit",
    VerdictLabel.HARMFUL: "harm",
}
"""The direction of each verdict: two that differ in strength alone are of one."""

_CONFIDENCE: dict[Certainty, float] = {
    Certainty.VERY_LOW: 0.2,
    Certainty.LOW: 0.4,
    Certainty.MODERATE: 0.6,
    Certainty.HIGH: 0.8,
}


WEAK_SIGNAL = (
    "On the outcome that was asked about patients did worse with the drug, in results that are "
    "too weak to prove it."
)


AT_A_PRICE = "Trials found a benefit, but deaths or grave harms were more frequent with the drug."


class Verdict(Model):
    """The verdict with the rule it follows from."""

    label: VerdictLabel
    certainty: Certainty
    rule: str
    """The rule of the table that decided, as a sentence."""
    deciding_ids: tuple[str, ...] = ()
    """Evidence ids of the records that decided, in store order."""
    downgrades: tuple[str, ...] = ()
    """GRADE-style reasons that lowered the certainty."""
    caps: tuple[str, ...] = ()
    """What kept the verdict from being stronger."""
    rows: tuple[OutcomeRow, ...] = ()
    """The summary of findings; () in reports before 0.3."""

    @property
    def confidence(self) -> UnitInterval:
        """Confidence in the verdict, 0-1, by its certainty: 0.2, 0.4, 0.6 or 0.8."""
        return _CONFIDENCE[self.certainty]

    @property
    def told_rule(self) -> str:
        """The rule in the words of what was tested: taking the drug, or stopping it."""
        control = self.rows[0].control if self.rows else ""
        return as_stopped(self.rule, control)

    @property
    def is_weak_signal(self) -> bool:
        """Return whether the outcome asked about was worse with the drug, without trial proof."""
        return self.rule == WEAK_SIGNAL

    @property
    def is_at_a_price(self) -> bool:
        """Return whether a benefit that patients feel stands beside more deaths or grave harms."""
        decided = set(self.deciding_ids)
        helps = (r for r in self.rows if r.way is Way.BENEFIT and decided & set(r.evidence_ids))
        felt = any(row.importance in ("critical", "important") for row in helps)
        return felt and self.rule == AT_A_PRICE

    @property
    def strength_of_harm(self) -> Literal["", "weak", "likely"]:
        """Return how far a harm that was asked about is from proof; '' if proven or not found."""
        harmful = self.label is VerdictLabel.HARMFUL
        if self.is_weak_signal or (harmful and self.certainty is Certainty.VERY_LOW):
            return "weak"
        return "likely" if harmful and self.certainty is Certainty.LOW else ""


NO_RECORD = Verdict(
    label=VerdictLabel.INSUFFICIENT,
    certainty=Certainty.VERY_LOW,
    rule="No record bears on the question.",
)
"""The verdict of a question on which nothing was found."""
