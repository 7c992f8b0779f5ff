"""compose.yaml is one by the schema of compose files, and names nothing that is not there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from pydantic import AliasChoices

from deepcritical.interfaces.main import app
from deepcritical.settings import Settings
from tests.conftest import ROOT

FILE = ROOT / "compose.yaml"
OF_OTHERS = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}
"""Variables of the image of PostgreSQL."""


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    return found


def settings() -> Iterator[str]:
    """The variables that are read."""
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            yield from map(str, alias.choices)
        yield alias if isinstance(alias, str) else f"DEEPCRITICAL_{name}".upper()


def checked(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    return subprocess.run(  # noqa: S603 - our own interpreter
        [*command, file], capture_output=True, encoding="utf-8", check=False
    )


def test_it_fits_the_schema_and_what_does_not_fit_is_found(tmp_path: Path) -> None:
    done = checked(FILE)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "compose.yaml"
    text = FILE.read_text(encoding="utf-8")
    wrong.write_text(text.replace("restart:", "restarts:"), encoding="utf-8")
    assert checked(wrong).returncode == 1


def test_its_commands_and_their_options_are_those_of_the_command_line(
    services: dict[str, Any],
) -> None:
    known = typer.main.get_command(app)
    ours = [services[name]["command"] for name in ("app", "worker")]
    ours.append(services["worker"]["healthcheck"]["test"][1:])
    for program, *words in ours:
        assert program == "deepcritical"
        command = known
        while words and not words[0].startswith("-"):
            command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
        options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        assert set(words) <= options


def test_its_variables_are_settings(services: dict[str, Any]) -> None:
    for service in services.values():
        assert set(service.get("environment", ())) <= {*settings(), *OF_OTHERS}
    named = re.findall(r"\b(?:DEEPCRITICAL_\w+)\b", FILE.read_text(encoding="utf-8"))
    assert set(named) <= set(settings())


def test_all_is_pinned_checked_limited_and_kept_to_this_machine(services: dict[str, Any]) -> None:
    for service in services.values():
        assert re.search(r":\d+\.\d+(\.\d+)?(-\w+)?$", service["image"])
        assert service["restart"] == "unless-stopped"
        assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    assert services["worker"]["deploy"]["replicas"] == 2
    checks = {name for name, service in services.items() if "healthcheck" in service}
    assert checks == {"worker", "postgres", "chroma"}  # that of the app is in its image
    assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_no_secret_is_written_in_it() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert re.findall(r"PASSWORD: (?!\$\{POSTGRES_PASSWORD:\?)", text) == []
    assert "${POSTGRES_PASSWORD:?" in text
