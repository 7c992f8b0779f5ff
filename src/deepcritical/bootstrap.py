"""The composition root: settings in, a ready application out.

Implementations are picked here and nowhere else.
"""

from __future__ import annotations

from pydantic import ValidationError

from deepcritical.domain.budget import Depth, RunLimits
from deepcritical.domain.errors import ConfigurationError
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.extractive import ExtractiveReasoner
from deepcritical.settings import Settings
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

__all__ = ["build_runs", "limits_of", "read_settings"]


def read_settings() -> Settings:
    """Settings of the environment.

    Raises:
        ConfigurationError: A value is not usable.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = f"DEEPCRITICAL_{'_'.join(str(part) for part in first['loc']).upper()}"
        raise ConfigurationError(
            f"The setting {name} is not usable: {first['msg']}.",
            "Correct it in the environment or in .env.",
        ) from error


def build_runs(settings: Settings, *, snapshot: str | None = None) -> RunService:
    """The service that runs questions against one snapshot.

    Args:
        settings: Settings of the environment.
        snapshot: Overrides `settings.snapshot`.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
    """
    source = SnapshotSource(snapshot_path(settings.snapshot if snapshot is None else snapshot))
    return RunService(
        orchestrate=run_team,
        reasoner=ExtractiveReasoner(),
        handler=SearchHandler([source]),
        limits_for=lambda depth: limits_of(settings, depth),
        describe_sources=lambda: _described(source),
    )


def limits_of(settings: Settings, depth: Depth) -> RunLimits:
    """The limits of a depth, as far as no setting overrides them."""
    chosen = {"max_iterations": settings.max_iterations, "deadline_s": settings.deadline_s}
    return RunLimits.for_depth(depth).model_copy(
        update={name: value for name, value in chosen.items() if value is not None}
    )


async def _described(source: SnapshotSource) -> tuple[str, ...]:
    return (await source.describe(),)
