"""Finds where a sentence says more than the design and the certainty of its findings allow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Finding
from deepcritical.domain.votes import Way
from deepcritical.verification.fields import told_of
from deepcritical.verification.signs import clauses, signs

_CAUSAL = bounded(
    r"\b(?:caus(?:e[sd]?|ing)|prevent(?:s|ed|ing)?|leads? to|led to|due to|because of|"
    r"result(?:ed|ing) in|(?<!the )results in (?:an?|less|more|fewer|lower|higher|better|worse)|"
    r"responsible for)\b",
    re.IGNORECASE,
)
_FIRM = bounded(
    r"\b(?:prove[sdn]?|proof|cure[sd]?|eliminate[sd]?|eradicate[sd]?|halt(?:s|ed)?|reverse[sd]?|"
    r"guarantee[sd]?|definit(?:e|ive)ly|conclusively|certainly|undoubtedly|always|"
    r"establish(?:es|ed)?|confirm(?:s|ed)?|should be (?:used|given|prescribed)|recommended|"
    r"licensed|approved|dramatic(?:ally)?|substantial(?:ly)?|marked(?:ly)?|considerabl[ey]|"
    r"clinically (?:meaningful|important|relevant)|complete(?:ly)?)\b",
    re.IGNORECASE,
)
"""Words that no code can derive from figures: they must be the record's own."""
_OBSERVED = (
    r"\b(?:cohort|observational|case[- ]control|cross[- ]sectional|registry|database|retrospective|"
    r"survey|case series|single[- ]arm|(?:without|no|not|non-?) ?(?:randomi[sz]\w+|controlled))\b"
)
_OBSERVATIONAL = bounded(_OBSERVED, re.IGNORECASE)
_CERTAINTY = bounded(
    r"\b(?P<one>very[- ]low|low|moderate|high)[- ](?:certainty|quality)\b|"
    r"\b(?:certainty|quality)(?: of (?:the )?evidence)? (?:is|was) "
    r"(?P<two>very[- ]low|low|moderate|high)\b",
    re.IGNORECASE,
)
_BY_CHANCE = r"(?<!non)(?<!non-)(?<!not )(?<!no )(?<!without )\b(?:randomi[sz]|RCTs?\b)"
_DESIGNS = tuple(
    (bounded(said, re.IGNORECASE), bounded(known, re.IGNORECASE))
    for said, known in (
        (_BY_CHANCE, _BY_CHANCE),
        (r"\btrials?\b", rf"\btrial|{_BY_CHANCE}"),
        (r"\bplacebo[- ]controlled\b", "placebo"),
        (r"\b(?:cohorts?|case[- ]control|cross[- ]sectional|observational)\b", _OBSERVED),
        (r"\b(?:meta|pooled)[- ]analys[ei]s\b", r"meta-?\s?analys|pooled|\breview of"),
        (r"\bsystematic reviews?\b", r"\breview|meta-?\s?analys"),
        (r"\bdouble[- ]blind", r"double[- ]blind"),
    )
)


def certainty_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the certainty that a sentence tells and its findings are not rated by."""
    for found in _CERTAINTY.finditer(text):
        rated = (found["one"] or found["two"]).lower().replace("-", " ")
        if any(f.certainty and f.certainty != rated for f in cited):
            yield f"the certainty is not {rated}"


def overstated(text: str, cited: Sequence[Finding], source: str) -> Iterator[str]:
    """Yield what a sentence says more firmly, or of a better design, than its findings allow."""
    own = source.lower()
    weak = any(_is_weak(finding) for finding in cited) or _is_no_effect(text, cited)
    firm = [*_FIRM.finditer(text), *(_CAUSAL.finditer(text) if weak else ())]
    yield from (f"“{f[0]}” is stronger than the findings" for f in firm if f[0].lower() not in own)
    for said, known in _DESIGNS:
        if (design := said.search(text)) and not known.search(own):
            yield f"the design is not “{design[0]}”"


def _is_weak(finding: Finding) -> bool:
    """Return whether a finding can show no cause: people only observed, or very uncertain."""
    return finding.certainty == "very low" or _OBSERVATIONAL.search(told_of(finding)) is not None


def _is_no_effect(text: str, cited: Sequence[Finding]) -> bool:
    """Return whether no difference was shown, and a sentence does not deny one."""
    denied = any("none" in signs(clause) for clause in clauses(text))
    return not denied and all(f.way is Way.NO_DIFFERENCE for f in cited)
