"""An answer is checked again from its own data: whatever is forged in it is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.parts import EntryKind
from deepcritical.writing.ledger.auditing import audit, check_sentences, is_of_markdown
from tests.unit.answering.examples import GOOD, HELPS, NULL, built, entry, record
from tests.unit.domain.report.test_answer import answer as old_answer

ANSWER = built(HELPS, record(1, GOOD), record(2, NULL), entry(3, "RECRUITING")).answer
CURED = "Examplol cured testitis in all patients."
CITED = {"text": CURED, "evidence_ids": ["E1"]}
FOUND = {**CITED, "finding_ids": ["P1"]}
Change = Callable[[dict[str, Any]], object]


def each(name: str, **fields: Any) -> Change:
    """Change every one of the findings, references or claims."""
    return lambda told: [one.update(fields) for one in told[name]]


def first(told: dict[str, Any]) -> dict[str, Any]:
    """The first sentence of the first part."""
    sentence: dict[str, Any] = told["parts"][0]["sentences"][0]
    return sentence


FORGERIES: dict[str, Change] = {
    "what is printed first": lambda a: a.update(overview=CURED),
    "what is printed of a need": lambda a: a["sections"][0].update(content=f"- {CURED}"),
    "a sentence": lambda a: first(a).update(text=CURED),
    "a sentence without a record": lambda a: first(a).update(
        text=CURED, evidence_ids=[], finding_ids=[]
    ),
    "a sentence of another record": lambda a: first(a).update(evidence_ids=["E2"]),
    "a sentence more": lambda a: a["parts"][0]["sentences"].append(FOUND),
    "a sentence without a finding": lambda a: a["lead"].append(CITED),
    "a lead without a record": lambda a: a["lead"].append({"text": CURED}),
    "a sentence of the brief": lambda a: a["brief"]["answer"][0].update(text=CURED),
    "a model's sentence": lambda a: a["brief"].update(synthesis=[{**FOUND, "origin": "model"}]),
    "the words of a finding": each("findings", sentence=CURED),
    "the quote of a finding": each("findings", quotes=[CURED]),
    "the study of a finding": each("findings", study="A study that was never made"),
    "the findings": lambda a: a.update(findings=[]),
    "the quote of a claim": each("claims", quote=CURED),
    "the text of a record": each("references", text=CURED),
    "a record's retraction": each("references", retracted=True),
    "the label of the verdict": lambda a: a["verdict"].update(label="supported"),
    "a row of the verdict": lambda a: a["verdict"]["rows"][0].update(people=99_999),
    "the verdict": lambda a: a.update(verdict=None),
}


def test_what_code_wrote_holds() -> None:
    ledger = audit(ANSWER)
    assert ledger.failed == ()
    assert {EntryKind.RATING, EntryKind.SENTENCE} <= {entry.kind for entry in ledger.entries}
    assert check_sentences(ANSWER)[0] == ANSWER


@pytest.mark.parametrize("forgery", FORGERIES)
def test_whatever_is_forged_fails(forgery: str) -> None:
    told = json.loads(ANSWER.model_dump_json())
    FORGERIES[forgery](told)
    forged = DeepAnswer.model_validate(told)
    assert forged != ANSWER
    assert audit(forged).failed


@pytest.mark.parametrize("field", ["sentence", "study"])
def test_a_forged_finding_fails_with_the_sentence_that_tells_it(field: str) -> None:
    told = json.loads(ANSWER.model_dump_json())
    (finding,) = [f for f in told["findings"] if f["id"] == first(told)["finding_ids"][0]]
    forged = finding["sentence"].replace(finding["study"], "Forged 2999")
    first(told)["text"] = forged
    finding |= {"sentence": forged} if field == "sentence" else {"study": "Forged 2999"}
    assert any(e.text == forged for e in audit(DeepAnswer.model_validate(told)).failed)


def test_of_an_answer_of_before_the_quotes_are_checked() -> None:
    old = old_answer()
    assert old.schema_version == 1
    assert is_of_markdown(old)
    assert audit(old).failed == ()
    forged = tuple(claim.model_copy(update={"sentence": CURED}) for claim in old.claims)
    assert audit(old.model_copy(update={"claims": forged})).failed
