"""Splits text into sentences and labelled sections, and locates quotes by character offsets.

The body of a text is without its own title at the head and without a list of references: words that
stand only there were said by somebody else, or say nothing.
"""

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded

_ABBREVIATION = bounded(
    r"(?:^|[\s(\[])(?:vs|e\.g|i\.e|cf|et\ al|approx|ca|resp|no|fig|dr|prof|st|inc|ltd|i\.p|i\.v|"
    r"p\.o|spp|sp|subsp|incl|excl|max|min|wt|U\.S|U\.K)$",
    re.IGNORECASE,
)
_INITIAL = bounded(r"(?:^|[\s(.])[A-Z]$")
# Not bounded: where something was blanked out, hundreds of blanks stand in a row.
_BREAK = re.compile(
    r"(?!(?<=[=<>≤≥])\.\s\d|(?<=[=<>≤≥] )\.\s\d)[.!?][)\]\"”’']*"
    r"(?=\s+[\"“(\[]?[A-Z0-9Α-Ω“]|\s+[a-zα-ω]?[A-Zβγ]|\s*$)|\n{2,}"
)
_LABEL_WORDS = (
    r"(?:background(?: and aims?)?|introduction|aims?|objectives?|purpose|context|rationale|"
    r"importance|question|meaning|exposures?|design, setting,? and participants|"
    r"main outcomes? measures?|materials? and methods?|patients and methods?|"
    r"research design and methods?|study design|methods?|design|setting|participants|"
    r"interventions?|measurements?|"
    r"main outcomes?(?: and measures?)?|results?|findings|main results|discussion|"
    r"(?:authors['’]? )?conclusions?(?: and relevance)?|interpretation|significance|harms?|safety|"
    r"adverse (?:events?|effects?|reactions?)|side effects?|toxicit(?:y|ies)|tolerability|efficacy|"
    r"funding|areas of uncertainty|data sources?|data collection(?: and analysis)?|"
    r"data extraction(?: and synthesis)?|data synthesis|study selection|selection criteria|"
    r"search methods?|search strategy|review methods?|eligibility criteria|therapeutic advances?|"
    r"trial design|limitations?|meaning|"
    r"trial registration(?: number)?|registration)"
)
_LABEL = bounded(
    rf"(?P<label>(?:^|\b(?-i:(?=[A-Z]))){_LABEL_WORDS})\s*:\s*[-–]?\s*|"
    r"(?P<bare>(?:(?<=^)|(?<=[.!?] ))"
    r"(?-i:(?:Background|BACKGROUND|Introduction|INTRODUCTION|Importance|IMPORTANCE|Objectives?|"
    r"OBJECTIVES?|Design, [Ss]etting,? and [Pp]articipants|DESIGN, SETTING,? AND PARTICIPANTS|"
    r"Methods|METHODS|Interventions?|INTERVENTIONS?|Main [Oo]utcomes? and [Mm]easures?|"
    r"MAIN OUTCOMES? AND MEASURES?|Results|RESULTS|Findings|FINDINGS|Discussion|Interpretation|"
    r"INTERPRETATION|Conclusions?(?: and [Rr]elevance)?|CONCLUSIONS?(?: AND RELEVANCE)?|"
    r"Question|Meaning|Search methods|Selection criteria|Data collection and analysis|"
    r"Main results|Authors['’]? conclusions|Purpose|Aims?|Setting|Participants|Rationale) "
    r"(?=[A-Z0-9])))",
    re.IGNORECASE | re.MULTILINE,
)
_MARKERS = bounded(r"\s*(?:\[\d[\d\s,;–-]*\])+[.!?]?")
"""Citations behind the end of a sentence."""

_LONGEST_SENTENCE = 2_000
"""Characters. What is longer is a list or a trap, and is read in parts, so that the time that a
sentence takes has an end."""


class Span(NamedTuple):
    """A piece of a text: `text == source[start:end]`.

    `label` is the section it stands in, lower-case, or ''.
    """

    text: str
    start: int
    end: int
    label: str = ""


def fold(text: str) -> str:
    """Lower-case, one kind of blank, dash and apostrophe: for comparing, never for showing."""
    # Apostrophes first: NFKC makes a blank and a combining accent out of "´".
    folded = re.sub(r"[\u2018\u2019\u02bc`´]", "'", text)
    folded = unicodedata.normalize("NFKC", folded).casefold()
    folded = re.sub(r"[\u2010-\u2015\u2212]", "-", folded)
    folded = re.sub(r"[\u201c\u201d]", '"', folded)
    return re.sub(r"\s+", " ", folded).strip()


@lru_cache(maxsize=4096)
def _folded_char(char: str) -> str:
    return " " if char.isspace() else fold(char)


def capitalised(text: str) -> str:
    """The text with its first letter in capitals, the rest as it is."""
    return text[:1].upper() + text[1:]


def _sections(text: str) -> list[Span]:
    marks = list(_LABEL.finditer(text))
    if not marks:
        return [Span(text, 0, len(text))]
    spans = [Span(text[: marks[0].start()], 0, marks[0].start())] if marks[0].start() else []
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        end = after.start() if after else len(text)
        label = (mark.group("label") or mark.group("bare")).strip().lower()
        spans.append(Span(text[mark.end() : end], mark.end(), end, label))
    return spans


def _ends_sentence(text: str, at: int) -> bool:
    if text[at] != ".":
        return True
    before = text[max(0, at - 12) : at]
    return not (_ABBREVIATION.search(before) or _INITIAL.search(before))


def _split(section: Span) -> list[Span]:
    pieces: list[Span] = []
    start = 0
    for match in _BREAK.finditer(section.text):
        if not _ends_sentence(section.text, match.start()):
            continue
        pieces.append(_trimmed(section, start, match.end()))
        start = match.end()
    pieces.append(_trimmed(section, start, len(section.text)))
    return [part for piece in pieces for part in _parts(piece) if part.text]


def _parts(piece: Span) -> Iterator[Span]:
    """Yield a sentence, or the parts of one that is longer than a sentence can be."""
    start = 0
    while len(piece.text) - start > _LONGEST_SENTENCE:
        blank = piece.text.rfind(" ", start + 1, start + _LONGEST_SENTENCE)
        end = blank if blank > 0 else start + _LONGEST_SENTENCE
        yield _trimmed(piece, start, end)
        start = end
    yield _trimmed(piece, start, len(piece.text)) if start else piece


def _trimmed(section: Span, start: int, end: int) -> Span:
    raw = section.text[start:end]
    lead = len(raw) - len(raw.lstrip())
    body = raw.strip()
    begin = section.start + start + lead
    return Span(body, begin, begin + len(body), section.label)


def sentences(text: str) -> list[Span]:
    """The sentences of a text in order, without section labels, with offsets into `text`.

    Abbreviations (vs., e.g., et al.), decimals and initials do not end a sentence.
    """
    return [piece for section in _sections(text) for piece in _split(section)]


_LAST_WORD = bounded(r"([^\W\d_]+)\W*$")
_OPEN_END = bounded(
    r"\b(?:a|an|the|of|in|with|by|to|for|from|and|or|but|than|as|at|on|per|vs|including|during|was|"
    r"were|is|are|that|which|[b-hj-z])$|[\d,;:(–—-]$|\[(?:\.\.\.|…)\]\W*$",
    re.IGNORECASE,
)
_ENDED = bounded(r"[.!?][)\]\"”’'\d\s,–-]*$")
_GAP_NOTED = bounded(r"^\[[^\]]*not shown[^\]]*\]|^\[(?:\.\.\.|…)\]", re.IGNORECASE)


def whole_sentences(text: str) -> list[Span]:
    """The sentences of a text without those that it breaks off or whose beginning it lacks.

    A stored abstract can end in the middle of a sentence or of a word, and half a finding can say
    the opposite of the whole.
    """
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    return [s for s in sentences(text) if not _is_cut(s, text, words)]


def is_ended(sentence: str) -> bool:
    """Return whether a sentence has its full stop or the like, so that no word of it is missing."""
    return _ENDED.search(sentence) is not None


def _is_cut(span: Span, text: str, words: set[str]) -> bool:
    if _GAP_NOTED.search(span.text):
        return True
    if is_ended(span.text) or text[span.end : span.end + 1].isalnum():
        return bool(_OPEN_END.search(span.text)) and "[" in span.text[-8:]
    last = _LAST_WORD.search(span.text)
    fragment = last is not None and _is_fragment(last[1].lower(), text.lower(), words)
    unclosed = span.text.count("(") > span.text.count(")")
    return bool(fragment or unclosed or _OPEN_END.search(span.text))


def _is_fragment(word: str, text: str, words: set[str]) -> bool:
    """Return whether a word stands nowhere else in the text but begins a longer one of it."""
    once = len(re.findall(rf"\b{re.escape(word)}\b", text)) == 1
    return once and any(other != word and other.startswith(word) for other in words)


def locate_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Return the start and end of a quote: exact, else with blanks, dashes and quotes folded.

    None where it is not there.
    """
    wanted = quote.strip()
    if not wanted:
        return None
    at = text.find(wanted)
    if at >= 0:
        return at, at + len(wanted)
    tokens = [re.escape(token) for token in fold(wanted).split(" ")]
    folded, origin = _fold_with_origin(text)
    match = re.search(r"\s+".join(tokens), folded)
    if match is None or match.start() == match.end():
        return None
    return origin[match.start()], origin[match.end() - 1] + 1


def _fold_with_origin(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the offset it came from."""
    out: list[str] = []
    origin: list[int] = []
    for index, char in enumerate(text):
        piece = _folded_char(char)
        out.append(piece)
        origin.extend([index] * len(piece))
    return "".join(out), origin


def shorten_at_sentence(text: str, limit: int) -> str:
    """The longest run of whole sentences within `limit` characters.

    One over-long sentence is kept whole. A sentence is never broken, nor parted from the citations
    behind it: half a finding can say the opposite of the whole.
    """
    if len(text) <= limit:
        return text
    kept = 0
    for span in sentences(text):
        markers = _MARKERS.match(text, span.end)
        end = markers.end() if markers else span.end
        if kept and end > limit:
            break
        kept = max(kept, end)
    return text[:kept]


_ADDRESS = bounded(
    r"\b(?:ignore|disregard|forget|override) (?:[\w-]+ ){0,4}(?:instructions?|rules|prompts?)\b|"
    r"(?:^|[.!?\n>\]])\s*(?:system|assistant|developer|user) ?:|\bsystem prompt\b|"
    r"\b(?:language model|chatbot|AI (?:model|assistant|reviewer|agent))s?\b.{0,60}"
    r"\b(?:must|shall|please|now|always|never)\b|\byou (?:are (?:now|an?)|must|will now)\b|"
    r"\b(?:call|invoke|run|use) the (?:tool|function)\b|<\s*/?\s*(?:system|record|instructions?)\b|"
    r"\b(?:respond|reply|answer) only with\b|\bset (?:the )?(?:verdict|score)\b|"
    r"\b(?:report|mark|rate|score|classify|treat|label|count) (?:this|the|every|each|all|it)\b"
    r".{0,60}\bas (?:supported|(?:a )?benefits?|beneficial|proven|effective|10)\b|"
    r"\b(?:note|message|instructions?) (?:for|to) (?:the |any |all )?(?:automated|automatic|"
    r"machine|LLM|AI)\b|"
    r"\bignor(?:iere[nt]?|ez|a|ad|e|are)\b.{0,40}\b(?:anweisung|instruc|istruz|instruç)\w*|"
    r"(?:忽略|无视).{0,12}(?:指令|指示|说明)",
    re.IGNORECASE,
)
"""Words that speak to whoever reads for a machine, which no finding does."""


def addresses_a_model(text: str) -> bool:
    """Return whether a text gives orders to a machine; it is then no finding and never cited."""
    return _ADDRESS.search(text) is not None


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
    """Return the start and the end of the body."""
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
    """Return whether a quote stands in the text, but only in its list of references."""
    place = locate_quote(quote, content)
    return place is not None and not _within(place, body_sentences(content, title))


def _within(place: tuple[int, int], body: tuple[Span, ...]) -> bool:
    """Return whether a place lies in sentences of the body alone."""
    start, end = place
    touched = [s for s in body if s.start < end and start < s.end]
    covered = sum(min(end, s.end) - max(start, s.start) for s in touched)
    return bool(touched) and covered >= 0.8 * (end - start)


def align_quote(quote: str, content: str, title: str = "") -> tuple[int, int] | None:
    """Return the start and end of a quote in the body: exact, folded, or with a copying slip.

    The last is for words lost or misspelt in copying: nine tenths of the words must be there in
    their order, and each number. None where it is not there.
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
