"""Events of a chat as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from deepcritical.domain.chat import (
    ChatAnswer,
    ChatEvent,
    ChatSentence,
    ResearchEnded,
    ResearchOffered,
    ToolCalled,
    ToolTold,
    TurnFailed,
)
from deepcritical.domain.markdown import one_line, visible
from deepcritical.domain.report_parts import Reference
from deepcritical.interfaces.reuse import similar_line

__all__ = ["as_text"]


@singledispatch
def as_text(event: ChatEvent) -> str:
    """An event in words; the text of records in it cannot steer the terminal."""
    raise TypeError(f"no words for {type(event).__name__}")


@as_text.register
def _(event: ToolCalled) -> str:
    return f"Tool {event.tool}, chosen by {event.chosen_by}"


@as_text.register
def _(event: ToolTold) -> str:
    return visible(f"{event.progress.progress:4.0%} {event.progress.message}")


@as_text.register
def _(event: ChatAnswer) -> str:
    left_out = event.left_out
    parts = (
        one_line(event.head),
        "\n".join(map(_sentence, event.sentences)),
        "\n".join(_references(event.references)),
        f"Left out: {left_out} of the model's sentences, which stand in no record on the question."
        if left_out
        else "",
        "\n".join(f"Note: {one_line(notice)}" for notice in event.notices),
        f"Answered by {event.written_by}. For research use, not medical advice."
        if event.references
        else "",
    )
    return "\n\n".join(part for part in parts if part)


@as_text.register
def _(event: ResearchOffered) -> str:
    lines = (
        f"I'd need to read the studies for that. Takes {event.takes}. {event.why}".strip(),
        *(similar_line(one) for one in event.similar),
        "Answer yes to start it.",
    )
    return "\n".join(map(one_line, lines))


@as_text.register
def _(event: ResearchEnded) -> str:
    return f"{event.text}\n\nQuestions from here on go to the evidence of run {event.run_id}."


@as_text.register
def _(event: TurnFailed) -> str:
    return one_line(f"Error: {event.message} {event.advice}".strip())


def _sentence(sentence: ChatSentence) -> str:
    """In quotation marks only where the words are the source's own."""
    quoted = sentence.wording == "quote"
    said = f"“{sentence.text}”" if quoted else f"Summary: {sentence.text}"
    remark = f" ({sentence.remark})" if sentence.remark else ""
    return one_line(f"- {said} [{sentence.number}]{remark}")


def _references(references: tuple[Reference, ...]) -> Iterator[str]:
    for number, reference in enumerate(references, 1):
        flag = "RETRACTED" if reference.retracted else ""
        place = (reference.place, flag, *reference.public_ids, reference.link)
        told = " · ".join(part for part in (reference.title, *place) if part)
        yield one_line(f"[{number}] {told}")
