"""Writes the prompts of a chat: which tool answers a message, and which sentences do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from deepcritical.prompts.asks import Prompt, compose, records_part
from deepcritical.prompts.evidence import ShownRecords, record_text

_LONGEST_TURN = 300
"""Characters of a former message that are shown."""


class Offered(NamedTuple):
    """A tool as a model is told of it."""

    name: str
    description: str


def ask_tool(
    message: str,
    tools: Sequence[Offered],
    history: Iterable[tuple[str, str]],
    tried: Sequence[str],
    *,
    short: bool = False,
) -> Prompt:
    """Ask which tool answers a message, and with which words to call it."""
    listed = "\n".join(f"- {tool.name}: {tool.description}" for tool in tools)
    told = "\n".join(f"- asked: {_cut(asked)}; came: {_cut(came)}" for asked, came in history)
    return compose(
        "choose_tool",
        """Choose the one tool that answers the message, by its name. As query give the message as
        one question or search of its own: names that it only points back to are written out, and
        nothing is added.""",
        f"Tools:\n{listed}",
        f"Before:\n{told}" if told else "",
        f"Found nothing already: {', '.join(tried)}" if tried else "",
        f"Message: {_cut(message, 2000)}",
        short=short,
    )


def ask_sentences(message: str, shown: ShownRecords, *, short: bool = False) -> Prompt:
    """The sentences of the records that answer a message."""
    return compose(
        "chat_sentences",
        f"""Choose up to {4 if short else 8} sentences of the records that answer the message, those
        for and those against, the strongest study first. Give each with its record's id, copied
        word for word. Leave the list empty if no record says anything to the message.""",
        f"Message: {_cut(message, 2000)}",
        records_part(shown),
        short=short,
    )


def _cut(text: str, most: int = _LONGEST_TURN) -> str:
    return record_text(" ".join(text.split())[:most])
