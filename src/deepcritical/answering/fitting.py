"""Decides which sentences can fit a need at all: on the harm, drug and kind of fact asked about.

A question that names no drug is easily met by what trials of drugs report: so of a question on how
often, why, or how well a test tells, only sentences are told that say just that of its subject.
Who is studied, and at which dose, is told by what was read in the sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from deepcritical.answering.cues import AIM, CUES, says
from deepcritical.answering.topics import Topics, Weights, folded
from deepcritical.appraisal.pico.dosing import doses_of
from deepcritical.domain.appraisal.checklist import Aspect, ChecklistItem, Inquiry, InquiryKind
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import quantities
from deepcritical.reading.sentences import quoted
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.folding import key_of

_NAMED = 0.5
"""Share of the words for a test that must be named."""
_OF_HARMS = frozenset((Aspect.RATE, Aspect.ELIGIBILITY, Aspect.AGAINST))
"""Needs that are on harms where harms are asked about: how often, in whom, and where not."""
_ASKED_BY_NEED = frozenset(
    (Aspect.DOSE, Aspect.ELIGIBILITY, Aspect.RECOMMENDED, Aspect.UNKNOWN, Aspect.BACKGROUND)
)
"""Needs that tell by themselves what is asked; so does safety, where no harm is named."""
_GUIDES = says(r"recommend\w*|guidelines?|consensus|approv\w+|licen[sc]\w+|endors\w+|advis\w+")
"""Words of a guideline or an authority, where a study's own conclusion is no answer."""
_MEASURED = bounded(
    r"[- ](?:resistance|sensitivity|levels?|concentrations?|secretion|tolerance|metabolism|uptake|"
    r"signal\w*|receptors?|deficien\w+|production|release|homeostasis)\b"
)
"""Behind what the body has itself: it is measured, and not given."""
_MAIN_FACT: Mapping[InquiryKind, Aspect] = {
    InquiryKind.FREQUENCY: Aspect.RATE,
    InquiryKind.CAUSE: Aspect.CAUSE,
    InquiryKind.DIAGNOSIS: Aspect.DIAGNOSIS,
}
_OF_SUBJECT = (*_MAIN_FACT, InquiryKind.DEFINITION)
"""Kinds of questions that, without a drug, are not on treatments."""
_TREATED = says(r"treat(?:ed|ing|ments?)|therap(?:y|ies)|placebo|medications?|drugs?")
_NOT_WORSE = says(
    r"no|not|nor|never|neither|similar|comparable|same|equal\w*|unchanged|rare\w*|safe(?:ly)?|"
    r"(?:well|better)[- ]tolerated|fewer|reduc\w*|decreas\w*|lower (?:risk|rate|incidence)"
)
"""Of a harm that did not come, or came less often."""
_OUT_OF = bounded(
    r"\bper \d|\d ?/ ?\d|\d (?:out )?of (?:the )?\d|"
    r"\d[ -]?(?:fold|times (?:more|less|higher|lower|as)\b)|"
    r"\b(?:odds|hazard|risk|rate) ratios?\b[^.;]{0,20}\d"
)


class Fitting:
    """The rules for which sentences fit the needs of a question.

    Args:
        inquiry: The question.
        topics: What it is about.
        weights: Of its words among the records.
        question: Id of the item that is the question itself.
    """

    def __init__(self, inquiry: Inquiry, topics: Topics, weights: Weights, question: str) -> None:
        self._question = question
        self._topics = topics
        self.condition = inquiry.frame.condition if inquiry.frame else None
        self._of_reviews = "review" in inquiry.text.casefold()
        self._by_need = _ASKED_BY_NEED
        if not (inquiry.frame and inquiry.frame.harm):
            self._by_need |= {Aspect.SAFETY}
        self._of_harm_compared = Aspect.SAFETY in inquiry.aspects
        # A test under its own name: others of the same outcome are other tests.
        self._test = Topics((), tuple(word[:1] for word in topics.words))
        self._weights = weights
        self._of_test = inquiry.kind is InquiryKind.DIAGNOSIS
        self._subjects = topics.subjects
        self._drugs = [subject for subject in topics.subjects if subject.condition is None]
        self._of_harms = inquiry.kind is InquiryKind.SAFETY
        self._of_treatment = inquiry.kind is InquiryKind.TREATMENT
        self._of_subject = inquiry.kind in _OF_SUBJECT and not self._drugs
        asked = inquiry.frame.condition if inquiry.frame else None
        main = [s for s in topics.subjects if asked and s.is_called(asked)]
        self._main = main or self._subjects
        self._kind_of_fact = _MAIN_FACT.get(inquiry.kind)
        harm = inquiry.frame.feared if inquiry.frame else None
        self._harm = next((s for s in topics.subjects if harm and s.is_called(harm)), None)

    def fits(self, item: ChecklistItem, record: Evidence, text: str, alike: bool = False) -> bool:
        """Return whether a sentence of a record can tell what a need wants known.

        One whose meaning is `alike` that of the question needs no word for what is asked.
        """
        return (
            self._is_on_harm(item, record, text)
            and not self._is_on_another_drug(text)
            and (alike or not self._of_test or self._is_on_test(record, text))
            and (not self._of_subject or self._is_of_subject(item, record, text, alike))
            and self._has_figure(item, text)
        )

    def _has_figure(self, item: ChecklistItem, text: str) -> bool:
        """Return whether it has a share or a number of people, where a rate is wanted."""
        if item.aspect is not Aspect.RATE or _OUT_OF.search(text):
            return True
        return any(q.unit.dimension == "%" or q.noun == "people" for q in quantities(text))

    def tells_asked(
        self, item: ChecklistItem, record: Evidence, text: str, alike: bool = False
    ) -> bool:
        """Return whether a sentence or its title has an outcome or other word of the question.

        One whose meaning is `alike` tells it in other words.
        """
        told = f"{record.citation.title}\n{text}"
        if item.id != self._question:
            return True
        if item.aspect is Aspect.RECOMMENDED and not self._of_reviews:
            return bool(_GUIDES.search(told))
        if item.aspect is Aspect.COMPARISON and len(self._drugs) > 1:
            key = folded(told)
            on_harms = alike or not self._of_harm_compared or CUES[Aspect.SAFETY].search(text)
            return bool(on_harms) and sum(drug.is_in(key) for drug in self._drugs) > 1
        if alike or item.aspect in self._by_need:
            return True
        return self._topics.named_in(told, self.condition)

    def _is_on_harm(self, item: ChecklistItem, record: Evidence, text: str) -> bool:
        """Return whether it is on a harm where harms are asked about, on the one that is named."""
        if self._harm:
            return any(self._harm.is_in(folded(t)) for t in (text, record.citation.title))
        if not self._of_harms or item.aspect not in _OF_HARMS:
            return True
        if item.aspect is Aspect.AGAINST and not _NOT_WORSE.search(text):
            return False
        return bool(CUES[Aspect.SAFETY].search(text)) and not AIM.search(text)

    def _is_on_another_drug(self, text: str) -> bool:
        """Return whether it names drugs, and none of those asked about."""
        key = folded(text)
        if not self._drugs or self._of_treatment or any(drug.is_in(key) for drug in self._drugs):
            return False
        return _names_drug(text)

    def _is_on_test(self, record: Evidence, text: str) -> bool:
        """Return whether it, or its title, names the test that is asked about."""
        key = folded(f"{record.citation.title} {text}")
        return self._test.coverage(key, self._weights) >= _NAMED

    def _is_of_subject(self, item: ChecklistItem, record: Evidence, text: str, alike: bool) -> bool:
        """Return whether it, with title, says what is asked of the subject, and of no treatment.

        What contradicts an answer is a fact of the same kind.
        """
        key = folded(f"{record.citation.title} {text}")
        against = item.aspect is Aspect.AGAINST
        aspect = (self._kind_of_fact if against else None) or item.aspect
        if self._main and not any(subject.is_in(key) for subject in self._main):
            return False
        told = (alike or CUES[aspect].search(text)) and not _TREATED.search(text)
        return bool(told) and not _names_drug(text)


def _names_drug(text: str) -> bool:
    # Capitals are rather the short form of a drug that its record spells out.
    named = (m for m in find_drugs(text) if m.drug.kind is DrugKind.DRUG)
    named = (m for m in named if not text[m.start : m.end].isupper())
    return any(not _MEASURED.match(text, m.end) for m in named)


_ASKS_HOW_LONG = says(r"how long|how many (?:days|weeks|months)|duration")
_FOR_SO_LONG = bounded(r"\b\d[\d.]*[- ](?:day|week|month|year|cycle)s?\b", re.IGNORECASE)


def studied_starts(reading: StudyReading | None, record: Evidence) -> frozenset[int]:
    """Return where the sentences begin that a reading takes its people from."""
    if reading is None:
        return frozenset()
    some = (r for r in reading.results if r.level == "subgroup" or r.people)
    numbers = (*reading.population.sentences, *(n for r in some for n in r.sentences))
    return frozenset(span.start for span in quoted(numbers, record))


def tells_dose(inquiry: Inquiry, text: str) -> bool:
    """Return whether a sentence states a dose of the drug asked about, or how long it was given."""
    names = [name for drug in inquiry.drugs for name in (drug.name, *drug.synonyms)]
    if not names:
        return bool(CUES[Aspect.DOSE].search(text))
    lasting = _ASKS_HOW_LONG.search(inquiry.text) and _FOR_SO_LONG.search(text)
    of_drug = any(f" {key_of(name)} " in f" {key_of(text)} " for name in names)
    return bool(lasting and of_drug) or bool(doses_of(text, names))
