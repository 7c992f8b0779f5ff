"""Answers a follow-up from a finished report's own verdict, rows, studies and trials.

No model is asked and nothing is searched. The words of a follow-up say which of them it is on; one
that is on none of them is answered from the records (`records`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from deepcritical.appraisal.what_if import recomputed, without_each
from deepcritical.domain.brief import label_words
from deepcritical.domain.chat import ChatAnswer, ChatPoint, ChatSentence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.text import capitalised
from deepcritical.domain.verdict import Verdict
from deepcritical.questions.forms import wants_verdict
from deepcritical.questions.reading import literal_frame

_MOST = 5
"""Sentences of one kind that are told."""
_GRADE = (
    "GRADE rates how sure one can be of an effect: high, moderate, low or very low. Randomised "
    "trials start high, other studies low; each reason below lowers it."
)
_NUMBER = bounded(r"\[?\b(\d{1,3})\b\]?")
_OTHER = bounded(r"\b(?:with|to|against|versus|vs\.?)\s+([^?.!]+)", re.IGNORECASE)
_POINTS_BACK = bounded(r"\b(?:it|its|this|these|those|they|them)\b", re.IGNORECASE)


class Told(NamedTuple):
    """The answer before its records are numbered."""

    head: str
    points: Sequence[Sentence] = ()
    quotes: Sequence[Claim] = ()
    offer: str = ""
    """A question that a run of its own would answer."""


_Kind = Callable[[str, ResearchReport], Told | None]


def follow_up(message: str, report: ResearchReport) -> tuple[ChatAnswer, str] | None:
    """Return the answer, and a question to research where one is offered; None for the records.

    The report is not asked about another drug than its own.
    """
    told = _kind(message)
    if told is None or not _is_on(message, report, told):
        return None
    said = told(message, report)
    return (_answer(said, report), said.offer) if said else None


def is_follow_up(message: str, report: ResearchReport) -> bool:
    """Return whether a message is on a report that lies open, and no question of its own."""
    told = _kind(message)
    if told is None and not _POINTS_BACK.search(message):
        return False
    return _is_on(message, report, told) and not wants_verdict(literal_frame(message))


def _kind(message: str) -> _Kind | None:
    return next((told for pattern, told in _KINDS if pattern.search(message)), None)


def _is_on(message: str, report: ResearchReport, told: _Kind | None) -> bool:
    named = {drug.name for drug in literal_frame(message).drugs}
    own = {drug.name for drug in literal_frame(report.research_question).drugs}
    return told is _compared or not named or not own or bool(named & own)


def _answer(said: Told, report: ResearchReport) -> ChatAnswer:
    cited = [i for point in said.points for i in point.evidence_ids]
    wanted = dict.fromkeys((*cited, *(claim.evidence_id for claim in said.quotes)))
    known = {reference.evidence_id: reference for reference in report.references}
    places = {i: n for n, i in enumerate((i for i in wanted if i in known), 1)}
    return ChatAnswer(
        head=said.head,
        points=tuple(
            ChatPoint(text=p.text, numbers=tuple(places[i] for i in p.evidence_ids if i in places))
            for p in said.points
        ),
        sentences=tuple(
            ChatSentence(
                text=claim.quote,
                number=places[claim.evidence_id],
                wording="summary" if known[claim.evidence_id].text_kind == "summary" else "quote",
                quote=claim.quote,
                start=claim.start,
                end=claim.end,
            )
            for claim in said.quotes
            if claim.evidence_id in places
        ),
        references=tuple(known[i] for i in places),
        written_by="rules",
    )


def _in_words(verdict: Verdict, report: ResearchReport) -> str:
    return f"{label_words(verdict.label, report.brief)}, {verdict.certainty.value} certainty"


def _why(_message: str, report: ResearchReport) -> Told:
    verdict = report.verdict
    rows = [row for row in verdict.rows if set(row.evidence_ids) & set(verdict.deciding_ids)]
    weighed = [row for row in rows if row.importance == "critical"] or rows
    points = [Sentence(text=r.sentence, evidence_ids=r.evidence_ids) for r in weighed[:_MOST]]
    for reasons, told in (
        (verdict.downgrades, "The certainty is lowered by"),
        (verdict.caps, "The verdict is held down by"),
    ):
        points += [Sentence(text=f"{told} {'; '.join(reasons)}.")] if reasons else []
    return Told(f"{_in_words(verdict, report)}. {verdict.told_rule}", points)


def _without(message: str, report: ResearchReport) -> Told:
    """Of the study that is named the verdict without it, else each study that it hangs on."""
    verdict = report.verdict
    if not (named := _named(message, report)):
        hinges = without_each(report.studies)
        points = [_hinge(one.without, one.verdict, report) for one in hinges]
        return Told(
            "The verdict hangs on these studies." if points else "It hangs on no single study.",
            points,
        )
    other = recomputed(report.studies, named)
    now = _in_words(other, report)
    same = now == _in_words(verdict, report)
    head = f"The verdict stays: {now}." if same else f"The verdict would be: {now}."
    names = ", ".join(r.name for r in report.study_table if set(r.evidence_ids) & set(named))
    told = Sentence(text=f"Without {names or 'these records'}: {other.rule}", evidence_ids=named)
    return Told(head, [told])


def _hinge(ids: Sequence[str], verdict: Verdict, report: ResearchReport) -> Sentence:
    rows = (row.name for row in report.study_table if set(row.evidence_ids) & set(ids))
    name = next(rows, "this study")
    text = f"Without {name} it would be {_in_words(verdict, report).lower()}."
    return Sentence(text=text, evidence_ids=tuple(ids))


def _named(message: str, report: ResearchReport) -> tuple[str, ...]:
    """Return the records of the studies that a message names: by name, first author, [n] or id."""
    said = message.lower()
    rows = report.study_table
    found = [r for r in rows if r.name.lower() in said]
    found = found or [r for r in rows if re.search(rf"\b{_first(r.name)}\b", said)]
    ids = {i for row in found for i in row.evidence_ids}
    for number, reference in enumerate(report.references, 1):
        own = (one.partition(":")[2].lower() for one in reference.public_ids)
        is_told = any(int(n) == number for n in _NUMBER.findall(message)) and not found
        if is_told or any(one in said for one in own if len(one) > 4):
            ids.add(reference.evidence_id)
    return tuple(r.evidence_id for r in report.references if r.evidence_id in ids)


def _first(name: str) -> str:
    return re.escape(name.lower().partition(" ")[0])


def _under_way(_message: str, report: ResearchReport) -> Told:
    trials = report.brief.trials if report.brief else ()
    points = []
    for trial in trials[:_MOST]:
        people = f"{trial.participants:,} people" if trial.participants else ""
        until = f"completion {trial.completion}" if trial.completion else ""
        told = ", ".join(part for part in (trial.status, people, until) if part)
        text = f"{trial.registry_id}: {trial.title} ({told})."
        points.append(Sentence(text=text, evidence_ids=(trial.evidence_id,)))
    head = f"{len(trials)} under way or planned." if trials else "No trial under way was found."
    return Told(head, points)


def _harms(_message: str, report: ResearchReport) -> Told | None:
    if report.brief is None:
        return None
    drug = report.brief.drug.lower()
    quotes = [claim for quoted in report.safety.quoted for claim in quoted.claims]
    quotes.sort(key=lambda claim: drug not in claim.quote.lower())
    head = "What is weighed on harms, and what records say of them."
    return Told(head, (*report.brief.harms, *report.brief.label), quotes[:_MOST])


def _compared(message: str, report: ResearchReport) -> Told | None:
    """Offer a run: a report weighs one drug."""
    frame = literal_frame(report.research_question)
    other = _OTHER.search(message)
    if wants_verdict(literal_frame(message)):
        question = message
    elif other and frame.drugs and frame.condition:
        rest = other[1].strip()
        question = f"Is {frame.drugs[0].name} better than {rest} for {frame.condition.name}?"
    else:
        return None
    return Told("This report weighs one drug.", offer=question)


def _summary(_message: str, report: ResearchReport) -> Told | None:
    if report.brief is None:
        return None
    return Told(f"{_in_words(report.verdict, report)}.", report.brief.answer[:2])


def _grade(_message: str, report: ResearchReport) -> Told:
    rows = report.brief.findings if report.brief else report.verdict.rows
    points = [
        Sentence(
            text=f"{capitalised(row.outcome)}: {'; '.join((row.certainty.value, *row.reasons))}.",
            evidence_ids=row.evidence_ids,
        )
        for row in rows[:_MOST]
    ]
    return Told(f"{_in_words(report.verdict, report)}.", [Sentence(text=_GRADE), *points])


def _quoted(message: str, report: ResearchReport) -> Told | None:
    """The quotes of the records that are named, else of those that decide."""
    wanted = set(_named(message, report) or report.verdict.deciding_ids)
    quotes = [claim for claim in report.claims if claim.evidence_id in wanted]
    return (
        Told("The sentences that the report rests on.", quotes=quotes[:_MOST]) if quotes else None
    )


def _missing(_message: str, report: ResearchReport) -> Told:
    points = [Sentence(text=text) for text in (report.brief.missing if report.brief else ())]
    points += [Sentence(text=text) for text in report.limitations[: _MOST - len(points)]]
    points += [
        Sentence(
            text=f"If the records {one.change}, the verdict would be "
            f"{label_words(one.label, report.brief).lower()}, {one.certainty.value} certainty."
        )
        for one in report.verdict_changes
        if not one.without
    ]
    return Told("What the evidence lacks, and what would change the verdict.", points)


def _deciding(_message: str, report: ResearchReport) -> Told | None:
    if report.brief is None or not report.brief.studies:
        return None
    return Told("The verdict rests on these studies.", list(_lines(report)))


def _lines(report: ResearchReport) -> Iterator[Sentence]:
    for study in report.brief.studies if report.brief else ():
        people = f", {study.people:,} people" if study.people else ""
        text = f"{study.name} ({study.design}{people}): {study.result.text}"
        yield Sentence(text=text, evidence_ids=study.evidence_ids)


def _since(_message: str, _report: ResearchReport) -> Told:
    return Told("Ask the question again: the new report begins with what is new since this one.")


_VERDICT = r"verdict|conclusion|label|result|mixed|promising|supported|refuted|insufficient|unclear"
_KINDS: tuple[tuple[re.Pattern[str], _Kind], ...] = tuple(
    (bounded(pattern, re.IGNORECASE), told)
    for pattern, told in (
        (r"\b(?:quotes?|quotations?|verbatim|exact words)\b", _quoted),
        (r"\b(?:without|leav(?:e|ing) out|left out|exclud(?:e|ed|ing)|single study)\b", _without),
        (r"\bcompar(?:e[ds]?|ison|ing)\b", _compared),
        (r"\b(?:summar(?:y|ise|ize)|sum up|in short|bottom line|two sentences)\b", _summary),
        (r"\bGRADE\b|\bhow (?:sure|certain)\b|\bcertainty\b", _grade),
        (rf"\bwhy\b[^?]{{0,60}}\b(?:{_VERDICT})\b|\bexplain the verdict\b", _why),
        (r"\b(?:under ?way|ongoing|recruiting|trials? (?:is|are) running|planned)\b", _under_way),
        (r"\b(?:what|which|any|list|show)\b[^?]{0,40}\b(?:harms?|side effects|adverse)\b", _harms),
        (r"\bwhat(?:'s| is| has)? (?:new|changed)\b|\bsince\b", _since),
        (r"\b(?:missing|lacking|limitations?|gaps|would change)\b", _missing),
        (r"\b(?:which|what|list)\b[^?]{0,20}\b(?:studies|trials|evidence)\b", _deciding),
    )
)
"""The first that a message has the words of tells the answer."""
