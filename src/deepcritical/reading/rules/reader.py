"""Reads a study without a model: only what the forms of its sentences tell beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from deepcritical.domain.evidence.designs import Design, design_of
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.evidence.sizes import participants
from deepcritical.domain.study.reading import (
    MAIN_RESULT_NOT_READ,
    Arm,
    DesignFeature,
    Population,
    Reader,
    Result,
    StudyKind,
    StudyReading,
    Unreadable,
)
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import quantities
from deepcritical.domain.text.spans import Span, is_ended
from deepcritical.reading.building import record_id, registry_ids
from deepcritical.reading.checking import checked
from deepcritical.reading.rules.arms import KnownArms, find_arms
from deepcritical.reading.rules.clauses import PEOPLE, plain, result_sentences
from deepcritical.reading.rules.contrasts import read_results
from deepcritical.reading.rules.marking import BOTH, marked
from deepcritical.reading.sentences import text_hash, text_read, without_tables
from deepcritical.vocabulary.outcomes import names_death

_PLAN = bounded(
    r"\b(?:will (?:be|randomi[sz]e|enrol\w*|recruit|include)|(?:is|are) being|"
    r"to be (?:enrolled|recruited|randomi[sz]ed)|planned (?:to|enrol\w*|sample|total|number)|aims?|"
    r"sample size|^to (?:compare|evaluate|determine|assess|conduct)|objectives?|"
    r"purpose|"
    r"power(?:ed)?|target(?:ed)?|intend\w*)\b",
    re.IGNORECASE,
)
_ARM_ASIDE = bounded(
    r"^\s?(?:[^;]{0,60}[,;]\s)?(?:[Nn]\s?=\s?)?(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6})"
    rf"(?:\s(?:\w+\s)?{PEOPLE})?\s?(?:$|[;,])",
    re.IGNORECASE,
)
_TO_ARM = bounded(
    rf"(?<![\d.,=/])(?<!per )(?P<n>\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}})(?:\s(?:\w+\s)?{PEOPLE})?"
    r"(?:\s(?:were|was|being))?(?:\s(?:randomly\s)?(?:randomi[sz]ed|assigned|allocated|received|"
    r"given|had|underwent|treated))?(?:\s(?:to|in|with|on|into|receiving))?"
    r"(?:\s(?:receive|treatment with))?\s⟦(?P<mark>\d{1,2})⟧",
    re.IGNORECASE,
)
_ALLOCATED = bounded(
    r"\b(?:random\w*|assigned|allocated|divided|enrolled|received?|treated|groups?|arms?)\b", re.I
)
_LEAST = 6
_MORE, _LEAST_SHARE = 1.02, 0.5
"""Shares of all people beyond which the sum of the arms is of something else."""


class Sizes(NamedTuple):
    """People of a study."""

    randomised: int | None
    by_arm: dict[str, int]
    sentences: tuple[int, ...]


def read_sizes(told: Sequence[Span], arms: KnownArms, whole: int | None) -> Sizes:
    """Read how many people each arm got, of as many as the record as a whole is on."""
    known = {arm.id: arm.n for arm in arms.arms if arm.n is not None}
    by_arm, place = (known, ()) if len(known) > 1 else _by_arm(told, arms)
    total = sum(by_arm.values())
    if whole is None or total > _MORE * whole:
        # What the record counts as a whole may be a part of those who were allocated.
        return Sizes(total if len(by_arm) == len(arms.arms) > 1 else None, by_arm, place)
    places = {n for n, span in enumerate(told[1:], 1) if _has(span.text, whole)}
    if total < _LEAST_SHARE * whole:
        return Sizes(whole, {}, tuple(sorted(places)[:1]))
    return Sizes(whole, by_arm, tuple(sorted({*sorted(places)[:1], *place})))


def _has(text: str, number: int) -> bool:
    return any(q.value == number for q in quantities(text))


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _by_arm(told: Sequence[Span], arms: KnownArms) -> tuple[dict[str, int], tuple[int, ...]]:
    """The people of each arm, from the first sentence that gives those of two arms."""
    for number, span in enumerate(told[1:], 1):
        if not _ALLOCATED.search(span.text) or _PLAN.search(span.text):
            continue
        sizes = _sizes_in(span.text, arms)
        if len(sizes) > 1:
            return sizes, (number,)
    return {}, ()


def _in_digits(text: str) -> str:
    """Return the text with its worded numbers, such as "forty-one", in digits."""
    for q in reversed(quantities(text)):
        if q.spelled and not q.unit.dimension:
            text = f"{text[: q.start]}{q.value:.0f}{text[q.end :]}"
    return text


def _sizes_in(text: str, arms: KnownArms) -> dict[str, int]:
    line, asides = plain(_in_digits(text))
    found = marked(line, arms)
    sizes: dict[str, int] = {}
    for at, mention in enumerate(found.mentions):
        until = found.mentions[at + 1].start if at + 1 < len(found.mentions) else len(line) + 1
        for aside in asides:
            size = None if "%" in aside.text else _ARM_ASIDE.match(aside.text)
            if (
                size
                and _number(size["n"]) >= _LEAST
                and mention.arm != BOTH
                and mention.end <= aside.at < until
            ):
                sizes.setdefault(mention.arm, _number(size["n"]))
    # "Of 50 people given A, 12 received B" counts no arm.
    for match in () if line.startswith("Of ") else _TO_ARM.finditer(found.text):
        arm = found.arm(match["mark"])
        if arm != BOTH:
            sizes.setdefault(arm, _number(match["n"]))
    return sizes


_KINDS: dict[Design, tuple[StudyKind, ...]] = {
    Design.REVIEW_OF_RCTS: ("systematic_review",),
    Design.REVIEW_OF_COHORTS: ("systematic_review",),
    Design.REVIEW_UNSTATED: ("systematic_review",),
    Design.REVIEW_WITH_CASE_CONTROL: ("systematic_review",),
    Design.REVIEW_WITH_ANIMALS: ("systematic_review", "animal"),
    Design.RCT: ("trial",),
    Design.NON_RANDOMISED_TRIAL: ("trial",),
    Design.REGISTERED_TRIAL: ("trial",),
    Design.COHORT: ("observational",),
    Design.CASE_CONTROL: ("observational",),
    Design.CASE_SERIES: ("case_report",),
    Design.NARRATIVE_REVIEW: ("narrative_review",),
    Design.PROTOCOL: ("protocol",),
}
_CELLS = bounded(r"\b(?:in[- ]vitro|cell (?:lines?|cultures?)|cultured cells)\b", re.IGNORECASE)
_ANIMALS = bounded(r"\b(?:mice|mouse|rats?|rabbits?|animals?|in[- ]vivo|zebrafish|pigs?)\b", re.I)
_OTHER_KINDS: tuple[tuple[StudyKind, re.Pattern[str]], ...] = (
    ("economic", bounded(r"\bcost[- ](?:effectiveness|utility|benefit)\b|\bcosts? of\b", re.I)),
    ("pharmacokinetic", bounded(r"\bpharmacokinetics?\b|\bbioequivalence\b", re.IGNORECASE)),
    ("pooled_analysis", bounded(r"\bpooled analys[ie]s\b", re.IGNORECASE)),
    ("guideline", bounded(r"\bguidelines? (?:for|on)\b", re.IGNORECASE)),
)
"""Kinds that only the title tells."""
_FEATURE_WORDS: dict[DesignFeature, str] = {
    "double_blind": r"double[- ](?:blind\w*|mask\w*)|triple[- ]blind\w*",
    "single_blind": r"(?:single|observer|assessor|evaluator)[- ](?:blind\w*|mask\w*)",
    "open_label": r"open[- ]label\w*|unblinded|unmasked",
    "placebo_controlled": r"placebo[- ]controlled|(?:or|and|versus|vs\.?|with) (?:a )?placebo",
    "single_arm": r"single[- ]arm|single[- ]group",
    "crossover": r"(?<!optional )(?<!allowed )(?<!permitted )cross[- \u2010-\u2015]?over"
    r"(?! (?:to|from|(?:was|were|is) (?:\w+ )?(?:permitted|allowed|optional|possible|offered))\b)",
    "factorial": r"factorial",
    "cluster": r"cluster[- ]randomi[sz]ed|clusters? (?:were|was) randomi[sz]ed",
    "non_inferiority": r"non-?inferiority",
    "dose_ranging": r"dose[- ](?:ranging|finding|escalation)",
    "network_meta_analysis": r"network meta[- \u2010-\u2015]?analys[ie]s",
    "meta_analysis": r"meta[- \u2010-\u2015]?analy\w+",
    "cohort": r"cohort study|cohort studies|(?:retro|pro)spective cohort",
    "case_control": r"case[- ]control",
    "cross_sectional": r"cross[- ]sectional",
}
_FEATURES = tuple(
    (feature, bounded(rf"\b(?:{words})\b", re.IGNORECASE))
    for feature, words in _FEATURE_WORDS.items()
)
_OF_TRIALS = frozenset(
    "double_blind single_blind open_label placebo_controlled single_arm crossover factorial "
    "cluster non_inferiority dose_ranging".split()
)
_OF_REVIEWS = frozenset(("network_meta_analysis", "meta_analysis"))
_OF_COHORTS = frozenset(("cohort", "case_control", "cross_sectional"))
_METHODS = (
    "design",
    "method",
    "material",
    "patients and",
    "study design",
    "trial design",
    "setting",
)


def kinds_of(evidence: Evidence) -> tuple[StudyKind, ...]:
    """Return what a record reports, as its index, title and text say; () where they do not."""
    title = evidence.citation.title
    design = design_of(evidence).design
    kinds = list(_KINDS.get(design, ()))
    if design is Design.PRECLINICAL:
        text = f"{title} {evidence.abstract}"
        kinds += ["in_vitro"] if _CELLS.search(text) else []
        kinds += ["animal"] if _ANIMALS.search(text) or not kinds else []
    kinds += [kind for kind, words in _OTHER_KINDS if words.search(title)]
    return tuple(dict.fromkeys(kinds))


def features_of(
    evidence: Evidence, told: Sequence[Span], kinds: Sequence[StudyKind]
) -> tuple[DesignFeature, ...]:
    """Return the features of design that the title and the methods name, as fit its kind."""
    design = design_of(evidence).design
    fitting: set[str] = set()
    fitting |= _OF_TRIALS if {"trial", "protocol", "animal"} & set(kinds) else set()
    fitting |= _OF_REVIEWS if "systematic_review" in kinds else set()
    fitting |= _OF_COHORTS if "observational" in kinds else set()
    methods = [s.text for s in told[1:] if s.label.startswith(_METHODS)]
    text = " ".join([told[0].text, *(methods or [s.text for s in told[1:]])])
    found = [f for f, words in _FEATURES if f in fitting and words.search(text)]
    allocation: list[DesignFeature] = []
    if design is Design.RCT:
        allocation = ["randomised"]
    elif design is Design.NON_RANDOMISED_TRIAL:
        allocation = ["non_randomised"]
    return (*allocation, *found)


RULES_READER = Reader(kind="rules", name="5")
_PRIMARY = bounded(
    r"\b(?:co-?)?primary (?:[a-z]{1,15} ){0,2}(?:outcomes?|end-?\s?points?|variables?)\b",
    re.IGNORECASE,
)
_TESTED = bounded(
    r"(?<!\w)[Pp](?:[- ]?values?)?\s?[=<>≤≥]|\d\s?%\s?(?:CIs?\b|confidence (?:interval|limit))",
)
_EXCESS = bounded(
    r"\b(?:increas\w+|higher|more|excess|worse\w*|elevated|greater|rais\w+|doubl\w+)\b",
    re.IGNORECASE,
)
_STOPPED = bounded(
    r"\b(?:stopped|halted|terminated|closed)\b[^.;]{0,40}\b(?:harm|safety|excess|toxicity)\b",
    re.IGNORECASE,
)
_NEAR = 70
"""Characters before and behind a word for more, within which it may be said of deaths."""
_WITHOUT_RESULTS = frozenset(("protocol", "narrative_review", "guideline"))


def read_by_rules(evidence: Evidence, read_at: datetime) -> StudyReading:
    """Read design, people, arms and results between arms by rules, each checked against the record.

    What they cannot read with precision stays empty.
    """
    told = without_tables(evidence)
    kinds = kinds_of(evidence)
    features = features_of(evidence, told, kinds)
    arms = find_arms(told, kinds, features)
    sizes = read_sizes(told, arms, participants(evidence))
    results = () if _WITHOUT_RESULTS & set(kinds) else read_results(told, arms)
    results = tuple(_sure(results, told, evidence))
    if is_cut := len(told) > 1 and not is_ended(told[-1].text):  # half a sentence may say more
        results = tuple(r for r in results if len(told) - 1 not in r.sentences)
    reading = StudyReading(
        record_id=record_id(evidence),
        text_sha256=text_hash(evidence),
        text=text_read(evidence),
        reader=RULES_READER,
        read_at=read_at,
        kinds=kinds,
        design=features,
        registry_ids=registry_ids(evidence),
        population=Population(n_randomised=sizes.randomised, sentences=sizes.sentences),
        arms=_arms_told(arms, sizes, results),
        results=results,
    )
    whole = checked(reading, told, evidence)
    missed = bool(whole.results) and _misses_main_result(told, arms, whole.results)
    unread = (MAIN_RESULT_NOT_READ,) if missed else _unread(evidence, whole)
    cut: tuple[Unreadable, ...] = ("text_cut_off",) if is_cut else ()
    return whole.model_copy(update={"unread": (*unread, *cut)})


def _sure(
    results: Sequence[Result], told: tuple[Span, ...], evidence: Evidence
) -> Iterator[Result]:
    """Yield the results of an abstract, and of an article those that name the primary outcome.

    Of an article's many results, those of other outcomes, early times, subgroups and other studies
    look the same as the one that decides: headings and references tell them apart, not words. Of a
    document with pages nobody knows where its abstract ends: there, all count where they agree.
    """
    end = evidence.metadata.full_text_from
    if end is None:
        pages = bool(evidence.metadata.page_starts)
        end = 0 if pages and len({r.better for r in results}) > 1 else len(evidence.content) + 1
    for result in results:
        spans = [told[n] for n in result.sentences]
        if all(s.start < end or _PRIMARY.search(s.text) for s in spans):
            yield result


def _misses_main_result(told: Sequence[Span], arms: KnownArms, results: Sequence[Result]) -> bool:
    """Return whether a sentence is left that may tell the main result, or of more deaths.

    The main result is that of the primary outcome, or of the first sentence that gives a test.
    """
    read = {number for result in results for number in result.sentences}
    has_primary = any(result.level == "primary" for result in results)
    has_deaths = any(names_death(result.outcome) for result in results)
    first = True
    for number, span in result_sentences(told):
        is_tested = _TESTED.search(span.text) is not None
        is_read, is_first = number in read, first and is_tested
        first = first and not is_tested
        if is_read or not marked(span.text, arms).mentions:
            continue
        is_main = is_tested and (is_first or _PRIMARY.search(span.text))
        if (is_main and not has_primary) or (not has_deaths and _tells_more_deaths(span.text)):
            return True
    return False


def _tells_more_deaths(text: str) -> bool:
    near = (text[max(0, m.start() - _NEAR) : m.end() + _NEAR] for m in _EXCESS.finditer(text))
    return _STOPPED.search(text) is not None or any(names_death(part) for part in near)


def _arms_told(known: KnownArms, sizes: Sizes, results: tuple[Result, ...]) -> tuple[Arm, ...]:
    """The arms, with their sizes; a lone one is told only where a result needs it."""
    used = {arm_id for result in results for arm_id in (result.a, result.b)}
    if len(known.arms) < 2 and not used:
        return ()
    return tuple(arm.model_copy(update={"n": sizes.by_arm.get(arm.id)}) for arm in known.arms)


def _unread(evidence: Evidence, reading: StudyReading) -> tuple[Unreadable, ...]:
    if not evidence.content.strip():
        return ("title_only",)
    if evidence.metadata.language not in (None, "", "en", "eng"):
        return ("not_english",)
    return () if reading.results else ("results_not_given",)
