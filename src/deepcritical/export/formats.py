"""The formats that a report can be had in, in one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deepcritical.domain.report import ResearchReport

__all__ = ["FORMATS", "Format", "as_json"]


class Format(NamedTuple):
    """One format; `render` takes the report and the id of its run."""

    media_type: str
    render: Callable[[ResearchReport, str], str]


def as_json(report: ResearchReport, run_id: str) -> str:
    """The report as JSON, headed by the run's id and the time of writing (UTC)."""
    head = {"run_id": run_id, "generated_at": datetime.now(UTC).isoformat(timespec="seconds")}
    body = json.dumps(head | report.model_dump(mode="json"), ensure_ascii=False, indent=2)
    return body + "\n"


def _markdown(report: ResearchReport, _run_id: str) -> str:
    return report.to_markdown()


def _html(report: ResearchReport, _run_id: str) -> str:
    # Imported late: the command line prints Markdown without waiting for templates.
    from deepcritical.export.html import as_html

    return as_html(report)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "html": Format("text/html", _html),
        "md": Format("text/markdown", _markdown),
        "json": Format("application/json", as_json),
    }
)
"""By file suffix."""
