"""Reads records from an answer of ClinicalTrials.gov (API v2): a page, or one study.

One bad study never costs the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.kinds import classify_stop
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.study.identity import record_url
from deepcritical.domain.text.spans import capitalised, shorten_at_sentence
from deepcritical.tools.base import Page
from deepcritical.tools.clinicaltrials.schema import Analysis, Measure, Measurement, Protocol, Study
from deepcritical.tools.json_values import as_dict, decoded, unique

MAX_DESCRIPTION_CHARS = 20_000
_MOST_OUTCOMES = 20
_STOPPED = frozenset({"TERMINATED", "WITHDRAWN", "SUSPENDED"})
_NCT = re.compile(r"NCT\d{8}")
_LAST_STOP = re.compile(r"(?<!\.)\.$")
"""Else the sentence would end before what is put behind it; three of them stay."""
_POOLED = re.compile(r"review|meta-?analy|pooled|overview|guideline", re.IGNORECASE)


def parse(payload: bytes) -> Page:
    """The records of a page of /studies, or of the document of /studies/{nct}.

    Raises SearchError for JSON that holds no studies, such as an error message.
    """
    document = studies_in(payload)
    studies = [document] if "protocolSection" in document else document["studies"]
    records, skipped = [], []
    for number, item in enumerate(studies, 1):
        try:
            records.append(_read(item))
        except (ValueError, RecursionError) as error:
            skipped.append(f"{_named(item) or f'study {number} of a page'}: {_reason(error)}")
    total, token = document.get("totalCount"), document.get("nextPageToken")
    return Page(
        tuple(records),
        tuple(skipped),
        total if isinstance(total, int) and total >= 0 else None,
        token if isinstance(token, str) else "",
    )


def studies_in(payload: bytes) -> dict[str, Any]:
    """The answer, if it is one; raises as `parse` does."""
    document = decoded(payload, "ClinicalTrials.gov")
    if isinstance(document, dict) and (
        "protocolSection" in document or isinstance(document.get("studies"), list)
    ):
        return document
    raise SearchError(f"ClinicalTrials.gov sent no studies{_told(document)}.", "Try again later.")


def _told(document: Any) -> str:
    """Return the text of an error message, shortened."""
    known = as_dict(document)
    said = known.get("message") or known.get("error")
    return f" but the message: {' '.join(said.split())[:200]}" if isinstance(said, str) else ""


def _read(item: Any) -> Evidence:
    """One study, with a note on what could not be read of it."""
    unread: list[str] = []
    record = _evidence(Study.model_validate(item, context=unread))
    if not unread:
        return record
    note = f"Not readable in the answer of the registry: {', '.join(unique(unread))}."
    metadata = record.metadata.model_copy(update={"note": note})
    return record.model_copy(update={"metadata": metadata})


def _named(item: Any) -> str:
    """The NCT id of a study that cannot be read, if that much can."""
    for key in ("protocolSection", "identificationModule", "nctId"):
        item = as_dict(item).get(key)
    found = _NCT.match(item) if isinstance(item, str) else None
    return found.group() if found else ""


def _reason(error: ValueError | RecursionError) -> str:
    if not isinstance(error, ValidationError):
        return "nested too deeply" if isinstance(error, RecursionError) else str(error)
    where, why, _ = first_invalid(error)
    return f"{where or 'record'}: {why}"


def _evidence(study: Study) -> Evidence:
    posted = posted_results(study.results_section.outcome_measures_module.outcome_measures)
    content = "\n\n".join(_paragraphs(study.protocol_section, posted))
    meta = _metadata(study, posted, content)
    identified = study.protocol_section.identification_module
    title = identified.brief_title or identified.official_title
    if not title:
        raise ValueError("it has no title")
    citation = Citation(
        source="clinicaltrials",
        title=title,
        url=record_url(meta),
        date=study.protocol_section.status_module.start_date_struct.date or "",
    )
    return Evidence(content=content, citation=citation, metadata=meta)


def _metadata(study: Study, posted: tuple[str, ...], content: str) -> EvidenceMetadata:
    protocol = study.protocol_section
    status, design = protocol.status_module, protocol.design_module
    given = [i for i in protocol.arms_interventions_module.interventions if i.name]
    size = design.enrollment_info
    # Without a type it is a plan, so that nobody is counted who may never have come, but for a
    # completed trial: that must state who did.
    actual = size.type == "ACTUAL" or (not size.type and status.overall_status == "COMPLETED")
    derived = study.derived_section
    browsed = (*derived.condition_browse_module.meshes, *derived.intervention_browse_module.meshes)
    return EvidenceMetadata(
        kind="trial",
        nct_id=protocol.identification_module.nct_id,
        linked_ids=_linked(protocol),
        conditions=unique(protocol.conditions_module.conditions),
        interventions=unique([i.name for i in given]),
        status=status.overall_status,
        phase="/".join(unique(design.phases)) or None,  # NA for a device or a behaviour
        enrollment=size.count if actual else None,
        planned_enrollment=None if actual else size.count,
        why_stopped=status.why_stopped or None,
        stop_class=_stop_class(protocol),
        completion_date=status.completion_date_struct.date,
        has_results=True if posted else study.has_results,
        mesh_terms=unique([mesh.term for mesh in browsed]),
        primary_outcomes=tuple(_outcomes(protocol)),
        posted_results=posted,
        registry_entry=registry_entry(study),
        text_kind="registry" if content else "none",
        **_further(protocol),
    )


def _further(protocol: Protocol) -> dict[str, Any]:
    """Registry fields beside those that every source has; what is absent is left out."""
    identified, status = protocol.identification_module, protocol.status_module
    design, arms = protocol.design_module, protocol.arms_interventions_module
    fields: dict[str, Any] = {
        "official_title": identified.official_title,
        "secondary_ids": list(unique([i.id for i in identified.secondary_id_infos])),
        "sponsor": protocol.sponsor_collaborators_module.lead_sponsor.name,
        "study_type": design.study_type,
        "allocation": design.design_info.allocation,
        "start_date": status.start_date_struct.date,
        "primary_completion_date": status.primary_completion_date_struct.date,
        "arms": [arm.label for arm in arms.arm_groups if arm.label],
        "intervention_types": [i.type or "other" for i in arms.interventions if i.name],
        "other_names": list(unique([n for i in arms.interventions for n in i.other_names])),
    }
    return {name: value for name, value in fields.items() if value}


def _stop_class(protocol: Protocol) -> Any:
    status = protocol.status_module
    stopped = status.overall_status in _STOPPED and status.why_stopped
    return classify_stop(status.why_stopped or "") if stopped else None


def _linked(protocol: Protocol) -> tuple[str, ...]:
    """Papers that report the trial.

    BACKGROUND papers were there before it. DERIVED ones are all that name its id, so also reviews,
    which would make one study out of all the trials that they name.
    """
    return unique(
        [
            f"pmid:{r.pmid.strip()}"
            for r in protocol.references_module.references
            if (r.type == "RESULT" or (r.type == "DERIVED" and not _POOLED.search(r.citation)))
            and r.pmid
            and r.pmid.strip().isdecimal()
        ]
    )


def _outcomes(protocol: Protocol) -> Iterator[str]:
    for outcome in protocol.outcomes_module.primary_outcomes:
        if outcome.measure:
            frame = f" [{outcome.time_frame}]" if outcome.time_frame else ""
            yield f"{_LAST_STOP.sub('', outcome.measure)}{frame}"


def _paragraphs(protocol: Protocol, posted: tuple[str, ...]) -> Iterator[str]:
    """The text of the record.

    What a registry says of a trial is its plan, and a measure called "improved pain" does not say
    that pain improved. So every part but the reason for stopping stands under a label that readers
    of abstracts know as one without findings.
    """
    described = protocol.description_module
    text = "\n\n".join(unique((described.brief_summary, described.detailed_description)))
    if text:
        yield f"Purpose: {shorten_at_sentence(text, MAX_DESCRIPTION_CHARS)}"
    if design := _design(protocol):
        yield f"Design: {design}."
    if given := _given(protocol):
        yield f"Interventions: {given}."
    outcomes = [f"Primary outcome: {outcome}." for outcome in _outcomes(protocol)]
    if outcomes or posted:
        results = (f"Posted result: {line}." for line in posted)
        yield "Main outcome measures: " + "\n\n".join((*outcomes[:_MOST_OUTCOMES], *results))
    if why := protocol.status_module.why_stopped:
        yield f"Why stopped: {why}"


def _design(protocol: Protocol) -> str:
    design = protocol.design_module
    info = design.design_info
    model = info.intervention_model and f"{info.intervention_model.replace('_', ' ')} assignment"
    allocation = (info.allocation or "").replace("_", "-")
    masking, purpose = info.masking_info.masking, info.primary_purpose
    parts = (
        design.study_type,
        "" if allocation == "NA" else allocation,
        model,
        masking and f"masking: {masking}",
        purpose and f"primary purpose: {purpose.replace('_', ' ')}",
    )
    return capitalised(", ".join(part.lower() for part in parts if part))


def _given(protocol: Protocol) -> str:
    """Interventions with their types and other names, then the arms."""
    module = protocol.arms_interventions_module
    named = (
        (f"{i.type.replace('_', ' ').capitalize()}: " if i.type else "")
        + i.name
        + (f" (also {', '.join(i.other_names)})" if any(i.other_names) else "")
        for i in module.interventions
        if i.name
    )
    arms = [
        arm.label + (f" ({arm.type.replace('_', ' ').lower()})" if arm.type else "")
        for arm in module.arm_groups
        if arm.label
    ]
    return "; ".join((*named, *([f"arms: {', '.join(arms)}"] if arms else [])))


_MOST_MEASURES = 20
_MOST_ENTRY_MEASURES = 60
_MOST_VALUES = 24
_MOST_ANALYSES = 8
"""Some measures are tables of hundreds of values; what is left out is said."""
_SHORT = {
    "standard deviation": "SD",
    "standard error": "SE",
    "standard error of the mean": "SE",
    "full range": "range",
    "inter-quartile range": "IQR",
}


def posted_results(measures: Sequence[Measure]) -> tuple[str, ...]:
    """One line for each primary measure that has a value, in the registry's own terms."""
    primary = [measure for measure in measures if measure.type == "PRIMARY" and measure.title]
    return tuple(line for line in map(_line, primary[:_MOST_MEASURES]) if line)


def registry_entry(study: Study) -> str | None:
    """Return the fields of a trial that code reads, under the registry's own names, as JSON.

    Design, arms, flow, outcome measures and harms; None for an entry without arms and results.
    """
    protocol, results = study.protocol_section, study.results_section
    arms, measures = protocol.arms_interventions_module, results.outcome_measures_module
    if not (arms.arm_groups or measures.outcome_measures):
        return None
    kept = measures.model_copy(
        update={"outcome_measures": measures.outcome_measures[:_MOST_ENTRY_MEASURES]}
    )
    entry = {
        "protocolSection": {
            name: getattr(protocol, name)
            for name in ("identification_module", "design_module", "arms_interventions_module")
        },
        "resultsSection": results.model_copy(update={"outcome_measures_module": kept}),
    }
    return json.dumps(_dumped(entry), ensure_ascii=False, separators=(",", ":"))


def _dumped(part: Any) -> Any:
    if isinstance(part, dict):
        return {to_camel(name): _dumped(value) for name, value in part.items()}
    return part.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _line(measure: Measure) -> str:
    names = {group.id: group.title or group.id for group in measure.groups}
    values, analyses = (
        list(_values(measure, names)),
        [told for told in (_analysis(a, names) for a in measure.analyses) if told],
    )
    if not (values or analyses):
        return ""
    kind = (measure.param_type or "").replace("_", " ").lower()
    about = ", ".join(part for part in (measure.time_frame, kind, measure.unit_of_measure) if part)
    told = (*_cut(values, _MOST_VALUES, "values"), *_cut(analyses, _MOST_ANALYSES, "comparisons"))
    # The one colon stands behind a bracket: "Participants:" would be read as a section label.
    return f"{measure.title.rstrip('.')} ({about or 'as posted'}): {'; '.join(told)}"


def _cut(told: list[str], most: int, what: str) -> list[str]:
    more = len(told) - most
    return [*told[:most], f"and {more} more {what} in the registry"] if more > 0 else told


def _values(measure: Measure, names: Mapping[str, str]) -> Iterator[str]:
    sizes = {
        count.group_id: count.value
        for denom in measure.denoms[:1]
        if denom.units == "Participants"
        for count in denom.counts
    }
    for row in measure.classes:
        for category in row.categories:
            heading = " - ".join(part for part in (row.title, category.title) if part)
            for number in category.measurements:
                if number.value:
                    size = sizes.get(number.group_id)
                    about = ", ".join(filter(None, (f"n = {size}" if size else "", heading)))
                    group = names.get(number.group_id, number.group_id)
                    yield f"{group}{f' ({about})' if about else ''} {_value(number, measure)}"


def _value(number: Measurement, measure: Measure) -> str:
    kind = measure.dispersion_type or ""
    kind = _SHORT.get(kind.lower(), kind)
    kind = kind.replace("Confidence Interval", "CI")
    if number.lower_limit or number.upper_limit:
        return f"{number.value} ({kind} {_range(number.lower_limit, number.upper_limit)})"
    return f"{number.value} ({kind} {number.spread})" if number.spread else number.value


def _range(low: str | None, high: str | None) -> str:
    return f"{low or 'not given'} to {high or 'not given'}"


def _analysis(analysis: Analysis, names: Mapping[str, str]) -> str:
    """``Examplol vs Placebo, mean difference 0.3 (95% CI 0.1 to 0.5), p = 0.01 (ANCOVA)``."""
    told = ", ".join(part for part in (_estimate(analysis), _p_value(analysis)) if part)
    if not told:
        return ""
    groups = " vs ".join(names.get(group, group) for group in analysis.group_ids)
    tested = (analysis.non_inferiority_type or "").startswith(("NON_INFERIORITY", "EQUIVALENCE"))
    margin = ", tested for non-inferiority or equivalence" if tested else ""
    return f"{groups or 'comparison'}, {told}{margin}"


def _estimate(analysis: Analysis) -> str:
    if not analysis.param_value:
        return ""
    interval = ""
    if analysis.ci_lower_limit or analysis.ci_upper_limit:
        level = f"{analysis.ci_pct_value}% " if analysis.ci_pct_value else ""
        sided = "one-sided " if analysis.ci_num_sides == "ONE_SIDED" else ""
        limits = _range(analysis.ci_lower_limit, analysis.ci_upper_limit)
        interval = f" ({sided}{level}CI {limits})"
    return f"{analysis.param_type or 'estimate'} {analysis.param_value}{interval}"


def _p_value(analysis: Analysis) -> str:
    if not analysis.p_value:
        return ""
    value = analysis.p_value.lstrip("pP ")
    sign = "" if value[:1] in "<>=≤≥" else "= "
    method = f" ({analysis.statistical_method})" if analysis.statistical_method else ""
    return f"p {sign}{value}{method}"
