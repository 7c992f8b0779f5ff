"""Writes what a brief says of harms: comparisons first, else what studies tell by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from deepcritical.appraisal.certainty import LADDER
from deepcritical.domain.appraisal import Appraisal, Given
from deepcritical.domain.certainty import Certainty
from deepcritical.domain.effect_words import (
    EIGHTH,
    FIFTH,
    FIRST,
    FOURTH,
    LATEST,
    THIRD,
    gravest_first,
    shows_more_harm,
)
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.frame import QuestionFrame
from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.text import capitalised, fold
from deepcritical.domain.verdict import Verdict, VerdictLabel
from deepcritical.domain.votes import OutcomeRow, Way
from deepcritical.questions.withdrawing import STOPS, mentions_in, stopped_in
from deepcritical.vocabulary.classes import drug_class, find_classes
from deepcritical.vocabulary.drugs import find_drugs, lookup_drug
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.outcomes import terms_of
from deepcritical.writing.unread import (
    is_of_one_dose,
    main_result,
    quoted,
    tells_failure,
    tells_finding,
)
from deepcritical.writing.words import (
    as_tested,
    is_measured,
    listed,
    measured_as,
    row_sentence,
    told_of,
)

_TOLD = 2
"""Harms that are told in a sentence of their own; the others are listed."""
_LISTED = 6
"""Of the others, those that are named."""
_TOLD_WORDS = 3
_NOTHING = bounded(
    r"\b(?:gives? no|(?:does|did) not (?:give|report)|no (?:\w+ ){0,2}(?:data|figures?)|"
    r"(?:data|evidence)(?: [\w-]+){0,9} (?:are|is) (?:limited|lacking|scarce|sparse))\b",
    re.IGNORECASE,
)
_NONE_SEEN = bounded(
    r"^(?:no|none|neither|nor)\b|\b(?:no|not|without|rare|did not)(?: [\w-]+){0,4} "
    r"(?:adverse|complications?|toxicit\w+|harms?|side effects?|occur\w*|observed|seen|reported)\b",
    re.IGNORECASE,
)
_SEEN = bounded(
    r"\d|\b(?:no|not|none|without|occur\w*|experienc\w+|develop\w+|observed|seen|noted|reported|"
    r"caus(?:e|ed|es)|led to|increas\w+|reduc\w+|higher|lower|more|fewer|died|"
    r"common(?:ly)?|rare(?:ly)?|mild|transient)\b",
    re.IGNORECASE,
)
"""Words of a sentence that tells what happened to people."""
_CONCLUDES = bounded(r"\bconclu(?:de[ds]?|sions?)\b|\bauthors\b", re.IGNORECASE)
"""Words for what authors think, which is less than what they saw."""
_PRAISES = bounded(r"\b(?:safe|safely|safety|well[- ]tolerated|tolerab\w+|acceptab\w+)\b", re.IGNORECASE)
_OF_PEOPLE = bounded(r"\d ?%|\d (?:of|out of|in|/) \d|\d/\d")
"""Praise without a figure of people is the authors' opinion, or a wish for more research."""
_OF_STOPPING = bounded(
    rf"\b(?:after|upon|following|by|from) (?:[\w-]+ ){{0,3}}?{STOPS.pattern}|{STOPS.pattern}"
    r"(?: [\w-]+){0,4} (?:groups?|arms?|symptoms?|syndromes?|reactions?|effects?|was|were|led|"
    r"caused|brought|resulted|increased)\b",
    re.IGNORECASE,
)
_DROPPED_OUT = bounded(
    rf"{STOPS.pattern}[^.;]{{0,60}}\b(?:due to|because|owing to)\b|"
    rf"{STOPS.pattern} (?:from )?the (?:study|trial)\b",
    re.IGNORECASE,
)
_OF_METHODS = bounded(
    r"\b(?:was|were) (?:\w+ )?(?:randomi[sz]ed|randomly (?:assigned|allocated)|enrolled|performed|conducted)\b|"
    r"\bwe (?:carried out|conducted|performed|randomi[sz]ed|randomly)\b|\btumou?r grade\b",
    re.IGNORECASE,
)
"""Words of a sentence on who was treated, and how: a grade in it is no harm that was seen."""
_BY_OTHERS = bounded(r"\b(?:has|have) been (?:reported|shown|described)\b", re.IGNORECASE)
"""Without a figure of people, a sentence on what others saw is background."""
_OF_TREATED = bounded(r"\b(?:treat\w+|active|drug|intervention)\b", re.IGNORECASE)
_OF_CONTROLS = bounded(
    r"\b(?:placebo|control|untreated) (?:group|arm)s?\b|\b(?:of|by|in) (?:the )?controls\b",
    re.IGNORECASE,
)
_SETS_APART = bounded(
    r"\b(?:versus|vs|compar\w+|against|than|or|both|respectively|differ\w*|between)\b",
    re.IGNORECASE,
)
"""Words that set what arms got, or what was seen in them, beside each other."""
_PLUS = r"\s?(?:plus|\+|/|-|(?:in )?combin\w+ with|(?:when )?added to|together with|followed by)\s?"
_BESIDE = r"(?:\bplus\b|\+|/|\b(?:(?:in )?combin\w+|concurrent(?:ly)?|together) with\b)"
_ADDED = bounded(
    rf"\s?{_BESIDE}\s?(?!placebo|usual|standard|best|routine)(?=[A-Za-z])", re.IGNORECASE
)
_ADDED_TO = bounded(rf"(?<!placebo)[A-Za-z)]\s?{_BESIDE}\s?(?:concurrent )?$", re.IGNORECASE)
"""Signs behind and before a drug that something else was given with it, known or not."""
_TOGETHER: Mapping[Given, re.Pattern[str]] = {
    "alone": bounded(_PLUS, re.IGNORECASE),
    "": bounded(rf"{_PLUS}|(?:,|,? and| with) ", re.IGNORECASE),
}
"""Words between drugs given together, by how the study gives one: "and" may stand between arms."""


def harm_sentences(verdict: Verdict, drug: str, *, wording: int = LATEST) -> tuple[Sentence, ...]:
    """Return what was more frequent with the drug; else that no excess, or nothing, was found.

    Args:
        verdict: What was found.
        drug: Of what.
        wording: One of `WORDINGS`. The first left out harms against the drug asked about, those
            before the third harms beyond the second, and those before the last one what was less
            frequent, where anything else was told.
    """
    return tuple(_harms(verdict, drug, wording))


def harms_beside(answer: Sequence[Sentence], verdict: Verdict, drug: str) -> tuple[Sentence, ...]:
    """Return the harms that an answer does not tell already."""
    return tuple(s for s in harm_sentences(verdict, drug) if s not in answer)


def _harms(verdict: Verdict, drug: str, wording: int) -> Iterator[Sentence]:
    harms = [r for r in verdict.rows if r.importance == "harm"]
    feared = [r for r in harms if not r.comparator or (r.asked and wording > FIRST)]
    grave = [r for r in verdict.rows if r.is_grave and _may_be_told(r, wording)]
    more = [r for r in dict.fromkeys((*grave, *feared)) if r.way in (Way.HARM, Way.CONFLICT)]
    if wording < THIRD:
        ordered = sorted(more, key=lambda r: (not r.is_grave, r.way is not Way.HARM))
    else:
        beside = (r for r in harms if r not in more and r.way is Way.HARM)
        ordered = gravest_first((*more, *beside))
    told = ordered[:_TOLD]
    for row in told:
        yield _said(row, drug, wording)
    none = [r for r in feared if r.way is Way.NO_DIFFERENCE]
    if verdict.label is VerdictLabel.NOT_ASSESSED and not told:
        text = f"Too few of the studies could be read to say anything of the harms of {drug}."
        yield Sentence(text=f"{text} That is not evidence of safety.")
        return
    others = [r for r in ordered[_TOLD:] if r.way is Way.HARM and wording >= THIRD]
    if others := [r for r in others if wording < FOURTH or not r.harm_asked]:
        yield _listed(others, drug, wording)
    if none and not told:
        yield from _no_excess(none[:3], drug, wording)
    less = [r for r in feared if r.way is Way.BENEFIT]
    two_sided = wording >= THIRD and any(row.asked for row in less)
    if (told or none) and not two_sided:
        sure = [r for r in less if r.certainty is not Certainty.VERY_LOW]
        less = sure if wording >= LATEST else []
    for row in less[:_TOLD]:
        yield _said(row, drug, wording)
    if not feared and not told:
        against = " with placebo or no treatment" if harms and wording > FIRST else ""
        text = f"No comparison{against} of harms of {drug} could be read from the records found."
        if wording >= FOURTH:
            text = f"No result that is weighed here compares harms of {drug}{against}."
        yield Sentence(text=f"{text} That is not evidence of safety.")


def _may_be_told(row: OutcomeRow, wording: int) -> bool:
    """Return whether a grave outcome may be told as a harm: more was found, or is in doubt."""
    if wording < THIRD:
        return row.way is Way.HARM
    return wording < FOURTH or row.importance == "harm" or shows_more_harm(row)


def _said(row: OutcomeRow, drug: str, wording: int) -> Sentence:
    text = row_sentence(row, drug, wording=wording)
    return Sentence(text=text, evidence_ids=told_of(row, wording))


def _listed(rows: Sequence[OutcomeRow], drug: str, wording: int) -> Sentence:
    """Return the harms that have no sentence of their own, the gravest of them by name."""
    named = rows[:_LISTED] if wording >= FOURTH else rows
    ids = tuple(dict.fromkeys(i for row in named for i in row.evidence_ids))
    if wording < FOURTH:
        told = listed([f"{row.outcome}{_than(row.comparator)}" for row in rows])
        return Sentence(text=f"Also more frequent: {told}.", evidence_ids=ids)
    by_kind: dict[str, dict[str, list[str]]] = {}
    for row in named:
        more = "higher" if wording >= FIFTH and is_measured(row) else "more frequent"
        given = as_tested(row, drug, wording) if row.tested_as else ""
        name = (measured_as(row, wording) if wording >= FIFTH else "") or row.outcome
        beside = _than(row.comparator, given if wording >= FIFTH else "")
        by_kind.setdefault(more, {}).setdefault(beside, []).append(name)
    kinds = (
        f"{more}: {'; '.join(f'{listed(names)}{beside}' for beside, names in of_kind.items())}"
        for more, of_kind in by_kind.items()
    )
    beyond = len(rows) - len(named)
    left = (f"and {beyond} more {'outcome' if beyond == 1 else 'outcomes'}",) if beyond else ()
    return Sentence(text=f"Also {'; '.join((*kinds, *left))}.", evidence_ids=ids)


def _than(comparator: str, given: str = "") -> str:
    """Return what was given, where it was more than the drug, and against which other drug."""
    against = f"than with {comparator}" if comparator else ""
    with_it = f"with {given if against else given.rstrip(',')}" if given else ""
    told = " ".join(part for part in (with_it, against) if part)
    return f" ({told})" if told else ""


def _no_excess(rows: Sequence[OutcomeRow], drug: str, wording: int) -> Iterator[Sentence]:
    """Yield that no clear effect was shown: a sentence for each certainty; formerly the least."""
    by_certainty: dict[Certainty | None, list[OutcomeRow]] = {}
    for row in rows:
        by_certainty.setdefault(row.certainty if wording >= LATEST else None, []).append(row)
    yield from (_none_of(alike, drug, wording) for alike in by_certainty.values())


def _none_of(rows: Sequence[OutcomeRow], drug: str, wording: int) -> Sentence:
    names = listed([r.outcome for r in rows], "or")
    ids = tuple(dict.fromkeys(i for r in rows for i in r.evidence_ids))
    least = min((r.certainty for r in rows), key=LADDER.index)
    members = {r.members for r in rows if wording >= FIFTH}
    given = members.pop() if len(members) == 1 else ""
    text = f"No excess of {names} was shown with {given or drug} ({least.value} certainty)."
    if wording >= EIGHTH:
        told = f"{given or drug} showed no clear effect on {names} ({least.value} certainty)."
        text = capitalised(told)
    return Sentence(text=text, evidence_ids=ids)


def harm_facts(appraisals: Mapping[str, Appraisal]) -> list[Fact]:
    """Return the sentences in which records on the drug tell harms, counted or not.

    Those of people who were read as others are left out.
    """
    return [
        fact
        for appraisal in appraisals.values()
        if appraisal.counts and (appraisal.reading.direct or appraisal.reading.unclear)
        for fact in appraisal.reading.context
        if fact.role is FactRole.HARM
    ]


def feared_names(frame: QuestionFrame) -> tuple[str, ...] | None:
    """Return the folded names of the harm that a question asks about; None of any other one."""
    if not frame.brings_harm:
        return None
    names = frame.feared.names if frame.feared else frame.outcomes
    return tuple(map(fold, names))


def _tells_harm(fact: Fact) -> bool:
    """Return whether a sentence tells what happened to people: no praise, no background."""
    quote = fact.quote
    praises = not _OF_PEOPLE.search(quote) and (_PRAISES.search(quote) or _BY_OTHERS.search(quote))
    told = tells_finding(quote) and _SEEN.search(quote) and not _OF_METHODS.search(quote)
    return bool(told) and not praises and not _NOTHING.search(quote)


def _is_of(quote: str, record: Evidence, ours: Set[str], given: Given) -> bool:
    """Return whether a sentence tells of the drug: not of others, nor of it with others.

    A sentence that names other drugs alone is of these, whatever its title names. One that names
    none is of the drug where the title names no other.

    Args:
        quote: The sentence.
        record: Its record.
        ours: The names of the drug; of a combination, of each of its drugs.
        given: How the study gives the drug.
    """
    named, title = _named_in(quote), record.citation.title
    is_alone = bool(named) and named <= ours
    is_apart = _SETS_APART.search(quote) is not None
    if given == "mixed" or (given == "added" and not (is_apart or is_alone)):
        return False
    of_all = named or is_apart or _OF_TREATED.search(quote)
    if not of_all and _OF_CONTROLS.search(quote):
        return False
    titled = {mention.drug.name for mention in find_drugs(title)}
    if given == "":
        is_open = not titled <= ours and not _SETS_APART.search(f"{title} {quote}")
        if is_open or _is_with_others(title, ours, _TOGETHER["alone"]):
            return False
    joined = _TOGETHER["alone" if given == "added" else given]
    if not (given == "added" and is_apart) and _is_with_others(quote, ours, joined):
        return False
    if named:
        return bool(ours & named)
    written = fold(f"{title} {quote}")
    return titled <= ours if titled else any(fold(name) in written for name in ours)


def _is_of_stopping(quote: str, record: Evidence, ours: Set[str]) -> bool:
    """Return whether a sentence tells what came of stopping the drug, in a study of that.

    Harms of taking the drug are none of stopping it, nor are those who left the study for a harm.
    """
    told = f"{record.citation.title}. {quote}"
    stopped = stopped_in(told, frozenset(ours)) & set(map(str.casefold, ours))
    return bool(stopped and _OF_STOPPING.search(quote)) and not _DROPPED_OUT.search(quote)


def _is_with_others(text: str, ours: Set[str], joined: re.Pattern[str]) -> bool:
    """Return whether a text names the drug as given together with something else."""
    told = sorted(mentions_in(text, ours))
    own = [(start, end) for start, end, name in told if name in ours]
    for start, end in own:
        behind, before = _ADDED.match(text[end:]), _ADDED_TO.search(text[:start])
        if behind and end + behind.end() not in {one for one, _ in own}:
            return True
        if before and before.start() + 1 not in {one for _, one in own}:
            return True
    return any(
        (first in ours) is not (second in ours) and joined.fullmatch(text[end:start])
        for (_, end, first), (start, _, second) in pairwise(told)
    )


def _names_of(drug: str, frame: QuestionFrame | None) -> set[str]:
    """The names of what is asked about; of a combination, of each of its drugs."""
    others = [one.name for one in frame.drugs] if frame and frame.together else []
    return set().union(*map(_members, (drug, *others)))


def _members(drug: str) -> set[str]:
    """The names of a drug; of a class or of drugs that are asked about as one, of each of them."""
    group = drug_class(drug)
    alone = {lookup_drug(name).name for name in drug.split(" or ")}
    return alone | ({group.name, *group.members} if group else set())


def _named_in(text: str) -> set[str]:
    """The drugs and the classes that a text names; what is told of a class is of no one drug."""
    classes = {mention.group.name for mention in find_classes(text)}
    return {mention.drug.name for mention in find_drugs(text)} | classes


class HarmsOf(NamedTuple):
    """Finds what records tell of the harms of one drug."""

    drug: str
    frame: QuestionFrame | None

    @property
    def asked(self) -> tuple[str, ...] | None:
        """Return the folded names of the harm that is asked about."""
        return feared_names(self.frame) if self.frame else None

    def told_in(self, appraisal: Appraisal, record: Evidence) -> list[Fact]:
        """Return the sentences in which a record tells harms of the drug, the asked one first.

        Its main result is one where it is on the harm that is asked about.
        """
        facts = [f for f in appraisal.reading.context if f.role is FactRole.HARM]
        told = [f for f in facts if _tells_harm(f) and self._is_of_it(f, record, appraisal)]
        if self.asked and (main := main_result(record, self.drug, self.asked)):
            first = Fact.of(main, appraisal.evidence_id, FactRole.HARM)
            told = [first, *(fact for fact in told if fact.start != first.start)]
        return told

    def _is_of_it(self, fact: Fact, record: Evidence, appraisal: Appraisal) -> bool:
        ours, given = _names_of(self.drug, self.frame), appraisal.reading.given
        if record.metadata.kind == "trial" or not _is_of(fact.quote, record, ours, given):
            return False
        none = _NONE_SEEN.search(fact.quote) or tells_failure(fact.quote)
        if none and is_of_one_dose(fact.quote, record):
            return False
        stopping = bool(self.frame and self.frame.stopping)
        return _is_of_stopping(fact.quote, record, ours) is stopping


def harms_in_own_words(
    drug: str,
    verdict: Verdict,
    appraisals: Mapping[str, Appraisal],
    evidence: Mapping[str, Evidence],
    frame: QuestionFrame | None = None,
) -> tuple[Sentence, ...]:
    """Return harms in the words of publications, those that were asked about first.

    Those on which results are weighed are told with these, and not again. Figures go before words,
    and what tells that no harm was seen stands behind the harms that were seen.

    Args:
        drug: The drug; what is told of another one is left out.
        verdict: With its rows.
        appraisals: Of the drug, by evidence id.
        evidence: The records.
        frame: The question.
    """
    harms = HarmsOf(drug, frame)
    weighed = {(v.evidence_id, v.start) for a in appraisals.values() for v in a.reading.votes}

    def is_new(fact: Fact) -> bool:
        told = (fact.evidence_id, fact.start) in weighed or _is_told(fact, verdict.rows)
        return _names(fact, harms.asked) or not told

    def order(fact: Fact) -> tuple[bool, bool, bool, bool, int]:
        thought = _CONCLUDES.search(fact.quote) is not None
        none = bool(_NONE_SEEN.search(fact.quote) or tells_failure(fact.quote))
        level = appraisals[fact.evidence_id].grade.level or 9
        figures = _OF_PEOPLE.search(fact.quote) is not None
        return not _names(fact, harms.asked), thought, none, not figures, level

    near = [a for a in appraisals.values() if a.counts and (a.reading.direct or a.reading.unclear)]
    facts = (f for a in near for f in harms.told_in(a, evidence[a.evidence_id]) if is_new(f))
    return tuple(_quote(f, evidence[f.evidence_id]) for f in sorted(facts, key=order)[:_TOLD_WORDS])


def _is_told(fact: Fact, rows: Iterable[OutcomeRow]) -> bool:
    """Return whether a row on harms tells what a sentence names: an excess, or its own record's."""
    written = f" {key_of(fact.quote)} "
    harms = [r for r in rows if r.importance == "harm"]
    told = [r for r in harms if r.way is Way.HARM or fact.evidence_id in r.evidence_ids]
    names = {name for r in told for name in (r.outcome, r.told_as, *terms_of(r.outcome)) if name}
    return any(f" {key_of(name)} " in written for name in names)


def _quote(fact: Fact, record: Evidence) -> Sentence:
    text = quoted(" ".join(fact.quote.split()), quotable=record.quotable)
    return Sentence(text=text, evidence_ids=(fact.evidence_id,), origin="quote")


def _names(fact: Fact, asked: Sequence[str] | None) -> bool:
    return any(name in fold(fact.quote) for name in asked or ())
