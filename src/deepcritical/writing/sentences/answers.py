"""Prints the sentences of an answer or a brief as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.brief import Brief, label_words
from deepcritical.domain.report.data import SUMMARY_LIMIT
from deepcritical.domain.report.grids import brief_grid
from deepcritical.domain.report.parts import Reference, ReportSection
from deepcritical.domain.report.report import grid_markdown
from deepcritical.domain.report.sentences import Sentence, as_markdown
from deepcritical.domain.text.spans import capitalised, shorten_at_sentence
from deepcritical.writing.sentences.passages import LEADS


def brief_texts(
    brief: Brief, references: Sequence[Reference], *, former: bool = False
) -> dict[str, Any]:
    """The fields of a report that repeat its brief as Markdown.

    Those of `former` reports left out what a model wrote.
    """
    written = () if former else brief.synthesis
    told = as_markdown((*brief.answer, *brief.harms, *written), references)
    return {"executive_summary": shorten_at_sentence(told, SUMMARY_LIMIT), "conclusion": told}


Form = Literal["present", "code_first", "without_table"]
"""How an answer with a model's text is put together: former ones had what code says of it first,
and before that no table."""


def answer_texts(answer: DeepAnswer, form: Form = "present") -> dict[str, Any]:
    """The fields of an answer that print its brief, its lead and its parts as Markdown."""
    references = answer.references
    sections = (
        ReportSection(title=capitalised(part.title), content=_listed(part.sentences, references))
        for part in answer.parts
    )
    overview = _overview(answer.brief, answer.lead, references, form)
    if form == "present" and answer.brief and answer.brief.is_led and (weighed := answer.verdict):
        label = label_words(weighed.label, answer.brief)
        overview = f"**{label}** · certainty: {weighed.certainty.value}\n\n{overview}"
    return {"overview": overview, "sections": tuple(sections)}


def _overview(
    brief: Brief | None,
    lead: Sequence[Sentence],
    references: Sequence[Reference],
    form: Form,
) -> str:
    """Return the beginning of an answer: its brief, if it has one, then its lead.

    Where the brief weighs nothing, and records answer, they go first; it says why it does not.
    A model's text answers all that was asked, and has the results that it may not tell in a table
    behind it; of what code says of one claim it leaves what it does not tell itself.
    """
    quotes = [sentence for sentence in lead if sentence.origin == "quote"]
    said = [sentence for sentence in lead if sentence.origin != "quote"]
    told = (*_told(brief, form), said) if brief else (said,)
    parts = [as_markdown(part, references) for part in told if part]
    if brief and form != "without_table" and any(s.origin == "model" for s in brief.synthesis):
        parts += filter(None, [grid_markdown(brief_grid(brief, references))])
    parts += [_listed(quotes, references)] if quotes else []
    if brief and any(sentence.text == LEADS["unweighed"] for sentence in said):
        cited = (sentence for sentence in brief.harms if sentence.evidence_ids)
        parts = [*parts[-2:], as_markdown((*brief.answer, *cited), references)]
    return "\n\n".join(parts)


def _told(brief: Brief, form: Form) -> Sequence[Sequence[Sentence]]:
    if form != "present" or not brief.is_led:
        return (*brief.answer, *brief.harms), brief.synthesis
    opened, text, *left = brief.paragraphs
    return (*opened, *text), [*(s for part in left for s in part), *brief.harms]


def _listed(sentences: Sequence[Sentence], references: Sequence[Reference]) -> str:
    return "\n".join(f"- {as_markdown((sentence,), references)}" for sentence in sentences)
