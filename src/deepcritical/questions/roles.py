"""Which of the conditions in a question is asked about, who is studied, and what is measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Condition
from deepcritical.questions import cues
from deepcritical.questions.naming import Names, as_condition, joined
from deepcritical.vocabulary.conditions import ConditionMention, is_kind_of

__all__ = ["Roles", "counts_in_users", "groups_in", "measures_in", "prevents", "raises", "roles_of"]

_WHO = bounded(
    r"\b(?:in|among|with|for|having|who have|living with|due to|of|after|and) (?:[\w'’-]+ ){0,3}$|"
    r"\b(?:associated|related|induced|positive) $",
    re.IGNORECASE,
)
_PEOPLE = bounded(
    r"\b(?:patients?|people|persons?|adults|women|men|those|individuals|someone|children|kids|"
    r"husband|wife|mother|father)\b[^.;?]{0,30}$",
    re.IGNORECASE,
)
_BEHIND = bounded(
    r"^[- ](?:positive|related|associated|affected|infected|dependent)\b", re.IGNORECASE
)
_OF_PEOPLE = bounded(
    r"^ (?:patients?|people|persons?|adults|women|men|individuals|children|kids|adolescents|"
    r"smokers|survivors)\b",
    re.IGNORECASE,
)
_ARE_PEOPLE = bounded(
    r"\w{4,}(?:ics|iacs|eurs)$|\b(?:smokers|drinkers|survivors|sufferers)$", re.IGNORECASE
)
"""Names of those who have a condition: "diabetics", "migraineurs"."""
_OF_DRUG = bounded(
    r"^(?:['’]s)?[ -](?:pill|tablet|capsule|medicine|medication|drug|jab|injection|med|remedy)s?\b",
    re.IGNORECASE,
)
"""Behind a condition that only says what a drug is for: "metformin, the diabetes pill"."""
_HAS = bounded(
    r"\b(?:has|have|had|having|with|suffers? from|living with|gets?|got|developed)\b[^.;?]{0,40}$",
    re.IGNORECASE,
)
_NOT_THEY = bounded(
    r"\b(?:without|no|not|never|excluding|except|non|neither|nor|rather than|free of|absence of)"
    r"(?: (?:a|an|any|in|had|have|having|prior|previous|known|history of|with|for)){0,3}"
    r"[ -]$",
    re.IGNORECASE,
)
"""Before those who are not meant: "in heart failure without diabetes"."""
_MARKER = bounded(r"^-[A-Z]?\d")
"""Behind letters that are no condition: PD-L1, PD-1."""
_SHORT = 5


_BROUGHT_BEFORE = bounded(
    r"\b(?:caus(?:e|es|ed|ing)|induc(?:e|es|ed|ing)|trigger\w*|leads? to|leading to|brings? on|"
    r"gives? (?:you|people|them|one)|provok\w+|(?<!lower )(?<!reduced )(?<!lowered )(?:risk|danger|"
    r"chance|odds|rate|incidence|rates|cases|signals?) of|risk for|"
    r"(?:associat\w+|linked|links?|connect\w+|relat\w+) (?:with|to|between [\w-]+ and)|"
    r"how (?:common|often|likely|rare|frequent)(?: is| are)?|(?:get|gets|getting|develop\w*|"
    r"born with)) (?:(?!(?:in|for|with|among|on|after|by) )[\w'’-]+ ){0,3}$",
    re.IGNORECASE,
)
_BROUGHT_BEHIND = bounded(
    r"^[ -](?:risks?\b|(?:more often |more |less )?(?:after|from|with|on|while taking|caused by|"
    r"due to|induced by) (?:[\w-]+ ){0,2}◊|as (?:a|an) (?:known )?(?:side|adverse))",
    re.IGNORECASE,
)
_COUNTED = bounded(
    r"\b(?:prevalence|incidence|frequency|proportion|percentage|rates?|risk|odds|"
    r"how (?:common|often|many|likely|frequent\w*)|more (?:often|likely|frequent\w*|common\w*)|"
    r"(?:get|have|suffer) more)\b",
    re.IGNORECASE,
)
_USERS = bounded(
    r"\b(?:people|patients|those|women|men|adults|persons|individuals|children) (?:who (?:are )?)?"
    r"(?:on|tak(?:e|ing)|us(?:e|ing)|treated with|receiving|given|exposed to) "
    r"(?:[\w-]+ ){0,2}◊|"
    r"◊ *(?:users?|takers|recipients)\b|◊ *-?(?:treated|exposed)\b",
    re.IGNORECASE,
)
"""Who takes a drug: what is counted in them, it may have brought."""
_SUFFERED = bounded(
    r"\b(?:in|for|with|having|who have|have|has|had|i['’]m|treat\w*) (?:[\w'’-]+ ){0,3}$",
    re.IGNORECASE,
)


_SIDE_BY_SIDE = bounded(r"(?:['’]s?)?[ -](?:(?:related|associated|induced) )?", re.IGNORECASE)
_BESIDE = bounded(
    r",? (?:and/or|and|or|&) (?:(?!(?:in|for|with|among|of|to|from|on|after|who|does|do|is|are|can)"
    r" )[\w-]+ ){0,2}|, ",
    re.IGNORECASE,
)
_AIM = bounded(
    r"\b(?:for|to) (?:prevent|treat|reduc|lower|control|reliev|manag|stop|slow|delay|eas)\w*"
    r"(?: the)?(?: \w+){0,2} $",
    re.IGNORECASE,
)
_AMONG = bounded(r"\b(?:in|among) (?:[\w'’-]+ ){0,3}$", re.IGNORECASE)


_PREVENTED = bounded(
    r"(?:\b(?:prevent\w*|chemoprevent\w*|avert\w*|ward\w* off|prophyla\w+ (?:of|for|against)|"
    r"prevention of|protect\w* (?:\w+ )?(?:against|from)|immuni\w+ against|"
    r"(?:lower|reduc|decreas|cut)\w*(?: [\w-]+){0,3} (?:risk|chances?|odds|likelihood|incidence|"
    r"probability|rate)(?: (?:of|for))?|(?:delay|postpon)\w*(?: the)? (?:onset|development|start))"
    r"(?: the)?(?: (?:risk|onset|development|occurrence|incidence))?(?: of)?|"
    r"\b(?:get|develop)(?:s|ting|ing)?)"
    r"(?: (?!(?:in|among|with|for|after|during|on|by)\b)[\w'’-]+){0,3} $",
    re.IGNORECASE,
)
_PREVENTED_BEHIND = bounded(
    r"^[ -](?:(?:chemo)?prevention|prophylaxis|risk reduction|onset|incidence)\b|"
    r"^ (?:from|in) (?:developing|occurring|the first place)\b",
    re.IGNORECASE,
)
_OF_PATIENTS = bounded(
    r"\b(?:recurr|relaps|progress|exacerbat|flare|attack|death|mortalit|complicat|worsen|"
    r"hospital|symptom|episode|readmi)",
    re.IGNORECASE,
)
"""What only people who have a condition can have more or less of."""


class Roles(NamedTuple):
    """What a question says of conditions and people."""

    condition: Condition | None
    population: tuple[str, ...]
    outcomes: tuple[str, ...]
    harm: Condition | None = None


def roles_of(names: Names, *, on_harm: bool = False) -> Roles:
    """Which condition is treated, who is studied, what is measured, what harm is asked about.

    The condition asked about is the first that does not only say who is studied.

    "Agitation in dementia" asks about agitation; "in people with HIV and meningitis" asks about
    the one of the two that is not a group of people.
    """
    text = rest = names.text
    for named in names.drugs:
        rest = rest.replace(named.text, " " * len(named.text))
    units = _together(text, _each_once(_bearing(text, names.conditions)))
    harm = _brought(names, [unit[0] for unit in units]) if on_harm else None
    asked, others = _parted(text, [unit[0] for unit in units if unit[0] is not harm])
    population = [m.condition.name for unit in units if unit[0] in others for m in unit]
    groups = groups_in(rest)
    condition, brought = (
        joined([as_condition(m.condition, _called(m)) for m in unit]) if unit else None
        for unit in (_unit_of(asked, units), _unit_of(harm, units))
    )
    taken = " ".join(m.text.casefold() for m in _unit_of(asked, units))
    outcomes = measures_in(rest, taken)
    return Roles(condition, tuple(dict.fromkeys((*population, *groups))), outcomes, brought)


def _unit_of(
    first: ConditionMention | None, units: Sequence[list[ConditionMention]]
) -> list[ConditionMention]:
    return next((unit for unit in units if unit[0] is first), [])


def _together(text: str, mentions: Sequence[ConditionMention]) -> list[list[ConditionMention]]:
    """The mentions, those together that "and" or "or" sets beside one another.

    Two diseases that the same people have are apart: "in patients with asthma and obesity".
    """
    units: list[list[ConditionMention]] = []
    listed: list[ConditionMention] = []  # behind commas alone, until an "and" follows
    for mention in mentions:
        last = listed[-1] if listed else units[-1][-1] if units else None
        between = text[last.end : mention.start] if last else ""
        if last is None or not _BESIDE.fullmatch(between) or _is_apart(text, units[-1], mention):
            units += [[one] for one in listed] + [[mention]]
            listed = []
            continue
        listed.append(mention)
        if between.strip() != ",":
            units[-1] += listed
            listed = []
    return units + [[one] for one in listed]


def _is_apart(text: str, unit: Sequence[ConditionMention], mention: ConditionMention) -> bool:
    """Whether a condition says who is studied, or what else somebody with the first one has."""
    behind, before = text[mention.end : mention.end + 24], text[: unit[0].start]
    is_group = _ARE_PEOPLE.search(mention.text) or _OF_PEOPLE.search(behind)
    told = f"{before}{text[unit[0].start : mention.start]}"
    either = re.search(r"\bor\b", text[unit[-1].end : mention.start])
    has_both = not either and (_PEOPLE.search(before) or _HAS.search(before))
    return bool(is_group or _BEHIND.search(behind) or has_both or _NOT_THEY.search(told))


def prevents(names: Names, condition: Condition | None) -> bool:
    """Whether a question asks if a drug keeps people from getting the condition."""
    if condition is None or _OF_PATIENTS.search(names.text):
        return False
    asked = {name.casefold() for one in condition.each for name in (one.name, *one.names)}
    for mention in names.conditions:
        known = mention.condition
        if not {mention.text.casefold(), known.name.casefold()} & asked or known.is_symptom:
            continue
        before, behind = names.text[: mention.start], names.text[mention.end : mention.end + 40]
        if _PREVENTED.search(before[-120:]) or _PREVENTED_BEHIND.match(behind):
            return True
    return False


def counts_in_users(names: Names) -> bool:
    """Whether a question counts a condition in who takes a drug: "how common is X in Y users?"."""
    text = _drugs_marked(names)
    return bool(_COUNTED.search(text) and _USERS.search(text))


def _drugs_marked(names: Names) -> str:
    """The question with each drug as one sign and blanks, so that all else keeps its place."""
    text = names.text
    for drug in names.drugs:
        text = f"{text[: drug.start]}{'◊':<{drug.end - drug.start}}{text[drug.end :]}"
    return text


def _brought(names: Names, mentions: Sequence[ConditionMention]) -> ConditionMention | None:
    """The condition that a drug is said to bring; the first of several."""
    text = _drugs_marked(names)
    in_users = counts_in_users(names)
    for mention in mentions:
        before, behind = text[: mention.start], text[mention.end : mention.end + 60]
        if in_users and (before.endswith("more ") or not _SUFFERED.search(before)):
            return mention
        if _BROUGHT_BEHIND.match(behind) and not _SUFFERED.search(before):
            return mention
        if _BROUGHT_BEFORE.search(before):
            return mention
    return None


def groups_in(text: str) -> list[str]:
    """Groups of people that a text names, each under one name."""
    groups = [
        name
        for name, pattern in cues.GROUPS
        if any(not _NOT_THEY.search(text[: m.start()]) for m in pattern.finditer(text))
    ]
    if any(group.endswith(" women") for group in groups):
        groups = [group for group in groups if group != "women"]
    return groups


def measures_in(text: str, taken: str = "") -> tuple[str, ...]:
    """What is measured; of "progression-free survival" not survival and progression, too.

    Args:
        text: Where it is said.
        taken: Words of it that mean something else.
    """
    found = [
        (name, match.start(), match.end())
        for name, pattern in cues.OUTCOMES
        for match in pattern.finditer(text)
        if match[0].casefold() not in taken
    ]
    whole = [
        name
        for name, start, end in found
        if not any(s <= start and end <= e and (s, e) != (start, end) for _, s, e in found)
    ]
    return tuple(dict.fromkeys(whole))


def raises(text: str, outcomes: Sequence[str]) -> bool:
    """Whether a question asks for more of what is bad, and for nothing that a drug is given for."""
    bad = bool(outcomes) and set(outcomes) <= cues.BETTER_LOWER
    return bad and bool(cues.RAISES.search(text)) and not cues.LOWERS.search(text)


def _bearing(text: str, mentions: Sequence[ConditionMention]) -> list[ConditionMention]:
    """Without what a story mentions beside the question that it ends in.

    Not what only says what a drug is for; and where the sentence that asks names a condition
    itself, of the others only what somebody has.
    """
    meant = [
        m
        for m in mentions
        if not _NOT_THEY.search(text[: m.start])
        and not (m.text.isupper() and _MARKER.search(text[m.end :]))
    ]
    plain = [m for m in meant if not _OF_DRUG.match(text[m.end : m.end + 24])] or meant
    ends = [m.start() for m in cues.SENTENCE_END.finditer(text)] + [len(text)]
    spans = zip([0, *ends], ends, strict=False)
    asks = [span for span in spans if text[slice(*span)].rstrip().endswith("?")]
    start, end = asks[-1] if asks else (0, len(text))
    asking = [m for m in plain if start <= m.start < end]
    if not asking:
        return plain
    # "Her ovarian cancer ... How does it kill her cancer?": the narrower name is meant.
    again = {
        id(m)
        for m in asking
        if any(o.start < start and is_kind_of(o.condition, m.condition) for o in plain)
    }
    return [
        m
        for m in plain
        if id(m) not in again
        and (start <= m.start < end or (len(again) == len(asking)) or _HAS.search(text[: m.start]))
    ]


def _parted(
    text: str, mentions: Sequence[ConditionMention]
) -> tuple[ConditionMention | None, list[ConditionMention]]:
    """The condition asked about, and those that say who is studied.

    Where all say so, the one of a noun is asked about: "obese patients with asthma".
    """
    groups: list[ConditionMention] = []
    asked: list[ConditionMention] = []
    for mention in mentions:
        last = mention is mentions[-1] and not asked
        says_who = not last and (
            _is_group(text, mention, told=bool(asked)) or _bears_symptom(text, mention, mentions)
        )
        (groups if says_who else asked).append(mention)
    asked = _narrowest(asked)
    found = next(iter(asked), None)
    return found, [m for m in mentions if m in groups or (m in asked and m is not found)]


def _is_group(text: str, mention: ConditionMention, *, told: bool) -> bool:
    """Whether a mention says who is studied rather than what is asked about."""
    before, behind = text[: mention.start], text[mention.end : mention.end + 24]
    if _ARE_PEOPLE.search(mention.text) or _OF_PEOPLE.search(behind):
        return True
    if _BEHIND.search(behind):
        return True
    return bool(_WHO.search(before)) and (told or bool(_PEOPLE.search(before)))


def _bears_symptom(
    text: str, mention: ConditionMention, mentions: Sequence[ConditionMention]
) -> bool:
    """Whether a disease only says whose symptom is asked about.

    Of two nouns side by side the last one is meant ("sclerosis fatigue"); and what is aimed at in a
    disease is asked about ("in cirrhosis to prevent bleeding").
    """
    behind = [m for m in mentions if m.start >= mention.end]
    if not behind:
        return False
    between = text[mention.end : behind[0].start]
    if _SIDE_BY_SIDE.fullmatch(between):
        return behind[0].condition.is_symptom and not mention.condition.is_symptom
    return bool(_AIM.search(between) and _AMONG.search(text[: mention.start]))


def _called(mention: ConditionMention) -> str:
    """How a condition is called in the answer: as the user did, but for an abbreviation."""
    written = mention.text
    if written.casefold() == mention.condition.name.casefold() and not written.isupper():
        return written
    short = written.isupper() or len(written) <= _SHORT or any(c.isdigit() for c in written)
    return mention.condition.name if short else written


def _each_once(conditions: Sequence[ConditionMention]) -> list[ConditionMention]:
    """The first mention of each condition."""
    kept: dict[str, ConditionMention] = {}
    for mention in conditions:
        kept.setdefault(mention.condition.name, mention)
    return list(kept.values())


def _narrowest(listed: list[ConditionMention]) -> list[ConditionMention]:
    """Without those that another one makes narrow."""
    narrow = [
        c
        for c in listed
        if not any(o is not c and is_kind_of(o.condition, c.condition) for o in listed)
    ]
    return narrow or listed
