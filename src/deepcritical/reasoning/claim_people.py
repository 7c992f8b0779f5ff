"""Who was studied: a sentence may not name people in the place of those that its source names.

Kinds of people that exclude each other, in the words of abstracts. A kind that the source never
names, where it names another of the same sort, was put in.
"""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = ["other_people"]

_SORTS = tuple(
    tuple(bounded(rf"(?<![\w-])(?:{kind})\b", re.IGNORECASE) for kind in sort)
    for sort in (
        (
            r"children|infants?|neonat\w+|newborns?|adolescents?|pa?ediatric|toddlers?",
            r"adults?|elderly|older|aged (?:over|above|55|60|65|70|75)|middle-aged",
        ),
        (
            r"outpatients?|non-?hospitali[sz]ed|ambulatory|in the community|not hospitali[sz]ed",
            r"inpatients?|hospitali[sz]ed|critically ill|intensive care|ICU|"
            r"(?:admitted|admission) to hospital",
        ),
        (
            r"newly diagnosed|previously untreated|treatment-na[iï]ve",
            r"relapsed|refractory|relapsed/refractory|previously treated",
        ),
        (
            r"asians?",
            r"europeans?|caucasians?|whites?",
            r"africans?|african americans?",
            r"hispanics?|latin[oa]s?",
        ),
        (
            r"non-?diabetic|without diabetes",
            r"(?:type [12I]+ )?diabetic(?! drugs?)|with (?:type [12I]+ )?diabetes",
        ),
        (r"mice|mouse|murine", r"rats?", r"macaques?|monkeys?", r"zebrafish", r"dogs?"),
    )
)


def other_people(said: str, source: str) -> str:
    """Which people a sentence puts in the place of the source's; '' for none.

    Args:
        said: The sentence.
        source: Title and text of the record.
    """
    for sort in _SORTS:
        named = [(kind, found) for kind in sort if (found := kind.search(said))]
        there = [found for kind in sort if (found := kind.search(source))] if named else []
        for kind, found in named:
            if there and not kind.search(source):
                return f"{found.group()}, where the source has {there[0].group()}"
    return ""
