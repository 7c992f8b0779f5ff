"""Units of measurement in running text, each as a dimension and a factor to its base."""

import re
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.patterns import bounded


class Unit(NamedTuple):
    """What a number counts: ``mg/kg`` is mass per mass with the factor 1e-6."""

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
