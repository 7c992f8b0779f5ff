"""Finds where a sentence says more than the design and the certainty of its findings allow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Finding

__all__ = ["overstated"]

_CAUSAL = bounded(
    r"\b(?:caus(?:e[sd]?|ing)|prevent(?:s|ed|ing)?|leads? to|led to|due to|because of|results? in|"
    r"responsible for)\b",
    re.IGNORECASE,
)
_PROOF = bounded(
    r"\b(?:prove[sdn]?|proof|cure[sd]?|eliminate[sd]?|eradicate[sd]?|halt(?:s|ed)?|reverse[sd]?|"
    r"guarantee[sd]?|definit(?:e|ive)ly|conclusively|certainly|undoubtedly|clearly|always|"
    r"establish(?:es|ed)?|confirm(?:s|ed)?|should be (?:used|given|prescribed)|recommended|"
    r"dramatic(?:ally)?|substantial(?:ly)?|marked(?:ly)?|strong(?:ly)?|considerabl[ey]|large|"
    r"clinically (?:meaningful|important|relevant)|complete(?:ly)?)\b",
    re.IGNORECASE,
)
"""Words that no code can derive from figures: they must be the record's own."""
_OBSERVATIONAL = bounded(
    r"\b(?:cohort|observational|case[- ]control|cross[- ]sectional|registry|database|retrospective|"
    r"survey|case series|non[- ]randomi[sz]ed|uncontrolled|single[- ]arm)\b",
    re.IGNORECASE,
)
_CERTAINTY = bounded(
    r"\b(?P<one>very low|low|moderate|high)[- ](?:certainty|quality)\b|"
    r"\b(?:certainty|quality)(?: of (?:the )?evidence)? (?:is|was) "
    r"(?P<two>very low|low|moderate|high)\b",
    re.IGNORECASE,
)
_NOT_BY_CHANCE = bounded(r"\b(?:without|no|not|non-?) ?randomi[sz]\w{1,6}", re.IGNORECASE)
_DESIGNS = tuple(
    (bounded(rf"\b(?:{said})\b", re.IGNORECASE), bounded(known, re.IGNORECASE))
    for said, known in (
        (r"randomi[sz]ed|randomi[sz]ation|RCTs?", r"(?<!non)(?<!non-)\brandomi[sz]|\bRCT"),
        (r"trials?", r"\btrial|(?<!non)(?<!non-)\brandomi[sz]|\bRCT"),
        (r"double[- ]blind(?:ed)?", r"double[- ]blind"),
        (r"placebo[- ]controlled", r"placebo"),
        (r"cohorts?|observational|case[- ]control|cross[- ]sectional", _OBSERVATIONAL.pattern),
        (r"meta[- ]analys[ei]s|pooled analys[ei]s", r"meta-?\s?analys|pooled"),
        (r"systematic reviews?", r"systematic review|meta-?\s?analys"),
    )
)


def overstated(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield what a sentence says more firmly, or of a better design, than its findings allow."""
    quoted = " ".join(q for f in cited for q in f.quotes).lower()
    weak = [f.id for f in cited if _OBSERVATIONAL.search(f.design) or f.certainty == "very low"]
    found = _CAUSAL.search(text) if weak else None
    people = " ".join(f.population for f in cited).lower()
    if found and found[0].lower() not in f"{quoted} {people}":
        yield f"“{found[0]}” says more than {weak[0]} can show"
    for found in _PROOF.finditer(text):
        if found[0].lower() not in quoted:
            yield f"“{found[0]}” is stronger than the findings"
    for found in _CERTAINTY.finditer(text):
        rated = (found["one"] or found["two"]).lower()
        if any(f.certainty and f.certainty != rated for f in cited):
            yield f"the certainty is not {rated}"
    told = _NOT_BY_CHANCE.sub("", text)
    known_of = " . ".join((*(f"{f.design} {f.population}" for f in cited), quoted))
    for said, known in _DESIGNS:
        found_design = said.search(told)
        if found_design and not known.search(known_of):
            yield f"the design is not “{found_design[0]}”"
