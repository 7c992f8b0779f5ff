"""Finds whom a result is of: all people or trials of a study, those who stayed, or some."""

from __future__ import annotations

import re

from deepcritical.domain.study.reading import Result, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.folding import tokens_of

_TRIAL = r"[A-Z](?=[\w-]*[A-Z\d])[\w-]*"
"""The name of a trial, such as NCT01 or ABC-2."""
_ANALYSED = bounded(
    rf"^(?-i:{_TRIAL}(?:(?:,? and |, ){_TRIAL}){{0,8}})(?= pooled$)|"
    r"\b(?:modified )?(?:intention[- ]to[- ]treat|m?ITT)\b|\b(?:full )?analys[ei]s\b|"
    r"\ball(?: of)?(?: the)?(?: (?:\d+|two|three|four|five|six|seven|eight|nine|ten))?\b|"
    r"\bcompleted(?= (?:trials|studies)\b)|\boverall\b|"
    r"\bentire\b|\bwhole\b|\btotal\b|\bfull\b|\bboth\b|\btogether\b|"
    r"\b(?:(?:non-?|un)?randomi[sz]ed|observational|enrolled|included|treated|assessed)\b|"
    r"\b(?:evaluated|analy[sz]ed)\b|"
    r"\bevaluable(?: for (?:\w+ )?\w+)?|\bsafety\b|\bpooled\b|\bcombined\b|\bcontrolled\b|"
    r"\bplacebo\b|\bRCTs?\b|\b(?:data ?)?sets?\b|\bpopulations?\b|\bcohorts?\b|\bsamples?\b|"
    r"\bgroups\b|\barms\b|\bwere\b|\bwho\b|\bthose\b",
    re.IGNORECASE,
)
"""Words for all people of a study as analysed, or for all trials of a review."""
_KEPT = bounded(
    r"\bper[- ]protocol\b|\bas[- ]treated\b|\b(?:study |trial )?completers\b(?: of [\w ]+$)?|"
    r"\b(?:(?:who|that) completed\b|completing\b)(?: (?:[\w-]+ ){0,4}(?:study|trial|treatment|"
    r"therapy|protocol|follow-?up|days|weeks|months|years|phase|period|assessments?))?",
    re.IGNORECASE,
)
"""Words for those who kept to the protocol, or stayed to the end."""
_REVIEWS = frozenset({"systematic_review", "pooled_analysis"})
_NUMBERS = "one two three four five six seven eight nine ten".split()
_SOME_STUDIES = bounded(
    r"^(?:the )?(?P<number>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten) "
    r"(?:of (?:the )?\d+ )?(?:(?:randomi[sz]ed|controlled|clinical|cohort|observational) ){0,3}"
    r"(?:trials|studies|RCTs|cohorts|reports)$",
    re.IGNORECASE,
)
"""A number of studies, and no word for those that took part in them."""
_UNBIASED = bounded(
    r"\b(?:without|excluding|exclusion of|excluded|removing|removal of|leaving out|omitting)\b"
    r"[^.;]{0,60}\b(?:risks? of bias|bias|low[- ]quality|poor[- ]quality)\b|"
    r"\blow(?:er)?[- ]risks?[- ]of[- ]bias\b|"
    r"\bhigh[- ]quality (?:\w+ ){0,2}(?:trials|studies|RCTs)",
    re.IGNORECASE,
)
"""Words for the trials of a review that are not at risk of bias: their result goes before that of
all (Cochrane Handbook, 7.6.2)."""
_PLAIN = frozenset(
    "the a of with and in adult adults patient patients participant participants people person "
    "persons subject subjects individual individuals".split()
)
"""Words that part nobody off."""
_OF_REVIEWS = frozenset("trial trials study studies".split())


def is_whole(result: Result, study: StudyReading) -> bool:
    """Return whether those analysed are all people of a study, by words of population and arms.

    Of trials that were pooled, each has its own arms.
    """
    people = _ANALYSED.sub(" ", _KEPT.sub(" ", result.people))
    own = study.population
    arms = [arm for i in (result.a, result.b) if (arm := study.arm(i))]
    labels = [name for arm in arms for name in (arm.label, *(i.name for i in arm.interventions))]
    told = " ".join((*own.conditions, *own.qualifiers, own.description, *labels))
    sizes = {str(n) for n in (own.n_randomised, own.n_analysed) if n}
    studies = _OF_REVIEWS if _REVIEWS.intersection(study.kinds) else frozenset()
    known = _PLAIN | sizes | studies | {token.folded for token in tokens_of(told)}
    return {token.folded for token in tokens_of(people)} <= known


def is_of_subgroup(result: Result, study: StudyReading) -> bool:
    """Return whether it is of some of a record's people; one on a subgroup alone has no others.

    Nor has a record whose every comparison of arms is told by strata, such as ages.
    """
    if result.level != "subgroup":
        return False
    compared = [one for one in study.results if one.contrast == "between"]
    strata = {one.people for one in compared if one.outcome == result.outcome}
    in_strata = all(one.level == "subgroup" for one in compared) and len(strata) > 1
    return not (in_strata or (study.population.part_of_trial and is_whole(result, study)))


def is_of_completers(result: Result) -> bool:
    """Return whether only those who kept to the protocol, or stayed to the end, were analysed."""
    return _KEPT.search(result.people) is not None


def is_pooled(result: Result, study: StudyReading) -> bool:
    """Return whether a review pools those of its studies that measured an outcome.

    An estimate tells pooling: "one of seven studies found it better" counts studies.
    """
    if not _REVIEWS.intersection(study.kinds):
        return False
    told = result.effect is not None and result.effect.value is not None
    return _is_unbiased(result) or (told and _SOME_STUDIES.search(result.people) is not None)


def _is_unbiased(result: Result) -> bool:
    return _UNBIASED.search(result.people) is not None


def is_of_biased_trials(result: Result, study: StudyReading) -> bool:
    """Return whether a review's benefit is gone without the trials at risk of bias."""
    sound = [r for r in study.results if _is_unbiased(r) and r.better != "unclear"]
    none_left = bool(sound) and all(r.better == "no_difference" for r in sound)
    return none_left and result.better in ("a", "b") and result.kind != "safety"


def count_of_studies(people: str) -> int | None:
    """Return how many studies those analysed are from ("three randomised trials"), else None."""
    found = _SOME_STUDIES.search(people)
    if found is None:
        return None
    number = found["number"].casefold()
    return int(number) if number.isdigit() else _NUMBERS.index(number) + 1


def told_as_part(study: StudyReading, result: Result) -> str:
    """Return why the people of a result do not stand for the whole study; '' where they do."""
    if result.people and not (is_whole(result, study) or is_pooled(result, study)):
        return "only a part of its people"
    biased = is_of_biased_trials(result, study)
    return "no benefit was left without the trials at risk of bias" if biased else ""
