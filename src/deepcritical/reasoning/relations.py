"""Signed relations between drug, molecules, processes and condition, each within one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.hypotheses import Relation, Sign
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Condition, Drug
from deepcritical.domain.text import Span, sentences
from deepcritical.reasoning.mentions import NOT_A_MOLECULE, SYMBOL
from deepcritical.reasoning.names import ConditionNames, DrugNames
from deepcritical.reasoning.relation_cues import AIM, NO_DIRECTION
from deepcritical.vocabulary.nodes import vocabulary

__all__ = ["RecordRelations", "record_relations"]

# The endings of verbs like activate, of verbs like block and of verbs like suppress.
_E = r"(?:e[sd]?|ing)"
_ED = r"(?:s|ed|ing)?"
_ES = r"(?:e[sd]|es|ing)?"
_UP = (
    rf"(?:activat{_E}|up-?regulat{_E}|increas{_E}|promot{_E}|enhanc{_E}|induc{_E}|stimulat{_E}|"
    rf"elevat{_E}|exacerbat{_E}|facilitat{_E}|rais{_E}|restor{_E})"
)
_DOWN = (
    rf"(?:inhibit{_ED}|down-?regulat{_E}|reduc{_E}|decreas{_E}|suppress{_ES}|attenuat{_E}|"
    rf"ameliorat{_E}|lower{_ED}|block{_ED}|antagoni[sz]{_E}|prevent{_ED}|diminish{_ES}|"
    rf"blunt{_ED}|disrupt{_ED})"
)
_NONE = (
    r"(?:(?:did|does|do) not (?:\w+ )?"
    r"(?:affect|alter|change|influence|modulate|increase|reduce|decrease)|"
    r"(?:had|has|have|exert(?:s|ed)?) no (?:\w+ )?effects? on|"
    r"failed to (?:affect|alter|change|reduce|increase))"
)
_VERB = bounded(rf"\b(?:(?P<none>{_NONE})|(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)
_BY_WAY_OF = bounded(
    r"\b(?:through|via|by way of|mediated by|"
    r"by (?:activating|inhibiting|up-?regulating|down-?regulating|increasing|reducing|suppressing|"
    r"stimulating))\s+(?P<means>[^.;]{2,140})",
    re.IGNORECASE,
)
_OBJECT_END = bounded(
    r"\b(?:in|within|around|near|surrounding|among|without|but|while|whereas|although|through|via|"
    r"by|compared|versus|measured|seen|after|during|at the doses?|under)\b|"
    r"[;:]|,\s+(?:and\s+)?(?:which|but|while|whereas|an?)\b",
    re.IGNORECASE,
)
_LABELS = (
    "Protein",
    "GeneFamily",
    "ChemicalSubstance",
    "Pathway",
    "BiologicalProcess",
    "MolecularActivity",
)
_PROCESS = bounded(
    r"^\s*(?P<process>aggregation|phosphorylation|degradation|clearance|pathology)\b", re.IGNORECASE
)
"""A process of a molecule that is not its amount: "tau phosphorylation" is not tau."""
_REMOVAL_OF = bounded(
    r"\b(?:phagocytosis|clearance|degradation|removal|inhibition|impairment|loss|blockade) of "
    r"(?:\S+ ){0,2}$",
    re.IGNORECASE,
)
"""Before a name: to increase the clearance of X is to decrease X."""
_ONLY_A_MODIFIER = bounded(
    r"^(?:[\s-]*like|-(?:related|associated|mediated|induced|dependent)|[\s-]*(?:transporters?|receptors?|"
    r"agonists?|antagonists?|inhibitors?|blockers?|secretases?|monotherapy))\b",
    re.IGNORECASE,
)
"""After a name: something else is meant.

As in "amyloid-β transporters" or "GLP-1 receptor agonists".
"""
_PROTEIN_NAME = bounded(r"\bprotein (?!kinase|denaturation|ubiq)([A-Za-z]{3,})$")
_LINK = bounded(
    r"\b(?:hallmarks?|patholog\w+|pathogenesis|pathophysiolog\w+|pivotal|central|caus(?:e[sd]?|al)|"
    r"contribut\w+|driv(?:e[sd]?|er)|accumulat\w+|risk factor|aggravat\w+|"
    r"characteri[sz]ed by|leads? to|culprit)\b",
    re.IGNORECASE,
)
_BLOCKED = bounded(
    r"\b(?:inhibition|inhibitors?|blockade|knock-?down|silencing|compound C)\b.*?"
    r"\b(?:suppress|abolish|block|prevent|revers|attenuat|reduc)\w*\b.*?"
    r"\beffects?\s+(?:of \S+ )?on\b|\bmediat\w+\b.*?\beffects?\b.*?\bon\b",
    re.IGNORECASE,
)
_SUFFERED = bounded(
    r"\s+(?:\w+ )?(?:is|are|was|were|be|been)(?: \w+)? \w+(?:ed|en) by\b", re.IGNORECASE
)
"""After a name: something is done to it."""
_DENIAL = bounded(r"\b(?:not|no|unlike|whether|independent of)\b", re.IGNORECASE)


_NO_FINDING = bounded(
    r"\bno evidence\b|\bnot (?:known|clear|tested|shown|studied)\b", re.IGNORECASE
)
_TOO_GENERAL = frozenset(
    "growth development metabolism transport binding secretion signaling signalling expression "
    "transcription translation replication proliferation activity regulation".split()
)
"""Processes that every molecule has a part in: no step of a mechanism by themselves."""


class _Node(NamedTuple):
    name: str
    start: int
    end: int


class RecordRelations(NamedTuple):
    """What one record says of mechanism."""

    drug: tuple[Relation, ...]
    """Drug -> molecule or process."""
    means: tuple[Relation, ...]
    """Molecule -> process, from "the drug does X through M".

    The sign is still that of the drug on X.
    """
    condition: tuple[Relation, ...]
    """Molecule or process -> condition."""


@cache
def _protein_words() -> re.Pattern[str]:
    """Proteins that the vocabulary calls "... protein X": texts call them X."""
    words = {
        m.group(1)
        for node in vocabulary().nodes
        for name in node.names
        if (m := _PROTEIN_NAME.search(name))
    }
    return bounded(rf"(?<![\w-])(?:{'|'.join(sorted(words))})(?![\w])", re.IGNORECASE)


class _Nodes:
    """Molecules and processes named in one record, under one name each."""

    def __init__(self, text: str, condition: ConditionNames, drug: DrugNames) -> None:
        self._long = expand_abbreviations(text)
        self._condition = condition
        self._drug = drug

    def find(self, text: str) -> list[_Node]:
        """Nodes of a sentence, longest first at each place, without overlap."""
        taken: list[_Node] = []
        for node in sorted(self._candidates(text), key=lambda n: (n.start, -(n.end - n.start))):
            if not taken or node.start >= taken[-1].end:
                taken.append(self._with_process(text, node))
        return [
            node
            for node in taken
            if node.name.casefold() not in _TOO_GENERAL
            and not _ONLY_A_MODIFIER.match(text[node.end :])
        ]

    def _candidates(self, text: str) -> Iterator[_Node]:
        for short, long in self._long.items():
            if self._is_molecule(short, long):
                for match in re.finditer(
                    rf"{re.escape(long)}(?:\s*\({re.escape(short)}\))?|"
                    rf"(?<![\w-]){re.escape(short)}(?![\w-])",
                    text,
                ):
                    yield _Node(short, match.start(), match.end())
        for match in _protein_words().finditer(text):
            yield _Node(match.group().lower(), match.start(), match.end())
        for mention in vocabulary().find(text, _LABELS):
            if (
                mention.text not in NOT_A_MOLECULE
                and not self._condition.named(mention.text)
                and not self._drug.named(mention.text)
            ):
                yield _Node(mention.node.name, mention.start, mention.end)
        for match in SYMBOL.finditer(text):
            if self._is_molecule(match.group(), self._long.get(match.group(), "")):
                yield _Node(match.group().removeprefix("p-"), match.start(), match.end())

    def _is_molecule(self, short: str, long: str) -> bool:
        """Whether an abbreviation can be a molecule.

        It is not the condition, the drug, a scale, a scan or an effect size.
        """
        if (
            short in NOT_A_MOLECULE
            or self._condition.named(short)
            or self._condition.named(long)
            or self._drug.named(long)
        ):
            return False
        return not long or bool(_MOLECULAR.search(long))

    @staticmethod
    def _with_process(text: str, node: _Node) -> _Node:
        """A process of its own: "tau phosphorylation" is not tau."""
        match = _PROCESS.match(text[node.end :])
        if match is None:
            return node
        return _Node(
            f"{node.name} {match.group('process').lower()}", node.start, node.end + match.end()
        )


_MOLECULAR = bounded(
    r"protein|kinase|ase\b|receptor|peptide|amyloid|tau\b|factor|enzyme|target of rapamycin|"
    r"cytokine|interleukin|transporter|channel|insulin|acid|rapamycin|necrosis|oxygen|β|beta\b",
    re.IGNORECASE,
)


def _sign(match: re.Match[str]) -> Sign:
    return (
        Sign.NO_EFFECT
        if match.group("none")
        else Sign.INCREASES
        if match.group("up")
        else Sign.DECREASES
    )


def _object_phrase(sentence: str, start: int) -> tuple[int, int]:
    """From a verb's end to where its object ends."""
    end = _OBJECT_END.search(sentence, start)
    following = re.search(rf"(?<!-){_VERB.pattern}", sentence[start:], re.IGNORECASE)
    stops = [end.start()] if end else []
    return start, min(
        [*stops, *([start + following.start()] if following else [])], default=len(sentence)
    )


def _effects(span: Span, nodes: list[_Node], subject_at: int) -> Iterator[tuple[_Node, Sign]]:
    """What the subject at an offset does to each node of a sentence, by the verb governing it."""
    for verb in _VERB.finditer(span.text, subject_at):
        if span.text[verb.start() - 1 : verb.start()] == "-" or any(
            n.start <= verb.start() < n.end for n in nodes
        ):
            continue  # a part of a name: AMP-activated protein kinase
        begin, end = _object_phrase(span.text, verb.end())
        for node in nodes:
            if begin <= node.start < end:
                removed = _REMOVAL_OF.search(span.text[begin : node.start])
                yield node, _sign(verb).flipped if removed else _sign(verb)


def _of_drug(
    span: Span, nodes: list[_Node], drug: DrugNames, evidence_id: str
) -> Iterator[Relation]:
    places = drug.find(span.text)
    said = span.text
    if not places or AIM.search(said) or NO_DIRECTION.search(said):
        return
    if _NO_FINDING.search(said):
        return
    # A participle before the drug ("Despite reducing tau phosphorylation, metformin ...") has the
    # drug as its subject too.
    start = 0 if re.match(r"(?:despite|by|while)\b", span.text, re.IGNORECASE) else places[0].end()
    for node, sign in _effects(span, nodes, start):
        yield Relation(
            subject=places[0].group(),
            sign=sign,
            object=node.name,
            fact=Fact.of(span, evidence_id, FactRole.MECHANISM),
        )


def _by_means(
    span: Span, nodes: list[_Node], effects: list[Relation], drug: DrugNames, evidence_id: str
) -> Iterator[Relation]:
    """From "drug reduces X through M1 and M2": M1 -> X and M2 -> X.

    X is the effect that stands last before "through". The sign is still the drug's on X.
    """
    means = _BY_WAY_OF.search(span.text)
    if means is None:
        return
    begin = means.start("means")
    end = min([p.start() for p in drug.find(span.text) if p.start() > begin] + [means.end("means")])
    signs = {effect.object: effect.sign for effect in effects}
    before = [n for n in nodes if n.start < means.start() and n.name in signs]
    if not before or signs[before[-1].name] is Sign.NO_EFFECT:
        return
    effect = before[-1].name
    for node in nodes:
        if begin <= node.start < end and node.name != effect:
            yield Relation(
                subject=node.name,
                sign=signs[effect],
                object=effect,
                fact=Fact.of(span, evidence_id, FactRole.MECHANISM),
            )


def _by_blocking(
    span: Span, nodes: list[_Node], drug: DrugNames, known: list[Relation], evidence_id: str
) -> Iterator[Relation]:
    """From "inhibiting M suppressed the drug's effect on X": M -> X.

    The sign is still the drug's on X.
    """
    match = _BLOCKED.search(span.text)
    if match is None or not drug.named(span.text):
        return
    signs = {relation.object: relation.sign for relation in known}
    for mediator in (n for n in nodes if n.start < match.end()):
        for effect in (
            n
            for n in nodes
            if n.start >= match.end() and n.name in signs and n.name != mediator.name
        ):
            yield Relation(
                subject=mediator.name,
                sign=signs[effect.name],
                object=effect.name,
                fact=Fact.of(span, evidence_id, FactRole.MECHANISM),
            )


def _to_condition(
    span: Span,
    nodes: list[_Node],
    condition: ConditionNames,
    drug: DrugNames,
    name: str,
    evidence_id: str,
) -> Iterator[Relation]:
    """A node that a sentence calls a hallmark, a cause or a part of the condition."""
    if (
        drug.named(span.text)
        or not condition.named(span.text)
        or not _LINK.search(_without(nodes, span.text))
        or _DENIAL.search(span.text)
    ):
        return
    for node in nodes:
        if _SUFFERED.match(span.text[node.end :]):
            continue  # what is done to it says nothing of what it does
        yield Relation(
            subject=node.name,
            sign=Sign.INCREASES,
            object=name,
            fact=Fact.of(span, evidence_id, FactRole.MECHANISM),
        )


def _without(nodes: list[_Node], text: str) -> str:
    """The text without the nodes: "tau pathology" does not call anything a pathology."""
    for node in sorted(nodes, key=lambda n: n.start, reverse=True):
        text = f"{text[: node.start]} {text[node.end :]}"
    return text


def record_relations(
    drug: Drug, condition: Condition, evidence_id: str, evidence: Evidence
) -> RecordRelations:
    """The signed relations of one record, each with the sentence it stands in."""
    text = f"{evidence.citation.title}\n{evidence.content}"
    drug_names, condition_names = DrugNames(drug, text), ConditionNames(condition, text)
    finder = _Nodes(text, condition_names, drug_names)
    found: tuple[list[Relation], list[Relation], list[Relation]] = ([], [], [])
    for span in sentences(evidence.content):
        nodes = finder.find(span.text)
        effects = list(_of_drug(span, nodes, drug_names, evidence_id))
        found[0].extend(effects)
        found[1].extend(_by_means(span, nodes, effects, drug_names, evidence_id))
        found[1].extend(_by_blocking(span, nodes, drug_names, found[0], evidence_id))
        found[2].extend(
            _to_condition(span, nodes, condition_names, drug_names, condition.name, evidence_id)
        )
    return RecordRelations(*(tuple(dict.fromkeys(relations)) for relations in found))
