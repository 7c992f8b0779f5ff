"""Finds what a free question is about: names that records must have, and words that rank them.

A name is one that a vocabulary knows, with its synonyms. Any other word of the question ranks what
is found and never filters it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from deepcritical.appraisal.pico.people import names_condition
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Condition, QuestionFrame
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.asked_drugs import DrugNamed
from deepcritical.questions.cues import GROUPS, OUTCOMES, SENTENCE_END
from deepcritical.questions.naming import Names, as_condition, find_names
from deepcritical.questions.wording import ASKING_WORDS, EFFECT_WORDS, SHORT_FOR
from deepcritical.services.ranking import terms
from deepcritical.vocabulary.classes import find_classes
from deepcritical.vocabulary.conditions import find_conditions
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.outcomes import term_in, terms_of

_SHORTEST_STEM = 5
_ENDING = 4
"""Letters by which two forms of a word may differ at their ends."""
_LONGEST_PHRASE = 3
_SHORTEST_NAME = 4
_ABSENT = 0.5
"""Weight of a word that no record has: it may be a lay word for what they write otherwise."""
_NEED_WORDS = frozenset(
    "accurate act acting action acts affect affected alternative association become becoming "
    "begin best change changed choice claim closed closing compare compared comparing comparison "
    "completed dangerous decide definition detect diagnose diagnosing diagnosis difference dosage "
    "dose dosing early eligible enrolled explain factor far finding finished first fit fits "
    "follow followed frequently go going guideline halted happen harmful high id influence "
    "initial instead kind large line linked list long made make mean mechanism mg much need old "
    "ones ongoing outcome paper participant percentage phase planned prevalence prevention "
    "proportion protect publication randomised recommend recommended recruiting regimen "
    "registered registry related report review running safer sample screening sensible "
    "sensitivity share size something sort sponsored standard start started starting status "
    "stopped studied suffer suitable superior suspended taken terminated test tested thing think "
    "tried trying type unclear usual way withdrawn worse worth".split()
)
"""Words that say what is wanted of the subjects, which the need itself looks for.

Of these and the next ones those that stand in at least two of 10,818 questions by other authors
(`benchmarks/questions_data/train`); a rarer word ranks like any other.
"""
_FUNCTION_WORDS = frozenset(
    "above after again against alone along already always am among another anybody anyone around "
    "aunt away back because before behind beside between both brother brought but call called "
    "came come concerned dad daily daughter doctor doing done down during each eight either else "
    "enough even every everybody everyone father few five four friend further give giving "
    "grandfather grandmother half he hear heard her here hers higher him his hour husband inside "
    "isn itself last least less lot many mention mentioned mine minute month monthly more most "
    "mother mum must near neighbor neither never news next nine no nobody non normally not "
    "nothing off once one only other our out over own past per plus problem put quite rather read "
    "relative same saw see seen seven she since sister six somebody someone son such talk talked "
    "talking ten then thought three through together told too took twice two uncle under until up "
    "us usually ve versus very via week weekly whatever when where while whole whom whose why "
    "wife within without worried worry wrote year yearly yes yet your".split()
)
"""Words of English grammar, numbers and times, which say nothing of a subject."""
_ASKS = bounded(
    r"\b(?:(?:like|want|need|love|curious|keen|try\w*|good) to "
    r"(?:know|find out|see|learn|understand)|wonder\w*|(?:tell|show|give) (?:me|us)|"
    r"explain|list|asking|the question is|please)\b",
    re.IGNORECASE,
)
"""Of a sentence that asks without a question mark."""
_OF_SOMEBODY = bounded(
    r"\b(?:I(?=['’ ])|me|[Mm]y|[Ww]e|[Oo]ur|us|[Hh]e|[Ss]he|[Hh]is|[Hh]er|him|"
    r"(?:[Tt]hey|[Ss]omeone|[Ss]omebody) (?:are|is|say|said))\b"
)
"""Of a sentence that tells a story."""
_HYPHENED = bounded(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_WORD = bounded(r"[^\W_]+(?:['’-][^\W_]+)*")


_FOUND_BY = {key_of(name): pattern for name, pattern in (*GROUPS, *OUTCOMES)}
"""The words for people and outcomes, by the folded names that a frame has for them."""
_WANTED = frozenset(key_of(w) for w in _NEED_WORDS | EFFECT_WORDS)
_PLAIN = frozenset(key_of(w) for w in ASKING_WORDS | _FUNCTION_WORDS)


class Subject(NamedTuple):
    """A drug, class or condition of a question."""

    name: str
    """As the question writes it."""
    keys: tuple[str, ...]
    """Its names, folded."""
    condition: Condition | None = None

    def is_in(self, key: str) -> bool:
        """Return whether a folded text has one of its names."""
        return any(f" {name} " in key for name in self.keys)

    def is_called(self, condition: Condition) -> bool:
        """Return whether it is a condition, under any of its names."""
        return self.condition is not None and not set(self.keys).isdisjoint(_keys(condition.names))

    def is_of(self, record: Evidence) -> bool:
        """Return whether a record names it, or a narrower condition, anywhere."""
        told = told_of(record)
        if self.is_in(folded(told)):
            return True
        return self.condition is not None and names_condition((told,), self.condition)


class Topics(NamedTuple):
    """The topics of a question."""

    subjects: tuple[Subject, ...]
    words: tuple[tuple[str, ...], ...]
    """Each word of substance that no subject has, as its stems: one of them must occur."""
    searched: tuple[str, ...] = ()
    """The same words as they are searched for."""

    def are_named_in(self, record: Evidence, *, by_drug: bool) -> bool:
        """Return whether a record names what is asked about; where nothing is named, any may.

        Args:
            record: The record.
            by_drug: Whether a drug has to be named, where the question names one; else a condition
                is enough, as where other drugs than the named one are sought.
        """
        drugs = [subject for subject in self.subjects if subject.condition is None]
        named = (drugs if by_drug else ()) or self.subjects
        return not named or any(subject.is_of(record) for subject in named)

    def named_in(self, text: str, main: Condition | None) -> bool:
        """Return whether a text has a word or name asked for beside drugs and main condition."""
        key = folded(text)
        beside = [
            c for s in self.subjects if (c := s.condition) and not (main and s.is_called(main))
        ]
        if not (self.words or beside):
            return True
        stems = frozenset(terms(key))
        return any(_occurs(word, stems, key) for word in self.words) or any(
            names_condition((text,), condition) for condition in beside
        )

    def has_other_condition(self, text: str) -> bool:
        """Return whether a text names a disease or symptom that the question does not."""
        asked = [subject for subject in self.subjects if subject.condition]
        found = (as_condition(m.condition, m.text) for m in find_conditions(text))
        return any(not any(one.is_called(other) for one in asked) for other in found)

    def absent(self, records: Iterable[Evidence]) -> tuple[str, ...]:
        """The words of which no record has any form, not even within another word."""
        texts = [folded(told_of(record)) for record in records]
        return tuple(
            word[0]
            for word in self.words
            if not any(
                word[0] in text or _occurs(word, frozenset(terms(text)), text) for text in texts
            )
        )

    def coverage(self, key: str, weights: Weights) -> float:
        """The weight of the words that a folded text has, as a share of all; 1.0 without words."""
        total = sum(weights.of(word) for word in self.words)
        if not total:
            return 1.0
        stems = frozenset(terms(key))
        return sum(weights.of(w) for w in self.words if _occurs(w, stems, key)) / total


class Weights:
    """The rarity of words among records: a word that all have tells none from another.

    Args:
        records: All that were found.
    """

    def __init__(self, records: Iterable[Evidence]) -> None:
        texts = [frozenset(terms(folded(told_of(record)))) for record in records]
        self._number = len(texts)
        self._in: Counter[str] = Counter(term for text in texts for term in text)
        self._known: dict[tuple[str, ...], float] = {}

    def of(self, word: tuple[str, ...]) -> float:
        """The weight of a word, in its forms; above 0."""
        if word not in self._known:
            with_it = max(
                (n for term, n in self._in.items() if _occurs(word, {term}, f" {term} ")),
                default=0,
            )
            rarity = math.log1p((self._number + 1) / (with_it + 1))
            self._known[word] = rarity if with_it else _ABSENT
        return self._known[word]


def told_of(record: Evidence) -> str:
    """Title, text, registry terms and ids of a record and of those of its study."""
    meta = record.metadata
    ids = (meta.nct_id or "", *(i.partition(":")[2] for i in meta.linked_ids))
    named = (*meta.conditions, *meta.interventions, *ids)
    return "\n".join((record.citation.title, record.content, *named))


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A text as names are looked for in it."""
    return f" {key_of(text)} "


@lru_cache(maxsize=256)
def topics_of(frame: QuestionFrame) -> Topics:
    """The topics of a question, the same however it is put.

    What the frame took up goes by the names that it has there. Of the text only those words are
    left that it did not take up and that stand where something is asked.
    """
    names = find_names(frame.text)
    found: dict[str, Subject] = {}
    asked = {drug.name for drug in frame.drugs}
    for named in sorted(names.drugs, key=lambda one: (one.drug.name not in asked, one.drug.name)):
        _add(found, _of_drug(named, frame.members))
    for drug in frame.drugs:
        _add(found, Subject(drug.name, _keys((drug.name, *drug.synonyms, *frame.members))))
    mentions = sorted(names.conditions, key=lambda one: one.condition.name)
    for one in mentions:
        keys = _keys((one.condition.name, *one.condition.names))
        _add(found, Subject(one.text, keys, as_condition(one.condition, one.text)))
    for condition in filter(None, (frame.condition, frame.harm)):
        _add(found, Subject(condition.name, _keys(condition.names), condition))
    subjects = tuple(found.values())
    words = dict(_words(frame, names, subjects))
    return Topics(subjects, tuple(words), tuple(words.values()))


def _add(found: dict[str, Subject], subject: Subject) -> None:
    """Take in a subject that none of those found is already."""
    if not any(set(subject.keys) & set(other.keys) for other in found.values()):
        found[subject.name] = subject


def _of_drug(named: DrugNamed, members: Sequence[str]) -> Subject:
    group = named.group
    names = (named.text, named.drug.name, *named.drug.synonyms)
    if group:
        names = (*names, group.name, *group.names, *group.members, *members)
    return Subject(named.text, _keys(names))


def _keys(names: Iterable[str]) -> tuple[str, ...]:
    """The folded names; an abbreviation of a few letters only where a longer name has it as a word.

    Such letters mean many things, and records spell out what they mean by them.
    """
    keys = tuple(dict.fromkeys(key for key in map(key_of, names) if key))
    long = [key for key in keys if len(key) >= _SHORTEST_NAME]
    kept = (key for key in keys if key in long or any(key in other.split() for other in long))
    return tuple(kept) if long else keys


def asked_in(text: str) -> str:
    """The sentences of a text that ask; a story told before them or of somebody is left out."""
    sentences = SENTENCE_END.split(text)
    asks = [one.rstrip().endswith("?") or bool(_ASKS.search(one)) for one in sentences]
    if not any(asks):
        return text
    first = asks.index(True)
    told = zip(sentences[first:], asks[first:], strict=True)
    return " ".join(one for one, is_asked in told if is_asked or not _OF_SOMEBODY.search(one))


def _words(
    frame: QuestionFrame, names: Names, subjects: Sequence[Subject]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each outcome, process and group of the frame, then each further word of substance.

    Each comes with the other names of the outcome that it is, and as it is searched for.
    """
    rest = SHORT_FOR.sub("(", asked_in(names.text))
    asked = {drug.name for drug in frame.drugs}
    kinds = (c.text for c in find_classes(rest) if asked & {*c.group.members})
    for written in (*(d.text for d in names.drugs), *(c.text for c in names.conditions), *kinds):
        rest = _without(rest, written)
    known, parts = {key for subject in subjects for key in subject.keys}, set[str]()
    for name in _apart((*sorted(frame.outcomes), *sorted(frame.through)), names.text):
        term = term_in(name)
        forms = (*_forms(key_of(name)), *(terms_of(term.key) if term else ()))
        rest = _without(rest, name, _FOUND_BY.get(forms[0]))
        if not known.intersection(forms) and not _says_little(forms[0].split()):
            known.update(forms)
            parts.update(part for form in forms for part in form.split())
            yield tuple(dict.fromkeys(forms)), name
    for name in sorted(frame.population):
        if pattern := _FOUND_BY.get(key_of(name)):
            rest = pattern.sub(" ; ", rest)
            yield (key_of(name),), name
    left = (word for word in set(_left(rest, subjects)) if word[0] not in known | parts)
    for word in sorted(left, key=lambda word: (-len(word[0]), word[0])):
        yield word, _written(word[0], rest)


def _written(word: str, text: str) -> str:
    """A folded word or phrase as a question writes it."""
    written = {key_of(one): one for one in re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text)}
    return " ".join(written.get(part, part) for part in word.split())


def _apart(names: Sequence[str], text: str) -> list[str]:
    """The names without those that a text only tells within another one that it names.

    Whose disease gets worse is told by "survival free of progression".
    """
    parts = {name: set(key_of(name).split()) for name in names}
    key = folded(text)
    for name in names:
        key = key.replace(f" {key_of(name)} ", " ; ") if len(parts[name]) > 1 else key
    return [
        name
        for name in names
        if f" {key_of(name)} " in key or not any(parts[name] < other for other in parts.values())
    ]


def _forms(key: str) -> tuple[str, ...]:
    """A folded word or phrase and the other names of the outcome that it is."""
    return tuple(dict.fromkeys((key, *terms_of(key))))


def _without(text: str, name: str, pattern: re.Pattern[str] | None = None) -> str:
    """A text without a name, and without other words for it."""
    text = pattern.sub(" ; ", text) if pattern else text
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ; ", text, flags=re.IGNORECASE)


def _left(text: str, subjects: Sequence[Subject]) -> Iterator[tuple[str, ...]]:
    """Each word of substance in a text that no subject has."""
    rest = folded(text)
    # A word with a hyphen is one, whatever its parts say.
    whole = [key_of(w) for w in _HYPHENED.findall(text)]
    for key in sorted((k for s in subjects for k in s.keys), key=len, reverse=True):
        rest = rest.replace(f" {key} ", " ; ")
    for key in whole:
        if f" {key} " in rest and not _says_little(key.split()):
            rest = rest.replace(f" {key} ", " ; ")
            yield _forms(key)
    seen: set[str] = set()
    for part in rest.split(";"):
        words = [w for w in _WORD.findall(part) if w not in _PLAIN]
        for size in range(_LONGEST_PHRASE, 0, -1):
            for at in range(len(words) - size + 1):
                phrase = words[at : at + size]
                if seen.intersection(phrase) or _says_little(phrase):
                    continue
                forms = _forms(" ".join(phrase))
                if len(forms) > 1 or size == 1:
                    seen.update(phrase)
                    yield forms


def _says_little(phrase: Sequence[str]) -> bool:
    return all(word in _WANTED or len(word) < 2 for word in phrase)


def _occurs(word: tuple[str, ...], stems: Set[str], key: str) -> bool:
    """Return whether a text, by its stems and folded, has one of the forms of a word."""
    pattern = _FOUND_BY.get(word[0])
    return bool(pattern and pattern.search(key)) or any(
        f" {form} " in key if " " in form else any(_alike(form, stem) for stem in stems)
        for form in word
    )


@lru_cache(maxsize=65536)
def _alike(one: str, other: str) -> bool:
    """Return whether two words are forms of one: "bleed", "bleeding"; "hallucinate", "-ations"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST_STEM - 1 or len(long) - len(short) > _ENDING:
        return False
    stem = max(_SHORTEST_STEM - 1, len(short) - 3)
    return short[:stem] == long[:stem] and bool(re.match(r"[^\W\d]+$", short))
