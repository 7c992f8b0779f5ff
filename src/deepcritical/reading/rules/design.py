"""The kind and design of a study, from its grade and the words of its title and methods."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deepcritical.domain.designs import Design, design_of
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.study import DesignFeature, StudyKind
from deepcritical.domain.text import Span

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
