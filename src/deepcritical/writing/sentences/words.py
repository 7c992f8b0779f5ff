"""Puts rows of a summary of findings into sentences that name the drug."""

from __future__ import annotations

import re

from deepcritical.domain.appraisal.effect_words import (
    counts_events,
    effect_size,
    fears_words,
    is_amount,
    is_counted,
    is_of_fears_beside,
    kind_words,
    of_share,
    row_direction,
    sides_words,
)
from deepcritical.domain.appraisal.votes import (
    CONTINUED,
    NOT_STATED,
    STOPPED_EARLY,
    STOPPING,
    Directness,
    OutcomeRow,
    Tier,
    Vote,
    Way,
)
from deepcritical.domain.text.spans import capitalised
from deepcritical.vocabulary.conditions import condition_in
from deepcritical.vocabulary.outcomes import construct_of
from deepcritical.vocabulary.words import in_running_text

_COMPARED = re.compile(f",? (?:compared with|than with|than|against) {NOT_STATED}$")
_WITHIN_SUBJECT = re.compile(r"(?:of|result on) \{outcome\} was ")
_COMPOSITE = re.compile(r"^composite \(([^()]*)\)$")
_BEHIND_HEAD = re.compile(r" (?:of|from|due|in|with|by|for|after|at|on|than|or|and)\b|[,;(/]")
_LASTING = re.compile(r"(?i)survival|free")
_TURNED = re.compile(
    r"(?i)surviv|free\b|\btimes?\b|\b(?:onset|latency|delay|interval|less|fewer|lower|prevent|suppress|loss|no|not|without|absence|reduc|decreas|improv|resol|toler|complet|retent)"
)
"""Words for less of something, or for its end."""
_OF_AMOUNTS = frozenset(("MD", "difference"))
_WORD = re.compile(r"[^\W_]+")
_OF_ANY = frozenset(
    "a adjusted an and any at change events from in mean of or rate risk score the".split()
)
_LONGEST = 80
"""Characters of an outcome in a record's words that a sentence holds."""
_PLURAL = re.compile(r"(?<![aiosu])s$")
_SINGULAR = frozenset(
    "diabetes herpes rickets measles mumps rabies scabies caries ascites tetanus".split()
)
_ONLY_FIRST_BIG = re.compile(r"[A-Z][a-z-]{3,}")
_WHERE: dict[Tier, str] = {
    "randomised": "",
    "controlled": "in studies without randomisation, ",
    "reported": "as a narrative review tells, ",
    "uncontrolled": "",
}
IN_OTHERS: dict[Directness, str] = {
    "direct": "",
    "broader": ", in people who do not all fit the question",
    "related": ", in people with another condition",
}
CERTAINTY = "The certainty"
"""The beginning of a sentence on why a finding is no more certain."""
CONTROL = "placebo or no treatment"
"""The comparator of a row that names no active drug."""


def listed(names: list[str], conjunction: str = "and") -> str:
    """Return ``a, b and c``."""
    *first, last = names or [""]
    return f" {conjunction} ".join(part for part in (", ".join(first), last) if part)


def row_sentence(row: OutcomeRow, drug: str) -> str:
    """Return what was found on one outcome: effect, comparator, studies, people, certainty."""
    if row.outcome == STOPPED_EARLY:
        trials, were = (f"{row.studies} trials", "were") if row.studies > 1 else ("A trial", "was")
        told = f"{trials} of {drug} {were} {STOPPED_EARLY} {row_direction(row)}"
        return f"{told}{who(row)} ({_figures(row)})."
    said = (_harm_words if row.importance == "harm" else _effect)(row)
    outcome = _COMPOSITE.sub(r"the composite of \1", condition_in(row.outcome) or row.outcome)
    if measured := measured_as(row):
        own_name = row.importance == "harm" and not _is_turned(row)
        outcome = measured if own_name else f"{outcome} (reported as {measured})"
    else:
        outcome = _narrower(row) or outcome
    if not _WITHIN_SUBJECT.search(said) and _is_plural(outcome):
        said = said.replace("{outcome} was ", "{outcome} were ")
    given = as_tested(row, drug)
    if row.control == CONTINUED:
        given = f"{STOPPING}{given.replace(STOPPING, '')}"
    against = row.comparator or row.control or (CONTROL if row.tier == "randomised" else "no use")
    against = row.other_arm or against
    given, against = sides(row, given, within(against))
    told = said.format(drug=given, outcome=outcome, against=against).replace(",,", ",")
    if against == NOT_STATED:
        told = _COMPARED.sub("", told)
    return f"{capitalised(told)}{who(row)} ({_figures(row)})."


def as_tested(row: OutcomeRow | Vote, drug: str) -> str:
    """Return what was tested; of a class by its name alone nobody knows which drugs were given."""
    if row.one_arm and not row.tested_as:
        arm = within(row.one_arm)
        if drug.casefold() not in arm.casefold():
            return f"{drug} ({arm})"
        return f"{arm}," if "," in arm else arm
    if not row.tested_as:
        return row.members or drug
    is_named = drug.casefold() in row.tested_as.casefold()
    return f"{row.tested_as}, {'among them' if is_named else 'the class of'} {drug},"


def measured_as(row: OutcomeRow) -> str:
    """Return what the only record of a row measured, in its words; '' where these add nothing."""
    told = in_running_text(row.told_as)
    new = set(_WORD.findall(told.casefold())) - set(_WORD.findall(row.outcome.casefold()))
    is_plain = row.is_fatal or row.outcome.startswith("composite (")
    return "" if is_plain or not new - _OF_ANY or len(told) > _LONGEST else told


def _is_turned(row: OutcomeRow) -> bool:
    """Return whether more of what a record measured may be less of what the row is named after."""
    is_good = row.polarity in ("more", "unclear") or is_asset(row)
    return is_good or bool(_TURNED.search(row.told_as))


def _narrower(row: OutcomeRow) -> str:
    """Return what the only record of a row measured, where the row is named after more than it."""
    told = in_running_text(row.told_as)
    own, all_of_row = (set(_WORD.findall(name.casefold())) for name in (told, row.outcome))
    is_part = own < all_of_row and bool(all_of_row - own - _OF_ANY)
    return told if is_part and not row.is_fatal and row.importance != "harm" else ""


def sides(row: OutcomeRow | Vote, given: str, against: str) -> tuple[str, str]:
    """Return what was given and against what, where other treatment was given on a side too."""
    if row.other_arm:
        return given, against
    if row.added_to and row.added_to == row.comparator:
        return f"{given} added to {against}", f"{against} alone"
    beside = f" with {within(row.given_with)}" if row.given_with else ""
    return f"{given}{beside}", against


def _is_plural(outcome: str) -> bool:
    """Say whether an outcome is several things: "serious adverse events", not "quality of life"."""
    head = _BEHIND_HEAD.split(outcome)[0].split()[-1:]
    return any(_PLURAL.search(word) and word.casefold() not in _SINGULAR for word in head)


def within(name: str) -> str:
    """Return the name of what was given as it stands within a sentence, in small letters."""
    return " ".join(
        word[:1].lower() + word[1:] if _ONLY_FIRST_BIG.fullmatch(word) else word
        for word in name.split(" ")
    )


def _effect(row: OutcomeRow) -> str:
    if row.tier == "uncontrolled":
        changed = {Way.BENEFIT: "improved", Way.HARM: "worsened"}.get(row.way, "did not change")
        return f"{{outcome}} {changed} after {{drug}}, without a control group"
    where = _WHERE[row.tier]
    none = f"{where}{{drug}} showed no clear effect on {{outcome}} compared with {{against}}"
    if row.way is Way.CONFLICT:
        if is_of_fears_beside(row):
            return f"{none}, {fears_words(row)}"
        differ = f"{where}{_who_differs(row)}"
        return f"{differ} on the effect of {{drug}} on {{outcome}} against {{against}}"
    if row.way is Way.NO_DIFFERENCE:
        return none
    if row.trivial:
        return (
            f"{where}{{drug}} changed {{outcome}} too little to matter, compared with {{against}}"
        )
    verb = _verb(row)
    better = "better" if row.way is Way.BENEFIT else "worse"
    is_lower = is_measured(row) and not counts_events(row)
    if row.comparator not in ("", row.added_to):
        # What the other drug does by itself is not known.
        verb = verb if is_lower or counts_events(row) or row.is_fatal else ""
    elif verb and not where:
        return f"{{drug}} {verb} {{outcome}} compared with {{against}}"
    kind = ("lower", "higher") if is_lower else ("less frequent", "more frequent")
    less = dict(zip(("reduced", "increased"), kind, strict=True)).get(verb, better)
    subject = "{outcome}" if verb else "the result on {outcome}"
    less = of_share(less, row.outcome)
    return f"{where}{subject} was {less} with {{drug}} than with {{against}}"


def _verb(row: OutcomeRow) -> str:
    """Return the verb that fits what the outcome measures; never from the sign of a figure.

    Returns:
        '' where it is unclear which way is better.
    """
    # Of deaths fewer are better, whatever a reader says of the words that count them.
    if counts_events(row) or (row.is_fatal and not _LASTING.search(row.outcome)):
        return "reduced" if row.way is Way.BENEFIT else "increased"
    construct = construct_of(row.outcome, row.outcome)
    table = construct.higher_is_better if construct else None
    if row.polarity == "unclear":
        return ""
    by_table = table is False or bool(condition_in(row.outcome))
    less = by_table if row.polarity == "" else row.polarity == "less"
    if less or (row.polarity == "more" and table is False):
        return "reduced" if less is (row.way is Way.BENEFIT) else "increased"
    return "improved" if row.way is Way.BENEFIT else "worsened"


def _harm_words(row: OutcomeRow) -> str:
    none = "{drug} showed no clear effect on {outcome} compared with {against}"
    differ = f"{_who_differs(row)} on {{outcome}} with {{drug}} against {{against}}"
    differ = f"{none}, {fears_words(row)}" if is_of_fears_beside(row) else differ
    more, less = ("higher", "lower") if is_measured(row) else ("more frequent", "less frequent")
    more, less = of_share(more, row.outcome), of_share(less, row.outcome)
    if is_asset(row):
        more, less = "worse", "better"
    return {
        Way.HARM: f"{{outcome}} was {more} with {{drug}} than with {{against}}",
        Way.BENEFIT: f"{{outcome}} was {less} with {{drug}} than with {{against}}",
        Way.NO_DIFFERENCE: none,
        Way.CONFLICT: differ,
    }[row.way]


def is_asset(found: OutcomeRow | Vote) -> bool:
    """Return whether more of an outcome is good, as of memory: as a harm it gets worse.

    Pregnancies that are counted get more or less frequent.
    """
    construct = construct_of(found.outcome, found.outcome)
    if construct is None or not construct.higher_is_better:
        return False
    of_births = construct.part_of == "live birth and pregnancy"
    return not (of_births and is_counted(found))


def is_measured(row: OutcomeRow) -> bool:
    """Return whether a row is of an amount in each person, and counts no events."""
    measures = {e.effect.measure for e in row.effects if e.effect and e.effect.measure}
    return is_amount(row.outcome) or (bool(measures) and measures <= _OF_AMOUNTS)


def _who_differs(row: OutcomeRow) -> str:
    return "studies differ" if row.studies > 1 else "results of one study differ"


def told_of(row: OutcomeRow) -> tuple[str, ...]:
    """Return the records that a sentence on a row cites, as far as they have a part in it."""
    return row.evidence_ids + (row.beside if is_of_fears_beside(row) else ())


def who(row: OutcomeRow) -> str:
    """Return in whom a row was found, as ", in …"; '' for just the people asked about."""
    if row.population:
        return f", {row.population}"
    if row.directness == "broader" and not row.control:
        return ", not only in the people asked about"
    if row.directness == "broader" and (row.tested_as or any(e.tested_as for e in row.effects)):
        return ""
    return IN_OTHERS[row.directness]


def _figures(row: OutcomeRow) -> str:
    one, several = kind_words(row.tier)
    studies = f"{row.studies} {several if row.studies != 1 else one}"
    if row.review:
        studies = _reviews(row, several)
    else:
        studies += _of_class_too(row)
    if sides := sides_words(row):
        studies += f": {sides}"
    parts = (effect_size(row), studies, _people(row), f"{row.certainty.value} certainty")
    return "; ".join(part for part in parts if part)


def _reviews(row: OutcomeRow, several: str) -> str:
    """Return what reviews a row is from, and of how many studies as far as they tell."""
    is_untold = row.studies in (1, len(row.effects))
    # The number is of all studies of a review, which may hold others beside trials.
    of = several if is_untold else f"{row.studies} studies"
    reviews = f"{len(row.effects)} reviews" if len(row.effects) > 1 else "a review"
    return f"from {reviews} of {of}"


def _people(row: OutcomeRow) -> str:
    """Return how many took part, and in how many of the results that is known."""
    people = f"{row.people:,} people" if row.people else ""
    known = sum(bool(e.people) for e in row.effects)
    if not people or known == len(row.effects):
        return people
    return f"{people} in {known} of {len(row.effects)} {kind_words(row.tier)[1]}"


def _of_class_too(row: OutcomeRow) -> str:
    """Return which studies of a row on the drug are of its class."""
    of_class = {e.tested_as for e in row.effects if e.tested_as}
    if of_class and not row.tested_as:
        names = sorted(within(name) for name in of_class)
        return f", some of them of {listed(names, 'or')}"
    return ""
