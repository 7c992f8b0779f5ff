"""Reads from a sentence which way it says that something went, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from deepcritical.domain.patterns import bounded
from deepcritical.verification.words import NEGATIONS, Word, stem, words

Sign = Literal["more", "less", "good", "bad", "none"]


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


_WORDS: dict[Sign, frozenset[str]] = {
    "more": _stems(
        "increase higher more greater rise raise longer larger elevate prolong grow double gain "
        "excess"
    ),
    "less": _stems(
        "decrease reduce reduction lower less fewer fall decline shorter smaller drop diminish "
        "shorten lessen slow delay prevent halve cut suppress"
    ),
    "good": _stems(
        "improve improvement better benefit beneficial effective efficacious superior favour "
        "favourable ameliorate alleviate relieve protect protective help work advantage"
    ),
    "bad": _stems(
        "worsen worse harm harmful inferior deteriorate deterioration impair aggravate toxic "
        "dangerous poorer disadvantage"
    ),
    "none": _stems(
        "similar similarly comparable unchanged same noninferior equivalent ineffective alike "
        "trend tend inconclusive unclear uncertain"
    ),
}
_OPEN = _stems("difference differ effect affect change association associate influence evidence")
"""Words that say that nothing came out when they are denied, and nothing else."""
_NEGATIONS = _stems(" ".join(NEGATIONS)) | {stem("little")}
SIGN_WORDS = frozenset().union(*_WORDS.values()) | _OPEN | _NEGATIONS
"""Stems of all words that tell a direction, or deny one."""
_BREAK = re.compile(r"(?i)[,;:]\s|\s(?:but|and|whereas|while|although|though|however|yet)\s")
_PREDICATE = re.compile(
    r"(?i)(?:was|were|is|are|did|does|do|has|have|had|may|might|could|would|can)\b"
)
"""The beginning of a clause without a subject: that stands before what comes between commas."""
_RELATIVE = re.compile(r"(?i)(?:which|who|whose|where|that)\b")
_JOINING = re.compile(r"(?i)\b(?:but|and|yet|or)\s*$")
"""The end of what a predicate of its own follows, whatever stands between."""
_REACH = 5
_DEGREES = _stems("any clear clearly significant significantly statistically statistical")
_MORE, _THAN, _SAME, _FALL = map(stem, ("more", "than", "same", "falls"))
_DEGREE_OF_CHANGE = _stems("more greater larger smaller less")
_SMALL_DEGREE = _stems("smaller less")
_OTHER_WAY: dict[Sign, Sign] = {"less": "more", "good": "bad", "bad": "good"}
_BESIDE_DEGREE = frozenset("with in for among at on by after".split())
_BEFORE_LIMIT = frozenset("in to at of for".split())
"""Before "less than" they name a limit: "fell by less than 1 kg", "in less than half of them"."""
_OF_THE_SAME = frozenset("in of among from for within".split())
"""Before "the same" they name people, a study or a time, and no result."""
_MEASURES = _stems("frequency range level rate risk size number extent amount degree magnitude")
"""Of the same one is a result; of the same people, trial, year or class is none."""
_WITHOUT = _stems("without")
"""Denies what stands next to it: "without a difference", not "without randomisation, fell"."""
_LIMITS_OF = _stems("interval ci")
"""Things that allow or exclude an effect, which shows none."""
_SIZED = _stems(
    "trial study cohort sample review analysis meta registry database population subgroup dose "
    "dosage duration follow blind dummy number certainty quality evidence experience exposure way "
    "one"
)
"""Words that "larger", "longer" or "double" before them describe: the study, and no result."""
_LIMITS = _stems("higher more greater lower less better worse longer")
"""After "or" they name a limit: "grade 3 or higher"."""
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
_LESSER = bounded(r"\bto a (?:lesser|smaller) (?:extent|degree)\b", re.IGNORECASE)
_AS_MUCH = bounded(r"\bas (?!well|soon|long|far|a |an |the )\w+(?: \w+){0,3}? as\b", re.IGNORECASE)
_TURNED: dict[tuple[Sign, Sign], Sign] = {
    ("less", "good"): "bad",
    ("less", "bad"): "good",
    ("less", "less"): "more",
    ("more", "good"): "good",
    ("more", "bad"): "bad",
}
"""A degree with what it is a degree of: "less effective", "slowed the decline"."""


def clauses(text: str) -> tuple[str, ...]:
    """The clauses of a sentence; one that an apposition parts from its subject has it again."""
    parts: list[str] = []
    start, apposed = 0, False
    for found in (*_BREAK.finditer(text), None):
        end = found.start() if found else len(text)
        part = text[start:end]
        if found and part.count("(") > part.count(")"):
            continue
        is_apart = apposed and len(parts) > 1 and not _RELATIVE.match(parts[-1])
        if is_apart and _PREDICATE.match(part) and not _JOINING.search(parts[-2]):
            parts[-2] = f"{parts[-2]} {part}"
        else:
            parts.append(part)
        apposed = found is not None and found[0].startswith(",")
        start = found.end() if found else end
    return tuple(p for p in parts if p.strip())


def signs(clause: str, outcome: Collection[str] = ()) -> frozenset[Sign]:
    """The directions that a clause tells.

    Args:
        clause: Part of a sentence.
        outcome: Stems of words that name the outcome, such as "loss", and tell no direction here.
    """
    if _UNSEEN.search(clause):
        return frozenset({"none"})
    clause = _LESSER.sub("less", _AS_MUCH.sub("similar", clause))
    told = frozenset(_joined(_told(words(clause), outcome)))
    return told or frozenset({"none"} if _ELLIPSIS.search(clause) else ())


def _told(found: Sequence[Word], outcome: Collection[str]) -> list[tuple[int, Sign]]:
    told: list[tuple[int, Sign]] = []
    # What stands behind an interval is what its limits allow.
    limits = (at for at, word in enumerate(found) if word.key in _LIMITS_OF and not word.depth)
    found = found[: next(limits, len(found))]
    changed_at = -1
    for at, word in enumerate(found):
        key = stem(word.raw) if word.is_figure else word.key  # "doubled"
        changed = _is_its_change(found, changed_at, at, outcome)
        if key in _DEGREE_OF_CHANGE and _grades_a_change(found, at, outcome, changed=changed):
            limit = word.depth or found[at - 1].raw == "by" or word.lead & _BEFORE_LIMIT
            if key in _SMALL_DEGREE and not limit:  # the others changed more
                told[-1:] = [(at, _OTHER_WAY.get(sign, sign)) for _, sign in told[-1:]]
            continue
        if key == _SAME and word.lead & _OF_THE_SAME and not _is_measure(found[at + 1 : at + 2]):
            continue
        if key in _WORDS["less"] and "to" in word.lead and told[-1:] and told[-1][1] == "less":
            continue  # "cut relapse to less than half"
        before = [w.key for w in found[max(0, at - _REACH) : at] if w.key not in _DEGREES]
        if not _WITHOUT.isdisjoint(before[-2:]) and key not in _OPEN:
            continue  # "without more falls" is of something beside the result
        is_limit = key in _LIMITS and at > 0 and found[at - 1].key == "or"
        if key in outcome or is_limit or _describes_a_study(found[at : at + 3]):
            continue
        denied = not (_NEGATIONS - _WITHOUT).isdisjoint(before)
        denied = denied or not _WITHOUT.isdisjoint(before[-2:])
        if denied and (key in _OPEN or any(key in _WORDS[s] for s in _WORDS if s != "none")):
            told.append((at, "none"))
        elif not denied:
            own = [sign for sign, known in _WORDS.items() if key in known]
            changed_at = at if not {"less", "good", "bad"}.isdisjoint(own) else changed_at
            told += ((at, sign) for sign in own)
    return told


def _is_measure(ahead: Sequence[Word]) -> bool:
    return any(word.key in _MEASURES for word in ahead)


def _is_its_change(found: Sequence[Word], change: int, at: int, outcome: Collection[str]) -> bool:
    """Return whether a degree is of a change: "fell more", "the reduction in relapse was greater".

    It is not in "after a decline in pain relapse was greater".
    """
    if change < 0:
        return False
    ahead = found[change + 1]
    return at - change <= 1 or (not ahead.lead.isdisjoint({"in", "of"}) and ahead.key in outcome)


def _grades_a_change(
    found: Sequence[Word], at: int, outcome: Collection[str], *, changed: bool
) -> bool:
    """Return whether a word tells how great a change is, and so no direction of its own.

    "A greater reduction"; "fell more with the drug"; "lowered it more than placebo did". A small
    one turns the change round only behind it: "a smaller reduction" is no direction of amounts.
    """
    if at + 1 == len(found):
        return changed
    ahead = found[at + 1]
    if ahead.key == _THAN:
        return changed or (found[at].key == _MORE and at > 2)
    if changed and not _BESIDE_DEGREE.isdisjoint({*ahead.lead, ahead.raw}):
        return True
    is_before = ahead.key in _WORDS["less"] and ahead.key not in {*outcome, _FALL}
    return is_before and found[at].key not in _SMALL_DEGREE


def _describes_a_study(ahead: Sequence[Word]) -> bool:
    """Return whether a word stands right before a study or a dose, as in "larger trial"."""
    for word in ahead[1:]:
        if word.lead:
            return False
        if word.key in _SIZED:
            return True
    return [word.key for word in ahead[1:3]] == [*map(stem, ("effect", "size"))]


def _joined(told: Sequence[tuple[int, Sign]]) -> Iterator[Sign]:
    skip = -1
    for n, (at, sign) in enumerate(told):
        if n == skip:
            continue
        ahead = told[n + 1] if n + 1 < len(told) else None
        turned = _TURNED.get((sign, ahead[1])) if ahead and ahead[0] - at <= 2 else None
        if turned:
            skip = n + 1
        yield turned or sign
