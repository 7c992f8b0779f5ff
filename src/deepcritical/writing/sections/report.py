"""Writes a report from what was read: verdict, brief, tables, and sentences of records."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from deepcritical.appraisal.body.ranking import candidate_rank
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.body.what_if import what_if
from deepcritical.domain.appraisal.assessment import JudgeAssessment
from deepcritical.domain.appraisal.findings import Direction, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.report.brief import NOTHING, Brief, Contested, Statement, StudyRow, ToldRow
from deepcritical.domain.report.data import REPORT_SCHEMA
from deepcritical.domain.report.parts import DrugCandidate, ReportSection, VerdictChange
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import WORDING, Finding, Sentence
from deepcritical.domain.text.spans import capitalised
from deepcritical.questions.claims import answer_to, answered_by, proposition_of, subject_of
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.context import ReportContext
from deepcritical.writing.sections.evidence_rows import evidence_rows
from deepcritical.writing.sections.label_facts import Asked, facts_told
from deepcritical.writing.sections.leads import lead_of
from deepcritical.writing.sections.methods import Methods
from deepcritical.writing.sections.quoting import (
    AS_REPORTED,
    HARMS_UNREPORTED,
    NO_CONTRADICTION,
    SAME_RULES,
    STEADY,
    Citer,
    Quoting,
)
from deepcritical.writing.sections.sources import ranked, sources_of
from deepcritical.writing.sentences.answers import brief_texts
from deepcritical.writing.sentences.brief import brief_of
from deepcritical.writing.sentences.matter import Matter
from deepcritical.writing.sentences.studies import study_rows
from deepcritical.writing.sentences.synthesis import (
    as_told_by,
    claim_of,
    covered_by,
    statements_of,
    study_statement,
    told_rows,
    uncontested,
    with_synthesis,
)
from deepcritical.writing.sentences.words import listed

_TOP = 5
_ANY_DRUG = "any drug"
"""The subject of a brief where no drug was asked about and none was found."""
_AGAINST = frozenset({VerdictLabel.REFUTED, VerdictLabel.HARMFUL})
"""Not "unsupported", which does not exclude a relevant benefit."""
_NONE_DECIDED = "None of the candidates has enough evidence for a verdict."
_NONE_READ = "None of the candidates has a verdict: of some the results could not be read."
_MOST_NAMED = 3


class Synthesis(NamedTuple):
    """The text that a model wrote over findings."""

    sentences: tuple[Sentence, ...] = ()
    """Those that passed their checks, or took the place of one that did not."""
    findings: Mapping[str, Finding] = MappingProxyType({})
    """By id."""
    contested: tuple[Contested, ...] = ()
    """Rows of the verdict that a check against the records refuted."""

    @property
    def cited(self) -> list[Finding]:
        """The findings that its sentences rest on."""
        ids = dict.fromkeys(i for sentence in self.sentences for i in sentence.finding_ids)
        return [self.findings[i] for i in ids]


class _Writer:
    """One report in the making."""

    def __init__(
        self,
        question: ResearchQuestion,
        store: EvidenceStore,
        context: ReportContext,
        assessment: JudgeAssessment,
        written_by: str,
    ) -> None:
        self.question = question
        self.store = store
        self.context = context
        self.assessment = assessment
        self.written_by = written_by
        self.condition = question.condition.name if question.condition else question.text
        self.citer = Citer(store)
        found = (question.drug.name,) if question.drug else rank_drugs(store)
        self.drugs, self.further = found[:_TOP], found[_TOP:]
        self.main = self.drugs[0] if self.drugs else _ANY_DRUG
        self.studies: tuple[StudyFinding, ...] = store.studies(self.main)
        self.verdict = decide(self.studies)
        stopping = question.frame is not None and question.frame.stopping
        # Licences and warnings are on taking the drug.
        facts = () if stopping else store.drug_facts or ()
        self.facts = facts_told(facts, _asked(question))
        self.methods = Methods(question, store, context, self.citer, self.drugs, written_by)

    def report(self, synthesis: Synthesis | None) -> ResearchReport:
        # The order of these calls gives the references their numbers: the brief's come first.
        text = synthesis or Synthesis()
        rows = self._rows(text)
        self.studies = as_told_by(self.studies, self.verdict, rows, text.sentences)
        self.verdict = decide(self.studies)
        brief = self._brief_with(text)
        self._cite(brief)
        used = {i for sentence in brief.sentences for i in sentence.finding_ids}
        candidates = tuple(self._candidate(drug) for drug in self.drugs)
        study_table = self._study_table()
        sections = self._sections()
        self._cite_all_read()
        return ResearchReport(
            schema_version=REPORT_SCHEMA,
            wording=WORDING,
            title=self._title(),
            research_question=self.question.text,
            **brief_texts(brief, self.citer.references),
            brief=brief,
            study_table=study_table,
            verdict=self.verdict,
            answer=self._answer(),
            proposition=self._proposition(),
            **sections,
            findings=tuple(f for f in (*self.facts.findings, *text.cited) if f.id in used),
            drug_facts=self.store.drug_facts,
            drug_candidates=candidates if self.studies else (),
            limitations=self.methods.limitations(),
            references=self.citer.references,
            studies=self.studies,
            evidence_table=evidence_rows(self.store, self.citer.references, candidates),
            claims=self.citer.claims,
            **self._of_run(),
            studies_included=len(self.studies),
            confidence_score=self.verdict.confidence,
            assessment=self.assessment,
            written_by=self.written_by,
        )

    def _brief_with(self, text: Synthesis) -> Brief:
        """Return the brief with a model's text, and without what was refuted."""
        verdict = uncontested(self.verdict, text.contested)
        brief = self._brief(verdict)
        refuted = {one.told for one in text.contested}
        left = tuple(one for one in brief.studies if study_statement(one) not in refuted)
        brief = brief.model_copy(update={"contested": text.contested, "studies": left})
        covered = covered_by(text.sentences, text.findings, self.studies, self.store.evidence)
        return with_synthesis(brief, verdict, text.sentences, self._rows(text), covered)

    def _rows(self, text: Synthesis) -> tuple[ToldRow, ...]:
        said = text.sentences, text.findings
        return told_rows(*said, self.studies, self.verdict, self.store.evidence)

    def _of_run(self) -> dict[str, Any]:
        """Return how it was searched."""
        return {
            "searches": tuple(self.store.searches),
            "prisma": self.methods.prisma(),
            "sources_searched": tuple(dict.fromkeys(s.source for s in self.store.searches)),
            "total_papers_reviewed": len(self.store.evidence),
            "notices": self.context.notices,
            "search_iterations": self.context.iterations,
        }

    def _proposition(self) -> str:
        frame = self.question.frame
        asked = answered_by(self.verdict, frame) if frame and frame.feared else frame
        return proposition_of(asked, self.verdict.label) if asked else ""

    def _answer(self) -> str:
        frame, verdict = self.question.frame, self.verdict
        strength, priced = verdict.strength_of_harm, verdict.is_at_a_price
        asked = answered_by(verdict, frame) if frame else None
        return answer_to(asked, verdict.label, strength=strength, priced=priced) if asked else ""

    def _brief(self, verdict: Verdict) -> Brief:
        matter = Matter(
            drug=self.main,
            condition=self.condition,
            frame=self.question.frame if self.question.drug else None,
            verdict=verdict,
            studies=self.studies,
            evidence=self.store.evidence,
            readings=self.store.readings,
            appraisals=self.store.appraisals(self.main),
            searched_on=self.context.searched_on,
        )
        brief = brief_of(matter, self._lead())
        searched = () if self.studies else (self._searched(),)
        return brief.model_copy(
            update={
                "licensed": self.facts.licensed,
                "label": self.facts.label,
                "missing": (*brief.missing, *searched),
            }
        )

    def _lead(self) -> Sentence | None:
        """Return what is said first if nothing was found, or if more is asked than an effect."""
        if not self.studies:
            return Sentence(text=f"No study of {self.main} in {self.condition} was found.")
        if self.question.drug and (frame := self.question.frame):
            return lead_of(frame, self.main, self.store, licensed=bool(self.facts.licensed))
        if len(self.drugs) < 2:
            return None
        said = self._none_decided() or self._ranked()
        return Sentence(text=f"{said} {self._left_out()}".strip())

    def _ranked(self) -> str:
        """Say which of the candidates has the strongest evidence, and what of the others."""
        labels = {drug: decide(self.store.studies(drug)).label for drug in self.drugs[1:]}
        against = [drug for drug, label in labels.items() if label in _AGAINST]
        others = [f"{drug} ({label})" for drug, label in labels.items() if drug not in against]
        first = f"among the candidates, {self.main} has the strongest evidence"
        rest = f"the others are {listed(others)}" if others else ""
        failed = f"the evidence speaks against {listed(against)}" if against else ""
        frame = self.question.frame
        told = (failed, first, rest) if frame and frame.negative else (first, rest, failed)
        ranked = capitalised("; ".join(part for part in told if part))
        return f"{ranked}. Which of them already treat {self.condition} is not told here."

    def _left_out(self) -> str:
        """Say that there are more candidates than are weighed; '' where there are none."""
        if not self.further:
            return ""
        many = len(self.further) > _MOST_NAMED
        named = f"{len(self.further)} others" if many else listed([*self.further])
        return f"Further candidates were found and are not weighed here: {named}."

    def _searched(self) -> str:
        """Say what was searched where nothing was found, and that this says nothing of the drug."""
        sources = listed(list(dict.fromkeys(s.source for s in self.store.searches))) or "no source"
        queries = len(self.store.queries_run)
        on, found = self.context.searched_on, len(self.store.evidence)
        return NOTHING.format(sources=sources, on=on, queries=queries, found=found)

    def _study_table(self) -> tuple[StudyRow, ...]:
        appraisals = self.store.appraisals(self.main)
        store = self.store
        rows = study_rows(self.studies, appraisals, store.evidence, store.readings, self.verdict)
        table = tuple(rows)
        for row in table:
            self.citer.cite(row.evidence_ids)
        return table

    def _sections(self) -> dict[str, Any]:
        on = [Quoting(self.store, self.citer, drug, self.condition) for drug in self.drugs]
        for one in on:
            one.keep_results()
        several, frame = len(on) > 1, self.question.frame
        harms = tuple(q for one in on for q in one.harms(several=several, frame=frame))
        main = on[0] if self.studies else None
        tested = main.tested() if main else ()
        mechanism = tuple(main.mechanism()) if main else ()
        against = (*(main.disputed() if main else ()), *(q for one in on for q in one.sides()))
        of_main = f": {self.main}" if len(on) > 1 else ""
        return {
            "clinical_findings": ReportSection(title="Results in the words of the records"),
            "mechanistic_findings": ReportSection(
                title=f"Mechanistic findings{of_main}", quoted=mechanism
            ),
            "contradictions": ReportSection(
                title="Contradictory evidence",
                content="" if against else NO_CONTRADICTION,
                quoted=against,
            ),
            "safety": ReportSection(
                title="Safety", content=AS_REPORTED if harms else HARMS_UNREPORTED, quoted=harms
            ),
            "methodology": ReportSection(title="Methodology", content=self.methods.methodology()),
            "hypotheses_tested": tested,
        } | self._changing()

    def _cite_all_read(self) -> None:
        """Cite what bears on the question and nothing else names, such as retracted records."""
        for drug in self.drugs:
            appraisals = self.store.appraisals(drug).items()
            self.citer.cite(i for i, a in appraisals if a.reading.included)

    def _title(self) -> str:
        if self.question.drug:
            return f"{capitalised(subject_of(self.question))}: what the evidence shows"
        return f"Repurposing candidates for {self.condition}: what the evidence shows"

    def _none_decided(self) -> str:
        """Say that none of several candidates has a verdict; '' where one has."""
        labels = {decide(self.store.studies(drug)).label for drug in self.drugs}
        if not labels <= {VerdictLabel.INSUFFICIENT, VerdictLabel.NOT_ASSESSED}:
            return ""
        return _NONE_READ if VerdictLabel.NOT_ASSESSED in labels else _NONE_DECIDED

    def _cite(self, brief: Brief) -> None:
        results = (study.result for study in brief.studies)
        rows = (row.said for row in brief.told)
        told = (*brief.licensed, *brief.answer, *brief.synthesis, *rows, *brief.harms, *results)
        self.citer.cite(i for sentence in told for i in sentence.evidence_ids)
        self.citer.cite(trial.evidence_id for trial in brief.trials)
        self.citer.cite(i for sentence in brief.label for i in sentence.evidence_ids)

    def _changing(self) -> dict[str, Any]:
        """Return what would change the verdict by its own rules."""
        found = what_if(self.studies)
        several = sum(s.direction is not Direction.NONE for s in self.studies) > 1
        hinges = any(change.without for change in found)
        told = (SAME_RULES, STEADY) if several and not hinges else (SAME_RULES,)
        return {
            "what_would_change": ReportSection(
                title="What would change this verdict", content="\n\n".join(told)
            ),
            "verdict_changes": tuple(
                VerdictChange(
                    change=one.change,
                    without=one.without,
                    label=one.verdict.label,
                    certainty=one.verdict.certainty,
                )
                for one in found
            ),
        }

    def _candidate(self, drug: str) -> DrugCandidate:
        studies = self.studies if drug == self.main else self.store.studies(drug)
        verdict: Verdict = decide(studies)
        self.citer.cite(verdict.deciding_ids)
        return DrugCandidate(name=drug, verdict=verdict, studies=len(studies))


def _asked(question: ResearchQuestion) -> Asked:
    frame = question.frame
    drugs = frame.drugs if frame else ()
    return Asked(question.condition, frame.population if frame else (), drugs)


def write(
    question: ResearchQuestion,
    store: EvidenceStore,
    context: ReportContext,
    assessment: JudgeAssessment,
    written_by: str,
    synthesis: Synthesis | None = None,
) -> ResearchReport:
    """The report over everything in the store."""
    return _Writer(question, store, context, assessment, written_by).report(synthesis)


class Told(NamedTuple):
    """The words of code in a report, as far as a model has to know them."""

    above: str
    """What stands before the text: the verdict with its certainty."""
    statements: tuple[Statement, ...]
    """The results that code tells."""


def told_by_code(
    question: ResearchQuestion,
    store: EvidenceStore,
    context: ReportContext,
    assessment: JudgeAssessment,
) -> Told:
    """Return what the report says before the text that a model writes, and beside it."""
    writer = _Writer(question, store, context, assessment, "")
    brief, verdict = writer._brief(writer.verdict), writer.verdict
    told = " ".join(s.text for s in (*brief.licensed, *claim_of(brief, verdict)))
    rated = verdict.label is not VerdictLabel.NOT_ASSESSED
    above = f"{told} (Certainty: {verdict.certainty.value}.)" if rated else told
    return Told(above, statements_of(brief, verdict))


def rank_drugs(store: EvidenceStore) -> tuple[str, ...]:
    """Drugs in their rank as candidates; of equals the alphabet decides."""

    def order(drug: str) -> tuple[int, float, int, int, int, str]:
        studies = store.studies(drug)
        return *candidate_rank(decide(studies), studies), drug

    return tuple(sorted((d for d in store.drugs if store.studies(d)), key=order))


def store_sources(
    store: EvidenceStore, drug: str, frame: QuestionFrame | None
) -> dict[str, Finding]:
    """Return what a model may write about: the records on one drug, sentence by sentence."""
    studies, appraisals = store.studies(drug), store.appraisals(drug)
    ids = ranked(studies, decide(studies).deciding_ids, appraisals, store, frame)
    return sources_of(drug, ids, studies, store.evidence, store.readings)
