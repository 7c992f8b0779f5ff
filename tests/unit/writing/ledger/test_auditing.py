"""The claim ledger of reports: what holds, what fails, and what a check takes out."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.parts import Claim, EntryKind, Quoted, ReportSection, SupportRate
from deepcritical.domain.report.report import ResearchReport
from deepcritical.writing.ledger.auditing import audit, check_sentences, records_of
from tests.unit.domain.records import CONTENT, QUOTE, claim, paper, reference, report
from tests.unit.writing.sections.test_report import report_of

RECORD = paper(pmid="99000001", note="a made-up caution")
OTHER = paper("Another", "Mood was not asked about in the survey.", pmid="99000002")
REFERENCES = (
    reference(RECORD, evidence_id="E1"),
    reference(OTHER, evidence_id="E2"),
)
FAVOURABLE = (
    "RESULTS: 300 adults with testitis were randomised to examplol or placebo. "
    "Pain was lower with examplol than with placebo in testitis (p = 0.01)."
)
FALSE = "Examplol cured 4711 people."


def written(*claims: Claim, **changes: Any) -> ResearchReport:
    return report("", *REFERENCES, claims=claims, **changes)


def failed(told: ResearchReport) -> list[tuple[EntryKind, str]]:
    return [(entry.kind, entry.text) for entry in audit(told).failed]


@pytest.fixture(scope="module")
def told() -> ResearchReport:
    """A report as the project writes it."""
    return report_of(paper("Examplol in testitis", FAVOURABLE, pmid="99001"))


class TestClaims:
    def test_a_sentence_that_is_its_quote_holds_once(self) -> None:
        ledger = audit(written(claim()))
        assert ledger.support == SupportRate(cited=1, borne_out=1)
        (entry,) = [e for e in ledger.entries if e.kind is EntryKind.CLAIM]
        assert (entry.quote, entry.start, entry.numbers) == (QUOTE, CONTENT.find(QUOTE), (1,))

    def test_one_in_other_words_is_checked(self) -> None:
        assert failed(written(claim("Pain fell by 12.5 percent."))) == []
        false = "Pain fell less than expected."
        assert failed(written(claim(false))) == [(EntryKind.CLAIM, false)]

    @pytest.mark.parametrize(
        ("sentence", "reason"),
        [
            ("Pain fell by 21.5% (p = 0.02)", "number not in the text"),
            ("Pain rose by 12.5% (p = 0.02)", "turned round"),
            ("It hurt less by far.", "not in the record's own words"),
        ],
    )
    def test_the_reason_is_told(self, sentence: str, reason: str) -> None:
        (entry,) = audit(written(claim(sentence))).failed
        assert reason in entry.reason
        assert audit(written(claim(sentence))).support == SupportRate(cited=1, borne_out=0)

    @pytest.mark.parametrize(
        "false",
        [claim(quote="Pain vanished."), claim(evidence_id="E2"), claim(evidence_id="E9")],
        ids=["quote made up", "another record", "no record"],
    )
    def test_one_that_rests_on_nothing_fails(self, false: Claim) -> None:
        assert failed(written(false)) == [(EntryKind.CLAIM, QUOTE)]

    def test_a_quote_stands_at_its_offsets(self) -> None:
        start = CONTENT.find(QUOTE) + 3
        moved = claim().model_copy(update={"start": start, "end": start + len(QUOTE)})
        (entry,) = audit(written(moved)).failed
        assert "does not stand at characters" in entry.reason

    def test_two_records_may_say_the_same(self) -> None:
        twin = reference(paper("A twin", pmid="99000003"), evidence_id="E3")
        same = report("", REFERENCES[0], twin, claims=(claim(), claim(evidence_id="E3")))
        assert audit(same).support == SupportRate(cited=2, borne_out=2)

    def test_a_retracted_reference_supports_nothing(self) -> None:
        taken_back = REFERENCES[0].model_copy(update={"retracted": True})
        (entry,) = audit(report("", taken_back, claims=(claim(),))).failed
        assert "retracted source" in entry.reason

    def test_one_that_a_section_prints_alone_is_checked_too(self) -> None:
        false = claim("Pain rose by 12.5%")
        printed = ReportSection(title="Safety", quoted=(Quoted(claims=(claim(), false)),))
        assert (EntryKind.CLAIM, false.sentence) in failed(written(claim(), safety=printed))


class TestTheVerdict:
    def test_agrees_wherever_it_is_told(self, told: ResearchReport) -> None:
        assert told.verdict.label is VerdictLabel.PROMISING
        assert failed(told) == []

    @pytest.mark.parametrize("field", ["executive_summary", "conclusion"])
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Possibly: the studies found suggest", "Yes: the evidence supports"),
            ("low certainty", "high certainty"),
        ],
    )
    def test_is_not_told_otherwise_in_words(
        self, told: ResearchReport, field: str, old: str, new: str
    ) -> None:
        text = getattr(told, field)
        assert old in text
        assert failed(told.model_copy(update={field: text.replace(old, new)}))

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"way": Way.HARM}, "points another way"),
            ({"row": "another outcome"}, "on this outcome and comparator"),
            ({"comparator": "another drug"}, "on this outcome and comparator"),
        ],
    )
    def test_rests_on_rows_that_the_results_of_studies_give(
        self, told: ResearchReport, changes: dict[str, Any], reason: str
    ) -> None:
        studies = tuple(
            s.model_copy(update={"votes": tuple(v.model_copy(update=changes) for v in s.votes)})
            for s in told.studies
        )
        reasons = [e.reason for e in audit(told.model_copy(update={"studies": studies})).failed]
        assert any(reason in one for one in reasons)

    def test_cites_the_records_that_decided(self, told: ResearchReport) -> None:
        swapped = {"conclusion": told.conclusion.replace("[1]", "[2]")}
        assert EntryKind.VERDICT in {kind for kind, _ in failed(told.model_copy(update=swapped))}

    @pytest.mark.parametrize(
        "changes",
        [{"label": VerdictLabel.SUPPORTED}, {"certainty": Certainty.HIGH}, {"deciding_ids": ()}],
    )
    def test_is_that_of_its_rule_its_words_and_its_candidate(
        self, told: ResearchReport, changes: dict[str, Any]
    ) -> None:
        other = {"verdict": told.verdict.model_copy(update=changes)}
        assert EntryKind.VERDICT in {kind for kind, _ in failed(told.model_copy(update=other))}

    def test_a_rule_gives_one_label_only(self, told: ResearchReport) -> None:
        false = Verdict(
            label=VerdictLabel.REFUTED, certainty=Certainty.VERY_LOW, rule=told.verdict.rule
        )
        (entry,) = audit(report(verdict=false)).failed
        assert entry.reason == "its rule gives promising"

    def test_goes_with_its_confidence(self) -> None:
        assert [kind for kind, _ in failed(report(confidence_score=0.8))] == [EntryKind.VERDICT]


@pytest.mark.parametrize("name", ["safety", "contradictions", "what_would_change"])
def test_words_beside_the_sentences_that_are_data_fail(told: ResearchReport, name: str) -> None:
    part: ReportSection = getattr(told, name)
    more = part.model_copy(update={"content": f"{part.content}\n\n{FALSE}"})
    assert (EntryKind.UNCITED, FALSE) in failed(told.model_copy(update={name: more}))


class TestADraft:
    def test_one_whose_sentences_stand_is_left_alone(self, told: ResearchReport) -> None:
        checked, ledger = check_sentences(told)
        assert checked == told
        assert ledger.support == audit(told).support

    def test_what_does_not_stand_is_taken_out(self, told: ResearchReport) -> None:
        (true, *_) = told.claims
        false = true.model_copy(update={"sentence": FALSE})
        assert told.brief
        answer = (told.brief.answer[0].model_copy(update={"text": FALSE}),)
        forged = told.model_copy(
            update={
                "claims": (*told.claims, false),
                "safety": ReportSection(
                    title="Safety", content=told.safety.content, quoted=(Quoted(claims=(false,)),)
                ),
                "brief": told.brief.model_copy(update={"answer": answer, "synthesis": answer}),
                "conclusion": FALSE,
            }
        )
        checked, ledger = check_sentences(forged)
        assert FALSE in {entry.text for entry in ledger.failed}
        assert checked == told


class TestReferences:
    def test_the_records_are_rebuilt_from_the_report(self) -> None:
        found = records_of(written())["E1"]
        assert (found.content, found.metadata.pmid) == (RECORD.content, "99000001")

    def test_a_snapshot_must_have_a_record_with_its_id(self) -> None:
        assert audit(written(claim()), [RECORD, OTHER]).failed == ()
        (entry,) = audit(written(claim()), [RECORD]).failed
        assert (entry.kind, entry.text) == (EntryKind.REFERENCE, "Another")

    def test_another_text_in_the_snapshot_is_told_and_counts(self) -> None:
        changed = paper(pmid="99000001", content=CONTENT.replace("12.5", "22.5"))
        ledger = audit(written(claim()), [changed, OTHER])
        (entry,) = ledger.failed
        assert entry.kind is EntryKind.CLAIM
        (listed, _) = [e for e in ledger.entries if e.kind is EntryKind.REFERENCE]
        assert listed.reason == "the snapshot has another text than the report"

    @pytest.mark.parametrize(
        ("record", "kinds"),
        [
            pytest.param(RECORD, [], id="the same"),
            pytest.param(
                paper("Cats fly", pmid="99000001"), [EntryKind.REFERENCE], id="another title"
            ),
        ],
    )
    def test_one_has_the_title_of_its_record(
        self, record: Evidence, kinds: list[EntryKind]
    ) -> None:
        cited = report("", REFERENCES[0])
        assert [e.kind for e in audit(cited, [record]).failed] == kinds


@pytest.mark.parametrize("part", ["answer", "harms", "findings"])
def test_a_brief_that_was_cut_fails_by_what_it_lacks(told: ResearchReport, part: str) -> None:
    assert told.brief is not None
    whole = getattr(told.brief, part)
    assert whole
    cut = told.brief.model_copy(update={part: whole[:1] if part == "answer" else ()})
    entries = audit(told.model_copy(update={"brief": cut})).failed
    assert any("leaves it out" in entry.reason for entry in entries)
