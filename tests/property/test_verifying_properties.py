"""Properties of `verify_claim`, whatever the record says."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deepcritical.domain.report.claims import ClaimVerdict, Failure
from deepcritical.domain.text.spans import body_sentences
from deepcritical.verification.claims import verify_claim
from tests.unit.domain.records import paper

UNHURRIED = settings(deadline=None, max_examples=150)
"""The first example waits until the dictionaries of drugs and conditions are read."""
SUBJECTS = st.sampled_from(["Pain", "Relapse", "Serum IL-6", "Mortality", "The symptom score"])
SIGNS = st.sampled_from(
    ["decreased", "was increased", "did not change", "was similar", "was not associated with age"]
)
AMOUNTS = st.integers(11, 99).flatmap(
    lambda n: st.sampled_from([f"{n}%", f"{n}.5 mg", f"{n} weeks", f"0.{n}", f"{n} patients"])
)
TAILS = st.sampled_from(
    ["with examplol", "in testitis", "after madeupol", "(P = 0.03)", "but not in mice"]
)
SENTENCES = st.builds("{} {} by {} {}.".format, SUBJECTS, SIGNS, AMOUNTS, TAILS)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join)


@UNHURRIED
@given(TEXTS, st.data())
def test_a_sentence_of_the_record_is_supported_by_it(text: str, data: st.DataObject) -> None:
    span = data.draw(st.sampled_from(body_sentences(text)))
    check = verify_claim(span.text, paper(content=text))
    assert check.supported, check.reason
    assert verify_claim(span.text, paper(content=text), quote=span.text).supported


@UNHURRIED
@given(TEXTS, SENTENCES)
def test_a_retracted_record_supports_nothing(text: str, said: str) -> None:
    record = paper(content=f"{text} {said}", integrity="retracted")
    check = verify_claim(said, record)
    assert Failure.RETRACTED in {one.failure for one in check.checks}
    assert check.verdict is not ClaimVerdict.SUPPORTED


@UNHURRIED
@given(TEXTS, SUBJECTS, SIGNS, AMOUNTS, TAILS, st.integers(1, 9))
def test_a_digit_more_fails(
    text: str, subject: str, sign: str, amount: str, tail: str, digit: int
) -> None:
    changed = f"{digit}{amount}" if not amount.startswith("0.") else f"{amount}{digit}"
    number = "".join(c for c in changed if c.isdigit() or c == ".").rstrip(".")
    assume(number not in text)
    record = paper(content=f"{text} {subject} {sign} by {amount} {tail}.")
    assert not verify_claim(f"{subject} {sign} by {changed} {tail}.", record).supported


@UNHURRIED
@given(st.text(max_size=200), st.text(max_size=200), st.none() | st.text(max_size=60))
def test_any_text_gets_an_answer(said: str, text: str, quote: str | None) -> None:
    check = verify_claim(said, paper(content=text), quote)
    assert check.supported is not bool(check.reasons)
    for found in check.quotes:
        assert text[found.start : found.end] == found.text
