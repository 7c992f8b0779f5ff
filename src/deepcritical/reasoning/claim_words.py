"""The words of a sentence as they are compared: stems, with the signs of a direction as one word.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold

__all__ = [
    "ASSOCIATED",
    "BETTER",
    "DOWN",
    "EFFECT",
    "FINDING",
    "GENERIC",
    "SAME",
    "SIGNIFICANT",
    "SIGNS",
    "UP",
    "WORSE",
    "Word",
    "key_of",
    "weight",
    "words",
]

UP, DOWN, BETTER, WORSE = "<up>", "<down>", "<better>", "<worse>"
SIGNS = frozenset({UP, DOWN, BETTER, WORSE, "<same>"})
SAME, ASSOCIATED, SIGNIFICANT, EFFECT = "<same>", "<associated>", "<significant>", "<effect>"
_FIND = "<find>"


class Word(NamedTuple):
    """A word at ``text[start:end]``, with the key under which it is compared; '' for a filler."""

    key: str
    start: int
    end: int
    clause: int
    """Number of the clause within the sentence."""
    raw: str
    """In lower case, as written."""


_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (sign, bounded(rf"(?:{stems})\Z"))
    for sign, stems in (
        (
            UP,
            r"increas\w*|higher|highest|elevat\w+|rais(?:e[sd]?|ing)|rise[sn]?|rose|rising|"
            "greater|more|"
            r"upregulat\w+|augment\w*|larger|longer|prolong\w*|promot\w+|stimulat\w+|"
            r"activat\w+|grew|gains?|boost\w*|accelerat\w+|faster|earlier|lengthen\w*|"
            r"heighten\w*|potentiat\w+|extend(?:s|ed|ing)?|overexpress\w+|stronger|induc\w+|"
            r"doubl(?:e[sd]?|ing)|tripl(?:e[sd]|ing)|trebl(?:e[sd]?|ing)|quadrupl(?:e[sd]|ing)",
        ),
        (
            DOWN,
            r"decreas\w*|reduc\w+|lower|lowers|lowered|lowering|lowest|declin\w+|fell|falls?|"
            r"fallen|drop(?:s|ped)?|less|fewer|lesser|diminish\w*|attenuat\w+|suppress\w*|"
            r"downregulat\w+|shorter|shorten\w*|inhibit\w*|smaller|slow(?:s|ed|ing|er)?|"
            r"delay\w*|prevent\w*|halv\w+|cut|block(?:s|ed|ing)?|lessen\w*|deplet\w+|"
            r"weaker|mitigat\w+|minimi[sz]\w+|shr[aiu]nk\w*|later",
        ),
        (
            BETTER,
            r"improv\w*|better|best|benefi\w+|ameliorat\w+|alleviat\w+|favou?r\w*|enhanc\w+|"
            r"outperform\w*|protect\w*|reliev\w+|restor\w+|superior\w*|advantag\w*|effective|"
            "effectively|efficacious|safe|safely",
        ),
        (
            WORSE,
            r"worse\w*|worst|deteriorat\w+|exacerbat\w+|impair\w*|aggravat\w+|inferior|poorer|"
            r"harm(?:s|ed|ful)?|detriment\w*|deleterious|disadvantag\w*|unsafe",
        ),
        (
            SAME,
            r"similar\w*|comparabl\w+|equal\w*|equivalen\w+|same|alike|identical\w*|"
            r"noninferior\w*|unchanged|unaffected|unaltered",
        ),
        (ASSOCIATED, r"associat\w+|correlat\w+|link(?:s|ed)?|related|relation\w*|predict\w*"),
        (SIGNIFICANT, r"significan\w*"),
        (
            EFFECT,
            r"effects?|impacts?|influenc\w+|affect(?:s|ed|ing)?|differ\w*|chang(?:e|es|ed|ing)|alter\w*",
        ),
        (
            _FIND,
            r"show[sn]?|showed|demonstrat\w+|found|find|finds|findings?|reveal\w*|"
            r"indicat(?:e[sd]?|ing)|suggest\w*|"
            r"observ\w+|report(?:s|ed)?|seen|noted|detect(?:ed|s)?|conclud\w+|evidence|results?|"
            "data|stud(?:y|ies)|trials?|rcts?|analys[ei]s|authors?|conclusions?",
        ),
    )
)
_GROUPS = (
    "patient participant subject individual people person adult",
    "drug medication medicine agent treat treatment therapy therapeutic intervention",
    "group arm",
    "death die dead mortality fatal fatality died",
    "mice mouse murine",
    "child children pediatric paediatric",
    "elder elderly older geriatric",
    "woman women female",
    "man men male",
    "cancer carcinoma tumor neoplasm malignancy malignant",
    "heart cardiac",
    "kidney renal",
    "liver hepatic",
    "lung pulmonary",
    "brain cerebral",
    "surgery operation surgical operative",
    "begin start initiate initiation onset",
    "hospital hospitalized hospitalised hospitalization hospitalisation admission admitted",
    "infant neonate newborn neonatal",
    "pregnancy pregnant",
    "recover recovery",
    "cognition cognitive cognitively",
    "random randomly randomized randomised randomization",
    "necessary need needed require required",
    "useful helpful help",
    "test testing assessment assess evaluate evaluation",
    "combine combination combined plus together",
    "versus vs compared comparison than against relative",
    "big large major",
    "illness disease disorder",
    "painful pain",
    "infect infection infected",
    "diabetic diabetes",
    "hypertensive hypertension",
    "obese obesity",
    "depressive depression depressed",
    "woman women",
    "risk odds hazard likelihood probability chance",
    "develop occur arise happen occurrence incidence",
    "survive survival",
    "memory recall",
    "screen screening",
    "smoke smoker smoking",
    "receive received given give administer administered",
    "exercise training",
)
_COMMON = frozenset(
    "a an any are as at be been being between both but by can could did do does done during each "
    "for from had has have having how if in into is it its may me might more most must my of off "
    "on one only or other our out over own per should since so some such that the their them then "
    "there these they this those through to too under until up upon was we were what when where "
    "whether which while who whom whose why will with within would and also however although "
    "thus therefore moreover furthermore respectively not no nor neither never without cannot "
    "every all each using use used user via among after before because here yet still ci".split()
)
_SUFFIX = bounded(
    r"(?:ations?|itions?|ings?|ively|ments?|ness|ically|ical|ies|ied|ily|ities|ity|ions?|ives?|"
    r"als?|ally|ants?|ances?|ences?|ents?|ers?|ors?|ates?|ated|ating|izes?|ized|ed|es|ly|s|e|y|ic)\Z"
)
_BRITISH = ((bounded(r"ae|oe"), "e"), (bounded(r"(?<=\w{3})our"), "or"))
_WORD = bounded(r"\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+(?!\d)|[^\W_]+(?:['’][^\W_]+)?")
_CLAUSE = bounded(
    r"[;:]\s|[.!?]\s|,?\s\b(?:but|whereas|although|though|while|however|yet|despite|except)\b|"
    r",\s(?:and|with|which|who)\b",
    re.IGNORECASE,
)


def _stem(word: str) -> str:
    for pattern, short in _BRITISH:
        word = pattern.sub(short, word)
    shorter = _SUFFIX.sub("", word)
    return shorter if len(shorter) >= 4 else word.rstrip("s") if len(word) > 4 else word


@lru_cache(maxsize=65536)
def key_of(word: str) -> str:
    """The key under which a word in lower case is compared; '' for a word that carries nothing."""
    for sign, pattern in _SIGNS:
        if pattern.match(word):
            return sign
    if word in _COMMON or (len(word) < 2 and not word.isdigit()):
        return ""
    return _SYNONYMS.get(word) or _SYNONYMS.get(_stem(word)) or _stem(word)


_SYNONYMS = {
    form: _stem(group.split()[0])
    for group in _GROUPS
    for member in group.split()
    for form in (member, _stem(member))
}


_THINGS = frozenset(_stem(word) for word in ("patient", "group", "versus", "drug", "big"))
GENERIC = frozenset({SIGNIFICANT, EFFECT, _FIND}) | _THINGS
"""Keys that nearly every abstract has, and that tell no finding from another."""
FINDING = frozenset({UP, DOWN, BETTER, WORSE, SAME, ASSOCIATED, SIGNIFICANT, EFFECT, _FIND})
"""Keys of the words that say what came out."""


def weight(key: str) -> float:
    """How much a word counts when two sentences are compared."""
    return 0.3 if key in GENERIC else 0.0 if not key else 1.0


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[Word, ...]:
    """The words of a sentence in order, numbers among them, with offsets into `text`."""
    breaks = [m.start() for m in _CLAUSE.finditer(text)]
    found: list[Word] = []
    clause = 0
    for match in _WORD.finditer(text):
        while clause < len(breaks) and breaks[clause] < match.start():
            clause += 1
        low = match.group().lower()
        low = low if low.isascii() else fold(low)
        low = re.sub(r"[,\s]", "", low.removesuffix("'s"))
        found.append(Word(key_of(low), match.start(), match.end(), clause, low))
    return tuple(found)
