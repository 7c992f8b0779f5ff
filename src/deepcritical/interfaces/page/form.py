"""The left column: the question, how deep to look, and which model answers."""

from __future__ import annotations

from typing import NamedTuple

import gradio as gr

from deepcritical.domain.budget import Depth
from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.interfaces.page.parts import html

__all__ = ["Form", "build_form"]

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
MODEL_INFO = (
    "Empty: what this server is set to. Else provider:name of openai, openai-chat, anthropic or "
    "huggingface, with a key of yours."
)
KEY_INFO = "Used for the next run alone: not stored, not logged, and gone from here once you ask."
UNSEEN = gr.InputHTMLAttributes(autocomplete="off", autocorrect="off", spellcheck=False)
MAX_KEY_CHARS = 1000


class Form(NamedTuple):
    """The components that events touch."""

    question: gr.Textbox
    depth: gr.Radio
    model: gr.Textbox
    key: gr.Textbox
    ask: gr.Button
    refused: gr.HTML
    answering: gr.HTML


def build_form() -> Form:
    """The components of the form, drawn where it is called."""
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
    refused, answering = html(""), html("")
    gr.Examples(
        [[text] for text in EXAMPLES], [question], cache_examples=False, api_visibility="private"
    )
    return Form(question, depth, model, key, ask, refused, answering)


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
