"""The cue words by which the extractive reasoner reads a sentence.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

__all__ = [
    "ABSENCE",
    "AIM",
    "ALONE",
    "BENEFIT",
    "CLASS_WIDE",
    "CLAUSE_BREAK",
    "COMBINED",
    "COMPARATOR",
    "EFFICACY",
    "HARM",
    "NOT_FINDINGS",
    "NOT_GIVEN",
    "NO_DIRECTION",
    "NO_EFFECT",
    "OF_TREATMENT",
    "OTHER_OUTCOME",
    "OTHER_POPULATION",
    "OUTCOME",
    "OUTLOOK",
    "POPULATION",
    "REFERENCE_ARM",
    "SAFETY",
    "SPARED",
    "TREND",
    "UNDO",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


def _gap(words: int) -> str:
    """Up to so many words in between, numbers and brackets included."""
    return rf"(?:[^\s;.]+\s+){{0,{words}}}"


_BAD = (
    r"(?:risks?|odds|hazards?|incidences?|mortality|deaths?|decline|impairments?|dementia|"
    r"progression|burden|load|patholog\w+|deficits?|symptoms?|severity|hospitali[sz]ations?|"
    r"accumulation|deposit\w*|prevalen\w+|loss|dysfunction|inflammation|neuroinflammation|"
    r"viral load|occurrence|rates?|time to|duration|neurodegeneration|"
    r"phosphorylation|stress|relapses?|worsening|ventilation|infections?|levels? of aβ|aβ level)"
)
_GOOD = (
    r"(?:cognit\w+|executive|memory|learning|function\w*|performance|survival|outcomes?|recovery|"
    r"recall|attention|response|remission|clearance|regression|"
    r"quality of life|efficacy|resolution|profile|improvement|involution|success\w*)"
)
_LESS = (
    r"(?:reduc\w+|lower\w*|decreas\w+|less|fewer|attenuat\w+|alleviat\w+|slow\w*|delay\w*|"
    r"prevent\w*|ameliorat\w+|mitigat\w+|shorten\w*|shorter|protect\w* against|protect\w* from|"
    r"suppress\w+)"
)
_MORE = r"(?:increas\w+|higher|greater|elevat\w+|rais(?:e[sd]?|ing)|enhanc\w+|longer)"
_BETTER = (
    r"(?:improv\w+|enhanc\w+|better|faster|superior|favou?r\w*|preserv\w+|restor\w+|increas\w+|"
    r"higher|greater)"
)
_NOT = (
    r"(?:(?:did|does|do|was|were|is|are|has|have|had|could|can|may|would) ?(?:not|n['’]t)|"
    r"cannot|neither|nor|without|never)"
)

NO_EFFECT = _any(
    (
        rf"\bno\s+{_gap(4)}(?:effects?|associations?|differences?|benefits?|improvements?|"
        r"relationships?|impact|reductions?|changes?|advantage|correlation|beneficial)\b"
    ),
    r"\b(?:no|none)\b.{0,60}\bcan (?:currently |yet )?be recommended\b",
    r"\bno (?:clear |convincing |reliable |good )?evidence\b",
    r"\b(?:contradictory|conflicting|controversial)\b",
    r"\b(?:did|do|does) not (?:observe|find|detect|provide (?:support|evidence))\b",
    (
        rf"\b{_NOT}\s+{_gap(4)}(?:associat\w+|improv\w+|reduc\w+|affect\w*|alter\w*|chang\w+|"
        r"lower\w*|differ\w*|prevent\w*|support\w*|significant\w*|benefi\w+|protect\w*|decreas\w+|"
        r"shorten\w*|superior|effective|slow\w*|observed|evident|confirm\w*|translate|recommended|"
        r"result in|lead to|influence|impact|increase)"
    ),
    r"\b(?:was|were) not\s*[.)]?$",
    r"\bfail(?:ed|s|ure)? to\b",
    r"\b(?:were|was|is|are) (?:\w+ )?(?:comparable|similar)\b",
    r"\black(?:ed|s|ing)? (?:of )?(?:clinical )?(?:effects?|efficacy|benefits?)\b",
    r"\b(?:ineffective|non-?significant|not significant|futil\w+|inconsistent findings)\b",
    r"\bnot reach (?:statistical )?significance\b",
    (
        r"\b(?:no|none of the) (?:[\w-]+ ){1,3}(?:significantly )?(?:improved|reduced|lowered|"
        r"decreased|slowed|prevented|benefit(?:s|ed)?)\b"
    ),
    r"\bdoes not support\b|\bnot supported\b|\bdo not support\b",
)
"""A result of no benefit."""

HARM = _any(
    (
        rf"\b{_MORE}\s+(?:in |of |the |a |an )*{_gap(3)}(?:risks?|odds|hazards?|incidences?|"
        r"mortality|deaths?|aggregat\w+|deposition|burden|patholog\w+|generation|biogenesis|"
        r"insoluble|hospitali[sz]ation)\b"
    ),
    (
        rf"\b(?:risk|odds|hazard|incidence|mortality)\b\s+{_gap(6)}(?:was|were|is|are) {_gap(2)}"
        r"(?:increased|higher|elevated|greater|raised)\b"
    ),
    (
        r"\bworsen\w*|\bworse\b|\bexacerbat\w+|\bdetriment\w+|\bdeleterious\b|\baggravat\w+|"
        r"\bpoorer\b|\bharmful\b"
    ),
    (
        r"\b(?:reduc\w+|lower\w*|decreas\w+|impair\w+)\s+(?:the |in )?"
        r"(?:cognition|cognitive (?:function\w*|performance)|memory|survival)\b"
        r"(?!\s+(?:decline|impairment|loss|deficit))"
    ),
    r"\bpromot\w+\s+(?:\S+\s+){0,2}(?:aggregation|deposition|amyloid\w*|tau)\b",
)
"""A result of harm."""

BENEFIT = _any(
    rf"\b{_LESS}\s+(?:in |of |the |a |an |against |from )*{_gap(6)}{_BAD}\b",
    rf"\b{_BAD}\b\s+{_gap(9)}(?:was|were|is|are|be) {_gap(4)}(?:{_LESS})\b",
    rf"\b(?:risk|hazard|odds|mortality|incidence)s?\b {_gap(3)}{_LESS}\b",
    rf"\b{_BETTER}\s+(?:in |of |the |a |an |overall )*{_gap(5)}{_GOOD}\b",
    rf"\b{_GOOD}\b\s+{_gap(8)}(?:improv\w+|better|faster|enhanced|superior)\b",
    rf"\b{_GOOD}\b\s+{_gap(8)}favou?red\b",
    (
        r"\bprotective (?:effect|role|agent|against)\b|\bneuroprotective\b|\bbeneficial\b|"
        r"\bbenefit(?:s|ed)?\b|\beffective\b|\bpositive effects?\b|\bpromising\b"
    ),
    r"\bsignificantly (?:reduced|lower)\b|\bimproved\b|\bsuperior to\b|\bless prevalent\b",
)
"""A result of benefit; looked for only where neither NO_EFFECT nor HARM is found."""

COMPARATOR = re.compile(
    r"\bbetween\s+(?!\S*(?:placebo|no treatment|non-?users|usual|standard))(?:\S+\s+){1,8}and\s+$|"
    r"\b(?:ranked (?:\S+ ){0,12}(?:before|above|below|after)|"
    r"compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|than|relative to|against|over|"
    r"superior to|inferior to|rather than|instead of|derivatives? of|analog(?:ue)?s? of)"
    r"\s+(?:\S+\s+){0,4}$",
    re.IGNORECASE,
)
"""Stands before a drug that is only the comparator."""

ABSENCE = re.compile(r"\b(?:no|non|without|not (?:taking|using|receiving))[\s-]+$", re.IGNORECASE)
"""Stands before a drug that was not given: "than no examplol" compares examplol with nothing."""

OPENING = re.compile(
    r"\W*(?:[\w-]+\s+){0,3}(?:compared (?:with|to)|in comparison (?:with|to)|versus|than|"
    r"relative to|against|over)\s+[^,]+,\s+(?:the |oral |daily )?$",
    re.IGNORECASE,
)
"""A phrase before the subject: "Compared with placebo, ..." has the drug as what is compared."""

CLAUSE_BREAK = re.compile(
    r";\s+|,\s+and that\b|"
    r",?\s+\b(?:but(?! not)|yet|whereas|although|though|however|while|despite)\b\s*,?\s*",
    re.IGNORECASE,
)

UNDO = re.compile(
    r"\b(?:offset\w*|counteract\w*|undercut\w*|negate[sd]?|outweigh\w*|cancel\w*|abolish\w*)\b",
    re.IGNORECASE,
)
"""Turns the direction of what it governs: to offset a higher risk is a benefit."""

SPARED = re.compile(
    r"\b(?:deficit|deterioration|impairment|decline) (?:was |were )?not (?:observed|seen|found)\b",
    re.IGNORECASE,
)
"""Damage that others had and the treated did not: a benefit."""

REFERENCE_ARM = re.compile(
    r"\b(?:reference|comparator) (?:arm|group|drug|treatment)\b|\bcontrol group(?= \()",
    re.IGNORECASE,
)
"""Says that the drug named with it is what others were compared with."""

OTHER_POPULATION = re.compile(
    r"\b(?:normal cognition|cognitively (?:normal|unimpaired|healthy)|"
    r"healthy (?:volunteers|controls|people|adults)|"
    r"without dementia|dementia-free|non-demented)\b",
    re.IGNORECASE,
)
"""A finding in people who do not have the condition."""

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
        r"(?!.{0,60}\b(?:significant|improved|differ|lower|higher|reduced|better)\b)"
    ),
    r"\bthe abstract (?:gives|does not|lists|names)\b",
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
)
"""Points nowhere: a disclaimer on causality, or a rank among drugs, which is no effect."""

OUTCOME = _any(
    _BAD,
    _GOOD,
    r"\b(?:outcomes?|end ?points?|efficacy|effective\w*|effects?|benefits?|associat\w+|scales?|"
    r"scores?|recommended|support\w*|contradictory|conflicting|controversial|evidence)\b",
)
"""What patients have or feel, or a word that stands for it."""

NOT_GIVEN = re.compile(r"\bthe abstract (?:gives no|does not)\b", re.IGNORECASE)
"""A summary's word on what its source does not say."""

TREND = re.compile(r"\btrends?\b(?! analys)", re.IGNORECASE)
"""A result that did not reach significance."""

OTHER_OUTCOME = re.compile(
    r"\bcognitive (?:impairment|decline|dysfunction)\b|\ball-cause\b", re.IGNORECASE
)
"""Outcomes that stand for no condition of the vocabulary."""

COMBINED = re.compile(
    r"\s*(?:combined with|plus|\+|in combination with|co-?administered with)\s", re.IGNORECASE
)
"""Stands behind a drug that is given together with another one."""

COMBINED_WITH = re.compile(
    r"\s(?:combined with|plus|\+|in combination with|co-?administered with)\s+(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
"""Stands before a drug that another one is given together with."""

ALONE = re.compile(r"\balone\b", re.IGNORECASE)
"""With a combination: the other drug alone is the comparator, so the combination tests the drug."""

CLASS_WIDE = re.compile(
    r"\bno (?:\w+ ){0,3}(?:drugs?|agents?|medications?|treatments?)\b|"
    r"\b(?:among|between|all|any of) (?:the )?(?:[\w-]+ ){0,3}"
    r"(?:drugs|agents|medications|treatments)\b",
    re.IGNORECASE,
)
"""Says something of every drug of a review, the one in question included."""

EFFICACY = re.compile(
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
)
"""Section labels, by their beginning, in which no result stands."""

SAFETY = _any(
    (
        r"\badverse\b|\bside effects?\b|\btolerat\w+|\btolerab\w+|\bsafety\b|\bserious events?\b|"
        r"\btoxicit\w+|\bdiscontinu\w+|\bwithdrawals?\b|\bacceptability\b|\bgastrointestinal\b|"
        r"\bhypogly\w+|\bbradycardia\b|\bvitamin b12\b|\bwell[- ]tolerated\b|\bharms?\b"
    ),
)
"""A statement on harms or tolerability."""

OUTLOOK = re.compile(
    r"\basked for\b|\bcalled for\b|"
    r"\b(?:further|more|future|larger|additional) (?:\w+ ){0,2}"
    r"(?:studies|study|trials?|research)\b",
    re.IGNORECASE,
)
"""A wish for more research."""

POPULATION = re.compile(
    r"\b(?:patients|people|participants|adults|subjects|individuals|persons|veterans|children|"
    r"infants|outpatients|dementia|impairment|mci|mice|mouse|rats?|model|models|therapy|treatment|"
    r"treating|drugs?|hospitali[sz]ed)\s+(?:\S+\s+){0,4}?"
    r"(?:with|due to|of|for|in|having|diagnosed with|related to|treating)\s+(?:[^\s,;]+\s+){0,4}$|"
    r"\btreating\s+$",
    re.IGNORECASE,
)
"""Stands before a condition that those studied have, or that is treated."""

OF_TREATMENT = re.compile(
    r"\b(?:treat\w*|groups?|arms?|participants?|patients?|outcomes?|differences?|effects?|users?|"
    r"administration|intervention|(?:hazard|odds|risk|rate) ratio|relative risk|[HOR]R|vs\.?|"
    r"versus)\b",
    re.IGNORECASE,
)
"""Without the drug's name, a sentence of a record on one drug is about it only with such a word."""
