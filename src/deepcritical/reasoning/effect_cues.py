"""The cue words of a direction of effect between two arms, apart from whether it is good.

English of results, not knowledge of medicine. What is good or bad for patients is in `directions`.
"""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = [
    "AFTER",
    "ALIKE_ADVERB",
    "AMOUNT",
    "BOTH_ARMS",
    "CHANGE",
    "CUE",
    "FIGURES_OF_NO_ARM",
    "LEFT_OUT",
    "NULL",
    "OPENING",
    "PAIR",
]

_UP = (
    r"(?:increas\w+|higher|greater|more|elevat\w+|rais(?:e|es|ed|ing)|rose|rises?|enhanc\w+|"
    r"longer|larger|faster|prolong\w+|gain(?:s|ed)?|exceed\w*|superior|stronger|earlier onset|"
    r"doubled|tripled|heavier|taller|upregulat\w+|accelerat\w+|often)"
)
_DOWN = (
    r"(?:reduc\w+|decreas\w+|lower\w*|less|fewer|diminish\w*|declin\w+|attenuat\w+|prevent\w*|"
    r"suppress\w*|inhibit\w*|shorter|shorten\w*|alleviat\w+|amelior\w+|slow\w*|smaller|fell|"
    r"drop(?:s|ped)?|minimi[sz]\w+|lessen\w*|relie[fv]\w*|lost|loss|halved|blunt\w*|impair\w*|"
    r"inferior|poorer|earlier|downregulat\w+|protect\w*|eliminat\w+|low)"
)
_BETTER = r"(?:improv\w+|better|best|benefi\w+|favou?r\w*|effective\w*|recover\w+|superior|good)"
_WORSE = r"(?:wors\w+|deteriorat\w+|poor(?:er|ly)?|exacerbat\w+|aggravat\w+|inferior)"
CUE = bounded(
    rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<better>{_BETTER})|(?P<worse>{_WORSE}))\b",
    re.IGNORECASE,
)
NULL = bounded(
    r"\b(?:no|without|nor|neither|not|n['’]t|none|never|failed|fails|lack(?:ed)?)\b|"
    r"\bnon-?significant|\bn\.?s\.?\b|\b(?:similar|comparable|equivalent|unchanged|the same|alike|"
    r"equal(?:ly)?|identical|unaffected|as effective as|insignificant|indistinguishable|"
    r"non-?inferior\w*|similarly|comparably|unaltered|ineffective)\b",
    re.IGNORECASE,
)
CHANGE = bounded(
    r"reductions?|decreases?|declines?|loss|falls?|drops?|improvements?|increases?|gains?|rises?",
    re.IGNORECASE,
)
AMOUNT = bounded(r"greater|larger|more|higher|smaller|less|lower|fewer", re.IGNORECASE)
AFTER = bounded(
    r"\b(?:than|(?:as )?compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|relative to|"
    r"over|against|with respect to)\b",
    re.IGNORECASE,
)
OPENING = bounded(
    r"^\W*(?:when |as )?(?:compared (?:with|to)|in comparison (?:with|to)|relative to|"
    r"versus)[^,]*,",
    re.IGNORECASE,
)
LEFT_OUT = tuple(
    "background;introduction;objective;aim;purpose;method;material;design;setting;participants;"
    "intervention;registration;measurement;funding;context;rationale;subjects;hypothes;"
    "trial registration;main outcome;patients and;study design;outcome measure;data source".split(
        ";"
    )
)
"""Section labels, by their beginning, in which no result of an arm stands."""
BOTH_ARMS = bounded(
    r"\b(?:in|with|of|for|by) (?:both|all|either|each)(?: of the)?(?: \w+)? (?:groups?|arms?|"
    r"treatments?|cases|conditions?)\b|\bboth groups\b",
    re.IGNORECASE,
)
ALIKE_ADVERB = bounded(
    r"^\W*similarly,|\bsimilar (?:decline|reduction|increase|improvement|decrease|fall|"
    r"rise)s? (?:in|was seen)",
    re.IGNORECASE,
)


_VALUE = r"(?<![\w.=<>,/-])[-−–]?\d+(?:[.·]\d+)?"
PAIR = bounded(
    rf"(?P<first>{_VALUE})[^;]{{0,60}}?\b(?:vs\.?|versus|(?:as )?compared (?:with|to)|than|and|"
    rf"against)\s[^;]{{0,60}}?(?P<second>{_VALUE})",
    re.IGNORECASE,
)


FIGURES_OF_NO_ARM = bounded(
    r"\b[Pp]\s*[=<>≤≥]\s*[\d.·]+|\d+(?:\.\d+)?% ?(?:CI|confidence)[^)\];]*|\b(?:at|after|"
    r"for) \d+ \w+|\d+/(?=\d)"
)
"""P values, intervals, times and counts before a stroke, which are no value of an arm."""
