"""Names of the files in the folder of a run, besides the report."""

from __future__ import annotations

__all__ = ["RUN_LOG", "RUN_RECORDS"]

RUN_RECORDS = "evidence.jsonl"
"""Its records, as a snapshot."""
RUN_LOG = "events.jsonl"
"""Its events, one a line."""
