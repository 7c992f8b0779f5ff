"""Adds the pages of this folder to the site: CHANGELOG, CONTRIBUTING and the decision records.

Links are written for a reader of the repository; here they are turned into links of the site.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
ROOT_PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
RECORDS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
LINK = re.compile(r"(?<=\]\()(?!https?:|#)([^)\s#]*)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the decision records behind their index."""
    for entry in config.nav or []:
        if "Decisions" in entry:
            entry["Decisions"] += [f"decisions/{path.name}" for path in RECORDS]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand at the root of the repository."""
    for name, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Turn the links, and list the records on their index."""
    source = page.file.src_uri
    if source in ROOT_PAGES.values():
        return LINK.sub(lambda match: _from_root(match[1]), markdown)
    if source == "decisions/index.md":
        markdown += "\n" + "\n".join(map(_listed, RECORDS)) + "\n"
    return LINK.sub(lambda match: _from_docs(match[1]), markdown)


def _from_root(target: str) -> str:
    target = ROOT_PAGES.get(target, target.removeprefix("docs/"))
    return "decisions/index.md" if target == "decisions/" else target


def _from_docs(target: str) -> str:
    up, _, name = target.rpartition("../")
    return f"{up}{ROOT_PAGES[name]}" if name in ROOT_PAGES else target


def _listed(path: Path) -> str:
    title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    number, _, name = title.partition(". ")
    return f"{number}. [{name}]({path.name})"
