"""The imprint of a report: the id of its run, and when that ended."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Imprint(NamedTuple):
    """The head of a report.json; with it the same report is written as the same bytes."""

    run_id: str
    generated_at: datetime
    """With its time zone; printed to the second."""
