"""Fills the HTML templates; every value is escaped."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from deepcritical.domain.appraisal import Direction
from deepcritical.domain.brief import label_words, study_words, trial_words
from deepcritical.domain.claims import is_quote
from deepcritical.domain.evidence import SOURCE_NAMES
from deepcritical.domain.markdown import visible
from deepcritical.domain.sentences import how_checked
from deepcritical.export.mechanism_figure import edge_label, edge_words
from deepcritical.export.prose import unbroken
from deepcritical.export.svg import figure_style, inline
from deepcritical.export.timeline import point_words, year_of

_SIGN_OF_DIRECTION = {
    Direction.SUPPORTS: "▲",
    Direction.REFUTES: "▼",
    Direction.MIXED: "◆",
    Direction.NONE: "○",
}
"""The shapes of the timeline, as characters."""
_SYMBOL_OF_CERTAINTY = {"high": "⊕⊕⊕⊕", "moderate": "⊕⊕⊕◯", "low": "⊕⊕◯◯", "very low": "⊕◯◯◯"}
"""As the GRADE working group prints them."""


def filled(name: str, **values: object) -> str:
    """The template of that name as safe HTML."""
    return _environment().get_template(name).render(**values)


@cache
def stylesheet() -> str:
    """The style of a report; colours follow the `color-scheme` of the page."""
    style = (files(__package__) / "templates" / "report.css").read_text(encoding="utf-8")
    return f"{style}\n{figure_style()}"


@cache
def _environment() -> Environment:
    templates = Environment(
        loader=PackageLoader("deepcritical.export"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "visible": lambda text: unbroken(visible(text)),
        "anchor": lambda title: re.sub(r"\W+", "-", title.lower()).strip("-"),
        "sign": _SIGN_OF_DIRECTION.__getitem__,
        "grade_symbol": _SYMBOL_OF_CERTAINTY.__getitem__,
        "source_name": SOURCE_NAMES.__getitem__,
    }
    words = (edge_label, edge_words, how_checked, is_quote, label_words, point_words, study_words)
    templates.globals |= {one.__name__: one for one in (*words, trial_words, year_of)}
    templates.globals["drawn"] = inline
    return templates
