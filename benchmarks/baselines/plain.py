"""The plain way, as a yardstick: rank abstracts by words, put twenty into one prompt, cite.

It shares no code with the product but the words of the verdicts, and asks a server that speaks
Chat Completions once for each question.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import httpx

from deepcritical.domain.appraisal.verdict import VerdictLabel

TAKEN = 20
"""Abstracts in the prompt."""
_LABELS = tuple(label.value for label in VerdictLabel if label is not VerdictLabel.NOT_ASSESSED)

VERDICTS = f"""\
End with a line "Verdict: X", where X is one of: {", ".join(_LABELS)}.
supported: good evidence that it helps; promising: some, but weak; mixed: studies disagree;
unsupported: weak evidence of no benefit; refuted: good evidence of no benefit; harmful: harms
outweigh; insufficient evidence: it cannot be told."""
_PROMPT = """\
Answer the question from the abstracts below alone. Write at most eight sentences. After each
sentence cite the abstracts that it rests on as [PMID]. {verdicts}

Question: {question}

{abstracts}"""


class Text(NamedTuple):
    """An abstract."""

    pmid: str
    title: str
    abstract: str


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]{2,}", text.casefold())


def ranked(question: str, texts: Sequence[Text]) -> list[Text]:
    """The abstracts by BM25 (k1 1.5, b 0.75) towards the words of the question, best first."""
    counts = [Counter(_words(f"{text.title} {text.abstract}")) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / max(1, len(lengths))
    held = Counter(word for count in counts for word in count)
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        score = 0.0
        for word in set(_words(question)):
            rarity = math.log(1 + (len(texts) - held[word] + 0.5) / (held[word] + 0.5))
            damped = count[word] + 1.5 * (0.25 + 0.75 * length / mean)
            score += rarity * count[word] * 2.5 / damped
        scores.append(score)
    return [texts[n] for n in sorted(range(len(texts)), key=lambda n: -scores[n])]


async def ask_plainly(
    question: str, texts: Sequence[Text], client: httpx.AsyncClient, model: str
) -> str:
    """Ask a model once; `client` has the server's address as its base.

    Raises:
        HTTPError: The server gave no answer.
    """
    taken = ranked(question, texts)[:TAKEN]
    abstracts = "\n\n".join(f"[{t.pmid}] {t.title}\n{t.abstract}" for t in taken)
    prompt = _PROMPT.format(verdicts=VERDICTS, question=question, abstracts=abstracts)
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
    answer = await client.post("chat/completions", json=body)
    answer.raise_for_status()
    text: str = answer.json()["choices"][0]["message"]["content"]
    return text


def verdict_of(text: str) -> VerdictLabel | None:
    """The verdict that an answer ends in; None where it names none."""
    found = re.findall(r"verdict:\s*\**\s*([a-z ]+)", text.casefold())
    said = found[-1].strip() if found else ""
    return VerdictLabel(said) if said in _LABELS else None
