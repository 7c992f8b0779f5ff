"""Looks up labels of products and counts of reported adverse events in openFDA.

It answers 404 where nothing matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from deepcritical.domain.evidence.drug_facts import (
    LABEL_SECTIONS,
    DrugFacts,
    DrugLabel,
    EventCount,
    LabelSection,
)
from deepcritical.domain.question.frame import Drug
from deepcritical.domain.text.spans import fold
from deepcritical.tools.drug_facts.base import (
    FactSource,
    Found,
    Terms,
    is_form_of,
    list_in,
    quoted,
    substances_in,
)
from deepcritical.tools.json_values import as_dict, as_list, as_number, as_text, unique

LABELS = Terms("openFDA labels", "CC0 1.0", "https://open.fda.gov/apis/drug/label/")
EVENTS = Terms("openFDA FAERS", "CC0 1.0", "https://open.fda.gov/apis/drug/event/")
DAILYMED = "https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid="
_MOST_LABELS = 5
_MOST_EVENTS = 25
_APPLICATIONS = ("NDA", "ANDA", "BLA")
Any_ = dict[str, Any]


def read_labels(content: bytes, drug: Drug, today: str) -> Found:
    """The labels of an answer, those of the drug alone before those of products with others too."""
    labels, skipped = [], []
    for number, result in enumerate(list_in(content, "openFDA", "results"), 1):
        label = _label(as_dict(result), drug, today)
        if label is None:
            skipped.append(f"label {number} has no set id")
        elif _names(label, drug):
            labels.append(label)
    labels.sort(key=lambda label: (bool(label.others), label.approved is False))
    if labels and not any(label.sections for label in labels):
        skipped.append("no label has a section that is known")
    if labels and all(label.others for label in labels):
        skipped.append("the labels that came are of products with other substances too")
    return Found(DrugFacts(drug=drug.name, labels=tuple(labels)), tuple(skipped))


def _names(label: DrugLabel, drug: Drug) -> bool:
    """Return whether a product or a substance of it begins with a name of the drug.

    Names within others are other drugs: a "methyl-" or an "es-" form, or the salt of another one.
    """
    substances = (part for name in label.generics for part in substances_in(name))
    told = [fold(name).split() for name in (*label.products, *substances)]
    wanted = [fold(name).split() for name in drug.names]
    return any(name and words[: len(name)] == name for name in wanted for words in told)


def _others(named: Any_, generics: tuple[str, ...], drug: Drug) -> tuple[str, ...]:
    """The active substances of a product of several, without the drug and its salts."""
    listed = unique(map(as_text, as_list(named.get("substance_name"))))
    found = listed or unique(part for name in generics for part in substances_in(name))
    others = tuple(name for name in found if is_form_of(name, drug.names) is None)
    # A single substance is the drug under another name: a brand, or a salt that is not known.
    return others if len(found) > 1 else ()


def _approved(named: Any_) -> bool | None:
    """By the number of its application: monograph products have another, homeopathic ones none."""
    numbers = [as_text(number) for number in as_list(named.get("application_number"))]
    if not numbers and not as_list(named.get("product_type")):
        return None
    return any(number.upper().startswith(_APPLICATIONS) for number in numbers)


def _label(result: Any_, drug: Drug, today: str) -> DrugLabel | None:
    named = as_dict(result.get("openfda"))
    ids = (result.get("set_id"), *as_list(named.get("spl_set_id")))
    set_id = next((text for text in map(as_text, ids) if text), "")
    if not set_id:
        return None
    generics = unique(map(as_text, as_list(named.get("generic_name"))))
    return DrugLabel(
        origin=LABELS.origin(today, DAILYMED + set_id),
        set_id=set_id,
        products=unique(map(as_text, as_list(named.get("brand_name")))),
        generics=generics,
        others=_others(named, generics, drug),
        approved=_approved(named),
        effective=_date(as_text(result.get("effective_time"))),
        sections=tuple(_sections(result)),
    )


def _sections(result: Any_) -> Iterator[LabelSection]:
    """Every known section, whole: all texts of its list, in their order."""
    for key in LABEL_SECTIONS:
        text = "\n\n".join(t for t in map(as_text, as_list(result.get(key))) if t)
        if text:
            yield LabelSection(key=key, text=text)


def _date(text: str) -> str:
    whole = len(text) == 8 and text.isdecimal()
    return f"{text[:4]}-{text[4:6]}-{text[6:]}" if whole else ""


def read_events(content: bytes, drug: Drug, today: str) -> Found:
    """The counts of an answer."""
    counts, unread = [], 0
    for result in map(as_dict, list_in(content, "openFDA", "results")):
        event, reports = as_text(result.get("term")), as_number(result.get("count"))
        if event and reports is not None:
            counts.append(EventCount(origin=EVENTS.origin(today), event=event, reports=reports))
        else:
            unread += 1
    skipped = (f"{unread} counts could not be read",) if unread else ()
    return Found(DrugFacts(drug=drug.name, events=tuple(counts)), skipped)


class Labels(FactSource):
    """Asks openFDA for the labels of a drug's products, those of the drug alone first."""

    _read = staticmethod(read_labels)
    terms = LABELS
    _path = "drug/label.json"
    _beside: ClassVar = {"limit": _MOST_LABELS, "sort": "effective_time:desc"}
    _lacks_by_404 = True

    def _asked(self, drug: Drug) -> dict[str, str]:
        name = quoted(drug)
        return {"search": f"openfda.generic_name:{name} OR openfda.brand_name:{name}"}


class AdverseEvents(FactSource):
    """Asks openFDA how often events were reported with a drug, the commonest first."""

    _read = staticmethod(read_events)
    terms = EVENTS
    _path = "drug/event.json"
    _beside: ClassVar = {"limit": _MOST_EVENTS}
    _lacks_by_404 = True

    def _asked(self, drug: Drug) -> dict[str, str]:
        return {
            "search": f"patient.drug.medicinalproduct:{quoted(drug)}",
            "count": "patient.reaction.reactionmeddrapt.exact",
        }
