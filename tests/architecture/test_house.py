"""Size, reachability and cost of imports: what keeps the house in order."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import deepcritical
from deepcritical.questions.model_reading import ModelReading
from scripts import check_sizes
from tests.conftest import QUESTION, ROOT, paper, snapshot

SRC = ROOT / "src"
ENTRY_POINTS = ("deepcritical", "deepcritical.interfaces.main")
HEAVY = (
    "agent_framework",
    "alembic",
    "chromadb",
    "drug_named_entity_recognition",
    "fastapi",
    "gradio",
    "jinja2",
    "llama_index",
    "mcp",
    "numpy",
    "pydantic_ai",
    "sentence_transformers",
    "sqlalchemy",
    "torch",
    "typst",
    "uvicorn",
)


def module_name(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SRC.rglob("*.py"))}
FACES = [path for path in MODULES.values() if path.name == "__init__.py"]
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def with_parents(name: str) -> Iterator[str]:
    """`a.b.c`, `a.b` and `a`, as far as they are modules of ours."""
    while name:
        if name in MODULES:
            yield name
        name = name.rpartition(".")[0]


def imported(path: Path) -> Iterator[str]:
    """Our modules that a file imports anywhere, also within functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from with_parents(node.module)
            for alias in node.names:
                yield from with_parents(f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from with_parents(alias.name)


def reachable() -> set[str]:
    found: set[str] = set()
    ahead = list(ENTRY_POINTS)
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead.extend(imported(MODULES[name]))
    return found


@pytest.mark.slow
def test_no_file_and_no_function_is_too_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    exit_code = check_sizes.main()
    assert exit_code == 0, capsys.readouterr().out


@pytest.mark.slow
def test_docstrings_do_not_begin_as_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the schema that a model answers in excepted: they are part of a prompt."""
    monkeypatch.chdir(ROOT)
    prompt = json.dumps(ModelReading.model_json_schema(), ensure_ascii=False)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = {
        f"{path}:{getattr(node, 'lineno', 1)}": ast.get_docstring(node) or ""
        for path in map(ROOT.joinpath, check_sizes.list_files())
        for node in ast.walk(tree(path))
        if isinstance(node, documented)
    }
    riddle = re.compile(r"(Wh(at|o|om|ose|ether|ere|en|ich|y)|How)\b")
    assert not [at for at, text in texts.items() if riddle.match(text) and text not in prompt]


def test_the_entry_points_are_those_of_the_project_file() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.findall(r'^deepcritical = "(.+):main"$', text, re.MULTILINE) == [ENTRY_POINTS[1]]


def test_every_module_is_reached_from_an_entry_point() -> None:
    assert set(MODULES) - reachable() == set()


def test_no_relative_import_hides_from_the_walk() -> None:
    for path in MODULES.values():
        for node in ast.walk(tree(path)):
            assert not (isinstance(node, ast.ImportFrom) and node.level), path


def loaded_by(*calls: list[str], libraries: tuple[str, ...]) -> list[list[str]]:
    """Return those of the libraries that are loaded after each call of the command in a process."""
    code = (
        "import sys\n"
        "from deepcritical.interfaces.main import main\n"
        f"for args in {calls!r}:\n"
        "    sys.argv = ['deepcritical', *args]\n"
        "    try:\n        main()\n    except SystemExit:\n        pass\n"
        f"    print('\\nLOADED', *sorted(set({libraries!r}) & set(sys.modules)))\n"
    )
    ran = subprocess.run(  # noqa: S603 - our own interpreter on a constant program
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return [line.split()[1:] for line in ran.stdout.splitlines() if line.startswith("LOADED")]


def test_help_does_not_wait_for_heavy_libraries() -> None:
    commands = ("research", "ask", "chat", "serve", "doctor", "traces", "admin")
    calls = (["--help"], *([command, "--help"] for command in commands))
    told = loaded_by(*calls, libraries=HEAVY)
    assert dict(zip(map(" ".join, calls), told, strict=True)) == {" ".join(c): [] for c in calls}


@pytest.mark.slow
def test_only_a_further_question_loads_what_makes_vectors(tmp_path: Path) -> None:
    path = str(snapshot(tmp_path / "made.jsonl", paper()))
    vectors = ("chromadb", "llama_index", "sentence_transformers", "torch", "transformers")
    research = ["research", QUESTION, "--snapshot", path, "--quiet"]
    assert loaded_by(research, libraries=(*vectors, "numpy")) == [["numpy"]]


def test_the_public_face_is_pinned() -> None:
    judging, running = ("grade", "stance", "verify_claim"), ("aresearch", "ask", "research")
    assert set(deepcritical.__all__) == {*judging, *running, "deep_research", "read_study"}
    assert all(callable(getattr(deepcritical, name)) for name in deepcritical.__all__)


@pytest.mark.slow
def test_the_public_function_stays_a_function(tmp_path: Path) -> None:
    # There is a package of the same name, which takes the name over if it is loaded later.
    path = str(snapshot(tmp_path / "made.jsonl", paper()))
    first = deepcritical.research(QUESTION, snapshot=path)
    second = deepcritical.research(QUESTION, snapshot=path)
    assert first == second
    assert first.references


def public_names(path: Path) -> set[str]:
    """Names that a module binds at its top level, or lazily, and does not mark as its own."""
    names: set[str] = set()
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES":
            names.update(ast.literal_eval(node.value))
    return {name for name in names if not name.startswith("_")} - {"TYPE_CHECKING"}


def declared(path: Path) -> list[str] | None:
    for node in tree(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


@pytest.mark.parametrize("path", FACES, ids=module_name)
def test_every_face_declares_its_names_sorted(path: Path) -> None:
    names, listed = public_names(path), declared(path)
    assert (listed is not None) is bool(names)
    assert listed == (sorted(names) if names else None)


@pytest.mark.parametrize("path", TEST_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_test_uses_a_mock(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith(("unittest", "mock")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith(("unittest", "mock"))


def test_the_image_and_the_setup_take_the_same_torch() -> None:
    pins = [
        set(re.findall(r"torch==[\d.]+", (ROOT / name).read_text(encoding="utf-8")))
        for name in ("Dockerfile", "scripts/setup.sh")
    ]
    assert pins[0] == pins[1]
    assert len(pins[0]) == 1


@pytest.mark.slow
def test_only_the_gate_prints_the_words_of_a_model() -> None:
    """A sentence is a model's only where the gate says so; prompts' answers hold no other prose."""
    makers = [
        path.name
        for path in MODULES.values()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.keyword)
        and node.arg == "origin"
        and isinstance(node.value, ast.Constant)
        and node.value.value == "model"
    ]
    assert makers == ["gate.py"]
    users = {
        name for name, path in MODULES.items() if "deepcritical.writing.by_model" in imported(path)
    }
    assert users == {"deepcritical.reasoning.llm_inquiry"}
