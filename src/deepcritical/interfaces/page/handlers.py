"""Starting a run and finding one again; each handler leaves the work to the run."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

import gradio as gr
from pydantic import SecretStr

from deepcritical.domain.budget import Depth
from deepcritical.domain.errors import AuthenticationError, DeepCriticalError
from deepcritical.domain.markdown import visible
from deepcritical.interfaces.access import Access, Caller
from deepcritical.interfaces.page.parts import RunShown, problem
from deepcritical.jobs.runs import RunService
from deepcritical.jobs.stored_runs import RunView
from deepcritical.reasoning.base import Reasoner

__all__ = ["RunHandlers"]

UNKNOWN_RUN = (
    "The run of this address is not known here: it was deleted, or this server keeps no runs or "
    "keeps them elsewhere. Ask the question again."
)


class RunHandlers:
    """What the page does; each returns within milliseconds and leaves the work to the run."""

    def __init__(self, runs: RunService, access: Access) -> None:
        self._runs = runs
        self._access = access

    async def begin(
        self,
        question: str,
        depth: Depth,
        model: str | None,
        key: str | None,
        request: gr.Request,
    ) -> tuple[Any, Any, str, str]:
        """Start a run; a question that is refused leaves what is shown as it is.

        The last of what is returned empties the field of the key.
        """
        try:
            own = _key(key)
            reasoner = await self._reasoner(model, own)
            caller = self._admitted(request)
            run = self._runs.submit(
                question,
                depth=depth,
                reasoner=reasoner,
                model_api_key=own,
                user_id=caller.user_id,
            )
        except DeepCriticalError as error:
            return gr.skip(), gr.skip(), problem(str(error)), ""
        return _shown(run), "", "", ""

    def _admitted(self, request: gr.Request) -> Caller:
        if request.request is None:
            raise AuthenticationError("This did not come from a browser.", "Open the page.")
        caller = self._access.identify(request.request)
        self._access.admit_run(caller)
        return caller

    async def load(self, request: gr.Request) -> tuple[Any, ...]:
        """Take up the run that the address names, if it names one."""
        said = await self.answering("", "")
        run_id = request.query_params.get("run")
        # What is skipped may have been typed or started before this answer arrives.
        as_it_is = gr.skip()
        if not run_id:
            return as_it_is, as_it_is, as_it_is, as_it_is, said
        try:
            run = await self._runs.find(run_id)
        except DeepCriticalError as error:
            return as_it_is, as_it_is, problem(str(error)), as_it_is, said
        if run is None:
            return as_it_is, as_it_is, problem(UNKNOWN_RUN), as_it_is, said
        return _shown(run), "", "", run.question, said

    async def answering(self, model: str | None, given: str | None) -> str:
        """What will answer, in a line; `given` is not empty if there is a key in its field."""
        try:
            reasoner = await self._reasoner(model, _key(given))
        except DeepCriticalError as error:
            return f'<p class="answering">{escape(visible(str(error)))}</p>'
        whose = ", with your key" if given else ""
        sources = "<br>".join(map(escape, await self._runs.sources()))
        who = escape(visible(reasoner.name))
        return f'<p class="answering">Answered by {who}{whose}, from:<br>{sources}</p>'

    async def _reasoner(self, model: str | None, key: SecretStr | None) -> Reasoner:
        return await asyncio.to_thread(self._runs.reasoner_of, (model or "").strip(), key)


def _key(typed: str | None) -> SecretStr | None:
    return SecretStr(typed.strip()) if typed and typed.strip() else None


def _shown(run: RunView) -> RunShown:
    return {"id": run.run_id, "question": visible(run.question)}
