"""Puts the typed fields of a finding into words and figures to compare sentences with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Finding
from deepcritical.verification.names import unknown_figures
from deepcritical.verification.words import stem, words
from deepcritical.vocabulary.outcomes import construct_of

Judge = Literal["nobody", "writer", "other"]
"""Who judges the meaning of a sentence: no model, the one that wrote it, or another one."""
RATIOS = frozenset({"HR", "OR", "RR", "IRR"})
_IN_PERCENT = frozenset({"RRR", "RD"})
_BLINDED = bounded(r"\bdouble(?=[- ](?:blind|mask|dummy))", re.IGNORECASE)
"""The design, and no doubling."""
VAGUE = frozenset(
    map(
        stem,
        "change score total mean rate risk incidence level number proportion scale measure "
        "baseline all overall primary outcome end point".split(),
    )
)
"""Stems of words that many outcomes have."""


def keys_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that count, without figures."""
    return frozenset(w.key for w in words(text) if not w.is_figure)


def strange_figures(text: str, cited: Sequence[Finding], source: str) -> tuple[str, ...]:
    """Return the figures of a text that are none of a source, nor a count of what is cited."""
    known = (float(sum(f.people or 0 for f in cited)), float(studies_of(cited)))
    return unknown_figures(_BLINDED.sub("", text), source, known)


def measured_in(text: str) -> str:
    """Return the name of what an outcome measures, such as cognition; '' where it is not known."""
    construct = construct_of(text, text)
    return construct.name if construct else ""


def fields_of(finding: Finding) -> str:
    """Return all typed texts and figures of a finding."""
    f = finding
    told = (f.drug, f.comparator, f.population, f.outcome, f.study, f.design, f.timepoint)
    return " . ".join((*told, f.certainty, *_figures_of(f)))


def source_of(cited: Sequence[Finding]) -> str:
    """Return all typed texts, figures and quotes of findings."""
    return "\n".join((*map(fields_of, cited), *(q for f in cited for q in f.quotes)))


def studies_of(cited: Sequence[Finding]) -> int:
    """Return how many studies findings are of, each name counted once."""
    return len({f.study or f.evidence_ids for f in cited})


def _figures_of(finding: Finding) -> Iterator[str]:
    """Yield the typed figures of a finding, each with its unit."""
    effect, people = finding.effect, finding.people
    yield f"{finding.studies} studies"
    if people is not None:
        yield f"{people} participants"
    if effect is None:
        return
    unit = "%" if effect.measure in _IN_PERCENT else finding.unit
    unit = "" if effect.measure in RATIOS else unit
    for value in (effect.value, effect.ci_low, effect.ci_high):
        if value is not None:
            yield f"{value:g} {unit}".strip()
    if effect.ci_low is not None:
        yield f"{effect.ci_level:g}% CI"
    if effect.p is not None:
        yield f"P {effect.p_operator} {effect.p:g}"
