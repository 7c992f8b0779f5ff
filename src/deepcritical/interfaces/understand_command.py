"""``deepcritical understand QUESTION``: how a question is read, as JSON, without a search."""

from __future__ import annotations

from typing import Annotated

import typer

from deepcritical.domain.question import checked_question
from deepcritical.interfaces.output import plain_json, to_stdout

__all__ = ["understand"]


def understand(
    question: Annotated[str, typer.Argument(help="Any question.")],
) -> None:
    """Print as JSON how QUESTION is read: its kind, drugs, condition, who is studied, polarity.

    As `research`, `ask` and the chat read it before a model is asked. Where `declined` holds a
    reason, the question is not searched; a name that no table has may still be known to MeSH.

    Exit codes: 0 printed; 4 empty question; 5 question too long.
    """
    from deepcritical.questions.reading import read_frame

    frame = read_frame(checked_question(question))
    to_stdout(plain_json(frame.model_dump_json(indent=2)))
