"""One work that every source serves is one study, whichever of them is heard first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.identity import canonical_ids, study_groups, study_links
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import SourceOutcome
from deepcritical.tools.search_handler import SearchHandler
from tests.conftest import queries
from tests.servers.clinicaltrials import ClinicalTrialsServer, made_up_study
from tests.servers.europepmc import EuropePMCServer
from tests.servers.pubmed import PubMedServer
from tests.servers.world import fast_tools, world

PMID, PMCID, DOI = "99000001", "PMC9900001", "10.9900/examplol.1"
PREPRINT_DOI, PPR, NCT = "10.9901/2998.12.01.20000001", "PPR9900001", "NCT99000001"
ALL_IDS = {
    f"pmid:{PMID}",
    f"pmcid:{PMCID}",
    f"doi:{DOI}",
    f"doi:{PREPRINT_DOI}",
    f"europepmc:{PPR}",
    f"nct:{NCT}",
}
TITLE = "Examplol in testitis: a randomised trial"


def article(*, trial: str = "", abstract: str = "", corrections: str = "") -> str:
    """The work as PubMed has it."""
    bank = (
        "<DataBankList><DataBank><DataBankName>ClinicalTrials.gov</DataBankName>"
        f"<AccessionNumberList><AccessionNumber>{trial}</AccessionNumber></AccessionNumberList>"
        "</DataBank></DataBankList>"
    )
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{PMID}</PMID><Article><ArticleTitle>{TITLE}."
        f"</ArticleTitle><Abstract><AbstractText>Examplol helped. {abstract}</AbstractText>"
        f"</Abstract>{bank if trial else ''}</Article>{corrections}</MedlineCitation><PubmedData>"
        f"<ArticleIdList><ArticleId IdType='doi'>{DOI.upper()}</ArticleId>"
        f"<ArticleId IdType='pmc'>{PMCID}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"
    )


def published(*, knows_preprint: bool = True) -> dict[str, Any]:
    """The work as Europe PMC has it from MEDLINE."""
    record: dict[str, Any] = {
        "id": PMID,
        "source": "MED",
        "pmid": PMID,
        "pmcid": PMCID,
        "doi": DOI,
        "title": f"{TITLE}.",
        "abstractText": "<h4>Results</h4>Examplol helped.",
    }
    if knows_preprint:
        link = {"id": PPR, "source": "PPR", "type": "Preprint in"}
        record["commentCorrectionList"] = {"commentCorrection": [link]}
    return record


def preprint(*, knows_paper: bool = True) -> dict[str, Any]:
    """Its preprint, under another title."""
    record: dict[str, Any] = {
        "id": PPR,
        "source": "PPR",
        "doi": PREPRINT_DOI,
        "title": "Does examplol help in testitis? A trial",
        "abstractText": "Examplol helped.",
        "pubTypeList": {"pubType": ["Preprint"]},
    }
    if knows_paper:
        link = {"id": PMID, "source": "MED", "type": "Preprint of"}
        record["commentCorrectionList"] = {"commentCorrection": [link]}
    return record


def registered(kind: str = "RESULT") -> dict[str, Any]:
    """The trial, which cites the work."""
    study = made_up_study(1)
    study["protocolSection"]["identificationModule"]["nctId"] = NCT
    reference = {"pmid": PMID, "type": kind, "citation": "Nobody A. Examplol. J Made Up. 2999."}
    study["protocolSection"]["referencesModule"] = {"references": [reference]}
    return study


OTHER_WORK = """<PubmedArticle><MedlineCitation><PMID>99000002</PMID><Article><ArticleTitle>
Examplol in other testitis.</ArticleTitle></Article></MedlineCitation></PubmedArticle>"""
OTHER_TRIAL = made_up_study(2)


class Sources:
    """The three sources, which serve what they are given."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def found(
        self, articles: str, papers: list[dict[str, Any]], studies: list[dict[str, Any]]
    ) -> list[Evidence]:
        """Search all three sources, and return their records."""
        payload = f"<PubmedArticleSet>{articles}</PubmedArticleSet>".encode()
        servers = PubMedServer(payload), ClinicalTrialsServer(studies), EuropePMCServer(papers)
        order = ("pubmed", "europepmc", "clinicaltrials")
        async with world(self._folder, *servers) as site, fast_tools(site, order) as tools:
            answers = await SearchHandler(tools).execute(queries("examplol"), 10)
        assert {answer.result.outcome for answer in answers} == {SourceOutcome.DATA}
        return [record for answer in answers for record in answer.result.evidence]


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


def assert_one_study(records: Sequence[Evidence], others: int = 0) -> None:
    """In whatever order they come."""
    for order in itertools.permutations(records):
        store = EvidenceStore()
        store.add(order)
        groups = study_groups(store.evidence)
        assert len(groups) == 1 + others
        known = max((_ids_of(store, group) for group in groups), key=len)
        assert known >= ALL_IDS


def _ids_of(store: EvidenceStore, group: Sequence[str]) -> set[str]:
    members = [store.evidence[key] for key in group]
    return {i for member in members for i in canonical_ids(member) | study_links(member)}


@pytest.mark.parametrize(
    ("trial", "abstract", "kind"),
    [
        (NCT, "", "RESULT"),
        (NCT, "", "BACKGROUND"),
        ("", f"ClinicalTrials.gov {NCT}.", "BACKGROUND"),
        ("", "", "RESULT"),
        ("", "", "DERIVED"),
    ],
    ids=["both name the other", "the paper's data bank", "its abstract", "the trial", "derived"],
)
async def test_one_work_in_every_source_is_one_study(
    sources: Sources, trial: str, abstract: str, kind: str
) -> None:
    records = await sources.found(
        article(trial=trial, abstract=abstract), [published(), preprint()], [registered(kind)]
    )
    assert len(records) == 4
    assert_one_study(records)


@pytest.mark.parametrize(("paper_knows", "preprint_knows"), [(True, False), (False, True)])
async def test_one_of_paper_and_preprint_need_know_the_other(
    sources: Sources, paper_knows: bool, preprint_knows: bool
) -> None:
    papers = [published(knows_preprint=paper_knows), preprint(knows_paper=preprint_knows)]
    assert_one_study(await sources.found(article(), papers, [registered()]))


async def test_pubmed_may_be_the_only_one_that_knows_the_preprint(sources: Sources) -> None:
    source = f"made-up server. 2998 Dec 1. doi: {PREPRINT_DOI}."
    entry = f"<CommentsCorrections RefType='UpdateOf'><RefSource>{source}</RefSource>"
    corrections = (
        f"<CommentsCorrectionsList>{entry}</CommentsCorrections></CommentsCorrectionsList>"
    )
    papers = [published(knows_preprint=False), preprint(knows_paper=False)]
    records = await sources.found(article(corrections=corrections), papers, [registered()])
    assert_one_study(records)


async def test_other_works_stay_other_studies(sources: Sources) -> None:
    records = await sources.found(
        article(trial=NCT) + OTHER_WORK, [published(), preprint()], [registered(), OTHER_TRIAL]
    )
    store = EvidenceStore()
    store.add(records)
    sizes = sorted(len(group) for group in study_groups(store.evidence))
    assert sizes == [1, 1, 3]  # the record of PubMed and that of MEDLINE are one


async def test_a_background_paper_and_a_review_are_no_part_of_the_trial(sources: Sources) -> None:
    review = article(abstract=f"We pooled {NCT}.").replace(TITLE, "Examplol: a systematic review")
    papers = [published() | {"title": "Examplol: a systematic review"}, preprint()]
    records = await sources.found(review, papers, [registered("BACKGROUND")])
    store = EvidenceStore()
    store.add(records)
    trial = next(k for k, e in store.evidence.items() if e.metadata.kind == "trial")
    assert (trial,) in study_groups(store.evidence)


async def test_the_merged_record_has_what_each_source_knew(sources: Sources) -> None:
    records = await sources.found(article(trial=NCT), [published(), preprint()], [registered()])
    for order in itertools.permutations(records):
        store = EvidenceStore()
        store.add(order)
        work = next(e for e in store.evidence.values() if e.metadata.pmid == PMID)
        meta = work.metadata
        assert (meta.pmcid, meta.doi) == (PMCID, DOI)
        assert {f"nct:{NCT}", f"europepmc:{PPR}"} <= set(meta.linked_ids)
        assert len(store.evidence) == 3
