"""Rules of reading know English and designs of studies; drugs and diseases come from tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepcritical.vocabulary.conditions import find_conditions
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from tests.conftest import ROOT

RULES = sorted((ROOT / "src" / "deepcritical" / "reading" / "rules").glob("*.py"))
_OUTCOMES = re.compile(
    r"mortality|death|surviv(?!ors)|cogniti|relapse|remission|progression|pain|symptom|hospitali|"
    r"blood pressure|recurrence|quality of life",
    re.IGNORECASE,
)


def _texts(path: Path) -> Iterator[str]:
    """The words that a file reads by: its strings, without docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    said = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in said:
            yield re.sub(r"\\[a-zA-Z]|[^\w\s-]", " ", node.value)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_no_drug_no_disease_and_no_outcome_is_named(path: Path) -> None:
    text = "\n".join(_texts(path))
    drugs = {m.text for m in find_drugs(text) if m.drug.kind is DrugKind.DRUG}
    assert drugs == set()
    # Short capitals are measures of effect ("RD"), and abbreviations of diseases elsewhere.
    named = {m.text for m in find_conditions(text) if not re.fullmatch("[A-Z]{2,4}", m.text)}
    assert named == set()
    assert _OUTCOMES.findall(text) == []
