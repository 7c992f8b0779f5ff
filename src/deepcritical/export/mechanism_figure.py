"""Draws the mechanism graph of a report.

The sign of an edge is told by its end, as pathway diagrams do (arrow: raises, bar: lowers, ring: no
change), by its line and by the signs on its label; colour only repeats it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from statistics import mean
from typing import NamedTuple

from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.mechanism_graph import COLUMNS, TONES, EdgeSign, GraphEdge, mechanism_graph
from deepcritical.export.svg import Drawing, Tone, box, label, lines_of, nothing_drawn, opener, path

_TITLE = "Mechanism graph"
_NODE_WIDTH, _NODE_HEIGHT, _GAP, _MARGIN, _TOP = 112, 58, 100, 10, 44
_WIDTH = 2 * _MARGIN + len(COLUMNS) * _NODE_WIDTH + (len(COLUMNS) - 1) * _GAP
_HEAD = 10
"""Length of an arrowhead, which the line leaves free."""
_MOST_NUMBERS = 3
_DASHES = {EdgeSign.ASSOCIATED: "3 3", EdgeSign.DISPUTED: "7 4", EdgeSign.UNKNOWN: "1.5 4"}
_MARKS = {
    EdgeSign.INCREASES: "+",
    EdgeSign.DECREASES: "−",
    EdgeSign.NO_EFFECT: "0:",
    EdgeSign.ASSOCIATED: "~",
}
_MEANING = {
    EdgeSign.INCREASES: "raises (+)",
    EdgeSign.DECREASES: "lowers (−)",
    EdgeSign.NO_EFFECT: "does not change (0)",
    EdgeSign.ASSOCIATED: "is tied to (~)",
    EdgeSign.DISPUTED: "records disagree",
    EdgeSign.UNKNOWN: "no evidence found",
}
_NODE_TONES: dict[int, Tone] = {0: "drug", len(COLUMNS) - 1: "ink"}
_SWEEPS = 6
_Point = tuple[float, float]


def draw_mechanism(report: ResearchReport) -> Drawing:
    """Columns from drug to disease, and the edges between them with the references on each."""
    graph = mechanism_graph(report)
    if not graph.edges:
        said = "No mechanism was recognised in the records."
        return nothing_drawn("mechanism", _TITLE, said, _WIDTH)
    edges = {(edge.subject, edge.object): edge for edge in graph.edges}
    columns = {node.name: node.column for node in graph.nodes}
    layout = lay_out(columns, edges, _NODE_HEIGHT + 24, 30)
    height = int(_TOP + layout.height + 50)
    nodes = [_node(slot, at) for slot, at in layout.heights.items() if not slot.passes]
    parts = [
        *(
            label(_x(n) + _NODE_WIDTH / 2, 24, [name], tone="soft", anchor="middle")
            for n, name in enumerate(graph.columns[: max(columns.values()) + 1])
        ),
        *_edges(edges, layout, nodes),
        _legend(height - 20, {edge.sign for edge in graph.edges}),
    ]
    said = f"{'; '.join(map(edge_words, graph.edges))}."
    return Drawing("mechanism", _TITLE, said, _WIDTH, height, "".join(parts))


def _x(column: int) -> int:
    return _MARGIN + column * (_NODE_WIDTH + _GAP)


def _node(slot: Slot, at: float) -> str:
    x, y = _x(slot.column), _TOP + at - _NODE_HEIGHT / 2
    room = _NODE_WIDTH - 16
    longest = max(map(len, slot.name.split()), default=0)
    # The largest size in which no word must be cut.
    size = next((s for s in (13, 12, 11) if longest * 0.54 * s <= room), 11)
    lines = lines_of(slot.name, room, 3, size)
    first = round(_TOP + at + 0.35 * size - 0.643 * size * (len(lines) - 1), 1)
    middle, bold = x + _NODE_WIDTH / 2, slot.column == 0
    words = label(middle, first, lines, size=size, anchor="middle", bold=bold)
    tone = _NODE_TONES.get(slot.column, "line")
    return box(x, y, _NODE_WIDTH, _NODE_HEIGHT, stroke=tone, hint=slot.name) + words


def _edges(
    edges: Mapping[tuple[str, str], GraphEdge], layout: Layout, nodes: Sequence[str]
) -> Iterator[str]:
    """The lines, the nodes and then the labels, so that nothing crosses a label."""
    ports = _ports(layout)
    lines = {key: _points(way, layout, ports) for key, way in layout.ways.items()}
    opens = {key: f"edge-{n}" for n, key in enumerate(edges, 1)}
    for key, points in lines.items():
        yield opener(opens[key], _line(edges[key], points))
    yield from nodes
    taken: list[tuple[float, float, float]] = []
    for key, points in lines.items():
        yield opener(opens[key], _numbers(edges[key], points, taken))


def _ports(layout: Layout) -> dict[tuple[tuple[str, str], bool], float]:
    """Return each edge's offset from the middle of its node, leaving (False) or arriving (True)."""
    ends: dict[tuple[Slot, bool], list[tuple[float, tuple[str, str]]]] = defaultdict(list)
    for key, way in layout.ways.items():
        ends[way[0], False].append((layout.heights[way[1]], key))
        ends[way[-1], True].append((layout.heights[way[-2]], key))
    ports = {}
    for (_, arrives), found in ends.items():
        step = min(16.0, (_NODE_HEIGHT - 14) / max(1, len(found) - 1))
        for n, (_, key) in enumerate(sorted(found)):
            ports[key, arrives] = (n - (len(found) - 1) / 2) * step
    return ports


def _points(
    way: Sequence[Slot], layout: Layout, ports: Mapping[tuple[tuple[str, str], bool], float]
) -> list[_Point]:
    """Return the points of an edge, which runs straight through the columns that it passes."""
    key = (way[0].name, way[-1].name)
    heights = [_TOP + layout.heights[slot] for slot in way]
    start = (_x(way[0].column) + _NODE_WIDTH, heights[0] + ports[key, False])
    if way[-1].column <= way[0].column:
        return [start, (_x(way[-1].column) + _NODE_WIDTH, heights[-1] + ports[key, True])]
    passed = [
        (x, height)
        for slot, height in zip(way[1:-1], heights[1:-1], strict=True)
        for x in (float(_x(slot.column)), float(_x(slot.column) + _NODE_WIDTH))
    ]
    return [start, *passed, (_x(way[-1].column), heights[-1] + ports[key, True])]


def _line(edge: GraphEdge, points: Sequence[_Point]) -> str:
    tone, (x, y) = TONES[edge.sign], points[-1]
    turned = -1 if points[0][0] >= x else 1
    stop = (x - turned * _HEAD, y)
    data = f"M{points[0][0]:g} {points[0][1]:.1f}"
    ends = [*points[1:-1], stop]
    for (x0, y0), (x1, y1) in pairwise([points[0], *ends]):
        # Within a column the line goes out to the right and comes back.
        bend = (x0 + x1) / 2 if turned == 1 else max(x0, x1) + 40
        data += f"C{bend:g} {y0:.1f} {bend:g} {y1:.1f} {x1:g} {y1:.1f}"
    drawn = path(data, stroke=tone, width=2, dash=_DASHES.get(edge.sign, ""), hint=edge_words(edge))
    return drawn + _end(edge.sign, x, y, turned)


def _end(sign: EdgeSign, x: float, y: float, turned: int) -> str:
    tone, back = TONES[sign], -turned * _HEAD
    if sign is EdgeSign.DECREASES:
        return path(f"M{x + back:g} {y:.1f}h{-back - turned * 2:g}m0 -8v16", stroke=tone, width=2.6)
    if sign is EdgeSign.NO_EFFECT:
        ring = f"M{x + back:g} {y:.1f}a4.5 4.5 0 1 {int(turned > 0)} {-back - turned:g} 0"
        return path(f"{ring}a4.5 4.5 0 1 {int(turned > 0)} {back + turned:g} 0", stroke=tone)
    return path(f"M{x:g} {y:.1f}l{back} -5.5v11z", fill=tone)


def _numbers(
    edge: GraphEdge, points: Sequence[_Point], taken: list[tuple[float, float, float]]
) -> str:
    """The label of an edge where none is yet; `taken` gains its place."""
    text = edge_label(edge) or "?"
    half = 4 + 3.7 * len(text)
    x, y = next(
        (p for p in _places(points) if all(_apart(p, half, other) for other in taken)),
        next(_places(points)),
    )
    taken.append((x, y, half))
    tone = TONES[edge.sign]
    frame = box(
        x - half, round(y - 10, 1), 2 * half, 20, stroke=tone, radius=10, hint=edge_words(edge)
    )
    return frame + label(x, y + 4.5, [text], size=12.5, anchor="middle")


def _places(points: Sequence[_Point]) -> Iterator[_Point]:
    """Points along the curve between columns, the middle of the first gap first."""
    gaps = list(pairwise(points))[::2]
    for share in (0.5, 0.36, 0.64, 0.25, 0.75):
        for (x0, y0), (x1, y1) in gaps:
            around = 30 if x0 == x1 else 0
            eased = share * share * (3 - 2 * share)
            yield x0 + (x1 - x0) * share + around, y0 + (y1 - y0) * eased


def _apart(place: _Point, half: float, other: tuple[float, float, float]) -> bool:
    x, y, other_half = other
    return abs(place[0] - x) > half + other_half + 2 or abs(place[1] - y) > 22


def edge_label(edge: GraphEdge) -> str:
    """Signs and references of an edge, such as ``+4,9 −10``; '' without any."""
    most = _MOST_NUMBERS if edge.sign is not EdgeSign.DISPUTED else _MOST_NUMBERS - 1
    return " ".join(f"{_MARKS[sign]}{_few(cited, most)}" for sign, cited in edge.sides.items())


def _few(numbers: Sequence[int], most: int) -> str:
    shown = ",".join(map(str, numbers[:most]))
    return f"{shown}…" if len(numbers) > most else shown


def _legend(y: float, signs: Set[EdgeSign]) -> str:
    parts, x = [], float(_MARGIN)
    for sign, meaning in _MEANING.items():
        if sign not in signs:
            continue
        sample = GraphEdge(subject="", object="", sign=sign)
        parts.append(_line(sample, [(x, y - 5), (x + 44, y - 5)]))
        parts.append(label(x + 52, y, [meaning], tone="soft", size=13))
        x += 72 + 6.8 * len(meaning)
    return "".join(parts)


def edge_words(edge: GraphEdge) -> str:
    """An edge in words, with its references."""
    told = [f"{sign.value} [{', '.join(map(str, n))}]" for sign, n in edge.sides.items()]
    return f"{edge.subject} → {edge.object}: {' but also '.join(told) or edge.sign.value}"


class Slot(NamedTuple):
    """A node, or the place where an edge passes a column."""

    name: str
    column: int
    passes: tuple[str, str] | None = None
    """The edge that passes here; None for a node."""


class Layout(NamedTuple):
    """The positions of nodes and edges."""

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
    """Places for nodes and edges, after Sugiyama, Tagawa & Toda (1981).

    An edge that passes over columns gets a free slot in each, so that it runs between the boxes;
    the order within a column follows the mean place of the neighbours, which keeps crossings few.

    Heights include the gap around a node or a passing edge.
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
                slot: mean([places[s] for s in beside[slot][side] or [slot]])
                for slot in columns[column]
            }
            columns[column] = sorted(columns[column], key=means.__getitem__)
    return columns


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
