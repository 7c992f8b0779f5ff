"""Figures as data and as drawings."""

from __future__ import annotations

import itertools
import json
import xml.etree.ElementTree as ET

import pytest

from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.report.parts import EdgeTested, HypothesisTested
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.figures import FIGURES
from deepcritical.export.mechanism_figure import Slot, lay_out
from deepcritical.export.mechanism_graph import EdgeSign, mechanism_graph
from deepcritical.export.svg import inline, standalone
from deepcritical.export.timeline import timeline
from deepcritical.export.writers import as_figures_json
from tests.unit.export.reports import CHAIN, full_report, report_of

SVG = "{http://www.w3.org/2000/svg}"


def chain(*names: str) -> HypothesisTested:
    edges = tuple(
        EdgeTested(subject=a, object=b, finding="increases [1]", increases=("E1",))
        for a, b in itertools.pairwise(names)
    )
    return CHAIN.model_copy(update={"chain": names, "edges": edges})


def columns(*chains: HypothesisTested) -> dict[str, int]:
    graph = mechanism_graph(full_report(hypotheses_tested=chains))
    return {node.name: node.column for node in graph.nodes}


def texts(name: str, report: ResearchReport) -> list[str]:
    root = ET.fromstring(standalone(FIGURES[name](report)))  # noqa: S314 - our own file
    return ["".join(found.itertext()) for found in root.iter(f"{SVG}text")]


def test_an_edge_has_its_sign_and_the_numbers_behind_it() -> None:
    edges = mechanism_graph(full_report()).edges
    assert [edge.sign for edge in edges] == [
        EdgeSign.DECREASES,
        EdgeSign.DISPUTED,
        EdgeSign.UNKNOWN,
    ]
    assert (edges[0].decreases, edges[1].increases, edges[1].no_effect) == ((1,), (1,), (2,))


def test_names_stand_in_columns_from_drug_to_disease() -> None:
    assert columns(chain("d", "t", "p", "e", "x")) == {"d": 0, "t": 1, "p": 2, "e": 3, "x": 4}


def test_what_acts_on_the_disease_is_a_process() -> None:
    assert columns(chain("d", "t", "e", "x")) == {"d": 0, "t": 1, "e": 3, "x": 4}
    assert columns(chain("d", "e", "x")) == {"d": 0, "e": 1, "x": 4}


def test_a_name_of_two_chains_is_one_node_on_its_longest_way() -> None:
    found = columns(chain("d", "b", "e", "x"), chain("d", "a", "b", "x"))
    assert found == {"d": 0, "a": 1, "b": 2, "e": 3, "x": 4}


def test_names_on_a_circle_have_a_column() -> None:
    found = columns(chain("d", "a", "b", "x"), chain("d", "b", "a", "x"))
    assert set(found.values()) <= set(range(5))
    assert FIGURES["mechanism"](
        full_report(hypotheses_tested=(chain("d", "a", "b", "x"), chain("d", "b", "a", "x")))
    ).body


def test_a_passing_edge_keeps_clear_of_the_nodes_of_its_column() -> None:
    layout = lay_out(
        {"a": 0, "b": 1, "c": 2},
        [("a", "b"), ("b", "c"), ("a", "c")],
        node_height=60,
        pass_height=20,
    )
    passing = layout.ways["a", "c"][1]
    assert passing == Slot("", 1, ("a", "c"))
    assert abs(layout.heights[passing] - layout.heights[Slot("b", 1)]) >= 40


def test_the_sign_is_written_beside_the_numbers() -> None:
    shown = texts("mechanism", full_report())
    assert "−1" in shown
    assert "+1 0:2" in shown


def test_a_point_for_each_graded_reference() -> None:
    points = timeline(full_report())
    assert [(p.number, p.year, p.level, p.direction) for p in points] == [
        (1, 2021, 2, Direction.SUPPORTS),
        (2, 2022, 5, Direction.MIXED),
        (3, 2023, None, Direction.NONE),
        (4, 2021, 3, Direction.SUPPORTS),
        (5, None, None, Direction.NONE),
    ]
    assert [p.number for p in points if p.retracted] == [4]


def test_marks_of_one_level_do_not_touch() -> None:
    from deepcritical.export.timeline import _packed, _radius, _Scale

    point = timeline(full_report())[0]
    crowd = [point.model_copy(update={"number": n, "year": 2000 + n % 20}) for n in range(60)]
    scale = _Scale(crowd)
    marks = _packed(crowd, scale)
    assert len(marks) == 60
    for row in {mark.row for mark in marks}:
        line = sorted((m.x, _radius(m.point)) for m in marks if m.row == row)
        for (x, half), (other, other_half) in itertools.pairwise(line):
            assert other - x >= half + other_half


def test_the_flow_shows_every_count() -> None:
    shown = " ".join(texts("prisma", full_report()))
    for count in ("1,200", "34", "1,195", "(n = 5)", "(n = 4)"):
        assert count in shown


def test_the_data_are_those_of_the_figures() -> None:
    data = json.loads(as_figures_json(full_report()))
    assert data["prisma"]["by_source"][0] == {"name": "pubmed", "records": 1200}
    assert data["mechanism"]["edges"][0]["sign"] == "decreases"
    assert len(data["timeline"]) == 5


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_is_an_image_with_title_and_description(name: str) -> None:
    drawing = FIGURES[name](full_report())
    root = ET.fromstring(inline(drawing))  # noqa: S314 - our own file
    assert root.get("role") == "img"
    ids = (root.get("aria-labelledby") or "").split()
    told = {e.get("id"): e.text for e in root if e.tag in (f"{SVG}title", f"{SVG}desc")}
    assert list(told) == ids
    assert all(told.values())


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_data_says_so(name: str) -> None:
    bare = full_report(prisma=None, hypotheses_tested=(), evidence_table=())
    drawing = FIGURES[name](bare)
    assert drawing.empty
    assert ET.fromstring(standalone(drawing)).find(f"{SVG}text") is not None  # noqa: S314


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_drawn_outside_of_the_picture(name: str) -> None:
    drawing = FIGURES[name](report_of("A very long name of something " * 6))
    root = ET.fromstring(standalone(drawing))  # noqa: S314
    for span in root.iter(f"{SVG}tspan"):
        assert 0 <= float(span.get("x", "")) <= drawing.width
        assert 0 <= float(span.get("y", "")) <= drawing.height
