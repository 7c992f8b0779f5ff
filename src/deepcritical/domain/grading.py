"""How strong a record is: its study design and its OCEBM 2011 level, with the reason as text.

Levels follow the Oxford Centre for Evidence-Based Medicine 2011 table for treatment benefit:
1 systematic review of randomised trials; 2 randomised trial; 3 non-randomised controlled cohort;
4 case series, case-control, historical control; 5 mechanism-based reasoning. A review is graded as
the weakest design that it pools.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.base import Model
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.record_kinds import is_notice, is_paper, is_retracted
from deepcritical.domain.sizes import participants
from deepcritical.domain.stop_reasons import classify_stop
from deepcritical.domain.text import sentences

__all__ = [
    "Design",
    "Grade",
    "grade",
    "is_negative_stop",
    "is_notice",
    "is_paper",
    "is_retracted",
    "participants",
]


class Design(StrEnum):
    """Study design, in the words of a report."""

    REVIEW_OF_RCTS = "systematic review of randomised trials"
    RCT = "randomised controlled trial"
    NON_RANDOMISED_TRIAL = "non-randomised trial"
    REVIEW_OF_COHORTS = "systematic review that includes observational studies"
    REVIEW_UNSTATED = "systematic review that does not state the designs it includes"
    REVIEW_WITH_CASE_CONTROL = (
        "systematic review that includes case-control or cross-sectional studies"
    )
    COHORT = "observational cohort"
    CASE_CONTROL = "case-control or cross-sectional study"
    CASE_SERIES = "case series or case report"
    REVIEW_WITH_ANIMALS = "systematic review that includes animal studies"
    PRECLINICAL = "animal or cell study"
    NARRATIVE_REVIEW = "narrative review or opinion"
    PROTOCOL = "published protocol, no result"
    REGISTERED_TRIAL = "registered trial, no result in this record"
    UNCLEAR = "design not stated"


LEVEL: dict[Design, int | None] = {
    Design.REVIEW_OF_RCTS: 1,
    Design.RCT: 2,
    Design.NON_RANDOMISED_TRIAL: 3,
    Design.REVIEW_OF_COHORTS: 3,
    Design.REVIEW_UNSTATED: 3,
    Design.REVIEW_WITH_CASE_CONTROL: 4,
    Design.COHORT: 3,
    Design.CASE_CONTROL: 4,
    Design.CASE_SERIES: 4,
    Design.REVIEW_WITH_ANIMALS: 5,
    Design.PRECLINICAL: 5,
    Design.NARRATIVE_REVIEW: 5,
    Design.PROTOCOL: None,
    Design.REGISTERED_TRIAL: None,
    Design.UNCLEAR: None,
}
"""OCEBM 2011 level of each design; None where there is nothing to grade yet."""


class Grade(Model):
    """Design and level of one record, with where the judgement comes from."""

    design: Design
    level: int | None
    """OCEBM 2011 level 1-5, or None for a trial without a result."""
    reason: str
    from_text: bool = False
    """Whether the design was read from the text: a fallback, flagged.

    It is used when the index gives no publication type.
    """
    participants: int | None = None
    retracted: bool = False


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    design: Design


def _rules(*pairs: tuple[str, Design]) -> tuple[_Rule, ...]:
    return tuple(
        _Rule(re.compile(pattern, re.IGNORECASE | re.MULTILINE), design)
        for pattern, design in pairs
    )


_BY_TYPE = _rules(
    (r"veterinary", Design.PRECLINICAL),
    (r"meta-analysis|systematic review", Design.REVIEW_OF_COHORTS),
    (r"(?<!non)(?<!non-)randomi[sz]ed (?:controlled |clinical )+trial", Design.RCT),
    (r"clinical trial|controlled clinical trial", Design.NON_RANDOMISED_TRIAL),
    (r"observational study|cohort", Design.COHORT),
    (r"case reports", Design.CASE_SERIES),
    (r"^review\b|editorial|letter|comment", Design.NARRATIVE_REVIEW),
)
"""MeSH publication types; the first match in this order decides."""

_MADE_RANDOM = (
    r"(?:were|was|we|are|be|been) (?:(?!not )\w+ )?"
    r"(?:randomi[sz]ed|randomly (?:assigned|allocated))|"
    r"randomi[sz]ed (?:to|1:1|in a)|"
    r"(?:patients|participants|adults|people|outpatients) randomi[sz]ed|"
    r"\b(?:allotted|allocated|assigned|divided) (?:at random|by lot|by chance)"
)
_BY_TEXT = _rules(
    (
        (
            r"systematic(?:ally)? (?:umbrella )?review|meta[- \u2010-\u2015]?analy|umbrella review|"
            r"systematically (?:searched|reviewed)"
        ),
        Design.REVIEW_OF_COHORTS,
    ),
    (
        (
            r"\b(?:patients|participants|adults|subjects|children|infants|outpatients|volunteers)\b"
            r"[^.;]{0,80}\b(?:were|was) (?:(?!not )\w+ )?(?:randomi[sz]ed|randomly (?:assigned|"
            r"allocated))"
        ),
        Design.RCT,
    ),
    (
        (
            r"\b(?:mice|mouse|rats?|transgenic|zebrafish|drosophila|in[- ]vitro|cell lines?|"
            r"cell models?|hamsters?|macaques?)\b"
        ),
        Design.PRECLINICAL,
    ),
    (
        r"\b(?:this|the) (?:narrative )?review\b|we review\b|"
        r"(?<!retrospective )(?<!chart )(?<!record )(?<!case )\b(?:review|overview) of\b",
        Design.NARRATIVE_REVIEW,
    ),
    (r"emulat\w+ (?:a |clinical )?(?:target )?trials?|target trial emulation", Design.COHORT),
    (
        _MADE_RANDOM
        + r"|(?<!non)(?<!non[- ])randomi[sz]ed(?:[ ,-]+[\w-]+){0,4}[ -](?:trial|study|pilot)\b"
        r"(?! (?:is|are|was|were) (?:needed|required|warranted|lacking))|double-blind",
        Design.RCT,
    ),
    (
        r"open-label|single-arm|non-?randomi[sz]ed|phase (?:[1-4]|i{1,3}|iv)\b.*trial",
        Design.NON_RANDOMISED_TRIAL,
    ),
    (r"case[- ]control|cross-sectional", Design.CASE_CONTROL),
    (
        (
            r"cohort|observational|longitudinal|retrospective|prospective|registry|medical records|"
            r"health records|insurance claims|"
            r"database|real-world|propensity|\bmatched (?:\w+ )?(?:sample|controls?)"
        ),
        Design.COHORT,
    ),
    (r"case series|case report", Design.CASE_SERIES),
)
"""Words of title and text, for records without a publication type that names a design."""

_OBSERVATIONAL = re.compile(
    r"observational|cohort|case[- ]control|cross-sectional|non-?randomi[sz]ed|retrospective|"
    r"population-based",
    re.IGNORECASE,
)
_RANDOMISED = re.compile(r"(?<!non)(?<!non[-_ ])randomi[sz]ed|\bRCTs?\b", re.IGNORECASE)
_TRIALS = re.compile(r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) trials\b", re.I)
_CERTAIN = re.compile(r"\b(?:moderate|high)[- \u2010-\u2015](?:certainty|quality)\b", re.IGNORECASE)
"""Of evidence that GRADE rates so, only trials start above low certainty."""
_ANIMAL = re.compile(r"\banimals?\b|preclinical|\bmice\b|rodent|in vivo", re.IGNORECASE)
_LEFT_OUT = re.compile(r"[^.;]*\b(?:were|was) excluded\b|\bexcluding [^.;,]*", re.IGNORECASE)
"""What a review says that it did not include."""
_CASE_CONTROL = re.compile(r"case[- ]control|cross-section", re.IGNORECASE)
_OWN_TRIAL = re.compile(
    r"\b(?:this|our)(?: [\w-]+,?){0,8} trial\b|\btrial and (?:an )?(?:updated )?meta-analysis\b",
    re.IGNORECASE,
)
"""A trial reported together with a meta-analysis that takes it in."""
_GIVEN = re.compile(
    r"\b(?:patients|participants|subjects|infants|children|adults|women|men)\b[^.;]{0,60}"
    r"\b(?:were (?:\w+ )?(?:treated|given)|treated with|received)\b|"
    r"\b(?:was|were) (?:\w+ )?(?:administered|given) to\b|-treated (?:patients|children|infants)\b|"
    r"\b(?:study|series|evaluation|experience|analysis|description|use) (?:of|with) [^.;]{3,100}"
    r"\bin (?:\w+ )?\d+ (?:\w+ ){0,2}(?:patients|infants|children|adults|women|men|cases)\b|"
    r"\b(?:series of|reports? (?:on|of)|describ\w+) (?:\w+ )?\d+ (?:\w+ ){0,2}"
    r"(?:patients|infants|children|adults|women|men|cases)\b|"
    r"\b(?:patients|infants|children|adults|women|men) (?:who (?:took|received|were given|used)|"
    r"given|on)\b|"
    r"\bafter (?:the )?(?:\w+ ){0,3}(?:administration|treatment|dose)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\bcontrols?\b|\bcompar\w+|\bversus\b|\bvs\b|untreated|non-?users?|placebo|"
    r"associated with (?:an? )?(?:\w+ )?(?:reduced|increased|lower|higher|decreased|risk)|"
    r"hazard|\bodds\b|(?:risk|rate) ratio|propensity|usual care|standard of care|relative risk",
    re.IGNORECASE,
)
_NOT_COMPARED = re.compile(
    r"\b(?:no|without(?: an?y?)?|lack\w*(?: of)?(?: an?y?)?|neither) (?:\w+ ){0,2}"
    r"(?:comparators?|comparisons?|controls?(?: groups?| arms?)?)\b",
    re.IGNORECASE,
)
"""Says that there was no comparison, and so names none."""
_PROTOCOL_TYPE = re.compile(r"\bprotocol\b", re.IGNORECASE)
_PROTOCOL_TITLE = re.compile(
    r"\bprotocol\b\W*$|\bprotocol (?:for|of) an?\b|\brationale and (?:study )?design\b|"
    r"\b(?:study )?design and rationale\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:we will (?:search|include|randomi[sz]e|recruit|enrol)|will be (?:randomi[sz]ed|randomly|"
    r"recruited|searched))",
    re.IGNORECASE,
)
_RETROSPECTIVE = re.compile(r"\bretrospective(?:ly)?\b(?! regist)", re.IGNORECASE)
_LETTER = re.compile(r"\b(?:letter|comment|correspondence)\b", re.IGNORECASE)
_ON_ANOTHER = re.compile(r"\bin this issue\b|\bcommentary on\b", re.IGNORECASE)
"""A comment on a study of others, which is no evidence of its own."""
_NOT_PRIMARY = (Design.REVIEW_OF_COHORTS, Design.NARRATIVE_REVIEW, Design.PRECLINICAL)


def _first(rules: tuple[_Rule, ...], text: str) -> Design | None:
    return next((rule.design for rule in rules if rule.pattern.search(text)), None)


_DESIGN_LABELS = (
    "design",
    "method",
    "materials",
    "patients and",
    "study design",
    "research design",
    "trial design",
    "setting",
    "objective",
    "aim",
    "purpose",
)


def _design_text(evidence: Evidence) -> str:
    spans = sentences(evidence.content)
    own = [s.text for s in spans if s.label.startswith(_DESIGN_LABELS)]
    return " ".join([evidence.citation.title, *(own or [s.text for s in spans])])


def _review_of(evidence: Evidence) -> Design:
    """What a systematic review pools: the weakest design that it says it includes."""
    text = _LEFT_OUT.sub("", f"{evidence.citation.title} {evidence.content}")
    if _ANIMAL.search(text):
        return Design.REVIEW_WITH_ANIMALS
    if _CASE_CONTROL.search(text):
        return Design.REVIEW_WITH_CASE_CONTROL
    if _OBSERVATIONAL.search(text):
        return Design.REVIEW_OF_COHORTS
    randomised = _RANDOMISED.search(text) or (_TRIALS.search(text) and _CERTAIN.search(text))
    return Design.REVIEW_OF_RCTS if randomised else Design.REVIEW_UNSTATED


_Judged = tuple[Design, str, bool]


def _of_trial(evidence: Evidence) -> _Judged:
    if not is_negative_stop(evidence):
        return Design.REGISTERED_TRIAL, "registry entry", False
    randomised = _RANDOMISED.search(f"{evidence.citation.title} {evidence.content}")
    design = Design.RCT if randomised else Design.NON_RANDOMISED_TRIAL
    return design, "registry entry with the reason for stopping", False


def _is_protocol(evidence: Evidence, types: str) -> bool:
    if _PROTOCOL_TYPE.search(types) or _PROTOCOL_TITLE.search(evidence.citation.title):
        return True
    labels = {s.label[:6] for s in sentences(evidence.content)}
    return bool(_PLANNED.search(evidence.content)) and not labels & {"result", "findin"}


def _design(evidence: Evidence) -> _Judged:
    if evidence.metadata.kind == "trial" and not is_paper(evidence):
        return _of_trial(evidence)
    types = "\n".join(evidence.metadata.publication_types)
    if _is_protocol(evidence, types):
        return Design.PROTOCOL, "a protocol", False
    typed = next((d for d in (_first((rule,), types) for rule in _BY_TYPE) if d), None)
    text = _design_text(evidence)
    if typed is None:
        return _by_text(evidence, text)
    return _corrected(typed, types, text)


def _by_text(evidence: Evidence, text: str) -> _Judged:
    why = "no publication type names a design; read from the text"
    whole = f"{evidence.citation.title} {evidence.content}"
    told = _first(_BY_TEXT, text) or _first(_BY_TEXT, whole) or Design.UNCLEAR
    if told is Design.REVIEW_OF_COHORTS and _is_own_trial(text):
        return Design.RCT, f"{why}: a trial with a meta-analysis that takes it in", True
    loose = told in (Design.COHORT, Design.UNCLEAR)
    if loose and _GIVEN.search(whole) and not _COMPARED.search(_NOT_COMPARED.sub("", whole)):
        return Design.CASE_SERIES, f"{why}: people treated, without a comparison", True
    return told, why, told is not Design.UNCLEAR


def _is_own_trial(text: str) -> bool:
    return bool(_OWN_TRIAL.search(text) and re.search(_MADE_RANDOM, text, re.IGNORECASE))


def _corrected(typed: Design, types: str, text: str) -> _Judged:
    """The design by publication type, where the text does not say plainly that it is another."""
    if typed is Design.NARRATIVE_REVIEW and _LETTER.search(types) and not _ON_ANOTHER.search(text):
        told = _first(_BY_TEXT, text)
        if told and told not in _NOT_PRIMARY:
            return told, "indexed as letter or comment; design read from the text", True
    if typed is Design.RCT and _RETROSPECTIVE.search(text):
        told = Design.CASE_CONTROL if _CASE_CONTROL.search(text) else Design.COHORT
        return told, "indexed as randomised, but the text describes a retrospective study", False
    if typed is Design.REVIEW_OF_COHORTS and _is_own_trial(text):
        return Design.RCT, "indexed as a meta-analysis, but it reports a trial of its own", False
    if typed is Design.NON_RANDOMISED_TRIAL and _first(_BY_TEXT, text) is Design.RCT:
        return Design.RCT, "indexed as a clinical trial; the text says randomised", True
    return typed, "publication type", False


def grade(evidence: Evidence) -> Grade:
    """Design, OCEBM 2011 level and size of one record.

    They come from the index, the registry and, flagged, the text.
    """
    design, reason, from_text = _design(evidence)
    if design is Design.REVIEW_OF_COHORTS:
        design = _review_of(evidence)
    return Grade(
        design=design,
        level=LEVEL[design],
        reason=reason,
        from_text=from_text,
        participants=participants(evidence),
        retracted=is_retracted(evidence),
    )


def is_negative_stop(evidence: Evidence) -> bool:
    """Whether a trial was stopped for futility, lack of effect or harm, as its registry says."""
    meta = evidence.metadata
    if meta.status == "WITHDRAWN" or meta.enrollment == 0:
        return False  # nobody was treated, so nothing was found
    return is_negative_reason(meta.why_stopped or "")


def is_negative_reason(why: str) -> bool:
    """Whether a reason for stopping speaks against the drug: futility, lack of effect or harm."""
    return classify_stop(why) in ("efficacy", "safety")


def is_harm_stop(why: str) -> bool:
    """Whether a reason for stopping is harm and not futility."""
    return classify_stop(why) == "safety"
