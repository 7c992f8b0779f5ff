"""Scores, gaps and next queries by written rules."""

from collections.abc import Sequence

from deepcritical.appraisal.body.leading import leading
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.assessment import JudgeAssessment, RoundChoice
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Tier
from deepcritical.domain.base import Model, Score10
from deepcritical.domain.evidence.record import FactRole
from deepcritical.domain.question.frame import Condition, QuestionKind
from deepcritical.domain.question.question import ResearchQuestion, SearchQuery
from deepcritical.domain.study.reading import StudyReading
from deepcritical.mechanism.graph import MechanismGraph, Studied
from deepcritical.questions.searching import (
    asked,
    citation_query,
    condition_of,
    drug_named,
    edge_query,
    search_sides,
)
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.report import rank_drugs

_UNGRADED = 9
_MOST_CITED = 5
"""Studies whose citations are followed."""
_CANDIDATES_SEARCHED = 5


def next_sides(question: ResearchQuestion, store: EvidenceStore) -> tuple[SearchQuery, ...]:
    """The sides to search from next; when candidates are sought, first those of the best ones."""
    seeks = question.drug is None and store.drugs
    candidates = _worth_searching(store)[:_CANDIDATES_SEARCHED] if seeks else []
    return search_sides(question, store.queries_run, candidates)


def _worth_searching(store: EvidenceStore) -> list[str]:
    """Candidates by rank, but those with a clinical result first: of these more is to be found."""

    def is_plan_only(drug: str) -> bool:
        return not any(s.clinical and s.deciding_ids for s in store.studies(drug))

    return sorted(rank_drugs(store), key=is_plan_only)


def best_drug(question: ResearchQuestion, store: EvidenceStore) -> str | None:
    """The drug asked about, or else the best ranked candidate."""
    return question.drug.name if question.drug else next(iter(rank_drugs(store)), None)


def graph_of(question: ResearchQuestion, store: EvidenceStore) -> MechanismGraph | None:
    """The graph of the drug asked about, or of the best candidate; None without any.

    Its studies are those that bear on the question and are not retracted.
    """
    name = best_drug(question, store)
    if name is None:
        return None
    studies = [
        Studied(a.evidence_id, store.evidence[a.evidence_id], reading)
        for a in store.appraisals(name).values()
        if a.counts and (reading := store.readings.get(a.evidence_id))
    ]
    drug = question.drug or drug_named(name)
    return MechanismGraph(drug, condition_of(question), store.drug_facts or (), studies)


def mechanism_score(hypotheses: tuple[MechanismHypothesis, ...]) -> Score10:
    """Support by mechanism, 0-6.

    0 no edge shown; 2 an edge from the drug; 4 a chain without a gap up to the condition; 6 one
    that also predicts benefit. Two points less when the chains without a gap predict opposite
    effects, or records disagree on one of their edges.
    """
    complete = [h for h in hypotheses if h.complete]
    if not complete:
        return 2 if any(e.evidenced for h in hypotheses for e in h.edges[:1]) else 0
    predictions = {h.expected_effect for h in complete if h.expected_effect}
    helps = any(h.expected_effect is not None and h.expected_effect.factor < 0 for h in complete)
    disputed = len(predictions) > 1 or any(edge.contradicted for h in complete for edge in h.edges)
    return (6 if helps else 4) - 2 * disputed


_RANDOMISED = ("randomized", "randomised", "placebo")
_HARMS = ('"adverse events"', "tolerability", "safety")
_MECHANISM = ('"mechanism of action"', "target", "pathway")


class OpenGap(Model):
    """Something that is missing, with the query that could find it."""

    text: str
    query: SearchQuery
    against: bool = False
    """True where the query seeks evidence against the drug: no choice leaves it for later."""


def open_gaps(question: ResearchQuestion, store: EvidenceStore) -> tuple[OpenGap, ...]:
    """Return what is missing for the drug asked about, or for the best candidate."""
    name = best_drug(question, store)
    if name is None or not store.studies(name):
        return ()
    return tuple(dict.fromkeys(_gaps(question, store, name, condition_of(question))))


def _gaps(
    question: ResearchQuestion, store: EvidenceStore, name: str, condition: Condition
) -> list[OpenGap]:
    drug = question.drug or drug_named(name)
    gaps: list[OpenGap] = []
    if not is_tried(store, name):
        trials = asked(drug, condition, "randomised placebo-controlled trial", _RANDOMISED)
        within = f" of {condition.name}" if condition.known else ""
        missing = f"No randomised study{within} with a result for {name}."
        gaps.append(OpenGap(text=missing, query=trials))
    if not _harms_reported(store, name):
        harms = asked(drug, None, "adverse events tolerability safety", _HARMS)
        missing = f"No record reports harms of {name}."
        gaps.append(OpenGap(text=missing, query=harms, against=True))
    gaps.extend(
        OpenGap(
            text=f"No record shows that {e.subject} acts on {e.object}.",
            query=edge_query(drug, condition, e.subject, e.object),
        )
        for h in store.hypotheses
        for e in h.edges
        if not (e.evidenced or h.proposed_by_model)
    )
    if not store.hypotheses and question.drug and _asks_how(question):
        unknown = f"No target of {name} was recognised in the records."
        query = asked(drug, None, "mechanism target pathway", _MECHANISM)
        gaps.append(OpenGap(text=unknown, query=query))
    return gaps


def is_tried(store: EvidenceStore, drug: str) -> bool:
    """Return whether a randomised study of a drug in the condition has a result that counts."""
    return any(s.direct and s.randomised and s.deciding_ids for s in store.studies(drug))


def _harms_reported(store: EvidenceStore, drug: str) -> bool:
    """Return whether a record tells of harms in passing, or a study of the drug measured them."""
    return any(
        any(fact.role is FactRole.HARM for fact in one.reading.context)
        or any(vote.feared for vote in one.reading.votes)
        or (one.counts and _has_safety(store.readings.get(one.evidence_id), drug))
        for one in store.appraisals(drug).values()
    )


def _has_safety(study: StudyReading | None, drug: str) -> bool:
    """Return whether a study has a result on safety with the drug, if its arms tell them apart."""
    arms = study.arms if study else ()
    with_it = {a.id for a in arms if drug in {i.drug or i.name.casefold() for i in a.interventions}}
    safety = (r for r in (study.results if study else ()) if r.kind == "safety")
    return any(not with_it or not with_it.isdisjoint({r.a, r.b}) for r in safety)


def _asks_how(question: ResearchQuestion) -> bool:
    """Return whether a mechanism is asked for; a question that was kept without a frame may ask."""
    frame = question.frame
    return frame is None or frame.kind is QuestionKind.MECHANISM or bool(frame.through)


def _citations(store: EvidenceStore, drug: str) -> tuple[SearchQuery, ...]:
    """Once in a run, the works around the studies that decide; nothing when none has a PMID."""
    if any(search.query.startswith(f"{drug}: works that cite") for search in store.searches):
        return ()
    weighty = sorted(
        (study for study in store.studies(drug) if study.deciding_ids and study.direct),
        key=lambda study: (study.level or _UNGRADED, -(study.participants or 0)),
    )
    keys = (key for study in weighty for key in study.deciding_ids)
    pmids = dict.fromkeys(
        store.evidence[key].metadata.pmid for key in keys if key in store.evidence
    )
    chosen = [pmid for pmid in pmids if pmid][:_MOST_CITED]
    return (citation_query(drug_named(drug), chosen),) if chosen else ()


def last_assessment(question: ResearchQuestion, store: EvidenceStore) -> JudgeAssessment:
    """The assessment of the last round; of a run that was not judged that by the rules."""
    return store.assessments[-1] if store.assessments else assess(question, store)


def _nothing_found(question: ResearchQuestion, store: EvidenceStore) -> JudgeAssessment:
    return JudgeAssessment(
        mechanism_score=0,
        clinical_score=0,
        confidence=0.2,
        sufficient=False,
        recommendation="continue",
        gaps=(f"No record bears on {condition_of(question).name}.",),
        next_queries=next_sides(question, store),
        choice=RoundChoice(wants_more=True),
        reasoning="What was asked about was not recognised in any record.",
    )


def assess(question: ResearchQuestion, store: EvidenceStore) -> JudgeAssessment:
    """The assessment of the drug asked about, or of the best candidate."""
    drug = best_drug(question, store)
    if drug is None or not store.studies(drug):
        return _nothing_found(question, store)
    studies = store.studies(drug)
    verdict = decide(studies)
    gaps = open_gaps(question, store)
    told = verdict.label not in (VerdictLabel.INSUFFICIENT, VerdictLabel.NOT_ASSESSED)
    sufficient = told and any(e.evidenced for h in store.hypotheses for e in h.edges[:1])
    return JudgeAssessment(
        mechanism_score=mechanism_score(store.hypotheses),
        clinical_score=clinical_score(studies),
        confidence=verdict.confidence,
        sufficient=sufficient,
        recommendation="synthesize" if sufficient else "continue",
        drug_candidates=(drug,) if question.drug else rank_drugs(store)[:5],
        key_findings=(
            f"{verdict.told_rule} {''.join(f'[{i}]' for i in verdict.deciding_ids)}".strip(),
        ),
        gaps=tuple(gap.text for gap in gaps),
        next_queries=(
            *(gap.query for gap in gaps),
            *(_citations(store, drug) if gaps else ()),
            *next_sides(question, store),
        ),
        choice=RoundChoice(
            wants_more=not sufficient,
            gaps=tuple(gap.text for gap in gaps if gap.query.text not in store.queries_run),
        ),
        reasoning=f"By rule: {verdict.label.value} at {verdict.certainty.value} certainty.",
    )


_POINTS: dict[Tier, int] = {"randomised": 7, "controlled": 5, "reported": 3, "uncontrolled": 3}


def clinical_score(studies: Sequence[StudyFinding]) -> Score10:
    """Clinical support, 0-10: 8, 7, 5 or 3 for the best design that found a benefit.

    A review of trials earns 8. Two points less where the evidence points both ways.
    """
    verdict = decide(studies)
    helps = verdict.label in (VerdictLabel.SUPPORTED, VerdictLabel.PROMISING)
    if not helps and verdict.label is not VerdictLabel.MIXED:
        return 0
    rows = leading(verdict.rows)
    reviewed = any(row.studies > len(row.effects) for row in rows)
    mixed = verdict.label is VerdictLabel.MIXED
    return _POINTS[rows[0].tier] + reviewed - 2 * mixed if rows else 0
