"""The cue words between, before and behind two names that say what one does to the other.

English of abstracts, not knowledge of medicine.
"""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

__all__ = [
    "ADVERSE",
    "AGONIST",
    "AMONG_PATIENTS",
    "ANOTHER_CLAUSE",
    "APPOSED",
    "BENEFIT",
    "BY_THE_WAY",
    "CAUSED",
    "DENIED",
    "DENIED_TWICE",
    "GIVEN",
    "HEDGED",
    "INDUCED",
    "INHIBITOR",
    "LISTED",
    "LOSS",
    "MEANS",
    "NEW_CLAUSE",
    "NOT",
    "NOUN",
    "OBJECT",
    "OF",
    "OF_PATIENTS",
    "OTHER_SUBJECT",
    "RELATIVE",
    "REMOVED",
    "SETTING",
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
VERB = bounded(rf"(?<![\w-])(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)
NOT = bounded(
    r"\b(?:not|no|never|cannot|unable|unlikely|little|without|neither|nor|failed|fails|lack\w*|unlike|"
    r"whether|than|compared|versus|vs|independent(?:ly)? of)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
DENIED = bounded(
    r"\b(?:no|not|neither|nor|whether)\s+$|"
    r"\b(?:no|little|insufficient) (?:\w+ )?(?:evidence|indication|proof|sign) (?:that|of|for) "
    r"(?:\w+ ){0,2}$|\bwithout (?:any )?$",
    re.IGNORECASE,
)
"""Right before what an edge would be read from: the sentence denies it, or asks."""
UNSEEN = bounded(
    r"^[^,;]{0,40}?\b(?:was|were|is|are|could)(?: not|n['\u2019]t)(?: be)? "
    r"(?:observed|seen|found|detected|evident|apparent|noted|confirmed)\b",
    re.IGNORECASE,
)
"""Behind it: the sentence denies it."""
DENIED_TWICE = bounded(
    r"\b(?:never|cannot|(?:did|does|do|has|have|had|could)(?: not|n['\u2019]t| never)) "
    r"fail(?:ed|s)? to\b",
    re.IGNORECASE,
)
"""What did not fail to happen did happen."""
HEDGED = bounded(
    r"\b(?:(?-i:may)|might|could(?! not)|perhaps|possib\w+|potentially|probabl[ey]|presum\w+|"
    r"putative(?:ly)?|likely|suggest\w*|appear(?:s|ed)?|seem(?:s|ed)?|speculat\w+|"
    r"hypothes[ie][sz]\w*|(?:is|are|was|were|been) (?:\w+ )?(?:thought|believed|assumed|proposed|"
    r"postulated|expected) to|propos(?:e|ed) that)\b",
    re.IGNORECASE,
)
"""The sentence holds what it says for possible, not for shown."""
_FINITE = (
    r"(?:activat|up-?regulat|increas|promot|enhanc|induc|stimulat|elevat|rais|caus|trigger|produc|"
    r"inhibit|down-?regulat|reduc|decreas|suppress|attenuat|ameliorat|lower|block|prevent|diminish|"
    r"abolish|revers|alleviat|impair|improv|restor|mediat|repress|worsen|exacerbat)(?:e[sd]|ed|s|es)"
)
_NOT_A_SUBJECT = (
    r"(?!(?:which|that|who|and|or|but|in|at|by|on|of|to|for|from|with|after|before|during|via|through|"
    r"as|also|thus|then|thereby|it|they|we|both|cells?|mice|rats|animals|patients|subjects|treatment|"
    r"was|were|is|are|has|have|had|been|\w+ly|\w+ing)\b)"
)
OTHER_SUBJECT = bounded(
    rf"(?:[,;]\s+(?:(?:and|but|yet)\s+)?|\b(?:while|whereas|although|because|since|as)\s+)"
    rf"(?:(?:the|an?|this|these|its|their|other)\s+)?(?:{_NOT_A_SUBJECT}[\w-]+\s+){{1,3}}"
    rf"(?:\w+ly\s+)?(?P<verb>{_FINITE})\b",
    re.IGNORECASE,
)
"""A clause of its own begins before the verb: "when A was given, the diet raised B"."""
ANOTHER_CLAUSE = bounded(
    rf"\b(?:which|that|who)\s+(?:\w+\s+){{0,2}}?(?:{_FINITE})\b", re.IGNORECASE
)
"""Behind the verb: what follows is done by its object: "A raises B, which lowers C"."""
INDUCED = bounded(
    r"^[- \u2010-\u2015](?:induced|associated|evoked|stimulated|triggered|elicited|produced|"
    r"driven)\b",
    re.IGNORECASE,
)
INHIBITOR = bounded(
    r"^[- ](?:\w+ ){0,2}(?:inhibitors?|antagonists?|blockers?|antibod(?:y|ies)|blockade|"
    r"inhibition|silencing|knockdown|siRNA|deficien\w+|knockout)\b",
    re.IGNORECASE,
)
AGONIST = bounded(
    r"^[- ](?:\w+ ){0,2}(?:agonists?|activators?|inducers?|stimulators?)\b", re.IGNORECASE
)
OF = bounded(
    rf"\b(?:(?P<up>{_UP}|induction|activation|elevation|increase|stimulation|up-?regulation|"
    rf"release|development|production)|(?P<down>{_DOWN}|inhibition|suppression|reduction|"
    rf"prevention|attenuation|protection))\s+(?:of|in|against|from)\s+(?:[\w-]+\s+){{0,3}}$",
    re.IGNORECASE,
)
TREATS = bounded(
    r"\b(?:for|in) (?:the )?(?:\w+ ){0,2}(?:treatment|therapy|management|prevention|prophylaxis|"
    r"control|relief)\b|\bto (?:treat|prevent)\b|\b(?:treatment|therapy|therapies|drug|agent|used|"
    r"efficacy|effective\w*|effect|approved|indicated|given|prescribed)\b.{0,30}\b(?:for|in|of|"
    r"against)\b",
    re.IGNORECASE,
)
TREATED = bounded(
    r"\b(?:treated|treatment|therapy|managed|controlled|responded|maintained|prophylaxis|"
    r"relieved) ?(?:with|by|to|using)?\b|\breceiv\w+|\btaking\b",
    re.IGNORECASE,
)
ADVERSE = bounded(
    r"\b(?:after|following|during|due to|secondary to|caused by|induced by|associated with|"
    r"attributed to|related to|produced by|as a result of|side effects? of|complications? of|from|"
    r"developed|overdose|toxicity|toxic|abuse|exposure|withdrawal|intoxication|users?|injection|"
    r"infusion|administration)\b",
    re.IGNORECASE,
)
OF_PATIENTS = bounded(
    r"(?:develop\w*|risk.*|suscept\w*|predispos\w*|treat\w*|therapy|effective|efficacy|manag\w+|"
    r"improv\w+|higher|controls?|mediat\w+|cure\w*|limit\w*|contribut.*|responsible.*|worsen\w*|"
    r"aggravat\w*|relie\w+)$",
    re.IGNORECASE,
)
"""Verbs of what happens to patients, which say nothing of one molecule's effect on another."""
VARIANT = bounded(
    r"\b(?:mutat\w+|mutants?|variants?|polymorphi\w+|genotyp\w+|alleles?|SNPs?|linkage|genes?|"
    r"loc(?:us|i)|haplotypes?|deletions?|carriers?)\b",
    re.IGNORECASE,
)
"""A variant of a gene is neither more nor less of it, so that its disease gives no sign."""
LOSS = bounded(
    r"\b(?:inhibition|knock-?down|silencing|loss|deficiency|depletion|blockade|deletion|absence|"
    r"lack|suppression|inhibiting|blocking|targeting|disruption|"
    r"knockout)\s+(?:of\s+)?(?:[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
"""Before a name: it is less of it that acts."""
RELATIVE = bounded(r",? (?:which|that|who)\b", re.IGNORECASE)
"""Behind an object that does something itself: "A blocks B, which raises C"."""
GIVEN = bounded(r"^[- ](?:pre-?)?(?:treatment|therapy|treated|medication)\b", re.IGNORECASE)
"""Right behind a drug: that it is given, not what it does."""
BENEFIT = bounded(
    r"\b(?:protect\w+|ameliorat\w+|beneficial|therapeutic|preventi\w+|prophylactic|curative)\s+"
    r"(?:effects?|roles?|functions?|actions?|activit(?:y|ies)|potential|efficacy) of "
    r"(?:[\w-]+ ){0,3}$",
    re.IGNORECASE,
)
"""Before a drug: "the protective effect of A on B"."""
NEW_CLAUSE = bounded(r";|,\s*(?:although|though|whereas|while|but|however)\b", re.IGNORECASE)
AMONG_PATIENTS = bounded(
    r"\b(?:in|among)\s+(?:[\w-]+\s+){0,6}(?:patients?|individuals?|subjects?|recipients?|rats?|mice|"
    r"animals?|child(?:ren)?|adults?|man|woman|men|women|users?|those)\b",
    re.IGNORECASE,
)
"""Behind a disease and before "treated with A": it came up in them, and was not what they had."""
NOUN = bounded(r"(?:ion|ment|ance)$", re.IGNORECASE)
"""The end of a verb's noun: in "A activation raised B" it has no subject yet."""
BY_THE_WAY = bounded(r"ing$", re.IGNORECASE)
"""The end of a participle; far behind a name it is another's."""
MEANS = bounded(r"\b(?:via|through)\b", re.IGNORECASE)
"""Before a name: it is what the effect is brought about by."""
SETTING = bounded(r"\b(?:in|on|during|from|with|among)\b(?:\s+[\w-]+){0,3}\s*$", re.IGNORECASE)
"""Before a disease: there the effect was seen."""
_ITEM = r"\s*[\w()/+'\u2019-]+(?:\s+[\w()/+'\u2019-]+){0,3}\s*"
LISTED = bounded(
    rf"^(?:{_ITEM},)+(?:\s*(?:and|or|as well as)\b)?(?:\s+[\w-]+){{0,2}}\s*$", re.IGNORECASE
)
"""Between a verb and a name behind a comma: other objects in a list."""
REMOVED = bounded(
    r"\b(?:(?:inhibition|degradation|clearance|removal|loss|depletion|suppression|"
    r"down-?regulation) of|(?:reduction|decrease|decline|fall|drop) (?:of|in)) (?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
"""Before an object: to increase the clearance of X is to decrease X."""
OBJECT = bounded(
    rf"\b(?:{_UP}|{_DOWN})\s+(?:(?:the|of|in|expression|levels?|activity|production|"
    rf"secretion)\s+){{0,3}}$|\b(?:in response to|by|versus|than|without)\s+(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
"""Before a name: it is the object of a verb, and does nothing itself."""
CAUSED = bounded(
    r"\b(?:caused|induced|produced|provoked|elicited|precipitated|triggered|due|secondary|"
    r"attributed|after|following)\b",
    re.IGNORECASE,
)
"""Behind a disease and before a drug: the drug brought it about."""
APPOSED = bounded(r"^(?: \([^)]*\))?,? (?:is |was |as |and other )?(?:an?|the)? ?")
"""Between a drug and the target it is named by: "examplol, a TST1 inhibitor"."""
