"""The claim ledger of made-up reports: what holds, what fails, and what is not counted."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.ledger import EntryKind, SupportRate
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim
from deepcritical.reasoning.auditing import audit, records_of
from tests.unit.domain.records import CONTENT, paper, reference, report

RECORD = paper(pmid="99000001", note="a made-up caution")
OTHER = paper("Another", "Mood was not asked about in the survey.", pmid="99000002")
REFERENCES = (
    reference(RECORD, evidence_id="E1"),
    reference(OTHER, evidence_id="E2"),
)
QUOTE = "Pain fell by 12.5% (p = 0.02)."


def claim(sentence: str = QUOTE, quote: str = QUOTE, evidence_id: str = "E1") -> Claim:
    start = max(0, CONTENT.find(quote))
    return Claim(
        sentence=sentence,
        evidence_id=evidence_id,
        quote=quote,
        start=start,
        end=start + len(quote),
    )


def written(text: str, *claims: Claim, **changes: Any) -> ResearchReport:
    return report(text, *REFERENCES, claims=claims, **changes)


def failed(told: ResearchReport) -> list[tuple[EntryKind, str]]:
    return [(entry.kind, entry.text) for entry in audit(told).failed]


@pytest.mark.parametrize(
    "text",
    [
        f"{QUOTE} [1]",
        "Pain fell by 12.5% \\(p = 0.02\\) [1].",
        "“Pain fell by 12.5% (p = 0.02)” [1].",
        "- **A study 2020**, summary of [1]: Pain fell by 12.5% (p = 0.02) [1].",
        "With examplol, pain was reduced by 12.5 percent [1]. Mood was not asked about [2].",
        "Pain fell by 12.5% [1][2].",
        "Note kept with the record: a made-up caution [1].",
    ],
)
def test_a_sentence_that_its_source_bears_holds(text: str) -> None:
    ledger = audit(written(text))
    assert ledger.failed == ()
    assert ledger.support.cited == ledger.support.borne_out > 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Pain fell by 21.5% (p = 0.02) [1].", "number not in the text"),
        ("Pain rose by 12.5% (p = 0.02) [1].", "direction turned round"),
        ("Pain fell by 12.5% (p = 0.02) [2].", "nothing in the text says so"),
        ("Pain fell by 12.5% (p = 0.02) [9].", "not in the list"),
        ("Note kept with the record: examplol is a cure [1].", "no such note"),
    ],
)
def test_a_sentence_that_its_source_does_not_bear_fails(text: str, reason: str) -> None:
    (entry,) = audit(written(text)).failed
    assert reason in entry.reason
    assert audit(written(text)).support == SupportRate(cited=1, borne_out=0)


def test_a_sentence_without_a_citation_and_a_table_are_not_entries() -> None:
    told = written(
        "Cats fly.\n\n| Study | Finding |\n| --- | --- |\n| Cats | fly [1] |\n\n### Cats"
    )
    assert [entry.kind for entry in audit(told).entries] == [EntryKind.REFERENCE] * 2


def test_a_rating_by_rule_is_not_counted() -> None:
    told = written("- For: A 2020 [1].\n- Against: B 2021 [2].")
    ledger = audit(told)
    assert [e.kind for e in ledger.entries].count(EntryKind.RATING) == 2
    assert ledger.support.cited == 0


class TestClaims:
    def test_a_claim_is_counted_once_with_its_sentence(self) -> None:
        ledger = audit(written(f"{QUOTE} [1]", claim()))
        assert ledger.support == SupportRate(cited=1, borne_out=1)
        (entry,) = [e for e in ledger.entries if e.kind is EntryKind.CLAIM]
        assert (entry.quote, entry.start, entry.numbers) == (QUOTE, CONTENT.find(QUOTE), (1,))

    def test_a_claim_in_other_words_is_checked_like_a_sentence(self) -> None:
        assert failed(written("", claim("Pain was reduced by 12.5 percent."))) == []
        false = "Pain was not reduced."
        assert failed(written("", claim(false))) == [(EntryKind.CLAIM, false)]

    @pytest.mark.parametrize(
        "false",
        [
            claim(quote="Pain vanished."),
            claim(evidence_id="E2"),
            claim(evidence_id="E9"),
        ],
        ids=["quote made up", "another record", "no record"],
    )
    def test_a_claim_that_rests_on_nothing_fails(self, false: Claim) -> None:
        assert (EntryKind.CLAIM, QUOTE) in failed(written("", false))

    def test_a_claim_printed_under_another_number_fails(self) -> None:
        (entry,) = audit(written(f"{QUOTE} [2]", claim())).failed
        assert entry.reason == "it is printed with [2], not [1]"

    def test_two_records_may_say_the_same(self) -> None:
        twin = paper("A twin", pmid="99000003")
        references = (REFERENCES[0], reference(twin, evidence_id="E3"))
        claims = (claim(), claim(evidence_id="E3"))
        told = report(f"{QUOTE} [1]\n\n{QUOTE} [2]", *references, claims=claims)
        assert audit(told).failed == ()
        assert audit(told).support == SupportRate(cited=2, borne_out=2)


class TestReferences:
    def test_a_retracted_reference_supports_nothing(self) -> None:
        taken_back = REFERENCES[0].model_copy(update={"retracted": True})
        told = report(f"{QUOTE} [1]", taken_back, claims=(claim(),))
        (entry,) = audit(told).failed
        assert "retracted source" in entry.reason

    def test_the_records_are_rebuilt_from_the_report(self) -> None:
        found = records_of(written(""))["E1"]
        assert (found.content, found.metadata.pmid) == (RECORD.content, "99000001")

    def test_a_snapshot_must_have_a_record_with_its_id(self) -> None:
        told = written(f"{QUOTE} [1]", claim())
        assert audit(told, [RECORD, OTHER]).failed == ()
        (entry,) = audit(told, [RECORD]).failed
        assert (entry.kind, entry.text) == (EntryKind.REFERENCE, "Another")

    def test_another_text_in_the_snapshot_is_told_and_counts(self) -> None:
        changed = paper(pmid="99000001", content=CONTENT.replace("12.5", "22.5"))
        ledger = audit(written(f"{QUOTE} [1]", claim()), [changed, OTHER])
        (entry,) = ledger.failed
        assert entry.kind is EntryKind.CLAIM
        (listed, _) = [e for e in ledger.entries if e.kind is EntryKind.REFERENCE]
        assert listed.reason == "the snapshot has another text than the report"
