"""Puts a model's text into a brief, in the place of code's sentences on results.

The claim stays code's, and so does every result: what a sentence of code told of it stands in the
table, where a text that leaves it out cannot hide it. Why the certainty is no higher stands behind
the brief.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from deepcritical.domain.brief import Brief, Contested, DecidingStudy, Statement, study_words
from deepcritical.domain.harms import SAFETY
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.verdict import Verdict
from deepcritical.domain.votes import OutcomeRow, Way
from deepcritical.verification.fields import keys_of
from deepcritical.writing.unread import quote_in
from deepcritical.writing.words import CERTAINTY, row_sentence

_AGAINST = (Way.HARM, Way.CONFLICT)
_MOSTLY = 0.6
"""Share of the words of a quote that a retelling of it has."""


def with_synthesis(brief: Brief, verdict: Verdict, written: Sequence[Sentence]) -> Brief:
    """Return a brief with a model's text, and the results that code told in its table.

    Args:
        brief: As code wrote it.
        verdict: What it is on.
        written: The sentences of a model that passed their checks, and what took others' places.
    """
    own = tuple(sentence for sentence in written if sentence.origin == "model")
    if not own:
        return brief.model_copy(update={"synthesis": tuple(written)})
    rows = _rows(brief, verdict)
    shown = dict.fromkeys((*brief.findings, *_told(brief, rows)))
    harms = tuple(s for s in brief.harms if s.text not in rows and _adds_harm(s, own))
    return brief.model_copy(
        update={
            "synthesis": tuple(written),
            "answer": _without_results(brief, rows),
            "harms": harms,
            "findings": tuple(shown),
        }
    )


def claim_of(brief: Brief, verdict: Verdict) -> tuple[Sentence, ...]:
    """Return the answer of a brief without results, and without why it is no more certain."""
    return _without_results(brief, _rows(brief, verdict))


def _without_results(brief: Brief, rows: Iterable[str]) -> tuple[Sentence, ...]:
    told = {*rows}
    return tuple(s for s in brief.answer if s.text not in told and not s.text.startswith(CERTAINTY))


def _told(brief: Brief, rows: dict[str, OutcomeRow]) -> Iterator[OutcomeRow]:
    """Yield the rows that sentences of a brief tell; of harms that are listed, those at hand."""
    for said in (*brief.answer, *brief.harms):
        if row := rows.get(said.text):
            yield row
        elif said.origin == "template":
            text, cited = said.text.casefold(), {*said.evidence_ids}
            listed = (r for r in rows.values() if r.importance == "harm" and r.way in _AGAINST)
            yield from (
                row
                for row in listed
                if {*row.evidence_ids} <= cited and row.outcome.casefold() in text and _is_near(row)
            )


def _is_near(row: OutcomeRow) -> bool:
    return row.directness == "direct" or row.is_grave or row.harm_asked


def _adds_harm(said: Sentence, own: Sequence[Sentence]) -> bool:
    """Return whether a sentence on harms tells more than a model's text does."""
    if said.origin != "quote":
        return not any(SAFETY.search(one.text) for one in own)
    words = keys_of(quote_in(said.text))
    on_it = " ".join(one.text for one in own if {*one.evidence_ids} & {*said.evidence_ids})
    return len(words & keys_of(on_it)) < _MOSTLY * len(words)


def statements_of(brief: Brief, verdict: Verdict) -> tuple[Statement, ...]:
    """Return the results that code tells: those of the table first, then of main studies."""
    rows = dict.fromkeys((*brief.findings, *verdict.rows))
    return (
        *(
            Statement(row_statement(row, brief.drug), row.evidence_ids, row.outcome, row.comparator)
            for row in rows
            if row.effects
        ),
        *(
            Statement(study_statement(study), study.result.evidence_ids)
            for study in brief.studies
            if study.result.origin == "template"
        ),
    )


def row_statement(row: OutcomeRow, drug: str) -> str:
    """Return what code tells of a row, without the certainty, which no record states."""
    return row_sentence(row, drug).replace(f"; {row.certainty.value} certainty)", ")")


def study_statement(study: DecidingStudy) -> str:
    """Return what code tells of a main study."""
    return f"{study.name} ({study_words(study)}): {study.result.text}"


def uncontested(verdict: Verdict, contested: Iterable[Contested]) -> Verdict:
    """Return a verdict without the rows that a check against the records refuted.

    Harms stay, and the last row of each direction on benefit; results that differ tell of both.
    """
    named = {(one.outcome, one.comparator) for one in contested}
    is_left = [
        (row.outcome, row.comparator) not in named or row.way is Way.HARM or _is_feared(row)
        for row in verdict.rows
    ]
    both = [*zip(verdict.rows, is_left, strict=True)]
    held = {row.way for row, left in both if left and row.importance != "harm"}
    held |= {Way.BENEFIT, Way.NO_DIFFERENCE} if Way.CONFLICT in held else set()
    rows = (row for row, left in both if left or (row.importance != "harm" and row.way not in held))
    return verdict.model_copy(update={"rows": tuple(rows)})


def _is_feared(row: OutcomeRow) -> bool:
    return row.way is Way.CONFLICT and (row.importance == "harm" or row.is_grave)


def _rows(brief: Brief, verdict: Verdict) -> dict[str, OutcomeRow]:
    return {row_sentence(row, brief.drug): row for row in verdict.rows}
