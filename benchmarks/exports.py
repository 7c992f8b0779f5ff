"""Time that a report of 60 references takes in each format, and in all of them.

Usage: python benchmarks/exports.py. The report is that of the bundled snapshot, with its references
repeated under new ids until there are 60. Target: all formats in under 3 s, imports included.
"""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from itertools import cycle, islice

import deepcritical
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.formats import FORMATS
from deepcritical.export.imprint import Imprint

QUESTION = "Can metformin be repurposed for Alzheimer's disease?"
TARGET_S = 3.0
IMPRINT = Imprint("benchmark", datetime(2999, 1, 1, tzinfo=UTC))


def enlarged(report: ResearchReport, n_references: int) -> ResearchReport:
    """The report with as many references, each with a row in the evidence table."""
    rows = {row.evidence_id: row for row in report.evidence_table}
    kept = report.references[:n_references]
    more = list(islice(cycle(report.references), len(kept), n_references))
    ids = [f"again{n}" for n in range(len(more))]
    added = [r.model_copy(update={"evidence_id": i}) for r, i in zip(more, ids, strict=True)]
    added_rows = [
        rows[r.evidence_id].model_copy(update={"evidence_id": i})
        for r, i in zip(more, ids, strict=True)
    ]
    return report.model_copy(
        update={
            "references": (*kept, *added),
            "evidence_table": (*report.evidence_table, *added_rows),
        }
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--references", type=int, default=60)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    report = enlarged(deepcritical.research(QUESTION, snapshot="demo"), options.references)
    totals = []
    for run in range(options.runs):
        took = {}
        for suffix, form in FORMATS.items():
            start = time.perf_counter()
            size = len(form.render(report, IMPRINT))
            took[suffix] = time.perf_counter() - start
            if run == 0:
                print(f"{suffix:>14}: {took[suffix]:.3f} s at first, {size:,} bytes")
        totals.append(sum(took.values()))
    first, best = totals[0], min(totals)
    print(f"{len(report.references)} references in all formats: {first:.2f} s, then {best:.2f} s")
    print(f"target {TARGET_S} s: {'met' if first < TARGET_S else 'MISSED'}")


if __name__ == "__main__":
    main()
