"""Which way an intervention moves an outcome, compared with something else, as one text tells it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.text import Span, sentences
from deepcritical.reasoning import directions, lexicon
from deepcritical.reasoning.clauses import clauses
from deepcritical.reasoning.figures import p_values
from deepcritical.reasoning.propositions import stems

__all__ = ["Effect", "EffectDirection", "effect"]


class EffectDirection(StrEnum):
    """What the intervention does to the outcome."""

    INCREASED = "increased"
    DECREASED = "decreased"
    NO_DIFFERENCE = "no difference"


class Effect(NamedTuple):
    """A direction with the clause and the words that say so."""

    direction: EffectDirection
    span: Span
    words: str
    fit: float
    """How much of the outcome, the intervention and the comparator the clause names."""


_UP = (
    r"(?:increas\w+|higher|greater|more|elevat\w+|rais(?:e|es|ed|ing)|rose|rises?|enhanc\w+|longer|larger|"
    r"faster|prolong\w+|gain(?:s|ed)?|exceed\w*|superior|stronger|earlier onset|doubled|tripled|heavier|taller|upregulat\w+|accelerat\w+|often)"
)
_DOWN = (
    r"(?:reduc\w+|decreas\w+|lower\w*|less|fewer|diminish\w*|declin\w+|attenuat\w+|prevent\w*|suppress\w*|"
    r"inhibit\w*|shorter|shorten\w*|alleviat\w+|amelior\w+|slow\w*|smaller|fell|drop(?:s|ped)?|minimi[sz]\w+|"
    r"lessen\w*|relie[fv]\w*|lost|loss|halved|blunt\w*|impair\w*|inferior|poorer|earlier|downregulat\w+|protect\w*|eliminat\w+|low)"
)
_BETTER = r"(?:improv\w+|better|best|benefi\w+|favou?r\w*|effective\w*|recover\w+|superior|good)"
_WORSE = r"(?:wors\w+|deteriorat\w+|poor(?:er|ly)?|exacerbat\w+|aggravat\w+|inferior)"
_CUE = re.compile(
    rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<better>{_BETTER})|(?P<worse>{_WORSE}))\b",
    re.IGNORECASE,
)
_NULL = re.compile(
    r"\b(?:no|without|nor|neither|not|n['’]t|none|never|failed|fails|lack(?:ed)?)\b|\bnon-?significant|\bn\.?s\.?\b|"
    r"\b(?:similar|comparable|equivalent|unchanged|the same|alike|equal(?:ly)?|identical|unaffected|as effective as|"
    r"insignificant|indistinguishable|non-?inferior\w*|similarly|comparably|unaltered|ineffective)\b",
    re.IGNORECASE,
)
_CHANGE_NOUN = re.compile(
    r"reductions?|decreases?|declines?|loss|falls?|drops?|improvements?|increases?|gains?|rises?",
    re.I,
)
_AMOUNT = re.compile(r"greater|larger|more|higher|smaller|less|lower|fewer", re.I)
_AFTER = re.compile(
    r"\b(?:than|(?:as )?compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|relative to|over|against|with respect to)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:when |as )?(?:compared (?:with|to)|in comparison (?:with|to)|relative to|versus)[^,]*,",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"(?<![\w.=<>])-?\d+(?:[.·]\d+)?(?=\s?(?:%|\(|±|\+/-|\[|mm|cm|kg|mg|g\b|days?|hours?|months?|weeks?|min|vs|versus|,|\s))"
)
_LEFT_OUT = (
    "background",
    "introduction",
    "objective",
    "aim",
    "purpose",
    "method",
    "material",
    "design",
    "setting",
    "participants",
    "intervention",
    "trial registration",
    "registration",
    "main outcome",
    "measurement",
    "patients and",
    "study design",
    "funding",
    "context",
    "rationale",
    "subjects",
    "outcome measure",
    "data source",
    "hypothes",
)
_BAD = re.compile(rf"\b{directions.BAD}\b", re.IGNORECASE)


class _Terms:
    """The words of intervention, comparator and outcome, each weighed by how rare it is in the text."""

    def __init__(self, text: str, intervention: str, comparator: str, outcome: str) -> None:
        self._long = expand_abbreviations(text)
        self._spans = sentences(text)
        self._of = [stems(s.text) for s in self._spans]
        own, other = self._expanded(intervention), self._expanded(comparator)
        self.intervention = own - other or own
        self.comparator = other - own
        if re.search(
            r"placebo|control|usual|sham|standard|no |untreated|conventional", comparator, re.I
        ):
            self.comparator |= stems("placebo control sham untreated usual conventional")
            self.comparator -= own
        self.outcome = self._expanded(outcome)

    def _expanded(self, text: str) -> frozenset[str]:
        found = stems(text)
        for short, long in self._long.items():
            one, many = stems(short), stems(long)
            if one and one <= found:
                found |= many
            elif len(many) > 1 and many <= found:
                found |= one
        return found

    def weight(self, stem: str) -> float:
        df = sum(stem in s for s in self._of)
        return math.log(1 + (len(self._of) + 1) / (1 + df))

    def cover(self, wanted: frozenset[str], said: frozenset[str]) -> float:
        total = sum(map(self.weight, wanted))
        return sum(self.weight(s) for s in wanted & said) / total if total else 0.0


def _candidates(text: str) -> Iterator[tuple[Span, str, float]]:
    spans = sentences(text)
    labelled = any(s.label for s in spans)
    for i, span in enumerate(spans):
        if span.label.startswith(_LEFT_OUT):
            continue
        bonus = 0.1 if span.label.startswith(("result", "finding")) else 0.0
        if (labelled and not span.label) or (
            not labelled and i < 0.3 * len(spans) and len(spans) > 3
        ):
            bonus -= 0.3
        if lexicon.AIM.search(span.text) and not p_values(span.text):
            bonus -= 0.15
        for clause in clauses(span.text):
            yield span, clause, bonus


def effect(text: str, intervention: str, comparator: str, outcome: str) -> Effect | None:
    terms = _Terms(text, intervention, comparator, outcome)
    best: Effect | None = None
    for span, clause, bonus in _candidates(text):
        said, whole = stems(clause), stems(span.text)
        o = terms.cover(terms.outcome, said)
        o_all = terms.cover(terms.outcome, whole)
        i = terms.cover(terms.intervention, whole)
        c = terms.cover(terms.comparator, whole)
        fit = 0.75 * o + 0.25 * o_all + 0.25 * i + 0.15 * c + bonus
        if _BOTH.search(clause) and not _AFTER.search(clause) and not _NULL.search(clause):
            fit -= 0.4
        if o_all < 0.15 or (best and fit <= best.fit):
            continue
        found = _direction(clause, span.text, terms, outcome)
        if found:
            best = Effect(found[0], span, found[1], fit)
    return best


_BOTH = re.compile(
    r"\b(?:in|with|of|for|by) (?:both|all|either|each)(?: of the)?(?: \w+)? (?:groups?|arms?|treatments?|cases|conditions?)\b|\bboth groups\b",
    re.IGNORECASE,
)
_ALIKE_ADVERB = re.compile(
    r"^\W*similarly,|\bsimilar (?:decline|reduction|increase|improvement|decrease|fall|rise)s? (?:in|was seen)",
    re.I,
)


def _direction(clause: str, sentence: str, terms: _Terms, outcome: str):
    tests = p_values(clause)
    if tests and not any(tests):
        return EffectDirection.NO_DIFFERENCE, "P"
    cue = _cue(clause, terms, outcome, significant=bool(tests) and all(tests))
    if cue is None:
        return _of_numbers(clause, terms)
    sign, words, at = cue
    if sign == 0:
        return EffectDirection.NO_DIFFERENCE, words
    if _is_turned(clause, sentence, terms, at):
        sign = -sign
    return (EffectDirection.INCREASED if sign > 0 else EffectDirection.DECREASED), words


def _distance(clause: str, cue: int, at: int) -> int:
    """Characters between a cue and the outcome; an "and the" in between is another statement."""
    low, high = sorted((cue, at))
    between = clause[low:high]
    return (
        len(between)
        + 60 * bool(re.search(r"\band (?:the|a|was|were)\b|, and\b", between))
        + 15 * (cue < at)
    )


def _cue(clause: str, terms: _Terms, outcome: str, *, significant: bool):
    """Sign of the clause for the outcome: +1, -1, or 0 for no difference."""
    said = _ALIKE_ADVERB.sub(lambda m: " " * len(m.group()), clause)
    places = [
        m.start() for m in re.finditer(r"[^\W_]+", clause) if stems(m.group()) & terms.outcome
    ]
    at = places[0] if places else len(clause) // 2
    masked = stems(outcome)
    found = [m for m in _CUE.finditer(said) if not (stems(m.group()) & masked)]
    nearest = min(found, key=lambda m: _distance(clause, m.start(), at), default=None)
    null = next((m for m in _NULL.finditer(said) if not (stems(m.group()) & masked)), None)
    if (
        null
        and (nearest is None or null.start() < nearest.start() + 30)
        and not (significant and nearest)
    ):
        return 0, null.group(), null.start()
    if nearest is None:
        return None
    bad = bool(_BAD.search(outcome))
    sign = (
        1
        if nearest["up"]
        else -1
        if nearest["down"]
        else (-1 if bad else 1)
        if nearest["better"]
        else (1 if bad else -1)
    )
    amount = next((m for m in found if m is not nearest and _AMOUNT.fullmatch(m.group())), None)
    noun = next((m for m in found if _CHANGE_NOUN.fullmatch(m.group())), None)
    if _AMOUNT.fullmatch(nearest.group()) and noun:
        amount, sign = nearest, (-1 if noun["down"] else 1 if noun["up"] else (-1 if bad else 1))
    if (
        noun
        and amount
        and amount["down"]
        and noun.start() > amount.start()
        and noun.start() - amount.start() < 60
    ):
        sign = -sign
    return sign, nearest.group(), nearest.start()


def _is_turned(clause: str, sentence: str, terms: _Terms, at: int) -> bool:
    """Whether the clause says it of the comparator: "higher with placebo than with examplol"."""
    opening = _OPENING.match(clause)
    body = clause[opening.end() :] if opening else clause
    after = _AFTER.search(body)
    head, tail = (body[: after.start()], body[after.end() :]) if after else (body, "")
    hi, hc = (len(t & stems(head)) for t in (terms.intervention, terms.comparator))
    ti, tc = (len(t & stems(tail)) for t in (terms.intervention, terms.comparator))
    if tail and ti > tc and hi <= hc:
        return True
    if (
        opening
        and stems(opening.group()) & terms.intervention
        and not stems(opening.group()) & terms.comparator
    ):
        return True
    return not tail and not opening and hc > 0 and hi == 0


_VALUE = r"(?<![\w.=<>,/-])[-−–]?\d+(?:[.·]\d+)?"
_PAIR = re.compile(
    rf"(?P<first>{_VALUE})[^;]{{0,60}}?\b(?:vs\.?|versus|(?:as )?compared (?:with|to)|than|and|against)\s[^;]{{0,60}}?(?P<second>{_VALUE})",
    re.IGNORECASE,
)


def _of_numbers(clause: str, terms: _Terms):
    """The direction of two arms' values that differ significantly."""
    if not any(p_values(clause)):
        return None
    said = re.sub(
        r"\b[Pp]\s*[=<>≤≥]\s*[\d.·]+|\d+(?:\.\d+)?% ?(?:CI|confidence)[^)\];]*|\b(?:at|after|for) \d+ \w+|\d+/(?=\d)",
        lambda m: " " * len(m.group()),
        clause,
    )
    pair = _PAIR.search(said)
    if pair is None:
        return None
    words = list(re.finditer(r"[^\W_]+", clause))
    own = next((w.start() for w in words if stems(w.group()) & terms.intervention), None)
    other = next((w.start() for w in words if stems(w.group()) & terms.comparator), None)
    a, b = (float(re.sub("[−–]", "-", pair[g]).replace("·", ".")) for g in ("first", "second"))
    if a == b:
        return None
    first = own is None or other is None or own < other
    up = (a > b) is first
    return (EffectDirection.INCREASED if up else EffectDirection.DECREASED), pair["first"]
