"""Places for the nodes of a graph in columns, after Sugiyama, Tagawa & Toda (1981).

An edge that passes over columns gets a free slot in each, so that it runs between the boxes; the
order within a column follows the mean place of the neighbours, which keeps crossings few.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Layout", "Slot", "lay_out"]

_SWEEPS = 6


class Slot(NamedTuple):
    """A node, or the place where an edge passes a column."""

    name: str
    column: int
    passes: tuple[str, str] | None = None
    """The edge that passes here; None for a node."""


class Layout(NamedTuple):
    """Where everything is."""

    heights: dict[Slot, float]
    """Middle of each slot, from the top."""
    ways: dict[tuple[str, str], list[Slot]]
    """The slots of each edge from start to end."""
    height: float


def lay_out(
    columns: Mapping[str, int],
    edges: Iterable[tuple[str, str]],
    node_height: float,
    pass_height: float,
) -> Layout:
    """Places for nodes and edges.

    Args:
        columns: Column of each node, from 0.
        edges: Pairs of names.
        node_height: Height to keep for a node, with the gap around it.
        pass_height: The same for a passing edge.
    """
    ways = {edge: _way(edge, columns) for edge in edges}
    slots: dict[int, dict[Slot, None]] = defaultdict(dict)
    for name, column in columns.items():
        slots[column][Slot(name, column)] = None
    for way in ways.values():
        for slot in way:
            slots[slot.column][slot] = None
    ordered = _ordered({column: list(slots[column]) for column in sorted(slots)}, ways)
    return _placed(ordered, ways, node_height, pass_height)


def _way(edge: tuple[str, str], columns: Mapping[str, int]) -> list[Slot]:
    start, end = (Slot(name, columns[name]) for name in edge)
    between = range(start.column + 1, end.column)
    return [start, *(Slot("", column, edge) for column in between), end]


def _ordered(
    columns: dict[int, list[Slot]], ways: Mapping[tuple[str, str], Sequence[Slot]]
) -> dict[int, list[Slot]]:
    """Each column sorted by the mean place of its neighbours, from both sides in turn."""
    beside: dict[Slot, dict[int, list[Slot]]] = defaultdict(lambda: defaultdict(list))
    for way in ways.values():
        for left, right in pairwise(way):
            beside[right][-1].append(left)
            beside[left][1].append(right)
    for sweep in range(_SWEEPS):
        side = -1 if sweep % 2 == 0 else 1
        for column in sorted(columns, reverse=side == 1):
            # Places as shares of their column, because columns differ in length.
            places = {
                slot: (n + 0.5) / len(line)
                for line in columns.values()
                for n, slot in enumerate(line)
            }
            means = {
                slot: _mean([places[s] for s in beside[slot][side]], places[slot])
                for slot in columns[column]
            }
            columns[column] = sorted(columns[column], key=means.__getitem__)
    return columns


def _mean(places: list[float], own: float) -> float:
    return sum(places) / len(places) if places else own


def _placed(
    columns: Mapping[int, Sequence[Slot]],
    ways: dict[tuple[str, str], list[Slot]],
    node_height: float,
    pass_height: float,
) -> Layout:
    def room(slot: Slot) -> float:
        return pass_height if slot.passes else node_height

    total = max((sum(map(room, line)) for line in columns.values()), default=node_height)
    heights = {}
    for line in columns.values():
        # Columns stand in the middle; what is left over is shared between the slots.
        spare = (total - sum(map(room, line))) / (len(line) + 1)
        top = spare
        for slot in line:
            heights[slot] = top + room(slot) / 2
            top += room(slot) + spare
    return Layout(heights, ways, total)
