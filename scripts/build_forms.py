"""Forms of a condition's name that follow from the name alone; `build_conditions.py` uses them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepcritical.vocabulary.words import is_english

_ACRONYM = re.compile(r"(?=.*[A-Z0-9])(?:[A-Z0-9][A-Za-z0-9]?[-/]?){2,6}")
_ADJECTIVES = (
    ("emia", "emic"), ("penia", "penic"), ("osis", "otic"), ("itis", "itic"), ("opia", "opic"),
    ("plegia", "plegic"), ("phrenia", "phrenic"), ("lepsy", "leptic"), ("tension", "tensive"),
    ("phobia", "phobic"), ("uria", "uric"), ("philia", "philiac"),
)  # fmt: skip
_NO_ADJECTIVES = tuple(
    "narcotic hypnotic hypotensive hypoglycemic thrombotic ischemic necrotic sclerotic critic "
    "politic analytic dendritic osmotic robotic erotic exotic hydrophobic lipidemic".split()
)
"""Adjectives that say what a drug or a process does rather than what somebody has."""


def is_acronym(name: str) -> bool:
    """Whether a name is written in capitals that a reader would not spell out."""
    return len(name) <= 6 and bool(_ACRONYM.fullmatch(name)) and not name[1:].islower()


def readable(name: str) -> str:
    """A heading of MeSH in the order of speech: "Neoplasms, Breast" is "Breast Neoplasms"."""
    if name.count(", ") in (1, 2, 3) and not re.search(r"\b(?:and|or|with)\b", name):
        return " ".join(reversed(name.split(", ")))
    return name


def is_short_of(short: str, long: str) -> bool:
    """Whether a word is the initials of a name, one or two of a word."""
    words = re.findall(r"[a-z0-9]+", long.lower())
    initials = "".join(w[0] for w in words if w not in {"of", "the", "and"})
    return len(words) > 1 and short in {initials, initials[: len(short)]} and len(short) > 1


def said_of(name: str) -> Iterator[str]:
    """How people call what MeSH has as "Colonic Neoplasms" or "Escherichia coli Infections"."""
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
