"""The brief: the answer to a question on one screen, as data and in words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from deepcritical.domain.appraisal.effect_words import effect_size, row_direction
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import NOT_STATED, OutcomeRow, Way
from deepcritical.domain.base import Model
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.sentences import Sentence, row_result, row_text
from deepcritical.domain.text.spans import capitalised


class DecidingStudy(Model):
    """One of the studies that the verdict rests on, in a line."""

    name: str
    """Such as Koenig 2017 or an NCT number."""
    design: str
    people: int | None = Field(default=None, ge=0)
    comparator: str = ""
    """What the drug was compared with, such as placebo; '' where the record names none."""
    result: Sentence
    evidence_ids: tuple[str, ...]


class TrialUnderWay(Model):
    """A registered trial that may change the answer."""

    registry_id: str
    title: str
    status: str
    """In words, such as recruiting."""
    participants: int | None = Field(default=None, ge=0)
    completion: str = ""
    """Expected completion, as the registry writes it; '' where it has none."""
    evidence_id: str


class ToldRow(Model):
    """A row of the summary of findings that a model wrote."""

    said: Sentence
    """The row as a sentence with its cells, which passed its checks."""
    rated_as: tuple[str, str] | None = None
    """Outcome and comparator of the verdict's row of the same results; None where it has none."""
    certainty: Certainty | None = None
    """By GRADE: that of the verdict's row, or the one that the model gives as far as nothing known
    of the studies speaks against it."""

    @model_validator(mode="after")
    def _is_of_its_sentence(self) -> Self:
        cells = self.said.cells
        is_whole = len(cells) == _CELLS and bool(cells[0] and self.result)
        if not is_whole or self.said.text != row_text(cells, self.result):
            raise ValueError("the sentence of a row is not made of its cells")
        return self

    @property
    def result(self) -> str:
        """The finding, without the cells around it."""
        return row_result(self.said.text, self.said.cells)


class StudyRow(Model):
    """One study in the table of studies."""

    name: str
    design: str = ""
    population: str = ""
    arms: tuple[str, ...] = ()
    """What each arm got, with its size where it is known."""
    comparator: str = ""
    outcome: str = ""
    """The primary outcome, or the weightiest that it reports."""
    result: str = ""
    people: int | None = Field(default=None, ge=0)
    certainty: str = ""
    """GRADE certainty of this study alone."""
    counts: str = ""
    """Whether it decides, counts, or why it does not count, in words."""
    evidence_ids: tuple[str, ...] = ()


class Statement(NamedTuple):
    """A result as code tells it."""

    text: str
    evidence_ids: tuple[str, ...]
    outcome: str = ""
    """The name of its row; '' for the result of a main study."""
    comparator: str = ""


class Contested(Model):
    """A result that code read, and that a model found contradicted by the record's own words."""

    outcome: str
    """The row's name; '' for the result of a main study."""
    comparator: str = ""
    told: str
    """The result as a sentence."""
    reason: str = ""
    by: str = ""
    """The model."""


NOTHING = (
    "Searched were {sources} on {on}, with {queries} queries; none of the {found} records found "
    "bears on the question. Absence of evidence is not evidence of absence."
)
"""The gap that no record found has an answer."""


class Brief(Model):
    """The brief: the essentials for a reader, in about 200-300 words with a table."""

    drug: str = ""
    """The drug that it is on, or "stopping" and its name."""
    claim: str = ""
    """What the verdict is on, such as "examplol helps in testitis"."""
    denied: bool = False
    """Whether the question asked for the opposite of the claim."""
    raises: bool = False
    """Whether the claim is that something bad gets more, so that harm answers it with a yes."""
    lead: str = ""
    """What is said first: of several candidates, or of what is asked beside the effect."""
    lead_ids: tuple[str, ...] = ()
    """Records that the lead rests on."""
    answer: tuple[Sentence, ...] = Field(min_length=1)
    """One to four sentences: the answer, and drug, population, outcome, effect with interval and
    certainty, as far as `synthesis` does not tell them."""
    harms: tuple[Sentence, ...] = ()
    licensed: tuple[Sentence, ...] = ()
    """That a label or a curated source has the drug licensed for the condition; said first."""
    label: tuple[Sentence, ...] = ()
    """Class, and what of boxed warnings, contraindications and interactions bears on the question.
    """
    synthesis: tuple[Sentence, ...] = ()
    """What the studies show together, where a model wrote; each sentence passed its checks."""
    told: tuple[ToldRow, ...] = ()
    """Rows of the summary of findings that a model wrote, the weightiest first."""
    covered: tuple[tuple[str, str], ...] = ()
    """Rows of the verdict, by outcome and comparator, whose results a model's text or table quotes.
    """
    findings: tuple[OutcomeRow, ...] = ()
    """At most six rows of the summary of findings, the weightiest first; where a model wrote it,
    those beside its own."""
    studies: tuple[DecidingStudy, ...] = ()
    """Three to five, the weightiest first."""
    missing: tuple[str, ...] = ()
    """What the evidence lacks, a sentence each."""
    trials: tuple[TrialUnderWay, ...] = ()
    """Those under way or planned, the largest first."""
    stated: tuple[int, ...] = ()
    """Places in `answer` of sentences that state the verdict."""
    contested: tuple[Contested, ...] = ()
    """Results that it does not tell, because a check of them against the records failed."""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All its sentences, in the order of reading."""
        told = (*self.licensed, *self.answer, *self.synthesis, *self.harms, *self.label)
        rows = (row.said for row in self.told)
        return (*told, *rows, *(study.result for study in self.studies))

    @property
    def is_answered(self) -> bool:
        """Return whether a model answers, so that no sentence has to state the verdict."""
        return any(sentence.origin == "model" for sentence in self.synthesis)

    @property
    def is_led(self) -> bool:
        """Return whether the first sentence of a model's text answers, so that it goes first."""
        return self.is_answered and self.synthesis[0].opens

    @property
    def told_missing(self) -> tuple[str, ...]:
        """The gaps; beside a model's text that rests on records, not that none has an answer."""
        cites = self.is_led and any(sentence.evidence_ids for sentence in self.synthesis)
        return tuple(
            s for s in self.missing if not (cites and s.startswith(NOTHING.partition("{")[0]))
        )

    def results(self, rows: Iterable[OutcomeRow]) -> tuple[OutcomeRow, ...]:
        """Return those of a verdict's rows that the summary of findings tells."""
        rated = {row.rated_as for row in self.told}
        told = [row for row in rows if (row.outcome, row.comparator) in rated]
        return tuple(dict.fromkeys((*told, *self.findings)))

    @property
    def paragraphs(self) -> tuple[tuple[Sentence, ...], ...]:
        """The answer, the text, and last of the answer what the text does not give.

        Of a text whose first sentence did not pass, so that it answers nothing, the answer stays.
        Beside one that answers, that code found nothing is not told again.
        """
        if not self.is_led:
            return self.answer, self.synthesis
        opened = self.synthesis[:1]
        left = tuple(s for n, s in enumerate(self.answer) if n not in self.stated)
        left = tuple(s for s in left if s.evidence_ids)
        return opened, self.synthesis[1:], left

    @property
    def listed_studies(self) -> tuple[DecidingStudy, ...]:
        """The main studies with their results, but for those that a model's text tells of.

        Where it wrote the table, too, it had all of them before it: none is added.
        """
        if self.told:
            return ()
        cited = {i for s in self.synthesis if s.origin == "model" for i in s.evidence_ids}
        return tuple(study for study in self.studies if not cited & {*study.evidence_ids})


COLUMNS = ("Outcome", "Compared with", "Studies (people)", "Result", "Certainty")
"""Of the summary of findings."""
_CONTROLS = {
    "randomised": "placebo or no treatment",
    "controlled": "no use",
    "reported": "what is not told",
    "uncontrolled": "before treatment",
}
"""Of rows of former reports, which do not tell what the control was."""
_OF_HARM = {VerdictLabel.UNSUPPORTED: "No excess shown", VerdictLabel.REFUTED: "No excess found"}
"""Where it is asked whether something bad gets more: "refuted" would be read as "not safe"."""
_OTHERS = "other groups of the study"
"""Where a record says that groups did not differ, and not which."""
_NO_OTHER, _NOT_RATED = "not told", "not rated"
_CELLS = 3
"""Outcome, comparator, and what it is from."""
_OF_EITHER = ("better", "worse", "no difference")
_WITHOUT_DIFFERENCE = "no difference shown"
_LONGEST_NAME = 60
_DIRECTNESS = {"direct": "", "broader": " (indirect)", "related": " (other patients)"}


def label_words(label: VerdictLabel, brief: Brief | None) -> str:
    """Return a verdict on what a brief claims in a word or two."""
    told = _OF_HARM.get(label) if brief and brief.raises else None
    return told or capitalised(label.value)


def finding_cells(row: OutcomeRow) -> tuple[str, str, str, str, str]:
    """Return the cells of a row under `COLUMNS`, without citations."""
    size, told = effect_size(row), _with_arm(row_direction(row), row)
    against = row.other_arm or row.comparator or row.control.replace(NOT_STATED, _OTHERS)
    return (
        f"{capitalised(_named(row, told))}{_indirect(row, told)}",
        against or _CONTROLS[row.tier],
        studies_words(row.studies, row.people, is_review=row.review),
        f"{capitalised(told)}{f'; {size}' if size else ''}",
        row.certainty.value,
    )


def told_cells(row: ToldRow) -> tuple[str, str, str, str, str]:
    """Return the cells of a row by a model under `COLUMNS`, without citations."""
    outcome, comparator, studies = row.said.cells
    return (
        capitalised(outcome),
        comparator or _NO_OTHER,
        studies or f"{len(row.said.evidence_ids)}",
        capitalised(row.result),
        row.certainty.value if row.certainty else _NOT_RATED,
    )


def _with_arm(told: str, row: OutcomeRow) -> str:
    """Return a direction with the dose, or whatever else one of several arms with the drug got."""
    arm = row.one_arm if not row.tested_as and len(row.one_arm) <= _LONGEST_NAME else ""
    if not arm or row.way is Way.CONFLICT:
        return told
    named = told.replace(" with the drug", f" with {arm}")
    return f"{told} with {arm}" if told == _WITHOUT_DIFFERENCE else named


def _named(row: OutcomeRow, told: str) -> str:
    """Return the name of an outcome: that of its only record, where the result is told of either.

    More of what a record counts, such as survival, may be less of what the row is named after.
    """
    own = " ".join(row.told_as.split())
    is_of_either = told.startswith(_OF_EITHER) and not row.is_fatal
    return own if own and len(own) <= _LONGEST_NAME and is_of_either else row.outcome


def studies_words(studies: int, people: int | None, *, is_review: bool = False) -> str:
    """Return the number of studies and, in brackets, of people; "review" where it is not told."""
    told = "review" if is_review and studies == 1 else f"{studies:,}"
    return f"{told}{f' ({people:,})' if people else ''}"


def _indirect(row: OutcomeRow, told: str) -> str:
    if row.tested_as and row.directness == "broader" and row.tested_as not in told:
        return f" ({row.tested_as})"
    return _DIRECTNESS[row.directness]


def study_words(study: DecidingStudy) -> str:
    """Return design, size and comparator of a study, such as "randomised trial, 20 people"."""
    compared = f"against {study.comparator}" if study.comparator else ""
    return ", ".join(part for part in (study.design, _people(study.people), compared) if part)


def trial_words(trial: TrialUnderWay) -> str:
    """Return status, size and end of a trial, such as "recruiting, 326 people"."""
    until = f"until {trial.completion}" if trial.completion else ""
    return ", ".join(part for part in (trial.status, _people(trial.participants), until) if part)


def _people(number: int | None) -> str:
    if not number:
        return ""
    return f"{number:,} {'person' if number == 1 else 'people'}"


def cited_ids(brief: Brief) -> frozenset[str]:
    """Return the evidence ids of all records that a brief cites."""
    cited = [
        *(sentence.evidence_ids for sentence in brief.sentences),
        *(row.evidence_ids for row in brief.findings),
        *((trial.evidence_id,) for trial in brief.trials),
    ]
    return frozenset(chain.from_iterable(cited))
