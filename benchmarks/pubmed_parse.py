"""Speed and memory of reading an EFetch answer of 1,000 records.

Usage: python benchmarks/pubmed_parse.py EFETCH.xml ... takes the records of recorded answers in
turn, each under a PMID of its own, until there are enough. Targets: under 2 s; peak memory beside
the payload under 3 times its size, the records that are kept included.
"""

from __future__ import annotations

import argparse
import re
import time
import tracemalloc
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from deepcritical.tools.pubmed.records import parse

_RECORD = re.compile(rb"<(PubmedArticle|PubmedBookArticle)>.*?</\1>", re.DOTALL)
_PMID = re.compile(rb"(<PMID[^>]*>)[0-9]+")
_HEAD = b'<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n'


def made_payload(paths: list[Path], n_records: int) -> bytes:
    """One answer with as many records, repeated from the files."""
    records = [m.group() for path in paths for m in _RECORD.finditer(path.read_bytes())]
    if not records:
        raise SystemExit("There is no PubmedArticle in these files.")
    numbered = (
        _PMID.sub(rb"\g<1>%d" % (90_000_000 + number), record, count=1)
        for number, record in enumerate(islice(cycle(records), n_records))
    )
    return _HEAD + b"\n".join(numbered) + b"\n</PubmedArticleSet>\n"


def seconds(payload: bytes, clock: Callable[[], float]) -> float:
    """Time of one parse."""
    start = clock()
    parse(payload)
    return clock() - start


def peak_bytes(payload: bytes) -> int:
    """Most memory that a parse held at once, beside the payload."""
    tracemalloc.start()
    parsed = parse(payload)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del parsed
    return peak


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="recorded EFetch answers")
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    payload = made_payload(options.files, options.records)
    parsed = parse(payload)
    times = sorted(seconds(payload, time.perf_counter) for _ in range(options.runs))
    busy = min(seconds(payload, time.process_time) for _ in range(options.runs))
    peak = peak_bytes(payload)
    print(f"{len(parsed.records)} records, {len(parsed.skipped)} skipped, {len(payload):,} bytes")
    print(f"fastest {times[0]:.2f} s, median {times[len(times) // 2]:.2f} s (target: under 2 s)")
    print(f"{busy:.2f} s of processor time, which is what counts on a busy machine")
    print(f"peak {peak:,} bytes, {peak / len(payload):.2f} x the payload (target: under 3)")


if __name__ == "__main__":
    main()
