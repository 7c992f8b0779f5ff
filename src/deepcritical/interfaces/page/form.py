"""The form of the page: the question and its options."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import gradio as gr

from deepcritical.domain.budget import Depth, RunLimits
from deepcritical.domain.plan import Place
from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.interfaces.page.parts import asset, html, script
from deepcritical.jobs.runs import DEEP_RESEARCH, RESEARCH, RunService
from deepcritical.tools.registry import BY_KEY

AUTO = "auto"
KINDS = (("Auto", AUTO), ("Report", RESEARCH), ("Answer", DEEP_RESEARCH))
KIND_INFO = "Auto: a report on whether a drug helps, a list for a look-up, else a cited answer."
DEPTHS: tuple[tuple[str, Depth], ...] = (
    ("Quick", "quick"),
    ("Standard", "standard"),
    ("Deep", "deep"),
)
MODEL_INFO = (
    "Empty: what this server is set to. Else provider:name of openai, openai-chat, anthropic or "
    "huggingface, with a key of yours."
)
KEY_INFO = "Sent with messages of the chat, and with one run, then emptied. Not stored, not logged."
UNSEEN = gr.InputHTMLAttributes(autocomplete="off", autocorrect="off", spellcheck=False)
MAX_MODEL_CHARS, MAX_KEY_CHARS = 200, 1000
NO_CHOICE = '<p class="note">There is one source here, and none to choose: {}.</p>'
NOTHING_KEPT = "This server keeps no runs: copy the address of this page to find one again."


class Limits(NamedTuple):
    """Limits of the user's own; an empty one is left to the depth."""

    rounds: gr.Textbox
    seconds: gr.Textbox
    tokens: gr.Textbox
    dollars: gr.Textbox


class Form(NamedTuple):
    """The components that events touch."""

    question: gr.Textbox
    documents: gr.HTML
    """Its value is a list of what the user chose, each with `id` and `name`; None for nothing."""
    ask: gr.Button
    refused: gr.HTML
    similar: gr.HTML
    kind: gr.Radio
    depth: gr.Radio
    review: gr.Checkbox
    answering: gr.HTML
    sources: gr.CheckboxGroup | None
    """None where one snapshot is searched."""
    limits: Limits
    model: gr.Textbox
    key: gr.Textbox

    @property
    def asked(self) -> set[gr.components.Component]:
        """Return the request that a run is started with."""
        own = {self.question, self.documents, self.kind, self.depth, self.review, self.model}
        more = {self.sources} if self.sources else set()
        return own | {self.key} | set(self.limits) | more


def build_form(runs: RunService, *, takes_documents: bool = True) -> Form:
    """The components of the form, drawn where it is called; files only where they are taken.

    The line that says what will answer is not drawn yet.
    """
    with gr.Row(elem_classes="ask-row"):
        html(None, html_template=asset("header.html"))
        question = gr.Textbox(
            label="Your question",
            show_label=False,
            container=False,
            placeholder="Ask about a drug or disease",
            max_lines=4,
            max_length=MAX_QUESTION_CHARS,
            elem_id="question",
        )
        ask = gr.Button("Ask", variant="primary", elem_id="ask")
        plain: dict[str, Any] = {"show_label": False, "container": False, "elem_classes": "chips"}
        depths = _depths(runs.limits_for)
        depth = gr.Radio(depths, value="standard", label="Depth", elem_id="depth", **plain)
        review = gr.Checkbox(label="Show me the plan first", elem_id="review", **plain)
        with gr.Accordion("Sources, model, files", open=False, elem_id="options"):
            kind = gr.Radio(list(KINDS), value=AUTO, label="Output", info=KIND_INFO)
            documents = _documents(takes_documents and runs.keeps_runs)
            sources, limits = _sources_and_limits(runs.place, runs.limits_for("deep"))
            model, key = _model_and_key()
    refused, similar = html(""), html("")
    return Form(
        *(question, documents, ask, refused, similar, kind, depth, review),
        *(html("", render=False), sources, limits, model, key),
    )


def _documents(takes_files: bool) -> gr.HTML:
    """The browser uploads them to the REST interface by itself, which says whose they are."""
    skeleton = asset("attach.html").replace("WITHOUT_FILES", "" if takes_files else "hidden")
    return html(None, html_template=skeleton, js_on_load=script("attach.js"))


def _depths(limits_of: Callable[[Depth], RunLimits]) -> list[tuple[str, Depth]]:
    """Return each depth with its longest time on this server."""
    known = [(name, depth, limits_of(depth).deadline_s) for name, depth in DEPTHS]
    return [
        (f"{name} ≤ {f'{s / 60:g} min' if s >= 60 else f'{s:g} s'}", depth)
        for name, depth, s in known
    ]


def _sources_and_limits(place: Place, most: RunLimits) -> tuple[gr.CheckboxGroup | None, Limits]:
    with gr.Accordion("Sources and limits", open=False):
        sources = None
        if place.sources:
            choices = [(BY_KEY[name].name, name) for name in place.sources]
            sources = gr.CheckboxGroup(
                choices, value=list(place.sources), label="Live sources to search"
            )
        else:
            searched = f"the snapshot {place.snapshot}" if place.snapshot else "its records"
            html(NO_CHOICE.format(escape(searched)))
        cost = "" if most.max_cost_usd is None else f", up to {most.max_cost_usd:g}"
        slow = ", and more time for a slow model" if most.paced else ""
        note = f"Empty: as the depth says{slow}. The last two count with a model only."
        html(f'<p class="note">{note}</p>')
        with gr.Row():
            rounds = _number(f"Rounds, up to {most.max_iterations}")
            seconds = _number(f"Seconds, up to {most.deadline_s:g}")
        with gr.Row():
            tokens = _number(f"Tokens, up to {most.max_tokens:,}")
            dollars = _number(f"US dollars{cost}")
    return sources, Limits(rounds, seconds, tokens, dollars)


def _number(label: str) -> gr.Textbox:
    """Not the framework's field for numbers, which sends 0 when it is empty."""
    return gr.Textbox(label=label, min_width=100, max_length=20, html_attributes=UNSEEN)


def _model_and_key() -> tuple[gr.Textbox, gr.Textbox]:
    """No address can be given: the server would ask it, and it may see more than its visitors."""
    with gr.Accordion("Model and key", open=False, elem_id="model-and-key"):
        model = gr.Textbox(
            label="Model",
            info=MODEL_INFO,
            placeholder="anthropic:claude-opus-4-6",
            max_length=MAX_MODEL_CHARS,
            html_attributes=UNSEEN,
            elem_id="model",
        )
        key = gr.Textbox(
            label="Key",
            info=KEY_INFO,
            type="password",
            max_length=MAX_KEY_CHARS,
            html_attributes=UNSEEN,
            elem_id="key",
        )
    return model, key


def build_own_runs(kept: bool) -> None:
    """The list, drawn where it is called: the REST interface knows whose runs to give."""
    if kept:
        html(None, html_template=asset("runs.html"), js_on_load=script("runs.js"))
    else:
        html(f'<p class="note">{NOTHING_KEPT}</p>')
