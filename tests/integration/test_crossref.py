"""Integrity look-ups over real HTTP on loopback."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence, Integrity
from deepcritical.tools.crossref import check_integrity, integrity
from deepcritical.tools.http import SourceClient
from deepcritical.tools.rate_limiter import limiter_for
from tests.conftest import make_evidence
from tests.servers.crossref import CrossrefServer
from tests.servers.faults import Fault, Faults
from tests.servers.running import running

_hosts = count()
DOI = "10.99999/examplol(2999)1-x"
NOTICE = "10.99999/notice.1"


class Site(NamedTuple):
    """A running service, its faults, and a client of it."""

    server: CrossrefServer
    faults: Faults
    client: SourceClient


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    server = CrossrefServer()
    faults = Faults(server.app)
    async with running(faults) as url:
        limiter = limiter_for(f"crossref-{next(_hosts)}", 1000)
        client = SourceClient("Crossref", url, limiter=limiter, timeout_s=2.0, wait_s=0.01)
        yield Site(server, faults, client)
        await client.aclose()


@pytest.mark.parametrize(
    ("kind", "level", "notice"),
    [
        ("retraction", "retracted", "retraction"),
        ("withdrawal", "retracted", "withdrawal"),
        ("removal", "retracted", "removal"),
        ("partial_retraction", "concern", "partial retraction"),
        ("expression_of_concern", "concern", "concern"),
        ("erratum", "corrected", "erratum"),
        ("correction", "corrected", "erratum"),
        ("corrigendum", "corrected", "erratum"),
    ],
)
async def test_an_update_of_the_work_is_read(
    site: Site, kind: str, level: Integrity, notice: str
) -> None:
    site.server.add(DOI, (kind, NOTICE))
    assert await integrity(site.client, DOI) == (level, (f"{notice} doi:{NOTICE}",))


async def test_no_update_is_clean(site: Site) -> None:
    site.server.add(DOI)
    assert await integrity(site.client, f"https://doi.org/{DOI.upper()}") == ("clean", ())


@pytest.mark.parametrize("kind", ["new_version", "addendum", "new_edition", ""])
async def test_a_new_version_takes_nothing_back(site: Site, kind: str) -> None:
    site.server.add(DOI, (kind, NOTICE))
    assert await integrity(site.client, DOI) == ("clean", ())


async def test_the_worst_of_several_wins(site: Site) -> None:
    site.server.add(DOI, ("correction", "10.99999/n.1"), ("retraction", "10.99999/n.2"))
    level, notices = await integrity(site.client, DOI)
    assert level == "retracted"
    assert notices == ("erratum doi:10.99999/n.1", "retraction doi:10.99999/n.2")


async def test_a_notice_that_only_points_at_the_work_is_found(site: Site) -> None:
    site.server.add(DOI)
    site.server.add_notice(NOTICE, ("retraction", DOI.upper()))
    assert await integrity(site.client, DOI) == ("retracted", (f"retraction doi:{NOTICE}",))


async def test_a_retraction_of_another_work_is_not_taken_over(site: Site) -> None:
    site.server.add(DOI)
    site.server.add_notice(NOTICE, ("retraction", "10.99999/another"))
    assert (await integrity(site.client, DOI))[0] == "clean"


async def test_the_doi_goes_encoded_into_the_path(site: Site) -> None:
    odd = "10.99999/a?b#c%25d<e>;f"
    site.server.add("10.99999/a?b#c%d<e>;f", ("retraction", NOTICE))
    assert (await integrity(site.client, odd))[0] == "retracted"
    paths = [asked for asked in site.server.asked if asked.startswith("/works/")]
    assert paths == ["/works/10.99999%2Fa%3Fb%23c%25d%3Ce%3E%3Bf"]


async def test_a_comma_never_reads_as_not_retracted(site: Site) -> None:
    doi = "10.99999/examplol.1,2"
    site.server.add(doi, ("retraction", NOTICE))
    assert (await integrity(site.client, doi))[0] == "retracted"
    assert not [asked for asked in site.server.asked if "filter" in asked]


async def test_a_notice_on_several_works_counts_for_each_by_its_own_type(site: Site) -> None:
    site.server.add(DOI)
    site.server.add_notice(NOTICE, ("correction", DOI), ("retraction", "10.99999/another"))
    assert await integrity(site.client, DOI) == ("corrected", (f"erratum doi:{NOTICE}",))


@pytest.mark.parametrize("doi", ["", "no doi", "11.99999/x"])
async def test_what_is_no_doi_is_not_asked(site: Site, doi: str) -> None:
    assert await integrity(site.client, doi) == ("not_checked", ())
    assert site.faults.requests == 0


async def test_a_work_that_crossref_does_not_know_is_not_checked(site: Site) -> None:
    assert await integrity(site.client, DOI) == ("not_checked", ())


@pytest.mark.parametrize("fault", ["429", "500", "half", "html", "huge", "reset", "empty"])
async def test_an_error_is_never_clean(site: Site, fault: Fault) -> None:
    site.server.add(DOI)
    site.faults.on(fault)
    assert await integrity(site.client, DOI) == ("not_checked", ())


async def test_one_look_up_that_fails_leaves_the_other(site: Site) -> None:
    site.server.add_notice(NOTICE, ("retraction", DOI))  # the work itself is not there
    assert (await integrity(site.client, DOI))[0] == "retracted"


async def test_an_answer_on_another_work_is_not_believed(site: Site) -> None:
    site.server.works[DOI] = {"DOI": "10.99999/another", "updated-by": []}
    assert (await integrity(site.client, DOI))[0] == "not_checked"


class TestMerging:
    def record(self, level: Integrity = "not_checked", **meta: Any) -> Evidence:
        return make_evidence(**{"doi": DOI, "integrity": level, **meta})

    async def test_without_a_client_nothing_is_asked(self, site: Site) -> None:
        site.server.add(DOI, ("retraction", NOTICE))
        record = self.record("corrected", notices=("erratum pmid:99000001",))
        assert await check_integrity(record, None) == record
        assert site.faults.requests == 0

    async def test_what_the_index_says_is_read_without_a_client(self) -> None:
        record = self.record(publication_types=("Retracted Publication",))
        assert (await check_integrity(record, None)).metadata.integrity == "retracted"

    @pytest.mark.parametrize(
        ("known", "update", "worst"),
        [
            ("retracted", "correction", "retracted"),
            ("concern", "retraction", "retracted"),
            ("not_checked", "correction", "corrected"),
            ("not_checked", "new_version", "clean"),
            ("corrected", "new_version", "corrected"),
        ],
    )
    async def test_the_worst_wins(
        self, site: Site, known: Integrity, update: str, worst: Integrity
    ) -> None:
        site.server.add(DOI, (update, NOTICE))
        checked = await check_integrity(self.record(known), site.client)
        assert checked.metadata.integrity == worst

    async def test_a_failed_look_up_takes_nothing_away(self, site: Site) -> None:
        site.faults.on("500")
        checked = await check_integrity(self.record("concern"), site.client)
        assert checked.metadata.integrity == "concern"
        checked = await check_integrity(self.record(), site.client)
        assert checked.metadata.integrity == "not_checked"

    async def test_grading_sees_what_crossref_knows(self, site: Site) -> None:
        site.server.add(DOI, ("retraction", NOTICE))
        record = self.record(notices=("erratum pmid:99000001",))
        assert not is_retracted(record)
        checked = await check_integrity(record, site.client)
        assert is_retracted(checked)
        assert checked.metadata.notices == ("erratum pmid:99000001", f"retraction doi:{NOTICE}")

    async def test_a_record_without_a_doi_is_not_looked_up(self, site: Site) -> None:
        checked = await check_integrity(self.record(doi=None), site.client)
        assert checked.metadata.integrity == "not_checked"
        assert site.faults.requests == 0


async def test_who_asks_is_named_to_crossref_and_to_nobody_else(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client = SourceClient(
        "Crossref",
        str(site.client._client.base_url),
        limiter=limiter_for(f"crossref-{next(_hosts)}", 1000),
        secrets={"mailto": "nobody+x@example.org"},
    )
    site.server.add(DOI)
    assert await integrity(client, DOI) == ("clean", ())
    await client.aclose()
    asked = [parse_qs(urlsplit(address).query) for address in site.server.asked]
    assert [query["mailto"] for query in asked] == [["nobody+x@example.org"]] * 2
    assert any(quote(DOI, safe="") in address for address in site.server.asked)
    assert "example.org" not in caplog.text
