"""Our package with files added or changed, as a command: what the documentation adds works."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import deepcritical
from tests.conftest import ROOT
from tests.environment import without_settings

PACKAGE = Path(deepcritical.__file__).parent


def example(page: str, name: str) -> str:
    """The module that a page of the documentation shows in whole."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"<!-- {name} -->\n```python\n(.*?)```", text, re.DOTALL)
    return str(found)


def changed_file(name: str, *changes: tuple[str, str]) -> str:
    """A file of the package with each text, which occurs once, in place of another."""
    text = (PACKAGE / name).read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def with_files(folder: Path, files: dict[str, str]) -> Path:
    """The package with these files of its rooms; everything else is linked."""
    made = folder / "deepcritical"
    rooms = {name.partition("/")[0] for name in files}
    for room in rooms:
        (made / room).mkdir(parents=True)
    for here in (PACKAGE, *(PACKAGE / room for room in rooms)):
        for path in here.iterdir():
            name = str(path.relative_to(PACKAGE))
            if name not in rooms and name not in files and path.name != "__pycache__":
                (made / name).symlink_to(path)
    for name, text in files.items():
        (made / name).write_text(text, encoding="utf-8")
    return folder


async def printed(package: Path, *args: str, **settings: str) -> str:
    """The output of the command with that package in place of ours."""
    code = "from deepcritical.interfaces.main import main; main()"
    environment = without_settings() | settings | {"PYTHONPATH": str(package)}
    return await asyncio.to_thread(
        subprocess.check_output,
        [sys.executable, "-c", code, *args],
        env=environment,
        encoding="utf-8",
    )
