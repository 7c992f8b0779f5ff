"""The claim appendix leads from each sentence to its quote and to the place of that."""

from __future__ import annotations

from deepcritical.domain.claims import claim_appendix
from deepcritical.domain.report_parts import Claim
from tests.unit.domain.records import TITLE, paper, reference

FIRST = reference(paper(), evidence_id="E7")
SECOND = reference(paper("Otherol | a [2] study"), evidence_id="E3")
REFERENCES = (FIRST, SECOND)
LONG = " ".join(["Examplol lowered pain in testitis"] * 8)


def claim(text: str, evidence_id: str = "E7", start: int = 5, quote: str = "") -> Claim:
    words = quote or text
    return Claim(
        sentence=text, evidence_id=evidence_id, quote=words, start=start, end=start + len(words)
    )


def rows(*claims: Claim) -> list[str]:
    return claim_appendix(claims, REFERENCES).splitlines()[4:]


def test_a_claim_has_its_source_and_the_characters_of_its_quote() -> None:
    assert rows(claim("Pain fell.")) == [f"| C1 | Pain fell. | “{TITLE}” [1] | 5–15 |"]


def test_claims_stand_in_the_order_of_their_sources_and_places() -> None:
    found = rows(claim("C.", "E3"), claim("B.", start=9), claim("A.", start=2))
    assert [row.split(" | ")[1] for row in found] == ["A.", "B.", "C."]


def test_a_quote_in_other_words_stands_beside_its_claim() -> None:
    found = rows(claim("Pain fell."), claim("It helped.", start=40, quote="It was of help."))
    assert "| Pain fell. | the same words |" in found[0]
    assert "| It helped. | It was of help. |" in found[1]


def test_long_texts_are_cut_at_a_word() -> None:
    (short,) = rows(claim(LONG))
    text = short.split(" | ")[1]
    assert text.endswith(" …")
    assert LONG.startswith(text.removesuffix(" …"))
    assert len(text) <= 143


def test_an_escaped_sentence_is_escaped_once() -> None:
    (row,) = rows(claim("p \\< 0.05 \\[2\\]", quote="p < 0.05 [2]"))
    assert row.startswith("| C1 | p \\< 0.05 \\[2\\] | ")


def test_a_hostile_name_is_escaped() -> None:
    (row,) = rows(claim("A.", "E3"))
    assert "Otherol \\| a \\[2\\] study" in row


def test_a_claim_on_no_reference_is_left_out() -> None:
    assert claim_appendix([claim("A.", "E99")], REFERENCES) == ""
    assert claim_appendix([], REFERENCES) == ""
