"""Reads the files of sets as they are published."""

import csv
import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deepcritical.evaluation.scores import Half


def half_of(key: str) -> Half:
    """The half of a row of a published set, by a hash of its id."""
    digest = hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest()
    return "kept aside" if int(digest, 16) % 2 else "development"


def text_of(path: Path) -> str:
    """The text of a file, unpacked if its name ends in .gz."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return lines.read()
    return path.read_text(encoding="utf-8")


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, or of one JSON array."""
    text = text_of(path)
    yield from json.loads(text) if text.startswith("[") else map(json.loads, text.splitlines())


def rows_on(path: Path, snapshot: str) -> Iterator[dict[str, Any]]:
    """The questions of a file that are asked of a snapshot, by its name or path.

    A row that is on certain records names them in `records`: it means nothing over others.
    """
    stem = Path(snapshot).name.partition(".")[0]
    return (row for row in json_lines(path) if row.get("records", stem) == stem)


def table(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a .csv or .tsv file by the names of its columns."""
    delimiter = "\t" if path.suffix == ".tsv" else ","
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter=delimiter)
