"""Compares the population of a question with that of a study: age, stage, setting, severity.

Age, stage, setting, severity, earlier treatment: a trial of others, or of all comers, tells of
those asked about indirectly (GRADE guidelines 8, indirectness of population).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded

Qualifiers = Mapping[str, frozenset[str]]
"""By what people are told apart -> which of them are meant."""


class _Kind(NamedTuple):
    values: tuple[tuple[str, re.Pattern[str]], ...]
    stated: bool = True
    """True if a study must say that its people are those: where most have it, few say so."""
    overlap: bool = False
    """True if a study of those and of others tells of those."""


def _kind(*, stated: bool = True, overlap: bool = False, **values: str) -> _Kind:
    told = ((name, bounded(pattern, re.IGNORECASE)) for name, pattern in values.items())
    return _Kind(tuple(told), stated, overlap)


_MARKED = r"(?:[- ](?:and|or|/) ?\w+)?(?:[- ]receptors?)?"
_HORMONE = rf"(?:\b(?:hormone|o?estrogen|progesterone)[- ]receptors?|\bHR|\bER|\bPR){_MARKED}"
_HER2 = r"\b(?:HER-?2|ERBB2)(?:/neu)?"
_TUMOUR = r"(?:cancers?|carcinomas?|tumou?rs?|melanomas?|lymphomas?)\b"
_YES = r"(?:[- ]?positive|[- ]?\+(?:ve)?|[- ]overexpress\w+|[- ]amplified)"
_NO = r"(?:[- ]?negative|-ve\b|−|-(?=[,;/)]|$))"
_PERSONS = r"(?:people|persons|patients|adults|wom[ae]n|m[ae]n|children)\b"
_NOT = r"(?<!not )(?<!non-)(?<!non)(?<!without )(?<!being )(?<!get )(?<!getting )(?<!be )"
"""Before a state that people are not in, or that is to be avoided."""
_UNDER = r"\b(?:on|under|receiving|requiring|undergoing|needing|needs?|with|started)"
ADMITTED = (
    rf"(?:{_PERSONS}|\bthose|\bcases|\bwho (?:are|were)|\bwhen|\bonce|\bif) admitted "
    r"(?:to (?:an? |the )?(?:\w+ )?hospitals?|with)\b"
)
"""Those in hospital; that fewer get admitted is an outcome."""
_INTENSIVE = r"\bcritically ill\b|\bintensive care\b|\bICUs?\b"
_VENTILATED = (
    rf"{_NOT}{_UNDER} (?:an? )?(?:invasive |mechanical ){{0,2}}ventilat(?:ion|ors?)\b|"
    rf"{_NOT}\b(?:mechanically )?ventilated\b|{_NOT}\bintubated\b|{_NOT}{_UNDER} ECMO\b"
)
_TRANSPLANT = r"transplant(?:ation|ed|s)?\b"
_TRIPLE = r"\btriple[- ]negative|\bTNBC\b"
_KINDS: Mapping[str, _Kind] = {
    "menopause": _kind(before=r"\bpre-?menopaus\w+", after=r"\bpost-?menopaus\w+"),
    "hormone receptors": _kind(
        positive=rf"{_HORMONE}{_YES}", negative=rf"{_HORMONE}{_NO}|{_TRIPLE}"
    ),
    "HER2": _kind(
        positive=rf"{_HER2}{_YES}|\boverexpress\w+ {_HER2}", negative=rf"{_HER2}{_NO}|{_TRIPLE}"
    ),
    "stage": _kind(
        early=rf"\bearly(?:-stage)? (?:\w+ ){{0,2}}{_TUMOUR}|\bstages? I{{1,3}}[ABC]?\b|\bEBC\b|"
        rf"\badjuvant\b[^.]{{0,60}}\b{_TUMOUR}|\b{_TUMOUR}[^.]{{0,60}}\badjuvant\b",
        advanced=r"(?<!non-)\bmetastatic\b|\bstage (?:IV|4)\b|"
        rf"\badvanced (?:\w+ ){{0,2}}{_TUMOUR}",
    ),
    "earlier treatment": _kind(
        none=r"\bnewly diagnosed\b|\buntreated\b|\b(?:treatment|drug)[- ]na[iï]ve\b",
        failed=r"\brefractory\b|resistant\b|\brelapsed\b|\bpreviously treated\b",
    ),
    "age": _kind(
        overlap=True,
        children=r"\bchild(?:ren|hood)?\b|\bkids?\b|\bp(?:a)?ediatric\w*|\binfants?\b|\bneonat\w+|\bnewborns?\b|"
        r"\btoddlers?\b|\badolescen\w+|\bteen\w*|\bjuvenile\b|\bboys?\b|\bgirls?\b|\bbab(?:y|ies)\b|"
        r"\byouths?\b|\bpreterm (?!birth|labou?r|deliver)|\bmonths of age\b",
        adults=r"\badults?\b|\belderly\b|\bolder\b|\bnursing homes?\b|\bmen\b|\bwomen\b",
    ),
    "setting": _kind(
        inpatients=rf"\bin-?patients?\b|{_NOT}\bhospitali[sz]ed\b|(?<!up )\bin hospital\b|"
        rf"\bhospital patients\b|{ADMITTED}|{_INTENSIVE}|{_VENTILATED}",
        outpatients=r"\bout-?patients?\b|\b(?:non-?|not )hospitali[sz]ed\b|\bambulatory\b|"
        r"\bcommunity[- ](?:dwelling|living|based|treated)\b|\bprimary care\b|"
        r"\bgeneral practices?\b",
        residents=r"\b(?:nursing|care|residential) (?:homes?|facilit(?:y|ies))\b|"
        r"\blong-term care\b|\binstitutionali[sz]ed\b",
    ),
    "severity": _kind(
        overlap=True,
        mild=r"\bmild(?:ly)?\b(?! cognitive impairment)",
        moderate=r"\bmoderate(?:ly)?\b",
        severe=r"\bsevere(?:ly)?\b(?! (?:acute respiratory syndrome|combined immun))",
        critical=rf"\bcritical(?:ly ill)?\b|{_INTENSIVE}|{_VENTILATED}",
    ),
    "ventilation": _kind(ventilated=_VENTILATED),
    "transplantation": _kind(
        after=rf"\b(?:after|following|post|since)[- ](?:[\w-]+ ){{0,4}}{_TRANSPLANT}|"
        r"\btransplant (?:recipients?|patients?)\b|\btransplanted (?:patients|people)\b|"
        r"\bpost-?transplant",
        none=r"\b(?:not|in)[- ]?(?:eligible|suitable|candidates?) for (?:[\w-]+ ){0,4}transplant|"
        r"\bunsuitable for (?:[\w-]+ ){0,4}transplant|"
        r"\btransplant(?:ation)?[- ](?:ineligible|unfit)|\bnon-?transplant",
    ),
    "phase of treatment": _kind(
        overlap=True,
        induction=r"\binduction (?:therapy|chemotherapy|treatment|regimens?|phase)\b",
        consolidation=r"\bconsolidation (?:therapy|chemotherapy|treatment|after)\b",
        maintenance=r"\bmaintenance\b(?! of\b| doses?\b)",
        neoadjuvant=r"\bneo-?adjuvant\b",
        salvage=r"\bsalvage\b",
    ),
    "dialysis": _kind(
        dialysed=rf"{_NOT}{_UNDER} (?:chronic |maintenance )?(?:peritoneal |ha?emo)?dialysis\b|"
        r"\bdialysis (?:patients|population|dependent)|\bdialysed\b"
    ),
    "lactation": _kind(nursing=r"\bbreast-?feeding\b|\blactat\w+|\bnursing mothers?\b"),
    "occupation": _kind(
        health=r"\bhealth-? ?care (?:workers?|personnel|professionals?|staff)\b|"
        r"\bfrontline workers?\b"
    ),
    "vaccination": _kind(
        vaccinated=r"(?<!un)(?<!un-)(?<!not )\bvaccinated\b", unvaccinated=r"\bun-?vaccinated\b"
    ),
    "pregnancy": _kind(
        pregnant=r"(?<!non-)\bpregnant\b|\bexpectant mothers?\b|"
        r"\b(?:in|during|throughout) pregnancy\b"
    ),
    "ancestry": _kind(
        overlap=True,
        asian=r"\b(?:Asians?|Chinese|Japanese|Koreans?|Taiwanese|Thai|Vietnamese|Filipinos?)\b",
        african=rf"\bAfrican(?:s|-? ?Americans?)?\b|\bblack {_PERSONS}",
        hispanic=r"\b(?:Hispanics?|Latin(?:o|a|x)s?)\b",
        european=rf"\b(?:Europeans?|Caucasians?)\b|\bwhite {_PERSONS}",
    ),
    "weight": _kind(
        obese=r"(?<!non-)(?<!non )(?<!not )\bobes(?:e|ity)\b",
        others=r"\b(?:non-?|not )obese\b|\bnormal[- ]weight\b",
    ),
    "sex": _kind(
        stated=False, overlap=True, women=r"\bwom[ae]n\b|\bfemales?\b", men=r"\bm[ae]n\b|\bmales?\b"
    ),
}
_STATED_ONLY = frozenset({("age", "adults")})
"""Qualifiers of most people in studies: a study that does not state them excludes nobody."""


@lru_cache(maxsize=4096)
def qualifiers_in(text: str) -> Qualifiers:
    """Return the qualifiers by which a text distinguishes people with the condition."""
    found = {
        name: frozenset(value for value, pattern in kind.values if pattern.search(text))
        for name, kind in _KINDS.items()
    }
    return {name: values for name, values in found.items() if values}


def places_of_qualifiers(text: str) -> Iterator[tuple[int, int]]:
    """Return the places of the words that distinguish the people of a text."""
    for kind in _KINDS.values():
        for _, pattern in kind.values:
            yield from (found.span() for found in pattern.finditer(text))


def fits(asked: Qualifiers, people: str) -> bool:
    """Return whether those described are surely the people that a question asks about."""
    own = qualifiers_in(people)
    return all(_fits(name, values, own.get(name, frozenset())) for name, values in asked.items())


def _fits(name: str, asked: frozenset[str], own: frozenset[str]) -> bool:
    kind = _KINDS[name]
    if own:
        return own <= asked or (kind.overlap and bool(own & asked))
    plain = all((name, value) in _STATED_ONLY for value in asked)
    return plain or not kind.stated
