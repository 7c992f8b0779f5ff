"""Documents of the user's own in a run: read with the others, cited by page, and private."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from deepcritical.domain.errors import DocumentError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.plan import Place
from deepcritical.domain.run.recipe import OwnDocument, Recipe
from deepcritical.interfaces.main import app
from deepcritical.research.session import owner_of
from deepcritical.services.storage.study_readings import owner_of_run
from tests.conftest import paper, snapshot
from tests.documents import pdf_of
from tests.servers.europepmc import EuropePMCServer, made_up_records
from tests.servers.world import call, world

QUESTION = "Does examplol help in testitis?"
RESULT = "Examplol significantly improved testitis compared with placebo (p = 0.01)."
METHODS = "In all, 300 adults with testitis were randomised to examplol or placebo. "
FILLING = "Nothing that anybody should read into stands in this sentence. " * 40


def document(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return pdf_of(
        folder,
        "Examplol for testitis: a made-up, randomised trial that stands in no journal",
        abstract="A trial without a figure. doi:10.5555/made-up.1.",
        methods=METHODS + FILLING,
        results=RESULT,
    )


def run(tmp_path: Path, line: dict[str, Any], own: str) -> dict[str, Any]:
    path = str(snapshot(tmp_path / "made.jsonl", line))
    given = ["research", QUESTION, "--snapshot", path, "--json", "-q", "--with", own]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.stdout))


def of_documents(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [search for search in report["searches"] if search["source"] == "your documents"]


def test_a_document_decides_with_the_others_and_is_cited_by_its_page(tmp_path: Path) -> None:
    own = document(tmp_path / "own")
    other = paper(7, pub_types=["Editorial"], text="Nothing was measured.")
    report = run(tmp_path, other, str(own))
    (reference,) = [r for r in report["references"] if "stands in no journal" in r["title"]]
    assert report["verdict"]["label"] == "promising"
    assert report["verdict"]["deciding_ids"] == [reference["evidence_id"]]
    (place,) = {c["place"] for c in report["claims"] if c["quote"] == RESULT}
    assert place.startswith("p. ")
    assert int(place[3:]) > 1
    assert "A document of your own" in reference["note"]
    assert of_documents(report)[0]["query_as_run"] == own.name


def test_a_document_that_a_source_knows_is_one_record(tmp_path: Path) -> None:
    known = paper(1, doi="10.5555/made-up.1")
    report = run(tmp_path, known, str(document(tmp_path / "own").parent))
    assert report["studies_included"] == 1
    (reference,) = report["references"]
    assert {"doi:10.5555/made-up.1", f"pmid:{known['pmid']}"} <= set(reference["ids"])


def test_an_id_is_looked_up(tmp_path: Path) -> None:
    known = paper(1)
    told = of_documents(run(tmp_path, known, known["pmid"]))
    assert told[0]["query_as_run"] == f"pmid:{known['pmid']}"
    assert told[0]["identified"] == 1


@pytest.mark.slow
def test_an_answer_reads_documents_too(tmp_path: Path) -> None:
    own = document(tmp_path / "own")
    place = str(snapshot(tmp_path / "made.jsonl", paper(7, text="Nothing was measured.")))
    given = ["ask", QUESTION, "--snapshot", place, "-q", "--out", str(tmp_path / "answer")]
    done = CliRunner().invoke(app, [*given, "--with", str(own.parent)])
    assert done.exit_code == 0, done.output
    assert "significantly improved testitis" in done.stdout
    assert "stands in no journal" in done.stdout
    assert "Beside your documents only titles" in done.stdout
    refused = CliRunner().invoke(app, ["ask", QUESTION, "--evidence", place, "--with", str(own)])
    assert (refused.exit_code, "--with" in refused.output) == (2, True)


@pytest.mark.parametrize(
    ("own", "why"),
    [("nowhere.pdf", "cannot be read"), ("zzz", "neither a document"), ("empty", "no document")],
)
def test_what_cannot_be_read_ends_before_the_search(tmp_path: Path, own: str, why: str) -> None:
    (tmp_path / "empty").mkdir()
    path = str(snapshot(tmp_path / "made.jsonl", paper(1)))
    name = own if own == "zzz" else str(tmp_path / own)
    done = CliRunner().invoke(app, ["research", QUESTION, "--snapshot", path, "--with", name])
    assert isinstance(done.exception, DocumentError | SystemExit)
    assert why in f"{done.output} {done.exception}"
    assert "SearchAgent" not in done.output


def test_readings_beside_documents_are_the_run_s_alone() -> None:
    def recipe(*documents: OwnDocument) -> Recipe:
        return Recipe(
            tool="research",
            question=QUESTION,
            limits=RunLimits.for_depth("quick"),
            place=Place(snapshot="demo"),
            documents=documents,
            searched_on="2999-01-01",
        )

    own = OwnDocument(name="pmid:99000001")
    assert owner_of(recipe(own), "somebody", "a-run") == owner_of_run("a-run") == "run:a-run"
    assert owner_of(recipe(), "somebody", "a-run") == ""


@pytest.mark.slow
async def test_a_doi_that_one_source_knows_is_the_record_that_another_finds(tmp_path: Path) -> None:
    """Europe PMC is asked for the DOI; the search asks PubMed alone, which knows it by its PMID."""
    (known,) = [r for r in made_up_records() if r.get("doi") == "10.99999/examplol.1"]
    without = {name: value for name, value in known.items() if name not in ("pmid", "pmcid")}
    preprint = {**without, "doi": "10.9900/jmur.ex.101", "source": "PPR", "id": "PPR99000101"}
    options = ("--sources", "pubmed", "--with", "https://doi.org/10.9900/JMUR.Ex.101")
    async with world(tmp_path, europepmc=EuropePMCServer([preprint])) as site:
        done = await call(site, "research", QUESTION, *options, "--json", "-q", DATABASE_URL="")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert of_documents(report)[0]["identified"] == 1
    bearing = [r for r in report["references"] if "doi:10.9900/jmur.ex.101" in r["ids"]]
    assert len(bearing) == 1
    assert {"pmid:99000101", "pmcid:PMC99000101"} <= set(bearing[0]["ids"])
