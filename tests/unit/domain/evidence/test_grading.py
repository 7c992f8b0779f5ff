from __future__ import annotations

import pytest

from deepcritical.domain.evidence.designs import LEVEL, Design
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import is_negative_stop, is_retracted
from deepcritical.domain.evidence.sizes import participants
from tests.unit.domain.records import TITLE, paper, trial

RCT = "Randomized Controlled Trial"


@pytest.mark.parametrize(
    ("types", "title", "content", "design"),
    [
        pytest.param([RCT], TITLE, "", Design.RCT, id="RCT"),
        pytest.param(["Journal Article", RCT], TITLE, "", Design.RCT, id="RCT, second type"),
        pytest.param(["Letter", RCT], TITLE, "", Design.RCT, id="RCT told in a letter"),
        pytest.param(["Clinical Trial, Phase II"], TITLE, "", Design.NON_RANDOMISED_TRIAL, id="CT"),
        # A choice of ours: taken as randomised unless the text says otherwise.
        pytest.param(["Pragmatic Clinical Trial"], TITLE, "", Design.RCT, id="pragmatic"),
        pytest.param(
            ["Pragmatic Clinical Trial"],
            TITLE,
            "Clinics were chosen in a non-randomised way.",
            Design.NON_RANDOMISED_TRIAL,
            id="pragmatic, not randomised",
        ),
        pytest.param(["Observational Study"], TITLE, "", Design.COHORT, id="observational"),
        pytest.param(["Case Reports"], TITLE, "", Design.CASE_SERIES, id="case report"),
        pytest.param(["Review"], TITLE, "", Design.NARRATIVE_REVIEW, id="review"),
        pytest.param(
            ["Journal Article", "Review"],
            TITLE,
            "We treated a cohort.",
            Design.NARRATIVE_REVIEW,
            id="review, second type",
        ),
        pytest.param(["Editorial"], TITLE, "", Design.NARRATIVE_REVIEW, id="editorial"),
        pytest.param(
            ["Randomized Controlled Trial, Veterinary"], TITLE, "", Design.PRECLINICAL, id="animals"
        ),
        pytest.param(
            ["Systematic Review"],
            TITLE,
            "We pooled randomised trials.",
            Design.REVIEW_OF_RCTS,
            id="review of RCTs",
        ),
        pytest.param(
            ["Meta-Analysis", RCT],
            TITLE,
            "We pooled 9 RCTs and 3 cohort studies.",
            Design.REVIEW_OF_COHORTS,
            id="review of RCTs and cohorts",
        ),
        pytest.param(
            ["Systematic Review"],
            TITLE,
            "We pooled randomised trials and studies of rodents.",
            Design.REVIEW_WITH_ANIMALS,
            id="review of RCTs and animals",
        ),
        pytest.param(
            ["Systematic Review"], TITLE, "", Design.REVIEW_UNSTATED, id="review of the unsaid"
        ),
        pytest.param(
            ["Systematic Review"],
            TITLE,
            "We included clinical trials.",
            Design.REVIEW_UNSTATED,
            id="review of trials that may not be randomised",
        ),
        pytest.param(
            ["Systematic Review"],
            TITLE,
            "We included cohort and case-control studies.",
            Design.REVIEW_WITH_CASE_CONTROL,
            id="review with case-control studies",
        ),
        pytest.param(
            [RCT],
            "A retrospective study of examplol",
            "",
            Design.COHORT,
            id="RCT that is retrospective",
        ),
        pytest.param(
            [RCT],
            TITLE,
            "The trial was retrospectively registered.",
            Design.RCT,
            id="RCT registered in retrospect",
        ),
    ],
)
def test_publication_types_give_the_design(
    types: list[str], title: str, content: str, design: Design
) -> None:
    graded = grade(paper(title, content, publication_types=types))
    assert (graded.design, graded.level, graded.from_text) == (design, LEVEL[design], False)


@pytest.mark.parametrize(
    ("title", "content", "design"),
    [
        pytest.param("Examplol: a systematic review", "", Design.REVIEW_UNSTATED, id="review"),
        pytest.param(
            "Examplol: a systematic review of RCTs", "", Design.REVIEW_OF_RCTS, id="review of RCTs"
        ),
        pytest.param("Examplol in testitis of mice", "", Design.PRECLINICAL, id="mice"),
        pytest.param(TITLE, "We used cell lines.", Design.PRECLINICAL, id="cells"),
        pytest.param(TITLE, "In this review we look back.", Design.NARRATIVE_REVIEW, id="essay"),
        pytest.param(TITLE, "We emulated a target trial.", Design.COHORT, id="emulated trial"),
        pytest.param(TITLE, "Adults were randomised.", Design.RCT, id="randomised"),
        pytest.param(
            TITLE, "A randomized, placebo-controlled, crossover study.", Design.RCT, id="crossover"
        ),
        pytest.param(TITLE, "An open-label study.", Design.NON_RANDOMISED_TRIAL, id="open label"),
        pytest.param(TITLE, "A case-control study.", Design.CASE_CONTROL, id="case-control"),
        pytest.param(TITLE, "A cohort was followed.", Design.COHORT, id="cohort"),
        pytest.param(TITLE, "A case report.", Design.CASE_SERIES, id="case report"),
        pytest.param(
            TITLE,
            "BACKGROUND: In mice it worked. METHODS: Adults were randomised.",
            Design.RCT,
            id="methods before background",
        ),
    ],
)
def test_without_a_telling_type_the_text_gives_the_design_and_is_flagged(
    title: str, content: str, design: Design
) -> None:
    graded = grade(paper(title, content, publication_types=["Journal Article"]))
    assert (graded.design, graded.level, graded.from_text) == (design, LEVEL[design], True)


def test_a_design_that_nothing_tells_is_unclear() -> None:
    graded = grade(paper(TITLE, "Pain fell."))
    assert (graded.design, graded.level, graded.from_text) == (Design.UNCLEAR, None, False)


@pytest.mark.parametrize(
    ("content", "why", "design"),
    [
        pytest.param("Randomised.", None, Design.REGISTERED_TRIAL, id="no reason to stop"),
        pytest.param("Randomised.", "No funds", Design.REGISTERED_TRIAL, id="stopped for money"),
        pytest.param("Randomised.", "Futility", Design.RCT, id="randomised, futile"),
        pytest.param("One arm.", "Futility", Design.NON_RANDOMISED_TRIAL, id="one arm, futile"),
        pytest.param(
            "Allocation: NON_RANDOMIZED", "Futility", Design.NON_RANDOMISED_TRIAL, id="allocation"
        ),
        pytest.param("Non-randomised.", "Futility", Design.NON_RANDOMISED_TRIAL, id="hyphen"),
    ],
)
def test_a_registered_trial_is_graded_once_it_has_stopped_in_failure(
    content: str, why: str | None, design: Design
) -> None:
    assert grade(trial(content=content, why_stopped=why)).design is design


@pytest.mark.parametrize(
    ("title", "types", "retracted"),
    [
        pytest.param(TITLE, ["Retracted Publication"], True, id="type"),
        pytest.param(f"RETRACTED: {TITLE}", [], True, id="title in capitals"),
        pytest.param(f"RETRACTED ARTICLE: {TITLE}", [], True, id="retracted article"),
        pytest.param(f"[Retracted] {TITLE}", [], True, id="brackets"),
        pytest.param(f"Retracted: {TITLE}", [], True, id="title"),
        pytest.param(f"WITHDRAWN: {TITLE}", [], True, id="withdrawn"),
        pytest.param(TITLE, ["Journal Article"], False, id="neither"),
        pytest.param("Withdrawn drugs and testitis", [], False, id="a study of withdrawal"),
        pytest.param("Why articles were retracted", [], False, id="a study of retraction"),
        pytest.param(TITLE, ["Retraction of Publication"], False, id="the notice itself"),
    ],
)
def test_a_retraction_is_seen_in_type_or_title(
    title: str, types: list[str], retracted: bool
) -> None:
    record = paper(title, publication_types=types)
    assert is_retracted(record) is grade(record).retracted is retracted


@pytest.mark.parametrize(
    ("why", "negative"),
    [
        pytest.param("Futility at the interim analysis", True, id="futility"),
        pytest.param("Stopped for lack of efficacy", True, id="lack of efficacy"),
        pytest.param("No benefit over placebo", True, id="no benefit"),
        pytest.param("Examplol was ineffective", True, id="ineffective"),
        pytest.param("Safety concerns", True, id="safety"),
        pytest.param("Serious adverse events", True, id="adverse events"),
        pytest.param("Liver toxicity", True, id="toxicity"),
        pytest.param("Business decision", False, id="business"),
        pytest.param("Slow enrolment", False, id="enrolment"),
        pytest.param("Lack of funding", False, id="funding"),
        pytest.param("Lack of effective recruitment", False, id="ineffective recruitment"),
        pytest.param("Sponsor decision, not due to safety", False, id="not due to safety"),
        pytest.param("Not related to any safety issues", False, id="not related to safety"),
        pytest.param("No safety concerns; no funds", False, id="no safety concerns"),
        pytest.param("Not due to efficacy or safety concerns", False, id="neither cause"),
        pytest.param("Not for safety reasons", False, id="not for safety reasons"),
        pytest.param("There were no efficacy or safety concerns", False, id="neither concern"),
        pytest.param("Strategy, not based on safety or lack of efficacy", False, id="not based on"),
        pytest.param("No safety concerns, but futility", True, id="another cause after all"),
        pytest.param("Data Safety Monitoring Board: slow accrual", False, id="name of a board"),
        pytest.param("", False, id="empty"),
        pytest.param(None, False, id="none"),
    ],
)
def test_a_stop_is_negative_only_for_futility_or_harm(why: str | None, negative: bool) -> None:
    assert is_negative_stop(trial(why_stopped=why)) is negative


@pytest.mark.parametrize(
    ("content", "count"),
    [
        pytest.param("We treated 120 adults.", 120, id="adults"),
        pytest.param("We treated 120 older non-diabetic adults.", 120, id="adjectives"),
        pytest.param("We treated 1,234 patients.", 1234, id="comma"),
        pytest.param("We treated 12 345 patients.", 12345, id="blank"),
        pytest.param("We treated 12\u00a0345 patients.", 12345, id="no-break space"),
        pytest.param("We treated 12\u2009345 patients.", 12345, id="thin space"),
        pytest.param("Patients (n = 45) were treated.", 45, id="n"),
        pytest.param("Patients (N=1,045) were treated.", 1045, id="N with a comma"),
        pytest.param("We treated 40 men and women.", 40, id="men and women"),
        pytest.param("In 2020 120 patients were treated.", 120, id="year before the count"),
        pytest.param("In 2010, 120 patients were treated.", 120, id="year and comma"),
        pytest.param("Between 20 and 30 patients, then 12 adults.", 30, id="range"),
        pytest.param("We asked type 2 diabetes patients.", None, id="type 2"),
        pytest.param("Type 2 diabetes patients were asked.", None, id="Type 2"),
        pytest.param("We asked type-2 diabetes patients.", None, id="type-2"),
        pytest.param("We asked COVID-19 patients.", None, id="number in a name"),
        pytest.param("We asked stage 3 patients.", None, id="stage"),
        pytest.param("We pooled 3 studies in adults.", None, id="studies"),
        pytest.param("We pooled 12 RCTs in older adults.", None, id="RCTs"),
        pytest.param("A dose of 10 mg in adults.", None, id="dose"),
        pytest.param("After 8 weeks adults felt well.", None, id="weeks"),
        pytest.param("Pain fell by 0.5 in patients.", None, id="decimal"),
        pytest.param("", None, id="empty"),
    ],
)
def test_people_are_counted_as_the_text_says(content: str, count: int | None) -> None:
    assert participants(paper(content=content)) == count


def test_people_in_a_trial_are_those_it_enrolled() -> None:
    assert participants(trial(content="120 adults", enrollment=7, planned_enrollment=120)) == 7


def test_a_trial_that_planned_only_has_no_people() -> None:
    assert participants(trial(content="120 adults", planned_enrollment=120)) is None


@pytest.mark.parametrize(
    ("title", "types", "content", "design"),
    [
        pytest.param(TITLE, ["Study protocol"], "", Design.PROTOCOL, id="protocol by type"),
        pytest.param(f"{TITLE}: study protocol", [], "", Design.PROTOCOL, id="protocol by title"),
        pytest.param(
            "Rationale and design of a trial of examplol", [], "", Design.PROTOCOL, id="rationale"
        ),
        pytest.param(TITLE, [], "We will search all trials.", Design.PROTOCOL, id="will search"),
        pytest.param(
            TITLE, ["A Randomized Clinical Trial"], "", Design.RCT, id="randomised clinical trial"
        ),
        pytest.param(
            TITLE,
            ["Clinical Trial"],
            "Adults were randomised to examplol.",
            Design.RCT,
            id="indexed as clinical trial only",
        ),
        pytest.param(
            "Examplol in testitis: a randomised trial and updated meta-analysis",
            ["Meta-Analysis"],
            "Adults were randomly allocated to examplol.",
            Design.RCT,
            id="a trial with a meta-analysis",
        ),
        pytest.param(
            TITLE,
            ["Randomized Controlled Trial"],
            "A retrospective case-control study.",
            Design.CASE_CONTROL,
            id="case-control indexed as RCT",
        ),
        pytest.param(
            TITLE,
            ["Commentary"],
            "In this issue, they report a cohort of 20 patients.",
            Design.NARRATIVE_REVIEW,
            id="commentary on a study of others",
        ),
        pytest.param(
            TITLE, ["Review (by content)"], "A phase 3 trial.", Design.NARRATIVE_REVIEW, id="review"
        ),
        pytest.param(
            TITLE, [], "In-vitro examplol was added to blood.", Design.PRECLINICAL, id="in-vitro"
        ),
        pytest.param(
            TITLE,
            [],
            "Examplol has shown activity in vitro. Patients were randomised to examplol.",
            Design.RCT,
            id="patients randomised after a word on cells",
        ),
        pytest.param(
            TITLE,
            [],
            "Infants were treated with examplol and followed prospectively.",
            Design.CASE_SERIES,
            id="treated without a comparison",
        ),
        pytest.param(
            TITLE,
            [],
            "Study of examplol at 2 mg/kg in 61 infants. The abstract names no comparator.",
            Design.CASE_SERIES,
            id="a comparison that is denied",
        ),
        pytest.param(
            TITLE,
            [],
            "A series of 30 infants given examplol.",
            Design.CASE_SERIES,
            id="a series of so many",
        ),
        pytest.param(
            TITLE,
            [],
            "Retrospective review of 33 infants on examplol, without comparison.",
            Design.CASE_SERIES,
            id="a review of charts",
        ),
        pytest.param(
            TITLE,
            [],
            "Participants were allocated by lot to examplol or dummy pills.",
            Design.RCT,
            id="randomised in other words",
        ),
        pytest.param(
            TITLE,
            [],
            "Infants were treated with examplol; a prospective cohort with controls.",
            Design.COHORT,
            id="treated with a comparison",
        ),
        pytest.param(
            TITLE,
            ["Systematic Review"],
            "Little effect (6 trials; moderate-certainty evidence).",
            Design.REVIEW_OF_RCTS,
            id="trials of moderate certainty",
        ),
    ],
)
def test_a_design_that_type_or_text_could_hide(
    title: str, types: list[str], content: str, design: Design
) -> None:
    assert grade(paper(title, content, publication_types=types)).design is design


def test_an_entry_merged_with_its_paper_is_graded_as_the_paper() -> None:
    record = trial(content="Adults were randomised.", pmid="99000001", text_kind="abstract")
    assert grade(record).design is Design.RCT
