"""Phrases in which a text lists its arms: allocations, titles, names of groups, controls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deepcritical.domain.study.reading import ControlKind
from deepcritical.domain.text.patterns import bounded
from deepcritical.reading.rules.clauses import PEOPLE, Aside, content_words
from deepcritical.vocabulary.drugs import find_drugs

_CONTROL_WORDS: dict[ControlKind, str] = {
    "placebo": "placebos?",
    "sham": r"sham(?:[- ]\w+)?",
    "waiting_list": r"wait(?:ing)?[- ]?list(?: controls?)?",
    "no_treatment": (
        r"no (?:additional |further |adjuvant |specific |active )?(?:treatment|therapy|"
        r"intervention)|observation(?: (?:alone|only))?|untreated|non-?treatment"
    ),
    "usual_care": (
        r"usual care|(?:standard|routine|conventional)(?:[- ]of)?[- ]care|treatment as usual|"
        r"care as usual|standard follow-up"
    ),
}
CONTROLS = tuple(
    (kind, bounded(rf"\b(?:{words})\b", re.IGNORECASE)) for kind, words in _CONTROL_WORDS.items()
)
_ON_TOP = bounded(r"\b(?:plus|and|with|then|followed by|or)\s|\+", re.IGNORECASE)
_ALLOCATION = bounded(
    r"\b(?:randomi[sz]ed|randomly (?:\w+ )?(?:assigned|allocated|divided|selected|distributed|"
    r"treated|received)|(?:assigned|allocated|allotted|divided|distributed)(?: randomly)?|"
    r"randomi[sz]ation|(?=received either|receiving either|given either))\b",
    re.IGNORECASE,
)
_TO_LIST = bounded(
    r"^[^.;]{0,110}?\b(?:either|(?:to|into|in|with|of|between)(?: \w+)? groups? ?[:,]|"
    r"to(?: an?)?(?: (?:receive|receiving|undergo|undergoing|have|take|treatment with|"
    r"treatment|therapy with|one of))?(?: either)?)\s",
    re.IGNORECASE,
)
_LIST_END = bounded(
    r"\s(?:for (?:up to |at least )?(?:\d|an?\b|the\b|one|two|three|four|five|six|eight|twelve)|"
    r"over|during|before|until|within|every|followed|in addition|in a|at|as (?:an? |adjuvant|"
    r"first)|on (?:day|the)|prior|in patients|in (?:women|men|children|adults|the (?:treatment|"
    r"prevention))|in terms|with respect|and (?:were|was|then|followed|assessed|evaluated)|"
    r"stratified|using|beginning|starting|who|which|that|where|when|to (?:determine|assess|"
    r"evaluate|prevent|reduce))\b|[.;:]",
    re.IGNORECASE,
)
_ITEM_BREAK = bounded(
    r",?\s(?:or|versus|vs?\.?|against)(?:\sto)?\s|,\s(?:and\s)?|"
    r"\sand\s(?=\d+ (?:\w+ )?(?:to|received)\b)",
    re.IGNORECASE,
)
_LEAD = bounded(
    rf"^(?:(?:to|receive[ds]?|receiving|undergo|either|an?|the|treatment with|oral|daily|weekly|"
    rf"monthly|once|of|"
    rf"into|one|their|(?:\d+ )?{PEOPLE}|(?:mg|g|µg|μg|mcg|kg|ml|m2|iu|gy|units?|day|d|week|twice)"
    rf"(?:/\w+)?|[\d.,×/%-]+(?:mg|g|ml|mcg|µg)?(?:/\w+)?)\s)*",
    re.IGNORECASE,
)
_DOSE = bounded(
    r"[\s,](?:at |given |administered )?(?:\(|\d[\d.,/-]*\s?(?:mg|g|µg|μg|mcg|kg|ml|iu|gy|units?|"
    r"%|days?|weeks?|months?|cycles?|times|patients)?\b|once|twice|daily|weekly|monthly|orally|dispensing|delivered|containing|"
    r"intravenous\w*|subcutaneous\w*|per|via|three times|three-times|t\.?i\.?d|b\.?i\.?d|q\.?d)"
    r".*$|\s(?:and|were|was)\s[^,]*\b\w+ed$",
    re.IGNORECASE,
)
_NO_ARM = bounded(
    r"\b(?:was|were|is|are|will|had|have|has|not|without|with or|compared|changes?|effects?|"
    r"groups|arms|respectively|other|respective|same|different|ratio|stage|centres?|centers?|"
    r"months?|weeks?|years?|days?|outcomes?|aged?|baseline|after|trial|study|allocated|assigned|enrolled)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 7
_GROUP = bounded(r"\b(?:groups?|arms?)\b", re.IGNORECASE)
_NAME_WORD = bounded(r"[\w+/*®™'’.–-]+$")
_NOT_IN_NAME = frozenset(
    "the a an in of or than with to between for from among was were both two three four five each "
    "all either one every per into on at by as is are be these those our its their this that other "
    "same different study treatments patients respective any no versus vs compared within across "
    "only but also new control. age risk matched comparable similar parallel separate equal "
    "remaining had received receiving significantly significant whole entire first second third "
    "randomised randomized age- latter former which whereas while not when if large small total "
    "higher lower better single independent following working cooperative neither".split()
)
_NO_GROUP = bounded(
    r"^(?:\W*|and|sub|age|treatment|risk|study|older|younger|elderly|.*(?:responders?|positive|"
    r"negative|risk|quartile|tertile|ethnic|racial|support|focus|sub|peer|overall|trial|patient|"
    r"cooperative|collaborative))$",
    re.IGNORECASE,
)
_AFTER_GROUP = bounded(
    r"^(?:$|['’),.;:/]|\s(?:was|were|is|are|had|has|have|and|or|than|in|at|of|for|with|to|on|by|after|"
    r"during|compared|versus|vs?|did|but|while|whereas|who|that|as|from|respectively|\w+ed|\w+ly|"
    r"experienced|regarding)\b)",
    re.IGNORECASE,
)
"""Behind the name of a group; "arm" may be a part of the body."""
_ALLOCATED = bounded(
    r"\b(?:random\w*|assigned|allocated|allotted|divided|groups|arms|received?)\b", re.IGNORECASE
)
_SIZE = bounded(
    rf"(?:^|[,;:]\s?)(?:[Nn]\s?=\s?(?P<n>\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}})|"
    rf"(?P<plain>\d{{1,3}}(?:,\d{{3}})+|\d{{2,6}})(?:\s(?:\w+\s)?{PEOPLE})?)\s?(?=$|[;,])",
    re.IGNORECASE,
)
_NAME_STARTS = bounded(
    r"\b(?:to receive|to undergo|to either|treatment with|to|or|and|versus|vs?\.?|either|into|of|"
    r"received|receiving|(?<!combined )(?<!combination )(?<!together )with|compared with|"
    r"followed by|in|given)\s|[,:;]\s",
    re.IGNORECASE,
)
_VERSUS = bounded(r"\s(?:versus|vs?\.?|compared (?:with|to)|or|and)\s", re.IGNORECASE)
_TITLE_LEFT = bounded(
    r"^.*(?:[:;?]|\b(?:of|between|comparing|comparison|trial|study|evaluating|assessing|for|with|by|in|to|from|using|"
    r"prevents?|reduces?|does|is|after|during|on|effects?)(?=\s))\s?",
    re.IGNORECASE,
)
_TITLE_RIGHT = bounded(
    r"\s?(?:[:;?.,]|\b(?:in|for|on|as|among|with|during|after|to|following|before|by|at|from|"
    r"improves?|reduces?|administered|therapy|treatment|the|of|does|is)\b).*$",
    re.IGNORECASE,
)


def control_kind(name: str) -> ControlKind | None:
    """Return what kind of control a name says; None for none, and for one on top of a treatment."""
    for kind, pattern in CONTROLS:
        if pattern.search(name) and not _ON_TOP.search(name):
            return kind
    return None


def cleaned(item: str) -> str:
    """Return the name in an item of a list, without articles and doses; '' where it is no name."""
    name = _LEAD.sub("", item.strip(" ,."))
    name = _DOSE.sub("", " " + name).strip(" ,.")
    if re.fullmatch(r"[\w-]+ groups?|.* (?:group|arm)", name):
        name = _GROUP.sub("", name).strip()
    words = name.split()
    if not words or len(words) > _MOST_WORDS or (_NO_ARM.search(name) and not control_kind(name)):
        return ""
    while words and words[-1] in ("with", "and", "or", "plus", "of", "to", "the", "for", "a", "in"):
        words.pop()
    told = " ".join(words)
    return (
        told
        if (content_words(told) or control_kind(told)) and re.search(r"[^\W\d_]{2}", told)
        else ""
    )


def allocated(line: str) -> tuple[str, ...]:
    """Return the arms that a sentence without brackets allocates people to; () for none."""
    for cue in _ALLOCATION.finditer(line):
        rest = line[cue.end() :]
        to = _TO_LIST.match(rest)
        names = _items(rest[to.end() :]) if to else ()
        if names:
            return names
    return ()


def _items(text: str) -> tuple[str, ...]:
    text = text.strip()
    end = _LIST_END.search(" " + text)
    listed = text[: max(0, end.start() - 1)] if end else text
    parts = [part for part in _ITEM_BREAK.split(listed) if part.strip()]
    names = [cleaned(part) or cleaned(part.partition(" and ")[0]) for part in parts]
    kept = tuple(dict.fromkeys(name for name in names if name))
    whole = all(
        name or not re.search(r"[^\W\d_]{4}", part) for name, part in zip(names, parts, strict=True)
    )
    return kept if whole and 2 <= len(kept) <= 5 else ()


def sized(line: str, asides: Sequence[Aside]) -> dict[str, int]:
    """Return the arms of a sentence that tells the size of two or more in brackets behind them."""
    if not _ALLOCATED.search(line):
        return {}
    found: dict[str, int] = {}
    sizes = [(a.at, m) for a in asides if (m := _SIZE.search(a.text)) and "%" not in a.text]
    start = 0
    for at, size in sizes:
        name = _name_ending(line[start:at])
        if name and (size["plain"] is None or len(sizes) > 1):
            found.setdefault(name, int(re.sub(r"\D", "", size["n"] or size["plain"])))
        start = at
    return found if len(found) > 1 else {}


def _name_ending(text: str) -> str:
    """The name of an arm at the end of a text: behind its last "to", "or" or the like."""
    piece = _NAME_STARTS.split(text)[-1]
    if name := cleaned(piece):
        return name
    drugs = {m.drug.name: m.text for m in find_drugs(piece)}
    return next(iter(drugs.values())) if len(drugs) == 1 else ""


def group_names(line: str) -> Iterator[tuple[str, ...]]:
    """Yield the names before each "group" or "arm" of a sentence; both of "X and Y groups"."""
    for match in _GROUP.finditer(line):
        after = re.match(r" (?P<id>[A-D]|[1-4]|I{1,3}|IV)\b(?! patients)", line[match.end() :])
        if after:
            yield (f"{match.group().rstrip('s')} {after['id']}",)
            continue
        if not _AFTER_GROUP.match(line[match.end() :]):
            continue
        names = [_name_before(line[: match.start()].rstrip())]
        if match.group().endswith("s"):
            left = line[: match.start()].rstrip().removesuffix(names[0]).rstrip()
            if left.endswith((" and", " or", " versus", " vs", " vs.", " than")):
                names.append(_name_before(left.rpartition(" ")[0]))
        yield tuple(n for n in names if n and not _NO_GROUP.match(n))


def _name_before(text: str) -> str:
    """The words right before a place that can be a name, three at most."""
    words: list[str] = []
    while len(words) < 3 and (found := _NAME_WORD.search(text[-60:])):
        word = found.group()
        if word.casefold() in _NOT_IN_NAME or word.isdigit() or word == "and" or word[-1] == "-":
            break
        words.insert(0, word)
        text = text[: len(text) - len(word)].rstrip(" ")
        if text.endswith((",", ";", ":")):
            break
    return " ".join(words)


def compared_in_title(title: str) -> tuple[str, ...]:
    """Return the two names that a title compares; () where it compares none."""
    for match in _VERSUS.finditer(title):
        if match.group().strip().lower() in ("or", "and"):
            continue
        left = _TITLE_LEFT.sub("", title[: match.start()]).strip()
        right = _TITLE_RIGHT.sub("", " " + title[match.end() :]).strip()
        names = (cleaned(left), cleaned(right))
        if all(names) and all(len(name.split()) < _MOST_WORDS for name in names):
            return names
    return ()
