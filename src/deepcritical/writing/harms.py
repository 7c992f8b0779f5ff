"""Writes what a brief says of harms: comparisons first, else what studies tell by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from deepcritical.appraisal.certainty import LADDER
from deepcritical.domain.appraisal import Appraisal
from deepcritical.domain.effects import gravest_first
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.patterns import bounded
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.verdict import Verdict, VerdictLabel
from deepcritical.domain.votes import OutcomeRow, Way
from deepcritical.vocabulary.drugs import find_drugs, lookup_drug
from deepcritical.writing.unread import quoted, tells_finding
from deepcritical.writing.words import FIRST, LATEST, listed, row_sentence, told_of

__all__ = ["harm_facts", "harm_sentences", "harms_in_own_words"]

_TOLD = 2
"""Harms that are told in a sentence of their own; the others are listed."""
_TOLD_WORDS = 2
_NOTHING = bounded(
    r"\b(?:gives? no|(?:does|did) not (?:give|report)|no (?:\w+ ){0,2}(?:data|figures?))\b",
    re.IGNORECASE,
)


_PRAISES = bounded(r"\b(?:safe|safely|safety|well[- ]tolerated|tolerab\w+)\b", re.IGNORECASE)
"""Without a figure it is no more than the authors' opinion, or a wish for more research."""


def harm_sentences(verdict: Verdict, drug: str, *, wording: int = LATEST) -> tuple[Sentence, ...]:
    """Return what was more frequent with the drug; else that no excess, or nothing, was found.

    Args:
        verdict: What was found.
        drug: Of what.
        wording: One of `WORDINGS`. The first left out harms against the drug asked about, and all
            but the last one left out harms beyond the second.
    """
    return tuple(_harms(verdict, drug, wording))


def _harms(verdict: Verdict, drug: str, wording: int) -> Iterator[Sentence]:
    harms = [r for r in verdict.rows if r.importance == "harm"]
    feared = [r for r in harms if not r.comparator or (r.asked and wording > FIRST)]
    grave = [r for r in verdict.rows if r.is_grave]
    if wording < LATEST:
        grave = [r for r in grave if r.way is Way.HARM]
    more = [r for r in dict.fromkeys((*grave, *feared)) if r.way in (Way.HARM, Way.CONFLICT)]
    if wording < LATEST:
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
    if wording >= LATEST and (others := [r for r in ordered[_TOLD:] if r.way is Way.HARM]):
        yield _listed(others)
    if none and not told:
        yield _no_excess(none[:3], drug)
    less = [r for r in feared if r.way is Way.BENEFIT]
    two_sided = wording >= LATEST and any(row.asked for row in less)
    for row in less[: 0 if (told or none) and not two_sided else _TOLD]:
        yield _said(row, drug, wording)
    if not feared and not told:
        against = " with placebo or no treatment" if harms and wording > FIRST else ""
        text = f"No comparison{against} of harms of {drug} could be read from the records found."
        yield Sentence(text=f"{text} That is not evidence of safety.")


def _said(row: OutcomeRow, drug: str, wording: int) -> Sentence:
    text = row_sentence(row, drug, wording=wording)
    return Sentence(text=text, evidence_ids=told_of(row) if wording >= LATEST else row.evidence_ids)


def _listed(rows: Sequence[OutcomeRow]) -> Sentence:
    """Return the harms that have no sentence of their own."""
    names = [
        f"{row.outcome}{f' (than with {row.comparator})' if row.comparator else ''}" for row in rows
    ]
    ids = tuple(dict.fromkeys(i for row in rows for i in row.evidence_ids))
    return Sentence(text=f"Also more frequent: {listed(names)}.", evidence_ids=ids)


def _no_excess(rows: Sequence[OutcomeRow], drug: str) -> Sentence:
    names = listed([r.outcome for r in rows], "or")
    ids = tuple(dict.fromkeys(i for r in rows for i in r.evidence_ids))
    least = min((r.certainty for r in rows), key=LADDER.index)
    text = f"No excess of {names} was shown with {drug} ({least.value} certainty)."
    return Sentence(text=text, evidence_ids=ids)


def harm_facts(appraisals: Mapping[str, Appraisal]) -> list[Fact]:
    """Return the sentences in which records on the drug tell harms, counted or not."""
    return [
        fact
        for appraisal in appraisals.values()
        if appraisal.counts and appraisal.reading.direct
        for fact in appraisal.reading.context
        if fact.role is FactRole.HARM
    ]


def _is_of(quote: str, drug: str) -> bool:
    """Whether a sentence tells something of the drug, not of others nor that nothing is told."""
    named = {mention.drug.name for mention in find_drugs(quote)}
    praises = _PRAISES.search(quote) and not any(map(str.isdigit, quote))
    return (
        not praises
        and not _NOTHING.search(quote)
        and (not named or lookup_drug(drug).name in named)
    )


def harms_in_own_words(
    drug: str,
    verdict: Verdict,
    appraisals: Mapping[str, Appraisal],
    evidence: Mapping[str, Evidence],
) -> tuple[Sentence, ...]:
    """Return harms in the words of publications, where no comparison found an excess.

    Args:
        drug: The drug; what is told of another one is left out.
        verdict: With its rows.
        appraisals: Of the drug, by evidence id.
        evidence: The records.
    """
    compared = {i for r in verdict.rows if r.importance == "harm" for i in r.evidence_ids}
    if any(r.importance == "harm" and r.way is Way.HARM for r in verdict.rows):
        return ()
    facts = {
        fact.evidence_id: fact
        for fact in reversed(harm_facts(appraisals))
        if fact.evidence_id not in compared
        and evidence[fact.evidence_id].metadata.kind != "trial"
        and tells_finding(fact.quote)
        and _is_of(fact.quote, drug)
    }
    ordered = sorted(facts.values(), key=lambda f: appraisals[f.evidence_id].grade.level or 9)
    return tuple(
        Sentence(
            text=quoted(" ".join(fact.quote.split()), quotable=evidence[fact.evidence_id].quotable),
            evidence_ids=(fact.evidence_id,),
            origin="quote",
        )
        for fact in islice(ordered, _TOLD_WORDS)
    )
