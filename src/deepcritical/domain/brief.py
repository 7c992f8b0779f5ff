"""The brief: the answer to a question on one screen, as data and in words."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.effect_words import effect_size, row_direction
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.text import capitalised
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.domain.votes import OutcomeRow

if TYPE_CHECKING:
    from deepcritical.domain.report_parts import Reference
    from deepcritical.domain.verdict import Verdict


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
    """Two to four sentences: drug, population, outcome, effect with interval, certainty."""
    harms: tuple[Sentence, ...] = ()
    licensed: tuple[Sentence, ...] = ()
    """That a label or a curated source has the drug licensed for the condition; said first."""
    label: tuple[Sentence, ...] = ()
    """Class, and what of boxed warnings, contraindications and interactions bears on the question.
    """
    synthesis: tuple[Sentence, ...] = ()
    """What the studies show together, where a model wrote; each sentence passed its checks."""
    findings: tuple[OutcomeRow, ...] = ()
    """At most six rows of the summary of findings, the weightiest first."""
    studies: tuple[DecidingStudy, ...] = ()
    """Three to five, the weightiest first."""
    missing: tuple[str, ...] = ()
    """What the evidence lacks, a sentence each."""
    trials: tuple[TrialUnderWay, ...] = ()
    """Those under way or planned, the largest first."""


COLUMNS = ("Outcome", "Compared with", "Studies (people)", "Result", "Certainty")
"""Of the summary of findings."""
_CONTROLS = {
    "randomised": "placebo or no treatment",
    "controlled": "no use",
    "reported": "what is not told",
    "uncontrolled": "before treatment",
}
"""Of rows of former reports, which do not tell what the control was."""
_OF_HARM = {
    VerdictLabel.UNSUPPORTED: "No excess shown",
    VerdictLabel.REFUTED: "No excess found",
}
"""Where it is asked whether something bad gets more: "refuted" would be read as "not safe"."""
_DIRECTNESS = {"direct": "", "broader": " (indirect)", "related": " (other patients)"}


class Briefed(Protocol):
    """The data that the head of a report is written from; a `ResearchReport` is one."""

    @property
    def brief(self) -> Brief | None:
        """The answer on one screen."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the question."""

    @property
    def verdict_on(self) -> str:
        """The subject of the verdict, where that is not plain."""

    @property
    def references(self) -> tuple[Reference, ...]:
        """The references that `[n]` points at."""


class Badge(NamedTuple):
    """The verdict in a word or two, with its remarks."""

    label: str
    remarks: tuple[str, ...]
    """Certainty, and the drug or statement that the verdict is on."""


def badge(report: Briefed) -> Badge:
    """Return the verdict with its certainty and, where that is not plain, what it is on.

    A licence stands before it: what is licensed is more than promising, whatever was found.
    """
    verdict = report.verdict
    rated = verdict.label is not VerdictLabel.NOT_ASSESSED
    certainty = f"certainty: {verdict.certainty.value}" if rated else ""
    remarks = tuple(part for part in (certainty, report.verdict_on) if part)
    if licensed := report.brief and licensed_words(report.brief):
        return Badge(licensed, (f"evidence found: {verdict.label.value}", *remarks))
    return Badge(verdict_words(report), remarks)


def verdict_words(report: Briefed) -> str:
    """Return the verdict as a badge tells it; of a harm that was not found, that it was not."""
    return label_words(report.verdict.label, report.brief)


def label_words(label: VerdictLabel, brief: Brief | None) -> str:
    """Return a verdict on what a brief claims in a word or two."""
    told = _OF_HARM.get(label) if brief and brief.raises else None
    return told or capitalised(label.value)


def licensed_words(brief: Brief) -> str:
    """Return how the licence is told, as "Licensed for this condition"; '' where nobody says so."""
    return brief.licensed[0].text.partition(": ")[0] if brief.licensed else ""


def finding_cells(row: OutcomeRow) -> tuple[str, str, str, str, str]:
    """Return the cells of a row under `COLUMNS`, without citations."""
    size, told = effect_size(row), row_direction(row)
    return (
        f"{capitalised(row.outcome)}{_indirect(row)}",
        comparator_words(row),
        studies_words(row),
        f"{capitalised(told)}{f'; {size}' if size else ''}",
        row.certainty.value,
    )


def studies_words(row: OutcomeRow) -> str:
    """Return the number of studies and, in brackets, of people; "review" where it is not told."""
    studies = "review" if row.review and row.studies == 1 else f"{row.studies:,}"
    return f"{studies}{f' ({row.people:,})' if row.people else ''}"


def _indirect(row: OutcomeRow) -> str:
    if row.tested_as and row.directness == "broader":
        return f" ({row.tested_as})"
    return _DIRECTNESS[row.directness]


def comparator_words(row: OutcomeRow) -> str:
    """Return what the drug was compared with."""
    return row.comparator or row.control or _CONTROLS[row.tier]


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
    sentences = (
        *brief.answer,
        *brief.harms,
        *brief.licensed,
        *brief.label,
        *brief.synthesis,
        *(study.result for study in brief.studies),
    )
    cited = [
        *(sentence.evidence_ids for sentence in sentences),
        *(row.evidence_ids for row in brief.findings),
        *((trial.evidence_id,) for trial in brief.trials),
    ]
    return frozenset(chain.from_iterable(cited))
