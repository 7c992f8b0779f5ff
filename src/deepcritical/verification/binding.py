"""Checks a sentence against the typed findings that it cites: figures, names, people, direction.

What is checked here is sure: a sentence that fails says something else than its findings. One that
passes may still be wrong, and is for a verifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import quantities
from deepcritical.domain.sentences import CheckName, Finding, SentenceCheck
from deepcritical.domain.votes import Way
from deepcritical.verification.direction import direction_faults, owners_of
from deepcritical.verification.fields import (
    RATIOS,
    VAGUE,
    Judge,
    keys_of,
    measured_in,
    source_of,
    strange_figures,
    studies_of,
)
from deepcritical.verification.names import unknown_names
from deepcritical.verification.people import population_faults
from deepcritical.verification.signs import SIGN_WORDS, clauses
from deepcritical.verification.strength import overstated
from deepcritical.verification.words import stem, words

_COMPARING = frozenset(map(stem, ("versus", "than", "against")))
_CONTROLS = frozenset(map(stem, "placebo sham usual standard untreated control".split()))
_GENERIC = frozenset(map(stem, "drug agent treatment therapy medicine comparator class".split()))
"""What names no comparator of its own, as in "against other drugs"."""
_OF_DOSES = frozenset(map(stem, "dose dosage time order higher lower shorter longer".split()))
"""Words for a comparator that is the drug itself, given otherwise."""
_ODDS = bounded(r"\bORs?\b|\b[Oo]dds ratio")
"""Where "or" is a ratio and joins nothing."""
_NOTHING = bounded(
    r"\b(?:no (?:treatment|use|exposure|therapy|intervention|\w+ (?:use|treatment|exposure))|"
    r"(?:unexposed|non-?exposed)(?: people)?|non-?users?)\b",
    re.IGNORECASE,
)
"""What a drug is compared with where nothing is given; its "no" denies nothing."""
_INSTEAD = bounded(r"\b(?:rather|other) than\b(?: (?:with|to|against)\b)?", re.IGNORECASE)
"""What stands behind is what a drug is not compared with."""
_CONTROLLED = bounded(r"\b(?:placebo|sham|active)[- ]controlled\b", re.IGNORECASE)
_MANY = bounded(
    r"\b(?P<word>both|all|every|several|most|multiple|many)\s(?:[\w-]+\s){0,3}?"
    r"(?:trials?|studies|study|reviews?|cohorts?)\b",
    re.IGNORECASE,
)
_LEAST = {"both": 2, "several": 3, "many": 3, "most": 3}


def checks_of(
    text: str,
    cited: Sequence[Finding],
    others: Sequence[Finding] = (),
    *,
    judge: Judge = "nobody",
) -> tuple[SentenceCheck, ...]:
    """Return every deterministic check of a sentence, each with the reason where it failed.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        others: Those that it does not, of whose outcomes it may not tell.
        judge: Who judges its meaning. If it is not the writer, code does not guess which of
            several findings a part of it is about.
    """
    text = _NOTHING.sub("control", text)
    source = source_of(cited)
    apart = judge == "other"
    roles = [] if apart else [_name_faults(text, cited), _outcome_faults(text, cited, others)]
    turned = iter(()) if apart and len(cited) > 1 else direction_faults(text, cited, judge)
    found: dict[CheckName, Iterator[str]] = {
        "figures": _figure_faults(text, cited, source, apart=apart),
        "names": chain(_strange_names(text, source), *roles),
        "population": population_faults(text, cited),
        "direction": turned,
        "strength": overstated(text, cited),
        "counts": _count_faults(text, cited, source),
    }
    told = {name: "; ".join(dict.fromkeys(faults)) for name, faults in found.items()}
    return tuple(SentenceCheck(name=n, passed=not why, reason=why) for n, why in told.items())


def _figure_faults(
    text: str, cited: Sequence[Finding], source: str, *, apart: bool
) -> Iterator[str]:
    strange = strange_figures(text, cited, source)
    yield from (f"{figure} is no figure of the findings cited" for figure in strange)
    yield from _share_faults(text, cited)
    if not apart:
        yield from _role_faults(text, cited)
    if len(cited) > 1 and not apart:
        for clause in clauses(text):
            owners = owners_of(clause, cited)
            if len(owners) < len(cited):
                other = strange_figures(clause, cited, source_of(owners))
                yield from (f"{n} belongs to another finding" for n in other if n not in strange)


def _share_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the ratios that are told as percentages: 0.71 is no reduction by 71 %."""
    ratios = [f.effect.value for f in cited if f.effect and f.effect.measure in RATIOS]
    quoted = [q for f in cited for quote in f.quotes for q in quantities(quote)]
    for q in quantities(text):
        said = q.unit.dimension == "%" and not q.kind
        known = any(o.unit.dimension == "%" and _alike(o.value, q.value) for o in quoted)
        if said and not known and any(_alike(ratio, q.value / 100) for ratio in ratios):
            yield f"{q.value:g}% is a ratio and no percentage"


def _role_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the estimates and interval limits that stand in each other's place."""
    keys = [word.key for word in words(text)]
    effects = [f.effect for f in cited if f.effect and f.effect.value is not None]
    for at, key in enumerate(keys):
        figures = [_number(k) for k in keys[at + 1 : at + 4] if k.startswith("#")]
        if not effects or not figures:
            continue
        if key.upper() in RATIOS and (key != "or" or _ODDS.search(text)):
            known = [(e.measure, e.value) for e in effects]
            if not any(m == key.upper() and _alike(v, figures[0]) for m, v in known):
                yield f"{key.upper()} {figures[0]:g} is not the estimate of the finding"
        limits = [(e.ci_low, e.ci_high) for e in effects]
        if key != "ci" or len(figures) < 2 or None in limits[0]:
            continue
        if not any(_alike(a, figures[0]) and _alike(b, figures[1]) for a, b in limits):
            yield "the confidence interval is not that of the finding"


def _number(key: str) -> float:
    found = re.search(r"-?\d+(?:\.\d+)?", key)
    return float(found[0]) if found else 0.0


def _alike(known: float | None, told: float) -> bool:
    return known is not None and abs(abs(known) - abs(told)) <= 0.006 * max(1.0, abs(known))


def _strange_names(text: str, source: str) -> Iterator[str]:
    yield from (f"{name} is not in the findings cited" for name in unknown_names(text, source))


def _name_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    keys = [word.key for word in words(_INSTEAD.sub("not", _CONTROLLED.sub("controlled", text)))]
    drugs = frozenset().union(*(keys_of(f.drug) for f in cited))
    others = frozenset().union(*(keys_of(_NOTHING.sub("control", f.comparator)) for f in cited))
    if not others:
        quoted = frozenset().union(*(keys_of(q) for f in cited for q in f.quotes))
        others = _CONTROLS & quoted
    behind = [keys[at + 1 : at + 4] for at, key in enumerate(keys) if key in _COMPARING]
    is_named = any(others & set(part) for part in behind)
    for part in behind:
        if others & set(part) or (is_named and _GENERIC & set(part)):
            continue
        named = [k for k in part if others or k in drugs | _CONTROLS]
        if named and not named[0].startswith("#"):
            yield f"the comparison is not with {named[0]}"
    if any(f.way is not Way.NO_DIFFERENCE for f in cited):
        shared = frozenset().union(*(keys_of(f"{f.population} {f.outcome}") for f in cited))
        yield from _subject_faults(keys, drugs - others, others - drugs - shared - _OF_DOSES)


def _outcome_faults(
    text: str, cited: Sequence[Finding], others: Sequence[Finding]
) -> Iterator[str]:
    """Yield the outcomes of findings that the sentence does not cite."""
    typed = (f"{f.outcome} {f.population} {f.comparator} {f.study}" for f in cited)
    new = keys_of(text) - keys_of(" . ".join(typed))
    own = {measured_in(f.outcome) for f in cited} - {""}
    for finding in others:
        wanted = keys_of(finding.outcome) - VAGUE - SIGN_WORDS
        if wanted and wanted <= new and measured_in(finding.outcome) not in own:
            yield f"{finding.outcome} is the outcome of {finding.id}"


def _subject_faults(
    keys: Sequence[str], drugs: frozenset[str], others: frozenset[str]
) -> Iterator[str]:
    """Yield a comparator that stands where the drug should."""
    for at, key in enumerate(keys):
        compared = _COMPARING & set(keys[max(0, at - 3) : at])
        if key in drugs:
            return
        if key in others and not compared:
            yield f"{key} stands in the place of the drug"
            return


def _count_faults(text: str, cited: Sequence[Finding], source: str) -> Iterator[str]:
    right = {studies_of(cited), sum(f.studies for f in cited), *(f.studies for f in cited)}
    told = right | {q.value for q in quantities(source) if q.noun == "studies"}
    for q in quantities(text):
        if q.noun == "studies" and not q.unit.dimension and not q.kind and q.value not in told:
            yield f"{q.value:g} studies are not those cited"
    for found in _MANY.finditer(text):
        word = found["word"].lower()
        least = _LEAST.get(word, 2)
        if max(right) < least or (word == "both" and max(right) > least):
            yield f"“{found[0]}” are more studies than are cited"
