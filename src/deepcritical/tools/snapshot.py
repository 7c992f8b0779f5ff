"""Searches a snapshot: a JSONL file of records, ranked by BM25.

For demo, re-runs and tests.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import SnapshotCorruptError, SnapshotNotFoundError
from deepcritical.domain.evidence.record import (
    Citation,
    Evidence,
    EvidenceMetadata,
    SourceName,
    TextKind,
)
from deepcritical.domain.question.frame import OutsideName
from deepcritical.domain.question.question import SearchBlock
from deepcritical.domain.run.recipe import RUN_RECORDS
from deepcritical.domain.study.identity import is_nct, record_url
from deepcritical.domain.text.patterns import bounded
from deepcritical.services.ranking import LexicalIndex, searchable, terms
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult, outcome_of

_LIST_SEPARATOR = bounded(r"\s*;\s*")
_LINKED_PMID = bounded(r"\bpublication PMID (\d+)", re.IGNORECASE)
_PAIRED_DOI = bounded(
    r"\b(?:preprint[ /]+journal pair|preprint pair|preprint of|journal version)\b[^.;]{0,12}?"
    r"\b(10\.\d{4,9}/[^\s;,]+)",
    re.IGNORECASE,
)
"""A note that pairs a preprint with its journal version."""
_UNFINISHED = frozenset(
    "RECRUITING NOT_YET_RECRUITING ENROLLING_BY_INVITATION ONGOING AUTHORISED STOPPED".split()
)
"""While people are still to be enrolled, a registry shows how many are planned."""
_STATUS_WORD = bounded(r"[A-Za-z][A-Za-z ,-]*[A-Za-z]")
_SAME_STATUS = {"RECRUITMENT_COMPLETE": "COMPLETED", "AUTHORIZED": "AUTHORISED"}


def _listed(value: Any) -> Any:
    """A list as it is; a text "a; b" as its items."""
    return (
        [item for item in _LIST_SEPARATOR.split(value) if item] if isinstance(value, str) else value
    )


def _yes(value: Any) -> Any:
    return value.strip().lower().startswith("yes") if isinstance(value, str) else value


def _count(value: Any) -> Any:
    """A number as it is; of a text such as "1,200 (estimated)" its number; None without one."""
    if not isinstance(value, str):
        return value
    match = re.match(r"\s*(\d[\d,]{0,11})\b", value)
    return int(match.group(1).replace(",", "")) if match else None


_Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]
_Text = Annotated[str | None, BeforeValidator(lambda v: str(v) if isinstance(v, int) else v)]

_Count = Annotated[int | None, BeforeValidator(_count)]


class SnapshotHeader(BaseModel):
    """The optional first line of a snapshot."""

    model_config = ConfigDict(extra="ignore")

    name: str = ""
    created: str = ""
    description: str = ""
    sha256: str = ""
    """SHA-256 of all bytes behind the header's line, in an exported snapshot; '' in others."""


class _Record(BaseModel):
    """One line of a snapshot, field by field as it stands in the file."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    kind: Literal["publication", "trial"] = "publication"
    title: str = Field(min_length=1)
    pmid: _Text = None
    pmcid: str | None = None
    doi: str | None = None
    nct: str | None = None
    linked: _Texts = ()
    authors: _Texts = ()
    journal: str | None = None
    year: _Text = None
    volume_pages: str | None = None
    pub_types: _Texts = ()
    conditions: _Texts = ()
    interventions: _Texts = ()
    status: str | None = None
    phase: _Text = None
    enrollment: _Count = None
    planned_enrollment: _Count = None
    start_date: _Text = None
    sponsor: _Text = None
    completion_date: _Text = None
    why_stopped: str | None = None
    has_results: Annotated[bool | None, BeforeValidator(_yes)] = None
    note: str | None = None
    text: str | None = None
    abstract: str | None = None
    results: _Text = None
    text_kind: TextKind | None = None
    licence: str | None = None


class Parsed(NamedTuple):
    """The content of a file."""

    header: SnapshotHeader
    records: tuple[Evidence, ...]
    skipped: tuple[str, ...]


def parse(payload: bytes, name: str) -> Parsed:
    """The records of a snapshot.

    Raises:
        SnapshotCorruptError: Not UTF-8, empty, without one readable record, or not the bytes whose
            SHA-256 its header gives.
    """
    advice = "Fetch or export it again, or use --snapshot demo."
    try:
        lines = payload.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise SnapshotCorruptError(
            f"The snapshot {name} is not UTF-8 text (byte {error.start}).", advice
        ) from error
    header, records, skipped = SnapshotHeader(), [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            if isinstance(item, dict) and item.get("kind") == "snapshot":
                header = SnapshotHeader.model_validate(item)
            elif isinstance(item, dict) and item.get("kind") == "evidence":
                records.append(Evidence.model_validate(item.get("record")))
            else:
                records.append(_evidence(_Record.model_validate(item)))
        except (ValueError, RecursionError) as error:
            skipped.append(f"line {number} of {name}: {_reason(error)}")
    if header.sha256 and header.sha256 != hashlib.sha256(payload.partition(b"\n")[2]).hexdigest():
        raise SnapshotCorruptError(f"The snapshot {name} was changed after its export.", advice)
    if not records:
        detail = f" First problem: {skipped[0]}." if skipped else " It holds no record."
        raise SnapshotCorruptError(f"The snapshot {name} cannot be read.{detail}", advice)
    return Parsed(header, tuple(records), tuple(skipped))


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, ValidationError):
        where, why, _ = first_invalid(error)
        return f"{where or 'record'}: {why}"
    # Besides broken syntax: nested too deeply, or a number of thousands of digits.
    return f"not JSON ({error.msg if isinstance(error, json.JSONDecodeError) else error})"


_KEPT_BYTES = 4_000_000
_SAME_NAME = frozenset(EvidenceMetadata.model_fields) & frozenset(_Record.model_fields)
"""Fields that are called alike in the file and in the metadata."""


_FURTHER = ("sponsor", "start_date")
"""Registry fields that ClinicalTrials.gov gives beside those that every source has."""


def _evidence(record: _Record) -> Evidence:
    content = _content(record)
    own = _SAME_NAME - {"status", "text_kind", "enrollment", "planned_enrollment"}
    status = _status(record)
    enrolled, planned = _enrolment(record, status)
    meta = EvidenceMetadata(
        **record.model_dump(include=set(own)),
        **{k: v for k in _FURTHER if (v := getattr(record, k))},
        enrollment=enrolled,
        planned_enrollment=planned,
        nct_id=record.nct if record.kind == "trial" else None,
        linked_ids=_linked(record),
        publication_types=record.pub_types,
        status=status,
        text_kind=record.text_kind or _text_kind(record, content),
    )
    citation = Citation(
        source=_source(meta),
        title=record.title,
        url=record_url(meta),
        date=record.year or record.start_date or "",
        authors=record.authors,
    )
    return Evidence(content=content, citation=citation, metadata=meta)


def _status(record: _Record) -> str | None:
    """One status, in capitals.

    A record of several registers lists the status in each ("Recruiting / Not yet recruiting"): the
    one they agree on counts, or the one that says more. A trial with a reason for stopping has
    stopped, whatever an older copy shows.
    """
    told = [
        re.sub(r"[\s,]+", "_", word).upper() for word in _STATUS_WORD.findall(record.status or "")
    ]
    words = dict.fromkeys(_SAME_STATUS.get(word, word) for word in told)
    if record.why_stopped and not set(words) & {"TERMINATED", "WITHDRAWN", "SUSPENDED"}:
        return "STOPPED"
    if len(words) > 1:
        words.pop("AUTHORISED", None)  # permitted, whatever has come of it
        words.pop("NOT_RECRUITING", None)  # also said of trials not begun, and of those completed
    return next(iter(words)) if len(words) == 1 else "UNKNOWN" if words else None


def _enrolment(record: _Record, status: str | None) -> tuple[int | None, int | None]:
    """People enrolled, and people planned for.

    Until enrolment ends a registry shows the plan (ClinicalTrials.gov, "Enrollment: anticipated").
    """
    count, planned = record.enrollment, record.planned_enrollment
    is_plan = count is not None and (
        count == planned or (record.kind == "trial" and status in _UNFINISHED and count > 0)
    )
    return (None, planned or count) if is_plan else (count, planned)


def _linked(record: _Record) -> tuple[str, ...]:
    """Ids of other records of the study: declared, named in the note, or a paper's own trial."""
    noted = (f"pmid:{pmid}" for pmid in _LINKED_PMID.findall(record.note or ""))
    paired = (f"doi:{doi.rstrip('.)').lower()}" for doi in _PAIRED_DOI.findall(record.note or ""))
    trial = [f"nct:{record.nct}"] if record.nct and record.kind == "publication" else []
    return tuple(dict.fromkeys((*record.linked, *noted, *paired, *trial)))


def _content(record: _Record) -> str:
    """The text; for a stopped trial with the stated reason, so that the reason can be quoted."""
    stopped = f"Why stopped: {record.why_stopped}" if record.why_stopped else ""
    return "\n\n".join(part for part in (_text(record), stopped) if part)


def _text(record: _Record) -> str:
    if record.text is not None:
        return record.text
    posted = f"Results: {record.results}" if record.results else ""
    return "\n\n".join(part for part in (record.abstract or "", posted) if part)


def _text_kind(record: _Record, content: str) -> TextKind:
    if not content:
        return "none"
    if record.kind == "trial" and not (record.pmid and record.pub_types):
        return "registry"  # an entry with both holds its paper's text
    return "abstract" if record.abstract and not record.results else "summary"


def _source(meta: EvidenceMetadata) -> SourceName:
    if meta.kind == "trial" and meta.nct_id:
        return "clinicaltrials" if is_nct(meta.nct_id) else "registry"
    if meta.pmid:
        return "pubmed"
    return "europepmc" if meta.pmcid else "doi" if meta.doi else "web"


_DATA = Path(__file__).parent.parent / "data" / "snapshots"
BUNDLED = ("demo",)
"""Names of the snapshots that ship with the package."""


def snapshot_path(name: str) -> Path:
    """The file of a bundled snapshot's name, or of a path.

    The path of a folder that ``research --out`` wrote stands for the records in it.

    Raises:
        SnapshotNotFoundError: Neither a bundled name nor a readable file.
    """
    if path := _existing(name):
        return path
    raise SnapshotNotFoundError(
        f"There is no snapshot {name!r}.",
        f"Give the path of a .jsonl file, a folder written by --out, or: {', '.join(BUNDLED)}.",
    )


def _existing(name: str) -> Path | None:
    try:
        path = _DATA / f"{name}.jsonl" if name in BUNDLED else Path(name).expanduser()
        path = path / RUN_RECORDS if name and path.is_dir() else path
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None  # a name too long for the system, of an unknown home, or with a NUL in it


class SnapshotSource(SearchTool):
    """A search tool over one snapshot file, read at the first query, off the event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._index: _Index | None = None
        # Concurrent first queries must not read the file twice.
        self._loading = asyncio.Lock()

    @property
    def name(self) -> str:
        """``snapshot`` with the file's name."""
        return f"snapshot {self._path.stem}"

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The best records for a query."""
        if query.block in (SearchBlock.RECENT, SearchBlock.CITATIONS):
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        index = await self._loaded()
        found, total = await asyncio.to_thread(index.rank, query)
        return SourceResult(
            outcome=outcome_of(found, index.parsed.skipped),
            evidence=found,
            query_as_run=query.text,
            total=total,
            skipped=index.parsed.skipped,
        )

    async def describe(self) -> str:
        """One line on what the snapshot is, with the start of its SHA-256."""
        index = await self._loaded()
        header, records, _ = index.parsed
        made = f", made on {header.created}" if header.created else ""
        return f"{self.name}: {len(records)} records{made}, SHA-256 {index.digest[:12]}"

    async def look_up(self, names: Sequence[OutsideName]) -> tuple[OutsideName, ...]:
        """Those of the names that any of its records has: they can be searched as they are."""
        index = await self._loaded()
        return await asyncio.to_thread(lambda: tuple(n for n in names if index.names(n.text)))

    async def contents(self) -> Parsed:
        """All that the file holds, in its order."""
        return (await self._loaded()).parsed

    async def _loaded(self) -> _Index:
        async with self._loading:
            if self._index is None:
                self._index = await asyncio.to_thread(_Index.read, self._path)
            return self._index


class _Index:
    """The records of a snapshot with a BM25 index over title, text and registry terms."""

    def __init__(self, parsed: Parsed, digest: str) -> None:
        self.parsed, self.digest = parsed, digest
        self._ranker = LexicalIndex([terms(searchable(record)) for record in parsed.records])

    @staticmethod
    def read(path: Path) -> _Index:
        try:
            payload = path.read_bytes()
        except OSError as error:
            said = f"The snapshot {path.name} cannot be read: {error.strerror}."
            advice = "Check the file, or use --snapshot demo."
            raise SnapshotCorruptError(said, advice) from error
        is_small = len(payload) <= _KEPT_BYTES  # these stay for all that open them again
        return (_indexed if is_small else _indexed.__wrapped__)(payload, path.name)

    def names(self, name: str) -> bool:
        """Return whether any record has this name."""
        pattern = bounded(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        return any(pattern.search(searchable(record)) for record in self.parsed.records)

    def rank(self, query: SourceQuery) -> tuple[tuple[Evidence, ...], int]:
        """The best `max_results` records with a score above 0, and how many have one."""
        scores = self._ranker.scores(query.text)
        # Equal scores keep the order of the file, so that two runs give the same bytes.
        order = sorted(
            (i for i in range(len(scores)) if scores[i] > 0), key=lambda i: (-float(scores[i]), i)
        )
        best = float(scores[order[0]]) if order else 1.0
        fits = {i: round(float(scores[i]) / best, 4) for i in order[: query.max_results]}
        records = self.parsed.records
        picked = (records[i].model_copy(update={"relevance_score": fits[i]}) for i in fits)
        return tuple(picked), len(order)


@lru_cache(maxsize=2)
def _indexed(payload: bytes, name: str) -> _Index:
    return _Index(parse(payload, name), hashlib.sha256(payload).hexdigest())
