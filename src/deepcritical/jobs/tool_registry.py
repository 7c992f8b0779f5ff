"""The tools of a chat; those that take minutes are the very ones that MCP and REST offer."""

from __future__ import annotations

from deepcritical.domain.tool_registry import ToolRegistry
from deepcritical.jobs.conduct import OpenSources
from deepcritical.jobs.evidence_tools import RunEvidence, rag_tool, search_tool
from deepcritical.jobs.research_tools import Describe, deep_research_tool, research_report_tool
from deepcritical.jobs.runs import RunService

__all__ = ["registered_tools"]


def registered_tools(
    runs: RunService, open_sources: OpenSources, evidence: RunEvidence, describe: Describe
) -> ToolRegistry:
    """All tools of an application.

    Args:
        runs: Where research is submitted.
        open_sources: Opens what a search asks.
        evidence: The records of finished runs.
        describe: An event of a run as one line.
    """
    registry = ToolRegistry()
    registry.register_tool(search_tool(open_sources))
    registry.register_tool(rag_tool(evidence))
    registry.register_tool(deep_research_tool(runs, describe))
    registry.register_tool(research_report_tool(runs, describe))
    return registry
