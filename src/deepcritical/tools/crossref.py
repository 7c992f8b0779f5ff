"""Looks up in Crossref if a work was retracted, corrected or questioned.

Crossref holds what publishers deposit and the data of Retraction Watch. A look-up that fails is
never read as "clean".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence, Integrity
from deepcritical.domain.study.identity import normalised_doi
from deepcritical.tools.base import WORST_FIRST, with_integrity
from deepcritical.tools.deadline import Deadline, together
from deepcritical.tools.http import SourceClient
from deepcritical.tools.json_values import as_dict, as_text, decoded, dicts

_UPDATES: dict[str, tuple[Integrity, str]] = {
    "retraction": ("retracted", "retraction"),
    "removal": ("retracted", "removal"),
    "withdrawal": ("retracted", "withdrawal"),
    # Part of the results are withdrawn: more than an erratum, less than a retraction.
    "partial_retraction": ("concern", "partial retraction"),
    "expression_of_concern": ("concern", "concern"),
    "erratum": ("corrected", "erratum"),
    "correction": ("corrected", "erratum"),
    "corrigendum": ("corrected", "erratum"),
    "clarification": ("corrected", "clarification"),
}
"""Types of updates (Crossmark); a new version or an addendum takes nothing back."""

_Found = tuple[Integrity, tuple[str, ...]]
_NOT_CHECKED: _Found = ("not_checked", ())


async def integrity(client: SourceClient, doi: str) -> tuple[Integrity, tuple[str, ...]]:
    """Return Crossref's integrity status of a work, and notices such as ``retraction doi:10.1/x``.

    The work itself names its updates; notices that name the work are asked for too, because one
    may be known before the work is indexed again. What one of the two found counts even if the
    other failed; without a find, `clean` needs both.
    """
    name = normalised_doi(doi)
    if name is None:
        return _NOT_CHECKED
    looks = (_of_work(client, name), _of_notices(client, name))
    answers = await together(map(_or_unknown, looks))
    notices = tuple(dict.fromkeys(notice for _, found in answers for notice in found))
    levels = [level for level, _ in answers]
    worst = min(levels, key=WORST_FIRST.index)
    return ("not_checked" if worst == "clean" and "not_checked" in levels else worst), notices


async def check_integrity(evidence: Evidence, client: SourceClient | None) -> Evidence:
    """The record with the worst of what its index and Crossref say; without a client no request."""
    meta = evidence.metadata
    known: Integrity = "retracted" if is_retracted(evidence) else meta.integrity
    found = await integrity(client, meta.doi) if client and meta.doi else _NOT_CHECKED
    worst = min(known, found[0], key=WORST_FIRST.index)
    return with_integrity(evidence, worst, found[1])


async def check_all(
    records: Sequence[Evidence], within_s: float, *, client: SourceClient | None
) -> tuple[Evidence, ...]:
    """`check_integrity` of each record, in their order, all at once behind the client's limiter.

    A look-up that has not ended after `within_s` seconds is given up: its record stays as it is.
    """
    if not records:
        return ()
    asked = [asyncio.create_task(check_integrity(record, client)) for record in records]
    try:
        done, _ = await asyncio.wait(asked, timeout=within_s)
    finally:
        for task in asked:
            task.cancel()
        await asyncio.wait(asked)  # none sends anything after its client was closed
    return tuple(
        task.result() if task in done else record
        for task, record in zip(asked, records, strict=True)
    )


async def ask_lightly(client: SourceClient, by: Deadline) -> None:
    """One small request, to see whether Crossref answers in time; else SearchError."""
    params: dict[str, str | int] = {"filter": "update-type:retraction", "rows": 1}
    await client.get("works", params, _checked, by)


async def _or_unknown(look: Awaitable[_Found]) -> _Found:
    try:
        return await look
    except SearchError:
        return _NOT_CHECKED


async def _of_work(client: SourceClient, doi: str) -> _Found:
    message = await _message(client, f"works/{quote(doi, safe='')}", {})
    if normalised_doi(as_text(message.get("DOI"))) != doi:
        raise SearchError("Crossref answered with another work.")
    updates = dicts(message.get("updated-by"))
    return _read((as_text(update.get("type")), as_text(update.get("DOI"))) for update in updates)


async def _of_notices(client: SourceClient, doi: str) -> _Found:
    """The retractions that name the work.

    A comma parts two filters and cannot be escaped (github.com/CrossRef/rest-api-doc/issues/558),
    so a DOI with one is not asked for: half of it would find nothing and read as "not retracted".
    The work itself answers for it.
    """
    if "," in doi:
        return ("clean", ())
    params: dict[str, str | int] = {"filter": f"updates:{doi},update-type:retraction", "rows": 20}
    message = await _message(client, "works", params)
    if not isinstance(message.get("items"), list):
        raise SearchError("Crossref's answer holds no list of works.")
    return _read(
        (as_text(update.get("type")), as_text(item.get("DOI")))
        for item in dicts(message["items"])
        for update in dicts(item.get("update-to"))
        if normalised_doi(as_text(update.get("DOI"))) == doi
    )


async def _message(client: SourceClient, path: str, params: dict[str, str | int]) -> dict[str, Any]:
    payload = await client.get(path, params, check=_checked)
    return _checked(payload.content)


def _checked(payload: bytes) -> dict[str, Any]:
    answer = as_dict(decoded(payload, "Crossref"))
    message = answer.get("message")
    if not isinstance(message, dict) or answer.get("status", "ok") != "ok":
        raise SearchError("Crossref answered with an error.", "Try again later.")
    return message


def _read(updates: Iterator[tuple[str, str]]) -> _Found:
    """The worst of updates by type and DOI of the notice; `clean` without any that counts."""
    levels: list[Integrity] = ["clean"]
    notices = []
    for kind, doi in updates:
        level, notice = _UPDATES.get(
            kind.lower().replace("-", "_").replace(" ", "_"), ("clean", "")
        )
        levels.append(level)
        if notice:
            named = normalised_doi(doi)
            notices.append(f"{notice} doi:{named}" if named else notice)
    return min(levels, key=WORST_FIRST.index), tuple(dict.fromkeys(notices))
