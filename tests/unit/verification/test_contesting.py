"""Results as code tells them are compared with the records."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.report.brief import Brief, DecidingStudy
from deepcritical.domain.report.sentences import Sentence
from deepcritical.verification.verifiers import EntailmentVerdict, Item, Judged, contested_by
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
    found = await contested_by(verifier, told, {"E1": paper, "E2": paper})
    assert [(one.told, one.by, one.reason) for one in found] == [
        (told[n].text, "test:verifier", "no") for n in (0, 1)
    ]
    assert [one.text for one in verifier.shown] == [one.text for one in told]
    assert all(paper.content in quotes for one in verifier.shown for quotes in one.quotes.values())
