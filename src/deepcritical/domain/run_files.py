"""Names of the files in the folder of a run, besides the report."""

from __future__ import annotations

RUN_RECORDS = "evidence.jsonl"
"""Its records, as a snapshot."""
RUN_READINGS = "readings.jsonl"
"""What its records say of their studies, one a line."""
RUN_LOG = "events.jsonl"
"""Its events, one a line."""
