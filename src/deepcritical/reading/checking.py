"""Checks a reading against its record: figures, names, numbers of people, and directions.

A part that fails is taken out and named, and the rest counts. Readings of models, of curators and
of rules pass here; the registry's are made of its own fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.effects import (
    contradicts_figures,
    favoured,
    is_consistent,
    significant,
)
from deepcritical.domain.study.reading import (
    Arm,
    Fault,
    MechanismStatement,
    Population,
    Result,
    StudyReading,
)
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import NO_UNIT, Quantity, quantities
from deepcritical.domain.text.spans import Span, fold
from deepcritical.vocabulary.conditions import condition_named, find_conditions
from deepcritical.vocabulary.drugs import find_drugs

_PLAIN = re.compile(r"\d+(?:\.\d+)?|(?<![A-Za-z])\.\d+")
_GROUPED = re.compile(r"(?<=\d)[,\u00a0\u2009\u202f ](?=\d{3}(?!\d))")
_COMMA_POINT = re.compile(r"(?<![\d.,])0,(?=\d{1,4}(?![\d,]))")
"""A decimal comma: no other number begins with a nought."""
_MAYBE_POINT = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
"""A comma that is a decimal one in some texts, and in others parts two numbers."""
_SPLIT_POINT = re.compile(r"(?<=\d)[·.]\s?(?=\d)")
_PLAN = bounded(
    r"\b(?:will be|are to be|to be (?:enrolled|recruited|randomi[sz]ed)|plan(?:s|ned)? to|"
    r"planned(?! (?:[\w-]+ ){0,2}analys[ei]s)|"
    r"aims? to|we aim|intend(?:s|ed)? to|target(?:ed)? (?:sample|enrol)|sample size (?:of|was|is)|"
    r"required sample|power(?:ed)? to|expected to (?:enrol|recruit|includ))",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"(?:^|[\s(])[A-Z]\w{0,20}-?[A-Z]{2,20}[\w-]{0,20}[\s-]$")
_PEOPLE_BEHIND = bounded(
    r"^\s*(?:[a-z-]+\s){0,4}(?:patients?|participants?|subjects?|people|persons?|adults?|children|"
    r"women|men|individuals?|volunteers?|veterans?|infants?|randomi[sz]ed|enrolled|cases)\b",
    re.IGNORECASE,
)
_HYPHENED = re.compile(r"\w-$")
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_WORDED = {
    0.0: bounded(r"\b(?:no|none|neither|never|without|zero|nil)\b", re.IGNORECASE),
    1.0: bounded(r"\b(?:one|once|a single)\b", re.IGNORECASE),
}
_WORDS = re.compile(r"[^\W\d_][\w'-]{2,}")
_FEW_DIGITS = 2
_ENDING = re.compile(
    r"(?<=\w{4})(?:ically|ical|ations?|ated|ating|ate|ally|al|ing|ed|ions?|ors?|ers?|ments?|ives?|es|s|e)$"
)
"""Endings by which an English word changes: "ventilation", "ventilated" are one, drugs are not."""
_DONE = bounded(
    r"^\W{0,3}(?:[\w-]+\s){0,4}(?:(?:were|was|have been|had been)\s(?:[\w-]+\s)?(?:randomi|enrol|"
    r"recruit|includ|assign|allocat|analy|treated|eligible)|entered\b|completed\b|underwent\b)",
    re.IGNORECASE,
)
_YEAR = bounded(
    r"\b(?:in|since|until|during|from|to|between|and|through|of|year)\s$", re.IGNORECASE
)
_AGE = bounded(
    r"\b(?:aged?|ages)\s(?:of\s)?$|\b(?:day|week|month|year|visit|version)s?\s$", re.IGNORECASE
)


def _numbers(text: str) -> frozenset[float]:
    plain = _SPLIT_POINT.sub(".", _GROUPED.sub("", _COMMA_POINT.sub("0.", text)))
    either = (plain, _MAYBE_POINT.sub(".", plain))
    written = {float(n) for one in either for n in _PLAIN.findall(one)}
    found = written | {abs(q.value) for q in quantities(text)}
    return frozenset(found | {n for n, words in _WORDED.items() if words.search(text)})


class Standing:
    """The content of one record; made once for all checks of its reading."""

    def __init__(self, told: Sequence[Span], evidence: Evidence) -> None:
        self._told = told
        self._numbers = [_numbers(span.text) for span in told]
        meta = evidence.metadata
        self._sizes = {meta.enrollment, meta.planned_enrollment}
        fields = (*meta.interventions, *meta.conditions, *meta.chemicals, *meta.mesh_terms)
        self._text = fold("\n".join((*(span.text for span in told), *fields)))
        self._words = frozenset(_WORDS.findall(self._text))
        self._stems = frozenset(map(_stem, self._words))
        self._given = "\n".join((*(span.text for span in told), *fields))

    def known(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Those numbers that are sentences of the record."""
        return tuple(n for n in numbers if 0 <= n < len(self._told))

    def lacking(self, figures: Iterable[float | None], numbers: Sequence[int]) -> list[float]:
        """The figures that stand in none of the sentences."""
        there = frozenset().union(*(self._numbers[n] for n in numbers))
        if len(numbers) > 1:  # "0." may end one sentence, and its decimals begin the next
            there |= _numbers(" ".join(self._told[n].text for n in numbers))
        return [f for f in figures if f is not None and not _is_in(f, there)]

    def sentence_with(self, figures: Sequence[float]) -> int | None:
        """The only sentence that holds all of these figures, if they are no small whole numbers."""
        if not figures or all(float(f).is_integer() and abs(f) < 10**_FEW_DIGITS for f in figures):
            return None
        found = [
            n for n, there in enumerate(self._numbers) if all(_is_in(f, there) for f in figures)
        ]
        return found[0] if len(found) == 1 else None

    def counts_people(self, number: int) -> bool:
        """Return whether a number of people is in the record, and not only in a name or plan."""
        at = self._places(number)
        return number in self._sizes or any(_is_count(self._told[n].text, number) for n in at)

    def is_planned(self, number: int) -> bool:
        """Return whether the number stands in the record as one that was aimed at alone."""
        places = self._places(number)
        return bool(places) and all(_is_plan(self._told[n].text, number) for n in places)

    def _places(self, number: int) -> list[int]:
        return [n for n, there in enumerate(self._numbers) if float(number) in there]

    def names(self, name: str) -> bool:
        """Return whether a name is in the record, as written or as another name of the drug."""
        wanted = fold(name)
        if re.search(rf"(?<!\w){re.escape(wanted)}(?:tm)?(?!\w)", self._text):
            return True
        words = _WORDS.findall(wanted)
        if words and all(w in self._words or w.rstrip("s") in self._words for w in words):
            return True
        meant = {m.drug.name for m in find_drugs(name)}
        if meant:
            return meant <= {m.drug.name for m in find_drugs(self._given)}
        # "mechanical ventilation" of those who were "mechanically ventilated".
        return bool(words) and all(_stem(w) in self._stems for w in words)

    def tells_of(self, condition: str) -> bool:
        """Return whether a condition is in the record, by this or another name, or its main word.

        A reader normalises: an abstract may say "diabetics" where the reading says "diabetes".
        """
        if self.names(condition):
            return True
        known = condition_named(condition)
        if known and any(m.condition == known for m in find_conditions(self._given)):
            return True
        stems = [w[:5] for w in _WORDS.findall(fold(condition)) if len(w) > 3]
        return any(word.startswith(stem) for stem in stems for word in self._words)


def _is_in(figure: float, there: frozenset[float]) -> bool:
    wanted = abs(figure)
    return wanted in there or any(abs(wanted - n) <= 1e-9 * max(1.0, n) for n in there)


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def _is_plan(text: str, number: int) -> bool:
    """Return whether the sentence, up to the end of its clause, tells of it as aimed at."""
    if not _PLAN.search(text):
        return False
    at = [q for q in quantities(text) if abs(q.value) == number]
    told = [text[: q.end] + re.split("[,;]", text[q.end :], maxsplit=1)[0] for q in at]
    done = any(_DONE.search(text[q.end :]) for q in at)
    return not done and (not at or any(map(_PLAN.search, told)))


def _is_count(text: str, number: int) -> bool:
    if _is_plan(text, number):
        return False
    if re.search(rf"(?<!\w)[nN] ?= ?{number}(?![\d.])", text):
        return True
    at = [q for q in quantities(text) if abs(q.value) == number]
    if not at:
        # The closer reading passes over small numbers in brackets.
        return bool(re.search(rf"\(\s*(?:[nN]\s*=\s*)?{number}\s*\)", text))
    return any(_may_count(text, q) for q in at)


def _may_count(text: str, q: Quantity) -> bool:
    before, behind = text[max(0, q.start - 30) : q.start], text[q.end : q.end + 60]
    if _PEOPLE_BEHIND.search(behind) and (q.noun or not _NAME_BEFORE.search(before)):
        return not _HYPHENED.search(before)
    odd = q.kind or q.unit is not NO_UNIT or _NAME_BEFORE.search(before) or _AGE.search(before)
    year = _FIRST_YEAR <= q.value <= _LAST_YEAR and not q.noun and _YEAR.search(before)
    return not (odd or year or _HYPHENED.search(before))


_ROUNDING = 1.02
"""Arms may come to a little more than those randomised: who is counted twice, or a misprint."""


class _Check:
    """One reading under check; collects what was wrong."""

    def __init__(self, reading: StudyReading, standing: Standing) -> None:
        self.reading = reading
        self.standing = standing
        self.faults: list[Fault] = []

    def fault(self, part: str, reason: str) -> None:
        self.faults.append(Fault(part=part, reason=reason))


def checked(reading: StudyReading, told: Sequence[Span], evidence: Evidence) -> StudyReading:
    """The reading with nothing in it that its record, in numbered sentences, does not bear out.

    What was taken out is in `faults`, with the reason.
    """
    check = _Check(reading, Standing(told, evidence))
    arms = tuple(_arms(check))
    known = {arm.id for arm in arms}
    population = _population(check, arms)
    results = tuple(_results(check, known))
    mechanism = tuple(_mechanism(check))
    conclusion = reading.conclusion
    return reading.model_copy(
        update={
            "arms": arms,
            "population": population,
            "results": results,
            "mechanism": mechanism,
            "conclusion": conclusion.model_copy(
                update={"sentences": check.standing.known(conclusion.sentences)}
            ),
            "faults": (*reading.faults, *check.faults),
        }
    )


def _arms(check: _Check) -> Iterator[Arm]:
    """Arms with names that stand; one with a name that does not would compare something else."""
    seen: set[str] = set()
    for number, arm in enumerate(check.reading.arms):
        part = f"arms[{number}]"
        if arm.id in seen:
            check.fault(part, f"a second arm {arm.id}")
            continue
        seen.add(arm.id)
        strange = [i.name for i in arm.interventions if not check.standing.names(i.name)]
        if strange:
            check.fault(part, f"not in the record: {', '.join(strange)}")
            continue
        if arm.n is not None and not check.standing.counts_people(arm.n):
            check.fault(f"{part}.n", f"{arm.n} people are not in the record")
            yield arm.model_copy(update={"n": None})
            continue
        yield arm


def _population(check: _Check, arms: Sequence[Arm]) -> Population:
    given = check.reading.population
    changes: dict[str, object] = {"sentences": check.standing.known(given.sentences)}
    sizes = [arm.n for arm in arms]
    in_arms = sum(n for n in sizes if n is not None)
    for name in ("n_randomised", "n_analysed", "n_planned"):
        number = getattr(given, name)
        if number is None:
            continue
        planned = check.standing.is_planned(number)
        added = None not in sizes and number == in_arms
        else_stands = planned if name == "n_planned" else added
        if not (else_stands or check.standing.counts_people(number)):
            why = "only a plan" if planned else "not a number of people in the record"
            check.fault(f"population.{name}", f"{number} is {why}")
            changes[name] = None
            if planned and given.n_planned is None:
                changes["n_planned"] = number
    randomised = changes.get("n_randomised", given.n_randomised)
    over = isinstance(randomised, int) and in_arms > randomised * _ROUNDING
    if over and "crossover" not in check.reading.design:
        check.fault("arms", f"{in_arms} people in arms are more than {randomised} randomised")
    missing = [c for c in given.conditions if not check.standing.tells_of(c)]
    for condition in missing:
        check.fault("population.conditions", f"not in the record: {condition}")
    changes["conditions"] = tuple(c for c in given.conditions if c not in missing)
    return given.model_copy(update=changes)


def _results(check: _Check, arms: set[str]) -> Iterator[Result]:
    for number, result in enumerate(check.reading.results):
        part = f"results[{number}]"
        placed = _placed(check, part, result)
        if placed is None:
            continue
        strange = [i for i in (placed.a, placed.b) if i and i not in arms]
        if strange:
            check.fault(part, f"no arm {', '.join(strange)}")
            continue
        if placed.contrast == "between" and (not placed.a or placed.a == placed.b):
            check.fault(part, "a difference between arms needs an arm and another one")
            continue
        for figure in placed.figures:
            if figure.arm not in arms:
                check.fault(f"{part}.figures", f"no arm {figure.arm}")
        figures = tuple(f for f in placed.figures if f.arm in arms)
        if contradicts_figures(placed):
            check.fault(f"{part}.effect", "the estimate contradicts the figures of the arms")
            placed = placed.model_copy(update={"effect": None, "better": "unclear"})
        yield _directed(check, part, placed.model_copy(update={"figures": figures}))


def _placed(check: _Check, part: str, result: Result) -> Result | None:
    """The result with sentences that hold its figures, or without the figures that none holds."""
    numbers = check.standing.known(result.sentences)
    if not numbers:
        check.fault(part, "cites no sentence of the record")
        return None
    effect, figures = result.effect, result.figures
    if effect:
        p = effect.p if effect.p_operator != "ns" else None
        wanted = [effect.value, effect.ci_low, effect.ci_high, p]
        numbers, missing = _with_sentence(check, wanted, numbers)
        if missing:
            check.fault(f"{part}.effect", f"{_told(missing)} not in the sentences cited")
            effect = None
    kept = []
    for figure in figures:
        given = [figure.n, figure.events, figure.value, figure.spread, figure.low, figure.high]
        numbers, missing = _with_sentence(check, given, numbers)
        if missing:
            check.fault(f"{part}.figures", f"{_told(missing)} not in the sentences cited")
            continue
        kept.append(figure)
    n = result.n
    if n is not None and not check.standing.counts_people(n):
        check.fault(f"{part}.n", f"{n} people are not in the record")
        n = None
    if effect and not is_consistent(effect):
        check.fault(f"{part}.effect", "estimate, interval and p do not agree with each other")
        effect = None
    changes = {"sentences": numbers, "effect": effect, "figures": tuple(kept), "n": n}
    return result.model_copy(update=changes)


def _with_sentence(
    check: _Check, figures: Sequence[float | None], numbers: tuple[int, ...]
) -> tuple[tuple[int, ...], list[float]]:
    """The sentences, with the one that holds what they lack, and what none holds."""
    missing = check.standing.lacking(figures, numbers)
    found = check.standing.sentence_with(missing)
    return ((*numbers, found), []) if found is not None else (numbers, missing)


def _told(figures: Sequence[float]) -> str:
    return ", ".join(f"{figure:g}" for figure in figures)


def _directed(check: _Check, part: str, result: Result) -> Result:
    """The result without a direction that its own figures contradict."""
    by_figures = favoured(result) if result.contrast == "between" else None
    # What did not reach significance may still be told as a trend, which is no difference.
    contradicted = by_figures is not None and result.better not in (by_figures, "unclear")
    none_told = result.contrast == "between" and result.better == "no_difference"
    contradicted |= none_told and significant(result.effect) is True
    if not contradicted or (result.non_inferiority and none_told):
        return result
    figures = by_figures or "a difference"
    check.fault(f"{part}.better", f"told as {result.better}, but its figures say {figures}")
    # Where reader and figures name different arms, neither is believed.
    apart = {result.better, by_figures} == {"a", "b"}
    return result.model_copy(update={"better": "unclear", **({"effect": None} if apart else {})})


def _mechanism(check: _Check) -> Iterator[MechanismStatement]:
    for number, step in enumerate(check.reading.mechanism):
        numbers = check.standing.known(step.sentences)
        strange = [n for n in (step.subject, step.object) if not check.standing.names(n)]
        if strange or not numbers:
            why = f"not in the record: {', '.join(strange)}" if strange else "cites no sentence"
            check.fault(f"mechanism[{number}]", why)
            continue
        yield step.model_copy(update={"sentences": numbers})
