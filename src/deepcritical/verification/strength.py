"""Finds where a sentence says more than the design and the certainty of its findings allow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Finding

_CAUSAL = bounded(
    r"\b(?:caus(?:e[sd]?|ing)|prevent(?:s|ed|ing)?|leads? to|led to|due to|because of|"
    r"result(?:ed|ing) in|(?<!the )results in (?:an?|less|more|fewer|lower|higher|better|worse)|"
    r"responsible for)\b",
    re.IGNORECASE,
)
_PROOF = bounded(
    r"\b(?:prove[sdn]?|proof|cure[sd]?|eliminate[sd]?|eradicate[sd]?|halt(?:s|ed)?|reverse[sd]?|"
    r"guarantee[sd]?|definit(?:e|ive)ly|conclusively|certainly|undoubtedly|clearly|always|"
    r"establish(?:es|ed)?|confirm(?:s|ed)?|should be (?:used|given|prescribed)|recommended|"
    r"dramatic(?:ally)?|substantial(?:ly)?|marked(?:ly)?|strong(?:ly)?|considerabl[ey]|"
    r"large(?! (?:[\w-]+ ){0,2}?(?:trials?|stud(?:y|ies)|cohorts?|reviews?|samples?|numbers?))|"
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
_NOT_BY_CHANCE = bounded(
    r"\b(?:(?:without|no|not|non-?) ?randomi[sz]\w{1,6}|without a control\b)", re.IGNORECASE
)
_NO_CHANCE = "notbychance"
"""Stands for these words where "randomised" in them must not be found."""
_DESIGNS = tuple(
    (bounded(rf"\b(?:{said})\b", re.IGNORECASE), bounded(known, re.IGNORECASE))
    for said, known in (
        (r"randomi[sz]ed|randomi[sz]ation|RCTs?", r"(?<!non)(?<!non-)\brandomi[sz]|\bRCT"),
        (r"trials?", r"\btrial|(?<!non)(?<!non-)\brandomi[sz]|\bRCT"),
        (r"double[- ]blind(?:ed)?", r"double[- ]blind"),
        (r"placebo[- ]controlled", r"placebo"),
        (r"cohorts?|case[- ]control|cross[- ]sectional", _OBSERVATIONAL.pattern),
        (r"observational", rf"{_OBSERVATIONAL.pattern}|{_NO_CHANCE}"),
        (r"meta[- ]analys[ei]s|pooled analys[ei]s", r"meta-?\s?analys|pooled"),
        (r"systematic reviews?", r"systematic review|meta-?\s?analys"),
    )
)


def overstated(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield what a sentence says more firmly, or of a better design, than its findings allow."""
    quotes = " ".join(q for f in cited for q in f.quotes)
    fields = " . ".join(f"{f.design} {f.population} {f.comparator} {f.outcome}" for f in cited)
    own = f"{quotes} . {fields}".lower()
    weak = [f.id for f in cited if _is_observed(f) or f.certainty == "very low"]
    found = _CAUSAL.search(text) if weak else None
    if found and found[0].lower() not in own:
        yield f"“{found[0]}” says more than {weak[0]} can show"
    for found in _PROOF.finditer(text):
        if found[0].lower() not in own:
            yield f"“{found[0]}” is stronger than the findings"
    for found in _CERTAINTY.finditer(text):
        rated = (found["one"] or found["two"]).lower()
        if any(f.certainty and f.certainty != rated for f in cited):
            yield f"the certainty is not {rated}"
    known_of = _NOT_BY_CHANCE.sub(_NO_CHANCE, own)
    for said, known in _DESIGNS:
        found_design = said.search(_NOT_BY_CHANCE.sub("", text))
        if found_design and not known.search(known_of):
            yield f"the design is not “{found_design[0]}”"


def _is_observed(finding: Finding) -> bool:
    return any(kind.search(finding.design) for kind in (_OBSERVATIONAL, _NOT_BY_CHANCE))
