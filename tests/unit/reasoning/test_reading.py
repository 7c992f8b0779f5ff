from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal import Reading, Remark, Stance
from deepcritical.domain.evidence import Fact, FactRole
from tests.unit.reasoning.examples import reading

GOOD = "Examplol reduced symptoms of testitis."
NULL = "Examplol did not improve survival in testitis."
BAD = "Examplol increased the risk of testitis."
OPENING = "Testitis is made up. It hurts. Examplol was given to 40 adults with testitis."
FUTILE = "Futility at the interim look"


def quotes(facts: tuple[Fact, ...]) -> list[str]:
    return [fact.quote for fact in facts]


def stopped(why: str, *interventions: str, title: str = "Examplol in testitis") -> Reading:
    return reading(
        f"A made-up trial of examplol in testitis.\n\nWhy stopped: {why}",
        title,
        kind="trial",
        why_stopped=why,
        interventions=interventions,
    )


class TestWhatIsLeftOut:
    @pytest.mark.parametrize(
        ("title", "content", "metadata", "why"),
        [
            ("Aspirin in testitis", "Aspirin was given.", {}, "does not name examplol"),
            ("Examplol in asthma", "Examplol was given.", {}, "does not name testitis"),
            ("Examplol in testitis", "", {}, "no text available, bibliography only"),
            (
                "Aspirin in testitis",
                "Examplol may be given as rescue.",
                {"kind": "trial", "interventions": ("Aspirin",)},
                "does not name examplol as intervention",
            ),
            (
                "Examplol in asthma",
                "",
                {"kind": "trial", "interventions": ("Examplol",)},
                "does not name testitis",
            ),
        ],
        ids=["other drug", "other condition", "no text", "trial of another drug", "bare trial"],
    )
    def test_with_the_reason(
        self, title: str, content: str, metadata: dict[str, Any], why: str
    ) -> None:
        found = reading(content, title, **metadata)
        assert (found.excluded_because, found.included) == (why, False)

    def test_without_any_fact(self) -> None:
        assert reading(GOOD, "Aspirin").included
        assert reading("Aspirin reduced symptoms of testitis.", "Aspirin").facts == ()

    @pytest.mark.parametrize(
        ("content", "metadata"),
        [
            ("", {"kind": "trial", "interventions": ("Examplol",)}),
            ("", {"kind": "trial", "conditions": ("Testitis",), "interventions": ("Examplol",)}),
            (OPENING, {}),
        ],
        ids=["a bare trial", "a trial with conditions", "a paper"],
    )
    def test_but_not_what_names_both(self, content: str, metadata: dict[str, Any]) -> None:
        assert reading(content, **metadata).included


class TestDirectOrRelated:
    @pytest.mark.parametrize(
        ("title", "content", "direct"),
        [
            ("Examplol in testitis", "Results: Examplol reduced symptoms.", True),
            ("Examplol", "Results: Examplol reduced the risk of testitis.", True),
            (
                "Examplol",
                "Methods: 40 patients with testitis. Results: Examplol improved survival.",
                True,
            ),
            (
                "Examplol",
                "Background: Testitis is rare. Results: Examplol improved survival.",
                False,
            ),
            (
                "Examplol",
                "Background: Patients with testitis suffer. Results: Examplol improved survival.",
                False,
            ),
            (
                "Examplol in testitis",
                "Results: Examplol lowered the risk of asthma.",
                False,
            ),
            (
                "Examplol in testitis",
                "Results: In healthy volunteers, examplol improved memory.",
                False,
            ),
            (
                "Examplol",
                "Methods: 40 adults at high risk of testitis. Results: Examplol improved memory.",
                False,
            ),
        ],
        ids=[
            "the title names it",
            "the finding names it",
            "the patients have it",
            "only the background names it",
            "patients of the background",
            "another condition",
            "another population",
            "only at risk",
        ],
    )
    def test_by_who_was_studied_and_what_was_found(
        self, title: str, content: str, direct: bool
    ) -> None:
        assert reading(content, title).direct is direct

    def test_a_registry_that_lists_the_condition_makes_it_direct(self) -> None:
        found = reading(
            "Results: Examplol improved survival.", "Examplol", conditions=("Testitis",)
        )
        assert found.direct

    def test_a_finding_on_the_condition_outranks_one_on_another(self) -> None:
        found = reading(
            "Results: Examplol lowered the risk of asthma. "
            "Examplol did not lower the risk of testitis."
        )
        assert found.stance is Stance.REFUTES

    def test_a_finding_that_does_not_decide_is_kept_as_a_result(self) -> None:
        found = reading(
            "Results: Examplol lowered the risk of asthma. "
            "Examplol did not lower the risk of testitis."
        )
        assert [(f.quote, f.role) for f in found.context] == [
            ("Examplol lowered the risk of asthma.", FactRole.RESULT)
        ]


class TestStance:
    @pytest.mark.parametrize(
        ("content", "stance"),
        [
            (f"Results: {GOOD}", Stance.SUPPORTS),
            (f"Results: {NULL}", Stance.REFUTES),
            (f"Results: {BAD}", Stance.REFUTES),
            ("Results: Examplol was given.", Stance.NEUTRAL),
            (f"Background: {GOOD} Results: {NULL}", Stance.REFUTES),
            (f"Methods: {GOOD} Results: {NULL}", Stance.REFUTES),
            (f"Results: 40 adults took part. Conclusion: {GOOD}", Stance.SUPPORTS),
            (f"Importance {GOOD} Objective To see. Results {NULL} Conclusions {NULL}", "refutes"),
            (f"{GOOD} {OPENING} {OPENING} {NULL}", Stance.REFUTES),
            (f"{OPENING} {OPENING} {GOOD}", Stance.SUPPORTS),
        ],
        ids=[
            "benefit",
            "no effect",
            "harm",
            "nothing",
            "background does not count",
            "methods do not count",
            "the conclusion counts",
            "labels without colon",
            "the opening of an unlabelled text does not count",
            "the end of an unlabelled text counts",
        ],
    )
    def test_follows_results_and_conclusion(self, content: str, stance: str) -> None:
        found = reading(content)
        assert (found.stance, found.mixed) == (stance, False)

    @pytest.mark.parametrize(
        "content",
        [
            f"Results: {GOOD} {NULL}",
            f"Results: {NULL} Conclusion: {GOOD}",
            "Results: Examplol reduced symptoms but did not improve survival.",
        ],
        ids=["two results", "result against conclusion", "one sentence"],
    )
    def test_findings_both_ways_are_mixed(self, content: str) -> None:
        found = reading(content)
        assert (found.stance, found.mixed) == (Stance.NEUTRAL, True)

    @pytest.mark.parametrize(
        ("content", "null", "harmful"),
        [
            (GOOD, False, False),
            (NULL, True, False),
            (BAD, False, True),
            (f"{NULL} {BAD}", True, True),
        ],
        ids=["benefit", "no effect", "harm", "both"],
    )
    def test_no_effect_and_harm_are_told_apart(
        self, content: str, null: bool, harmful: bool
    ) -> None:
        found = reading(f"Results: {content}")
        assert (found.null, found.harmful) == (null, harmful)

    def test_a_finding_in_the_conclusion_has_that_role(self) -> None:
        found = reading(f"Results: {NULL} Conclusion: {GOOD}")
        assert [f.role for f in (*found.supporting, *found.refuting)] == [
            FactRole.CONCLUSION,
            FactRole.RESULT,
        ]


class TestWhyThereIsNoDirection:
    @pytest.mark.parametrize(
        ("content", "metadata", "remark"),
        [
            (GOOD, {"kind": "trial"}, "a registered plan without a reported result"),
            (
                "Results: Aspirin improved symptoms of testitis compared with examplol.",
                {},
                Remark.REFERENCE_ARM,
            ),
            (
                "Methods: The reference arm was examplol. "
                "Results: Examplol reduced symptoms of testitis.",
                {},
                Remark.REFERENCE_ARM,
            ),
            (
                "Methods: The control group (examplol) had testitis. Results: Symptoms improved.",
                {},
                Remark.REFERENCE_ARM,
            ),
            (OPENING, {}, "no sentence with a direction was recognised"),
            (f"Results: {GOOD}", {}, ""),
        ],
        ids=["a plan", "comparator", "reference arm", "control group", "silent", "a direction"],
    )
    def test_is_remarked(self, content: str, metadata: dict[str, Any], remark: str) -> None:
        assert reading(content, **metadata).remark == remark

    def test_a_trial_with_results_is_read_as_any_record(self) -> None:
        found = reading(f"Results: {GOOD}", kind="trial", has_results=True)
        assert found.stance is Stance.SUPPORTS


class TestAStoppedTrial:
    @pytest.mark.parametrize(
        ("why", "interventions", "refutes"),
        [
            (FUTILE, ("Examplol", "Placebo"), True),
            (FUTILE, ("Examplol",), True),
            (FUTILE, (), True),
            (FUTILE, ("Examplol", "Aspirin"), False),
            ("Examplol was futile", ("Examplol", "Aspirin"), True),
            ("Aspirin was futile", ("Examplol", "Aspirin"), False),
            ("Slow recruitment", ("Examplol", "Placebo"), False),
            ("Low enrolment, not due to safety", ("Examplol",), False),
        ],
        ids=[
            "one drug",
            "no placebo",
            "by the title",
            "several drugs",
            "several drugs, this one named",
            "several drugs, another named",
            "no patients",
            "denied",
        ],
    )
    def test_counts_against_the_drug_that_it_was_stopped_for(
        self, why: str, interventions: tuple[str, ...], refutes: bool
    ) -> None:
        found = stopped(why, *interventions)
        assert [f.role for f in found.refuting] == [FactRole.STATUS] * refutes

    def test_is_shown_with_the_sentence_that_speaks_against_the_drug(self) -> None:
        found = stopped("A decision of the sponsor. Futility at the interim look.", "Examplol")
        assert quotes(found.refuting) == ["Futility at the interim look."]

    def test_for_futility_is_no_effect(self) -> None:
        found = stopped(FUTILE, "Examplol")
        assert (found.null, found.harmful) == (True, False)

    def test_for_toxicity_is_harm(self) -> None:
        found = stopped("Toxicity", "Examplol")
        assert (found.null, found.harmful) == (False, True)


class TestAboutWhichDrug:
    @pytest.mark.parametrize(
        ("title", "about"),
        [
            ("Examplol in testitis", True),
            ("Examplol versus placebo in testitis", True),
            ("Examplol or aspirin in testitis", False),
            ("Drugs for testitis", False),
            ("Statins and examplol in testitis", False),
        ],
        ids=["alone", "with placebo", "with another", "unnamed", "with a class"],
    )
    def test_the_title_decides(self, title: str, about: bool) -> None:
        assert reading(OPENING, title).about_drug is about


class TestWhatIsKeptBesideTheFindings:
    @pytest.mark.parametrize(
        ("content", "quote", "role"),
        [
            ("Methods: 40 adults took part.", "40 adults took part.", FactRole.DESIGN),
            ("Results: Examplol was well tolerated.", "Examplol was well tolerated.", "harm"),
            (
                "Results: Examplol did not change plasma volume.",
                "Examplol did not change plasma volume.",
                FactRole.RESULT,
            ),
            (
                "Results: For examplol the abstract gives no figures.",
                "For examplol the abstract gives no figures.",
                FactRole.RESULT,
            ),
            ("Conclusion: More is to be seen.", "More is to be seen.", FactRole.CONCLUSION),
        ],
        ids=["design", "safety", "null on no outcome", "what is missing", "open conclusion"],
    )
    def test_with_its_role(self, content: str, quote: str, role: str) -> None:
        assert [(f.quote, f.role) for f in reading(content).context] == [(quote, role)]

    @pytest.mark.parametrize(
        "content",
        [
            "Background: Examplol did not change plasma volume.",
            "Results: We assessed whether examplol did not change plasma volume.",
            "Results: Further studies of the safety of examplol were asked for.",
        ],
        ids=["background", "an aim", "an outlook"],
    )
    def test_and_nothing_of_background_aims_and_outlooks(self, content: str) -> None:
        assert reading(content).context == ()

    def test_the_first_sentence_of_a_trial_is_its_design(self) -> None:
        found = reading("A made-up trial. It is planned.", kind="trial")
        assert [(f.quote, f.role) for f in found.context] == [("A made-up trial.", "design")]


class TestEveryFact:
    def test_is_a_whole_sentence_at_its_place(self) -> None:
        content = f"Background: {OPENING} Results: {GOOD} {NULL} Conclusion: {BAD}"
        found = reading(content)
        assert found.facts
        assert all(content[f.start : f.end] == f.quote == f.statement for f in found.facts)

    def test_stands_on_one_side_or_in_the_context_only(self) -> None:
        found = reading(f"Results: {GOOD} {NULL} Examplol was well tolerated. Conclusion: {BAD}")
        decided = {f.start for f in (*found.supporting, *found.refuting)}
        assert decided.isdisjoint(f.start for f in found.context)
