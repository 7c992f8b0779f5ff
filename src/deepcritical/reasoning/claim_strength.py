"""Whether a sentence is firmer than its source: a may, a trend, an aim or an association."""

from __future__ import annotations

import re

__all__ = ["is_aim", "overstatement", "states_finding"]

_HEDGE = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|seem(?:s|ed)?|appear(?:s|ed)?|suggest\w*|"
    r"potential(?:ly)?|probabl[ey]|likely|tend(?:s|ed|ency)?|trends?|hint\w*|preliminary|"
    r"apparent(?:ly)?|promising|presum\w+|indicat\w+|believed|thought)\b",
    re.IGNORECASE,
)
_ASSOCIATION = re.compile(
    r"\b(?:associat\w+|correlat\w+|link(?:s|ed)?|relat(?:ed|ionship)|predict\w*)\b", re.IGNORECASE
)
_CAUSE = re.compile(
    r"\b(?:caus(?:e|es|ed|ing)|lead(?:s|ing)? to|led to|result(?:s|ed)? in|induc\w+|prevent\w*|"
    r"reduc(?:es|ed|ing)|lower(?:s|ed)|increases|increased the|protects?|cures?|proves?|proven)\b",
    re.IGNORECASE,
)
_CERTAIN = re.compile(
    r"\b(?:definitive\w*|prove[sn]?|proved|cure[sd]?|always|conclusive\w*)\b", re.I
)
_AIM = re.compile(
    r"\b(?:aim(?:s|ed)? (?:to|of|was|is)|objectives?|purpose|sought to|set out to|"
    r"hypothesi[sz]\w*|whether|is unknown|was designed to|will be|propose[sd]? to|"
    r"to (?:evaluate|assess|determine|investigate|examine|compare|explore|test|study))\b",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"\b(?:was|were) (?:\w+ly )?(?:associated|higher|lower|reduced|increased|improved|"
    r"observed|found)\b|"
    r"\bwe found\b|\b[Pp]\s?[<=>]",
)
_SIGN = re.compile(
    r"\b(?:reduc(?:es|ed)|increas(?:es|ed)|improv(?:es|ed)|lower(?:s|ed)|prevent(?:s|ed)|"
    r"decreas(?:es|ed)|slow(?:s|ed)|worsen(?:s|ed)|(?:is|was|were|are) (?:\w+ )?(?:effective|"
    r"beneficial|superior|safe|associated|higher|lower|better)|delay(?:s|ed)|enhanc(?:es|ed)|"
    r"protect(?:s|ed)|benefit(?:s|ed))\b",
    re.IGNORECASE,
)


def is_aim(sentence: str) -> bool:
    """Whether a sentence says what was asked or supposed, and not what was found."""
    return bool(_AIM.search(sentence)) and not _FOUND.search(sentence)


def states_finding(sentence: str) -> bool:
    """Whether a sentence states an effect as found, without a may or a might."""
    return (
        bool(_SIGN.search(sentence)) and not _AIM.search(sentence) and not _HEDGE.search(sentence)
    )


def overstatement(said: str, source: str) -> str:
    """How the sentence is firmer than what it rests on; '' when it is not."""
    hedge = _HEDGE.search(source)
    if hedge and not _HEDGE.search(said):
        return f"the source says “{hedge.group()}”"
    link = _ASSOCIATION.search(source)
    if link and not _ASSOCIATION.search(said) and _CAUSE.search(said) and not _CAUSE.search(source):
        return f"the source says “{link.group()}”, which is no cause"
    certain = _CERTAIN.search(said)
    if certain and not _CERTAIN.search(source):
        return f"the source does not say “{certain.group()}”"
    return ""
