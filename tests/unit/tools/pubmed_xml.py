"""Payloads of EFetch that are made up, and the records in the file of traps."""

from __future__ import annotations

from functools import cache

from deepcritical.domain.evidence.record import Evidence
from deepcritical.tools.pubmed.records import parse
from tests.conftest import ROOT

RECORDS = ROOT / "tests" / "data" / "pubmed" / "records.xml"


@cache
def made() -> dict[str, Evidence]:
    """The records of the file by the last digits of their PMID."""
    parsed = parse(RECORDS.read_bytes())
    assert parsed.skipped == ()
    return {str(record.metadata.pmid)[-3:]: record for record in parsed.records}


def article(
    *,
    title: str = "T.",
    article: str = "",
    citation: str = "",
    data: str = "",
    pmid: str = "99000001",
) -> str:
    """One article with inner XML at four places."""
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article>"
        f"<ArticleTitle>{title}</ArticleTitle>{article}</Article>{citation}</MedlineCitation>"
        f"<PubmedData>{data}</PubmedData></PubmedArticle>"
    )


def record_set(*articles: str) -> bytes:
    return f"<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>".encode()


def one(**parts: str) -> Evidence:
    (record,) = parse(record_set(article(**parts))).records
    return record
