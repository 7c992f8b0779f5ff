"""The brief as Markdown: what stands in it, and what never does."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from deepcritical.domain.appraisal.effect_words import effect_words
from deepcritical.domain.appraisal.verdict import NO_RECORD, VerdictLabel
from deepcritical.domain.report.report import head_markdown
from deepcritical.domain.study.reading import Effect
from tests.unit.domain.report.briefs import BRIEF, VERDICT, brief_report

WRITTEN = head_markdown(brief_report())


def test_it_begins_with_the_badge() -> None:
    assert WRITTEN.startswith("**Promising** · certainty: moderate\n\nIn two small")


def test_the_badge_says_what_the_verdict_is_on() -> None:
    denied = brief_report(proposition="examplol helps in testitis")
    assert "· on whether examplol helps in testitis\n" in head_markdown(denied)


def test_what_was_not_assessed_has_no_certainty() -> None:
    verdict = NO_RECORD.model_copy(update={"label": VerdictLabel.NOT_ASSESSED})
    assert head_markdown(brief_report(verdict=verdict)).startswith("**Not assessed**\n")


def test_sentences_end_in_their_citations() -> None:
    assert "by 2.4 points (95 % CI 0.3 to 4.5) [1][2]. A larger cohort" in WRITTEN
    assert "**Harms:** Diarrhoea was more common with examplol [2]." in WRITTEN


@pytest.mark.parametrize(
    "row",
    [
        "| Executive function | placebo or no treatment | 2 (1,234) | Better with the drug; mean "
        "difference 2.4 points, 95 % CI 0.3 to 4.5 [1][2] | moderate |",
        "| Onset of testitis (indirect) | comparatol | 10 (229,110) | No difference shown; pooled "
        "odds ratio 1.17, 95 % CI 0.88 to 1.56 [3] | very low |",
        "| Diarrhoea (other patients) | placebo or no treatment | 1 | More frequent with the "
        "drug; risk ratio 1.14, 95 % CI 1.06 to 1.20 [2] | low |",
    ],
)
def test_a_row_says_the_effect_in_words(row: str) -> None:
    assert "| Outcome | Compared with | Studies (people) | Result | Certainty |" in WRITTEN
    assert row in WRITTEN.splitlines()


@pytest.mark.parametrize(
    "line",
    [
        "- **Koenig 2999**, randomised trial, 1,214 people, against placebo: Executive function "
        "improved by 2.4 points (0.3 to 4.5); memory did not [1].",
        "- **Van der Made-Up 2997**, cohort: The risk of testitis was the same [3].",
        "- No trial studied severe testitis.",
        "- **NCT00000006**: Examplol (planned) [6]",
    ],
)
def test_the_lists_have_a_line_for_each(line: str) -> None:
    assert line in WRITTEN.splitlines()


def test_an_empty_part_has_no_heading() -> None:
    bare = BRIEF.model_copy(
        update={"harms": (), "findings": (), "studies": (), "missing": (), "trials": ()}
    )
    written = head_markdown(brief_report(bare))
    assert not re.search(r"^#|\||Harms", written, re.MULTILINE)


def test_a_report_without_a_brief_has_its_summary_instead() -> None:
    old = brief_report(None)
    assert f"\n\n{old.executive_summary}" in head_markdown(old)


def test_the_head_of_a_report_is_its_brief() -> None:
    head, _, rest = brief_report().to_markdown().partition("*For research use")
    assert WRITTEN in head
    assert not re.search(r"Rule:|Caps:|confidence|/10", head)
    assert f"- Rule: {VERDICT.rule}" in rest.partition("## How this was assessed")[2]
    assert "## All outcomes" not in rest


def test_rows_that_the_brief_leaves_out_stand_behind_it() -> None:
    short = BRIEF.model_copy(update={"findings": BRIEF.findings[:1]})
    assert "## All outcomes" in brief_report(short).to_markdown()


def test_texts_of_records_are_no_markup() -> None:
    attack = "<b>x</b> [a](https://evil.example) | # *y*\n\n# Verdict\x1b[2J"
    study = BRIEF.studies[0].model_copy(update={"name": attack, "design": attack})
    trial = BRIEF.trials[0].model_copy(update={"title": attack, "registry_id": attack})
    row = BRIEF.findings[0].model_copy(update={"outcome": attack, "comparator": attack})
    hostile = BRIEF.model_copy(
        update={"studies": (study,), "trials": (trial,), "findings": (row,), "missing": (attack,)}
    )
    written = head_markdown(brief_report(hostile))
    page = MarkdownIt().enable("table").render(written)
    assert not re.search(r"<(?:b|a|em|h1)\b", page)
    assert "\x1b" not in written


@pytest.mark.parametrize(
    ("value", "words"), [(0.742, "0.742"), (1.13636, "1.14"), (0.001234, "0.0012"), (12, "12")]
)
def test_a_calculated_figure_is_rounded(value: float, words: str) -> None:
    assert effect_words(Effect(measure="RR", value=value)) == f"risk ratio {words}"
