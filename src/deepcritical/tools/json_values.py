"""Reads values from decoded JSON in which any may be missing, null or of another type."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from deepcritical.domain.errors import SearchError


def decoded(payload: bytes, source: str) -> Any:
    """Return the content of a JSON body; raises SearchError for another body."""
    try:
        return json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise SearchError(f"{source}'s answer is not JSON.", "Try again later.") from error


def as_dict(value: Any) -> dict[str, Any]:
    """An object; for anything else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list; a single item as a list of it."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def dicts_at(record: dict[str, Any], outer: str, inner: str) -> list[dict[str, Any]]:
    """The objects of a list that stands in an object: ``{outer: {inner: [...]}}``."""
    return dicts(as_dict(record.get(outer)).get(inner))


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, or the one that stands where a list should."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def as_text(value: Any) -> str:
    """A text, or a whole number as text, in characters that any file can hold; else ''."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).encode("utf-8", "replace").decode("utf-8").strip()


def one_line(value: Any) -> str:
    """The same with single blanks."""
    return " ".join(as_text(value).split())


def as_number(value: Any) -> int | None:
    """A whole number that is not negative, also where it stands as text; else None."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = as_text(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 else None


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that are not empty, each once."""
    return tuple(dict.fromkeys(text for text in texts if text))
