"""Questions that ask the same: a labelled set, one half of it written after the rules were.

``pairs.jsonl`` is what the rules were made with, ``held_out.jsonl`` what they are measured on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import NamedTuple

import pytest

from deepcritical.questions.reading import literal_frame
from deepcritical.questions.sameness import Meant, meaning_of
from deepcritical.services.embeddings import Embeddings, EmbeddingService
from deepcritical.toolset.similar_runs import worded_alike
from tests.conftest import ROOT, TABLE


def meaning(text: str) -> Meant:
    return meaning_of(literal_frame(text))


DATA = ROOT / "tests/data/questions"


class Pair(NamedTuple):
    one: str
    other: str
    same: bool


def pairs(name: str) -> list[Pair]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair(d["one"], d["other"], d["same"]) for d in map(json.loads, lines)]


async def called_similar(pair: Pair, embeddings: Embeddings | None) -> bool:
    one, other = [await asyncio.to_thread(meaning, text) for text in (pair.one, pair.other)]
    if one != other:
        return False
    return bool((await worded_alike(embeddings, pair.one, [pair.other])).scores)


def service(kind: str) -> Embeddings | None:
    if kind == "words":
        return None
    pytest.importorskip("sentence_transformers", reason="needs the extra embeddings")
    return EmbeddingService()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["embedding", "words"])
@pytest.mark.parametrize(("name", "least_recall"), [("pairs", 0.9), ("held_out", 0.85)])
async def test_what_is_called_similar_is_similar_and_most_of_it_is_found(
    name: str,
    least_recall: float,
    kind: str,
    record_property: Callable[[str, object], None],
) -> None:
    labelled, embeddings = await asyncio.to_thread(pairs, name), service(kind)
    found = [pair for pair in labelled if await called_similar(pair, embeddings)]
    right = [pair for pair in found if pair.same]
    precision = len(right) / len(found)
    recall = len(right) / sum(pair.same for pair in labelled)
    shown = f"P {precision:.2f} R {recall:.2f} ({len(labelled)})"
    record_property(f"{TABLE}similar questions", (kind, name, shown))
    assert [pair for pair in found if not pair.same] == []
    assert recall >= least_recall


async def test_the_same_words_are_compared_without_a_model() -> None:
    alike = await worded_alike(None, "Does it help?", ["does it HELP", "Is rain wet?"])
    assert alike.scores == {0: 1.0}
