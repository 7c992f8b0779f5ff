"""The names in a question: drugs, classes, conditions and targets, each at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.asked_drugs import DrugNamed, alternatives, as_one, specific
from deepcritical.questions.classifying import ASKED, BESIDE, COMPARED, drug_roles
from deepcritical.vocabulary.classes import DrugClass, drug_class, find_classes
from deepcritical.vocabulary.conditions import (
    ConditionMention,
    KnownCondition,
    condition_named,
    find_conditions,
    is_shouted,
)
from deepcritical.vocabulary.drugs import (
    BIOLOGY_BEHIND,
    DrugKind,
    DrugMention,
    find_drugs,
    lookup_drug,
)
from deepcritical.vocabulary.folding import key_of, overlaps, tokens_of
from deepcritical.vocabulary.nearest import near_condition, near_drug
from deepcritical.vocabulary.nodes import vocabulary
from deepcritical.vocabulary.words import is_english

_CODE = bounded(r"\b(?:[A-Z]{2,5}-\d{3,6}[A-Z]?|[A-Z]{2,4}\d{4,6})\b")
"""A company's code of a compound: "VX-548"."""
_GENE = bounded(
    r"\b(?:[A-Z][A-Z0-9]{1,6}\d[A-Z]?|C\d+orf\d+|[A-Z]{2,5}-?[αβγδκ]|NF-?κB|[Nn][Rr][Ff]2|"
    r"[A-Z]{3,6}(?=[- ](?:\w+[- ])?(?:inhibit|activat|signal|pathway|receptor|expression|agonis|"
    r"antagonis|block|modulat|mutation|gene\b|protein|axis|trapping|channel))|"
    r"(?<=via )[A-Z]{3,6}|(?<=through )[A-Z]{3,6}|(?<=inhibiting )[A-Z]{3,6}|"
    r"(?<=blocking )[A-Z]{3,6}|(?<=activating )[A-Z]{3,6}|"
    r"(?:[\w-]+ ){1,2}(?:kinase|receptor))\b"
)
"""Letters alone are a target only where the words beside them say so."""
_GIVEN_UP = bounded(
    r"\b(?:instead of|in place of|rather than) (?:(?:\w+ing|the|an?) )?$", re.IGNORECASE
)
"""Before the drug that another one is compared with, wherever that stands."""
_FAR = 60
"""Characters before a name that are looked at."""
_ADDED_TO = bounded(r"\bto $", re.IGNORECASE)
_AND = bounded(r",? and |, ?|/| ?\+ ?| plus ", re.IGNORECASE)
_MEASURES = frozenset(
    "BMD RCT RCTS MRI CT BMI GFR EGFR FVC FEV1 FDA EMA NHS NICE MHRA ICU USA PFS OS CV HR LDL HDL "
    "INR TSH ACR EULAR ESC AHA WHO ENT DMSO AND FOR THE NOT WITH EEN SUV PSA CRP ESR ECG EEG QOL "
    "VAS UPDRS MMSE ADAS HBSS DAN JSON HTML SYSTEM SHOW KEY API EVEN".split()
)
"""Measures, bodies and words in capitals: no targets."""
_WORD = bounded(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ABBREVIATION = 4
_SHORTEST = 5
_SHORTEST_DRUG = 7
_LONG_NAME = 8
_MOST_SLIPS = 8
"""Words of a question that are looked up as misspelled, at most: a text of more is no question."""
_SAYS_NOTHING = frozenset(
    "study studies trial trials data evidence research paper papers rct rcts cohort vs versus "
    "online covid pubmed google eg etc meds med kids mum mom gp wondering prn otc".split()
)
_TARGET_LABELS = frozenset({"Protein", "GeneFamily", "Pathway"})


_WHOSE = bounded(r"\b(?:my|her|his|their|our|your) ", re.IGNORECASE)
_WISH = bounded(
    r"^(?:los(?:e|ing)|protect(?:ing)?|quit(?:ting)?|stop(?:ping)?|giv(?:e|ing) up|"
    r"prevent(?:ing)?)\b|\b(?:my|her|his|their|our|your)\b",
    re.IGNORECASE,
)
"""In a name of the table: that somebody wants or has it, and not how it is called."""


class Names(NamedTuple):
    """The names in a question, each kind in order of place."""

    text: str
    """The question with misspelled names put right, to which the places refer."""
    drugs: tuple[DrugNamed, ...]
    conditions: tuple[ConditionMention, ...]
    targets: tuple[str, ...]
    unknown: tuple[str, ...]
    """Words that are in no vocabulary and not of ordinary English."""
    notices: tuple[str, ...]
    beside: tuple[DrugNamed, ...] = ()
    """Drugs that people take or took, whatever is tried in them."""
    compared: tuple[DrugNamed, ...] = ()
    """Of the drugs those that another one is compared with."""
    every: tuple[DrugNamed, ...] = ()
    """All drugs, in the order of their places, as the roles of conditions are told beside them."""


def as_condition(known: KnownCondition, written: str = "") -> Condition:
    """A condition of the table as what is searched; it is called as the user wrote it.

    By its heading where these words name what somebody wants: "lose weight", "losing my hair".
    """
    name = _WHOSE.sub("", written) or known.name
    if _WISH.search(written) and condition_named(written) == known:
        name = known.name.lower()
    names = (name, known.name, *known.names)
    return Condition(
        name=name,
        names=tuple(dict.fromkeys(names)),
        mesh_id=f"MESH:{known.mesh_id}" if known.mesh_id else None,
        known=bool(known.mesh_id or condition_named(known.name)),
    )


def joined(conditions: Sequence[Condition]) -> Condition:
    """Several conditions that are asked about at once, as one of which each part counts."""
    if len(conditions) == 1:
        return conditions[0]
    *others, last = (condition.name for condition in conditions)
    name = f"{', '.join(others)} and {last}"
    names = dict.fromkeys((name, *(n for c in conditions for n in c.names)))
    return conditions[0].model_copy(
        update={"name": name, "names": tuple(names), "either": tuple(conditions)}
    )


def find_names(text: str) -> Names:
    """Find what a question names; what is misspelled by an edit or two is found with a notice."""
    names = mentions_in(text)
    roles = drug_roles(names.text, names.drugs, names.conditions)
    likely = [max(told, key=told.__getitem__) for told in roles]
    left = [_GIVEN_UP.search(names.text, max(0, d.start - _FAR), d.start) for d in names.drugs]
    others = [n for n, gone in enumerate(left) if not gone]
    if any(left) and others:
        rest = [role if role == ASKED else BESIDE for role in likely]
        likely = [COMPARED if gone else role for gone, role in zip(left, rest, strict=True)]
        likely[max(others, key=lambda n: roles[n][ASKED])] = ASKED
    likely = _added_to(names, likely)
    asked = [d for d, role in zip(names.drugs, likely, strict=True) if role != BESIDE]
    compared = [d for d, role in zip(names.drugs, likely, strict=True) if role == COMPARED]
    if not asked and names.drugs:
        asked = [max(zip(roles, names.drugs, strict=True), key=lambda one: one[0][ASKED])[1]]
    places = {(d.start, d.end) for d in asked}
    return names._replace(
        drugs=tuple(specific(asked)),
        beside=tuple(d for d in names.drugs if (d.start, d.end) not in places),
        compared=tuple(compared),
    )


def _added_to(names: Names, roles: Sequence[str]) -> list[str]:
    """The roles of drugs, where "added to B and C" leaves C beside what is asked, as B is."""
    told = list(roles)
    for n, (drug, after) in enumerate(pairwise(names.drugs), 1):
        is_added_to = _ADDED_TO.search(names.text, max(0, drug.start - _FAR), drug.start)
        if is_added_to and _AND.fullmatch(names.text, drug.end, after.start):
            told[n] = BESIDE if told[n - 1] == BESIDE else told[n]
    return told


def mentions_in(text: str) -> Names:
    """Return the names in a question, whatever it says of them: all drugs stand among `drugs`."""
    drugs, conditions = _drugs_and_conditions(text)
    corrected, notices = _spelled(text, taken_by(*drugs, *conditions))
    if notices:
        drugs, conditions = _drugs_and_conditions(corrected)
    taken = taken_by(*drugs, *conditions)
    drugs = alternatives(corrected, as_one(corrected, drugs))
    of_drugs = taken_by(*drugs)
    return Names(
        corrected,
        tuple(drugs),
        tuple(c for c in conditions if c.start not in of_drugs),
        tuple(_targets(corrected, taken)),
        tuple(_unknown(corrected, taken)),
        notices,
        every=tuple(drugs),
    )


def taken_by(*mentions: DrugNamed | ConditionMention) -> set[int]:
    """The places of all characters that names take: names are many in a long text."""
    return {at for one in mentions for at in range(one.start, one.end)}


def _drugs_and_conditions(text: str) -> tuple[list[DrugNamed], list[ConditionMention]]:
    """Return what is named; of a name within a longer one the longer: "vitamin D deficiency"."""
    drugs, conditions = _drugs(text), find_conditions(text, any_case=True)
    at = {place: c for c in conditions for place in range(c.start, c.end)}
    drugs = [d for d in drugs if not (c := at.get(d.start)) or d.end > c.end or d.text == c.text]
    names = {place: d for d in drugs for place in range(d.start, d.end)}
    outer = [c for c in conditions if (d := names.get(c.start)) is None or d.end < c.end]
    return drugs, outer


def _drugs(text: str) -> list[DrugNamed]:
    """Classes by our table, drugs by the dictionary, and codes; the longer name wins."""
    shouted = is_shouted(text)
    found = [
        DrugNamed(Drug(name=m.group.name, synonyms=m.group.names), m.group, m.start, m.end, m.text)
        for m in find_classes(text, shouted=shouted)
    ]
    found += [_drug_named(m) for m in find_drugs(text, asked=True) if _is_asked(m, shouted)]
    for match in _CODE.finditer(text):
        if condition_named(match[0]) is None:
            drug = Drug(name=match[0], known=False)
            found.append(DrugNamed(drug, None, *match.span(), match[0]))
    kept: list[DrugNamed] = []
    taken: set[int] = set()
    for named in sorted(found, key=lambda d: d.start - d.end):
        if not (_is_no_class(text, named) or overlaps(named.start, named.end, taken)):
            kept.append(named)
            taken |= taken_by(named)
    return sorted(kept, key=lambda d: d.start)


def _is_no_class(text: str, named: DrugNamed) -> bool:
    """Return whether the name of a class is part of another: "insulin resistance"."""
    return bool(named.group and BIOLOGY_BEHIND.match(text, named.end))


def _is_asked(mention: DrugMention, shouted: bool) -> bool:
    """Say whether a mention is of a drug or class, and neither a word nor condition typed small."""
    if mention.drug.kind not in {DrugKind.DRUG, DrugKind.DRUG_CLASS}:
        return False
    if len(mention.text) > _ABBREVIATION or mention.drug.name == mention.text.casefold():
        return True
    if shouted:
        return not is_english(mention.text)
    return not mention.text.islower() or condition_named(mention.text) is None


def _drug_named(mention: DrugMention) -> DrugNamed:
    known, written = mention.drug.synonyms, mention.text.casefold()
    first = (written,) if written in known else ()
    drug = Drug(name=mention.drug.name, synonyms=tuple(dict.fromkeys((*first, *known))))
    # "AIs" are a class, and so is "AI" where it is short for it.
    group = drug_class(mention.text) or drug_class(mention.drug.name)
    if group and group.name == drug.name:
        drug = Drug(name=group.name, synonyms=group.names)
    elif mention.drug.kind is DrugKind.DRUG_CLASS:
        group = group or DrugClass(mention.drug.name, (), ())
    else:
        group = None
    return DrugNamed(drug, group, mention.start, mention.end, mention.text)


def _targets(text: str, taken: set[int]) -> Iterator[str]:
    seen: set[str] = set()
    for mention in vocabulary().find(text, _TARGET_LABELS):
        if not overlaps(mention.start, mention.end, taken) and mention.node.name not in seen:
            seen.add(mention.node.name)
            taken.update(range(mention.start, mention.end))
            yield mention.text
    for match in _GENE.finditer("" if is_shouted(text) else text):
        written = match[0]
        if written.upper() in _MEASURES - {"EGFR"} or condition_named(written):
            continue
        if not overlaps(*match.span(), taken) and written not in seen:
            seen.add(written)
            taken.update(range(*match.span()))
            yield match[0]


def _unknown(text: str, taken: set[int]) -> Iterator[str]:
    for match in _WORD.finditer(text):
        if overlaps(*match.span(), taken):
            continue
        if not _is_known(match[0]) and len(match[0]) > 3:
            yield match[0]


@cache
def _is_known(word: str) -> bool:
    low = word.casefold()
    return is_english(low) or all(
        is_english(p)
        or p in _SAYS_NOTHING
        or len(p) < 3
        or lookup_drug(p).kind is not DrugKind.UNKNOWN
        or bool(find_conditions(p, any_case=True))
        for p in re.split(r"['’-]", low)
    )


def _spelled(text: str, places: set[int]) -> tuple[str, tuple[str, ...]]:
    """The text with misspelled names put right, and what the reader must know of it."""
    strange: dict[str, None] = {}
    for match in _WORD.finditer(text):
        if len(match[0]) >= _SHORTEST and not overlaps(*match.span(), places):
            strange.setdefault(match[0])
    left = [w for w in strange if not _is_known(w) and not vocabulary().find(w, _TARGET_LABELS)]
    notices = []
    for word in left[:_MOST_SLIPS]:
        near = _near(text, word)
        if near:
            notices.append(f'"{near[0]}" was read as {near[1]}.')
            text = text.replace(near[0], near[1], 1)
    return text, tuple(notices)


def _same_beside(part: str, word: str, name: str) -> bool:
    """Return whether the words beside a misspelled one stand in the name as they are."""
    others = {t.folded for t in tokens_of(part)} - {t.folded for t in tokens_of(word)}
    return others <= {t.folded for t in tokens_of(name)}


def _is_somebody(text: str, word: str) -> bool:
    """Say whether a short word has a capital within a text: a name, which many conditions bear."""
    return len(word) < _LONG_NAME and word.istitle() and not text.startswith(word)


def _near(text: str, word: str) -> tuple[str, str] | None:
    """Return what is misspelled, with words beside it where they are one name, and the meaning."""
    drug = near_drug(word)
    beside = rf"(?:[\w'’-]{{2,30}} )?{re.escape(word)}(?: [\w'’-]{{2,30}}){{0,2}}"
    for phrase in re.findall(beside, text)[:1]:
        words = phrase.split()
        inside = words.index(word) if word in words else 0
        for start in range(inside + 1):
            for end in range(len(words), inside, -1):
                part = " ".join(words[start:end])
                if end - start == 1:
                    continue
                for known in (near_condition(key_of(part)), near_drug(part)):
                    if known and _same_beside(part, word, known.name):
                        return part, known.name
    alone = near_condition(tokens_of(word)[0].folded)
    if alone and _is_somebody(text, word):
        alone = None
    drug = drug if len(word) > _SHORTEST_DRUG else None
    if drug and (alone is None or drug.edits <= alone.edits):
        return word, drug.name
    return (word, alone.name) if alone else None
