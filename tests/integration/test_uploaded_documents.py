"""Documents of the user's own over REST: uploaded, read in a run, private, and deleted with it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from deepcritical.bootstrap import build_runs
from deepcritical.interfaces.access import Access, Mode
from deepcritical.jobs.runs import RunService
from deepcritical.services.storage import uploads
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import sqlite_file
from deepcritical.services.storage.engines import engine_of
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.study_readings import StudyReadings, owner_of_run
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from deepcritical.tools.documents import MAX_BYTES
from deepcritical.verification.ids import id_named
from tests.conftest import paper, snapshot
from tests.databases import fresh_database, raw_text
from tests.documents import blank_pdf, encrypted_pdf, pdf_of
from tests.integration.reading_stores import keep_all, made_reading
from tests.integration.test_api import served

QUESTION = "Does examplol help in testitis?"
RESULT = "Examplol significantly improved testitis compared with placebo (p = 0.01)."
MARK = "Nobody beside Ada may read of the made-up quokka study"
FILLING = "Nothing that anybody should read into stands in this sentence. " * 40
ADA, BEN = "made-up-token-of-ada", "made-up-token-of-ben"
TOKENS = {"ada": SecretStr(ADA), "ben": SecretStr(BEN)}
ASKED = {"tool": "research", "question": QUESTION, "depth": "quick"}


def own_pdf(folder: Path, number: int = 0, result: str = RESULT) -> Path:
    folder.mkdir(exist_ok=True)
    made = pdf_of(
        folder,
        f"Examplol for testitis: the made-up, randomised trial number {number} of some",
        abstract=f"{MARK}. doi:10.5555/made-up.{number}.",
        methods=f"In all, {300 + number} adults with testitis were randomised to examplol or "
        f"placebo. {FILLING}",
        results=result,
    )
    return made.rename(folder / f"own-{number}.pdf")


class Site(NamedTuple):
    """A server over a snapshot of two records, and its database."""

    client: httpx.AsyncClient
    runs: RunService
    url: str


def service(url: str, source: Path, **options: Any) -> RunService:
    settings = Settings(database_url=SecretStr(url), snapshot=str(source), embedding_model="")
    return build_runs(settings, serves=True, **options)


@asynccontextmanager
async def site_on(url: str, folder: Path, access: Access | None = None) -> AsyncIterator[Site]:
    source = snapshot(folder / "records.jsonl", paper(1, doi="10.5555/made-up.1"), paper(2))
    runs = await asyncio.to_thread(service, url, source)
    async with served(runs, access) as site:
        yield Site(site.client, runs, url)
    await runs.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[str]:
    with fresh_database("any", tmp_path) as url:
        yield url


@pytest.fixture
async def site(database: str, tmp_path: Path) -> AsyncIterator[Site]:
    async with site_on(database, tmp_path) as site:
        yield site


def by(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def sent(site: Site, file: Path, **headers: str) -> httpx.Response:
    data = await asyncio.to_thread(file.read_bytes)
    files = {"file": (file.name, data)}
    return await site.client.post("/api/documents", files=files, headers=headers)


async def uploaded(site: Site, file: Path, **headers: str) -> str:
    answer = await sent(site, file, **headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def finished(site: Site, documents: list[Any], **headers: str) -> str:
    """The address of a run with these documents, once it is completed."""
    asked = {**ASKED, "documents": documents}
    answer = await site.client.post("/api/runs", json=asked, headers=headers)
    assert answer.status_code == 202, answer.text
    at = str(answer.headers["location"])
    await site.client.get(f"{at}/events", headers=headers)
    shown = (await site.client.get(at, headers=headers)).json()
    assert shown["status"] == "completed", shown
    return at


async def report_of(site: Site, at: str, **headers: str) -> dict[str, Any]:
    return dict((await site.client.get(f"{at}/export/json", headers=headers)).json())


async def rows(site: Site, table: str) -> int:
    return await asyncio.to_thread(_counted, site.url, table)


@asynccontextmanager
async def opened_database(url: str) -> AsyncIterator[Database]:
    database = Database(url)
    yield database
    await database.close()


async def told_by(site: Site) -> str:
    """All that the tables hold; bytes of a file that are free again are none of it."""
    if file := sqlite_file(site.url):
        return await asyncio.to_thread(_dumped, file)
    return await asyncio.to_thread(raw_text, site.url)


def _dumped(file: Path) -> str:
    with closing(sqlite3.connect(file)) as database:
        return "\n".join(database.iterdump())


def _counted(url: str, table: str) -> int:
    made = engine_of(url, threads=1, busy_s=5.0)
    with made.connect() as connection:
        counted = connection.scalar(sa.select(sa.func.count()).select_from(sa.table(table)))
    made.dispose()
    return int(counted or 0)


@pytest.mark.slow
async def test_ten_papers_are_read_and_cited_by_their_pages(site: Site, tmp_path: Path) -> None:
    files = [
        await asyncio.to_thread(own_pdf, tmp_path / f"own{number}", number)
        for number in range(10, 20)
    ]
    answers = [await sent(site, file) for file in files]
    shown = [answer.json() for answer in answers]
    assert [one["doi"] for one in shown] == [f"10.5555/made-up.{n}" for n in range(10, 20)]
    assert all(one["pages"] > 1 for one in shown)
    at = await finished(site, [one["id"] for one in shown])
    report = await report_of(site, at)
    own = {r["evidence_id"] for r in report["references"] if "number 1" in r["title"]}
    assert len(own) == 10
    places = {c["evidence_id"]: c["place"] for c in report["claims"] if c["quote"] == RESULT}
    assert own <= set(places)
    assert all(places[one].startswith("p. ") and int(places[one][3:]) > 1 for one in own)
    search = next(s for s in report["searches"] if s["source"] == "your documents")
    assert search["query_as_run"] == ", ".join(file.name for file in files)


async def test_what_is_no_paper_is_declined_with_its_reason(site: Site, tmp_path: Path) -> None:
    hostile = await asyncio.to_thread(blank_pdf, tmp_path, 5000)
    locked = await asyncio.to_thread(encrypted_pdf, tmp_path)
    for file, why in ((hostile, "has 5,000 pages"), (locked, "is encrypted")):
        answer = await sent(site, file)
        assert answer.status_code == 422
        assert why in answer.json()["detail"]
        assert answer.json()["advice"]
    large = {"file": ("large.txt", b"a" * (MAX_BYTES + 1))}
    answer = await site.client.post("/api/documents", files=large)
    assert (answer.status_code, "30 MB" in answer.text) == (413, True)
    larger = {"file": ("larger.txt", b"a" * (MAX_BYTES + 70_000))}
    assert (await site.client.post("/api/documents", files=larger)).status_code == 413
    for name, why in (("x.exe", "no document"), ("empty.txt", "is empty")):
        answer = await site.client.post("/api/documents", files={"file": (name, b"")})
        assert (answer.status_code, why in answer.text) == (422, True)
    answer = await site.client.post("/api/documents", data={"file": "no file"})
    assert answer.status_code == 422


@pytest.mark.slow
async def test_the_files_of_a_folder_are_uploaded_at_once(site: Site, tmp_path: Path) -> None:
    paper_of_own = await asyncio.to_thread(own_pdf, tmp_path / "own", 11)
    note = ("file", ("note.txt", f"A made-up note on a trial\n{RESULT}".encode()))
    pdf = await asyncio.to_thread(paper_of_own.read_bytes)
    files = [("file", (paper_of_own.name, pdf)), note]
    unread = ("file", ("empty.txt", b""))
    refused = await site.client.post("/api/documents/folder", files=[*files, unread])
    assert (refused.status_code, "is empty" in refused.text) == (422, True)
    many = await site.client.post("/api/documents/folder", files=[note] * 21)
    assert many.status_code == 400
    answer = await site.client.post("/api/documents/folder", files=files)
    assert answer.status_code == 201
    report = await report_of(site, await finished(site, [one["id"] for one in answer.json()]))
    search = next(s for s in report["searches"] if s["source"] == "your documents")
    assert search["query_as_run"] == f"{paper_of_own.name}, note.txt"
    assert await rows(site, "uploads") == 2


async def test_a_name_is_that_of_a_file_alone(site: Site) -> None:
    files = {"file": ("..\\..//<b>\u202eown</b>.txt", b"A made-up note\nNothing else.")}
    answer = await site.client.post("/api/documents", files=files)
    assert answer.json()["name"] == "b>.txt"


async def test_an_upload_is_its_user_s_alone(database: str, tmp_path: Path) -> None:
    own = await asyncio.to_thread(own_pdf, tmp_path / "own")
    async with site_on(database, tmp_path, Access(Mode.TOKENS, TOKENS)) as site:
        assert (await sent(site, own)).status_code == 401
        known = await uploaded(site, own, **by(ADA))
        for strange, who in ((known, BEN), (f"doc_{'0' * 32}", ADA)):
            asked = {**ASKED, "documents": [strange]}
            answer = await site.client.post("/api/runs", json=asked, headers=by(who))
            assert answer.status_code == 404
            assert "no upload" in answer.json()["detail"]
            gone = await site.client.delete(f"/api/documents/{strange}", headers=by(who))
            assert gone.status_code == 404
        asked = {**ASKED, "documents": ["nothing that is known"]}
        answer = await site.client.post("/api/runs", json=asked, headers=by(ADA))
        assert answer.status_code == 422
        deleted = await site.client.delete(f"/api/documents/{known}", headers=by(ADA))
        assert deleted.status_code == 204
        assert MARK not in await told_by(site)


async def test_a_public_server_takes_files_only_where_it_is_set(
    database: str, tmp_path: Path
) -> None:
    own = tmp_path / "own.txt"
    own.write_text("A made-up note\nNothing else.", encoding="utf-8")
    async with site_on(database, tmp_path, Access(Mode.PUBLIC)) as site:
        answer = await sent(site, own)
        assert (answer.status_code, "takes no files" in answer.text) == (403, True)
    access = Access(Mode.PUBLIC, public_documents=True, runs_per_hour=1)
    async with site_on(database, tmp_path, access) as site:
        first = await sent(site, own)
        token = by(first.json()["owner_token"])
        answers = [first, *[await sent(site, own, **token) for _ in range(6)]]
        assert [answer.status_code for answer in answers] == [201] * 6 + [429]
    async with site_on(database, tmp_path, access) as site:
        note = ("file", (own.name, b"A made-up note"))
        answer = await site.client.post("/api/documents/folder", files=[note] * 7)
        assert answer.status_code == 429


async def test_a_path_is_nothing_that_a_server_reads(site: Site, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("A made-up note\nNothing else.", encoding="utf-8")
    answer = await site.client.post("/api/runs", json={**ASKED, "documents": [str(own)]})
    assert (answer.status_code, "neither a PMID" in answer.text) == (422, True)


@pytest.mark.slow
async def test_an_id_and_what_is_found_are_one_record(site: Site) -> None:
    pmid = paper(2)["pmid"]
    given = ["https://doi.org/10.5555/MADE-UP.1", f"PMID {pmid}", {"text": f"{RESULT} Made up."}]
    report = await report_of(site, await finished(site, given))
    search = next(s for s in report["searches"] if s["source"] == "your documents")
    assert search["query_as_run"] == f"doi:10.5555/made-up.1, pmid:{pmid}, pasted text"
    assert search["identified"] == 3
    known = [set(reference["ids"]) for reference in report["references"]]
    (first,) = [ids for ids in known if f"pmid:{paper(1)['pmid']}" in ids]
    assert "doi:10.5555/made-up.1" in first
    assert sum(f"pmid:{pmid}" in ids for ids in known) == 1


@pytest.mark.slow
async def test_what_goes_with_a_run_is_deleted_with_it(site: Site, tmp_path: Path) -> None:
    own = await asyncio.to_thread(own_pdf, tmp_path / "own")
    text = {"text": f"{MARK}.\n{RESULT}"}
    at = await finished(site, [await uploaded(site, own), text])
    assert MARK in await told_by(site)
    assert (await site.client.delete(at)).status_code == 204
    assert await rows(site, "jobs") == 0
    assert MARK not in await told_by(site)


async def test_an_upload_that_no_run_uses_expires(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "own.txt"
    note.write_text(f"{MARK}\nNothing else.", encoding="utf-8")
    monkeypatch.setattr(uploads, "KEPT_S", -1.0)
    known = await uploaded(site, note)
    answer = await site.client.post("/api/runs", json={**ASKED, "documents": [known]})
    assert answer.status_code == 404
    await uploaded(site, note)
    assert await rows(site, "uploads") == 1
    async with opened_database(site.url) as database:
        await JobBoard(database).outlived()  # as every worker does, again and again


async def test_what_was_read_beside_documents_is_deleted_with_the_run(
    traces: ToolTraceService,
) -> None:
    store, of_run = StudyReadings(traces.database), made_reading("of a document")
    trace = await traces.create_trace("research", {"question": QUESTION})
    await keep_all(store, of_run, owner=owner_of_run(trace.id))
    await keep_all(store, made_reading("of another run"), owner=owner_of_run("another"))
    await traces.delete(trace.id, under_way=True)
    assert await store.find([of_run.text_sha256], owner_of_run(trace.id)) == ()
    assert len(await store.of_record(of_run.record_id)) == 1


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ("26890736", "pmid:26890736"),
        ("pmcid:PMC123456", "pmcid:PMC123456"),
        ("NCT 99000001", "nct:NCT99000001"),
        ("https://doi.org/10.5555/A.b", "doi:10.5555/a.b"),
        ("DOI: 10.5555/0021(87)90171-A", "doi:10.5555/0021(87)90171-a"),
        ("10.5555/(SICI)1<1::AID-X1>3.0.CO;2-B", "doi:10.5555/(sici)1<1::aid-x1>3.0.co;2-b"),
        ("nct:nct99000001", "nct:NCT99000001"),
        ("registry:ISRCTN99", None),
        ("/10.5555/a.pdf", None),
        ("PMID 1 and PMID 2", None),
        ("a paper on 10.5555/a.b", None),
    ],
)
def test_an_id_is_known_however_it_is_written(given: str, known: str | None) -> None:
    assert id_named(given) == known
