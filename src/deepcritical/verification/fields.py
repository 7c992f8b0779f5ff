"""Puts the typed fields of findings into words and figures to compare sentences with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import quantities
from deepcritical.verification.names import unknown_figures
from deepcritical.verification.words import stem, words
from deepcritical.vocabulary.outcomes import construct_of

RATIOS = frozenset({"HR", "OR", "RR", "IRR"})
_BLINDED = bounded(
    r"\b(?:double(?=[- ](?:blind|mask|dummy))|triple(?=[- ]negative))", re.IGNORECASE
)
"""The design, and no doubling."""
VAGUE = frozenset(
    map(
        stem,
        "change score total mean rate risk incidence level number proportion scale measure "
        "baseline all overall primary outcome end point".split(),
    )
)
"""Stems of words that many outcomes have."""

APPRAISAL = frozenset(
    map(
        stem,
        "evidence limit limits limited limitation restrict rest rely single small large short long "
        "only trial study cohort review analysis record report author conclude find result outcome "
        "patient people number sample size week month year follow time duration open label blind "
        "randomise randomised control controlled placebo arm group compare comparison agree differ "
        "contrast read include enrol recruit measure figure p value interval balance outweigh "
        "worth net prove establish settle".split(),
    )
)
"""Stems of words by which studies are told of and weighed, whatever they found."""


def keys_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that count, without figures."""
    return frozenset(w.key for w in words(text) if not w.is_figure)


def strange_figures(
    text: str, cited: Sequence[Finding], source: str, worked: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the figures of a text that are none of a source, nor a count of what is cited.

    One may also be worked out from those of one of the sentences `worked`.
    """
    known = map(float, (sum(f.people or 0 for f in cited), *range(1, studies_of(cited) + 1)))
    return unknown_figures(_BLINDED.sub("", text), source, known, worked)


def measured_in(text: str) -> str:
    """Return the name of what an outcome measures, such as cognition; '' where it is not known."""
    construct = construct_of(text, text)
    return construct.name if construct else ""


def source_of(cited: Sequence[Finding]) -> str:
    """Return all that a writer is shown of findings: fields, figures and quotes."""
    return "\n".join(map(told_of, cited))


def told_of(finding: Finding) -> str:
    """Return all that a writer is shown of a finding."""
    f = finding
    fields = (f.drug, f.comparator, f.population, f.outcome, f.study, f.design, f.timepoint)
    counts = (f"{f.studies} studies", f"{f.people} participants" if f.people is not None else "")
    typed = " . ".join((*fields, f.level, f.certainty, *counts))
    return "\n".join((typed, f.sentence, *f.quotes))


def studies_of(cited: Sequence[Finding]) -> int:
    """Return how many studies findings are of, each name counted once."""
    return len({f.study or f.evidence_ids for f in cited})


def count_faults(text: str, cited: Sequence[Finding], source: str, records: str) -> Iterator[str]:
    """Yield numbers of studies that are not those of the findings.

    In a record judged by somebody a number in words may be one: "24 were found and six included".
    """
    right = {*range(1, studies_of(cited) + 1), *(f.studies for f in cited)}
    counts = (q.value for q in quantities(f"{source}\n{records}") if q.noun == "studies")
    in_words = (
        q.value for q in quantities(records) if not q.noun and records[q.start : q.end].isalpha()
    )
    told = {*right, *counts, *in_words}
    for q in quantities(text):
        is_count = q.noun == "studies" and not q.unit.dimension and not q.kind
        # "The 255-woman study" is one.
        if is_count and text[q.end : q.end + 1] != "-" and q.value not in told:
            yield f"{q.value:g} studies are not those cited"
