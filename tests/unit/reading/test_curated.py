from __future__ import annotations

from functools import cache

import pytest

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import StudyReading
from deepcritical.reading.building import record_id
from deepcritical.reading.checking import checked
from deepcritical.reading.library import curated_readings
from deepcritical.reading.sentences import numbered, text_hash
from deepcritical.tools.snapshot import BUNDLED, parse, snapshot_path


@cache
def _records() -> dict[str, Evidence]:
    """The records of the bundled snapshots that have a text, by the hash of what is read."""
    paths = [snapshot_path(name) for name in BUNDLED]
    parsed = [parse(path.read_bytes(), path.name) for path in paths]
    return {text_hash(e): e for p in parsed for e in p.records if e.content.strip()}


@cache
def _readings() -> dict[str, StudyReading]:
    return curated_readings(frozenset(_records()))


def _cited(reading: StudyReading) -> list[int]:
    cited = [reading.population.sentences, reading.conclusion.sentences]
    cited += [result.sentences for result in reading.results]
    cited += [step.sentences for step in reading.mechanism]
    return [number for numbers in cited for number in numbers]


def test_every_text_of_the_bundled_snapshot_has_a_curated_reading() -> None:
    missing = [e.citation.title for h, e in _records().items() if h not in _readings()]
    assert missing == []
    assert len(_readings()) > 100


def test_a_reading_is_of_its_own_record() -> None:
    for text, reading in _readings().items():
        assert reading.text_sha256 == text
        assert reading.record_id == record_id(_records()[text])


def test_every_reading_says_that_it_is_curated() -> None:
    assert {reading.reader.kind for reading in _readings().values()} == {"curated"}


def test_every_sentence_that_a_reading_cites_is_there() -> None:
    for text, reading in _readings().items():
        size = len(numbered(_records()[text]))
        assert all(0 <= number < size for number in _cited(reading)), reading.record_id


def test_every_result_cites_a_sentence() -> None:
    bare = [r.record_id for r in _readings().values() if any(not x.sentences for x in r.results)]
    assert bare == []


def test_every_reading_stands_a_second_check() -> None:
    changed = []
    for text, reading in _readings().items():
        evidence = _records()[text]
        again = checked(reading, numbered(evidence), evidence)
        if again != reading:
            changed.append((reading.record_id, again.faults[len(reading.faults) :]))
    assert changed == []


def test_no_reading_has_a_fault() -> None:
    assert [r.record_id for r in _readings().values() if r.faults] == []


@pytest.mark.parametrize("texts", [frozenset[str](), frozenset({"0" * 64})])
def test_an_unknown_text_has_no_reading(texts: frozenset[str]) -> None:
    assert curated_readings(texts) == {}
