"""The references as files, read back by libraries of others."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares import LatexDecodingMiddleware

from deepcritical.domain.report.parts import Reference
from deepcritical.export.bibliography import as_bibtex, as_csl_json, as_ris, entries
from tests.unit.export.reports import ARTICLE, full_report

HARD = r"50 % of $x$ & y_2 #1 {a} ^ ~ \alpha -- ``q'' “β” \& }{ 10³ TNF-α (p<0.05)"


def bibtex(*references: Reference) -> list[dict[str, Any]]:
    """Entries as bibtexparser reads them, with TeX's escapes undone."""
    text = as_bibtex(full_report(references=references) if references else full_report())
    library = parse_string(text, append_middleware=[LatexDecodingMiddleware()])
    raw = parse_string(text)
    assert not library.failed_blocks
    return [
        {field.key: field.value for field in entry.fields}
        | {"ENTRYTYPE": entry.entry_type, "ID": entry.key}
        # Styles print these as they stand, so that nothing in them is escaped.
        | {name: source[name] for name in ("doi", "url") if name in source.fields_dict}
        for entry, source in zip(library.entries, raw.entries, strict=True)
    ]


def ris(*references: Reference) -> list[dict[str, Any]]:
    text = as_ris(full_report(references=references) if references else full_report())
    return list(rispy.loads(text))


def test_bibtex_reads_back_to_the_fields_of_an_article() -> None:
    assert bibtex()[0] == {
        "ENTRYTYPE": "article",
        "ID": "Invented2021-1",
        "author": "Invented, AB and van der Berg, Mary and Núñez-Pérez, J and Made-Up Trial Group",
        "title": ARTICLE.title,
        "journal": "J Made-Up Rec",
        "year": "2021",
        "volume": "88",
        "number": "4",
        "pages": "1311–1323",
        "doi": "10.99999/made_up.1",
        "pmid": "99000001",
        "pmcid": "PMC99000001",
        "url": "https://pubmed.ncbi.nlm.nih.gov/99000001/",
    }


def test_ris_reads_back_to_the_fields_of_an_article() -> None:
    assert ris()[0] == {
        "type_of_reference": "JOUR",
        "id": "Invented2021-1",
        "authors": ["Invented, AB", "van der Berg, Mary", "Núñez-Pérez, J", "Made-Up Trial Group"],
        "title": ARTICLE.title,
        "secondary_title": "J Made-Up Rec",
        "year": "2021",
        "date": "2021/03/05",
        "volume": "88",
        "number": "4",
        "start_page": "1311",
        "end_page": "1323",
        "doi": "10.99999/made_up.1",
        "accession_number": "99000001",
        "custom2": "PMC99000001",
        "urls": ["https://pubmed.ncbi.nlm.nih.gov/99000001/"],
    }


def test_each_kind_of_record_has_its_type() -> None:
    assert [entry.kind for entry in entries(full_report())] == [
        "article",
        "preprint",
        "trial",
        "article",
        "web",
    ]
    assert [entry["ENTRYTYPE"] for entry in bibtex()] == "article misc misc article misc".split()
    types = [entry["type_of_reference"] for entry in ris()]
    assert types == ["JOUR", "UNPB", "RPRT", "JOUR", "ELEC"]
    items = json.loads(as_csl_json(full_report()))
    assert [item["type"] for item in items] == [
        "article-journal",
        "article",
        "report",
        "article-journal",
        "webpage",
    ]


def test_a_trial_has_its_register_and_number() -> None:
    trial, record = bibtex()[2], ris()[2]
    assert (trial["publisher"], trial["number"]) == ("ClinicalTrials.gov", "NCT99000001")
    assert (record["publisher"], record["accession_number"]) == (
        "ClinicalTrials.gov",
        "NCT99000001",
    )
    assert trial["ID"] == "NCT99000001"


def test_a_retraction_stands_in_the_note() -> None:
    assert bibtex()[3]["note"] == "RETRACTED."
    assert ris()[3]["notes"] == ["RETRACTED."]


def test_et_al_is_no_author() -> None:
    assert bibtex()[1]["author"] == "Pomilius and others"
    assert ris()[1]["authors"] == ["Pomilius"]


def test_keys_are_unique() -> None:
    keys = [entry["ID"] for entry in bibtex(*[ARTICLE] * 3)]
    assert len(set(keys)) == 3


@pytest.mark.parametrize("field", ["title", "journal", "note"])
def test_no_character_steers_tex(field: str) -> None:
    read = bibtex(ARTICLE.model_copy(update={field: HARD}))[0][field]
    # The library reads \textasciicircum as a modifier letter.
    assert read.rstrip(".").replace("\u02c6", "^") == HARD


def test_a_group_whose_name_holds_and_is_one_author() -> None:
    group = "Heart and Lung Study Group"
    text = as_bibtex(full_report(references=(ARTICLE.model_copy(update={"authors": (group,)}),)))
    assert f"author = {{{{{group}}}}}" in text


@pytest.mark.parametrize("title", ["a\nER  - \nTY  - JOUR", "TY  - X", "x\r\n\r\nAU  - Evil"])
def test_no_text_opens_a_line_of_ris(title: str) -> None:
    records = ris(ARTICLE.model_copy(update={"title": title}))
    assert len(records) == 1
    assert records[0]["title"] == " ".join(title.split())


@pytest.mark.parametrize(
    ("printed", "pages"),
    [
        ("88(4):1311-23", ("1311", "1323")),
        ("12:e107-14", ("e107", "e114")),
        ("14(9):890", ("890",)),
        ("2020:2315106", ("2315106",)),
        ("9", ()),
        ("", ()),
    ],
)
def test_pages_are_written_out(printed: str, pages: tuple[str, ...]) -> None:
    changed = ARTICLE.model_copy(update={"volume_pages": printed})
    assert entries(full_report(references=(changed,)))[0].pages == pages


def test_csl_json_names_persons_and_groups() -> None:
    item = json.loads(as_csl_json(full_report()))[0]
    assert item["author"] == [
        {"family": "Invented", "given": "AB"},
        {"family": "van der Berg", "given": "Mary"},
        {"family": "Núñez-Pérez", "given": "J"},
        {"literal": "Made-Up Trial Group"},
    ]
    assert item["issued"] == {"date-parts": [[2021, 3, 5]]}
    assert item["page"] == "1311-1323"
    assert re.fullmatch(r"10\.99999/made_up\.1", item["DOI"])
