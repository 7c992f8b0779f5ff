"""What a clause asserts, whatever it is about: that something helps, differs, is needed, or not.

English of conclusions, not knowledge of medicine. The first kind of the table whose words the
clause holds decides; denials come before what they deny.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.reasoning.propositions import stems

__all__ = [
    "Assertion",
    "AssertionKind",
    "assertion_of",
    "is_contrasted",
    "is_hedged",
    "is_open",
    "is_qualified",
]


class AssertionKind(StrEnum):
    """What a clause says of its subject."""

    UNHINDERED = "nothing stands against it"
    NOTHING_FOUND = "no effect, difference or association"
    UNNEEDED = "not needed, or better left"
    UNFIT = "not good enough"
    DENIED = "denied"
    ALIKE = "alike"
    WORSE = "worse"
    NEEDED = "needed or recommended"
    FIT = "good enough, or helps"
    LESS = "less of something"
    MORE = "more of something"
    LINKED = "affects, predicts or goes with"
    PLAIN = "said without a denial"


class Assertion(NamedTuple):
    """What a clause asserts, and the words that say so."""

    kind: AssertionKind
    at: int
    words: str


def _any(*patterns: str) -> re.Pattern[str]:
    return bounded("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


_GAP = r"(?:[^\s;.,]+ ){0,4}?"
_NOT = (
    r"(?:(?:did|does|do|was|were|is|are|has|have|had|could|can|may|would|might|will|should)"
    r"(?: ?n['’]t| (?:\w+ )?not)|cannot|not|neither|nor|never|no longer|hardly|rarely|unlikely to)"
)
_LINKS = (
    r"(?:associat\w+|correlat\w+|relat(?:ed?|es|ion|ions|ionships?)|predict\w*|affect\w*|"
    r"influenc\w+|impact\w*|alter\w*|chang\w+|differ\w*|depend\w*|caus\w+|lead to|result in|"
    r"contribut\w+|interfere|modif\w+|link\w*|play|explain\w*|account\w*|mediat\w+|determin\w+|"
    r"induc\w+|confounded|attributable|due to|increas\w+|decreas\w+|reduc\w+|lower\w*|higher|"
    r"greater|improv\w*|prevent\w*|enhanc\w+|worsen\w*|delay\w*|prolong\w*|compromis\w*|"
    r"predispos\w*|protect\w*|rais\w+|elevat\w+|impair\w*|significan\w*|shorten\w*|more|less|"
    r"better|superior|vary|varied)"
)
_GOODS = (
    r"(?:useful|helpful|reliabl\w+|accurate\w*|adequate\w*|appropriate\w*|sufficient\w*|"
    r"effective\w*|valid\w*|feasible|suitable|practical|beneficial|benefit\w*|advantage\w*|"
    r"satisf\w+|safe\w*|acceptable|able to|possible|good|enough|worthwhile|cost-effective|"
    r"realistic|viable|ideal|aware|meet|met|know|live up|living up|the same|equivalent|equal|"
    r"comparable|interchangeable|reproducible|specific|sensitive|recogni[sz]e\w*|identif\w+|"
    r"detect\w*|work)"
)

_NOTHING_FOUND = _any(
    rf"\b(?:no|little|negligible|minimal|trivial|without(?: an?y?)?|lack of(?: an?y?)?|"
    rf"absence of(?: an?y?)?) {_GAP}"
    r"(?:effects?|associations?|differences?|benefits?|improvements?|relationships?|relation|"
    r"impact|reductions?|changes?|advantages?|correlations?|influence|increase|decrease|elevation|"
    r"evidence|indications?|link|role|support|gain|added value|additional value|data to support|"
    r"significance|importance|bearing|risk|connection|sign|effect)\b",
    rf"\b{_NOT} {_GAP}{_LINKS}\b(?! only| just)",
    r"\bno (?:more (?!than)|better|greater|worse(?! than (?:mild|moderate))|less (?!than)|"
    r"different|higher|lower) ",
    r"\bno evidence\b|\bnot (?:statistically )?significan\w*|\bnon-?significant\w*",
    r"\bfail(?:ed|s|ure)? (?:to|of .{0,40} to) (?:show|find|demonstrate|detect|improve|reduce|"
    r"predict|confirm|support|establish|identify|reach|meet|provide|reveal|affect|alter)\w*",
    r"\b(?:is|are|was|were|seems?|appears?|be) (?:\w+ )?independent of\b|\bregardless of\b|"
    r"\birrespective of\b",
    r"\bcast\w* doubt\b|\bargues? against\b|\b(?:is|are|was|were|be|remain\w*|"
    r"left) (?:\w+ )?(?:unaffected|unchanged|undisturbed|unaltered)\b",
    r"\black(?:s|ed)? (?:of )?(?:an? )?(?:association|correlation|effect|efficacy|benefit|"
    r"relationship)",
    r"\b(?:do|does|did) not (?:\w+ )?(?:support|confirm|suggest|indicate|show|find|demonstrate|"
    r"prove|reveal|provide)",
    r"\bnone of the\b",
    r"\b(?:by|of) (?:mere )?chance\b|\bminor (?:clinical )?importance\b|\bunrelated\b",
    r"\bunlikely\b(?! to be detected)",
)
_UNNEEDED = _any(
    r"(?<!reduction in )(?<!reduction of )(?<!reduce )(?<!avoid )(?<!avoiding )(?<!reducing )"
    r"\bunnecessar\w+|\bunneeded\b|\bneedless\b|\bunwarranted\b|\bunjustified\b",
    rf"\b(?:{_NOT}|no) {_GAP}(?:necess\w+|need\w*|requir\w+|mandatory|indicated|justif\w+|"
    rf"warranted|"
    r"recommend\w*|essential|contra-?indicat\w*|a barrier|precluded?|denied)\b",
    r"\bshould (?:\w+ )?(?:not|never)\b|\bshould (?:\w+ )?be (?:\w+ )?(?:abandoned|avoided|"
    r"discouraged|discontinued|omitted|reserved|restricted|limited|reconsidered|questioned)\b",
    r"\bcan (?:\w+ )?be (?:\w+ )?(?:avoided|omitted|abandoned|spared|eliminated)\b|\bobviat\w+",
    r"\bselective(?:ly)? (?:use|approach|screening)|\b(?:a|more) selective\b|\bquestion(?:s|"
    r"ed)? the (?:need|necessity|use|routine)",
    r"\b(?:has|have) no (?:\w+ )?(?:place|role|value|justification)\b|"
    r"\binsufficient justification\b",
    r"\bunless\b",
)
_UNFIT = _any(
    rf"\b{_NOT} {_GAP}{_GOODS}\b(?! only)",
    r"\bunable to\b|\binability\b|\binadequa\w+|\binsufficien\w+|\bunreliab\w+|\binaccura\w+|"
    r"\binappropriate\w*|\bineffective\w*|\binefficien\w+|\bunsuitable\b|\bunsatisf\w+|"
    r"\bimpractical|\bunsafe\b|\bimprecise\b|\bunaware\b|\binferior\b|\binvalid\b|\bsuboptimal\b|"
    r"\bsub-optimal\b|\bunacceptabl\w+",
    r"\b(?:poor|low|limited|little|weak|modest|disappointing|marginal|relatively weak|"
    r"inconsistent) (?:\w+ ){0,2}(?:value|predict\w+|sensitivity|specificity|accuracy|agreement|"
    r"knowledge|awareness|utility|usefulness|reliability|validity|correlation|concordance|"
    r"compliance|adherence|quality|understanding|benefit|effect|efficacy|use|role|reproducibility|"
    r"evidence|association|support|performance)\b",
    r"\b(?:poor(?:ly)?(?![- ]differentiated)|disappointing|erroneous\w*|weakly|relatively weak)\b|"
    r"(?<!and )\black (?:of|in)\b(?! consensus)|\black(?:s|ed|ing)?\b(?! of)",
    r"\bdeficien\w+|\bshortcoming\w*|\bserious gap\b|\bunderdiagnos\w+|\bmissed\b|"
    r"\boverestimat\w+|\bunderestimat\w+",
    r"\b(?:should|must) not be (?:used|relied)|\bcannot (?:\w+ )?be (?:used|relied|recommended|"
    r"considered|predicted|applied|established|assumed|ensured|improved|replaced|determined|"
    r"measured|performed)\b",
    r"\bremains? (?:\w+ )?(?:low|poor|limited|inadequate|insufficient)\b|\b(?:great|wide|large|"
    r"considerable) variab\w+",
    r"\blow yield\b|\bknowledge (?:deficit|gap)s?\b|\bneeds? (?:revisiting|revision|"
    r"reconsideration)\b|\balternative (?:methods?|approach\w*|strateg\w+|"
    r"techniques?)\b.*\b(?:should|needed|considered)\b|\b(?:given|"
    r"consideration) to (?:\w+ ){0,4}alternative\b|\buseless\b|\bworthless\b|\bof (?:no|"
    r"little) (?:use|value|benefit|help)\b|\badds? little\b|\bonly (?:in )?(?:an? )?(?:minority|"
    r"few)\b|\ban? minority\b",
    r"\bunless improvements\b|\bfail(?:ed|s)?\b|\bfailure (?:to|of)\b",
)
_DENIED = _any(
    rf"\b{_NOT} (?!only\b|just\b|merely\b)",
    r"\bno (?!doubt\b)|\bnone\b|\bneither\b|\bwithout\b(?= (?:an?y|affect|increas|compromis|chang|"
    r"alter))",
    r"\bfew(?!er)\b|\bhardly\b|\brare(?:ly)?\b|\buncommon\b",
)
_ALIKE = _any(
    r"\b(?:similar\w*|comparable|comparably|equivalen\w+|equal(?:ly)?|identical\w*|alike|the same|"
    r"indistinguishable|as (?:well|effective|accurate\w*|safe\w*|good|clearly|reliable|efficient|"
    r"often|likely|efficacious|frequent\w*) as|non-?inferior\w*|interchangeabl\w+|on a par|"
    r"parity with|consistent with each other)\b",
)
_WORSE = _any(
    r"\b(?:worse\w*|worst|wors(?:en|ens|ened|ening)|poorer|harm\w*|detriment\w*|deleterious|"
    r"exacerbat\w+|aggravat\w+|danger\w*|hazardous|toxic|contraindicat\w+|jeopardi\w+|"
    r"compromis(?:es|ed|ing)|impair(?:s|ed|ing|ment)?|barriers?)\b",
    r"\b(?:increas\w+|higher|greater|elevated|rais\w+|excess) (?:\w+ ){0,4}(?:risks?|mortality|"
    r"complications?|morbidity|deaths?|recurrence|failures?|incidence|rates? of (?:complications?|"
    r"infections?))\b",
)
_NEEDED = _any(
    r"\b(?:is|are|be|remains?|was|were|seems?|appears?) (?:\w+ )?(?:necessary|needed|required|"
    r"mandatory|indicated|recommended|warranted|justified|essential|imperative|advisable|crucial|"
    r"preferred|preferable|encouraged|advocated)\b"
    r"(?! (?:to|before) (?:confirm|determine|clarify|establish|evaluate|assess|investigate|draw|"
    r"understand|define|elucidate))",
    r"\b(?:we|authors) (?:\w+ )?(?:recommend|advocate|encourage|advise|suggest using)\b|"
    r"\bshould (?:\w+ )?(?:always |routinely |also |strongly )?"
    r"(?:be (?:\w+ )?(?:offered|performed|considered|used|recommended|included|given|done|"
    r"preferred|measured|encouraged|treated|screened|part|routine|standard|implemented|undertaken|"
    r"regarded)|undergo|receive|consider|have)\b",
    r"\b(?:must|ought to)\b|\bneed for\b|\bthe need\b",
)
_FIT = _any(
    r"\b(?:effective\w*|efficac\w+|useful\w*|helpful|reliabl\w+|accurate\w*|adequate\w*|"
    r"appropriate\w*|safe(?:ly|ty)?|feasib\w+|valid\w*|valuable|beneficial|benefit(?:s|ed)?|"
    r"advantage\w*|promising|satisf\w+|acceptable|excellent|good|well[- ]tolerated|ideal|optimal|"
    r"favou?rabl\w+|successful\w*|improv(?:e|es|ed|ing|ement|ements)|better|superior|best|"
    r"positive (?:\w+ )?(?:effect|impact|influence)\w*|protective|efficient\w*|sufficient\w*|"
    r"suitable|viable|simple|easy|alternative|high (?:sensitivity|specificity|accuracy|success)|"
    r"outperform\w*|cost-effective|worthwhile|can be (?:used|performed|achieved|done|omitted|"
    r"obtained|measured|trained|applied|considered)|able to|possible|preferred|feasible|excellent|"
    r"reproducible|potential(?:ly)? (?:useful|role|benefit\w*)|help(?:s|ed)?|enable[sd]?|"
    r"allow(?:s|ed)?|satisfactory)\b",
)
_LESS = _any(
    r"\b(?:reduc\w+|decreas\w+|lower\w*|less|fewer|diminish\w*|declin\w+|attenuat\w+|prevent\w*|"
    r"suppress\w*|inhibit\w*|shorter|shorten\w*|alleviat\w+|amelior\w+|protect\w*|slow\w*|"
    r"delay\w*|smaller|minimi[sz]\w+|avoid\w*)\b",
)
_MORE = _any(
    r"\b(?:increas\w+|higher|greater|more|elevat\w+|rais(?:e|es|ed|ing)|enhanc\w+|longer|larger|"
    r"stronger|faster|promot\w+|stimulat\w+|prolong\w+|improv\w+|frequent\w*|prone)\b",
)
_LINKED = _any(
    r"\b(?:associat\w+|correlat\w+|relat(?:ed|es|ion|ionships?)|predict\w*|affect\w*|influenc\w+|"
    r"impact\w*|alter\w*|chang(?:e|es|ed)|differ(?:s|ed|ent\w*|ences?)?|depend\w*|caus(?:e|es|ed|"
    r"ing|ation|al)|leads? to|led to|results? in|contribut\w+|risk factors?|play\w* an?|"
    r"determin(?:e[sd]?|ants?)|induc\w+|mediat\w+|explain\w*|linked?|effects?|significant\w*|"
    r"factors?|markers?|indicators?|prognostic|involve[sd]?|implicat\w+|synerg\w+|distinct\w*|"
    r"support\w*|confirm\w*|demonstrat\w+|specific|characteri[sz](?:ed|es)|represents?|occurs?|"
    r"exists?|evidence)\b",
)
_UNHINDERED = _any(
    r"\bshould (?:\w+ )?not (?:\w+ )?(?:be )?(?:a )?(?:hesitate|den(?:y|ied)|barrier|preclude[d]?|"
    r"withheld|withhold|discourage[d]?|prevent|delay(?:ed)?|exclude[d]?|contraindication|refused?|"
    r"limit(?:ed)?|avoid(?:ed)?|neglected|overlooked|ignored|underestimated)\b",
)
_TABLE: tuple[tuple[AssertionKind, re.Pattern[str]], ...] = (
    (AssertionKind.UNHINDERED, _UNHINDERED),
    (AssertionKind.UNNEEDED, _UNNEEDED),
    (AssertionKind.NOTHING_FOUND, _NOTHING_FOUND),
    (AssertionKind.UNFIT, _UNFIT),
    (AssertionKind.ALIKE, _ALIKE),
    (AssertionKind.DENIED, _DENIED),
    (AssertionKind.WORSE, _WORSE),
    (AssertionKind.NEEDED, _NEEDED),
    (AssertionKind.FIT, _FIT),
    (AssertionKind.LESS, _LESS),
    (AssertionKind.MORE, _MORE),
    (AssertionKind.LINKED, _LINKED),
)
_NO_DENIAL = _any(
    r"\bnot only\b|\bnot (?:in |for )?(?:all|always|every)\b|\bnot just\b|\bnot merely\b|"
    r"\bnot withstanding\b|\bno doubt\b|\bcannot be (?:ruled out|excluded|overemphasi[sz]ed)\b|"
    r"\bnot necessarily\b(?= the most)|\bwhether or not\b|\bnot limited to\b|\bnot uncommon\b|"
    r"\b(?:patients?|those|women|men|children|subjects|individuals|people|controls|"
    r"participants) (?:who (?:did|do|had|have|were|are) not|without|not)\b|\bcompared (?:with|"
    r"to) (?:those|patients|subjects)? ?(?:without|not)\b|\bthan (?:in )?(?:those|"
    r"patients)? ?(?:without|not)\b",
)
"""Words of denial that deny nothing the clause asserts."""
_OPEN = _any(
    r"\b(?:further|more|future|additional|larger|prospective|other|long-term|independent|"
    r"comparative|controlled)\b[^.;]{0,60}\b(?:stud(?:y|ies)|research|trials?|investigations?|"
    r"work|evaluation|follow-?up|data|validation|evidence)\b[^.;]{0,60}\b(?:need\w*|requir\w+|"
    r"warrant\w*|necess\w+|should|recommended|will show|planned|may|must|ongoing|essential|"
    r"desirable)",
    r"\b(?:need|needs|needed|necessary|required|warranted|needing) (?:to|for|"
    r"before)\b[^.;]{0,40}\b(?:confirm|clarif|elucidat|determin|investigat|further|evaluat|"
    r"establish|verif|validat)\w*",
    r"\bremains? (?:\w+ )?(?:unclear|unknown|uncertain|controversial|to be|unresolved|"
    r"questionable|debat\w+)\b|\b(?:is|are) (?:still |actually |currently )?(?:unclear|unknown|"
    r"uncertain|inconclusive)\b|\binconclusive\b",
    r"\bdifficult to (?:establish|separate|determine|interpret|draw|conclude)\b|"
    r"\bshould be interpreted with caution\b|\bwarrants? further\b|\b(?:research|trials|"
    r"studies) (?:is|are) (?:needed|required|warranted|necessary)\b",
)
_HEDGED = _any(
    r"\b(?:may|might|could|possibl\w+|perhaps|seems?|appears?|suggest\w*|potential\w*|probably|"
    r"likely|tend\w*|partly|in part|partially|some|certain|selected|mainly)\b",
)


_LINK_TO = bounded(
    r"\b(?:associat\w+|relat(?:ed|ion\w*)|link\w*|correlat\w+) (?:with|to|between)\b|"
    r"\bpredict(?:s|ed|or|ors|ive)? (?:of )?|\bcaus(?:e|es|ed)\b|\brisk (?:factors? )?(?:of|"
    r"for)\b|\bleads? to\b|\bled to\b|\bresult\w* in\b|\bwith (?:a )?(?=poor)",
    re.IGNORECASE,
)
"""Before an outcome, which may be poor without any judgement: "associated with poor survival"."""
_DENIAL = _any(rf"\b{_NOT}\b", r"\b(?:no|none|without)\b")
_OF_SUBJECT = (AssertionKind.UNFIT, AssertionKind.WORSE, AssertionKind.DENIED)


_QUALIFIED = _any(
    r"\b(?:some|select(?:ed)?|certain|subsets?|only (?:in|for|when|if|after|among)|not all|"
    r"not every|partly|partial\w*|in part|limited to|restricted to|may be (?:considered|"
    r"appropriate|useful|advisable)|depend\w*|half of|just over|not necessarily|mixed|"
    r"inconsistent|conflicting|modest\w*|to (?:a|some) (?:\w+ )?(?:degree|extent))\b",
)
_CONTRASTED = _any(r"\b(?:however|although|but|though|nevertheless)\b")


def assertion_of(clause: str, ignoring: frozenset[str] = frozenset()) -> Assertion:
    """What the clause asserts, by the first kind of the table that its words show.

    Args:
        clause: The clause.
        ignoring: Stems of the words that the hypothesis names itself: "failure" in a clause on
            kidney failure is its subject and no judgement.
    """
    said = _NO_DENIAL.sub(lambda m: " " * len(m.group()), clause)
    link = _LINK_TO.search(said)
    linked_at = link.end() if link else len(said)
    for kind, words in _TABLE:
        for match in words.finditer(said):
            is_outcome = kind is AssertionKind.UNFIT and match.start() >= linked_at
            if not is_outcome and not _is_subject(kind, match.group(), ignoring):
                return Assertion(kind, match.start(), clause[match.start() : match.end()].strip())
    return Assertion(AssertionKind.PLAIN, 0, "")


def _is_subject(kind: AssertionKind, words: str, named: frozenset[str]) -> bool:
    """Whether words of a judgement are only the hypothesis' own, and deny nothing."""
    own = stems(words)
    return kind in _OF_SUBJECT and bool(own) and own <= named and not _DENIAL.search(words)


def is_open(clause: str) -> bool:
    """Whether the clause says that the question is open, or asks for more research."""
    return bool(_OPEN.search(clause))


def is_hedged(clause: str) -> bool:
    """Whether the clause says it with a may, a might or for a part only."""
    return bool(_HEDGED.search(clause))


def is_qualified(text: str) -> bool:
    """Whether a conclusion holds for a part only: some patients, one condition, one degree."""
    return bool(_QUALIFIED.search(text))


def is_contrasted(text: str) -> bool:
    """Whether a conclusion sets one thing against another."""
    return bool(_CONTRASTED.search(text))
