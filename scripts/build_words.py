"""Build the list of ordinary English words, by which an unknown name is told from a word.

Usage: python scripts/build_words.py WORDS.msgpack.gz WEB2.pickle

A word is ordinary if it, or what it is inflected from, stands in Webster's Second of 1934 (public
domain; the package english-words 2.0.2) and is in use today (the small list of wordfreq 3.1.1).
"""

from __future__ import annotations

import argparse
import gzip
import pickle
import re
import sys
from pathlib import Path

import msgpack

DATA = Path(__file__).parent.parent / "src" / "deepcritical" / "data"
STEPS = 620
"""Hundredths of a decade below the commonest word: rarer ones are left out."""
_ENDINGS = (
    ("ies", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"),
    ("ing", ""), ("ing", "e"), ("er", ""), ("er", "e"), ("est", ""), ("ly", ""),
)  # fmt: skip


def stems(word: str) -> list[str]:
    """What a word may be inflected from, itself included."""
    found = [word, re.sub(r"(?<=..)our", "or", word), word.replace("is", "iz", 1)]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word.removesuffix(ending) + instead
            found.append(stem)
            if len(stem) > 3 and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return found


def main(arguments: list[str] | None = None) -> int:
    """Read the files named on the command line and write the list."""
    parser = argparse.ArgumentParser(description="Build the list of ordinary English words.")
    parser.add_argument("used", type=Path)
    parser.add_argument("webster", type=Path)
    options = parser.parse_args(arguments)
    bins = msgpack.unpackb(gzip.decompress(options.used.read_bytes()), raw=False)[1:]
    used = {w for words in bins[:STEPS] for w in words if re.fullmatch("[a-z]{2,}", w)}
    # Read once, by hand: as trustworthy as the package's code, which reads it in the same way.
    webster = {w.lower() for w in pickle.loads(options.webster.read_bytes())}  # noqa: S301
    kept = sorted(word for word in used if any(stem in webster for stem in stems(word)))
    (DATA / "english_words.txt").write_text("\n".join(kept) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(kept)} words\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
