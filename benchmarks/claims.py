"""Measures `verify_claim` on true and wrong sentences that were written without sight of it.

    python -m benchmarks.claims [--data FILE.jsonl] [--show 20]

Each line of the file holds "id", "record" (its id in records.jsonl beside the file), "sentence",
"label" (true or wrong), "kind", "near_verbatim" and "half" (tuned or aside).
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.domain.claim_checks import ClaimVerdict
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.verification.claims import verify_claim

DATA = Path(__file__).parent / "claim_data" / "sentences.jsonl"
SURE = ("figure", "number", "id", "name")
"""Beginnings of the kinds of mistakes that code alone must find."""


class Row(NamedTuple):
    """A labelled sentence with the answer that it got."""

    told: dict[str, Any]
    verdict: ClaimVerdict
    reason: str

    @property
    def is_true(self) -> bool:
        """Whether it is labelled as true."""
        return bool(self.told["label"] == "true")

    @property
    def is_sure(self) -> bool:
        """Whether it is wrong in a figure, an id or a name."""
        kind = str(self.told["kind"]).lower()
        # A figure of another result stands in the record.
        return not self.is_true and kind.startswith(SURE) and "other" not in kind


class Line(NamedTuple):
    """One figure: which rows it is of, and which answer is counted among them."""

    name: str
    wanted: str
    of: Callable[[Row], bool]
    verdict: ClaimVerdict


LINES = (
    Line("wrong, supported", "<= 2 %", lambda r: not r.is_true, ClaimVerdict.SUPPORTED),
    Line(
        "near-verbatim true, supported",
        ">= 95 %",
        lambda r: r.is_true and bool(r.told["near_verbatim"]),
        ClaimVerdict.SUPPORTED,
    ),
    Line(
        "wrong figure, id or name, contradicted",
        ">= 95 %",
        lambda r: r.is_sure,
        ClaimVerdict.CONTRADICTED,
    ),
    Line("true, contradicted", "few", lambda r: r.is_true, ClaimVerdict.CONTRADICTED),
    Line("true, cannot tell", "", lambda r: r.is_true, ClaimVerdict.CANNOT_TELL),
    Line("wrong, cannot tell", "", lambda r: not r.is_true, ClaimVerdict.CANNOT_TELL),
)


def records_in(folder: Path) -> dict[str, Evidence]:
    """Return the records of a folder by id."""
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return {told["id"]: _record(told) for told in map(json.loads, lines)}


def _record(told: dict[str, Any]) -> Evidence:
    return Evidence(
        content=told["text"],
        citation=Citation(source="pubmed", title=told["title"] or "-"),
        metadata=EvidenceMetadata(pmid=told.get("pmid"), nct_id=told.get("nct")),
    )


def answered(path: Path) -> list[Row]:
    """Return every line of a file with its answer."""
    records, rows = records_in(path.parent), []
    for line in path.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        check = verify_claim(told["sentence"], records[told["record"]])
        rows.append(Row(told, check.verdict, check.reason))
    return rows


def table(rows: Sequence[Row]) -> str:
    """Return the figures of some rows, a line each."""
    told = []
    for line in LINES:
        of = [row for row in rows if line.of(row)]
        hits = sum(row.verdict is line.verdict for row in of)
        share = f"{hits / len(of):6.1%}" if of else "     -"
        told.append(f"  {line.name:40} {share}  {hits:4} of {len(of):4}  {line.wanted}")
    return "\n".join(told)


def by_kind(rows: Sequence[Row]) -> str:
    """Return the answers to each kind of wrong sentence."""
    kinds: dict[str, Counter[str]] = {}
    for row in rows:
        if not row.is_true:
            kinds.setdefault(row.told["kind"], Counter())[row.verdict.value] += 1
    return "\n".join(f"    {kind:24} {dict(found)}" for kind, found in sorted(kinds.items()))


def unwanted(rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose answer misses what is wanted."""
    return [
        row
        for row in rows
        if (not row.is_true and row.verdict is ClaimVerdict.SUPPORTED)
        or (row.is_true and row.verdict is ClaimVerdict.CONTRADICTED)
        or (row.is_true and row.told["near_verbatim"] and row.verdict is not ClaimVerdict.SUPPORTED)
        or (row.is_sure and row.verdict is not ClaimVerdict.CONTRADICTED)
    ]


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--show", type=int, default=0, help="sentences of the tuned half to show")
    options = parser.parse_args()
    begun = time.perf_counter()
    rows = answered(options.data)
    seconds = time.perf_counter() - begun
    print(f"{len(rows)} sentences, {1000 * seconds / max(1, len(rows)):.1f} ms each")
    for half in ("tuned", "aside"):
        chosen = [row for row in rows if row.told["half"] == half]
        print(f"\n{half}, {len(chosen)} sentences\n{table(chosen)}\n{by_kind(chosen)}")
    # Only of the half that may be tuned on: the other one must stay unseen.
    for row in unwanted([r for r in rows if r.told["half"] == "tuned"])[: options.show]:
        print(f"- {row.told['id']} {row.told['kind']} [{row.verdict.value}] ", end="")
        print(f"{row.told['sentence']}  ({row.reason})")


if __name__ == "__main__":
    main()
