"""What of a record's text may bear a claim, and where a quote stands in it.

The body is the text without its own title at the head and without a list of references: words that
stand only there were said by somebody else, or say nothing.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache

from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span, fold, locate_quote, sentences

_HEADING = bounded(
    r"(?:^|\n|(?<=[.!?]\s))[ \t]*(?:\d+\.?\s+)?(?:references?|bibliography|literature cited|"
    r"works cited|reference list)\s*(?:\n|:|\.|(?=\[?1[\].)]))",
    re.IGNORECASE,
)
_ENTRY = bounded(
    r"\b(?:19|20)\d{2}(?:\s+[A-Z][a-z]{2}(?:\s+\d{1,2})?)?\s*;\s*\d+\s*"
    r"(?:\([\w -]+\))?\s*:\s*[eE]?\d+|"
    r"^\W*(?:\[?\d{1,3}[\].)]\s*)?(?:[A-Z][\w'’-]+ [A-Z]{1,3}, ){2,}.*\b(?:19|20)\d{2}\b"
)
"""An entry of a reference list in Vancouver style: "2017;31(2):107-113", or authors and a year."""
_TITLE_LABEL = re.compile(r"\A\s*title\s*:\s*(?P<title>[^\n]*)(?:\n|\Z)", re.IGNORECASE)
_GOES_ON = re.compile(r"[ ,]{0,2}[a-z0-9(]|,")
_ALIKE = 0.92
_WORD = bounded(r"\w+(?:[.·]\d+)?|[%<>=≤≥]")


def _body(content: str, title: str) -> tuple[int, int]:
    """Where the body begins and ends."""
    start = 0
    if labelled := _TITLE_LABEL.match(content):
        start = labelled.end()
    elif title and fold(content[: len(title) + 40]).startswith(fold(title).rstrip(".")):
        end = len(title.rstrip("."))
        # A short title may be the first words of a sentence.
        start = 0 if _GOES_ON.match(content, end) else end
    # A heading near the beginning is the word in running text, such as a paper on references.
    headings = [m for m in _HEADING.finditer(content) if _ENTRY.search(content, m.end())]
    end = headings[-1].start() if headings else len(content)
    return start, max(start, end)


@lru_cache(maxsize=2048)
def body_sentences(content: str, title: str = "") -> tuple[Span, ...]:
    """The sentences that may bear a claim, with offsets into `content`."""
    start, end = _body(content, title)
    inside = (s for s in sentences(content) if s.start >= start - 1 and s.end <= end + 1)
    return tuple(s for s in inside if not _ENTRY.search(s.text))


def in_references(quote: str, content: str, title: str = "") -> bool:
    """Whether a quote stands in the text, but only in its list of references."""
    place = locate_quote(quote, content)
    return place is not None and not _within(place, body_sentences(content, title))


def _within(place: tuple[int, int], body: tuple[Span, ...]) -> bool:
    """Whether a place lies in sentences of the body alone."""
    start, end = place
    touched = [s for s in body if s.start < end and start < s.end]
    covered = sum(min(end, s.end) - max(start, s.start) for s in touched)
    return bool(touched) and covered >= 0.8 * (end - start)


def align_quote(quote: str, content: str, title: str = "") -> tuple[int, int] | None:
    """Where a quote stands in the body of a text: exactly, folded, or but for a slip.

    The last is for words lost or misspelt in copying: nine tenths of the words must be there in
    their order, and each number.

    Returns:
        Start and end offsets into `content`, or None.
    """
    body = body_sentences(content, title)
    place = locate_quote(quote, content)
    at = 0
    while place is not None and not _within(place, body):
        # The same words may stand in the title and again in the body.
        at = place[1]
        rest = locate_quote(quote, content[at:])
        place = (at + rest[0], at + rest[1]) if rest else None
    return place or _aligned(quote, body)


def _aligned(quote: str, body: tuple[Span, ...]) -> tuple[int, int] | None:
    wanted = _WORD.findall(fold(quote))
    if len(wanted) < 4:
        return None
    for size in (1, 2, 3):
        for first in range(len(body) - size + 1):
            spans = body[first : first + size]
            if place := _in_span(wanted, spans):
                return place
    return None


def _in_span(wanted: list[str], spans: tuple[Span, ...]) -> tuple[int, int] | None:
    words = [
        (fold(m.group()), span.start + m.start(), span.start + m.end())
        for span in spans
        for m in _WORD.finditer(span.text)
    ]
    matcher = SequenceMatcher(None, wanted, [w for w, _, _ in words], autojunk=False)
    if matcher.real_quick_ratio() * (len(wanted) + len(words)) < 2 * _ALIKE * len(wanted):
        return None
    blocks = [b for b in matcher.get_matching_blocks() if b.size]
    if not blocks or sum(b.size for b in blocks) < _ALIKE * len(wanted):
        return None
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size
    found = {w for w, _, _ in words[first:last]}
    figures = {w for w in wanted if w[0].isdigit() or w in ("not", "no", "without")}
    close = last - first <= len(wanted) + 3
    negations = {w for w in found if w in ("not", "no", "without")}
    if not close or not figures <= found or not negations <= figures:
        return None
    return words[first][1], words[last - 1][2]
