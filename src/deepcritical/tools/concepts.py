"""Chooses the names by which a source is searched for a drug or a condition.

A concept has a subject heading where the vocabulary has one with its id, and names. Brands are left
out for drugs that the vocabulary knows; a class is searched by its names and its members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import SearchBlock, SearchQuery
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold
from deepcritical.vocabulary.classes import (
    DrugClass,
    classes_above,
    classes_of,
    drug_class,
    known_members,
)
from deepcritical.vocabulary.conditions import (
    KnownCondition,
    broader_conditions,
    condition_named,
    further_names,
    narrower_conditions,
)
from deepcritical.vocabulary.drugs import DrugKind, generic_names, lookup_drug

MAX_SYNONYMS = 8
"""Other names of a drug that are searched beside its name."""
_MOST_OF_CONDITION = 20
"""Other names of a condition: the everyday ones stand beside shorthand of specialists."""
MAX_MEMBERS = 100
"""Drugs of a class that are searched, the best known first: what is not named is not found."""
_MOST_UNSORTED = 3
"""Other names of a drug that the vocabulary does not know: which are brands is not known either."""
_MOST_NARROWER = 6
_MIN_SYNONYM = 3
"""Letters below which another name finds mostly something else: MS, AD, RA."""
_MIN_STEM = 5
_EPONYM = bounded(r"\b([A-Z][a-z]{3,24})'s\b")
"""The person whom a disease is called after; texts write the name with and without 's."""
_WORD = bounded(r"[A-Za-z]{5,40}")
_PLURAL = bounded(r"[a-z]{4}s$")
_ENDING = bounded(r"(?<=[A-Za-z]{4})(?:(?<=t)ors?|ies|y|(?<=s)es|is|s|)$")
"""The end in which word forms differ, behind four letters: PubMed truncates no shorter word."""
_DERIVED = bounded(r"[a-z]{5,40}?(?=(?:ions?|ia)$)")
"""The stem that a noun shares with its adjective: "cognit" of cognition and cognitive."""
_CODED = bounded(r"[+,]")
"""In shorthand ("HER2+ BC") and in headings turned round, which no text has as a phrase."""
_TURNED = bounded(r"([A-Z][\w -]{0,80}), ([\w -]{1,80})")
"""A heading turned round: "Signs and Symptoms, Respiratory"."""
_PLAIN = bounded(r"[^\W_](?:[\w' -]{0,300}[\w'])?")
_OPERATOR = bounded(r"\b(?:and|or|not)\b", re.IGNORECASE)


BROADLY = (SearchBlock.REVIEWS, SearchBlock.TRIALS, SearchBlock.OBSERVATIONAL, SearchBlock.HARMS)
"""The kinds of evidence that are sought on a drug's classes, and on the condition above, too."""


class Concept(NamedTuple):
    """A drug or a condition as it is searched."""

    names: tuple[str, ...]
    """Phrases that cannot leave their quotes; the first is the user's."""
    heading: str = ""
    """A name of the MeSH heading; '' where the vocabulary has none."""
    stems: tuple[str, ...] = ()
    """Words to be truncated, in lower case: for "alzheimer*"."""
    parts: tuple[Concept, ...] = ()
    """Conditions that its name joins, all of which say the same as it."""
    wider: bool = False
    """True if it is above what is asked, so that no source is to add what lies below it."""

    @property
    def mapped(self) -> str:
        """The first name if a source may map it by itself, without quotes; '' otherwise."""
        name = self.names[0] if self.names and not self.wider else ""
        return name if _PLAIN.fullmatch(name) and not _OPERATOR.search(name) else ""

    @property
    def phrases(self) -> tuple[str, ...]:
        """The names that none of its truncated words finds."""
        return tuple(name for name in self.names if not _has_stem(name, self.stems))


def drug_concept(drug: Drug, *, with_classes: bool = False) -> Concept:
    """Return the names of a drug, or of a class and its members: those told, or all of them.

    `with_classes` adds the names of the classes that a drug is in: reviews and trials of a class
    often name none of its drugs in their abstracts.
    """
    if group := drug_class(drug.name):
        return _class_concept(drug, group, classes_above(group) if with_classes else ())
    generic, known = generic_names(drug.name), lookup_drug(drug.name).synonyms
    if generic or known:
        # The name in the question comes first, where it is none of the vocabulary's order.
        own = drug.synonyms[: drug.synonyms[:1] != known[:1]]
        by_user = (*own, *(name for name in drug.synonyms if name not in known))
        names = _few(drug.name, (*by_user, *generic), MAX_SYNONYMS)
    else:
        names = _few(drug.name, drug.synonyms, _MOST_UNSORTED)
    groups = classes_of(drug.name) if with_classes else ()
    return Concept(_fewest((*names, *_class_phrases(groups))), stems=_stems_of(groups))


def _class_phrases(groups: Iterable[DrugClass]) -> Iterator[str]:
    names = (n for group in groups for n in (group.name, *group.names))
    return (phrase(n) for n in names if " " in n or "-" in n)


def _stems_of(groups: Iterable[DrugClass]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem for group in groups for stem in _class_stems(group)))


def _class_concept(drug: Drug, group: DrugClass, above: tuple[DrugClass, ...]) -> Concept:
    is_list = " or " in group.name  # a class that the question made
    told = group.members if is_list else [n for n in drug.synonyms if _is_drug_of(group, n)]
    listed = tuple(n for one in told for n in (one, *generic_names(one)))[:MAX_MEMBERS]
    if is_list:
        return Concept(listed)
    stems = _stems_of((group, *above))
    others = (n for n in (group.name, *group.names) if not _has_stem(n, stems))
    names = _few(drug.name, others, MAX_SYNONYMS)
    known = known_members(group)
    # Of "meperidine" also "pethidine", but no salts.
    elsewhere = (n for one in known for n in generic_names(one) if " " not in n)
    members = listed or (*known, *elsewhere)[:MAX_MEMBERS]
    return Concept(_fewest((*names, *_class_phrases(above), *members)), stems=stems)


def _class_stems(group: DrugClass) -> Iterator[str]:
    """The words of a class without their s, which find "antiepileptic drugs", too.

    One that stands before the name of the class is left out: "atypical" antipsychotics.
    """
    for name in (group.name, *group.names):
        word = singular(name)
        before = f"{word} {group.name.rpartition(' ')[2]}"
        is_word = name.islower() and _WORD.fullmatch(name) and len(word) > _MIN_STEM
        if is_word and before not in (group.name, *group.names):
            yield word


def _is_drug_of(group: DrugClass, name: str) -> bool:
    """Return whether a synonym of a class names a drug or a class within it."""
    own = drug_class(name)
    return own != group if own else lookup_drug(name).kind is DrugKind.DRUG


def condition_concept(condition: Condition) -> Concept:
    """Return the names of a condition, with the names of the headings directly below it.

    The heading finds indexed records of the narrower conditions by itself; their names find those
    that are not indexed yet.
    """
    known = _known(condition)
    if known is None:
        stems = tuple(dict.fromkeys(_derived((condition.name, *condition.names))))
        return Concept(_few(condition.name, condition.names, _MOST_OF_CONDITION), stems=stems)
    below = narrower_conditions(known, _MOST_NARROWER)
    named = dict.fromkeys((*condition.names, *known.names, *further_names(known)))
    of_names = (*(s for one in (known, *below) for s in _stems(one)), *_derived(named))
    stems = tuple(dict.fromkeys(of_names))
    wanted = (n for n in named if not _CODED.search(n) and not _has_stem(n, stems))
    narrower = (phrase(_upright(n.name)) for n in below if not _has_stem(n.name, stems))
    names = (*_few(_upright(condition.name), wanted, _MOST_OF_CONDITION), *narrower)
    heading = phrase(known.name) if known.mesh_id else ""
    return Concept(_fewest(names), heading, stems, () if heading else _parts(known.name))


def _parts(name: str) -> tuple[Concept, ...]:
    """The two conditions that a name joins, which texts write apart: "dementia in X disease"."""
    words = name.split()
    pairs = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words)))
    known = ([one for one in map(condition_named, pair) if one and one.mesh_id] for pair in pairs)
    for both in known:
        if len(both) == len({one.name for one in both}) == 2:
            return tuple(condition_concept(Condition(name=one.name, names=())) for one in both)
    return ()


def condition_concepts(query: SearchQuery) -> tuple[Concept, ...]:
    """Return what a query asks for as its condition: any of them is enough.

    Reviews and trials are on the condition above, too: those on dementia cover Alzheimer's disease.
    """
    asked = [one for either in (query.condition, query.within) if either for one in either.each]
    known = filter(None, map(_known, asked if query.block in BROADLY else ()))
    above = dict.fromkeys(one for narrow in known for one in broader_conditions(narrow))
    names = ((_upright(one.name), tuple(_stems(one))) for one in above)
    wider = (Concept(_few(name, (), 0), "", stems, wider=True) for name, stems in names)
    return (*map(condition_concept, asked), *wider)


def _upright(name: str) -> str:
    """A heading in the order of speech."""
    turned = _TURNED.fullmatch(name)
    return f"{turned[2]} {turned[1]}" if turned else name


def singular(name: str) -> str:
    """A phrase without its plural: "breast tumor" of "breast tumors"."""
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    is_plural = _PLURAL.search(name) and not name.endswith(("ss", "us", "is"))
    return name[:-1] if is_plural else name


def truncated(name: str) -> str:
    """A phrase or plural that finds its other forms: "cholinesterase inhibit*"."""
    end = _ENDING.search(name)
    is_long = end and end.start() >= _MIN_STEM and singular(name) != name
    return f"{name[: end.start()]}*" if end and (is_long or " " in name) else name


def plain(text: str) -> str:
    """One kind of quote and apostrophe, no control characters, single blanks."""
    text = re.sub(r"[\u201c\u201d\u201e\u00ab\u00bb\u2033]", '"', text)
    text = re.sub(r"[\u2018\u2019\u02bc]", "'", text)
    return " ".join(re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", text).split())


def phrase(name: str) -> str:
    """A name fit to stand between quotes: nothing in it ends the phrase."""
    inner = " ".join(re.sub(r'["\[\]\\()]', " ", plain(name)).split())
    return inner if re.search(r"\w", inner) else ""


def _known(condition: Condition) -> KnownCondition | None:
    if not condition.known:
        return None
    mesh_id = (condition.mesh_id or "").removeprefix("MESH:")
    named = (condition_named(name) for name in (condition.name, *condition.names))
    return next((one for one in named if one and (not mesh_id or one.mesh_id == mesh_id)), None)


def _few(name: str, others: Iterable[str], most: int) -> tuple[str, ...]:
    """A name and up to `most` others that it does not find, in their order."""
    given = (n for n in map(phrase, others) if sum(map(str.isalnum, n)) >= _MIN_SYNONYM)
    return _fewest(filter(None, (phrase(name), *given)))[: most + 1]


def _fewest(names: Iterable[str]) -> tuple[str, ...]:
    """The first name and the others without those in which another one is found."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(fold(name), name)
    padded = {key: f" {key} " for key in kept}
    found_by_none = (
        name
        for key, name in kept.items()
        if not any(one in padded[key] for other, one in padded.items() if other != key)
    )
    return tuple(dict.fromkeys((*tuple(kept.values())[:1], *found_by_none)))


def _stems(known: KnownCondition) -> Iterator[str]:
    """The person a condition is called after, or its one word without the plural's s."""
    first = known.name.partition(" ")[0].casefold()
    for name in known.names:
        for match in _EPONYM.finditer(name):
            if first.startswith(match[1].casefold()):
                yield match[1].casefold()
    if _WORD.fullmatch(known.name):
        stem = truncated(known.name.casefold()).removesuffix("*")
        if len(stem) >= _MIN_STEM:
            yield stem


def _derived(names: Iterable[str]) -> Iterator[str]:
    """The beginnings of nouns, with which their adjectives begin too."""
    words = (name.casefold() for name in names if _WORD.fullmatch(name))
    return (match[0] for word in words if (match := _DERIVED.match(word)))


def _has_stem(name: str, stems: tuple[str, ...]) -> bool:
    return any(word.startswith(stems) for word in fold(name).split()) if stems else False
