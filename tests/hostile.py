"""Two hundred hostile texts of records: from the patterns of the package, and written by hand.

The fifty by hand were written without a look at any pattern: what people who want to stop a reader
of papers would try. Each is a unit that is said again and again.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

import deepcritical
from scripts.hostile_texts import hostile_seeds

__all__ = ["BY_HAND", "LENGTH", "hostile_texts"]

LENGTH = 8_000
"""Characters of each text."""
BY_HAND = (
    "((((((((((",
    "))))))))))",
    "[[[[{{{{<<<<",
    "((a)(b",
    "\\\\\\\\",
    '"quoted "within "quoted ',
    "''''''''",
    "the the the the ",
    "a.b.c.d.e.f. ",
    "e.g. i.e. et al. vs. Fig. ",
    "Dr. Mr. Prof. St. ",
    "0000000000",
    "1.2.3.4.5.6.7.8.9.",
    "1,000,000,000,",
    "-1-2-3-4-5-6-7-8-9",
    "1/2/3/4/5/6/7/8/9/",
    "95% CI 95% CI 95% ",
    "p=0.05 p<0.05 p>0.05 p=",
    "n=10, n=20, n = 30, N=",
    "1 to 2 to 3 to 4 to ",
    "10 mg 20 mg 30 mg/kg/day ",
    "+/- ± +/- ± ",
    "<= >= < > = ",
    "significantly not significantly ",
    "not not not not ",
    "neither nor neither nor ",
    "no evidence of no evidence of ",
    "improved worsened improved worsened ",
    "compared with versus compared with versus ",
    "and/or and/or and/or ",
    "patients with patients with ",
    "risk of risk of risk of ",
    "in a double-blind in a double-blind ",
    "placebo-controlled-placebo-controlled-",
    "anti-anti-anti-anti-",
    "non-non-non-non-",
    "alpha-beta-gamma-delta-",
    "CONCLUSIONS: RESULTS: METHODS: ",
    "Background:Background:Background:",
    "https://http://https://www.",
    "a@b@c@d@e@",
    "10.1000/10.1000/10.1000/",
    "PMID: PMID: PMID: ",
    "NCT0000NCT0000",
    "é\u0301\u0301\u0301\u0301",
    "\u200b\u200b \u200b\u200b",
    "\t \t \t \n\n \r\n",
    "😀👩‍👩‍👧‍👦",
    "ﷺﷺ \u017f\u017f ﬁﬁ ",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
)
OPENING = "Results: Examplol improved testitis. "


def hostile_texts(number: int = 200) -> list[str]:
    """Return so many texts of `LENGTH` characters, those by hand first."""
    by_hand = [_text(unit) for unit in BY_HAND]
    return [*by_hand, *_from_patterns(number - len(by_hand), set(by_hand))]


def _from_patterns(number: int, known: set[str]) -> list[str]:
    """Return texts not known that lead patterns of the whole package into their repeats.

    Units are told apart by the texts they make: "a" and "aa" are one text.
    """
    units = dict.fromkeys(seed.unit for p in _patterns() for seed in hostile_seeds(p))
    texts = [text for text in dict.fromkeys(map(_text, units)) if text not in known]
    step = max(1, len(texts) // number)
    return texts[::step][:number]


def _text(unit: str) -> str:
    return (OPENING + unit * (LENGTH // len(unit) + 1))[:LENGTH]


def _patterns() -> Iterator[re.Pattern[str]]:
    for found in pkgutil.walk_packages(deepcritical.__path__, "deepcritical."):
        if ".migrations" in found.name or ".interfaces" in found.name:
            continue
        for value in vars(import_module(found.name)).values():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                yield value
