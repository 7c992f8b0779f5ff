"""Build the list of ordinary English words, by which an unknown name is told from a word.

Usage: python scripts/build_words.py WORDS.msgpack.gz WEB2.pickle SCOWL SCOWL

A word is ordinary if it is in use today (the large list of wordfreq 3.1.1) and stands in a list of
English words: SCOWL in British and American spelling (Debian's wbritish-large and wamerican-large,
2020.12.07), with its inflections and contractions, or Webster's Second of 1934 (public domain; the
package english-words 2.0.2), itself or what it is inflected from. Of short words only the common
ones count, since a rare one is more often an abbreviation. `reviewed_words.txt` adds words of
medicine that say how something is studied and name nothing.
"""

from __future__ import annotations

import argparse
import gzip
import pickle
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import msgpack

HERE = Path(__file__).parent
DATA = HERE.parent / "src" / "deepcritical" / "data"
STEPS = 720
"""Hundredths of a decade below the commonest word: rarer ones are left out."""
STEPS_OF_WEBSTER = 600
"""The same for what only the old dictionary has: its rare words are of no use today."""
STEPS_OF_SHORT = 600
SHORT = 4
_ENDINGS = (
    ("ies", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"),
    ("ing", ""), ("ing", "e"), ("er", ""), ("er", "e"), ("est", ""), ("ly", ""),
)  # fmt: skip
_WORD = re.compile(r"[a-z]{2,}(?:'(?:t|ll|re|ve|d|m))?")


def stems(word: str) -> list[str]:
    """Return the stems that a word may be inflected from, itself included."""
    found = [word, re.sub(r"(?<=..)our", "or", word), word.replace("is", "iz", 1)]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word.removesuffix(ending) + instead
            found.append(stem)
            if len(stem) > 3 and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return found


def used(bins: list[list[str]], steps: int) -> set[str]:
    """Words that are used so often."""
    return {word for words in bins[:steps] for word in words if _WORD.fullmatch(word)}


def lower_case(paths: Iterable[Path]) -> set[str]:
    """The words of lists that are written small: no names of people and places."""
    lines = {line for path in paths for line in path.read_text(encoding="utf-8").splitlines()}
    return {line for line in lines if line == line.lower()}


def reviewed() -> set[str]:
    """The words that the sources lack."""
    lines = (HERE / "reviewed_words.txt").read_text(encoding="utf-8").splitlines()
    return {word for line in lines if not line.startswith("#") for word in line.split()}


def main(arguments: list[str] | None = None) -> int:
    """Read the files named on the command line and write the list."""
    parser = argparse.ArgumentParser(description="Build the list of ordinary English words.")
    parser.add_argument("used", type=Path)
    parser.add_argument("webster", type=Path)
    parser.add_argument("scowl", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    bins = msgpack.unpackb(gzip.decompress(options.used.read_bytes()), raw=False)[1:]
    # Read once, by hand: as trustworthy as the package's code, which reads it in the same way.
    webster = {w.lower() for w in pickle.loads(options.webster.read_bytes())}  # noqa: S301
    kept = used(bins, STEPS) & lower_case(options.scowl)
    kept |= {w for w in used(bins, STEPS_OF_WEBSTER) if any(s in webster for s in stems(w))}
    common = used(bins, STEPS_OF_SHORT)
    kept = {word for word in kept if len(word) > SHORT or word in common} | reviewed()
    (DATA / "english_words.txt").write_text("\n".join(sorted(kept)) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(kept)} words\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
