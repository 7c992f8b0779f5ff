"""Properties of every report that the research path writes, whatever its store holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import Phase, given, settings

from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.writing.ledger.auditing import audit
from tests.property.stores import RECORDS, reported

WHOLE_RUNS = settings(
    deadline=None, max_examples=60, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
"""Without shrinking: each example is a whole run, and its records can be read as they are."""
_CITED = re.compile(r"(?<!\\)\[\d+\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\w\s]*[A-Z])")


@pytest.mark.slow
@WHOLE_RUNS
@given(RECORDS)
def test_no_numeral_stands_without_a_citation(records: list[Evidence]) -> None:
    report, _, _ = reported(records)
    for text in (report.executive_summary, report.conclusion):
        for sentence in _SENTENCE_END.split(text):
            bare = _CITED.sub("", sentence)
            assert not re.search(r"\d", bare) or _CITED.search(sentence), sentence


@pytest.mark.slow
@WHOLE_RUNS
@given(RECORDS)
def test_no_citation_stands_without_a_record(records: list[Evidence]) -> None:
    report, store, _ = reported(records)
    body = report.to_markdown().partition("\n## References")[0]
    cited = {int(number[1:-1]) for number in _CITED.findall(body)}
    assert cited <= set(range(1, len(report.references) + 1))
    for reference in report.references:
        record = store.evidence[reference.evidence_id]
        assert (reference.title, reference.text) == (record.citation.title, record.content)
    keys = {reference.evidence_id for reference in report.references}
    assert {claim.evidence_id for claim in report.claims} <= keys
    edges = [edge for tested in report.hypotheses_tested for edge in tested.edges]
    assert {key for edge in edges for key in edge.evidence_ids} <= keys
    verdicts = [report.verdict, *(c.verdict for c in report.drug_candidates)]
    assert {key for verdict in verdicts for key in verdict.deciding_ids} <= keys


@pytest.mark.slow
@WHOLE_RUNS
@given(RECORDS)
def test_no_retracted_record_is_support(records: list[Evidence]) -> None:
    report, store, scores = reported(records)
    gone = {key for key, record in store.evidence.items() if is_retracted(record)}
    assert not gone & {claim.evidence_id for claim in report.claims}
    edges = [edge for tested in report.hypotheses_tested for edge in tested.edges]
    assert not gone & {key for edge in edges for key in edge.evidence_ids}
    verdicts = [report.verdict, *(c.verdict for c in report.drug_candidates)]
    assert not gone & {key for verdict in verdicts for key in verdict.deciding_ids}
    rest, _, without = reported([r for key, r in store.evidence.items() if key not in gone])
    assert scores.mechanism_score == without.mechanism_score
    assert scores.clinical_score == without.clinical_score
    assert (report.verdict.label, report.verdict.certainty) == (
        rest.verdict.label,
        rest.verdict.certainty,
    )


@pytest.mark.slow
@WHOLE_RUNS
@given(RECORDS)
def test_every_sentence_of_the_rules_stands(records: list[Evidence]) -> None:
    report, _, _ = reported(records)
    ledger = audit(report)
    assert [entry.text for entry in ledger.entries if not entry.holds] == []
    assert report.support == ledger.support
