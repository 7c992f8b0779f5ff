"""Reads the full text of the studies that weigh most and whose result no abstract gave."""

from __future__ import annotations

from collections.abc import Iterator

from deepcritical.domain.appraisal import Appraisal
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.study import StudyReading
from deepcritical.research.session import ResearchSession

_SHARE = 0.25
"""Share of the time left for research that fetching may take."""
_LONGEST_S = 30.0
_SHORTEST_S = 2.0
"""With less time nothing is fetched."""
_UNGRADED = 9


async def take_full_texts(session: ResearchSession) -> bool:
    """Fetch the full texts of studies that decide; whether any record has more to read now.

    In one wave, at most as many in a run as its limits allow. What was fetched, and for how many
    studies no text was open, becomes a notice.
    """
    fetch = session.searched.full_texts
    within_s = min(_LONGEST_S, _SHARE * session.research_s)
    left = session.limits.full_texts - len(session.full_texts_asked)
    if fetch is None or left < 1 or within_s < _SHORTEST_S:
        return False
    wanted = [key for key in _by_weight(session) if key not in session.full_texts_asked]
    open_ = [key for key in wanted if _may_be_open(session.store.evidence[key])][:left]
    session.full_texts_closed.update(
        key for key in wanted if not _may_be_open(session.store.evidence[key])
    )
    answers = await fetch([session.store.evidence[key] for key in open_], within_s) if open_ else ()
    session.full_texts_asked.update(open_)
    found = [answer.evidence for answer in answers if answer.evidence]
    session.store.add(found)
    session.full_texts_closed.update(
        key for key, answer in zip(open_, answers, strict=True) if answer.evidence is None
    )
    if open_:
        await session.notify(_told(len(found), len(session.full_texts_closed)))
    return bool(found)


def _told(read: int, closed: int) -> str:
    studies = "study" if read == 1 else "studies"
    told = f"The full text of {read} {studies} was read, because the abstract gave no result"
    return f"{told}; of {closed} it is not open or could not be read." if closed else f"{told}."


def _may_be_open(record: Evidence) -> bool:
    """Whether it has a PMCID, and its index does not say that it is closed."""
    return (
        bool(record.metadata.pmcid) and getattr(record.metadata, "open_access", None) is not False
    )


def _by_weight(session: ResearchSession) -> list[str]:
    """Included records whose result is unread: strongest design first, then the larger ones."""
    ranks: dict[str, tuple[int, int, int]] = {}
    for position, (key, appraisal) in enumerate(_unread(session)):
        grade = appraisal.grade
        people = grade.participants or 0
        ranks.setdefault(key, (grade.level or _UNGRADED, -people, position))
    return sorted(ranks, key=ranks.__getitem__)


def _unread(session: ResearchSession) -> Iterator[tuple[str, Appraisal]]:
    for drug in session.store.drugs:
        for key, appraisal in session.store.appraisals(drug).items():
            record = session.store.evidence[key]
            study = session.store.readings.get(key)
            is_new = record.metadata.full_text_from is None and record.metadata.kind != "trial"
            if is_new and appraisal.counts and _lacks_result(appraisal, study):
                yield key, appraisal


def _lacks_result(appraisal: Appraisal, study: StudyReading | None) -> bool:
    """Whether a study bears on the question and its primary result is not in what was read."""
    if study is None or appraisal.reading.unread:
        return True
    if set(study.kinds) & {"protocol", "narrative_review", "guideline", "animal", "in_vitro"}:
        return False
    if not appraisal.reading.votes:
        return bool(study.unread) or not study.results
    primary = any(result.level == "primary" for result in study.results)
    return "results_not_given" in study.unread and not primary
