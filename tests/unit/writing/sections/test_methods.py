from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.report.parts import SearchRun
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.context import ReportContext
from deepcritical.writing.sections.methods import Methods
from deepcritical.writing.sections.quoting import Citer
from tests.unit.domain.records import appraisal, paper
from tests.unit.reasoning.examples import CANDIDATES, QUESTION

CONTEXT = ReportContext(
    stop_reason="deadline", iterations=2, searched_on="2999-01-01", sources=("a made-up *source*",)
)
_FLOW = re.compile(
    r"(\d+) identified, (\d+) duplicates removed, (\d+) screened, (\d+) excluded"
    r".*, (\d+) included, of (\d+) stud(?:y|ies)"
)


def methods(
    store: EvidenceStore,
    question: ResearchQuestion = QUESTION,
    drugs: tuple[str, ...] = ("examplol",),
    citer: Citer | None = None,
) -> Methods:
    return Methods(question, store, CONTEXT, citer or Citer(store), drugs, "a test")


def store_of(*excluded: str, drug: str = "examplol", linked: str = "") -> EvidenceStore:
    """A store with one record for each reason of exclusion; '' is an included one."""
    store = EvidenceStore()
    for number, why in enumerate(excluded, start=1):
        record = paper(
            f"A study, {number}", pmid=str(99000 + number), linked_ids=(linked,) if linked else ()
        )
        (key,) = store.add([record])
        store.add_appraisal(appraisal(record, key, drug=drug, excluded_because=why))
    identified = len(excluded) + 2
    store.searches.append(
        SearchRun(
            source="made-up",
            query="examplol | testitis",
            outcome="ok",
            identified=identified,
            new=len(excluded),
        )
    )
    return store


def flow(store: EvidenceStore, drugs: tuple[str, ...] = ("examplol",)) -> list[int]:
    match = _FLOW.search(methods(store, drugs=drugs).methodology())
    assert match
    return [int(number) for number in match.groups()]


class TestTheFlow:
    @pytest.mark.parametrize(
        ("excluded", "expected"),
        [
            (("", "", "off topic"), [5, 2, 3, 1, 2, 2]),
            (("", ""), [4, 2, 2, 0, 2, 2]),
            (("off topic",), [3, 2, 1, 1, 0, 0]),
            ((), [2, 2, 0, 0, 0, 0]),
        ],
        ids=["both", "all included", "all excluded", "nothing"],
    )
    def test_says_how_many_of_each(self, excluded: tuple[str, ...], expected: list[int]) -> None:
        assert flow(store_of(*excluded)) == expected

    @pytest.mark.parametrize("excluded", [("", "a", "b", "a"), ("a",), ("", "")])
    def test_adds_up(self, excluded: tuple[str, ...]) -> None:
        identified, duplicates, screened, left_out, included, _ = flow(store_of(*excluded))
        assert (identified - duplicates, left_out + included) == (screened, screened)

    def test_counts_the_records_of_one_study_once(self) -> None:
        assert flow(store_of("", "", linked="nct:NCT99999999"))[-2:] == [2, 1]

    def test_counts_each_reason(self) -> None:
        text = methods(store_of("off topic", "no text", "off topic")).methodology()
        assert "3 excluded (1 × no text; 2 × off topic)" in text

    def test_names_each_record_that_was_not_used(self) -> None:
        text = methods(store_of("", "off topic")).methodology()
        assert "Retrieved but not used:\n\nOff topic (1):\n\n- A study, 2" in text

    def test_names_ten_of_those_on_other_drugs_and_counts_the_rest(self) -> None:
        text = methods(store_of("", *["does not name examplol"] * 13)).methodology()
        assert "Does not name examplol (13):" in text
        assert (text.count("\n- A study"), "\n- and 3 more" in text) == (10, True)

    def test_names_all_of_those_left_out_for_another_reason(self) -> None:
        text = methods(store_of(*["does not name testitis"] * 13)).methodology()
        assert (text.count("\n- A study"), "more" in text.split("not used")[1]) == (13, False)

    def test_has_a_record_that_nobody_read_as_not_read(self) -> None:
        store = store_of("")
        store.add([paper("Another study", pmid="99999")])
        assert "Not read (1):\n\n- Another study" in methods(store).methodology()

    def test_includes_a_record_that_one_of_several_drugs_uses(self) -> None:
        store = store_of("does not name examplol")
        record = store.evidence["E1"]
        store.add_appraisal(appraisal(record, "E1", drug="otherol"))
        assert flow(store, ("examplol", "otherol"))[3:5] == [0, 1]

    def test_leaves_out_what_none_of_several_drugs_uses(self) -> None:
        store = store_of("does not name examplol")
        text = methods(store, CANDIDATES, ("examplol", "otherol")).methodology()
        assert "names none of the candidates" in text

    def test_of_several_drugs_the_one_that_a_record_names_gives_the_reason(self) -> None:
        store = store_of("does not name testitis")
        other = appraisal(store.evidence["E1"], "E1", drug="otherol")
        reading = other.reading.model_copy(update={"excluded_because": "does not name otherol"})
        store.add_appraisal(other.model_copy(update={"reading": reading}))
        text = methods(store, CANDIDATES, ("otherol", "examplol")).methodology()
        assert "1 excluded (1 × does not name testitis)" in text


class TestTheQuestionAsUnderstood:
    @pytest.mark.parametrize(
        ("question", "understood"),
        [
            (QUESTION, "drug examplol; condition testitis."),
            (
                CANDIDATES,
                "candidates among the drugs that the records name; condition testitis.",
            ),
            (
                QUESTION.model_copy(update={"mechanism_terms": ("AMPK", "tau")}),
                "drug examplol; condition testitis, through AMPK, tau.",
            ),
        ],
        ids=["drug", "candidates", "hypothesis"],
    )
    def test_is_said_first(self, question: ResearchQuestion, understood: str) -> None:
        text = methods(store_of(""), question).methodology()
        assert text.startswith(f"Question understood as: {understood}")


class TestTheSearch:
    @pytest.mark.parametrize(
        "said",
        [
            "Sources, searched on 2999-01-01:\n\n- a made-up \\*source\\*",
            "Rounds: 2; the search ended because the time limit was reached.",
            "Written by: a test.",
        ],
        ids=["sources, escaped", "why it ended", "who wrote"],
    )
    def test_is_told_as_it_was_run(self, said: str) -> None:
        assert said in methods(store_of("")).methodology()


class TestLimitations:
    def test_of_a_summary_say_that_the_words_are_not_the_sources(self) -> None:
        store = EvidenceStore()
        store.add([paper("A study", text_kind="summary")])
        citer = Citer(store)
        citer.cite(["E1"])
        assert any("the words are not" in t for t in methods(store, citer=citer).limitations())

    def test_of_quotes_alone_do_not(self) -> None:
        store = store_of("")
        citer = Citer(store)
        citer.cite(["E1"])
        assert not any("the words are not" in t for t in methods(store, citer=citer).limitations())

    def test_name_a_source_that_failed(self) -> None:
        store = EvidenceStore()
        store.searches.append(
            SearchRun(source="made-up", query="q", outcome="unavailable", identified=0, new=0)
        )
        silent = "Could not be read at all, so that its records are missing here: made-up."
        assert silent in methods(store).limitations()
        answered = store.searches[0].model_copy(update={"outcome": "empty"})
        store.searches.append(answered)
        assert silent not in methods(store).limitations()
        assert "Not fully readable: made-up." in methods(store).limitations()

    def test_count_the_statements_that_were_dropped(self) -> None:
        store = EvidenceStore()
        store.facts_dropped = 2
        assert any(text.startswith("2 statements") for text in methods(store).limitations())


class TestLiveSources:
    @staticmethod
    def searched(**fields: Any) -> EvidenceStore:
        store = store_of("")
        known = {"source": "b", "query": "q", "outcome": "data", "identified": 2, "new": 0}
        live = {"searched_at": datetime(2999, 1, 1, tzinfo=UTC), "total": 2}
        store.searches[:] = [SearchRun.model_validate({**known, **live, **fields})]
        return store

    def test_are_said_to_rank_by_themselves(self) -> None:
        assert "Each source ranks" in methods(self.searched()).methodology()
        assert "BM25" in methods(store_of("")).methodology()

    def test_hits_that_were_not_read_limit_the_report(self) -> None:
        assert not any("ranks first" in text for text in methods(self.searched()).limitations())
        (told,) = [t for t in methods(self.searched(total=9)).limitations() if "ranks first" in t]
        assert told.startswith("1 of 1 answers")

    def test_kept_answers_limit_the_report(self) -> None:
        told = methods(self.searched(cached=True)).limitations()
        assert any(text.startswith("1 of 1 answers were kept") for text in told)

    def test_only_answers_are_counted_as_such(self) -> None:
        store = self.searched(cached=True)
        for outcome in ("unavailable", "not_applicable"):
            other = {"outcome": outcome, "cached": False, "identified": 0}
            store.searches.append(store.searches[0].model_copy(update=other))
        told = methods(store).limitations()
        assert any(text.startswith("1 of 1 answers were kept") for text in told)

    def test_records_are_counted_by_source_when_there_are_several(self) -> None:
        store = self.searched()
        assert "2 identified," in methods(store).methodology()
        store.searches.append(store.searches[0].model_copy(update={"source": "c"}))
        assert "4 identified (b 2, c 2)," in methods(store).methodology()
