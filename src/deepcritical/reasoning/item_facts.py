"""Finds the sentences of a record that speak to the items of a checklist. Every one is located."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.checklist import (
    Aspect,
    Checklist,
    ChecklistItem,
    Inquiry,
    InquiryKind,
    ItemCoverage,
    ItemFact,
    cover,
)
from deepcritical.domain.evidence import Evidence, FactRole
from deepcritical.domain.grading import Grade, grade, is_notice, is_retracted
from deepcritical.domain.orders import addresses_a_model
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span, whole_sentences
from deepcritical.reasoning.asked import Asked
from deepcritical.reasoning.bearing import bearing
from deepcritical.reasoning.figures import has_result_figures
from deepcritical.reasoning.followup_stance import FollowUpJudge
from deepcritical.reasoning.inquiries import DOSES, HARMS, MECHANISMS, RECOMMENDED, focus_of
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.phrases import names_phrase
from deepcritical.reasoning.quoting import is_own_finding, sentence_fact
from deepcritical.reasoning.wanted import Wanted
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["ItemReader", "checklist_in", "counting", "covered", "may_answer", "read_items"]

_SERIOUS = bounded(
    r"\bserious\b|\bsevere\b|\bdeaths?\b|\bfatal\b|\bgrades? (?:[≥>]\s*)?(?:[345]|iii|iv|v)\b|"
    r"\bthrombo\w+|\bhospitali[sz]\w+|\blife-threatening\b|\bdiscontinu\w+",
    re.IGNORECASE,
)
_SHARE = bounded(r"\d\s?%|\d per (?:1,?000|100)\b|\b\d+ of \d+\b")
_OPINION = bounded(
    r"^(?:the )?(?:authors?|review|paper|article) (?:\w+ )?"
    r"(?:describ|speculat|hypothesi[sz]|propos|consider|discuss|suggest|mention)\w*",
    re.IGNORECASE,
)
"""What somebody thinks, not what was found."""
_MOST_RELATED = 2
"""Sentences of one record that do not name all that is asked."""
_ALSO_RELATED = frozenset({Aspect.ANSWER, Aspect.TRIALS, Aspect.AGAINST})
"""Aspects that a related sentence speaks to; it covers them in part at most."""
_OWN: dict[Aspect, Wanted] = {
    Aspect.SAFETY: HARMS,
    Aspect.SERIOUS: HARMS,
    Aspect.DOSE: DOSES,
    Aspect.MECHANISM: MECHANISMS,
    Aspect.RECOMMENDED: RECOMMENDED,
}
"""Aspects whose sentences tell something else than the question asks for."""
_ROLES = {
    Aspect.SAFETY: FactRole.HARM,
    Aspect.SERIOUS: FactRole.HARM,
    Aspect.MECHANISM: FactRole.MECHANISM,
    Aspect.REGISTERED: FactRole.DESIGN,
}


def may_answer(item: ChecklistItem, graded: Grade) -> bool:
    """Whether a record of that design can speak to an item at all."""
    level = graded.level
    match item.aspect:
        case Aspect.TRIALS:
            return level is not None and level <= 2
        case Aspect.PEOPLE:
            return level is not None and level <= 4
        case Aspect.MODELS:
            return level == 5
        case _:
            return True


class ItemReader:
    """Reads records for one checklist.

    Args:
        inquiry: The question.
        checklist: Its items.
    """

    def __init__(self, inquiry: Inquiry, checklist: Checklist) -> None:
        self._focus = focus_of(inquiry.plain)
        self._asked = self._focus.asked
        self._items = checklist.items
        self._judge = FollowUpJudge(self._asked)
        self._of_safety = inquiry.kind is InquiryKind.SAFETY

    def bears(self, record: Evidence) -> bool:
        """Whether a record, retracted or not, speaks to the question itself."""
        return bool(bearing(self._asked, record))

    def read(self, evidence_id: str, record: Evidence) -> tuple[ItemFact, ...]:
        """The facts of a record, each once with all items that it speaks to.

        A retracted record, or a notice about another one, has none.
        """
        graded = grade(record)
        if graded.retracted or is_notice(record):
            return ()
        found: dict[int, ItemFact] = {}
        for item, span, side, direct in self._spans(record, graded):
            had = found.get(span.start)
            role = _ROLES.get(item.aspect, FactRole.RESULT)
            found[span.start] = ItemFact(
                id="",
                items=(*(had.items if had else ()), item.id),
                fact=had.fact if had else sentence_fact(span, evidence_id, role),
                side=had.side if had and had.side is not Stance.NEUTRAL else side,
                level=graded.level,
                direct=direct or bool(had and had.direct),
            )
        return tuple(found[start] for start in sorted(found))

    def _spans(
        self, record: Evidence, graded: Grade
    ) -> Iterator[tuple[ChecklistItem, Span, Stance, bool]]:
        if not self._is_headed(record):
            return
        judged = self._judge.read(record, graded)
        told = [span for span in judged.spans if self._is_told(span)]
        direct = bool(told)
        if not told and self._focus.related and not judged.spans:
            near = bearing(self._focus.related, record)
            told = [span for span in near if self._is_told(span)][:_MOST_RELATED]
        for item in self._items:
            if not may_answer(item, graded):
                continue
            if item.aspect is Aspect.REGISTERED or item.aspect in _OWN:
                yield from ((item, span, Stance.NEUTRAL, True) for span in self._own(item, record))
                continue
            for span in told:
                basis = span.start == judged.basis
                side = (judged.stance or Stance.NEUTRAL) if basis else Stance.NEUTRAL
                whole = direct or item.aspect in _ALSO_RELATED
                if whole and self._suits(item, span, side):
                    yield item, span, side, direct

    def _own(self, item: ChecklistItem, record: Evidence) -> Iterator[Span]:
        """The sentences for an item that asks for something else than the question does."""
        if item.aspect is Aspect.REGISTERED:
            entry = _entry_sentence(self._asked, record)
            yield from (entry,) if entry else ()
            return
        for span in bearing(self._about(_OWN[item.aspect]), record):
            if self._is_told(span) and _fits(item, span):
                yield span

    def _is_headed(self, record: Evidence) -> bool:
        """Whether a record is about the condition whose treatments are asked for, by its heading.

        For any other question it must name who was studied, if that is asked.
        """
        if self._focus.kind is not InquiryKind.TREATMENT:
            told = f"{record.citation.title} ; {record.content}"
            groups = self._asked.studied
            return all(any(names_phrase(p, told) for p in group) for group in groups)
        meta = record.metadata
        heading = " ; ".join((record.citation.title, *meta.conditions))
        return all(
            ConditionNames(c, record.content).named(heading) for c in self._asked.population
        ) and all(any(names_phrase(p, heading) for p in group) for group in self._asked.studied)

    def _is_told(self, span: Span) -> bool:
        """Whether a sentence tells something; one of a dose may stand among the methods."""
        if addresses_a_model(span.text) or _OPINION.search(span.text):
            return False
        return not self._asked.finding or is_own_finding(span)

    def _suits(self, item: ChecklistItem, span: Span, side: Stance) -> bool:
        if item.aspect is Aspect.SIZE:
            return has_result_figures(span.text) or bool(_SHARE.search(span.text))
        if item.aspect is not Aspect.AGAINST:
            return True
        by_words = self._of_safety or not self._asked.yes_no
        return side is Stance.REFUTES or (by_words and self._focus.is_against(span))

    def _about(self, want: Wanted) -> Asked:
        """The question's drugs and conditions, with something else wanted of them."""
        asked = self._asked
        population = (*asked.population, *(asked.conditions if asked.drugs else ()))
        return asked._replace(
            wanted=(want,),
            conditions=() if asked.drugs else asked.conditions,
            population=population,
            phrases=() if asked.drugs or asked.conditions else asked.phrases,
            studied=() if asked.drugs or asked.conditions else asked.studied,
            yes_no=False,
            finding=want.is_finding or want is RECOMMENDED,
        )


def _fits(item: ChecklistItem, span: Span) -> bool:
    return item.aspect is not Aspect.SERIOUS or bool(_SERIOUS.search(span.text))


def checklist_in(store: EvidenceStore) -> Checklist:
    """The run's checklist; a programmer's error before it is made."""
    if store.checklist is None:
        raise ValueError("generate_checklist must run first")
    return store.checklist


def read_items(
    inquiry: Inquiry, checklist: Checklist, records: Mapping[str, Evidence]
) -> tuple[ItemFact, ...]:
    """The facts of records, by evidence id, in their order."""
    reader = ItemReader(inquiry, checklist)
    return tuple(fact for key, record in records.items() for fact in reader.read(key, record))


def covered(store: EvidenceStore) -> tuple[ItemCoverage, ...]:
    """How far each item is covered by the facts of records that count by now.

    A record may have turned out to be retracted since it was read.
    """
    study_of = store.study_of
    facts = counting(store)
    return tuple(cover(item, facts, study_of) for item in checklist_in(store).items)


def counting(store: EvidenceStore) -> tuple[ItemFact, ...]:
    """The facts of records that are not retracted."""
    records = store.evidence
    return tuple(f for f in store.item_facts if not is_retracted(records[f.fact.evidence_id]))


def _entry_sentence(asked: Asked, record: Evidence) -> Span | None:
    """What an entry on the drugs and conditions asked about says that it tests; None for no entry.

    That is the first sentence on the drug or, in an entry whose heading names it, the first one.
    """
    if record.metadata.kind != "trial":
        return None
    named = bearing(asked._replace(wanted=(), finding=False, yes_no=False), record)
    told = named or (whole_sentences(record.content) if _is_headed(asked, record) else ())
    return next((span for span in told if not addresses_a_model(span.text)), None)


def _is_headed(asked: Asked, record: Evidence) -> bool:
    meta = record.metadata
    heading = " ; ".join((record.citation.title, *meta.interventions, *meta.conditions))
    conditions = (*asked.conditions, *asked.population)
    return all(DrugNames(drug, record.content).named(heading) for drug in asked.drugs) and all(
        ConditionNames(condition, record.content).named(heading) for condition in conditions
    )
