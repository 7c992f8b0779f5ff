"""The request and the set-up of a run, so that any process can resume it. Never holds a key."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.evidence.record import MAX_TEXT_CHARS, Evidence
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.plan import Place, ResearchPlan

MAX_DOCUMENTS = 20
"""Of one run."""


class PastedText(Model):
    """A text of the user's own, such as an abstract."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]
    title: Annotated[str, Field(max_length=300)] = ""
    """By default its first line."""


GivenDocuments = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=1000)] | PastedText, ...],
    Field(max_length=MAX_DOCUMENTS),
]
"""Ids of records and of uploads, and texts, as a request names them."""


class OwnDocument(Model):
    """A document that a run reads beside what it finds; its text is kept with the run."""

    name: str
    """The name of its file, or the canonical id under which sources know it."""
    upload_id: str = ""
    """The id under which it was uploaded, if it was."""
    record: Evidence | None = None
    """None for one that is looked up by its id."""


class ModelChoice(Model):
    """The model of a run, by name; its key is never a part of it."""

    name: str = ""
    """As ``provider:name``; '' for rules alone."""
    base_url: str = ""
    """Address of its server; '' is the provider's own."""
    manager: Literal["guided", "standard"] = "guided"


class Recipe(Model):
    """One run before its first step."""

    tool: str
    """``research`` ends with a report, ``deep_research`` with an answer."""
    question: str
    context: str = ""
    limits: RunLimits
    plan: ResearchPlan | None = None
    place: Place = Place()
    documents: tuple[OwnDocument, ...] = ()
    model: ModelChoice = ModelChoice()
    own_key: bool = False
    """Whether it needs a key, or a reasoner, that only the process has which took it in."""
    searched_on: str
    """ISO date, UTC."""


class EngineRow(NamedTuple):
    """The row of the engine, beside the jobs, that says which worker has a run."""

    table: str
    schema: str
    """In PostgreSQL; a file has none."""
    values: dict[str, str]
    """By column, as long as the worker has it."""


class Signals(NamedTuple):
    """Signals from the user to a running run."""

    cancel: bool = False
    write_now: bool = False
    deleted: bool = False


MOST_WITH_OTHERS = 1
"""Number of retries of a run beside others where a worker was lost with it and others, or as soon
as it took the run up. From then on it is conducted alone, by a process that has lived for a while,
whose end then tells the cause."""


class Begun(NamedTuple):
    """A run that a worker has taken up, and what was said of it meanwhile."""

    recipe: Recipe
    user_id: str
    ended: bool
    """True if its last event is written already, so that nothing is left to do."""
    late: bool
    """True if it has waited for its first step for longer than it may."""
    takeovers: int
    """Number of workers lost at the place where the run is, which had this run alone."""
    lost_with_others: int
    """Number of those lost there that had other runs, too, or had just taken this one up."""
    signals: Signals


RUN_RECORDS = "evidence.jsonl"
"""Its records, as a snapshot."""
RUN_READINGS = "readings.jsonl"
"""The readings of its studies, one a line."""
RUN_LOG = "events.jsonl"
"""Its events, one a line."""


class Once(NamedTuple):
    """A start that a client may repeat because it did not receive the answer."""

    run_id: str
    """The same for the same key of the same user, in every process."""
    request: str
    """A hash of everything that is asked for."""

    @classmethod
    def of(cls, user_id: str, key: str, asked: Model) -> Once:
        """Return the start that a user identifies by a key of their choice."""
        told = json.dumps(["start", user_id, key]).encode()
        run_id = uuid.UUID(bytes=hashlib.sha256(told).digest()[:16], version=4)
        return cls(str(run_id), hashlib.sha256(asked.model_dump_json().encode()).hexdigest())
