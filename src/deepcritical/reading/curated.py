"""Loads the readings that ship with the bundled snapshots, by the text that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from deepcritical.domain.study import StudyReading


@cache
def _lines() -> Mapping[str, str]:
    source = resources.files("deepcritical").joinpath("data", "readings", "demo.jsonl")
    lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
    return {line.partition('"text_sha256":"')[2][:64]: line for line in lines}


def curated_readings(text_hashes: frozenset[str]) -> dict[str, StudyReading]:
    """Readings by the hash of what was read."""
    known = _lines()
    return {h: StudyReading.model_validate_json(known[h]) for h in text_hashes if h in known}
