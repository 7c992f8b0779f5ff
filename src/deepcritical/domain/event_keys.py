"""What an event of a run is recognised by when it is written a second time.

A run that is taken up anew goes through its steps again, and tells again what it has told before.
Its events are then the same, but where steps ran at once perhaps in another order, so that their
numbers do not tell them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from deepcritical.domain.events import LoggedEvent


class KeyedEvent(NamedTuple):
    """An event of a run, and what it is recognised by."""

    key: str
    logged: LoggedEvent


class EventKeys:
    """Gives each event of one run its key: its content, and how often it came before."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, event: Mapping[str, Any]) -> str:
        """The key of the next event, given as JSON."""
        text = json.dumps(event, sort_keys=True, separators=(",", ":"))
        content = hashlib.sha256(text.encode()).hexdigest()[:32]
        self._seen[content] += 1
        return f"{content}-{self._seen[content]}"
