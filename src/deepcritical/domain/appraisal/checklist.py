"""The checklist of a free question, and the rules for how far located facts cover it.

Every item is covered by a rule over the number, the level and the agreement of the studies whose
sentences were located for it. No item is satisfied without such a sentence.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import Field

from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.base import Model
from deepcritical.domain.evidence.record import Fact
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame


class InquiryKind(StrEnum):
    """The kind of a free question."""

    TREATMENT = "treatment"
    """What is given for a condition."""
    EFFECT = "effect"
    """Whether something helps, harms or changes a risk."""
    MECHANISM = "mechanism"
    SAFETY = "safety"
    DOSE = "dose"
    FREQUENCY = "frequency"
    DIAGNOSIS = "diagnosis"
    CAUSE = "cause"
    TRIALS = "trials"
    """Which trials there are, and where they stand."""
    STUDY = "study"
    """A fact of a study. Of inquiries stored before version 0.5."""
    COMPARISON = "comparison"
    """One treatment against another."""
    ELIGIBILITY = "eligibility"
    """In whom something helps, or who may have it."""
    GUIDANCE = "guidance"
    """What guidelines, reviews or authorities say."""
    DEFINITION = "definition"
    """What something is."""
    UNKNOWN = "unknown"
    """What is not known yet."""
    OTHER = "other"


class Aspect(StrEnum):
    """The kind of knowledge that a checklist item asks for."""

    EFFECT = "effect"
    """What something does to an outcome, in whom."""
    COMPARISON = "comparison"
    """One treatment against another."""
    SAFETY = "safety"
    """Harms."""
    RATE = "rate"
    """How often, how many, how much: a figure."""
    MECHANISM = "mechanism"
    DOSE = "dose"
    """Doses and regimens."""
    ELIGIBILITY = "eligibility"
    """In whom."""
    DIAGNOSIS = "diagnosis"
    """How accurate a test is."""
    CAUSE = "cause"
    """Causes and risk factors."""
    RECOMMENDED = "recommended"
    """What guidelines and reviews say."""
    REGISTERED = "registered"
    """Trials by their registry entries, and where they stand."""
    BACKGROUND = "background"
    """Definition and background."""
    UNKNOWN = "unknown"
    """What records call unclear, or still to be studied."""
    AGAINST = "against"
    """No effect, harm, stopped trials, what contradicts it."""

    ANSWER = "answer"
    """The question itself. This and the following are of answers written before version 0.5."""
    TRIALS = "trials"
    """What is known from randomised trials and reviews of them."""
    SIZE = "size"
    """Figures of the effect."""
    SERIOUS = "serious_harm"
    STUDY = "study"
    """What a registry or a paper states of the study itself."""
    PEOPLE = "people"
    """What is known from studies of people."""
    MODELS = "models"
    """What is known from animals and cells."""


class Inquiry(Model):
    """A free question as understood."""

    text: str
    """As the user wrote it, blanks trimmed."""
    read_as: str = ""
    """The question in plain words, the same for every way to put it; '' for as it was written."""
    context: str = ""
    """What the user said beside the question."""
    kind: InquiryKind
    drugs: tuple[Drug, ...] = ()
    conditions: tuple[Condition, ...] = ()
    key_terms: tuple[str, ...] = ()
    """Words of the question, or names of a vocabulary, that a record must bear on."""
    aspects: tuple[Aspect, ...] = ()
    """What context or a model want known beside what the kind of question asks for."""
    searches: tuple[str, ...] = ()
    """Words that a model would search for beside those of the rules."""
    scope_in: tuple[str, ...] = ()
    scope_out: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """What the reader must know about how the question was understood."""
    frame: QuestionFrame | None = None
    """Everything that was understood; None in what was stored before there were frames."""


class ChecklistItem(Model):
    """One thing that must be known to answer the question."""

    id: str
    """Such as ``C1``."""
    aspect: Aspect
    text: str = Field(min_length=1)
    """As a question, for the reader."""
    studies: int = Field(default=1, ge=1)
    """Studies that satisfy it."""
    level: int | None = Field(default=None, ge=1, le=5)
    """OCEBM level that one of them must reach; None for any."""


class Checklist(Model):
    """Everything that must be known, the question itself first."""

    items: tuple[ChecklistItem, ...] = Field(min_length=3, max_length=7)


class ItemFact(Model):
    """A located sentence and the items that it speaks to."""

    id: str
    """Such as ``F1``; '' before it is in the store."""
    items: tuple[str, ...]
    """Ids of checklist items."""
    fact: Fact
    side: Stance = Stance.NEUTRAL
    """For or against what a question of yes or no asks; neutral for any other sentence."""
    level: int | None = None
    """OCEBM level of its record."""
    direct: bool = True
    """Whether its record is on all that is asked; else only on something near."""
    relevance: float = Field(default=0.0, ge=0)
    """How well the sentence fits the question; comparable within one answer."""
    by_reading: bool = False
    """Whether it states a typed result that counts for the question."""


class Coverage(StrEnum):
    """The degree to which an item is covered."""

    SATISFIED = "satisfied"
    PARTIAL = "partial"
    UNSATISFIED = "unsatisfied"


class ItemCoverage(Model):
    """The coverage of one item, with the facts behind it."""

    item: str
    coverage: Coverage
    fact_ids: tuple[str, ...] = ()
    """Ids of the facts that say so; empty for one that is not covered at all."""
    reason: str
    """The rule that decided, in words."""


_AGREEING = (
    *(Aspect.EFFECT, Aspect.COMPARISON),
    *(Aspect.ANSWER, Aspect.TRIALS, Aspect.PEOPLE, Aspect.MODELS),
)
"""Needs that are not met while the strongest studies stand on both sides."""


def cover(
    item: ChecklistItem, facts: Sequence[ItemFact], study_of: Mapping[str, int]
) -> ItemCoverage:
    """Return an item's coverage: by strong studies, by weak ones, contradicted, or open.

    What is only on something near covers nothing.

    Args:
        item: The item.
        facts: Facts of records that count: none of them retracted.
        study_of: Evidence id -> number of the study; records of one study count once.
    """
    own = [fact for fact in facts_of(item, facts) if fact.direct]
    ids = tuple(fact.id for fact in own)
    missing = _missing(item, own, study_of)
    if not own:
        return ItemCoverage(item=item.id, coverage=Coverage.UNSATISFIED, reason=missing)
    done = Coverage.PARTIAL if missing else Coverage.SATISFIED
    said = missing or f"{_studies(len(_counted(own, study_of)))} located{_best(own)}"
    return ItemCoverage(item=item.id, coverage=done, fact_ids=ids, reason=said)


def facts_of(item: ChecklistItem, facts: Sequence[ItemFact]) -> list[ItemFact]:
    """The facts of an item; those of records on something near only where there are no others."""
    own = [fact for fact in facts if item.id in fact.items]
    return [fact for fact in own if fact.direct] or own


BOTH_WAYS = "sentences of the strongest studies point both ways"
"""The reason why an item is not satisfied that no further study of the same kind takes away."""


def _missing(item: ChecklistItem, own: Sequence[ItemFact], study_of: Mapping[str, int]) -> str:
    """Return the reason why an item is not satisfied; '' for none."""
    if not own:
        return "no sentence on it was recognised in the records found"
    if item.aspect in _AGREEING and _disagree(own):
        return BOTH_WAYS
    level = min((fact.level for fact in own if fact.level), default=None)
    if item.level and (level is None or level > item.level):
        found = f"the best is OCEBM level {level}" if level else "no study has an OCEBM level"
        return f"{found}; level {item.level} or better is wanted"
    counted = len(_counted(own, study_of))
    if counted < item.studies:
        return f"{_studies(counted)} located; {item.studies} are wanted"
    return ""


def _disagree(facts: Sequence[ItemFact]) -> bool:
    """Return whether those of the best level among the facts with a side stand on both sides."""
    sided = [fact for fact in facts if fact.side is not Stance.NEUTRAL and fact.level]
    best = min((fact.level for fact in sided if fact.level), default=None)
    return len({fact.side for fact in sided if fact.level == best}) > 1


def _counted(facts: Sequence[ItemFact], study_of: Mapping[str, int]) -> set[int]:
    return {study_of[fact.fact.evidence_id] for fact in facts}


def _studies(number: int) -> str:
    return f"{number} {'study' if number == 1 else 'studies'}"


def _best(facts: Sequence[ItemFact]) -> str:
    level = min((fact.level for fact in facts if fact.level), default=None)
    return f", the best of OCEBM level {level}" if level else ""


def lower_of(
    said: Sequence[ItemCoverage], by_rule: Sequence[ItemCoverage]
) -> tuple[ItemCoverage, ...]:
    """Each item as the rule covers it, or lower where somebody found less."""
    others = {one.item: one for one in said}
    pairs = ((others.get(one.item, one), one) for one in by_rule)
    worst_last = list(Coverage)
    return tuple(max(pair, key=lambda one: worst_last.index(one.coverage)) for pair in pairs)
