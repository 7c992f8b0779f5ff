"""What kind of a free question it is: by its frame, where that is sure, else by its words."""

from __future__ import annotations

import re

from deepcritical.domain.checklist import InquiryKind
from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.patterns import bounded

__all__ = ["asks", "kind_of"]


def asks(*patterns: str) -> re.Pattern[str]:
    """A pattern of whole words of which one must occur, in any case."""
    return bounded(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


_BY_FRAME: dict[QuestionKind, InquiryKind] = {
    QuestionKind.EFFICACY: InquiryKind.EFFECT,
    QuestionKind.CLASS: InquiryKind.EFFECT,
    QuestionKind.COMBINATION: InquiryKind.EFFECT,
    QuestionKind.CANDIDATES: InquiryKind.TREATMENT,
    QuestionKind.COMPARISON: InquiryKind.COMPARISON,
    QuestionKind.MECHANISM: InquiryKind.MECHANISM,
    QuestionKind.SAFETY: InquiryKind.SAFETY,
    QuestionKind.DOSE: InquiryKind.DOSE,
    QuestionKind.POPULATION: InquiryKind.ELIGIBILITY,
}
_BY_WORDS: tuple[tuple[InquiryKind, re.Pattern[str]], ...] = (
    (
        InquiryKind.GUIDANCE,
        asks(
            r"guidelines?",
            r"recommend\w*",
            r"consensus",
            r"approved",
            r"licen[sc]ed",
            r"what do (?:\w+ )?reviews",
        ),
    ),
    (
        InquiryKind.TRIALS,
        asks(
            r"(?:which|what(?! (?:do|does|did|have|has)\b)|any|are there|list|find|show|how many)\b"
            r"(?:\s+[\w-]+){0,5}?\s+"
            r"(?:trials?|RCTs?)",
            r"(?:ongoing|registered|recruiting|planned|running) (?:\w+ )?(?:trials?|stud(?:y|ies))",
        ),
    ),
    (
        InquiryKind.FREQUENCY,
        asks(
            r"how (?:often|common|frequent|many|likely|prevalent)",
            r"prevalence",
            r"incidence",
            r"(?:what|which) (?:\w+ )?(?:proportion|percent\w*|share|fraction|rate|number)",
        ),
    ),
    (
        InquiryKind.DIAGNOSIS,
        asks(
            r"accura\w+",
            r"sensitiv\w+",
            r"specificit\w+",
            r"diagnos\w+",
            r"detect\w*",
            r"screen(?:ing|ed|s)? for",
            r"predict\w*",
            r"biomarkers?",
        ),
    ),
    (
        InquiryKind.DOSE,
        asks(r"dos(?:es?|ages?|ing)", r"how (?:much|many mg|long should)", r"regimens?"),
    ),
    (
        InquiryKind.COMPARISON,
        asks(
            r"versus",
            r"vs\.?",
            r"compared (?:with|to)",
            r"(?:better|worse|safer|superior|inferior|cheaper|more effective|rather) (?:\w+ )?"
            r"(?:than|to)",
            r"difference between",
        ),
    ),
    (
        InquiryKind.MECHANISM,
        asks(r"mechanisms?", r"mode of action", r"how (?:do|does|did|might|could)", r"pathways?"),
    ),
    (InquiryKind.CAUSE, asks(r"causes?", r"risk factors?", r"why", r"aetiology", r"etiology")),
    (
        InquiryKind.SAFETY,
        asks(
            r"safe(?:ty|ly)?",
            r"side[- ]effects?",
            r"adverse",
            r"harm(?:s|ful)?",
            r"dangerous",
            r"toxic\w*",
            r"complications?",
            r"toler\w+",
        ),
    ),
    (
        InquiryKind.ELIGIBILITY,
        asks(
            r"in whom", r"for whom", r"who (?:should|can|benefits?|is|are|gets?)", r"which patients"
        ),
    ),
    (
        InquiryKind.DEFINITION,
        asks(r"what (?:is|are) (?:an?|the meaning of)", r"define", r"meant by"),
    ),
)
"""What a question of no fixed kind asks for; the first that fits."""
_OF_STATUS = (InquiryKind.GUIDANCE, InquiryKind.TRIALS)
_NO_TREATMENT = (InquiryKind.FREQUENCY, InquiryKind.DIAGNOSIS, InquiryKind.CAUSE)
"""Kinds that no question on treatments is in words."""
_OPENING = bounded(
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|might)\b",
    re.IGNORECASE,
)
_IN_MODELS = asks(
    r"mice",
    r"mouse",
    r"rats?",
    r"animals?",
    r"in[- ]vitro",
    r"test tubes?",
    r"cell (?:lines?|cultures?)",
    r"in cells",
    r"cultured",
    r"laborator(?:y|ies)",
    r"zebrafish",
    r"organoids?",
)
"""Asks what happens outside of people: a verdict on patients is no answer to it."""
_PROTECTS = asks(
    r"(?:reduc|prevent|protect|lower|mitigat|relie|treat|manag|less|limit)\w*",
)
"""Of a question on a harm, that something is to be done against it."""


def kind_of(frame: QuestionFrame) -> InquiryKind:
    """What a question is after: by its frame, where that is sure, else by its words."""
    if _IN_MODELS.search(frame.text):
        return InquiryKind.MECHANISM
    by_words = next((k for k, pattern in _BY_WORDS if pattern.search(frame.text)), None)
    if by_words in _OF_STATUS:
        return by_words
    if frame.kind is QuestionKind.SAFETY:
        protects = len(frame.drugs) > 1 and _PROTECTS.search(frame.text)
        if protects:
            return InquiryKind.EFFECT
        return InquiryKind.FREQUENCY if by_words is InquiryKind.FREQUENCY else InquiryKind.SAFETY
    by_frame = _BY_FRAME.get(frame.kind)
    if by_frame is InquiryKind.TREATMENT and by_words in _NO_TREATMENT:
        return by_words
    if by_frame:
        return by_frame
    if by_words:
        return by_words
    return InquiryKind.EFFECT if _OPENING.match(frame.text) else InquiryKind.OTHER
