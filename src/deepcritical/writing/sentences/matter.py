"""The material that a brief is written from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.findings import Appraisal, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.study.reading import StudyReading
from deepcritical.questions.claims import answered_by, claim_of
from deepcritical.questions.wording import given_in


class Matter(NamedTuple):
    """The material that a brief is written from."""

    drug: str
    condition: str
    frame: QuestionFrame | None
    verdict: Verdict
    studies: Sequence[StudyFinding]
    evidence: Mapping[str, Evidence]
    """All records of the run."""
    readings: Mapping[str, StudyReading]
    appraisals: Mapping[str, Appraisal]
    """Of the drug, by evidence id."""
    searched_on: str
    """ISO date; a trial whose planned end is before it is not under way."""

    @property
    def claim(self) -> str:
        """Return what the verdict is on."""
        if self.frame is None:
            return f"{self.given} helps in {self.condition}"
        asked = answered_by(self.verdict, self.frame)
        own = tuple(drug for drug in asked.drugs if drug.name == self.drug)
        of_one = asked.model_copy(update={"drugs": own}) if own else asked
        claim = claim_of(asked) or claim_of(of_one)
        return claim or f"{self.given} helps in {self.condition}"

    @property
    def given(self) -> str:
        """Return what was tested, as the subject of a sentence: the drug, or stopping it."""
        return given_in(self.frame, self.drug) if self.frame else self.drug
