"""Tells a treatment from what stands in its place: what arms got, and what controls got."""

from __future__ import annotations

import re
from typing import Literal

from deepcritical.appraisal.pico.asked import canonical
from deepcritical.domain.appraisal.votes import CONTINUED, NOT_STATED
from deepcritical.domain.study.reading import Arm, ControlKind, Intervention, Result, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.classes import drug_class
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug

_CONTROLS: dict[ControlKind, str] = {
    "placebo": "placebo",
    "sham": "a sham treatment",
    "no_treatment": "no treatment",
    "usual_care": "usual care",
    "waiting_list": "a waiting list",
    "not_exposed": "no use",
}

NOTHING = bounded(
    r"^(?:the )?(?:matching |matched |oral |inert |identical |saline |active |double-dummy |"
    r"topical |intravenous |intranasal )*(?:placebos?|sham|"
    r"dummy|vehicle|no treatment|nothing|untreated|controls?|control group|observation|"
    r"watchful waiting|waiting list|wait-?list|"
    r"(?:best |local |current |usual |standard |routine |supportive |conventional |background |"
    r"optimi[sz]ed |optimal |medical )+(?:of )?(?:care|treatment|therapy|management|support|"
    r"supportive care|medical care)|"
    r"standards? of care|soc|best supportive care|supportive care|usual care|standard care)"
    r"(?: alone| only| tablets?| capsules?| group| arm| cream| gel| patch(?:es)?| injections?|"
    r" infusions?| spray| drops| solution)*$",
    re.IGNORECASE,
)
"""Words for what an arm gets that is no treatment of its own, or that all arms get."""
_INERT = bounded(
    r"\b(?:placebo|sham|dummy|vehicle|saline|water|lactose|sugar|starch|cellulose|glucose|dextrose)\b",
    re.IGNORECASE,
)
"""Words for what a placebo is made of."""


_OF_WORDS: tuple[tuple[ControlKind, re.Pattern[str]], ...] = (
    ("placebo", _INERT),
    ("no_treatment", bounded(r"no treatment|nothing|untreated|observation|waiting", re.IGNORECASE)),
    ("usual_care", bounded(r"\b(?:care|treatment|therapy|management|soc)\b", re.IGNORECASE)),
)
"""Kinds that words for a control mean, the surest first."""


def is_inert(name: str) -> bool:
    """Return whether a name is of what stands in the place of a treatment."""
    return bool(NOTHING.match(name) or _INERT.search(name))


def got_by(arm: Arm | None, other: Arm | None) -> frozenset[str]:
    """Return what an arm got; of a control arm, not what stands in the place of a treatment."""
    if arm is None:
        return frozenset()
    shared = {as_named(i) for i in other.interventions} if other else set()
    return frozenset(
        name
        for i in arm.interventions
        if not NOTHING.match(name := as_named(i))
        and not (arm.control and name not in shared and _stands_in(i))
    )


def as_named(given: Intervention) -> str:
    """The drug or class as the record names it, else as its reader knows it.

    A class may be narrower than as read, and a reader may have known another table of drugs.
    """
    known = drug_class(given.name) or lookup_drug(given.name).kind is not DrugKind.UNKNOWN
    return canonical(given.name if known else (given.drug or given.name).strip())


def _stands_in(given: Intervention) -> bool:
    """Return whether what a control arm got is no drug, or what placebos are made of."""
    unknown = not given.drug and lookup_drug(given.name).kind is DrugKind.UNKNOWN
    return unknown or _INERT.search(given.name) is not None


def control_of(
    reading: StudyReading, result: Result, side: Literal["a", "b"], *, stopped: bool
) -> str:
    """Return what those without the drug got, if nothing active, as words behind "compared with".

    `NOT_STATED` where nobody says. `side` is that of the drug, or of those who stopped it.
    """
    if result.contrast == "within":
        return "before treatment"
    if stopped:
        return CONTINUED
    drug, other = (result.a, result.b) if side == "a" else (result.b, result.a)
    arm, drug_arm = reading.arm(other), reading.arm(drug)
    if arm is None:
        return NOT_STATED
    if arm.control:
        return _CONTROLS[arm.control]
    names = [as_named(i) for i in arm.interventions] or [arm.label]
    if drug_arm and {as_named(i) for i in drug_arm.interventions}.intersection(names):
        return "the same treatment without it"
    kinds = (kind for kind, words in _OF_WORDS for name in names if words.search(name))
    kind = next(kinds, None) if all(map(is_inert, names)) else None
    return _CONTROLS[kind] if kind else NOT_STATED
