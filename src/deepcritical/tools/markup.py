"""Extracts plain text from HTML, JATS, escaped markup and XML elements.

Indexes print titles and abstracts with `<i>`, `<b>`, `<sup>`, `<sub>` and MathML inside (``%text``
of the PubMed DTD). Read without them, ``10<sup>3</sup>`` becomes 10 and a gene in italics vanishes.
Here every character is kept, and what only the typesetting said is written out: an exponent gets a
caret, a fraction a slash, a root its sign.
"""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

from deepcritical.domain.text.patterns import bounded

_KNOWN = frozenset(
    "a abbr abstract article-title b bold br caption center citation cite code dd div dl dt em "
    "emph emphasis ext-link fn font formula h1 h2 h3 h4 h5 h6 i inf inline-formula italic label li "
    "list list-item math mi mn mo mrow msub msup mtext named-content ol p para q s sc sec section "
    "small span strike strong styled-content sub subscript sup superscript table tbody td th "
    "title tr tt u ul underline xref".split()
)
_HEADING = re.compile(r"h[1-6]|title|label|caption")
_PARAGRAPH = frozenset({"p", "div", "sec", "section", "para", "li", "list-item", "abstract"})
_BLANK = frozenset({"br", "td", "th", "tr", "dd", "dt", "table"})
_BOLD = frozenset({"b", "bold", "strong"})
_RAISED = frozenset({"sup", "superscript", "msup"})

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)(?:\s[^<>]*)?/?>")
_CLOSED = re.compile(r"</([A-Za-z][\w:.-]*)\s*>")
_DROPPED = re.compile(
    r"<!--.{0,2000}?-->|<!\[CDATA\[|\]\]>|<tex-math\b.{0,2000}?</tex-math>|\\documentclass.{0,2000}?\\end\{document\}",
    re.DOTALL,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_NUMBER = re.compile(r"[-\u2212\u2013+]?\d+(?:[.,\u00b7]\d+)?")
_EXPONENT = re.compile(
    r"[-\u2212\u2013+]?\d(?!\d*(?:st|nd|rd|th)\b)[\d.,\u00b7]*|[-\u2212\u2013+]\w+"
)
_UP_TO_TAG = re.compile(r"[^<>]{1,40}(?=<)")
_UNSEEN = re.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_RUN_IN = "\x00"
"""Behind a label, whose paragraph follows on the same line."""
_PASSES = 3
"""Markup is met escaped once and twice."""


def clean_markup(text: str) -> str:
    """The text without markup: paragraphs parted by an empty line, a heading as ``Heading: ``.

    Exponents stay exponents (``10<sup>3</sup>`` is 10^3), other raised and lowered text stays
    where it is (CO2, Ca2+). A ``<`` that begins no tag is a less-than sign.
    """
    text = _CONTROL.sub(" ", text)
    for _ in range(_PASSES):
        whole = _without_tags(_DROPPED.sub(" ", text))
        plain = _ENTITY.sub(lambda m: _UNSEEN.sub("", html.unescape(m.group())), whole)
        if plain == text:
            break
        text = plain
    text = re.sub(rf"{_RUN_IN}\s*", "", text)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n{2,}", text))
    return "\n\n".join(part for part in paragraphs if part)


def _without_tags(text: str) -> str:
    """The text piece by piece, a tag replaced by what it stands for."""
    closed = {name.lower() for name in _CLOSED.findall(text)}
    out: list[str] = []
    heading: list[str] | None = None
    at = 0
    for tag in _TAG.finditer(text):
        name = tag.group(2).lower()
        if name.rpartition(":")[2] not in _KNOWN and name not in closed:
            continue
        target = out if heading is None else heading
        target.append(_UNSEEN.sub("", text[at : tag.start()]))
        at, name = tag.end(), name.rpartition(":")[2]
        if not _HEADING.fullmatch(name):
            target.append(_for_tag(name, bool(tag.group(1)), target, text, at))
        elif not tag.group(1):
            out.append(_label(heading))
            heading = []
        else:
            out.append(_label(heading))
            heading = None
    rest = _UNSEEN.sub("", text[at:])
    # A heading that never ends is text.
    return "".join((*out, _label(None) if heading is None else "\n\n", *(heading or ()), rest))


def _label(heading: list[str] | None) -> str:
    """A section heading as the label of what follows it."""
    words = " ".join("".join(heading or ()).split()).rstrip(":. ")
    if not words or words.lower() == "abstract":
        return "\n\n" if heading is not None else ""
    return f"\n\n{words}{'' if words[-1] in '?!' else ':'} {_RUN_IN}"


def _for_tag(name: str, closing: bool, before: list[str], text: str, at: int) -> str:
    if name in _PARAGRAPH:
        return "\n\n"
    if name in _BLANK:
        return " "
    if name in _RAISED and not closing:
        return _caret(before, text, at)
    if name in _BOLD and closing:
        # A bold heading that touches its text: <b>Results</b>We found ...
        last = next((piece for piece in reversed(before) if piece), "")
        return ": " if re.search(r"[a-z]$", last) and text[at : at + 1].isupper() else ""
    return ""


def _caret(before: list[str], text: str, at: int) -> str:
    """``^`` where the raised text is an exponent (10^3, kg/m^2), nothing in Ca2+ or CD4+."""
    found = _UP_TO_TAG.match(text, at)
    raised = html.unescape(found.group()).strip() if found else ""
    last = "".join(before[-3:])[-1:]
    digit = last.isdigit() and _EXPONENT.fullmatch(raised)
    other = (last.isalnum() or last in (")", "]")) and _NUMBER.fullmatch(raised)
    return "^" if last and (digit or other) else ""


# XML 1.0 allows none of these in a document, so none of them can be text.
_UP, _UP_END, _DOWN, _SLANTED = "\x02", "\x03", "\x04", "\x05"

_INDENTED_SCRIPT = re.compile(
    rf"(?<!\s)(?=[^\S\n]{{0,20}}\n)\s{{1,200}}+"
    rf"(?={_DOWN}|{_UP}(?![^{_UP_END}]{{0,300}}{_UP_END}\w))"
)
"""Not by `bounded`: the indentation of a deep element is longer than its runs of blanks."""
_INDENTED_AFTER_BRACKET = re.compile(r"(?<=[(\[])[ \t]*+\n\s*+")
_RUN_ON = bounded(rf"(?<=[.!?]){_SLANTED}(?=[A-Z][a-z])")
_SCRIPT = bounded(rf"{_UP}([^{_UP_END}]*){_UP_END}")
_XML_EXPONENT = bounded(r"[-−–+]?\d(?!\d*(?:st|nd|rd|th)\b)|[-−–+]\w")
_MARKS = bounded(f"[{_UP}{_UP_END}{_DOWN}{_SLANTED}]")

_ESCAPED = bounded(
    r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});|</?(?:i|b|u|em|strong|su[bp])>",
    re.IGNORECASE,
)
"""Markup that a publisher sent escaped once too often: to XML it is text."""

_LAYOUT = re.compile(r"[^\S\n]{0,20}\n\s*+")

_ACCENTS = {
    ".": "\u0307",
    "˙": "\u0307",
    "¯": "\u0304",
    "‾": "\u0304",
    "_": "\u0304",
    "-": "\u0304",
    "^": "\u0302",
    "\u02c6": "\u0302",
    "~": "\u0303",
    "\u02dc": "\u0303",
    "→": "\u20d7",
}
"""An accent over a MathML symbol, and the combining character that prints it."""
_TOKENS = frozenset({"mi", "mn", "mo", "ms", "mtext"})
"""MathML elements that hold text; blanks in all others are layout."""
_NOT_SHOWN = frozenset({"annotation", "annotation-xml", "maligngroup", "malignmark"})
"""MathML that repeats a formula in another notation."""


def plain_text(element: ET.Element) -> str:
    """The text of an element and all it holds, with single blanks."""
    text = _read(element) if len(element) else " ".join((element.text or "").split())
    suspect = "&" in text or "<" in text  # most texts have neither
    return " ".join(clean_markup(text).split()) if suspect and _ESCAPED.search(text) else text


def _read(element: ET.Element) -> str:
    """The text of an element that holds others."""
    try:
        text = _inline(element)
    except RecursionError:  # thousands of levels: the words without what the tags say
        text = "".join(element.itertext())
    # A payload that was indented has line breaks in front of inline elements.
    text = _INDENTED_SCRIPT.sub("", text)
    text = _INDENTED_AFTER_BRACKET.sub("", text)
    # Headings in italics may follow the sentence before without a blank.
    text = _RUN_ON.sub(" ", text)
    text = text.replace(_DOWN, "").replace(_SLANTED, "")
    text = _MARKS.sub("", _SCRIPT.sub(_raised, text))
    return " ".join(text.split())


def text_at(element: ET.Element | None, *paths: str) -> str:
    """The first text that is not empty at one of the paths, else ''."""
    return next((text for path in paths for text in texts_at(element, path)), "")


def texts_at(element: ET.Element | None, path: str) -> tuple[str, ...]:
    """All texts at a path that are not empty, each once."""
    texts = (plain_text(found) for found in children_of(element, path))
    return tuple(dict.fromkeys(text for text in texts if text))


def children_of(element: ET.Element | None, path: str) -> list[ET.Element]:
    """All elements at a path; none of an element that is missing."""
    return [] if element is None else element.findall(path)


def _inline(element: ET.Element) -> str:
    pieces = [element.text or ""]
    for child in element:
        pieces += (_marked(child), child.tail or "")
    return "".join(pieces)


def _marked(child: ET.Element) -> str:
    """The text of an inline element, with marks for what its tag says."""
    name = _local(child)
    if name == "math":
        return _formula(child)
    text = _inline(child)
    if name == "sup":
        return f"{_UP}{text.strip()}{_UP_END}"
    if name == "sub":
        return f"{_DOWN}{text.strip()}"
    if name in ("i", "b", "u"):
        return f"{_SLANTED}{text}"
    return f" {text} " if name in ("br", "p", "list", "list-item") else text


def _raised(match: re.Match[str]) -> str:
    """A superscript: with a caret where it is an exponent, as in 10^3, not in CD4+ or Ca2+."""
    before, inner = match.string[match.start() - 1 : match.start()], match.group(1).strip()
    exponent = (before.isdigit() and _XML_EXPONENT.match(inner)) or (
        (before.isalnum() or before in (")", "]")) and _NUMBER.fullmatch(inner)
    )
    return f"^{inner}" if before and exponent else inner


def _formula(element: ET.Element) -> str:
    """MathML on one line (MathML 3, chapter 3: presentation markup)."""
    name = _local(element)
    if name in _NOT_SHOWN:
        return ""
    parts = [_formula(child) + _unless_layout(child.tail) for child in element]
    own = element.text or ""
    text = _LAYOUT.sub("", own) if name in _TOKENS else _unless_layout(own)
    return text + (_arranged(name, parts) if len(parts) > 1 else _enclosed(name, element, parts))


def _arranged(name: str, parts: list[str]) -> str:
    """Two or more parts, of which the tag says how they stand to one another."""
    if name in ("msup", "msubsup"):
        caret = "^" if re.search(r"\w", parts[-1]) else ""
        return "".join(parts[:-1]) + caret + (_grouped(parts[-1]) if caret else parts[-1])
    if name == "mfrac":
        return f"{_grouped(parts[0])}/{_grouped(''.join(parts[1:]))}"
    if name == "mroot":
        return f"{''.join(parts[1:])}√{_grouped(parts[0])}"
    if name == "mover":
        return parts[0] + _ACCENTS.get(parts[1].strip(), "".join(parts[1:]))
    return f"√({''.join(parts)})" if name == "msqrt" else "".join(parts)


def _enclosed(name: str, element: ET.Element, parts: list[str]) -> str:
    text = "".join(parts)
    if name == "msqrt":
        return f"√{_grouped(text)}"
    if name == "mfenced":
        return f"{element.get('open', '(')}{text}{element.get('close', ')')}"
    return f"{text} " if name in ("mspace", "mtd") else text


def _unless_layout(text: str | None) -> str:
    return text if text and text.strip() else ""


def _grouped(text: str) -> str:
    """A part of a formula in parentheses, unless it is one symbol, number or word."""
    text = text.strip()
    return text if re.fullmatch(r"[-−]?[\w.]*", text) else f"({text})"


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2].rpartition(":")[2]
