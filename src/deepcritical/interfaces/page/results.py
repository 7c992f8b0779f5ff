"""What a run has brought, as tabs; the browser fetches what is in them (`views`)."""

from __future__ import annotations

from typing import Any

import gradio as gr

from deepcritical.domain.errors import DeepCriticalError
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.page.parts import RunShown, html
from deepcritical.interfaces.page.style import asset, script
from deepcritical.interfaces.page.views import tabs_of
from deepcritical.jobs.runs import RunService

__all__ = ["ResultHandlers", "build_results"]


def build_results() -> gr.HTML:
    """The results, drawn where it is called.

    Its value is what `ResultHandlers.finished` returns.
    """
    scripts = script("results.js") + asset("table.js")
    return html(None, html_template=asset("results.html"), js_on_load=scripts)


class ResultHandlers:
    """Says what there is of a run once it has ended."""

    def __init__(self, runs: RunService, access: Access) -> None:
        self._runs = runs
        self._access = access

    async def finished(self, shown: RunShown | None, request: gr.Request) -> dict[str, Any] | None:
        """The run with its tabs once it has ended, without them before; None without a run."""
        # What arrives here was sent by a browser, and need not be what we gave it.
        run_id = shown.get("id") if isinstance(shown, dict) else None
        if not isinstance(run_id, str) or request.request is None:
            return None
        try:
            run = await self._runs.find(run_id)
            owner = run.user_id if run else ""
            self._access.check_reader(request.request, run_id, owner)
        except DeepCriticalError as error:
            return {"id": run_id, "problem": str(error)}
        if run is None or not run.ended:
            return {"id": run_id}
        tabs = tabs_of(run.report or run.answer)
        return {"id": run.run_id, "tabs": [tab._asdict() for tab in tabs]}
