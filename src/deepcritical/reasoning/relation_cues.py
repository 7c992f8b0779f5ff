"""The cue words of a sentence that finds no relation, or that finds nothing at all.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = ["AIM", "NO_DIRECTION", "NO_EFFECT"]


def _any(*patterns: str) -> re.Pattern[str]:
    return bounded("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


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


def _gap(words: int) -> str:
    """Up to so many words in between, numbers and brackets included."""
    return rf"(?:[^\s;.]+\s+){{0,{words}}}"


_COMMON = r"(?:common|frequent|often|likely)\b"


_NOT = (
    r"(?:(?:did|does|do|was|were|is|are|has|have|had|could|can|may|would) ?(?:not|n['’]t)|"
    r"cannot|neither|nor|without|never|(?:might|will|would|should|may|do) not)"
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
        r"\bunlikely (?:to|that)\b.{0,60}\b(?:improv\w*|benefit\w*|reduc\w*|effect\w*|help|"
        r"shorten|prevent|provide|have)\b"
    ),
    (
        r"\bnot (?:meet|met|achieve[d]?|reach(?:ed)?)\b(?=.*\bprimary\b)|"
        r"\bprimary (?:\w+ )?(?:outcomes?|end ?points?)\b.{0,60}\bnot (?:met|achieved|reached)\b|"
        r"\bmissed (?:its|the|their) (?:\w+ )?primary\b"
    ),
    r"\blittle (?:or|to) no\b",
    r"\bnot (?:be )?clinically (?:meaningful|relevant|important|significant)\b",
    r"\bnone of the (?:[\w-]+ ){1,4}(?:prevented|improved|reduced|shortened|lowered)\b",
    (
        rf"\b{_NOT}\s+{_gap(4)}(?:associat\w+|improv\w+|reduc\w+|affect\w*|alter\w*|chang\w+|"
        r"lower\w*|differ\w*|prevent\w*|support\w*|recommend\w*|significant\w*|benefi\w+|protect\w*|decreas\w+|"
        r"shorten\w*|superior|effective|slow\w*|observed|evident|confirm\w*|translate|recommended|"
        r"result in|lead to|influence|impact|increase)"
    ),
    r"\b(?:was|were) not\s*[.)]?$",
    r"\bfail(?:ed|s|ure)? to\b",
    r"\b(?:were|was|is|are) (?:\w+ )?(?:comparable|similar)\b",
    r"\b(?:describ|report|judg|regard|rat)\w+\b[^.;]{0,90}\bas (?:\w+ )?(?:comparable|similar)\b",
    r"\black(?:ed|s|ing)? (?:of )?(?:clinical )?(?:effects?|efficacy|benefits?)\b",
    r"\b(?:ineffective|non-?significant|not significant|futil\w+|inconsistent findings)\b",
    r"\bnot reach (?:statistical )?significance\b",
    (
        r"\b(?:no|none of the) (?:[\w-]+ ){1,3}(?:significantly )?(?:improved|reduced|lowered|"
        r"decreased|slowed|prevented|benefit(?:s|ed)?)\b"
    ),
    r"\bdoes not support\b|\bnot supported\b|\bdo not support\b",
    r"\bno (?:more (?!than\b)|better\b|greater\b|faster\b|quicker\b|different\b|fewer\b)",
    r"\bno (?:bearing on|relief|gain|merit|place (?:for|in)\b|(?:\w+ )?signs? of)",
    r"\b(?:did|does|do) nothing (?:for|to|against)\b",
    r"\bwithout (?:reaching |attaining )?(?:statistical(?:ly)? )?significan\w+",
    r"\bwithout (?:an?y? |clear )?(?:effects?|benefits?|advantage|efficacy)\b",
    r"\b(?:useless|worthless)\b|\b(?:is|are|was|were|had|has) no use\b",
    r"\bof no (?:use|value|benefit|help)\b",
    (
        r"\b(?:advis|recommend|argu|speak|spoke|weigh|caution|counsel)\w* "
        r"(?:strongly |clearly )?against\b"
    ),
    r"\b(?:trial|study)\b[^.;]{0,40}\b(?<!tested )negative\b(?! (?:for|in)\b)",
    (
        r"\b(?:gave|had|showed|produced|yielded) (?:\w+ )?similar "
        r"(?:results?|outcomes?|rates?|responses?)\b|\b(?:were|was) alike\b"
    ),
    rf"\b(?:not|no|neither) (?:significantly |any )?(?:more|less) {_COMMON}",
    (
        r"(?<!twice )(?<!times )(?<!half )(?<!third )\bas (?:long|often|likely|"
        r"frequent(?:ly)?|common|quickly|fast|many|effective)\s+(?:[^\s.;]+\s+){1,5}"
        r"as (?:in |on |with |those |for )|"
        r"\bas effective as\b"
    ),
    (
        rf"\b{_NOT}\s+{_gap(4)}(?:help|work(?:ed|ing)?|reliev\w+|ease|outperform\w*|"
        r"fared? better|do better)\b"
    ),
    (
        rf"\b(?:benefits?|effects?|advantages?|associations?|differences?)\b\s+{_gap(10)}"
        r"(?:(?:was|were) (?:lost|no longer)|disappear\w*|vanish\w*|evaporated|"
        r"did not (?:persist|hold|survive))"
    ),
)
"""A result of no benefit."""
