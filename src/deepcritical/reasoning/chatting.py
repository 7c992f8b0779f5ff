"""The seam of a chat's judgements, and the rules that make them without a model.

Which tool answers a message, and what its records say to it. That research is only ever offered is
decided elsewhere, by code.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Literal, NamedTuple

from deepcritical.answering.cues import AIM, CUES
from deepcritical.answering.needs import inquiry_of
from deepcritical.answering.queries import need_queries
from deepcritical.answering.records import FollowUp, Passage, Quote, answer
from deepcritical.domain.appraisal.checklist import Aspect
from deepcritical.domain.errors import QuestionDeclinedError, QuestionError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span, body_sentences
from deepcritical.domain.tool.chat import ChatAnswer, ChatSentence, FoundRecords
from deepcritical.domain.tool.registry import ToolConfig
from deepcritical.models.desk import RunDesk
from deepcritical.questions.forms import require_answerable, require_one_meaning, wants_verdict
from deepcritical.questions.reading import literal_frame, read_frame
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.verification.ids import ids_in

_TRIALS = r"(?:clinical |randomi[sz]ed |controlled )*trials?|RCTs?|registrations?"
_PAPERS = (
    r"papers?|stud(?:y|ies)|publications?|articles?|(?:systematic )?reviews?|records?|"
    r"meta-?analys[ei]s|literature|preprints?"
)
_THINGS = rf"(?:{_TRIALS}|{_PAPERS})"
_NEW = r"latest|newest|(?:most )?recent(?:ly)?|new|ongoing|recruiting|current(?:ly)?|upcoming"
_STATUS = r"(?:(?:completed|terminated|withdrawn|suspended|stopped|open|active|planned)\s+)?"
_OPENERS = (
    rf"^(?:please\s+)?(?:the\s+)?(?:{_NEW})\s+(?:[\w-]+\s+){{0,2}}?{_THINGS}\b",
    r"^(?:please\s+)?(?:can you\s+)?(?:find|search(?:\s+(?:for|pubmed for))?|look\s+up|list|"
    r"show(?:\s+me)?|get|fetch|give\s+me)\b"
    rf"(?:\s+(?:all|any|some|the|me|{_NEW}))*\s+{_STATUS}(?:[\w-]+\s+){{0,2}}?{_THINGS}\b",
    rf"^(?:(?:what|which)(?:\s+(?:are|were)(?:\s+the)?)?|are\s+there(?:\s+any)?|any)\s+"
    rf"(?:(?:{_NEW})\s+)?{_STATUS}{_THINGS}\b",
    rf"^{_STATUS}{_THINGS}\s+(?:of|on|about|with|for|in)\b",
)
_LOOK_UP = tuple(bounded(pattern, re.IGNORECASE) for pattern in _OPENERS)
_IS_NEW = bounded(rf"\b(?:{_NEW})\b", re.IGNORECASE)
_IS_TRIALS = bounded(rf"\b(?:{_TRIALS})\b", re.IGNORECASE)
_BARE_PMID = bounded(r"\d{5,9}")
_LINK = bounded(
    r"^\W*(?:that\s+|which\s+)?(?:(?:of|on|about|with|for|in|test(?:s|ed|ing)?|"
    r"stud(?:y|ied|ying)|exist|there|are|were|is|the|have|has)\s+)+",
    re.IGNORECASE,
)
_REGISTRIES = ("clinicaltrials", "registry")
_STOPPED = ("TERMINATED", "WITHDRAWN", "SUSPENDED")
_STATUSES = {
    "recruiting": ("RECRUITING", "ENROLLING_BY_INVITATION"),
    "open": ("RECRUITING", "ENROLLING_BY_INVITATION"),
    "ongoing": ("RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING"),
    "active": ("RECRUITING", "ENROLLING_BY_INVITATION", "ACTIVE_NOT_RECRUITING"),
    "upcoming": ("NOT_YET_RECRUITING",),
    "planned": ("NOT_YET_RECRUITING",),
    "completed": ("COMPLETED",),
    "stopped": _STOPPED,
    "terminated": ("TERMINATED",),
    "withdrawn": ("WITHDRAWN",),
    "suspended": ("SUSPENDED",),
}
"""The registry's statuses for what a user asks for."""


class LookUp(NamedTuple):
    """The request for a list: what is to be listed."""

    ids: tuple[str, ...]
    """Canonical ids of the very records that are wanted; empty for a list."""
    about: str
    """The subject of the records of a list, in the user's words."""
    kind: Literal["trials", "records"]
    newest: bool
    """True where the newest come first."""
    statuses: tuple[str, ...] = ()
    """Registry statuses of which one is wanted; empty for any."""


def read_look_up(message: str) -> LookUp | None:
    """The look-up that a message is; None for a question, which has an answer and no list."""
    text = message.strip()
    ids = (f"pmid:{text}",) if _BARE_PMID.fullmatch(text) else ids_in(text)
    opened = next((m for pattern in _LOOK_UP if (m := pattern.match(text))), None)
    if not ids and opened is None:
        return None
    about = _LINK.sub("", text[opened.end() :]) if opened else text
    said = opened[0] if opened else ""
    kind: Literal["trials", "records"] = "trials" if _IS_TRIALS.search(said) else "records"
    statuses = tuple(s for word, named in _STATUSES.items() if word in said.lower() for s in named)
    wanted = statuses if kind == "trials" else ()
    return LookUp(ids, about.strip(" ?.!"), kind, bool(_IS_NEW.search(said)), wanted)


def search_queries(message: str) -> tuple[SearchQuery, ...]:
    """The one query of a quick search, or one for each id that is looked up."""
    look_up = read_look_up(message)
    if look_up and look_up.ids:
        return tuple(SearchQuery(text=i.partition(":")[2]) for i in look_up.ids)
    about = (look_up.about if look_up else "") or message
    try:
        return need_queries(inquiry_of(about), EvidenceStore())[:1]
    except QuestionError:
        return (SearchQuery(text=about),)


def listed(look_up: LookUp, records: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """The records that a look-up wants: those of its ids, or of its kind, in its order."""
    if look_up.ids:
        wanted = set(look_up.ids)
        return {i: r for i, r in records.items() if wanted & canonical_ids(r)}
    found = {i: r for i, r in records.items() if look_up.kind == "records" or _is_trial(r)}
    if look_up.statuses:
        found = {i: r for i, r in found.items() if _status(r) in look_up.statuses}
    if look_up.newest:
        dates = {i: r.citation.date or r.metadata.completion_date or "" for i, r in found.items()}
        return {i: found[i] for i in sorted(found, key=dates.__getitem__, reverse=True)}
    return found


def _status(record: Evidence) -> str:
    return re.sub(r"[\W_]+", "_", record.metadata.status or "").upper()


def _is_trial(record: Evidence) -> bool:
    types = record.metadata.publication_types
    return record.citation.source in _REGISTRIES or any("trial" in t.lower() for t in types)


BY_RULES = "rules"
SEARCH, RAG = "search", "rag"
DEEP_RESEARCH, RESEARCH_REPORT = "deep_research", "research_report"
_MOST_SHOWN = 5
"""Records that an answer quotes."""
_MOST_LISTED = 10
_CLOSING, _MOST_RESULTS = 3, 2
_RESULTS, _HARMS = ("result", "finding"), ("harm", "safety", "adverse")
"""Names of the sections that say what came out."""


class Exchange(NamedTuple):
    """One turn that is over."""

    message: str
    outcome: str
    """The result of the call, said by code: no text of a record."""


class ChatTurn(NamedTuple):
    """A turn of a chat, as a reasoner gets it."""

    message: str
    run_id: str = ""
    """The finished run that the chat is about; '' for none."""
    history: tuple[Exchange, ...] = ()
    """The turns before, the oldest first."""
    tried: tuple[str, ...] = ()
    """Tools of this turn that found nothing to the message."""


class ToolChoice(NamedTuple):
    """The tool to call, and the words to call it with."""

    tool: str
    query: str
    why: str = ""
    """Reason why research is needed, for the reader of an offer."""


class ChatReasoner:
    """The judgements of a chat, by rules: it answers in the words of records alone."""

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        return BY_RULES

    @asynccontextmanager
    async def for_turn(self, desk: RunDesk) -> AsyncIterator[ChatReasoner]:  # noqa: ARG002 - of models
        """The reasoner of one turn, with a budget and a key of its own, if it needs any."""
        yield self

    async def choose(self, turn: ChatTurn, tools: Sequence[ToolConfig]) -> ToolChoice | None:
        """The next tool; None when what was tried is the answer.

        A look-up is searched, a question over a run put to it; else research is offered.
        """
        available = {tool.name for tool in tools} - set(turn.tried)
        return await asyncio.to_thread(_choice, turn, available)

    async def tell(self, turn: ChatTurn, query: str, found: FoundRecords) -> ChatAnswer:
        """Return what records say to the message, every sentence with its record."""
        return await asyncio.to_thread(_told, turn.message, query, found)


def _choice(turn: ChatTurn, available: set[str]) -> ToolChoice | None:
    message = turn.message
    look_up = read_look_up(message)
    of_run = bool(turn.run_id) and RAG in available
    if look_up and SEARCH in available and not (look_up.ids and of_run):
        return ToolChoice(SEARCH, message)
    if of_run:
        return ToolChoice(RAG, message)
    if turn.tried:
        return None
    tool = RESEARCH_REPORT if wants_verdict(literal_frame(message)) else DEEP_RESEARCH
    return ToolChoice(tool, message) if tool in available else None


def asked_back(turn: ChatTurn) -> str:
    """Return the reply in place of an offer to a message that no research answers; else ''.

    Small talk, what is not of biomedicine, and a name that can mean several things.
    """
    before = turn.history[-1].message if turn.history else ""
    frame = read_frame(turn.message, context=before)
    frame = read_frame(turn.message, frame.missing, context=before)
    try:
        require_answerable(frame)
        require_one_meaning(frame)
    except QuestionDeclinedError as error:
        return str(error)
    return ""


def _told(message: str, query: str, found: FoundRecords) -> ChatAnswer:
    look_up = read_look_up(message) or read_look_up(query)
    if look_up and (found.searched or look_up.ids):
        return _list(look_up, found)
    return _passages(answer(query, found.records, most=_MOST_SHOWN), found)


def _passages(said: FollowUp, found: FoundRecords) -> ChatAnswer:
    if not said.passages:
        return ChatAnswer(
            head=f"I couldn't find that in {found.origin}. {said.missing}",
            in_evidence=False,
            written_by=BY_RULES,
            notices=found.notices,
        )
    return ChatAnswer(
        head=f"{said.told} Source: {found.origin}.",
        sentences=as_sentences(said.passages),
        references=tuple(passage.reference for passage in said.passages),
        written_by=BY_RULES,
        notices=found.notices,
    )


def as_sentences(passages: Sequence[Passage]) -> tuple[ChatSentence, ...]:
    """Return the quotes of passages, numbered by passage, with the strength of their records."""
    return tuple(
        sentence
        for number, passage in enumerate(passages, 1)
        for sentence in _quoted(number, passage)
    )


def _quoted(number: int, passage: Passage) -> list[ChatSentence]:
    parts = (passage.strength, passage.stance and passage.stance.value, passage.caution.upper())
    remark = ", ".join(part for part in parts if part)
    return [_sentence(number, quote, passage.quotable, remark) for quote in passage.quotes]


def _sentence(number: int, span: Quote | Span, quotable: bool, remark: str = "") -> ChatSentence:
    return ChatSentence(
        text=span.text,
        number=number,
        wording="quote" if quotable else "summary",
        quote=span.text,
        start=span.start,
        end=span.end,
        remark=remark,
    )


def _list(look_up: LookUp, found: FoundRecords) -> ChatAnswer:
    records = listed(look_up, found.records)
    shown = dict(list(records.items())[:_MOST_LISTED])
    return ChatAnswer(
        head=_list_head(look_up, found, len(records), len(shown)),
        sentences=tuple(_outcomes(shown)) if look_up.ids else (),
        references=tuple(build_reference_from_evidence(r, i) for i, r in shown.items()),
        in_evidence=bool(shown),
        written_by=BY_RULES,
        notices=found.notices,
    )


def _list_head(look_up: LookUp, found: FoundRecords, n_found: int, n_shown: int) -> str:
    wanted = ", ".join(look_up.ids) or f"{look_up.kind} on {look_up.about}"
    if not n_found:
        return f"Nothing found for {wanted} ({found.origin})."
    order = ", the newest first" if look_up.newest else ""
    return f"{n_found} found for {wanted}, {n_shown} shown{order}. Source: {found.origin}."


def _outcomes(records: Mapping[str, Evidence]) -> list[ChatSentence]:
    """Return the outcomes that each record states, in its sentences as they stand."""
    return [
        _sentence(number, span, record.quotable)
        for number, record in enumerate(records.values(), 1)
        for span in _telling(body_sentences(record.content, record.citation.title))
    ]


def _telling(body: Sequence[Span]) -> list[Span]:
    """The first results and harms and the last sentence, as they stand; the last ones of others.

    The first results are those of what the study was made for.
    """
    labelled = [s for s in body if s.label.startswith(_RESULTS)]
    found = CUES[Aspect.EFFECT]
    results = labelled or [s for s in body if found.search(s.text) and not AIM.search(s.text)]
    harms = [s for s in body if s.label.startswith(_HARMS)]
    wanted = {*results[:_MOST_RESULTS], *harms[:1], *body[-1:]} if results else body[-_CLOSING:]
    return [span for span in body if span in wanted]
