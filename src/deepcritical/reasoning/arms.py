"""The cue words that say who got what: comparators, combinations, populations.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = [
    "ABSENCE",
    "ALONE",
    "CLASS_WIDE",
    "COMBINED",
    "COMBINED_WITH",
    "COMPARATOR",
    "OF_TREATMENT",
    "OPENING",
    "OR_ANOTHER",
    "OTHER_POPULATION",
    "PAIRED",
    "POPULATION",
    "REFERENCE_ARM",
    "REPORTED_BEFORE",
    "SHOWN_TO",
]

COMPARATOR = bounded(
    r"\bbetween\s+(?!\S*(?:placebo|no treatment|non-?users|usual|standard))(?:\S+\s+){1,8}and\s+$|"
    r"\b(?:ranked (?:\S+ ){0,12}(?:before|above|below|after)|"
    r"compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|than|relative to|(?<!advise )"
    r"(?<!advised )(?<!advising )(?<!recommend )(?<!recommended )(?<!argue )(?<!speak )(?<!speaks )"
    r"(?<!weigh )(?<!protect )against|over|"
    r"superior to|inferior to|rather than|instead of|derivatives? of|analog(?:ue)?s? of)"
    r"\s+(?:\S+\s+){0,4}$",
    re.IGNORECASE,
)
"""Stands before a drug that is only the comparator."""

PAIRED = bounded(r"(?: \S+)?\s+(?:and|versus|vs\.?)\s", re.IGNORECASE)
"""Behind the first of two arms in "5% vs 9% for examplol and placebo, respectively"."""

ABSENCE = bounded(r"\b(?:no|non|without|not (?:taking|using|receiving))[\s-]+$", re.IGNORECASE)
"""Stands before a drug that was not given: "than no examplol" compares examplol with nothing."""

OPENING = bounded(
    r"\W*(?:\w[\w-]*\s+){0,3}(?:compared (?:with|to)|in comparison (?:with|to)|versus|than|"
    r"relative to|against|over)\s+[^,]+,\s+(?:the |oral |daily )?$",
    re.IGNORECASE,
)
"""A phrase before the subject: "Compared with placebo, ..." has the drug as what is compared."""

REFERENCE_ARM = bounded(
    r"\b(?:reference|comparator) (?:arm|group|drug|treatment)\b|\bcontrol group(?= \()|"
    r"\bin (?:both|all|each of the) (?:treatment |study )?(?:arms|groups)\b"
    r"(?=.*\b(?:therapy|treatment|induction|treated|received|given)\b)",
    re.IGNORECASE,
)
"""Says that the drug named with it is what others were compared with."""

COMBINED = bounded(
    r"\s*(?:combined with|plus|\+|in combination with|co-?administered with)\s", re.IGNORECASE
)
"""Stands behind a drug that is given together with another one."""

COMBINED_WITH = bounded(
    r"\s(?:combined with|plus|\+|in combination with|co-?administered with)\s+(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
"""Stands before a drug that another one is given together with."""

ALONE = bounded(r"\balone\b", re.IGNORECASE)
"""With a combination: the other drug alone is the comparator, so the combination tests the drug."""

OR_ANOTHER = bounded(r"\s+or\s+$", re.IGNORECASE)
"""Between two drugs: either was given, and what came of it is neither's alone."""

CLASS_WIDE = bounded(
    r"\bno (?:\w+ ){0,3}(?:drugs?|agents?|medications?|treatments?)\b|"
    r"\b(?:among|between|all|any of) (?:the )?(?:[\w-]+ ){0,3}"
    r"(?:drugs|agents|medications|treatments)\b",
    re.IGNORECASE,
)
"""Says something of every drug of a review, the one in question included."""

OTHER_POPULATION = bounded(
    r"\b(?:normal cognition|cognitively (?:normal|unimpaired|healthy)|"
    r"healthy (?:volunteers|controls|people|adults)|"
    r"without dementia|dementia-free|non-demented)\b",
    re.IGNORECASE,
)
"""A finding in people who do not have the condition."""

POPULATION = bounded(
    r"\b(?:patients|people|participants|adults|subjects|individuals|persons|veterans|children|"
    r"infants|outpatients|dementia|impairment|mci|mice|mouse|rats?|model|models|therapy|treatment|"
    r"treating|drugs?|hospitali[sz]ed)\s+(?:\S+\s+){0,4}?"
    r"(?:with|due to|of|for|in|having|diagnosed with|related to|treating)\s+(?:[^\s,;]+\s+){0,4}$|"
    r"\btreating\s+$",
    re.IGNORECASE,
)
"""Stands before a condition that those studied have, or that is treated."""

OF_TREATMENT = bounded(
    r"\b(?:treat\w*|groups?|arms?|participants?|patients?|outcomes?|differences?|effects?|users?|"
    r"administration|intervention|primary|(?:hazard|odds|risk|rate) ratio|relative risk|"
    r"(?-i:[HOR]R)|vs\.?|"
    r"versus)\b",
    re.IGNORECASE,
)
"""Without the drug's name, a sentence of a record on one drug is about it only with such a word."""

REPORTED_BEFORE = bounded(
    r"\b(?:previous|prior|earlier|other|another|two|three|several|recent|many|numerous|large|some) "
    r"(?:[\w-]+ ){0,3}(?:trials?|studies|study|reports?|meta-analys[ei]s|authors) "
    r"(?:have |has |had )?(?:shown?|demonstrat\w+|suggest\w+|found|report\w+|observed)\b|"
    r"(?<!nlike )(?<!\bas )(?<!\bthan )\b(?:in|from|by|across) (?:the )?(?:[\w-]+ ){0,2}"
    r"(?:earlier|previous|prior|past|preceding) (?:[\w-]+ ){0,3}"
    r"(?:trials?|studies|study|reports?|work|meta-analys[ei]s)\b|"
    r"\b(?:describ\w+|call\w+|cit\w+|quot\w+|mention\w+|recall\w+|referr\w+ to) (?:the )?"
    r"(?:initial|earlier|previous|prior|past) (?:[\w-]+ ){0,3}"
    r"(?:trials?|studies|study|reports?|data|evidence|work)\b",
    re.IGNORECASE,
)
"""What others found before: no result of a study that reports its own."""

SHOWN_TO = bounded(
    r"\b(?:has|have|had|was|were) (?:been )?(?:previously |already |also )?"
    r"(?:shown|demonstrated|reported|proven|proved) (?:to\b|that\b|in\b|"
    r"(?:\w+ )?(?:effective|beneficial|"
    r"promising))",
    re.IGNORECASE,
)
"""The same in the passive; in a section of results it is said of one's own."""
