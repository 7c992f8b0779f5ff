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

__all__ = ["Asked", "bearing", "neutral_nouns", "read_asked"]

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
    "took gave known shown said told reported found seen observed evidence data information "
    "results result study studies trial trials record records paper papers research literature "
    "author authors "
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
_VERB = re.compile(
    r"^(?:activat|inhibit|block|stimulat|suppress|induc|bind|cross|enter|penetrat|accumulat|restor|"
    r"deplet|degrad|phosphorylates?$|inactivat)"
)
"""What a drug does to a target: named by a word of its own, not as in "AMP-activated"."""
_OF_GROUP = re.compile(
    r"\b(?:impairments?|diseases?|disorders?|syndromes?|injur(?:y|ies)|infections?|cancers?|failure|"
    r"mice|mouse|rats?|animals?|cells|children|women|men|elderly|older|diabetics?)\b",
    re.IGNORECASE,
)
"""In a phrase behind "in": it says who was studied."""
_NEAR = 4
"""Words of one phrase stand at most so many words apart: "tau phosphorylation" is not named by
"phosphorylated AKT in the cortex of Tau-VLW mice"."""
_POPULATION = re.compile(
    r"\b(?:in|among|with|for|having|who have)\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE
)
_NOT_GIVEN = re.compile(
    rf"{lexicon.NOT_GIVEN.pattern}|\bthe abstract \w+ no\b|\bdata shown give no\b", re.IGNORECASE
)
_SET_APART = re.compile(r"\bnot\s+$", re.IGNORECASE)
"""Before a drug that a sentence says nothing of: "pioglitazone, not examplol, improved it"."""
_BAD_STATE = re.compile(
    r"\b(?:impairments?|barriers?|(?<=\w )declines?|deficits?|dysfunction|"
    r"(?<!weight )(?<!of )loss(?:es)?)\b",
    re.IGNORECASE,
)
_AMONG = re.compile(r"\b(?:in|among)\s+((?:[\w'’-]+\s*){1,5})\W*$", re.IGNORECASE)
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

_ROOT, _VERB_ROOT, _ENDING = 4, 6, 2
"""Letters of a root that may have another ending, of a verb's root, and of that ending."""

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
    studied: tuple[tuple[Phrase, ...], ...]
    """The same, of which the record must name each somewhere: "in mild cognitive impairment"."""
    wanted: tuple[Wanted, ...]
    claim: str
    """The question as far as it says what is claimed, without those studied."""
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
    def subjects(self) -> tuple[str, ...]:
        """The drugs and conditions that it names."""
        conditions = (*self.conditions, *self.population)
        return (*(drug.name for drug in self.drugs), *(c.name for c in conditions))

    @property
    def looked_for(self) -> tuple[str, ...]:
        """What a sentence must name, in words for the reader."""
        words = (
            " or ".join(" ".join(_shown(self.text, phrase)) for phrase in group)
            for group in (*self.phrases, *self.studied)
        )
        return (*self.subjects, *words, *(want.name for want in self.wanted))


def _shown(text: str, phrase: Phrase) -> list[str]:
    return [
        word for word in _WORD.findall(fold(text)) if {*_roots(word), _verb_root(word)} & phrase
    ]


def read_asked(question: str) -> Asked:
    """What a question asks for, by rules over its words."""
    drugs, rest = _drugs(question)
    conditions, population, rest = _conditions(rest)
    wanted = tuple(w for w in WANTED if w.asked.search(question))
    for want in wanted:
        rest = want.asked.sub(_blank, rest)
    studied, rest = _group_studied(rest, others=any(want.is_topic for want in wanted))
    phrases = _phrases(rest)
    if not phrases and not conditions and not any(w.is_topic for w in wanted):
        conditions, population = population, ()
    claim = _claim(question, studied)
    kind = proposition(claim).kind
    yes_no = bool(_YES_NO.search(question))
    finding = yes_no and (kind in _FINDS or any(w.is_finding for w in wanted))
    return Asked(
        text=question,
        drugs=drugs,
        conditions=conditions,
        population=population,
        phrases=phrases,
        studied=_phrases(studied),
        wanted=wanted,
        claim=claim,
        yes_no=yes_no,
        finding=finding,
    )


def neutral_nouns(text: str) -> str:
    """A text in which no noun for a bad state reads like what is claimed or found of it.

    "Does it improve cognitive decline?" claims no decline, and an impairment is no harm done.
    """
    return _BAD_STATE.sub("state", text)


def _claim(question: str, studied: str) -> str:
    told = question.replace(studied, " ") if studied else question
    return re.sub(r"\bdelay(?=s?\b|ed\b)", "slow", neutral_nouns(told), flags=re.IGNORECASE)


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
        elif _VERB.match(word):
            groups += [[{_verb_root(word)}], [set()]]
        elif word in _FRAME or not stems(word):
            if any(groups[-1]):
                groups.append([set()])
        else:
            groups[-1][-1] |= _roots(word)
    kept = (tuple(frozenset(p) for p in group if p) for group in groups)
    return tuple(group for group in kept if group)


def _group_studied(rest: str, others: bool) -> tuple[str, str]:
    """The phrase behind "in" that says who was studied, if anything else is asked; and the rest."""
    found = _AMONG.search(rest)
    if not found or (not others and not _phrases(rest[: found.start()])):
        return "", rest
    studied = found[1] if _OF_GROUP.search(found[1]) else ""
    return studied, rest[: found.start()] if studied else rest


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


def _verb_root(word: str) -> str:
    return f"{word[:_VERB_ROOT]}*"


def _is_root_of(root: str, word: str) -> bool:
    """Whether a word has the root, give or take an ending: "cogn" is that of "cognitive"."""
    if root.endswith("*"):
        return word.startswith(root[:-1])
    return any(
        root == other or (min(len(root), len(other)) >= _ROOT and _is_prefix(root, other))
        for other in _roots(word)
    )


def _is_prefix(one: str, other: str) -> bool:
    near = abs(len(one) - len(other)) <= _ENDING
    return near and (one.startswith(other) or other.startswith(one))


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
        return (
            all(d.named(self._all) for d in self._drugs)
            and all(ConditionNames(c, self._record.content).named(self._all) for c in groups)
            and all(any(self._names(p, self._all) for p in g) for g in self._asked.studied)
        )

    def bears(self, span: Span) -> bool:
        """Whether a sentence is about the drugs and names all else that is asked."""
        if self._asked.finding and not self._may_find(span):
            return False
        if _NOT_GIVEN.search(span.text):
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
        named = drug.find(span.text)
        if places := [p for p in named if not _SET_APART.search(span.text[: p.start()])]:
            asks_dose = any(want.name == DOSE for want in self._asked.wanted)
            return not asks_dose or _is_its_amount(span.text, [p.span() for p in places])
        if (
            named
            or not drug.named(self._heading)
            or drug.others(span.text)
            or _CLASS.search(span.text)
        ):
            return False
        if drug.others(self._heading, classes=False):
            return False
        of_harms = span.label.startswith(lexicon.HARMS_SECTION)
        told = of_harms or (bool(span.label) and not self._asked.finding)
        return told or bool(arms.OF_TREATMENT.search(span.text))

    def _names(self, phrase: Phrase, text: str) -> bool:
        """Whether the words of a phrase stand near one another, abbreviations spelled out."""
        words = [w for w in _WORD.findall(self._spelled(text)) if w not in (",", ";")]
        places = [[i for i, word in enumerate(words) if _is_root_of(root, word)] for root in phrase]
        if not all(places):
            return False
        return any(
            all(any(abs(i - at) <= _NEAR for i in others) for others in places[1:])
            for at in places[0]
        )

    def _spelled(self, text: str) -> str:
        """The text with the long form behind each of its abbreviations, and the other way round."""
        spelled = fold(text)
        for short, long in self._short.items():
            brief, full = fold(short), fold(long)
            parts = re.split(rf"\b{re.escape(brief)}\b", spelled)
            if len(parts) > 1:
                spelled = f"{brief} {full}".join(parts)
            elif full:
                spelled = spelled.replace(full, f"{full} {brief}")
        return spelled


def _is_its_amount(text: str, own: Sequence[tuple[int, int]]) -> bool:
    """Whether an amount stands nearer to the drug than to any other one.

    Args:
        text: The sentence.
        own: Where the drug stands, start and end.
    """
    others = [
        (m.start, m.end)
        for m in find_drugs(text)
        if m.drug.kind is DrugKind.DRUG and not any(a <= m.start < b for a, b in own)
    ]
    return any(
        min(_gap(place, amount) for place in own)
        < min((_gap(place, amount) for place in others), default=len(text) + 1)
        for amount in (m.span() for m in AMOUNT.finditer(text))
    )


def _gap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1], 0)


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
