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
    host: str = "127.0.0.1"
    """Address that the page is bound to; 127.0.0.1 is this machine only."""
    port: int = Field(default=7860, ge=0, le=65535)
    """Port of the page; 0 takes a free one."""
