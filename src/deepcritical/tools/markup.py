"""Plain text out of text with HTML, JATS or escaped markup, with nothing lost or glued together."""

from __future__ import annotations

import html
import re

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
        plain = _ENTITY.sub(_decoded, _without_tags(_DROPPED.sub(" ", text)))
        if plain == text:
            break
        text = plain
    text = re.sub(rf"{_RUN_IN}\s*", "", text)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n{2,}", text))
    return "\n\n".join(part for part in paragraphs if part)


def _decoded(match: re.Match[str]) -> str:
    return _UNSEEN.sub("", html.unescape(match.group()))


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
