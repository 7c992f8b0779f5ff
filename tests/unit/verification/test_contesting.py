"""Results as code tells them are compared with the records."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.votes import OutcomeRow, Way
from deepcritical.domain.report.brief import Brief, DecidingStudy, Statement
from deepcritical.domain.report.sentences import Sentence
from deepcritical.verification.verifiers import EntailmentVerdict, Item, Judged, SecondLook
from deepcritical.writing.sentences.synthesis import statements_of
from tests.unit.appraisal.builders import findings, record, vote

VERDICTS: tuple[EntailmentVerdict, ...] = ("not_enough", "contradicted", "supported")


class Doubting:
    """Finds the first row not borne, the second contradicted, and the others as they are told."""

    name = "test:verifier"

    def __init__(self) -> None:
        self.shown: list[Item] = []

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        self.shown += items
        return {
            one.id: Judged(verdict, frozenset(), "no")
            for one, verdict in zip(items, VERDICTS, strict=True)
        }


async def test_results_that_a_verifier_does_not_find_are_named_with_what_was_said() -> None:
    votes = findings(vote(), vote(Way.NO_DIFFERENCE, row="flurbs"))
    verdict = await asyncio.to_thread(decide, votes)
    paper = record()
    study = DecidingStudy(
        name="Meyer 2021",
        design="cohort",
        result=Sentence(text="Flurbs: worse.", evidence_ids=("E1",)),
        evidence_ids=("E1",),
    )
    answer = (Sentence(text="Possibly."),)
    brief = Brief(drug="examplol", answer=answer, studies=(study,), findings=verdict.rows[1:])
    told = await asyncio.to_thread(statements_of, brief, verdict)
    assert [one.outcome for one in told] == [verdict.rows[1].outcome, verdict.rows[0].outcome, ""]
    assert told[-1].text == "Meyer 2021 (cohort): Flurbs: worse."
    assert not any("certainty" in one.text for one in told)
    verifier = Doubting()
    found = await SecondLook(verifier, told, {"E1": paper, "E2": paper}).contested()
    assert [(one.told, one.by, one.reason) for one in found] == [
        (told[n].text, "test:verifier", "no") for n in (0, 1)
    ]
    assert [one.text for one in verifier.shown] == [one.text for one in told]
    assert all(paper.content in quotes for one in verifier.shown for quotes in one.quotes.values())


TOLD = (Statement("Relapse: better with examplol.", ("E1",), "relapse", "placebo"),)
SENTENCE = Item("0", "Examplol reduced relapse.", {"E1": ("Relapse fell.",)})


class Answering:
    """Contradicts whatever it judges; what it is asked in one question with a result may fail."""

    name = "test:verifier"

    def __init__(self, *, fails: bool = False) -> None:
        self.questions: list[list[str]] = []
        self._fails = fails

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        self.questions.append([one.text for one in items])
        if self._fails and TOLD[0].text in self.questions[-1]:
            return {}
        return {one.id: Judged("contradicted", frozenset(), "no") for one in items}


async def test_results_are_judged_in_the_first_question_behind_the_sentences() -> None:
    verifier = Answering()
    look = SecondLook(verifier, TOLD, {"E1": record()})
    assert [*await look.entail([SENTENCE])] == ["0"]
    assert [*await look.entail([SENTENCE])] == ["0"]
    assert verifier.questions == [[SENTENCE.text, TOLD[0].text], [SENTENCE.text]]
    assert [one.told for one in await look.contested()] == [TOLD[0].text]
    assert len(verifier.questions) == 2


async def test_where_both_have_no_answer_the_sentences_are_judged_alone() -> None:
    verifier = Answering(fails=True)
    look = SecondLook(verifier, TOLD, {"E1": record()})
    assert [*await look.entail([SENTENCE])] == ["0"]
    assert verifier.questions == [[SENTENCE.text, TOLD[0].text], [SENTENCE.text]]
    assert await look.contested() == ()


def test_of_rows_that_no_brief_shows_those_that_matter_are_told() -> None:
    rows = decide(findings(vote(), vote(Way.NO_DIFFERENCE, row="flurbs"))).rows
    told, other = rows
    surrogate = other.model_copy(update={"importance": "surrogate", "directness": "broader"})
    verdict = decide(findings(vote())).model_copy(update={"deciding_ids": ()})
    brief = Brief(drug="examplol", answer=(Sentence(text="Possibly."),), findings=(told,))

    def kept(row: OutcomeRow) -> bool:
        both = verdict.model_copy(update={"rows": (told, row)})
        return row.outcome in {one.outcome for one in statements_of(brief, both)}

    beside = {"directness": "broader", "comparator": "oldol"}
    assert not kept(surrogate)
    assert not kept(other.model_copy(update=beside))
    assert kept(other.model_copy(update={**beside, "asked": True}))
    assert kept(other.model_copy(update={**beside, "way": Way.HARM}))
    assert kept(surrogate.model_copy(update={"importance": "harm"}))
    assert kept(surrogate.model_copy(update={"directness": "direct"}))
    decided = verdict.model_copy(update={"rows": (told, surrogate), "deciding_ids": ("E2",)})
    assert surrogate.evidence_ids == ("E2",)
    assert len(statements_of(brief, decided)) == 2
