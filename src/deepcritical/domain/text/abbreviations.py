"""Finds abbreviations defined in a text, as in "AMP-activated protein kinase (AMPK)".

The algorithm is that of A. S. Schwartz and M. A. Hearst, "A simple algorithm for identifying
abbreviation definitions in biomedical text", Pacific Symposium on Biocomputing 8 (2003) 451-462:
the characters of the short form are matched from right to left in the words before the
parentheses, and its first character must begin a word. Three additions: Greek letters also match
the initial of their names, so that "amyloid beta" defines "Aβ"; the initials of the last words are
tried first, so that "multiple myeloma (MM)" is not read as "myeloma"; and a short form must look
like one, by capitals, digits and Greek letters or by being very short.
"""

import re

from deepcritical.domain.text.patterns import bounded

_PARENTHESES = bounded(r"\(([^()]{2,200})\)|\[([^\[\]]{2,200})\]")
_INNER_BREAK = bounded(r"[;,:=]\s|\s[=]")
_SENTENCE_BREAK = bounded(r"[.!?;:)\]]\s+|\n")
_LETTER = bounded(r"[^\W\d_]")
_WORD = bounded(r"[^\W_]+(?:['’][^\W_]+)?")
_MAX_CHARACTERS = 10
_MAX_WORDS = 2
_MIN_MARKS = 2
_VERY_SHORT = 4
_WINDOW = 400
_GREEK_INITIALS = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", "abgdezetiklmnxoprsstupcpo", strict=True))


def expand_abbreviations(text: str) -> dict[str, str]:
    """The abbreviations that a text defines: short form -> long form, both as written.

    The first definition of a short form holds.
    """
    found: dict[str, str] = {}
    for match in _PARENTHESES.finditer(text):
        inner = _INNER_BREAK.split(match[1] or match[2], maxsplit=1)[0].strip()
        before = text[max(0, match.start() - _WINDOW) : match.start()].rstrip()
        before = _SENTENCE_BREAK.split(before)[-1]
        if _is_short_form(inner):
            short, long = inner, _long_form(inner, _last_words(before, inner))
        else:
            short = before.split()[-1] if before else ""
            is_short = _is_short_form(short) and _marks(short) >= _MIN_MARKS
            long = _long_form(short, inner) if is_short else None
        if long:
            found.setdefault(short, long)
    return found


def _is_short_form(candidate: str) -> bool:
    return (
        2 <= len(candidate) <= _MAX_CHARACTERS
        and len(candidate.split()) <= _MAX_WORDS
        and _LETTER.search(candidate) is not None
        and candidate[0].isalnum()
        and (_marks(candidate) >= _MIN_MARKS or len(candidate) <= _VERY_SHORT)
    )


def _marks(candidate: str) -> int:
    """Return the number of capitals, digits and Greek letters in a candidate."""
    return sum(c.isupper() or c.isdigit() or c.lower() in _GREEK_INITIALS for c in candidate)


def _last_words(clause: str, short: str) -> str:
    """The words before the parentheses that can belong to the long form."""
    size = sum(char.isalnum() for char in short)
    count = min(size + 5, size * 2)
    starts = [match.start() for match in re.finditer(r"\S+", clause)]
    return clause[starts[-count] :] if len(starts) > count else clause


def _same(short_char: str, long_char: str) -> bool:
    low = short_char.lower()
    return long_char.lower() in (low, _GREEK_INITIALS.get(low))


def _long_form(short: str, candidate: str) -> str | None:
    """The end of `candidate` that spells `short`, by initials or else the shortest, or None."""
    initials = _by_initials(short, candidate)
    at = initials if initials is not None else _by_characters(short, candidate)
    if at is None:
        return None
    long = candidate[candidate.rfind(" ", 0, at) + 1 :].strip()
    words = re.split(r"[\s-]+", long)
    return long if len(long) > len(short) and short not in words and "(" not in long else None


def _by_initials(short: str, candidate: str) -> int | None:
    """Return the offset at which the last words begin whose initials are the letters of `short`."""
    wanted = [char for char in short if char.isalnum()]
    words = list(_WORD.finditer(candidate))[-len(wanted) :]
    initials = [word[0][0] for word in words]
    # "β-amyloid" is abbreviated Aβ, so a Greek letter may have changed places.
    orders = [wanted, wanted[::-1]] if wanted[-1].lower() in _GREEK_INITIALS else [wanted]
    fits = len(words) == len(wanted) and any(all(map(_same, order, initials)) for order in orders)
    return words[0].start() if fits else None


def _by_characters(short: str, candidate: str) -> int | None:
    """Return where the characters of `short` begin when they are matched from right to left."""
    at = len(candidate)
    for index in range(len(short) - 1, -1, -1):
        char = short[index]
        if not char.isalnum():
            continue
        needs_word_start = index == 0 or char.lower() in _GREEK_INITIALS
        at -= 1
        while at >= 0 and not _fits(char, candidate, at, needs_word_start):
            at -= 1
        if at < 0:
            return None
    return at


def _fits(char: str, candidate: str, at: int, needs_word_start: bool) -> bool:
    if candidate[at].lower() == char.lower() and char.lower() in _GREEK_INITIALS:
        return True
    begins_word = at == 0 or not candidate[at - 1].isalnum()
    return _same(char, candidate[at]) and (not needs_word_start or begins_word)
