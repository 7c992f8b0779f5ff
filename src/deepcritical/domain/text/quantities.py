"""Finds the numbers in a text, with units, bounds, nouns and offsets.

A number within a name ("IL-6", "COVID-19") is no quantity, nor is the number of a citation.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded


class Unit(NamedTuple):
    """The unit of a number: ``mg/kg`` is mass per mass with the factor 1e-6."""

    dimension: str
    """Such as ``mass``, ``time`` or ``mass/volume``; '' for a bare number."""
    factor: float
    """Times this, a value is in the base of its dimension: gram, litre, day, mole, metre."""


NO_UNIT = Unit("", 1.0)
_MONTH, _YEAR = 365.25 / 12, 365.25
_NAMES: dict[str, Unit] = {}


def _add(dimension: str, factor: float, names: str) -> None:
    _NAMES.update(dict.fromkeys(names.split(), Unit(dimension, factor)))


_add("mass", 1e-12, "pg picograms picogram")
_add("mass", 1e-9, "ng nanograms nanogram")
_add("mass", 1e-6, "µg μg ug mcg micrograms microgram")
_add("mass", 1e-3, "mg milligrams milligram")
_add("mass", 1.0, "g gr grams gram")
_add("mass", 1e3, "kg kilograms kilogram")
_add("volume", 1e-6, "µl μl ul microliters microlitres")
_add("volume", 1e-3, "ml milliliters millilitres milliliter millilitre cc")
_add("volume", 1e-1, "dl deciliters")
_add("volume", 1.0, "l liters litres liter litre")
_add("time", 1 / 86400, "s sec seconds second")
_add("time", 1 / 86_400_000, "ms msec milliseconds")
_add("time", 1 / 1440, "min mins minutes minute")
_add("time", 1 / 24, "h hr hrs hours hour")
_add("time", 1.0, "d days day")
_add("time", 7.0, "wk wks weeks week weekly")
_add("time", _MONTH, "mo mos months month")
_add("time", _YEAR, "y yr yrs years year")
_add("amount", 1e-12, "pmol")
_add("amount", 1e-9, "nmol")
_add("amount", 1e-6, "µmol μmol umol")
_add("amount", 1e-3, "mmol")
_add("amount", 1.0, "mol")
_add("amount/volume", 1e-9, "nM")
_add("amount/volume", 1e-6, "µM μM uM")
_add("amount/volume", 1e-3, "mM")
_add("length", 1e-9, "nm")
_add("length", 1e-6, "µm μm um")
_add("length", 1e-3, "mm millimeters millimetres")
_add("length", 1e-2, "cm centimeters centimetres")
_add("length", 1.0, "m meters metres")
_add("length", 1e3, "km")
_add("%", 1.0, "% percent percentage")
_add("activity", 1.0, "iu units unit")
_add("activity", 1e-3, "miu mu")
_add("pressure", 1.0, "mmhg mmHg")
_add("energy", 1.0, "kcal")
_add("energy", 0.239, "kj kJ")
_add("temperature", 1.0, "°c °C")
_add("rate", 1.0, "bpm")
_add("dose of radiation", 1.0, "gy Gy")
_add("equivalents", 1e-3, "meq mEq")
_add("points", 1.0, "points point")
_add("fold", 1.0, "fold times × x")
_add("people", 1.0, "person-years")

_WORD = "|".join(
    sorted((re.escape(name) for name in _NAMES if name not in {"%"}), key=len, reverse=True)
)
_ONE = rf"(?:%|(?:{_WORD})(?![A-Za-zµμ]))"
UNIT = bounded(
    rf"[\s\u00a0\u2009-]{{0,2}}(?P<unit>(?:per ?cent(?:age)?(?: points?)?|"
    rf"{_ONE}(?:\s?(?:/|\bper\b)\s?"
    rf"(?:\d+\s?)?{_ONE}){{0,2}}))",
    re.IGNORECASE,
)
"""A unit behind a number."""
_A_DAY = bounded(r"/(?:d|day|days)$")


@lru_cache(maxsize=4096)
def unit_of(written: str) -> Unit:
    """The unit that a text writes; a daily dose has the unit of the dose.

    "2000 mg/day", "2000 mg daily" and "2 g" a day are one dose.
    """
    plain = re.sub(
        r"\s{0,20}\bper\b\s{0,20}", "/", re.sub(r"(?i)per ?cent", "percent", written)
    ).strip()
    plain = re.sub(r"percent(?:age)? points?", "%", plain, flags=re.IGNORECASE)
    parts = [part.strip() for part in plain.split("/") if part.strip()]
    if len(parts) > 1 and _A_DAY.search(f"/{parts[-1]}"):
        parts = parts[:-1]
    names = [re.sub(r"^\d+\s?", "", part) for part in parts]
    known = [_NAMES.get(name) or _NAMES.get(name.lower()) for name in names]
    if not known or None in known:
        return Unit(plain.lower(), 1.0)
    factor = known[0].factor if known[0] else 1.0
    for below in known[1:]:
        factor /= below.factor if below else 1.0
    return Unit("/".join(u.dimension for u in known if u), factor)


_DIGITS = (
    r"(?:\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+(?!\d)|"
    r"(?<!day )(?<!week )(?<!month )(?<!year )(?<!hase )(?<!tage )(?<!rade )"
    r"\d{1,3}(?: \d{3})+(?= [A-Za-z(]|[),;:]|\.?$)|\d+)"
    r"(?:[.·]\d+)?|(?<!\d)[.·]\d+"
)
_NUMBER = bounded(
    rf"(?<![\w.·])(?:(?<![A-Za-z][-\u2010-\u2015])|(?<=[a-z]{{3}}-)(?=\d+\.\d))"
    rf"(?P<sign>(?<![\d%)])[-−–])?(?P<digits>{_DIGITS})"
    r"(?![\d]|[.·]\d)"
)
ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBERS = {word: n for n, word in enumerate(ONES, 1)} | {w: 10 * n for n, w in enumerate(TENS, 2)}
_ANY = "|".join((*TENS, *sorted(ONES, key=len, reverse=True)))
_WORDED = bounded(
    rf"\b(?:(?P<run>(?:{_ANY}|hundred|thousand)(?:(?:[-\s]|(?<=undred|ousand)\s+and\s+)"
    rf"(?:{_ANY}|hundred|thousand))*)|(?P<twice>twice|double[sd]?|doubling|twofold|two-fold)|"
    r"(?P<thrice>tripled?|triples|tripling|trebled?|threefold|three-fold))\b"
    r"(?!-(?:sided|tailed|way|dimensional))",
    re.IGNORECASE,
)
_P = bounded(r"(?<![\w.])[Pp](?:[- ]?values?)?(?: for [\w-]+)?\s*(?:was|were|of)?\s*$")
_OPERATOR = bounded(
    r"(?P<op><=|>=|[<>≤≥=]|&lt;|&gt;|\b(?:at least|no less than|more than|greater than|over|above|"
    r"exceeding|at most|up to|no more than|less than|fewer than|lower than|under|below))\s*$",
    re.IGNORECASE,
)
_AT_LEAST = frozenset("> ≥ >= &gt; over above exceeding".split()) | {
    "at least",
    "no less than",
    "more than",
    "greater than",
}
_ABOUT = bounded(
    r"(?:~|≈|\b(?:about|approximately|approx\.|around|roughly|some|nearly|almost|circa|ca\.))\s*$",
    re.IGNORECASE,
)
_CONFIDENCE = bounded(
    r"\s?(?:%|per ?cent)?\s*(?:-\s*)?(?:CIs?\b|CrI\b|confidence|credible|uncertainty|prediction)"
)
_LABEL = bounded(
    r"\b(?P<label>phase|stage|grade|class|type|level|category|score of|week|day|month|year|visit)"
    r"(?:(?<=grade)s|(?<=stage)s|(?<=phase)s|(?<=type)s)?[\s-]$",  # "12 weeks 24 patients" counts
    re.IGNORECASE,
)
_ROMAN = bounded(r"\b(?P<label>(?i:phase|stage|grade|class|type))s?[\s-](?P<roman>I{1,3}V?|IV|V)\b")
_ROMANS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
_JOIN = bounded(
    r"\s*(?:[-–−/±]|to|and|or|vs\.?|versus|,(?: and| or)?)\s*(?:[-−–+])?", re.IGNORECASE
)
_ASIDE = bounded(r"\s?(?:\([^()]{1,40}\)|\[[^\[\]]{1,40}\])(?=\s?[\w%µ])")
"""Between a number and its unit, as in "15 (6-20) months"."""
_NOUNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (
        kind,
        bounded(
            # No noun is shorter than three letters: told at once, before each is tried.
            rf"(?:[\s-]-?[\w'’]++(?:-[\w'’]++){{0,2}}){{0,3}}?[\s-](?=[a-z]{{3}})(?:{words})\b",
            re.IGNORECASE,
        ),
    )
    for kind, words in (
        (
            "people",
            "(?:in|out)?patients?|participants?|subjects?|adults?|persons?|people|individuals?|veterans?|"
            "volunteers?|infants?|children|women|men|cases|controls|residents|users|students",
        ),
        (
            "studies",
            "studies|trials?|rcts?|articles?|reviews?|papers?|publications?|reports?|cohorts?",
        ),
        ("animals", "mice|mouse|rats?|animals?|rabbits?|dogs?|pigs?|piglets?|sheep|monkeys?"),
        ("sites", "sites?|centers?|centres?|hospitals?|clinics?|countries|institutions?"),
        ("groups", "groups?|arms?"),
    )
)
_CITATION = bounded(
    r"\[[\d\s,;–-]+\]|\[E\d+\]|\b(?:[Tt]ables?|[Ff]ig(?:ures?|s?\.)|[Aa]ppendix)\s?\d+[A-Za-z]?"
)
_ALPHA = 0.05
_LEVELS = (0.1, 0.05, 0.01, 0.001, 0.0001)
"""Levels of significance that a P value is told by: 0.003 is "P < 0.01", but not "P < 0.007"."""
_ITEM = bounded(r"\((\d)\)")
_ID = bounded(
    r"\b(?:PMID|PMCID|PMC|NCT|ISRCTN|DOI|EudraCT|CRD|ChiCTR[\w-]{0,9}|UMIN|number|No\.)[\s:#]*"
    r"[\w./()-]*\d[\w./()-]*|\b10\.\d{4,9}/\S+",
    re.IGNORECASE,
)


class Quantity(NamedTuple):
    """A number of a text at ``text[start:end]``, unit not included."""

    value: float
    start: int
    end: int
    unit: Unit = NO_UNIT
    bound: str = ""
    """``<`` for at most and less than, ``>`` for at least and more than, ``~`` for about."""
    kind: str = ""
    """``p`` for a P value, ``confidence`` for a level of confidence, a label such as ``phase``."""
    noun: str = ""
    """The thing counted, if it is people, studies, animals, sites or groups."""
    decimals: int = 0
    spelled: bool = False

    @property
    def base(self) -> float:
        """The value in the base of its dimension."""
        return self.value * self.unit.factor


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in order; a list shares the unit of its last item.

    Markers such as ``[12]`` and ids are passed over.
    """
    plain = text
    for pattern in (_CITATION, _ITEM, _ID):
        plain = pattern.sub(lambda m: " " * len(m.group()), plain)
    found = sorted((*_written(plain), *_spelled(plain), *_roman(plain)), key=lambda q: q.start)
    return tuple(_with_shared_units(plain, found))


def _written(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        if text[match.end() : match.end() + 1].isalpha() and not UNIT.match(text, match.end()):
            continue  # "5HT", "2nd": part of a word
        digits = re.sub(r"[,\s]", "", match["digits"]).replace("·", ".")
        sign = -1.0 if match["sign"] else 1.0
        decimals = len(digits.partition(".")[2])
        yield _around(text, sign * float(digits), match.start(), match.end(), decimals)


def _around(text: str, value: float, start: int, end: int, decimals: int = 0) -> Quantity:
    """The quantity with what stands before and behind its number."""
    before = text[max(0, start - 24) : start]
    operator = _OPERATOR.search(before)
    bound = _bound(operator["op"].lower()) if operator else "~" if _ABOUT.search(before) else ""
    left = before[: operator.start()] if operator else before
    if operator and _P.search(left):
        return Quantity(value, start, end, bound=bound, kind="p", decimals=decimals)
    if _CONFIDENCE.match(text, end):
        return Quantity(value, start, end, kind="confidence", decimals=decimals)
    aside = _ASIDE.match(text, end)
    unit = UNIT.match(text, end) or (UNIT.match(text, aside.end()) if aside else None)
    label = None if unit else _LABEL.search(before)
    return Quantity(
        value,
        start,
        end,
        unit=unit_of(unit["unit"]) if unit else NO_UNIT,
        bound=bound,
        kind=label["label"].lower() if label else "",
        noun="" if unit else _noun(text, end),
        decimals=decimals,
    )


def _bound(operator: str) -> str:
    return "" if operator == "=" else ">" if operator in _AT_LEAST else "<"


def _noun(text: str, end: int) -> str:
    ahead = text[end : end + 60]
    found = sorted((m.end(), kind) for kind, words in _NOUNS if (m := words.match(ahead)))
    if len(found) > 1 and len(ahead[found[0][0] : found[1][0]].split()) == 1:
        return found[1][1]  # of two nouns in a row the last is counted: "clinic outpatients"
    return found[0][1] if found else ""


def _spelled(text: str) -> Iterator[Quantity]:
    for match in _WORDED.finditer(text):
        if match["twice"] or match["thrice"]:
            times = 2.0 if match["twice"] else 3.0
            yield Quantity(times, *match.span(), unit=unit_of("fold"), spelled=True)
            continue
        words = re.findall(r"[a-z]+", match["run"].lower())
        value = number_of([word for word in words if word != "and"])
        if value > 1 or UNIT.match(text, match.end()):
            told = _around(text, float(value), match.start(), match.end())
            yield told._replace(spelled=True)


def number_of(words: Sequence[str]) -> int:
    """The number that words tell, such as "two hundred" and "five"."""
    total = current = 0
    for word in words:
        if word == "hundred":
            current = max(current, 1) * 100
        elif word == "thousand":
            total, current = total + max(current, 1) * 1000, 0
        else:
            current += _NUMBERS.get(word, 0)
    return total + current


def _roman(text: str) -> Iterator[Quantity]:
    for match in _ROMAN.finditer(text):
        if value := _ROMANS.get(match["roman"]):
            kind = match["label"].lower()
            yield Quantity(float(value), match.start("roman"), match.end(), kind=kind)


def _with_shared_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Gives "5, 10 and 20 mg" one unit, from right to left."""
    shared = list(found)
    for at in range(len(found) - 2, -1, -1):
        left, right = shared[at], shared[at + 1]
        bare = left.unit is NO_UNIT and not left.kind
        if bare and (right.unit is not NO_UNIT) and not right.kind:
            if _JOIN.fullmatch(text[left.end : right.start]):
                shared[at] = left._replace(unit=right.unit, noun="")
        elif (
            bare and not left.noun and right.noun and _JOIN.fullmatch(text[left.end : right.start])
        ):
            shared[at] = left._replace(noun=right.noun)
    return shared


def same_value(said: Quantity, source: Quantity) -> bool:
    """Return whether a number is the source's: equal, rounded to two or more digits, or "about".

    A P value must follow from the source's: 0.04 bears out "P < 0.05".
    """
    if said.kind == "p" or source.kind == "p":
        return said.kind == source.kind and _p_follows(said, source)
    one, other = abs(said.base), abs(source.base)
    if one == other or abs(one - other) <= 1e-9 * max(one, other):
        return True
    if said.unit.dimension == source.unit.dimension == "time" and said.unit != source.unit:
        # Twelve weeks are told as three months, and 48 as a year.
        whole = said.decimals == 0 and round(other / said.unit.factor) == abs(said.value)
        return abs(one - other) <= (0.1 if whole else 0.01) * max(one, other)
    if {said.unit.dimension, source.unit.dimension} == {"", "%"} and not said.kind + source.kind:
        return _same_share(said, source)
    return _rounded(said, source) or _roughly(said, source, one, other)


def _same_share(said: Quantity, source: Quantity) -> bool:
    """Return whether 0.297 is told as 29.7%, or the other way round."""
    percent, share = (said, source) if said.unit.dimension == "%" else (source, said)
    if not 0 < share.value < 1 or share.decimals < 2:
        return False
    exact = abs(100 * share.value - percent.value) < 1e-9
    return exact or (said is share and round(percent.value / 100, said.decimals) == said.value)


def _p_follows(said: Quantity, source: Quantity) -> bool:
    if said.value == source.value and said.bound == source.bound:
        return True
    if said.bound == "<":
        below = source.value < said.value or (source.bound == "<" and source.value == said.value)
        return said.value in _LEVELS and source.bound != ">" and below
    if said.bound == ">":
        above = source.value > said.value or (source.bound == ">" and source.value == said.value)
        return said.value in _LEVELS and source.bound != "<" and above
    on_one_side = (said.value < _ALPHA) is (source.value < _ALPHA)
    return source.bound == "" and on_one_side and _rounded(said, source)


def _rounded(said: Quantity, source: Quantity) -> bool:
    if said.unit != source.unit or said.decimals >= source.decimals:
        return False
    if said.unit is NO_UNIT and abs(said.value) == 1 != abs(source.value):
        return False  # a ratio of 0.996 is none of no effect
    digits = len(re.sub(r"\D", "", f"{abs(said.value):.{said.decimals}f}").lstrip("0"))
    return digits > 1 and round(abs(source.value), said.decimals) == abs(said.value)


def _roughly(said: Quantity, source: Quantity, one: float, other: float) -> bool:
    """Return whether "about 20" stands for 19.7 and "more than 1000" for 1012."""
    if said.bound == "~":
        return abs(one - other) <= 0.06 * other
    if said.bound == ">" and not source.bound:
        return other * 0.9 <= one < other
    return said.bound == "<" and not source.bound and other < one <= other * 1.1
