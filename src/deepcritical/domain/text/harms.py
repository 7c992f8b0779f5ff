"""Finds sentences that report harms: how a treatment was tolerated, and what it did beside."""

import re

from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span


def _any(*patterns: str) -> re.Pattern[str]:
    return bounded("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


HARMS_SECTION = ("harm", "adverse", "safety", "side effect", "toxicit", "tolerab")
"""Section labels, by their beginning, under which harms are reported (CONSORT Harms 2022)."""

SAFETY = _any(
    (
        r"\badverse\b|\bside effects?\b|\btolerat\w+|\btolerab\w+|\bsafety\b|\bserious events?\b|"
        r"\btoxicit\w+|\bdiscontinu\w+|\bwithdrawals?\b|\bacceptability\b|\bgastrointestinal\b|"
        r"\bS?AEs?\b|\bhypo\w+a?emi\w+|\bbradycardia\b|\bvitamin b12\b|"
        r"\bwell[- ]tolerated\b|\bharms?\b|"
        r"\bgrades? (?:[≥>]\s*)?(?:[345]|iii|iv)\b|\bneuropath(?:y|ies)\b(?! (?:due|from))|"
        r"\bthrombo(?:sis|tic|embol\w+)\b|\bneutropeni\w+|\bmyelosuppress\w+|"
        r"\bhypotension\b|\bsomnolence\b|\bteratogen\w+"
    ),
    (
        r"\b(?:treatment|therapy|dosing|dose|drug|medication|it)\b[^.;]{0,30}"
        r"\b(?:was|were|had to be) (?:\w+ )?(?:interrupted|stopped|paused|withheld|withdrawn|"
        r"halted|suspended|reduced) (?:in|for|because|owing|due)\b"
    ),
    (
        r"\b(?:interrupt\w*|paus\w+|withheld|stopp\w+|halt\w+|suspend\w*) in (?:only )?"
        r"(?:\d+|one|two|three|four|five|six|a|no|another)\b"
    ),
)
"""A statement on harms or tolerability, an interruption of treatment included.

Toxicity of grade 3 and more is that of the Common Terminology Criteria for Adverse Events.
"""

SAFETY_AS_TOPIC = _any(
    r"\bas tolerated\b|\bwithout tolerab\w+",
    (
        r"\b(?:safety|tolerability|adverse (?:events?|effects?)|side effects?|toxicit(?:y|ies)|"
        r"acceptability)\b[^.;]{0,80}\b(?:(?:was|were|is|are|be|been) (?:\w+ ){0,2}"
        r"(?:analy[sz]ed|assessed|evaluated|updated|investigated|monitored|measured|collected|"
        r"recorded|defined|studied|examined|reviewed|discussed|included|addressed))\b"
    ),
    (
        r"\b(?:analy[sz]ed|assessed|evaluated?|evaluating|investigated?|monitored|monitoring|"
        r"measured|studied|examined|recorded|reviewed|collecting|goal of|regarding)\b"
        r"[^.;]{0,60}\b(?:safety|tolerability|adverse|toxicit\w+|side effects)"
    ),
    r"\b(?:mechanism|role) of [^.;]{0,60}\b(?:is|are) discussed\b",
    r"\bapparent safety\b|\bsafety and low cost\b",
    (
        r"\b(?:authors|review|paper|article|we) (?:\w+ )?"
        r"(?:discuss|consider|mention|propos|speculat)\w*\b"
    ),
    (
        r"\bnot (?:for|due to|because of|related to|prompted by) (?:an? |any )?(?:\w+ )?"
        r"(?:safety|toxicity|adverse)\b|"
        r"\b(?:no|not any) (?:\w+ )?(?:harms?|safety|tolerability|toxicity) "
        r"(?:data|information|results?|figures?)\b"
    ),
    r"\b(?:little|less|not much) is known\b|\b(?:outcomes?|end ?points?) (?:were|was|included)\b",
)
"""A sentence that has safety as what was looked at, and does not say what was found."""


def reports_harm(span: Span) -> bool:
    """Return whether a sentence reports results on harms, not only that they were studied."""
    told = SAFETY.search(span.text) or span.label.startswith(HARMS_SECTION)
    return bool(told) and not SAFETY_AS_TOPIC.search(span.text)
