"""Made-up reports in which every field is filled, for the tests of the formats."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from deepcritical.domain.appraisal.evidence_table import DrugStance, EvidenceRow, VerdictRole
from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.parts import (
    Claim,
    DrugCandidate,
    EdgeTested,
    HypothesisTested,
    PrismaFlow,
    RecordCount,
    Reference,
    ReportSection,
    SearchRun,
)
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.imprint import Imprint

IMPRINT = Imprint("run-1", datetime(2999, 1, 1, 12, 30, 15, tzinfo=UTC))
ARTICLE = Reference(
    evidence_id="E1",
    title="Examplol lowers TNF-α & IL-1β by 50 % in testitis_2: a {double-blind} trial",
    authors=("Invented AB", "Mary van der Berg", "Núñez-Pérez J", "Made-Up Trial Group"),
    source="pubmed",
    date="2021-03-05",
    journal="J Made-Up Rec",
    volume_pages="88(4):1311-23",
    url="https://pubmed.ncbi.nlm.nih.gov/99000001/",
    ids=("doi:10.99999/made_up.1", "pmcid:PMC99000001", "pmid:99000001"),
    text="Examplol improved testitis.",
)
PREPRINT = Reference(
    evidence_id="E2",
    title="Examplol in testitis: not reviewed",
    authors=("Pomilius", "et al."),
    source="europepmc",
    date="2022",
    journal="made-upRxiv",
    url="https://doi.org/10.99999/made_up.2",
    ids=("doi:10.99999/made_up.2",),
    preprint=True,
)
TRIAL = Reference(
    evidence_id="E3",
    title="Examplol for testitis",
    source="clinicaltrials",
    date="2023-06",
    url="https://clinicaltrials.gov/study/NCT99000001",
    ids=("nct:NCT99000001",),
    text_kind="registry",
    note="status may be out of date",
)
RETRACTED = Reference(
    evidence_id="E4",
    title="Examplol cures testitis",
    authors=("Invented AB",),
    source="pubmed",
    date="2021",
    journal="J Made-Up Rec",
    ids=("pmid:99000004",),
    retracted=True,
)
WEB = Reference(evidence_id="E5", title="On examplol", url="https://example.org/examplol")
REFERENCES = (ARTICLE, PREPRINT, TRIAL, RETRACTED, WEB)


def stance(
    direction: Direction, role: VerdictRole = VerdictRole.COUNTS, drug: str = "examplol"
) -> DrugStance:
    return DrugStance(drug=drug, direction=direction, direct=True, role=role)


ROWS = (
    EvidenceRow(
        evidence_id="E1",
        design="randomised controlled trial",
        level=2,
        certainty="moderate",
        certainty_reasons=("risk of bias: most people knew what they were given",),
        quality=0.71,
        participants=1240,
        stances=(stance(Direction.SUPPORTS, VerdictRole.DECIDES),),
        integrity="clean",
    ),
    EvidenceRow(
        evidence_id="E2",
        design="animal or cell study",
        level=5,
        design_from_text=True,
        stances=(stance(Direction.MIXED), stance(Direction.REFUTES, drug="otherol")),
    ),
    EvidenceRow(
        evidence_id="E3",
        design="registered trial, no result in this record",
        stances=(stance(Direction.NONE),),
        status="TERMINATED",
        phase="PHASE2",
        why_stopped="Slow recruitment",
        stop_class="enrolment",
    ),
    EvidenceRow(
        evidence_id="E4",
        design="observational cohort",
        level=3,
        stances=(stance(Direction.SUPPORTS, VerdictRole.RETRACTED),),
        integrity="retracted",
    ),
    EvidenceRow(evidence_id="E5", design="design not stated"),
)
FLOW = PrismaFlow(
    by_source=(
        RecordCount(name="pubmed", records=1200),
        RecordCount(name="clinicaltrials", records=34),
    ),
    duplicates=34,
    exclusions=(RecordCount(name="does not name examplol", records=1195),),
    included=5,
    studies=4,
)
CHAIN = HypothesisTested(
    chain=("examplol", "targetase", "TNF-α", "testitis"),
    prediction="would lessen testitis",
    confidence=0.5,
    complete=True,
    edges=(
        EdgeTested(
            subject="examplol",
            object="targetase",
            finding="decreases [1]",
            evidence_ids=("E1",),
            decreases=("E1",),
        ),
        EdgeTested(
            subject="targetase",
            object="TNF-α",
            finding="increases [1] but also does not change [2]",
            evidence_ids=("E1", "E2"),
            increases=("E1",),
            no_effect=("E2",),
        ),
        EdgeTested(subject="TNF-α", object="testitis", finding="no evidence in the records found"),
    ),
)


VERDICT = Verdict(
    label=VerdictLabel.PROMISING,
    certainty=Certainty.LOW,
    rule="One randomised trial favours the drug.",
    deciding_ids=("E1",),
    downgrades=("imprecision",),
    caps=("a retracted record",),
)
SEARCH = SearchRun(
    source="pubmed",
    query="examplol",
    query_as_run='"examplol"[tiab]',
    searched_at=datetime(2999, 1, 1, tzinfo=UTC),
    outcome="data",
    total=1200,
    identified=1200,
    new=5,
)


def full_report(**fields: Any) -> ResearchReport:
    """A report with something in every part."""
    whole: dict[str, Any] = {
        "title": "Examplol for testitis: what the evidence shows",
        "research_question": "Can examplol be repurposed for testitis?",
        "executive_summary": "**Promising** [1].",
        "verdict": VERDICT,
        "methodology": ReportSection(title="Methodology", content="By rules."),
        "hypotheses_tested": (CHAIN,),
        "mechanistic_findings": ReportSection(title="Mechanistic findings", content="- It [2]."),
        "clinical_findings": ReportSection(
            title="Clinical findings",
            content="| Study | Finding |\n| --- | --- |\n| One [1] | benefit |\n\n“It” [1][9].",
        ),
        "drug_candidates": (DrugCandidate(name="examplol", verdict=VERDICT, studies=4),),
        "limitations": ("Abstracts only.",),
        "what_would_change": ReportSection(
            title="What would change this verdict", content="One more trial [3]."
        ),
        "conclusion": "Promising [1].",
        "references": REFERENCES,
        "evidence_table": ROWS,
        "claims": (Claim(sentence="It", evidence_id="E1", quote="Examplol", start=0, end=8),),
        "searches": (SEARCH,),
        "prisma": FLOW,
        "confidence_score": 0.4,
        "notices": ("A notice.",),
        "written_by": "a test",
    }
    return ResearchReport(**(whole | fields))


def report_of(text: str) -> ResearchReport:
    """A report in which every text that comes from outside is `text`."""
    section = ReportSection(title="Clinical findings", content=text)
    return full_report(
        title=text,
        research_question=text,
        executive_summary=text,
        clinical_findings=section,
        what_would_change=section,
        claims=(Claim(sentence=text or "-", evidence_id="E1", quote=text, start=0, end=8),),
        conclusion=text,
        limitations=(text,),
        notices=(text,),
        references=tuple(_filled(reference, text) for reference in REFERENCES),
        evidence_table=tuple(
            row.model_copy(update={"why_stopped": text, "phase": text, "status": text})
            for row in ROWS
        ),
        hypotheses_tested=(_chain_of(text),),
        prisma=FLOW.model_copy(
            update={
                "by_source": (RecordCount(name=text, records=1234),),
                "exclusions": (RecordCount(name=text, records=1195),),
            }
        ),
    )


def _filled(reference: Reference, text: str) -> Reference:
    return reference.model_copy(
        update={
            "title": text or "-",
            "authors": (text, "Invented AB"),
            "date": text,
            "journal": text,
            "volume_pages": text,
            "url": text,
            "ids": (f"pmid:{text}", f"doi:{text}", f"nct:{text}"),
            "text": text,
            "note": text,
        }
    )


def _chain_of(text: str) -> HypothesisTested:
    names = ("examplol", text, f"{text} 2", "testitis")
    edges = tuple(
        EdgeTested(subject=a, object=b, finding=text, increases=("E1",), decreases=("E2",))
        for a, b in pairwise(names)
    )
    return CHAIN.model_copy(update={"chain": names, "prediction": text, "edges": edges})
