"""Writes a finished report or answer as files in a folder, and reads it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import SnapshotCorruptError, StorageError
from deepcritical.export.formats import ANSWER_FORMATS, FORMATS, Format
from deepcritical.export.imprint import Imprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deepcritical.domain.answer import Document

REPORT_FILES = tuple(f"report.{suffix}" for suffix in FORMATS)
ANSWER_FILES = tuple(f"answer.{suffix}" for suffix in ANSWER_FORMATS)
_ADVICE = (
    "Give the report.json that `deepcritical research --out FOLDER` of this version writes, or the "
    "answer.json of `deepcritical ask`."
)


def write_report(
    report: Document, imprint: Imprint, folder: Path, more: Mapping[str, bytes] | None = None
) -> list[str]:
    """Write a report in all its formats, when all of them are made, and further files; their names.

    Raises:
        StorageError: A file cannot be written.
    """
    written = _made(report, imprint) | dict(more or {})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in written.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise StorageError(
            f"The report cannot be written to {folder}: {error.strerror}.",
            "Choose another folder with --out.",
        ) from error
    return list(written)


def formats_of(report: Document) -> Mapping[str, Format]:
    """The formats that a report, or an answer, can be had in."""
    return ANSWER_FORMATS if _is_answer(report) else FORMATS


def _made(report: Document, imprint: Imprint) -> dict[str, bytes]:
    name, forms = "answer" if _is_answer(report) else "report", formats_of(report)
    return {f"{name}.{suffix}": form.render(report, imprint) for suffix, form in forms.items()}


def _is_answer(report: Document) -> bool:
    # Imported late, as all that has many fields.
    from deepcritical.domain.answer import DeepAnswer

    return isinstance(report, DeepAnswer)


def read_report(path: Path) -> tuple[Document, Imprint]:
    """Read a report.json or an answer.json.

    Raises:
        SnapshotCorruptError: The file cannot be read, or holds no report.
    """
    # Imported late: `--help` must not wait for the report's many fields.
    from pydantic import ValidationError

    from deepcritical.export.writers import from_json

    try:
        return from_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        why = f"The report {path} cannot be read: {error.strerror}."
        raise SnapshotCorruptError(why, _ADVICE) from error
    except ValidationError as error:
        where, what, _ = first_invalid(error)
        why = f"{path.name} is no report: {where or 'the file'}: {what}."
        raise SnapshotCorruptError(why, _ADVICE) from error
    except (ValueError, RecursionError) as error:
        raise SnapshotCorruptError(f"{path.name} is no report: {error}.", _ADVICE) from error
