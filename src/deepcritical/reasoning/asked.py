"""What a follow-up question asks, and which sentences of a record bear on it.

A sentence bears on a question when it is about the drug that is asked about and names all else that
is: each of the question's phrases with its words near one another, and each quantity that it wants
("what dose" wants an amount). That it shares the drug alone is never enough, so that a question on
tau is not answered with a sentence on memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.question import Condition, Drug
from deepcritical.domain.record_kinds import is_paper
from deepcritical.domain.text import Span, fold, whole_sentences
from deepcritical.reasoning import arms, lexicon
from deepcritical.reasoning.figures import CONTROL
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.propositions import PropositionKind, proposition, stems
from deepcritical.reasoning.questions import read_question
from deepcritical.reasoning.wanted import AMOUNT, DOSE, WANTED, Wanted
from deepcritical.services.entities import CONDITION_LABELS, DrugKind, find_drugs, vocabulary

__all__ = ["Asked", "bearing", "read_asked"]

_YES_NO = re.compile(
    r"(?:^|[:.?!,;]\s+)(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|might|"
    r"has|have|had)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[,;]")
_JOINS = frozenset("of the a an its their and or".split())
_ALTERNATIVES = frozenset({"and", "or", ",", "nor"})
_FRAME = frozenset(
    "what which who whom whose when where why how many much there any some kind kinds sort type "
    "known shown said told reported found seen observed evidence data information results result "
    "study studies trial trials record records paper papers research literature author authors "
    "drug drugs medicine medicines medication treatment treatments therapy therapies treat treated "
    "treating use used uses using user users taking taken take takes given give gives "
    "effect effects effective effectively efficacious efficacy effectiveness benefit benefits "
    "beneficial "
    "help helps helped useful usefulness work works working role impact influence affect affects "
    "affected change changes changed cause causes caused causing lead leads led due result "
    "associated association associations linked link related relationship relation correlate "
    "correlated reduce reduces reduced reduction reducing lower lowers lowered lowering decrease "
    "decreases decreased increase increases increased raise raises raised raising higher improve "
    "improves improved improvement improvements improving worsen worsens worsened prevent prevents "
    "prevented prevention preventing protect protects protected protective protection slow slows "
    "slowed delay delays delayed alter alters altered modify modifies show shows say says suggest "
    "make makes made get gets got need needs patient patients people person persons participant "
    "participants subject subjects adult adults human humans individual individuals case cases "
    "repurposed repurposing repositioned promising option candidate better worse best good bad "
    "well really actually ever also other than compared versus vs against significantly "
    "significant clinically clinical significance difference differences differ differs".split()
)
"""Words that pose a question and name nothing that it is about."""
_NEAR = 4
"""Words of one phrase stand at most so many words apart: "tau phosphorylation" is not named by
"phosphorylated AKT in the cortex of Tau-VLW mice"."""
_POPULATION = re.compile(
    r"\b(?:in|among|with|for|having|who have)\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE
)
_PREFIX = re.compile(r"^(?:hyper|hypo|de|un|non|anti|pre|post)(?=\w{5})")
_PHOSPHO = re.compile(r"^(?:p|phospho)-(?=[a-z])")
"""Marks the phosphorylated form of a protein, as in p-tau."""
_CLASS = re.compile(r"\b(?:inhibitors?|agonists?|antagonists?|blockers?|modulators?|analogues?)\b")
_AHEAD = re.compile(r"\b(?:ongoing|under ?way|in progress)\b", re.IGNORECASE)
_FINDS = frozenset(PropositionKind) - {
    PropositionKind.STATE,
    PropositionKind.NEED,
    PropositionKind.OMISSION,
}
"""Kinds of questions that only a finding answers, not a plan or a method."""

Phrase = frozenset[str]
"""Stems of words that belong together."""


class Asked(NamedTuple):
    """A question as what a sentence must name."""

    text: str
    drugs: tuple[Drug, ...]
    conditions: tuple[Condition, ...]
    """Those that a sentence must name itself."""
    population: tuple[Condition, ...]
    """Those that the record must name somewhere: "in dementia"."""
    phrases: tuple[tuple[Phrase, ...], ...]
    """Of each group one phrase at least must be named."""
    wanted: tuple[Wanted, ...]
    yes_no: bool
    finding: bool
    """Whether only a finding answers it."""

    @property
    def has_topic(self) -> bool:
        """Whether it asks for something beside a drug and a condition."""
        return bool(self.phrases) or any(w.is_topic for w in self.wanted)

    @property
    def wants_single_outcome(self) -> bool:
        """Whether it asks for an outcome that trials also report as part of a composite."""
        return any(want.is_part for want in self.wanted)

    @property
    def names_something(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.drugs or self.conditions or self.population or self.has_topic)

    @property
    def looked_for(self) -> tuple[str, ...]:
        """What a sentence must name, in words for the reader."""
        words = (
            " or ".join(" ".join(_shown(self.text, phrase)) for phrase in group)
            for group in self.phrases
        )
        names = (*(d.name for d in self.drugs), *(c.name for c in self.conditions))
        return (*names, *(c.name for c in self.population), *words, *(w.name for w in self.wanted))


def _shown(text: str, phrase: Phrase) -> list[str]:
    return [word for word in _WORD.findall(fold(text)) if _roots(word) & phrase]


def read_asked(question: str) -> Asked:
    """What a question asks for, by rules over its words."""
    drugs, rest = _drugs(question)
    conditions, population, rest = _conditions(rest)
    wanted = tuple(w for w in WANTED if w.asked.search(question))
    for want in wanted:
        rest = want.asked.sub(_blank, rest)
    phrases = _phrases(rest)
    if not phrases and not conditions and not any(w.is_topic for w in wanted):
        conditions, population = population, ()
    kind = proposition(question).kind
    yes_no = bool(_YES_NO.search(question))
    finding = yes_no and (kind in _FINDS or any(w.is_finding for w in wanted))
    return Asked(question, drugs, conditions, population, phrases, wanted, yes_no, finding)


def _blank(match: re.Match[str]) -> str:
    return f" ; {' ' * max(0, len(match[0]) - 3)}"


def _drugs(question: str) -> tuple[tuple[Drug, ...], str]:
    kinds = (DrugKind.DRUG, DrugKind.DRUG_CLASS)
    named = [m for m in find_drugs(question) if m.drug.kind in kinds]
    found = {m.drug.name: Drug(name=m.drug.name, synonyms=m.drug.synonyms) for m in named}
    rest = question
    for m in named:
        rest = f"{rest[: m.start]}{';':{m.end - m.start}}{rest[m.end :]}"
    if not found and (unknown := _unknown_drug(question)):
        found[unknown.name] = unknown
        rest = re.sub(rf"\b{re.escape(unknown.name)}\b", _blank, rest, flags=re.IGNORECASE)
    return tuple(found.values()), rest


def _unknown_drug(question: str) -> Drug | None:
    """What stands in a drug's place but in no vocabulary: one word, and none of common English."""
    try:
        drug = read_question(question).drug
    except QuestionError:
        return None
    if drug is None or drug.known or " " in drug.name or drug.name.lower() in _FRAME:
        return None
    if vocabulary().find(drug.name) or any(w.asked.search(drug.name) for w in WANTED):
        return None
    return drug


def _conditions(rest: str) -> tuple[tuple[Condition, ...], tuple[Condition, ...], str]:
    asked: dict[str, Condition] = {}
    among: dict[str, Condition] = {}
    left = rest
    for m in vocabulary().find(rest, CONDITION_LABELS):
        to = among if _POPULATION.search(rest[: m.start]) else asked
        to[m.node.name] = Condition(name=m.node.name, names=m.node.names)
        left = f"{left[: m.start]}{';':{m.end - m.start}}{left[m.end :]}"
    return tuple(asked.values()), tuple(among.values()), left


def _phrases(rest: str) -> tuple[tuple[Phrase, ...], ...]:
    """Groups of phrases: "tau phosphorylation in the cortex or hippocampus" has two."""
    groups: list[list[set[str]]] = [[set()]]
    for word in (fold(w) for w in _WORD.findall(rest)):
        if word in _ALTERNATIVES:
            if groups[-1][-1]:
                groups[-1].append(set())
        elif word in _JOINS:
            continue
        elif word in _FRAME or not stems(word):
            if any(groups[-1]):
                groups.append([set()])
        else:
            groups[-1][-1] |= _roots(word)
    kept = (tuple(frozenset(p) for p in group if p) for group in groups)
    return tuple(group for group in kept if group)


def _roots(word: str) -> set[str]:
    """Stems of a word; of a hyphenated one those of its parts. One spelling, one prefix less."""
    word = _PHOSPHO.sub("phosphoryl-", word)
    parts = [part for part in word.split("-") if part]
    return {_root(part) for part in parts if stems(part)} or {_root(p) for p in parts[:1]}


def _root(word: str) -> str:
    american = re.sub(r"(?<=[a-z]{3})is(?=e[drs]?$|ing$|ations?$)", "iz", word)
    american = re.sub(r"(?<=h)ae(?=m)|(?<=^)oe(?=d|s)", "e", american).replace("tumour", "tumor")
    bare = _PREFIX.sub("", american)
    return next(iter(stems(bare)), bare)


def bearing(asked: Asked, record: Evidence) -> tuple[Span, ...]:
    """The sentences of a record that bear on a question, in order; `content[start:end] == text`."""
    if not asked.names_something or not record.content:
        return ()
    reader = _Reader(asked, record)
    if not reader.is_about:
        return ()
    return tuple(span for span in whole_sentences(record.content) if reader.bears(span))


class _Reader:
    """Holds the sentences of one record against a question."""

    def __init__(self, asked: Asked, record: Evidence) -> None:
        self._asked = asked
        self._record = record
        self._drugs = [DrugNames(drug, record.content) for drug in asked.drugs]
        self._conditions = [ConditionNames(c, record.content) for c in asked.conditions]
        self._short = expand_abbreviations(record.content)
        meta = record.metadata
        self._heading = " ; ".join((record.citation.title, *meta.interventions))
        self._all = " ; ".join((self._heading, record.content, *meta.conditions))
        self._is_plan = not is_paper(record) and not meta.has_results

    @property
    def is_about(self) -> bool:
        """Whether the record names every drug and condition of the question."""
        groups = (*self._asked.conditions, *self._asked.population)
        return all(d.named(self._all) for d in self._drugs) and all(
            ConditionNames(c, self._record.content).named(self._all) for c in groups
        )

    def bears(self, span: Span) -> bool:
        """Whether a sentence is about the drugs and names all else that is asked."""
        if self._asked.finding and not self._may_find(span):
            return False
        if lexicon.NOT_GIVEN.search(span.text):
            return False
        return (
            all(c.named(span.text) for c in self._conditions)
            and all(want.found_in(span) for want in self._asked.wanted)
            and all(any(self._names(p, span.text) for p in g) for g in self._asked.phrases)
            and all(self._is_of(drug, span) for drug in self._drugs)
        )

    def _may_find(self, span: Span) -> bool:
        """Whether a sentence may tell a finding: no aim, no method, and no plan of a trial."""
        if self._is_plan or span.label.startswith(lexicon.NOT_FINDINGS):
            return False
        if lexicon.AIM.search(span.text) or _AHEAD.search(span.text):
            return False
        return not _is_of_comparator(self._drugs, span.text)

    def _is_of(self, drug: DrugNames, span: Span) -> bool:
        """Whether a sentence names the drug, or speaks of the treatment in a record on it alone."""
        if places := drug.find(span.text):
            asks_dose = any(want.name == DOSE for want in self._asked.wanted)
            others = drug.others(span.text, classes=False)
            own = [place.start() for place in places]
            return not asks_dose or _is_its_amount(span.text, own, others)
        if not drug.named(self._heading) or drug.others(span.text) or _CLASS.search(span.text):
            return False
        if drug.others(self._heading, classes=False):
            return False
        of_harms = span.label.startswith(lexicon.HARMS_SECTION)
        told = of_harms or (bool(span.label) and not self._asked.finding)
        return told or bool(arms.OF_TREATMENT.search(span.text))

    def _names(self, phrase: Phrase, text: str) -> bool:
        """Whether the words of a phrase stand near one another, abbreviations spelled out."""
        words = [_roots(w) for w in _WORD.findall(self._spelled(text)) if w not in (",", ";")]
        places = [[i for i, w in enumerate(words) if root in w] for root in phrase]
        if not all(places):
            return False
        return any(
            all(any(abs(i - at) <= _NEAR for i in others) for others in places[1:])
            for at in places[0]
        )

    def _spelled(self, text: str) -> str:
        spelled = fold(text)
        for short, long in self._short.items():
            one, other = fold(short), fold(long)
            if re.search(rf"\b{re.escape(one)}\b", spelled):
                spelled = re.sub(
                    rf"\b{re.escape(one)}\b", lambda m, o=other: f"{m[0]} {o}", spelled
                )
            elif other and other in spelled:
                spelled = spelled.replace(other, f"{other} {one}")
        return spelled


def _is_its_amount(text: str, own: Sequence[int], others: Sequence[int]) -> bool:
    """Whether an amount stands nearer to the drug than to any other one."""
    return any(
        min(abs(at - m.start()) for at in own)
        < min((abs(at - m.start()) for at in others), default=len(text) + 1)
        for m in AMOUNT.finditer(text)
    )


def _is_of_comparator(drugs: Sequence[DrugNames], text: str) -> bool:
    """Whether a sentence has the one drug asked about only as what another one is compared with.

    That another drug does better does not say what this one does. Against a control it does.
    """
    if len(drugs) != 1 or CONTROL.search(text):
        return False
    places = drugs[0].find(text)
    return bool(places) and all(_is_compared_with(text[: place.start()]) for place in places)


def _is_compared_with(before: str) -> bool:
    compared = arms.COMPARATOR.search(before)
    return bool(compared and not arms.OPENING.match(before) and not arms.ABSENCE.search(before))
