"""Sentences of a report as objects: text, cited records and checks.

Markdown, HTML and PDF are renderings of them and are never parsed back.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Directness, Way
from deepcritical.domain.base import Model
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.study.reading import Effect
from deepcritical.domain.text.markdown import escape_markdown

WORDING = 14
"""Version of the words in which code writes sentences on rows, results and verdicts. It is raised
when one of these is worded otherwise: a report of another version cannot be written again."""

CheckName = Literal[
    "ids",
    "figures",
    "names",
    "population",
    "direction",
    "strength",
    "counts",
    "entailment",
    "bound",
    "terms",
    "verbatim",
]

Origin = Literal["template", "model", "quote"]
"""Code wrote it from typed findings; a model did, and it passed the checks; a record did."""
_ORIGINS = {"template": "written by rules from typed results", "quote": "a record's own words"}


class Finding(Model):
    """One typed result that sentences may cite, with the words of its records."""

    id: str
    evidence_ids: tuple[str, ...] = Field(min_length=1)
    study: str = ""
    """Short name of the study, such as Koenig 2017; '' for a finding over several studies."""
    design: str = ""
    drug: str = ""
    comparator: str = ""
    """The other arm, such as placebo."""
    population: str = ""
    directness: Directness = "direct"
    outcome: str = ""
    way: Way | None = None
    """None where the finding has no direction."""
    effect: Effect | None = None
    higher_is_better: bool | None = None
    """Whether more of the outcome is good; None where that is not known."""
    unit: str = ""
    timepoint: str = ""
    level: str = ""
    """Rank of the outcome: primary, secondary, subgroup, post_hoc or ''."""
    studies: int = Field(default=1, ge=1)
    people: int | None = Field(default=None, ge=0)
    certainty: str = ""
    quotes: tuple[str, ...] = ()
    """Sentences of the records that state it, word for word."""
    sentence: str = ""
    """The template sentence, which is printed where a model's sentence fails."""


class Draft(Model):
    """A sentence as a model wrote it, with the findings that it cites."""

    text: str = Field(min_length=1)
    finding_ids: tuple[str, ...] = ()
    written_by: str = ""
    """The model."""
    cells: tuple[str, ...] = ()
    """Of a row of a table: outcome, comparator, and what it is from; () of a sentence of a text."""
    rated: Certainty | None = None
    """Of a row of a table: how certain by GRADE the model holds the result to be."""
    opens: bool = False
    """Whether it is the first sentence of its text, or written in the place of that."""
    shows: VerdictLabel | None = None
    """Of a first sentence: the verdict that its text comes to, as its writer says."""


class SentenceCheck(Model):
    """One check that a sentence went through."""

    name: CheckName
    passed: bool
    by: str = ""
    """The model or cross-encoder, of an entailment check; '' for code."""
    reason: str = ""


class Sentence(Model):
    """One printed sentence."""

    text: str = Field(min_length=1)
    """Plain text without citation marks; renderers escape it."""
    evidence_ids: tuple[str, ...] = ()
    """Records that it cites; () only for sentences about the search or the method."""
    finding_ids: tuple[str, ...] = ()
    origin: Origin = "template"
    written_by: str = ""
    """The model, if one wrote it."""
    checks: tuple[SentenceCheck, ...] = ()
    """Those that it passed."""
    cells: tuple[str, ...] = ()
    """Of a row of a table: outcome and comparator, with which its text begins, and studies with
    their people, with which it ends; () of a text."""
    rated: Certainty | None = None
    """Of a row of a table: how certain by GRADE the model holds the result to be."""
    opens: bool = False
    """Whether a model wrote it as the first sentence of its text, which answers the question."""
    shows: VerdictLabel | None = None
    """Of such a first sentence: the verdict that its text comes to, as its writer says."""
    in_place_of: tuple[SentenceCheck, ...] = ()
    """Of a template: the checks that the model's sentence failed whose place it takes."""


def row_text(cells: Sequence[str], result: str) -> str:
    """Return a row of a table as a sentence, from its cells and its result.

    A dash stands before the result, for it parts no clauses: what is less or more is what was
    measured.
    """
    outcome, comparator, studies = cells
    against = f" (compared with {comparator})" if comparator else ""
    return f"{outcome}{against} – {result}{f'; from {studies}' if studies else ''}"


def row_result(text: str, cells: Sequence[str]) -> str:
    """Return the result in a row's sentence, which stands between its cells."""
    outcome, comparator, studies = cells
    head, tail = row_text((outcome, comparator, ""), ""), f"; from {studies}" if studies else ""
    return text.removeprefix(head).removesuffix(tail)


def numbers_of(evidence_ids: Sequence[str], references: Sequence[Reference]) -> tuple[int, ...]:
    """Return the places of the records in the list of references, from 1."""
    return tuple(n for n, r in enumerate(references, 1) if r.evidence_id in evidence_ids)


def how_checked(sentence: Sentence) -> str:
    """Return who wrote a sentence and which checks it passed, in words."""
    wrote = _ORIGINS.get(sentence.origin) or f"written by {sentence.written_by or 'a model'}"
    passed = [
        f"{check.name} ({check.by})" if check.by else check.name
        for check in sentence.checks
        if check.passed
    ]
    return f"{wrote}; checked: {', '.join(passed)}" if passed else wrote


def citation_marks(evidence_ids: Sequence[str], references: Sequence[Reference]) -> str:
    """Return ``[1][3]``: the numbers of the records in the list of references."""
    return "".join(f"[{n}]" for n in numbers_of(evidence_ids, references))


def as_markdown(sentences: Sequence[Sentence], references: Sequence[Reference]) -> str:
    """Return the sentences as one Markdown paragraph, the citation marks before each stop."""
    return " ".join(_cited(one, references) for one in sentences)


def _cited(sentence: Sentence, references: Sequence[Reference]) -> str:
    text = escape_markdown(sentence.text)
    if not (marks := citation_marks(sentence.evidence_ids, references)):
        return text
    stop = text[-1] if text[-1:] in ".!?" else "."
    return f"{text.rstrip('.!?')} {marks}{stop}"
