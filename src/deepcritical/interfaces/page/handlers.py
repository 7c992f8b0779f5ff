"""Event handlers of the page: start a run, review its plan, open a former run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any
from uuid import uuid4

import gradio as gr
from starlette.requests import HTTPConnection

from deepcritical.answering.of_report import follow_up
from deepcritical.domain import errors
from deepcritical.domain.question.frame import QuestionKind
from deepcritical.domain.text.markdown import visible
from deepcritical.interfaces.access import Access, Caller
from deepcritical.interfaces.accounts import account_of
from deepcritical.interfaces.page.asking import THREAD, key_of, read_asked, reasoner_for
from deepcritical.interfaces.page.form import Form
from deepcritical.interfaces.page.parts import RunShown, account_line, problem
from deepcritical.interfaces.page.plan_review import (
    KeptPlans,
    PlanFields,
    PlanPanel,
    Reviewed,
    edited,
    fields_of,
    told,
)
from deepcritical.interfaces.page.views import tabs_of
from deepcritical.jobs.run import RunView
from deepcritical.jobs.runs import RESEARCH, RunService
from deepcritical.reasoning.base import ExtractiveReasoner

UNKNOWN_RUN = (
    "The run of this address is not known here: it was deleted, or this server keeps no runs or "
    "keeps them elsewhere. Ask the question again."
)
_SMALL_TALK = QuestionKind.CONVERSATION.value
NO_MODEL = "No AI model in use. Sentences are quoted from abstracts and trial registries."

Sent = Mapping[Any, Any]
"""The values that a browser sent, by component."""
Shown = dict[Any, Any]
"""The changes of the page, by component; the others stay as they are."""


@dataclass
class RunHandlers:
    """The page's handlers; each returns within milliseconds and leaves the work to the run.

    Only a plan is waited for: a model may be asked for it.
    """

    runs: RunService
    access: Access
    form: Form
    plan: PlanPanel
    live: gr.HTML
    thread: gr.HTML
    chat: gr.HTML
    _plans: KeptPlans = field(default_factory=KeptPlans)

    @property
    def plan_outputs(self) -> list[Any]:
        """The components of a plan that change."""
        return list(self.plan[:-2])  # all but the buttons

    async def begin(self, sent: Sent, request: gr.Request) -> Shown:
        """Start a run, show its plan first, or hand the question to the thread.

        What is refused leaves the rest as it is.
        """
        form = self.form
        try:
            if await self._is_on_open_report(sent, request):
                opened = {form.question: sent[self.live]["question"]}
                return {**opened, **self._to_thread(sent[form.question], to=self.chat)}
            asked = await read_asked(form, sent, self.runs, self.access, _browser(request))
            asked = await asked.settled(self.runs)
            if asked.kind == THREAD:
                return self._to_thread(asked.question)
            if sent[form.review] and asked.kind == RESEARCH:
                # It may ask a model once, as a message of a chat may.
                caller = self._caller(request)
                self.access.admit_turn(caller)
                plan = Reviewed(await asked.plan(self.runs), asked.depth, asked.own_limits)
                plan_id = self._plans.add(caller.user_id, plan)
                return {form.refused: "", **self._reviewed(plan_id, plan, fields_of(plan.plan))}
            run = asked.start(self.runs, self._admitted(request).user_id)
        except errors.DeepCriticalError as error:
            if isinstance(error, errors.QuestionDeclinedError) and error.reason == _SMALL_TALK:
                return self._to_thread(sent[form.question], str(error))
            failed = not isinstance(error, errors.QuestionError)
            refused = problem(str(error), getattr(error, "offers", ()), failed=failed)
            return {form.refused: refused, form.key: ""}
        return {form.refused: "", **self._begun(run)}

    async def _is_on_open_report(self, sent: Sent, request: gr.Request) -> bool:
        shown, question = sent[self.live], sent[self.form.question] or ""
        run_id = str(shown.get("id")) if isinstance(shown, dict) else ""
        run = await self.access.readable(self.runs, _browser(request), run_id) if run_id else None
        report = run.report if run else None
        return bool(report and await asyncio.to_thread(follow_up, question, report))

    def _to_thread(self, message: str, answer: str = "", to: gr.HTML | None = None) -> Shown:
        # The id tells a message that is sent twice from one that is told again.
        turn = {"message": message, "answer": answer, "turn": str(uuid4())}
        return {self.form.refused: "", to or self.thread: turn}

    def _reviewed(self, plan_id: str, reviewed: Reviewed, fields: PlanFields) -> Shown:
        plan, panel = reviewed.plan, self.plan
        question = plan.question
        drug = question.drug.name if question.drug else ""
        condition = question.condition.name if question.condition else ""
        return {
            panel.kept: plan_id,
            panel.panel: gr.update(visible=True),
            panel.summary: told(plan),
            panel.synonyms: gr.update(**_names_of(drug, fields.synonyms), visible=bool(drug)),
            panel.names: gr.update(**_names_of(condition, fields.names)),
            panel.searches: fields.searches,
            panel.refused: "",
        }

    async def approve(self, sent: Sent, request: gr.Request) -> Shown:
        """Start the run of the plan as it was edited."""
        panel, form = self.plan, self.form
        try:
            reviewed = self._plans.of(self._caller(request).user_id, sent[panel.kept])
            if reviewed is None:
                raise errors.PlanError("This plan is not kept any more.", "Ask the question again.")
            fields = PlanFields(sent[panel.synonyms], sent[panel.names], sent[panel.searches])
            plan = edited(reviewed.plan, fields)
            asked = await read_asked(form, sent, self.runs, self.access, _browser(request))
            own: dict[str, Any] = {"depth": reviewed.depth, "own_limits": reviewed.own_limits}
            asked = replace(
                asked, question=plan.question.text, kind=RESEARCH, sources=plan.place.sources, **own
            )
            run = asked.start(self.runs, self._admitted(request).user_id, plan)
        except errors.DeepCriticalError as error:
            return {panel.refused: problem(str(error))}
        return self._begun(run)

    def leave(self) -> Shown:
        """Put the plan away; nothing was started, and nothing goes on that needs the key."""
        return {self.form.key: "", **self._put_away()}

    def _put_away(self) -> Shown:
        return {self.plan.kept: "", self.plan.panel: gr.update(visible=False)}

    def _begun(self, run: RunView) -> Shown:
        """The run takes the place of a plan, and what goes with one run alone is emptied."""
        own = self._shown(run, own=True)
        return {self.live: own, self.form.documents: None, **self.leave()}

    def _caller(self, request: gr.Request) -> Caller:
        return self.access.identify(_browser(request))

    def _admitted(self, request: gr.Request) -> Caller:
        caller = self._caller(request)
        self.access.admit_run(caller)
        return caller

    async def load(
        self, plan_id: str, synonyms: str, names: str, searches: str, request: gr.Request
    ) -> Shown:
        """Take up the run that the address names, and the plan that the browser remembers."""
        told = {self.form.answering: await self.answering("", ""), **self._account(request)}
        # What is not named here may have been typed or started before this answer arrives.
        if run_id := request.query_params.get("run"):
            told |= await self._taken_up(run_id, request)
        fields = PlanFields(synonyms, names, searches)
        return {**told, **self._found_again(plan_id, fields, request)}

    def _account(self, request: gr.Request) -> Shown:
        sign_in = self.access.sign_in
        if sign_in is None:
            return {}
        account, token = account_of(_browser(request)), sign_in.token_of(_browser(request))
        shown = account_line(account.name if account else "")
        return {self.form.account: shown, self.form.own_token: gr.update(visible=token is not None)}

    def _found_again(self, plan_id: str, fields: PlanFields, request: gr.Request) -> Shown:
        try:
            plan = self._plans.of(self._caller(request).user_id, plan_id)
        except errors.AuthenticationError:
            return {}  # the reader of a share link has none
        if plan is None:
            return {}
        asked = {self.form.question: plan.plan.question.text}
        return {**asked, **self._reviewed(plan_id, plan, fields)}

    async def visit(self, event: gr.EventData, request: gr.Request) -> Shown:
        """Show another run than the one that is shown, or none."""
        # What arrives here was sent by a browser, and need not be what our script sends.
        run_id = event._data.get("run") if isinstance(event._data, dict) else None
        if not run_id:
            return {self.form.refused: "", self.live: None}
        return await self._taken_up(str(run_id), request)

    async def _taken_up(self, run_id: str, request: gr.Request) -> Shown:
        form, asked = self.form, _browser(request)
        try:
            run = await self.access.readable(self.runs, asked, run_id)
            own = run is not None and self.access.owns(asked, run.user_id)
        except errors.DeepCriticalError as error:
            return {form.refused: problem(str(error))}
        if run is None:
            return {form.refused: problem(UNKNOWN_RUN), self.live: None}
        shown = {form.question: run.question, self.live: self._shown(run, own=own)}
        return {form.refused: "", **shown, **self._put_away()}

    async def finished(self, shown: RunShown | None, request: gr.Request) -> dict[str, Any] | None:
        """The run with its tabs once it has ended, without them before; None without a run."""
        # What arrives here was sent by a browser, and need not be what we gave it.
        run_id = shown.get("id") if isinstance(shown, dict) else None
        if not isinstance(run_id, str) or request.request is None:
            return None
        try:
            run = await self.access.readable(self.runs, request.request, run_id)
        except errors.DeepCriticalError as error:
            return {"id": run_id, "problem": str(error)}
        if run is None or not run.ended:
            return {"id": run_id}
        tabs = tabs_of(run.report or run.answer)
        return {"id": run.run_id, "tabs": [tab._asdict() for tab in tabs]}

    def _shown(self, run: RunView, *, own: bool) -> RunShown:
        private = "yes" if self.access.keeps_private else ""
        own_run = {"own": "yes" if own else "", "private": private}
        return {"id": run.run_id, "question": visible(run.question), **own_run}

    async def answering(self, model: str | None, given: str | None, own: bool | None = None) -> str:
        """Return a line on what will answer; `given` is not empty if a key, or `own`, is given."""
        try:
            reasoner = await reasoner_for(self.runs, model, key_of(given))
        except errors.DeepCriticalError as error:
            return f'<p class="answering">{escape(visible(str(error)))}</p>'
        whose = f", with your {'Hugging Face account' if own else 'key'}" if given else ""
        rules = isinstance(reasoner, ExtractiveReasoner)
        who = NO_MODEL if rules else f"Answered by {escape(visible(reasoner.name))}{whose}."
        sources = "<br>".join(map(escape, await self.runs.sources()))
        return f'<p class="answering"><b>{who}</b> Searching:<br>{sources}</p>'


def _names_of(name: str, others: str) -> dict[str, Any]:
    return {"value": others, "label": f"Other names of {visible(name)}"}


def _browser(request: gr.Request) -> HTTPConnection:
    if request.request is None:
        raise errors.AuthenticationError("This did not come from a browser.", "Open the page.")
    return request.request
