"""Former runs of nearly the question that is about to be asked: offered, never put in its place."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

import gradio as gr

from deepcritical.domain.budget import Depth
from deepcritical.domain.chat import SimilarRun
from deepcritical.domain.errors import DeepCriticalError, QuestionError
from deepcritical.domain.markdown import visible
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.page.asking import THREAD, answered_by
from deepcritical.interfaces.page.form import AUTO
from deepcritical.interfaces.page.parts import RunShown
from deepcritical.jobs.runs import DEEP_RESEARCH, RunService
from deepcritical.jobs.similar_runs import SimilarRuns


class FormerRuns:
    """Looks for them while the question is still in its field."""

    def __init__(self, runs: RunService, access: Access, similar: SimilarRuns | None) -> None:
        self._runs = runs
        self._access = access
        self._similar = similar

    async def offered(
        self, question: str, kind: str, depth: Depth, shown: RunShown | None, request: gr.Request
    ) -> str:
        """The offer as HTML; '' without one, and for the question of the run that is shown."""
        if self._similar is None or request.request is None or not (question or "").strip():
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
                limits = {"max_iterations": self._runs.limits_of(depth).max_iterations}
            caller = self._access.identify(request.request)
            self._access.admit_heavy(request.request)
            found = await self._similar.similar(question, kind, user_id=caller.user_id, **limits)
        except QuestionError:
            return ""  # told when it is asked
        except asyncio.CancelledError:
            # The server is ending, and the framework would print how far it came.
            raise gr.Error("The server is ending.", print_exception=False) from None
        except DeepCriticalError as error:
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
