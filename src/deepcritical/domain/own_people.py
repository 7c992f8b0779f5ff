"""Tells from words whether a record is on people of its own, and whether it compares them."""

import re

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import quantities

_OWN_STUDY = bounded(
    r"\b(?:retrospective|prospective|cohort|case[- ]control|cross-sectional|observational|"
    r"longitudinal|registry|database|single-arm|open-label|single-cent(?:er|re)|"
    r"case series|(?:chart|record|case|utili[sz]ation) review)\b"
    r"(?! (?:[\w-]+ ){0,2}(?:studies|trials|cohorts|findings|evidence|reviews)\b)|"
    r"\b(?:an?|the) (?:[\w-]+ ){0,4}trial\b",
    re.IGNORECASE,
)
"""Words of a title that calls the record one study, of whose people it may be a review."""
_OWN_RECORDS = bounded(
    r"\bwe (?:\w+ )?(?:reviewed|analy[sz]ed) (?:the )?(?:\w+ ){0,2}"
    r"(?:records|charts|notes|files) of\b",
    re.IGNORECASE,
)
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


def reviews_people(evidence: Evidence) -> bool:
    """Return whether a record is on people of its own, whatever it calls its look at them."""
    title = evidence.citation.title
    counts = any(q.noun == "people" and q.value > 1 for q in quantities(title))
    own = _OWN_STUDY.search(title) or _OWN_RECORDS.search(evidence.content)
    return counts or bool(own)


def treats_without_comparison(text: str) -> bool:
    """Return whether a text tells of people who were treated, and compares them with nobody."""
    return bool(_GIVEN.search(text) and not _COMPARED.search(_NOT_COMPARED.sub("", text)))
