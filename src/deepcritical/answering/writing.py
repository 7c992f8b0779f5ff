"""Writes the answer to a free question: a few sentences, then a short part for each need.

What a drug does in a condition is said as the report says it, from the same verdict. Everything
else is told in located sentences of the records, the strongest and most fitting first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from deepcritical.answering.coverage import checklist_in, counting, covered
from deepcritical.answering.drafting import SPEAKS_AGAINST, WITH_VERDICT, Draft, as_told, is_newest
from deepcritical.answering.passages import ALIKE, PassageReader
from deepcritical.answering.topics import folded, topics_of
from deepcritical.answering.weighing import Weighed, drugs_asked
from deepcritical.domain.appraisal.checklist import Aspect, Coverage, Inquiry, InquiryKind, ItemFact
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import is_own_document
from deepcritical.domain.question.frame import Condition
from deepcritical.domain.report.answer import ANSWER_SCHEMA, AnsweredItem, AnswerPart, DeepAnswer
from deepcritical.domain.report.brief import Brief
from deepcritical.domain.report.parts import DrugCandidate
from deepcritical.domain.report.sentences import WORDING, Finding, Sentence
from deepcritical.domain.run.events import StopReason
from deepcritical.questions.forms import wants_verdict
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.vocabulary.words import is_english
from deepcritical.writing.sections.context import ReportContext
from deepcritical.writing.sections.evidence_rows import evidence_rows
from deepcritical.writing.sections.quoting import Citer
from deepcritical.writing.sentences.answers import answer_texts
from deepcritical.writing.sentences.brief import brief_of
from deepcritical.writing.sentences.harms import harm_sentences
from deepcritical.writing.sentences.matter import Matter, leading_rows
from deepcritical.writing.sentences.passages import LEADS, missing_sentence, pointer_sentence
from deepcritical.writing.sentences.synthesis import covered_by, told_rows, with_synthesis
from deepcritical.writing.sentences.words import row_sentence

_OWN_WORDS = "In the records' own words"
_MOST_IN_LEAD = 2
_NEARLY = 0.15
"""Relevance by which the second sentence may be behind the first to be of another study."""
_MOST_CANDIDATES = 3
_MOST_HARMS = 3
_EARLY = {
    StopReason.DEADLINE: "the time for it was over",
    StopReason.BUDGET: "the model's budget was used up",
    StopReason.USER_STOP: "it was stopped by the user",
    StopReason.MAX_ITERATIONS: "the limit of rounds was reached",
}


def synthesize(
    inquiry: Inquiry,
    store: EvidenceStore,
    context: ReportContext,
    author: str,
    draft: Draft,
    written: Sequence[Sentence] = (),
) -> DeepAnswer:
    """The answer from what is in the store.

    Args:
        inquiry: The question.
        store: The run's store with checklist, facts and readings.
        context: What is to be said of the run.
        author: Who wrote it.
        draft: What it is written from.
        written: Checked sentences of a model, which become its first part.
    """
    return _Writer(inquiry, store, context, draft, written).written_by(author)


_EXACT = (
    *(InquiryKind.DOSE, InquiryKind.TRIALS),
    *(InquiryKind.ELIGIBILITY, InquiryKind.UNKNOWN, InquiryKind.GUIDANCE),
)
"""Kinds that tell by themselves what is asked: a word that no record has may be beside it."""


class _Writer:
    def __init__(
        self,
        inquiry: Inquiry,
        store: EvidenceStore,
        context: ReportContext,
        draft: Draft,
        written: Sequence[Sentence],
    ) -> None:
        self._inquiry = inquiry
        self._store = store
        self._context = context
        self._draft = as_told(draft, written, store.evidence)
        self._written = tuple(written)
        self._citer = Citer(store)
        self._told: set[str] = set()
        self._main = self._of_verdict()

    def written_by(self, author: str) -> DeepAnswer:
        """The whole answer; the parts are written in the order in which they are read."""
        brief = self._brief()
        lead = self._lead(brief)
        if brief:
            main_studies = (study.result for study in brief.studies)
            rows = (row.said for row in brief.told)
            self._cite((*brief.answer, *brief.harms, *brief.synthesis, *rows, *main_studies))
        self._cite(lead)
        parts = tuple(self._parts())
        self._claim(parts, lead)
        checklist = tuple(self._checklist())
        references = self._citer.references
        in_parts = [s for part in parts for s in part.sentences]
        told = (*lead, *in_parts, *(brief.sentences if brief else ()))
        used = {i for sentence in told for i in sentence.finding_ids}
        findings = tuple(f for i, f in self._draft.findings.items() if i in used)
        behind = self._behind(findings, main := self._main if brief else None)
        answer = DeepAnswer(
            **self._of_run(),
            overview="",
            brief=brief,
            verdict=main.verdict if main else None,
            candidates=tuple(
                DrugCandidate(name=one.drug.name, verdict=one.verdict, studies=len(one.studies))
                for one in behind
            ),
            studies=tuple(study for one in behind for study in one.studies),
            lead=lead,
            parts=parts,
            findings=findings,
            checklist=checklist,
            limitations=tuple(self._limitations(checklist)),
            references=references,
            evidence_table=evidence_rows(self._store, references, ()),
            claims=self._citer.claims,
            written_by=author,
        )
        return answer.model_copy(update=answer_texts(answer))

    def _of_run(self) -> dict[str, Any]:
        """Return what was asked, and how it was searched."""
        inquiry, store, context = self._inquiry, self._store, self._context
        return {
            "schema_version": ANSWER_SCHEMA,
            "wording": WORDING,
            "question": inquiry.text,
            "context": inquiry.context,
            "frame": inquiry.frame,
            "scope_in": inquiry.scope_in,
            "scope_out": inquiry.scope_out,
            "key_terms": inquiry.key_terms,
            "searches": tuple(store.searches),
            "sources_searched": (
                *context.sources,
                *((f"Retrieval: {context.retrieval}",) if context.retrieval else ()),
            ),
            "records_read": len(store.read_for_items),
            "search_iterations": context.iterations,
            "stop_reason": StopReason(context.stop_reason),
            "notices": context.notices,
        }

    def _behind(self, findings: Iterable[Finding], main: Weighed | None) -> list[Weighed]:
        """The drugs whose studies the answer must carry, so that its sentences can be checked."""
        told = {finding.drug for finding in findings}
        return [w for w in self._draft.weighed if w is main or w.drug.name in told]

    # --- the answer -------------------------------------------------------------------------------

    def _of_verdict(self) -> Weighed | None:
        """The drug on which a report would give its verdict."""
        frame = self._inquiry.frame
        drugs, _ = drugs_asked(self._inquiry)
        is_asked = frame and drugs and wants_verdict(frame) and self._inquiry.kind in WITH_VERDICT
        if not is_asked or not self._draft.weighed:
            return None
        main = self._draft.weighed[0]
        first = self._draft.picked[checklist_in(self._store).items[0].id]
        if self._draft.by_model and not main.verdict.rows and any(fact.direct for fact in first):
            return None  # nothing was weighed, and what the model found answers
        # "Not assessed whether it helps" answers only who asked that.
        return None if main.is_open and self._inquiry.kind is not InquiryKind.EFFECT else main

    def _brief(self) -> Brief | None:
        main = self._main
        if main is None:
            return None
        records = self._store.evidence
        matter = Matter(
            drug=main.drug.name,
            condition=main.condition.name,
            frame=self._inquiry.frame,
            verdict=main.verdict,
            studies=main.studies,
            evidence=records,
            readings=self._store.readings,
            appraisals=main.appraisals,
            searched_on=self._context.searched_on,
        )
        found, written = self._draft.findings, self._written
        rows = told_rows(written, found, main.studies, main.verdict, records)
        covered = covered_by(written, found, main.studies, records)
        return with_synthesis(brief_of(matter), main.verdict, written, rows, covered)

    def _lead(self, brief: Brief | None) -> tuple[Sentence, ...]:
        """The answer where no verdict is on one drug: a model's words, results, or passages."""
        if brief and not (self._main and self._main.is_open):
            return ()
        if self._written:
            return () if brief else tuple(s for s in self._written if not s.cells)
        # Only the first need is the question: what speaks to the others is beside it.
        main = checklist_in(self._store).items[0].id
        facts = [fact for of_item in self._draft.picked.values() for fact in of_item]
        direct = [fact for fact in self._draft.picked[main] if fact.direct]
        missing = tuple(self._missing())
        if missing:
            direct = [fact for fact in direct if self._means_asked(fact)]
        told = [*missing, *self._of_weighed()]
        if direct and not any(s.evidence_ids for s in told):
            unread = brief and self._main and self._main.verdict.label is VerdictLabel.NOT_ASSESSED
            first = "unweighed" if unread else "newest" if self._newest else "strongest"
            told.append(Sentence(text=LEADS["alike" if missing else first]))
            told += [self._quote(fact) for fact in self._first_of(direct)]
        if not direct and not any(s.evidence_ids for s in told):
            told.append(Sentence(text=LEADS["nothing"]))
            told += [Sentence(text=LEADS["near"])] if facts else []
        return tuple(told)

    def _means_asked(self, fact: ItemFact) -> bool:
        of_record = self._store.likeness.get(fact.fact.evidence_id, {})
        return of_record.get(fact.fact.start, 0.0) >= ALIKE

    def _first_of(self, facts: Sequence[ItemFact]) -> list[ItemFact]:
        """The first facts, of two studies where a second one fits nearly as well."""
        studies, own = self._store.study_of, self._store.study_of[facts[0].fact.evidence_id]
        near = [fact for fact in facts[1:] if fact.relevance >= facts[0].relevance - _NEARLY]
        other = [fact for fact in near if studies[fact.fact.evidence_id] != own]
        return [facts[0], *(*other, *facts[1:])[: _MOST_IN_LEAD - 1]]

    @property
    def _newest(self) -> bool:
        return is_newest(self._inquiry, self._store)

    def _missing(self) -> Iterator[Sentence]:
        """The names and words of the question that no record has."""
        if self._inquiry.frame is None:
            return
        topics = topics_of(self._inquiry.frame)
        records = self._store.evidence.values()
        absent = [s.name for s in topics.subjects if not any(s.is_of(r) for r in records)]
        if not absent and self._inquiry.kind not in _EXACT:
            absent = list(topics.absent(records))
            # Records may say it in other words of English, where they have most of the question's.
            if 2 * len(absent) < len(topics.words) and all(map(is_english, absent)):
                absent = []
        if absent:
            yield Sentence(text=missing_sentence(absent))

    def _of_weighed(self) -> list[Sentence]:
        """Of candidates what was decided of the best; of harms what was compared."""
        weighed = self._draft.weighed
        if self._inquiry.kind is InquiryKind.TREATMENT:
            good = [o for o in weighed if not o.is_open and o.verdict.label not in SPEAKS_AGAINST]
            return [t for o in good[:_MOST_CANDIDATES] if (t := self._first_row(o))]
        if self._inquiry.kind is InquiryKind.SAFETY and weighed:
            return self._of_harms(weighed[0])
        return []

    def _of_harms(self, one: Weighed) -> list[Sentence]:
        """Return what was compared of the harms in the people asked about."""
        if self._inquiry.frame and (harm := self._inquiry.frame.harm):
            return self._of_harm(one, harm)
        feared = any(r.way in (Way.HARM, Way.CONFLICT) for r in one.verdict.rows)
        if not feared and any(study.unread for study in one.studies):
            return []  # what could not be read may report the harm
        rows = tuple(row for row in one.verdict.rows if row.directness == "direct")
        direct = one.verdict.model_copy(update={"rows": rows})
        told = [s.text for s in harm_sentences(direct, one.drug.name)]
        told += [
            row_sentence(row, one.drug.name)
            for row in rows
            if row.importance == "harm" and row.way is Way.NO_DIFFERENCE
        ]
        return [s for text in told if (s := self._of_finding(text))][:_MOST_HARMS]

    def _of_harm(self, one: Weighed, harm: Condition) -> list[Sentence]:
        """Return what was compared of the one harm that is asked about."""
        names = [folded(name).strip() for name in harm.names]
        rows = [r for r in one.verdict.rows if any(n in folded(r.outcome) for n in names)]
        told = (self._of_finding(row_sentence(row, one.drug.name)) for row in rows)
        return [sentence for sentence in told if sentence]

    def _first_row(self, one: Weighed) -> Sentence | None:
        """The result over studies that leads the verdict on a candidate."""
        rows = leading_rows(one.verdict)
        return self._of_finding(row_sentence(rows[0], one.drug.name)) if rows else None

    def _of_finding(self, text: str) -> Sentence | None:
        """A template sentence with the finding that it is of."""
        same = (f for f in self._draft.findings.values() if f.sentence == text)
        found = next(same, None)
        return _as_sentence(found) if found else None

    # --- the needs --------------------------------------------------------------------------------

    def _parts(self) -> Iterator[AnswerPart]:
        items = checklist_in(self._store).items
        # What speaks against has its own place, so that no other part tells it away.
        against = [i for i in items if i.aspect is Aspect.AGAINST]
        kept = {f.id for i in against for f in self._draft.picked[i.id]}
        for item in items:
            facts = self._draft.picked[item.id]
            kept_back = self._told | (set() if item in against else kept)
            fresh = [f for f in facts if f.id not in kept_back]
            again = [f for f in facts if f.id in self._told]
            told = [self._quote(fact) for fact in fresh]
            self._told.update(fact.id for fact in fresh)
            if told := told or ([self._pointer(again)] if again else []):
                self._cite(told)
                title = _OWN_WORDS if self._written and item is items[0] else item.text
                yield AnswerPart(item=item.id, title=title, sentences=tuple(told))

    def _pointer(self, facts: Sequence[ItemFact]) -> Sentence:
        findings = [self._draft.findings[self._draft.passages[fact.id]] for fact in facts]
        return Sentence(
            text=pointer_sentence([finding.study for finding in findings]),
            evidence_ids=tuple(dict.fromkeys(fact.fact.evidence_id for fact in facts)),
            finding_ids=tuple(finding.id for finding in findings),
        )

    def _quote(self, fact: ItemFact) -> Sentence:
        self._told.add(fact.id)
        return _as_sentence(self._draft.findings[self._draft.passages[fact.id]], quoted=True)

    def _cite(self, sentences: Iterable[Sentence]) -> None:
        for sentence in sentences:
            self._citer.cite(sentence.evidence_ids)

    def _claim(self, parts: Sequence[AnswerPart], lead: Sequence[Sentence]) -> None:
        """Keep the quote behind each sentence that is one."""
        by_finding = {finding: fact for fact, finding in self._draft.passages.items()}
        facts = {fact.id: fact.fact for fact in self._store.item_facts}
        for sentence in (*lead, *(s for part in parts for s in part.sentences)):
            for finding in sentence.finding_ids:
                if sentence.origin == "quote" and finding in by_finding:
                    self._citer.claim(facts[by_finding[finding]])

    # --- what is missing --------------------------------------------------------------------------

    def _checklist(self) -> Iterator[AnsweredItem]:
        facts = {fact.id: fact.fact.evidence_id for fact in counting(self._store)}
        by_item = {c.item: c for c in self._store.coverage or covered(self._store)}
        for item in checklist_in(self._store).items:
            said = by_item[item.id]
            yield AnsweredItem(
                item=item,
                coverage=said.coverage,
                reason=said.reason,
                evidence_ids=tuple(dict.fromkeys(facts[i] for i in said.fact_ids if i in facts)),
            )

    def _limitations(self, checklist: Sequence[AnsweredItem]) -> Iterator[str]:
        own = any(map(is_own_document, self._store.evidence.values()))
        said = "Beside your documents only titles" if own else "Only titles"
        yield f"{said}, abstracts, registry entries and snippets were read, not full texts."
        yield (
            f"The sentences were found by {self._context.found_by}; a record that says it in quite "
            "other words may have been missed."
        )
        if any(
            a.item.aspect is Aspect.AGAINST and a.coverage is Coverage.UNSATISFIED
            for a in checklist
        ):
            yield "That nothing was found which speaks against it does not show that there is none."
        if retracted := self._retracted():
            verb = "record bears" if retracted == 1 else "records bear"
            yield f"{retracted} retracted {verb} on the question; none of its words is used."
        if why := _EARLY.get(StopReason(self._context.stop_reason)):
            yield f"Research ended before the checklist was satisfied, because {why}."

    def _retracted(self) -> int:
        records = self._store.evidence.values()
        gone = [record for record in records if is_retracted(record)]
        if not gone:
            return 0
        reader = PassageReader(self._inquiry, checklist_in(self._store), list(records))
        return sum(bool((b := reader.bearing(record)) and b.direct) for record in gone)


def _as_sentence(finding: Finding, *, quoted: bool = False) -> Sentence:
    return Sentence(
        text=finding.sentence,
        evidence_ids=finding.evidence_ids,
        finding_ids=(finding.id,),
        origin="quote" if quoted else "template",
    )
