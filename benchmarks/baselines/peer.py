"""The loop of a peer that runs in its own interpreter, over records and a model that it is given.

The first line of the standard input is an object with `url` (of Chat Completions) and `texts`
(PMID, title, abstract); each further one is a question. Each answer is a line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

Text = tuple[str, str, str]
"""PMID, title and abstract."""
Answer = Callable[[str, str, list[Text]], Coroutine[Any, Any, str]]
"""From the question, the address of the model and the texts to the answer, which cites [PMID]."""


def serve(answer: Answer) -> None:
    """Answer until the input ends; what the peer itself prints goes to the standard error."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        said = asyncio.run(answer(json.loads(line), given["url"], given["texts"]))
        told.write(json.dumps(said) + "\n")
        told.flush()
