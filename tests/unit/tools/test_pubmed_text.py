from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from deepcritical.domain.text.spans import sentences
from deepcritical.tools.markup import plain_text
from deepcritical.tools.pubmed.records import parse
from tests.unit.tools.pubmed_xml import article, made, one, record_set


class TestInlineText:
    @pytest.mark.parametrize(
        ("inner", "text"),
        [
            ("10<sup>3</sup> cells", "10^3 cells"),
            ("4.2×10<sup>−68</sup>)", "4.2×10^−68)"),
            ("10<sup>9</sup>/L", "10^9/L"),
            ("10<sup>3-5</sup>", "10^3-5"),
            ("2<sup>-ΔΔCt</sup>", "2^-ΔΔCt"),
            ("kg/m<sup>2</sup>", "kg/m^2"),
            ("mg·kg<sup>-1</sup>·d<sup>-1</sup>", "mg·kg^-1·d^-1"),
            ("10<i><sup>3</sup></i>", "10^3"),
            ("CD4<sup>+</sup> and CD4<sup>-/-</sup>", "CD4+ and CD4-/-"),
            ("CD45<sup>high</sup>", "CD45high"),
            ("Ca<sup>2+</sup>", "Ca2+"),
            ("<sup>18</sup>F-examplol", "18F-examplol"),
            ("with <sup>13</sup>C", "with 13C"),
            ("1<sup>st</sup> of 4<sup>th</sup>", "1st of 4th"),
            ("MadeReviews<sup>®</sup>", "MadeReviews®"),
            ("CO<sub>2</sub>, vitamin D<sub>3</sub>", "CO2, vitamin D3"),
            ("H<sub>2</sub>PO<sub>4</sub><sup>-</sup>", "H2PO4-"),
            ("<i>TSTE</i> ε4", "TSTE ε4"),
            ("<b><i>E. <u>inventa</u></i></b>!", "E. inventa!"),
            ("a<sup></sup>b<i/>c", "abc"),
            ("n&#x2009;=&#x2009;30&#xa0;IU", "n = 30 IU"),
            ("a <!-- no --> b<?no?>c", "a bc"),
            ("<![CDATA[p < 0.05]]> &amp; more", "p < 0.05 & more"),
            ("in mice.<i>Results</i>. We", "in mice. Results. We"),
            ("see p.<i>val</i>", "see p.val"),
            ("1.5×10\n\t\t<sup>-68</sup>), by\n\t\t<sup>18</sup>F", "1.5×10^-68), by 18F"),
            ("vitamin D\n\t\t<sub>3</sub> (\n\t\t<i>A</i>,\n\t\t<i>B</i>)", "vitamin D3 (A, B)"),
            ("a<unknown> b </unknown>c", "a b c"),
            ("one<br/>two", "one two"),
        ],
    )
    def test_it_is_never_lost(self, inner: str, text: str) -> None:
        record = one(
            title=inner, article=f"<Abstract><AbstractText>{inner}</AbstractText></Abstract>"
        )
        assert record.citation.title == text
        assert record.content == text

    @pytest.mark.parametrize(
        ("formula", "text"),
        [
            ("<mi>x</mi><mo>=</mo><mn>2</mn>", "x=2"),
            ("<msup><mn>10</mn><mn>3</mn></msup>", "10^3"),
            ("<msup><mi>e</mi><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></msup>", "e^(a+b)"),
            ("<msup><mi>CD4</mi><mo>+</mo></msup>", "CD4+"),
            ("<msub>\n <mi>CO</mi>\n <mn>2</mn>\n</msub>", "CO2"),
            ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "xi^2"),
            ("<mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac>", "1/(a+b)"),
            ("<msqrt><mi>n</mi></msqrt>", "√n"),
            ("<msqrt><mi>n</mi><mo>+</mo><mn>1</mn></msqrt>", "√(n+1)"),
            ("<mroot><mi>n</mi><mn>3</mn></mroot>", "3√n"),
            ("<mover><mi>V</mi><mo>.</mo></mover><mi>O</mi>", "V\u0307O"),
            ("<mover><mi>x</mi><mo>!</mo></mover>", "x!"),
            ("<mfenced><mi>x</mi></mfenced>", "(x)"),
            ("<mi>x</mi><mtext> is </mtext><mi>y</mi>", "x is y"),
            ("<semantics><mi>x</mi><annotation>\\x</annotation></semantics>", "x"),
            ("loose <mi>x</mi> text", "loose x text"),
        ],
    )
    @pytest.mark.parametrize("prefix", ["", "mml:"])
    def test_a_formula_keeps_its_text(self, formula: str, text: str, prefix: str) -> None:
        named = re.sub(r"<(/?)(?=[a-z])", rf"<\1{prefix}", formula)
        space = "xmlns:mml" if prefix else "xmlns"
        math = f"<{prefix}math {space}='http://www.w3.org/1998/Math/MathML'>{named}</{prefix}math>"
        assert one(title=f"a {math} b").citation.title == f"a {text} b"

    def test_thousands_of_levels_are_read(self) -> None:
        deep = "<i>" * 20_000 + "deep" + "</i>" * 20_000
        assert one(title=f"How {deep} is it").citation.title == "How deep is it"

    def test_what_the_records_hold(self) -> None:
        assert made()["101"].citation.title == (
            "Examplol for testitis in carriers of TSTE ε4: "
            "a randomized trial of CO2-stable tablets."
        )
        assert "4.2×10^3 copies/mL (P<0.001), at 2 mg·kg^-1 a day" in made()["101"].content
        assert "CD4+ cells and Ca2+ were" in made()["101"].content
        assert made()["105"].content == (
            "Objective. To measure uptake ( V\u0307O2max ) under examplol in testitis. Approach. "
            "Uptake was read at LEmin+1.5mM with (a+1)/b=10^3 samples (Fe3O4)."
        )
        assert made()["108"].content == (
            "RESULTS: All loci were new (TSTA, TSTB, and TSTC; P=1.5×10^-68), "
            "as 18F-examplol showed."
        )


class TestAbstract:
    def test_labels_are_kept_as_the_reader_of_sections_expects_them(self) -> None:
        content = made()["101"].content
        parts = content.split("\n\n")
        assert [part.partition(": ")[0] for part in parts] == [
            "BACKGROUND",
            "METHODS",
            "RESULTS",
            "CONCLUSIONS",
        ]
        labels = [span.label for span in sentences(content)]
        assert list(dict.fromkeys(labels)) == ["background", "methods", "results", "conclusions"]
        assert all(a.end <= b.start for a, b in pairwise(sentences(content)))

    @pytest.mark.parametrize(
        ("sections", "content"),
        [
            ('<AbstractText Label="AIM">a</AbstractText>', "AIM: a"),
            ('<AbstractText Label=" AIM: ">a</AbstractText>', "AIM: a"),
            ('<AbstractText Label="AIM">Aim: a</AbstractText>', "Aim: a"),
            ('<AbstractText Label="UNLABELLED">a</AbstractText>', "UNLABELLED: a"),
            ('<AbstractText Label="ABSTRACT">a</AbstractText>', "ABSTRACT: a"),
            ('<AbstractText Label="">a</AbstractText>', "a"),
            ('<AbstractText Label="AIM"/><AbstractText>b</AbstractText>', "b"),
            ("<AbstractText>a</AbstractText><AbstractText>b</AbstractText>", "a\n\nb"),
            ("<AbstractText> </AbstractText>", ""),
            ("", ""),
        ],
    )
    def test_sections(self, sections: str, content: str) -> None:
        record = one(article=f"<Abstract>{sections}</Abstract>")
        assert record.content == content
        assert record.metadata.text_kind == ("abstract" if content else "none")

    def test_an_abstract_in_another_place_stands_in_the_english_one_first(self) -> None:
        other = "<OtherAbstract Language='{}'><AbstractText>{}</AbstractText></OtherAbstract>"
        both = other.format("spa", "oui") + other.format("eng", "yes")
        assert one(citation=both).content == "yes"
        assert made()["110"].content == "Rétractation."
        own = "<Abstract><AbstractText>own</AbstractText></Abstract>"
        assert one(article=own, citation=both).content == "own"

    @pytest.mark.parametrize(
        ("line", "licence"),
        [
            ("© 2099 Nobody. All rights reserved.", None),
            ("© Nobody CC BY-NC-SA.", "CC BY-NC-SA"),
            ("© 2099. CC BY 4.0 applies.", "CC BY 4.0"),
            ("CC0 1.0", "CC0 1.0"),
            (
                "Under a Creative Commons Attribution 4.0 licence.",
                "Creative Commons Attribution 4.0",
            ),
            ("This work is in the public domain.", "public domain"),
            ("", None),
        ],
    )
    def test_copyright_is_no_text_but_may_be_a_licence(
        self, line: str, licence: str | None
    ) -> None:
        parts = f"<AbstractText>a</AbstractText><CopyrightInformation>{line}</CopyrightInformation>"
        record = one(article=f"<Abstract>{parts}</Abstract>")
        assert (record.content, record.metadata.licence) == ("a", licence)


class TestTitle:
    def test_a_title_in_the_papers_language_where_there_is_no_other(self) -> None:
        assert made()["104"].citation.title == "Examplol – was nun? Bemerkungen zur Testitis."
        german = "<VernacularTitle>Testitis.</VernacularTitle>"
        assert one(title="", article=german).citation.title == "Testitis."
        assert one(title="[Testitis].", article=german).citation.title == "[Testitis]."

    def test_a_record_without_any_is_named_and_costs_no_other(self) -> None:
        parsed = parse(record_set(article(title=""), article(pmid="99000002")))
        assert parsed.skipped == ("PMID 99000001: no title",)
        assert [record.metadata.pmid for record in parsed.records] == ["99000002"]


class TestEscapedOnceTooOften:
    @pytest.mark.parametrize(
        ("inner", "text"),
        [
            ("p &amp;lt; 0.05", "p < 0.05"),
            ("A &amp;amp; B", "A & B"),
            (
                "10&lt;sup&gt;3&lt;/sup&gt; of &lt;i&gt;APOE&lt;/i&gt; \u03b54",
                "10^3 of APOE \u03b54",
            ),
            ("<i>x</i> &amp;#x3b2;-blocker", "x \u03b2-blocker"),
            ("p &lt; 0.05 and q &gt; 3", "p < 0.05 and q > 3"),
            ("n&lt;p and r&gt;s", "n<p and r>s"),
            ("AT&amp;T", "AT&T"),
        ],
    )
    def test_it_is_read_as_it_was_meant(self, inner: str, text: str) -> None:
        abstract = f"<Abstract><AbstractText>{inner}</AbstractText></Abstract>"
        assert one(article=abstract).content == text
        assert one(title=inner).citation.title == text


@pytest.mark.parametrize("n_blanks", [2, 24, 60])
def test_however_deep_an_element_stands_its_exponent_is_one(n_blanks: int) -> None:
    blanks = f"\n{' ' * n_blanks}"
    text = f"<A>10{blanks}<sup>3</sup> cells, CO{blanks}<sub>2</sub>, ({blanks}<i>in vivo</i>)</A>"
    assert plain_text(ET.fromstring(text)) == "10^3 cells, CO2, (in vivo)"  # noqa: S314 - our own
