"""Tells the kind of a free question: by its frame, where that is sure, else by its words."""

from __future__ import annotations

import re

from deepcritical.answering.cues import says
from deepcritical.domain.appraisal.checklist import InquiryKind
from deepcritical.domain.question.frame import QuestionFrame, QuestionKind
from deepcritical.domain.text.patterns import bounded

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
        InquiryKind.UNKNOWN,
        says(
            r"(?:un|not (?:yet |well )?)known|unclear|uncertain|unanswered|open questions?|"
            r"(?:research|knowledge|evidence) gaps?|"
            r"gaps? in (?:the )?(?:research|knowledge|evidence)"
        ),
    ),
    (
        InquiryKind.GUIDANCE,
        says(r"guidelines?|recommend\w*|consensus|approved|licen[sc]ed|what do (?:\w+ )?reviews"),
    ),
    (
        InquiryKind.TRIALS,
        says(
            r"(?:which|what(?! (?:do|does|did|have|has)\b)|any|are there|list|find|show|how many)\b"
            r"(?:\s+[\w-]+){0,5}?\s+(?:trials?|RCTs?)|"
            r"(?:ongoing|registered|recruiting|planned|running) (?:\w+ )?(?:trials?|stud(?:y|ies))"
        ),
    ),
    (
        InquiryKind.FREQUENCY,
        says(
            r"how (?:(?:much|many times) (?:more|less) )?"
            r"(?:often|common|frequent|many|likely|prevalent)|prevalence|incidence|"
            r"(?:what|which) (?:\w+ ){0,3}(?:proportion|percent\w*|share|fraction|rates?|number)"
        ),
    ),
    (
        InquiryKind.DIAGNOSIS,
        says(
            r"accura\w+|sensitiv\w+|specificit\w+|diagnos\w+|detect\w*|screen(?:ing|ed|s)? for|"
            r"predict\w*|biomarkers?"
        ),
    ),
    (InquiryKind.DOSE, says(r"dos(?:es?|ages?|ing)|how (?:much|many mg|long should)|regimens?")),
    (
        InquiryKind.COMPARISON,
        says(
            r"versus|vs\.?|compared (?:with|to)|"
            r"(?:better|worse|safer|superior|inferior|cheaper|more effective|rather) "
            r"(?:\w+ )?(?:than|to)|difference between"
        ),
    ),
    (
        InquiryKind.MECHANISM,
        says(r"mechanisms?|mode of action|how (?:do|does|did|might|could)|pathways?"),
    ),
    (InquiryKind.CAUSE, says(r"causes?|risk factors?|why|aetiology|etiology")),
    (
        InquiryKind.SAFETY,
        says(
            r"safe(?:ty|ly)?|side[- ]effects?|adverse|harm(?:s|ful)?|dangerous|toxic\w*|"
            r"complications?|toler\w+|contraindicat\w+|interact\w*|overdos\w+"
        ),
    ),
    (
        InquiryKind.ELIGIBILITY,
        says(
            r"in whom|for whom|who (?:should|can|benefits?|is|are|was|were|gets?)|"
            r"(?:which|what) (?:[\w-]+ ){0,3}(?:patients|people|participants|populations?)"
        ),
    ),
    (InquiryKind.TREATMENT, says(r"(?:treatments?|therap(?:y|ies)) (?:of|for|in)")),
)
"""Kinds of a question of no fixed kind, by its words; the first that fits."""
_SURE = (InquiryKind.GUIDANCE, InquiryKind.TRIALS, InquiryKind.UNKNOWN)
"""Kinds that the words of a question tell, whatever its frame is."""
_OF_CAUSE = says(r"(?:what|which) (?:\w+ ){0,2}(?:predicts?|causes)|risk factors?|predictors?")
_DOUBTFUL = (
    QuestionKind.EFFICACY,
    QuestionKind.CLASS,
    QuestionKind.SAFETY,
    QuestionKind.OPEN,
    QuestionKind.LOOK_UP,
)
_OPENING = bounded(
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|might)\b",
    re.IGNORECASE,
)
_UNDER_WAY = says(
    r"under ?way|ongoing|recruiting|enrolling|running|current(?:ly)?|planned|upcoming|"
    r"in progress"
)


_ILL = says(
    r"(?:after|since|following)(?: [\w'’-]+){0,4} diagnos[ei]s",
    r"(?:was|were|been|got|newly|recently|just) diagnosed(?: with)?",
)
"""Of people who are ill, not of how it is found out."""
_PROTECTS = says(
    r"(?:reduc|prevent|protect|lower|mitigat|relie|treat|manag|less|limit)\w*",
)
"""Of a question on a harm, that something is to be done against it."""


def asks_under_way(text: str) -> bool:
    """Return whether a question on trials is on those that have not ended."""
    return bool(_UNDER_WAY.search(text))


def is_of(kind: InquiryKind, frame: QuestionFrame) -> bool:
    """Return whether a question is of the kind that its frame tells."""
    return _BY_FRAME.get(frame.kind) is kind


def kind_of(frame: QuestionFrame) -> InquiryKind:
    """Return what a question is after: by its frame, where that is sure, else by its words."""
    text = _ILL.sub(" ", frame.text)
    by_words = next((kind for kind, words in _BY_WORDS if words.search(text)), None)
    if by_words in _SURE:
        return by_words
    if _OF_CAUSE.search(frame.text) and frame.kind in _DOUBTFUL:
        return InquiryKind.CAUSE
    if frame.kind is QuestionKind.SAFETY:
        if len(frame.drugs) > 1 and _PROTECTS.search(frame.text):
            return InquiryKind.EFFECT
        told = (InquiryKind.MECHANISM, InquiryKind.FREQUENCY)
        return by_words if by_words in told else InquiryKind.SAFETY
    by_frame = _BY_FRAME.get(frame.kind)
    if kind := by_frame or by_words:
        return kind
    return InquiryKind.EFFECT if _OPENING.match(frame.text) else InquiryKind.OTHER
