"""The form of the page: the question and its options."""

from __future__ import annotations

from html import escape
from typing import Any, NamedTuple, get_args

import gradio as gr

from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.domain.run.budget import Depth, RunLimits
from deepcritical.domain.run.plan import Place
from deepcritical.interfaces.page.parts import asset, html, script
from deepcritical.jobs.runs import DEEP_RESEARCH, RESEARCH, RunService
from deepcritical.tools.registry import BY_KEY

AUTO = "auto"
KINDS = (("Auto", AUTO), ("Report", RESEARCH), ("Answer", DEEP_RESEARCH))
KIND_INFO = "Auto: a report on whether a drug helps, a list for a look-up, else a cited answer."
MODEL_INFO = (
    "Empty: what this server is set to. Else provider:name of openai, openai-chat, anthropic or "
    "huggingface, with a key of yours."
)
KEY_INFO = "Sent with messages of the chat, and with one run, then emptied. Not stored, not logged."
UNSEEN = gr.InputHTMLAttributes(autocomplete="off", autocorrect="off", spellcheck=False)
OF_ACCOUNT = "Use my Hugging Face account as the key"
ACCOUNT_INFO = (
    "For huggingface:NAME. Its token goes with a run you ask, and is never stored. A typed key is "
    "used instead of it."
)
NO_CHOICE = '<p class="note">There is one source here, and none to choose: {}.</p>'
NOTHING_KEPT = "This server keeps no runs: copy the address of this page to find one again."


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
    limits: dict[str, gr.Textbox]
    """By the names of `OwnLimits`; an empty one is left to the depth."""
    model: gr.Textbox
    key: gr.Textbox
    own_token: gr.Checkbox
    account: gr.HTML

    @property
    def asked(self) -> set[gr.components.Component]:
        """Return the request that a run is started with."""
        own = {self.question, self.documents, self.kind, self.depth, self.review, self.model}
        return (
            own
            | {self.key, self.own_token, *self.limits.values()}
            | ({self.sources} if self.sources else set())
        )


def build_form(runs: RunService, *, takes_documents: bool = True) -> Form:
    """The components of the form, drawn where it is called; files only where they are taken.

    What will answer, and who signed in, are not drawn yet.
    """
    with gr.Row(elem_classes="ask-row"):
        html(None, html_template=asset("header.html"))
        bare: dict[str, Any] = {"show_label": False, "container": False}
        field = {**bare, "max_length": MAX_QUESTION_CHARS, "label": "Your question", "max_lines": 4}
        question = gr.Textbox(
            placeholder="Ask about a drug or disease", elem_id="question", **field
        )
        ask = gr.Button("Ask", variant="primary", elem_id="ask")
        plain = {**bare, "elem_classes": "chips"}
        # Each with its longest time on this server.
        depths = [_depth(one, runs.limits_for(one).deadline_s) for one in get_args(Depth)]
        depth = gr.Radio(depths, value="standard", label="Depth", elem_id="depth", **plain)
        review = gr.Checkbox(label="Show me the plan first", elem_id="review", **plain)
        with gr.Accordion("Sources, model, files", open=False, elem_id="options"):
            kind = gr.Radio(list(KINDS), value=AUTO, label="Output", info=KIND_INFO)
            documents = _documents(takes_documents and runs.keeps_runs)
            sources, limits = _sources_and_limits(runs.place, runs.limits_for("deep"))
            model, key, own_token = _model_and_key()
        refused, similar = html(""), html("")
    return Form(
        *(question, documents, ask, refused, similar, kind, depth, review),
        *(html("", render=False), sources, limits, model, key, own_token),
        html("", render=False),
    )


def _documents(takes_files: bool) -> gr.HTML:
    """The browser uploads them to the REST interface by itself, which says whose they are."""
    skeleton = asset("attach.html").replace("WITHOUT_FILES", "" if takes_files else "hidden")
    return html(None, html_template=skeleton, js_on_load=script("attach.js"))


def _depth(name: str, seconds: float) -> tuple[str, str]:
    most = f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"
    return f"{name.capitalize()} ≤ {most}", name


def _sources_and_limits(
    place: Place, most: RunLimits
) -> tuple[gr.CheckboxGroup | None, dict[str, gr.Textbox]]:
    with gr.Accordion("Sources and limits", open=False):
        sources = None
        if place.sources:
            choices = [(BY_KEY[name].name, name) for name in place.sources]
            chosen = list(place.sources)
            sources = gr.CheckboxGroup(choices, value=chosen, label="Live sources to search")
        else:
            searched = f"the snapshot {place.snapshot}" if place.snapshot else "its records"
            html(NO_CHOICE.format(escape(searched)))
        cost = "" if most.max_cost_usd is None else f", up to {most.max_cost_usd:g}"
        slow = ", and more time for a slow model" if most.paced else ""
        note = f"Empty: as the depth says{slow}. The last two count with a model only."
        html(f'<p class="note">{note}</p>')
        labels = {
            "max_iterations": f"Rounds, up to {most.max_iterations}",
            "deadline_s": f"Seconds, up to {most.deadline_s:g}",
            "max_tokens": f"Tokens, up to {most.max_tokens:,}",
            "max_cost_usd": f"US dollars{cost}",
        }
        # Not the framework's field for numbers, which sends 0 when it is empty.
        plain: dict[str, Any] = {"min_width": 130, "max_length": 20, "html_attributes": UNSEEN}
        with gr.Row():
            limits = {name: gr.Textbox(label=label, **plain) for name, label in labels.items()}
    return sources, limits


def _model_and_key() -> tuple[gr.Textbox, gr.Textbox, gr.Checkbox]:
    """No address can be given: the server would ask it, and it may see more than its visitors."""
    with gr.Accordion("Model and key", open=False, elem_id="model-and-key"):
        example = "anthropic:claude-opus-4-6"
        model = _unseen("Model", info=MODEL_INFO, placeholder=example, max_length=200)
        key = _unseen("Key", info=KEY_INFO, type="password", max_length=1000)
        return model, key, gr.Checkbox(label=OF_ACCOUNT, info=ACCOUNT_INFO, visible=False)


def _unseen(label: str, **options: Any) -> gr.Textbox:
    return gr.Textbox(label=label, elem_id=label.lower(), html_attributes=UNSEEN, **options)


def build_own_runs(kept: bool) -> None:
    """The list, drawn where it is called: the REST interface knows whose runs to give."""
    if kept:
        html(None, html_template=asset("runs.html"), js_on_load=script("runs.js"))
    else:
        html(f'<p class="note">{NOTHING_KEPT}</p>')
