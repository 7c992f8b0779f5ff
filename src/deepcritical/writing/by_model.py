"""Has a model write what the studies show together; every sentence passes the gate or is replaced.

Two calls, and one more where sentences were refused: writing, checking, writing again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import quantities
from deepcritical.domain.sentences import Draft, Finding, Sentence
from deepcritical.models.asking import Asker
from deepcritical.models.failing import NoAnswerError
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import CHARS_PER_TOKEN
from deepcritical.prompts.findings import finding_lines, told_text
from deepcritical.services.calculating import calculated
from deepcritical.verification.gate import CheckedDraft, check_sentences
from deepcritical.verification.signs import clauses, signs
from deepcritical.verification.verifiers import Verifier

VERSION = 7
_MOST = 8
_MOST_PARTS = 2
"""Sentences into which a refused one may be parted, such as one for each side of a contrast."""
_LONGEST = 400
"""Characters of a sentence; a longer one is dropped."""
_FRAME_CHARS = 3_000
"""Characters of the rules, the schema and what is asked beside the findings."""
_QUOTES = 2
"""Quotes of a finding that a writer is shown."""
_END_POINTS = bounded(
    r"\b(?:end ?-?points?|outcomes?(?: measures?)?)\b[^.]{0,60}?"
    r"\b(?:was|were|is|are|will be|includ(?:ed?|es|ing)|comprised)\b",
    re.IGNORECASE,
)


@cache
def _wording() -> dict[str, Any]:
    text = files("deepcritical.prompts").joinpath(f"writing_v{VERSION}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _means(name: str) -> str:
    return str(_wording()["fields"][name])


class WrittenSentence(BaseModel):
    """A sentence with what it rests on."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str = Field(description=_means("text"))
    findings: list[str] = Field(default_factory=list, description=_means("findings"))
    number: int = Field(0, description=_means("number"))


class Written(BaseModel):
    """Sentences in the order of the argument."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sentences: list[WrittenSentence]


class Writer:
    """Writes one text over findings.

    Args:
        asker: Puts questions to the model that writes.
        name: That model as ``provider:name``.
        verifier: Judges what code cannot; None for none.
        own: Whether the verifier is the writer itself.
    """

    def __init__(self, asker: Asker, name: str, verifier: Verifier | None, *, own: bool) -> None:
        self._asker = asker
        self._name = name
        self._verifier = verifier
        self._own = own

    async def write(
        self,
        question: str,
        findings: Mapping[str, Finding],
        records: Mapping[str, Evidence],
        above: str = "",
    ) -> tuple[Sentence, ...]:
        """Return the sentences to print.

        Args:
            question: What was asked.
            findings: What may be told, by id.
            records: The run's records, by evidence id.
            above: What the report says before these sentences.

        Raises:
            NoAnswerError: The model wrote nothing.
        """
        shown = await calculated(_shown, question, above, findings, self._room)
        answer = await self._asker.ask("report", _prompt(_wording()["ask"], shown), Written)
        drafts = [self._draft(one) for one in answer.sentences if _fits(one)][:_MOST]

        async def again(checked: Sequence[CheckedDraft]) -> Sequence[Sequence[Draft]]:
            return await self._again(question, findings, checked)

        return await check_sentences(
            drafts, findings, records, self._verifier, rewrite=again, own=self._own, above=above
        )

    @property
    def _room(self) -> int:
        """Characters for the findings."""
        tokens = self._asker.profile_for("report").context_tokens
        return tokens * CHARS_PER_TOKEN - _FRAME_CHARS

    def _draft(self, one: WrittenSentence) -> Draft:
        ids = tuple(dict.fromkeys(i.strip() for i in one.findings))
        return Draft(text=" ".join(one.text.split()), finding_ids=ids, written_by=self._name)

    async def _again(
        self, question: str, findings: Mapping[str, Finding], checked: Sequence[CheckedDraft]
    ) -> Sequence[Sequence[Draft]]:
        refused = [one for one in checked if not one.passed]
        named = [i for one in refused for i in one.draft.finding_ids or ("",)]
        # One that cites nothing known may be about any of them.
        of_use = {i: f for i, f in findings.items() if i in named or not {*named} <= {*findings}}
        shown = await calculated(_shown, question, "", of_use, self._room)
        accepted = [told_text(one.draft.text) for one in checked if one.passed]
        above = ["\n".join((_wording()["accepted"], *accepted))] if accepted else []
        told = "\n".join(
            f"{n}. {told_text(one.draft.text)} Refused, because {'; '.join(one.reasons)}."
            for n, one in enumerate(refused, 1)
        )
        try:
            prompt = _prompt(_wording()["again"], shown, *above, told)
            answer = await self._asker.ask("report", prompt, Written)
        except NoAnswerError:  # the templates take their place
            return [()] * len(refused)
        written = [(one.number, self._draft(one)) for one in answer.sentences if _fits(one)]
        numbers = range(1, len(refused) + 1)
        return [[draft for number, draft in written if number == n][:_MOST_PARTS] for n in numbers]


def _fits(one: WrittenSentence) -> bool:
    return bool(one.text.strip()) and len(one.text) <= _LONGEST


def _prompt(ask: str, *parts: str) -> Prompt:
    text = "\n\n".join(("Task: write_report", " ".join(ask.split()), *parts))
    return Prompt("write_report", _wording()["rules"], text)


def _shown(question: str, above: str, findings: Mapping[str, Finding], room: int) -> str:
    """Return the findings as text, as many as fit; the first weigh most."""
    blocks = [f"Question: {question}"]
    if above:
        for finding in (one for one in findings.values() if one.sentence):
            above = above.replace(finding.sentence, f"[{finding.id}]")
        blocks.append(f"{' '.join(_wording()['above'].split())}\n{told_text(above)}")
    told: dict[str, str] = {}
    for finding in findings.values():
        block = _block(finding, told)
        room -= len(block)
        if room < 0 and len(blocks) > 1:
            break
        blocks.append(block)
    return "\n\n".join(blocks)


def _block(finding: Finding, told: dict[str, str]) -> str:
    """Return a finding with its quotes; what stood in a block before is named by its id.

    `told` are the quotes and studies so far, by their texts, with the ids of their findings.
    """
    lines = finding_lines(finding, told)
    for quote in finding.quotes[:_QUOTES]:
        kind = "what was measured, no result" if _is_plan(quote) else "quote"
        known = told.setdefault(quote, finding.id)
        own = quote.rstrip(".") in finding.sentence
        if not own:
            lines.append(f"{kind}: {told_text(quote) if known == finding.id else f'as in {known}'}")
    return "\n".join((f'<finding id="{finding.id}">', *lines, "</finding>"))


def _is_plan(quote: str) -> bool:
    """Return whether a quote lists end points and tells no result of them."""
    if not _END_POINTS.search(quote) or any(signs(clause) for clause in clauses(quote)):
        return False
    return not any(q.kind == "p" or q.unit.dimension == "%" for q in quantities(quote))
