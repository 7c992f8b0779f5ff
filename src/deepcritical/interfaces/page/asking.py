"""Reads the form that a browser sent, and finds former runs that may answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import gradio as gr
from pydantic import SecretStr, ValidationError
from starlette.requests import HTTPConnection

from deepcritical.domain import errors
from deepcritical.domain.base import first_invalid
from deepcritical.domain.run.budget import Depth, OwnLimits
from deepcritical.domain.run.plan import ResearchPlan
from deepcritical.domain.run.recipe import OwnDocument
from deepcritical.domain.text.markdown import visible
from deepcritical.domain.tool.chat import SimilarRun
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.page.form import AUTO, Form
from deepcritical.interfaces.page.parts import RunShown
from deepcritical.jobs.run import RunOf
from deepcritical.jobs.runs import DEEP_RESEARCH, RESEARCH, RunService
from deepcritical.questions.forms import require_one_meaning, wants_verdict
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.base import Reasoner
from deepcritical.reasoning.chatting import read_look_up
from deepcritical.toolset.similar_runs import SimilarRuns
from deepcritical.toolset.starting import documents_of

THREAD = "thread"
"""In place of a run: the question is answered in the thread."""


@dataclass(frozen=True)
class Asked:
    """A run before its start."""

    question: str
    kind: str
    depth: Depth
    sources: tuple[str, ...]
    own_limits: OwnLimits
    reasoner: Reasoner
    model_api_key: SecretStr | None
    documents: tuple[OwnDocument, ...]

    async def settled(self, runs: RunService) -> Asked:
        """It with what answers its question, where that was left open.

        Raises:
            QuestionError: Nothing answers it, or it has several meanings.
        """
        is_open = self.kind == AUTO
        kind = await asyncio.to_thread(answered_by, self.question) if is_open else self.kind
        if kind == THREAD:
            return replace(self, kind=kind)
        # A question that is none for a report may be one for an answer.
        checked = DEEP_RESEARCH if is_open else kind
        frame = await runs.check(
            self.question, checked, sources=self.sources, reasoner=self.reasoner
        )
        require_one_meaning(frame)
        if is_open and frame.answerable and not wants_verdict(frame):
            kind = DEEP_RESEARCH
        return replace(self, kind=kind)

    def start(self, runs: RunService, user_id: str, plan: ResearchPlan | None = None) -> RunOf[Any]:
        """Begin the run.

        Raises:
            DeepCriticalError: Nothing is started, and why.
        """
        own = {**self._given, "user_id": user_id, "documents": self.documents}
        if self.kind == RESEARCH:
            return runs.submit(self.question, plan=plan, **own)
        return runs.ask(self.question, **own)

    async def plan(self, runs: RunService) -> ResearchPlan:
        """Return the plan of the run.

        Raises:
            DeepCriticalError: There is no plan, and why.
        """
        return await runs.plan(self.question, **self._given)

    @property
    def _given(self) -> dict[str, Any]:
        names = ("depth", "sources", "own_limits", "reasoner", "model_api_key")
        return {name: getattr(self, name) for name in names}


def answered_by(question: str) -> str:
    """Return what answers a question: the thread for a look-up, a report for a drug's benefit."""
    if read_look_up(question):
        return THREAD
    return RESEARCH if wants_verdict(literal_frame(question)) else DEEP_RESEARCH


async def read_asked(
    form: Form, sent: Mapping[Any, Any], runs: RunService, access: Access, browser: HTTPConnection
) -> Asked:
    """Read a user's request from the form.

    Raises:
        AuthenticationError: Nobody, or nobody with a token for models, is signed in.
        ConfigurationError: Sources, limits, model or key cannot be used.
        DocumentError: A document cannot be.
    """
    key, user_id = _key(form, sent, access, browser), access.identify(browser).user_id
    sources = tuple(sent[form.sources] or ()) if form.sources else ()
    if form.sources and not sources:
        raise errors.ConfigurationError(
            "No source is chosen.", "Choose one under Sources and limits."
        )
    return Asked(
        question=sent[form.question] or "",
        kind=sent[form.kind] or AUTO,
        depth=sent[form.depth] or "standard",
        sources=sources,
        own_limits=_limits(form, sent),
        reasoner=await reasoner_for(runs, sent[form.model], key),
        model_api_key=key,
        documents=await documents_of(runs.uploads, _documents(sent[form.documents]), user_id),
    )


def _key(
    form: Form, sent: Mapping[Any, Any], access: Access, browser: HTTPConnection
) -> SecretStr | None:
    """The key that was typed; without one, the token of the visitor's account if he allows it."""
    typed = key_of(sent[form.key])
    if typed or not sent[form.own_token]:
        return typed
    if not (sent[form.model] or "").strip().startswith("huggingface:"):
        raise errors.ConfigurationError(
            "Your Hugging Face account is a key for models there alone.",
            "Name the model as huggingface:NAME, or untick the account.",
        )
    token = access.sign_in.token_of(browser) if access.sign_in else None
    if token is None:
        raise errors.AuthenticationError("Your sign-in opens no model any more.", "Sign in again.")
    return token


def _documents(chosen: object) -> tuple[str, ...]:
    """The ids of what was chosen; it was sent by a browser, and need not be what ours sends."""
    listed = chosen if isinstance(chosen, list) else []
    given = (one for one in listed if isinstance(one, dict))
    told = [(str(one.get("id") or ""), str(one.get("name"))) for one in given]
    if waiting := [name for document_id, name in told if not document_id]:
        raise errors.DocumentError(f"{waiting[0]} is still being read.", "Ask again in a moment.")
    return tuple(document_id for document_id, _ in told)


def _limits(form: Form, sent: Mapping[Any, Any]) -> OwnLimits:
    given = {name: (sent[field] or "").strip() or None for name, field in form.limits.items()}
    try:
        return OwnLimits.model_validate(given)
    except ValidationError as error:
        where, why, given_value = first_invalid(error)
        raise errors.ConfigurationError(
            f"“{form.limits[where].label}” cannot be {given_value}: {why}.",
            "Change it, or empty it.",
        ) from error


def key_of(typed: str | None) -> SecretStr | None:
    """The key, if one was typed."""
    return SecretStr(typed.strip()) if typed and typed.strip() else None


async def reasoner_for(runs: RunService, model: str | None, key: SecretStr | None) -> Reasoner:
    """The reasoner of a model.

    Raises:
        ConfigurationError: There is none.
    """
    return await asyncio.to_thread(runs.reasoner_of, (model or "").strip(), key)


@dataclass
class FormerRuns:
    """Looks for them while the question is still in its field."""

    runs: RunService
    access: Access
    similar: SimilarRuns

    async def offered(
        self, question: str, kind: str, depth: Depth, shown: RunShown | None, request: gr.Request
    ) -> str:
        """The offer as HTML; '' without one, and for the question of the run that is shown."""
        if request.request is None or not (question or "").strip():
            return ""
        if isinstance(shown, dict) and shown.get("question") == visible(question):
            return ""
        limits: dict[str, Any] = {"depth": depth}
        try:
            if kind == AUTO:
                kind = await asyncio.to_thread(answered_by, question)
            if kind == THREAD:
                return ""
            if kind == DEEP_RESEARCH:
                limits = {"max_iterations": self.runs.limits_for(depth).max_iterations}
            caller = self.access.identify(request.request)
            self.access.admit_heavy(request.request)
            found = await self.similar.similar(question, kind, user_id=caller.user_id, **limits)
        except errors.QuestionError:
            return ""  # told when it is asked
        except asyncio.CancelledError:
            # The server is ending, and the framework would print how far it came.
            raise gr.Error("The server is ending.", print_exception=False) from None
        except errors.DeepCriticalError as error:
            why = escape(visible(str(error)))
            return f'<p class="note">Former runs could not be looked up: {why}</p>'
        return _offer(found)


def _offer(found: tuple[SimilarRun, ...]) -> str:
    if not found:
        return ""
    items = "".join(map(_item, found))
    return (
        '<section class="similar" role="status" aria-label="Former runs">'
        f"<p><b>You already have a report on this.</b> Open it, or run again.</p><ul>{items}</ul>"
        "</section>"
    )


def _item(one: SimilarRun) -> str:
    question, headline, news = (
        escape(visible(text)) for text in (one.question, one.headline, one.news.told)
    )
    return (
        f'<li><a href="?run={escape(one.run_id)}">{question}</a>'
        f'<span class="note">{one.age} ago · {headline} · {one.references} references, by '
        f"{escape(visible(one.written_by))}. {news}</span></li>"
    )
