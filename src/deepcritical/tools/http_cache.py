"""Where answers of sources are kept between runs."""

from __future__ import annotations

from pathlib import Path

from hishel import AsyncBaseStorage, AsyncSqliteStorage

from deepcritical.domain.errors import ConfigurationError

__all__ = ["AsyncBaseStorage", "open_cache"]


def open_cache(path: Path) -> AsyncBaseStorage:
    """The cache in an SQLite file, which is made if it is missing.

    Raises:
        ConfigurationError: The file cannot be there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        raise ConfigurationError(
            f"The cache {path} cannot be written: {error.strerror}.",
            "Name another file in DEEPCRITICAL_HTTP_CACHE, or set it to nothing.",
        ) from error
    return AsyncSqliteStorage(database_path=path)
