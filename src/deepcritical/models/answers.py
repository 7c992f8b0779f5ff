"""Answers that a model may give: ids, verbatim quotes, whole numbers, choices from lists.

Nothing here is stored or printed as it is. Words of a model reach the reader only where code finds
them in a record, in the question or in a vocabulary.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from deepcritical.questions.model_reading import ModelReading


class _Answer(BaseModel):
    """Keys that were not asked for are ignored: small models add some."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)


class Plan(ModelReading):
    """The question as understood, and searches."""

    searches: list[str] = Field(default_factory=list)
    """Each 1-6 plain words."""


class Hypotheses(_Answer):
    """Chains, best first."""

    chains: list[list[str]]
    """Names along each chain, from the drug on, as the graph writes them."""


GapKind = Literal[
    "randomised_trial",
    "larger_trial",
    "dose",
    "population",
    "long_term_outcome",
    "safety",
    "mechanism",
    "negative_studies",
]


class Assessed(_Answer):
    """Scores, gaps and what the next round should go for."""

    mechanism_score: int
    """0 none to 10 strong."""
    clinical_score: int
    """0 none to 10 strong."""
    confidence: Literal["low", "moderate", "high"]
    answers_question: bool
    gaps: list[GapKind] = Field(default_factory=list)
    close_next: list[int] = Field(default_factory=list)
    """Numbers of the open gaps that the next round should close, the most telling first."""
    searches: list[str] = Field(default_factory=list)
    """Each 1-6 plain words."""
    next_round: Literal["go_on", "enough"] | None = None
    """Whether another round of searches would help."""


VerdictName = Literal[
    "supported",
    "promising",
    "mixed",
    "unsupported",
    "refuted",
    "harmful",
    "insufficient evidence",
]
"""What results may show together."""


class MatchedResult(_Answer):
    """One result that bears on the question."""

    record: str
    """Such as E12."""
    result: int
    """Its number in the record."""
    drug_arm: Literal["a", "b"]
    """The arm with what the question asks about."""
    outcome: str
    """What was measured, in a few words; the same words for the same thing in all records."""
    weight: Literal["decides", "adds", "stands_in", "harm"]
    people: Literal["asked", "wider", "other"]


class MatchedResults(_Answer):
    """The results that bear on the question, and what they show together."""

    results: list[MatchedResult] = Field(default_factory=list)
    shows: VerdictName | None = None
    certainty: Literal["high", "moderate", "low", "very low"] | None = None
    """How sure that is, by GRADE."""


class AssessedResults(MatchedResults, Assessed):
    """Scores, gaps, the results that bear on the question, and what they show together."""


class Chosen(_Answer):
    """One sentence of a section."""

    evidence_id: str
    quote: str
    """A whole sentence, word for word."""
    follows: Literal["first", "also", "however"] = "first"


class Section(_Answer):
    """The sentences of a section, or of an answer in a chat, in order."""

    sentences: list[Chosen]


class TeamNote(_Answer):
    """Notes that the manager of the team makes for itself."""

    lines: list[str]


class NextTurn(_Answer):
    """The agent that speaks next."""

    request_satisfied: bool
    """Whether the request is fully answered."""
    in_loop: bool = False
    progress: bool = True
    next_agent: str
    instruction: str = ""
    """One line, in the form that is asked for."""


NeedKind = Literal[
    "effect",
    "comparison",
    "safety",
    "rate",
    "mechanism",
    "dose",
    "eligibility",
    "diagnosis",
    "cause",
    "recommended",
    "registered",
    "background",
]


class InquiryPlan(Plan):
    """The question as understood, what must be known to answer it, and searches."""

    test: str = ""
    """A test, scan or screening that the question is on, as its words name it."""
    needs: list[NeedKind] = Field(default_factory=list)


class MappedNeed(_Answer):
    """The sentences that bear on one item of the checklist, the most telling first."""

    item: str
    """Such as C1."""
    meets: list[str] = Field(default_factory=list)
    """Numbers of sentences, such as E12.3."""
    contradicts: list[str] = Field(default_factory=list)
    """Numbers of those that say the contrary."""
    near: list[str] = Field(default_factory=list)
    """Numbers of those on something near, where none meets it."""


class MappedFacts(_Answer):
    """The sentences that speak to items of the checklist."""

    needs: list[MappedNeed]
    searches: list[str] = Field(default_factory=list)
    """For what stays open: each 1-6 plain words."""


class ItemJudged(_Answer):
    """The coverage of one item."""

    item: str
    """Such as C1."""
    coverage: Literal["satisfied", "partial", "unsatisfied"]


class Completeness(_Answer):
    """The coverage of each item, and searches for what is missing."""

    items: list[ItemJudged]
    searches: list[str] = Field(default_factory=list)
    """Each 1-6 plain words."""


class ToolPick(_Answer):
    """The tool that answers a message."""

    tool: str
    """Its name, as listed."""
    query: str
    """One question or search in plain words."""
