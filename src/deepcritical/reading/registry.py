"""Reads a registered trial exactly: its design, arms, posted results and harms, by code.

What the registry does not say is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import ValidationError

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import (
    Arm,
    ControlKind,
    DesignFeature,
    Intervention,
    Population,
    Reader,
    StudyReading,
)
from deepcritical.domain.text.spans import fold
from deepcritical.reading.building import canonical_drug, record_id
from deepcritical.reading.posted import posted_harms, posted_measures
from deepcritical.reading.sentences import text_hash
from deepcritical.tools.clinicaltrials.schema import ArmGroup, PostedGroup, Study
from deepcritical.vocabulary.drugs import find_drugs

_CONTROLS: dict[str, ControlKind] = {
    "PLACEBO_COMPARATOR": "placebo",
    "SHAM_COMPARATOR": "sham",
    "NO_INTERVENTION": "no_treatment",
}
_IDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class _Named(NamedTuple):
    """Arms by the titles that groups of the results have."""

    arms: tuple[Arm, ...]
    by_title: Mapping[str, str]


def read_registry(evidence: Evidence, read_at: datetime) -> StudyReading | None:
    """The reading of a registered trial; None for a record that is none, or has no entry."""
    entry = evidence.metadata.registry_entry
    if evidence.metadata.kind != "trial" or not entry:
        return None
    try:
        study = Study.model_validate_json(entry)
    except ValidationError:
        return None  # an entry that another version kept; the text is still read
    named = _arms(study)
    results = (
        *posted_measures(study, named.by_title, evidence),
        *posted_harms(study, named.by_title),
    )
    interventional = study.protocol_section.design_module.study_type != "OBSERVATIONAL"
    return StudyReading(
        record_id=record_id(evidence),
        text_sha256=text_hash(evidence),
        reader=Reader(kind="registry", name="ClinicalTrials.gov"),
        read_at=read_at,
        kinds=("trial",) if interventional else ("observational",),
        design=tuple(dict.fromkeys(_design(study))),
        registry_ids=(f"nct:{evidence.metadata.nct_id}",) if evidence.metadata.nct_id else (),
        population=_population(study, evidence),
        arms=named.arms,
        results=results,
        unread=() if results else ("results_not_given",),
    )


def _design(study: Study) -> Iterator[DesignFeature]:
    info = study.protocol_section.design_module.design_info
    allocation, model = info.allocation or "", info.intervention_model or ""
    masking = info.masking_info.masking or ""
    told: dict[str, DesignFeature] = {
        "RANDOMIZED": "randomised",
        "NON_RANDOMIZED": "non_randomised",
        "CROSSOVER": "crossover",
        "FACTORIAL": "factorial",
        "SINGLE_GROUP": "single_arm",
        "NONE": "open_label",
        "SINGLE": "single_blind",
        "DOUBLE": "double_blind",
        "TRIPLE": "double_blind",
        "QUADRUPLE": "double_blind",
    }
    for word in (allocation, model, masking):
        if word in told:
            yield told[word]
    arms = study.protocol_section.arms_interventions_module.arm_groups
    if any(_is_placebo(arm) for arm in arms):
        yield "placebo_controlled"
    measures = study.results_section.outcome_measures_module.outcome_measures
    if any(
        (a.non_inferiority_type or "").startswith("NON_INF") for m in measures for a in m.analyses
    ):
        yield "non_inferiority"


def _is_placebo(arm: ArmGroup) -> bool:
    return arm.type == "PLACEBO_COMPARATOR" or "placebo" in fold(arm.label)


def _population(study: Study, evidence: Evidence) -> Population:
    started = _started(study)
    meta = evidence.metadata
    return Population(
        conditions=meta.conditions,
        n_randomised=sum(started.values()) or meta.enrollment,
        n_planned=meta.planned_enrollment,
    )


def _started(study: Study) -> dict[str, int]:
    """People who started the first period, by the title of their group."""
    flow = study.results_section.participant_flow_module
    titles = {group.id: group.title for group in flow.groups}
    first = next(iter(flow.periods), None)
    begun = [m for m in first.milestones if m.type == "STARTED"] if first else []
    return {
        titles[a.group_id]: int(a.num_subjects)
        for milestone in begun[:1]
        for a in milestone.achievements
        if a.group_id in titles and a.num_subjects.isdecimal()
    }


def _arms(study: Study) -> _Named:
    """The groups of the results as arms; without results, the arms that were planned."""
    planned = study.protocol_section.arms_interventions_module.arm_groups
    flow = study.results_section.participant_flow_module.groups
    measured = study.results_section.outcome_measures_module.outcome_measures
    groups: dict[str, PostedGroup] = {}
    for group in (*flow, *(g for m in measured for g in m.groups)):
        groups.setdefault(fold(group.title), group)
    started = {fold(title): n for title, n in _started(study).items()}
    if not groups:
        groups = {fold(arm.label): PostedGroup(title=arm.label) for arm in planned if arm.label}
    arms, by_title = [], {}
    for number, (key, group) in enumerate(groups.items()):
        arm_id = _IDS[number] if number < len(_IDS) else f"Z{number}"
        arms.append(_arm(arm_id, group, planned, started.get(key)))
        by_title[key] = arm_id
    return _Named(tuple(arms), by_title)


def _arm(arm_id: str, group: PostedGroup, planned: Sequence[ArmGroup], n: int | None) -> Arm:
    meant = _planned(group, planned)
    given = [name.partition(": ")[2] or name for name in meant.intervention_names] if meant else []
    active = [name for name in given if not _is_inactive(name)]
    if meant is None:
        told = f"{group.title}. {group.description}"
        active = list(dict.fromkeys(mention.text for mention in find_drugs(told)))
        given = ["placebo"] if "placebo" in fold(group.title) else active
    control = _CONTROLS.get((meant.type or "") if meant else "")
    if control is None and not active and any(map(_is_inactive, given)):
        control = "placebo"
    return Arm(
        id=arm_id,
        label=group.title[:200],
        interventions=tuple(Intervention(name=n, drug=canonical_drug(n)) for n in active),
        control=None if active else control,
        n=n,
    )


def _is_inactive(name: str) -> bool:
    told = fold(name)
    return "placebo" in told or "sham" in told or told == "no intervention"


def _planned(group: PostedGroup, planned: Sequence[ArmGroup]) -> ArmGroup | None:
    """The planned arm with the group's title, or the only one of which it is a part."""
    title = fold(group.title)
    exact = [arm for arm in planned if fold(arm.label) == title]
    near = exact or [arm for arm in planned if arm.label and fold(arm.label) in title]
    return near[0] if len(near) == 1 else None
