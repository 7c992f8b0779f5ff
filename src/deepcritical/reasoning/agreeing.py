"""Whether all that a report says of its verdict is one and the same.

A verdict stands in many places: label, rule, certainty and confidence, the first candidate, the
summary and the conclusion. What is changed in one of them shows against the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepcritical.appraisal.verdict import RULES
from deepcritical.domain.patterns import bounded
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.verdict import FORMER_RULES, Certainty, VerdictLabel
from deepcritical.reasoning.ratings import Rating

__all__ = ["disagreements"]

_CITED = r"(?P<cited>(?:\[\d+\])*)"
_LABELS = "|".join(label.value for label in VerdictLabel)
_CERTAINTIES = "|".join(sorted(Certainty, key=len, reverse=True))
_SUMMARY = bounded(
    rf"\*\*(?P<label>{_LABELS})\*\*, (?P<certainty>{_CERTAINTIES}) certainty: [^\[\]]*{_CITED}"
)
_CERTAINTY = bounded(rf"Certainty is (?P<certainty>{_CERTAINTIES})\b[^\[\]]*{_CITED}")
_COUNTS = bounded(r"Clinical studies of the condition with a direction: (\d+) \((?P<by>.*?)\)\.")
_COUNT = bounded(r"(?P<n>\d+) [a-z ]+ (?P<cited>(?:\[\d+\])+)")


def _form(label: VerdictLabel) -> re.Pattern[str]:
    """The sentence in which a conclusion tells a label."""
    told = re.escape(Rating[label.name].value)
    told = told.replace(r"\{cited\}", _CITED)
    return bounded(re.sub(r"\\\{\w+\\\}", lambda _: r"[^\n]{1,200}?", told))


_CONCLUSIONS = {label: _form(label) for label in VerdictLabel}


def disagreements(report: ResearchReport) -> Iterator[tuple[str, str]]:
    """What disagrees with the report's verdict: where it stands, and why."""
    yield from _fields(report)
    if report.brief is not None:  # its sentences are compared with the verdict as objects
        return
    for match in _SUMMARY.finditer(report.executive_summary):
        yield from _words(report, match, VerdictLabel(match["label"]))
    for label, form in _CONCLUSIONS.items():
        for match in form.finditer(report.conclusion):
            yield from _words(report, match, label)
    for match in _CERTAINTY.finditer(report.conclusion):
        yield from _words(report, match, report.verdict.label)
    yield from _counts(report.executive_summary)


def _fields(report: ResearchReport) -> Iterator[tuple[str, str]]:
    verdict = report.verdict
    told = f"Verdict: {verdict.label.value}, certainty {verdict.certainty.value}"
    gives = (FORMER_RULES | RULES).get(verdict.rule, verdict.label)
    if gives is not verdict.label:
        yield told, f"its rule gives {gives.value}"
    if report.confidence_score != verdict.confidence:
        yield told, f"the confidence is {report.confidence_score}, not {verdict.confidence}"
    first = report.drug_candidates[0].verdict if report.drug_candidates else verdict
    if first != verdict:
        yield told, "the verdict on the first candidate is another one"


def _words(
    report: ResearchReport, match: re.Match[str], label: VerdictLabel
) -> Iterator[tuple[str, str]]:
    verdict, text = report.verdict, match.group()
    if label is not verdict.label:
        yield text, f"the verdict is {verdict.label.value}"
    if match.groupdict().get("certainty", verdict.certainty.value) != verdict.certainty.value:
        yield text, f"the certainty is {verdict.certainty.value}"
    numbers = {r.evidence_id: n for n, r in enumerate(report.references, 1)}
    decided = {numbers[i] for i in verdict.deciding_ids if i in numbers}
    if _numbers(match.groupdict().get("cited") or "") != decided:
        yield text, f"the verdict was decided by {sorted(decided)}"


def _counts(summary: str) -> Iterator[tuple[str, str]]:
    """Counts that do not add up, or of more studies than records are cited for."""
    for match in _COUNTS.finditer(summary):
        by = [(int(one["n"]), _numbers(one["cited"])) for one in _COUNT.finditer(match["by"])]
        if int(match[1]) != sum(n for n, _ in by) or any(n > len(cited) for n, cited in by):
            yield match.group(), "the counts do not add up"


def _numbers(markers: str) -> set[int]:
    return {int(number) for number in re.findall(r"\d+", markers)}
