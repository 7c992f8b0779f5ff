"""Shows records to a model as numbered sentences, delimited, by ids of the question alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.study import Fault
from deepcritical.domain.text import Span
from deepcritical.prompts.asks import Prompt
from deepcritical.prompts.evidence import record_text
from deepcritical.reading.answers import wording
from deepcritical.reading.sentences import numbered, shown_numbers

_LONGEST_FIELD = 300


class Shown(NamedTuple):
    """A record as a reader is shown it."""

    evidence: Evidence
    told: tuple[Span, ...]
    """All its sentences."""
    numbers: tuple[int, ...]
    """Those that are shown."""

    @property
    def is_cut(self) -> bool:
        """Return whether sentences were left out."""
        return len(self.numbers) < len(self.told)


def show(evidence: Evidence, limit_chars: int) -> Shown:
    """The record in its numbered sentences, as many as fit."""
    told = numbered(evidence)
    return Shown(evidence, told, shown_numbers(told, limit_chars))


def ask_to_read(
    records: Mapping[str, Shown], faults: Mapping[str, Sequence[Fault]] | None = None
) -> Prompt:
    """The question for some records, by an id of each that is new in every question.

    Args:
        records: Id in the question, such as R1 -> record.
        faults: What was wrong in a former answer, for a question that is put again.
    """
    blocks = (
        _block(key, shown, (faults or {}).get(key, ())) for key, shown in sorted(records.items())
    )
    text = "\n\n".join(("Task: read_studies", " ".join(wording()["ask"].split()), *blocks))
    return Prompt("read_studies", wording()["rules"], text)


def _block(key: str, shown: Shown, faults: Sequence[Fault]) -> str:
    lines = [f'<record id="{key}">', *_registry(shown.evidence)]
    label = ""
    for number in shown.numbers:
        span = shown.told[number]
        own = (number and shown.evidence.place_of(span.start)) or span.label
        section = f" ({own})" if own not in ("", "title", label) else ""
        label = own
        lines.append(f"[{number}]{section} {record_text(span.text)}")
    lines.append("</record>")
    if faults:
        told = "; ".join(f"{fault.part}: {fault.reason}" for fault in faults)
        lines.append(f"Your former answer on {key} was wrong in part: {told}. Read it again.")
    return "\n".join(lines)


def _registry(evidence: Evidence) -> list[str]:
    """Return what index and registry say of a record, of which no sentence can be cited."""
    meta = evidence.metadata
    fields = {
        "indexed as": ", ".join(meta.publication_types),
        "registered conditions": ", ".join(meta.conditions),
        "registered interventions": ", ".join(meta.interventions),
        "status": meta.status or "",
        "stopped because": meta.why_stopped or "",
    }
    return [
        f"{name}: {record_text(' '.join(value.split())[:_LONGEST_FIELD])}"
        for name, value in fields.items()
        if value
    ]
