"""Hypotheses that compare two arms: "Does examplol reduce pain compared with placebo?"."""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.reasoning.effects import EffectDirection

__all__ = ["Comparison", "comparison"]

_UP = (
    r"increas\w*|rais(?:e[sd]?|ing)|elevat\w+|prolong\w*|improv\w*|enhanc\w*|(?:lead|"
    r"result)s? (?:to|in) (?:an? )?(?:higher|greater|increased|more|longer)|higher|greater"
)
_DOWN = (
    r"reduc\w+|decreas\w*|lower\w*|diminish\w*|shorten\w*|prevent\w*|alleviat\w+|lessen\w*|"
    r"(?:lead|result)s? (?:to|in) (?:an? )?(?:lower|smaller|reduced|decreased|less|fewer|shorter)"
)
_SAME = (
    r"(?:has|have|make[sd]?|show[sn]?|is|are|find|found)? ?no (?:significant )?"
    r"(?:difference|effect|change|influence|impact)s?|(?:does|do|"
    r"did) not (?:significantly )?(?:change|affect|alter|influence|differ)"
)
_HYPOTHESIS = bounded(
    r"^\W*(?:(?:does|do|did|can|could|will|would|may|might) )?(?P<intervention>.+?) "
    r"(?:significantly |to |can |may )*"
    rf"(?:(?P<same>{_SAME})|(?P<up>{_UP})|(?P<down>{_DOWN}))"
    r" (?:(?:in|on|of|the) )*(?P<outcome>.+?)(?: ?, ?| )"
    r"(?:(?:when |as )?compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|relative to|"
    r"(?:more |less )?than) (?:with |that of )?(?P<comparator>.+?)\W*$",
    re.IGNORECASE,
)


class Comparison(NamedTuple):
    """What a hypothesis claims one arm does to an outcome, compared with another arm."""

    intervention: str
    claimed: EffectDirection
    outcome: str
    comparator: str


def comparison(text: str) -> Comparison | None:
    """The comparison that a hypothesis claims; None when it names no arm to compare with."""
    match = _HYPOTHESIS.match(" ".join(text.split()))
    if match is None:
        return None
    claimed = (
        EffectDirection.NO_DIFFERENCE
        if match["same"]
        else EffectDirection.INCREASED
        if match["up"]
        else EffectDirection.DECREASED
    )
    return Comparison(match["intervention"], claimed, match["outcome"], match["comparator"])
