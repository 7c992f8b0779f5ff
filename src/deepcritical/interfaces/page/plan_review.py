"""The form in which a person edits a plan before anything is searched."""

from __future__ import annotations

from collections import OrderedDict
from html import escape
from typing import NamedTuple
from uuid import uuid4

import gradio as gr
from pydantic import ValidationError

from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import PlanError
from deepcritical.domain.run.budget import Depth, OwnLimits
from deepcritical.domain.run.plan import PlannedQuery, ResearchPlan
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.page.parts import html
from deepcritical.questions.claims import subject_of
from deepcritical.tools.registry import BY_KEY

MAX_CHARS = 20_000
_ADVICE = "Correct the plan, or leave it."


class Reviewed(NamedTuple):
    """A plan that waits for its approval, and what it was asked with."""

    plan: ResearchPlan
    depth: Depth
    own_limits: OwnLimits


class KeptPlans:
    """Plans under review by id, each of one user, in memory alone: the oldest one goes first."""

    MOST = 1000

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, Reviewed]] = OrderedDict()

    def add(self, user_id: str, reviewed: Reviewed) -> str:
        """Return the id of a plan that is kept from now on."""
        while len(self._kept) >= self.MOST:
            self._kept.popitem(last=False)
        plan_id = str(uuid4())
        self._kept[plan_id] = user_id, reviewed
        return plan_id

    def of(self, user_id: str, plan_id: object) -> Reviewed | None:
        """Return the plan of a user; None where there is none of this id, or it is another's."""
        owner, reviewed = self._kept.get(str(plan_id), ("", None))
        return reviewed if owner == user_id else None


class PlanFields(NamedTuple):
    """The editable fields of a plan: names and searches, one a line."""

    synonyms: str
    names: str
    searches: str


class PlanPanel(NamedTuple):
    """The components that events touch."""

    kept: gr.Textbox
    """The id of a plan of `KeptPlans`, which the browser remembers; '' without one."""
    panel: gr.Column
    summary: gr.HTML
    synonyms: gr.Textbox
    names: gr.Textbox
    searches: gr.Textbox
    refused: gr.HTML
    approve: gr.Button
    leave: gr.Button

    @property
    def remembered(self) -> list[gr.Textbox]:
        """Return the part of a plan under review that the browser stores."""
        return [self.kept, self.synonyms, self.names, self.searches]


def build_plan_panel() -> PlanPanel:
    """The components, not shown yet, drawn where it is called."""
    kept = gr.Textbox("", visible="hidden")
    with gr.Column(visible=False, elem_classes="plan") as panel:
        summary = html("")
        with gr.Row():
            synonyms, names = (
                gr.Textbox(label="Other names", lines=4, max_lines=8, max_length=MAX_CHARS)
                for _ in range(2)
            )
        searches = gr.Textbox(
            label="Searches of the first round",
            info="One a line, drug and condition included. Later rounds follow from what comes.",
            lines=6,
            max_lines=16,
            max_length=MAX_CHARS,
        )
        refused = html("")
        with gr.Row(elem_classes="plan-buttons"):
            leave = gr.Button("Cancel", elem_id="leave")
            approve = gr.Button("Approve and run", variant="primary", elem_id="approve")
    return PlanPanel(kept, panel, summary, synonyms, names, searches, refused, approve, leave)


def fields_of(plan: ResearchPlan) -> PlanFields:
    """The plan as it is first shown."""
    drug, condition = plan.question.drug, plan.question.condition
    others = (name for name in condition.names if name != condition.name) if condition else ()
    return PlanFields(
        synonyms="\n".join(drug.synonyms) if drug else "",
        names="\n".join(others),
        searches="\n".join(query.text for query in plan.queries),
    )


def edited(plan: ResearchPlan, fields: PlanFields) -> ResearchPlan:
    """The plan with what the fields say; a search that was not touched stays as it was planned.

    Raises:
        PlanError: It cannot be run so.
    """
    planned = {query.text: query for query in plan.queries}
    lines = _lines(fields.searches)
    if not lines:
        raise PlanError("The plan has no search.", "Write at least one, or leave the plan.")
    try:
        queries = tuple(planned.get(line) or PlannedQuery(text=line) for line in lines)
        changed = {"question": _named(plan, fields), "queries": queries}
        return ResearchPlan(**{**dict(plan), **changed})
    except ValidationError as error:
        _, what, given = first_invalid(error)
        at = f" “{given[:60]}”" if isinstance(given, str) else ""
        raise PlanError(f"The plan cannot be run so{at}: {what}.", _ADVICE) from error


def _named(plan: ResearchPlan, fields: PlanFields) -> object:
    question = plan.question
    drug, condition = question.drug, question.condition
    if drug:
        drug = drug.model_copy(update={"synonyms": _lines(fields.synonyms)})
    if condition:
        names = tuple(dict.fromkeys((condition.name, *_lines(fields.names))))
        condition = condition.model_copy(update={"names": names})
    return question.model_copy(update={"drug": drug, "condition": condition})


def _lines(text: str) -> tuple[str, ...]:
    """The lines that hold something, each once, with single blanks."""
    return tuple(dict.fromkeys(filter(None, (" ".join(line.split()) for line in text.split("\n")))))


def told(plan: ResearchPlan) -> str:
    """Return the text above the fields."""
    question, limits = plan.question, plan.limits
    where = plan.place.snapshot or ", ".join(BY_KEY[name].name for name in plan.place.sources)
    rounds = f"{limits.max_iterations} {'round' if limits.max_iterations == 1 else 'rounds'}"
    lines = (
        f"Question: {question.text}",
        f"Understood as: {subject_of(question)}",
        *((f"Searched: {where}",) if where else ()),
        f"At most {rounds}, {limits.deadline_s:g} s",
        *(f"Note: {notice}" for notice in plan.notices),
    )
    listed = "".join(f"<li>{escape(visible(line))}</li>" for line in lines)
    return (
        '<div role="status"><h2>The plan</h2><p class="note">Nothing is searched yet. Change what '
        f"you like, then approve it.</p><ul>{listed}</ul></div>"
    )
