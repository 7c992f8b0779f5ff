"""Draws the PRISMA 2020 flow diagram of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.report.parts import PrismaFlow, RecordCount
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.svg import LINE_HEIGHT, Drawing, box, label, lines_of, nothing_drawn, path

_WIDTH, _LEFT, _RIGHT = 690, 44, 380
_LEFT_WIDTH, _RIGHT_WIDTH = 280, 296
_PAD, _GAP = 14, 30
_TITLE = "PRISMA flow of records"
_MOST_COUNTS = 14
_LEAST = 104
"""Height of a stage, for its name to fit beside it."""


class _Stage(NamedTuple):
    name: str
    left: list[str]
    """Lines of the box on the main way; the first is its heading."""
    right: list[str]
    """Those of the box beside it; none for no box."""


def draw_prisma(report: ResearchReport) -> Drawing:
    """Records identified, screened and included, with what was left out on the way and why."""
    flow = report.prisma
    if flow is None:
        return nothing_drawn("prisma", _TITLE, "The counts of the search are not known.", _WIDTH)
    stages = _stages(flow)
    heights = [max(_LEAST, _height(stage.left), _height(stage.right)) for stage in stages]
    tops = [10 + sum(heights[:n]) + _GAP * n for n in range(len(stages))]
    placed = list(zip(stages, tops, heights, strict=True))
    parts = [_stage(*stage) for stage in placed]
    arrows = [
        _down(top + _height(stage.left), following)
        for (stage, top, _), following in zip(placed, tops[1:], strict=False)
    ]
    total = tops[-1] + heights[-1] + 10
    return Drawing("prisma", _TITLE, _told(flow), _WIDTH, total, "".join(parts + arrows))


def _stages(flow: PrismaFlow) -> list[_Stage]:
    excluded = _counted("Records excluded", flow.excluded)
    return [
        _Stage(
            "Identification",
            ["Records identified from:", *_lines(flow.by_source, _LEFT_WIDTH)],
            ["Removed before screening:", _counted("Duplicates", flow.duplicates)],
        ),
        _Stage(
            "Screening",
            [_counted("Records screened", flow.screened)],
            [excluded, *_lines(flow.exclusions, _RIGHT_WIDTH)],
        ),
        _Stage(
            "Included",
            [
                _counted("Studies included", flow.studies),
                _counted("Records of these studies", flow.included),
            ],
            [],
        ),
    ]


def _lines(counts: Sequence[RecordCount], width: int) -> list[str]:
    """Each count on a line, or on two; the smallest of very many in one."""
    ranked = sorted(counts, key=lambda count: -count.records)
    shown, rest = ranked[:_MOST_COUNTS], ranked[_MOST_COUNTS:]
    if rest:
        shown.append(RecordCount(name="Other", records=sum(count.records for count in rest)))
    told = (_counted(count.name[:1].upper() + count.name[1:], count.records) for count in shown)
    return [line for text in told for line in lines_of(text, width - 2 * _PAD, 3)]


def _counted(name: str, records: int) -> str:
    return f"{name} (n\u00a0=\u00a0{records:,})"


def _stage(stage: _Stage, top: int, height: int) -> str:
    band = (
        f'<rect x="8" y="{top}" width="24" height="{height}" rx="6" class="f-tint" fill="#f1f5f9"/>'
    )
    name = label(
        25, top + height / 2, [stage.name], size=12, bold=True, anchor="middle", turned=True
    )
    parts = [band, name, _filled(_LEFT, top, _LEFT_WIDTH, stage.left)]
    if stage.right:
        middle = top + min(_height(stage.left), _height(stage.right)) / 2
        start = _LEFT + _LEFT_WIDTH
        parts.append(path(f"M{start} {middle:g}H{_RIGHT - 8}", stroke="soft"))
        parts.append(
            path(f"M{_RIGHT} {middle:g}l-10 -5v10z", fill="soft")
            + _filled(_RIGHT, top, _RIGHT_WIDTH, stage.right)
        )
    return "".join(parts)


def _height(lines: Sequence[str]) -> int:
    """That of a box around so many lines."""
    return 2 * _PAD + LINE_HEIGHT * len(lines) - 4


def _filled(x: int, top: int, width: int, lines: list[str]) -> str:
    text = label(x + _PAD, top + _PAD + 12, lines[:1], bold=True)
    return box(x, top, width, _height(lines)) + text + label(x + _PAD, top + _PAD + 30, lines[1:])


def _down(start: int, end: int) -> str:
    x = _LEFT + _LEFT_WIDTH / 2
    line = path(f"M{x:g} {start}V{end - 8}", stroke="soft")
    return line + path(f"M{x:g} {end}l-5 -10h10z", fill="soft")


def _told(flow: PrismaFlow) -> str:
    sources = ", ".join(f"{count.name} {count.records}" for count in flow.by_source)
    reasons = "; ".join(f"{count.records} {count.name}" for count in flow.exclusions)
    return (
        f"{flow.identified} records identified{f' ({sources})' if sources else ''}; "
        f"{flow.duplicates} duplicates removed; {flow.screened} screened; "
        f"{flow.excluded} excluded{f' ({reasons})' if reasons else ''}; "
        f"{flow.included} records of {flow.studies} studies included."
    )
