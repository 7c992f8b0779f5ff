"""Has a model write what the studies show together; every sentence passes the gate or is replaced.

Two calls, and more where sentences were refused: writing, checking, writing again. The first
sentence, which answers the question, is asked for twice more.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from itertools import groupby, islice
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.brief import Contested, Statement
from deepcritical.domain.report.sentences import Draft, Finding, Sentence, row_text
from deepcritical.models.answers import VerdictName
from deepcritical.models.asking import Asker
from deepcritical.models.failing import NoAnswerError
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, study_line, told_text
from deepcritical.services.tasks import calculated
from deepcritical.verification.gate import CheckedDraft, check_sentences
from deepcritical.verification.verifiers import SecondLook, Verifier

VERSION = 14
_MOST = 6
_MOST_ROWS = 5
_MOST_PARTS = 2
"""Sentences into which a refused one may be parted, such as one for each side of a contrast."""
_LONGEST = 600
"""Characters of a sentence, or of a row; a longer one is dropped."""
_FRAME_CHARS = 7_500
"""Characters of the rules, the schema and what is asked beside the findings."""


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


class WrittenRow(BaseModel):
    """A row of a summary of findings with what it rests on."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    outcome: str = Field(description=_means("outcome"))
    compared_with: str = Field("", description=_means("compared_with"))
    studies: str = Field("", description=_means("studies"))
    result: str = Field(description=_means("result"))
    certainty: Literal["high", "moderate", "low", "very low"] | None = Field(
        None, description=_means("certainty")
    )
    findings: list[str] = Field(default_factory=list, description=_means("findings"))
    number: int = Field(0, description=_means("number"))


class WrittenText(BaseModel):
    """Sentences in the order of the argument, or in the place of refused ones."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sentences: list[WrittenSentence]


class Written(WrittenText):
    """A text with its table, the weightiest row first, and what it comes to."""

    rows: list[WrittenRow] = Field(default_factory=list)
    shows: VerdictName | None = Field(None, description=_means("shows"))


class Text(NamedTuple):
    """A text as it is printed."""

    sentences: tuple[Sentence, ...]
    """The rows of its table, which have cells, stand last."""
    contested: tuple[Contested, ...] = ()
    """Results told by code beside it that the verifier finds refuted by their own records."""


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
        *,
        wanted: str = "",
        table: bool = False,
        beside: Sequence[Statement] = (),
    ) -> Text:
        """Return the sentences to print, and which results beside them the records refute.

        Args:
            question: What was asked.
            findings: Sentences of records that may be told, by id, record by record.
            records: The run's records, by evidence id.
            above: What the report says before these sentences.
            wanted: What else is to be told, as lines behind the question.
            table: Whether rows are wanted.
            beside: Results that code tells beside the text, the weightiest first.

        Raises:
            NoAnswerError: The model wrote nothing.
        """
        whole = f"{question}\n{wanted}" if wanted else question
        shown = await calculated(_shown, whole, above, findings, self._room)
        drafts = await self._first(shown, table=table)
        judge = self._verifier
        look = SecondLook(judge, beside, records) if judge and beside else None
        check = partial(check_sentences, own=self._own, above=above, question=question)
        again = partial(self._again, whole, findings)
        printed = await check(drafts, findings, records, look or judge, rewrite=again)
        return Text(printed, await look.contested() if look and printed else ())

    async def _first(self, shown: str, *, table: bool) -> list[Draft]:
        """Return the sentences as they are first written, and behind them the rows."""
        asked = _wording()["ask"] + (f"\n{_wording()['table']}" if table else "")
        form = Written if table else WrittenText
        answer = await self._asker.ask("report", _prompt(asked, shown), form)
        drafts = [self._draft(one) for one in answer.sentences if _fits(one.text)][:_MOST]
        if not isinstance(answer, Written):
            return drafts
        rows = dict.fromkeys(filter(None, map(self._row, answer.rows)))
        return [*_showing(drafts, answer), *islice(rows, _MOST_ROWS)]

    @property
    def _room(self) -> int:
        """Characters for the findings."""
        tokens = self._asker.profile_for("report").context_tokens
        return tokens * CHARS_PER_TOKEN - _FRAME_CHARS

    def _draft(self, one: WrittenSentence) -> Draft:
        ids = tuple(dict.fromkeys(i.strip(" []") for i in one.findings))
        return Draft(text=" ".join(one.text.split()), finding_ids=ids, written_by=self._name)

    def _row(self, one: WrittenRow) -> Draft | None:
        """Return a row as a sentence; None where it says nothing, or too much."""
        texts = (one.outcome, one.compared_with, one.studies, one.result)
        *cells, result = (" ".join(text.split()).rstrip(" .") for text in texts)
        text = row_text(cells, result)
        if not (cells[0] and result and _fits(text)):
            return None
        made = self._draft(WrittenSentence(text=text, findings=one.findings, number=0))
        rated = Certainty(one.certainty) if one.certainty else None
        return made.model_copy(update={"cells": tuple(cells), "rated": rated})

    async def _again(
        self, question: str, findings: Mapping[str, Finding], checked: Sequence[CheckedDraft]
    ) -> Sequence[Sequence[Draft]]:
        refused = [one for one in checked if not one.passed]
        named = [i for one in refused for i in one.draft.finding_ids or ("",)]
        of_named = {findings[i].evidence_ids for i in named if i in findings}
        # One that cites nothing known may be about any of them.
        every = not {*named} <= {*findings}
        of_use = {i: f for i, f in findings.items() if every or f.evidence_ids in of_named}
        shown = await calculated(_shown, question, "", of_use, self._room)
        accepted = [told_text(one.draft.text) for one in checked if one.passed]
        above = ["\n".join((_wording()["accepted"], *accepted))] if accepted else []
        told = told_text(
            "\n".join(
                f"{n}. {one.draft.text} Refused, because {'; '.join(one.reasons)}."
                for n, one in enumerate(refused, 1)
            )
        )
        opens = any(one.draft.opens for one in refused)
        has_row = any(one.draft.cells for one in refused)
        parts = {"again": True, "opening": opens, "row_again": has_row}
        asked = "\n".join(_wording()[name] for name, is_asked in parts.items() if is_asked)
        form = Written if opens or has_row else WrittenText
        try:
            answer = await self._asker.ask("report", _prompt(asked, shown, *above, told), form)
        except NoAnswerError:  # the templates take their place
            return [()] * len(refused)
        return [self._in_place(one.draft, n, answer) for n, one in enumerate(refused, 1)]

    def _in_place(self, was: Draft, number: int, answer: WrittenText) -> Sequence[Draft]:
        """Return what an answer has in the place of a refused draft, which has this number."""
        rows = answer.rows if isinstance(answer, Written) else ()
        if was.cells:
            written = map(self._row, (row for row in rows if row.number == number))
            return [row for row in written if row][:1]
        own = (one for one in answer.sentences if one.number == number and _fits(one.text))
        made = [self._draft(one) for one in islice(own, _MOST_PARTS)]
        return _showing(made, answer) if was.shows and isinstance(answer, Written) else made


def _showing(drafts: Sequence[Draft], answer: Written) -> list[Draft]:
    """Return drafts of which the first one shows what the writer says that its text comes to."""
    shows = {"shows": VerdictLabel(answer.shows) if answer.shows else None}
    return [*(one.model_copy(update=shows) for one in drafts[:1]), *drafts[1:]]


def _fits(text: str) -> bool:
    return bool(text.strip()) and len(text) <= _LONGEST


def _prompt(ask: str, *parts: str) -> Prompt:
    text = "\n\n".join(("Task: write_report", " ".join(ask.split()), *parts))
    return Prompt("write_report", _wording()["rules"], text)


def _shown(question: str, above: str, findings: Mapping[str, Finding], room: int) -> str:
    """Return records as numbered sentences, as many as fit; the first weigh most."""
    blocks = [f"Question: {told_text(question)}"]
    if above:
        blocks.append(f"{' '.join(_wording()['above'].split())}\n{told_text(above)}")
    for number, (_, group) in enumerate(groupby(findings.values(), attrgetter("evidence_ids"))):
        block = _block([*group])
        room -= len(block)
        if room < 0 and number:
            break
        blocks.append(block)
    return "\n\n".join(blocks)


def _block(told: Sequence[Finding]) -> str:
    """Return the sentences of one record behind a line on its study."""
    lines = [f"[{one.id}] {told_text(' '.join(one.quotes[0].split()))}" for one in told]
    number = told[0].id.partition(".")[0]
    return "\n".join((f'<record id="{number}">', study_line(told[0]), *lines, "</record>"))
