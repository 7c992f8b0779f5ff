"""The cue words of a direction: benefit, no effect, harm, and what turns or takes them back.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = ["BAD", "BENEFIT", "GOOD", "HARM", "NO_EFFECT", "SPARED", "TAKEN_BACK", "UNDO"]


def _any(*patterns: str) -> re.Pattern[str]:
    return bounded("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


def _gap(words: int) -> str:
    """Up to so many words in between, numbers and brackets included."""
    return rf"(?:[^\s;.]+\s+){{0,{words}}}"


_NOT_GOOD = "".join(
    rf"(?<!{word} )"
    for word in "response remission survival recovery cure clearance success resolution".split()
)
"""Not before "rate" in "response rate", of which less is no benefit."""
BAD = (
    r"(?:risks?|odds|hazards?|incidences?|mortality|deaths?|decline|impairments?|dementia|"
    r"progression|burden|load|patholog\w+|deficits?|symptoms?|severity|hospitali[sz]ations?|"
    r"accumulation|deposit\w*|prevalen\w+|loss|dysfunction|inflammation|neuroinflammation|"
    r"viral load|occurrence|"
    rf"{_NOT_GOOD}rates?|time to|duration|neurodegeneration|"
    r"phosphorylation|stress|relapses?|worsening|ventilation|infections?|levels? of aβ|aβ level|"
    r"likelihood|probability|deterioration|(?:hospital |length of )?stay|lesions?|size|pain|"
    r"fatigue|disability|"
    r"attacks?|seizures?|exacerbations?|recurrences?|fever|bleeding|intubations?|admissions?)"
)
GOOD = (
    r"(?:cognit\w+|executive|memory|learning|function\w*|performance|survival|outcomes?|recovery|"
    r"recall|attention|response|remission|clearance|regression|"
    r"quality of life|efficacy|relief|healing|resolution|profile|improvement|involution|success\w*)"
)
_LESS = (
    r"(?:reduc\w+|lower\w*|decreas\w+|less|fewer|attenuat\w+|alleviat\w+|slow\w*|delay\w*|"
    r"prevent\w*|ameliorat\w+|mitigat\w+|shorten\w*|shorter|protect\w* against|protect\w* from|"
    r"suppress\w+|eas(?:e[sd]?|ing)|reliev\w+|lessen\w*|halv\w+|curb\w*|cut(?:s|ting)?(?!-)|"
    r"diminish\w*)"
)
_MORE = r"(?:increas\w+|higher|greater|elevat\w+|rais(?:e[sd]?|ing)|enhanc\w+|longer)"
_BETTER = (
    r"(?:improv\w+|enhanc\w+|better|faster|superior|favou?r\w*|preserv\w+|restor\w+|increas\w+|"
    r"higher|greater)"
)
_GOOD_EVENT = (
    r"(?:remissions?|recover(?:y|ies)|(?:partial |complete |overall )?responses?|cures?|clearance|"
    r"resolution|improvement|survival|success|healing|regression)"
)
_BAD_EVENT = (
    r"(?:deaths?|mortality|relapses?|recurrences?|hospitali[sz]ations?|progression|worsening|"
    r"deterioration|exacerbations?|attacks?|intubations?|decline|treatment failures?)"
)
_COMMON = r"(?:common|frequent|often|likely)\b"
_WHO = r"(?:patients|participants|people|subjects|adults|children|infants|women|men|users|those)"
_OF_PEOPLE = rf"(?:\w+ ){{0,2}}{_WHO}\b[^.;]{{0,60}}?"
_FALL_ILL = (
    r"(?:die|develop|relapse|progress|deteriorate|worsen|need|require|"
    r"be (?:hospitali[sz]|admitt|intubat|ventilat)\w*)"
)
_GET_WELL = r"(?:recover|respond|improve|survive|heal|be (?:cured|discharged)|(?:achieve|reach))"
_FACULTY = r"(?:function\w*|cognit\w+|memory|quality of life|performance|mobility|vision)"
_LOST = r"(?:declined|deteriorated|was lost|were lost|fell|dropped)"
_GOT_WELL = (
    r"\b(?:recovered|responded|improved|survived|healed|(?:were|was) (?:cured|discharged|"
    r"symptom-free)|(?:reached|achieved|attained|had) (?:an? )?(?:\w+ )?(?:remission|response|"
    r"recovery|resolution))\b"
)
_GOT_WORSE = (
    r"\b(?:died|relapsed|progressed|deteriorated|worsened|"
    r"(?:were|was|required|needed) (?:hospitali[sz]|intubat|ventilat|admi(?:tted|ssion))\w*)"
)
_NOT_OF = r"(?<!\bof )(?<!\bfrom )(?<!\bin )(?<!\band )"
"""Not before "pain" in "relief of pain", which is no bad thing that happens."""
_HAPPENED = (
    r"(?:began|started|occurred|came|happened|developed|appeared|set in|(?:was|were) "
    r"(?:needed|required|reached)) (?:significantly |markedly |much |slightly )?"
)
_NOT = (
    r"(?:(?:did|does|do|was|were|is|are|has|have|had|could|can|may|would) ?(?:not|n['’]t)|"
    r"cannot|neither|nor|without|never|(?:might|will|would|should|may|do) not)"
)

NO_EFFECT = _any(
    (
        rf"\bno\s+{_gap(4)}(?:effects?|associations?|differences?|benefits?|improvements?|"
        r"relationships?|impact|reductions?|changes?|advantage|correlation|beneficial)\b"
    ),
    r"\b(?:no|none)\b.{0,60}\bcan (?:currently |yet )?be recommended\b",
    r"\bno (?:clear |convincing |reliable |good )?evidence\b",
    r"\b(?:contradictory|conflicting|controversial)\b",
    r"\b(?:did|do|does) not (?:observe|find|detect|provide (?:support|evidence))\b",
    (
        r"\bunlikely (?:to|that)\b.{0,60}\b(?:improv\w*|benefit\w*|reduc\w*|effect\w*|help|"
        r"shorten|prevent|provide|have)\b"
    ),
    (
        r"\bnot (?:meet|met|achieve[d]?|reach(?:ed)?)\b(?=.*\bprimary\b)|"
        r"\bprimary (?:\w+ )?(?:outcomes?|end ?points?)\b.{0,60}\bnot (?:met|achieved|reached)\b|"
        r"\bmissed (?:its|the|their) (?:\w+ )?primary\b"
    ),
    r"\blittle (?:or|to) no\b",
    r"\bnot (?:be )?clinically (?:meaningful|relevant|important|significant)\b",
    r"\bnone of the (?:[\w-]+ ){1,4}(?:prevented|improved|reduced|shortened|lowered)\b",
    (
        rf"\b{_NOT}\s+{_gap(4)}(?:associat\w+|improv\w+|reduc\w+|affect\w*|alter\w*|chang\w+|"
        r"lower\w*|differ\w*|prevent\w*|support\w*|recommend\w*|significant\w*|benefi\w+|protect\w*|decreas\w+|"
        r"shorten\w*|superior|effective|slow\w*|observed|evident|confirm\w*|translate|recommended|"
        r"result in|lead to|influence|impact|increase)"
    ),
    r"\b(?:was|were) not\s*[.)]?$",
    r"\bfail(?:ed|s|ure)? to\b",
    r"\b(?:were|was|is|are) (?:\w+ )?(?:comparable|similar)\b",
    r"\b(?:describ|report|judg|regard|rat)\w+\b[^.;]{0,90}\bas (?:\w+ )?(?:comparable|similar)\b",
    r"\black(?:ed|s|ing)? (?:of )?(?:clinical )?(?:effects?|efficacy|benefits?)\b",
    r"\b(?:ineffective|non-?significant|not significant|futil\w+|inconsistent findings)\b",
    r"\bnot reach (?:statistical )?significance\b",
    (
        r"\b(?:no|none of the) (?:[\w-]+ ){1,3}(?:significantly )?(?:improved|reduced|lowered|"
        r"decreased|slowed|prevented|benefit(?:s|ed)?)\b"
    ),
    r"\bdoes not support\b|\bnot supported\b|\bdo not support\b",
    r"\bno (?:more (?!than\b)|better\b|greater\b|faster\b|quicker\b|different\b|fewer\b)",
    r"\bno (?:bearing on|relief|gain|merit|place (?:for|in)\b|(?:\w+ )?signs? of)",
    r"\b(?:did|does|do) nothing (?:for|to|against)\b",
    r"\bwithout (?:reaching |attaining )?(?:statistical(?:ly)? )?significan\w+",
    r"\bwithout (?:an?y? |clear )?(?:effects?|benefits?|advantage|efficacy)\b",
    r"\b(?:useless|worthless)\b|\b(?:is|are|was|were|had|has) no use\b",
    r"\bof no (?:use|value|benefit|help)\b",
    (
        r"\b(?:advis|recommend|argu|speak|spoke|weigh|caution|counsel)\w* "
        r"(?:strongly |clearly )?against\b"
    ),
    r"\b(?:trial|study)\b[^.;]{0,40}\b(?<!tested )negative\b(?! (?:for|in)\b)",
    (
        r"\b(?:gave|had|showed|produced|yielded) (?:\w+ )?similar "
        r"(?:results?|outcomes?|rates?|responses?)\b|\b(?:were|was) alike\b"
    ),
    rf"\b(?:not|no|neither) (?:significantly |any )?(?:more|less) {_COMMON}",
    (
        r"(?<!twice )(?<!times )(?<!half )(?<!third )\bas (?:long|often|likely|"
        r"frequent(?:ly)?|common|quickly|fast|many|effective)\s+(?:[^\s.;]+\s+){1,5}"
        r"as (?:in |on |with |those |for )|"
        r"\bas effective as\b"
    ),
    (
        rf"\b{_NOT}\s+{_gap(4)}(?:help|work(?:ed|ing)?|reliev\w+|ease|outperform\w*|"
        r"fared? better|do better)\b"
    ),
    (
        rf"\b(?:benefits?|effects?|advantages?|associations?|differences?)\b\s+{_gap(10)}"
        r"(?:(?:was|were) (?:lost|no longer)|disappear\w*|vanish\w*|evaporated|"
        r"did not (?:persist|hold|survive))"
    ),
)
"""A result of no benefit."""

HARM = _any(
    (
        rf"\b{_MORE}\s+(?:in |of |the |a |an )*{_gap(3)}(?:risks?|odds|hazards?|incidences?|"
        r"mortality|deaths?|aggregat\w+|deposition|burden|patholog\w+|generation|biogenesis|"
        r"insoluble|hospitali[sz]ation)\b"
    ),
    (
        rf"\b(?:risk|odds|hazard|incidence|mortality)\b\s+{_gap(6)}(?:was|were|is|are) {_gap(2)}"
        r"(?:increased|higher|elevated|greater|raised)\b"
    ),
    (
        r"\bworsen\w*|\bworse\b|\bexacerbat\w+|\bdetriment\w+|\bdeleterious\b|\baggravat\w+|"
        r"\bpoorer\b|\bharmful\b"
    ),
    (
        r"\b(?:reduc\w+|lower\w*|decreas\w+|impair\w+)\s+(?:the |in )?"
        r"(?:cognition|cognitive (?:function\w*|performance)|memory|survival)\b"
        r"(?!\s+(?:decline|impairment|loss|deficit))"
    ),
    (
        r"\b(?:deterioration|decline|progression|worsening|loss)\s+"
        rf"{_gap(4)}(?:was|were|is)\s+{_gap(2)}(?:faster|greater|more rapid|accelerated|higher)\b"
    ),
    r"\bpromot\w+\s+(?:\S+\s+){0,2}(?:aggregation|deposition|amyloid\w*|tau)\b",
    rf"{_NOT_OF}\b{BAD}\b,?\s+{_gap(7)}{_HAPPENED}(?:earlier|sooner)\b",
    rf"\b{_FACULTY}\b\s+{_gap(4)}{_LOST} (?:\w+ly )?(?:faster|more(?! slowly)|sooner|earlier)\b",
    rf"\b{_FACULTY} (?:scores?|ratings?)\s+{_gap(3)}(?:was|were) (?:\w+ly )?(?:lower|poorer)\b",
    (
        r"\b(?:pain|symptoms?|severity|disability|fatigue|depression) (?:severity )?"
        r"(?:scores?|ratings?)\s+(?:was|were) (?:\w+ly )?(?:higher|greater)\b"
    ),
    rf"\bmore likely to {_FALL_ILL}|\bless likely to {_GET_WELL}",
    rf"\b(?:developed|occurred|arose) in (?:\w+ly )?more {_WHO}\b",
    rf"\b{_BAD_EVENT}\b\s+{_gap(8)}(?:was|were) (?:\w+ly )?more {_COMMON}",
    rf"\b{_GOOD_EVENT}\b\s+{_gap(8)}(?:was|were) (?:\w+ly )?less {_COMMON}",
    rf"\bmore {_OF_PEOPLE}{_GOT_WORSE}|\bfewer {_OF_PEOPLE}{_GOT_WELL}",
    rf"\b{BAD}\b\s+{_gap(4)}(?:fell|dropped|decreased|declined) (?:\w+ly )?less\b",
    (
        r"\b(?:(?:response|remission|recovery|cure|clearance|success|resolution) rates?|"
        rf"(?:overall|event-free|progression-free|disease-free) survival)\b\s+{_gap(14)}"
        r"(?:was|were|is|are) (?:\w+ly )?(?:lower|shorter|worse|poorer|inferior)\b"
    ),
)
"""A result of harm."""

BENEFIT = _any(
    rf"\b{_LESS}\s+(?:in |of |the |a |an |against |from )*{_gap(6)}{BAD}\b",
    rf"\b{BAD}\b\s+{_gap(9)}(?:was|were|is|are|be) {_gap(4)}(?:{_LESS})\b",
    rf"\b(?:risk|hazard|odds|mortality|incidence)s?\b {_gap(3)}{_LESS}\b",
    rf"\b{_BETTER}\s+(?:in |of |the |a |an |overall )*{_gap(5)}{GOOD}\b",
    rf"\b{GOOD}\b\s+{_gap(8)}(?:improv\w+|better|faster|enhanced|superior)\b",
    rf"\b{GOOD}\b\s+{_gap(8)}favou?red\b",
    (
        r"\bprotective (?:effect|role|agent|against)\b|\bneuroprotective\b|\bbeneficial\b|"
        r"\bbenefit(?:s|ed)?\b|\beffective\b|\bpositive effects?\b|\bpromising\b"
    ),
    (
        r"\bmet (?:its|the|their|both|all)(?: \w+)? (?:co-?)?primary\b|"
        r"\bprimary (?:\w+ )?(?:outcomes?|end ?points?) (?:was|were) (?:met|achieved|reached)\b"
        r"(?! (?:in|by) \d)"
    ),
    (
        r"\b(?:differences?|advantage|effects?|estimates?|results?)\b.{0,40}"
        r"\bfavou?r(?:s|ed|ing)\b(?! (?:the )?(?:placebo|control|standard|usual|comparator))"
    ),
    r"\bsignificantly (?:reduced|lower)\b|\bimproved\b|\bsuperior to\b|\bless prevalent\b",
    (
        rf"\b{BAD}\b\s+{_gap(5)}(?:decreased|declined|diminished|lessened|shrank|subsided|abated)"
        r"\b(?!.*\b(?:both|all|each|either) (?:\w+ )?(?:groups?|arms?)\b)"
    ),
    rf"\b{_FACULTY}\b\s+{_gap(4)}{_LOST} (?:\w+ly )?(?:more slowly|slower|less|later)\b",
    rf"\b{_FACULTY} (?:scores?|ratings?)\s+{_gap(3)}(?:was|were) (?:\w+ly )?(?:higher|better)\b",
    rf"\bless likely to {_FALL_ILL}|\bmore likely to {_GET_WELL}",
    rf"\b(?:developed|occurred|arose) in (?:\w+ly )?fewer {_WHO}\b",
    rf"\ball (?:of the |the )?(?:\d+ )?{_WHO}\b[^.;]{{0,30}}?{_GOT_WELL}",
    (
        r"\b(?:half|(?:a|one) (?:third|quarter)|two thirds) (?:of )?the "
        r"(?:risk|odds|rate|hazard|mortality)\b"
    ),
    r"\bprotect(?:s|ed) (?:\w+ )?(?:against|from)\b",
    (
        rf"\b(?:prolong|extend|lengthen)\w*\s+{_gap(4)}"
        r"(?:survival|remissions?|life|responses?|time to)\b|"
        r"\b(?:survival|remissions?|responses?)\s+(?:was|were) (?:\w+ly )?"
        r"(?:prolonged|extended|longer)\b"
    ),
    (
        r"\bshould (?:now |therefore )?be (?:used as |considered |regarded as )?(?:an? |the )?"
        r"(?:first[- ](?:line|choice)|treatment of choice|standard treatment)\b|"
        r"\brecommend\w*\b[^.;]{0,40}\bas (?:an? |the )?(?:first|standard|treatment of choice)"
    ),
    r"\b(?:trial|study)\b[^.;]{0,30}\b(?:was|were) positive for\b",
    rf"\b{_GOOD_EVENT}\b\s+{_gap(8)}(?:was|were) (?:\w+ly )?more {_COMMON}",
    rf"\bfewer {_OF_PEOPLE}{_GOT_WORSE}|\bmore {_OF_PEOPLE}{_GOT_WELL}",
    rf"\b{BAD}\b\s+{_gap(4)}(?:fell|dropped|decreased|declined) (?:\w+ly )?more\b",
    r"\b(?:did|fared|do|performed) (?:\w+ly |much )?better\b",
    rf"{_NOT_OF}\b{BAD}\b,?\s+{_gap(7)}{_HAPPENED}later\b",
    rf"\b{GOOD}\b\s+{_gap(7)}{_HAPPENED}(?:earlier|sooner)\b",
)
"""A result of benefit; looked for only where neither NO_EFFECT nor HARM is found."""

TAKEN_BACK = bounded(
    r"^\W*(?:(?:the|this|that|these|those|its|it|which)\b ?)?(?:(?:absolute|observed|overall) )?"
    r"(?:differences?|effects?|reductions?|improvements?|changes?|benefits?|gains?|advantages?|"
    r"increases?|decreases?|magnitude)?(?: size)?(?: between (?:the )?(?:two )?(?:groups|arms))?\s*"
    r"(?:(?:was|were|is|are) (?:considered |deemed |judged )?(?:"
    r"(?:not|neither) (?:considered |deemed |judged )?"
    r"(?:statistically |clinically )?(?:significant|meaningful|relevant|important)|"
    r"(?:below|smaller than|short of|under|less than) (?:the |a )?(?:[\w-]+ ){0,3}"
    r"(?:threshold|margin|minim\w+|difference|meaningful))|"
    r"(?:did not (?:reach|meet|exceed|attain)|missed|fell short of|fell below|stayed below) "
    r"(?:the |a |any )?(?:[\w-]+ ){0,3}(?:threshold|margin|minim\w+|difference|significance))"
    r"(?! (?:in|among|for|with)\b)|"
    r"^\W*(?:the )?(?:posterior )?probability (?:of|that) [^.;\d]{0,80}"
    r"\b(?:meaningful|relevant|important|worthwhile)\b",
    re.IGNORECASE,
)
"""A clause that takes back what the one before it says: its effect is not significant, or is
below what was set beforehand as worth having (CONSORT 2010, items 7a and 17a)."""

UNDO = bounded(
    r"\b(?:offset\w*|counteract\w*|undercut\w*|negate[sd]?|outweigh\w*|cancel\w*|abolish\w*)\b",
    re.IGNORECASE,
)
"""Turns the direction of what it governs: to offset a higher risk is a benefit."""

SPARED = bounded(
    r"\b(?:deficit|deterioration|impairment|decline|worsening|"
    r"(?:deleterious|adverse|detrimental|negative|harmful) effect) (?:was |were )?"
    r"not (?:observed|seen|found)\b",
    re.IGNORECASE,
)
"""Damage that others had and the treated did not: a benefit."""
