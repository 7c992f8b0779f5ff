"""Renders events of runs and chats as text; every interface shows the same words."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from functools import singledispatch
from typing import TypeVar

from deepcritical.domain.report.parts import Reference
from deepcritical.domain.run import events
from deepcritical.domain.run.budget import Spent
from deepcritical.domain.text.markdown import one_line, visible
from deepcritical.domain.tool import chat
from deepcritical.domain.tool.chat import SimilarRun
from deepcritical.questions.claims import subject_of

Happened = TypeVar("Happened")

_MOST_QUERY = 160
"""Characters of a query in a line of progress."""
_READERS = {"registry": "by the registry", "curated": "curated", "rules": "by rules"}


@singledispatch
def describe(event: events.Event) -> str:
    """One line on what happened; the text of records and users in it is not escaped."""
    raise TypeError(f"no words for {type(event).__name__}")


def told(logged: events.LoggedEvent) -> str:
    """Return an event as a line for people."""
    return visible(describe(logged.event))


def _said(kind: type[Happened], words: Callable[[Happened], str]) -> None:
    describe.register(kind, words)


_said(events.RunStarted, lambda e: f"Question: {e.question} (reasoner: {e.reasoner})")
_said(events.SourcesOpened, lambda e: f"Sources: {'; '.join(e.sources)}")
_said(events.RecordsRanked, lambda e: f"Retrieval: {e.retrieval}; {e.records} records ranked")
_said(
    events.HypothesesProposed,
    lambda e: "Chains: " + "; ".join(e.chains) if e.chains else "No mechanism chain found",
)
_said(
    events.EvidenceAssessed,
    lambda e: (
        f"Mechanism {e.mechanism_score}/10, clinical {e.clinical_score}/10, "
        f"{len(e.gaps)} gaps: {e.recommendation}"
    ),
)
_said(
    events.ChecklistMade,
    lambda e: "Checklist: " + " · ".join(item.text for item in e.checklist.items),
)
_said(
    events.AnswerWritten,
    lambda e: (
        f"Answer written: {e.satisfied} of {e.items} checklist items satisfied, "
        f"{e.references} references"
    ),
)
_said(
    events.ClaimsChecked,
    lambda e: f"{e.checked} sentences checked against their records, {len(e.failed)} failed",
)
_said(events.ReportWritten, lambda e: f"Report written: {e.verdict}, {e.references} references")
_said(events.Notice, lambda e: f"Note: {e.message}")
_said(
    events.RunCompleted,
    lambda e: (
        f"Completed ({e.stop_reason.value.replace('_', ' ')}): "
        f"{e.verdict}, {e.references} references"
    ),
)
_said(events.RunFailed, lambda e: f"Failed: {e.message} {e.advice}".rstrip())
_said(events.RunCancelled, lambda _: "Cancelled")


def _cost(spent: Spent) -> str:
    price = "price unknown" if spent.cost_usd is None else f"${spent.cost_usd:.4f}"
    lost = f", unanswered requests: {spent.unanswered}" if spent.unanswered else ""
    other = f", {spent.by_fallback} of them by the fallback model" if spent.by_fallback else ""
    return f"{spent.calls} calls{other}, {spent.tokens:,} tokens, {price}{lost}"


@describe.register
def _(event: events.BudgetPlanned) -> str:
    limits = event.limits
    dollars = "" if limits.max_cost_usd is None else f", ${limits.max_cost_usd:g}"
    read = f" with {event.new_records} new records to read" if event.new_records else ""
    return (
        f"Model {event.model}: about {_cost(event.estimate)}{read}; "
        f"at most {limits.max_calls} calls, {limits.max_tokens:,} tokens{dollars}"
    )


_said(
    events.DeadlineMoved,
    lambda e: (
        f"Model {e.model} took {e.first_answer_s:.0f} s for its first answer: the run may take "
        f"{e.deadline_s:.0f} s"
    ),
)


@describe.register
def _(event: events.JudgementMade) -> str:
    why = f" ({event.reason})" if event.reason else ""
    dropped = f", {event.dropped} parts of its answer not used" if event.dropped else ""
    return (
        f"{event.judgement.capitalize()} by {event.made_by}{why}{dropped}; "
        f"so far {_cost(event.spent)}"
    )


@describe.register
def _(event: events.QuestionRefined) -> str:
    question = event.question
    terms = f", through {', '.join(question.mechanism_terms)}" if question.mechanism_terms else ""
    return f"Understood as: {subject_of(question)}{terms}"


@describe.register
def _(event: events.AgentCalled) -> str:
    by = ", chosen by the model" if event.chosen_by == "model" else ""
    return f"{event.agent} (round {event.iteration}{by}): {event.instruction}"


@describe.register
def _(event: events.SourceSearched) -> str:
    found = event.outcome
    if event.outcome in ("data", "degraded"):
        hits = f" of {event.total:,}" if event.total > event.identified else ""
        kept = ", kept from an earlier search" if event.cached else ""
        found = f"{event.identified}{hits} records, {event.new} new{kept}"
    # What a source was asked is shown as it was sent; the report's log has the whole of it.
    asked = textwrap.shorten(event.query_as_run or event.query, _MOST_QUERY, placeholder=" …")
    return f"{event.source} · {asked} · {found}"


@describe.register
def _(event: events.EvidenceProcessed) -> str:
    dropped = f", {event.facts_dropped} dropped" if event.facts_dropped else ""
    return (
        f"Read {event.read} records: {event.included} relevant, "
        f"{event.facts_located} findings{dropped}"
    )


@describe.register
def _(event: events.StudiesRead) -> str:
    by = Counter(record.reader for record in event.records)
    who = ", ".join(f"{number} {_READERS.get(name, f'by {name}')}" for name, number in by.items())
    without = sum(record.results == 0 for record in event.records)
    return f"{len(event.records)} records read: {who}; {without} give no result that could be read"


@describe.register
def _(event: events.IntegrityChecked) -> str:
    failed = f", {event.failed} of them without an answer" if event.failed else ""
    found = f"; found: {', '.join(event.found)}" if event.found else "; nothing found against them"
    return f"{event.checked} records looked up for retractions{failed}{found}"


@describe.register
def _(event: events.RoundChosen) -> str:
    first, more = event.gaps[:1], len(event.gaps) - 1
    gaps = f"{first[0].rstrip('.')}" if first else "further sides of the question"
    others = f", and {more} more {'gap' if more == 1 else 'gaps'}" if more > 0 else ""
    later = f", {event.postponed} left for later" if event.postponed else ""
    unwanted = "" if event.wanted else "; the judge found it enough, the rules search on"
    return (
        f"Round {event.iteration}, as chosen by {event.made_by}: {gaps}{others}; "
        f"{event.searches} searches{later}{unwanted}"
    )


@describe.register
def _(event: events.InquiryRefined) -> str:
    terms = ", ".join(event.inquiry.key_terms)
    return f"Understood as a question of {event.inquiry.kind.value} on {terms}"


@describe.register
def _(event: events.FactsMapped) -> str:
    dropped = f", {event.facts_dropped} dropped" if event.facts_dropped else ""
    return f"{event.read} records read; {event.facts_located} sentences located{dropped}"


@describe.register
def _(event: events.CompletenessChecked) -> str:
    told = ", ".join(f"{one.item} {one.coverage.value}" for one in event.items)
    return f"Round {event.iteration}: {told}"


@describe.register
def _(event: events.ReferencesValidated) -> str:
    removed = f"; removed: {', '.join(event.removed)}" if event.removed else ""
    return f"{event.kept} references validated, {len(event.removed)} removed{removed}"


def similar_line(one: SimilarRun) -> str:
    """A former run in one line."""
    return (
        f"Similar, {one.age} ago (run {one.run_id[:8]}): “{one.question}” - {one.headline}, "
        f"{one.references} references, by {one.written_by}. {one.news.told}"
    )


@singledispatch
def as_text(event: chat.ChatEvent) -> str:
    """An event in words; the text of records in it cannot steer the terminal."""
    raise TypeError(f"no words for {type(event).__name__}")


@as_text.register
def _(event: chat.ToolCalled) -> str:
    return f"Tool {event.tool}, chosen by {event.chosen_by}"


@as_text.register
def _(event: chat.ToolTold) -> str:
    return visible(f"{event.progress.progress:4.0%} {event.progress.message}")


@as_text.register
def _(event: chat.ChatAnswer) -> str:
    left_out = event.left_out
    shown = event.printed_numbers or tuple(range(1, len(event.references) + 1))
    parts = (
        one_line(event.head),
        "\n".join(_point(point, shown) for point in event.points),
        "\n".join(_sentence(sentence, shown) for sentence in event.sentences),
        "\n".join(_references(event.references, shown)),
        f"Left out: {left_out} of the model's sentences, which stand in no record on the question."
        if left_out
        else "",
        "\n".join(f"Note: {one_line(notice)}" for notice in event.notices),
        f"Answered by {event.written_by}. For research use, not medical advice."
        if event.references
        else "",
    )
    return "\n\n".join(part for part in parts if part)


def _point(point: chat.ChatPoint, shown: tuple[int, ...]) -> str:
    return one_line(
        f"- {point.text} {''.join(f'[{shown[n - 1]}]' for n in point.numbers)}".rstrip()
    )


@as_text.register
def _(event: chat.ResearchOffered) -> str:
    lines = (
        f"I'd need to read the studies for that. Takes {event.takes}. {event.why}".strip(),
        *(similar_line(one) for one in event.similar),
        "Answer yes to start it.",
    )
    return "\n".join(map(one_line, lines))


@as_text.register
def _(event: chat.ResearchEnded) -> str:
    return f"{event.text}\n\nQuestions from here on go to the evidence of run {event.run_id}."


@as_text.register
def _(event: chat.TurnFailed) -> str:
    return one_line(f"Error: {event.message} {event.advice}".strip())


def _sentence(sentence: chat.ChatSentence, shown: tuple[int, ...]) -> str:
    """In quotation marks only where the words are the source's own."""
    quoted = sentence.wording == "quote"
    said = f"“{sentence.text}”" if quoted else f"Summary: {sentence.text}"
    remark = f" ({sentence.remark})" if sentence.remark else ""
    return one_line(f"- {said} [{shown[sentence.number - 1]}]{remark}")


def _references(references: tuple[Reference, ...], shown: tuple[int, ...]) -> Iterator[str]:
    for number, reference in zip(shown, references, strict=True):
        flag = "RETRACTED" if reference.retracted else ""
        place = (reference.place, flag, *reference.public_ids, reference.link)
        told = " · ".join(part for part in (reference.title, *place) if part)
        yield one_line(f"[{number}] {told}")
