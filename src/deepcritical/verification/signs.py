"""Reads from a sentence which way it says that something went, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from deepcritical.domain.text.patterns import bounded
from deepcritical.verification.words import NEGATIONS, Word, stem, stems, words

Sign = Literal["more", "less", "good", "bad", "none"]


_WORDS: dict[Sign, frozenset[str]] = {
    "more": stems(
        "increase higher more greater rise raise longer larger elevate prolong grow double gain "
        "excess exceed"
    ),
    "less": stems(
        "decrease reduce reduction lower less fewer fall decline shorter smaller drop diminish "
        "shorten lessen slow delay prevent halve cut suppress"
    ),
    "good": stems(
        "improve improvement better benefit beneficial effective efficacious superior favour "
        "favourable ameliorate alleviate relieve protect protective help work advantage"
    ),
    "bad": stems(
        "worsen worse harm harmful inferior deteriorate deterioration impair aggravate toxic "
        "dangerous poorer disadvantage"
    ),
    "none": stems(
        "similar similarly comparable unchanged same noninferior equivalent ineffective alike "
        "trend tend inconclusive unclear uncertain"
    ),
}
_OPEN = stems("difference differ effect affect change association associate influence evidence")
"""Words that say that nothing came out when they are denied, and nothing else."""
_NEGATIONS = stems(" ".join(NEGATIONS)) | {stem("little")}
SIGN_WORDS = frozenset().union(*_WORDS.values()) | _OPEN | _NEGATIONS
"""Stems of all words that tell a direction, or deny one."""
_BREAK = re.compile(r"(?i)[,;:]\s|\s(?:but|and|whereas|while|although|though|however|yet)\s")
_REACH = 5
_THAN, _SAME, _WITHOUT = map(stem, ("than", "same", "without"))
_DEGREE_OF_CHANGE = stems("more greater larger smaller less")
_BESIDE_DEGREE = frozenset("with in for among at on by after".split())
_OF_THE_SAME = frozenset("in of among from for within".split())
"""Before "the same" they name people, a study or a time, and no result."""
_SIZED = stems(
    "trial study cohort sample review analysis meta registry database population subgroup dose "
    "dosage duration follow blind dummy number certainty quality evidence experience exposure way "
    "one"
)
"""Words that "larger", "longer" or "double" before them describe: the study, and no result."""
_ELLIPSIS = re.compile(
    r"(?i)^\W*(?:but |and |yet )?(?:not|no|none|neither)\b"
    r"(?! (?:limited|restricted|confined|all|every|only|randomi\w+|blind\w*|controls?)\b)|"
    r"\b(?:did|does|do|was|were|has|have|had) not\s*(?:\(|\W?$)"
)
"""A clause such as "but not in adults", "no death occurred" or "deaths did not", which denies what
it names."""
_UNSEEN = bounded(
    r"\b(?:not|never) (?:seen|found|observed|shown|confirmed|replicated|reproduced)\b",
    re.IGNORECASE,
)
"""A clause such as "a reduction was not seen", of which nothing is told but that."""
_LESSER = bounded(
    r"\b(?:less|not as) (?:effective|efficacious|beneficial|well)\b|"
    r"\b(?:fell|dropped|declined|decreased|improved) less\b|"
    r"\bsmaller (?:reduction|decrease|decline|improvement|benefit)s?\b|"
    r"\bto a (?:lesser|smaller) (?:extent|degree)\b",
    re.IGNORECASE,
)
"""That there was less of a good thing."""


_LED = r"^(?:and |but |though |although |so that |so |which |while |whereas |yet )*"
_OPENS = (
    r"(?:stays?|remains?|is|are|leaves? it|left) (?:still )?(?:open|unclear|uncertain|unknown)|"
    r"(?:cannot|could not) be (?:told|said|judged|known)"
)
_WHETHER = r"(?:whether|if) [^,;:]*"
_PLAIN_SUBJECT = r"(?:(?!that\b|which\b|who\w*\b|it\b|they\b|why\b|how\b)[\w'’%-]+ ){1,10}"
_LEFT_OPEN = bounded(
    rf"{_LED}(?:(?:it )?(?:{_OPENS})(?: {_WHETHER})?|{_WHETHER}(?:{_OPENS})|{_PLAIN_SUBJECT}"
    r"(?:(?:is|are|was|were) (?:not|neither shown nor) "
    r"(?:excluded|ruled out|proven|proved|shown|settled|established)|"
    r"cannot be (?:excluded|ruled out)|(?:stays?|remains?|is|are) (?:open|possible))|"
    r"(?:do|does|did) not (?:show|mean|prove) that (?:nothing|no) (?:differs?|difference)[^,;:]*)$",
    re.IGNORECASE,
)
"""A part that leaves something open and tells nothing else."""
_INTERVAL = bounded(
    r"\b(?:confidence |with an? |its |the |their |whose )intervals?(?: \([^()]*\))?"
    r"(?: (?:for|of|around) [\w -]{1,30}?)? (?:that |which |is |are |was |were |so |too )*"
    r"(?:reach\w*|spans?|spanned|includes?|included|runs?|ran|extends?|wide)\b[^,;:]*",
    re.IGNORECASE,
)
"""How far an interval reaches: "from a clear loss to a relevant gain"."""
_PART_ENDS = re.compile(r"(?<=[,;:])\s(?![^()]*\))|\s(?=(?:but|whereas|while|although|though)\s)")
_GOES_ON = re.compile(r"(?:or|nor) (?!it |they )[\w ]{1,40}$")


def without_open(text: str) -> str:
    """Return a sentence without the parts that leave something open; as it is if nothing is left.

    What these name has no direction: "so that a gain or a loss remains possible".
    """
    kept: list[str] = []
    is_open = False
    for part in _PART_ENDS.split(text):
        bare = part.strip(" ,;:.")
        is_open = bool(_LEFT_OPEN.search(bare)) or (is_open and bool(_GOES_ON.match(bare)))
        kept += [] if is_open else [_INTERVAL.sub("", part)]
    return " ".join(kept) or text


def clauses(text: str) -> tuple[str, ...]:
    """Return the clauses of a sentence; what stands in brackets is parted from none."""
    parts: list[str] = []
    start = 0
    for found in (*_BREAK.finditer(text), None):
        end = found.start() if found else len(text)
        part = text[start:end]
        if found and part.count("(") > part.count(")"):
            continue
        parts.append(part)
        start = found.end() if found else end
    return tuple(p for p in parts if p.strip())


def is_sign(word: Word) -> bool:
    """Return whether a word tells a direction by itself."""
    return any(word.key in known for known in _WORDS.values())


def signs(clause: str, outcome: Collection[str] = ()) -> frozenset[Sign]:
    """The directions that a clause tells.

    Args:
        clause: Part of a sentence.
        outcome: Stems of words that name the outcome, such as "loss", and tell no direction here.
    """
    if _UNSEEN.search(clause):
        return frozenset({"none"})
    told = frozenset(_told(words(_LESSER.sub("worse", clause)), outcome))
    return told or frozenset({"none"} if _ELLIPSIS.search(clause) else ())


def _told(found: Sequence[Word], outcome: Collection[str]) -> Iterator[Sign]:
    is_changed = False
    for at, word in enumerate(found):
        key = stem(word.raw) if word.is_figure else word.key  # "doubled"
        if key in outcome:
            is_changed = is_changed or key in _WORDS["less"]  # "the drop was larger"
            continue
        if _describes_a_study(found[at : at + 3]):
            continue
        if key in _DEGREE_OF_CHANGE and _grades_a_change(found[at + 1 :], is_changed=is_changed):
            continue
        if key == _SAME and word.lead & _OF_THE_SAME:
            continue
        before = [w.key for w in found[max(0, at - _REACH) : at]]
        is_without = _WITHOUT in before[-2:]
        if is_without and key not in _OPEN:
            continue  # "without more falls" is of something beside the result
        own = [sign for sign, known in _WORDS.items() if key in known]
        if is_without or not (_NEGATIONS - {_WITHOUT}).isdisjoint(before):
            if key in _OPEN or any(sign != "none" for sign in own):
                yield "none"
            continue
        is_changed = is_changed or not {"less", "good", "bad"}.isdisjoint(own)
        yield from own


def _grades_a_change(ahead: Sequence[Word], *, is_changed: bool) -> bool:
    """Return whether a word tells how great a change is, and so no direction of its own.

    "A greater reduction"; "fell more with the drug".
    """
    if ahead and ahead[0].key in _WORDS["less"]:
        return True
    is_end = not ahead or ahead[0].key == _THAN
    return is_changed and (is_end or not _BESIDE_DEGREE.isdisjoint({*ahead[0].lead, ahead[0].raw}))


def _describes_a_study(ahead: Sequence[Word]) -> bool:
    """Return whether a word stands right before a study or a dose, as in "larger trial"."""
    for word in ahead[1:]:
        if word.lead:
            return False
        if word.key in _SIZED:
            return True
    return False
