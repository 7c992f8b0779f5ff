"""Chooses the sentences in which records tell harms of a drug in their own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from deepcritical.domain.appraisal.findings import Appraisal, Given
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import OutcomeRow, Way
from deepcritical.domain.evidence.record import Evidence, Fact, FactRole
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.text.harms import SAFETY
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold
from deepcritical.questions.withdrawing import STOPS, mentions_in, stopped_in
from deepcritical.vocabulary.classes import drug_class, find_classes
from deepcritical.vocabulary.drugs import find_drugs, lookup_drug
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.outcomes import terms_of
from deepcritical.writing.sentences.unread import (
    is_of_one_dose,
    is_opening,
    main_result,
    quoted,
    tells_failure,
    tells_finding,
    without_treated,
)

_TOLD_WORDS = 3
_LONGEST = 2_000
"""Characters of the longest sentence that is quoted."""
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
_PRAISES = bounded(
    r"\b(?:safe|safely|safety|well[- ]tolerated|tolerab\w+|acceptab\w+)\b", re.IGNORECASE
)
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
    r"\b(?:was|were) (?:\w+ )?(?:randomi[sz]ed|randomly (?:assigned|allocated)|enrolled|"
    r"performed|conducted)\b|"
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


def feared_names(frame: QuestionFrame) -> tuple[str, ...] | None:
    """Return the folded names of the harm that a question asks about; None of any other one."""
    if not frame.brings_harm:
        return None
    names = frame.feared.names if frame.feared else frame.outcomes
    return tuple(map(fold, names))


def _is_harm(fact: Fact) -> bool:
    return fact.role is FactRole.HARM and len(fact.quote) <= _LONGEST


def _tells_harm(fact: Fact) -> bool:
    """Return whether a sentence tells what happened to people: no praise, no background."""
    quote = fact.quote
    praises = not _OF_PEOPLE.search(quote) and (_PRAISES.search(quote) or _BY_OTHERS.search(quote))
    if "lack of efficacy" in fold(quote):
        return False
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


def _is_of_others(quote: str, record: Evidence, ours: Set[str]) -> bool:
    """Return whether a sentence, or the title of one without a name, names other drugs alone."""
    named = _named_in(quote) or _named_in(record.citation.title)
    return bool(named) and not named & ours


def _is_of_treated(quote: str, record: Evidence) -> bool:
    """Return whether all words of a sentence for a harm are what its record says is treated."""
    left = without_treated(quote, record.citation.title)
    return bool(SAFETY.search(quote)) and not SAFETY.search(left)


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
        facts = [f for f in appraisal.reading.context if _is_harm(f)]
        told = [f for f in facts if _tells_harm(f) and self._is_of_it(f, record, appraisal)]
        if self.asked and (main := main_result(record, self.drug, self.asked)):
            first = Fact.of(main, appraisal.evidence_id, FactRole.HARM)
            if self._is_of_stopping(first, record):
                told = [first, *(fact for fact in told if fact.start != first.start)]
        return told

    def told(
        self, appraisals: Mapping[str, Appraisal], evidence: Mapping[str, Evidence]
    ) -> Iterator[Fact]:
        """Yield the sentences in which records tell harms of the drug, counted or not.

        Those of people who were read as others are left out.
        """
        for one in _near(appraisals):
            yield from self.told_in(one, evidence[one.evidence_id])

    def all_in(self, appraisal: Appraisal, record: Evidence) -> list[Fact]:
        """Return all that a record says of harms, first what is told of the drug.

        Left out is what is on other drugs alone, or on methods without a figure of people.
        """
        told, ours = self.told_in(appraisal, record), _names_of(self.drug, self.frame)
        starts = {fact.start for fact in told}
        return told + [
            fact
            for fact in appraisal.reading.context
            if _is_harm(fact)
            and fact.start not in starts
            and not _is_of_others(fact.quote, record, ours)
            and (_names(fact, self.asked) or not _is_of_treated(fact.quote, record))
            and (_OF_PEOPLE.search(fact.quote) or not _OF_METHODS.search(fact.quote))
        ]

    def _is_of_it(self, fact: Fact, record: Evidence, appraisal: Appraisal) -> bool:
        ours, given = _names_of(self.drug, self.frame), appraisal.reading.given
        if record.metadata.kind == "trial" or not _is_of(fact.quote, record, ours, given):
            return False
        if _is_of_treated(fact.quote, record) and not _names(fact, self.asked):
            return False
        if is_opening(fact.start, record) and not _OF_PEOPLE.search(fact.quote):
            return False
        none = _NONE_SEEN.search(fact.quote) or tells_failure(fact.quote)
        if none and is_of_one_dose(fact.quote, record):
            return False
        return self._is_of_stopping(fact, record)

    def _is_of_stopping(self, fact: Fact, record: Evidence) -> bool:
        """Return whether a sentence is on stopping where that is asked about, else on taking."""
        stopping = bool(self.frame and self.frame.stopping)
        return _is_of_stopping(fact.quote, record, _names_of(self.drug, self.frame)) is stopping


def _near(appraisals: Mapping[str, Appraisal]) -> Iterator[Appraisal]:
    counting = (one for one in appraisals.values() if one.counts)
    return (one for one in counting if one.reading.direct or one.reading.unclear)


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

    facts = filter(is_new, harms.told(appraisals, evidence))
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
