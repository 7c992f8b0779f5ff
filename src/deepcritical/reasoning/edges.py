"""Typed, signed edges between the drugs, genes and diseases that a text names.

Each edge rests on one sentence, in which words between, before or behind two names say what one
does to the other. A text that only names two things together gives none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.evidence import Fact, FactRole
from deepcritical.domain.hypotheses import Relation, Sign
from deepcritical.domain.text import Span, sentences
from deepcritical.reasoning.mentions import EntityKind, Mention, find_mentions

__all__ = ["edges", "edges_between"]


_E = r"(?:e[sd]?|ing|ion)"
_UP = (
    r"(?:activat\w+|up-?regulat\w+|increas\w+|promot\w+|enhanc\w+|induc\w+|stimulat\w+|elevat\w+|exacerbat\w+|"
    r"facilitat\w+|rais(?:e[sd]?|ing)|caus(?:e[sd]?|ing)|leads?(?:ing)? to|led to|result(?:s|ed|ing)? in|trigger\w*|"
    r"produc(?:e[sd]?|ing|tion)|evok\w+|elicit\w*|aggravat\w+|worsen\w*|potentiat\w+|develop\w*|contribut\w+ to|"
    r"responsible for|overexpress\w*|augment\w*|amplif\w+|accelerat\w+|precipitat\w+|provok\w+|mediat\w+|"
    r"positively (?:correlat|associat|regulat)\w+|releas\w+|higher|risk (?:factor )?(?:of|for)|susceptib\w+|predispos\w+|drives?)"
)
_DOWN = (
    r"(?:inhibit\w*|down-?regulat\w+|reduc\w+|decreas\w+|suppress\w*|attenuat\w+|ameliorat\w+|lower\w*|block(?:s|ed|ing|ade)?|"
    r"antagoni[sz]\w+|prevent\w*|diminish\w*|blunt\w*|disrupt\w*|abolish\w*|revers(?:e[sd]?|ing|al)|protect\w*|"
    r"alleviat\w+|impair\w*|relie[fv]\w*|treat(?:s|ed|ing|ment)?|improv\w+|deplet\w+|inactivat\w+|silenc\w+|knock-?down|"
    r"counteract\w*|abrogat\w+|eliminat\w+|mitigat\w+|repress\w*|limit(?:s|ed)|negatively (?:correlat|associat|regulat)\w+|effective|"
    r"controls?|therapy|efficacy|degrad\w+|neutrali[sz]\w+|restor\w+|rescu\w+|manag\w+|cure[sd]?)"
)
_VERB = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|no|without|neither|nor|failed|fails|lack\w*|unlike|whether|than|compared|versus|vs)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?:by|from|due to|secondary to|caused by|following|after|to)\s+(?:[\w-]+\s+){0,4}$",
    re.IGNORECASE,
)
_INDUCED = re.compile(
    r"^[- \u2010-\u2015](?:induced|associated|evoked|stimulated|triggered|elicited|produced|driven)\b",
    re.IGNORECASE,
)
_INHIBITOR = re.compile(
    r"^[- ](?:\w+ ){0,2}(?:inhibitors?|antagonists?|blockers?|antibod(?:y|ies)|blockade|inhibition|silencing|knockdown|siRNA|deficien\w+|knockout)\b",
    re.IGNORECASE,
)
_AGONIST = re.compile(
    r"^[- ](?:\w+ ){0,2}(?:agonists?|activators?|inducers?|stimulators?)\b", re.IGNORECASE
)
_OF = re.compile(
    rf"\b(?:(?P<up>{_UP}|induction|activation|elevation|increase|stimulation|up-?regulation|release|development|production)|(?P<down>{_DOWN}|inhibition|suppression|reduction|prevention|attenuation|protection))\s+(?:of|in|against|from)\s+(?:[\w-]+\s+){{0,3}}$",
    re.IGNORECASE,
)
_TREATS = re.compile(
    r"\b(?:for|in) (?:the )?(?:\w+ ){0,2}(?:treatment|therapy|management|prevention|prophylaxis|control|relief)\b|\bto (?:treat|prevent)\b|"
    r"\b(?:treatment|therapy|therapies|drug|agent|used|efficacy|effective\w*|effect|approved|indicated|given|prescribed)\b.{0,30}\b(?:for|in|of|against)\b",
    re.IGNORECASE,
)
_TREATED = re.compile(
    r"\b(?:treated|treatment|therapy|managed|controlled|responded|maintained|prophylaxis|relieved) ?(?:with|by|to|using)?\b|\breceiv\w+|\btaking\b",
    re.IGNORECASE,
)
_ADVERSE = re.compile(
    r"\b(?:after|following|during|due to|secondary to|caused by|induced by|associated with|attributed to|related to|"
    r"produced by|as a result of|side effects? of|complications? of|from|developed|overdose|toxicity|toxic|abuse|exposure|withdrawal|intoxication|users?|injection|infusion|administration)\b",
    re.IGNORECASE,
)
_FAR = {True: 130, False: 90}
"""Characters between two names, with a disease among them and without."""
_MOLECULAR = re.compile(
    r"(?:develop\w*|risk.*|suscept\w*|predispos\w*|treat\w*|therapy|effective|efficacy|manag\w+|improv\w+|higher|controls?|mediat\w+|"
    r"cure\w*|limit\w*|contribut.*|responsible.*|worsen\w*|aggravat\w*|relie\w+)$",
    re.IGNORECASE,
)
"""Verbs of what happens to patients, which say nothing of one molecule's effect on another."""
_VARIANT = re.compile(
    r"\b(?:mutat\w+|mutants?|variants?|polymorphi\w+|genotyp\w+|alleles?|SNPs?|linkage|genes?|loc(?:us|i)|haplotypes?|deletions?|carriers?)\b",
    re.IGNORECASE,
)
"""A variant of a gene is neither more nor less of it, so that its disease gives no sign."""


_LOSS = re.compile(
    r"\b(?:inhibition|knock-?down|silencing|loss|deficiency|depletion|blockade|deletion|absence|lack|suppression|inhibiting|blocking|targeting|disruption|knockout)\s+(?:of\s+)?(?:[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
"""Before a name: it is less of it that acts."""
_REMOVED = re.compile(
    r"\b(?:inhibition|degradation|clearance|removal|loss|depletion|suppression) of (?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
"""Before an object: to increase the clearance of X is to decrease X."""
_OBJECT = re.compile(
    rf"\b(?:{_UP}|{_DOWN})\s+(?:(?:the|of|in|expression|levels?|activity|production|secretion)\s+){{0,3}}$|\b(?:in response to|by|versus|than|without)\s+(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
"""Before a name: it is the object of a verb, and does nothing itself."""


class _Found(NamedTuple):
    subject: Mention
    sign: Sign
    object: Mention


def edges(text: str) -> tuple[Relation, ...]:
    """The signed edges between the drugs, genes and diseases that a text names.

    Args:
        text: Any text, such as an abstract.

    Returns:
        Relations such as examplol -decreases-> TST1, in the order of the text. Each holds the
        sentence it rests on as a fact with offsets into `text`, whose evidence id is empty.
    """
    return edges_between(text, find_mentions(text))


def edges_between(text: str, mentions: Sequence[Mention]) -> tuple[Relation, ...]:
    """The signed edges between given names of a text, each with its sentence."""
    found: dict[Relation, None] = {}
    for span in sentences(text):
        own = [m for m in mentions if span.start <= m.start and m.end <= span.end]
        for one in _in_sentence(text, span, sorted(own, key=lambda m: m.start)):
            found[_relation(one, span)] = None
    return tuple(found)


def _relation(found: _Found, span: Span) -> Relation:
    return Relation(
        subject=found.subject.name,
        sign=found.sign,
        object=found.object.name,
        fact=Fact.of(span, "", FactRole.MECHANISM),
    )


def _in_sentence(text: str, span: Span, own: Sequence[Mention]) -> Iterator[_Found]:
    for n, a in enumerate(own):
        for b in own[n + 1 :]:
            if (
                a.name == b.name
                or b.start < a.end
                or b.start - a.end > _FAR[EntityKind.DISEASE in (a.kind, b.kind)]
            ):
                continue
            if found := _between(text, span, a, b):
                yield found


def _between(text: str, span: Span, a: Mention, b: Mention):
    mid = text[a.end : b.start]
    pre = text[max(span.start, a.start - 60) : a.start]
    post = text[b.end : min(span.end, b.end + 60)]
    kinds = (a.kind, b.kind)
    if kinds.count(EntityKind.DISEASE) == 2:
        return None
    if EntityKind.DISEASE in kinds and EntityKind.GENE in kinds and _VARIANT.search(span.text):
        return None
    if _INDUCED.match(mid):
        return _Found(a, Sign.INCREASES, b) if len(mid) < 45 and not _NOT.search(mid) else None
    if len(mid) < 30 and kinds == (EntityKind.GENE, EntityKind.CHEMICAL):
        if _INHIBITOR.match(mid):
            return _Found(b, Sign.DECREASES, a)
        if _AGONIST.match(mid):
            return _Found(b, Sign.INCREASES, a)
    if (
        len(mid) < 60
        and re.search(r"^(?: \([^)]*\))?,? (?:is |was |as |and other )?(?:an?|the)? ?", mid)
        and not _VERB.search(mid)
    ):
        if b.kind is EntityKind.GENE and a.kind is EntityKind.CHEMICAL:
            if _INHIBITOR.match(post):
                return _Found(a, Sign.DECREASES, b)
            if _AGONIST.match(post):
                return _Found(a, Sign.INCREASES, b)
    if _NOT.search(mid):
        return None
    of = _OF.search(pre)
    if not of and _OBJECT.search(pre):
        return None
    if of and re.search(r"\b(?:by|with|using|after|following)\b", mid):
        return _Found(b, Sign.INCREASES if of["up"] else Sign.DECREASES, a)
    verb = None
    molecular = EntityKind.DISEASE not in kinds
    verb = next(
        (v for v in _VERB.finditer(mid) if not (molecular and _MOLECULAR.match(v.group()))), None
    )
    if {EntityKind.CHEMICAL, EntityKind.DISEASE} == set(kinds):
        return _of_treatment(a, b, mid, verb, text, span)
    if verb:
        sign = Sign.INCREASES if verb["up"] else Sign.DECREASES
        if _INHIBITOR.match(mid) or _LOSS.search(pre):
            sign = sign.flipped
        if _INHIBITOR.match(post) or _REMOVED.search(mid):
            sign = sign.flipped
        passive = re.search(r"\b(?:by)\b", mid[verb.end() :])
        return _Found(b, sign, a) if passive else _Found(a, sign, b)
    return None


def _of_treatment(a: Mention, b: Mention, mid: str, verb, text: str, span: Span):
    chem, dis = (a, b) if a.kind is EntityKind.CHEMICAL else (b, a)
    if a is chem:
        if _TREATS.search(mid):
            return _Found(chem, Sign.DECREASES, dis)
        if verb:
            return _Found(chem, Sign.INCREASES if verb["up"] else Sign.DECREASES, dis)
        return None
    if re.search(
        r"\b(?:caused|induced|produced|provoked|elicited|precipitated|triggered|due|secondary|attributed|after|following)\b",
        mid,
        re.I,
    ):
        return _Found(chem, Sign.INCREASES, dis)
    if _TREATED.search(mid) or (verb and verb["down"]):
        return _Found(chem, Sign.DECREASES, dis)
    if _ADVERSE.search(mid) or verb:
        return _Found(chem, Sign.INCREASES, dis)
    return None
