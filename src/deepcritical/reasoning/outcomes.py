"""Which findings of a study weigh most: its primary outcome, death, and sound analyses.

GRADE rates outcomes one by one and by their importance (GRADE guidelines 2, J Clin Epidemiol 2011),
death first. A trial is sized for its primary outcome (CONSORT 2010, item 6a): a null on a secondary
one does not undo it, and a benefit on a secondary one does not rescue it (Boutron et al., JAMA
2010, on spin). So:

- with a finding on the primary outcome, that one decides, together with a benefit or harm in deaths
  and with any harm;
- without one, a benefit or harm in deaths decides over nulls on other outcomes;
- a benefit, or none, in a subgroup decides only where nothing is found in all (ICEMAN, CMAJ 2020);
- what is left when studies at high risk of bias are excluded decides over what is pooled with them
  (GRADE guidelines 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Protocol, TypeVar

from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span
from deepcritical.reasoning.figures import Way

__all__ = ["Weight", "primary_outcomes", "weigh", "weight_of"]


class Weight(Enum):
    """What a finding is about, in the order of its weight."""

    SOUND_ANALYSIS = "an analysis without studies at high risk of bias"
    PRIMARY = "the primary outcome"
    DEATH = "death or survival"
    OVERALL = "the benefit as a whole"
    OTHER = "another outcome"
    SUBGROUP = "a part of those studied"


class _Weighed(Protocol):
    @property
    def way(self) -> Way: ...
    @property
    def weight(self) -> Weight: ...


_Finding = TypeVar("_Finding", bound=_Weighed)

_DEFINED = bounded(
    r"\b(?:primary|co-?primary|main)(?:[\s,/-]+\w+){0,3}?[\s-]+(?:outcomes?|end[\s-]?points?)"
    r"(?: measures?| variables?)?(?: (?:of|for|in) [^.,;:]{3,60}?)?(?:\s*\([^()]*\))?"
    r"\s*(?:(?:was|were|is|are|included?s?)\b|:)\s*"
    r"(?P<what>[^.;]+)",
    re.IGNORECASE,
)
_NARROWED = bounded(
    r"\s(?:defined|assessed|within|at|by|measured|after|over|in|on|during|from|as|up to|"
    r"until|through|among|based|evaluated)\s|[,(:;\[]|\b(?:which|that)\b",
    re.IGNORECASE,
)
_CHANGE_IN = bounded(
    r"^(?:the )?(?:\w+ ){0,2}?"
    r"(?:changes?|differences?|reductions?|improvements?|decreases?|increases?)"
    r"(?: from baseline)?(?: (?:to|at) \w+ \d+)? (?:in|of) (?:the )?",
    re.IGNORECASE,
)
_EACH = bounded(r"\s+(?:and|or)\s+|\s*,\s*")
_FILLER = frozenset(
    "the a an of to time proportion patients patient participants subjects adults who with without "
    "number rate rates incidence composite change changes percentage total mean median all any day "
    "days week weeks month months year years event events first occurrence clinical cause "
    "either sustained overall primary efficacy outcome endpoint score scores level levels "
    "treatment therapy".split()
)
_SAYS_PRIMARY = bounded(
    r"\b(?:co-?)?primary[\s-](?:\w+[\s-]){0,2}?(?:outcomes?|end[\s-]?points?|events?)\b",
    re.IGNORECASE,
)
_DEATH = bounded(
    r"\b(?:(?i:mortality|deaths?|died|overall survival|survival advantage|survival benefit)|OS)\b"
)
_COMPOSITE = bounded(
    r"\bcomposite\b|\b(?:or|and/or) (?:death|mortality)\b|\b(?:death|mortality) or\b", re.I
)
_OVERALL = bounded(
    r"\bclinically (?:meaningful|relevant|important|significant)\b|\bineffective\b|"
    r"\bnot (?:be )?(?:recommended|effective|beneficial|support\w*)\b|"
    r"\b(?:does|do|did) not support\b",
    re.IGNORECASE,
)
_BIASED = r"\b(?:risk of bias|high[- ]risk|low[- ]quality|some concerns|fraud\w*|retracted)\b"
_SOUND = bounded(
    r"\b(?:exclu\w+|remov\w+|omit\w+|leav\w+ out|left out|discard\w+)\b[^.;]{0,60}"
    rf"{_BIASED}|"
    r"\b(?:once|when|after|if|with)\b[^.;]{0,40}\b(?:studies|trials)\b[^.;]{0,40}"
    rf"{_BIASED}[^.;]{{0,40}}\b(?:excluded|removed|omitted|left out|discarded)\b|"
    rf"\bwithout (?:the |those |these )?(?:\w+ )?(?:studies|trials)\b[^.;]{{0,40}}{_BIASED}|"
    r"\b(?:studies|trials) (?:at|with) (?:a )?low risk of bias\b|\blow[- ]risk[- ]of[- ]bias\b|"
    r"\b(?:studies|trials) that (?:addressed|accounted for|avoided|controlled|handled|"
    r"dealt with|tackled|minimi[sz]ed|corrected for) [^.;]{0,30}bias",
    re.IGNORECASE,
)
"""Says that studies which may mislead were left out, before the finding or in its clause."""
_SUBGROUP = bounded(
    r"\bsub-?groups?\b|\bsubsets?\b|\bpost[- ]hoc\b|\bstratum\b|"
    r"\bamong (?:the )?\d[\d ,]* (?:patients|participants|adults|people)[^,;.]{0,30}"
    r"\bwith(?! available| complete| data)\b",
    re.IGNORECASE,
)
_STEM = 5


def _stem(word: str) -> str:
    low = word.lower()
    return {"death": "mortal", "deaths": "mortal", "died": "mortal"}.get(low, low)[:_STEM]


def _stems(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]{3,}", text)
    return frozenset(_stem(word) for word in words if word.lower() not in _FILLER)


def primary_outcomes(spans: Iterable[Span]) -> tuple[frozenset[str], ...]:
    """The word stems of each primary outcome that a text defines."""
    found: dict[frozenset[str], None] = {}
    for span in spans:
        match = _DEFINED.search(span.text)
        if match:
            found.update(dict.fromkeys(_heads(match["what"])))
    return tuple(found)


def _heads(what: str) -> list[frozenset[str]]:
    """What an outcome is called, without how and when it is measured."""
    head = _NARROWED.split(f"{_CHANGE_IN.sub('', what)} ")[0]
    return [stems for part in _EACH.split(head) if (stems := _stems(part))]


def weight_of(clause: str, sentence: str, primary: Sequence[frozenset[str]]) -> Weight:
    """What the finding of a clause is about."""
    at = sentence.find(clause)
    if _SOUND.search(sentence[: at + len(clause)] if at >= 0 else sentence):
        return Weight.SOUND_ANALYSIS
    if _SUBGROUP.search(sentence):
        return Weight.SUBGROUP
    said = _stems(clause)
    if _SAYS_PRIMARY.search(clause) or any(stems <= said for stems in primary):
        return Weight.PRIMARY
    if _DEATH.search(clause) and not _COMPOSITE.search(clause):
        return Weight.DEATH
    return Weight.OVERALL if _OVERALL.search(clause) else Weight.OTHER


def weigh(findings: Sequence[_Finding]) -> list[_Finding]:
    """The findings that decide what a study says; see the rules above."""
    in_all = [f for f in findings if f.weight is not Weight.SUBGROUP or f.way is Way.HARM]
    return _weigh(in_all or list(findings))


def _weigh(findings: Sequence[_Finding]) -> list[_Finding]:
    sound = [f for f in findings if f.weight is Weight.SOUND_ANALYSIS]
    if sound:
        return [f for f in findings if f in sound or f.way.against]
    primary = [f for f in findings if f.weight is Weight.PRIMARY]
    deaths = [f for f in findings if f.weight is Weight.DEATH and f.way is not Way.NO_EFFECT]
    if primary:
        return [f for f in findings if f in primary or f in deaths or _stands_beside(f)]
    if deaths:
        nulls = [f for f in findings if f.way is Way.NO_EFFECT and f.weight is Weight.OTHER]
        return [f for f in findings if f not in nulls]
    return list(findings)


def _stands_beside(finding: _Weighed) -> bool:
    """Whether a finding counts beside the primary outcome: harm, or no benefit as a whole."""
    if finding.way is Way.HARM:
        return True
    return finding.way is Way.NO_EFFECT and finding.weight is Weight.OVERALL
