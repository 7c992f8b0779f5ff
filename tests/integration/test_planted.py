"""What a reasoner makes up is caught in the live path: through the real team, not beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deepcritical.domain.events import ClaimsChecked, ReferencesValidated
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim, Reference
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

UNSUPPORTED = "[unsupported]"
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
    """What the reader gets, what the reasoner had in hand, and what the checks said."""

    honest: ResearchReport
    report: ResearchReport
    references: ReferencesValidated
    claims: ClaimsChecked


async def published(
    forge: Callable[[ResearchReport], dict[str, Any]],
    question: str = DEMO_QUESTION,
    source: Path = DEMO,
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
    """Puts a reference in the place of the first one."""

    def forge(report: ResearchReport) -> dict[str, Any]:
        return {"references": (reference, *report.references[1:])}

    return forge


def true_of_first(report: ResearchReport) -> str:
    """What the first reference says, without a full stop."""
    first = report.references[0].evidence_id
    return next(c.sentence.rstrip(".") for c in report.claims if c.evidence_id == first)


def markers(report: ResearchReport) -> set[int]:
    """The numbers cited anywhere in the report's prose."""
    body = report.to_markdown().partition("## References")[0]
    return {int(number) for number in re.findall(r"(?<!\\)\[(\d+)\]", body)}


@pytest.mark.parametrize("reference", [FALSE, ONE_WORD], ids=["false", "one word of a title"])
class TestPlantedReference:
    async def test_it_is_taken_out_and_named(self, reference: Reference) -> None:
        found = await published(added(reference))
        assert found.references.removed == (reference.title,)
        assert found.report.references == found.honest.references
        listed = found.report.to_markdown().partition("## References")[2]
        assert f". {reference.title}." not in listed

    async def test_its_marker_goes_and_the_sentence_is_marked(self, reference: Reference) -> None:
        found = await published(added(reference))
        assert f"{PLANTED} {UNSUPPORTED}." in found.report.conclusion
        assert found.references.unsupported == 1
        assert markers(found.report) == set(range(1, len(found.report.references) + 1))

    async def test_the_other_numbers_still_point_at_their_records(
        self, reference: Reference
    ) -> None:
        found = await published(put_first(reference))
        lost = found.honest.references[0]
        assert found.references.removed == (reference.title,)
        assert found.report.references == found.honest.references[1:]
        assert lost.title not in [kept.title for kept in found.report.references]
        assert UNSUPPORTED in found.report.to_markdown()
        ids = [r.evidence_id for r in found.report.references]
        text = found.report.to_markdown()
        kept = [claim for claim in found.report.claims if claim.evidence_id != lost.evidence_id]
        assert kept
        for claim in kept:
            number = ids.index(claim.evidence_id) + 1
            assert f"{claim.sentence.rstrip('.')} [{number}]" in text


class TestInlineMarker:
    async def test_a_number_without_a_reference_does_not_stand(self) -> None:
        found = await published(
            lambda report: {"conclusion": f"{true_of_first(report)} [99][1]. Another [98]."}
        )
        assert found.references.dangling == (98, 99)
        told = true_of_first(found.honest)
        assert found.report.conclusion == f"{told} [1]. Another {UNSUPPORTED}."

    async def test_a_range_is_cut_down_to_what_exists(self) -> None:
        found = await published(
            lambda report: {"conclusion": f"{true_of_first(report)} [1-3, 99]."}
        )
        assert found.report.conclusion == f"{true_of_first(found.honest)} [1][2][3]."

    async def test_no_reference_at_all_leaves_no_number(self) -> None:
        found = await published(lambda _: {"references": ()})
        assert markers(found.report) == set()
        assert found.report.references == ()


class TestPlantedWords:
    async def test_a_sentence_that_no_claim_stands_for_is_checked_too(self) -> None:
        found = await published(lambda _: {"conclusion": f"{PLANTED} [1]."})
        assert found.claims.failed == (f"{PLANTED}.",)
        assert found.report.conclusion == f"{PLANTED} {UNSUPPORTED}."
        told = found.report.support
        assert told
        assert told.borne_out == told.cited - 1

    async def test_a_true_id_cannot_carry_a_false_entry(self) -> None:
        def forge(report: ResearchReport) -> dict[str, Any]:
            first = report.references[0]
            forged = {"title": FALSE.title, "authors": ("Ada Invented",), "url": FALSE.url[:-1]}
            return {"references": (first.model_copy(update=forged), *report.references[1:])}

        found = await published(forge)
        assert FALSE.title not in found.report.to_markdown()
        assert "Ada Invented" not in found.report.to_markdown()

    async def test_a_number_that_the_record_does_not_have_is_marked(self, tmp_path: Path) -> None:
        def forge(report: ResearchReport) -> dict[str, Any]:
            true = report.claims[0]
            false = true.model_copy(update={"sentence": f"Examplol helped {987654321} people"})
            return {
                "claims": (*report.claims, false),
                "conclusion": f"{false.sentence} [1].",
            }

        path = snapshot(tmp_path / "made.jsonl", paper())
        found = await published(forge, QUESTION, path)
        assert found.claims.failed == ("Examplol helped 987654321 people",)
        assert found.report.conclusion.rstrip(".").endswith(UNSUPPORTED)
        assert found.report.claims == found.honest.claims

    async def test_a_quote_that_is_nowhere_in_the_record_is_marked(self, tmp_path: Path) -> None:
        def forge(_report: ResearchReport) -> dict[str, Any]:
            quote = "Examplol cures everything"
            claim = Claim(sentence=quote, evidence_id="E1", quote=quote, start=0, end=len(quote))
            return {"claims": (claim,), "conclusion": f"{quote} [1]."}

        path = snapshot(tmp_path / "made.jsonl", paper())
        found = await published(forge, QUESTION, path)
        assert found.claims.failed == ("Examplol cures everything",)
        assert UNSUPPORTED in found.report.conclusion
        assert found.report.claims == ()


async def test_a_work_that_was_stored_twice_keeps_its_reference(tmp_path: Path) -> None:
    title = "Examplol examplol in testitis testitis"
    by_doi = paper(1, pmid=None, doi="10.9999/made.1", title=title)
    by_pmid = paper(2, title=f"{title}, made-up reprint")
    both = paper(3, pmid="99000002", doi="10.9999/made.1", title="A record", text="Examplol.")
    path = snapshot(tmp_path / "made.jsonl", by_doi, by_pmid, both)
    found = await published(lambda _: {}, QUESTION, path)
    assert found.references.removed == ()
