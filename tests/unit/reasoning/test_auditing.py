"""The claim ledger of made-up reports: what holds, what fails, and what is not counted."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal import Remark
from deepcritical.domain.ledger import EntryKind, SupportRate
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim
from deepcritical.reasoning.auditing import audit, check_sentences, records_of
from deepcritical.reasoning.ratings import Rating
from tests.unit.domain.records import CONTENT, QUOTE, claim, paper, reference, report

RECORD = paper(pmid="99000001", note="a made-up caution")
OTHER = paper("Another", "Mood was not asked about in the survey.", pmid="99000002")
REFERENCES = (
    reference(RECORD, evidence_id="E1"),
    reference(OTHER, evidence_id="E2"),
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
        "- Also: **A study 2020**, quoted from [1]: “Pain fell by 12.5% (p = 0.02)” [1].",
        "The study found that pain fell by 12.5 percent [1]. "
        "Mood was not asked about in the survey [2].",
        "Pain fell by 12.5% [1][2].",
        "Note kept with the record: a made-up caution [1].",
        f"Pain fell by 12.5 percent [1]. Quoted from [1]: “{QUOTE.rstrip('.')}” [1].",
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
        ("Pain rose by 12.5% (p = 0.02) [1].", "turned round"),
        ("Pain fell by 12.5% (p = 0.02) [2].", "number not in the text"),
        ("It hurt less by far [1].", "not in the record's own words"),
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
    first, second = (r.short_name for r in REFERENCES)
    awaited = Rating.AWAITED.told(trials=f"{first}, recruiting [1]; and 2 more [1][2]")
    unread = Rating.READ_TOO.told(name=second, remark=Remark.SILENT, cited="[2]")
    ledger = audit(written(f"{awaited}\n\n- {unread}"))
    assert [e.kind for e in ledger.entries].count(EntryKind.RATING) == 2
    assert ledger.support.cited == 0


class TestClaims:
    def test_a_claim_is_counted_once_with_its_sentence(self) -> None:
        ledger = audit(written(f"{QUOTE} [1]", claim()))
        assert ledger.support == SupportRate(cited=1, borne_out=1)
        (entry,) = [e for e in ledger.entries if e.kind is EntryKind.CLAIM]
        assert (entry.quote, entry.start, entry.numbers) == (QUOTE, CONTENT.find(QUOTE), (1,))

    def test_how_a_claim_is_led_in_is_no_sentence(self) -> None:
        told = written(f"Pain fell by 12.5 percent [1]. Quoted from [1]: “{QUOTE}” [1].", claim())
        assert [e.kind for e in audit(told).entries][:2] == [EntryKind.REFERENCE] * 2
        assert audit(told).support == SupportRate(cited=2, borne_out=2)

    def test_words_of_a_record_within_other_words_are_no_cover(self) -> None:
        told = written(f"Nobody believes that cats fly: {QUOTE} [1]", claim())
        assert EntryKind.SENTENCE in [entry.kind for entry in audit(told).entries]

    def test_a_claim_in_other_words_is_checked_like_a_sentence(self) -> None:
        assert failed(written("", claim("Pain fell by 12.5 percent."))) == []
        false = "Pain fell less than expected."
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


class TestADraft:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            pytest.param(
                "It fell by 9% [1].", "It fell by 9% [unsupported].", id="before the stop"
            ),
            pytest.param(
                "It fell by 9%. [1]", "It fell by 9%. [unsupported]", id="behind the stop"
            ),
            pytest.param(
                "“It fell by 9%.” [1].", "“It fell by 9%.” [unsupported].", id="in quotation marks"
            ),
            pytest.param(
                "It fell by 9% [1][2]. Mood was not asked about in the survey [2].",
                "It fell by 9% [unsupported]. Mood was not asked about in the survey [2].",
                id="only this sentence",
            ),
            pytest.param(
                "Mood fell [1] by 9% [2].", "Mood fell [unsupported] by 9%.", id="amid it"
            ),
            pytest.param(
                "- **A 2020**, quoted from [1]: It fell by 9% [1].",
                "- **A 2020**, quoted from [1]: It fell by 9% [unsupported].",
                id="behind its source",
            ),
            pytest.param(
                "- However: **A 2020**, quoted from [1]: It fell by 9% [1].",
                "- However: **A 2020**, quoted from [1]: It fell by 9% [unsupported].",
                id="behind what it follows on",
            ),
            pytest.param("It fell\n\nby 9% [1].", "It fell\n\nby 9% [unsupported].", id="by line"),
            pytest.param("| It fell by 9% [1] |", "| It fell by 9% [1] |", id="not in a table"),
        ],
    )
    @pytest.mark.parametrize("claims", [(), (claim("It fell by 9%."),)], ids=["bare", "claimed"])
    def test_a_sentence_that_fails_is_marked(
        self, text: str, expected: str, claims: tuple[Claim, ...]
    ) -> None:
        draft = written(f"{QUOTE} [1]\n{text}", claim(), *claims)
        checked, ledger = check_sentences(draft)
        assert checked.clinical_findings.content == f"{QUOTE} [1]\n{expected}"
        assert checked.claims == (claim(),)
        assert [e.kind for e in audit(checked).failed] == []
        assert audit(checked).support.borne_out == ledger.support.borne_out

    def test_one_whose_sentences_stand_is_left_alone(self) -> None:
        draft = written(f"{QUOTE} [1]", claim())
        assert check_sentences(draft)[0] == draft

    @pytest.mark.parametrize("number", [2, 9])
    def test_a_true_sentence_under_another_number_is_marked(self, number: int) -> None:
        checked, _ = check_sentences(written(f"{QUOTE} [{number}]", claim()))
        assert checked.clinical_findings.content == f"{QUOTE} [unsupported]"
        assert checked.claims == ()

    def test_a_claim_whose_words_were_changed_is_no_cover(self) -> None:
        checked, ledger = check_sentences(written("Pain fell by 21.5% (p = 0.02). [1]", claim()))
        assert checked.clinical_findings.content.endswith("[unsupported]")
        assert ledger.support == SupportRate(cited=2, borne_out=1)

    @pytest.mark.parametrize("sentence", [".", "e", "Pain", "a+b*."])
    def test_a_claim_of_no_sentence_spoils_no_other(self, sentence: str) -> None:
        checked, _ = check_sentences(written(f"{QUOTE} [1]", claim(), claim(sentence)))
        assert checked.clinical_findings.content == f"{QUOTE} [1]"
        assert claim() in checked.claims

    def test_every_text_of_a_report_is_checked(self) -> None:
        false = "It fell by 9% [1]."
        marked = "It fell by 9% [unsupported]."
        draft = written(
            "", executive_summary=false, conclusion=false, limitations=(false,), title="[1]"
        )
        checked, _ = check_sentences(draft)
        assert (checked.executive_summary, checked.conclusion) == (marked, marked)
        assert (checked.limitations, checked.title) == ((marked,), "[1]")

    def test_what_is_marked_lowers_the_rate_now_and_later(self) -> None:
        checked, ledger = check_sentences(written(f"{QUOTE} [1] It fell by 9% [1].", claim()))
        assert ledger.support == audit(checked).support == SupportRate(cited=2, borne_out=1)


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
