"""Results of a record: what its clauses tell of two arms, with direction, effect and figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from deepcritical.domain.study.effects import has_more, is_of_its_loss, significant
from deepcritical.domain.study.reading import Better, Effect, Result, ResultLevel
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span
from deepcritical.reading.rules.arms import KnownArms
from deepcritical.reading.rules.clauses import (
    COMPARES,
    DETAIL,
    PEOPLE,
    Clause,
    clauses,
    content_words,
    is_contrasting,
    result_sentences,
)
from deepcritical.reading.rules.contrast_forms import Told, outcome_in, told_by
from deepcritical.reading.rules.effect_figures import Figures, effect_of, is_mixed, values_told
from deepcritical.reading.rules.marking import MARK, marked

_NO_RESULT = bounded(
    r"\b(?:may|might|could|should|would|unlikely|seems? to|appears? to|if|except|"
    r"(?<!from )(?<!between )(?<!since )(?<!for )baseline|demographic\w*|characteristics?|"
    r"(?:at|before|prior to|on) (?:entry|enrol\w+|admission|inclusion|randomi[sz]ation)|"
    r"run-?in|driven by|(?:history|prior|previous) \w+|assum\w+|unknown|unadjusted|imbalanced?|"
    r"compared (?:with|to) (?:the )?(?:before|pre)|than (?:at )?baseline|before "
    r"(?:treatment|and after)|neither|interaction|correlat\w+|predict\w*|trend|tend(?:s|ed|ency)|"
    r"numerical(?:ly)?|matched|(?:well[- ])?balanced|cost-effective\w*|expected|needed to|"
    r"(?:is|are) (?:needed|required|warranted))\b",
    re.IGNORECASE,
)
_NON_SIGNIFICANT = bounded(
    r"\bnon-?significant(?:ly)?\b|\binsignificant(?:ly)?\b|\bnot? (?:statistically )?"
    r"significant(?:ly)?\b|"
    r"\b(?:did not (?:reach|achieve)|without) (?:statistical )?significance\b",
    re.IGNORECASE,
)
_TAKEN_BACK = bounded(
    r"^(?:however, |but )?(?:this|the|these) (?:\w+ )?differences?\b[^.]{0,40}\bnot\b",
    re.IGNORECASE,
)
"""The sentence behind a difference: that it was not significant."""
_PRIMARY = bounded(
    r"\b(?:(?:co-?)?primary|main|principal) (?:efficacy |study |clinical )?"
    r"(?:end[- ]?points?|outcomes?|variables?|objectives?)(?: measures?)?\b",
    re.IGNORECASE,
)
_SECONDARY = bounded(r"\bsecondary (?:end[- ]?points?|outcomes?|variables?)\b", re.IGNORECASE)
_TIME = bounded(
    r"(?:^|,?\s)(?P<time>(?:at|after|over|during|within)\s(?:the\s)?(?:first\s)?(?:(?:week|month|"
    r"day|year)\s\d+|\d+(?:[.-]\d+)?[\s-](?:weeks?|months?|days?|years?|hours?|h|min|wk|mo)|"
    r"(?:one|two|three|four|six|twelve)\s(?:weeks?|months?|years?)|(?:the\s)?(?:end of )?"
    r"(?:follow-up|the study|treatment)))(?=$|,|\s(?:was|were|did|in|with|for|between|"
    r"among|than|compared|versus|vs|showed|had|⟦)\b)",
    re.IGNORECASE,
)
_PEOPLE_LEAD = bounded(
    rf"^(?:in|among|for|of)\s(?:the\s)?(?P<who>(?:\w+\s){{0,3}}?(?:{PEOPLE}|those)\b[^,⟦]*?),\s"
    r"(?:however,\s)?",
    re.IGNORECASE,
)
_PEOPLE_TAIL = bounded(
    rf"\s(?:in|among)\s(?P<who>(?:(?!the\s)[\w-]+\s){{0,3}}(?:{PEOPLE}|those)\s(?:with|who|aged|"
    r"without|younger|older|under|over|below|above)\b[^⟦]*)$",
    re.IGNORECASE,
)
_LEAD_IN = bounded(
    r"^(?:according to|despite|based on|using|in|at|on|by|with|over|during|after|following|within|"
    r"for|\w+ (?:days|weeks|months|years) (?:after|following))\s[^,⟦]{0,120},\s",
    re.IGNORECASE,
)
_ALL_LEAD = bounded(
    rf"^(?:in|among|of)\s(?:the\s|all\s|a total of\s)?[\d,]{{1,9}}\s(?:\w+\s)?{PEOPLE}\s"
    r"(?:(?:who|that)\s(?:underwent|were)\s)?(?:random\w+(?:\s(?:assigned|allocated))?|assigned|enrolled),\s",
    re.IGNORECASE,
)
"""All people of a study, before what befell them."""
_SUBGROUP = bounded(r"\b(?:sub-?groups?|subsets?|post[- ]hoc|stratif\w+)\b", re.IGNORECASE)
_SAFETY = bounded(r"\b(?:adverse|side[- ]effects?|safety|tolerab\w+|toxicit\w+)\b", re.IGNORECASE)


class _Levels(NamedTuple):
    """The words of the outcomes that the record calls primary and secondary."""

    primary: tuple[frozenset[str], ...]
    secondary: tuple[frozenset[str], ...]


def read_results(told: Sequence[Span], arms: KnownArms) -> tuple[Result, ...]:
    """Read the results of a record's clauses, in their order; those told again are marked."""
    levels = _Levels(_outcomes_called(told, _PRIMARY), _outcomes_called(told, _SECONDARY))
    title = content_words(told[0].text)
    found: list[Result] = []
    for number, span in result_sentences(told):
        behind = told[number + 1].text if number + 1 < len(told) else ""
        parts = list(clauses(span.text, number))
        read = [_results_of(part, arms, title) for part in parts]
        if is_contrasting(span.text) and any(
            not results and COMPARES.search(part.text) and not DETAIL.match(part.text)
            for part, results in zip(parts, read, strict=True)
        ):
            continue  # the half that is not read may say the opposite
        for result in (r for results in read for r in results):
            if _TAKEN_BACK.match(behind) and not significant(result.effect):
                result = result.model_copy(update={"better": "no_difference", "more": None})
            level = _level(span.text, result, levels)
            again = any(_is_again(result, other) for other in found)
            found.append(result.model_copy(update={"level": level, "restated": again}))
    return tuple(found)


def _outcomes_called(told: Sequence[Span], called: re.Pattern[str]) -> tuple[frozenset[str], ...]:
    parts = (
        span.text[m.end() : m.end() + 120] for span in told for m in called.finditer(span.text)
    )
    return tuple(content_words(part) for part in parts)


def _level(sentence: str, result: Result, levels: _Levels) -> ResultLevel:
    if _SUBGROUP.search(sentence) or result.people:
        return "subgroup"
    primary, secondary = _PRIMARY.search(sentence), _SECONDARY.search(sentence)
    if primary and not secondary:
        return "primary"
    if secondary and not primary:
        return "secondary"
    words = content_words(result.outcome)
    if any(_mostly(words, said) for said in levels.primary):
        return "primary"
    return "secondary" if any(_mostly(words, said) for said in levels.secondary) else "unstated"


def _mostly(words: frozenset[str], said: frozenset[str]) -> bool:
    return bool(words) and len(words & said) >= 0.75 * len(words)


def _is_again(result: Result, other: Result) -> bool:
    words = (content_words(result.outcome), content_words(other.outcome))
    same = {result.a, result.b} == {other.a, other.b}
    return same and (words[0] <= words[1] or words[1] <= words[0])


def _results_of(clause: Clause, arms: KnownArms, title: frozenset[str]) -> tuple[Result, ...]:
    """The results that a clause tells; of several estimates, that of the first alone."""
    first = _of_first_estimate(clause)
    return tuple(_told_in(first, arms, title)) or (
        () if first is clause else tuple(_told_in(clause, arms, title))
    )


def _told_in(clause: Clause, arms: KnownArms, title: frozenset[str]) -> Iterator[Result]:
    """The results that a clause tells; none where a form, an arm or an outcome is not clear."""
    if _NO_RESULT.search(clause.text):
        return
    people, text = _without_people(_ALL_LEAD.sub("", clause.text), title, arms)
    timepoint, text = _without_time(text)
    found = marked(text, arms)
    all_told = told_by(found, arms.pair)
    if not all_told:
        read = _by_values(clause, text, people, arms) or _by_estimate(clause, text, people, arms)
        if read:
            yield read
    for told in all_told:
        if not told.by_name and told.way != "same" and _ELSEWHERE.search(clause.text):
            return
        outcome = outcome_in(found.restored(told.outcome))
        if not outcome or is_mixed(clause):
            return
        if result := _settled(told, outcome, clause, people, timepoint):
            yield result


def _of_first_estimate(clause: Clause) -> Clause:
    """The clause up to its first estimate, where another one is of another outcome."""
    alone = (clause._replace(text="", asides=(aside,)) for aside in clause.asides)
    effects = [effect_of(one) for one in alone]
    with_one = [a for a, e in zip(clause.asides, effects, strict=True) if e and e.value is not None]
    if len(with_one) < 2:
        return clause
    at = with_one[0].at
    kept = tuple(aside for aside in clause.asides if aside.at <= at)
    return clause._replace(text=clause.text[:at], asides=kept)


_ELSEWHERE = bounded(r"\b(?:before|baseline|from|after treatment|than|both)\b", re.IGNORECASE)
"""Words of a comparison with something else than the other arm."""


def _without_people(text: str, title: frozenset[str], arms: KnownArms) -> tuple[str, str]:
    """Return whom a clause is about, if not all of the study, and the clause without them."""
    lead = None if _PEOPLE_LEAD.search(text) or _TIME.match(text) else _LEAD_IN.match(text)
    at = lead.end() if lead and not marked(lead.group(), arms).mentions else 0
    text = text[at:]
    for pattern in (_PEOPLE_LEAD, _PEOPLE_TAIL):
        match = pattern.search(text)
        if match and not marked(match.group(), arms).mentions:
            who = match["who"].strip()
            rest = text[: match.start()] + text[match.end() :]
            return ("" if content_words(who) <= title else who), rest
    return "", text


def _without_time(text: str) -> tuple[str, str]:
    match = _TIME.search(text)
    if match is None:
        return "", text
    rest = (text[: match.start()] + text[match.end() :]).lstrip(" ,")
    return match["time"], rest


def _by_values(clause: Clause, text: str, people: str, arms: KnownArms) -> Result | None:
    """The result of a clause that gives the values of two arms, tested or of people."""
    found = marked(text, arms)
    values = values_told(found)
    effect = effect_of(clause)
    lead = next((m for form in _VALUE_FORMS if (m := form.match(found.text))), None)
    if values is None or lead is None or is_mixed(clause):
        return None
    if effect is None and values[1].unit != "%" and values[1].one.events is None:
        return None  # of people, whether arms differ can be calculated
    outcome = outcome_in(found.restored(lead["o"]))
    if not outcome or len(found.mentions) != 2:
        return None
    (a, b), figures = values
    if a in arms.controls and b not in arms.controls:
        a, b = b, a  # an estimate is of what is tested against its control
    told = Told(outcome, a, b, "same", "values", by_name=True)
    return _settled(told, outcome, clause, people, figures=figures)


def _by_estimate(clause: Clause, text: str, people: str, arms: KnownArms) -> Result | None:
    """The result of a clause that gives the estimate of a study with two arms, if it shows none.

    Of an interval that spans no effect it matters not which arm stands first.
    """
    effect, lead = effect_of(clause), _VALUE_LEAD.match(text)
    told = effect is not None and effect.ci_low is not None
    if not told or lead is None or arms.pair is None or significant(effect) is not False:
        return None
    outcome = outcome_in(lead["o"])
    if not outcome or is_mixed(clause):
        return None
    a, b = sorted(arms.pair, key=lambda arm: arm in arms.controls)
    told_of = Told(outcome, a, b, "same", "values", by_name=False)
    return _settled(told_of, outcome, clause, people)


_VALUE_LEAD = bounded(
    r"^(?P<o>[^⟦\d]{3,150}?)\s(?:(?:was|were|is|are|occurred|in|reached|averaged)\s[^⟦]{0,40}?|of\s)"
    r"\d",
    re.IGNORECASE,
)
_VALUE_FORMS = (
    _VALUE_LEAD,
    bounded(
        rf"^there\s(?:was|were)\s\d{{1,6}}\s(?P<o>[^⟦\d]{{3,80}}?)\s(?:in|on|with|among)\s{MARK}",
        re.IGNORECASE,
    ),
    bounded(
        rf"^\d{{1,6}}\s[^⟦]{{1,40}}{MARK}\s[^⟦]{{1,40}}{MARK}\s(?:experienced|developed|had|reported|"
        r"suffered)\s(?P<o>[^⟦\d]{3,120})$",
        re.IGNORECASE,
    ),
)
"""Patterns for the outcome of values: before them, between number and arm, or behind the arms."""


def _settled(
    told: Told,
    outcome: str,
    clause: Clause,
    people: str = "",
    timepoint: str = "",
    figures: Figures | None = None,
) -> Result | None:
    """The result with a direction and an effect that agree; None where they contradict."""
    effect = effect_of(clause)
    sure = significant(effect)
    by_words = told.form != "values"
    if by_words and told.way == "same" and sure:
        return None
    more = _MORE.get(told.way) if by_words else None
    better = _better(told)
    if change := _CHANGED.match(outcome):
        better = _of_change(change.lastgroup or "", more) or better
        more = None if better in ("a", "b") else more
    null = sure is False or (told.way == "same" and by_words)
    null = null or bool(_NON_SIGNIFICANT.search(clause.text))
    base = Result(
        outcome=outcome,
        kind="safety" if _SAFETY.search(outcome) else "clinical",
        a=told.a,
        b=told.b,
        better="no_difference" if null else better,
        more=None if null else more,
        effect=effect,
        figures=(figures.one, figures.other) if figures else (),
        unit=figures.unit if figures else "",
        people=people,
        timepoint=timepoint,
        sentences=(clause.sentence,),
    )
    return _agreeing(base, more)


_MORE: dict[str, Literal["a", "b"]] = {"more": "a", "less": "b"}
_CHANGED = bounded(
    r"^(?:(?:mean|median|clinical|overall)\s){0,2}(?:(?P<better>improvements?)|"
    r"(?P<worse>worsenings?|deteriorations?))\b",
    re.IGNORECASE,
)
"""An outcome that is a change for the better or for the worse."""


def _of_change(way: str, more: Literal["a", "b"] | None) -> Better | None:
    """The arm that did better where it had more of a change; None where nobody had."""
    if more is None:
        return None
    return more if way == "better" else ("b" if more == "a" else "a")


def _better(told: Told) -> Better:
    if told.form == "values":
        return "unclear"
    if told.way in ("better", "worse"):
        return "a" if told.way == "better" else "b"
    return "unclear"


def _agreeing(result: Result, more: Literal["a", "b"] | None) -> Result:
    """The result without an estimate that points the other way than its words."""
    if result.effect is None:
        return result
    if result.figures:
        more = has_more(result.model_copy(update={"effect": None, "more": None}))
        more = ("b" if more == "a" else "a") if more and is_of_its_loss(result) else more
    by_effect = has_more(result.model_copy(update={"more": None, "figures": ()}))
    if more is None or by_effect in (None, more):
        return result
    return result.model_copy(update={"effect": _p_alone(result.effect)})


def _p_alone(effect: Effect) -> Effect | None:
    """The effect without an estimate that is of something else, such as a hazard for survival."""
    if effect.p is None and effect.p_operator != "ns":
        return None
    return Effect(p=effect.p, p_operator=effect.p_operator)
