"""Puts a model's text into a brief, in the place of code's sentences on results.

The label agrees with the text as far as results bear it out. Behind a text stands the table that
the model wrote, each row checked as a sentence and rated within what is known of its studies; else
the results that it found to tell of the question. Grave harms of the drug, and what speaks against
it and is told nowhere, are added. All others stand in the table of all outcomes, and what records
say of harms in their own words under "Harms".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from deepcritical.appraisal.body.certainty import LADDER, certainty_told, most_of
from deepcritical.appraisal.body.proposals import held_to_show, rated_alike
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import DIRECTIONS, Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import NOT_STATED, OutcomeRow, Vote, Way
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.brief import (
    Brief,
    Contested,
    DecidingStudy,
    Statement,
    ToldRow,
    study_words,
)
from deepcritical.domain.report.sentences import Finding, Sentence, row_result
from deepcritical.verification.fields import VAGUE, keys_of
from deepcritical.verification.signs import signs
from deepcritical.writing.sentences.brief import is_on_results, table_rows
from deepcritical.writing.sentences.words import CERTAINTY, row_sentence


def with_synthesis(
    brief: Brief,
    verdict: Verdict,
    written: Sequence[Sentence],
    rows: Sequence[ToldRow] = (),
    covered: Collection[tuple[str, str]] = (),
) -> Brief:
    """Return a brief with a model's text and table, and beside it what these may not tell.

    Args:
        brief: As code wrote it.
        verdict: What it is on.
        written: The sentences of a model that passed their checks, and what took others' places.
        rows: The rows of its table.
        covered: Rows of the verdict whose results text or table tell, by outcome and comparator.
    """
    text = tuple(sentence for sentence in written if not sentence.cells)
    own = tuple(sentence for sentence in text if sentence.origin == "model")
    if not own:
        return brief.model_copy(update={"synthesis": text, "told": (), "covered": ()})
    shown = _shown(verdict, brief.contested)
    left = [row for row in shown if _is_withheld(row, covered)] if rows else shown
    grave = [row for row in verdict.rows if row.is_grave and row.way in _FEARED]
    near = [row for row in grave if row.directness == "direct"] or grave
    told = covered if rows else ()
    feared = [r for r in near if (r.outcome, r.comparator) not in told and _is_compared(r)]
    changed = {
        "answer": claim_of(brief, verdict),
        "harms": (),
        "told": tuple(rows),
        "covered": tuple(sorted(covered)),
        "findings": tuple(dict.fromkeys((*table_rows(left), *feared))),
        "missing": tuple(text for text in brief.missing if not is_on_results(text)),
    }
    return brief.model_copy(update={"synthesis": text, **changed})


def _is_compared(row: OutcomeRow) -> bool:
    """Return whether a grave harm was compared with something that is told, or is of deaths."""
    return row.is_fatal or (row.tier in ("randomised", "controlled") and row.control != NOT_STATED)


def told_rows(
    written: Iterable[Sentence],
    findings: Mapping[str, Finding],
    studies: Sequence[StudyFinding],
    verdict: Verdict,
    evidence: Mapping[str, Evidence],
) -> tuple[ToldRow, ...]:
    """Return the rows of a model's table with the certainty of the results that they tell.

    Where the verdict rates none of these, that is the model's, no higher than the studies allow.

    Args:
        written: What the model wrote; rows have cells.
        findings: Sentences of records, by id.
        studies: With the results that count.
        verdict: Whose rows rate the results.
        evidence: The records.
    """
    rows = {(row.outcome, row.comparator): row for row in verdict.rows}
    told = []
    for said in (one for one in written if one.cells and one.origin == "model"):
        own = [study for study in studies if {*study.evidence_ids} & {*said.evidence_ids}]
        cited = [findings[i] for i in said.finding_ids if i in findings]
        rated = _rated_as(said, cited, [v for s in own for v in s.votes], evidence)
        row = rows.get(rated) if rated else None
        row = row if row and {*row.evidence_ids} & {*said.evidence_ids} else None
        certainty = said.rated and min(said.rated, most_of(own), key=LADDER.index)
        certainty = certainty_told(row, said.rated) if row else certainty
        told.append(ToldRow(said=said, rated_as=rated if row else None, certainty=certainty))
    return tuple(told)


def as_told_by(
    studies: Sequence[StudyFinding],
    verdict: Verdict,
    rows: Sequence[ToldRow],
    written: Sequence[Sentence],
) -> tuple[StudyFinding, ...]:
    """Return studies held to show what a text comes to, rated as the surest rows of its table.

    These are the rows that tell what decides, or all where nothing does. Else a verdict would say
    something else than what stands below it, or be surer, or less sure; what is known of its rows
    binds these as before.
    """
    decided = {*verdict.deciding_ids}
    deciding = {(r.outcome, r.comparator) for r in verdict.rows if decided & {*r.evidence_ids}}
    is_open = DIRECTIONS[verdict.label] == "open"
    own = [row for row in rows if is_open or row.rated_as in deciding]
    rated = [row.said.rated for row in own if row.said.rated]
    level = max(rated, key=LADDER.index, default=None)
    least = min((row.certainty for row in own if row.certainty), key=LADDER.index, default=None)
    alike = tuple(s.model_copy(update={"told_as": least}) for s in rated_alike(studies, level))
    shows = next((s.shows for s in written if s.shows and s.origin == "model"), None)
    bearing = (row.said for row in rows if shows not in _DIRECTED or _tells_direction(row.said))
    told = [i for said in bearing for i in said.evidence_ids]
    return held_to_show(alike, shows, told, level) if shows else alike


_DIRECTED = (VerdictLabel.SUPPORTED, VerdictLabel.PROMISING, VerdictLabel.HARMFUL)
"""Labels that a row without any difference does not bear out."""


def _tells_direction(said: Sentence) -> bool:
    return bool(signs(row_result(said.text, said.cells)) - {"none"})


def covered_by(
    written: Iterable[Sentence],
    findings: Mapping[str, Finding],
    studies: Sequence[StudyFinding],
    evidence: Mapping[str, Evidence],
) -> tuple[tuple[str, str], ...]:
    """Return the verdict's rows, by outcome and comparator, whose results sentences quote.

    Args:
        written: Sentences of a model, and rows of its table.
        findings: Sentences of records, by id.
        studies: With the results that count.
        evidence: The records.
    """
    own = (s for s in written if s.origin == "model")
    cited = [findings[i] for s in own for i in s.finding_ids if i in findings]
    votes = [vote for study in studies for vote in study.votes]
    return tuple(sorted({(v.row, v.comparator) for v in _quoted(cited, votes, evidence)}))


def _quoted(
    cited: Iterable[Finding], votes: Iterable[Vote], evidence: Mapping[str, Evidence]
) -> list[Vote]:
    """Return the results that rest on sentences that are cited."""
    quotes = {(i, q) for one in cited for i in one.evidence_ids for q in one.quotes}
    return [
        v
        for v in votes
        if v.start is not None
        and any(
            i == v.evidence_id and evidence[i].content.startswith(quote, v.start)
            for i, quote in quotes
            if i in evidence
        )
    ]


def _rated_as(
    said: Sentence,
    cited: Sequence[Finding],
    votes: Sequence[Vote],
    evidence: Mapping[str, Evidence],
) -> tuple[str, str] | None:
    """Return the verdict's row of the results that a row tells; None where there is none.

    These rest on the sentences that it cites: of several it is that whose outcome is most alike in
    words. Else it is one of the same records that has most words of the outcome.
    """
    words = keys_of(said.cells[0]) - VAGUE
    of_records = [v for v in votes if v.evidence_id in said.evidence_ids]
    alike = {v: len(words & keys_of(f"{v.row} {v.outcome}")) for v in of_records}
    quoted = [v for v in _quoted(cited, votes, evidence) if v in alike]
    named = quoted or [v for v in of_records if 2 * alike[v] > len(words)]
    best = max(named, key=lambda v: alike[v], default=None)
    several = len({(v.row, v.comparator) for v in named}) > 1
    if best is None or (several and not alike[best]):
        return None
    return best.row, best.comparator


def _is_withheld(row: OutcomeRow, covered: Collection[tuple[str, str]]) -> bool:
    """Return whether a row that decides speaks against the drug, and nothing tells its results."""
    is_told = (row.outcome, row.comparator) in covered
    return row.importance == "critical" and row.way is not Way.BENEFIT and not is_told


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


_FEARED = (Way.HARM, Way.CONFLICT)


def statements_of(brief: Brief, verdict: Verdict) -> tuple[Statement, ...]:
    """Return the results that code tells: those of a table, then of main studies, then others.

    Of these, results on surrogates and benefits beside drugs that are not asked about are left out:
    they stand in no brief and decide nothing.
    """
    rows = dict.fromkeys((*brief.findings, *table_rows(_shown(verdict, ()))))
    others = [row for row in verdict.rows if row not in rows and _weighs(row, verdict)]
    return (
        *_told(rows, brief.drug),
        *(
            Statement(study_statement(study), study.result.evidence_ids)
            for study in brief.studies
            if study.result.origin == "template"
        ),
        *_told(others, brief.drug),
    )


def _told(rows: Iterable[OutcomeRow], drug: str) -> Iterator[Statement]:
    for row in rows:
        if row.effects:
            text = row_statement(row, drug)
            yield Statement(text, row.evidence_ids, row.outcome, row.comparator)


def _weighs(row: OutcomeRow, verdict: Verdict) -> bool:
    """Return whether a row that no table of a brief shows may matter to who reads all outcomes."""
    if row.importance == "harm" or row.way in _FEARED:
        return True
    is_asked = row.asked or not row.comparator
    decides = bool({*row.evidence_ids} & {*verdict.deciding_ids})
    return decides or (is_asked and row.importance != "surrogate")


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
