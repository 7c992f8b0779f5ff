"""Decides which condition a question asks about, to treat it or keep it away, in whom, by what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.question.frame import Condition
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.questions.classifying import (
    CONDITION,
    CONDITION_ROLES,
    HARM,
    OUTCOME,
    POPULATION,
    condition_roles,
)
from deepcritical.questions.naming import Names, as_condition, find_names, joined
from deepcritical.vocabulary.conditions import ConditionMention, is_kind_of

_NEW_CASES = (
    r"(?:risks?|chances?|odds|likelihood|probability|hazard|incidence|rates?|onset|development|"
    r"occurrence|new cases)"
)
_PREVENTED = bounded(
    rf"(?:\b(?:prevent\w*|chemoprevent\w*|avert\w*|(?:ward|stav|fend)\w* off|"
    r"prophyla\w+ (?:of|for|against)|prevent(?:ion|ives?) (?:of|against)|"
    r"protect\w* (?:\w+ ){0,3}(?:against|from)|"
    rf"immuni\w+ against|(?:delay|postpon)\w*(?: the)? (?:onset|development|start))"
    rf"(?: the)?(?: {_NEW_CASES})?(?: of)?|\b(?P<if_fewer>{_NEW_CASES} (?:of|for)|"
    r"(?:get|develop)(?:s|ting|ing)?))"
    r"(?: (?!(?:in|among|with|for|after|during|on|by)\b)[\w'’-]+){0,3} $",
    re.IGNORECASE,
)
_PREVENTED_BEHIND = bounded(
    rf"[ -](?:(?:chemo)?prevention|prophylaxis|risk reduction)\b|(?P<if_fewer>[ -]{_NEW_CASES}\b)|"
    r" (?:from|in) (?:developing|occurring|the first place)\b",
    re.IGNORECASE,
)
_OF_PATIENTS = bounded(
    r"\b(?:recurr|relaps|progress|exacerbat|flare|(?<!heart )attack|death|mortalit|complicat|"
    r"worsen|hospital(?!-acquired)|symptom|episode|readmi)",
    re.IGNORECASE,
)
"""Changes that only people who have a condition can have more or less of."""
_NOT_THEY = bounded(
    r"\b(?:without|no|not|never|excluding|except|non|neither|nor|rather than|free of|absence of)"
    r"(?: (?:a|an|any|in|had|have|having|prior|previous|known|history of|with|for)){0,3}"
    r"[ -]$",
    re.IGNORECASE,
)
"""Before those who are not meant: "in heart failure without diabetes"."""
_FAR = 100
"""Characters before a name where it may be denied."""
_MARKER = bounded(r"-[A-Z]?\d")
"""Behind letters that are no condition: PD-L1, PD-1."""
_SHORT = 5
_BESIDE = bounded(
    r",? (?:and/or|and|or|&) (?:(?!(?:in|for|with|among|of|to|from|on|after|who|does|do|is|are|can)"
    rf" )[\w-]+ ){{0,2}}(?:{_NEW_CASES} of (?:the )?)?|, ",
    re.IGNORECASE,
)
_BRINGS = bounded(
    r"\b(?:associat\w+ (?:with|between)|link\w* (?:with|to|between)|risks? (?:of|for)|more|"
    r"side effect\b|develop\w*|caus\w*|induc\w*|trigger\w*|increas\w*|rais\w*|lead\w* to|"
    r"connect\w+ (?:with|to|between)|incidence|frequency|how (?:common|often|frequent\w*))\b",
    re.IGNORECASE,
)
"""The only condition of a question on safety is what the drug may bring, not who takes it."""
_AMONG = bounded(r"\b(?:in|among) (?:[\w'’-]+ ){0,2}$", re.IGNORECASE)
_OF_THOSE = bounded(r"\b(?:in|among|of) (?:[\w'’-]+ ){1,3}with $", re.IGNORECASE)
_GIVEN_FOR = bounded(
    r"\b(?:(?:giv\w+|used?|using|tak\w+|prescrib\w+|administered|taking it|treatment|therapy)"
    r"(?: (?:it|them|to|in|as))?(?: (?:people|patients|treatment|therapy))? for|"
    r"treat\w*(?: of)?|(?:people|patients|those|adults|children) with) (?:the |their |his |her )?$",
    re.IGNORECASE,
)
"""Before what a drug is given for, which it is not feared to bring."""
_SURELY = 0.5
_LEAST, _LEAST_BESIDE_HARM = 0.15, 0.4
"""Least probability for a condition to be the one that is treated; more beside a feared one."""
_LEAST_OF_SEVERAL, _LEAST_ALONE = 0.1, 0.3
"""Least probability for a condition of a question on safety to be the harm."""


class Roles(NamedTuple):
    """The roles of conditions and people in a question."""

    condition: Condition | None
    population: tuple[str, ...]
    outcomes: tuple[str, ...]
    harm: Condition | None = None


class _Told(NamedTuple):
    mention: ConditionMention
    role: dict[str, float]
    """The probability of each role."""

    @property
    def treated(self) -> _Told:
        """The same in a question that is on no harm: what would be feared is to be lessened."""
        role = self.role | {CONDITION: self.role[CONDITION] + self.role[HARM], HARM: 0.0}
        return self._replace(role=role)

    @property
    def as_harm(self) -> _Told:
        """The same as something that is feared, which it is where it stands beside what is."""
        return self._replace(role=dict.fromkeys(CONDITION_ROLES, 0.0) | {HARM: 1.0})

    @property
    def likeliest(self) -> str:
        return max(self.role, key=self.role.__getitem__)


def roles_of(names: Names, *, on_harm: bool = False) -> Roles:
    """Return the treated condition, who is studied, what is measured, what harm is asked about.

    "Agitation in dementia" asks about agitation; "in people with HIV and meningitis" asks about
    the one of the two that is not a group of people. Only a question `on_harm` fears one.
    """
    text, rest = names.text, _without_drugs(names)
    told = [one if on_harm else one.treated for one in _told(names)]
    asks = _asking_from(text)
    harm = _feared(text, told, asks) if on_harm else None
    brought = _joined(text, [one.as_harm for one in told], harm)
    feared = {name for one in brought.each for name in one.names} if brought else set()
    left = [one for one in told if one.mention.condition.name not in feared]
    asked = _leading(left, CONDITION, _LEAST_BESIDE_HARM if harm else _LEAST, asks)
    condition = _joined(text, left, asked)
    taken = {name for c in condition.each for name in c.names} if condition else set()
    others = [one for one in left if one.mention.condition.name not in taken]
    population = [
        one.mention.condition.name
        for one in others
        if one.likeliest in (POPULATION, CONDITION)
        and not (asked and _is_told_before(one.mention, asked.mention, asks))
    ]
    called = [one.name for one in (condition, brought) if one]
    called += [one.mention.text for one in told if one.mention.condition.name in taken]
    taken_words = " ".join(called).casefold()
    measured = cues.measures_in(cues.asks_in(rest)[1], taken_words) or cues.measures_in(
        rest, taken_words
    )
    further = [
        one.mention.text.casefold()
        for one in others
        if one.likeliest in (OUTCOME, HARM) and not cues.measures_in(one.mention.text)
    ]
    if not (on_harm or measured or further):
        measured = cues.changed_in(_without(rest, [one.mention.text for one in told]))
    who = tuple(dict.fromkeys((*population, *groups_in(rest))))
    return Roles(condition, who, (*measured, *further), brought)


def _is_told_before(mention: ConditionMention, asked: ConditionMention, asks: int) -> bool:
    """Return whether a story before what asks, from `asks` on, only tells the asked one broadly."""
    return mention.end <= asks and is_kind_of(asked.condition, mention.condition)


def _without_drugs(names: Names) -> str:
    """The question with blanks for its drugs; a drug may stand alone and in a list of examples."""
    return _without(names.text, [d.text for d in names.drugs])


def _without(text: str, names: Sequence[str]) -> str:
    for written in sorted(dict.fromkeys(names), key=len, reverse=True):
        text = text.replace(written, " " * len(written))
    return text


def names_harm(names: Names) -> bool:
    """Return whether a condition in the question is surely one that a drug is feared to bring."""
    return any(one.role[HARM] > _SURELY for one in _told(names))


def brings(names: Names) -> bool:
    """Return whether a question says that there may be more of a condition."""
    return any(cues.is_brought(names.text, c.start, c.end) for c in names.conditions)


def fears(names: Names) -> bool:
    """Return whether a condition is surely feared, and nothing is to get less or to come back."""
    is_had = cues.LOWERS.search(names.text) or _OF_PATIENTS.search(names.text)
    return names_harm(names) and not is_had


def treats(names: Names) -> bool:
    """Say whether a condition is surely treated, one stands right after "for", none is a harm."""
    told = _told(names)
    if any(one.role[HARM] > _LEAST_ALONE for one in told):
        return False
    before = (names.text[max(0, c.start - 5) : c.start] for c in names.conditions)
    is_given_for = " for " in map(str.casefold, before)
    return is_given_for and any(one.role[CONDITION] > _SURELY for one in told)


def _told(names: Names) -> list[_Told]:
    """Each condition once, with its role; not those that people do not have."""
    drugs = list({(d.start, d.end): d for d in (*names.every, *names.drugs)}.values())
    roles = condition_roles(names.text, drugs, names.conditions)
    once: dict[str, _Told] = {}
    for mention, role in zip(names.conditions, roles, strict=True):
        is_marker = mention.text.isupper() and _MARKER.match(names.text, mention.end)
        if is_marker or _NOT_THEY.search(names.text, max(0, mention.start - _FAR), mention.start):
            continue
        before = once.get(mention.condition.name)
        if before is None or role[CONDITION] > before.role[CONDITION]:
            once[mention.condition.name] = _Told(mention, role)
    harm = dict.fromkeys(CONDITION_ROLES, 0.0)
    harm |= {OUTCOME if cues.LOWERS.search(names.text) else HARM: 1.0}
    brought = {
        n: t._replace(role=harm)
        for n, t in once.items()
        if cues.is_brought(names.text, t.mention.start, t.mention.end)
    }
    return list((once | brought).values())


def _feared(text: str, told: Sequence[_Told], asks: int) -> _Told | None:
    """The condition that a drug is feared to bring."""
    least = _LEAST_OF_SEVERAL if len(told) > 1 else _LEAST_ALONE
    # "More deaths in old people with it" fears no more of it, nor of what "or" sets beside it.
    had = [one for one in told if _is_had(text[: one.mention.start])]
    ends = [one.mention.end for one in had]
    had += [t for t in told if any(_is_set_beside(text, end, t.mention.start) for end in ends)]
    harm = _leading([one for one in told if one not in had], HARM, least, asks)
    if harm is None and len(told) == 1 and told[0].role[HARM] and not had and _BRINGS.search(text):
        before = text[: told[0].mention.start]
        return None if _AMONG.search(before) else told[0]
    return harm


def _is_had(before: str) -> bool:
    """Return whether what precedes a condition says that people have it, or take a drug for it."""
    return bool(_OF_THOSE.search(before) or _GIVEN_FOR.search(before))


def _asking_from(text: str) -> int:
    """Return the start of the last sentence that asks; the text before it is a story."""
    ends = (match.end() for match in cues.SENTENCE_END.finditer(text))
    return max(ends, default=0) if text.rstrip().endswith("?") else 0


def _leading(told: Sequence[_Told], role: str, least: float, asks: int) -> _Told | None:
    """The mention that has this role the most likely, of several the narrowest.

    One in the sentence that asks, from `asks` on, goes before those of the story.
    """
    likely = [one for one in told if one.likeliest == role] or [
        one for one in told if one.role[role] >= least
    ]
    narrow = [
        one
        for one in likely
        if not any(
            other is not one and is_kind_of(other.mention.condition, one.mention.condition)
            for other in likely
        )
    ]
    narrow = [one for one in narrow if one.mention.start >= asks] or narrow
    # Of a symptom and the disease that brings it, the symptom is what a drug is given for.
    symptoms = [one for one in narrow if one.mention.condition.is_symptom]
    return max(symptoms or narrow or likely, key=lambda one: one.role[role], default=None)


def _is_set_beside(text: str, end: int, start: int) -> bool:
    """Return whether nothing but "and", "or" or a comma parts what ends and begins there."""
    return bool(_BESIDE.fullmatch(text, end, start))


def side_by_side(written: str) -> list[ConditionMention]:
    """Return a text's first condition with those that "and" or "or" sets beside it, each once."""
    listed: list[ConditionMention] = []
    for found in find_names(written).conditions:
        if listed and not _is_set_beside(written, listed[-1].end, found.start):
            break
        if all(found.condition.name != other.condition.name for other in listed):
            listed.append(found)
    return listed


def _joined(text: str, told: Sequence[_Told], lead: _Told | None) -> Condition | None:
    """The condition, with those of its role that "and" or "or" sets beside it."""
    if lead is None:
        return None
    alike = [
        one.mention
        for one in told
        if one.mention is lead.mention or one.likeliest == lead.likeliest
    ]
    alike.sort(key=lambda mention: mention.start)
    at = alike.index(lead.mention)
    first = last = at
    while first and _is_set_beside(text, alike[first - 1].end, alike[first].start):
        first -= 1
    while last + 1 < len(alike) and _is_set_beside(text, alike[last].end, alike[last + 1].start):
        last += 1
    return joined([as_condition(m.condition, _called(m)) for m in alike[first : last + 1]])


def groups_in(text: str) -> list[str]:
    """Groups of people that a text names, each under one name."""
    return [
        name
        for name, pattern in cues.GROUPS
        if any(
            not _NOT_THEY.search(text, max(0, m.start() - _FAR), m.start())
            for m in pattern.finditer(text)
        )
    ]


def raises(text: str, outcomes: Sequence[str]) -> bool:
    """Say whether a question asks for more of what is bad, and for nothing that drugs are for."""
    bad = bool(outcomes) and set(outcomes) <= cues.BETTER_LOWER
    return bad and bool(cues.RAISES.search(text)) and not cues.LOWERS.search(text)


def prevents(names: Names, condition: Condition | None) -> bool:
    """Return whether a question asks if a drug keeps people from getting the condition."""
    if condition is None or _OF_PATIENTS.search(names.text):
        return False
    asked = {name.casefold() for one in condition.each for name in (one.name, *one.names)}
    is_less = bool(names.compared or cues.LOWERS.search(names.text))
    for mention in names.conditions:
        known = mention.condition
        if not {mention.text.casefold(), known.name.casefold()} & asked or known.is_symptom:
            continue
        told = _PREVENTED.search(names.text, max(0, mention.start - 120), mention.start)
        told = told or _PREVENTED_BEHIND.match(names.text, mention.end)
        if told and (not told["if_fewer"] or is_less):
            return True
    return False


def _called(mention: ConditionMention) -> str:
    """Return the answer's name for a condition: the user's, unless that is no name of it."""
    written = mention.text
    if written.casefold() == mention.condition.name.casefold() and not written.isupper():
        return written
    short = written.isupper() or len(written) <= _SHORT or any(c.isdigit() for c in written)
    return mention.condition.name if short else written
