"""Sentences of the brief over curated facts: licensed or not, class, warnings, interactions.

Each quotes its label, or the list of its source, word for word. A false "licensed" stands at the
head of a report, so a sentence of a label licenses a drug for a condition only where it says what
is treated and in whom. What is said otherwise is left to the label itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from deepcritical.domain.evidence.drug_facts import (
    LISTED_AS,
    DrugFacts,
    DrugLabel,
    Indication,
    SectionKey,
    fact_records,
    label_name,
)
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.report.sentences import Finding, Sentence
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span, fold, sentences
from deepcritical.questions.cues import GROUPS
from deepcritical.vocabulary.conditions import (
    KnownCondition,
    condition_named,
    find_conditions,
    is_kind_of,
)

Licence = Literal["same", "form", "people", ""]
"""For the condition, for one that MeSH files below it, in people who have it, or not at all."""

_ORDER: tuple[Licence, ...] = ("same", "form", "people")
_SAYS_NOT = bounded(
    r"\b(?:not|nor|never|neither|cannot|no longer|contraindicated|unlike|whereas|unapproved|"
    r"investigational|homeopathic|limitations? of use|formerly|"
    r"(?:was|were|previously) indicated)\b",
    re.IGNORECASE,
)
_OF_ANIMALS = bounded(
    r"\b(?:dogs?|cats?|horses?|foals?|cattle|cows?|calves|swine|pigs?|poultry|chickens?|turkeys?|"
    r"sheep|goats?|canine|feline|equine|bovine|porcine|veterinary|animals?)\b",
    re.IGNORECASE,
)
_INDICATED = bounded(r"\bindicated\b", re.IGNORECASE)
_OTHERWISE = bounded(
    r"\b(?:without|except(?:ing)?|excluding|exclusion|other than|rather than|instead of|"
    r"absence|ruled? out|ruling out|mimic\w{0,6}|non|"
    # named as the cause of what is treated
    r"caused|due|secondary|induced|associated|following|after|complicat\w{1,5}|history|"
    # treated by something else, or not had
    r"receiving|undergoing|taking|risk factors? for|at (?:\w{1,12} ){0,2}risk (?:of|for))\b"
    r"[^.;:]{0,40}$",
    re.IGNORECASE,
)
"""Before a condition that is not what is treated."""
_LOOKS_FOR = bounded(
    r"\b(?:diagnos(?:is|e|es|ing|tic|tics)|imaging|tomography|scintigraphy|radiograph\w{0,4}|"
    r"angiography|ultrasound|visuali[sz]\w{2,6}|detection|detecting|to detect|screening|"
    r"evaluated|being tested)\b",
    re.IGNORECASE,
)
"""Between "indicated" and a condition that is looked for, not treated."""
_BEHIND_OTHER = bounded(
    r"^(?:[\s-]{0,3}(?:chemotherapy|radiotherapy|surgery|medication|drugs?)\b|"
    r"[^.;,:]{0,30}\b(?:ruled out|excluded|absent)\b)",
    re.IGNORECASE,
)
"""Behind a condition that is a part of another name, or that nobody has."""
_PEOPLE_WITH = bounded(
    r"\b(?:patients?|persons?|people|individuals|subjects|adults|children|adolescents|infants|"
    r"women|men|males|females|those)\b[^.;]{0,80}?"
    r"\b(?:with|who have|who has|having|suffering from)\b[^.;]{0,60}$",
    re.IGNORECASE,
)
"""Before a condition that the people treated have."""
_SAYS_NOTHING = frozenset(
    "a an the as and or in of for to with use used be is are by it its treatment treat treating "
    "management manage therapy therapeutic maintenance monotherapy adjunct adjunctive adjuvant "
    "alone only acute chronic long-term short-term initial first-line second-line prevention "
    "prophylaxis symptomatic oral intravenous daily once when either both".split()
)
"""Words between "indicated" and "in people with" that name nothing that is treated in them."""
_PREPOSITIONS = frozenset("in among of for to".split())
_WORD = bounded(r"[^\W\d_][\w-]{0,40}")


class _Mention(NamedTuple):
    start: int
    end: int
    how: Licence


def how_indicated(text: str, condition: Condition) -> Licence:
    """Return for what of a condition a sentence says that a drug is indicated; '' if for none."""
    text = text.replace("\u2019", "'")
    indicated = _INDICATED.search(text)
    if not indicated or _SAYS_NOT.search(text) or _OF_ANIMALS.search(text):
        return ""
    found = {
        _treated(text[indicated.end() : one.start], text[one.end :], one.how)
        for one in _mentions(text, condition)
        if one.start >= indicated.end()
    }
    return next((how for how in _ORDER if how in found), "")


def how_related(found: KnownCondition, asked: Condition) -> Licence:
    """Return whether a condition is the one asked, or one below it: a form or complication."""
    known = condition_named(asked.name)
    mesh = (asked.mesh_id or "").removeprefix("MESH:")
    if found.mesh_id and found.mesh_id == mesh:
        return "same"
    if known is None:
        return ""
    if found.name == known.name:
        return "same"
    return "form" if is_kind_of(found, known) else ""


def _mentions(text: str, condition: Condition) -> Iterator[_Mention]:
    for found in find_conditions(text):
        if how := how_related(found.condition, condition):
            yield _Mention(found.start, found.end, how)
    if condition_named(condition.name) is None:
        for name in {fold(name) for name in (condition.name, *condition.names)}:
            for match in re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
                yield _Mention(match.start(), match.end(), "same")


def _treated(before: str, behind: str, how: Licence) -> Licence:
    """Return how a condition is licensed by the words around it, from "indicated" on."""
    if _OTHERWISE.search(before[-60:]) or _LOOKS_FOR.search(before):
        return ""
    if _BEHIND_OTHER.search(behind[:40]):
        return ""
    people = _PEOPLE_WITH.search(before[-400:])
    return "people" if people and _names_what(before[-400:][: people.start()]) else how


def _names_what(text: str) -> bool:
    """Return whether "indicated ... in" people says what is treated, before their condition."""
    words = [word.casefold() for word in _WORD.findall(text)]
    last = next((n for n in reversed(range(len(words))) if words[n] in _PREPOSITIONS), -1)
    of_people = last < 0 or words[last] not in ("in", "among")
    return not of_people and any(word not in _SAYS_NOTHING for word in words[:last])


_MOST = 3
"""Sentences of one kind that are told."""
_OF_LICENCES = ("licensed", "listed")
"""Beginnings of the kinds of facts that stand at the head of a brief."""
_NO_GROUP = frozenset("people patients persons adults with and the who have".split())
_WARNINGS: tuple[tuple[str, SectionKey], ...] = (
    ("boxed warning", "boxed_warning"),
    ("contraindication", "contraindications"),
)
_GROUPS = dict(GROUPS)
_LONG_WORD = bounded(r"[^\W\d_]{3,40}")


class Asked(NamedTuple):
    """The parts of a question by which facts are chosen."""

    condition: Condition | None
    population: tuple[str, ...] = ()
    drugs: tuple[Drug, ...] = ()


class FactsTold(NamedTuple):
    """The sentences, and the findings that they rest on."""

    licensed: tuple[Sentence, ...] = ()
    label: tuple[Sentence, ...] = ()
    findings: tuple[Finding, ...] = ()


class _Fact(NamedTuple):
    kind: str
    record: str
    name: str
    quote: str
    drug: str


_TEMPLATES = {
    "licensed same": "Licensed for this condition: {name} says: “{quote}”.",
    "licensed form": "Licensed for a form or complication of this condition: {name} says: "
    "“{quote}”.",
    "licensed people": "Licensed for use in people with this condition: {name} says: “{quote}”.",
    "listed same": "Approved for this condition, now or once: {name} lists for {drug}: “{quote}”.",
    "listed form": "Approved for a form or complication of this condition, now or once: "
    "{name} lists for {drug}: “{quote}”.",
    "class": "Class of {drug} in {name}: “{quote}”.",
    "boxed warning": "Boxed warning in {name}: “{quote}”.",
    "boxed warning, in part": "Boxed warning in {name}, in part: “{quote}”.",
    "contraindication": "Contraindications in {name}: “{quote}”.",
    "contraindication, in part": "Contraindications in {name}, in part: “{quote}”.",
    "interaction": "Interactions in {name}: “{quote}”.",
}


def fact_sentence(kind: str, name: str, drug: str, quote: str) -> str:
    """The sentence on a fact; '' for a kind that there is not."""
    template = _TEMPLATES.get(kind, "")
    return template.format(name=name, drug=drug, quote=quote.rstrip("."))


def facts_told(facts: Sequence[DrugFacts], asked: Asked) -> FactsTold:
    """Return what a brief says of curated facts.

    Args:
        facts: On the drugs asked about.
        asked: Condition, people and drugs of the question.
    """
    records = fact_records(facts)
    found: list[_Fact] = []
    for one in facts:
        found += _of_drug(one, asked, records)
    findings = tuple(_finding(n, fact) for n, fact in enumerate(dict.fromkeys(found), 1))
    told = [
        Sentence(text=f.sentence, evidence_ids=f.evidence_ids, finding_ids=(f.id,))
        for f in findings
    ]
    first = [s for s, f in zip(told, findings, strict=True) if f.outcome.startswith(_OF_LICENCES)]
    return FactsTold(tuple(first), tuple(s for s in told if s not in first), findings)


def _finding(number: int, fact: _Fact) -> Finding:
    return Finding(
        id=f"L{number}",
        evidence_ids=(fact.record,),
        study=fact.name,
        drug=fact.drug,
        outcome=fact.kind,
        quotes=(fact.quote,),
        sentence=fact_sentence(fact.kind, fact.name, fact.drug, fact.quote),
    )


def _of_drug(facts: DrugFacts, asked: Asked, records: Mapping[str, Evidence]) -> Iterator[_Fact]:
    labels = [(label, key) for label in facts.labels if (key := _key(label, records))]
    own = [one for one in labels if not one[0].others]
    licensed = [fact for label, key in own for fact in _licensed(label, key, facts.drug, asked)]
    order = ("licensed same", "licensed form", "licensed people")
    licensed.sort(key=lambda fact: order.index(fact.kind))
    yield from licensed[:1] or list(_listed_indications(facts, asked, records))[:1]
    classes = [c for c in facts.classes if c.kind == "EPC"]
    for one in classes[:1]:
        key, line = _line(records, facts.drug, one.origin.source, "class", one.name)
        if key:
            yield _Fact("class", key, one.origin.source, line, facts.drug)
    for kind, section in _WARNINGS:
        # Products differ: a warning of any of them is told.
        warned = (list(_warned(label, key, facts.drug, asked, kind, section)) for label, key in own)
        yield from next(filter(None, warned), ())
    told = (list(_interactions(label, key, facts.drug, asked)) for label, key in own)
    yield from next(filter(None, told), ())


def _key(label: DrugLabel, records: Mapping[str, Evidence]) -> str:
    return next((k for k, r in records.items() if r.citation.url == label.origin.url), "")


def _licensed(label: DrugLabel, key: str, drug: str, asked: Asked) -> Iterator[_Fact]:
    """Sentences of the indications that say the drug is indicated for the condition asked."""
    if label.approved is False or asked.condition is None:
        return
    for span in sentences(label.section("indications_and_usage")):
        if how := how_indicated(span.text, asked.condition):
            yield _Fact(f"licensed {how}", key, label_name(label, drug), span.text, drug)


def _listed_indications(
    facts: DrugFacts, asked: Asked, records: Mapping[str, Evidence]
) -> Iterator[_Fact]:
    """Approved indications that sources list, those of the condition itself first."""
    found = []
    for indication in facts.indications:
        how = _meant(indication, asked.condition) if indication.approved else ""
        if how:
            name = indication.condition
            source = indication.origin.source
            key, line = _line(records, facts.drug, source, "licensed", name)
            found += [_Fact(f"listed {how}", key, source, line, facts.drug)] if key else []
    yield from sorted(found, key=lambda fact: fact.kind, reverse=True)


def _meant(indication: Indication, condition: Condition | None) -> Licence:
    if condition is None:
        return ""
    mesh = (condition.mesh_id or "").removeprefix("MESH:")
    if mesh and any(i.replace("_", ":").removeprefix("MESH:") == mesh for i in indication.ids):
        return "same"
    if fold(indication.condition) in {fold(n) for n in (condition.name, *condition.names)}:
        return "same"
    found = condition_named(indication.condition)
    return how_related(found, condition) if found else ""


def _line(
    records: Mapping[str, Evidence], drug: str, source: str, kind: str, name: str
) -> tuple[str, str]:
    line = f"{LISTED_AS[kind]}: {name}."
    title = f"{drug} in {source}"
    for key, record in records.items():
        if record.citation.title == title and line in record.content.split("\n"):
            return key, line
    return "", ""


def _warned(
    label: DrugLabel, key: str, drug: str, asked: Asked, kind: str, section: SectionKey
) -> Iterator[_Fact]:
    """Sentences that name the people or the condition asked; of a boxed warning the first too."""
    told = sentences(label.section(section))
    chosen = [span for span in told if _concerns(span, asked)]
    if section == "boxed_warning" and not chosen:
        chosen = told[:1]
    whole = len(told) == len(chosen) <= _MOST
    how = kind if whole else f"{kind}, in part"
    name = label_name(label, drug)
    yield from (_Fact(how, key, name, span.text, drug) for span in chosen[:_MOST])


def _concerns(span: Span, asked: Asked) -> bool:
    if any(_names_group(span.text, group) for group in asked.population):
        return True
    return asked.condition is not None and bool(_mentioned(span.text, asked.condition))


def _mentioned(text: str, condition: Condition) -> bool:
    """Return whether a text names the condition, a form of it, or one that it is a form of."""
    known = condition_named(condition.name)
    names = {fold(name) for name in (condition.name, *condition.names)}
    if any(re.search(rf"\b{re.escape(name)}\b", fold(text)) for name in names if len(name) > 3):
        return True
    found = [mention.condition for mention in find_conditions(text)]
    return known is not None and any(is_kind_of(c, known) or is_kind_of(known, c) for c in found)


def _names_group(text: str, group: str) -> bool:
    """Return whether a text names a group of people, by cues of questions or its own words."""
    if pattern := _GROUPS.get(group):
        return bool(pattern.search(text))
    condition = condition_named(group)
    if condition:
        return any(is_kind_of(m.condition, condition) for m in find_conditions(text))
    own = {word.casefold() for word in _LONG_WORD.findall(group)} - _NO_GROUP
    return bool(own & {word.casefold() for word in _LONG_WORD.findall(text)})


def _interactions(label: DrugLabel, key: str, drug: str, asked: Asked) -> Iterator[_Fact]:
    """Sentences that name another drug of the question."""
    others = [one for one in asked.drugs if fold(one.name) != fold(drug)]
    names = {fold(name) for one in others for name in one.names if len(name) > 3}
    wanted: tuple[SectionKey, ...] = ("drug_interactions", "contraindications", "boxed_warning")
    spans: Iterable[Span] = (s for part in wanted for s in sentences(label.section(part)))
    found = [
        _Fact("interaction", key, label_name(label, drug), span.text, drug)
        for span in spans
        if any(re.search(rf"\b{re.escape(name)}\b", fold(span.text)) for name in names)
    ]
    yield from found[:_MOST]
