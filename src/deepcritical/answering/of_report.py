"""Answers a follow-up from a finished report's own verdict, rows, studies and trials.

No model is asked and nothing is searched. A message is answered only if the whole of it has one of
the forms below; every other one is for the records (`records`) or for a run of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from deepcritical.appraisal.body.what_if import WhatIf, recomputed, without_each
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.report.brief import label_words, trial_words
from deepcritical.domain.report.parts import Claim
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import capitalised
from deepcritical.domain.tool.chat import ChatAnswer, ChatPoint, ChatSentence
from deepcritical.questions.naming import find_names
from deepcritical.questions.reading import literal_frame
from deepcritical.verification.ids import id_named

_MOST = 5
"""Sentences of one kind that are printed."""
_GRADE = (
    "GRADE rates how sure one can be of an effect: high, moderate, low or very low. Randomised "
    "trials start high, other studies low; each reason below lowers it."
)
_UNKNOWN = "The report has no such study."
_POLITE = bounded(
    r"(?:(?:please|ok(?:ay)?|so|and|but|thanks|hello|hi|(?:can|could|would|will) you)[,:!]? ){0,3}"
    r"(?P<asked>.*?)(?:,? (?:please|thanks|thank you|here))?[ ?!.…]*",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?:(?:study|trial|reference|record|paper) )?\[?([1-9]\d{0,2})\]?", re.IGNORECASE
)
_AUTHOR_YEAR = bounded(r"(?:[A-Z][\w'-]+ ){1,3}(?:19|20)\d\d")


class Told(NamedTuple):
    """The answer before its records are numbered."""

    head: str
    points: Sequence[Sentence] = ()
    quotes: Sequence[Claim] = ()
    offer: str = ""
    """A question that a run of its own would answer."""


_Kind = Callable[[str, ResearchReport], Told | None]
"""The answer to what a form leaves open: studies, a label or another drug, '' for nothing."""


def follow_up(message: str, report: ResearchReport) -> tuple[ChatAnswer, str] | None:
    """Return the answer, and a question to research where one is offered; None for the records.

    On a report on candidates one that is named is answered with its own verdict and rows.
    """
    asked = _POLITE.fullmatch(" ".join(message.replace("’", "'").split()))
    if asked is None:
        return None
    text, report = _on_own(asked["asked"], report)
    for pattern, answer in _KINDS:
        if found := pattern.fullmatch(text):
            said = answer(next(filter(None, found.groups()), ""), report)
            return (_answer(said, report), said.offer) if said else None
    return None


def _on_own(text: str, report: ResearchReport) -> tuple[str, ResearchReport]:
    """Return a message with "the drug" and "the condition" for the report's own, and the report.

    Of a named candidate only its verdict is left. A drug of several stays as it is.
    """
    frame = literal_frame(report.research_question)
    text = _put(text, "the condition", frame.condition.names if frame.condition else ())
    if frame.drugs:
        return _put(text, "the drug", frame.drugs[0].names if len(frame.drugs) == 1 else ()), report
    for one in report.drug_candidates:
        if (on_it := _put(text, "the drug", (one.name,))) != text:
            rest = {"brief": None, "studies": (), "limitations": (), "verdict_changes": ()}
            own = {"verdict": one.verdict, "proposition": f"{one.name} helps"}
            return on_it, report.model_copy(update=rest | own)
    return text, report


def _put(text: str, word: str, names: Sequence[str]) -> str:
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{longest_first})(?!\w)", word, text, flags=re.I) if names else text


def _answer(said: Told, report: ResearchReport) -> ChatAnswer:
    """The answer with the records that it cites, each under its number in the report."""
    cited = {i for point in said.points for i in point.evidence_ids}
    cited |= {claim.evidence_id for claim in said.quotes}
    known = {n: r for n, r in enumerate(report.references, 1) if r.evidence_id in cited}
    places = {reference.evidence_id: n for n, reference in enumerate(known.values(), 1)}
    texts = {reference.evidence_id: reference.text_kind for reference in known.values()}
    return ChatAnswer(
        head=said.head,
        points=tuple(
            ChatPoint(text=p.text, numbers=tuple(places[i] for i in p.evidence_ids if i in places))
            for p in said.points
        ),
        sentences=tuple(
            ChatSentence(
                **claim.model_dump(include={"quote", "start", "end"}),
                text=claim.quote,
                number=places[claim.evidence_id],
                wording="summary" if texts[claim.evidence_id] == "summary" else "quote",
            )
            for claim in said.quotes
            if claim.evidence_id in places
        ),
        references=tuple(known.values()),
        printed_numbers=tuple(known),
        written_by="rules",
    )


def _in_words(verdict: Verdict, report: ResearchReport) -> str:
    return f"{label_words(verdict.label, report.brief)}, {verdict.certainty.value} certainty"


def _head(report: ResearchReport) -> str:
    """The verdict, and what it is on where that is not plain."""
    return f"{_in_words(report.verdict, report)} {report.verdict_on}".strip() + "."


def _why(label: str, report: ResearchReport) -> Told | None:
    verdict = report.verdict
    if label and not verdict.label.value.startswith(label.lower()):
        return None
    rows = [row for row in verdict.rows if set(row.evidence_ids) & set(verdict.deciding_ids)]
    weighed = [row for row in rows if row.importance == "critical"] or rows
    points = [Sentence(text=r.sentence, evidence_ids=r.evidence_ids) for r in weighed[:_MOST]]
    for reasons, told in (
        (verdict.downgrades, "The certainty is lowered by"),
        (verdict.caps, "The verdict is held down by"),
    ):
        points += [Sentence(text=f"{told} {'; '.join(reasons)}.")] if reasons else []
    return Told(f"{_head(report)} {verdict.told_rule}", points)


def _without(studies: str, report: ResearchReport) -> Told | None:
    """The verdict without the studies that are named, else each study that it hangs on."""
    ids = _named(studies, report)
    if ids is None or not report.studies:
        return None
    if studies and not ids:
        return Told(_UNKNOWN)
    without = [WhatIf(change="lacked", without=ids, verdict=recomputed(report.studies, ids))]
    points = []
    for one in without if studies else without_each(report.studies):
        rows = [row.name for row in report.study_table if set(row.evidence_ids) & set(one.without)]
        names = rows or [r.short_name for r in report.references if r.evidence_id in one.without]
        told = f"Without {', '.join(names)}: {_in_words(one.verdict, report)}. {one.verdict.rule}"
        points.append(Sentence(text=told, evidence_ids=one.without))
    if not studies:
        none = "It hangs on no single study."
        return Told("The verdict hangs on these studies." if points else none, points)
    now = _in_words(without[0].verdict, report)
    stays = now == _in_words(report.verdict, report)
    return Told(f"The verdict {'stays' if stays else 'would be'}: {now}.", points)


def _named(text: str, report: ResearchReport) -> tuple[str, ...] | None:
    """Return the records of studies by number or name in the report, or by id.

    () if one of them is not in the report; None if the text names anything else.
    """
    references = report.references
    named = [(row.name.lower(), row.evidence_ids) for row in report.study_table]
    named += [(reference.short_name.lower(), (reference.evidence_id,)) for reference in references]
    found = []
    for part in filter(None, re.split(r",? and |, | or ", text)):
        name = " ".join(re.sub(r"\bet al\b\.?|[(),]", " ", part).split())
        if number := _NUMBER.fullmatch(part):
            ids = [reference.evidence_id for reference in references[int(number[1]) - 1 :][:1]]
        elif own := id_named(part):
            ids = [reference.evidence_id for reference in references if own in reference.ids]
        else:
            ids = [i for one, records in named if one == name.lower() for i in records]
            if not ids and not _AUTHOR_YEAR.fullmatch(name):
                return None
        found.append(ids)
    return tuple(dict.fromkeys(i for ids in found for i in ids)) if all(found) else ()


def _under_way(_nothing: str, report: ResearchReport) -> Told | None:
    if report.brief is None:
        return None
    trials = report.brief.trials
    points = [
        Sentence(
            text=f"{trial.registry_id}: {trial.title} ({trial_words(trial)}).",
            evidence_ids=(trial.evidence_id,),
        )
        for trial in trials[:_MOST]
    ]
    none = "No record of this report is of a trial that is under way or planned."
    return Told(f"{len(trials)} under way or planned." if trials else none, points)


def _harms(_nothing: str, report: ResearchReport) -> Told | None:
    if report.brief is None:
        return None
    drug = report.brief.drug
    quotes = [claim for quoted in report.safety.quoted for claim in quoted.claims]
    quotes.sort(key=lambda claim: drug.lower() not in claim.quote.lower())
    if len(report.drug_candidates) > 1:
        quotes = [claim for claim in quotes if drug.lower() in claim.quote.lower()]
    points = (*report.brief.harms, *report.brief.label)
    head = f"What is weighed on harms of {drug or 'the drug'}, and what records say of them."
    return Told(head, points, quotes[:_MOST]) if points or quotes else None


def _compared(other: str, report: ResearchReport) -> Told | None:
    """Offer a run: a report weighs one drug."""
    frame, names = literal_frame(report.research_question), find_names(other)
    is_drug = [named.text for named in names.drugs] == [names.text]
    if not (is_drug and len(frame.drugs) == 1 and frame.condition):
        return None
    question = f"Is {frame.drugs[0].name} better than {names.text} for {frame.condition.name}?"
    return Told("This report weighs one drug.", offer=question)


def _summary(_nothing: str, report: ResearchReport) -> Told | None:
    return Told(_head(report), report.brief.answer[:2]) if report.brief else None


def _grade(_nothing: str, report: ResearchReport) -> Told:
    rows = report.verdict.rows
    rows = report.brief.results(rows) if report.brief else rows
    points = [
        Sentence(
            text=f"{capitalised(row.outcome)}: {'; '.join((row.certainty.value, *row.reasons))}.",
            evidence_ids=row.evidence_ids,
        )
        for row in rows[:_MOST]
    ]
    return Told(_head(report), [Sentence(text=_GRADE), *points])


def _quoted(studies: str, report: ResearchReport) -> Told | None:
    """The quotes of the records that are named, else of those that decide."""
    ids = _named(studies, report) if studies else report.verdict.deciding_ids
    quotes = [claim for claim in report.claims if claim.evidence_id in (ids or ())][:_MOST]
    if studies and ids == ():
        return Told(_UNKNOWN)
    head = "The sentences of these records that the report rests on."
    return Told(head, quotes=quotes) if quotes else None


def _missing(_nothing: str, report: ResearchReport) -> Told | None:
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
    head = "What the evidence lacks, and what would change the verdict."
    return Told(head, points) if points else None


def _deciding(_nothing: str, report: ResearchReport) -> Told | None:
    deciding, points = report.verdict.deciding_ids, []
    for row in report.study_table:
        if ids := tuple(i for i in row.evidence_ids if i in deciding):
            size = f", {row.people:,} people" if row.people else ""
            told = (f"{row.name} ({row.design}{size})", row.outcome, row.result)
            points.append(Sentence(text=f"{': '.join(filter(None, told))}.", evidence_ids=ids))
    return Told("The verdict rests on these studies.", points) if points else None


def _since(_nothing: str, _report: ResearchReport) -> Told:
    return Told("Ask the question again: the new report begins with what is new since this one.")


_VERDICT = r"(?:verdict|conclusion|answer)"
_IT = rf"(?:it|this|that|the drug|(?:the|this|that|its) {_VERDICT})"
_LABEL = rf"(insufficient|{'|'.join(VerdictLabel)})"
_ASKED = r"(?:(?:what|which)(?: are| is)?|list|show(?: me)?|explain)"
_HARMS = r"(?:harms|side effects|adverse (?:effects|events))"
_TRIALS = r"(?:studies|trials|evidence|records)"
_RUN = r"(?:under ?way|ongoing|recruiting|planned)"
_ON = r"(?:hang|rest|depend)s? on"
_FORMS: dict[_Kind, str] = {
    _why: rf"why(?: is| was)?(?: {_IT})?(?: {_LABEL})?|explain the {_VERDICT}",
    _quoted: rf"{_ASKED} (?:the )?quotes?(?: of (.+?))?",
    _without: rf"does {_IT} {_ON} (?:a|one|any) single study|(?:leave|leaving) out (.+?)|"
    r"(?:what (?:if |about |would it be )?)?without (.+?)|what if (.+?) (?:is|was|were) left out",
    _compared: r"(?:how does (?:it|the drug) )?compared?(?: it| the drug)? (?:with|to) (.+?)",
    _summary: r"(?:summari[sz]e|sum up|in short)(?: it| th(?:is|e) report)?(?: in two sentences)?",
    _grade: rf"{_ASKED} (?:GRADE|the certainty)|how (?:sure|certain) (?:is {_IT}|are you)",
    _under_way: rf"{_ASKED} (?:the )?(?:trials (?:are )?{_RUN}|{_RUN} trials(?: are there)?)",
    _harms: rf"{_ASKED} (?:the |its )?{_HARMS}(?: does (?:it|the drug) have)?",
    _since: r"what(?: is|'s| has) (?:new|changed)(?: since (?:then|this report))?",
    _missing: rf"what(?: is|'s) missing|{_ASKED} the limitations|what would change {_IT}",
    _deciding: rf"{_ASKED} (?:the )?(?:{_TRIALS} decided? {_IT}|deciding {_TRIALS})|"
    rf"(?:which {_TRIALS}|what) does {_IT} {_ON}",
}
"""Whole follow-ups, by what answers them; what a form leaves open stands in its group."""
_OF_IT = rf"(?:,? (?:of|for|in|on) (?:the condition|{_IT}|this report)){{0,2}}"
_KINDS = [(bounded(f"(?:{f}){_OF_IT}", re.IGNORECASE), kind) for kind, f in _FORMS.items()]
