"""Settings from the environment (prefix ``DEEPCRITICAL_``) or a ``.env`` file.

Only bootstrap and the command line read them.
"""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

__all__ = ["Settings"]


class Settings(BaseSettings):
    """What can be set without a command-line option."""

    model_config = SettingsConfigDict(
        env_prefix="DEEPCRITICAL_",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        use_attribute_docstrings=True,
    )

    snapshot: str = "demo"
    """Name of a bundled snapshot, or path of a .jsonl file, that is searched."""
    max_iterations: int | None = Field(default=None, ge=1, le=10)
    """Rounds of search and judgement, 1-10; overrides the depth."""
    deadline_s: float | None = Field(default=None, gt=0)
    """Seconds from the first step after which the report is written; overrides the depth."""
