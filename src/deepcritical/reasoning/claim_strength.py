"""Whether a sentence is firmer than its source: a may, a trend, an aim or an association.

Or whether its outcome is a stronger one: a cure where the source tells of less.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.patterns import bounded

__all__ = ["is_aim", "overstatement", "states_finding", "stronger_outcome"]

_HEDGE = bounded(
    r"\b(?:may|might|could|possibl[ey]|perhaps|seem(?:s|ed)?|appear(?:s|ed)?|suggest\w*|"
    r"potential(?:ly)?|probabl[ey]|likely|tend(?:s|ed|ency)?|trends?|hint\w*|preliminary|"
    r"apparent(?:ly)?|promising|presum\w+|indicat\w+|believed|thought)\b",
    re.IGNORECASE,
)
_ASSOCIATION = bounded(
    r"\b(?:associat\w+|correlat\w+|link(?:s|ed)?|relat(?:ed|ionship)|predict\w*)\b", re.IGNORECASE
)
_CAUSE = bounded(
    r"\b(?:caus(?:e|es|ed|ing)|lead(?:s|ing)? to|led to|result(?:s|ed)? in|induc\w+|prevent\w*|"
    r"reduc(?:es|ed|ing)|lower(?:s|ed)|increases|increased the|protects?|cures?|proves?|proven)\b",
    re.IGNORECASE,
)
_CERTAIN = bounded(r"\b(?:definitive\w*|prove[sn]?|proved|cure[sd]?|always|conclusive\w*)\b", re.I)
_AIM = bounded(
    r"\b(?:aim(?:s|ed)? (?:to|of|was|is)|objectives?|purpose|sought to|set out to|"
    r"hypothesi[sz]\w*|whether|is unknown|was designed to|will be|propose[sd]? to|"
    r"to (?:evaluate|assess|determine|investigate|examine|compare|explore|test|study))\b",
    re.IGNORECASE,
)
_FOUND = bounded(
    r"\b(?:was|were) (?:\w+ly )?(?:associated|higher|lower|reduced|increased|improved|"
    r"observed|found)\b|"
    r"\bwe found\b|\b[Pp]\s?[<=>]",
)
_SIGN = bounded(
    r"\b(?:reduc(?:es|ed)|increas(?:es|ed)|improv(?:es|ed)|lower(?:s|ed)|prevent(?:s|ed)|"
    r"decreas(?:es|ed)|slow(?:s|ed)|worsen(?:s|ed)|(?:is|was|were|are) (?:\w+ )?(?:effective|"
    r"beneficial|superior|safe|associated|higher|lower|better)|delay(?:s|ed)|enhanc(?:es|ed)|"
    r"protect(?:s|ed)|benefit(?:s|ed))\b",
    re.IGNORECASE,
)


class _Outcome(NamedTuple):
    """An outcome that is more than an improvement, with all that a source may call it."""

    said: re.Pattern[str]
    told: re.Pattern[str]


def _outcome(said: str, also: str) -> _Outcome:
    return _Outcome(
        bounded(rf"\b(?:{said})\b", re.IGNORECASE),
        bounded(rf"\b(?:{said}|{also})\b", re.IGNORECASE),
    )


_OUTCOMES = (
    _outcome(
        r"cure[sd]?|curing|curative(?:ly)?|heal(?:s|ed|ing)?|eradicat\w+|"
        r"complete (?:remission|recovery|resolution|response)s?|"
        r"(?:complete|full)ly (?:resolv|recover|clear|disappear)\w*",
        r"remissions?|remitted|resol(?:v|ut)\w+|recover\w*|clear(?:s|ed|ing|ance)?|"
        r"disappear\w*|eliminat\w+|abolish\w*|free (?:of|from)|[\w-]+-free|"
        r"(?:became|become|turned|tested) negative|seroconver\w+",
    ),
    _outcome(
        r"(?:halt|arrest|revers)\w* (?:[\w'’-]+ ){0,4}(?:progression|decline|worsening)",
        r"halt\w*|arrest\w*|revers\w*|stop(?:s|ped|ping)?|restor\w+|rescu\w+|normali[sz]\w+|"
        r"prevent\w*|abolish\w*|block\w*|no (?:[\w-]+ ){0,2}(?:progression|decline|worsening)",
    ),
)
_DENIED = bounded(r"\b(?:not|no|never|neither|nor|without|cannot|fail\w*)\b|n['’]t\b", re.I)


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


def stronger_outcome(said: str, source: str) -> str:
    """The words of an outcome that the source does not tell of; '' when there are none.

    "Cured" is stronger than "improved". A sentence that denies claims no outcome.
    """
    for outcome in _OUTCOMES:
        found = outcome.said.search(said)
        if found and not outcome.told.search(source) and not _DENIED.search(said):
            return found.group()
    return ""
