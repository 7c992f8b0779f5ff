"""Reads the full text of an article from JATS XML (NISO Z39.96): sections, tables, licence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Literal
from xml.etree import ElementTree as ET

from deepcritical.domain.base import Model
from deepcritical.domain.errors import SearchError
from deepcritical.domain.text.patterns import bounded
from deepcritical.tools.markup import plain_text

SectionKind = Literal["introduction", "methods", "results", "discussion", "conclusion", "other"]

MAX_BYTES = 8_000_000
_MAX_DEPTH = 100
_MAX_ELEMENTS = 300_000
_MAX_SECTIONS = 200
_MAX_TABLES = 40
_MAX_CHARS = 400_000
"""Characters of paragraphs that are kept of one article."""
_DECLARES = re.compile(rb"<!ENTITY|<!DOCTYPE[^>\[]*\[", re.IGNORECASE)
_LINKS = frozenset({"bibr", "table-fn", "fn", "aff", "corresp"})
"""Cross-references whose text is only a mark, such as the number of a reference."""
_NOT_TEXT = frozenset(
    {"table-wrap", "table-wrap-group", "fig", "fig-group", "fn", "fn-group", "ref-list", "graphic"}
    | {"supplementary-material", "ack", "object-id", "media", "boxed-text", "tex-math"}
)
_KINDS: tuple[tuple[SectionKind, re.Pattern[str]], ...] = (
    # First: what is "Results and discussion", or findings of others, tells of other studies too.
    (
        "discussion",
        bounded(
            r"\bdiscussion\b|\b(?:previous|prior|earlier|other|published) "
            r"(?:results|findings|studies|trials|reports|research|work|literature)\b",
            re.IGNORECASE,
        ),
    ),
    ("results", bounded(r"\b(?:results?|findings)\b", re.IGNORECASE)),
    ("methods", bounded(r"\b(?:methods?|materials|methodology)\b|\bsubjects\b", re.IGNORECASE)),
    ("conclusion", bounded(r"\bconclu(?:sions?|ding)\b", re.IGNORECASE)),
    ("introduction", bounded(r"\b(?:intro(?:duction)?|background)\b", re.IGNORECASE)),
)
_OF_OTHERS = ("introduction", "discussion", "conclusion")
_LEFT_OUT = bounded(
    r"\b(?:acknowledge?ments?|references|bibliography|(?:conflicts?|competing|declarations?) of"
    r"|(?:conflicting|competing) (?:financial )?interests?|disclosures?|funding|COI-statement"
    r"|supplementary|supporting information|author contributions?|abbreviations"
    r"|data availability|ethics (?:statement|approval))\b",
    re.IGNORECASE,
)
_CC = bounded(r"creativecommons\.org/(?:licenses|publicdomain)/([a-z]+(?:-[a-z]+)*)", re.IGNORECASE)
_CC_SHORT = bounded(r"\bCC[ -]?(0|BY(?:-(?:NC|SA|ND))*)(?![\w-])", re.IGNORECASE)
_LICENCE_WORDS = frozenset({"license", "license_ref"})
_KEPT_LICENCES = frozenset({"cc0", "cc by", "cc by-sa", "cc by-nc", "cc by-nc-sa"})

_MAX_ROWS = 300
_MAX_COLUMNS = 40
_MAX_CELL_CHARS = 1_000
_EMPTIED = bounded(r"\s?[\[(][\s,;–-]*[\])]")
"""Brackets that held nothing but references."""


class Table(Model):
    """A table with its cells as text; a cell that spans others stands in each place it covers."""

    label: str = ""
    caption: str = ""
    header: tuple[str, ...] = ()
    """One text a column; several rows of headings are joined."""
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """Each row as one sentence, ``caption; column: value; column: value``."""
        name = ". ".join(filter(None, (self.label, self.caption))).rstrip(".")
        return tuple(line for row in self.rows if (line := self._line(name, row)))

    def _line(self, name: str, row: tuple[str, ...]) -> str:
        heads = (*self.header, *[""] * len(row))
        cells = [
            f"{head}: {cell}" if head else cell
            for head, cell in zip(heads, row, strict=False)
            if cell
        ]
        if not cells or len(set(row)) == 1 < len(row):  # a heading across all columns
            return ""
        return "; ".join((*([name] if name else []), *cells)) + "."


def read_table(wrap: ET.Element) -> Table:
    """Return the table of a ``table-wrap`` element; its marks of footnotes are left out."""
    for parent in list(wrap.iter()):
        for child in parent.findall("xref"):
            if child.get("ref-type") in ("table-fn", "fn", "bibr"):
                child.text = ""
                for part in list(child):
                    child.remove(part)
    head = _grid(wrap.iterfind(".//thead/tr"))
    body = _grid(wrap.iterfind(".//tbody/tr")) or _grid(wrap.iterfind(".//table/tr"))
    if not head and body and (first := wrap.find(".//tr")) is not None and first.find("td") is None:
        head, body = body[:1], body[1:]
    return Table(
        label=text_of(wrap.find("label")).rstrip("."),
        caption=text_of(wrap.find("caption")),
        header=tuple(_joined(column) for column in zip(*head, strict=True)),
        rows=tuple(tuple(row) for row in body),
    )


def text_of(element: ET.Element | None) -> str:
    """Return the text of an element without brackets that held only numbers of references."""
    return "" if element is None else _EMPTIED.sub("", plain_text(element))


def _joined(column: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(text for text in column if text))


def _grid(rows: Iterable[ET.Element]) -> list[list[str]]:
    """The cells of rows by their columns, each row of the same length."""
    grid: list[list[str]] = []
    above: dict[int, tuple[str, int]] = {}
    for row, _ in zip(rows, range(_MAX_ROWS), strict=False):
        line: dict[int, str] = {column: text for column, (text, _) in above.items()}
        above = {c: (text, left - 1) for c, (text, left) in above.items() if left > 1}
        column = 0
        for cell in row:
            if cell.tag not in ("td", "th"):
                continue
            while column in line:
                column += 1
            text, deep = text_of(cell)[:_MAX_CELL_CHARS], _span(cell, "rowspan", _MAX_ROWS)
            wide = _span(cell, "colspan", _MAX_COLUMNS)
            line |= dict.fromkeys(range(column, column + wide), text)
            if deep > 1:
                above |= dict.fromkeys(range(column, column + wide), (text, deep - 1))
            column += wide
        grid.append([line.get(c, "") for c in range(min(max(line, default=-1) + 1, _MAX_COLUMNS))])
    width = max(map(len, grid), default=0)
    return [line + [""] * (width - len(line)) for line in grid]


def _span(cell: ET.Element, name: str, most: int) -> int:
    told = cell.get(name, "1")[:6]
    return min(most, int(told)) if told.isascii() and told.isdigit() and int(told) > 0 else 1


class Section(Model):
    """A section of an article, without the sections that it contains."""

    path: tuple[str, ...]
    """Titles from the outermost section to this one."""
    kind: SectionKind = "other"
    """That of the outermost section, where that tells."""
    paragraphs: tuple[str, ...]


class FullText(Model):
    """The text of an article without references, acknowledgements and declarations."""

    sections: tuple[Section, ...] = ()
    tables: tuple[Table, ...] = ()
    licence: str = ""
    """Such as ``cc by-nc``; else the words of the licence, cut; '' where none is named."""
    complete: bool = True
    """False where the XML breaks off, or has more than is read of an article."""

    @property
    def may_be_kept(self) -> bool:
        """Return whether the licence allows keeping the text beyond a run."""
        return self.licence in _KEPT_LICENCES


def parse_jats(payload: bytes) -> FullText:
    """Return the text of an article.

    Raises:
        SearchError: It is no article with a text, declares entities, or is too large or too deep.
    """
    if len(payload) > MAX_BYTES:
        raise _refused(f"has more than {MAX_BYTES // 1_000_000} MB")
    # ElementTree knows UTF-16, in which the search below would see no declaration.
    if b"\x00" in payload[:200] or _DECLARES.search(payload):
        raise _refused("declares entities, or is not in UTF-8")
    root, whole = _tree(payload)
    article = root if _name(root) == "article" else root.find(".//article")
    if article is None:
        raise _refused("holds no article")
    tables = [read_table(t) for t in _own_tables(article)][:_MAX_TABLES]
    licence = _licence(article)
    _prune(article)
    body = _Body()
    main = article.find("body")
    if main is not None:
        body.take(main, (), "other")
    if not body.sections:
        raise _refused("has no readable text")
    return FullText(
        sections=tuple(body.sections),
        tables=tuple(t for t in tables if t.rows),
        licence=licence,
        complete=whole and not body.cut,
    )


def _refused(why: str) -> SearchError:
    return SearchError(f"The full text {why}.", "The abstract is read instead.")


def _name(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _tree(payload: bytes) -> tuple[ET.Element, bool]:
    """The root, and whether the XML is well formed to its end; what is before a fault is kept."""
    root: ET.Element | None = None
    depth = count = 0
    try:
        # Entities are refused before, and expat loads no DTD.
        for event, element in ET.iterparse(BytesIO(payload), ("start", "end")):  # noqa: S314
            if event == "end":
                depth -= 1
                continue
            root = element if root is None else root
            depth, count = depth + 1, count + 1
            if depth > _MAX_DEPTH or count > _MAX_ELEMENTS:
                raise _refused("is nested too deeply or has too many parts")
    except (ET.ParseError, LookupError, ValueError) as error:
        if root is None:
            raise _refused("is no XML") from error
        return root, False
    if root is None:
        raise _refused("is empty")
    return root, True


def _prune(article: ET.Element) -> None:
    """Take out what is no running text, such as numbers of references, and keep what follows it."""
    for parent in list(article.iter()):
        before: ET.Element | None = None
        for child in list(parent):
            if _name(child) in _NOT_TEXT or child.get("ref-type") in _LINKS:
                if before is None:
                    parent.text = (parent.text or "") + (child.tail or "")
                else:
                    before.tail = (before.tail or "") + (child.tail or "")
                parent.remove(child)
            else:
                before = child


def _own_tables(article: ET.Element) -> Iterator[ET.Element]:
    """The tables that are not of answers to the article, nor of sections that tell of others."""
    sections = article.findall("body/sec")
    elsewhere = {
        id(table)
        for section in sections
        if _kind_of(section.get("sec-type", ""), text_of(section.find("title"))) in _OF_OTHERS
        for table in section.iter("table-wrap")
    }
    for part in ("body", "floats-group", "back"):
        for element in article.findall(part):
            yield from (t for t in element.iter("table-wrap") if id(t) not in elsewhere)


class _Body:
    """The sections of a body as they are found, within the limits."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.cut = False
        self._room = _MAX_CHARS

    def take(self, element: ET.Element, path: tuple[str, ...], kind: SectionKind) -> None:
        """Take in a section and those within it."""
        own = []
        for text in _paragraphs(element):
            if len(text) > self._room:
                self.cut = True
                break
            self._room -= len(text)
            own.append(text)
        if own and len(self.sections) < _MAX_SECTIONS:
            self.sections.append(Section(path=path, kind=kind, paragraphs=tuple(own)))
        self.cut = self.cut or len(self.sections) >= _MAX_SECTIONS
        for part in element.findall("sec"):
            title = text_of(part.find("title"))
            if not _LEFT_OUT.search(f"{part.get('sec-type', '')} {title}"[:300]):
                below = kind if kind != "other" else _kind_of(part.get("sec-type", ""), title)
                self.take(part, (*path, title) if title else path, below)


def _paragraphs(element: ET.Element) -> Iterator[str]:
    """The paragraphs and lists that stand in a section itself."""
    for child in element:
        if _name(child) in ("p", "list", "disp-quote", "def-list") and (text := text_of(child)):
            yield text


def _kind_of(sec_type: str, title: str) -> SectionKind:
    for told in (sec_type, title):
        for kind, pattern in _KINDS:
            if pattern.search(told[:300]):
                return kind
    return "other"


def _licence(article: ET.Element) -> str:
    """The licence by its short name where it is one of Creative Commons."""
    told: list[str] = []
    for element in article.iterfind("front/article-meta/permissions//*"):
        if _name(element) in ("license", "license_ref", "license-p", "ext-link"):
            told += [v for k, v in element.attrib.items() if k.endswith(("href", "license-type"))]
            words = "".join(element.itertext()) if _name(element) in _LICENCE_WORDS else ""
            told += [words] if words not in " ".join(told) else []
    text = " ".join(" ".join(told).split())[:5_000]
    if found := _CC.search(text):
        name = found.group(1).lower()
        return "cc0" if name in ("zero", "mark") else f"cc {name}"
    if found := _CC_SHORT.search(text):
        name = found.group(1).lower()
        return "cc0" if name == "0" else f"cc {name}"
    return text[:300]
