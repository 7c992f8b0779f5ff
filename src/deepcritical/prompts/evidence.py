"""Records, and studies as they were read, as a model is shown them: delimited, and what fits.

What a record says is data. Its delimiters cannot be forged by its text, and the rules that go with
every prompt say that nothing inside them is an instruction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.findings import Appraisal
from deepcritical.domain.evidence.grading import Grade, grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.study.reading import Arm, ArmFigure, Effect, Result, StudyReading
from deepcritical.domain.text.markdown import visible
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import addresses_a_model, shorten_at_sentence
from deepcritical.services.evidence_store import EvidenceStore

CHARS_PER_TOKEN = 3
"""Characters of a token, estimated low, so that a budget of tokens is kept."""

_FORGED = bounded(r"<(?=\s*/?\s*records?\b)", re.IGNORECASE)
_UNGRADED = 9
_LONGEST_FIELD = 500
"""Characters of a title or a field of a registry; more is no title, and would fill a prompt."""


class ShownRecords(NamedTuple):
    """Records as text, and which they are."""

    text: str
    ids: tuple[str, ...]
    left_out: int
    """Records that did not fit."""


def estimated_tokens(text: str) -> int:
    """Tokens of a text, estimated high."""
    return -(-len(text) // CHARS_PER_TOKEN)


def record_text(text: str) -> str:
    """Text of a record that cannot end or begin a record of its own."""
    return _FORGED.sub("(", visible(text))


def _field(text: str) -> str:
    return record_text(text[:_LONGEST_FIELD])


def registered(evidence: Evidence) -> str:
    """Return what a registry says of a trial, as a line; '' of a paper."""
    meta = evidence.metadata
    size = meta.enrollment if meta.enrollment is not None else meta.planned_enrollment
    said = (
        ("status", (meta.status or "").replace("_", " ").lower()),
        ("phase", meta.phase or ""),
        ("enrolment", str(size) if size is not None else ""),
        ("stopped because", meta.why_stopped or ""),
    )
    return "; ".join(f"{name}: {_field(value)}" for name, value in said if value)


def record_title(evidence: Evidence) -> str:
    """Title and date. Ids of an index are left out: a record is cited by its own id alone."""
    date = _field(evidence.citation.date)
    title = _field(" ".join(evidence.citation.title.split()))
    return f"{title} ({date})" if date else title


def _head(evidence: Evidence, graded: Grade) -> str:
    """Title and date, design and level, and what a registry says."""
    level = f"OCEBM level {graded.level}" if graded.level else "not graded"
    size = f"; {graded.participants:,} participants" if graded.participants else ""
    retracted = "; RETRACTED" if graded.retracted else ""
    lines = (
        record_title(evidence),
        f"design: {graded.design.value}; {level}{size}{retracted}",
        registered(evidence),
    )
    return "\n".join(line for line in lines if line)


def record_block(
    evidence_id: str, evidence: Evidence, graded: Grade | None = None, text: str | None = None
) -> str:
    """One record: id, title, date, design, level and the text that may be quoted.

    Args:
        evidence_id: Id in the run's store.
        evidence: The record.
        graded: Its grade, if it was graded already.
        text: Shown instead of the whole text.
    """
    body = evidence.content if text is None else text
    head = _head(evidence, graded or grade(evidence))
    return f'<record id="{evidence_id}">\n{head}\ntext: {record_text(body) or "none"}\n</record>'


def by_grade(store: EvidenceStore, drug: str) -> tuple[str, ...]:
    """Records that bear on the question, by level; findings against and for in turn.

    Those that find no effect or harm begin, so that what is cut off for lack of room is never all
    that speaks against the drug.
    """
    counted = {i: a for i, a in store.appraisals(drug).items() if a.reading.included}

    def order(evidence_id: str) -> tuple[int, str]:
        return counted[evidence_id].grade.level or _UNGRADED, evidence_id

    against = sorted((i for i, a in counted.items() if _is_against(a)), key=order)
    rest = sorted((i for i in counted if i not in against), key=order)
    turns = [i for pair in zip(against, rest, strict=False) for i in pair]
    return tuple(dict.fromkeys((*turns, *against, *rest)))


def _is_against(appraisal: Appraisal) -> bool:
    reading = appraisal.reading
    return bool(reading.refuting) or appraisal.grade.retracted


def shown_records(
    store: EvidenceStore, drug: str, ids: Iterable[str], limit_chars: int
) -> ShownRecords:
    """The records as text, in the given order, within a number of characters.

    Records that speak against the drug come first in place, with their findings alone when their
    whole text does not fit; others follow in full, or with what was located in them, while there is
    room.
    """
    appraisals = store.appraisals(drug)
    wanted = [i for i in dict.fromkeys(ids) if i in store.evidence]
    blocks: dict[str, str] = {}
    used = 0
    for evidence_id in wanted:
        appraisal = appraisals.get(evidence_id)
        brief = _brief(store.evidence[evidence_id], evidence_id, appraisal)
        if appraisal and _is_against(appraisal) and used + len(brief) + 1 <= limit_chars:
            blocks[evidence_id] = brief
            used += len(brief) + 1
    for evidence_id in wanted:
        evidence, appraisal = store.evidence[evidence_id], appraisals.get(evidence_id)
        had = blocks.get(evidence_id, "")
        full = record_block(evidence_id, evidence, appraisal.grade if appraisal else None)
        for block in (full, _brief(evidence, evidence_id, appraisal)):
            more = len(block) + 1 - (len(had) + 1 if had else 0)
            if used + more <= limit_chars:
                blocks[evidence_id] = block
                used += more
                break
    shown = tuple(i for i in wanted if i in blocks)
    return ShownRecords("\n".join(blocks[i] for i in shown), shown, len(wanted) - len(shown))


def _brief(evidence: Evidence, evidence_id: str, appraisal: Appraisal | None) -> str:
    """A record with nothing but the sentences located in it, those against the drug first."""
    if appraisal is None:
        return record_block(evidence_id, evidence, text="not shown")
    reading = appraisal.reading
    told = dict.fromkeys(f.quote for f in (*reading.refuting, *reading.supporting)[:4])
    return record_block(evidence_id, evidence, appraisal.grade, text=" ".join(told))


def batches(
    records: Mapping[str, Evidence],
    n_records: int,
    limit_chars: int,
    text_of: Callable[[Evidence], str] = lambda record: record.content,
) -> tuple[ShownRecords, ...]:
    """All records with their texts, in batches of so many and so long at most.

    A text that is longer than a batch is cut at a sentence.
    """
    made: list[list[tuple[str, str]]] = []
    for evidence_id, evidence in records.items():
        block = _fitted(evidence_id, evidence, text_of(evidence), limit_chars)
        size = sum(len(text) + 1 for _, text in made[-1]) if made else limit_chars
        if not made or len(made[-1]) >= n_records or size + len(block) > limit_chars:
            made.append([])
        made[-1].append((evidence_id, block))
    return tuple(
        ShownRecords("\n".join(text for _, text in batch), tuple(i for i, _ in batch), 0)
        for batch in made
    )


def _fitted(evidence_id: str, evidence: Evidence, text: str, limit_chars: int) -> str:
    whole = record_block(evidence_id, evidence, text=text)
    if len(whole) <= limit_chars:
        return whole
    room = max(0, limit_chars - (len(whole) - len(text)))
    cut = shorten_at_sentence(text, room)[:room]
    return record_block(evidence_id, evidence, text=cut)


_FORGED_TAG = bounded(
    r"<(?=\s{0,20}/?\s{0,20}(?:quote|sentence|finding|record|study)s?\b)", re.IGNORECASE
)


def study_line(finding: Finding) -> str:
    """Return what is known of the study of a finding: its name, its design, who was studied."""
    told = (finding.study, finding.design, finding.population)
    return told_text("; ".join(part for part in told if part))


def told_text(text: str) -> str:
    """Return text that cannot end or begin a record, a quote or a sentence of its own."""
    return _FORGED_TAG.sub("(", record_text(text))


_LONGEST = 300
_LEFT_OUT = "(left out)"
_BETTER = {"no_difference": "no difference shown", "unclear": "better: not told"}


def shown_studies(
    ids: Sequence[str],
    records: Mapping[str, Evidence],
    readings: Mapping[str, StudyReading],
    limit_chars: int,
    wanted: Mapping[str, Collection[int]],
) -> ShownRecords:
    """The studies as text, in the given order, within a number of characters.

    Args:
        ids: Records that may be shown.
        records: All records.
        readings: What they say of their studies.
        limit_chars: Characters of all.
        wanted: Places of the results to show, from 0. Of studies with results that are not wanted,
            and no other, nothing is shown.
    """
    of_use = [key for key in ids if wanted.get(key) or not readings[key].results]
    blocks: dict[str, str] = {}
    used = 0
    for key in of_use:
        block = study_block(key, records[key], readings[key], wanted.get(key, ()))
        if used + len(block) + 1 <= limit_chars:
            blocks[key] = block
            used += len(block) + 1
    return ShownRecords("\n".join(blocks.values()), tuple(blocks), len(of_use) - len(blocks))


def study_block(key: str, record: Evidence, study: StudyReading, wanted: Collection[int]) -> str:
    """One study: who was studied, what the arms got, and the wanted results by number, from 1."""
    graded = grade(record)
    people = study.population
    said = people.description or ", ".join(people.conditions) or "not told"
    number = people.n_randomised or people.n_analysed
    read_as = ", ".join((*study.kinds, *study.design)).replace("_", " ")
    shown = {i + 1: study.results[i] for i in wanted}
    pairs = Counter((result.a, result.b) for result in shown.values())
    usual = pairs.most_common(1)[0][0] if pairs else None
    lines = [
        record_title(record),
        f"read as: {read_as or graded.design.value}{'; RETRACTED' if graded.retracted else ''}",
        registered(record),
        f"people: {_cut(said)}{f'; n = {number:,}' if number else ''}",
        *(_arm(arm) for arm in study.arms if any(arm.id in pair for pair in pairs)),
        f"results, {_arms(*usual)} unless told:" if usual else "",
        *(f"{number}. {_result(result, usual)}" for number, result in shown.items()),
    ]
    if study.unread:
        lines.append(f"not read: {', '.join(study.unread)}")
    body = record_text("\n".join(line for line in lines if line))
    return f'<record id="{key}">\n{body}\n</record>'


def _arm(arm: Arm) -> str:
    got = arm.label or ", ".join(i.name for i in arm.interventions)
    told = (_cut(got), arm.control and f"[{arm.control}]", arm.n and f"n = {arm.n}")
    return f"arm {arm.id}: {' '.join(part for part in told if part)}"


def _arms(a: str | None, b: str | None) -> str:
    return f"a = {a or '-'}, b = {b or '-'}"


def _result(result: Result, usual: tuple[str | None, str | None] | None) -> str:
    condition = result.condition or ""
    about = (
        result.level.replace("unstated", ""),
        result.kind.replace("clinical", ""),
        result.contrast.replace("between", ""),
        result.timepoint,
        result.people and f"in {result.people}",
        condition if condition.casefold() not in result.outcome.casefold() else "",
        result.non_inferiority and f"non-inferiority {result.non_inferiority}".replace("_", " "),
    )
    pair = (result.a, result.b)
    better = {"a": result.a or "after", "b": result.b or "before"}
    found = (
        "" if pair == usual else _arms(*pair),
        _BETTER.get(result.better) or f"better: {better[result.better]}",
        _effect(result.effect),
        " ".join(", ".join(_figure(figure, result.unit) for figure in result.figures).split()),
    )
    told = "; ".join(part for part in about if part)
    return (
        f"{_cut(result.outcome)}{f' ({told})' if told else ''}: "
        f"{'; '.join(part for part in found if part)}"
    )


def _effect(effect: Effect | None) -> str:
    if effect is None:
        return ""
    value = f"{effect.measure or ''} {effect.value:g}" if effect.value is not None else ""
    limits = None if None in (effect.ci_low, effect.ci_high) else (effect.ci_low, effect.ci_high)
    interval = f"({limits[0]:g} to {limits[1]:g})" if limits else ""
    p = f"p {effect.p_operator} {effect.p:g}" if effect.p is not None else ""
    if effect.p_operator == "ns":
        p = "not significant"
    return " ".join(part.strip() for part in (value, interval, p) if part)


def _figure(figure: ArmFigure, unit: str) -> str:
    """Return the figure of one arm: people, of how many, or else a value in its unit."""
    if figure.events is not None:
        return f"{figure.arm}: {figure.events}{f' of {figure.n}' if figure.n else ''}"
    return f"{figure.arm}: {figure.value:g} {unit}" if figure.value is not None else ""


def _cut(text: str) -> str:
    """Words of a reading, which are a record's; of those that give orders to a machine none."""
    said = " ".join(text.split())
    return _LEFT_OUT if addresses_a_model(said) else said[:_LONGEST]
