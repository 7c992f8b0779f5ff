from __future__ import annotations

import math

import pytest

from deepcritical.services.ranking import LexicalIndex, searchable, terms
from tests.conftest import make_evidence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Trials of Examplol", ["trial", "examplol"]),
        ("studies", ["study"]),
        ("Crohn's disease", ["crohn", "disease"]),
        ("IL-6 levels", ["il-6", "level", "il"]),
        ("virus, dose-loss and analysis", ["virus", "dose-loss", "analysi", "dose", "loss"]),
        ("", []),
    ],
)
def test_words_are_folded_and_in_the_singular(text: str, words: list[str]) -> None:
    assert terms(text) == words


def test_a_title_counts_more_than_a_mention() -> None:
    titled = make_evidence("Examplol", "On testitis.")
    mentioned = make_evidence("Testitis", "On examplol.")
    index = LexicalIndex([terms(searchable(record)) for record in (mentioned, titled)])
    scores = index.scores("examplol")
    assert scores[1] > scores[0] > 0


def test_registry_fields_and_ids_are_found() -> None:
    record = make_evidence("Trial", nct_id="NCT99000001", conditions=("Testitis",))
    assert {"nct99000001", "testiti"} <= set(terms(searchable(record)))


def test_an_index_without_words_finds_nothing() -> None:
    assert LexicalIndex([[], []]).scores("examplol").tolist() == [0.0, 0.0]
    assert LexicalIndex([]).scores("examplol").tolist() == []


def test_a_score_is_bm25_as_lucene_has_it() -> None:
    scores = LexicalIndex([["aa", "aa", "bb"], ["bb"]]).scores("aa")
    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    saturation = 1.5 * (1 - 0.75 + 0.75 * 3 / 2)
    assert scores.tolist() == pytest.approx([rarity * 2 / (2 + saturation), 0.0])
