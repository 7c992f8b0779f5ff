"""What a yes/no question or hypothesis asserts, so that a text can be held against it.

"Does examplol reduce pain?" asserts a lowering, "Is examplol as effective as placebo?" that nothing
differs, "Is a biopsy necessary?" a need. The kind says which findings speak for the assertion and
which against it: that nothing differs refutes the first and supports the second.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold

__all__ = ["Proposition", "PropositionKind", "proposition", "stems"]


class PropositionKind(StrEnum):
    """What is asserted of the things that a hypothesis names."""

    OMISSION = "something can be left out"
    SAMENESS = "two things do not differ"
    NEED = "something is needed or should be done"
    DETRIMENT = "something does harm or stands in the way"
    RAISING = "something is raised"
    LOWERING = "something is lowered"
    RELATION = "one thing affects, predicts or goes with another"
    MERIT = "something works, helps or is good enough"
    STATE = "something is so"


def _any(*words: str) -> re.Pattern[str]:
    return bounded(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


_KINDS: tuple[tuple[PropositionKind, re.Pattern[str]], ...] = (
    (
        PropositionKind.OMISSION,
        _any(
            r"omit\w*",
            r"omission",
            r"dispens\w+ with",
            r"(?:be|safely) (?:avoided|spared|skipped)",
            r"waste",
            r"unnecessary",
            r"do without",
            r"superfluous",
            r"obsolete",
        ),
    ),
    (PropositionKind.NEED, bounded(r"^\W*(?:should|must|ought)\b", re.IGNORECASE)),
    (
        PropositionKind.SAMENESS,
        _any(
            r"(?:the )?same",
            r"equal(?:ly)?",
            r"equivalent",
            r"equivalence",
            r"similar(?:ly)?",
            r"comparable",
            r"identical",
            r"interchangeable",
            r"non-?inferior\w*",
            r"as (?:\w+ ){1,2}as",
            r"replace(?:d|s)?",
            r"substitute[sd]?",
            r"surrogate",
        ),
    ),
    (
        PropositionKind.NEED,
        _any(
            r"necess\w+",
            r"need(?:s|ed)?",
            r"mandatory",
            r"require[sd]?",
            r"indicated",
            r"(?:is|are) (?:\w+ ){0,4}warranted",
            r"should",
            r"must",
            r"time to (?:re\w+|stop|abandon|change|move|adopt|start|consider|rethink)",
            r"essential",
            r"ought",
            r"recommended",
        ),
    ),
    (
        PropositionKind.DETRIMENT,
        _any(
            r"harm(?:s|ful|ed)?",
            r"contra-?indicat\w+",
            r"barriers?",
            r"compromise[sd]?",
            r"wors(?:e|en|ens|ened|ening)",
            r"limiting",
            r"limited (?:to|by)",
            r"jeopardi[sz]e\w*",
            r"impair\w*",
            r"inferior",
            r"poorer",
            r"detriment\w*",
            r"advers\w+ (?:affect|effect|impact|influence)\w*",
            r"(?:under|over)(?:estimat|diagnos|treat|report|us|prescri)\w*",
            r"at (?:\w+ )?risk",
            r"delay(?:s|ed)?",
            r"lower quality",
        ),
    ),
    (
        PropositionKind.LOWERING,
        _any(
            r"reduc(?:e|es|ed|tion|ing)",
            r"decreas(?:e|es|ed|ing)",
            r"lower(?:s|ed|ing)?",
            r"prevent(?:s|ed|ing|ive|ion of)?",
            r"attenuat\w+",
            r"diminish\w*",
            r"suppress\w*",
            r"inhibit\w*",
            r"shorten\w*",
            r"fewer",
            r"less",
            r"protect(?:s|ive)?(?: \w+)? (?:against|from)",
            r"alleviat\w+",
            r"slow(?:s|ed|ing)?",
            r"declin(?:e|es|ed|ing)",
        ),
    ),
    (
        PropositionKind.RAISING,
        _any(
            r"increas(?:e|es|ed|ing)",
            r"rais(?:e|es|ed|ing)",
            r"elevat\w+",
            r"enhanc(?:e|es|ed|ing)",
            r"higher",
            r"greater",
            r"promot(?:e|es|ed|ing)",
            r"more",
            r"prolong\w*",
            r"longer",
            r"stimulat\w+",
        ),
    ),
    (
        PropositionKind.MERIT,
        _any(
            r"effective\w*",
            r"efficac\w+",
            r"shr[aiu]nk\w*",
            r"cur(?:es?|ed|ing)",
            r"heal(?:s|ed|ing)?",
            r"relie(?:f|ves?|ved)",
            r"alleviat\w+",
            r"ameliorat\w+",
            r"halt(?:s|ed)?",
            r"useful\w*",
            r"reliab\w+",
            r"accurate\w*",
            r"adequate\w*",
            r"appropriate\w*",
            r"sufficient\w*",
            r"enough",
            r"safe(?:ly|ty)?",
            r"feasib\w+",
            r"valid\w*",
            r"possible",
            r"works?",
            r"beneficial",
            r"benefits?",
            r"improv\w+",
            r"better",
            r"best",
            r"advantage\w*",
            r"valu(?:e|able)",
            r"good",
            r"satisf\w+",
            r"accept\w+",
            r"alternative",
            r"ideal",
            r"option",
            r"succe\w+",
            r"help\w*",
            r"worth\w*",
            r"justif\w+",
            r"superior",
            r"viable",
            r"practical",
            r"promising",
            r"repurpos\w+",
            r"treat(?:s|ing)?",
            r"rely",
            r"trust\w*",
            r"can (?:we|be)",
        ),
    ),
    (
        PropositionKind.RELATION,
        _any(
            r"affect(?:s|ed|ing)?",
            r"influenc\w+",
            r"impact\w*",
            r"effects?",
            r"associat\w+",
            r"relat(?:e|es|ed|ion|ions|ionship|ionships)",
            r"correlat\w+",
            r"predict\w*",
            r"caus\w+",
            r"depend\w*",
            r"chang(?:e|es|ed|ing)",
            r"alter\w*",
            r"determin\w+",
            r"lead(?:s)? to",
            r"link\w*",
            r"induc\w+",
            r"(?:risk )?factors?",
            r"markers?",
            r"prognos\w+",
            r"matter",
            r"contribut\w+",
            r"role",
            r"differ\w*",
            r"distinct\w*",
            r"dispari\w+",
            r"var(?:y|ies|iation|iations)",
            r"modif\w+",
            r"involve[sd]?",
            r"responsible",
            r"mediat\w+",
        ),
    ),
)
"""The first kind, in this order, whose words the question's own clause holds."""
_ASKED = bounded(
    r"(?:^|[:.?!,;]\s+|\s[-–—]+\s*|--)\s*(?=(?:is|are|was|were|do|does|did|can|could|will|would|"
    r"should|"
    r"must|may|might|has|have|had|shall)\b)",
    re.IGNORECASE,
)
"""Before the clause that asks, as in "Examplol in testitis: does it help?"."""
_WORD = bounded(r"[^\W_]+(?:-[^\W_]+)*")
_COMMON = frozenset(
    "a an and any are as at be been being between both but by can could did do does done during "
    "each "
    "ever few for from had has have having how if in into is it its may me might more most must "
    "my no "
    "non not of off on one only or other our out over own per really same shall should since so "
    "some "
    "still such than that the their them then there these they this those through to too under "
    "until "
    "up upon us use used using very via was we were what when where whether which while who "
    "whom whose "
    "why will with within without would year years your among after before because also all always "
    "study studies patient patients among case cases result results".split()
)
_SUFFIX = bounded(
    r"(?:ations?|itions?|ings?|ively|ively|ments?|ness|ically|ical|ically|ies|ied|ily|ities|ity|"
    r"ions?|ives?|als?|ally|ants?|ances?|ences?|ents?|ers?|ors?|ates?|ated|izes?|ised?|ed|es|ly|"
    r"s|e|y|ic)$"
)
_STEM = 4
"""Letters that a stem keeps at least."""


def _stem(word: str) -> str:
    shorter = _SUFFIX.sub("", word)
    return shorter if len(shorter) >= _STEM else word.rstrip("s") if len(word) > _STEM else word


def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry the meaning of a text; hyphenated words also by parts."""
    words = (w for match in _WORD.findall(fold(text)) for w in {match, *match.split("-")})
    return frozenset(_stem(word) for word in words if word not in _COMMON and len(word) > 1)


class Proposition(NamedTuple):
    """A hypothesis as something that a text can support or refute."""

    text: str
    kind: PropositionKind
    terms: frozenset[str]
    """Stems of the words it is about, with those of its abbreviations' long forms."""

    def overlap(self, text: str) -> float:
        """The share of a text's subject that the proposition names too, 0-1."""
        shared = len(self.terms & stems(text))
        return shared / max(1, min(len(self.terms), 6)) if self.terms else 0.0


def proposition(text: str, context: str = "") -> Proposition:
    """The proposition of a question or hypothesis.

    Args:
        text: "Does examplol reduce pain?", or the same as an assertion.
        context: The text it is held against, for the abbreviations that this defines.
    """
    asked = [m.end() for m in _ASKED.finditer(text)]
    clause = text[asked[-1] :] if asked else text
    kind = _kind(clause) or _kind(text) or PropositionKind.STATE
    terms = stems(text)
    for short, long in expand_abbreviations(context).items():
        if _stem(fold(short)) in terms:
            terms |= stems(long)
        elif stems(long) and stems(long) <= terms:
            terms |= {_stem(fold(short))}
    return Proposition(text, kind, terms)


def _kind(clause: str) -> PropositionKind | None:
    return next((kind for kind, words in _KINDS if words.search(clause)), None)
