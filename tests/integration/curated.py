"""Curated sources on loopback, and made-up facts that a run can be given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.research.session import RunSources
from deepcritical.tools.drug_facts.base import DrugFactsLookUp
from deepcritical.tools.drug_facts.mychem import MyChem
from deepcritical.tools.drug_facts.openfda import AdverseEvents, Labels
from deepcritical.tools.drug_facts.opentargets import OpenTargets
from deepcritical.tools.drug_facts.pubtator import PubTator
from deepcritical.tools.http import SourceClient
from deepcritical.tools.rate_limiter import new_limiter
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import as_they_stand
from tests.servers.curated import CuratedServer
from tests.servers.faults import Faults
from tests.servers.running import running

MAKERS: dict[str, Any] = {
    "MyChem.info": MyChem,
    "Open Targets": OpenTargets,
    "openFDA labels": Labels,
    "openFDA FAERS": AdverseEvents,
    "PubTator3": PubTator,
}
BOXED = "WARNING: Examplol raises deaths in elderly patients with testitis-related psychosis."
AGAINST = "Examplol is contraindicated in pregnancy. It is contraindicated in made-up states."
TOGETHER = "Otherol raises the concentration of examplol. Food does not matter."
USES = "Examplol is indicated for the treatment of asthma in adults. It is not for migraine."


class Site(NamedTuple):
    """The service, its faults, and a look-up of all sources."""

    server: CuratedServer
    faults: Faults
    look_up: DrugFactsLookUp


@asynccontextmanager
async def curated() -> AsyncIterator[Site]:
    """All sources on one server, with limiters that hold up no test."""
    server = CuratedServer()
    faults = Faults(server.app)
    async with running(faults) as url, AsyncExitStack() as stack:
        sources = []
        for name, make in MAKERS.items():
            client = SourceClient(
                name, url, limiter=new_limiter(1000), timeout_s=2.0, attempt_s=3.0, wait_s=0.01
            )
            stack.push_async_callback(client.aclose)
            sources.append(make(client))
        yield Site(
            server, faults, DrugFactsLookUp(sources, deadline_s=4.0, today=lambda: "2999-01-02")
        )


def filled(server: CuratedServer) -> None:
    """Made-up facts on examplol at every source."""
    server.mychem = _mychem()
    server.opentargets = _opentargets()
    server.labels = {"results": [_label()]}
    server.events = {"results": [{"term": "MADE-UP RASH", "count": 12}]}
    relation = {"type": "treat", "source": "@CHEMICAL_Examplol", "target": "@DISEASE_Asthma"}
    server.relations = {"@CHEMICAL_Examplol": [relation | {"publications": 3}]}


def _mychem() -> dict[str, Any]:
    return {
        "hits": [
            {
                "_id": "AAAAAAAAAAAAAA-BBBBBBBBBB-C",
                "chembl": {
                    "pref_name": "EXAMPLOL",
                    "molecule_chembl_id": "CHEMBL0",
                    "drug_mechanisms": [{"action_type": "INHIBITOR", "target_name": "Made kinase"}],
                },
                "drugcentral": {"drug_use": {"indication": {"concept_name": "Asthma"}}},
                "ndc": {
                    "nonproprietaryname": "examplol",
                    "pharm_classes": ["Made-up Kinase Inhibitor [EPC]"],
                },
            }
        ]
    }


def _opentargets() -> dict[str, Any]:
    target = {"id": "ENSG0", "approvedSymbol": "MADE1", "approvedName": "made kinase"}
    moa = {"mechanismOfAction": "Made kinase inhibitor", "actionType": "INHIBITOR"}
    entry = {
        "id": "CHEMBL0",
        "name": "EXAMPLOL",
        "indications": {"rows": []},
        "mechanismsOfAction": {"rows": [moa | {"targets": [target]}]},
    }
    return {"data": {"search": {"hits": [{"object": entry}]}}}


def _label() -> dict[str, Any]:
    return {
        "set_id": "made-up-set",
        "effective_time": "29990101",
        "openfda": {"generic_name": ["EXAMPLOL"], "brand_name": ["EXAMPLAX"]},
        "indications_and_usage": [USES],
        "boxed_warning": [BOXED],
        "contraindications": [AGAINST],
        "drug_interactions": [TOGETHER],
        "adverse_reactions": ["Made-up rash."],
    }


@asynccontextmanager
async def sources_with(path: Path, site: Site | None) -> AsyncIterator[RunSources]:
    """The sources of a run over a snapshot, with curated facts."""
    facts = site.look_up.look_up if site else None
    handler = SearchHandler([SnapshotSource(path)])
    yield RunSources(handler, ("made",), look_up=as_they_stand, facts=facts)
