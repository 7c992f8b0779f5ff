"""Whether two questions ask the same, by their frames; how alike they are worded is told elsewhere.

Questions on two drugs, or for and against one, lie close together for any measure of wording.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.named import Condition
from deepcritical.domain.patterns import bounded
from deepcritical.questions import cues
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.vocabulary.folding import key_of

__all__ = ["Meant", "meaning_of"]

_NUMBER = bounded(r"\b\d+(?:[.,]\d+)?\b")
_WORD = bounded(r"[^\W\d_]{4,}")
_QUALIFIERS = bounded(
    r"\b(?:vaccin\w+|low|high|early|late|severe|mild|acute|chronic|oral\w*|topical\w*|intravenous\w*|"
    r"inhaled|nasal|short|long|more|less|safer?)\b",
    re.IGNORECASE,
)
"""How much, in which form: one such word more makes another question."""

_TOLD = (cues.LATEST, cues.CAUSED, *(p for _, p in (*cues.OUTCOMES, *cues.GROUPS)))
"""What a frame has already, in whichever words."""

_ASKING = frozenset(
    "about actin actio acts actua adult adver affec after again allev also alter ameli assoc "
    "autho been being benef best bette candi case cases cause causi chang clini commo compa condi "
    "corre could cure cured cures curin data decre delay diffe disea disor does dosag dose doses "
    "drug drugs ease eased eases effec effic ever evide exist found frequ from gave gets give "
    "given gives good halt halte halts harm harmf harms have havin heal heale heals help helpe "
    "helps highe human impac impro incid incre indiv influ infor into kind kinds known lead leads "
    "line link linke liter lower made make makes many mecha medic might modif much must need "
    "needs obser onto optio other paper parti patie peopl perso preva preve promi prote raise "
    "raisi rate rates reall recor reduc relat relie repor repos repur resea resul rever risk "
    "risks role safe safet said says seen shoul show shown shows shran shrin side signi slow "
    "slowe slows some sort studi study subje sugge take taken takes takin than that thera there "
    "these this those throu told toler took treat trial type used usefu user users uses using "
    "versu well what when where which whom whose with work worki works worse would".split()
)
"""What words begin with that ask, and name nothing."""


class Meant(NamedTuple):
    """What a question names and asks; equal for two that may be offered for one another."""

    kind: QuestionKind
    drugs: frozenset[str]
    comparators: frozenset[str]
    condition: str
    population: frozenset[str]
    outcomes: frozenset[str]
    through: frozenset[str]
    negative: bool
    raises: bool
    caused: bool
    numbers: frozenset[str]
    qualifiers: frozenset[str]
    words: frozenset[str]


def meaning_of(frame: QuestionFrame) -> Meant:
    """What a question names and asks."""
    condition = frame.condition or frame.harm
    names = {n.casefold() for d in frame.drugs for n in d.names}
    if condition:
        names |= {n.casefold() for n in (condition.name, *condition.names)}
    rest = frame.text.casefold()
    for name in sorted(names, key=len, reverse=True):
        rest = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", rest)
    numbers = frozenset(_NUMBER.findall(rest))
    for pattern in _TOLD:
        rest = pattern.sub(" ", rest)
    words = (w[0][:5] for w in _WORD.finditer(rest))
    named = frozenset(w[0][:5] for name in names for w in _WORD.finditer(name))
    return Meant(
        kind=frame.kind,
        drugs=frozenset(drug.name for drug in frame.drugs),
        comparators=frozenset(frame.comparators),
        condition=_key(condition) if condition else "",
        population=frozenset(frame.population),
        outcomes=frozenset((*frame.outcomes, *((frame.harm.name,) if frame.harm else ()))),
        through=frozenset(term.casefold() for term in frame.through),
        negative=frame.negative,
        raises=frame.raises,
        caused=bool(cues.CAUSED.search(frame.text)),
        numbers=numbers,
        qualifiers=frozenset(_QUALIFIERS.findall(rest)),
        words=frozenset(words) - _ASKING - named,
    )


def _key(condition: Condition) -> str:
    """What a condition is: "antibiotic-associated diarrhea" is more than its heading."""
    known = condition_named(condition.name)
    return (condition.mesh_id if known else None) or key_of(condition.name)
