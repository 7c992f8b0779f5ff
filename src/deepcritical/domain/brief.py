"""The brief: the answer to a question on one screen, as data that every renderer shows alike."""

from __future__ import annotations

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.votes import OutcomeRow


class DecidingStudy(Model):
    """One of the studies that the verdict rests on, in a line."""

    name: str
    """Such as Koenig 2017 or an NCT number."""
    design: str
    people: int | None = Field(default=None, ge=0)
    comparator: str = ""
    """What the drug was compared with, such as placebo; '' where the record names none."""
    result: Sentence
    evidence_ids: tuple[str, ...]


class TrialUnderWay(Model):
    """A registered trial that may change the answer."""

    registry_id: str
    title: str
    status: str
    """In words, such as recruiting."""
    participants: int | None = Field(default=None, ge=0)
    completion: str = ""
    """Expected completion, as the registry writes it; '' where it has none."""
    evidence_id: str


class StudyRow(Model):
    """One study in the table of studies."""

    name: str
    design: str = ""
    population: str = ""
    arms: tuple[str, ...] = ()
    """What each arm got, with its size where it is known."""
    comparator: str = ""
    outcome: str = ""
    """The primary outcome, or the weightiest that it reports."""
    result: str = ""
    people: int | None = Field(default=None, ge=0)
    certainty: str = ""
    """GRADE certainty of this study alone."""
    counts: str = ""
    """Whether it decides, counts, or why it does not count, in words."""
    evidence_ids: tuple[str, ...] = ()


class Brief(Model):
    """What a reader must know, about 200-300 words with its table."""

    drug: str = ""
    """The drug that it is on."""
    claim: str = ""
    """What the verdict is on, such as "examplol helps in testitis"."""
    denied: bool = False
    """Whether the question asked for the opposite of the claim."""
    raises: bool = False
    """Whether the claim is that something bad gets more, so that harm answers it with a yes."""
    lead: str = ""
    """What is said first where no drug was asked about."""
    answer: tuple[Sentence, ...] = Field(min_length=1)
    """Two to four sentences: drug, population, outcome, effect with interval, certainty."""
    harms: tuple[Sentence, ...] = ()
    licensed: tuple[Sentence, ...] = ()
    """That a label or a curated source has the drug licensed for the condition; said first."""
    label: tuple[Sentence, ...] = ()
    """Class, and what of boxed warnings, contraindications and interactions bears on the question.
    """
    synthesis: tuple[Sentence, ...] = ()
    """What the studies show together, where a model wrote; each sentence passed its checks."""
    findings: tuple[OutcomeRow, ...] = ()
    """At most six rows of the summary of findings, the weightiest first."""
    studies: tuple[DecidingStudy, ...] = ()
    """Three to five, the weightiest first."""
    missing: tuple[str, ...] = ()
    """What the evidence lacks, a sentence each."""
    trials: tuple[TrialUnderWay, ...] = ()
    """Those under way or planned, the largest first."""
