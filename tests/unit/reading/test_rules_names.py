"""Names change nothing: with other drugs, diseases and outcomes the same is read."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.spans import capitalised
from tests.unit.reading.rule_records import read

_DRUGS = ("examplol", "testamine", "mockazole", "samplumab", "dummycillin")
_DISEASES = ("testitis", "mockosis", "samplemia")
_OUTCOMES = ("itching", "redness of skin", "zebra score", "walking distance", "days of rest")
_SENTENCES = (
    "{o} was lower in the {a} group than in the {b} group (10% vs 20%, P = 0.01).",
    "There was no significant difference in {o} between the groups (P = 0.40).",
    "Compared with {b}, {a} significantly increased {o}.",
    "{a} was superior to {b} in {o}.",
    "{o} was similar in the {a} and {b} groups.",
    "Among patients with severe {d}, {o} was higher with {a} than with {b}.",
    "The {a} group had more {o} than the {b} group (odds ratio, 1.50; 95% CI, 1.10 to 2.10).",
)
_NAMES = st.tuples(
    st.lists(st.sampled_from(_DRUGS), min_size=2, max_size=2, unique=True),
    st.sampled_from(_DISEASES),
    st.sampled_from(_OUTCOMES),
)


def _read(sentences: list[str], names: tuple[list[str], str, str]) -> StudyReading:
    (one, other), disease, outcome = names
    words = {"a": one, "b": other, "d": disease, "o": outcome}
    return read(
        " ".join(capitalised(sentence.format(**words)) for sentence in sentences),
        title="{a} versus {b} in {d}: a randomised trial".format(**words),
        methods="Methods: A total of 81 adults with {d} were randomised to {a} (n = 40) or {b} "
        "(n = 41).".format(**words),
    )


def _without_names(reading: StudyReading, names: tuple[list[str], str, str]) -> object:
    text = reading.model_dump_json(exclude={"text_sha256"}).lower()
    (one, other), disease, outcome = names
    for name, mark in ((one, "@1"), (other, "@2"), (disease, "@3"), (outcome, "@4")):
        text = text.replace(name, mark)
    loaded: object = json.loads(text)
    return loaded


@settings(max_examples=200)
@given(st.lists(st.sampled_from(_SENTENCES), min_size=1, max_size=4, unique=True), _NAMES, _NAMES)
def test_other_names_change_nothing_but_the_names(
    sentences: list[str], names: tuple[list[str], str, str], others: tuple[list[str], str, str]
) -> None:
    one, other = _read(sentences, names), _read(sentences, others)
    assert len(one.results) == len(sentences)
    assert _without_names(one, names) == _without_names(other, others)


@given(st.sampled_from(_SENTENCES[:5]))
def test_swapped_arms_swap_sides_alone(sentence: str) -> None:
    names = (["examplol", "testamine"], "testitis", "itching")
    turned = (["testamine", "examplol"], "testitis", "itching")
    (one,), (other,) = _read([sentence], names).results, _read([sentence], turned).results
    assert (one.better, one.more, one.effect) == (other.better, other.more, other.effect)
