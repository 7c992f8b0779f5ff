"""Counts the people and the studies behind a result, and how many of them had the outcome."""

from __future__ import annotations

from typing import Literal

from deepcritical.appraisal.votes.analysed import count_of_studies, is_of_subgroup, is_whole
from deepcritical.domain.appraisal.votes import ArmRates
from deepcritical.domain.study.reading import Result, StudyReading
from deepcritical.vocabulary.classes import drug_class


def is_of_review(study: StudyReading, result: Result) -> bool:
    """Return whether studies are pooled in a result; a trial pooled with others tells its own too.

    Its own is the primary result, and what was found between its arms in no other people.
    """
    if not {"systematic_review", "pooled_analysis"} & set(study.kinds):
        return False
    between = bool(_size(study, result.a) and _size(study, result.b) and not result.people)
    return "trial" not in study.kinds or not (between or result.level == "primary")


def is_of_network(study: StudyReading) -> bool:
    """Return whether studies of many drugs were pooled, of which a result concerns a part."""
    return "network_meta_analysis" in study.design


def people_of(study: StudyReading, result: Result) -> int | None:
    """Participants behind a result: its own, those of its arms, else those of the study.

    Those of a study with further arms are not those of two of them.
    """
    by_arm = {f.arm: f.n for f in result.figures if f.n}
    ids = [i for i in (result.a, result.b) if i]
    if result.n and not _is_of_more_arms(study, result):
        return result.n
    if not _is_of_all(study, result):  # the sizes of whole arms do not tell of a part
        return sum(by_arm[i] for i in ids) if by_arm.keys() >= set(ids) and ids else None
    arms = [by_arm.get(i) or _size(study, i) for i in ids]
    known, people = [n for n in arms if n], study.population
    if len(known) == 2:
        # Who crosses over is in both arms.
        return max(known) if "crossover" in study.design else sum(known)
    if is_of_network(study) or _has_other_arms(study, result) or _is_of_more_arms(study, result):
        return None
    return people.n_randomised or people.n_analysed


def _is_of_more_arms(study: StudyReading, result: Result) -> bool:
    """Return whether a trial has an arm with people of its own that a comparison leaves out."""
    left = [arm for arm in study.arms if arm.id not in (result.a, result.b)]
    whole = study.population.n_randomised or study.population.n_analysed
    is_trial = "trial" in study.kinds and not is_of_review(study, result)
    is_all = result.n is None or result.n == whole
    return is_trial and is_all and any(arm.n for arm in left) and bool(result.a and result.b)


def _is_of_all(study: StudyReading, result: Result) -> bool:
    """Return whether a result is of all people, or all studies, that a record is about."""
    return not is_of_subgroup(result, study) and (not result.people or is_whole(result, study))


def _has_other_arms(study: StudyReading, result: Result) -> bool:
    """Return whether people got drugs other than those compared, so its number is not theirs."""
    if "factorial" in study.design:
        return True
    arms = [arm for i in (result.a, result.b) if (arm := study.arm(i))]
    given = {i.drug or i.name for arm in arms for i in arm.interventions}
    given |= {m for name in given if (group := drug_class(name)) for m in group.members}
    others = [arm for arm in study.arms if arm not in arms and not arm.control]
    return any(given.isdisjoint(i.drug or i.name for i in arm.interventions) for arm in others)


def studies_of(study: StudyReading, result: Result) -> int | None:
    """Studies behind a result of a review, where it tells them; None where it is of many drugs.

    None also where it is of no review.
    """
    if not is_of_review(study, result):
        return None
    told = count_of_studies(result.people)
    if told or is_of_network(study) or not _is_of_all(study, result):
        return told
    return None if _has_other_arms(study, result) else study.population.n_studies


def _size(study: StudyReading, arm_id: str) -> int | None:
    arm = study.arm(arm_id)
    return arm.n if arm else None


def rates_of(result: Result, side: Literal["a", "b"]) -> ArmRates | None:
    """Return how many of each side had the outcome, in percent where the record gives that."""
    by_arm = {figure.arm: figure for figure in result.figures}
    drug, other = (by_arm.get(i) for i in (result.a, result.b)[:: 1 if side == "a" else -1])
    if drug is None or other is None:
        return None
    if result.unit.startswith("%") and drug.value is not None and other.value is not None:
        return ArmRates(drug=drug.value, other=other.value)
    if None in (drug.events, other.events) or not drug.n or not other.n:
        return None
    return ArmRates(drug=drug.events or 0, other=other.events or 0, of=(drug.n, other.n))
