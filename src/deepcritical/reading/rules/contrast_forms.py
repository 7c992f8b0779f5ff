"""Forms in which a clause, with marks in the place of arms, compares two of them on an outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.reading.rules.marking import BOTH, MARK, Marked

Way = Literal["more", "less", "better", "worse", "same"]

_MORE = (
    r"higher|greater|more|longer|larger|increased|elevated|prolonged|enhanced|heavier|raised|"
    r"(?:more|most) (?:often|frequent(?:ly)?|common(?:ly)?|pronounced|likely|prevalent|marked)"
)
_LESS = (
    r"lower|fewer|less|shorter|smaller|reduced|decreased|diminished|attenuated|shortened|"
    r"less (?:often|frequent(?:ly)?|common(?:ly)?|pronounced|likely|prevalent|marked)"
)
_BETTER = r"better|improved|superior|more (?:effective|efficacious|beneficial)"
_WORSE = r"worse|poorer|inferior|impaired|worsened|less (?:effective|efficacious|beneficial)"
_CUE = (
    rf"(?:(?P<better>{_BETTER})|(?P<worse>{_WORSE})|(?P<more>(?:{_MORE})(?! effective))|"
    rf"(?P<less>(?:{_LESS})(?! effective)))"
)
_AMOUNT = r"(?:(?:by\s)?\d{1,5}(?:[.,·]\d{1,4})?\s?(?:%|[a-z/²]{1,20})?\s)?"
"""By how much, as in "0.8 points lower"."""
_ADVERB = r"(?:(?:[a-z]+ly|also|much|far|even|still|by far|slightly|statistically)\s){0,3}"
_BE = r"(?:was|were|is|are|remained|became|appeared|appears|seems|seemed|proved)(?: to be)?"
_IN = r"(?:in|with|for|among|after|by|on|during|of|at|following|under)"
_WHEN = r"(?:,?\s(?:at|after|over|during|through|within)\s[^⟦,;]{1,40}?)?"
_NOT = r"(?P<not>not|n['’]t|no|never|neither)"

_COMPARED = bounded(
    r",?\s(?P<how>(?:as |when )?compared (?:with|to)|than|versus|vs?\.?|relative to|"
    r"in comparison (?:with|to)|over|against|from|to)"
    rf"(?:\s(?:did|was|were|that|those|the \w+|it was)){{0,2}}(?:\s(?:of|{_IN}))?"
    rf"(?:\s(?:both|either))?\s(?P<arm>{MARK})(?:\sdid)?"
    rf"(?:,?\s(?:and|or|nor)(?:\s(?:with|to|the|in|for|than)){{0,2}}\s(?P<second>{MARK}))?",
    re.IGNORECASE,
)
_LEAD = bounded(
    rf"^(?:when |as )?(?:compared (?:with|to)|in comparison (?:with|to)|relative to|versus)"
    rf"(?:\s(?:that|those|the \w+))?(?:\s{_IN})?\s(?P<arm>{MARK})[^,⟦]{{0,40}},\s",
    re.IGNORECASE,
)
_OPENING = bounded(
    r"^(?:(?:and|in addition|moreover|conversely|furthermore|also|however|overall|finally|thus|"
    r"therefore|similarly|interestingly|additionally|in conclusion|besides|nevertheless|"
    r"nonetheless|in contrast|by contrast|notably|importantly|likewise|on the other hand|"
    r"while|although|though|whereas|"
    r"we (?:also )?(?:found|"
    r"observed|showed|conclude) that|[^⟦,;]{3,60}\s"
    r"(?:suggest|show|indicate|demonstrate|confirm|reveal)(?:s|ed)?\sthat)"
    r"[,\s]\s?)*",
    re.IGNORECASE,
)
_CHANGE = (
    r"(?:(?P<more>increase|rise)|(?P<less>reduction|decrease|decline|fall)|"
    r"(?P<better>improvement)|(?P<worse>worsening|deterioration))s?"
)
_NEGATED = rf"(?:{_NOT}\s)?"
_SEEING = (
    r"(?:seen|observed|found|noted|reported|recorded|reached|achieved|obtained|experienced|used|"
    r"required|needed|detected)"
)

_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, bounded(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "outcome was more in arm",
            rf"^(?P<o>[^⟦]+?)(?:\s{_IN}\s(?P<arm1>{MARK}))?,?\s{_BE}\s(?:{_SEEING}\s)?"
            rf"{_NEGATED}{_ADVERB}{_AMOUNT}{_CUE}"
            rf"(?:{_WHEN}\s{_IN}\s(?P<arm2>{MARK}))?(?P<tail>[^⟦]*)$",
        ),
        (
            "arm had more outcome",
            rf"^(?P<arm1>{MARK})\s{_NEGATED}{_ADVERB}(?:had|has|have|showed|shows|experienced|"
            r"reported|demonstrated|achieved|required|spent|led to|lost|gained|had to|"
            r"(?:was |were |is |are )?(?:also )?(?:associated with|resulted? in|results in)|"
            r"produced|provide[sd]|yielded|exhibited|displayed|elicited|induced|received|gave|"
            r"underwent|needed|made|used|developed|presented|reached|obtained|attained|scored)"
            rf"\s(?P<no2>no\s)?{_ADVERB}(?:an?\s|the\s)?{_ADVERB}{_CUE}\s(?P<o>[^⟦]+)$",
        ),
        (
            "arm had a change in outcome",
            rf"^(?P<arm1>{MARK})\s{_NEGATED}{_ADVERB}(?:had|showed|experienced|demonstrated|achieved|"
            r"(?:was|were) associated with|resulted in|led to|produced|provided)\s(?P<no2>no\s)?"
            rf"(?:an?\s)?(?:statistically\s)?(?:significant(?:ly)?\s)?{_CHANGE}\s(?:in|of)\s"
            r"(?P<o>[^⟦]+)$",
        ),
        (
            "outcome changed in arm",
            rf"^(?P<o>[^⟦]+?)\s(?:(?:did|does)\s(?P<not>not)\s)?{_ADVERB}(?:(?P<more>increased?|rose)|"
            r"(?P<less>decreased?|declined?|fell)|(?P<better>improved?)|(?P<worse>worsened))\s"
            rf"(?:significantly\s)?(?P<amount>more\s|less\s)?{_IN}\s(?P<arm1>{MARK})(?P<tail>[^⟦]*)$",
        ),
        (
            "arm is likelier to outcome",
            rf"^(?P<arm1>{MARK})\s{_BE}\s{_NEGATED}{_ADVERB}(?:(?P<more>more)|(?P<less>less))\s"
            rf"likely\sto\s(?P<o>[^⟦]+)$",
        ),
        (
            "arm is better",
            rf"^(?P<arm1>{MARK})\s{_BE}\s{_NEGATED}{_ADVERB}(?:an?\s)?(?:(?P<better>better|"
            r"superior|more (?:effective|efficacious|beneficial))|(?P<worse>worse|inferior|less "
            r"(?:effective|efficacious|beneficial)))"
            rf"(?:\s\w+)?(?:\s(?:regarding|with respect to|with regard to|in terms of|"
            r"in regard to|concerning|at|in|for|on)\s(?P<o>[^⟦]+))?$",
        ),
        (
            "arm reduced outcome",
            rf"^(?P<arm1>{MARK})\s(?:(?:did|does|do|could|can)\s{_NOT}\s|(?P<no2>failed to)\s)?"
            rf"{_ADVERB}(?:(?P<more>increase[sd]?|prolong(?:s|ed)?|enhance[sd]?|raise[sd]?|"
            r"lengthen(?:s|ed)?|extend(?:s|ed)?)|(?P<less>reduce[sd]?|decrease[sd]?|lower(?:s|ed)?|"
            r"shorten(?:s|ed)?|diminish(?:es|ed)?|attenuate[sd]?|suppress(?:es|ed)?)|"
            r"(?P<better>improve[sd]?|ameliorate[sd]?)|(?P<worse>worsen(?:s|ed)?|impair(?:s|ed)?)|"
            r"(?P<any>affect(?:ed)?|alter(?:ed)?|change[d]?|influence[d]?))"
            r"\s(?!by\s|from\s|in\s|with\s|at\s|significantly)(?P<o>[^⟦]+)$",
        ),
        (
            "more of arm did",
            rf"^{_ADVERB}(?P<cue>(?P<more>more|a (?:higher|greater|larger) (?:proportion|"
            r"percentage|number|rate) of)|(?P<less>fewer|less|a (?:lower|smaller) (?:proportion|"
            rf"percentage|number|rate) of))\s(?P<arm1>{MARK})\s(?P<o>[^⟦]+)$",
        ),
        (
            "more outcome in arm",
            rf"^(?:there (?:was|were|is)\s|we (?:found|observed|saw)\s)?(?P<no1>no\s)?{_ADVERB}"
            rf"(?:an?\s|the\s)?{_ADVERB}{_CUE}\s(?P<o>[^⟦]+?)(?:\s(?:was|were|is|are)\s{_ADVERB}"
            r"(?:seen|observed|found|noted|reported|recorded|achieved|obtained|detected|"
            rf"documented|occurred))?{_WHEN}\s{_IN}\s(?P<arm1>{MARK})(?P<tail>[^⟦]*)$",
        ),
    )
)
_SIGNIFICANT = (
    r"(?:(?:statistically|clinically|significant|significantly|meaningful|important|clear|major|"
    r"marked|substantial|overall|observed|apparent|detectable|relevant|other|treatment|group|"
    r"between-group|intergroup|inter-group|notable|any|or|and|evidence of an?|evidence of)\s){0,5}"
)
_SEEN = (
    r"(?:,?\s(?:was|were|is|are|has been|have been)?\s?(?:also\s)?(?:seen|observed|found|noted|"
    r"reported|detected|demonstrated|recorded|evident|identified|apparent))?"
)
_PAIR = (
    rf"(?:(?:(?:when |as )?(?:between|among|in|for|with|across|of|comparing)\s)"
    rf"(?:(?P<a>{MARK})\s?(?:and|or|versus|vs?\.?|to|with|compared (?:with|to)),?\s(?:in\s)?"
    rf"(?P<b>{MARK})|(?P<both>{MARK})))"
)
_OF = (
    r"(?:with respect to|with regard to|regarding|in terms of|concerning|as regards|in regard to|"
    r"in|for|of|on)"
)
_DIFFERENCE = (
    r"(?:(?:there (?:was|were|is|are)\s|(?:we|the \w+) (?:found|observed|detected|showed)\s|"
    r"with\s|showed\s|and\s)?(?:no|not any|without(?: any)?|nor)|"
    rf"(?:we|the \w+) (?:did not|didn['’]t|could not|failed to) (?:find|observe|detect|show|see)"
    rf"(?: any| an?)?)\s{_SIGNIFICANT}differences?"
)
_ALIKE = (
    r"(?:similar|comparable|equivalent|the same|identical|equal|unchanged|alike|"
    r"(?:not|n['’]t|no)\s(?:\w+ly\s){0,2}different|not differ\w*)"
)
_NULLS: tuple[re.Pattern[str], ...] = tuple(
    bounded(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_DIFFERENCE}{_SEEN}\s{_PAIR}{_SEEN},?\s{_OF}\s(?P<o>[^⟦]+)$",
        rf"^{_DIFFERENCE}{_SEEN}\s{_OF}\s(?P<o>[^⟦]+?){_SEEN}(?:\s{_PAIR}{_SEEN}(?P<tail>[^⟦]*))?$",
        rf"^(?P<o>[^⟦]+?)\s(?:did|does|do)\s(?:not|n['’]t)\s(?:\w+ly\s){{0,2}}"
        rf"differ(?:\s\w+ly)?(?:\s{_PAIR})?(?P<tail>[^⟦]*)$",
        rf"^(?P<o>[^⟦]+?)(?:\s(?:of|in|for)\s(?P<both1>{MARK}))?\s(?:{_BE}|showed)\s(?:also\s)?"
        rf"(?:\w+ly\s){{0,2}}(?:{_ALIKE})(?:\s{_PAIR})?(?P<tail>[^⟦]*)$",
    )
)


_TAIL = bounded(
    r"^(?:$|[\s,]\s?(?:at|over|during|after|in|for|on|by|through|throughout|regarding|within|with "
    r"respect|either|too|overall)\b)",
    re.IGNORECASE,
)
"""Words that may stand behind a null: when and in whom, not "to those of a former study"."""


class Told(NamedTuple):
    """The parts that a clause tells of an outcome: arm `a` against `b`, each '' where not named."""

    outcome: str
    a: str
    b: str
    way: Way
    form: str
    by_name: bool
    """True where the clause names the comparator."""


def told_by(marked: Marked, pair: tuple[str, str] | None) -> tuple[Told, ...]:
    """Return what a clause tells, of each comparator that it names; () for none of the forms.

    Args:
        marked: The clause with marks.
        pair: The two arms of a study that has two.
    """
    text = marked.text.strip(" ,.")
    opening = _OPENING.match(text)
    text = text[opening.end() :] if opening else text
    null = _null(text, marked, pair)
    return (null,) if null else _difference(text, marked, pair)


def _null(text: str, marked: Marked, pair: tuple[str, str] | None) -> Told | None:
    for pattern in _NULLS:
        match = pattern.match(text)
        if match is None:
            continue
        groups = {k: v for k, v in match.groupdict().items() if v}
        arms = [marked.arm(v) for k, v in groups.items() if k in ("a", "b")]
        if len(arms) == 2 and arms[0] == arms[1]:
            return None  # one dose of a drug against another
        both = groups.get("both") or groups.get("both1")
        if both and marked.arm(both) != BOTH:
            arms.append(marked.arm(both))
        arms = list(dict.fromkeys(arms))
        if BOTH in arms or len(arms) > 2:
            return None
        named = len(arms) == 2
        sides = tuple(arms) if named else _other(arms, pair)
        if sides is None or not _TAIL.match(groups.get("tail", "")):
            return None
        return Told(groups["o"], sides[0], sides[1], "same", "no difference", named)
    return None


def _other(arms: Sequence[str], pair: tuple[str, str] | None) -> tuple[str, str] | None:
    """The pair with the named arm first."""
    if pair is None or (arms and arms[0] not in pair):
        return None
    return pair if not arms or arms[0] == pair[0] else (pair[1], pair[0])


def _difference(text: str, marked: Marked, pair: tuple[str, str] | None) -> tuple[Told, ...]:
    lead = _LEAD.match(text)
    compared = [lead] if lead else []
    body = text[lead.end() :] if lead else text
    trailing = [m for m in _COMPARED.finditer(body) if _is_comparison(m, body)]
    compared += trailing
    arms = {marked.arm(m["arm"]) for m in compared}
    if len(arms) > 1 or BOTH in arms:
        return ()
    if any(_AND_ANOTHER.match(body[m.end() :]) for m in trailing):
        return ()
    arms |= {marked.arm(m["second"]) for m in trailing if m["second"]}
    for m in reversed(trailing):
        body = body[: m.start()] + body[m.end() :]
    if trailing and _BESIDE.search(body):
        return ()
    for name, pattern in _FORMS:
        if match := pattern.match(body.strip(" ,")):
            told = (_as_told(match, name, marked, arm, pair) for arm in sorted(arms) or (None,))
            return tuple(one for one in told if one)
    return ()


def _is_comparison(match: re.Match[str], body: str) -> bool:
    """Return whether a "to" or "over" before an arm compares with it, as "superior to" does."""
    plain = match["how"].lower() not in ("to", "from", "over")
    return plain or body[: match.start()].endswith(("superior", "inferior", "advantage"))


_AND_ANOTHER = bounded(r"^,?\s(?:and|or|nor)\s(?:either\s|the\s)?(?:⟦|[A-Z\d]{1,4}\b)")
"""A second comparator."""
_BESIDE = bounded(
    r"\b(?:versus|vs\.?|compared (?:with|to)|relative to)\s(?:(?:that|those|in|of|with|for)\s){0,3}"
    r"(?:the\s)?[a-z][a-z-]+\b|\bbut not\b",
    re.IGNORECASE,
)
"""A comparator that is no arm as read: it is not known which comparison the words are of."""
_CHANGES = bounded(
    r"(?:change|reduction|decrease|decline|fall|increase|rise|improvement|worsening|response|effect)s?",
    re.IGNORECASE,
)
_LESSENED: dict[Way, Way] = {"more": "less", "less": "more", "better": "worse", "worse": "better"}
_ONLY_COMPARED = ("arm had a change in outcome", "outcome changed in arm")
"""Forms that tell a change within an arm, unless a comparator is named."""


def _as_told(
    match: re.Match[str],
    name: str,
    marked: Marked,
    compared: str | None,
    pair: tuple[str, str] | None,
) -> Told | None:
    groups = {k: v for k, v in match.groupdict().items() if v}
    named = {marked.arm(v) for k, v in groups.items() if k.startswith("arm")}
    if len(named) != 1 or BOTH in named:
        return None
    a = named.pop()
    sides = (a, compared) if compared else _other([a], pair)
    if sides is None or sides[0] == sides[1]:
        return None
    denied = any(k in groups for k in ("not", "no1", "no2"))
    way: Way | None = next((way for way in _LESSENED if way in groups), None)
    if way and groups.get("amount", "").strip() == "less":
        way = _LESSENED[way]
    if denied:
        way = "same"
    if not way or (name in _ONLY_COMPARED and not compared):
        return None
    outcome = groups.get("o", "")
    if "of" in groups and _CHANGES.fullmatch(outcome):
        outcome = f"{outcome} in {groups['of']}"
    return Told(outcome, sides[0], sides[1], way, name, bool(compared))


_CUT = bounded(
    r",?\s(?:\d+(?:\.\d+)?\s?%?\s(?:versus|vs\.?)\s.*|[Pp]\s?[<=>].*|by\s\d.*|from\s\d.*|"
    r"(?:between|from) baseline (?:and|to|until)\b.*|"
    r"(?:statistically\s)?significantly|respectively.*|"
    r"with an? (?:hazard|odds|relative|mean|risk).*|resulting in.*|"
    r",?\s?(?:providing|making|offering|supporting|confirming|leading to|allowing)\b.*|"
    r"and (?:was|were|had|did|also|is|reduced|increased|improved|decreased|eased|prevented|slowed|"
    r"worsened|caused|prolonged|shortened|delayed|lowered|raised|relieved)\s.*|when$|as$|with$|"
    r"in$|for$|was$|were$|than.*|compared.*|without.*|but.*|even\b.*|regardless.*|because.*|which.*|"
    r"and (?:an? )?(?:\w+ ){0,2}?(?:improvements?|reductions?|increases?|decreases?|lower|higher|"
    r"fewer|more|less|greater|shorter|longer)\s.*|suggesting.*|indicating.*)$|"
    r",\s(?:with|an?|week|month|day|year|but)\b.*$",
    re.IGNORECASE,
)
_ARTICLE = bounded(
    r"^(?:(?:and|but|the|an?|any|all|both|in|of|that|also|its|their|significant|"
    r"significantly|statistically|we found that|either|reducing|decreasing|lowering|improving|"
    r"relieving|preventing|treating)\s)(?=\w)",
    re.IGNORECASE,
)
_NO_OUTCOME = bounded(
    r"^\d[\d.,-]*\s?(?:%|(?:[mµu]c?g|g|ml|IU|units?)\b)?\S*$|"  # a dose
    r"^(?:it|this|they|these|that|there|which|who|we|the difference|differences?|results?|both|"
    r"all|none|groups?|(?:two|both|three|four|[234]) .*|"
    r"(?:mean |median )?(?:changes?|differences?|reductions?)(?: from baseline)?|values?|levels?|"
    r"scores?|outcomes?|effects?|patients?|total|overall|days?|weeks?|"
    r"(?:overall |general )?(?:tolerability|safety|efficacy|tolerability and safety|safety and "
    r"tolerability|efficacy and (?:safety|tolerability))(?: profiles?)?|(?:the )?trial|"
    r"months?|a?(?:hr|or|rr)s?|(?:hazard|odds|risk|rate) ratios?|"
    r"(?:mean |median )?(?:proportion|number|percentage|rates?|incidence|frequency|time)|"
    r"than|to|in|of|with|no|study)$|\b(?:not|nor|neither|more|less|higher|lower|greater|fewer|"
    r"differ|than|compared|between|within)\b|\s(?:was|were|did)\b|[()\[\]]|"
    r"^(?:that|to|by|with|whether|from|if|when)\s",
    re.IGNORECASE,
)
_CONDUCT = bounded(
    r"\b(?:(?<!gestational )age(?!-)|sex|gender|ethnicity|race|adheren(?:ce|t)|complian(?:ce|t)|"
    r"concomitant|co-?medications?|attrition|loss to follow-up|lost to follow-up|"
    r"(?:completion|retention|follow-up) rates?|"
    r"(?:drop-?outs?|dropping out)(?! (?:due|because|owing|for|from)))\b",
    re.IGNORECASE,
)
"""Words on who took part and how the trial went: they spoil a list in which they stand."""
_MOST_WORDS = 30


def outcome_in(told: str) -> str:
    """The outcome in its words; '' where they are none of one."""
    text = _CUT.sub("", told.strip(" ,.;"))
    for _ in range(4):
        text = _ARTICLE.sub("", text)
    text = text.strip(" ,.;")
    unfit = _NO_OUTCOME.search(text) or _CONDUCT.search(text)
    return "" if unfit or len(text.split()) > _MOST_WORDS else text
