"""The cue words that say what a sentence is about; those of its direction are in `directions`.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded
from deepcritical.reasoning.directions import BAD, GOOD

__all__ = [
    "AIM",
    "CLAUSE_BREAK",
    "EFFICACY",
    "FELT",
    "LABORATORY",
    "NOT_FINDINGS",
    "NOT_GIVEN",
    "NO_DIRECTION",
    "OTHER_OUTCOME",
    "OUTCOME",
    "OUTLOOK",
    "TREND",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return bounded("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


CLAUSE_BREAK = bounded(
    r";\s+|,\s+and that\b|"
    r",?\s+\b(?:but(?! not)|yet|whereas|although|though|however|while|despite)\b\s*,?\s*",
    re.IGNORECASE,
)

AIM = _any(
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|sought|set out)\b(?! (?:test|lead))",
    (
        r"\bto (?:evaluate|assess|determine|investigate|examine|compare|identify|explore|study|"
        r"test|clarify|appraise|synthesi[sz]e)\b"
    ),
    (
        r"\bwe (?:hypothesi[sz]ed?|propose)\b|\bhypothesi[sz]\w+\b|\bwhether\b|\bwill be\b|"
        r"\bwas designed\b|\bare needed\b|\bis needed\b|\bwarranted\b|"
        r"\b(?:is|are|be) required\b"
    ),
    (
        r"\bremain(?:s|ed)? (?:unclear|unknown|uncertain|controversial|elusive|unexplored)\b|"
        r"\bhas been reported to\b|\b(?:is|are|was|were) (?:still |largely )?(?:unclear|unknown)\b|"
        r"\buncertainty (?:about|regarding)\b|\bin the context of\b"
    ),
    (
        r"\b(?:primary|secondary|main|co-primary|exploratory) (?:\w+ )?(?:outcomes?|end ?points?)\b"
        r".{0,40}\b(?:was|were|is|are|included?)\b"
        r"(?!.{0,60}\b(?:significant|improved|differ|lower|higher|reduced|better|met|achieved|"
        r"reached)\b)"
    ),
    r"\bthe abstract (?:gives|does not|lists|names)\b",
    r"\bholds? (?:great |much )?promise\b|\bprovides? (?:the|a) basis\b|\bwarrants?\b",
    r"\bis (?:being|currently) (?:investigated|evaluated|tested|studied)\b",
    r"\b(?:is|are) expected to\b|\bthere is limited evidence\b",
    (
        r"\binclusion criteria\b|\beligible\b|\bwere (?:searched|identified|included)\b|"
        r"\bwe (?:searched|included|analy[sz]ed)\b"
    ),
)
"""An aim, a method or an outlook: says nothing of a result."""

NO_DIRECTION = _any(
    r"\b(?:not|cannot|n['’]t) (?:\w+ ){0,2}(?:establish|prove|demonstrate|imply|infer)\w*"
    r" (?:\w+ ){0,3}caus\w+",
    r"\brank(?:ed|s|ing)?\b",
    r"\bSUCRA\b",
    r"\bmost effective\b(?!.*\bplacebo\b)",
    r"\b(?:were|was) (?:significantly )?(?:younger|older)\b|\bbaseline characteristics\b",
    (
        r"\bvery[- ]low[- ](?:certainty|quality)\b(?=.*\b(?:may|might|could|suggest\w*|possible)\b)"
        r"(?!.*\b(?:no|not|little)\b)"
    ),
)
"""Points nowhere: a disclaimer on causality, a rank among drugs, which is no effect, or a benefit
that "may" be there by evidence of very low certainty, which GRADE calls very uncertain."""

OUTCOME = _any(
    BAD,
    GOOD,
    r"\b(?:outcomes?|end ?points?|efficacy|effective\w*|effects?|benefits?|associat\w+|scales?|"
    r"scores?|recommended|support\w*|contradictory|conflicting|controversial|evidence|events?|"
    r"die[ds]?|dying|similar results|alike|(?:trial|study)\b[^.;]{0,40}\bnegative|"
    r"advantage|relief|fared|help(?:s|ed|ful)?|work(?:ed|ing)|of (?:\w+ )?use|place (?:for|in)|"
    r"(?:odds|hazard|risk|rate) ratios?|(?-i:[ORH]R|PFS|OS|DFS|EFS))\b",
)
"""What patients have or feel, or a word that stands for it."""

LABORATORY = bounded(
    r"\b(?:cell[- ](?:culture|lines?|based|models?)|in[- ]vitro|ex[- ]vivo|stem cells?|"
    r"neuron(?:al)? models?|assays?|neurites?|"
    r"h(?:a?e)modynamic|blood flow|perfusion|(?:glucose|oxygen|cerebral) metabolism|biomarkers?|"
    r"metabolic rates?|reactivity|"
    r"cytokines?|interleukins?|antibod\w+|(?:serum|plasma|CSF) (?:levels?|concentrations?)|"
    r"gene expression|viral (?:RNA|load)|Ct[- ]values?)\b",
    re.IGNORECASE,
)
"""What is measured in a laboratory or a scanner and not felt by a patient."""

FELT = bounded(
    r"\b(?:mortality|deaths?|died|surviv\w+|symptoms?|recover\w+|hospitali[sz]\w+|risks?|odds|"
    r"incidence|cognit\w+|memory|executive|function(?:ing|al)|disease progression|relapses?|"
    r"remissions?|response rates?|responders?|pain|disability|quality of life|ventilation|"
    r"intensive care|clinical(?:ly)?|efficacy|effective\w*|outcomes?|improvement in)\b",
    re.IGNORECASE,
)
"""What patients have or feel: with one of these a clause is not about a laboratory value alone."""

NOT_GIVEN = bounded(r"\bthe abstract (?:gives no|does not)\b", re.IGNORECASE)
"""A summary's word on what its source does not say."""

TREND = bounded(r"\btrends?\b(?! analys)", re.IGNORECASE)
"""A result that did not reach significance."""

OTHER_OUTCOME = bounded(
    r"\bcognitive (?:impairment|decline|dysfunction)\b|\ball-cause\b", re.IGNORECASE
)
"""Outcomes that stand for no condition of the vocabulary."""

EFFICACY = bounded(
    r"\b(?:effective|efficac\w+|improv\w+|resol\w+|regress\w+|respon\w+|recover\w+)\b",
    re.IGNORECASE,
)
"""A word of efficacy beside a statement on safety."""

NOT_FINDINGS = (
    "importance",
    "question",
    "exposure",
    "background",
    "introduction",
    "aim",
    "objective",
    "purpose",
    "context",
    "rationale",
    "method",
    "materials",
    "patients and",
    "study design",
    "research design",
    "design",
    "setting",
    "participants",
    "intervention",
    "measurement",
    "main outcome",
    "funding",
    "trial registration",
    "registration",
    "areas of uncertainty",
    "data source",
    "data collection",
    "data extraction",
    "search method",
    "selection criteria",
    "study selection",
    "eligibility",
    "review method",
    "rationale",
    "trial design",
    "limitation",
)
"""Section labels, by their beginning, in which no result stands."""

OUTLOOK = bounded(
    r"\basked for\b|\bcalled for\b|"
    r"\b(?:further|more|future|larger|additional) (?:\w+ ){0,2}"
    r"(?:studies|study|trials?|research)\b",
    re.IGNORECASE,
)
"""A wish for more research."""
