"""Documents of the user's own: read with their pages, or declined with a reason."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deepcritical.bootstrap import read_settings
from deepcritical.bootstrap.application import read_alone
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.errors import DocumentError
from deepcritical.domain.text.spans import locate_quote
from deepcritical.interfaces.main import app
from deepcritical.reading.library import read_by_code
from deepcritical.tools import documents
from deepcritical.tools.documents import MAX_BYTES, page_of, read_document
from tests.documents import blank_pdf, bomb_pdf, encrypted_pdf, pdf_of

TITLE = "Examplol for testitis: a made-up, randomised trial that stands in no journal"
METHODS = "In all, 300 adults with testitis were randomised to examplol or placebo. " * 3
RESULT = "Examplol significantly improved testitis compared with placebo (p = 0.01)."
FILLING = "Nothing that anybody should read into stands in this sentence. " * 20
QUESTION = "Does examplol help in testitis?"


def paper(folder: Path, number: int = 0) -> Path:
    """A paper whose result stands on a later page, the further behind the higher the number."""
    return pdf_of(
        folder,
        TITLE,
        abstract=f"A trial without a figure. doi:10.5555/made-up.{number}.",
        methods=METHODS + FILLING * (2 + number),
        results=RESULT,
        references="1. Nobody A. A made-up paper. J Test. 2017;31(2):107-113.",
    )


@pytest.mark.parametrize("number", range(10))
def test_a_paper_is_read_with_the_page_of_what_it_says(tmp_path: Path, number: int) -> None:
    record = read_document(paper(tmp_path, number))
    assert record.citation.title == TITLE
    assert record.metadata.doi == f"10.5555/made-up.{number}"
    place = locate_quote(RESULT, record.content)
    assert place is not None
    page = page_of(record, place[0])
    assert page is not None
    assert page > 1
    starts = record.metadata.page_starts
    assert starts[page - 1] <= place[0] < (*starts, len(record.content))[page]


async def test_a_card_has_results_and_what_they_count_for(tmp_path: Path) -> None:
    file = await asyncio.to_thread(paper, tmp_path)
    settings = await asyncio.to_thread(read_settings)
    card = await read_alone(settings, file, QUESTION)
    (result,) = card.reading.results
    assert result.better == "a"
    assert card.weighed is not None
    assert card.weighed.verdict.label is VerdictLabel.PROMISING
    other = await read_alone(settings, file, "Does examplol help in gout?")
    assert other.weighed is None


def test_of_results_that_disagree_a_document_decides_by_the_primary_outcome(tmp_path: Path) -> None:
    null = "The primary outcome, change in testitis, did not differ between examplol and placebo."
    early = RESULT.replace("testitis", "testitis at week 2")
    for results, read in ((f"{early} {null}", ["no_difference"]), (RESULT, ["a"])):
        file = pdf_of(tmp_path, TITLE, abstract=METHODS, results=results)
        reading = read_by_code({"own": read_document(file)})["own"]
        assert [r.better for r in reading.results] == read


@pytest.mark.slow
def test_the_command_prints_arms_results_and_pages(tmp_path: Path) -> None:
    file = str(paper(tmp_path))
    done = CliRunner().invoke(app, ["read", file, "--question", QUESTION])
    assert done.exit_code == 0
    for part in (TITLE, "examplol against placebo", "better with examplol", RESULT, "(p. "):
        assert part in done.stdout
    assert "By itself on examplol in testitis: promising" in done.stdout
    told = json.loads(CliRunner().invoke(app, ["read", file, "--json"]).stdout)
    assert told["reading"]["results"]
    assert told["verdict"] is None


def test_a_pasted_abstract_is_read(tmp_path: Path) -> None:
    file = tmp_path / "pasted.txt"
    file.write_text(f"{TITLE}\n\nMethods: {METHODS} Results: {RESULT}")
    record = read_document(file)
    assert (record.citation.title, record.metadata.page_starts) == (TITLE, ())
    assert RESULT in record.content


def test_pictures_of_pages_are_declined(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="pictures of pages"):
        read_document(blank_pdf(tmp_path, 3))


def test_a_password_is_not_asked_for(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="is encrypted"):
        read_document(encrypted_pdf(tmp_path))


@pytest.mark.slow
def test_five_thousand_pages_are_declined_at_once(tmp_path: Path) -> None:
    book = blank_pdf(tmp_path, 5_000)
    with pytest.raises(DocumentError, match="has 5,000 pages"):
        read_document(book)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("paper.pdf", b"%PDF-1.7 and nothing behind it", "no PDF that can be read"),
        ("paper.pdf", b"", "no PDF that can be read"),
        ("paper.txt", b"\xff\xfe\x00", "no text in UTF-8"),
        ("paper.txt", b"\n \n", "is empty"),
        ("paper.txt", b"A title\n\x00\x01 and \x1b[31m", "no text"),
        ("paper.docx", b"made up", "no document that can be read"),
        ("paper.pdf", bytes(MAX_BYTES + 1), "larger than 30 MB"),
    ],
    ids=["cut", "empty", "no text", "blank", "binary", "another kind", "large"],
)
def test_what_is_no_document_says_why(tmp_path: Path, name: str, data: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DocumentError, match=why):
        read_document(tmp_path / name)


@pytest.mark.parametrize("limit", [pytest.param("memory", marks=pytest.mark.slow), "time"])
def test_a_pdf_that_unpacks_to_very_much_is_declined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    bomb = bomb_pdf(tmp_path, 400 if limit == "memory" else 40)
    assert bomb.stat().st_size < 500_000
    monkeypatch.setattr(documents, "_MEMORY_MB", 256 if limit == "memory" else 1_024)
    monkeypatch.setattr(documents, "_PDF_S", 30.0 if limit == "memory" else 0.02)
    with pytest.raises(DocumentError, match="more time or memory"):
        read_document(bomb)


def test_what_has_no_end_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    (tmp_path / "folder.txt").mkdir()
    for name in ("pipe.txt", "zero.txt", "folder.txt"):
        with pytest.raises(DocumentError, match="it is no file"):
            read_document(tmp_path / name)


def test_marks_that_steer_a_terminal_are_blanks(tmp_path: Path) -> None:
    file = tmp_path / "marks.txt"
    file.write_text(f"{TITLE}\n\x1b[31m{RESULT}\x9b2J\x07")
    assert read_document(file).content.split() == [
        "[31m" + RESULT.split()[0],
        *RESULT.split()[1:],
        "2J",
    ]


def test_a_file_that_is_not_there_has_its_exit_code() -> None:
    assert CliRunner().invoke(app, ["read", "nowhere.pdf"]).exception is not None
