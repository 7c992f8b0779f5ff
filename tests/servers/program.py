"""Runs a program that is given as a text, as ``python -c`` does, in a process that was forked."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    exec(compile(sys.argv[1], "<example>", "exec"), {"__name__": "__main__"})  # noqa: S102
