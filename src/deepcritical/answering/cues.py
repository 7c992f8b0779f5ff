"""The words by which a sentence speaks to a need. None names a drug, a condition or an outcome."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from deepcritical.domain.appraisal.checklist import Aspect
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span


def says(*patterns: str) -> re.Pattern[str]:
    """A pattern of whole words of which one must occur, in any case."""
    return bounded(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


_CHANGED = (
    r"increas\w*|decreas\w*|reduc\w*|improv\w*|worsen\w*|associat\w*|correlat\w*|affect\w*|differ\w*|"
    r"higher|lower(?:s|ed|ing)?|rais(?:es?|ed|ing)|r[io]ses?|risen|f[ae]ll(?:s|en)?|drop(?:s|ped)?|"
    r"slow(?:s|ed|er|ing)?|delay\w*|shorten\w*|reliev\w+|(?:un)?(?:chang|alter)\w*|"
    r"greater|fewer|less|more|better|worse|similar|comparable|superior|inferior|"
    r"effective|efficac\w+|significant\w*|benefi\w*|prolong\w*|prevent\w*|respon\w+|caus\w+|predict\w*"
)
CUES: Mapping[Aspect, re.Pattern[str]] = {
    Aspect.EFFECT: says(_CHANGED, r"no effect", r"failed to", r"result\w*", r"show\w*", r"found"),
    Aspect.COMPARISON: says(
        r"than|versus|vs|compared (?:with|to)|in contrast to|relative to|superior|inferior|"
        r"as effective as|similar|comparable|difference\w*|equivalent|whereas"
    ),
    Aspect.SAFETY: says(
        r"adverse|side[- ]effects?|toxicit\w+|toxic|harm\w*|safe\w*|tolera(?!nce)\w+|"
        r"complications|complication rates?|discontinu\w+|withdr[ae]w\w*|warning|contraindicat\w+|"
        r"reactions?|morbidity|bleed\w*|injur\w+|excess|increased risk"
    ),
    Aspect.RATE: says(
        r"prevalen\w+|incidence|frequen\w+|proportion|percent\w*|common|rare(?:ly)?|per \d[\d,]*|"
        r"occurr?(?:ed|s)?|affect(?:s|ed)|developed|cases"
    ),
    Aspect.MECHANISM: says(
        r"mechanis\w+|pathway\w*|signal\w*|receptors?|inhibit(?!or)\w*|activat\w*|express\w*|bind\w*|"
        r"mediat\w*|modulat\w*|induc\w+|regulat\w*|block\w*|antagoni\w+|agonis\w+|enzym\w+|"
        r"through|via|levels?"
    ),
    Aspect.DOSE: bounded(
        r"\d\s?(?:mg|mcg|µg|μg|g|ml|mL|IU|units?|Gy|mmol|mg/\w+|weeks?|days?|months?|cycles?)\b|"
        r"\b(?:dos(?:e|es|age|ages|ing|ed)|daily|twice|weekly|regimens?|duration|schedule)\b",
        re.IGNORECASE,
    ),
    Aspect.ELIGIBILITY: says(
        r"patients? (?:with|who|aged)|subgroup\w*|aged|older|younger|women|men|children|eligible|"
        r"inclu(?:ded|sion)|exclu(?:ded|sion)|candidates?|predict\w*|more likely|less likely|"
        r"risk factors?|stage|stratif\w+|carriers?"
    ),
    Aspect.DIAGNOSIS: says(
        r"sensitiv\w+|specificit\w+|accura\w+|AUC|area under|cut-?off|predictive|likelihood ratio|"
        r"discriminat\w+|kappa|diagnostic\w*|detect(?:s|ed|ing|ion)"
    ),
    Aspect.CAUSE: says(
        r"causes?|caused by|causing|risk factors?|predictors?|predict(?:s|ed)|associated with|"
        r"due to|attribut\w+ to|contribut\w+ to|related to|leads? to|risk of|odds|hazard"
    ),
    Aspect.RECOMMENDED: says(
        r"recommend\w*|guidelines?|consensus|first[- ](?:line|choice)|should|systematic review|"
        r"meta-?analys[ei]s|cochrane|of choice|approved|warnings?|preferred"
    ),
    Aspect.REGISTERED: says(
        r"study protocol|protocol for|recruiting|ongoing|under ?way|planned|"
        r"will be (?:randomi[sz]ed|recruited|enrolled|assigned|given)"
    ),
    Aspect.UNKNOWN: says(
        r"unknown|unclear|uncertain\w*|not (?:yet )?(?:known|clear|established|determined|settled)|"
        r"remains? to be|inconclusive|insufficient|conflicting|limited|lack(?:s|ing)?|"
        r"(?:further|larger?|more|future) (?:[\w-]+ ){0,3}(?:research|stud(?:y|ies)|trials?)|"
        r"(?:is|are|be) (?:needed|required|warranted)|should confirm"
    ),
    Aspect.BACKGROUND: says(
        r"(?:is|are) (?:an?|the|one|defined|characteri[sz]ed|common|known|caused)|refers? to|"
        r"defined as|known as"
    ),
    Aspect.AGAINST: says(
        r"no (?:\w+ ){0,3}(?:effect|difference|benefit|improvement|association|evidence|advantage|"
        r"increase|change|correlation)\w*|not (?:\w+ ){0,3}(?:effective|differ\w*|associated|"
        r"improve\w*|significant\w*|superior|better|increase\w*|reduce\w*|affect\w*|support\w*|"
        r"predict\w*|show\w*|warrant\w*|justif\w*|recommended)|did not|does not|do not|failed|"
        r"ineffective|futil\w+|worse\w*|increased (?:risk|mortality)|harm\w*|unaffected|unchanged|"
        r"unaltered|"
        r"contradict\w*|inconsistent|insufficient|similar|neither|stopped early|terminated|lack of"
    ),
}
AIM = bounded(
    r"\b(?:aim(?:s|ed)? (?:to|of|was|is)|objectives?|goals?|purpose|sought to|whether|will be|"
    r"designed to|(?:is|are) (?:studying|testing|investigating)|(?:end-?points?|outcomes?) include|"
    r"hypothesi[sz]\w*|to (?:evaluate|assess|determine|investigate|examine|compare|explore|study|"
    r"identify|describe|test)|(?:we|(?:the )?authors|(?:this|the) (?:study|trial|review)) "
    r"(?:evaluated|assessed|determined|investigated|examined|compared|"
    r"explored|studied|reviewed|conducted|performed|searched)|remains? (?:unclear|unknown)|"
    r"further (?:stud(?:y|ies)|research|trials)|is needed|are needed|were randomi[sz]ed|"
    r"(?:was|were) (?:measured|analy[sz]ed|compared|evaluated|planned)|"
    r"analys[ei]s (?:was|were) (?:performed|conducted|done)|"
    r"were recruited|were enrolled|were included)\b",
    re.IGNORECASE,
)
"""Of what was planned, done or wished for, not of what was found."""
FEWER = says(r"less|fewer|lower\w*|reduc\w*|decreas\w*|improv\w*|prevent\w*|protect\w*")
"""Of what a treatment does for patients, and of a harm that it does not bring."""
FIGURES = bounded(r"\d")
FINDINGS = tuple(
    "result|main result|finding|conclusion|interpretation|author|discussion|harm|adverse|"
    "side effect|safety|toxic|tolerab|efficacy|significance|meaning".split("|")
)
"""Names of the sections that say what came out."""
METHODS_TELL = (
    *(Aspect.DOSE, Aspect.ELIGIBILITY, Aspect.BACKGROUND, Aspect.REGISTERED),
    Aspect.UNKNOWN,
)
"""Needs that methods and background answer, too."""


_AIMS = bounded(
    r"\b(?:aim(?:s|ed)?|objectives?|goals?|purpose|sought to|designed to|hypothesi[sz]\w*|"
    r"to (?:evaluate|assess|determine|investigate|examine|compare|explore|study|test)|"
    r"(?:we|(?:the )?authors|this (?:study|trial|review)) (?:evaluated|assessed|determined|"
    r"investigated|examined|compared|explored|studied|reviewed|conducted|performed))\b",
    re.IGNORECASE,
)
_SHORT = 4
"""Sentences of a text that may be a background or an aim alone."""
RESULT = bounded(
    r"\bp\s?[<=>≤≥]|\bCIs?\b|(?:odds|hazard|risk|rate) ratio|\d\s?%|\d ?/ ?\d+ |\d ?± ?\d|"
    r"\bsignificant(?:ly)?\b|\bwe (?:found|observed)\b",
    re.IGNORECASE,
)
"""Of what a study measured, as abstracts state it."""
_SAYS_NOTHING = bounded(
    r"\b(?:gives?|gave|reports?|reported|provides?|provided|states?|has|had) no (?:[\w-]+ ){0,3}"
    r"(?:figures?|data|information|numbers?|details?)\b|"
    r"\b(?:gives?|gave|provides?|provided) no (?:[\w-]+ ){0,3}(?:differences?|results?|effects?)\b|"
    r"\b(?:was|were|is|are) not (?:reported|stated|given|described)\b|"
    r"^\W*(?:copyright|all rights reserved|published by|\[?references?:)",
    re.IGNORECASE,
)
"""That a record is silent on something is no finding, nor is who published it."""


def is_needed(aspect: Aspect, label: str, text: str) -> bool:
    """Return whether a sentence, by its section and words, can tell what a need wants known."""
    if _SAYS_NOTHING.search(text):
        return False
    if aspect is Aspect.MECHANISM:
        return not AIM.search(text)
    return aspect in METHODS_TELL or is_own_finding(label, text)


def sectioned(body: Sequence[Span]) -> list[Span]:
    """The sentences of a text, with sections where it has none of its own for its findings.

    An abstract tells why before what came out (Sollaci and Pereira, J Med Libr Assoc
    2004;92:364-367): what stands up to its stated aim is background.
    """
    if len(body) <= _SHORT or any(span.label.startswith(FINDINGS) for span in body):
        return list(body)
    half = (len(body) + 1) // 2
    aimed = max((n for n, span in enumerate(body[:half], 1) if _AIMS.search(span.text)), default=0)
    return [span._replace(label="background" if n < aimed else "") for n, span in enumerate(body)]


def is_own_finding(label: str, text: str) -> bool:
    """Return whether a sentence stands where own findings stand, and states no aim or wish."""
    return (not label or label.startswith(FINDINGS)) and not AIM.search(text)
