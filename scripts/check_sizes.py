"""Fail when a file or a function is longer than the house allows, and print the median function."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOTS = ("src", "tests", "scripts", "benchmarks", "docs")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 40


class Function(NamedTuple):
    """A function and its length, from `def` to its last line, docstring included."""

    where: str
    n_lines: int


def list_files() -> Iterator[Path]:
    """Yield the Python files of the project, in order."""
    for root in ROOTS:
        yield from sorted(Path(root).rglob("*.py"))


def list_functions(path: Path, source: str) -> Iterator[Function]:
    """Yield the functions and methods of a file, nested ones too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            end = node.end_lineno or node.lineno
            yield Function(f"{path}:{node.lineno} {node.name}", end - node.lineno + 1)


def main() -> int:
    """Check every file, print what is too long and the median, and return the exit code."""
    too_long: list[str] = []
    functions: list[Function] = []
    for path in list_files():
        source = path.read_text(encoding="utf-8")
        n_lines = len(source.splitlines())
        if n_lines > MAX_FILE_LINES:
            too_long.append(f"{path}: {n_lines} lines, at most {MAX_FILE_LINES}")
        functions.extend(list_functions(path, source))
    too_long.extend(
        f"{function.where}: {function.n_lines} lines, at most {MAX_FUNCTION_LINES}"
        for function in functions
        if function.n_lines > MAX_FUNCTION_LINES
    )
    print(*too_long, sep="\n", end="\n" if too_long else "")
    lengths = [function.n_lines for function in functions] or [0]
    middle, longest = median(lengths), max(lengths)
    print(f"sizes: {len(functions)} functions, median {middle:g} lines, longest {longest}")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
