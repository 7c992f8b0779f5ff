"""A model that writes lies about true findings: none of them reaches the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.report.sentences import Sentence
from deepcritical.writing.ledger.auditing import audit
from tests.integration.modelled import Modelled, modelled, records
from tests.servers.answers import Answer, findings_of
from tests.servers.models import ModelServer

LIES = {
    "directions": (
        "Examplol worsened testitis symptoms compared with placebo.",
        "Examplol increased mortality in testitis.",
        "Placebo was better than examplol for testitis symptoms.",
        "Examplol showed no clear effect on testitis symptoms in any trial.",
    ),
    "figures": (
        "Examplol improved testitis symptoms by 97 % compared with placebo.",
        "Examplol improved testitis symptoms in 48,213 people.",
        "Examplol improved testitis symptoms (hazard ratio 0.11, 95 % CI 0.05 to 0.21).",
        "Examplol improved testitis symptoms with a number needed to treat of 2.",
    ),
    "names": (
        "Metformin improved testitis symptoms compared with placebo.",
        "Examplol improved symptoms of asthma compared with placebo.",
        "Examplol improved testitis symptoms compared with prednisone.",
        "Examplol blocks TNF-alpha in people with testitis.",
    ),
    "people": (
        "Examplol improved testitis symptoms in children under five.",
        "Examplol improved testitis symptoms in pregnant women.",
        "Examplol improved testitis symptoms in mice.",
        "Examplol prevented testitis in healthy volunteers.",
    ),
    "strength": (
        "Examplol cures testitis.",
        "All trials prove that examplol eliminates testitis for good.",
        "Twelve trials agree that examplol is the best treatment of testitis.",
        "Examplol is licensed for testitis and safe for everybody.",
    ),
    "ids": (
        "Examplol cures testitis (PMID 31415926).",
        "Examplol improved testitis symptoms [E99].",
        "Examplol improved testitis symptoms (NCT99999999).",
        "Examplol improved testitis symptoms, see https://example.org/cure.",
    ),
}


TURNED = ("worse with examplol", "better with placebo", "examplol worsened them")
"""Results of rows that turn a finding round, without its outcome."""


UNSEEN = "Examplol showed no clear effect on testitis symptoms in any trial."
"""The one that code lets through where a liar judges it: limits are told in such words, too."""


async def lied(folder: Path, lies: Sequence[str], judge: Callable[[str], bool]) -> Modelled:
    """A run whose model writes lies; `judge` says which sentences its verifier supports."""

    def change(server: ModelServer) -> Callable[[str, Answer], Any]:
        def changed(task: str, sane: Answer) -> Any:
            prompt = server.asked[-1].prompt
            if task == "write_report":
                cited = [*findings_of(prompt)][:1]
                return {
                    "sentences": [
                        {"text": lie, "findings": cited, "number": n}
                        for n, lie in enumerate(lies, 1)
                    ],
                    "rows": [
                        {
                            "outcome": "testitis symptoms",
                            "compared_with": "placebo",
                            "result": lie,
                            "findings": cited,
                        }
                        for lie in lies
                    ],
                }
            if task == "verify" and not judge(prompt):
                return {
                    "judgements": [{**j, "verdict": "contradicted"} for j in sane["judgements"]]
                }
            return sane

        return changed

    def prepare(server: ModelServer) -> None:
        server.change = change(server)

    return await modelled(records(folder), prepare, max_iterations=1)


def shipped(run: Modelled, lies: Sequence[str]) -> list[str]:
    """The lies that stand anywhere in the report."""
    assert run.report
    printed = run.report.to_markdown()
    told: tuple[Sentence, ...] = run.report.brief.synthesis if run.report.brief else ()
    return [lie for lie in lies if lie.rstrip(".") in printed or lie in {s.text for s in told}]


@pytest.mark.parametrize("kind", LIES)
async def test_no_lie_passes_an_honest_verifier(tmp_path: Path, kind: str) -> None:
    run = await lied(tmp_path, LIES[kind], judge=lambda _: False)
    assert shipped(run, LIES[kind]) == []


@pytest.mark.parametrize("is_honest", [True, False])
async def test_no_row_that_turns_a_result_passes(tmp_path: Path, *, is_honest: bool) -> None:
    run = await lied(tmp_path, TURNED, judge=lambda _: not is_honest)
    assert run.report
    assert run.report.brief
    assert [row.result for row in run.report.brief.told] == []


@pytest.mark.parametrize("kind", LIES)
async def test_no_lie_passes_where_the_liar_judges_itself(tmp_path: Path, kind: str) -> None:
    run = await lied(tmp_path, LIES[kind], judge=lambda _: True)
    left = shipped(run, LIES[kind])
    assert set(left) <= {UNSEEN}
    assert run.report
    assert run.report.brief
    told = [s for s in run.report.brief.synthesis if s.text not in left]
    assert all(sentence.in_place_of for sentence in told)


async def test_a_stored_report_with_a_forged_finding_does_not_verify(tmp_path: Path) -> None:
    run = await modelled(records(tmp_path), max_iterations=1)
    assert run.report
    assert run.report.brief
    assert audit(run.report).failed == ()
    lie = "Examplol cures testitis."
    first, *others = run.report.findings
    told, *rest = run.report.brief.synthesis
    synthesis = (told.model_copy(update={"text": lie}), *rest)
    forged = run.report.model_copy(
        update={
            "findings": (first.model_copy(update={"sentence": lie}), *others),
            "brief": run.report.brief.model_copy(update={"synthesis": synthesis}),
        }
    )
    assert lie in {entry.text for entry in audit(forged).failed}


async def test_a_stored_report_with_a_forged_mark_of_a_verifier_does_not_verify(
    tmp_path: Path,
) -> None:
    run = await modelled(records(tmp_path), max_iterations=1)
    assert run.report
    assert run.report.brief
    (told, *rest) = run.report.brief.synthesis
    judged = next(check for check in told.checks if check.name == "entailment")
    other = judged.model_copy(update={"by": "another:model"})
    for checks in (
        (judged,),
        tuple(check for check in told.checks if check.name != "terms"),
        tuple(other if check is judged else check for check in told.checks),
    ):
        marked = told.model_copy(update={"checks": checks})
        brief = run.report.brief.model_copy(update={"synthesis": (marked, *rest)})
        entries = audit(run.report.model_copy(update={"brief": brief})).failed
        assert told.text in {entry.text for entry in entries}
