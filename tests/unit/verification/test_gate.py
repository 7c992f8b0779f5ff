"""The gate over invented findings: what is wrong is never printed, what is right is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.report.sentences import Draft, Sentence
from deepcritical.verification.gate import CheckedDraft, Gate, check_sentences
from deepcritical.verification.terms import unbound
from tests.unit.verification.prose import NATURAL
from tests.unit.verification.studies import FINDINGS, RECORDS, ScriptedVerifier, draft

RIGHT = [
    ("Examplol reduced relapse compared with placebo (RR 0.71, 95% CI 0.55 to 0.92).", "F1"),
    ("Relapse was less frequent with examplol than with placebo in adults with testitis.", "F1"),
    ("In a randomised trial of 412 participants, examplol lowered relapse.", "F1"),
    ("Examplol was associated with a higher risk of fracture than madeupol (HR 1.30).", "F2"),
    ("Mortality did not differ between examplol and placebo (RR 0.98).", "F3"),
    ("Examplol had no effect on mortality compared with placebo.", "F3"),
    ("In mice, examplol reduced lesion size.", "F4"),
    ("Among women with testitis, examplol reduced pain.", "F5"),
    ("Examplol reduced relapse (RR 0.71), but mortality did not differ (RR 0.98).", "F1 F3"),
    ("Examplol reduced relapse, but increased fracture.", "F1 F2"),
    ("Examplol lowered relapse or so (RR 0.71) compared with placebo.", "F1"),
    ("Examplol lowered relapse (RR 0.71) against placebo rather than usual care.", "F1"),
    (
        "Examplol reduced relapse (moderate certainty), but increased fracture (very low "
        "certainty).",
        "F1 F2",
    ),
]
"""Each with the findings that it cites; all but the sixth and the tenth name only typed fields."""

WRONG = [
    ("arm", "Relapse was less frequent with examplol rather than usual care.", "F1"),
    ("claim", "Examplol lowered relapse (and no one died).", "F1"),
    ("number", "In a 77-patient trial examplol lowered relapse.", "F1"),
    ("direction", "Examplol increased relapse compared with placebo.", "F1"),
    ("direction", "Examplol did not reduce relapse.", "F1"),
    ("direction", "Relapse fell less with examplol than with placebo.", "F1"),
    ("direction", "Relapse decreased to a lesser extent with examplol than with placebo.", "F1"),
    ("direction", "Examplol was less effective than placebo on relapse.", "F1"),
    ("direction", "Examplol reduced fracture, but increased relapse.", "F1 F2"),
    (
        "direction",
        "Examplol reduced mortality but, in the first trial, did not change relapse.",
        "F1 F3",
    ),
    ("population", "Examplol reduced relapse in healthy volunteers.", "F1"),
    ("design", "In a cohort, examplol reduced relapse.", "F1"),
    ("design", "In a meta-analysis, examplol reduced relapse.", "F1"),
    ("design", "A systematic review found that examplol reduced relapse.", "F1"),
    ("number", "Examplol reduced relapse (RR 0.98), but mortality did not differ.", "F1 F3"),
    ("direction", "Relapse was similar with examplol and placebo.", "F1"),
    ("direction", "Examplol worsened relapse.", "F1"),
    ("direction", "In the same patients relapse rose more with examplol than with placebo.", "F1"),
    ("direction", "The reduction in relapse was greater with placebo than with examplol.", "F1"),
    ("direction", "A reduction in relapse was not seen with examplol.", "F1"),
    ("direction", "Relapse was the same with examplol and placebo.", "F1"),
    ("direction", "Relapse was more frequent with examplol, not less.", "F1"),
    ("direction", "Examplol lowered the risk of fracture compared with madeupol.", "F2"),
    ("direction", "Examplol improved mortality.", "F3"),
    ("direction", "Mortality was lower with examplol than with placebo.", "F3"),
    ("arm", "Relapse was less frequent with placebo than with examplol.", "F1"),
    ("arm", "Placebo reduced relapse compared with examplol.", "F1"),
    ("arm", "Examplol reduced relapse compared with madeupol.", "F1"),
    ("arm", "The risk of fracture was higher with madeupol than with examplol.", "F2"),
    ("arm", "Examplol increased the risk of fracture compared with placebo.", "F2"),
    ("arm", "Metformin reduced relapse compared with placebo.", "F1"),
    ("arm", "Metformin reduced relapse compared with placebo.", "F9"),
    ("arm", "In mice, aspirin reduced lesion size.", "F12"),
    ("population", "Examplol reduced relapse in children with testitis.", "F1"),
    ("population", "Examplol reduced relapse in women with testitis.", "F1"),
    ("population", "Examplol reduced relapse in mice.", "F1"),
    ("population", "Examplol reduced lesion size in patients with testitis.", "F4"),
    ("population", "Examplol reduced lesion size.", "F4"),
    ("population", "Examplol reduced relapse in adults with psoriasis.", "F1"),
    (
        "number",
        "Examplol reduced relapse compared with placebo (RR 1.60, 95% CI 1.20 to 2.10).",
        "F11",
    ),
    ("outcome", "Examplol reduced mortality compared with placebo.", "F1"),
    ("outcome", "Examplol reduced pain compared with placebo.", "F1"),
    ("outcome", "Examplol reduced nausea compared with placebo.", "F1"),
    ("outcome", "Examplol improved cognition.", "F1"),
    ("design", "In a randomised trial, examplol increased the risk of fracture.", "F2"),
    ("subgroup", "Examplol reduced pain compared with placebo.", "F5"),
    ("subgroup", "Examplol reduced pain in all patients with testitis.", "F5"),
    ("strength", "Examplol causes fracture.", "F2"),
    ("strength", "The trial proves that examplol reduces relapse.", "F1"),
    ("strength", "Examplol eliminated relapse.", "F1"),
    ("strength", "Examplol dramatically reduced relapse.", "F1"),
    ("strength", "High-certainty evidence shows that examplol reduced relapse.", "F1"),
    (
        "strength",
        "Examplol reduced relapse, but increased fracture (moderate certainty).",
        "F1 F2",
    ),
    ("number", "Examplol reduced relapse (RR 0.92).", "F1"),
    ("number", "Examplol reduced relapse (RR 0.71, 95% CI 0.71 to 0.92).", "F1"),
    ("number", "Examplol reduced relapse (RR 1.60).", "F1"),
    ("number", "Examplol reduced relapse by 71%.", "F1"),
    ("number", "In 5210 participants, examplol reduced relapse.", "F1"),
    ("number", "Examplol reduced relapse after 12 weeks.", "F1"),
    ("two sources", "Two trials found that examplol reduced relapse.", "F1 F6"),
    ("two sources", "Two trials found that examplol reduced relapse.", "F1"),
    ("two sources", "All trials found that relapse did not differ with examplol.", "F1 F6"),
    ("two sources", "Both trials found that examplol reduced relapse.", "F1 F3"),
    ("two sources", "Examplol reduced relapse.", "F1 F3"),
    ("two sources", "Relapse was less frequent in Study E6, whereas Study E1 found none.", "F1 F6"),
    ("two sources", "Examplol reduced relapse and fracture.", "F1 F2"),
    ("direction", "In studies without randomisation, examplol lowered the risk of fracture.", "F2"),
    ("direction", "Survival was shorter with examplol than with placebo (HR 0.80).", "F8"),
    ("number", "Relapse was less frequent with examplol (RR 1.02), as Study E1 found.", "F1 F6"),
    ("outcome", "Examplol reduced the incidence of dementia compared with placebo.", "F1"),
    ("unnamed", "Relapse vanished with examplol.", "F1"),
    ("direction", "Examplol reduced relapse but did not change mortality.", "F1"),
    ("id", "Examplol reduced relapse.", "F9"),
    ("id", "Examplol reduced relapse.", ""),
    ("id", "Examplol reduced relapse (PMID 99000001).", "F1"),
    ("id", "Examplol improved recovery.", "F7"),
]


def drafts(cases: list[tuple[str, str]]) -> list[Draft]:
    return [draft(text, *ids.split()) for text, ids in cases]


async def printed(cases: list[tuple[str, str]], verifier: ScriptedVerifier | None) -> set[str]:
    own = verifier is not None and verifier.lies
    told = await check_sentences(drafts(cases), FINDINGS, RECORDS, verifier, own=own)
    return {sentence.text for sentence in told if sentence.origin == "model"}


async def test_what_is_right_is_printed_with_an_honest_verifier() -> None:
    verifier = ScriptedVerifier([text for text, _ in RIGHT])
    told = await check_sentences(drafts(RIGHT), FINDINGS, RECORDS, verifier)
    assert [s.text for s in told if s.origin == "model"] == [text for text, _ in RIGHT]
    assert all(check.passed for sentence in told for check in sentence.checks)
    assert {c.by for s in told for c in s.checks if c.name == "entailment"} == {"test:verifier"}


@pytest.mark.parametrize(("text", "ids"), NATURAL)
async def test_natural_prose_is_printed_when_it_was_judged(text: str, ids: str) -> None:
    """By another model, or by the writer in a second look."""
    for own in (False, True):
        told = await check_sentences(
            drafts([(text, ids)]), FINDINGS, RECORDS, ScriptedVerifier([text]), own=own
        )
        assert [(s.text, s.in_place_of) for s in told] == [(text, ())]


@pytest.mark.parametrize(("kind", "text", "ids"), WRONG)
async def test_a_wrong_sentence_is_never_printed(kind: str, text: str, ids: str) -> None:
    honest, liar = ScriptedVerifier([t for t, _ in RIGHT]), ScriptedVerifier(lies=True)
    for verifier in (honest, liar, None):
        assert await printed([(text, ids)], verifier) == set(), kind


async def test_code_alone_catches_most_wrong_sentences_where_a_blind_verifier_accepts_all() -> None:
    liar = ScriptedVerifier(lies=True)
    wrong = drafts([(text, ids) for _, text, ids in WRONG])
    checked = await Gate(FINDINGS, RECORDS, liar).checked(wrong)
    assert len([one for one in checked if one.passed]) <= len(wrong) / 2
    alone = await Gate(FINDINGS, RECORDS, liar, own=True).checked(wrong)
    assert [one.draft.text for one in alone if one.passed] == []


async def test_without_a_verifier_what_is_bound_in_every_part_is_printed() -> None:
    told = await printed(RIGHT, None)
    assert len(told) >= len(RIGHT) - 2
    unbound = "Examplol reduced relapse, which surprised everybody."
    assert await printed([(unbound, "F1")], None) == set()


class TestPrinting:
    WRONG = draft("Examplol increased relapse.", "F1")

    async def test_the_template_takes_the_place_and_says_why(self) -> None:
        (told,) = await check_sentences([self.WRONG], FINDINGS, RECORDS, None)
        assert (told.text, told.origin, told.evidence_ids) == (
            "Template of E1.",
            "template",
            ("E1",),
        )
        assert [c.name for c in told.in_place_of] == ["direction"]

    async def test_a_template_that_stands_above_is_not_printed_again(self) -> None:
        above = "The answer. Template of E1. Another one."
        assert await check_sentences([self.WRONG], FINDINGS, RECORDS, None, above=above) == ()

    async def test_a_template_is_printed_once_and_not_beside_its_finding(self) -> None:
        right = draft(RIGHT[0][0], "F1")
        assert len(await check_sentences([self.WRONG] * 2, FINDINGS, RECORDS, None)) == 1
        (told,) = await check_sentences([right, self.WRONG], FINDINGS, RECORDS, None)
        assert told.origin == "model"

    async def test_of_a_record_that_is_told_only_what_speaks_against_is_quoted(self) -> None:
        told_of_it = draft(RIGHT[0][0], "F1")
        for way, is_printed in ((Way.BENEFIT, False), (Way.HARM, True)):
            other = FINDINGS["F1"].model_copy(
                update={"id": "F9", "way": way, "sentence": "Another template."}
            )
            wrong = [told_of_it, draft("Examplol cured relapse in 40 %.", "F9")]
            printed_ = await check_sentences(wrong, {**FINDINGS, "F9": other}, RECORDS, None)
            assert (len(printed_) == 2) is is_printed

    async def test_it_is_written_again_once_with_the_reasons(self) -> None:
        asked: list[tuple[str, ...]] = []

        async def rewrite(checked: Sequence[CheckedDraft]) -> list[list[Draft]]:
            asked.extend(one.reasons for one in checked)
            return [[draft(RIGHT[0][0], "F1"), draft(RIGHT[5][0], "F3")], []]

        accepted = draft(RIGHT[3][0], "F2")
        three = [self.WRONG, accepted, draft("Relapse increased in Study E6.", "F6")]
        written = await check_sentences(three, FINDINGS, RECORDS, None, rewrite=rewrite)
        parts = [RIGHT[0][0], RIGHT[5][0]]
        assert [s.text for s in written] == [*parts, accepted.text, "Template of E6."]
        assert [bool(reasons) for reasons in asked] == [True, False, True]
        assert asked[0][0] == (
            "“Examplol increased relapse.” tells of more, but F1 shows a better result with the "
            "drug"
        )

    @pytest.mark.parametrize("shows", [VerdictLabel.PROMISING, None])
    async def test_another_opening_has_the_verdict_that_comes_with_it(
        self, shows: VerdictLabel | None
    ) -> None:
        async def rewrite(_: Sequence[CheckedDraft]) -> list[list[Draft]]:
            return [[draft(RIGHT[0][0], "F1").model_copy(update={"shows": shows})]]

        first = [self.WRONG.model_copy(update={"shows": VerdictLabel.HARMFUL})]
        (told,) = await check_sentences(first, FINDINGS, RECORDS, None, rewrite=rewrite)
        assert (told.text, told.opens, told.shows) == (RIGHT[0][0], True, shows)

    async def test_a_row_passes_the_same_checks_and_is_written_again_or_left_out(self) -> None:
        cells = {"cells": ("Relapse", "placebo", "")}
        wrong, right = (
            draft(f"Relapse (compared with placebo) – {result}", "F1").model_copy(update=cells)
            for result in ("more frequent with examplol", RIGHT[0][0])
        )
        text = draft(RIGHT[3][0], "F2")

        async def told(*written: Draft) -> list[tuple[str, tuple[str, ...]]]:
            asked: list[Sequence[CheckedDraft]] = []

            async def rewrite(checked: Sequence[CheckedDraft]) -> list[tuple[Draft, ...]]:
                asked.append(checked)
                return [written]

            made = await check_sentences(
                [text, wrong, right], FINDINGS, RECORDS, None, rewrite=rewrite
            )
            assert [one.draft.text for one in asked[0] if not one.passed] == [wrong.text]
            return [(s.text, s.cells) for s in made]

        kept = [(text.text, ()), (right.text, right.cells)]
        assert await told() == kept
        assert await told(wrong) == kept
        assert await told(right) == kept
        cells = {"cells": ("Relapse", "placebo", "1 trial")}
        again = draft(f"{right.text}; from 1 trial", "F1").model_copy(update=cells)
        assert await told(again) == [kept[0], (again.text, again.cells), kept[1]]

    async def test_rows_without_a_text_open_nothing(self) -> None:
        row = draft(RIGHT[0][0], "F1").model_copy(update={"cells": ("Relapse", "placebo", "")})
        (told,) = await check_sentences([row], FINDINGS, RECORDS, None)
        assert not told.opens

    async def test_the_verifier_is_asked_once_and_not_for_what_code_refuses(self) -> None:
        verifier = ScriptedVerifier()
        await check_sentences([self.WRONG, *drafts(RIGHT)], FINDINGS, RECORDS, verifier)
        assert verifier.seen == [text for text, _ in RIGHT]

    @pytest.mark.parametrize(
        ("text", "ids", "kept"),
        [(RIGHT[1][0], "F1 F3", ("E1",)), (*RIGHT[8], ("E1", "E3"))],
        ids=["idle", "bears a figure"],
    )
    async def test_a_record_that_bears_no_part_is_not_cited(
        self, text: str, ids: str, kept: tuple[str, ...]
    ) -> None:

        class Idle(ScriptedVerifier):
            def _judged(self, item):  # type: ignore[no-untyped-def]
                return super()._judged(item)._replace(records=frozenset({"E1"}))

        told = await check_sentences(drafts([(text, ids)]), FINDINGS, RECORDS, Idle([text]))
        assert [(s.origin, s.evidence_ids) for s in told] == [("model", kept)]


def test_a_sentence_is_an_object() -> None:
    assert Sentence(text="x").in_place_of == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Simvastatin reduced relapse compared with placebo.", True),
        ("Statins reduced relapse compared with placebo.", True),
        ("Treatment reduced relapse compared with placebo.", False),
    ],
)
def test_a_drug_of_a_class_is_named_as_its_study_names_it(text: str, *, named: bool) -> None:
    own = "Simvastatin reduced relapse compared with placebo."
    for told in ({"sentence": own}, {"sentence": "", "quotes": (own,)}):
        finding = FINDINGS["F1"].model_copy(update={"drug": "statins", **told})
        assert (unbound(text, [finding]) != "the drug of F1 is not named") is named
