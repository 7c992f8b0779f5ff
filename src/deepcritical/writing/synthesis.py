"""Puts a model's text into a brief, in the place of code's sentences on results.

Verdict and results stay code's. Behind a text stand, as a table, the results that a model found to
tell of the question and grave harms of the drug; all others stand in the table of all outcomes, and
what records say of harms in their own words under "Harms".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deepcritical.domain.brief import Brief, Contested, DecidingStudy, Statement, study_words
from deepcritical.domain.harms import SAFETY
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.verdict import Verdict
from deepcritical.domain.votes import OutcomeRow, Way
from deepcritical.writing.brief import is_on_results, table_rows
from deepcritical.writing.words import CERTAINTY, row_sentence


def with_synthesis(brief: Brief, verdict: Verdict, written: Sequence[Sentence]) -> Brief:
    """Return a brief with a model's text, and beside it what this may not tell.

    Args:
        brief: As code wrote it.
        verdict: What it is on.
        written: The sentences of a model that passed their checks, and what took others' places.
    """
    own = tuple(sentence for sentence in written if sentence.origin == "model")
    feared = (row for row in verdict.rows if row.is_grave and row.way in _FEARED)
    grave = [row for row in feared if row.directness == "direct"]
    changed = {
        "answer": claim_of(brief, verdict),
        "harms": tuple(s for s in brief.harms if _tells_of_none(s, own)),
        "findings": tuple(dict.fromkeys((*table_rows(_shown(verdict, brief.contested)), *grave))),
        "missing": tuple(text for text in brief.missing if not is_on_results(text)),
    }
    return brief.model_copy(update={"synthesis": tuple(written), **(changed if own else {})})


def claim_of(brief: Brief, verdict: Verdict) -> tuple[Sentence, ...]:
    """Return the answer of a brief without results, and without why it is no more certain."""
    told = _rows(brief, verdict)
    return tuple(s for s in brief.answer if s.text not in told and not s.text.startswith(CERTAINTY))


def _shown(verdict: Verdict, contested: Iterable[Contested]) -> list[OutcomeRow]:
    """Return the rows for a table behind a text that tell of the question.

    Where no model matched results, they are those of the people asked about; where nothing is of
    just these, those of more people. What a check disputes is not shown.
    """
    disputed = {(one.outcome, one.comparator) for one in contested}
    rows = [row for row in verdict.rows if (row.outcome, row.comparator) not in disputed]
    told = [row for row in rows if row.matched] or rows
    near = [row for row in told if row.directness == "direct"]
    return near or [row for row in told if row.directness == "broader"]


def _tells_of_none(said: Sentence, own: Sequence[Sentence]) -> bool:
    """Return whether a sentence says that no harm was compared, of which a text says nothing."""
    return not said.evidence_ids and not any(SAFETY.search(one.text) for one in own)


_FEARED = (Way.HARM, Way.CONFLICT)


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
