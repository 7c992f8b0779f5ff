"""A condition while its table is made, and forms of a name that follow from the name alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from deepcritical.vocabulary.folding import key_of as folded
from deepcritical.vocabulary.words import is_english

_ACRONYM = re.compile(r"(?=.*[A-Z0-9])(?:[A-Z0-9][A-Za-z0-9]?[-/]?){2,6}")
_ADJECTIVES = (
    ("emia", "emic"), ("penia", "penic"), ("osis", "otic"), ("itis", "itic"), ("opia", "opic"),
    ("plegia", "plegic"), ("phrenia", "phrenic"), ("lepsy", "leptic"), ("tension", "tensive"),
    ("phobia", "phobic"), ("uria", "uric"), ("philia", "philiac"), ("thyroidism", "thyroid"),
    ("gonadism", "gonadal"), ("obesity", "obese"),
)  # fmt: skip
_NO_ADJECTIVES = tuple(
    "narcotic hypnotic hypotensive hypoglycemic thrombotic ischemic necrotic sclerotic critic "
    "politic analytic dendritic osmotic robotic erotic exotic hydrophobic lipidemic".split()
)
"""Adjectives that say what a drug or a process does rather than what somebody has."""
_WORDS = frozenset(
    "CAN DOES DO IS ARE WHAT FOR AND IN OF THE HELP WITH HAS HAD MAY WILL HOW WHO USE NOT ANY OR "
    "GO ED MACE CON DON FACE KIN ADD ON AT BE BY TO AN AM MAN MEN AGE NEW LOW CARE CASE BEST IF IT "
    "AS HE ME BMD RA MS AD PD MOA".split()
)
"""Acronyms that are words of a question, measures, or stand for several conditions."""
key_of = cache(folded)


class Condition:
    """A condition while the table is made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.mesh = ""
        self.doid = ""
        self.doids: list[str] = []
        self.trees: list[str] = []
        self.parents: list[str] = []
        self.names: dict[str, None] = {name: None}
        self.reviewed: set[str] = set()
        """Folded names of the reviewed list."""
        self.entries: set[str] = set()
        """Entry terms and Mondo's names: of these the first word alone names nothing."""
        self.acronyms: dict[str, None] = {}
        self.forms: dict[str, None] = {}
        """Folded forms that follow from the names: plurals, adjectives; not searched by."""

    def add(self, name: str) -> None:
        """Take a name as it is written, or an acronym."""
        if len(name) > 1 and name not in _WORDS:
            (self.acronyms if is_acronym(name) else self.names).setdefault(name)

    def enter(self, name: str) -> None:
        """Take an entry term of MeSH, or a name of Mondo's."""
        if name not in self.names:
            self.entries.add(name)
        self.add(name)

    def review(self, name: str) -> None:
        """Take a name of the reviewed list; one in quotes is a name only as it is written."""
        if name.startswith('"'):
            self.acronyms[name.strip('"')] = None
            return
        self.add(name)
        self.reviewed.add(key_of(name))

    def absorb(self, other: Condition) -> None:
        """Become what two sources call differently."""
        self.mesh, self.doid = self.mesh or other.mesh, self.doid or other.doid
        self.doids += other.doids
        self.trees += other.trees
        self.parents += other.parents
        self.entries |= other.entries
        for name in (*other.names, *other.acronyms):
            self.add(name)


def is_acronym(name: str) -> bool:
    """Tell if a name is written in capitals that a reader would not spell out."""
    return len(name) <= 6 and bool(_ACRONYM.fullmatch(name)) and not name[1:].islower()


def readable(name: str) -> str:
    """A heading of MeSH in the order of speech: "Neoplasms, Breast" is "Breast Neoplasms"."""
    if name.count(", ") in (1, 2, 3) and not re.search(r"\b(?:and|or|with)\b", name):
        return " ".join(reversed(name.split(", ")))
    return name


def is_short_of(short: str, long: str) -> bool:
    """Tell if a word is the initials of a name, one or two of a word."""
    words = re.findall(r"[a-z0-9]+", long.lower())
    initials = "".join(w[0] for w in words if w not in {"of", "the", "and"})
    return len(words) > 1 and short in {initials, initials[: len(short)]} and len(short) > 1


def said_of(name: str) -> Iterator[str]:
    """Yield common names of MeSH's "Colonic Neoplasms" or "Escherichia coli Infections"."""
    if found := re.fullmatch(r"([A-Z][\w ]+) Neoplasms", name):
        yield from (f"{found[1]} {word}" for word in ("cancer", "tumor", "malignancy"))
        yield f"cancer of the {found[1]}"
    if found := re.fullmatch(r"([A-Z])([a-z]{4,})( [a-z]+)? Infections?", name):
        organism = f"{found[1]}{found[2]}{found[3] or ''}"
        yield f"{organism} infection"
        if not is_english(organism.partition(" ")[0]):
            yield organism
        if found[3]:
            yield from (f"{found[1]}.{found[3]}", f"{found[1]}.{found[3]} infection")


def forms_of(key: str) -> Iterator[str]:
    """Plurals that folding does not undo, and of a single word the adjective of who has it."""
    if key.endswith("sis"):
        yield f"{key[:-2]}e"
    if re.search(r"[^aeiou]y$", key):
        yield f"{key[:-1]}ie"
    for ending, adjective in _ADJECTIVES if " " not in key else ():
        if key.endswith(ending) and len(key) > len(ending) + 1:
            made = key.removesuffix(ending) + adjective
            if not made.endswith(_NO_ADJECTIVES):
                yield made
