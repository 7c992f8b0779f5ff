"""The cue words between, before and behind two names that say what one does to the other.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

__all__ = [
    "ADVERSE",
    "AGONIST",
    "APPOSED",
    "CAUSED",
    "DENIED",
    "INDUCED",
    "INHIBITOR",
    "LOSS",
    "NOT",
    "OBJECT",
    "OF",
    "OF_PATIENTS",
    "REMOVED",
    "TREATED",
    "TREATS",
    "UNSEEN",
    "VARIANT",
    "VERB",
]

_UP = (
    r"(?:activat\w+|up-?regulat\w+|increas\w+|promot\w+|enhanc\w+|induc\w+|stimulat\w+|elevat\w+|"
    r"exacerbat\w+|facilitat\w+|rais(?:e[sd]?|ing)|caus(?:e[sd]?|ing)|leads?(?:ing)? to|led to|"
    r"result(?:s|ed|ing)? in|trigger\w*|produc(?:e[sd]?|ing|tion)|evok\w+|elicit\w*|aggravat\w+|"
    r"worsen\w*|potentiat\w+|develop\w*|contribut\w+ to|responsible for|overexpress\w*|augment\w*|"
    r"amplif\w+|accelerat\w+|precipitat\w+|provok\w+|mediat\w+|positively (?:correlat|associat|"
    r"regulat)\w+|releas\w+|higher|risk (?:factor )?(?:of|for)|susceptib\w+|predispos\w+|drives?)"
)
_DOWN = (
    r"(?:inhibit\w*|down-?regulat\w+|reduc\w+|decreas\w+|suppress\w*|attenuat\w+|ameliorat\w+|"
    r"lower\w*|block(?:s|ed|ing|ade)?|antagoni[sz]\w+|prevent\w*|diminish\w*|blunt\w*|disrupt\w*|"
    r"abolish\w*|revers(?:e[sd]?|ing|al)|protect\w*|alleviat\w+|impair\w*|relie[fv]\w*|treat(?:s|"
    r"ed|ing|ment)?|improv\w+|deplet\w+|inactivat\w+|silenc\w+|knock-?down|counteract\w*|"
    r"abrogat\w+|eliminat\w+|mitigat\w+|repress\w*|limit(?:s|ed)|negatively (?:correlat|associat|"
    r"regulat)\w+|effective|controls?|therapy|efficacy|degrad\w+|neutrali[sz]\w+|restor\w+|"
    r"rescu\w+|manag\w+|cure[sd]?)"
)
VERB = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)
NOT = re.compile(
    r"\b(?:not|no|never|cannot|unable|unlikely|little|without|neither|nor|failed|fails|lack\w*|unlike|"
    r"whether|than|compared|versus|vs|independent(?:ly)? of)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"\b(?:no|not|neither|nor|whether)\s+$|"
    r"\b(?:no|little|insufficient) (?:\w+ )?(?:evidence|indication|proof|sign) (?:that|of|for) "
    r"(?:\w+ ){0,2}$|\bwithout (?:any )?$",
    re.IGNORECASE,
)
"""Right before what an edge would be read from: the sentence denies it, or asks."""
UNSEEN = re.compile(
    r"^[^,;]{0,40}?\b(?:was|were|is|are|could)(?: not|n['\u2019]t)(?: be)? "
    r"(?:observed|seen|found|detected|evident|apparent|noted|confirmed)\b",
    re.IGNORECASE,
)
"""Behind it: the sentence denies it."""
INDUCED = re.compile(
    r"^[- \u2010-\u2015](?:induced|associated|evoked|stimulated|triggered|elicited|produced|"
    r"driven)\b",
    re.IGNORECASE,
)
INHIBITOR = re.compile(
    r"^[- ](?:\w+ ){0,2}(?:inhibitors?|antagonists?|blockers?|antibod(?:y|ies)|blockade|"
    r"inhibition|silencing|knockdown|siRNA|deficien\w+|knockout)\b",
    re.IGNORECASE,
)
AGONIST = re.compile(
    r"^[- ](?:\w+ ){0,2}(?:agonists?|activators?|inducers?|stimulators?)\b", re.IGNORECASE
)
OF = re.compile(
    rf"\b(?:(?P<up>{_UP}|induction|activation|elevation|increase|stimulation|up-?regulation|"
    rf"release|development|production)|(?P<down>{_DOWN}|inhibition|suppression|reduction|"
    rf"prevention|attenuation|protection))\s+(?:of|in|against|from)\s+(?:[\w-]+\s+){{0,3}}$",
    re.IGNORECASE,
)
TREATS = re.compile(
    r"\b(?:for|in) (?:the )?(?:\w+ ){0,2}(?:treatment|therapy|management|prevention|prophylaxis|"
    r"control|relief)\b|\bto (?:treat|prevent)\b|\b(?:treatment|therapy|therapies|drug|agent|used|"
    r"efficacy|effective\w*|effect|approved|indicated|given|prescribed)\b.{0,30}\b(?:for|in|of|"
    r"against)\b",
    re.IGNORECASE,
)
TREATED = re.compile(
    r"\b(?:treated|treatment|therapy|managed|controlled|responded|maintained|prophylaxis|"
    r"relieved) ?(?:with|by|to|using)?\b|\breceiv\w+|\btaking\b",
    re.IGNORECASE,
)
ADVERSE = re.compile(
    r"\b(?:after|following|during|due to|secondary to|caused by|induced by|associated with|"
    r"attributed to|related to|produced by|as a result of|side effects? of|complications? of|from|"
    r"developed|overdose|toxicity|toxic|abuse|exposure|withdrawal|intoxication|users?|injection|"
    r"infusion|administration)\b",
    re.IGNORECASE,
)
OF_PATIENTS = re.compile(
    r"(?:develop\w*|risk.*|suscept\w*|predispos\w*|treat\w*|therapy|effective|efficacy|manag\w+|"
    r"improv\w+|higher|controls?|mediat\w+|cure\w*|limit\w*|contribut.*|responsible.*|worsen\w*|"
    r"aggravat\w*|relie\w+)$",
    re.IGNORECASE,
)
"""Verbs of what happens to patients, which say nothing of one molecule's effect on another."""
VARIANT = re.compile(
    r"\b(?:mutat\w+|mutants?|variants?|polymorphi\w+|genotyp\w+|alleles?|SNPs?|linkage|genes?|"
    r"loc(?:us|i)|haplotypes?|deletions?|carriers?)\b",
    re.IGNORECASE,
)
"""A variant of a gene is neither more nor less of it, so that its disease gives no sign."""
LOSS = re.compile(
    r"\b(?:inhibition|knock-?down|silencing|loss|deficiency|depletion|blockade|deletion|absence|"
    r"lack|suppression|inhibiting|blocking|targeting|disruption|"
    r"knockout)\s+(?:of\s+)?(?:[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
"""Before a name: it is less of it that acts."""
REMOVED = re.compile(
    r"\b(?:inhibition|degradation|clearance|removal|loss|depletion|"
    r"suppression) of (?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
"""Before an object: to increase the clearance of X is to decrease X."""
OBJECT = re.compile(
    rf"\b(?:{_UP}|{_DOWN})\s+(?:(?:the|of|in|expression|levels?|activity|production|"
    rf"secretion)\s+){{0,3}}$|\b(?:in response to|by|versus|than|without)\s+(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
"""Before a name: it is the object of a verb, and does nothing itself."""
CAUSED = re.compile(
    r"\b(?:caused|induced|produced|provoked|elicited|precipitated|triggered|due|secondary|"
    r"attributed|after|following)\b",
    re.IGNORECASE,
)
"""Behind a disease and before a drug: the drug brought it about."""
APPOSED = re.compile(r"^(?: \([^)]*\))?,? (?:is |was |as |and other )?(?:an?|the)? ?")
"""Between a drug and the target it is named by: "examplol, a TST1 inhibitor"."""
