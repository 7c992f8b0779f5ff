"""The generated page of the documentation says what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import build_docs_tables


def test_the_reference_is_what_the_code_says() -> None:
    advice = "run: python scripts/build_docs_tables.py"
    assert build_docs_tables.PAGE.read_text(encoding="utf-8") == build_docs_tables.build_page(), (
        advice
    )


@pytest.mark.parametrize("content", [None, "# Reference\n"], ids=["absent", "stale"])
def test_a_stale_reference_is_refused(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "reference.md"
    if content:
        page.write_text(content, encoding="utf-8")
    monkeypatch.setattr(build_docs_tables, "PAGE", page)
    assert build_docs_tables.main(["--check"]) == 1
    assert page.exists() is bool(content)
    assert build_docs_tables.main([]) == 0
    assert build_docs_tables.main(["--check"]) == 0
