from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from deepcritical.domain.errors import StorageError
from deepcritical.jobs.dbos_setup import JsonSerializer, refusals_told

FORMAT = JsonSerializer()


def again(value: Any) -> Any:
    return FORMAT.deserialize(FORMAT.serialize(value))


@pytest.mark.parametrize("value", [None, {"a": [1, 2.5, "µ"]}, {"$error": "text of a user"}, []])
def test_json_comes_back_as_it_was(value: object) -> None:
    assert again(value) == value


def test_positional_arguments_come_back_as_a_tuple() -> None:
    assert again({"args": ("run",), "kwargs": {}}) == {"args": ("run",), "kwargs": {}}


@pytest.mark.parametrize("error", [ValueError("a"), TimeoutError("b"), StorageError("c")])
def test_known_errors_come_back_as_what_they_were(error: Exception) -> None:
    restored = again(error)
    assert type(restored) is type(error)
    assert str(restored) == str(error)


def test_other_errors_come_back_as_a_plain_one() -> None:
    restored = again(KeyError("made up"))
    assert type(restored) is RuntimeError


@pytest.mark.parametrize("value", [object(), math.nan, {1, 2}])
def test_what_is_not_json_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        FORMAT.serialize(value)


@pytest.mark.slow
def test_the_engine_is_not_imported_before_a_run_needs_it() -> None:
    code = (
        "import sys, deepcritical, deepcritical.bootstrap, deepcritical.interfaces.main;"
        "print([name for name in sys.modules if name.split('.')[0] == 'dbos'])"
    )
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "[]\n"


async def test_a_disk_that_is_full_is_told_with_what_to_do(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'full.sqlite'}")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE made (text TEXT)")
        connection.exec_driver_sql("PRAGMA max_page_count = 3")
        with pytest.raises(StorageError, match="disk is full") as told:
            async with refusals_told():
                connection.exec_driver_sql("INSERT INTO made VALUES (zeroblob(100000))")
    engine.dispose()
    assert "traces resume" in told.value.advice
