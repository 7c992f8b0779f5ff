"""The references as CSL-JSON, for citeproc, pandoc and Zotero."""

from __future__ import annotations

import json

from deepcritical.domain.answer import Document
from deepcritical.domain.report_parts import AuthorName
from deepcritical.export.bibliography import Entry, entries

_TYPES = {"article": "article-journal", "preprint": "article", "trial": "report", "web": "webpage"}


def as_csl_json(report: Document) -> str:
    """A list with an item for each reference."""
    items = [_item(entry) for entry in entries(report)]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def _item(entry: Entry) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": entry.key,
        "type": _TYPES[entry.kind],
        "title": entry.title,
        "author": [_name(author) for author in entry.authors],
        "container-title": entry.journal,
        "issued": {"date-parts": [list(entry.date)]} if entry.date else None,
        "volume": entry.volume,
        "issue": entry.issue,
        "number": entry.trial_id,
        "page": "-".join(entry.pages),
        "DOI": entry.doi,
        "PMID": entry.pmid,
        "PMCID": entry.pmcid,
        "URL": entry.url,
        "note": entry.note,
    }
    return {name: value for name, value in fields.items() if value}


def _name(author: AuthorName) -> dict[str, str]:
    if author.group:
        return {"literal": author.family}
    parts = {"family": author.family, "given": author.given, "suffix": author.suffix}
    return {name: value for name, value in parts.items() if value}
