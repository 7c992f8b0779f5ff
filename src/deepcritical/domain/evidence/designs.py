"""Classifies study designs by publication type, species, registry field or, flagged, text.

Each table is read from the top; its first rule that applies decides.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.evidence.kinds import is_negative_stop, is_paper
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import quantities
from deepcritical.domain.text.spans import sentences


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


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    design: Design


def _rules(*pairs: tuple[str, Design]) -> tuple[_Rule, ...]:
    return tuple(
        _Rule(bounded(pattern, re.IGNORECASE | re.MULTILINE), design) for pattern, design in pairs
    )


_BY_TYPE = _rules(
    (r"veterinary", Design.PRECLINICAL),
    (r"scoping review", Design.NARRATIVE_REVIEW),
    (r"meta-analysis|systematic review", Design.REVIEW_OF_COHORTS),
    (r"(?<!non)(?<!non-)randomi[sz]ed (?:controlled |clinical )+trial", Design.RCT),
    (r"pragmatic clinical trial", Design.RCT),  # taken as randomised unless the text says otherwise
    (r"clinical trial|equivalence trial", Design.NON_RANDOMISED_TRIAL),
    (r"observational study|cohort", Design.COHORT),
    (r"case reports", Design.CASE_SERIES),
    (
        r"^review\b|editorial|letter|comment|guideline|consensus|^news\b|^interview",
        Design.NARRATIVE_REVIEW,
    ),
)
"""MeSH publication types, in order. A guideline is an opinion: its record lacks its grounds."""

_BY_CHANCE = (  # not "randomly divided into a training and a validation set"
    r"(?:(?:were|was|we|are|be|been) (?:(?!not )\w+ )?randomi[sz]ed|(?<!not )(?<!-)\brandomly "
    r"(?:assigned|allocated|allotted|divided)(?![^.;]*\b(?:training|validation|derivation) ))"
)
_MADE_RANDOM = (
    rf"{_BY_CHANCE}|(?:patients|participants|adults|people|outpatients) randomi[sz]ed|randomi[sz]ed"
    r" (?:to|1:1|in a)|\b(?:allotted|allocated|assigned|divided) (?:at random|by lot|by chance)"
)
_BY_TEXT = _rules(
    (
        r"systematic(?:ally)? (?:\w+ )?review|meta[- \u2010-\u2015]?analy|umbrella review|"
        r"systematically (?:searched|reviewed)",
        Design.REVIEW_OF_COHORTS,
    ),
    (
        r"\b(?:patients|participants|adults|subjects|children|infants|outpatients|volunteers)\b"
        r"[^.;]{0,80}\b" + _BY_CHANCE,
        Design.RCT,
    ),
    (
        r"\b(?:mice|mouse|rats?|transgenic|zebrafish|drosophila|in[- ]vitro|cell lines?|"
        r"cell models?|hamsters?|macaques?|rabbits?|guinea pigs?|dogs?|pigs?|piglets?|sheep|swine|"
        r"monkeys?|murine)\b",
        Design.PRECLINICAL,
    ),
    (
        r"\b(?:this|the) (?:narrative )?review\b|we review\b|"
        r"(?<!retrospective )(?<!chart )(?<!record )(?<!case )\b(?:review|overview) of\b",
        Design.NARRATIVE_REVIEW,
    ),
    (r"emulat\w+ (?:a |clinical )?(?:target )?trials?|target trial emulation", Design.COHORT),
    (
        _MADE_RANDOM + r"|(?<!non)(?<!non[- ])randomi[sz]ed"
        r"(?:[ ,-]{1,3}\w++(?:-\w++){0,3}){0,4}[ -](?:trial|study|pilot)\b"
        r"(?! (?:is|are|was|were) (?:needed|required|warranted|lacking))|double-blind",
        Design.RCT,
    ),
    (
        r"open-label|single-arm|non-?randomi[sz]ed|phase (?:[1-4]|i{1,3}|iv)\b.*trial",
        Design.NON_RANDOMISED_TRIAL,
    ),
    (r"case[- ]control|cross-sectional", Design.CASE_CONTROL),
    (
        r"cohort|observational|longitudinal|retrospective|prospective|registry|medical records|"
        r"health records|insurance claims|"
        r"database|real-world|propensity|\bmatched (?:\w+ )?(?:sample|controls?)",
        Design.COHORT,
    ),
    (r"case series|case report", Design.CASE_SERIES),
)
"""Words of title and text, for records without a publication type that names a design."""
_TITLED_REVIEW = r"(?<!chart )(?<!record )(?<!retrospective )(?<!case )\b(?:review|overview)\b"
_OF_TITLES = (
    *(rule for rule in _BY_TEXT if rule.design in (Design.REVIEW_OF_COHORTS, Design.RCT)),
    *_rules((_TITLED_REVIEW, Design.NARRATIVE_REVIEW)),
)
"""Rules for titles. They go before rules for the text, which may be on other studies."""

_OBSERVATIONAL = bounded(
    r"observational|cohort|case[- ]control|cross-sectional|non-?randomi[sz]ed|retrospective|"
    r"population-based",
    re.IGNORECASE,
)
_RANDOMISED = bounded(r"(?<!non)(?<!non[-_ ])randomi[sz]ed|\bRCTs?\b", re.IGNORECASE)
_NOT_RANDOMISED = bounded(r"\b(?:non|not|quasi)[- ]?randomi[sz]ed", re.IGNORECASE)
_TRIALS = bounded(r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) trials\b", re.I)
_CERTAIN = bounded(r"\b(?:moderate|high)[- \u2010-\u2015](?:certainty|quality)\b", re.IGNORECASE)
"""Of evidence that GRADE rates so, only trials start above low certainty."""
_ANIMAL = bounded(r"\banimals?\b|preclinical|\bmice\b|rodent|in vivo", re.IGNORECASE)
_LEFT_OUT = bounded(r"(?<![^.;])[^.;]*\b(?:were|was) excluded\b|\bexcluding [^.;,]*", re.I)
"""A clause on studies that a review did not include; searched once in each clause."""
_CASE_CONTROL = bounded(r"case[- ]control|cross-section", re.IGNORECASE)
_OWN_TRIAL = bounded(
    r"\b(?:this|our)(?: [\w-]+,?){0,8} trial\b|\btrial and (?:an )?(?:updated )?meta-analysis\b",
    re.IGNORECASE,
)
"""A trial reported together with a meta-analysis that takes it in."""
_GIVEN = bounded(
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
_COMPARED = bounded(
    r"\bcontrols?\b|\bcompar\w+|\bversus\b|\bvs\b|untreated|non-?users?|placebo|"
    r"associated with (?:an? )?(?:\w+ )?(?:reduced|increased|lower|higher|decreased|risk)|"
    r"hazard|\bodds\b|(?:risk|rate) ratio|propensity|usual care|standard of care|relative risk",
    re.IGNORECASE,
)
_NOT_COMPARED = bounded(
    r"\b(?:no|without(?: an?y?)?|lack\w*(?: of)?(?: an?y?)?|neither) (?:\w+ ){0,2}"
    r"(?:comparators?|comparisons?|controls?(?: groups?| arms?)?)\b",
    re.IGNORECASE,
)
"""Says that there was no comparison, and so names none."""
_PROTOCOL_TYPE = bounded(r"\bprotocol\b", re.IGNORECASE)
_PROTOCOL_TITLE = bounded(
    r"\bprotocol\b\W*$|\bprotocol (?:for|of) an?\b|\brationale and (?:study )?design\b|"
    r"\b(?:study )?design and rationale\b",
    re.IGNORECASE,
)
_PLANNED = bounded(
    r"\b(?:we will (?:search|include|randomi[sz]e|recruit|enrol)|will be (?:randomi[sz]ed|randomly|"
    r"recruited|searched))",
    re.IGNORECASE,
)
_RETROSPECTIVE = bounded(r"\bretrospective(?:ly)?\b(?! regist)", re.IGNORECASE)
_LETTER = bounded(r"\b(?:letter|comment|correspondence)\b", re.IGNORECASE)
_ON_ANOTHER = bounded(r"\bin this issue\b|\bcommentary on\b", re.IGNORECASE)
"""A comment on a study of others, which is no evidence of its own."""
_POSTED = bounded(r"^(?:posted )?results?: ", re.IGNORECASE | re.MULTILINE)
_OF_PEOPLE = frozenset(
    {
        *(Design.RCT, Design.NON_RANDOMISED_TRIAL, Design.COHORT),
        *(Design.CASE_CONTROL, Design.CASE_SERIES, Design.UNCLEAR),
    }
)
"""Designs that are of people, unless the index says that only animals were studied."""
_NOT_PRIMARY = (Design.REVIEW_OF_COHORTS, Design.NARRATIVE_REVIEW, Design.PRECLINICAL)


def _first(rules: tuple[_Rule, ...], text: str) -> Design | None:
    """The design of the first rule whose words occur in the text."""
    return next((rule.design for rule in rules if rule.pattern.search(text)), None)


_DESIGN_LABELS = (
    *("design", "method", "materials", "patients and", "study design", "research design"),
    *("trial design", "setting", "objective", "aim", "purpose"),
)


def _design_text(evidence: Evidence) -> str:
    spans = sentences(evidence.content)
    own = [s.text for s in spans if s.label.startswith(_DESIGN_LABELS)]
    return " ".join([evidence.citation.title, *(own or [s.text for s in spans])])


class Judged(NamedTuple):
    """A design with where it comes from."""

    design: Design
    reason: str
    from_text: bool = False
    """True if the text had to tell: a fallback, flagged."""


_POOLED: tuple[tuple[re.Pattern[str], Design], ...] = (
    (_ANIMAL, Design.REVIEW_WITH_ANIMALS),
    (_CASE_CONTROL, Design.REVIEW_WITH_CASE_CONTROL),
    (_OBSERVATIONAL, Design.REVIEW_OF_COHORTS),
    (_RANDOMISED, Design.REVIEW_OF_RCTS),
)
"""Designs that a systematic review pools, weakest first: OCEBM 2011 grades it by the weakest."""


def _review_of(evidence: Evidence) -> Design:
    """Return the design of the studies that a review pools: from its title, else its whole text."""
    if _is_of_animals(evidence):
        return Design.REVIEW_WITH_ANIMALS
    title = evidence.citation.title
    text = _LEFT_OUT.sub("", f"{title} {evidence.content}")
    pooled = next((d for part in (title, text) for words, d in _POOLED if words.search(part)), None)
    if pooled is None and _TRIALS.search(text) and _CERTAIN.search(text):
        return Design.REVIEW_OF_RCTS
    return pooled or Design.REVIEW_UNSTATED


def _of_trial(evidence: Evidence) -> Judged:
    """A registry entry is graded once it says what came of the trial."""
    meta = evidence.metadata  # which may merely say that the registry has results
    if is_negative_stop(evidence):
        told = "registry entry with the reason for stopping"
    elif meta.posted_results or (meta.has_results and _POSTED.search(evidence.content)):
        told = "registry entry with posted results"
    else:
        return Judged(Design.REGISTERED_TRIAL, "registry entry")
    if str(getattr(meta, "study_type", "")).upper() == "OBSERVATIONAL":
        return Judged(Design.COHORT, told)
    # At random by the registry's field, or else by its text.
    field = str(getattr(meta, "allocation", None) or "")
    random = _RANDOMISED.search(field or f"{evidence.citation.title} {evidence.content}")
    return Judged(Design.RCT if random else Design.NON_RANDOMISED_TRIAL, told)


def _is_protocol(evidence: Evidence, types: str) -> bool:
    if _PROTOCOL_TYPE.search(types) or _PROTOCOL_TITLE.search(evidence.citation.title):
        return True
    labels = {s.label[:6] for s in sentences(evidence.content)}
    return bool(_PLANNED.search(evidence.content)) and not labels & {"result", "findin"}


def design_of(evidence: Evidence) -> Judged:
    """The design of a record, with where it was read."""
    judged = _primary(evidence)
    if judged.design is Design.REVIEW_OF_COHORTS:
        return judged._replace(design=_review_of(evidence))
    if judged.design in _OF_PEOPLE and _is_of_animals(evidence):
        return Judged(Design.PRECLINICAL, "indexed under Animals and not Humans (MeSH)")
    return judged


def _primary(evidence: Evidence) -> Judged:
    if evidence.metadata.kind == "trial" and not is_paper(evidence):
        return _of_trial(evidence)
    types = "\n".join(evidence.metadata.publication_types)
    if _is_protocol(evidence, types):
        return Judged(Design.PROTOCOL, "a protocol")
    typed = _first(_BY_TYPE, types)
    text = _design_text(evidence)
    return _by_text(evidence, text) if typed is None else _corrected(typed, types, text)


def _is_of_animals(evidence: Evidence) -> bool:
    """Return whether the MeSH check tags include Animals and not Humans."""
    terms = {term.rstrip("*").strip().lower() for term in evidence.metadata.mesh_terms}
    return "animals" in terms and "humans" not in terms


def _by_text(evidence: Evidence, text: str) -> Judged:
    why = "no publication type names a design; read from the text"
    whole = f"{evidence.citation.title} {evidence.content}"
    skipped = Design.PRECLINICAL if _counts_people(evidence) else None
    rules = tuple(rule for rule in _BY_TEXT if rule.design is not skipped)
    titled = _first(_OF_TITLES, evidence.citation.title)
    if titled is Design.NARRATIVE_REVIEW and _BY_TEXT[0].pattern.search(whole):
        titled = Design.REVIEW_OF_COHORTS
    told = titled or _first(rules, text) or _first(rules, whole) or Design.UNCLEAR
    if told is Design.REVIEW_OF_COHORTS and _is_own_trial(text):
        return Judged(Design.RCT, f"{why}: a trial with a meta-analysis that takes it in", True)
    loose = told in (Design.COHORT, Design.UNCLEAR)
    if loose and _GIVEN.search(whole) and not _COMPARED.search(_NOT_COMPARED.sub("", whole)):
        return Judged(Design.CASE_SERIES, f"{why}: people treated, without a comparison", True)
    return Judged(told, why, told is not Design.UNCLEAR)


def _counts_people(evidence: Evidence) -> bool:
    """Return whether a text counts people and no animals; the text may still mention some."""
    counted = {one.noun for one in quantities(evidence.content) if one.value > 1 and not one.kind}
    in_title = _first(_BY_TEXT, evidence.citation.title) is Design.PRECLINICAL
    return "people" in counted and "animals" not in counted and not in_title


def _is_own_trial(text: str) -> bool:
    return bool(_OWN_TRIAL.search(text) and re.search(_MADE_RANDOM, text, re.IGNORECASE))


class _Correction(NamedTuple):
    """A design by publication type that the text plainly says is another."""

    typed: Design
    applies: Callable[[str, str], object]
    """On the publication types, one a line, and the text on the design."""
    design: Callable[[str], Design | None]
    reason: str
    from_text: bool


def _told_primary(text: str) -> Design | None:
    told = _first(_BY_TEXT, text)
    return None if told in _NOT_PRIMARY else told


_CORRECTIONS = (
    _Correction(
        Design.NARRATIVE_REVIEW,
        lambda types, text: _LETTER.search(types) and not _ON_ANOTHER.search(text),
        _told_primary,
        "indexed as letter or comment; design read from the text",
        from_text=True,
    ),
    _Correction(
        Design.RCT,
        lambda _, text: _RETROSPECTIVE.search(text),
        lambda text: Design.CASE_CONTROL if _CASE_CONTROL.search(text) else Design.COHORT,
        "indexed as randomised, but the text describes a retrospective study",
        from_text=False,
    ),
    _Correction(
        Design.RCT,
        lambda types, text: not _RANDOMISED.search(types) and _NOT_RANDOMISED.search(text),
        lambda _: Design.NON_RANDOMISED_TRIAL,
        "indexed as a pragmatic trial; the text says not randomised",
        from_text=False,
    ),
    _Correction(
        Design.REVIEW_OF_COHORTS,
        lambda _, text: _is_own_trial(text),
        lambda _: Design.RCT,
        "indexed as a meta-analysis, but it reports a trial of its own",
        from_text=False,
    ),
    _Correction(
        Design.NON_RANDOMISED_TRIAL,
        lambda _, text: _first(_BY_TEXT, text) is Design.RCT,
        lambda _: Design.RCT,
        "indexed as a clinical trial; the text says randomised",
        from_text=True,
    ),
)


def _corrected(typed: Design, types: str, text: str) -> Judged:
    for row in _CORRECTIONS:
        if row.typed is typed and row.applies(types, text) and (told := row.design(text)):
            return Judged(told, row.reason, row.from_text)
    return Judged(typed, "publication type")
