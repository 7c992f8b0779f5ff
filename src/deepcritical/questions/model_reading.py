"""The form in which a model returns its reading of a question."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.declining import as_typed
from deepcritical.questions.naming import as_condition, find_names
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.words import is_english

_BESIDE_NAME = bounded(
    r" \((?:[^()]|\([^()]*\))*\)$|^(?:treatment|management) of (?:the )?", re.IGNORECASE
)


_FORM = bounded(
    r"\b(?:(?:intra)?nasal(?:ly)?|nose|inhal\w+|nebuli[sz]\w+|oral(?:ly)?|mouth|tablets?|pills?|"
    r"capsules?|sublingual|buccal|intravenous(?:ly)?|iv|infus\w+|bolus|push|drip|intramuscular\w*|"
    r"subcutaneous\w*|inject\w*|jabs?|shots?|depot|implants?|patch(?:es)?|transdermal|topical|cream|"
    r"ointment|gel|rectal|suppositor\w+|intrathecal|epidural|drops|spray|puffs?|long-acting|"
    r"(?:slow|extended|immediate)-release|liposomal)\b",
    re.IGNORECASE,
)
"""Ways in which one drug is given."""
_OTHERWISE = bounded(
    r"\d|[+&]|\b(?:stop\w*|continu\w*|discontinu\w*|withdr\w+|no|not|without|none|plus|with|and|"
    r"added|alone|dose\w*)\b",
    re.IGNORECASE,
)
"""In a side that differs by dose, by what is added, or by whether the drug is taken at all."""


class Meaning(BaseModel):
    """What a name in the question means."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)

    said: str
    """The abbreviation or lay words, as the question writes them."""
    means: str
    """The usual full name."""

    @property
    def name(self) -> str:
        """The full name alone, without a remark in brackets."""
        return _BESIDE_NAME.sub("", self.means.strip()).strip()


class ModelReading(BaseModel):
    """The request of a question, as a model reads it."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)

    kind: Literal[
        "efficacy",
        "candidates",
        "mechanism",
        "comparison",
        "combination",
        "class",
        "safety",
        "dose",
        "population",
        "status",
        "look_up",
        "open",
        "conversation",
        "instruction",
        "harmful",
        "personal_advice",
        "not_biomedical",
    ]
    """The first that fits. conversation: small talk, or about this program; instruction: orders to
    the program in place of a question; harmful: how to harm oneself or others; personal_advice:
    what one person should take, stop or do, or has, and not what is known in general, which a story
    may stand round; not_biomedical: nothing that biomedical literature answers; safety:
    whether a drug brings a harm, or is safe; comparison: one treatment or dose against another, in
    benefit; combination: drugs given together, one added to another included; class: whether a
    class of drugs helps; candidates: which drugs could help; dose: how much, how long, how often;
    population: in whom it helps; mechanism: by which target or process a drug acts; status:
    approval, guidelines, trials; efficacy: whether one drug helps, on any outcome; look_up: a plain
    fact; open: any other question."""
    drugs: list[str] = Field(default_factory=list)
    """What is asked about, as the question names it; empty when it names none. Of a comparison the
    side that is asked about; of a class with examples the class. Not what people take already, or
    took before."""
    compared_with: list[str] = Field(default_factory=list)
    """The other side of a comparison, in benefit or in harm; placebo only if the question names
    it. Of an addition ("A with B against B alone") what is given alone."""
    condition: str = ""
    """What is to be treated or prevented, as the question names it; empty when it names none. In a
    question on safety what the drug is given for. Not the harm that is feared, and not what those
    who are studied have beside it."""
    harm: str = ""
    """In a question on safety the harm that is feared, as the question names it."""
    population: list[str] = Field(default_factory=list)
    """Who is studied, as the question says it: groups, and conditions that they have beside the
    treated one. For agitation in dementia the condition is agitation, the population dementia."""
    outcomes: list[str] = Field(default_factory=list)
    """What is measured or hoped for beside the condition, as the question says it."""
    through: list[str] = Field(default_factory=list)
    """Targets or processes by which the drug is said to act."""
    prevention: bool = False
    """Whether it asks if people who do not have the condition yet are kept from getting it; false
    for slowing, or for a relapse of what they have."""
    negative: bool = False
    """Whether it asks, or has it confirmed, that there is no effect."""
    meanings: list[Meaning] = Field(default_factory=list)
    """Of the names above those that are abbreviations or lay words, with what they mean here."""

    def meant_by(self, written: str) -> tuple[str, ...]:
        """The full names of what the question calls so, as the model understands it."""
        return tuple(m.name for m in self.meanings if key_of(m.said) == key_of(written))

    @property
    def compares_forms(self) -> bool:
        """True where one drug is set against itself, given in another way."""
        sides = [*self.drugs[:1], *self.compared_with]
        told = any(map(_FORM.search, sides)) and not any(map(_OTHERWISE.search, sides))
        named = [frozenset(one.drug.name for one in find_names(side).drugs) for side in sides]
        is_one = len(self.drugs) == 1 and len(sides) > 1 and len(named[0]) == 1
        differ = len(set(map(key_of, sides))) == len(sides)
        is_told = self.kind == "comparison" and told and is_one and differ
        return is_told and len(set(named)) == 1


def with_meanings(condition: Condition | None, said: ModelReading) -> Condition | None:
    """The condition, under the names that a model says it means, too: "feeling sick" is nausea."""
    if condition is None:
        return None
    meant = said.meant_by(condition.name)
    found = (one.condition for means in meant for one in find_names(means).conditions)
    names = (name for one in found for name in as_condition(one).names)
    every = dict.fromkeys((condition.name, *condition.names, *names))
    return condition.model_copy(update={"names": tuple(every)})


_NO_DRUG = {QuestionKind.CANDIDATES: "any drug"}


def _is_strange(named: Drug | Condition) -> bool:
    """Return whether a name is in no table, and is not in plain English either."""
    return not (named.known or all(map(is_english, named.name.casefold().split())))


def with_note(read: QuestionFrame) -> QuestionFrame:
    """Return a frame with a line on how it was read, and one on each name that is not known."""
    parts = (
        "stopping" if read.stopping else "",
        " and ".join(drug.name for drug in read.drugs) or _NO_DRUG.get(read.kind, ""),
        f"compared with {' or '.join(read.comparators)}" if read.comparators else "",
        f"in {read.condition.name}" if read.condition and read.condition.known else "",
        f"({read.kind.value.replace('_', ' ')})",
    )
    harm = f"; the harm feared is {read.harm.name}" if read.harm else ""
    told = f"{' '.join(filter(None, parts))}{harm}{'; put as a denial' if read.negative else ''}"
    unknown = [as_typed(drug.name, "drug") for drug in read.drugs if _is_strange(drug)]
    if (condition := read.condition) and _is_strange(condition):
        unknown.append(as_typed(condition.name, "condition"))
    said = dict.fromkeys((f"A model read the question as: {told}.", *read.notices, *unknown))
    return read.model_copy(update={"notices": tuple(said), "by_model": True})
