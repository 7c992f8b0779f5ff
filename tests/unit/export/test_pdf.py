"""The PDF, opened by another library."""

from __future__ import annotations

import io
from typing import Any

import pypdfium2
import pytest
from pypdf import PdfReader

from deepcritical.domain.report.parts import ReportSection
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.typeset import as_pdf
from tests.unit.export.briefs import brief_report
from tests.unit.export.reports import ARTICLE, ROWS, full_report


def opened(report: ResearchReport) -> PdfReader:
    return PdfReader(io.BytesIO(as_pdf(report)))


def text_of(report: ResearchReport) -> str:
    return " ".join(" ".join(texts_of(as_pdf(report))).split())


def texts_of(pdf: bytes) -> list[str]:
    """The text of each page, by the faster library of the two."""
    document = pypdfium2.PdfDocument(pdf)
    texts = [page.get_textpage().get_text_bounded() for page in document]
    document.close()
    return texts


def links_of(reader: PdfReader) -> list[str]:
    """Addresses that the pages link to."""
    found = []
    for page in reader.pages:
        for annotation in page.get("/Annots") or ():
            action = annotation.get_object().get("/A")
            if action and "/URI" in action.get_object():
                found.append(str(action.get_object()["/URI"]))
    return found


def test_every_part_of_the_report_is_in_it() -> None:
    text = text_of(full_report())
    for part in (
        "Examplol for testitis: what the evidence shows",
        "Promising · certainty: low",
        "Rule: One randomised trial favours the drug.",
        "Clinical findings",
        "One [1]",
        "Evidence table",
        "randomised controlled trial",
        "Search log",
        "Made-Up Trial Group",
        "RETRACTED",
        "For research use, not medical advice",
    ):
        assert part in text, part


def test_greek_letters_and_signs_are_text() -> None:
    said = "IL-1β, TNF-α, κB, Aβ₁₋₄₂, 10³ m², CO₂, ≥ 5 ± 2 × 10⁻³ → Δ 95 % “q” – ñ Ł é"
    assert said in text_of(full_report(conclusion=said))


def test_figures_are_vectors_with_a_description() -> None:
    text = text_of(full_report())
    for part in ("Mechanism graph", "targetase", "Records screened (n = 1,200)", "Level 2"):
        assert part in text, part
    assert not [image for page in opened(full_report()).pages for image in page.images]


def test_references_link_to_their_records_and_sentences_to_references() -> None:
    reader = opened(full_report())
    assert ARTICLE.url in links_of(reader)
    inner = [
        annotation.get_object()
        for page in reader.pages
        for annotation in page.get("/Annots") or ()
        if "/Dest" in annotation.get_object()
    ]
    assert len(inner) >= 5


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://x.example", "file:///etc/passwd"])
def test_an_unsafe_address_is_no_link(url: str) -> None:
    unsafe = ARTICLE.model_copy(update={"url": url})
    assert url not in links_of(opened(full_report(references=(unsafe,))))


@pytest.mark.parametrize(
    "markup", ["#sys.version", '#read("/etc/passwd")', "$x^2$", "@ref-1", "<ref-1>", "\\#", "// x"]
)
def test_markup_of_the_typesetter_is_text(markup: str) -> None:
    assert markup in text_of(full_report(research_question=f"Is {markup} so?"))


def test_a_table_breaks_over_pages_under_its_header() -> None:
    rows = "\n".join(f"| examplol {n} | {'long text ' * 30} |" for n in range(60))
    content = f"| Drug of row | Told |\n| --- | --- |\n{rows}"
    section = ReportSection(title="Clinical findings", content=content)
    pages = texts_of(as_pdf(full_report(clinical_findings=section)))
    headed = [text for text in pages if "Drug of row" in text]
    assert len(headed) > 2


def test_long_words_and_titles_are_broken_within_the_page() -> None:
    title = f"Examplol {'ABCDEFGHIJ' * 30} testitis {'and more words ' * 40}"
    changed = ARTICLE.model_copy(update={"title": title})
    document = pypdfium2.PdfDocument(
        as_pdf(full_report(title=title, research_question="Z" * 400, references=(changed,)))
    )
    for page in document:
        width, text = page.get_width(), page.get_textpage()
        for n in range(text.count_rects()):
            _, _, right, _ = text.get_rect(n)
            assert right <= width - 40


def test_a_tall_figure_stays_on_its_page() -> None:
    ids = [f"E{n}" for n in range(1, 121)]
    crowd = full_report(
        references=tuple(ARTICLE.model_copy(update={"evidence_id": i}) for i in ids),
        evidence_table=tuple(ROWS[0].model_copy(update={"evidence_id": i}) for i in ids),
    )
    page = next(text for text in texts_of(as_pdf(crowd)) if "Level 2" in text)
    assert "Evidence timeline" in page
    assert "larger: more people" in page


def test_it_has_a_title_and_an_outline_and_no_date() -> None:
    reader = opened(full_report())
    assert reader.metadata is not None
    assert reader.metadata.title == "Examplol for testitis: what the evidence shows"
    assert reader.metadata.creation_date is None
    assert len(reader.outline) >= 1


def test_what_announces_a_list_stands_on_its_page() -> None:
    lines = "\n".join(f"- item {n}" for n in range(12))
    parts = "\n\n".join(f"**Part {n}**\n\nFor {n}:\n\n{lines}" for n in range(20))
    section = ReportSection(title="Clinical findings", content=parts)
    pages = [p.extract_text() for p in opened(full_report(clinical_findings=section)).pages]
    for n in range(20):
        page = next(text for text in pages if f"Part {n}\n" in text)
        assert f"For {n}:\n" in page
        assert "item 0" in page.partition(f"For {n}:\n")[2]


def test_the_first_page_is_the_brief_and_the_methods_are_an_appendix() -> None:
    first, *later = (" ".join(text.split()) for text in texts_of(as_pdf(brief_report())))
    for part in (
        "Promising · certainty: low",
        "Examplol lowered testitis flares (risk ratio 0.82, 95% CI 0.70 to 0.95) [1][2].",
        "Harms: Nausea was more frequent [1].",
        "placebo or no treatment",
        "Invented 2021, randomised trial, 1,240 people, against placebo: Fewer flares",
        "No trial lasted longer than a year.",
        "(recruiting, 300 people, until 2999-06)",
        "Forest plots . .",
    ):
        assert part in first, part
    assert "Rule:" not in first
    assert "Examplol" in first
    (appendix,) = (text for text in later if text.startswith("Appendix"))
    assert "Rule: One randomised trial favours the drug." in appendix
    assert "written by made-up:writer" in " ".join(later)


def test_parts_of_the_report_are_listed_with_their_pages() -> None:
    reader = opened(brief_report())
    named = [str(entry["/Title"]) for entry in flat(reader.outline)]
    for title in ("Studies", "Forest plots", "Mechanism", "Appendix", "References"):
        assert title in named


def flat(outline: list[Any]) -> list[Any]:
    return [
        one for entry in outline for one in (flat(entry) if isinstance(entry, list) else [entry])
    ]
