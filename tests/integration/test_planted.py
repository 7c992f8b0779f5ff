"""Planted inventions of a reasoner are caught in the live path: through the real team."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deepcritical.domain.report.parts import Claim, Quoted, Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.events import ClaimsChecked, ReferencesValidated
from tests.conftest import (
    DEMO,
    DEMO_QUESTION,
    QUESTION,
    ended,
    of_type,
    paper,
    run_service,
    snapshot,
)
from tests.integration.doubles import Forging

FALSE = Reference(
    evidence_id="E1",
    title="Examplol cures testitis: a trial that never was",
    source="pubmed",
    ids=("pmid:990000000001",),
    url="https://pubmed.ncbi.nlm.nih.gov/990000000001/",
)
ONE_WORD = Reference(evidence_id="E1", title="Metformin", source="pubmed")
PLANTED = "Planted sentence on examplol"


class Published(NamedTuple):
    """A report as written and as published, and the outcomes of its checks."""

    honest: ResearchReport
    report: ResearchReport
    references: ReferencesValidated
    claims: ClaimsChecked


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first records of the bundled snapshot that name what the question asks about."""
    lines = DEMO.read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if "etformin" in line and "Alzheimer" in line]
    return snapshot(tmp_path_factory.mktemp("some") / "records.jsonl", *named[:12])


async def published(
    forge: Callable[[ResearchReport], dict[str, Any]], source: Path, question: str = DEMO_QUESTION
) -> Published:
    reasoner = Forging(forge)
    run = run_service(source, reasoner, max_iterations=1).submit(question)
    events = await ended(run)
    report = await run.result()
    (references,) = of_type(events, "references_validated")
    (claims,) = of_type(events, "claims_checked")
    assert reasoner.honest
    return Published(reasoner.honest, report, references, claims)


def added(reference: Reference) -> Callable[[ResearchReport], dict[str, Any]]:
    """Puts a reference at the end of the list, and a sentence that cites it into the conclusion."""

    def forge(report: ResearchReport) -> dict[str, Any]:
        number = len(report.references) + 1
        return {
            "references": (*report.references, reference),
            "conclusion": f"{report.conclusion} {PLANTED} [{number}].",
        }

    return forge


def put_first(reference: Reference) -> Callable[[ResearchReport], dict[str, Any]]:
    def forge(report: ResearchReport) -> dict[str, Any]:
        return {"references": (reference, *report.references[1:])}

    return forge


def markers(report: ResearchReport) -> set[int]:
    """The numbers cited anywhere in the report's prose."""
    body = report.to_markdown().partition("## References")[0]
    return {int(number) for number in re.findall(r"(?<!\\)\[(\d+)\]", body)}


@pytest.mark.parametrize("reference", [FALSE, ONE_WORD], ids=["false", "one word of a title"])
class TestPlantedReference:
    async def test_it_is_taken_out_and_named(self, reference: Reference, some: Path) -> None:
        found = await published(added(reference), some)
        assert found.references.removed == (reference.title,)
        assert found.report.references == found.honest.references
        listed = found.report.to_markdown().partition("## References")[2]
        assert f". {reference.title}." not in listed

    async def test_its_sentence_goes_too(self, reference: Reference, some: Path) -> None:
        found = await published(added(reference), some)
        assert found.report.conclusion == found.honest.conclusion
        assert markers(found.report) == set(range(1, len(found.report.references) + 1))

    async def test_the_other_numbers_still_point_at_their_records(
        self, reference: Reference, some: Path
    ) -> None:
        found = await published(put_first(reference), some)
        lost = found.honest.references[0]
        assert found.references.removed == (reference.title,)
        assert found.report.references == found.honest.references[1:]
        assert lost.title not in [kept.title for kept in found.report.references]
        text = found.report.to_markdown()
        printed = [one for one in found.report.safety.quoted if one.evidence_id != lost.evidence_id]
        assert printed
        for one in printed:
            number = [r.evidence_id for r in found.report.references].index(one.evidence_id) + 1
            assert re.search(rf"\[{number}\]: “?{re.escape(one.claims[0].sentence)}", text)


async def test_without_references_no_number_is_printed(some: Path) -> None:
    found = await published(lambda _: {"references": ()}, some)
    assert markers(found.report) == set()
    assert found.report.references == ()


class TestPlantedWords:
    @pytest.mark.parametrize("field", ["executive_summary", "conclusion"])
    async def test_beside_the_brief_are_not_printed(self, field: str, some: Path) -> None:
        found = await published(lambda _: {field: f"{PLANTED} [1]."}, some)
        assert found.claims.failed == (f"{PLANTED} [1].",)
        assert found.report == found.honest.model_copy(update={"support": found.report.support})

    async def test_in_the_brief_are_not_printed(self, some: Path) -> None:
        def forge(report: ResearchReport) -> dict[str, Any]:
            assert report.brief
            planted = report.brief.answer[0].model_copy(update={"text": PLANTED})
            changed = {"answer": (planted, *report.brief.answer[1:]), "synthesis": (planted,)}
            return {"brief": report.brief.model_copy(update=changed)}

        found = await published(forge, some)
        assert PLANTED in found.claims.failed
        assert found.report.brief == found.honest.brief

    async def test_a_true_id_cannot_carry_a_false_entry(self, some: Path) -> None:
        def forge(report: ResearchReport) -> dict[str, Any]:
            first = report.references[0]
            forged = {"title": FALSE.title, "authors": ("Ada Invented",), "url": FALSE.url[:-1]}
            return {"references": (first.model_copy(update=forged), *report.references[1:])}

        found = await published(forge, some)
        assert FALSE.title not in found.report.to_markdown()
        assert "Ada Invented" not in found.report.to_markdown()

    async def test_a_number_that_the_record_does_not_have_goes(self, tmp_path: Path) -> None:
        def forge(report: ResearchReport) -> dict[str, Any]:
            true = report.claims[0]
            false = true.model_copy(update={"sentence": f"Examplol helped {987654321} people"})
            section = report.safety.model_copy(update={"quoted": (Quoted(claims=(false,)),)})
            return {"claims": (*report.claims, false), "safety": section}

        path = snapshot(tmp_path / "made.jsonl", paper())
        found = await published(forge, path, QUESTION)
        # What it took out of the section stands in the list of claims, and nowhere else.
        assert found.claims.failed == ("Examplol helped 987654321 people", "sections and claims")
        assert "987654321" not in found.report.to_markdown()
        assert found.report.claims == found.honest.claims

    async def test_a_quote_that_is_nowhere_in_the_record_goes(self, tmp_path: Path) -> None:
        def forge(_report: ResearchReport) -> dict[str, Any]:
            quote = "Examplol cures everything"
            claim = Claim(sentence=quote, evidence_id="E1", quote=quote, start=0, end=len(quote))
            return {"claims": (claim,)}

        path = snapshot(tmp_path / "made.jsonl", paper())
        found = await published(forge, path, QUESTION)
        # The claims of the sections, which it dropped, are missed as well.
        assert found.claims.failed == ("Examplol cures everything", "claims and printed sentences")
        assert found.report.claims == ()


async def test_a_work_that_was_stored_twice_keeps_its_reference(tmp_path: Path) -> None:
    title = "Examplol examplol in testitis testitis"
    by_doi = paper(1, pmid=None, doi="10.9999/made.1", title=title)
    by_pmid = paper(2, title=f"{title}, made-up reprint")
    both = paper(3, pmid="99000002", doi="10.9999/made.1", title="A record", text="Examplol.")
    path = snapshot(tmp_path / "made.jsonl", by_doi, by_pmid, both)
    found = await published(lambda _: {}, path, QUESTION)
    assert found.references.removed == ()
