from __future__ import annotations

import json
from typing import Any

import pytest

from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Reading
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import is_negative_stop
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.study.identity import canonical_ids, study_links
from deepcritical.domain.text.spans import locate_quote, sentences
from deepcritical.reading.library import read_by_code
from deepcritical.tools.clinicaltrials.records import parse
from tests.servers.clinicaltrials import Study, made_up_studies, made_up_study

EXAMPLOL = Drug(name="examplol", known=False)
TESTITIS = Condition(name="testitis", known=False)


def read(record: Evidence) -> Reading:
    """Read an entry for the question if examplol helps in testitis."""
    study = read_by_code({"E1": record})["E1"]
    return read_for(asked_of(EXAMPLOL, TESTITIS), "E1", record, study, grade(record))


def page(*studies: Any, **more: Any) -> bytes:
    return json.dumps({"studies": studies, **more}).encode()


def only(study: Study) -> Evidence:
    parsed = parse(page(study))
    assert parsed.skipped == ()
    return parsed.records[0]


@pytest.fixture(scope="module")
def full() -> Evidence:
    return only(made_up_studies()[0])


def made(number: int) -> Evidence:
    return only(made_up_studies()[number - 1])


class TestFields:
    def test_the_record_is_named_and_can_be_looked_up(self, full: Evidence) -> None:
        assert full.citation.title == "Examplol in Adults With Testitis"
        assert full.citation.url == "https://clinicaltrials.gov/study/NCT99000001"
        assert (full.citation.source, full.citation.date) == ("clinicaltrials", "2997-03-01")
        assert canonical_ids(full) == {"nct:NCT99000001"}

    def test_the_registry_fields(self, full: Evidence) -> None:
        meta = full.metadata
        assert (meta.kind, meta.status, meta.phase) == ("trial", "COMPLETED", "PHASE2/PHASE3")
        assert (meta.enrollment, meta.planned_enrollment) == (81, None)
        assert meta.conditions == ("Testitis",)
        assert meta.interventions == ("Examplol", "Placebo")
        assert meta.mesh_terms == ("Testitis", "Examplol")
        assert meta.completion_date == "2998-09"
        assert meta.has_results is True
        assert (meta.why_stopped, meta.stop_class) == (None, None)
        assert meta.text_kind == "registry"
        assert meta.primary_outcomes == (
            "Change in Testitis Score [Baseline and week 12]",
            "Number of Participants With Improved Testitis [Week 12]",
        )

    def test_what_only_this_registry_has_is_kept_beside_them(self, full: Evidence) -> None:
        assert full.metadata.model_extra == {
            "official_title": (
                "A Randomized, Double-Blind, Placebo-Controlled Made-Up Study of Examplol in "
                "Adults With Testitis"
            ),
            "secondary_ids": ["2999-000001-11", "U01XX00001"],
            "sponsor": "Made-Up Institute",
            "study_type": "INTERVENTIONAL",
            "allocation": "RANDOMIZED",
            "start_date": "2997-03-01",
            "primary_completion_date": "2998-06-30",
            "arms": ["Examplol", "Placebo"],
            "intervention_types": ["DRUG", "DRUG"],
            "other_names": ["EX-100", "Examplex"],
        }

    def test_it_survives_json(self, full: Evidence) -> None:
        assert Evidence.model_validate_json(full.model_dump_json()) == full

    def test_only_papers_that_report_the_trial_are_links(self, full: Evidence) -> None:
        # Not the background paper, not the review that names the trial, not the poster.
        assert full.metadata.linked_ids == ("pmid:99000012", "pmid:99000013")
        assert study_links(full) == {"pmid:99000012", "pmid:99000013"}

    @pytest.mark.parametrize(("number", "phase"), [(5, "PHASE3"), (6, "EARLY_PHASE1"), (7, "NA")])
    def test_phases(self, number: int, phase: str) -> None:
        assert made(number).metadata.phase == phase

    @pytest.mark.parametrize(
        ("size", "actual", "planned"),
        [
            ({"count": 40, "type": "ACTUAL"}, 40, None),
            ({"count": 40, "type": "ESTIMATED"}, None, 40),
            ({"count": 40}, 40, None),  # a completed trial states who came
            ({"count": 0, "type": "ACTUAL"}, 0, None),
            ({"type": "ACTUAL"}, None, None),
            (None, None, None),
        ],
    )
    def test_only_who_came_is_counted(
        self, size: Any, actual: int | None, planned: int | None
    ) -> None:
        study = made_up_study(1)
        study["protocolSection"]["designModule"]["enrollmentInfo"] = size
        meta = only(study).metadata
        assert (meta.enrollment, meta.planned_enrollment) == (actual, planned)

    @pytest.mark.parametrize("status", ["RECRUITING", "TERMINATED", "WITHDRAWN", None])
    def test_a_size_that_is_not_said_to_be_actual_is_a_plan(self, status: str | None) -> None:
        study = made_up_study(1)
        study["protocolSection"]["designModule"]["enrollmentInfo"] = {"count": 40}
        study["protocolSection"]["statusModule"]["overallStatus"] = status
        meta = only(study).metadata
        assert (meta.enrollment, meta.planned_enrollment) == (None, 40)

    def test_the_official_title_stands_in_for_a_brief_one(self) -> None:
        study = made_up_study(1)
        study["protocolSection"]["identificationModule"] |= {
            "briefTitle": None,
            "officialTitle": "A Made-Up\n  Title",
        }
        assert only(study).citation.title == "A Made-Up Title"

    def test_a_fragment_of_a_study_is_a_record(self) -> None:
        identified = {"nctId": "NCT99000001", "briefTitle": "Examplol"}
        record = only({"protocolSection": {"identificationModule": identified}})
        assert (record.content, record.metadata.text_kind) == ("", "none")
        assert (record.metadata.status, record.metadata.has_results) == (None, None)


class TestContent:
    def test_all_of_it(self, full: Evidence) -> None:
        assert full.content == (
            "Purpose: This invented study asks whether examplol helps adults with testitis whose "
            "score is <20 points.\n\n"
            "Participants take examplol or placebo for 12 weeks.\n\n"
            "* Visits are every [4] weeks.\n* Nothing of this is of this world.\n\n"
            "Design: Interventional, randomized, parallel assignment, masking: quadruple, primary "
            "purpose: treatment.\n\n"
            "Interventions: Drug: Examplol (also EX-100, Examplex); Drug: Placebo; arms: Examplol "
            "(experimental), Placebo (placebo comparator).\n\n"
            "Main outcome measures: Primary outcome: Change in Testitis Score [Baseline and week "
            "12].\n\n"
            "Primary outcome: Number of Participants With Improved Testitis [Week 12].\n\n"
            "Posted result: Change in Testitis Score (Baseline and week 12, least squares mean, "
            "points on a scale): Examplol (n = 40) -6.1 (SE 0.8); Placebo (n = 41) -5.2 (SE 0.9); "
            "Examplol vs Placebo, Mean Difference (Final Values) -0.9 (95% CI -3.2 to 1.4), "
            "p = 0.43 (ANCOVA).\n\n"
            "Posted result: Number of Participants With Improved Testitis (Week 12, count of "
            "participants, Participants): Examplol (n = 40, Women - Improved) 3; Placebo (n = 41, "
            "Women - Improved) 20; Examplol (n = 40, Women - Not improved) 37; Placebo (n = 41, "
            "Women - Not improved) 21; Examplol vs Placebo, Odds Ratio (OR) 0.1 (one-sided 97.5% "
            "CI not given to 0.4), p <0.001 (Fisher Exact), tested for "
            "non-inferiority or equivalence."
        )

    def test_each_posted_result_is_a_sentence_that_can_be_quoted(self, full: Evidence) -> None:
        assert full.quotable
        told = [s.text for s in sentences(full.content) if s.text.startswith("Posted result")]
        assert told == [f"Posted result: {line}." for line in full.metadata.posted_results]
        assert all(locate_quote(quote, full.content) for quote in told)

    def test_a_measure_without_values_or_that_is_not_primary_is_no_result(
        self, full: Evidence
    ) -> None:
        assert len(full.metadata.posted_results) == 2

    def test_of_a_large_table_it_says_what_is_left_out(self) -> None:
        study = made_up_studies()[0]
        measure = study["resultsSection"]["outcomeMeasuresModule"]["outcomeMeasures"][0]
        measure["classes"] *= 50
        measure["analyses"] *= 20
        line = only(study).metadata.posted_results[0]
        assert "and 76 more values in the registry" in line
        assert "and 12 more comparisons in the registry" in line

    def test_a_long_description_ends_with_a_whole_sentence(self) -> None:
        study = made_up_study(1, "TERMINATED", "Futility")
        sentence = "Examplol is made up, and so is all that is said of it."
        study["protocolSection"]["descriptionModule"] = {
            "detailedDescription": " ".join([sentence] * 1000)
        }
        content = only(study).content
        described = content.split("\n\n")[0]
        assert 19_000 < len(described) <= 20_100
        assert described.endswith(sentence)
        assert content.endswith("Why stopped: Futility")

    def test_what_is_said_twice_is_told_once(self) -> None:
        study = made_up_study(1)
        study["protocolSection"]["descriptionModule"] = {
            "briefSummary": "Made up.",
            "detailedDescription": "Made up.",
        }
        assert only(study).content.count("Made up.") == 1


class TestReading:
    """A live trial is read as one of a snapshot is."""

    def test_a_measure_called_improvement_is_no_finding(self, full: Evidence) -> None:
        # Three of 40 improved with examplol, 20 of 41 with placebo; its score did not differ.
        reading = read(full)
        assert reading.included
        assert reading.supporting == ()
        assert [(v.outcome, v.way) for v in reading.votes] == [
            ("Change in Testitis Score", Way.NO_DIFFERENCE)
        ]

    def test_the_plan_of_a_trial_with_results_is_no_finding(self) -> None:
        study = made_up_studies()[0]
        study["protocolSection"]["descriptionModule"] = {
            "briefSummary": "Examplol significantly improved testitis in mice."
        }
        assert read(only(study)).supporting == ()

    def test_a_stop_for_futility_speaks_against_the_drug(self) -> None:
        record = made(2)
        reading = read(record)
        assert is_negative_stop(record)
        assert [f.quote for f in reading.refuting] == [
            "Why stopped: Futility at the interim analysis; there were no safety concerns"
        ]
        assert grade(record).level == 2  # the design says that it was randomised

    def test_a_trial_that_nobody_entered_does_not(self) -> None:
        assert not is_negative_stop(made(3))
        assert read(made(3)).refuting == ()

    @pytest.mark.parametrize(
        ("number", "status", "stop_class"),
        [
            (2, "TERMINATED", "efficacy"),
            (3, "WITHDRAWN", "business"),
            (4, "SUSPENDED", "enrolment"),
            (5, "RECRUITING", None),
        ],
    )
    def test_the_class_of_a_stop(self, number: int, status: str, stop_class: str | None) -> None:
        meta = made(number).metadata
        assert (meta.status, meta.stop_class) == (status, stop_class)

    def test_a_stop_without_a_reason_has_no_class(self) -> None:
        meta = only(made_up_study(1, "TERMINATED")).metadata
        assert (meta.why_stopped, meta.stop_class) == (None, None)


class TestPayload:
    def test_a_page_with_count_and_token(self) -> None:
        read = parse(page(made_up_study(1), totalCount=7, nextPageToken="more"))
        assert (len(read.records), read.total, read.next_page) == (1, 7, "more")

    def test_a_single_study(self) -> None:
        assert len(parse(json.dumps(made_up_study(1)).encode()).records) == 1

    def test_no_study_is_no_error(self) -> None:
        assert parse(page()) == ((), (), None, "")

    def test_a_byte_order_mark_does_not_matter(self) -> None:
        assert parse(b"\xef\xbb\xbf" + page(made_up_study(1))).records

    @pytest.mark.parametrize(
        ("where", "bad", "named"),
        [
            ("statusModule", [], "statusModule"),
            ("statusModule", "COMPLETED", "statusModule"),
            ("statusModule", {"whyStopped": ["x"]}, "whyStopped"),
            ("descriptionModule", {"briefSummary": [7]}, "briefSummary"),
            ("designModule", {"phases": {"a": "b"}}, "phases"),
            ("designModule", {"enrollmentInfo": {"count": -1, "type": "ACTUAL"}}, "count"),
            ("conditionsModule", {"conditions": {"a": "b"}}, "conditions"),
            ("outcomesModule", {"primaryOutcomes": ["text"]}, "primaryOutcomes"),
            ("sponsorCollaboratorsModule", {"leadSponsor": "S"}, "leadSponsor"),
            ("referencesModule", {"references": [{"pmid": {}, "type": []}]}, "pmid, type"),
        ],
    )
    def test_what_cannot_be_read_costs_itself_and_is_told(
        self, where: str, bad: Any, named: str
    ) -> None:
        study = made_up_study(1)
        study["protocolSection"][where] = bad
        parsed = parse(page(study, made_up_study(2)))
        assert [r.metadata.nct_id for r in parsed.records] == ["NCT99000001", "NCT99000002"]
        assert parsed.skipped == ()
        note = f"Not readable in the answer of the registry: {named}."
        assert [r.metadata.note for r in parsed.records] == [note, None]

    def test_a_bad_item_costs_no_other_item(self) -> None:
        study = made_up_study(1, "TERMINATED", "Futility")
        study["protocolSection"]["armsInterventionsModule"]["interventions"] += ["x", {"name": "B"}]
        study["protocolSection"]["conditionsModule"]["conditions"] = "Testitis"
        study["protocolSection"]["designModule"]["phases"] = "PHASE2"
        reference = {"pmid": 99000012, "type": "RESULT"}
        study["protocolSection"]["referencesModule"] = {"references": [7, reference]}
        meta = only(study).metadata
        assert meta.interventions == ("Examplol", "B")
        assert (meta.conditions, meta.phase) == (("Testitis",), "PHASE2")
        assert meta.linked_ids == ("pmid:99000012",)
        assert meta.stop_class == "efficacy"
        assert meta.note == "Not readable in the answer of the registry: interventions, references."

    @pytest.mark.parametrize("bad", [{"nctId": 7}, {"nctId": "NCT1", "briefTitle": "T"}, []])
    def test_a_study_without_an_id_is_named_and_the_rest_lives(self, bad: Any) -> None:
        study = made_up_study(1)
        study["protocolSection"]["identificationModule"] = bad
        parsed = parse(page(study, made_up_study(2)))
        assert [r.metadata.nct_id for r in parsed.records] == ["NCT99000002"]
        assert parsed.skipped[0].startswith("study 1 of a page: ")

    @pytest.mark.parametrize("bad", [None, 7, "text", [], {}, {"protocolSection": None}])
    def test_what_has_no_id_is_counted_by_its_place(self, bad: Any) -> None:
        parsed = parse(page(made_up_study(1), bad))
        assert len(parsed.records) == 1
        assert parsed.skipped[0].startswith("study 2 of a page: ")

    @pytest.mark.parametrize("nulled", [None, {}])
    def test_a_module_may_be_null_or_bare(self, nulled: Any) -> None:
        study = made_up_studies()[0]
        for name in study["protocolSection"]:
            if name != "identificationModule":
                study["protocolSection"][name] = nulled
        study["resultsSection"] = study["derivedSection"] = nulled
        record = only(study)
        assert (record.content, record.metadata.posted_results) == ("", ())

    def test_half_a_surrogate_pair_becomes_text_that_can_be_written(self) -> None:
        study = made_up_study(1, "TERMINATED", "Futility \ud83d")
        assert only(study).content.encode().endswith("Why stopped: Futility \ufffd".encode())

    def test_nulls_in_lists_are_left_out(self) -> None:
        study = made_up_study(1)
        study["protocolSection"]["conditionsModule"]["conditions"] = [None, "Testitis", ""]
        assert only(study).metadata.conditions == ("Testitis",)

    @pytest.mark.parametrize(
        "payload",
        [
            b"",
            b"not json",
            b"\xff\xfe\xff",
            b"[" * 100_000,
            b'{"studies": [1' + b"0" * 5000 + b"]}",
            b"null",
            b"[]",
            b'"text"',
            b"{}",
            b'{"studies": null}',
            b'{"studies": {}}',
        ],
        ids=repr,
    )
    def test_what_is_no_answer_is_an_error(self, payload: bytes) -> None:
        with pytest.raises(SearchError, match=r"ClinicalTrials\.gov"):
            parse(payload)

    def test_an_error_message_is_told(self) -> None:
        with pytest.raises(SearchError, match="no studies but the message: made up"):
            parse(b'{"message": "made\\n up"}')
