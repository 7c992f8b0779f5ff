"""Checks a sentence against the typed findings that it cites: figures, names, people, direction.

What is checked here is sure: a sentence that fails says something else than its findings. One that
passes may still be wrong, and is for a verifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import quantities
from deepcritical.domain.sentences import CheckName, Finding, SentenceCheck
from deepcritical.domain.votes import Way
from deepcritical.verification.claims import is_near_verbatim
from deepcritical.verification.names import unknown_figures, unknown_names
from deepcritical.verification.signs import SIGN_WORDS, Sign, clauses, signs
from deepcritical.verification.strength import overstated
from deepcritical.verification.words import stem, words

__all__ = ["checks_of", "unbound"]

_RATIOS = frozenset({"HR", "OR", "RR", "IRR"})
_IN_PERCENT = frozenset({"RRR", "RD"})
_COMPARING = frozenset(map(stem, ("versus", "than", "against")))
_CONTROLS = frozenset(map(stem, "placebo sham usual standard untreated control".split()))
_SORTS = tuple(
    tuple(bounded(rf"(?<![\w-])(?:{kind})\b", re.IGNORECASE) for kind in sort)
    for sort in (
        (r"children|infants?|newborns?|adolescents?|pa?ediatric", r"adults?|elderly|older"),
        (r"wom[ae]n|females?|girls?", r"m[ae]n|males?|boys?"),
        (r"outpatients?", r"inpatients?|hospitali[sz]ed|critically ill|intensive care"),
        (r"newly diagnosed|treatment-na[iï]ve", r"relapsed|refractory|previously treated"),
        (r"healthy|volunteers?", r"patients?"),
        (r"pregnant",),
        (r"mild", r"moderate", r"severe"),
        (r"early", r"advanced|late-stage"),
    )
)
_ANIMALS = bounded(
    r"\b(?:mice|mouse|murine|rats?|rodents?|animals?|rabbits?|dogs?|monkeys?|zebrafish|cells?|"
    r"in vitro|pre-?clinical)\b",
    re.IGNORECASE,
)
_NOTHING = bounded(
    r"\b(?:no (?:treatment|use|exposure|therapy|intervention)|"
    r"(?:unexposed|non-?exposed)(?: people)?|non-?users)\b",
    re.IGNORECASE,
)
"""What a drug is compared with where nothing is given; its "no" denies nothing."""
_PART = bounded(r"\b(?:subgroups?|subset|post[- ]hoc|among those)\b", re.IGNORECASE)
_MANY = bounded(
    r"\b(?P<word>both|all|every|several|most|multiple|many)\s(?:[\w-]+\s){0,3}?"
    r"(?:trials?|studies|study|reviews?|cohorts?)\b",
    re.IGNORECASE,
)
_LEAST = {"both": 2, "several": 3, "many": 3, "most": 3}
_VAGUE = frozenset(
    map(
        stem,
        "change score total mean rate risk incidence level number proportion scale measure "
        "baseline all overall primary outcome end point".split(),
    )
)
_REPORTING = frozenset(
    map(
        stem,
        "study trial review analysis participant patient people result finding find show report "
        "observe suggest indicate evidence certainty versus than group arm treatment treat receive "
        "significant significantly statistically hr or rr ci md smd p risk ratio mean by to from "
        "after during over time week month year compare but while whereas one two another may "
        "might based include total relative random trials".split(),
    )
)
_AMOUNTS: dict[bool, Sign] = {True: "more", False: "less"}


def fields_of(finding: Finding) -> str:
    """All typed texts of a finding."""
    f = finding
    told = (f.drug, f.comparator, f.population, f.outcome, f.study, f.design, f.timepoint)
    return " . ".join((*told, f.certainty, *_figures_of(f)))


def _figures_of(finding: Finding) -> Iterator[str]:
    """The typed figures of a finding, each with its unit."""
    effect, people = finding.effect, finding.people
    yield f"{finding.studies} studies"
    if people is not None:
        yield f"{people} participants"
    if effect is None:
        return
    unit = "%" if effect.measure in _IN_PERCENT else finding.unit
    unit = "" if effect.measure in _RATIOS else unit
    for value in (effect.value, effect.ci_low, effect.ci_high):
        if value is not None:
            yield f"{value:g} {unit}".strip()
    if effect.ci_low is not None:
        yield f"{effect.ci_level:g}% CI"
    if effect.p is not None:
        yield f"P {effect.p_operator} {effect.p:g}"


def checks_of(
    text: str,
    cited: Sequence[Finding],
    others: Sequence[Finding] = (),
    *,
    judged: bool = False,
) -> tuple[SentenceCheck, ...]:
    """Return every deterministic check of a sentence, each with the reason where it failed.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        others: Those that it does not, of whose outcomes it may not tell.
        judged: Whether somebody else than the writer judges its meaning. Then code does not guess
            which of several findings a part of it is about.
    """
    text = _NOTHING.sub("control", text)
    source = "\n".join((*map(fields_of, cited), *(q for f in cited for q in f.quotes)))
    several = judged and len(cited) > 1
    roles = [] if judged else [_name_faults(text, cited), _outcome_faults(text, cited, others)]
    found: dict[CheckName, Iterator[str]] = {
        "figures": _figure_faults(text, cited, source, judged=judged),
        "names": chain(_strange_names(text, source), *roles),
        "population": _population_faults(text, cited),
        "direction": iter(()) if several else _direction_faults(text, cited),
        "strength": overstated(text, cited),
        "counts": _count_faults(text, cited),
    }
    told = {name: "; ".join(dict.fromkeys(faults)) for name, faults in found.items()}
    return tuple(SentenceCheck(name=n, passed=not why, reason=why) for n, why in told.items())


def _figure_faults(
    text: str, cited: Sequence[Finding], source: str, *, judged: bool
) -> Iterator[str]:
    people = sum(f.people or 0 for f in cited)
    studies = len({f.study or f.evidence_ids for f in cited})
    strange = unknown_figures(text, source, (float(people), float(studies)))
    yield from (f"{figure} is no figure of the findings cited" for figure in strange)
    yield from _share_faults(text, cited)
    if not judged:
        yield from _role_faults(text, cited)
    if len(cited) > 1 and not judged:
        for clause, owners in _owned(text, cited):
            theirs = "\n".join((*map(fields_of, owners), *(q for f in owners for q in f.quotes)))
            other = unknown_figures(clause, theirs, (float(people), float(studies)))
            yield from (f"{n} belongs to another finding" for n in other if n not in strange)


def _share_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the ratios that are told as percentages: 0.71 is no reduction by 71 %."""
    ratios = [f.effect.value for f in cited if f.effect and f.effect.measure in _RATIOS]
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
        if key.upper() in _RATIOS:
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


def _keys(text: str) -> frozenset[str]:
    return frozenset(w.key for w in words(text) if not w.is_figure)


def _owned(text: str, cited: Sequence[Finding]) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    """Yield each clause with the findings that it is about: those whose words it has most of."""
    labels = {f.id: _keys(f"{f.outcome} {f.study} {f.drug} {f.comparator}") for f in cited}
    shared = frozenset.intersection(*labels.values())
    owners = tuple(cited)
    for clause in clauses(text):
        there = _keys(clause)
        scores = [len((labels[f.id] - shared - _VAGUE) & there) for f in cited]
        if max(scores):
            owners = tuple(f for f, s in zip(cited, scores, strict=True) if s == max(scores))
        yield clause, owners


def _strange_names(text: str, source: str) -> Iterator[str]:
    yield from (f"{name} is not in the findings cited" for name in unknown_names(text, source))


def _name_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    keys = [word.key for word in words(text)]
    drugs = frozenset().union(*(_keys(f.drug) for f in cited))
    others = frozenset().union(*(_keys(f.comparator) for f in cited))
    if not others:
        quoted = frozenset().union(*(_keys(q) for f in cited for q in f.quotes))
        others = _CONTROLS & quoted
    for at, key in enumerate(keys):
        behind = keys[at + 1 : at + 4]
        if key not in _COMPARING or others & set(behind):
            continue
        named = [k for k in behind if others or k in drugs | _CONTROLS]
        if named and not named[0].startswith("#"):
            yield f"the comparison is not with {named[0]}"
    if any(f.way is not Way.NO_DIFFERENCE for f in cited):
        yield from _subject_faults(keys, drugs - others, others - drugs)


def _outcome_faults(
    text: str, cited: Sequence[Finding], others: Sequence[Finding]
) -> Iterator[str]:
    """Yield the outcomes of findings that the sentence does not cite."""
    told, own = _keys(text), frozenset().union(*(_keys(f.outcome) for f in cited))
    for finding in others:
        wanted = _keys(finding.outcome) - _VAGUE - SIGN_WORDS
        if wanted and wanted <= told and not wanted <= own:
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


def _population_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    typed = " ".join(f.population for f in cited)
    quoted = " ".join(q for f in cited for q in f.quotes)
    for sort in _SORTS:
        known = typed if any(kind.search(typed) for kind in sort) else f"{typed} {quoted}"
        for kind in sort:
            said = kind.search(text)
            if said and not kind.search(known):
                opposed = any(other.search(known) for other in sort if other is not kind)
                if opposed or said[0].lower() not in ("patients", "patient"):
                    yield f"the findings are not of {said[0]}"
    known = " ".join((typed, quoted, *(f.design for f in cited)))
    if (said := _ANIMALS.search(text)) and not _ANIMALS.search(known):
        yield f"the findings are not of {said[0]}"
    for finding in cited:
        if _ANIMALS.search(f"{finding.population} {finding.design}") and not _ANIMALS.search(text):
            yield f"{finding.id} is of animals or cells, and the sentence does not say so"
        if finding.level in ("subgroup", "post_hoc") and not _names_part(text, finding):
            yield f"{finding.id} is of a part of the people, and the sentence does not say so"


def _names_part(text: str, finding: Finding) -> bool:
    """Whether a sentence says that only a part of the people is meant, or which one."""
    kinds = [k for sort in _SORTS for k in sort if k.search(finding.population)]
    if _PART.search(text) or any(kind.search(text) for kind in kinds):
        return True
    return not kinds and bool((_keys(finding.population) - _VAGUE) & _keys(text))


def _expected(finding: Finding) -> frozenset[Sign]:
    """The directions that a sentence may tell of a finding."""
    way = finding.way
    if way is Way.NO_DIFFERENCE:
        return frozenset({"none"})
    if way is Way.CONFLICT:
        return frozenset({"mixed", "none", "good", "bad"})
    outcome = _keys(finding.outcome)
    amounts: set[Sign] = set()
    if (more := _has_more(finding)) is not None:
        amounts.add(_AMOUNTS[more])
    elif finding.higher_is_better is not None:
        amounts.add(_AMOUNTS[finding.higher_is_better is (way is Way.BENEFIT)])
    else:
        quoted: frozenset[Sign] = frozenset().union(*(signs(q, outcome) for q in finding.quotes))
        amounts |= quoted & {"more", "less"}
    return frozenset({"good" if way is Way.BENEFIT else "bad", *amounts})


def _has_more(finding: Finding) -> bool | None:
    """Whether those with the drug have more of the outcome, by the estimate."""
    effect = finding.effect
    if effect is None or effect.value is None or effect.measure is None:
        return None
    none = 1.0 if effect.measure in _RATIOS or effect.measure == "ratio" else 0.0
    if effect.value == none:
        return None
    return (effect.value > none) != (effect.measure == "RRR")


def _direction_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    borne: set[str] = set()
    told: set[Sign] = set()
    for clause, owners in _owned(text, cited):
        outcome = frozenset().union(*(_keys(f.outcome) for f in owners))
        for sign in signs(clause, outcome):
            told.add(sign)
            borne |= {f.id for f in owners}
            for finding in owners:
                if finding.way and sign not in _expected(finding):
                    yield f"it says “{sign}”, {finding.id} says “{finding.way.value}”"
    if told:
        rest = (f.id for f in cited if f.way and f.id not in borne)
        yield from (f"{finding_id} bears no part of it" for finding_id in rest)


def _count_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    distinct = len({f.study or f.evidence_ids for f in cited})
    right = {distinct, sum(f.studies for f in cited), *(f.studies for f in cited)}
    for q in quantities(text):
        if q.noun == "studies" and not q.unit.dimension and q.value not in right:
            yield f"{q.value:g} studies are not those cited"
    for found in _MANY.finditer(text):
        word = found["word"].lower()
        least = _LEAST.get(word, 2)
        if max(right) < least or (word == "both" and max(right) > least):
            yield f"“{found[0]}” are more studies than are cited"


def unbound(text: str, cited: Sequence[Finding]) -> str:
    """Return what of a sentence no typed field bears; '' if it is bound in every part.

    A sentence that is near-verbatim a quote of its only finding is bound, too.
    """
    if len(cited) == 1 and is_near_verbatim(text, cited[0].quotes):
        return ""
    typed = "\n".join(map(fields_of, cited))
    if figures := unknown_figures(text, typed):
        return f"{figures[0]} is no typed figure"
    left = _keys(text) - _keys(typed) - SIGN_WORDS - _REPORTING
    if left:
        return f"“{sorted(left)[0]}” is in no field of the findings"
    told = _keys(text)
    for finding in cited:
        slots: Mapping[str, str] = {"drug": finding.drug, "outcome": finding.outcome}
        for name, value in slots.items():
            wanted = _keys(value) - _VAGUE
            if not wanted <= told:
                return f"the {name} of {finding.id} is not named"
        if finding.way is None or not any(signs(c) for c in clauses(text)):
            return f"it tells no direction of {finding.id}"
    return ""
