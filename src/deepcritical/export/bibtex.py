"""The references as BibTeX, in UTF-8, for LaTeX and for reference managers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from deepcritical.domain.answer import Document
from deepcritical.domain.patterns import bounded
from deepcritical.domain.report_parts import AuthorName
from deepcritical.export.bibliography import Entry, entries

_TYPES = {"article": "article", "preprint": "misc", "trial": "misc", "web": "misc"}
_HOW = {"preprint": "Preprint", "trial": "Trial registration", "web": "Web page"}
_SPECIAL = {
    # Braces by name: BibTeX counts them even where they are escaped.
    "\\": r"\textbackslash{}",
    "{": r"\ensuremath{\lbrace}",
    "}": r"\ensuremath{\rbrace}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "$&%#_"},
}
_LIGATURE = bounded(
    r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[?!])(?=`)|(?<=,)(?=,)|(?<=<)(?=<)|(?<=>)(?=>)"
)
"""Between two characters that TeX would make one of."""
_AND = bounded(r"(?<=\s)(and|others)(?=\s)|^others$", re.IGNORECASE)


def as_bibtex(report: Document) -> str:
    """An entry for each reference; names of groups and titles keep their capitals by braces."""
    return "\n".join(map(_written, entries(report)))


def _written(entry: Entry) -> str:
    fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(entry) if value)
    return f"@{_TYPES[entry.kind]}{{{entry.key},\n{fields}}}\n"


def _fields(entry: Entry) -> Iterator[tuple[str, str]]:
    authors = [*map(_author, entry.authors), *(["others"] if entry.and_others else [])]
    yield "author", " and ".join(authors)
    yield "title", f"{{{_tex(entry.title)}}}"
    yield "journal" if entry.kind == "article" else "publisher", _tex(entry.journal)
    yield "year", str(entry.date[0]) if entry.date else ""
    yield "volume", _tex(entry.volume)
    yield "number", _tex(entry.trial_id if entry.kind == "trial" else entry.issue)
    yield "pages", "--".join(map(_tex, entry.pages))
    yield "howpublished", _HOW.get(entry.kind, "")
    yield "doi", _verbatim(entry.doi)
    yield "pmid", _tex(entry.pmid)
    yield "pmcid", _tex(entry.pmcid)
    yield "url", _verbatim(entry.url)
    yield "note", _tex(entry.note)


def _author(author: AuthorName) -> str:
    if author.group:
        return f"{{{_tex(author.family)}}}"
    # "and" divides authors wherever it stands outside of braces.
    family = _AND.sub(r"{\g<0>}", _tex(author.family))
    given = _AND.sub(r"{\g<0>}", _tex(author.given))
    # Braces keep a comma within a name from dividing it.
    family = f"{{{family}}}" if "," in family else family
    given = f"{{{given}}}" if "," in given else given
    return ", ".join(part for part in (family, author.suffix, given) if part)


def _tex(text: str) -> str:
    """Text in which no character steers TeX."""
    return _LIGATURE.sub("{}", "".join(_SPECIAL.get(c, c) for c in text))


def _verbatim(address: str) -> str:
    r"""An address or a DOI, which styles print as it is: only braces and ``\`` are quoted."""
    return "".join(quote(c) if c in "{}\\" else c for c in address)
