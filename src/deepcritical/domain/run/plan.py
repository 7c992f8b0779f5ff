"""The plan of a run, which a person may review before anything is searched.

Writing it ends one job, and what the person made of it starts the next: nothing waits meanwhile.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from deepcritical.domain.base import Model, first_invalid
from deepcritical.domain.errors import ConfigurationError, PlanError
from deepcritical.domain.question.frame import Condition
from deepcritical.domain.question.question import (
    QuestionForm,
    ResearchQuestion,
    SearchBlock,
    SearchQuery,
    checked_question,
)
from deepcritical.domain.run.budget import RunLimits

MOST_QUERIES = 40
"""Searches of a plan at most."""
_SHORTEST_TERM = 4
_ADVICE = "Correct the plan, or write a new one with --plan."


def _worded(text: str) -> str:
    words = " ".join(text.split())
    if not any(char.isalpha() for char in words):
        raise ValueError("it has no letters")
    return words


class Place(Model):
    """The place that a run searches: live sources, or one snapshot."""

    sources: tuple[str, ...] = ()
    snapshot: str | None = None
    """Name of a bundled snapshot, or a path."""
    documents: Annotated[tuple[str, ...], Field(max_length=0, exclude=True)] = ()
    """Deprecated: empty in former plans and runs, never written. Documents go with the request."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Place:
        if self.sources and self.snapshot is not None:
            raise ValueError("name sources or a snapshot, not both")
        return self

    def only(self, sources: Collection[str]) -> Place:
        """The place with these of its sources alone; none given means all.

        Raises:
            ConfigurationError: One of them is not searched here.
        """
        if set(sources) - set(self.sources):
            raise ConfigurationError(
                "A source was chosen that is not searched here.",
                f"Choose of: {', '.join(self.sources) or 'none'}.",
            )
        kept = tuple(name for name in self.sources if name in sources)
        return self.model_copy(update={"sources": kept}) if kept else self


class PlannedQuery(Model):
    """One search for the drug and the condition of the question."""

    text: Annotated[str, Field(max_length=300), AfterValidator(_worded)]
    """In plain words, drug and condition included."""
    terms: tuple[str, ...] | None = None
    """Words of which one at least must occur; None takes those of the text."""
    literature_only: bool | None = None
    """Whether registries and the web are left out; None does so where there are terms."""
    block: SearchBlock = SearchBlock.NONE
    """The kind of evidence that sources with fields are asked for."""
    within: Condition | None = None
    """The disease in which a symptom is treated."""

    @classmethod
    def of(cls, query: SearchQuery) -> PlannedQuery:
        """A search as a person may change it."""
        return cls(**{name: getattr(query, name) for name in cls.model_fields})

    def as_query(self, question: ResearchQuestion) -> SearchQuery:
        """The search as it is run."""
        terms = _terms_of(self.text, question) if self.terms is None else self.terms
        papers = bool(terms) if self.literature_only is None else self.literature_only
        return SearchQuery(
            text=self.text,
            drug=question.drug,
            condition=question.condition,
            terms=terms,
            literature_only=papers,
            block=self.block,
            within=self.within,
        )


def _terms_of(text: str, question: ResearchQuestion) -> tuple[str, ...]:
    """The words of a search beside the names of drug and condition."""
    named = {word for name in _names_of(question) for word in name.casefold().split()}
    words = (word for word in text.split() if word.casefold() not in named)
    return tuple(dict.fromkeys(word for word in words if len(word) >= _SHORTEST_TERM))


def _names_of(question: ResearchQuestion) -> tuple[str, ...]:
    """All names by which drug and condition are searched and recognised."""
    drug, condition = question.drug, question.condition
    return (
        *(drug.names if drug else ()),
        *((condition.name, *condition.names) if condition else ()),
    )


class ResearchPlan(Model):
    """The first steps of a run and its limits."""

    version: Literal[1] = 1
    question: ResearchQuestion
    """As it was understood; names that are added here are searched and recognised, too."""
    place: Place
    queries: tuple[PlannedQuery, ...] = Field(min_length=1, max_length=MOST_QUERIES)
    """The searches of the first round; later rounds follow from what it brings."""
    limits: RunLimits
    notices: tuple[str, ...] = ()
    """What the reader must know of how the plan was made."""

    @model_validator(mode="after")
    def _fits_together(self) -> ResearchPlan:
        question = self.question
        if question.condition is None:
            raise ValueError("the question names no condition")
        if (question.drug is None) is not (question.form is QuestionForm.CONDITION):
            raise ValueError(f"the form {question.form.value} does not go with the drug")
        for name in _names_of(question):
            _worded(name)  # one of blanks would be found in every record
        return self

    @property
    def search_queries(self) -> tuple[SearchQuery, ...]:
        """The searches of the first round as they are run, each once."""
        return tuple(dict.fromkeys(query.as_query(self.question) for query in self.queries))


def parse_plan(written: bytes, name: str) -> ResearchPlan:
    """A plan out of its JSON.

    Raises:
        PlanError: It is no plan, or one that cannot be run.
    """
    try:
        # Some editors put a mark before what they save as UTF-8.
        return ResearchPlan.model_validate_json(written.removeprefix(BOM_UTF8), strict=True)
    except ValidationError as error:
        where, what, _ = first_invalid(error)
        at = f" at {where}" if where else ""
        raise PlanError(f"{name} is not a plan that can be run: {what}{at}.", _ADVICE) from error


def check_limits(plan: RunLimits, most: RunLimits) -> None:
    """Refuse a plan that goes further than may be gone.

    Raises:
        PlanError: A limit of the plan is above the one allowed, or it keeps less for the report.
    """
    if wrong := plan.beyond(most):
        name, how = wrong
        raise PlanError(f"limits.{name} of the plan {how}.", _ADVICE)


def check_plan(plan: ResearchPlan, text: str, place: Place, most: RunLimits) -> None:
    """Return whether a run of this question can follow the plan here.

    Raises:
        PlanError: It is for another question or place, or goes beyond the limits.
    """
    if checked_question(plan.question.text) != text:
        raise PlanError("The plan is for another question.", "Give the question of the plan.")
    if plan.place != place:
        raise PlanError(
            "The plan is for other sources than those that are searched here.",
            "Name the sources of the plan, or write a new one.",
        )
    check_limits(plan.limits, most)
