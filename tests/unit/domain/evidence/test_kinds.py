from __future__ import annotations

import pytest

from deepcritical.domain.evidence.kinds import is_notice, is_paper, is_retracted
from tests.unit.domain.records import TITLE, paper, trial


@pytest.mark.parametrize(
    ("title", "types", "content"),
    [
        pytest.param(TITLE, ["Retracted (Retraction in: PMID 1)"], "", id="retraction in"),
        pytest.param(TITLE, ["Preprint", "WITHDRAWN"], "", id="withdrawn preprint"),
        pytest.param(f"{TITLE} (preprint WITHDRAWN)", [], "", id="end of the title"),
        pytest.param(f"(RETRACTED) {TITLE}", [], "", id="brackets before the title"),
        pytest.param(TITLE, [], "This article has been retracted: see below.", id="notice as text"),
    ],
)
def test_retracted(title: str, types: list[str], content: str) -> None:
    assert is_retracted(paper(title, content, publication_types=types))


def test_retracted_by_an_integrity_look_up_alone() -> None:
    assert is_retracted(paper(publication_types=["Journal Article"], integrity="retracted"))


@pytest.mark.parametrize(
    ("note", "retracted"),
    [
        ("preprint; withdrawn by its server over its data", True),
        ("author list incomplete. The preprint was later withdrawn", True),
        ("retracted; the notice is not shown", True),
        ("its pooled trials include a preprint that was withdrawn", False),
        ("two patients were withdrawn", False),
    ],
)
def test_a_note_alone_says_so(note: str, *, retracted: bool) -> None:
    assert is_retracted(paper(note=note)) is retracted


def test_a_trial_that_was_withdrawn_from_its_registry_is_not_retracted() -> None:
    assert not is_retracted(trial(note="withdrawn before anyone was enrolled"))


@pytest.mark.parametrize(
    ("title", "types"),
    [
        (f"Retraction: {TITLE}", []),
        (f"Retraction notice to {TITLE}", []),
        (TITLE, ["Retraction notice"]),
        (TITLE, ["Published Erratum"]),
        (f"Correction to: {TITLE}", []),
    ],
)
def test_a_notice_is_not_the_article(title: str, types: list[str]) -> None:
    record = paper(title, publication_types=types)
    assert is_notice(record)
    assert not is_retracted(record)


def test_an_article_is_no_notice() -> None:
    assert not is_notice(paper("Correction of vision by examplol"))
    assert not is_notice(paper(publication_types=["Retracted Publication"]))


def test_a_registry_entry_with_the_text_of_its_paper_is_a_paper() -> None:
    assert is_paper(paper())
    assert not is_paper(trial(content="A plan.", text_kind="registry"))
    assert is_paper(trial(content="Results.", pmid="99000001", text_kind="abstract"))
