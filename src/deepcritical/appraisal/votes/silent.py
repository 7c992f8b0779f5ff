"""Records that tell nothing: kinds that hold no result which is weighed, and what was not read."""

from collections.abc import Sequence

from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.study.reading import Result, StudyReading

READ_ENOUGH = 1 / 2
"""Share of the studies that must have been read before the rest may be left open."""

SILENT_KINDS = {
    "economic": "an economic model, which measures no effect of its own",
    "pharmacokinetic": "a pharmacokinetic study, which measures no benefit",
    "protocol": "a plan without a result",
    "guideline": "a guideline, which holds no results of its own",
    "narrative_review": "a narrative review, which weighs no results",
    "case_report": "a case report, which compares nobody",
    "animal": "an experiment in animals",
    "in_vitro": "an experiment in cells",
}
_WITH_RESULTS = {"trial", "observational", "systematic_review", "pooled_analysis"}


def silence(study: StudyReading) -> str:
    """Return why a record holds no result that is weighed; '' where it may."""
    kinds = set(study.kinds)
    if kinds & _WITH_RESULTS and study.results:
        return SILENT_KINDS["animal"] if _has_species(study) else ""
    if not study.results and "protocol" in kinds:
        return SILENT_KINDS["protocol"]
    known = [SILENT_KINDS[kind] for kind in study.kinds if kind in SILENT_KINDS]
    if kinds & _WITH_RESULTS or not known:
        return "" if study.results else "its text gives no result that could be read"
    return known[0]


def _has_species(study: StudyReading) -> bool:
    return study.population.species.casefold() not in ("human", "humans", "")


def is_of_animals(study: StudyReading) -> bool:
    """Return whether a study is an experiment in animals, or of animals that were ill."""
    return "animal" in study.kinds or ("in_vitro" not in study.kinds and _has_species(study))


def is_narrative(study: StudyReading) -> bool:
    """Return whether a record tells of the results of others, one by one."""
    return "narrative_review" in study.kinds and not _WITH_RESULTS & set(study.kinds)


def is_reported(study: StudyReading, result: Result) -> bool:
    """Return whether a narrative review tells of a comparison in patients.

    It is the weakest evidence, and counts only where no study at hand tells.
    """
    return study.reader.kind != "rules" and (result.kind, result.contrast) == (
        "clinical",
        "between",
    )


def too_little_read(studies: Sequence[StudyFinding]) -> str:
    """Return how much could not be read, where that is too much to say anything; else ''.

    Trials decide before other studies, so where enough of the trials were read, the rest may be
    left open; of a harm that was asked about, nothing may.
    """
    unread = [s for s in studies if s.unread]
    told = [s for s in studies if not s.unread and any(is_close(v) for v in s.votes)]
    feared = {v.way for s in studies for v in s.votes if v.harm_asked}
    if unread and feared and Way.HARM not in feared:
        return not_read(len(unread), len(told) + len(unread), "study")
    trials = [s for s in told if any(v.tier == "randomised" for v in s.votes)]
    if trials or any(s.randomised for s in unread):
        told, unread = trials, [s for s in unread if s.randomised]
    of = len(told) + len(unread)
    if not unread or (told and len(told) >= READ_ENOUGH * of):
        return ""
    return not_read(len(unread), of, "trial" if trials or unread[0].randomised else "study")


def not_read(unread: int, of: int, kind: str, which: str = "relevant ") -> str:
    """Return that so many of some studies could not be read, and what reads more."""
    kinds = kind if of == 1 else {"trial": "trials", "study": "studies"}[kind]
    return (
        f"{unread} of {of} {which}{kinds} could not be read, or not in full, by rules alone; "
        "a language model reads more (DEEPCRITICAL_MODEL or --model sets one)"
    )


def is_close(vote: Vote) -> bool:
    """Return whether a result is of the people asked about, of more or of a part of them."""
    return vote.directness != "related"
