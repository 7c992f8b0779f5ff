"""The page: a question, the run as it goes, the report.

The page only starts runs and shows them. Progress comes from the run's own log by EventSource
(``page/live.js``), so that a lost connection or a closed tab changes nothing for the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

import gradio as gr
from pydantic import SecretStr

from deepcritical.domain.budget import Depth
from deepcritical.domain.errors import AuthenticationError, DeepCriticalError
from deepcritical.domain.markdown import visible
from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.export.formats import FORMATS
from deepcritical.export.html import render_report, stylesheet
from deepcritical.interfaces.access import Access, Caller
from deepcritical.jobs.runs import RunService
from deepcritical.jobs.stored_runs import RunView
from deepcritical.reasoning.base import Reasoner

__all__ = ["HEAD", "THEME", "build_page"]

EXAMPLES = (
    "Can metformin be repurposed for Alzheimer's disease?",
    "Can baricitinib be repurposed for COVID-19?",
    "Can ivermectin be repurposed for COVID-19?",
    "What could be repurposed for Alzheimer's disease?",
    "Does metformin slow Alzheimer's through AMPK and tau?",
)
DEPTHS: tuple[tuple[str, Depth], ...] = (
    ("Quick", "quick"),
    ("Standard", "standard"),
    ("Deep", "deep"),
)
TITLE = """<div class="app-head"><span class="logo" aria-hidden="true">DC</span><div>
<h1>DeepCritical</h1><p>Drug-repurposing answers that rest on located evidence</p></div></div>"""
EMPTY = """<div class="empty"><p><b>Ask whether a drug could serve another condition</b></p>
<p>The answer is a report: a verdict no stronger than the evidence, the studies for and against it,
and behind every number the record it rests on. For research use, not medical advice.</p></div>"""
UNKNOWN_RUN = (
    "The run of this address is not known here: it was deleted, or this server keeps no runs or "
    "keeps them elsewhere. Ask the question again."
)
MODEL_INFO = (
    "Empty: what this server is set to. Else provider:name of openai, openai-chat, anthropic or "
    "huggingface, with a key of yours."
)
KEY_INFO = "Used for the next run alone: not stored, not logged, and gone from here once you ask."
UNSEEN = gr.InputHTMLAttributes(autocomplete="off", autocorrect="off", spellcheck=False)
MAX_KEY_CHARS = 1000
ANOTHER = '<a class="another" href="#ask">Ask another question</a>'


RunShown = dict[str, str]
"""What the browser knows of the run that it follows: `id` and `question`."""

PRIVATE: Mapping[str, Any] = MappingProxyType(
    {
        "api_visibility": "private",
        "show_progress": "hidden",
        # A plain request: each answer comes within milliseconds, and the stream of the queue, which
        # closes whenever nothing is under way, can lose a click that falls into that moment.
        "queue": False,
    }
)
"""How every event of the page is wired."""


def _asset(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


HEAD = f"<style>{_asset('page.css')}\n{stylesheet()}</style>"
"""In the head and not as `css=`, which loses media queries."""

_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
THEME = gr.themes.Base(
    primary_hue="teal",
    secondary_hue="blue",
    neutral_hue="slate",
    font=_FONTS,
    font_mono=("monospace",),
).set(
    button_primary_background_fill="#0f766e",
    button_primary_background_fill_dark="#0f766e",
    button_primary_background_fill_hover="#115e59",
    button_primary_background_fill_hover_dark="#115e59",
    body_text_color_subdued="#55606f",
    color_accent="#0f766e",
)


class _Parts(NamedTuple):
    """The components that events touch."""

    question: gr.Textbox
    depth: gr.Radio
    model: gr.Textbox
    key: gr.Textbox
    ask: gr.Button
    refused: gr.HTML
    answering: gr.HTML
    live: gr.HTML
    report: gr.HTML


def build_page(runs: RunService, access: Access) -> gr.Blocks:
    """The page over a service of runs, for those who may use it."""
    page = gr.Blocks(title="DeepCritical", analytics_enabled=False, fill_width=True)
    with page:
        _html(TITLE)
        with gr.Row(elem_classes="columns"):
            with gr.Column(scale=0, min_width=330):
                form = _form()
            with gr.Column(scale=1, min_width=340, elem_classes="main-column"):
                live = _html(None, html_template=_asset("live.html"), js_on_load=_asset("live.js"))
                report = _html(EMPTY)
        _wire(page, _Parts(*form, live, report), _Handlers(runs, access))
    return page


def _form() -> tuple[gr.Textbox, gr.Radio, gr.Textbox, gr.Textbox, gr.Button, gr.HTML, gr.HTML]:
    question = gr.Textbox(
        label="Research question",
        placeholder=EXAMPLES[0],
        lines=3,
        max_length=MAX_QUESTION_CHARS,
        autofocus=True,
    )
    depth = gr.Radio(
        list(DEPTHS),
        value="standard",
        label="Depth",
        info="1, 3 or 10 rounds of search and judgement at most.",
    )
    model, key = _model_and_key()
    ask = gr.Button("Run research", variant="primary", elem_id="ask")
    refused, answering = _html(""), _html("")
    gr.Examples(
        [[text] for text in EXAMPLES], [question], cache_examples=False, api_visibility="private"
    )
    return question, depth, model, key, ask, refused, answering


def _model_and_key() -> tuple[gr.Textbox, gr.Textbox]:
    """No address can be given: the server would ask it, and it may see more than its visitors."""
    with gr.Accordion("Model and key", open=False):
        model = gr.Textbox(
            label="Model",
            info=MODEL_INFO,
            placeholder="anthropic:claude-opus-4-6",
            max_length=MAX_KEY_CHARS,
            html_attributes=UNSEEN,
        )
        key = gr.Textbox(
            label="Key",
            info=KEY_INFO,
            type="password",
            max_length=MAX_KEY_CHARS,
            html_attributes=UNSEEN,
        )
    return model, key


def _html(value: str | None, **options: Any) -> gr.HTML:
    """Our own HTML, without the framework's style on it."""
    return gr.HTML(value, apply_default_css=False, **options)


def _wire(page: gr.Blocks, parts: _Parts, handlers: _Handlers) -> None:
    shown = [parts.live, parts.report, parts.refused]
    page.load(handlers.load, None, [*shown, parts.question, parts.answering], **PRIVATE)
    begun = gr.on(
        [parts.ask.click, parts.question.submit],
        handlers.begin,
        [parts.question, parts.depth, parts.model, parts.key],
        [*shown, parts.key],
        js=_asset("starting.js"),
        **PRIVATE,
    )
    begun.then(None, None, None, js=_asset("started.js"))
    begun.success(None, parts.live, None, js=_asset("address.js"))
    told: dict[str, Any] = {
        "fn": handlers.answering,
        "inputs": [parts.model, parts.key],
        "outputs": [parts.answering],
        "js": "(model, key) => [model, key ? 'given' : '']",  # the key itself stays in the browser
        **PRIVATE,
    }
    # The last: the model's field is left a moment before the key's.
    gr.on([parts.model.blur, parts.key.blur], trigger_mode="always_last", **told)
    begun.success(**told)
    # The name of an event that page/live.js triggers.
    parts.live.finished(handlers.finished, [parts.live], [parts.report], **PRIVATE)


class _Handlers:
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
            return gr.skip(), gr.skip(), _problem(str(error)), ""
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
            return as_it_is, as_it_is, _problem(str(error)), as_it_is, said
        if run is None:
            return as_it_is, as_it_is, _problem(UNKNOWN_RUN), as_it_is, said
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

    async def finished(self, shown: RunShown | None) -> str:
        """The report of the run that has ended; nothing for one that has none."""
        # What arrives here was sent by a browser, and need not be what we gave it.
        run_id = shown.get("id") if isinstance(shown, dict) else None
        try:
            run = await self._runs.find(run_id) if isinstance(run_id, str) else None
        except DeepCriticalError as error:
            return _problem(str(error))
        if run is None or run.report is None:
            return ""
        return _files(run) + await asyncio.to_thread(render_report, run.report)


def _key(typed: str | None) -> SecretStr | None:
    return SecretStr(typed.strip()) if typed and typed.strip() else None


def _shown(run: RunView) -> RunShown:
    return {"id": run.run_id, "question": visible(run.question)}


def _problem(text: str) -> str:
    return f'<p class="problem" role="alert">{escape(text)}</p>'


def _files(run: RunView) -> str:
    folder = f"/api/runs/{escape(run.run_id)}/export"
    links = "".join(
        f'<a download href="{folder}/{form.suffix}" title="{escape(form.holds)}">{form.name}</a>'
        for form in FORMATS.values()
    )
    shown = f'<span role="group" aria-label="Downloads">Download {links}</span>'
    return f'<div class="files">{shown}{ANOTHER}</div>'
