"""Finds drugs in text, with canonical names, synonyms and kinds.

A drug is identified by its canonical name. What is a drug in a question only, such as coffee, zinc
or T4, stands in a table of its own: in a record it is a food, a mineral or a laboratory value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from deepcritical.domain.base import Model
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold
from deepcritical.vocabulary.folding import GREEK_NAMES, tokens_of
from deepcritical.vocabulary.words import data_text, is_english

_MIN_LENGTH = 4
_MOST_WORDS = 12
_WORDS = frozenset({"buffers", "generics", "indicators", "luminal"})
"""Names in the dictionary that biomedical English uses in another sense."""
BIOLOGY_BEHIND = bounded(
    r"[\s-]+(?:action|analog|concentration|deficien|gene|level|receptor|resistan|secreti|sensiti|"
    r"signal|signature|synthesis|transporter)",
    re.IGNORECASE,
)
"""Behind a substance of the body that is measured and not given: "insulin resistance"."""
_RECEPTOR = bounded(r"[\s-]+receptors?\b", re.IGNORECASE)
"""Behind what a receptor is of, which is not given either."""
_MEASURED = bounded(
    r"[\s-]+(?:binder|channel|chelat|consumption|finger|homeostasis|metabolism|oxalate|overload|"
    r"saturation|score|species|status|store|uptake)",
    re.IGNORECASE,
)
_MEASURED_IN = bounded(r"\b(?:serum|plasma|blood|urine|urinary|coronary|cancer)[\s-]\Z", re.I)
_BRAND = 3
_IONS = (
    "acetate besilate besylate bitartrate bromide calcium citrate fumarate hydrobromide "
    "hydrochloride maleate mesilate mesylate phosphate potassium sodium succinate sulfate sulphate "
    "tartrate"
).split()
"""Words behind a substance's name in the names of its salts."""
_ESTERS = frozenset(
    "axetil cilexetil decanoate dipivoxil enacarbil etexilate furoate lauroxil marboxil medoxomil "
    "palmitate pivoxil proxetil".split()
)
"""Last words of esters that the body turns into the drug that stands before (INN modified)."""
_CODE = bounded(r"[a-z]{1,5}[- ]?[0-9]{2,8}[a-z]?")
"""The code that a developer gives a substance, in lower case: "ly2062430"."""
_LIKE = bounded(r"-like\b", re.IGNORECASE)
_LETTERS = bounded(r"[^\W\d_]+")
_TOKEN = bounded(r"[^\W_]+")
_FIRST_WORDS = re.compile(r"[\t|]([^\W_]+)")  # over our own table, which is megabytes
_SHOT = r"(?:vaccines?|vaccinations?|vaxx?|vaccs?|immuni[sz]ations?|jabs?|shots?|boosters?)"
_SHOT_LAST = bounded(rf"(.+) {_SHOT}")
_SHOT_FIRST = bounded(rf"{_SHOT} (?:against|for) (.+)")
_SHOTS = ("vaccine", "vaccination", "vax", "vacc", "immunization", "immunisation", "jab", "shot")
"""How people call a vaccine: "flu jabs", "vaccination against flu"."""
_CHEMICAL_NOISE = bounded(
    r"[\[\]{}()®]|\d[rsez]-|\d'?,\d|^(?=.{19})(?:\d+'?|[a-z])-|^(?:acid[eou]m?|ácido) "
)
_TRANSLATION = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u02bc`´", "'")
    | dict.fromkeys("\t\n\r\u00a0\u2009\u202f", " ")
)


class DrugKind(StrEnum):
    """The kind of substance or class that a name in the dictionary of drugs stands for."""

    DRUG = "drug"
    DRUG_CLASS = "drug_class"
    TARGET = "target"
    UNKNOWN = "unknown"


class DrugName(Model):
    """A drug, a drug class or a biological substance under its canonical name."""

    name: str
    """Canonical name in lower case; for an unknown name, the name as given."""
    kind: DrugKind
    synonyms: tuple[str, ...] = ()
    """Other names fit for a literal search, in lower case, sorted."""
    drugbank_id: str | None = None


class DrugMention(Model):
    """A drug named in a text: `source[start:end] == text`."""

    drug: DrugName
    start: int
    end: int
    text: str


class _Meaning(NamedTuple):
    words: frozenset[str]
    """Folded words of the question one of which tells so."""
    row: int | None
    """None where it means no drug: the AI that reads images."""


class _Table(NamedTuple):
    rows: tuple[str, ...]
    """Entry, name, kind, DrugBank id, whether endogenous, other names: a line of `drugs.tsv`."""
    at: dict[str, int]
    """Name in lower case, as a text may have it -> its row."""
    entries: dict[str, int]
    """Entry -> its row: "water" is one, and no drug that a text names."""
    first: frozenset[str]
    """The first words of all names."""
    asked: dict[str, int]
    """Name that means a drug in a question only -> its row."""
    decided: dict[str, tuple[_Meaning, ...]]
    """Abbreviation that means a drug only beside some words -> what it may mean."""


@cache
def _table() -> _Table:
    text = data_text("drugs.tsv")
    rows = text.splitlines()
    at: dict[str, int] = {}
    entries: dict[str, int] = {}
    for n, row in enumerate(rows):
        entry, names = row[: row.index("\t")], row[row.rindex("\t") + 1 :].split("|")
        entries[entry] = n
        for name in names:
            at.setdefault(name, n)
        if entry in names:
            at[entry] = n
    asked: dict[str, int] = {}
    decided: dict[str, tuple[_Meaning, ...]] = {}
    classes: dict[str, int] = {}
    for line in data_text("asked_drugs.tsv").splitlines():
        name, more, words, new = line.split("\t")
        # A class has its own table: only what is short for it stands here.
        held = classes if new == DrugKind.DRUG_CLASS else entries
        if name and name not in held:
            held[name] = len(rows)
            rows.append(f"{name}\t{name}\t{new}\t\t\t{more}")
        if not words:
            asked |= dict.fromkeys(more.split("|"), held[name])
            continue
        meaning = _Meaning(frozenset(words.split()), held.get(name))
        decided |= {short: (*decided.get(short, ()), meaning) for short in more.split("|")}
    begun = (_TOKEN.findall(name)[0] for name in (*asked, *decided, *_SHOTS))
    first = frozenset(_FIRST_WORDS.findall(text)).union(begun)
    return _Table(tuple(rows), at, entries, first, asked, decided)


def drug_names() -> tuple[str, ...]:
    """Every name of a drug that a question may use, for offering the nearest."""
    return (*_table().at, *_table().asked)


@cache
def _drug_name(row: int) -> DrugName:
    _, name, kind, drugbank_id, _, variants = _table().rows[row].split("\t")
    if (base := _without_ester(name)) is not None:
        return _drug_name(base)
    names = variants.split("|")
    unwanted = _inflections(name) | {name} | {f"{variant}um" for variant in names}
    return DrugName(
        name=name,
        kind=DrugKind(kind),
        synonyms=tuple(n for n in names if n not in unwanted and _searchable(n)),
        drugbank_id=drugbank_id or None,
    )


def _without_ester(name: str) -> int | None:
    """Return the row of the drug that an ester is of; None where it is no ester, or of no drug."""
    drug, _, last = name.rpartition(" ")
    row = _table().entries.get(drug) if last in _ESTERS else None
    return row if row is not None and _drug_name(row).kind is DrugKind.DRUG else None


@cache
def _taken(row: int) -> DrugName:
    """Return a substance of the body as the drug that a question means."""
    return _drug_name(row).model_copy(update={"kind": DrugKind.DRUG})


def generic_names(name: str) -> tuple[str, ...]:
    """Return the names of a drug that are no brands, best first; () for an unknown drug.

    A name is an international non-proprietary name when the dictionary also has its Latin form in
    -um, or one of its salts: "adrenaline hydrochloride". The salts of an acid, other acids and
    codes of developers follow. The form without the last e is German or Nordic.
    """
    known = lookup_drug(name)
    row = _row(known.name, None)
    if known.kind is DrugKind.UNKNOWN or row is None:
        return ()
    salt = f"{known.name.removesuffix('ic acid')}ate" if known.name.endswith("ic acid") else ""
    variants = frozenset(_table().rows[row].split("\t")[-1].split("|"))

    def rank(synonym: str) -> int:
        if f"{synonym}e" == known.name:
            return _BRAND
        salts = (f"{synonym} {ion}" in known.synonyms for ion in _IONS)
        has_salt = synonym.isalpha() and any(salts)
        if has_salt or {f"{synonym}um", f"{synonym.removesuffix('e')}um"} & variants:
            return 0
        if salt and salt in synonym:
            return 1
        is_acid = synonym.endswith(" acid") and synonym[0].isalpha()
        return 2 if is_acid or _CODE.fullmatch(synonym) else _BRAND

    ranked = sorted((rank(s), len(s), s) for s in known.synonyms)
    return tuple(synonym for order, _, synonym in ranked if order < _BRAND)


def _inflections(name: str) -> set[str]:
    """Latin, Romance and other foreign spellings of an international non-proprietary name."""
    stems = {name, name.removesuffix("e"), name.removesuffix("um"), name.removesuffix("a")}
    return {stem + ending for stem in stems for ending in ("a", "e", "o", "um", "us")} - {name}


def _searchable(synonym: str) -> bool:
    """Return whether a synonym finds literature when it is searched literally."""
    return (
        len(synonym) >= _MIN_LENGTH
        and synonym.isascii()
        and "," not in synonym
        and synonym not in _WORDS
        and _CHEMICAL_NOISE.search(synonym) is None
    )


def _spelled(name: str) -> str:
    """A folded name with Greek letters spelled out, as the dictionary has them."""
    return name if name.isascii() else "".join(GREEK_NAMES.get(char, char) for char in name)


def lookup_drug(name: str) -> DrugName:
    """The drug that a name, synonym or brand stands for, under its canonical name.

    One that the dictionary does not have comes as given (without outer blanks), of kind unknown.
    """
    folded = fold(name)
    for candidate in (folded, _spelled(folded), folded.removesuffix("'s")):
        row = _row(candidate, None)
        if row is None:
            row = _table().entries.get(candidate)
        if row is not None:
            return _drug_name(row)
    if (base := _without_ester(folded)) is not None:
        return _drug_name(base)
    return DrugName(name=name.strip(), kind=DrugKind.UNKNOWN)


def find_drugs(text: str, *, asked: bool = False) -> tuple[DrugMention, ...]:
    """The drugs, drug classes and biological substances named in a text, in order, without overlap.

    Names are matched exactly but for case, dashes and Greek letters; the longest name at a position
    wins. Abbreviations of up to four letters must be written in capitals, and a hormone or cytokine
    is skipped where it is part of biology ("insulin resistance"). Of a question that is `asked`,
    what people take is a drug, and an abbreviation may be written small. Look at `drug.kind` before
    using one as a drug.
    """
    return tuple(_mentions(text, asked))


def _mentions(text: str, asked: bool) -> Iterator[DrugMention]:
    same_length = _fold_in_place(text, accents=not asked)
    tokens = [match.span() for match in _TOKEN.finditer(same_length)]
    around = frozenset(token.folded for token in tokens_of(text)) if asked else None
    at = 0
    while at < len(tokens):
        count, row = _longest_name(same_length, tokens, at, around)
        start, end = tokens[at][0], tokens[at + count - 1][1]
        if row is not None and _is_meant(text, start, end, row, around):
            taken = around is not None and _asked_row(same_length[start:end], around) == row
            drug = _taken(row) if taken else _drug_name(row)
            yield DrugMention(drug=drug, start=start, end=end, text=text[start:end])
        at += count


def _row(name: str, around: frozenset[str] | None) -> int | None:
    """The row of a name, or of its American spelling: "sulphate", "oestrogen".

    `around` has the folded words of a question; it is None where the name is in no question.
    """
    for spelled in dict.fromkeys((name, name.replace("sulph", "sulf").replace("oestr", "estr"))):
        row = None if around is None else _asked_row(spelled, around)
        row = _table().at.get(spelled) if row is None else row
        if row is not None:
            return row
    return None


def _asked_row(name: str, around: frozenset[str]) -> int | None:
    """The row of a name that means a drug in a question only."""
    row = _decided_row(name, around)
    row = _table().asked.get(name) if row is None else row
    if row is None and (shot := _SHOT_LAST.fullmatch(name) or _SHOT_FIRST.fullmatch(name)):
        vaccine = f"{shot[1]} vaccine"
        row = _table().asked.get(vaccine, _table().at.get(vaccine))
    return row


def _decided_row(name: str, around: frozenset[str]) -> int | None:
    """The row of an abbreviation for which most words of a question speak; None where none does."""
    meanings = _table().decided.get(name, ())
    told = max(meanings, key=lambda meaning: len(meaning.words & around), default=None)
    return told.row if told and told.words & around else None


def _fold_in_place(text: str, *, accents: bool) -> str:
    """Text in lower case with plain dashes, apostrophes and blanks, character for character."""
    low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    if not accents and not low.isascii():
        low = "".join(unicodedata.normalize("NFD", c)[0] for c in low)
    return low.translate(_TRANSLATION)


def _longest_name(
    text: str, tokens: list[tuple[int, int]], at: int, around: frozenset[str] | None
) -> tuple[int, int | None]:
    """Return the number of tokens of the longest name at a token, and its row."""
    start, end = tokens[at]
    first = _spelled(text[start:end]).replace("sulph", "sulf").replace("oestr", "estr")
    if first not in _table().first and text[start:end] not in _table().first:
        return 1, None
    for count in range(min(_MOST_WORDS, len(tokens) - at), 0, -1):
        name = _spelled(text[start : tokens[at + count - 1][1]])
        row = _row(name, around)
        # In running text an inverted MeSH form is an accident of two items in a list.
        if row is not None and (", " not in name or " and " in name):
            return count, row
    return 1, None


def _is_meant(text: str, start: int, end: int, row: int, around: frozenset[str] | None) -> bool:
    """Return whether a name means the substance rather than a common word or biology."""
    canonical, _, _, _, endogenous, _ = _table().rows[row].split("\t")
    written = text[start:end]
    asked = around is not None
    if written.casefold() in _WORDS or _LIKE.match(text, end):
        return False
    if around and _decided_row(written.casefold(), around) == row:
        return not written.islower() or (len(written) > 2 and not is_english(written))
    longest = max(map(len, _LETTERS.findall(written)), default=0)
    if longest <= _MIN_LENGTH and written.casefold() != canonical:
        plain = asked and written[1:].islower() and len(written) > 2 and not is_english(written)
        return plain or (asked and " " in written) or _has_capitals(written)
    if asked and (
        _MEASURED.match(text, end) or _MEASURED_IN.search(text, max(0, start - 10), start)
    ):
        return False
    if _RECEPTOR.match(text, end):
        return False
    part_of_biology = endogenous or (asked and written.casefold() in _table().asked)
    return not (part_of_biology and BIOLOGY_BEHIND.match(text, end))


def _has_capitals(written: str) -> bool:
    """Two capitals, or one in a single letter such as the L of "L-dopa"; "At 10" has neither."""
    capitals = sum(char.isupper() for char in written)
    return capitals >= 2 or (capitals == 1 and not written[1:2].isalpha())
