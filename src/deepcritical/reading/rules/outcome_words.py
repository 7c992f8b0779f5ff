"""Cuts the name of an outcome out of a clause, and refuses words that name none."""

from __future__ import annotations

import re

from deepcritical.domain.text.patterns import bounded

_CUT = bounded(
    r",?\s(?:\d+(?:\.\d+)?\s?%?\s(?:versus|vs\.?)\s.*|[Pp]\s?[<=>].*|by\s\d.*|from\s\d.*|"
    r"(?:between|from) baseline (?:and|to|until)\b.*|"
    r"(?:statistically\s)?significantly|respectively.*|"
    r"with an? (?:hazard|odds|relative|mean|risk).*|resulting in.*|"
    r",?\s?(?:providing|making|offering|supporting|confirming|leading to|allowing)\b.*|"
    r"and (?:was|were|had|did|also|is|reduced|increased|improved|decreased|eased|prevented|slowed|"
    r"worsened|caused|prolonged|shortened|delayed|lowered|raised|relieved)\s.*|when$|as$|with$|"
    r"in$|for$|was$|were$|than.*|compared.*|without.*|but.*|even\b.*|regardless.*|because.*|which.*|"
    r"and (?:an? )?(?:\w+ ){0,2}?(?:improvements?|reductions?|increases?|decreases?|lower|higher|"
    r"fewer|more|less|greater|shorter|longer)\s.*|suggesting.*|indicating.*)$|"
    r",\s(?:with|an?|week|month|day|year|but)\b.*$",
    re.IGNORECASE,
)
_ARTICLE = bounded(
    r"^(?:(?:and|but|the|an?|any|all|both|in|of|that|also|its|their|significant|"
    r"significantly|statistically|we found that|either|reducing|decreasing|lowering|improving|"
    r"relieving|preventing|treating)\s)(?=\w)",
    re.IGNORECASE,
)
_NO_OUTCOME = bounded(
    r"^\d[\d.,-]*\s?(?:%|(?:[mµu]c?g|g|ml|IU|units?)\b)?\S*$|"  # a dose
    r"^(?:it|this|they|these|that|there|which|who|we|the difference|differences?|results?|both|"
    r"all|none|groups?|(?:two|both|three|four|[234]) .*|"
    r"(?:mean |median )?(?:changes?|differences?|reductions?)(?: from baseline)?|values?|levels?|"
    r"scores?|outcomes?|effects?|patients?|total|overall|days?|weeks?|"
    r"(?:overall |general )?(?:tolerability|safety|efficacy|tolerability and safety|safety and "
    r"tolerability|efficacy and (?:safety|tolerability))(?: profiles?)?|(?:the )?trial|"
    r"months?|a?(?:hr|or|rr)s?|(?:hazard|odds|risk|rate) ratios?|"
    r"(?:mean |median )?(?:proportion|number|percentage|rates?|incidence|frequency|time)|"
    r"than|to|in|of|with|no|study)$|\b(?:not|nor|neither|more|less|higher|lower|greater|fewer|"
    r"differ|than|compared|between|within)\b|\s(?:was|were|did)\b|[()\[\]]|"
    r"^(?:that|to|by|with|whether|from|if|when)\s",
    re.IGNORECASE,
)
_CONDUCT = bounded(
    r"\b(?:(?<!gestational )age(?!-)|sex|gender|ethnicity|race|adheren(?:ce|t)|complian(?:ce|t)|"
    r"concomitant|co-?medications?|attrition|loss to follow-up|lost to follow-up|"
    r"(?:completion|retention|follow-up) rates?|"
    r"(?:drop-?outs?|dropping out)(?! (?:due|because|owing|for|from)))\b",
    re.IGNORECASE,
)
"""Words on who took part and how the trial went: they spoil a list in which they stand."""
_MOST_WORDS = 30


def outcome_in(told: str) -> str:
    """The outcome in its words; '' where they are none of one."""
    text = _CUT.sub("", told.strip(" ,.;"))
    for _ in range(4):
        text = _ARTICLE.sub("", text)
    text = text.strip(" ,.;")
    unfit = _NO_OUTCOME.search(text) or _CONDUCT.search(text)
    return "" if unfit or len(text.split()) > _MOST_WORDS else text
