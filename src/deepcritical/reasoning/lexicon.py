"""The cue words by which the extractive reasoner reads a sentence.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

__all__ = [
    "AIM",
    "BENEFIT",
    "CLAUSE_BREAK",
    "EFFICACY",
    "FELT",
    "HARM",
    "LABORATORY",
    "NOT_FINDINGS",
    "NOT_GIVEN",
    "NO_DIRECTION",
    "NO_EFFECT",
    "OTHER_OUTCOME",
    "OUTCOME",
    "OUTLOOK",
    "SAFETY",
    "SAFETY_AS_TOPIC",
    "SPARED",
    "TREND",
    "UNDO",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


def _gap(words: int) -> str:
    """Up to so many words in between, numbers and brackets included."""
    return rf"(?:[^\s;.]+\s+){{0,{words}}}"


_BAD = (
    r"(?:risks?|odds|hazards?|incidences?|mortality|deaths?|decline|impairments?|dementia|"
    r"progression|burden|load|patholog\w+|deficits?|symptoms?|severity|hospitali[sz]ations?|"
    r"accumulation|deposit\w*|prevalen\w+|loss|dysfunction|inflammation|neuroinflammation|"
    r"viral load|occurrence|rates?|time to|duration|neurodegeneration|"
    r"phosphorylation|stress|relapses?|worsening|ventilation|infections?|levels? of aβ|aβ level|"
    r"likelihood|probability|deterioration|(?:hospital |length of )?stay|lesions?|size|pain|"
    r"fatigue|disability|"
    r"attacks?|seizures?|exacerbations?|recurrences?|fever|bleeding|intubations?|admissions?)"
)
_GOOD = (
    r"(?:cognit\w+|executive|memory|learning|function\w*|performance|survival|outcomes?|recovery|"
    r"recall|attention|response|remission|clearance|regression|"
    r"quality of life|efficacy|resolution|profile|improvement|involution|success\w*)"
)
_LESS = (
    r"(?:reduc\w+|lower\w*|decreas\w+|less|fewer|attenuat\w+|alleviat\w+|slow\w*|delay\w*|"
    r"prevent\w*|ameliorat\w+|mitigat\w+|shorten\w*|shorter|protect\w* against|protect\w* from|"
    r"suppress\w+)"
)
_MORE = r"(?:increas\w+|higher|greater|elevat\w+|rais(?:e[sd]?|ing)|enhanc\w+|longer)"
_BETTER = (
    r"(?:improv\w+|enhanc\w+|better|faster|superior|favou?r\w*|preserv\w+|restor\w+|increas\w+|"
    r"higher|greater)"
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
        r"lower\w*|differ\w*|prevent\w*|support\w*|significant\w*|benefi\w+|protect\w*|decreas\w+|"
        r"shorten\w*|superior|effective|slow\w*|observed|evident|confirm\w*|translate|recommended|"
        r"result in|lead to|influence|impact|increase)"
    ),
    r"\b(?:was|were) not\s*[.)]?$",
    r"\bfail(?:ed|s|ure)? to\b",
    r"\b(?:were|was|is|are) (?:\w+ )?(?:comparable|similar)\b",
    r"\black(?:ed|s|ing)? (?:of )?(?:clinical )?(?:effects?|efficacy|benefits?)\b",
    r"\b(?:ineffective|non-?significant|not significant|futil\w+|inconsistent findings)\b",
    r"\bnot reach (?:statistical )?significance\b",
    (
        r"\b(?:no|none of the) (?:[\w-]+ ){1,3}(?:significantly )?(?:improved|reduced|lowered|"
        r"decreased|slowed|prevented|benefit(?:s|ed)?)\b"
    ),
    r"\bdoes not support\b|\bnot supported\b|\bdo not support\b",
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
)
"""A result of harm."""

BENEFIT = _any(
    rf"\b{_LESS}\s+(?:in |of |the |a |an |against |from )*{_gap(6)}{_BAD}\b",
    rf"\b{_BAD}\b\s+{_gap(9)}(?:was|were|is|are|be) {_gap(4)}(?:{_LESS})\b",
    rf"\b(?:risk|hazard|odds|mortality|incidence)s?\b {_gap(3)}{_LESS}\b",
    rf"\b{_BETTER}\s+(?:in |of |the |a |an |overall )*{_gap(5)}{_GOOD}\b",
    rf"\b{_GOOD}\b\s+{_gap(8)}(?:improv\w+|better|faster|enhanced|superior)\b",
    rf"\b{_GOOD}\b\s+{_gap(8)}favou?red\b",
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
)
"""A result of benefit; looked for only where neither NO_EFFECT nor HARM is found."""

CLAUSE_BREAK = re.compile(
    r";\s+|,\s+and that\b|"
    r",?\s+\b(?:but(?! not)|yet|whereas|although|though|however|while|despite)\b\s*,?\s*",
    re.IGNORECASE,
)

UNDO = re.compile(
    r"\b(?:offset\w*|counteract\w*|undercut\w*|negate[sd]?|outweigh\w*|cancel\w*|abolish\w*)\b",
    re.IGNORECASE,
)
"""Turns the direction of what it governs: to offset a higher risk is a benefit."""

SPARED = re.compile(
    r"\b(?:deficit|deterioration|impairment|decline|worsening|"
    r"(?:deleterious|adverse|detrimental|negative|harmful) effect) (?:was |were )?"
    r"not (?:observed|seen|found)\b",
    re.IGNORECASE,
)
"""Damage that others had and the treated did not: a benefit."""

AIM = _any(
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|sought|set out)\b(?! (?:test|lead))",
    (
        r"\bto (?:evaluate|assess|determine|investigate|examine|compare|identify|explore|study|"
        r"test|clarify|appraise|synthesi[sz]e)\b"
    ),
    (
        r"\bwe (?:hypothesi[sz]ed?|propose)\b|\bhypothesi[sz]\w+\b|\bwhether\b|\bwill be\b|"
        r"\bwas designed\b|\bare needed\b|\bis needed\b|\bwarranted\b|"
        r"\b(?:is|are|be) required\b"
    ),
    (
        r"\bremain(?:s|ed)? (?:unclear|unknown|uncertain|controversial|elusive|unexplored)\b|"
        r"\bhas been reported to\b|\b(?:is|are|was|were) (?:still |largely )?(?:unclear|unknown)\b|"
        r"\buncertainty (?:about|regarding)\b|\bin the context of\b"
    ),
    (
        r"\b(?:primary|secondary|main|co-primary|exploratory) (?:\w+ )?(?:outcomes?|end ?points?)\b"
        r".{0,40}\b(?:was|were|is|are|included?)\b"
        r"(?!.{0,60}\b(?:significant|improved|differ|lower|higher|reduced|better|met|achieved|"
        r"reached)\b)"
    ),
    r"\bthe abstract (?:gives|does not|lists|names)\b",
    r"\bholds? (?:great |much )?promise\b|\bprovides? (?:the|a) basis\b|\bwarrants?\b",
    r"\bis (?:being|currently) (?:investigated|evaluated|tested|studied)\b",
    r"\b(?:is|are) expected to\b|\bthere is limited evidence\b",
    (
        r"\binclusion criteria\b|\beligible\b|\bwere (?:searched|identified|included)\b|"
        r"\bwe (?:searched|included|analy[sz]ed)\b"
    ),
)
"""An aim, a method or an outlook: says nothing of a result."""

NO_DIRECTION = _any(
    r"\b(?:not|cannot|n['’]t) (?:\w+ ){0,2}(?:establish|prove|demonstrate|imply|infer)\w*"
    r" (?:\w+ ){0,3}caus\w+",
    r"\brank(?:ed|s|ing)?\b",
    r"\bSUCRA\b",
    r"\bmost effective\b(?!.*\bplacebo\b)",
    r"\b(?:were|was) (?:significantly )?(?:younger|older)\b|\bbaseline characteristics\b",
    (
        r"\bvery[- ]low[- ](?:certainty|quality)\b(?=.*\b(?:may|might|could|suggest\w*|possible)\b)"
        r"(?!.*\b(?:no|not|little)\b)"
    ),
)
"""Points nowhere: a disclaimer on causality, a rank among drugs, which is no effect, or a benefit
that "may" be there by evidence of very low certainty, which GRADE calls very uncertain."""

OUTCOME = _any(
    _BAD,
    _GOOD,
    r"\b(?:outcomes?|end ?points?|efficacy|effective\w*|effects?|benefits?|associat\w+|scales?|"
    r"scores?|recommended|support\w*|contradictory|conflicting|controversial|evidence|events?|"
    r"(?:odds|hazard|risk|rate) ratios?|(?-i:[ORH]R|PFS|OS|DFS|EFS))\b",
)
"""What patients have or feel, or a word that stands for it."""

LABORATORY = re.compile(
    r"\b(?:cell[- ](?:culture|lines?|based|models?)|in[- ]vitro|ex[- ]vivo|stem cells?|"
    r"neuron(?:al)? models?|assays?|neurites?|"
    r"h(?:a?e)modynamic|blood flow|perfusion|(?:glucose|oxygen|cerebral) metabolism|biomarkers?|"
    r"cytokines?|interleukins?|antibod\w+|(?:serum|plasma|CSF) (?:levels?|concentrations?)|"
    r"gene expression|viral (?:RNA|load)|Ct[- ]values?)\b",
    re.IGNORECASE,
)
"""What is measured in a laboratory or a scanner and not felt by a patient."""

FELT = re.compile(
    r"\b(?:mortality|deaths?|died|surviv\w+|symptoms?|recover\w+|hospitali[sz]\w+|risks?|odds|"
    r"incidence|cognit\w+|memory|executive|function(?:ing|al)|disease progression|relapses?|"
    r"remissions?|response rates?|responders?|pain|disability|quality of life|ventilation|"
    r"intensive care|clinical(?:ly)?|efficacy|effective\w*|outcomes?|improvement in)\b",
    re.IGNORECASE,
)
"""What patients have or feel: with one of these a clause is not about a laboratory value alone."""

NOT_GIVEN = re.compile(r"\bthe abstract (?:gives no|does not)\b", re.IGNORECASE)
"""A summary's word on what its source does not say."""

TREND = re.compile(r"\btrends?\b(?! analys)", re.IGNORECASE)
"""A result that did not reach significance."""

OTHER_OUTCOME = re.compile(
    r"\bcognitive (?:impairment|decline|dysfunction)\b|\ball-cause\b", re.IGNORECASE
)
"""Outcomes that stand for no condition of the vocabulary."""

EFFICACY = re.compile(
    r"\b(?:effective|efficac\w+|improv\w+|resol\w+|regress\w+|respon\w+|recover\w+)\b",
    re.IGNORECASE,
)
"""A word of efficacy beside a statement on safety."""

NOT_FINDINGS = (
    "importance",
    "question",
    "exposure",
    "background",
    "introduction",
    "aim",
    "objective",
    "purpose",
    "context",
    "rationale",
    "method",
    "materials",
    "patients and",
    "study design",
    "research design",
    "design",
    "setting",
    "participants",
    "intervention",
    "measurement",
    "main outcome",
    "funding",
    "trial registration",
    "registration",
    "areas of uncertainty",
    "data source",
    "data collection",
    "data extraction",
    "search method",
    "selection criteria",
    "study selection",
    "eligibility",
    "review method",
    "rationale",
    "trial design",
    "limitation",
)
"""Section labels, by their beginning, in which no result stands."""

SAFETY = _any(
    (
        r"\badverse\b|\bside effects?\b|\btolerat\w+|\btolerab\w+|\bsafety\b|\bserious events?\b|"
        r"\btoxicit\w+|\bdiscontinu\w+|\bwithdrawals?\b|\bacceptability\b|\bgastrointestinal\b|"
        r"\bhypogly\w+|\bbradycardia\b|\bvitamin b12\b|\bwell[- ]tolerated\b|\bharms?\b|"
        r"\bgrades? (?:[≥>]\s*)?(?:[345]|iii|iv)\b|\bneuropath(?:y|ies)\b(?! (?:due|from))|"
        r"\b(?:venous )?thrombo(?:sis|embol\w+)\b|\bneutropeni\w+|\bmyelosuppress\w+|"
        r"\bhypotension\b|\bsomnolence\b|\bteratogen\w+"
    ),
)
"""A statement on harms or tolerability.

Toxicity of grade 3 and more is that of the Common Terminology Criteria for Adverse Events.
"""

SAFETY_AS_TOPIC = _any(
    r"\bas tolerated\b|\bwithout tolerab\w+",
    (
        r"\b(?:safety|tolerability|adverse (?:events?|effects?)|side effects?|toxicit(?:y|ies)|"
        r"acceptability)\b[^.;]{0,80}\b(?:(?:was|were|is|are|be|been) (?:\w+ ){0,2}"
        r"(?:analy[sz]ed|assessed|evaluated|updated|investigated|monitored|measured|collected|"
        r"recorded|defined|studied|examined|reviewed|discussed|included|addressed))\b"
    ),
    (
        r"\b(?:analy[sz]ed|assessed|evaluated?|evaluating|investigated?|monitored|monitoring|"
        r"measured|studied|examined|recorded|reviewed|collecting|goal of|regarding)\b"
        r"[^.;]{0,60}\b(?:safety|tolerability|adverse|toxicit\w+|side effects)"
    ),
    r"\b(?:mechanism|role) of [^.;]{0,60}\b(?:is|are) discussed\b",
    r"\bapparent safety\b|\bsafety and low cost\b",
    r"\b(?:little|less|not much) is known\b|\b(?:outcomes?|end ?points?) (?:were|was|included)\b",
)
"""A sentence that has safety as what was looked at, and does not say what was found."""

OUTLOOK = re.compile(
    r"\basked for\b|\bcalled for\b|"
    r"\b(?:further|more|future|larger|additional) (?:\w+ ){0,2}"
    r"(?:studies|study|trials?|research)\b",
    re.IGNORECASE,
)
"""A wish for more research."""
