"""What a run has brought: its report, and the files of it."""

from __future__ import annotations

import asyncio
from html import escape

from deepcritical.domain.errors import DeepCriticalError
from deepcritical.export.formats import FORMATS
from deepcritical.export.html import render_report
from deepcritical.interfaces.page.parts import RunShown, problem
from deepcritical.jobs.runs import RunService
from deepcritical.jobs.stored_runs import RunView

__all__ = ["EMPTY", "ResultHandlers"]

EMPTY = """<div class="empty"><p><b>Ask whether a drug could serve another condition</b></p>
<p>The answer is a report: a verdict no stronger than the evidence, the studies for and against it,
and behind every number the record it rests on. For research use, not medical advice.</p></div>"""
ANOTHER = '<a class="another" href="#ask">Ask another question</a>'


class ResultHandlers:
    """Fills what is shown of a run once it has ended."""

    def __init__(self, runs: RunService) -> None:
        self._runs = runs

    async def finished(self, shown: RunShown | None) -> str:
        """The report of the run that has ended; nothing for one that has none."""
        # What arrives here was sent by a browser, and need not be what we gave it.
        run_id = shown.get("id") if isinstance(shown, dict) else None
        try:
            run = await self._runs.find(run_id) if isinstance(run_id, str) else None
        except DeepCriticalError as error:
            return problem(str(error))
        if run is None or run.report is None:
            return ""
        return _files(run) + await asyncio.to_thread(render_report, run.report)


def _files(run: RunView) -> str:
    folder = f"/api/runs/{escape(run.run_id)}/export"
    links = "".join(
        f'<a download href="{folder}/{form.suffix}" title="{escape(form.holds)}">{form.name}</a>'
        for form in FORMATS.values()
    )
    shown = f'<span role="group" aria-label="Downloads">Download {links}</span>'
    return f'<div class="files">{shown}{ANOTHER}</div>'
