"""Where the drug and the condition of a question stand in a record, under any of their names."""

from __future__ import annotations

import re
from functools import lru_cache

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Condition, Drug
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.nodes import CONDITION_LABELS, vocabulary

__all__ = ["ConditionNames", "DrugNames"]

_POSSESSIVE = bounded(r"^(\w[\w-]+)['’]s?\b", re.IGNORECASE)
_MULTIPLE = bounded(r"multiple (\w+)$", re.IGNORECASE)
_GENERIC = bounded(r"\s+(?:disease|disorder|syndrome)$", re.IGNORECASE)


_NOT_THE_DRUG = bounded(
    r"[\s-]*(?:resistan\w+|sensiti\w+|degrading|receptors?|secretion|signall?ing|levels?|"
    r"deficien\w+|independent|like)\b",
    re.IGNORECASE,
)


def _as_pattern(name: str) -> str:
    """A name as a pattern: blanks and hyphens alike, either apostrophe, a plural s."""
    parts = [re.escape(part) for part in re.split(r"[\s-]+", name) if part]
    quoted = (part.replace("'", "['’]").replace("’", "['’]") for part in parts)
    spelled = (_BRITISH.sub(_either_spelling, part) for part in quoted)
    return r"[\s\u2010-\u2015-]+".join(spelled) + r"(?:['’]s|s)?"


_BRITISH = bounded(r"(h)(a?)(em)|(a?)(emia)|(o?)(edema)", re.IGNORECASE)


def _either_spelling(match: re.Match[str]) -> str:
    """British or American: haemangioma or hemangioma, leukaemia or leukemia, oedema or edema."""
    h, _, em, _, emia, _, edema = match.groups()
    return f"{h}a?{em}" if em else f"a?{emia}" if emia else f"o?{edema}"


def _whole_words(names: tuple[str, ...], exact: tuple[str, ...]) -> re.Pattern[str]:
    """Matches any of `names` in any case and any of `exact` (abbreviations) as written."""
    loose = "|".join(_as_pattern(name) for name in sorted(names, key=len, reverse=True))
    parts = (
        [f"(?i:{loose})", *map(re.escape, exact)] if loose else [re.escape(name) for name in exact]
    )
    return bounded(rf"(?<![\w-])(?:{'|'.join(parts)})(?!\w)")


class DrugNames:
    """Finds a drug in a record's text, by its names and abbreviations defined for it there."""

    def __init__(self, drug: Drug, text: str) -> None:
        self._name = drug.name
        full = _whole_words(drug.names, ())
        short = tuple(
            s for s, long in expand_abbreviations(text).items() if full.fullmatch(long.strip())
        )
        self._pattern = _whole_words(drug.names, short)

    def find(self, text: str) -> list[re.Match[str]]:
        """All places where the drug is named.

        Not within another drug's name, nor "insulin resistance" for insulin.
        """
        places = [
            m for m in self._pattern.finditer(text) if not _NOT_THE_DRUG.match(text[m.end() :])
        ]
        if not places:
            return []
        others = [m for m in find_drugs(text) if m.drug.name != self._name]
        return [
            p
            for p in places
            if not any(
                o.start <= p.start() and p.end() <= o.end and o.end - o.start > p.end() - p.start()
                for o in others
            )
        ]

    def named(self, text: str) -> bool:
        """Whether the drug is named."""
        return bool(self.find(text))


class ConditionNames:
    """Finds a condition in a record's text, by its names and abbreviations defined for it there."""

    def __init__(self, condition: Condition, text: str) -> None:
        names = dict.fromkeys((condition.name, *condition.names))
        cores = [m.group(1) for name in names if (m := _POSSESSIVE.match(name))]
        # An eponym is used with or without "disease" and with or without its possessive.
        plain = [
            _GENERIC.sub("", name)
            for name in names
            if _GENERIC.sub("", name).lower() in {c.lower() for c in cores}
        ]
        self._names = tuple(dict.fromkeys((*names, *cores, *plain, *_heads(tuple(names)))))
        full = _whole_words(self._names, ())
        spelled = expand_abbreviations(text)
        self._names += tuple(long for s, long in spelled.items() if s in names and " " in long)
        short = [
            s
            for s, long in spelled.items()
            if len(s) > 1 and any(m.end() == len(long.rstrip()) for m in full.finditer(long))
        ]
        capitals = [name for name in self._names if name.isupper() and len(name) <= 5]
        loose = tuple(name for name in self._names if name not in capitals)
        self._pattern = _whole_words(loose, (*short, *capitals))
        # "National Alzheimer's Coordinating Center" and the ADAS scale name no patient.
        self._institution = bounded(
            rf"(?:{self._pattern.pattern})(?:\s+\w+)?\s+"
            r"(?:Coordinating|Center|Centre|Association|Cent|Initiative|Cooperative|Assessment|"
            r"Neuroimaging|Research|Society)\b"
        )

    def find(self, text: str) -> list[re.Match[str]]:
        """All places where the condition is named, institutions and rating scales left out."""
        taken = [m.span() for m in self._institution.finditer(text)]
        return [
            m for m in self._pattern.finditer(text) if not any(a <= m.start() < b for a, b in taken)
        ]

    def named(self, text: str) -> bool:
        """Whether the condition is named."""
        return bool(self.find(text))


@lru_cache(maxsize=256)
def _heads(names: tuple[str, ...]) -> tuple[str, ...]:
    """What "multiple X" is also called: X, where no other condition of the vocabulary ends in it.

    "Multiple" counts and names no kind: myeloma is multiple myeloma, a sclerosis can be another.
    """
    ends = {
        name.split()[-1].casefold()
        for node in vocabulary().nodes
        if node.label in CONDITION_LABELS and not set(node.names) & set(names)
        for name in node.names
        if name.strip()
    }
    heads = (m.group(1) for name in names if (m := _MULTIPLE.match(name)))
    return tuple(dict.fromkeys(head for head in heads if head.casefold() not in ends))
