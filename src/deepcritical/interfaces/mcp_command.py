"""``deepcritical mcp``: the tools for an agent that starts this process and speaks to it."""

from __future__ import annotations

import asyncio

from deepcritical.domain.errors import ConfigurationError
from deepcritical.interfaces.cli import Snapshot, Sources, chosen
from deepcritical.interfaces.model_options import BaseUrl, ModelName

__all__ = ["mcp"]


def mcp(
    snapshot: Snapshot = None,
    sources: Sources = None,
    model: ModelName = None,
    model_base_url: BaseUrl = None,
) -> None:
    """Serve the tools over stdin and stdout, to the agent that starts this command (MCP).

    It ends when stdin does, and the next server goes on with its runs. The key of a model is
    read from the environment.
    """
    # Imported late: `--help` must not wait for the framework.
    from deepcritical import bootstrap

    chosen_place = chosen(snapshot, sources).sought
    settings = bootstrap.read_settings(model, model_base_url)
    runs = bootstrap.build_runs(settings, **chosen_place, serves=True)
    lookups = bootstrap.build_lookups(settings, **chosen_place)
    place = bootstrap.place_of(settings, **chosen_place)
    similar = bootstrap.build_similar(settings, runs, place)
    asyncio.run(runs.sources())  # a source that cannot be read is told before anybody asks
    try:
        from deepcritical.interfaces.mcp.stdio import serve_stdio
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The tools need a library that is not installed: {error.name}.",
            "Install it in a checkout with: pip install '.[mcp]'",
        ) from error
    serve_stdio(runs, lookups, similar)
