"""Edges and the names they lie between, in sentences about made-up and well-known names."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepcritical
from deepcritical.domain.hypotheses import Sign
from deepcritical.reasoning.edges import edges, edges_between
from deepcritical.reasoning.mentions import EntityKind, Mention, find_mentions

UNHURRIED = settings(deadline=None)
"""The first example waits until the dictionaries of drugs and conditions are read."""
MORE, LESS = Sign.INCREASES, Sign.DECREASES
NAMES = {
    "examplol": EntityKind.CHEMICAL,
    "sampline": EntityKind.CHEMICAL,
    "TSTA": EntityKind.GENE,
    "TSTB": EntityKind.GENE,
    "testitis": EntityKind.DISEASE,
    "exampliasis": EntityKind.DISEASE,
}


def named(text: str) -> list[Mention]:
    return [
        Mention(name, kind, at, at + len(name))
        for name, kind in NAMES.items()
        for at in range(len(text))
        if text.startswith(name, at)
    ]


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("In mice examplol inhibited TSTA.", ("examplol", LESS, "TSTA")),
        ("In mice TSTA was activated by examplol.", ("examplol", MORE, "TSTA")),
        ("Then examplol-induced testitis was seen.", ("examplol", MORE, "testitis")),
        ("We gave the TSTA inhibitor examplol.", ("examplol", LESS, "TSTA")),
        ("We gave examplol, a TSTA agonist.", ("examplol", MORE, "TSTA")),
        ("We saw inhibition of TSTA by examplol.", ("examplol", LESS, "TSTA")),
        ("We gave examplol for the treatment of testitis.", ("examplol", LESS, "testitis")),
        ("There testitis was treated with examplol.", ("examplol", LESS, "testitis")),
        ("There testitis developed after examplol.", ("examplol", MORE, "testitis")),
        ("There knockdown of TSTA increased TSTB.", ("TSTA", LESS, "TSTB")),
        ("There TSTA increased degradation of TSTB.", ("TSTA", LESS, "TSTB")),
        ("There TSTA promoted testitis.", ("TSTA", MORE, "testitis")),
    ],
)
def test_words_between_two_names_make_an_edge(text: str, edge: tuple[str, Sign, str]) -> None:
    found = edges_between(text, named(text))
    assert [(r.subject, r.sign, r.object) for r in found] == [edge]
    assert found[0].fact.quote == text


@pytest.mark.parametrize(
    "text",
    [
        "In mice examplol activated TSTA and inhibited TSTB.",
        "In mice examplol activated TSTA, but markedly inhibited TSTB.",
    ],
)
def test_joined_verbs_have_one_subject_and_each_its_own_object(text: str) -> None:
    found = edges_between(text, named(text))
    assert {(r.subject, r.sign, r.object) for r in found} == {
        ("examplol", MORE, "TSTA"),
        ("examplol", LESS, "TSTB"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Here examplol did not fail to reduce TSTA.",
        "Here examplol never failed to inhibit TSTA.",
        "Here examplol doesn't fail to lower TSTA.",
    ],
)
def test_what_did_not_fail_to_happen_happened(text: str) -> None:
    (found,) = edges_between(text, named(text))
    assert (found.subject, found.sign, found.object) == ("examplol", LESS, "TSTA")


@pytest.mark.parametrize(
    "text",
    [
        "When examplol was given, the diet increased TSTA.",
        "In mice given examplol, exercise reduced TSTA.",
        "Here examplol was safe, and stress increased TSTA.",
        "Here examplol was safe whereas stress increased TSTA.",
        "Here the effect of examplol was lost as stress increased TSTA.",
        "Here examplol was safe; stress promoted testitis.",
        "There TSTA activation increased, while other rats had lower levels of TSTB.",
        "There TSTA reduced growth through TSTB.",
        "There TSTA increased pain in testitis.",
    ],
)
def test_a_verb_of_another_subject_or_object_makes_none(text: str) -> None:
    assert edges_between(text, named(text)) == ()


def test_what_an_object_does_is_not_done_by_the_subject() -> None:
    text = "Here examplol blocked TSTA, which promotes TSTB."
    assert [(r.subject, r.sign, r.object) for r in edges_between(text, named(text))] == [
        ("examplol", LESS, "TSTA"),
        ("TSTA", MORE, "TSTB"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Here examplol, an antioxidant, significantly reduced TSTA.",
        "Here examplol, in old mice, reduced TSTA.",
        "Here examplol lowered pain, fever and TSTA.",
    ],
)
def test_words_set_between_commas_keep_subject_and_object(text: str) -> None:
    (found,) = edges_between(text, named(text))
    assert (found.subject, found.sign, found.object) == ("examplol", LESS, "TSTA")


@pytest.mark.parametrize(
    ("text", "hedged"),
    [
        ("Here examplol may inhibit TSTA.", True),
        ("It is possible that examplol inhibits TSTA.", True),
        ("These data suggest that examplol inhibits TSTA.", True),
        ("Here examplol is thought to inhibit TSTA.", True),
        ("We hypothesised that examplol inhibits TSTA.", True),
        ("Here examplol potentially prevents testitis.", True),
        ("Here examplol inhibited TSTA.", False),
        ("In May examplol inhibited TSTA.", False),
    ],
)
def test_what_is_held_for_possible_is_no_plain_edge(text: str, hedged: bool) -> None:
    (found,) = edges_between(text, named(text))
    assert (found.sign, found.hedged) == (LESS, hedged)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Here examplol prevented the fall in TSTA.", MORE),
        ("Here examplol treatment resulted in heavy testitis.", MORE),
        ("We saw a protective effect of examplol on sampline-induced testitis.", LESS),
        ("We saw testitis in two patients treated with examplol.", MORE),
        ("We saw testitis patients treated with examplol.", LESS),
    ],
)
def test_words_around_the_verb_tell_the_sign(text: str, sign: Sign) -> None:
    found = edges_between(text, [m for m in named(text) if m.name != "sampline"])
    assert [(r.subject, r.sign) for r in found] == [("examplol", sign)]


@pytest.mark.parametrize(
    "text",
    [
        "Here examplol cannot inhibit TSTA.",
        "Here examplol doesn't inhibit TSTA.",
        "Here examplol never inhibited TSTA.",
        "Here examplol was unable to inhibit TSTA.",
        "Here examplol is not a TSTA inhibitor.",
        "There is no evidence that examplol inhibits TSTA.",
        "There was no inhibition of TSTA by examplol.",
        "Here inhibition of TSTA by examplol was not observed.",
        "Here neither examplol nor sampline inhibited TSTA.",
        "We asked whether examplol inhibits TSTA.",
        "Does examplol inhibit TSTA?",
    ],
)
def test_what_a_sentence_denies_or_asks_is_no_edge(text: str) -> None:
    assert edges_between(text, named(text)) == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("We studied examplol and TSTA.", id="named together"),
        pytest.param("In mice examplol did not inhibit TSTA.", id="denied"),
        pytest.param("Then testitis caused exampliasis.", id="two diseases"),
        pytest.param("A variant of TSTA increased testitis.", id="a variant of a gene"),
        pytest.param("In mice examplol was given. There TSTA was inhibited.", id="two sentences"),
        pytest.param("We reduced examplol and it inhibited TSTA.", id="an object does nothing"),
        pytest.param("In mice examplol inhibited examplol.", id="itself"),
    ],
)
def test_what_says_nothing_makes_none(text: str) -> None:
    assert edges_between(text, named(text)) == ()


def test_names_far_apart_make_none() -> None:
    text = f"In mice examplol inhibited {'very ' * 40}TSTA."
    assert edges_between(text, named(text)) == ()


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("We gave metformin daily.", "metformin", EntityKind.CHEMICAL),
        ("It binds VEGF here.", "vascular endothelial growth factor a", EntityKind.GENE),
        ("It binds TSTA4 here.", "TSTA4", EntityKind.GENE),
        ("She had testoplegia then.", "testoplegia", EntityKind.DISEASE),
        ("Serum glucose rose.", "glucose", EntityKind.CHEMICAL),
    ],
)
def test_names_of_each_kind_are_found(text: str, name: str, kind: EntityKind) -> None:
    assert [(m.name, m.kind) for m in find_mentions(text)] == [(name, kind)]


def test_an_abbreviation_is_what_it_stands_for() -> None:
    text = "Made-up testic syndrome (MTS) is rare. MTS is severe."
    found = find_mentions(text)
    assert {m.kind for m in found} == {EntityKind.DISEASE}
    assert text[found[-1].start : found[-1].end] == "MTS"


@pytest.mark.parametrize("text", ["The PCR of DNA and mRNA.", "", "RESULTS AND METHODS."])
def test_methods_and_nucleic_acids_are_no_names(text: str) -> None:
    assert find_mentions(text) == ()


def test_the_whole_way_from_text_to_edges() -> None:
    found = deepcritical.edges("Metformin activates AMPK. Aspirin was given.")
    assert [(r.subject, r.subject_kind, r.sign, r.object_kind) for r in found] == [
        ("metformin", "chemical", MORE, "gene")
    ]


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            "metformin VEGF TSTA4 testitis inhibited increased by -induced not . the of in".split()
        ),
        max_size=20,
    ).map(" ".join),
)


@UNHURRIED
@given(TEXTS)
def test_names_lie_in_the_text_without_overlap(text: str) -> None:
    found = find_mentions(text)
    assert all(0 <= m.start < m.end <= len(text) for m in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@UNHURRIED
@given(TEXTS)
def test_every_edge_rests_on_its_sentence(text: str) -> None:
    for relation in edges(text):
        assert text[relation.fact.start : relation.fact.end] == relation.fact.quote
        assert relation.subject != relation.object
