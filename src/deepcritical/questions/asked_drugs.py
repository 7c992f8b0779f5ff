"""Which of the drugs that a question names are asked about, and which of them are one.

A class with examples is the class, a code in brackets is another name, and a drug that people take
already or that brought their condition is not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.named import Drug
from deepcritical.domain.patterns import bounded
from deepcritical.vocabulary.classes import DrugClass, listed_class
from deepcritical.vocabulary.conditions import ConditionMention
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug

__all__ = ["DrugNamed", "alternatives", "as_one", "is_beside", "specific", "with_cause"]


class DrugNamed(NamedTuple):
    """A drug or class named in a question: `source[start:end] == text`."""

    drug: Drug
    group: DrugClass | None
    start: int
    end: int
    text: str


_BESIDE = bounded(
    r"\b(?:vs?\.?|versus|than|plus|or|compared|against|over|beats?|outperform\w*|instead of|"
    r"switch\w*|replac\w+)(?!\w)|\+",
    re.IGNORECASE,
)
_STATE = bounded(
    r"[- ](?:refractory|resistant|dependent|naive|na.ve|induced|associated|related|sparing|free|"
    r"experienced|unresponsive|intolerant)\b",
    re.IGNORECASE,
)
"""Behind a drug: it says who is treated, or of what."""
_LESS_OF = bounded(
    r"\b(?:reduc\w*|cut\w*(?: down)?(?: on)?|less|fewer|lower\w*|spar\w*|wean\w*|taper\w*|"
    r"come off|need for) (?:(?:the|their|his|her|my|off|from|of|use|oral|systemic|daily) ){0,4}$",
    re.IGNORECASE,
)
_IS_LESS = bounded(
    r"(?: use| dose| doses)?[- ](?:reduction|requirements?|consumption|tapering|withdrawal|"
    r"(?:is|was|are|were)(?: not|n['’]t)? (?:brought down|reduced|lowered|cut))\b",
    re.IGNORECASE,
)
"""A class of which people need less is what a drug is measured by."""
_OPENS = bounded(r" ?[(\[] ?")
_IN_BRACKETS = bounded(r" ?\((?P<name>[^()]{3,40})\)")
_BRAND_OR = bounded(r" ?/ ?")
_SUCH_AS = r"(?:such as|like|including|e\.?g\.?,?|for example,?|for instance,?|namely|i\.?e\.?,?)"
_EXAMPLES = bounded(rf",? (?P<open>{_SUCH_AS}) |,? ?\((?P<told>{_SUCH_AS} )?", re.IGNORECASE)
_HOW = bounded(
    r"(?:(?!(?:vs|versus|compared|than|not|except|without|plus|or|and) )[\w-]+ ){0,5}",
    re.IGNORECASE,
)
"""How the drugs of a class are given, before they are listed: "analgesics (at night with ...)"."""
_NEXT = bounded(r" ?(?:, ?(?:or |and )?|; ?|/| (?:or|and) )", re.IGNORECASE)
_ALIKE = bounded(
    r"\)?,? (?:and|or) (?:the like|others|so on|similar\b)|,? etc\b|,? \.\.\.", re.IGNORECASE
)
_LISTED = bounded(r" ?, ?(?:or )?| or ", re.IGNORECASE)
_ASKS_EFFECT = bounded(
    r"\b(?:help\w*|reduc\w*|prevent\w*|improv\w*|work(?:s|ed)?|efficacy|effects?|effective\w*|"
    r"benefi\w+|treat\w*|reliev\w*|slow\w*|delay\w*|protect\w*|prolong\w*|eas(?:e|es|ed)|"
    r"increas\w*|rais(?:e|es|ed)|caus\w*|safe|lead(?:s)? to|useful|control(?:s|led)?)\b",
    re.IGNORECASE,
)
_CHOICE = bounded(
    r"\b(?:which|what|better|best|worse|more|less|fewer|longer|shorter|faster|slower|sooner|safer|"
    r"stronger|prefer\w*|choos\w+|choice|versus|vs|than|compar\w+|differ\w*|wins?|superior|"
    r"inferior|instead|rather|switch\w*|between)\b",
    re.IGNORECASE,
)
_TAKES = bounded(
    r"\b(?:patients?|people|persons?|individuals|women|men|adults|those|children|survivors|who|"
    r"are|already) (?:(?:are|already|currently|stable|established|maintained|still) ){0,2}"
    r"(?:on|receiv\w+|tak(?:e|es|ing)|treated with|under|given) (?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
_ADDED_TO = bounded(
    r"\b(?:add(?:ed|ing)?(?: [\w-]+){0,6} to|on top of|in addition to|as an? (?:add-on|adjunct) to)"
    r" (?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
_FAILED_ON = bounded(
    r"\b(?:despite|in spite of|(?:inadequate|insufficient|incomplete|poor|partial|no|lack of|"
    r"without) response to|(?:not|never|n['’]t|longer|fail\w* to) (?:adequately )?respond\w* to|"
    r"fail(?:ed|ing|s)|failure (?:of|on|with|to)|(?:refractory|resistant|unresponsive) to|"
    r"intolerant (?:to|of)|non-?responders to|progress\w* (?:on|under)|"
    r"(?:uncontrolled|not (?:adequately |well )?controlled) (?:on|by|with|under)) "
    r"(?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
_WAS_NOT_ENOUGH = bounded(
    r"(?: alone| therapy| treatment)?(?:[- ](?:failure|non-?responders?|IR\b|inadequate|"
    r"insufficient|fail(?:s|ed)\b)| (?:(?:has|have|had|was|is|did|does|do)(?: not|n['’]t)|"
    r"no longer) (?:been )?(?:enough|sufficient|work\w*|control\w*|help\w*)\b)",
    re.IGNORECASE,
)
"""What people had before in vain, whatever is tried after it."""
_HARM = bounded(
    r"\b(?:safe\w*|harm\w*|risk\w*|interact\w*|danger\w*|toxic\w*|adverse|side.effects?|"
    r"contra-?indicat\w+|stop\w*|switch\w*)\b",
    re.IGNORECASE,
)
"""Asks what two drugs do to one another, or which one is left."""
_TREATS = bounded(
    r"\b(?:for|of|against|from|in|prevent\w*|treat\w*|reduc\w*|reliev\w*|help\w*|"
    r"eas(?:e|es|ing)) $",
    re.IGNORECASE,
)
_BROUGHT_BY = bounded(
    r" (?:[\w-]+ ){0,3}(?:(?:get|gets|comes?|came|results?|resulting|arising) (?:with|from)|from|"
    r"caused by|due to|induced by|brought on by|secondary to) (?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
_CAUSE_STATE = bounded(r"(?:[- ](?:treatment|therapy))?[- ](?:(?:induced|associated|related) )?")


def alternatives(text: str, drugs: Sequence[DrugNamed]) -> list[DrugNamed]:
    """The drugs with each list of examples or of alternatives as one class."""
    kept: list[DrugNamed] = []
    at = 0
    while at < len(drugs):
        found = _with_examples(text, drugs[at:]) or _either(text, drugs[at:])
        named, count = found or (drugs[at], 1)
        kept.append(named)
        at += count
    return kept


def _with_examples(text: str, drugs: Sequence[DrugNamed]) -> tuple[DrugNamed, int] | None:
    """A class and the examples behind it, or examples of what no table has as a class."""
    head = drugs[0] if drugs[0].group else None
    first = 1 if head else 0
    if len(drugs) <= first:
        return None
    begins = _opened(text, head, drugs[first]) if head else _named_as_such(text, drugs[0])
    if begins is None:
        return None
    listed = _run(text, drugs[first:], _NEXT)
    end = listed[-1].end
    if len(listed) > 1:
        made = _class_of(text, listed, head)
        start = head.start if head else listed[0].start
        return made._replace(start=start, end=end, text=text[start:end]), first + len(listed)
    is_example = begins or _ALIKE.match(text, end)
    if head is None or not is_example:
        return None
    return head._replace(end=end, text=text[head.start : end]), 2


def _opened(text: str, head: DrugNamed, first: DrugNamed) -> bool | None:
    """Whether a list behind a class is said to be one of examples; None where there is none."""
    match = _EXAMPLES.match(text, head.end)
    if match is None or match.end() > first.start:
        return None
    if not _HOW.fullmatch(text, match.end(), first.start):
        return None
    return bool(match["open"] or match["told"])


def _named_as_such(text: str, first: DrugNamed) -> bool | None:
    """Whether drugs stand behind "such as"; None where they do not."""
    before = text[max(0, first.start - 16) : first.start]
    return True if re.search(rf"[ (]{_SUCH_AS} $", before, re.IGNORECASE) else None


def _run(text: str, drugs: Sequence[DrugNamed], between: re.Pattern[str]) -> list[DrugNamed]:
    """The drugs from the first one on that nothing but such words parts."""
    run = [drugs[0]]
    for named in drugs[1:]:
        if not between.fullmatch(text, run[-1].end, named.start):
            break
        run.append(named)
    return run


def _either(text: str, drugs: Sequence[DrugNamed]) -> tuple[DrugNamed, int] | None:
    """Drugs with "or" between, whose effect is asked about and not which one is better."""
    run = _run(text, drugs, _LISTED)
    told = text[run[0].start : run[-1].end]
    if len(run) < 2 or " or " not in told or _CHOICE.search(text) or not _ASKS_EFFECT.search(text):
        return None
    return _class_of(text, run, None), len(run)


def _class_of(text: str, listed: Sequence[DrugNamed], head: DrugNamed | None) -> DrugNamed:
    names = tuple(dict.fromkeys(named.drug.name for named in listed))
    start, end = listed[0].start, listed[-1].end
    if head and head.group:
        told = tuple(dict.fromkeys((*head.drug.synonyms, *names)))
        drug = head.drug.model_copy(update={"synonyms": told})
        return head._replace(drug=drug, group=head.group._replace(members=names))
    if len(names) == 1:  # two brands of one drug
        return listed[0]._replace(end=end, text=text[start:end])
    made = listed_class(names)
    drug = Drug(name=made.name, synonyms=names)
    return DrugNamed(drug, made, start, end, text[start:end])


def as_one(text: str, drugs: Sequence[DrugNamed]) -> list[DrugNamed]:
    """The drugs with a code or a name in brackets as another name of the one before it."""
    kept: list[DrugNamed] = []
    for named in (_with_name_behind(text, named) for named in drugs):
        last = kept[-1] if kept else None
        if last is None or not _is_other_name(text, last, named):
            kept.append(named)
            continue
        known, other = (last, named) if last.drug.known else (named, last)
        extra = () if other.drug.name == known.drug.name else (other.drug.name,)
        names = tuple(dict.fromkeys((*known.drug.synonyms, *extra)))
        drug = known.drug.model_copy(update={"synonyms": names})
        end = named.end
        whole = text[last.start : end]
        kept[-1] = DrugNamed(drug, known.group, last.start, end, whole)
    return kept


def _with_name_behind(text: str, named: DrugNamed) -> DrugNamed:
    """A drug with the name in brackets behind it that is one in the dictionary alone."""
    match = _IN_BRACKETS.match(text, named.end)
    kinds = {DrugKind.DRUG, DrugKind.TARGET}  # a hormone is a target, and a drug that people take
    if not match or named.group or lookup_drug(match["name"]).kind not in kinds:
        return named
    names = tuple(dict.fromkeys((*named.drug.synonyms, match["name"].casefold())))
    return named._replace(drug=named.drug.model_copy(update={"synonyms": names}))


def _is_other_name(text: str, last: DrugNamed, named: DrugNamed) -> bool:
    if last.drug.name == named.drug.name:
        return bool(_BRAND_OR.fullmatch(text, last.end, named.start))
    in_brackets = _OPENS.fullmatch(text, last.end, named.start) and text[named.end :][:1] in {
        ")",
        "]",
    }
    return bool(in_brackets) and last.group is None and named.group is None


def is_beside(text: str, drugs: Sequence[DrugNamed]) -> Iterator[bool]:
    """Of each drug whether people take it already, whatever is tried in them."""
    is_so = False
    end = 0
    asks_harm = bool(_HARM.search(text) or _CHOICE.search(text))
    for named in drugs:
        before = text[: named.start]
        added = named.group is not None and _ADDED_TO.search(before)
        joined = is_so and _NEXT.fullmatch(text, end, named.start)
        in_vain = _FAILED_ON.search(before) or _WAS_NOT_ENOUGH.match(text, named.end)
        taken = not asks_harm and bool(added or joined or _TAKES.search(before))
        is_so = taken or bool(in_vain)
        end = named.end
        yield is_so


def with_cause(
    text: str, drugs: Sequence[DrugNamed], conditions: Sequence[ConditionMention]
) -> tuple[list[DrugNamed], list[ConditionMention]]:
    """The drugs without those that brought a condition, and the conditions with these before them.

    "X for opioid constipation" is on X alone, and so is "X for constipation caused by opioids".
    """
    left, told = list(drugs), list(conditions)
    for named in drugs:
        at = next((n for n, c in enumerate(told) if c.start > named.start), None)
        if len(left) < 2 or named is drugs[0]:
            continue
        if at is not None and _is_adjunct(text, named, told[at]):
            mention = told[at]
            whole = text[named.start : mention.end]
            told[at] = mention._replace(start=named.start, text=whole)
            left.remove(named)
        elif any(_BROUGHT_BY.fullmatch(text, c.end, named.start) for c in conditions):
            left.remove(named)
    return left, told


def _is_adjunct(text: str, named: DrugNamed, mention: ConditionMention) -> bool:
    """Whether a drug before a condition says what brought it: in the singular, "opioid itch"."""
    between = text[named.end : mention.start]
    is_tumour = any(tree.startswith("C04") for tree in mention.condition.trees)
    if is_tumour or not _CAUSE_STATE.fullmatch(between):
        return False
    is_plural = named.group is not None and named.text.endswith("s")
    is_one = bool(named.group or between.strip(" -") or _TREATS.search(text[: named.start]))
    return is_one and not is_plural


def specific(text: str, drugs: list[DrugNamed]) -> list[DrugNamed]:
    """Without what is told of others: "an antibiotic, doxycycline", "steroid-refractory"."""
    drugs = [d for d in drugs if not _STATE.match(text, d.end)] or drugs
    single = [d for d in drugs if d.group is None]
    if not single or len(single) == len(drugs) or _BESIDE.search(text):
        return drugs
    names = {d.drug.name for d in single}
    return [
        d
        for d in drugs
        if d.group is None or not (_is_told_of(d.group, names) or _is_spared(text, d))
    ]


def _is_spared(text: str, named: DrugNamed) -> bool:
    """Whether a question asks if people need less of a class."""
    before = text[: named.start]
    return bool(_LESS_OF.search(before) or _IS_LESS.match(text, named.end))


def _is_told_of(group: DrugClass, names: set[str]) -> bool:
    """Whether a class may say what one of the drugs is: it has it, or is too wide for a list."""
    return not group.members or bool(names & set(group.members))
