"""Checks whom or what a sentence is on against the findings that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.text.patterns import bounded
from deepcritical.verification.fields import VAGUE, keys_of
from deepcritical.verification.signs import without_open
from deepcritical.vocabulary.qualifiers import Qualifiers, places_of_qualifiers, qualifiers_in

_ANIMALS = bounded(
    r"\b(?:mice|mouse|murine|rats?|rodents?|animals?|rabbits?|dogs?|monkeys?|zebrafish|pigs?|"
    r"piglets?|swine|porcine|sheep|ovine|lambs?|ewes?|goats?|bovine|cattle|calves|equine|"
    r"hamsters?|gerbils?|ferrets?|primates?|macaques?|chickens?|frogs?|drosophila|xenografts?|"
    r"organoids?|ex vivo|"
    r"(?<!red )(?<!white )(?<!blood )(?<!sickle )(?<!giant )(?<!stem )(?<!germ )cells?"
    r"(?! (?:\w+ )?(?:carcinoma|cancer|lymphoma|leuka?emia|tumou?r|arteritis|disease|count))|"
    r"in vitro|pre-?clinical)\b",
    re.IGNORECASE,
)
_PEOPLE = bounded(
    r"\b(?:people|persons?|patients?|participants?|adults?|children|wom[ae]n|m[ae]n|users|"
    r"individuals|volunteers|residents|veterans)\b",
    re.IGNORECASE,
)
_HEALTHY = bounded(r"\b(?:healthy|volunteers?)\b", re.IGNORECASE)
_PART = bounded(r"\b(?:subgroups?|subset|post[- ]hoc|among those)\b", re.IGNORECASE)


def species_faults(
    text: str, cited: Sequence[Finding], source: str, *, own: bool = True
) -> Iterator[str]:
    """Yield animals and cells that findings are not of, or are of and the sentence does not say.

    Where another model judges it, findings are of animals whose design says so: words for cells
    stand in many a title on people.
    """
    if (said := _ANIMALS.search(text)) and not _ANIMALS.search(source):
        yield f"the findings are not of {said[0]}"
    for finding in cited:
        is_theirs = _ANIMALS.search(finding.design) or (own and _is_of_animals(finding))
        if is_theirs and not _ANIMALS.search(text):
            yield f"{finding.id} is of animals or cells, and the sentence does not say so"


def people_faults(text: str, cited: Sequence[Finding], source: str) -> Iterator[str]:
    """Yield by what people are told apart that no finding says, and a part told as the whole."""
    known = keys_of(source)
    text = without_open(text)
    healthy = (found.span() for found in _HEALTHY.finditer(text))
    for start, end in (*places_of_qualifiers(text), *healthy):
        said, meant = text[start:end], qualifiers_in(text[start:end])
        of_these = _are_of(meant, qualifiers_in(source))
        in_words = all(any(k.startswith(key) for k in known) for key in keys_of(said))
        if not (of_these or in_words):
            yield f"the findings are not of {said}"
    for finding in cited:
        if finding.level in ("subgroup", "post_hoc") and not _names_part(text, finding):
            yield f"{finding.id} is of a part of the people, and the sentence does not say so"


def _are_of(meant: Qualifiers, there: Qualifiers) -> bool:
    """Return whether a source tells of people; that women and men are adults need not be said."""
    implied = {"age": frozenset({"adults"})} if "sex" in meant else {}
    known = {**implied, **there}
    return bool(meant) and all(v <= known.get(kind, frozenset()) for kind, v in meant.items())


def _is_of_animals(finding: Finding) -> bool:
    """Return whether its population names animals or cells before any people."""
    animals, people = _ANIMALS.search(finding.population), _PEOPLE.search(finding.population)
    return animals is not None and not (people and people.start() < animals.start())


def _names_part(text: str, finding: Finding) -> bool:
    """Return whether a sentence says that only a part of the people is meant, or which one."""
    if _PART.search(text):
        return True
    part = qualifiers_in(finding.population)
    told = qualifiers_in(text)
    if part:
        return any(told.get(kind, frozenset()) & values for kind, values in part.items())
    return bool((keys_of(finding.population) - VAGUE) & keys_of(text))
