"""Checks that each clause of a sentence tells the direction of a finding that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import quantities
from deepcritical.domain.text.spans import whole_sentences
from deepcritical.verification.fields import RATIOS, VAGUE, keys_of
from deepcritical.verification.signs import (
    SIGN_WORDS,
    Sign,
    clauses,
    is_sign,
    signs,
    without_open,
)
from deepcritical.verification.words import Word, stem, stems, words
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.outcomes import term_in, turned_by
from deepcritical.vocabulary.words import is_english

COMPARING = stems("versus than against")
CONTROLS = stems("placebo sham usual standard untreated control")
NOTHING = bounded(
    r"\b(?:no (?:treatment|use|exposure|therapy|intervention|\w+ (?:use|treatment|exposure))|"
    r"(?:unexposed|non-?exposed)(?: people)?|non-?users?)\b",
    re.IGNORECASE,
)
"""Comparators of a drug where nothing is given; the "no" in them denies nothing."""
_PEOPLE = (
    r"(\b(?:people|persons|patients|participants|adults|women|men|children|those) (?:at|with) )"
)
_NO_ARM = bounded(
    r"\b(?:placebo|sham|active)[- ](?=controlled\b)|"
    r"\b(?:usual|standard) (?=dos(?:e|es|age)\b|practice\b)",
    re.IGNORECASE,
)
"""Words that name a control, where they tell of a design or a dose."""
_TOPIC = bounded(
    r"^\W*(?:as (?:to|for)|as another|on|regarding|concerning|for|of|among|another)"
    r"(?: \w+){0,2} (?:harms?|benefits?)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that says what it is on, and no direction."""
_TIME_TO = bounded(r"\btimes? (?:to|until) ", re.IGNORECASE)
_TOLD: dict[Sign, str] = {
    "more": "more",
    "less": "less",
    "good": "a better result",
    "bad": "a worse result",
    "none": "no difference",
}
_SHOWN = {
    Way.BENEFIT: "a better result with the drug",
    Way.HARM: "a worse result with the drug",
    Way.NO_DIFFERENCE: "no clear difference",
    Way.CONFLICT: "results that differ",
    None: "no such direction",
}
ABSENT = bounded(
    r"\b(?:no|neither|none of the)(?: [\w-]+){0,3} "
    r"(?:records?|trials?|stud(?:y|ies)|results?|reviews?)\b[^;]*",
    re.IGNORECASE,
)
"""That no record tells something, which no quote can bear out."""
DIFFER = bounded(
    r"(?<!not )\b(?:differ(?:s|ed)?|disagree\w*|mixed|conflict\w*|inconsistent)\b", re.IGNORECASE
)
"""Words that tell that results do not agree."""
_WITHOUT = stem("without")
_AMOUNTS: dict[bool, Sign] = {True: "more", False: "less"}
_SURVIVAL = stems("survival")
"""Of an outcome that is a survival, however its estimate counts deaths."""
_RISKS = stems("risk hazard odds probability likelihood")
_EITHER: frozenset[Sign] = frozenset({"more", "less"})
_ANY: frozenset[Sign] = _EITHER | {"none", "good", "bad"}
_OPPOSITE: dict[Sign, Sign] = {"more": "less", "less": "more", "good": "bad", "bad": "good"}


def direction_faults(text: str, cited: Sequence[Finding], *, own: bool) -> Iterator[str]:
    """Yield the directions that are told of findings and are not theirs.

    Each clause may tell what one of the findings shows, and what each of them shows must be told.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        own: Whether nobody but the writer judges it: then the table of outcomes says which way is
            the better one where the finding does not.
    """
    cited = [_with_polarity(f) if own or _has_more(f) is not None else f for f in cited]
    outcome = frozenset().union(*(keys_of(f.outcome) for f in cited))
    told: set[Sign] = set()
    allowed: dict[str, frozenset[Sign]] = {f.id: frozenset() for f in cited}
    faults: list[str] = []
    is_null = all(f.way in (Way.NO_DIFFERENCE, None) for f in cited)
    plain = _TOPIC.sub("", _NO_ARM.sub("", without_open(text)))
    for clause in clauses(_without_people(plain, cited)):
        found = signs(clause, outcome)
        expected = {f.id: _expected(f, clause, own=own) for f in cited} if found else {}
        allowed |= {i: allowed[i] | may for i, may in expected.items()}
        told |= found
        owners = _owners_of(clause, cited, own=own and not DIFFER.search(text))
        if is_null and owners and all(f.way is Way.NO_DIFFERENCE for f in owners):
            continue  # "higher, but not significantly" is of no difference
        faults.extend(
            f"“{clause.strip()}” tells of {_TOLD[sign]}, but {_shown(owners)}"
            for sign in sorted(found.difference(*(expected[f.id] for f in owners if expected)))
        )
    yield from faults
    if told and not faults:
        for finding in cited:
            if _must_be_told(finding, text, cited) and not allowed[finding.id] & told:
                said = " and ".join(_TOLD[sign] for sign in sorted(told))
                yield f"it tells of {said}, but {finding.id} shows {_SHOWN[finding.way]}"


_SIDES = 2
"""Shares from which a direction can be told: of those with the drug, and of the others."""


def turned_faults(text: str, cited: Sequence[Finding], *, own: bool) -> Iterator[str]:
    """Yield the directions of a sentence of which its findings show none, but opposite ones.

    Of several that it tells one is enough: which clause tells of which result a verifier judges.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        own: Whether the verifier is the writer: then findings must show one of them. Else only
            results that code typed count.
    """
    findings = [_with_polarity(finding) for finding in cited if own or finding.way]
    outcome = frozenset().union(*(keys_of(f.outcome) for f in findings))
    told_of = without_open(ABSENT.sub("", text))
    plain = _without_people(_NO_ARM.sub("", told_of), findings)
    parts, told = clauses(plain), signs(plain, outcome) - {"none"}
    telling = [part for part in parts if signs(part, outcome)]
    allowed = frozenset().union(*(_expected(f, c, own=True) for f in findings for c in telling))
    if any(_TIME_TO.search(f"{f.outcome} ") for f in findings):
        allowed |= _EITHER  # more time to something is less of it
    opposite = {_OPPOSITE[sign] for sign in told} & allowed
    # From shares of both sides alone whoever judges it tells the direction.
    quotes = [quote for f in findings for quote in f.quotes]
    shares = sum(q.unit.dimension == "%" for quote in quotes for q in quantities(quote))
    bare = shares < _SIDES or any(signs(quote) for quote in quotes)
    if told and not told & allowed and (opposite or (own and bare and not allowed - {"none"})):
        said = " and ".join(_TOLD[sign] for sign in sorted(told))
        yield f"it tells of {said}, but {_shown(findings)}"


def _must_be_told(finding: Finding, text: str, cited: Sequence[Finding]) -> bool:
    """Return whether a sentence must tell what a finding shows: of several of a record, not each.

    One whose outcome it does not name may be cited for the people or the design. That findings
    differ may be told of them together.
    """
    if finding.way is None or len(cited) == 1:
        return len(cited) == 1
    if DIFFER.search(text) and len({f.way for f in cited if f.way}) > 1:
        return False
    beside = any(f.evidence_ids == finding.evidence_ids and f is not finding for f in cited)
    return not beside or bool((keys_of(finding.outcome) - VAGUE) & keys_of(text))


def _owners_of(clause: str, cited: Sequence[Finding], *, own: bool) -> Sequence[Finding]:
    """Return the findings that a clause is of; all of them where it tells none apart.

    It tells them apart by an estimate, or by all words of an outcome; where nobody else judges it,
    by most words of their quotes.
    """
    there, figures = keys_of(clause), {abs(q.value) for q in quantities(clause)}
    outcomes = {f.id: keys_of(f.outcome) - VAGUE for f in cited}
    named = [f for f in cited if outcomes[f.id] and outcomes[f.id] <= there]
    values = {f.id: f.effect.value for f in cited if f.effect}
    given = [f for f in cited if (value := values.get(f.id)) is not None and abs(value) in figures]
    near = _nearest(there - SIGN_WORDS - VAGUE, cited) if own else ()
    return [f for f in given if f in named] or given or named or near or cited


def _nearest(keys: frozenset[str], cited: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings with a direction whose quotes have most of some words."""
    telling = [f for f in cited if f.way or any(signs(q, ()) for q in f.quotes)]
    shared = {f.id: len(keys & keys_of("\n".join(f.quotes))) for f in telling}
    return [f for f in telling if shared[f.id] == max(shared.values())]


def _shown(cited: Sequence[Finding]) -> str:
    shown = ", ".join(f"{f.id} shows {_SHOWN[f.way]}" for f in cited if f.way)
    return shown or "its findings do not"


def _without_people(text: str, cited: Sequence[Finding]) -> str:
    """Return a text without words for a direction that only name people: "adults at high risk"."""
    for finding in cited:
        for one, other in pairwise(words(finding.population)):
            if one.key in SIGN_WORDS:
                phrase = rf"{re.escape(one.raw)}(?=\s{re.escape(other.raw)}\b)"
                text = re.sub(rf"{_PEOPLE}{phrase}", r"\1", text, flags=re.IGNORECASE)
    return text


def _expected(finding: Finding, clause: str, *, own: bool) -> frozenset[Sign]:
    """Return the directions that a clause may tell of a finding, by the arm that it tells of."""
    way = finding.way
    told = frozenset().union(*(_in_words(quote, finding, clause) for quote in finding.quotes))
    if way is None:
        return told
    if way is Way.NO_DIFFERENCE:
        return told | {"none"}
    if way is Way.CONFLICT:
        return _ANY
    drug, other = names_of(finding)
    return told | _for(_arms(clause, drug, other, own=own), _of_drug(finding, clause, way, own=own))


def _in_words(quote: str, finding: Finding, clause: str) -> frozenset[Sign]:
    """Return the directions that a clause may tell of what a record tells in its own words.

    Those of the clause of the record that has most words in common with it.
    """
    drug, other = _arms_named(quote, finding)
    parts = [c for sentence in whole_sentences(quote) for c in clauses(sentence.text)]
    telling = {c: told for c in parts if (told := signs(c, keys_of(finding.outcome)))}
    about = keys_of(clause) - SIGN_WORDS - VAGUE - COMPARING - drug - other
    shared = {c: len(about & keys_of(c)) for c in telling}
    nearest = [c for c in telling if shared[c] == max(shared.values())]
    of_drug = frozenset().union(
        *(
            _for(_arms(c, drug, other, own=True), telling[c] | _as_good(c, telling[c]))
            for c in nearest
        )
    )
    return _for(_arms(clause, drug, other, own=True), of_drug)


def _arms_named(quote: str, finding: Finding) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of the drug and of what a quote names beside it; else of its first arm."""
    drug, other = names_of(finding)
    named = frozenset(w.key for w in words(quote) if is_arm(w))
    if drug & keys_of(quote):
        return drug, (named | other) - drug
    first = next((frozenset({w.key}) for w in words(quote) if is_arm(w)), frozenset())
    return first, named - first


def _as_good(clause: str, told: frozenset[Sign]) -> frozenset[Sign]:
    """Return "good" or "bad" for an amount of what is known to be good or bad."""
    term = term_in(clause)
    higher_is_better = None if term is None or term.is_reversed else term.construct.higher_is_better
    if higher_is_better is None:
        return frozenset()
    good, bad = _AMOUNTS[higher_is_better], _AMOUNTS[not higher_is_better]
    as_told: dict[Sign, Sign] = {good: "good", bad: "bad", "good": good, "bad": bad}
    return frozenset(as_told[sign] for sign in told if sign in as_told)


def _for(arms: frozenset[bool], told: frozenset[Sign]) -> frozenset[Sign]:
    """Return the directions for some arms, of those that are told of the one asked about."""
    other = frozenset(_OPPOSITE.get(sign, sign) for sign in told)
    return frozenset().union(*(told if arm else other for arm in arms))


def _of_drug(finding: Finding, clause: str, way: Way, *, own: bool) -> frozenset[Sign]:
    """Return the directions that may be told of those with the drug."""
    amounts: set[Sign] = set()
    if own and keys_of(clause) & keys_of(finding.outcome) >= _SURVIVAL:
        amounts.add(_AMOUNTS[way is Way.BENEFIT])
    if finding.higher_is_better is not None:
        amounts.add(_AMOUNTS[finding.higher_is_better is (way is Way.BENEFIT)])
    # A hazard ratio below 1 is a lower hazard, and longer survival.
    if (more := _has_more(finding)) is not None and (not amounts or _RISKS & keys_of(clause)):
        is_time = _TIME_TO.search(clause) and finding.effect and finding.effect.measure == "HR"
        amounts.add(_AMOUNTS[more is not bool(is_time)])
    if not amounts and own:
        amounts = {*_quoted(finding)}
    amounts = amounts or {*_EITHER}  # whether more of it is better is not known
    return frozenset({"good" if way is Way.BENEFIT else "bad", *amounts})


def _quoted(finding: Finding) -> frozenset[Sign]:
    """Return the amounts that the quotes tell of the outcome with the drug, as far as they do."""
    drug, other = names_of(finding)
    outcome = keys_of(finding.outcome) - VAGUE
    near = (c for quote in finding.quotes for c in clauses(quote) if outcome & keys_of(c))
    told = (_for(_arms(c, drug, other, own=True), signs(c, outcome)) for c in near)
    return frozenset().union(*told) & _EITHER


def is_arm(word: Word) -> bool:
    """Return whether a word names a drug, or what is given in its place."""
    return word.key in CONTROLS or any(m.drug.kind is DrugKind.DRUG for m in find_drugs(word.raw))


def names_of(finding: Finding) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems that name the drug, and those that name only its comparator."""
    drug = keys_of(finding.drug)
    shared = drug | keys_of(f"{finding.population} {finding.outcome}")
    names = words(NOTHING.sub("control", finding.comparator))
    other = frozenset(w.key for w in names if w.key in CONTROLS or not is_english(w.raw))
    return drug, other - shared


def _arms(
    clause: str, drug: frozenset[str], other: frozenset[str], *, own: bool
) -> frozenset[bool]:
    """Return of whom a clause may tell: True for those with the drug, False for the others.

    The arm behind a word of comparison is the one that the other is compared with. Of two that
    stand before it, a sentence is of the one that its direction is told of, if nobody else judges
    it: the last before the word for that, else the first.
    """
    told = words(clause)
    subjects: list[bool] = []
    behind: set[bool] = set()
    last = before_sign = 0
    sign_at = next((at for at, word in enumerate(told) if is_sign(word)), len(told))
    for at, word in enumerate(told):
        if word.key in drug | other:
            before = {w.key for w in told[max(last, at - 3) : at]}
            last = at + 1
            if before & COMPARING or _WITHOUT in before:
                behind.add(word.key in drug)
            else:
                subjects.append(word.key in drug)
                before_sign += at < sign_at
        elif is_arm(word):
            last = at + 1
    nearest = subjects[max(before_sign - 1, 0) :][:1]
    return frozenset((nearest if own else subjects) or {not arm for arm in behind} or {True})


def _with_polarity(finding: Finding) -> Finding:
    """Return a finding that says whether more of its outcome is good, as far as that is known."""
    term = term_in(finding.outcome)
    if finding.higher_is_better is not None or term is None or term.is_reversed:
        return finding
    is_plain = turned_by(finding.outcome, term.key) is False
    higher_is_better = term.construct.higher_is_better if is_plain else None
    return finding.model_copy(update={"higher_is_better": higher_is_better})


def _has_more(finding: Finding) -> bool | None:
    """Return whether those with the drug have more of the outcome, by the estimate."""
    effect = finding.effect
    if effect is None or effect.value is None or effect.measure is None:
        return None
    none = 1.0 if effect.measure in RATIOS or effect.measure == "ratio" else 0.0
    if effect.value == none:
        return None
    return (effect.value > none) != (effect.measure == "RRR")
