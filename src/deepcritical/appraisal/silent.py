"""Kinds of records that hold no result which is weighed: experiments, plans, guidelines, models."""

from deepcritical.domain.study import Result, StudyReading

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
