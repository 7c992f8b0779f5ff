"""Puts numbered marks where a clause mentions an arm, with the words that belong to the mention."""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.reading.rules.arms import ROLES, KnownArms
from deepcritical.reading.rules.clauses import PEOPLE

BOTH = "*"
"""Stands for the arms of a study that has two, as in "both groups"."""
MARK = r"⟦\d{1,2}⟧"
_NUMBER = bounded(r"⟦(\d{1,2})⟧")
_DOSE = (
    r"\d{1,5}(?:[.,]\d{1,3})?[\s-]?(?:mg|g|mcg|µg|μg|IU|ml|units?)(?:/(?:day|d|kg|week|wk)){0,2}"
    r"(?:\s(?:once|twice|daily|weekly|per day|a day)){0,2}(?!\w)"
)
_DOSES = rf"(?:\d{{1,5}}(?:[.,]\d{{1,3}})?(?:\s?mg)?\s(?:and|or|to)\s)?{_DOSE}"
_BEFORE = bounded(
    rf"(?:\b{PEOPLE} (?:(?:who|that) )?(?:(?:were|was|had|have) )?(?:been )?(?:treated with|"
    r"receiving|received|given|(?:randomly )?(?:randomi[sz]ed|assigned|allocated)"
    r"(?: to)?(?: receive)?|on|in|taking|took|undergoing|underwent|using|with|from|of)\s|"
    r"\b(?:those|that|the patients) (?:(?:who|that) )?(?:(?:were|had) )?(?:treated with|receiving|"
    r"received|given|assigned to|allocated to|randomi[sz]ed to|on|in|of|for|taking|with|"
    r"undergoing|underwent)\s|"
    r"\b(?:treatment|therapy|supplementation|administration|addition|receiving|received|use) "
    r"(?:with|of)\s|\breceiving\s)?"
    r"(?:\b(?:the|an?|oral|either|entire|whole|active|matching|matched|IM|IV|intramuscular|"
    r"intravenous|intranasal|inhaled|topical|subcutaneous)\s){0,3}"
    rf"(?:{_DOSES}\sof\s)?$",
    re.IGNORECASE,
)
_AFTER = bounded(
    rf"(?:\s{_DOSES})?"
    r"(?:[- ](?:treated|assigned|exposed|receiving|alone|only))?"
    r"(?: (?:treatment|therapy|intervention|control|supplementation|study|monotherapy|group))?"
    rf"(?: (?:groups?|arms?|recipients|users|controls|cohorts?|condition|regimens?|{PEOPLE}))?"
    r"(?:['’]s?)?(?!\w)",
    re.IGNORECASE,
)
_AS_GROUP = bounded(
    r"^(?:\s(?:and|or|versus|vs?\.?|than))?(?:\s(?!group)[\w-]+){0,2}?\s(?:groups?|arms?|condition|cohorts?|"
    rf"schools|{PEOPLE})\b",
    re.IGNORECASE,
)
_NOT_AN_ARM = bounded(
    r"^(?:(?:-|\s)(?:levels?|concentrations?|doses?|dosages?|consumption|requirements?|intake|"
    r"exposure|resistance|sensitivity|clearance|induced|related|associated|free|naive|refractory|"
    r"resistant|adherence|discontinuation|withdrawal|use\b)|\s?\+|\s(?:plus|combined with|"
    r"with or without|followed by|in combination|minus|phase|period|sequence)\b|/\w|-\w)",
    re.IGNORECASE,
)
_ALL = bounded(
    r"\b(?:(?:the )?(?:two|2) (?:[\w-]+ ){0,2}(?:groups|arms|treatments|regimens|drugs|cohorts|"
    r"interventions|therapies|schedules|schemes)|both (?:of the )?(?:[\w-]+ )?(?:groups|arms|"
    r"treatments|regimens|drugs|cohorts)|either (?:group|arm)|(?:the )?(?:(?:treatment|study|"
    r"studied|intervention|therapy|different|trial|patient) )?(?:groups|arms)(?: of "
    rf"{PEOPLE})?|each (?:group|arm)|(?:the )?treatments)\b",
    re.IGNORECASE,
)


class Mention(NamedTuple):
    """An arm in a clause."""

    arm: str
    text: str
    start: int
    end: int


class Marked(NamedTuple):
    """A clause with marks in the place of arms."""

    text: str
    mentions: tuple[Mention, ...]

    def arm(self, mark: str) -> str:
        """The id of the arm of a mark."""
        return self.mentions[int(mark.strip("⟦⟧"))].arm

    def restored(self, piece: str) -> str:
        """The piece with the words in the place of its marks."""
        return _NUMBER.sub(lambda m: self.mentions[int(m[1])].text, piece)


def marked(text: str, arms: KnownArms) -> Marked:
    """Return a clause, without brackets, with its mentions of arms as ⟦0⟧, ⟦1⟧ and so on."""
    mentions = sorted(_named(text, arms), key=lambda m: m.start)
    kept: list[Mention] = []
    for mention in mentions:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    for match in _ALL.finditer(text):
        if not any(m.start < match.end() and match.start() < m.end for m in kept):
            kept.append(Mention(BOTH, match.group(), *match.span()))
    kept.sort(key=lambda m: m.start)
    parts: list[str] = []
    at = 0
    for number, mention in enumerate(kept):
        parts += [text[at : mention.start], f"⟦{number}⟧"]
        at = mention.end
    return Marked("".join((*parts, text[at:])), tuple(kept))


def _named(text: str, arms: KnownArms) -> list[Mention]:
    if not arms.aliases:
        return []
    names = sorted(arms.aliases, key=len, reverse=True)
    # Of literal names alone, so it is linear.
    pattern = re.compile(
        r"(?<![\w-])(?:" + "|".join(re.escape(name) for name in names) + r")(?!\w)", re.IGNORECASE
    )
    found = []
    for match in pattern.finditer(text):
        after = _AFTER.match(text, match.end())
        end = after.end() if after else match.end()
        before = _BEFORE.search(text[max(0, match.start() - 70) : match.start()])
        lead = before.group() if before else ""
        start = match.start() - len(lead)
        if _NOT_AN_ARM.match(text[end:]):
            continue
        if match.group().lower() in ROLES and not _AS_GROUP.match(text[match.end() :]):
            continue
        arm = arms.aliases[" ".join(match.group().casefold().split())]
        found.append(Mention(arm, text[start:end], start, end))
    return found
