"""Every form of sets is read as it is published, and what is right is counted as right.

The rows are made up in the published columns.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.study.reading import MechanismStatement
from deepcritical.evaluation import pubmed_syntax, questions, studies, verdicts
from deepcritical.evaluation.measuring import FORMATS, format_of, sets_in
from deepcritical.evaluation.scores import Outcome
from deepcritical.reading.rules.reader import read_by_rules

_ABSTRACT = "Pain fell by 12 points with naproxen. No patient died."


def lines(path: Path, *rows: Mapping[str, Any]) -> Path:
    """A file of JSON lines, packed if its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(row) for row in rows)
    packed = gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode()
    path.write_bytes(packed)
    return path


def counted(outcomes: Iterator[Outcome]) -> list[tuple[str, bool, bool]]:
    """Measure, told, right."""
    return [(o.measure, o.told, o.right) for o in outcomes]


def test_a_wording_is_right_when_its_whole_frame_is(tmp_path: Path) -> None:
    intent = {
        "id": "1", "kind": "efficacy", "drugs": ["naproxen"], "comparators": [],
        "condition": "gout", "mesh": "D006073",
        "wordings": [
            {"text": "Does naproxen help in gout?", "negative": False},
            {"text": "Does naproxen help in asthma?", "negative": False},
        ],
    }  # fmt: skip
    told = list(questions.judge_wordings(lines(tmp_path / "held_out" / "intents.jsonl", intent)))
    assert [o.right for o in told] == [True, False]
    assert {o.half for o in told} == {"kept aside"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("repodb.csv", "drug_name,drugbank_id,ind_name\nnaproxen,DB00788,gout\nzzxqol,DB0,gout\n"),
        ("indications.tsv", "doid_id\tdisease\tdrug\n1\tgout\tnaproxen\n2\tgout\tzzxqol\n"),
    ],
)
def test_pairs_of_published_tables_are_asked_as_questions(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert [right for _, _, right in counted(questions.judge_pairs(path))] == [True, False]


def test_a_pair_of_drugmechdb_is_right_only_with_its_mesh_id(tmp_path: Path) -> None:
    graphs = [
        {"graph": {"drug": "naproxen", "disease": "gout", "disease_mesh": mesh}}
        for mesh in ("MESH:D006073", "MESH:D001249")
    ]
    path = lines(tmp_path / "drugmechdb.jsonl.gz", *graphs)
    assert [right for _, _, right in counted(questions.judge_pairs(path))] == [True, False]


def test_own_sentences_are_counted_by_what_is_wanted_of_them(tmp_path: Path) -> None:
    lines(tmp_path / "records.jsonl", {"id": "R1", "title": "Pain", "text": _ABSTRACT})
    common = {"record": "R1", "half": "aside"}
    path = lines(
        tmp_path / "sentences.jsonl",
        common | {"sentence": "Pain fell by 12 points with naproxen.", "label": "true",
                  "kind": "near_verbatim", "near_verbatim": True},
        common | {"sentence": "Pain fell by 21 points with naproxen.", "label": "wrong",
                  "kind": "figure", "near_verbatim": False},
    )  # fmt: skip
    found = {measure: right for measure, _, right in counted(verdicts.judge_sentences(path))}
    assert found == {
        "true sentences not contradicted": True,
        "near-verbatim true sentences supported": True,
        "wrong sentences not supported": True,
        "wrong figures, ids and names contradicted": True,
    }


def test_claims_of_scifact_are_judged_by_the_abstracts_that_they_cite(tmp_path: Path) -> None:
    lines(tmp_path / "corpus.jsonl", {"doc_id": 7, "title": "Pain", "abstract": [_ABSTRACT]})
    support = {"7": [{"sentences": [0], "label": "SUPPORT"}]}
    claim = {"id": 1, "claim": "Pain fell by 12 points with naproxen.", "cited_doc_ids": [7]}
    path = lines(tmp_path / "claims_dev.jsonl", claim | {"evidence": support}, claim)
    assert counted(verdicts.judge_scifact(path)) == [
        ("claims, supported", True, True),
        ("claims, cannot tell", True, False),
    ]


def test_claims_of_healthver_are_judged_by_their_evidence(tmp_path: Path) -> None:
    path = tmp_path / "healthver_dev.csv"
    path.write_text(
        "id,evidence,claim,label,topic_ip,question\n"
        f'1,"{_ABSTRACT}",Pain fell by 21 points with naproxen.,Refutes,1,q\n'
    )
    assert counted(verdicts.judge_healthver(path)) == [("claims, contradicted", True, True)]


def test_abstracts_of_pubmedqa_are_asked_their_question(tmp_path: Path) -> None:
    row = {
        "QUESTION": "Does naproxen reduce pain in gout?", "LABELS": ["RESULTS"],
        "CONTEXTS": ["Nothing was measured."], "LONG_ANSWER": "It is unclear.",
        "final_decision": "maybe",
    }  # fmt: skip
    path = tmp_path / "pubmedqa.json"
    path.write_text(json.dumps({"1": row}))
    assert counted(verdicts.judge_abstracts(path)) == [
        ("stance of an abstract, maybe", False, True)
    ]


def test_outcomes_are_counted_apart_by_whether_they_are_the_same(tmp_path: Path) -> None:
    death, died = {"concept": "death", "outcome": "death"}, {"concept": "death", "outcome": "died"}
    pain = {"concept": "pain", "outcome": "pain score"}
    rows = [{"a": death, "b": died, "same": True}, {"a": death, "b": pain, "same": False}]
    told = counted(studies.judge_outcomes(lines(tmp_path / "pairs.jsonl", *rows)))
    assert told == [
        ("same outcomes joined", True, True),
        ("different outcomes kept apart", True, True),
    ]


_PUBTATOR = """\
1|t|Paracetamol and testase in gout.
1|a|Acetaminophen lowered testase. Zzxqol caused gout.
1\t0\t11\tParacetamol\tChemicalEntity\tD000082
1\t16\t23\ttestase\tGeneOrGeneProduct\t1
1\t26\t30\tgout\tDiseaseOrPhenotypicFeature\tD006073
1\t32\t45\tAcetaminophen\tChemicalEntity\tD000082
1\t62\t68\tZzxqol\tChemicalEntity\tC000001
1\t76\t80\tgout\tDiseaseOrPhenotypicFeature\tD000000
1\tNegative_Correlation\tD000082\t1\tNovel
1\tPositive_Correlation\tC000001\tD006073\tNo
1\tAssociation\t1\tD006073\tNo

2|t|Nothing.
2|a|Nothing is related.
"""
"""The ids are MeSH's, but for the made-up D000000, C000001 and 1."""


def test_names_of_biored_are_right_with_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "biored_dev.pubtator"
    path.write_text(_PUBTATOR)
    assert counted(studies.judge_entities(path)) == [
        ("diseases known", True, True),
        ("further names of a drug known", True, True),
        ("diseases known", True, False),
    ]


@pytest.mark.parametrize(
    ("subject", "relation", "thing", "told"),
    [
        ("acetaminophen", "decreases", "testase levels", [(True, True), (False, False)]),
        ("testase", "increases", "paracetamol", [(True, False), (False, False)]),
        ("zzxqol", "associated", "gout", [(False, False), (False, False)]),
        ("zzxqol", "increases", "gout", [(False, False), (True, True)]),
    ],
)
def test_relations_of_biored_are_right_with_their_direction(
    tmp_path: Path, subject: str, relation: Any, thing: str, told: list[tuple[bool, bool]]
) -> None:
    path = tmp_path / "biored_dev.pubtator"
    path.write_text(_PUBTATOR)
    item, unrelated = studies.articles(path)
    step = MechanismStatement(subject=subject, relation=relation, object=thing, system="cell")
    read = read_by_rules(item.record, datetime.now(UTC)).model_copy(update={"mechanism": (step,)})
    assert [answer[:2] for answer in studies.judge_steps(item, read)] == told
    assert not list(studies.judge_steps(unrelated, read))


def test_studies_of_a_guideline_are_found_among_the_records_that_were_screened(
    tmp_path: Path,
) -> None:
    questions_of = [{"Index": "1a", "Question": "Does naproxen help in gout?", "P": "People"}]
    kept = [{"PICO_IDX": "1a", "PMID": pmid} for pmid in ("1", "2", "9", None)]
    screened = [
        {"Paper_Index": pmid, "Title": title, "Abstract": None, "Record_Screening": "Included"}
        for pmid, title in (("1", "Naproxen in gout"), ("2", "Apples"), ("3", "Pears"))
    ]
    folder = tmp_path / "Supplements" / "Screened_Records"
    folder.mkdir(parents=True)
    (folder / "PICO1.json").write_text(json.dumps(screened))
    (tmp_path / "Included_Studies_with_PMID.json").write_text(json.dumps(kept))
    path = tmp_path / "PICO_Information.json"
    path.write_text(json.dumps(questions_of))
    told = pubmed_syntax.judge_guideline(path)
    assert [(o.shown[0], o.right) for o in told] == [("1", True), ("2", False)]


def test_records_to_find_are_those_that_both_marked() -> None:
    records = tuple(
        pubmed_syntax.Record(pmid, title, " ")
        for pmid, title in (("1", " naproxen in gout "), ("2", " apples "), ("3", " pears "))
    )
    row = {
        "question": "Does naproxen help in gout?", "half": "development",
        "marked_by_a": ["1", "2"], "marked_by_b": [1, 2, 3],
    }  # fmt: skip
    told = pubmed_syntax.judge_recall([row], records)
    assert [(o.shown[0], o.right) for o in told] == [("1", True), ("2", False)]


def test_every_other_article_is_kept_aside(tmp_path: Path) -> None:
    rows = [
        {"pmid": str(n), "text": "A trial of things. Nothing.", "annotations": []} for n in (1, 2)
    ]
    items = studies.pico(lines(tmp_path / "pico_corpus.jsonl.gz", *rows))
    assert [item.half for item in items] == ["development", "kept aside"]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_form_is_found_by_a_name_of_its_files(form: Any) -> None:
    assert format_of(Path("/sets") / form.files.removeprefix("*/").replace("*", "")) is form


def test_what_was_trained_on_is_left_out(tmp_path: Path) -> None:
    kept = lines(tmp_path / "dev" / "declines.jsonl", {})
    lines(tmp_path / "train" / "declines.jsonl", {})
    assert sets_in([tmp_path]) == (kept,)


@pytest.mark.parametrize("name", ["nowhere.jsonl", "notes.txt", "."])
def test_a_path_without_a_known_set_is_said_to_be_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(ConfigurationError) as told:
        sets_in([tmp_path / name])
    assert told.value.advice
