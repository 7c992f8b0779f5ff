"""Checks the sentences of a brief or an answer again from its own data, offline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import get_args

from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import OutcomeRow, Vote, Way
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.brief import Brief
from deepcritical.domain.report.parts import EntryKind, LedgerEntry, Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Finding, Sentence, SentenceCheck
from deepcritical.domain.text.spans import fold, locate_quote
from deepcritical.verification.binding import checks_of
from deepcritical.verification.terms import strange_terms
from deepcritical.writing.ledger.former_words import (
    IN_FORMER_WORDS,
    Results,
    is_in_present_words,
    is_kept_whole,
    verdict_fault,
)
from deepcritical.writing.sections.label_facts import fact_sentence
from deepcritical.writing.sentences.answers import Form, answer_texts
from deepcritical.writing.sentences.brief import Put, answer_sentences
from deepcritical.writing.sentences.findings import harm_sentence, study_sentence
from deepcritical.writing.sentences.harms import harm_sentences
from deepcritical.writing.sentences.passages import (
    LEADS,
    missing_sentence,
    passage_sentence,
    pointer_sentence,
)
from deepcritical.writing.sentences.studies import leading_vote
from deepcritical.writing.sentences.synthesis import row_statement, uncontested
from deepcritical.writing.sentences.unread import quote_in
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import CERTAINTY, row_sentence, told_of

_SIDES = (Way.BENEFIT, Way.HARM)
_NOT_WRITTEN = "it is not what the verdict, its rows and the studies of the report give"


def brief_entries(report: ResearchReport) -> Iterator[LedgerEntry]:
    """Yield an entry for each sentence of the brief; one that its data does not give fails.

    Sentences of templates are written anew from verdict, rows and votes and compared.
    """
    if brief := report.brief:
        yield from _template_entries(report, brief, report.verdict)
        yield from _hidden(brief, report.verdict)
        rows = (row.said for row in brief.told)
        yield from _entries((*brief.licensed, *brief.label, *brief.synthesis, *rows), report)


def answer_entries(answer: DeepAnswer) -> Iterator[LedgerEntry]:
    """Yield an entry for each sentence of an answer to a free question.

    A sentence without a record may only lead in, or say that nothing was found.
    """
    if answer.brief and answer.verdict:
        yield from _template_entries(answer, answer.brief, answer.verdict)
        yield from _hidden(answer.brief, answer.verdict)
        rows = (row.said for row in answer.brief.told)
        yield from _entries((*answer.brief.synthesis, *rows), answer)
    elif answer.brief:
        yield LedgerEntry(
            kind=EntryKind.VERDICT,
            text=answer.brief.answer[0].text,
            holds=False,
            reason="there is no verdict behind it",
        )
    told = (*answer.lead, *(s for part in answer.parts for s in part.sentences))
    yield from _entries([s for s in dict.fromkeys(told) if s.evidence_ids], answer)
    yield from _uncited(answer)
    yield from _otherwise(answer)


def _uncited(answer: DeepAnswer) -> Iterator[LedgerEntry]:
    """Yield the sentences that cite nothing, but for those that lead in."""
    harmless = {*LEADS.values(), *_missing(answer)}
    in_parts = [s for part in answer.parts for s in part.sentences]
    told = [s for s in answer.lead if s.text not in harmless] + in_parts
    for sentence in told:
        if not sentence.evidence_ids:
            reason = "it cites no record"
            yield LedgerEntry(
                kind=EntryKind.UNCITED, text=sentence.text, holds=False, reason=reason
            )


def _otherwise(answer: DeepAnswer) -> Iterator[LedgerEntry]:
    """Yield what is printed and is not what the sentences of the answer give."""
    given = answer_texts(answer)
    forms = (answer_texts(answer, form)["overview"] for form in get_args(Form))
    printed = [] if answer.overview in forms else [answer.overview]
    if answer.sections != given["sections"]:
        printed += [f"{s.title}\n{s.content}" for s in {*answer.sections} ^ {*given["sections"]}]
    for text in printed:
        reason = "it is not what its sentences say"
        yield LedgerEntry(kind=EntryKind.VERDICT, text=text, holds=False, reason=reason)


def _missing(answer: DeepAnswer) -> Iterator[str]:
    """Yield what may be said of names that no record has: those of the question, in its order."""
    terms = [term for term in answer.key_terms if not _is_named(term, answer)]
    for size in range(1, len(terms) + 1):
        yield from (missing_sentence(names) for names in combinations(terms, size))


def _is_named(term: str, answer: DeepAnswer) -> bool:
    return any(fold(term) in fold(f"{r.title} {r.text}") for r in answer.references)


def _template_entries(
    document: ResearchReport | DeepAnswer, brief: Brief, verdict: Verdict
) -> Iterator[LedgerEntry]:
    """Yield an entry for each sentence that code writes from verdict, rows and votes."""
    told = (*brief.answer, *brief.harms, *(study.result for study in brief.studies))
    given = _given_by_code(document, brief, verdict)
    given |= {s for s in told if s.origin == "quote" and _is_located(s, document)}
    numbers = {r.evidence_id: n for n, r in enumerate(document.references, 1)}
    faults = {row_sentence(row, brief.drug): _row_fault(row, document) for row in verdict.rows}
    for sentence in dict.fromkeys(told):
        is_written = sentence in given
        fault = faults.get(sentence.text, "") if is_written else _NOT_WRITTEN
        if not (is_written or is_in_present_words(document)):
            fault = _former_fault(sentence, document, brief, verdict)
        yield LedgerEntry(
            kind=EntryKind.RATING,
            text=sentence.text,
            numbers=tuple(sorted(numbers[i] for i in sentence.evidence_ids if i in numbers)),
            holds=not fault,
            reason=fault or ("" if is_written else IN_FORMER_WORDS),
        )


def _former_fault(
    sentence: Sentence, document: ResearchReport | DeepAnswer, brief: Brief, verdict: Verdict
) -> str:
    """Return why a sentence in former words does not state the verdict or a result; '' if so."""
    if sentence.origin != "template":
        return _NOT_WRITTEN
    if not verdict_fault(sentence, brief, verdict):
        return ""
    votes = [v for study in document.studies if (v := leading_vote(study))]
    return _results(document, verdict.rows, votes).fault(sentence, brief.drug)


def _results(
    document: ResearchReport | DeepAnswer, rows: Iterable[OutcomeRow], votes: Sequence[Vote]
) -> Results:
    sound = [row for row in rows if not _row_fault(row, document)]
    return Results(sound, votes, {r.evidence_id: r for r in document.references})


def _hidden(brief: Brief, verdict: Verdict) -> Iterator[LedgerEntry]:
    """Yield what a brief hides as a mere verdict, or as a contradicted result, and is neither."""
    of_rows = {row_sentence(row, brief.drug) for row in verdict.rows}
    rows = {(r.outcome, r.comparator, row_statement(r, brief.drug)) for r in verdict.rows}
    for place in brief.stated:
        text = brief.answer[place].text if place < len(brief.answer) else f"place {place}"
        if text in of_rows or text.startswith(CERTAINTY):
            yield _rated(text, "it is hidden, and does not state the verdict alone")
    for one in brief.contested:
        if one.outcome and (one.outcome, one.comparator, one.told) not in rows:
            yield _rated(
                one.told, "it is left out as contradicted, and is no result of the verdict"
            )


def _rated(text: str, reason: str) -> LedgerEntry:
    return LedgerEntry(kind=EntryKind.RATING, text=text, holds=False, reason=reason)


def _given_by_code(
    document: ResearchReport | DeepAnswer, brief: Brief, verdict: Verdict
) -> set[Sentence]:
    """Return what code may say of a verdict, its rows and votes."""
    drug, left = brief.drug, uncontested(verdict, brief.contested)
    votes = filter(None, map(leading_vote, document.studies))
    return {
        *answer_sentences(left, drug, Put.of(brief)),
        *harm_sentences(left, drug),
        # Which rows are told has changed; what a sentence says of one has not.
        *(Sentence(text=row_sentence(r, drug), evidence_ids=told_of(r)) for r in verdict.rows),
        *(
            Sentence(text=vote_words(vote, drug=drug), evidence_ids=(vote.evidence_id,))
            for vote in votes
        ),
    }


def _row_fault(row: OutcomeRow, document: ResearchReport | DeepAnswer) -> str:
    """Return why a row is not what the results of its studies give; '' where it is.

    Each effect must be that of a result on the same outcome against the same comparator, and one of
    them must point the way of a row that no pooled estimate decides.
    """
    votes = [v for study in document.studies for v in study.votes]
    for effect in row.effects:
        of_study = [v for v in votes if v.evidence_id in effect.evidence_ids]
        own = [v for v in of_study if (v.row, v.comparator) == (row.outcome, row.comparator)]
        if of_study and not own:
            return "no result of its study is on this outcome and comparator"
        if own and effect.way in _SIDES and effect.way not in {v.way for v in own}:
            return "the result of its study points another way"
    ways = {effect.way for effect in row.effects}
    if row.way in _SIDES and ways and not row.pooled and row.way not in ways:
        return "no result points the way that it tells"
    return ""


def _is_located(sentence: Sentence, document: ResearchReport | DeepAnswer) -> bool:
    """Return whether a sentence is the words of the one record that it cites."""
    texts = [r.text for r in document.references if (r.evidence_id,) == sentence.evidence_ids]
    words = quote_in(sentence.text)
    return bool(words and texts) and locate_quote(words, texts[0]) is not None


def _entries(
    sentences: Iterable[Sentence], document: ResearchReport | DeepAnswer
) -> Iterator[LedgerEntry]:
    """Yield an entry for each sentence over findings, checked again by code."""
    findings = {finding.id: finding for finding in document.findings}
    references = {r.evidence_id: r for r in document.references}
    numbers = {r.evidence_id: n for n, r in enumerate(document.references, 1)}
    for sentence in sentences:
        cited = [findings[i] for i in sentence.finding_ids if i in findings]
        checked = [_check_finding(finding, document) for finding in cited]
        fault = _fault(sentence, cited, references, document)
        fault = fault or next((why for holds, why in checked if not holds), "")
        former = next((why for _, why in checked if why), "")
        named = [references[i] for i in sentence.evidence_ids if i in references]
        yield LedgerEntry(
            kind=EntryKind.SENTENCE,
            text=sentence.text,
            numbers=tuple(sorted(numbers[r.evidence_id] for r in named)),
            quote=next((q for finding in cited for q in finding.quotes), ""),
            source=", ".join((named[0].short_name, *named[0].public_ids)) if named else "",
            holds=not fault,
            reason=fault or "; ".join(filter(None, (former, _by_whom(sentence)))),
        )


def _check_finding(finding: Finding, document: ResearchReport | DeepAnswer) -> tuple[bool, str]:
    """Return whether the template sentence of a finding holds, and why not or how far."""
    if _is_turned(finding, document):
        return False, _NOT_WRITTEN
    if finding.sentence in _given(finding, document):
        return True, ""
    if is_in_present_words(document) or finding.way is None:
        return False, _NOT_WRITTEN
    told = Sentence(text=finding.sentence, evidence_ids=finding.evidence_ids)
    votes = [vote for study in document.studies for vote in study.votes]
    fault = _results(document, _rows(document), votes).fault(told, finding.drug)
    return not fault, fault or IN_FORMER_WORDS


def _fault(
    sentence: Sentence,
    cited: Sequence[Finding],
    references: Mapping[str, Reference],
    document: ResearchReport | DeepAnswer,
) -> str:
    """Return why a sentence does not stand; '' where it does.

    Where all checks must be told, they must be those of the judge that is named.
    """
    if not cited or len(cited) < len(sentence.finding_ids):
        return "it rests on no finding of the report"
    texts = {key: r.text for key, r in references.items() if not r.retracted}
    ids = {i for finding in cited for i in finding.evidence_ids}
    is_cut = bool(sentence.cells) and ids != {*sentence.evidence_ids}
    if is_cut or not ids.issuperset(sentence.evidence_ids) or not ids.issubset(texts):
        return "its findings are of other records, or of retracted ones"
    for finding in cited:
        told = [texts[i] for i in finding.evidence_ids]
        if any(not any(locate_quote(q, text) for text in told) for q in finding.quotes):
            return f"a quote of finding {finding.id} does not stand in its record"
    if sentence.text in {f.sentence for f in cited}:
        return ""
    if sentence.text == pointer_sentence([f.study for f in cited]):
        return ""
    if sentence.origin == "template":
        return _NOT_WRITTEN
    names = {check.name for check in sentence.checks if check.passed}
    shown = [f"{references[i].title}\n{references[i].text}" for i in sorted(ids)]
    # What nobody but code judged, or code bound in every part, it checks clause by clause again.
    judged = "entailment" in names and "bound" not in names
    own = "terms" in names or not judged
    question = document.question if isinstance(document, DeepAnswer) else document.research_question
    checks = checks_of(sentence.text, cited, texts=shown, own=own, judged=judged)
    failed = [c.reason for c in checks if not c.passed]
    failed += filter(None, [_marks_fault(sentence, checks) if is_kept_whole(document) else ""])
    if "terms" in names and (strange := strange_terms(sentence.text, cited, shown, question)):
        failed.append(strange)
    sure = bool(names & {"entailment", "bound", "verbatim"})
    return "; ".join(failed) or ("" if sure else "nobody has checked its meaning")


def _marks_fault(sentence: Sentence, by_code: Iterable[SentenceCheck]) -> str:
    """Return why the checks told of a model's sentence are not those of the gate; '' if they are.

    A writer that judges itself has its terms checked, too.
    """
    judges = {check.by for check in sentence.checks if check.name == "entailment"}
    due = ["ids", *(check.name for check in by_code), "entailment" if judges else "bound"]
    due += ["terms"] if judges == {sentence.written_by} else []
    is_told = [check.name for check in sentence.checks if check.passed] == due and "" not in judges
    return "" if is_told else "its checks are not those that a model's sentence passes"


def _is_turned(finding: Finding, document: ResearchReport | DeepAnswer) -> bool:
    """Return whether a sentence of a record has a direction that no result of its study has."""
    if "." not in finding.id or finding.way is None:
        return False
    votes = (v for s in document.studies for v in s.votes if v.evidence_id in finding.evidence_ids)
    return not any(v.way is finding.way and v.outcome in finding.outcome for v in votes)


def _given(finding: Finding, report: ResearchReport | DeepAnswer) -> set[str]:
    """Return the sentences that the rows, votes and quotes give for a finding."""
    rows = {row_sentence(row, finding.drug) for row in _rows(report)}
    told = {passage_sentence(finding, quotable=q) for q in (True, False) if finding.quotes}
    votes = [v for s in report.studies for v in s.votes if v.evidence_id in finding.evidence_ids]
    study, drug = finding.study, finding.drug
    told |= {study_sentence(study, vote, drug) for vote in votes}
    told |= {fact_sentence(finding.outcome, finding.study, finding.drug, q) for q in finding.quotes}
    people = ("", finding.population)
    return rows | told | {harm_sentence(study, q, who) for q in finding.quotes for who in people}


def _rows(document: ResearchReport | DeepAnswer) -> tuple[OutcomeRow, ...]:
    if isinstance(document, DeepAnswer):
        return tuple(row for one in document.candidates for row in one.verdict.rows)
    return document.verdict.rows


def _by_whom(sentence: Sentence) -> str:
    judges = [f"by entailment ({c.by})" for c in sentence.checks if c.name == "entailment"]
    bound = ["by typed fields" for c in sentence.checks if c.name == "bound"]
    if sentence.origin == "quote":
        return "a sentence of the record, word for word"
    if sentence.origin == "template":
        return "written by a template"
    return f"written by {sentence.written_by}; checked by figures, names, direction" + "".join(
        f", {way}" for way in (*judges, *bound)
    )
