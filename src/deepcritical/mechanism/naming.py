"""One name for one node, however a source or a record writes it."""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = ["node_key", "node_name"]

_AMOUNT = bounded(
    r" (?:activity|concentrations?|expression|generation|levels?|load|production|protein|mRNA|"
    r"transcription)$"
)
"""Behind a molecule: how much there is of it, or how active it is."""
_WHERE = bounded(r"^(?:serum|plasma|circulating|brain) ", re.IGNORECASE)
_PHOSPHORYLATED = bounded(r"^(?:phosphorylated |phospho-?|p-)(?=\w)", re.IGNORECASE)
_NOT_A_WORD = bounded(r"[\W_]")


def node_name(written: str) -> str:
    """The node that a name stands for: "X expression" is X, "p-X" is "X phosphorylation"."""
    name = " ".join(written.split())
    plain = _WHERE.sub("", _AMOUNT.sub("", name))
    if _PHOSPHORYLATED.match(plain):
        return f"{_PHOSPHORYLATED.sub('', plain)} phosphorylation"
    return plain or name


def node_key(written: str) -> str:
    """What two writings of one node have in common."""
    return _NOT_A_WORD.sub("", node_name(written).casefold())
