from __future__ import annotations

import pytest

from deepcritical.domain.evidence.sizes import participants
from tests.unit.domain.records import TITLE, paper, trial


@pytest.mark.parametrize(
    ("text", "size"),
    [
        pytest.param(
            "Of the 3457 participants who consented, 1591 were eligible, randomised to examplol.",
            1591,
            id="randomised before consenting",
        ),
        pytest.param("A total of 1431 patients underwent randomization.", 1431, id="underwent"),
        pytest.param("The trial randomized 501 patients.", 501, id="active voice"),
        pytest.param(
            "We randomised 412 adults: 205 to examplol and the rest to placebo.",
            412,
            id="all, before a part and the rest",
        ),
        pytest.param(
            "We randomly assigned 1561 patients to receive examplol and 3155 to usual care.",
            4716,
            id="two arms",
        ),
        pytest.param(
            "They were randomised to examplol (n = 241) or standard care (n = 249).",
            490,
            id="sizes of arms",
        ),
        pytest.param(
            "A total of 3515 patients were randomly assigned to examplol (679 patients), placebo "
            "(679), or another intervention (2157).",
            1358,
            id="other arms of a platform",
        ),
        pytest.param(
            "Randomised trial in 1358 adults of examplol (n = 679) against placebo (n = 679); the "
            "platform randomised 3515 patients in all.",
            1358,
            id="a larger platform",
        ),
        pytest.param(
            "Randomised trial of examplol (n=60, at 100 mg/d) against placebo (n=62) in 122 adults "
            "with testitis.",
            122,
            id="arms before their sum",
        ),
        pytest.param(
            "Fifty-five adults (43 women; mean age 44 years) were randomised to examplol (n = 27) "
            "or placebo (n = 28).",
            55,
            id="a part of all in brackets",
        ),
        pytest.param(
            "Adults with testitis (43 women; mean age 44 years) were randomised to examplol "
            "(n = 27) or placebo (n = 28).",
            55,
            id="one sex of all in brackets",
        ),
        pytest.param(
            "They were randomised to examplol (30 women) or placebo (32 women).",
            62,
            id="arms of one sex",
        ),
        pytest.param(
            "Relapse was less frequent with examplol than with placebo (79/741 versus 119/756).",
            1497,
            id="arms of a result",
        ),
        pytest.param("Twenty non-diabetic subjects took part.", 20, id="in words"),
        pytest.param("Thirty-five patients took part.", 35, id="in two words"),
        pytest.param("Three hundred thirty-five women took part.", 335, id="in hundreds"),
        pytest.param(
            "Of 40 patients, 2 patients had headache. We studied 90 adults.", 40, id="of an event"
        ),
        pytest.param(
            "We studied 401 adults; 12 patients (3%) had headache.", 401, id="a part with its share"
        ),
        pytest.param(
            "59 patients were randomised to examplol, and 61 patients were randomised to placebo.",
            120,
            id="arms in two clauses",
        ),
        pytest.param("From 2000 to 2007, 344 patients were studied.", 344, id="years"),
        pytest.param("It affects 1 in 10 women; we enrolled 150 women.", 150, id="one in ten"),
        pytest.param(
            "We randomised 300 patients, assessed for pain every week. It fell in 90 patients.",
            300,
            id="randomised and assessed",
        ),
        pytest.param(
            "1,200 patients were screened and 300 patients were randomised.", 300, id="screened"
        ),
        pytest.param(
            "1,400 patients from 30 centres (700 patients in Europe) were randomised.",
            1400,
            id="a part in brackets",
        ),
        pytest.param("Among 900 patients, 640 were randomised.", 640, id="a part at random"),
        pytest.param(
            "Of 900 patients, 640 (71%) were randomised to examplol or placebo.",
            640,
            id="a part at random with its share",
        ),
        pytest.param(
            "Of 900 patients, 640 adults (71.1 %) underwent randomisation.", 640, id="who they are"
        ),
        pytest.param(
            "We randomised 900 patients; 640 (71%) were randomised to examplol and 260 to placebo.",
            900,
            id="an arm with its share",
        ),
    ],
)
def test_people_randomised_to_what_is_reported(text: str, size: int) -> None:
    assert participants(paper(TITLE, text)) == size


def test_an_entry_merged_with_its_paper_is_sized_by_the_paper() -> None:
    record = trial(
        content="A total of 1431 patients underwent randomization.",
        enrollment=12,
        pmid="99000001",
        text_kind="abstract",
    )
    assert participants(record) == 1431
