"""Checks that a sentence tells of the people, animals or cells that its findings are of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Finding
from deepcritical.verification.fields import VAGUE, keys_of

_NO_PEOPLE = (
    r"(?![- ](?:certainty|quality|evidence|effects?|trials?|stud(?:y|ies)|cohorts?|reviews?|"
    r"improvements?|reductions?|increases?|declines?|gains?|benefits?|results?|reports?|versions?))"
)
"""What stands behind a word that is then no sort of people, as in "moderate certainty"."""
_SORTS = tuple(
    tuple(bounded(rf"(?<![\w-])(?:{kind})\b{_NO_PEOPLE}", re.IGNORECASE) for kind in sort)
    for sort in (
        (r"children|infants?|newborns?|adolescents?|pa?ediatric", r"adults?|elderly|older"),
        (r"wom[ae]n|females?|girls?", r"m[ae]n|males?|boys?"),
        (r"outpatients?", r"inpatients?|hospitali[sz]ed|critically ill|intensive care"),
        (r"newly diagnosed|treatment-na[iï]ve", r"relapsed|refractory|previously treated"),
        (r"healthy|volunteers?", r"patients?"),
        (r"pregnant",),
        (r"mild", r"moderate", r"severe"),
        (r"early", r"advanced|late-stage"),
    )
)
_ANIMALS = bounded(
    r"\b(?:mice|mouse|murine|rats?|rodents?|animals?|rabbits?|dogs?|monkeys?|zebrafish|cells?|"
    r"in vitro|pre-?clinical)\b",
    re.IGNORECASE,
)
_PEOPLE = bounded(
    r"\b(?:people|persons?|patients?|participants?|adults?|children|wom[ae]n|m[ae]n|users|"
    r"individuals|volunteers|residents|veterans)\b",
    re.IGNORECASE,
)
_PART = bounded(r"\b(?:subgroups?|subset|post[- ]hoc|among those)\b", re.IGNORECASE)


def population_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield who a sentence tells of that its findings are not of, and who it does not tell of."""
    typed = " ".join(f.population for f in cited)
    quoted = " ".join(q for f in cited for q in f.quotes)
    for sort in _SORTS:
        known = typed if any(kind.search(typed) for kind in sort) else f"{typed} {quoted}"
        for kind in sort:
            said = kind.search(text)
            if said and not kind.search(known):
                opposed = any(other.search(known) for other in sort if other is not kind)
                if opposed or said[0].lower() not in ("patients", "patient"):
                    yield f"the findings are not of {said[0]}"
    known = " ".join((typed, quoted, *(f"{f.design} {f.outcome}" for f in cited)))
    if (said := _ANIMALS.search(text)) and not _ANIMALS.search(known):
        yield f"the findings are not of {said[0]}"
    for finding in cited:
        if _is_of_animals(finding) and not _ANIMALS.search(text):
            yield f"{finding.id} is of animals or cells, and the sentence does not say so"
        if finding.level in ("subgroup", "post_hoc") and not _names_part(text, finding):
            yield f"{finding.id} is of a part of the people, and the sentence does not say so"


def _is_of_animals(finding: Finding) -> bool:
    """Whether its design names animals or cells, or its population does before any people."""
    if _ANIMALS.search(finding.design):
        return True
    animals, people = _ANIMALS.search(finding.population), _PEOPLE.search(finding.population)
    return animals is not None and not (people and people.start() < animals.start())


def _names_part(text: str, finding: Finding) -> bool:
    """Whether a sentence says that only a part of the people is meant, or which one."""
    kinds = [k for sort in _SORTS for k in sort if k.search(finding.population)]
    if _PART.search(text) or any(kind.search(text) for kind in kinds):
        return True
    return not kinds and bool((keys_of(finding.population) - VAGUE) & keys_of(text))
