"""Finds the sentences of records that speak to the needs of a question. Every one is located.

A sentence ranks by what it, its title and its record name of the question, by the words in which
the need is met, and by where it stands. What the reading of a study states on the drug asked about
goes before: it has a side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from deepcritical.answering.cues import (
    AIM,
    CUES,
    FEWER,
    FIGURES,
    FINDINGS,
    RESULT,
    is_needed,
    is_own_finding,
)
from deepcritical.answering.facts import body_of, fact_of, is_entry_without_results, joined
from deepcritical.answering.fitting import Fitting, studied_starts, tells_dose
from deepcritical.answering.kinds import asks_under_way
from deepcritical.answering.topics import Topics, Weights, folded, told_of, topics_of
from deepcritical.answering.weighing import appraised, drugs_asked
from deepcritical.domain.appraisal.checklist import (
    Aspect,
    Checklist,
    ChecklistItem,
    Inquiry,
    InquiryKind,
    ItemFact,
)
from deepcritical.domain.appraisal.findings import Appraisal, Stance
from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.grading import Grade, grade
from deepcritical.domain.evidence.kinds import is_negative_stop, is_notice, is_under_way
from deepcritical.domain.evidence.record import Evidence, Fact, FactRole
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.domain.text.spans import Span, addresses_a_model, fold, whole_sentences
from deepcritical.verification.words import expanded
from deepcritical.vocabulary.drugs import DrugKind, find_drugs

_STARTS = 60
"""Characters of a reason that are looked for in the text."""
_MOST_OF_RECORD, _MOST_ON_QUESTION = 2, 4
"""Sentences of one record for one need, and for the need that is the question itself."""
_DIRECT, _NEAR = 0.7, 0.5
"""Share of the best coverage of a question's words that a record has which is on it, or near it."""
_FEWEST = 0.4
"""Coverage below which a record of no known subject is on something else."""
_LEAST = 0.45
"""Relevance of a sentence that speaks to a need."""
_TYPED = 0.3
"""Amount that is added to a sentence that a reading rests its answer to the need on."""
_IN_TITLE, _IN_RECORD = 0.6, 0.3
"""Worth of a name to a sentence that stands in its title, or elsewhere in its record."""
_BY_RANK = 0.3
"""Amount that the rank of its record, 0-1, adds to the relevance of a sentence."""
ALIKE = 0.5
"""Likeness from which a sentence is on the question, whatever its words are."""
_BY_MEANING = 2.0
"""Amount by which each point of likeness above `ALIKE` adds to the relevance of a sentence."""
_OF_EFFECTS = (Aspect.EFFECT, Aspect.COMPARISON)
_OF_FINDINGS = (*_OF_EFFECTS, Aspect.RATE, Aspect.DIAGNOSIS, Aspect.CAUSE)
"""Needs that any result of a record on the question meets, where they are the question itself."""
_OF_PLANS = (Aspect.REGISTERED, Aspect.BACKGROUND, Aspect.DOSE, Aspect.ELIGIBILITY)
"""Aspects that a protocol or a registry entry without results can tell."""
_TREATS = (DrugKind.DRUG, DrugKind.DRUG_CLASS)
_SIDES = {"supporting": Stance.SUPPORTS, "refuting": Stance.REFUTES}
_BY_READING = {
    Aspect.EFFECT: ("supporting", "refuting"),
    Aspect.COMPARISON: ("supporting", "refuting"),
    Aspect.AGAINST: ("refuting",),
}


class Bearing(NamedTuple):
    """The relation of a record to a question."""

    direct: bool
    """True where it is on all that is asked; else it is only on something near."""
    coverage: float
    """Share of the words that it has."""


class PassageReader:
    """Reads records for one checklist.

    Args:
        inquiry: The question.
        checklist: Its needs.
        records: All records that were found: how rare words are is counted in them.
        readings: What they say of their studies, by evidence id, as far as they were read.
        ranks: How well they fit the question, 0-1, by evidence id, as far as they were ranked.
        likeness: Of their sentences to the question, 0-1, by evidence id and start, as far as the
            meaning of both was compared.
        by_words: Whether sentences are looked for by words beside results of readings.
    """

    def __init__(
        self,
        inquiry: Inquiry,
        checklist: Checklist,
        records: Sequence[Evidence],
        readings: Mapping[str, StudyReading] | None = None,
        ranks: Mapping[str, float] | None = None,
        likeness: Mapping[str, Mapping[int, float]] | None = None,
        *,
        by_words: bool = True,
    ) -> None:
        self._reads_words = by_words
        self._ranks = ranks or {}
        self._likeness = likeness or {}
        self._inquiry = inquiry
        self._items = checklist.items
        self._readings = readings or {}
        self._of_treatment = inquiry.kind is InquiryKind.TREATMENT
        self._of_harms = inquiry.kind is InquiryKind.SAFETY
        self._under_way = inquiry.kind is InquiryKind.TRIALS and asks_under_way(inquiry.text)
        self._topics: Topics = topics_of(inquiry.frame) if inquiry.frame else Topics((), ())
        self._weights = Weights(records)
        self._fitting = Fitting(inquiry, self._topics, self._weights, self._items[0].id)
        self._best_coverage = max(
            (self._coverage(r) for r in records if self._names_all(r)), default=0.0
        )

    def bearing(self, record: Evidence, evidence_id: str = "") -> Bearing | None:
        """Return how a record stands to the question; None where it is on something else.

        Of what is meant in other words, the drugs and conditions must still be named.
        """
        coverage = self._coverage(record)
        subjects = self._topics.subjects
        most = max(self._likeness.get(evidence_id, {}).values(), default=0.0)
        if most >= ALIKE and subjects and self._names_all(record):
            return Bearing(True, coverage)
        if not subjects and coverage < _FEWEST:
            return None
        share = coverage / self._best_coverage if self._best_coverage else 1.0
        named = sum(subject.is_of(record) for subject in subjects)
        names_all = named == len(subjects)
        # Of words that no record has nobody knows whether the record with the name is on them.
        drugs = [subject for subject in subjects if subject.condition is None]
        known = drugs and len(subjects) > 1
        unsure = self._topics.words and not self._best_coverage and not known
        if names_all and share >= _DIRECT and not unsure:
            return Bearing(True, coverage)
        # What names none of the drugs is on another treatment; and a condition alone stands in many
        # a record on something else, unless its title names it.
        title = folded(record.citation.title)
        on_it = any(one.is_of(record) if drugs else one.is_in(title) for one in drugs or subjects)
        if subjects and not on_it:
            return None
        # What names all that a vocabulary knows is at least near: no other word filters it out.
        is_near = share >= _NEAR and 2 * named >= len(subjects)
        return Bearing(False, coverage) if is_near or (subjects and names_all) else None

    def _coverage(self, record: Evidence) -> float:
        return self._topics.coverage(folded(told_of(record)), self._weights)

    def _speaks_to(self, item: ChecklistItem, span: Span, bearing: Bearing) -> bool:
        """Return whether a sentence can meet a need; of a dose it states one.

        A result of a record on the question, or most of its words, meets the question itself; what
        came of harms is none on an effect.
        """
        if item.aspect is Aspect.DOSE:
            return tells_dose(self._inquiry, span.text)
        if item.aspect is Aspect.RATE or CUES[item.aspect].search(span.text):
            return True  # a rate has a figure of its kind
        if item.id != self._items[0].id or item.aspect is Aspect.UNKNOWN:
            return False
        is_own = bearing.direct and item.aspect in _OF_FINDINGS and RESULT.search(span.text)
        if is_own and self._is_of_kind(item, span.text):
            return True
        if not self._topics.words or not self._best_coverage:
            return False
        if item.aspect is Aspect.MECHANISM and not is_own_finding(span.label, span.text):
            return False
        own = self._topics.coverage(folded(span.text), self._weights)
        return own >= _DIRECT * self._best_coverage

    def _is_of_kind(self, item: ChecklistItem, text: str) -> bool:
        """Return whether a sentence tells no harm where effects are asked for, or one of harms."""
        of_harm = bool(CUES[Aspect.SAFETY].search(text))
        if item.aspect is Aspect.SAFETY:
            arose = CUES[Aspect.RATE].search(text) and not FEWER.search(text)
            return of_harm or bool(arose and self._topics.has_other_condition(text))
        return item.aspect not in _OF_EFFECTS or not of_harm

    def _names_all(self, record: Evidence) -> bool:
        return all(subject.is_of(record) for subject in self._topics.subjects)

    def read(
        self, evidence_id: str, record: Evidence, appraisal: Appraisal | None = None
    ) -> tuple[ItemFact, ...]:
        """The facts of a record, each once with all needs that it speaks to.

        A retracted record, or a notice about another one, has none.
        """
        if grade(record).retracted or is_notice(record):
            return ()
        return self.found(evidence_id, record, appraisal)

    def found(
        self, evidence_id: str, record: Evidence, appraisal: Appraisal | None = None
    ) -> tuple[ItemFact, ...]:
        """The same of any record, for where a retracted one is shown as such."""
        graded, found = grade(record), dict[int, ItemFact]()
        for fact in (
            *self._by_reading(evidence_id, record, graded, appraisal),
            *(self._by_words(evidence_id, record, graded) if self._reads_words else ()),
        ):
            had = found.get(fact.fact.start)
            found[fact.fact.start] = joined(had, fact) if had else fact
        return tuple(found[start] for start in sorted(found))

    def _by_reading(
        self, evidence_id: str, record: Evidence, graded: Grade, appraisal: Appraisal | None
    ) -> Iterator[ItemFact]:
        """Return what the reading of its study says of the drug asked about."""
        if appraisal is None or not appraisal.reading.included:
            return
        reading = appraisal.reading
        direct = reading.direct and self._names_all(record)
        by_rank = _BY_RANK * self._ranks.get(evidence_id, 0.0)
        labels = {span.start: span.label for span in body_of(record)}
        for item in self._items:
            for kind in _BY_READING.get(item.aspect, ()):
                for fact in reading.facts_by_kind[kind]:
                    if not self._fitting.condition and not self._fitting.tells_asked(
                        item, record, fact.quote
                    ):
                        continue  # no condition says which outcomes count
                    told = fact_of(item, fact, graded, direct=direct, relevance=1 + by_rank)
                    yield told.model_copy(update={"side": _SIDES[kind], "by_reading": True})
            if item.aspect is Aspect.SAFETY and not is_entry_without_results(record):
                for fact in reading.context:
                    if (
                        fact.role is FactRole.HARM
                        and is_needed(item.aspect, labels.get(fact.start, ""), fact.quote)
                        and self._fitting.fits(item, record, fact.quote)
                        and self._fitting.tells_asked(item, record, fact.quote)
                    ):
                        least = _LEAST + by_rank
                        told = fact_of(item, fact, graded, direct=direct, relevance=least)
                        yield told.model_copy(update={"by_reading": True})

    def _by_words(self, evidence_id: str, record: Evidence, graded: Grade) -> Iterator[ItemFact]:
        bearing = self.bearing(record, evidence_id)
        if bearing is None or not record.content:
            return
        is_plan = graded.design is Design.PROTOCOL or is_entry_without_results(record)
        for item in self._items:
            stopped = item.aspect is Aspect.AGAINST and is_negative_stop(record)
            if stopped or (item.aspect is Aspect.REGISTERED and record.metadata.kind == "trial"):
                if stopped or not self._under_way or is_under_way(record, ""):
                    yield from self._of_entry(item, evidence_id, record, graded, bearing)
                continue
            if is_plan and (item.aspect not in _OF_PLANS or self._of_harms):
                continue
            for span, score in self._best(item, evidence_id, record, bearing):
                fact = Fact.of(span, evidence_id, FactRole.RESULT)
                yield fact_of(item, fact, graded, direct=bearing.direct, relevance=score)

    def _of_entry(
        self,
        item: ChecklistItem,
        evidence_id: str,
        record: Evidence,
        graded: Grade,
        bearing: Bearing,
    ) -> Iterator[ItemFact]:
        """The sentence of a registry entry that says what is tested."""
        told = [s for s in whole_sentences(record.content) if not addresses_a_model(s.text)]
        told.sort(key=lambda s: not AIM.search(s.text))
        why = fold(record.metadata.why_stopped or "")[:_STARTS]
        reasons = [s for s in told if why and why in fold(s.text)]
        is_against = item.aspect is Aspect.AGAINST
        if span := next(iter(reasons if is_against and reasons else told), None):
            # What a record states of its study goes before papers that speak of studies.
            relevance, direct = 1 + bearing.coverage, bearing.direct
            fact = Fact.of(span, evidence_id, FactRole.DESIGN)
            yield fact_of(item, fact, graded, direct=direct, relevance=relevance)

    def _best(
        self, item: ChecklistItem, evidence_id: str, record: Evidence, bearing: Bearing
    ) -> list[tuple[Span, float]]:
        """The sentences of a record that speak best to a need, with their relevance."""
        is_main = item.id == self._items[0].id
        of_people = is_main and item.aspect is Aspect.ELIGIBILITY
        typed = studied_starts(self._readings.get(evidence_id), record) if of_people else ()
        body, likeness = body_of(record), self._likeness.get(evidence_id, {})
        shorts = expand_abbreviations(f"{record.citation.title}\n{record.content}")
        is_plan = item.aspect is Aspect.REGISTERED and grade(record).design is Design.PROTOCOL
        scored: list[tuple[Span, float]] = []
        for at, span in enumerate(body):
            said = span._replace(text=expanded(span.text, shorts))
            like = likeness.get(span.start, 0.0) if is_main else 0.0
            alike = like >= ALIKE and self._is_of_kind(item, said.text)
            told = not bearing.direct or self._fitting.tells_asked(item, record, said.text, alike)
            if (
                (is_plan or alike or span.start in typed or self._speaks_to(item, said, bearing))
                and told
                and self._fitting.fits(item, record, said.text, alike)
                and is_needed(item.aspect, span.label, span.text)
                and not addresses_a_model(span.text)
            ):
                score = self._score(item, said, at, len(body), record, bearing)
                score += _TYPED * (span.start in typed) + _BY_MEANING * max(like - ALIKE, 0.0)
                scored.append((span, score + _BY_RANK * self._ranks.get(evidence_id, 0.0)))
        ranked = sorted(scored, key=lambda one: (-one[1], one[0].start))
        most = _MOST_ON_QUESTION if is_main else _MOST_OF_RECORD
        return [one for one in ranked[:most] if one[1] >= _LEAST]

    def _score(
        self,
        item: ChecklistItem,
        span: Span,
        at: int,
        number: int,
        record: Evidence,
        bearing: Bearing,
    ) -> float:
        key, title = folded(span.text), folded(record.citation.title)
        worth = [
            1.0 if s.is_in(key) else _IN_TITLE if s.is_in(title) else _IN_RECORD
            for s in self._topics.subjects
        ]
        names = sum(worth) / len(worth) if worth else 1.0
        own = self._topics.coverage(key, self._weights)
        headed = self._topics.coverage(f"{title} {key}", self._weights)
        told, best = 0.5 * own + 0.3 * headed + 0.2 * bearing.coverage, self._best_coverage
        words = min(told / best, 1.0) if best else 1.0
        beside = bool(self._topics.words and best and not headed)
        cues = min(len(CUES[item.aspect].findall(span.text)), 3) / 3
        # Where treatments or harms are asked for, what names one tells more.
        names_one = self._of_harms and self._topics.has_other_condition(span.text)
        if self._of_treatment:
            names_one = any(m.drug.kind in _TREATS for m in find_drugs(span.text))
        at_end = span.label.startswith(FINDINGS) or (not span.label and at >= number - 2)
        concludes = at_end and not self._of_harms  # "safe and well tolerated" names none
        return (
            0.35 * names
            + 0.45 * words
            + 0.12 * cues
            + 0.12 * concludes
            + 0.08 * bool(FIGURES.search(span.text))
            + 0.15 * names_one
            - 0.2 * beside
        )


def read_passages(
    inquiry: Inquiry,
    checklist: Checklist,
    records: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
    found: Sequence[Evidence],
    ranks: Mapping[str, float] | None = None,
    likeness: Mapping[str, Mapping[int, float]] | None = None,
    *,
    by_words: bool = True,
) -> tuple[ItemFact, ...]:
    """The facts of records, by evidence id, in their order.

    Args:
        inquiry: The question.
        checklist: Its needs.
        records: Those that are to be read.
        readings: What they say of their studies, by evidence id.
        found: All records that were found.
        ranks: How well records fit the question, 0-1, by evidence id, as far as they were ranked.
        likeness: The same of their sentences, by start, as far as meanings were compared.
        by_words: Whether sentences are looked for by words beside results of readings.
    """
    reader = PassageReader(inquiry, checklist, found, readings, ranks, likeness, by_words=by_words)
    drugs, condition = drugs_asked(inquiry)
    by_drug = [
        appraised(inquiry, drug, condition, records, readings) for drug in drugs[:1] if condition
    ]
    appraisals = by_drug[0] if by_drug else {}
    return tuple(
        fact
        for key, record in records.items()
        for fact in reader.read(key, record, appraisals.get(key))
    )
