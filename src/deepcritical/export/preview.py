"""The preview of a link to a report: title, verdict sentence and picture."""

from __future__ import annotations

from typing import NamedTuple

from deepcritical.domain.report.answer import Document
from deepcritical.domain.report.brief import label_words
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.text.markdown import one_line, visible
from deepcritical.export.pdf import TONES, typeset

_LONGEST = 300
"""Characters of the sentence; services cut longer ones."""


class Preview(NamedTuple):
    """The data of a link preview (Open Graph)."""

    title: str
    sentence: str
    image: str = ""
    """Address of the picture; '' for none."""
    page: str = ""
    """Where one can go on from here."""
    leads: str = ""
    """The name of that page."""


def preview_of(document: Document) -> Preview:
    """The title of a report or an answer, and what it comes to in a sentence."""
    if isinstance(document, ResearchReport):
        sentence = document.brief.answer[0].text if document.brief else document.answer
        return Preview(visible(document.title), visible(sentence)[:_LONGEST])
    said = document.lead[0].text if document.lead else document.headline
    return Preview(visible(document.question), visible(said)[:_LONGEST])


def render_card(document: Document) -> bytes:
    """The picture as PNG, 1200 x 630."""
    preview = preview_of(document)
    verdict = document.verdict
    told = label_words(verdict.label, document.brief) if verdict else ""
    data = {
        "title": one_line(preview.title),
        "verdict": told or "Answer",
        "sentence": one_line(preview.sentence),
        "tone": TONES.get(verdict.label.value if verdict else "", "plain"),
    }
    return typeset("card.typ", "card", data, format="png", ppi=72)
