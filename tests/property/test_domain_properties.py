from __future__ import annotations

import re
import string
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.findings import Direction, StudyFinding, study_findings
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.citation_validator import validate_references
from deepcritical.domain.report.claims import claim_holds, located
from deepcritical.domain.report.parts import Claim, Reference
from deepcritical.domain.study.identity import canonical_ids, merge_evidence, study_groups
from deepcritical.domain.text.markdown import escape_markdown, one_line
from deepcritical.domain.text.spans import fold, locate_quote, sentences, shorten_at_sentence
from deepcritical.reasoning.judging import clinical_score
from tests.unit.domain.records import appraisal, fact, paper, reference, report, study

WORDS = st.sampled_from(
    "pain fell rose Examplol (p = 0.02) 12.5% vs. e.g. et al. T. Tester’s 12–week mTOR [3] . ? ! "
    "\n \n\n Results: METHODS: results Conclusion “so” β-examplol no. i.v.".split(" ")
)
PROSE = st.one_of(st.lists(WORDS, max_size=25).map(" ".join), st.text(max_size=120))


@given(PROSE)
def test_sentences_slice_back_to_the_text_in_order(text: str) -> None:
    spans = sentences(text)
    assert all(text[s.start : s.end] == s.text == s.text.strip() != "" for s in spans)
    assert all(left.end <= right.start for left, right in pairwise(spans))


@given(PROSE)
def test_every_word_of_a_text_without_labels_is_in_a_sentence(text: str) -> None:
    assume(":" not in text)
    spans = sentences(text)
    assume(not any(span.label for span in spans))
    assert "".join("".join(s.text for s in spans).split()) == "".join(text.split())


@given(PROSE, st.integers(0, 150))
def test_a_shortened_text_is_a_beginning_that_ends_with_a_sentence(text: str, limit: int) -> None:
    short = shorten_at_sentence(text, limit)
    assert text.startswith(short)
    ends = {span.end for span in sentences(text)}
    left = len(re.sub(r"\s*(?:\[\d[\d\s,;–-]*\])+[.!?]?$", "", short))
    assert short == text or not short or {len(short), left} & ends


@given(PROSE, st.integers(0, 150))
def test_shortening_is_done_once(text: str, limit: int) -> None:
    short = shorten_at_sentence(text, limit)
    assert shorten_at_sentence(short, limit) == short


@given(st.data(), PROSE)
def test_every_slice_of_a_text_is_located_in_it(data: st.DataObject, text: str) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    place = locate_quote(quote, text)
    assert (place is None) == (not quote.strip())
    assert place is None or text[slice(*place)] == quote.strip()


@given(st.lists(WORDS, min_size=1).map(" ".join))
def test_a_quote_in_other_dress_is_located(text: str) -> None:
    assume(text.strip())
    dressed = text.upper().replace("’", "'").replace("–", "-").replace(" ", "\u00a0\n")
    place = locate_quote(dressed, text)
    assert place is not None
    assert fold(text[slice(*place)]) == fold(text)


@given(PROSE)
def test_folding_is_done_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


IDS = st.fixed_dictionaries(
    {},
    optional={
        "pmid": st.sampled_from(["1", "2"]),
        "pmcid": st.sampled_from(["PMC1", "PMC2"]),
        "doi": st.sampled_from(["10.1234/a", "10.1234/b"]),
        "nct_id": st.sampled_from(["NCT11111111", "NCT22222222"]),
        "linked_ids": st.sampled_from([("pmid:1",), ("nct:NCT22222222",)]),
    },
)
URLS = st.sampled_from(["", "https://example.org/a", "https://pubmed.ncbi.nlm.nih.gov/3/"])
TITLES = st.sampled_from(["Examplol", "Testitis", "A review of testitis"])
CONTENTS = st.sampled_from(["", "Pain fell.", "Registered as NCT11111111.", "As in NCT22222222."])
RECORDS = st.builds(
    lambda title, content, url, ids: paper(title, content, url, **ids), TITLES, CONTENTS, URLS, IDS
)
BODIES_OF_RECORDS = st.lists(RECORDS, max_size=6).map(
    lambda records: {f"E{n}": record for n, record in enumerate(records, 1)}
)


def known_ids(record: Evidence) -> frozenset[str]:
    return canonical_ids(record) | frozenset(record.metadata.linked_ids)


@given(RECORDS, RECORDS)
def test_merging_loses_no_id_and_gives_the_same_ids_both_ways(a: Evidence, b: Evidence) -> None:
    assert known_ids(merge_evidence(a, b)) == known_ids(a) | known_ids(b)
    assert known_ids(merge_evidence(b, a)) == known_ids(a) | known_ids(b)


@given(RECORDS)
def test_merging_a_record_with_itself_changes_nothing(record: Evidence) -> None:
    assert merge_evidence(record, record) == record


@given(BODIES_OF_RECORDS)
def test_every_record_is_in_exactly_one_study(records: dict[str, Evidence]) -> None:
    groups = study_groups(records)
    assert sorted(key for group in groups for key in group) == sorted(records)


@given(BODIES_OF_RECORDS)
def test_records_that_share_an_id_are_one_study(records: dict[str, Evidence]) -> None:
    group_of = {key: group for group in study_groups(records) for key in group}
    for a, first in records.items():
        for b, second in records.items():
            if canonical_ids(first) & canonical_ids(second):
                assert group_of[a] == group_of[b]


STUDIES = st.builds(
    study,
    st.sampled_from(Direction),
    st.sampled_from([None, 1, 2, 3, 4, 5]),
    st.sampled_from([None, 20, 399, 400]),
    direct=st.booleans(),
)
BODIES = st.lists(STUDIES, max_size=6)
_SIZES = st.sampled_from([None, 20, 399, 400])
REFUTING = st.builds(
    study,
    st.just(Direction.REFUTES),
    st.sampled_from([None, 1, 2, 3, 4, 5]),
    _SIZES,
    direct=st.booleans(),
)
LEVEL_5 = st.builds(study, st.sampled_from(Direction), st.just(5), _SIZES, direct=st.booleans())
RANK = {label: rank for rank, label in enumerate(VerdictLabel)}
"""0 is the best label."""


@given(BODIES, REFUTING)
def test_a_refuting_study_never_raises_the_score(
    body: list[StudyFinding], added: StudyFinding
) -> None:
    assert clinical_score([*body, added]) <= clinical_score(body)


@given(BODIES, REFUTING)
def test_a_refuting_study_never_moves_the_verdict_up(
    body: list[StudyFinding], added: StudyFinding
) -> None:
    assert RANK[decide([*body, added]).label] >= RANK[decide(body).label]


@given(BODIES, LEVEL_5)
def test_mechanism_changes_neither_label_nor_score(
    body: list[StudyFinding], added: StudyFinding
) -> None:
    before, after = decide(body), decide([*body, added])
    assert (after.label, after.certainty) == (before.label, before.certainty)
    assert clinical_score([*body, added]) == clinical_score(body)


@given(st.lists(LEVEL_5))
def test_mechanism_alone_is_never_more_than_insufficient(body: list[StudyFinding]) -> None:
    assert decide(body).label is VerdictLabel.INSUFFICIENT
    assert clinical_score(body) == 0


@given(st.permutations([study(d, level) for d in Direction for level in (2, 3)]), st.integers(0, 8))
def test_the_order_of_studies_does_not_matter(body: list[StudyFinding], n: int) -> None:
    part, turned = body[:n], body[:n][::-1]
    assert decide(part).label is decide(turned).label
    assert clinical_score(part) == clinical_score(turned)


@given(st.booleans(), st.booleans())
def test_a_retracted_record_adds_nothing_to_its_study(helps: bool, fails: bool) -> None:
    sound = appraisal(paper(), "E1", direct=True, supporting=(fact(),))
    retracted = appraisal(
        paper(publication_types=("Retracted Publication",)),
        "E2",
        direct=True,
        supporting=(fact(),) * helps,
        refuting=(fact(),) * fails,
    )
    together = study_findings({"E1": sound, "E2": retracted}, [("E1", "E2")])
    assert together == study_findings({"E1": sound}, [("E1",)])


STORE = {"E1": paper(pmid="1"), "E2": paper("Two", pmid="2"), "E3": paper("Three", pmid="3")}
INVENTED = Reference(evidence_id="E9", title="None", source="pubmed", ids=("pmid:99999999",))
REFERENCES = st.lists(st.sampled_from([*map(reference, STORE.values()), INVENTED]), max_size=6)


@given(REFERENCES)
def test_validating_twice_changes_nothing(references: list[Reference]) -> None:
    once = validate_references(report("", *references), STORE)
    twice = validate_references(once.report, STORE)
    assert (twice.report, twice.removed) == (once.report, ())


@given(REFERENCES)
def test_references_are_records_of_the_store_each_once(references: list[Reference]) -> None:
    checked = validate_references(report("", *references), STORE).report
    ids = [r.evidence_id for r in checked.references]
    assert len(ids) == len(set(ids))
    assert set(ids) <= set(STORE)


ESCAPED = re.compile(rf"\\([{re.escape(string.punctuation)}])")


@given(st.text())
def test_escaped_text_has_no_special_character_left(text: str) -> None:
    rest = ESCAPED.sub("", escape_markdown(text))
    assert not set(rest) & set("\\`*_[]<>|~\n")


@given(st.text(alphabet="#>+=-1.) \n\\*a"))
def test_escaped_text_begins_no_block(text: str) -> None:
    assert not re.match(r"(?:#+|-+|=+|[+*>]|\d+[.)])(?:\s|$)", escape_markdown(text))


@given(st.text())
def test_escaping_loses_nothing_of_the_visible_characters_on_one_line(text: str) -> None:
    assert ESCAPED.sub(r"\1", escape_markdown(text)) == one_line(text)


@given(st.data())
def test_a_claim_with_a_changed_number_never_holds(data: st.DataObject) -> None:
    content = data.draw(st.integers(10, 99).map("Pain fell by {}% (p = 0.02).".format))
    store = {"E1": paper(content=content)}
    found = located(fact(content, content=content), store)
    assert found is not None
    said = Claim(
        sentence=content,
        evidence_id=found.evidence_id,
        quote=found.quote,
        start=found.start,
        end=found.end,
    )
    assert claim_holds(said, store)
    number = data.draw(st.integers(10, 99).map(str).filter(lambda n: n not in content))
    changed = re.sub(r"\d\d(?=%)", number, content)
    assert not claim_holds(said.model_copy(update={"sentence": changed}), store)
