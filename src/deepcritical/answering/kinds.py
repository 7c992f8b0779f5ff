"""What kind of a free question it is: by its frame, where that is sure, else by its words."""

from __future__ import annotations

import re

from deepcritical.answering.cues import says
from deepcritical.domain.checklist import InquiryKind
from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.patterns import bounded

__all__ = ["asks_under_way", "kind_of"]


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
        says(
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
        says(
            r"(?:which|what(?! (?:do|does|did|have|has)\b)|any|are there|list|find|show|how many)\b"
            r"(?:\s+[\w-]+){0,5}?\s+"
            r"(?:trials?|RCTs?)",
            r"(?:ongoing|registered|recruiting|planned|running) (?:\w+ )?(?:trials?|stud(?:y|ies))",
        ),
    ),
    (
        InquiryKind.FREQUENCY,
        says(
            r"how (?:often|common|frequent|many|likely|prevalent)",
            r"prevalence",
            r"incidence",
            r"(?:what|which) (?:\w+ )?(?:proportion|percent\w*|share|fraction|rate|number)",
        ),
    ),
    (
        InquiryKind.DIAGNOSIS,
        says(
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
        says(r"dos(?:es?|ages?|ing)", r"how (?:much|many mg|long should)", r"regimens?"),
    ),
    (
        InquiryKind.COMPARISON,
        says(
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
        says(r"mechanisms?", r"mode of action", r"how (?:do|does|did|might|could)", r"pathways?"),
    ),
    (InquiryKind.CAUSE, says(r"causes?", r"risk factors?", r"why", r"aetiology", r"etiology")),
    (
        InquiryKind.SAFETY,
        says(
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
        says(
            r"in whom", r"for whom", r"who (?:should|can|benefits?|is|are|gets?)", r"which patients"
        ),
    ),
    (
        InquiryKind.DEFINITION,
        says(r"what (?:is|are) (?:an?|the meaning of)", r"define", r"meant by"),
    ),
    (InquiryKind.TREATMENT, says(r"(?:treatments?|therap(?:y|ies)) (?:of|for|in)")),
)
"""What a question of no fixed kind asks for; the first that fits."""
_OF_STATUS = (InquiryKind.GUIDANCE, InquiryKind.TRIALS)
_NO_TREATMENT = (InquiryKind.FREQUENCY, InquiryKind.DIAGNOSIS, InquiryKind.CAUSE)
"""Kinds that no question on treatments is in words."""
_OF_CAUSE = says(
    r"(?:what|which) (?:\w+ ){0,2}(?:predicts?|causes)", r"risk factors?", r"predictors?"
)
_WHAT_IS = bounded(
    r"^what(?:['’]s| is| are) (?:an? |the )?(?P<what>[\w'’ -]{3,60})\??$", re.IGNORECASE
)
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
    r"under ?way",
    r"ongoing",
    r"recruiting",
    r"enrolling",
    r"running",
    r"current(?:ly)?",
    r"planned",
    r"upcoming",
    r"in progress",
)
_IN_MODELS = says(
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
_PROTECTS = says(
    r"(?:reduc|prevent|protect|lower|mitigat|relie|treat|manag|less|limit)\w*",
)
"""Of a question on a harm, that something is to be done against it."""


def asks_under_way(text: str) -> bool:
    """Whether a question on trials is on those that have not ended."""
    return bool(_UNDER_WAY.search(text))


def kind_of(frame: QuestionFrame) -> InquiryKind:
    """What a question is after: by its frame, where that is sure, else by its words."""
    if _IN_MODELS.search(frame.text):
        return InquiryKind.MECHANISM
    by_words = next((k for k, pattern in _BY_WORDS if pattern.search(frame.text)), None)
    if by_words in _OF_STATUS:
        return by_words
    if _OF_CAUSE.search(frame.text) and frame.kind in _DOUBTFUL:
        return InquiryKind.CAUSE
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
    told = _WHAT_IS.match(frame.text)
    if told and frame.condition and told["what"].casefold() == frame.condition.name.casefold():
        return InquiryKind.DEFINITION
    return InquiryKind.EFFECT if _OPENING.match(frame.text) else InquiryKind.OTHER
