"""Names of outcomes that trials measure, and the importance of each."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from typing import NamedTuple

from deepcritical.domain.appraisal.votes import Importance
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.folding import key_of, tokens_of
from deepcritical.vocabulary.words import data_text

_MOST_WORDS = 6
_ENDING = (
    r"resolution|relief|reversal|disappearance|eradication|elimination|remission|recovery|"
    r"prevention|avoidance|cure|clearance"
)
_TURNING_BEFORE = bounded(
    rf"\b(?:{_ENDING}|free(?! (?:survival|interval|period|time|day))|freedom|without|no(?! of)|"
    r"none|absen(?:t|ce)|lack(?:ing)?|non|not|never|unable|inability|avoid(?:ed|ing)?|averted|"
    r"prevent(?:ed|ing)?|protect(?:ed|ion)|resolv(?:ed|ing)|reliev(?:ed|ing)|cured|cleared|"
    r"reversed|recovered|healing|healed|fail(?:ed|ing)? to|failure (?:to|of)|delay(?:ed|ing)?|"
    r"postpon(?:ed|ing|ement)|time (?:to|until|till)|interval (?:to|between|until))\b"
)
_TURNING_BEHIND = bounded(rf"\b(?:{_ENDING}|free|delay)\b")
"""Words beside a term, of which each says that it is over, absent, missed or later."""
_VOIDING = bounded(
    r"\b(?:threshold|tolerance|sparing|fear|history|screening|vaccination|diagnosis|detection|"
    r"awareness|knowledge|adherence)\b"
)
"""Words beside a term that make it another outcome, of which nothing is known."""


class Construct(NamedTuple):
    """The construct of an outcome: a row of `data/outcomes.toml`."""

    name: str
    family: str
    importance: Importance
    """Its importance in most diseases in which it is measured."""
    higher_is_better: bool | None
    conditions: tuple[str, ...]
    """MeSH trees of conditions in which it is critical."""
    defines: tuple[str, ...]
    """MeSH trees of conditions that are this measure."""
    reversed_in: tuple[str, ...]
    """MeSH trees, or names, of conditions in which the other way is better."""
    harm_in: tuple[str, ...]
    """MeSH trees of conditions in which it is feared of the drugs."""
    grave: bool
    """True if it kills or disables."""
    part_of: str
    """Name of a wider construct that a question may mean; '' for none."""
    generic: bool
    """True if it says how much, and not of what: "recovery", "relapse", "severity"."""


class Term(NamedTuple):
    """A name of what is measured."""

    construct: Construct
    is_reversed: bool
    key: str


class Table(NamedTuple):
    """All names."""

    terms: dict[str, Term]
    """Folded term -> construct."""
    stems: dict[str, Term]
    """Folded beginning of a last word -> construct."""
    systems: dict[str, tuple[str, ...]]
    """Family of outcomes -> MeSH trees of the conditions on which it bears; "*" for all."""


@cache
def outcome_table() -> Table:
    """The names of outcomes, from `data/outcomes.toml`."""
    told = tomllib.loads(data_text("outcomes.toml"))
    table = Table({}, {}, {family: tuple(trees) for family, trees in told["systems"].items()})
    for row in told["outcome"]:
        construct = Construct(
            name=row["name"],
            family=row["family"],
            importance=row["importance"],
            higher_is_better=row.get("higher_is_better"),
            conditions=tuple(row.get("conditions", ())),
            defines=tuple(row.get("defines", ())),
            reversed_in=tuple(row.get("conditions_reversed", ())),
            harm_in=tuple(row.get("harm_in", ())),
            grave=bool(row.get("grave")),
            part_of=row.get("part_of", ""),
            generic=bool(row.get("generic")),
        )
        reverse = {*row.get("reversed", ())}
        for term in row["terms"]:
            held = table.stems if term.endswith("*") else table.terms
            held.setdefault(key_of(term), Term(construct, term in reverse, key_of(term)))
    return table


@lru_cache(maxsize=4096)
def term_in(text: str) -> Term | None:
    """The longest term of a text, one that says of what before one that does not."""
    table, best, rank = outcome_table(), None, (False, 0)
    words = [token.folded for token in tokens_of(text)]
    for at in range(len(words)):
        for count in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            key = " ".join(words[at : at + count])
            term = table.terms.get(key) or _by_stem(key)
            if term and (not term.construct.generic, len(key)) > rank:
                best, rank = term, (not term.construct.generic, len(key))
    return best


def term_of(concept: str, outcome: str) -> Term | None:
    """The term of the concept; of the wording where that alone says of what, or is narrower.

    It is narrower where it holds the words of the concept and more: "death of cancer" for "death".
    """
    by_concept, by_wording = term_in(concept), term_in(outcome)
    if by_concept is None or by_wording is None:
        return by_concept or by_wording
    own, worded = by_concept.construct, by_wording.construct
    vague = own.generic and not worded.generic
    is_narrower = f" {by_concept.key} " in f" {by_wording.key} "
    return by_wording if vague or is_narrower else by_concept


def _by_stem(key: str) -> Term | None:
    stems = outcome_table().stems
    last = key.rindex(" ") + 1 if " " in key else 0
    ends = range(len(key), last + 3, -1)
    return next((stems[key[:end]] for end in ends if key[:end] in stems), None)


def construct_of(concept: str, outcome: str) -> Construct | None:
    """Return the construct of an outcome, by its concept or else by its wording."""
    term = term_of(concept, outcome)
    return term.construct if term else None


def turned_by(text: str, key: str) -> bool | None:
    """Return whether words beside a term count what the term is not: "free of pain", "no pain".

    The term is given as its folded `key`. None where words make it another outcome.
    """
    folded = key_of(text)
    at = folded.find(key)
    before, behind = folded[: max(at, 0)], folded[max(at, 0) + len(key) :]
    if at < 0 or _VOIDING.search(before) or _VOIDING.search(behind):
        return None if at >= 0 else False
    leads = [m for m in _TURNING_BEFORE.finditer(folded) if m.start() < at]
    return (len(leads) + len(_TURNING_BEHIND.findall(behind))) % 2 == 1


@lru_cache(maxsize=4096)
def terms_of(text: str) -> tuple[str, ...]:
    """The folded terms of the construct that a text is a name of; () where it is of none."""
    term = outcome_table().terms.get(key_of(text))
    if term is None or term.construct.generic:
        return ()
    return keys_naming(term.construct)


@cache
def keys_naming(construct: Construct) -> tuple[str, ...]:
    """The folded terms of a construct."""
    return tuple(key for key, one in outcome_table().terms.items() if one.construct == construct)


def instrument_of(outcome: str) -> str:
    """Return the name of the scale in an outcome: its term of the table, else all of its words."""
    term = term_in(outcome)
    return term.key if term else key_of(outcome)


@cache
def _fatal() -> tuple[str, ...]:
    terms = outcome_table().terms.items()
    return tuple(
        key for key, term in terms if term.construct.family == "mortality" and not term.is_reversed
    )


def names_death(text: str) -> bool:
    """Return whether a text names deaths, of any cause, by any of their names."""
    folded = f" {key_of(text)} "
    return any(f" {key} " in folded for key in _fatal())
