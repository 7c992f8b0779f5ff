"""Prints the sentences of an answer or a brief as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.answer import AnswerPart
from deepcritical.domain.brief import Brief
from deepcritical.domain.report import SUMMARY_LIMIT
from deepcritical.domain.report_parts import Reference, ReportSection
from deepcritical.domain.sentences import Sentence, as_markdown
from deepcritical.domain.text import capitalised, shorten_at_sentence

__all__ = ["brief_texts", "overview_of", "section_of"]


def brief_texts(brief: Brief, references: Sequence[Reference]) -> dict[str, str]:
    """The fields of a report that repeat its brief as Markdown."""
    told = as_markdown((*brief.answer, *brief.harms), references)
    return {"executive_summary": shorten_at_sentence(told, SUMMARY_LIMIT), "conclusion": told}


def overview_of(
    brief: Brief | None, lead: Sequence[Sentence], references: Sequence[Reference]
) -> str:
    """Return what an answer begins with: its brief, if it has one, then its lead."""
    quotes = [sentence for sentence in lead if sentence.origin == "quote"]
    said = [sentence for sentence in lead if sentence.origin != "quote"]
    told = ((*brief.answer, *brief.harms), brief.synthesis, said) if brief else (said,)
    parts = [as_markdown(part, references) for part in told if part]
    return "\n\n".join((*parts, *([_listed(quotes, references)] if quotes else ())))


def section_of(part: AnswerPart, references: Sequence[Reference]) -> ReportSection:
    """Return what is said of one item, a line for each sentence."""
    content = _listed(part.sentences, references)
    return ReportSection(title=capitalised(part.title), content=content)


def _listed(sentences: Sequence[Sentence], references: Sequence[Reference]) -> str:
    return "\n".join(f"- {as_markdown((sentence,), references)}" for sentence in sentences)
