"""Judges by a language model whether quotes bear sentences out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.brief import Contested, Statement
from deepcritical.domain.report.sentences import Finding
from deepcritical.models.asking import Asker
from deepcritical.models.failing import NoAnswerError
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import CHARS_PER_TOKEN, study_line, told_text

VERSION = 6
LONGEST_TEXT = 3_000
"""Characters of a record that a verifier is shown."""
EntailmentVerdict = Literal["supported", "contradicted", "not_enough"]
_FRAME_CHARS = 6_000
"""Characters of the rules, the schema and the answer beside the sentences."""
_MOST_STATEMENTS = 16
"""Statements that are compared with the words of records."""


class Item(NamedTuple):
    """A sentence to judge, with the words of each record that it cites."""

    id: str
    text: str
    quotes: Mapping[str, Sequence[str]]
    """Evidence id -> quotes."""
    findings: Sequence[Finding] = ()
    """What it cites of them."""
    question: str = ""
    """What the sentences of its text answer."""


class Judged(NamedTuple):
    """The judgement of a verifier on a sentence."""

    verdict: EntailmentVerdict
    records: frozenset[str]
    """Evidence ids of the records that bear a part of it."""
    reason: str = ""


class Verifier(Protocol):
    """Whoever judges sentences against quotes."""

    name: str

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        """Return the judgements by sentence id; a sentence without one was not judged."""
        ...


@cache
def _wording() -> dict[str, Any]:
    text = files("deepcritical.prompts").joinpath(f"verifying_v{VERSION}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _means(name: str) -> str:
    return str(_wording()["fields"][name])


def _without_docstring(schema: dict[str, Any]) -> None:
    """The schema says what the file of wordings says, and nothing of what the code does."""
    schema.pop("description", None)


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra=_without_docstring)


class JudgedSentence(_Answer):
    """The judgement of one sentence."""

    id: str = Field(description=_means("id"))
    verdict: EntailmentVerdict = Field(description=_means("verdict"))
    records: list[str] = Field([], description=_means("records"))
    reason: str = Field("", description=_means("reason"))


class JudgedSentences(_Answer):
    """One judgement for each sentence."""

    judgements: list[JudgedSentence]


class ModelVerifier:
    """A model that judges all sentences in one call, or in as few as its context allows.

    Args:
        asker: Puts questions to it, within the run's budget and time.
        name: The model as ``provider:name``.
    """

    def __init__(self, asker: Asker, name: str) -> None:
        self._asker = asker
        self.name = name

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        """Return the judgements; those of a call that failed are missing.

        Raises:
            ConfigurationError: The run's very first question shows that key or name are wrong.
        """
        found: dict[str, Judged] = {}
        for batch in self._batches(items):
            found.update(await self._judged(batch))
        return found

    def _batches(self, items: Sequence[Item]) -> list[list[Item]]:
        room = self._asker.profile_for("verify").context_tokens * CHARS_PER_TOKEN - _FRAME_CHARS
        made: list[list[Item]] = []
        shown: set[str] = set()
        left = 0
        for item in items:
            told = {*chain(*item.quotes.values()), *map(study_line, item.findings)}
            size = len(item.text) + sum(map(len, told - shown))
            if not made or size > left:
                made.append([])
                left, shown = room, set()
                size = len(item.text) + sum(map(len, told))
            made[-1].append(item)
            left -= size
            shown |= told
        return made

    async def _judged(self, batch: Sequence[Item]) -> dict[str, Judged]:
        # Ids of the question alone: the same sentences make the same question in every run.
        records = _numbered(batch)
        try:
            answer = await self._asker.ask("verify", _prompt(batch), JudgedSentences)
        except NoAnswerError:
            return {}
        known = {short: key for key, short in records.items()}
        made: dict[str, Judged] = {}
        for told in answer.judgements:
            number = told.id.strip().removeprefix("S")
            if number.isascii() and number.isdigit() and 0 < int(number) <= len(batch):
                item = batch[int(number) - 1]
                named = {known.get(r.strip()) for r in told.records}
                borne = frozenset(key for key in item.quotes if key in named)
                made.setdefault(item.id, Judged(told.verdict, borne, told.reason.strip()))
        return made


def _numbered(batch: Sequence[Item]) -> dict[str, str]:
    """Evidence id -> id in the question."""
    keys = dict.fromkeys(key for item in batch for key in item.quotes)
    return {key: f"R{number}" for number, key in enumerate(keys, 1)}


def _prompt(batch: Sequence[Item]) -> Prompt:
    """Return the question for some sentences: first each record once, then they."""
    records = _numbered(batch)
    quotes = dict.fromkeys(
        (key, q) for item in batch for key, qs in item.quotes.items() for q in qs
    )
    cited = [(i, study_line(f)) for item in batch for f in item.findings for i in f.evidence_ids]
    studies = {key: told for key, told in reversed(cited) if told}
    lines: list[str] = []
    for wanted, record in records.items():
        own = [told_text(quote) for key, quote in quotes if key == wanted]
        if known := _beyond(studies.get(wanted, ""), own):
            lines.append(f'<study record="{record}">{known}</study>')
        lines += [f'<quote record="{record}">{quote}</quote>' for quote in own]
    if question := next((item.question for item in batch if item.question), ""):
        lines.append(f"{_wording()['question']}\n<question>{told_text(question)}</question>")
    for number, item in enumerate(batch, 1):
        cites = " ".join(map(records.__getitem__, item.quotes))
        lines.append(f'<sentence id="S{number}" cites="{cites}">{told_text(item.text)}</sentence>')
    ask = " ".join(_wording()["ask"].split())
    return Prompt(
        "verify", _wording()["rules"], "\n\n".join(("Task: verify", ask, "\n".join(lines)))
    )


def _beyond(study: str, quotes: Sequence[str]) -> str:
    """Return what is known of a study beside what a quote says word for word, such as its title."""
    for quote in quotes:
        study = study.removesuffix(f"; {' '.join(quote.split())}")
    return study


class SecondLook:
    """A verifier that is asked of results told by code along with the sentences of a text.

    They stand in its first question, behind the sentences, so that rules and records are shown
    once. A text is worth more than they are: where no sentence of it is judged beside them, its
    sentences are put once more without them.

    Args:
        verifier: Compares them.
        statements: The weightiest first.
        records: The run's records, by evidence id.
    """

    def __init__(
        self,
        verifier: Verifier,
        statements: Sequence[Statement],
        records: Mapping[str, Evidence],
    ) -> None:
        self.name = verifier.name
        self._verifier = verifier
        shown = [one for one in statements if {*one.evidence_ids} <= {*records}][:_MOST_STATEMENTS]
        self._told = {f"told {n}": one for n, one in enumerate(shown)}
        self._left = [_item(key, one, records) for key, one in self._told.items()]
        self._judged: dict[str, Judged] = {}

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        """Return the judgements of the sentences; those of the results are kept."""
        beside, self._left = self._left, []
        judged = await self._verifier.entail([*items, *beside])
        self._judged |= {key: said for key, said in judged.items() if key in self._told}
        if beside and all(one.id not in judged for one in items):
            self._left = [one for one in beside if one.id not in judged]
            return await self._verifier.entail(items)
        return {key: said for key, said in judged.items() if key not in self._told}

    async def contested(self) -> tuple[Contested, ...]:
        """Return the results that it does not find in the records that they rest on.

        Where no sentence had to be judged, it is asked of them alone.
        """
        if self._left:
            beside, self._left = self._left, []
            self._judged |= await self._verifier.entail(beside)
        return tuple(
            Contested(
                outcome=one.outcome,
                comparator=one.comparator,
                told=one.text,
                reason=said.reason,
                by=self.name,
            )
            for key, one in self._told.items()
            if (said := self._judged.get(key)) and said.verdict != "supported"
        )


def _item(key: str, told: Statement, records: Mapping[str, Evidence]) -> Item:
    cited = {i: records[i] for i in told.evidence_ids}
    texts = {i: (one.citation.title, one.content[:LONGEST_TEXT]) for i, one in cited.items()}
    return Item(key, told.text, texts)
