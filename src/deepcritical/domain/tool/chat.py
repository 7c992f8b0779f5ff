"""The events of a chat, which every interface shows.

A turn ends with exactly one of `ChatAnswer`, `ResearchOffered`, `ResearchEnded` and `TurnFailed`.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.tool.registry import ToolProgress


class News(Model):
    """New records in the sources since a former run."""

    state: Literal["nothing", "more", "unknown"]
    """`unknown`: a source could not be asked again, or would be asked in another way."""
    more: int = Field(default=0, ge=0)
    """Records that match its widest queries now and did not then, as the sources count them."""
    told: str
    """The same in a sentence, source by source."""


class SimilarRun(Model):
    """A completed run that may answer a question that is about to be asked. It is only offered."""

    run_id: str
    tool_name: str
    question: str
    ended_at: datetime
    """UTC."""
    age_s: float = Field(ge=0)
    similarity: UnitInterval
    """Of the two questions; 1 for the same words."""
    compared_by: str
    """What the similarity is of: the name of an embedding model, or ``words``."""
    headline: str
    """Its outcome in a few words."""
    references: int = Field(ge=0)
    written_by: str
    """The reasoner that wrote it."""
    news: News

    @property
    def age(self) -> str:
        """The age in the largest unit that fits: ``3 days``."""
        for unit, seconds in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
            if (count := int(self.age_s // seconds)) >= 1:
                return f"{count} {unit}{'' if count == 1 else 's'}"
        return "less than a minute"


class ChatSentence(Model):
    """One sentence of a record, at its place in it. No model writes any."""

    text: str = Field(min_length=1)
    number: int = Field(ge=1)
    """Place of its record in the references."""
    wording: Literal["quote", "summary"]
    """Verbatim, or verbatim of a summary of the source."""
    quote: str
    """``references[number - 1].text[start:end]``."""
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    remark: str = ""
    """OCEBM level, stance and caution of its record, in words."""


class ChatPoint(Model):
    """A sentence of code over a report: its verdict, rows, studies or trials."""

    text: str = Field(min_length=1)
    numbers: tuple[int, ...] = ()
    """Places of its records in the references."""


class ToolCalled(Model):
    """A tool begins."""

    type: Literal["tool_called"] = "tool_called"
    tool: str
    inputs: dict[str, JsonValue]
    chosen_by: str
    """Name of the reasoner that chose it."""


class ToolTold(Model):
    """A tool goes on."""

    type: Literal["tool_told"] = "tool_told"
    tool: str
    progress: ToolProgress


class ChatAnswer(Model):
    """The turn's answer. Every sentence in it on a study cites its record."""

    type: Literal["chat_answer"] = "chat_answer"
    head: str
    """What was asked of which records, and what came of it, said by code."""
    points: tuple[ChatPoint, ...] = ()
    """What the report itself says, where a run is asked about its report."""
    sentences: tuple[ChatSentence, ...] = ()
    references: tuple[Reference, ...] = ()
    """All records that the answer names; a look-up may list some of which it quotes nothing."""
    printed_numbers: tuple[int, ...] = ()
    """Number under which each reference is shown: its own in a report; () for 1, 2, 3."""
    in_evidence: bool = True
    """False when no record says anything to the question."""
    left_out: int = 0
    """Sentences that a model gave and that are not shown.

    They stand in no record that it was shown, or in one that does not bear on the message.
    """
    written_by: str
    notices: tuple[str, ...] = ()


class FoundRecords(Model):
    """The records that a search tool found: the payload of its result."""

    origin: str
    """Where they are from, as a phrase: ``the evidence of run 1b2c…``, ``PubMed``."""
    records: dict[str, Evidence]
    """By the ids under which a sentence may cite them, best first."""
    searched: bool
    """Whether sources were searched; else the records were at hand."""
    notices: tuple[str, ...] = ()
    """What the reader must know: a source that could not be read, how records were ranked."""
    answer: ChatAnswer | None = None
    """What the report itself says, where it was asked about; then no records are needed."""
    offer: str = ""
    """A question that a run of its own would answer."""


class ResearchOffered(Model):
    """Research is offered and not begun; the user's next message, or a button, accepts it."""

    type: Literal["research_offered"] = "research_offered"
    offer_id: str
    tool: str
    question: str
    why: str
    takes: str
    """How long it takes, in words."""
    similar: tuple[SimilarRun, ...] = ()
    """Former runs of nearly the same question, best first."""


class ResearchEnded(Model):
    """Research that was accepted has ended; the chat goes on over its evidence."""

    type: Literal["research_ended"] = "research_ended"
    tool: str
    run_id: str
    text: str
    """The report or the answer, as Markdown."""


class TurnFailed(Model):
    """The turn could not be answered."""

    type: Literal["turn_failed"] = "turn_failed"
    error: str
    message: str
    advice: str = ""


ChatEvent = Annotated[
    ToolCalled | ToolTold | ChatAnswer | ResearchOffered | ResearchEnded | TurnFailed,
    Field(discriminator="type"),
]
ENDS_TURN = (ChatAnswer, ResearchOffered, ResearchEnded, TurnFailed)
"""A turn has exactly one of these, as its last event."""
