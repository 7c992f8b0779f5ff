"""The frame of a question: its kind, population, and drugs and condition with their synonyms."""

from __future__ import annotations

import re
from enum import StrEnum

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.text.patterns import bounded


class Drug(Model):
    """A drug and the other names it goes by."""

    name: str = Field(min_length=1)
    synonyms: tuple[str, ...] = ()
    known: bool = True
    """False when no vocabulary has the name; it is then searched literally."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name and its synonyms."""
        return (self.name, *self.synonyms)


class Condition(Model):
    """A condition and the other names it goes by."""

    name: str = Field(min_length=1)
    names: tuple[str, ...] = ()
    """All names, the first one included."""
    mesh_id: str | None = None
    either: tuple[Condition, ...] = ()
    """Of several that are asked about at once ("agitation and aggression"), each by itself."""
    known: bool = True

    @property
    def each(self) -> tuple[Condition, ...]:
        """The conditions of which any counts: itself, where it is one."""
        return self.either or (self,)


class QuestionKind(StrEnum):
    """The kind of a question."""

    EFFICACY = "efficacy"
    """Whether one drug helps in a condition."""
    CANDIDATES = "candidates"
    """Which drugs could be used for a condition."""
    MECHANISM = "mechanism"
    """How a drug acts, or whether it helps through a named target."""
    COMPARISON = "comparison"
    """A drug against another treatment."""
    COMBINATION = "combination"
    """Drugs that are given together."""
    CLASS = "class"
    """Whether a class of drugs helps in a condition."""
    SAFETY = "safety"
    DOSE = "dose"
    POPULATION = "population"
    """In whom a drug helps."""
    STATUS = "status"
    """Approval, guidelines, trials that run or ran."""
    LOOK_UP = "look_up"
    """A plain fact on one drug, condition, trial or paper."""
    OPEN = "open"
    """Any other question that biomedical literature can answer."""
    CONVERSATION = "conversation"
    """Small talk: no question to search."""
    DECLINED = "declined"


_ON_HARM = frozenset({QuestionKind.SAFETY, QuestionKind.COMPARISON, QuestionKind.COMBINATION})
"""The kinds of questions that can be on a harm."""
_ON_SAFETY = frozenset({QuestionKind.SAFETY, QuestionKind.COMPARISON})
"""Those of them that can ask for safety without the name of a harm."""


_IF_SAFE = bounded(
    r"\b(?:un)?(?:safe(?:ly|r)?|dangerous|harmful|risky)"
    r"(?=[?.!,]|$| (?:in|for|to|than|or|during|with|when|while|if|at|after|before)\b)|"
    r"\b(?:cause|causes|causing|do|does|more|less|fewer|increases?|risk of|any)"
    r"(?: (?:more|any|the|risk|of|serious|severe|significant|real|actual)){0,3} "
    r"(?:(?:serious|severe) (?:adverse (?:events?|effects?|reactions?)|side[- ]effects?)|harms?|"
    r"SAEs?)(?! reduction)\b|"
    r"\b(?:less|more|fewer|lower|higher) (?:\w+ )?(?:toxic(?:ity)?|dangerous|harmful|"
    r"side[- ]effects|adverse (?:events|effects|reactions))\b|\bbetter tolerated\b",
    re.IGNORECASE,
)
_OF_HARM = bounded(
    r"\b(?:(?:un)?saf(?:e\w*|ety)|danger\w*|harm\w*|risks|risky|toxic\w*|tolera(?:ted|bl|bil)\w*|"
    r"side[- ]effects?|adverse (?:events?|effects?|reactions?)|S?AEs?)\b",
    re.IGNORECASE,
)
"""Words of a question on safety that is on harm of any kind, whatever its wording."""
_IF_MORE = bounded(
    r"\b(?:help|effective|efficac|work|useful|benefi|stop|withdraw|discontinu|taper)\w*|"
    r"\bnot (?:to )?tak\w+",
    re.IGNORECASE,
)
"""Words of a question that is on more than whether taking a drug is safe."""
_IF_WORSE = bounded(
    r"(?<!no )(?<!not )(?<!n't )\b(?:worse|(?<!non-)inferior|weaker|"
    r"less (?:effective|efficacious|helpful|useful|protective))\b",
    re.IGNORECASE,
)
IF_STOPPED_WORSE = bounded(
    r"(?<!no )(?<!not )(?<!n't )\b(?:worse\w*|deteriorat\w*|(?<!less )harm\w*|(?:un)?safe\w*|"
    r"danger\w*|what happens)\b",
    re.IGNORECASE,
)
"""Words of a question whether those who stop a drug fare worse."""
_SERIOUS = (
    "serious adverse events",
    "severe adverse events",
    "discontinuation due to adverse events",
    "death from any cause",
)
_OF_PREGNANCY = ("congenital anomalies", "miscarriage", "stillbirth", "preterm birth")


def _any_of(names: tuple[str, ...]) -> Condition:
    either = tuple(Condition(name=name, names=(name,)) for name in names)
    return Condition(name="serious harm", names=("serious harm", *names), either=either)


SERIOUS_HARM = _any_of(_SERIOUS)
"""The outcome of a question on safety that names no harm."""
ANY_HARM = Condition(name="unwanted effects", names=("unwanted effects",))
"""The outcome of the answer to such a question, where no deciding result is on serious harm."""
_IN_PREGNANCY = _any_of((*_SERIOUS, *_OF_PREGNANCY))
_PREGNANT = "pregnant women"
"""The group of people under the name that frames have for it."""


class DeclineReason(StrEnum):
    """The reason why a question is not searched."""

    EMPTY = "empty"
    NOT_BIOMEDICAL = "not_biomedical"
    GIBBERISH = "gibberish"
    PERSONAL_ADVICE = "personal_advice"
    HARMFUL = "harmful"
    INSTRUCTION = "instruction"
    OTHER_LANGUAGE = "other_language"
    UNKNOWN_NAME = "unknown_name"


_FINAL = frozenset(
    {DeclineReason.HARMFUL, DeclineReason.INSTRUCTION, DeclineReason.PERSONAL_ADVICE}
)


class Ambiguity(Model):
    """A name of several things, of which one was taken."""

    text: str
    taken: str
    others: tuple[str, ...] = Field(min_length=1)


class OutsideName(Model):
    """A name that no table here has, as a live authority or the records know it."""

    text: str
    """As the question writes it."""
    drug: Drug | None = None
    condition: Condition | None = None
    """With neither, it is known as something else: a procedure, an exposure, a target."""


class QuestionFrame(Model):
    """A question in the names that the vocabularies know."""

    text: str
    """The question as written, blanks trimmed."""
    kind: QuestionKind
    drugs: tuple[Drug, ...] = ()
    """What is asked about: one drug, all of a combination, or a class under its plural."""
    members: tuple[str, ...] = ()
    """Of a class, the drugs that belong to it."""
    comparators: tuple[str, ...] = ()
    """What it is compared with, in generic names; "placebo" too."""
    compared_together: bool = False
    """Whether it is compared with all of these as they are given together: "than A plus B"."""
    condition: Condition | None = None
    harm: Condition | None = None
    """In a question on safety the condition that the drug may bring."""
    population: tuple[str, ...] = ()
    """Who is studied, when the question says so: groups, and conditions that are not treated."""
    outcomes: tuple[str, ...] = ()
    """What is measured or hoped for beside the condition."""
    through: tuple[str, ...] = ()
    """Targets or processes by which the drug is said to act."""
    negative: bool = False
    """Whether it asks if there is no effect. The verdict is always on the positive proposition."""
    prevents: bool = False
    """Whether it asks if fewer people get the condition, not how those who have it fare."""
    raises: bool = False
    """Whether it asks if the drug brings more of an outcome that is bad, such as deaths."""
    stopping: bool = False
    """Whether it is on stopping the drug, and not on taking it."""
    mixed: bool = False
    """Whether a question on safety is on drugs that are taken together, not on each of them."""
    latest: bool = False
    """Whether it asks for new evidence."""
    not_understood: tuple[str, ...] = ()
    """Words that no vocabulary knows: they rank what is found, and never filter it."""
    ambiguities: tuple[Ambiguity, ...] = ()
    by_model: bool = False
    """Whether a model read the question, which then also matches results to all its words."""
    notices: tuple[str, ...] = ()
    """What the reader must know about how the question was understood."""
    declined: DeclineReason | None = None
    doubtful: bool = False
    """Whether the reason to decline is not beyond doubt, so that a model may read otherwise."""
    offers: tuple[str, ...] = ()
    """Where a name is unknown, the nearest ones that are known; or a question to ask instead."""

    missing: tuple[OutsideName, ...] = ()
    """Of a question that is declined for unknown names, what each of them would be."""

    @property
    def answerable(self) -> bool:
        """Return whether there is something to search for."""
        return self.kind not in {QuestionKind.CONVERSATION, QuestionKind.DECLINED}

    @property
    def is_final(self) -> bool:
        """Return whether it is declined for a reason that no model can set aside.

        A text may have been written to talk it out.
        """
        return self.declined in _FINAL and not self.doubtful

    @property
    def together(self) -> bool:
        """Return whether the drugs are asked about as they are given together."""
        return self.kind is QuestionKind.COMBINATION or self.mixed

    @property
    def feared(self) -> Condition | None:
        """The harm asked about: whether a drug brings it, or one more than another.

        Of a question whether a drug is safe, or safer than another, any that is serious.
        """
        if self.harm or self.raises or self.kind not in _ON_SAFETY:
            return self.harm if self.kind in _ON_HARM else None
        words = _OF_HARM if self.kind is QuestionKind.SAFETY else _IF_SAFE
        asks = words.search(self.text) and not _IF_MORE.search(self.text)
        if not (asks and self.drugs):
            return None
        return _IN_PREGNANCY if _PREGNANT in self.population else SERIOUS_HARM

    @property
    def brings_harm(self) -> bool:
        """Return whether it asks if the drug brings more of something bad."""
        return self.raises or self.feared is not None

    @property
    def is_on_being_worse(self) -> bool:
        """Return whether it asks if a drug, or stopping it, does less good than the alternative."""
        if self.stopping and not self.brings_harm:
            return IF_STOPPED_WORSE.search(self.text) is not None
        is_compared = self.kind is QuestionKind.COMPARISON and not self.brings_harm
        return is_compared and _IF_WORSE.search(self.text) is not None

    @property
    def is_on_harm(self) -> bool:
        """Return whether "yes" means harm from the drug, or less good than from another."""
        return self.brings_harm or self.is_on_being_worse
