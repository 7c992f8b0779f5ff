from __future__ import annotations

import pytest

from deepcritical.domain.text.spans import (
    fold,
    locate_quote,
    sentences,
    shorten_at_sentence,
    whole_sentences,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Pain fell. Mood rose.", ["Pain fell.", "Mood rose."], id="two sentences"),
        pytest.param(
            "Pain fell by 12.5%. Mood rose.", ["Pain fell by 12.5%.", "Mood rose."], id="decimal"
        ),
        pytest.param("Pain fell (p = 0.02). It did.", ["Pain fell (p = 0.02).", "It did."], id="p"),
        pytest.param("Pain fell, p = .02. It did.", ["Pain fell, p = .02.", "It did."], id=".02"),
        pytest.param("Examplol vs. Placebo was tried.", None, id="vs."),
        pytest.param("Adults (e.g. Testers) were asked.", None, id="e.g."),
        pytest.param("Adults, i.e. Testers, were asked.", None, id="i.e."),
        pytest.param("As Tester et al. 2020 said, pain fell.", None, id="et al."),
        pytest.param("As T. E. Ster said, pain fell.", None, id="initials"),
        pytest.param("As in Fig. 2 of the U.S. Report, pain fell.", None, id="Fig. and U.S."),
        pytest.param("Dose no. 5 was given i.v. Daily doses followed.", None, id="no. and i.v."),
        pytest.param("Did it fall? It did!", ["Did it fall?", "It did!"], id="? and !"),
        pytest.param(
            "“Pain fell.” Mood rose.", ["“Pain fell.”", "Mood rose."], id="closing quote stays"
        ),
        pytest.param("It fell. mTOR rose.", ["It fell.", "mTOR rose."], id="small first letter"),
        pytest.param("It fell. 20 adults left.", ["It fell.", "20 adults left."], id="digit first"),
        pytest.param("One part\n\nAnother part", ["One part", "Another part"], id="empty line"),
        pytest.param("A line\nbroken in two.", None, id="line break inside"),
        pytest.param("", [], id="empty"),
        pytest.param(" \n ", [], id="blank"),
    ],
)
def test_a_text_is_split_at_the_ends_of_sentences(text: str, expected: list[str] | None) -> None:
    assert [s.text for s in sentences(text)] == ([text] if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "METHODS: We tried. CONCLUSION: It works.",
            [("methods", "We tried."), ("conclusion", "It works.")],
            id="capitals and colon",
        ),
        pytest.param(
            "Methods We tried. Results We found it.",
            [("methods", "We tried."), ("results", "We found it.")],
            id="word before a capital",
        ),
        pytest.param(
            "CONCLUSIONS AND RELEVANCE: It works.",
            [("conclusions and relevance", "It works.")],
            id="several words",
        ),
        pytest.param(
            "A lead.\nResults: It works.", [("", "A lead."), ("results", "It works.")], id="lead"
        ),
        pytest.param("Results of both arms differed.", None, id="a sentence on results"),
        pytest.param("It was good. Results showed relief.", None, id="results as a subject"),
        pytest.param("We had two aims: to try and to see.", None, id="aims within a sentence"),
        pytest.param("The results: no relief and much pain.", None, id="results in a sentence"),
    ],
)
def test_section_labels_are_no_part_of_a_sentence(
    text: str, expected: list[tuple[str, str]] | None
) -> None:
    found = [(s.label, s.text) for s in sentences(text)]
    if expected is None:
        assert {label for label, _ in found} == {""}
        assert " ".join(said for _, said in found) == text
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        pytest.param("Pain fell", "Pain fell", id="exact"),
        pytest.param("  Pain fell \n", "Pain fell", id="blanks around"),
        pytest.param("pain FELL", "Pain fell", id="case"),
        pytest.param("12-week", "12–week", id="dash"),
        pytest.param("the tester's pain", "the tester’s\u00a0pain", id="apostrophe and nbsp"),
        pytest.param('"much relief"', "“much\nrelief”", id="quotation marks and line break"),
        pytest.param("Tester's disease", "Tester´s disease", id="acute accent as apostrophe"),
        pytest.param("find", "ﬁnd", id="ligature"),
        pytest.param("p <= 0.02", None, id="absent"),
        pytest.param("Pain fell much", None, id="goes on differently"),
        pytest.param("", None, id="empty"),
        pytest.param(" \n", None, id="blank"),
    ],
)
def test_a_quote_is_located_where_it_stands(quote: str, found: str | None) -> None:
    text = (
        "Pain fell in 12–week tests of the tester’s\u00a0pain. "
        "It gave “much\nrelief” in Tester´s disease, we ﬁnd."
    )
    place = locate_quote(quote, text)
    assert (text[slice(*place)] if place else None) == found


def test_an_exact_place_wins_over_an_earlier_folded_one() -> None:
    assert locate_quote("Pain fell", "PAIN FELL. Pain fell.") == (11, 20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Tester´s", "tester's", id="acute accent"),
        pytest.param("Tester’s", "tester's", id="curly apostrophe"),
        pytest.param("12\u201124 \u2212 3", "12-24 - 3", id="dashes"),
        pytest.param("a\u00a0\n b", "a b", id="blanks"),
        pytest.param("“a”", '"a"', id="quotation marks"),
    ],
)
def test_folding_keeps_one_form_of_each_character(text: str, expected: str) -> None:
    assert fold(text) == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param("It fell. It rose.", 50, "It fell. It rose.", id="short enough"),
        pytest.param("It fell. It rose.", 12, "It fell.", id="cut at a sentence"),
        pytest.param("It fell by a lot.", 5, "It fell by a lot.", id="one long sentence"),
        pytest.param("It fell [3]. It rose [4].", 15, "It fell [3].", id="marker before the stop"),
        pytest.param("It fell. [3] It rose. [4]", 15, "It fell. [3]", id="marker after the stop"),
        pytest.param("“It fell.” [3]. Up. [4]", 17, "“It fell.” [3].", id="marker after a quote"),
        pytest.param("It fell. [1][2, 3] It rose.", 20, "It fell. [1][2, 3]", id="several markers"),
        pytest.param("Up. It fell. [3] End.", 14, "Up.", id="a marker beyond the limit"),
        pytest.param("Up. It fell by 1.5 points.", 18, "Up.", id="decimal"),
        pytest.param("Up. We had some results: it fell.", 25, "Up.", id="colon"),
    ],
)
def test_a_text_is_shortened_at_a_sentence(text: str, limit: int, expected: str) -> None:
    assert shorten_at_sentence(text, limit) == expected


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("Pain fell. Mood rose.", 2, id="whole"),
        pytest.param("Pain fell. Mood rose in", 1, id="ends in a preposition"),
        pytest.param("Pain fell. Mood (on a scale rose", 1, id="open bracket"),
        pytest.param("Pain fell on examplol. No harm of exam", 1, id="broken word"),
        pytest.param("Pain fell. The difference was −2·7", 1, id="ends in a figure"),
        pytest.param("Pain fell. [opening not shown] a higher mood.", 1, id="no beginning"),
        pytest.param("Pain fell. Mood rose in adults", 2, id="no full stop, but whole"),
    ],
)
def test_sentences_broken_off_are_left_out(text: str, kept: int) -> None:
    assert len(whole_sentences(text)) == kept


def test_labels_of_less_common_sections() -> None:
    text = "Areas of uncertainty: Much. Data sources: All. Therapeutic advances: Pain fell."
    assert [s.label for s in sentences(text)] == [
        "areas of uncertainty",
        "data sources",
        "therapeutic advances",
    ]


def test_a_sentence_without_an_end_is_read_in_parts_at_their_places() -> None:
    text = "Examplol and testase " * 400
    parts = sentences(f"Results: {text}")
    assert len(parts) > 4
    assert all(len(part.text) <= 2_000 and part.label == "results" for part in parts)
    assert all(f"Results: {text}"[part.start : part.end] == part.text for part in parts)
    assert " ".join(part.text for part in parts) == text.strip()
    assert all(len(part.text) <= 2_000 for part in sentences("a" * 9_000))
