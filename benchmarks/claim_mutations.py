"""Lies and faithful paraphrases, made by rule out of true sentences.

Each maker returns the changed sentence, or None where the sentence gives nothing to change.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from deepcritical.domain.quantities import quantities
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.nodes import vocabulary

__all__ = ["ABSURD", "LIES", "PARAPHRASES", "Given", "Pool", "absurd_of", "pool_of"]

ABSURD = (
    "The moon landing of a garden gnome cured the national debt of Atlantis.",
    "Listening to whales for a week turned lead into gold in most kitchens.",
    "Bicycles with square wheels win every mountain stage in heavy snow.",
    "A teaspoon of cinnamon makes people invisible for about an afternoon.",
    "Penguins were elected to the city council and abolished Mondays.",
    "Violins tuned by cats doubled the harvest of pineapples in Norway.",
    "Homeopathic moonlight reverses ageing completely in all dragons.",
    "Chess grandmasters grow feathers when they sleep under copper roofs.",
)
_FLIPS = (
    ("increased", "decreased"),
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("higher", "lower"),
    ("greater", "smaller"),
    ("improved", "worsened"),
    ("improvement", "worsening"),
    ("improves", "worsens"),
    ("reduced", "increased"),
    ("reduction", "increase"),
    ("reduces", "increases"),
    ("better", "worse"),
    ("longer", "shorter"),
    ("more likely", "less likely"),
    ("superior", "inferior"),
)
_UNITS = {
    "mg": "g",
    "g": "mg",
    "µg": "mg",
    "ng": "mg",
    "weeks": "years",
    "week": "month",
    "months": "weeks",
    "month": "year",
    "years": "days",
    "year": "week",
    "days": "months",
    "day": "week",
    "hours": "days",
    "h": "min",
    "%": " mg",
    "ml": "l",
    "points": "%",
}
_UNIT = re.compile(rf"(?<=\d)([\s-]?)({'|'.join(sorted(_UNITS, key=len, reverse=True))})(?![\w/])")
_AUXILIARY = re.compile(
    r"\b(was|were|is|are|has|have|had|may|could|can|did|does|will|might)\b(?! not\b)(?!n't)"
)
_DENIED = re.compile(r"\b(?:did|does|do) not (\w+)")
_PLAIN_NOT = re.compile(r"\b(was|were|is|are|has|have|had|may|could|can|might) not ")
_NO = re.compile(r"\b[Nn]o (significant|difference|effect|evidence|association|change|benefit)")


ABSURD_OF = (
    "{drug} cures {disease} in every patient by lunchtime.",
    "{drug} turns people with {disease} into concert pianists.",
    "{drug} makes {disease} glow green under a full moon.",
    "{drug} was invented by pirates to win at cards against {disease}.",
    "Swallowing {drug} teaches horses with {disease} to read Latin.",
)
"""With a drug and a disease that the record names, so that only the rest is absurd."""


def absurd_of(source: str, rng: random.Random) -> str | None:
    """An absurd sentence on a drug and a disease of the record."""
    drugs = [m.text for m in find_drugs(source) if m.drug.kind is DrugKind.DRUG]
    diseases = [m.text for m in vocabulary().find(source, ("Disease",))]
    if not drugs or not diseases:
        return None
    told = rng.choice(ABSURD_OF).format(drug=drugs[0], disease=diseases[0])
    return told[0].upper() + told[1:]


class Pool(NamedTuple):
    """Names to swap in, of all records."""

    drugs: tuple[str, ...]
    targets: tuple[str, ...]
    diseases: tuple[str, ...]


class Given(NamedTuple):
    """A true sentence, its source, the names to swap in, and the dice."""

    sentence: str
    source: str
    pool: Pool
    rng: random.Random


def pool_of(texts: Sequence[str]) -> Pool:
    """The names of the records' texts."""
    joined = "\n".join(texts)
    drugs = {m.text for m in find_drugs(joined) if m.drug.kind is DrugKind.DRUG and len(m.text) > 4}
    targets = {m.text for m in vocabulary().find(joined, ("Protein", "GeneFamily"))}
    diseases = {m.text for m in vocabulary().find(joined, ("Disease",)) if len(m.text) > 4}
    return Pool(*(tuple(sorted(names)) for names in (drugs, targets, diseases)))


def _swapped(given: Given, found: Sequence[tuple[int, int]], names: Sequence[str]) -> str | None:
    if not found:
        return None
    start, end = given.rng.choice(found)
    old = given.sentence[start:end].lower()
    others = [
        n for n in names if n.lower() not in given.source.lower() and old[:5] not in n.lower()
    ]
    return (
        given.sentence[:start] + given.rng.choice(others) + given.sentence[end:] if others else None
    )


def swap_drug(given: Given) -> str | None:
    """Another drug, which the source does not name."""
    found = [(m.start, m.end) for m in find_drugs(given.sentence) if m.drug.kind is DrugKind.DRUG]
    return _swapped(given, found, given.pool.drugs)


def swap_drug_within(given: Given) -> str | None:
    """Another drug of the same source, so that every name does occur there."""
    here = {m.drug.name for m in find_drugs(given.sentence) if m.drug.kind is DrugKind.DRUG}
    found = [(m.start, m.end) for m in find_drugs(given.sentence) if m.drug.kind is DrugKind.DRUG]
    others = sorted(
        {
            m.text
            for m in find_drugs(given.source)
            if m.drug.kind is DrugKind.DRUG and m.drug.name not in here
        }
    )
    if not found or not others:
        return None
    start, end = given.rng.choice(found)
    return given.sentence[:start] + given.rng.choice(others) + given.sentence[end:]


def swap_target(given: Given) -> str | None:
    """Another gene or protein."""
    found = [(m.start, m.end) for m in vocabulary().find(given.sentence, ("Protein", "GeneFamily"))]
    return _swapped(given, found, given.pool.targets)


def swap_disease(given: Given) -> str | None:
    """Another disease."""
    found = [(m.start, m.end) for m in vocabulary().find(given.sentence, ("Disease",))]
    here = {m.node.id for m in vocabulary().find(given.source, ("Disease",))}
    others = [
        d for d in given.pool.diseases if vocabulary().find(d, ("Disease",))[0].node.id not in here
    ]
    return _swapped(given, found, others)


def swap_number(given: Given) -> str | None:
    """A number that the source does not have, in the place of one that it has."""
    found = [q for q in quantities(given.sentence) if not q.spelled and q.kind != "confidence"]
    found = [
        q for q in found if given.sentence[q.start : q.end].strip("-−–").replace(".", "").isdigit()
    ]
    if not found:
        return None
    q = given.rng.choice(found)
    old = given.sentence[q.start : q.end]
    for _ in range(20):
        at = given.rng.choice([i for i, c in enumerate(old) if c.isdigit()])
        digit = given.rng.choice([d for d in "123456789" if d != old[at]])
        new = old[:at] + digit + old[at + 1 :]
        if new not in given.source:
            return given.sentence[: q.start] + new + given.sentence[q.end :]
    return None


def exchange_number(given: Given) -> str | None:
    """Another number of the same source and unit, so that the number does occur there."""
    mine = [
        q for q in quantities(given.sentence) if not q.spelled and q.kind not in ("confidence", "p")
    ]
    given.rng.shuffle(mine)
    for q in mine:
        others = [
            (given.source[r.start : r.end])
            for r in quantities(given.source)
            if r.unit == q.unit and r.value != q.value and not r.spelled and r.kind == q.kind
        ]
        if others:
            return given.sentence[: q.start] + given.rng.choice(others) + given.sentence[q.end :]
    return None


def change_unit(given: Given) -> str | None:
    """Another unit behind a number."""
    found = list(_UNIT.finditer(given.sentence))
    if not found:
        return None
    m = given.rng.choice(found)
    new = _UNITS[m[2]]
    head, tail = given.sentence[: m.start()], given.sentence[m.end() :]
    return f"{head}{m[1]}{new.strip() if m[1] else new}{tail}"


def negate(given: Given) -> str | None:
    """A denial added to a sentence without one, or taken out of one that has one."""
    for pattern, new in ((_PLAIN_NOT, r"\1 "), (_DENIED, r"\1"), (_NO, r"a \1")):
        if pattern.search(given.sentence):
            return pattern.sub(new, given.sentence, count=1)
    m = _AUXILIARY.search(given.sentence)
    return f"{given.sentence[: m.end()]} not{given.sentence[m.end() :]}" if m else None


def flip(given: Given) -> str | None:
    """The opposite direction."""
    pairs = [*_FLIPS, *((b, a) for a, b in _FLIPS)]
    given.rng.shuffle(pairs)
    for old, new in pairs:
        pattern = re.compile(rf"\b{old}\b")
        if pattern.search(given.sentence):
            return pattern.sub(new, given.sentence, count=1)
    return None


Maker = Callable[[Given], str | None]
LIES: dict[str, Maker] = {
    "number": swap_number,
    "number of the same text": exchange_number,
    "unit": change_unit,
    "negation": negate,
    "direction": flip,
    "drug": swap_drug,
    "drug of the same text": swap_drug_within,
    "target": swap_target,
    "disease": swap_disease,
}

_SYNONYMS = (
    (r"\bpatients\b", "participants"),
    (r"\bparticipants\b", "patients"),
    (r"\bshowed\b", "demonstrated"),
    (r"\bdemonstrated\b", "showed"),
    (r"\bassociated with\b", "linked to"),
    (r"\bsignificantly\b", "markedly and significantly"),
    (r"\bcompared with\b", "versus"),
    (r"\bcompared to\b", "relative to"),
    (r"\bincreased\b", "raised"),
    (r"\breduced\b", "lowered"),
    (r"\bdecreased\b", "reduced"),
    (r"\bimproved\b", "bettered"),
    (r"\bdied\b", "were dead"),
    (r"\breceived\b", "were given"),
    (r"\bno significant\b", "no statistically significant"),
    (r"\bdid not differ\b", "were no different"),
    (r"\bmortality\b", "death rate"),
    (r"\bhowever, ", ""),
    (r"\bHowever, ", ""),
)


def synonyms(given: Given) -> str | None:
    """The same in other words."""
    new = given.sentence
    for old, other in _SYNONYMS:
        new = re.sub(old, other, new, count=1)
    return new if new != given.sentence else None


def reorder(given: Given) -> str | None:
    """The phrase before the first comma put at the end, or the last one in front."""
    lead = re.match(
        r"((?:In|At|After|Among|During|Compared|Over|For|By|With|Within)\b[^,;]{5,60}), (.+?)\.?$",
        given.sentence,
    )
    if lead and len(lead[2]) > 25:
        return f"{lead[2][0].upper()}{lead[2][1:]} {lead[1][0].lower()}{lead[1][1:]}."
    tail = re.match(r"([^;]+?) ((?:in|at|after|among|during) [^,;()]{6,50})\.$", given.sentence)
    if tail and "," not in tail[1]:
        return f"{tail[2][0].upper()}{tail[2][1:]}, {tail[1]}."
    return None


def drop_clause(given: Given) -> str | None:
    """Without its second clause or its bracket."""
    cut = re.match(r"(.{40,}?), (?:and|but|whereas|although|while|which) .{20,}\.$", given.sentence)
    if (
        cut
        and cut[1].count("(") == cut[1].count(")")
        and re.search(r"\b(?:was|were|is|are|ed)\b", cut[1])
    ):
        return f"{cut[1]}."
    bare = re.sub(r" \([^()]*\)", "", given.sentence)
    return bare if bare != given.sentence and len(bare) > 40 else None


def passive(given: Given) -> str | None:
    """With "B was reduced by A" for "A reduced B"."""
    m = re.match(
        r"([A-Z][\w-]+(?: [\w-]+){0,2}) (?:significantly )?(reduced|increased|improved|inhibited|"
        r"decreased|lowered|attenuated|prevented) ([^,;()]{5,80})\.$",
        given.sentence,
    )
    return f"{m[3][0].upper()}{m[3][1:]} was {m[2]} by {m[1]}." if m else None


def numbers_told(given: Given) -> str | None:
    """Percent in letters, weeks for multiples of seven days, years for twelve months."""
    new = re.sub(r"(\d)\s?%(?=[\s,.;)])", r"\1 percent", given.sentence)
    new = re.sub(r"(?<!and )(?<!to )\b12 months\b", "1 year", new)
    new = re.sub(r"\b28 days\b", "4 weeks", new)
    new = re.sub(r"\b14 days\b", "2 weeks", new)
    new = re.sub(r"\bn ?= ?(\d+)(?=[);])(?! studies)", r"\1 patients", new)
    return new if new != given.sentence else None


PARAPHRASES: dict[str, Maker] = {
    "reordered": reorder,
    "synonyms": synonyms,
    "passive": passive,
    "dropped clause": drop_clause,
    "numbers told otherwise": numbers_told,
}
