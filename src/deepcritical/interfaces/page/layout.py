"""The page: a question, the run as it goes, the report.

The page only starts runs and shows them. Progress comes from the run's own log by EventSource
(``assets/live.js``), so that a lost connection or a closed tab changes nothing for the run.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from deepcritical.interfaces.access import Access
from deepcritical.interfaces.page.form import Form, build_form
from deepcritical.interfaces.page.handlers import RunHandlers
from deepcritical.interfaces.page.parts import PRIVATE, html
from deepcritical.interfaces.page.results import ResultHandlers, build_results
from deepcritical.interfaces.page.style import asset
from deepcritical.jobs.runs import RunService

__all__ = ["build_page"]

TITLE = """<div class="app-head"><span class="logo" aria-hidden="true">DC</span><div>
<h1>DeepCritical</h1><p>Drug-repurposing answers that rest on located evidence</p></div></div>"""


def build_page(runs: RunService, access: Access) -> gr.Blocks:
    """The page over a service of runs, for those who may use it."""
    page = gr.Blocks(title="DeepCritical", analytics_enabled=False, fill_width=True)
    with page:
        html(TITLE)
        with gr.Row(elem_classes="columns"):
            with gr.Column(scale=0, min_width=330):
                form = build_form()
            with gr.Column(scale=1, min_width=340, elem_classes="main-column"):
                live = html(None, html_template=asset("live.html"), js_on_load=asset("live.js"))
                results = build_results()
        _wire_runs(page, form, live, results, RunHandlers(runs, access))
        # The name of an event that assets/live.js triggers.
        live.finished(ResultHandlers(runs).finished, [live], [results], **PRIVATE)
    return page


def _wire_runs(
    page: gr.Blocks, form: Form, live: gr.HTML, results: gr.HTML, handlers: RunHandlers
) -> None:
    shown = [live, results, form.refused]
    page.load(handlers.load, None, [*shown, form.question, form.answering], **PRIVATE)
    begun = gr.on(
        [form.ask.click, form.question.submit],
        handlers.begin,
        [form.question, form.depth, form.model, form.key],
        [*shown, form.key],
        js=asset("starting.js"),
        **PRIVATE,
    )
    begun.then(None, None, None, js=asset("started.js"))
    begun.success(None, live, None, js=asset("address.js"))
    told: dict[str, Any] = {
        "fn": handlers.answering,
        "inputs": [form.model, form.key],
        "outputs": [form.answering],
        "js": "(model, key) => [model, key ? 'given' : '']",  # the key itself stays in the browser
        **PRIVATE,
    }
    # The last: the model's field is left a moment before the key's.
    gr.on([form.model.blur, form.key.blur], trigger_mode="always_last", **told)
    begun.success(**told)
