"""Vectors without a model: words in common make texts alike."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deepcritical.services.embeddings import EmbeddingState, ModelLoaded, Role

DIM = 64


class WordVectors:
    """The sum of a fixed random vector for each word, L2-normalised.

    Args:
        name: Of the model; each has a collection of its own.
    """

    def __init__(self, name: str = "made-up/words") -> None:
        self._name = name
        self.embedded: list[str] = []
        """Every text that came, in order."""

    async def load(self) -> EmbeddingState:
        """Always ready."""
        return ModelLoaded(name=self._name, origin="folder", fingerprint=self._name, dim=DIM)

    async def embed(self, texts: Sequence[str], *, role: Role = "document") -> NDArray[np.float32]:
        """`(n_texts, 64)` float32."""
        if role == "document":
            self.embedded.extend(texts)
        return np.array([_vector(text) for text in texts], dtype=np.float32).reshape(-1, DIM)


def _vector(text: str) -> NDArray[np.float32]:
    words = text.lower().replace(".", " ").split() or [""]
    total = np.sum([_of_word(word) for word in words], axis=0)
    vector: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return vector


def _of_word(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    return np.random.default_rng(seed).normal(size=DIM)
