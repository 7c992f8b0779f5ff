"""Splits a sentence into the words by which it is compared with another one.

Case, punctuation, spelling, inflection, articles, auxiliary verbs and synonyms of a drug are
evened out. Every other word counts, "not", "may" and "by" among them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import UNIT, Quantity, quantities
from deepcritical.domain.text.spans import fold
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.folding import fold_word

NEGATIONS = frozenset(
    "not no nor neither without never none cannot lack absence fail unable".split()
)
_FREE = frozenset(
    "a an the this that these those which who whom is are was were be been being am has have had "
    "having do does did it its their there and also of in for on at with among within as such both "
    "we our however therefore thus moreover furthermore additionally finally hence indeed notably "
    "importantly interestingly respectively namely group groups each meanwhile".split()
)
"""Words that a retelling may add or leave out. "With" and "in" change no result; "by" does."""
_SAME = {
    form: base
    for told in (
        "fall fell fallen; rise rose risen; show shown; find found; lead led; give gave; "
        "see saw seen; grow grew grown; become became; begin began begun; die died dies dying; "
        "child children; woman women; man men; mouse mice; p pvalue; stop stopped stopping; "
        "undergo underwent undergone; make made; lose lost; keep kept; come came; "
        "choose chose chosen; arise arose arisen; withdraw withdrew withdrawn; feel felt; "
        "often frequently; receive given receiving received taking took taken administered; "
        "patient participant participants people person persons subject subjects individual "
        "individuals; decline declines; spend spent"
    ).split("; ")
    for base, *forms in [told.split()]
    for form in forms
}
"""Forms that no rule of inflection brings to their word, and words that mean the same here."""
_INFLECTION = re.compile(r"(?<=\w{3})(?:ing|ed|es|(?<=s)is|s|e)$")
_ENDING_IN_Y = re.compile(r"(?<=\w{3})ie[sd]$")
_VERSUS = bounded(
    r"\b(?:as )?compared (?:with|to)\b|\bin comparison (?:with|to)\b|\bvs\b\.?|\brelative to\b",
    re.IGNORECASE,
)
_NON = bounded(r"\bnon[-\s](?=\w)", re.IGNORECASE)
_SHORT_NOT = bounded(r"(?:\bca(?=n't)|n't\b|\bcannot\b)", re.IGNORECASE)
_FILLERS = bounded(
    r"\ba total of\b|(?:^\W{0,3}|\bthat )(?:in (?:conclusion|summary|addition|contrast|general)|"
    r"overall|by contrast|on the other hand|taken together|to conclude),",
    re.IGNORECASE,
)
_P_VALUE = bounded(r"\bp[-\s]?values?\s?(?:of|was|were)?\b", re.IGNORECASE)
_PERCENT = bounded(r"\s?\bper ?cent\b", re.IGNORECASE)
_STATISTICS = tuple(
    (bounded(rf"\b(?:{long})\b", re.IGNORECASE), short)
    for long, short in (
        ("hazards? ratios?", "HR"),
        ("odds ratios?", "OR"),
        ("risk ratios?|relative risks?", "RR"),
        ("confidence intervals?", "CI"),
        ("standard deviations?", "SD"),
        ("randomi[sz]ed controlled trials?", "RCT"),
    )
)
"""Abbreviations of statistics that abstracts do not define."""
_TOKEN = bounded(r"[^\W_]+|[(),;:\[\]]")
_FIGURE = "#"


class Word(NamedTuple):
    """One word of a sentence as it is compared."""

    key: str
    """Its stem, the canonical name of a drug, or a figure with its unit behind ``#``."""
    part: int
    """Number of the clause or parenthesis that it stands in."""
    depth: int
    """Number of parentheses that are open around it."""
    raw: str
    """In lower case, as written."""
    lead: frozenset[str] = frozenset()
    """The words before it that do not count, such as "and in the"."""

    @property
    def is_figure(self) -> bool:
        """Return whether it is a number with its unit."""
        return self.key.startswith(_FIGURE)


def stem(word: str) -> str:
    """The form under which inflections of a word in lower case are one."""
    folded = fold_word(word)
    base = _ENDING_IN_Y.sub("y", _SAME.get(word, _SAME.get(folded, folded)))
    short = _INFLECTION.sub("", base)
    if short in NEGATIONS:
        return folded  # "note" is not "not"
    return short[:-1] if len(short) > 4 and short[-1:] == short[-2:-1] not in ("s", "l") else short


def stems(text: str) -> frozenset[str]:
    """The stems of words in lower case with spaces between them."""
    return frozenset(map(stem, text.split()))


def expanded(text: str, shorts: Mapping[str, str]) -> str:
    """The text with abbreviations spelled out, so that both forms meet.

    Args:
        text: A sentence.
        shorts: Short form -> long form, as the record defines them.
    """
    for short, long in sorted(shorts.items(), key=lambda pair: -len(pair[0])):
        bare = re.escape(short)
        text = re.sub(rf"\s?[(\[]{bare}s?[)\]]", "", text)
        text = re.sub(rf"(?<![\w-]){bare}s?(?!\w)", long.replace("\\", r"\\"), text)
    return text


def _evened(text: str) -> str:
    text = _PERCENT.sub("%", _P_VALUE.sub("p ", _NON.sub("non", text)))
    text = _FILLERS.sub("", text)
    text = _SHORT_NOT.sub(lambda m: "can" if m[0].lower() == "ca" else " not", text)
    for pattern, short in _STATISTICS:
        text = pattern.sub(short, text)
    text = _VERSUS.sub("versus", text)
    for mention in reversed(find_drugs(text)):
        if mention.drug.kind is DrugKind.DRUG:
            name = re.sub(r"\W", "", mention.drug.name)
            text = f"{text[: mention.start]}{name}{text[mention.end :]}"
    return text


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[Word, ...]:
    """The words of a sentence that count, in order."""
    plain = _evened(text)
    numbers = {q.start: q for q in quantities(plain)}
    found: list[Word] = []
    lead: set[str] = set()
    part = depth = at = 0
    owed = False
    while match := _TOKEN.search(plain, at):
        at = match.end()
        written = match[0]
        number = numbers.get(match.start()) or numbers.get(match.start() - 1)
        if number and number.end > match.start():
            found.append(Word(_figure(number), part, depth, written, frozenset(lead)))
            lead.clear()
            unit = UNIT.match(plain, number.end)
            at = max(unit.end() if unit and number.unit.dimension else number.end, at)
            owed = owed or bool(number.unit.dimension and not unit)
        elif not written[0].isalnum():
            depth = max(0, depth + (written in "([") - (written in ")]"))
            part += 1
            if written == ")" and owed and (unit := UNIT.match(plain, at)):
                at, owed = unit.end(), False  # "15 (6-20) months"
        elif key := _key(written, plain[at:], bool(found) and found[-1].is_figure):
            found.append(Word(key, part, depth, fold(written), frozenset(lead)))
            lead.clear()
        else:
            lead.add(fold(written))
    return tuple(_without_ranges(found))


def _key(token: str, rest: str, behind_figure: bool) -> str:
    """The key of a word, '' for one that does not count; "to" counts before a figure."""
    low = fold(token)
    if low == "to":
        return "to" if rest[:1].isspace() and rest[1:2].isdigit() and not behind_figure else ""
    return "" if low in _FREE else stem(low)


def _figure(number: Quantity) -> str:
    kind = number.kind if number.kind in ("p", "confidence") else ""
    bound = number.bound if number.bound != "~" else ""
    return f"{_FIGURE}{bound}{number.base:.6g}{number.unit.dimension}{kind}"


def _without_ranges(found: Sequence[Word]) -> list[Word]:
    """The words without a minus that is the dash of a range: "0.55-0.92" is "0.55 to 0.92"."""
    told: list[Word] = []
    for word in found:
        dashed = told and told[-1].is_figure and word.key.startswith(f"{_FIGURE}-")
        dashed = dashed and told[-1].part == word.part and "to" not in word.lead
        key = word.key.replace("-", "", 1) if dashed else word.key
        told.append(word._replace(key=key))
    return told
