"""The sentences of a report's prose that cite a record, found and rewritten in their places.

Tables and headings are structured data, and so is every field that is no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from deepcritical.domain.citation_validator import NOT_PROSE, UNSUPPORTED, AnyDocument
from deepcritical.domain.documents import Document
from deepcritical.domain.hypotheses import Sign
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.patterns import bounded
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import ReportSection
from deepcritical.domain.text import sentences
from deepcritical.reasoning.ratings import rating_pattern
from deepcritical.writing.citing import FOLLOWS, NOTE, QUOTED, SUMMARY

__all__ = ["Cited", "Prose", "marked_prose"]

_NUMBERS = r"\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*"
_MARKER = bounded(rf"(?<!\\)\[(?P<numbers>{_NUMBERS})\](?!\()|{re.escape(UNSUPPORTED)}")
_BEHIND_STOP = bounded(rf"([.!?][”\"]?)(\s*)((?:\[{_NUMBERS}\])+|{re.escape(UNSUPPORTED)})(?!\()")
_INTRO = (
    rf"(?:(?i:{QUOTED}|{SUMMARY}) (?:\[{_NUMBERS}\])+|"
    rf"{'|'.join(sign.value.capitalize() for sign in Sign)}): "
)
_INTRODUCED = bounded(rf"^{_INTRO}")
_LEAD = bounded(
    rf"^\s*-\s+(?:{'|'.join(filter(None, FOLLOWS.values()))})?(?:\*\*.*?\*\*(?: \([^)]*\))?"
    rf"(?:, (?:{QUOTED}|{SUMMARY}) (?:\[{_NUMBERS}\])+)?: )?"
)
# Not bounded: where something was blanked out, hundreds of blanks stand in a row.
_HEAD = re.compile(rf"(?:^|[.!?][”\"]?|\])\s*(?P<intro>(?:{_INTRO})?)(?P<open>[“\"]?)$")
_TAIL = bounded(rf"[.!?]?[”\"]?\s*(?:\[{_NUMBERS}\]|{re.escape(UNSUPPORTED)})+(?!\()[.!?]?")
"""What stands before and behind words of a record that are told as they are."""
_PARTED = bounded(r" (?=[.,;](?:\s|$))")
"""What a marker leaves before a stop; in "p = .008" it stays."""
_NO_TEXT = frozenset({"title"}) | NOT_PROSE
_FINDINGS = (
    "executive_summary",
    "clinical_findings",
    "mechanistic_findings",
    "contradictions",
    "safety",
    "conclusion",
    "sections",  # of an answer
)
"""The fields that tell what the evidence says."""
_FIGURE = bounded(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
"""A number that is no part of a name such as IL-6 or BACE1."""


class Cited(NamedTuple):
    """A sentence with what it cites."""

    text: str
    """Without its markers."""
    numbers: tuple[int, ...] = ()
    is_rating: bool = False
    marked: bool = False
    """Whether it is marked as unsupported already."""


class _Found(NamedTuple):
    cited: Cited
    markers: tuple[int, ...]
    """Which of the line's markers are its own."""


class Prose:
    """The prose of one report.

    Args:
        report: The report; it is not changed.
    """

    def __init__(self, report: Document) -> None:
        self._report = report
        brief = report.brief if isinstance(report, ResearchReport) else None
        told = (*brief.answer, *brief.harms) if brief else ()
        self._of_brief = {escape_markdown(sentence.text) for sentence in told}
        """Sentences that are checked as those of the brief, wherever they stand."""
        called = ((r.short_name, r.former_name) for r in report.references)
        names = (escape_markdown(name) for both in called for name in both)
        rows = report.verdict.rows if isinstance(report, ResearchReport) else ()
        remarks = {stance.why for row in report.evidence_table for stance in row.stances}
        self._ratings = rating_pattern(
            names,
            (*self._of_brief, *(escape_markdown(row.sentence) for row in rows)),
            map(escape_markdown, remarks),
        )
        notes = {f"{NOTE}{escape_markdown(r.note.rstrip('.'))}" for r in report.references}
        said = {claim.sentence.rstrip(".!?") for claim in report.claims}
        words = (text for text in said | notes - {NOTE} if re.search(r"\w", text))
        self._verbatim = sorted(words, key=len, reverse=True)
        """Words of records, which may be several sentences."""

    def cited(self) -> Iterator[Cited]:
        """Each sentence that cites a record, and each rating, in the order of the fields."""
        for name, value in self._report:
            for line in _lines(name, value):
                yield from (f.cited for f in self._of_line(line) if f.markers or f.cited.is_rating)

    def uncited_figures(self) -> Iterator[str]:
        """Each sentence about the evidence with a figure and without a citation.

        What tells of the run itself has its figures from the run's log. Those in the title belong
        to the names of drug and condition.
        """
        report = self._report
        asked = report.title if isinstance(report, ResearchReport) else report.question
        known = set(_FIGURE.findall(asked))
        for name in (n for n in _FINDINGS if n in type(report).model_fields):
            for line in _lines(name, getattr(report, name)):
                for found in self._of_line(line):
                    bare = not found.markers and not found.cited.is_rating
                    bare = bare and found.cited.text not in self._of_brief
                    if bare and not known.issuperset(_FIGURE.findall(found.cited.text)):
                        yield found.cited.text

    def marked_line(self, line: str, fails: Callable[[Cited], bool]) -> str:
        """A line with the markers of what fails replaced."""
        if not _is_prose(line):
            return line
        own = [found for found in self._of_line(line) if found.markers]
        failing = [found.markers for found in own if fails(found.cited)]
        first = {markers[0] for markers in failing}
        gone = {at for markers in failing for at in markers} - first
        parts, end = [], 0
        for at, marker in enumerate(_MARKER.finditer(line)):
            kept = line[end : marker.start()]
            parts.append(kept.rstrip() if at in gone else kept)
            parts.append("" if at in gone else UNSUPPORTED if at in first else marker.group())
            end = marker.end()
        return "".join((*parts, line[end:]))

    def _of_line(self, line: str) -> Iterator[_Found]:
        blank, ratings = line, list(self._ratings.finditer(line))
        for rating in ratings:
            yield _Found(_cited(rating.group(), is_rating=True), _within(line, rating.span()))
            blank = _blanked(blank, rating.span())
        if lead := _LEAD.match(blank):
            blank = _blanked(blank, lead.span())
        for begin, place in self._told_verbatim(blank):
            yield _Found(_cited(line[slice(*place)]), _within(line, place))
            blank = _blanked(blank, (begin, place[1]))
        offset = dict(enumerate(_indices(line, blank)))
        moved = _BEHIND_STOP.sub(r"\2\3\1", blank)
        for span in sentences(moved):
            intro = _INTRODUCED.match(span.text)
            start = span.start + (intro.end() if intro else 0)
            own = _within(moved, (start, span.end))
            yield _Found(_cited(moved[start : span.end]), tuple(offset[at] for at in own))

    def _told_verbatim(self, line: str) -> Iterator[tuple[int, tuple[int, int]]]:
        """Where words of a record stand as a whole, with a citation, and where they are led in."""
        for words in self._verbatim:
            at = line.find(words)
            while at >= 0:
                head, tail = _HEAD.search(line, 0, at), _TAIL.match(line, at + len(words))
                if head and tail:
                    yield head.start("intro"), (head.start("open"), tail.end())
                    line = _blanked(line, (head.start("intro"), tail.end()))
                at = line.find(words, at + 1)


def marked_prose(report: AnyDocument, fails: Callable[[Cited], bool]) -> AnyDocument:
    """The report with ``[unsupported]`` in the place of the markers of what fails."""
    prose = Prose(report)

    def mark(text: str) -> str:
        return "\n".join(prose.marked_line(line, fails) for line in text.split("\n"))

    return report.model_copy(update={name: _changed(name, value, mark) for name, value in report})


def _lines(name: str, value: Any) -> Iterator[str]:
    for text in _texts(name, value):
        yield from filter(_is_prose, text.split("\n"))


def _texts(name: str, value: Any) -> Iterator[str]:
    """The texts of a field, if it is prose."""
    if name in _NO_TEXT:
        return
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, ReportSection):
            yield part.content
        elif type(part) is str:
            yield part


def _changed(name: str, value: Any, change: Callable[[str], str]) -> Any:
    """The field with its texts changed, if it is prose."""
    if name in _NO_TEXT:
        return value
    if isinstance(value, tuple):
        return tuple(_changed(name, part, change) for part in value)
    if isinstance(value, ReportSection):
        return value.model_copy(update={"content": change(value.content)})
    return change(value) if type(value) is str else value


def _is_prose(line: str) -> bool:
    return not line.lstrip().startswith(("|", "#"))


def _blanked(line: str, span: tuple[int, int]) -> str:
    start, end = span
    return f"{line[:start]}{' ' * (end - start)}{line[end:]}"


def _within(line: str, span: tuple[int, int]) -> tuple[int, ...]:
    """Which of a line's markers lie in a span."""
    places = enumerate(m.start() for m in _MARKER.finditer(line))
    return tuple(at for at, start in places if span[0] <= start < span[1])


def _indices(line: str, blank: str) -> Iterator[int]:
    """Which of a line's markers are left, in order; what is moved behind keeps its order."""
    left = {m.start() for m in _MARKER.finditer(blank)}
    return (at for at, m in enumerate(_MARKER.finditer(line)) if m.start() in left)


def _cited(text: str, *, is_rating: bool = False) -> Cited:
    found = [m["numbers"] for m in _MARKER.finditer(text)]
    numbers = dict.fromkeys(n for group in found if group for n in _expanded(group))
    bare = _PARTED.sub("", " ".join(_MARKER.sub("", text).split()))
    return Cited(bare, tuple(numbers), is_rating, None in found)


def _expanded(group: str) -> Iterator[int]:
    """The numbers of ``1, 3-5``: 1, 3, 4, 5."""
    for part in re.split(r"\s{0,20}[,;]\s{0,20}", group):
        first, *rest = (int(n) for n in re.split(r"\s{0,20}[–-]\s{0,20}", part))
        yield from range(first, max([first, *rest]) + 1)
