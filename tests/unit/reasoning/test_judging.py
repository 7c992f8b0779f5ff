from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.appraisal.hypotheses import Edge, MechanismHypothesis, Sign
from deepcritical.domain.evidence.record import FactRole
from deepcritical.domain.question.question import ResearchQuestion, SearchBlock, SearchQuery
from deepcritical.domain.report.parts import SearchRun
from deepcritical.domain.study.reading import Result
from deepcritical.reasoning.judging import (
    assess,
    best_drug,
    mechanism_score,
    next_sides,
    open_gaps,
)
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.report import rank_drugs
from tests.unit.appraisal.builders import arm, result, study
from tests.unit.domain.records import CONTENT, appraisal, fact, paper, vote
from tests.unit.reasoning.examples import CANDIDATES, QUESTION

RCT = ("Randomized Controlled Trial",)
COHORT = ("Observational Study",)
FACT = fact()


def read(
    store: EvidenceStore,
    drug: str = "examplol",
    kind: tuple[str, ...] = RCT,
    *,
    helps: bool = True,
    harms: bool = False,
) -> None:
    """Adds a paper of its own, read about a drug."""
    number = len(store.evidence) + 1
    record = paper(f"A study, {number}", CONTENT, pmid=str(99000 + number), publication_types=kind)
    (key,) = store.add([record])
    direction = Direction.SUPPORTS if helps else Direction.REFUTES
    side = {
        "supporting" if helps else "refuting": (fact(evidence_id=key),),
        "votes": (vote(direction, 2 if kind == RCT else 3, 400, key, direct=True),),
    }
    kept = (FACT.model_copy(update={"role": FactRole.HARM, "evidence_id": key}),) if harms else ()
    store.add_appraisal(appraisal(record, key, drug=drug, direct=True, context=kept, **side))


def searched(store: EvidenceStore, queries: tuple[SearchQuery, ...]) -> None:
    store.searches += [
        SearchRun(source="made-up", query=query.text, outcome="ok", identified=1, new=1)
        for query in queries
    ]


def edge(*signs: Sign, subject: str = "examplol", target: str = "tau") -> Edge:
    sides = {Sign.INCREASES: "increases", Sign.DECREASES: "decreases", Sign.NO_EFFECT: "no_effect"}
    return Edge.model_validate(
        {"subject": subject, "object": target, **{sides[sign]: (FACT,) for sign in signs}}
    )


def chain(
    first: tuple[Sign, ...], second: tuple[Sign, ...] = (Sign.INCREASES,)
) -> MechanismHypothesis:
    return MechanismHypothesis(
        drug="examplol",
        target="tau",
        effect="tau",
        condition="testitis",
        confidence=0.5,
        edges=(edge(*first), edge(*second, subject="tau", target="testitis")),
    )


HELPS, HARMS = chain((Sign.DECREASES,)), chain((Sign.INCREASES,))
GAP, NOTHING = chain((Sign.DECREASES,), ()), chain((), ())
DISPUTED = chain((Sign.DECREASES, Sign.INCREASES))
NO_CHANGE = chain((Sign.NO_EFFECT,))


class TestRank:
    def test_without_readings_there_is_no_rank(self) -> None:
        assert rank_drugs(EvidenceStore()) == ()

    def test_the_better_verdict_comes_first(self) -> None:
        store = EvidenceStore()
        read(store, "nullol", helps=False)
        read(store, "examplol")
        assert rank_drugs(store) == ("examplol", "nullol")

    def test_of_one_verdict_the_more_certain_comes_first(self) -> None:
        store = EvidenceStore()
        read(store, "cohortol", COHORT)
        read(store, "trialol", RCT)
        assert rank_drugs(store) == ("trialol", "cohortol")

    def test_of_equals_the_one_with_more_studies_comes_first(self) -> None:
        store = EvidenceStore()
        for drug in ("fewol", "manyol", "manyol"):
            read(store, drug, COHORT)
        assert rank_drugs(store) == ("manyol", "fewol")

    def test_of_equals_the_alphabet_decides(self) -> None:
        store = EvidenceStore()
        for drug in ("bolol", "alol"):
            read(store, drug)
        assert rank_drugs(store) == ("alol", "bolol")

    @pytest.mark.parametrize(
        ("drugs", "ranked"),
        [
            ({"alol": (RCT, 300), "bolol": (RCT, 700)}, ("bolol", "alol")),
            ({"alol": (COHORT, 900), "bolol": (RCT, None)}, ("bolol", "alol")),
            ({"alol": (COHORT, 900), "bolol": (RCT, None), "culol": (RCT, 40)}, ("culol", "bolol")),
        ],
    )
    def test_of_drugs_that_nobody_could_read_those_of_larger_trials_come_first(
        self, drugs: dict[str, tuple[tuple[str, ...], int | None]], ranked: tuple[str, ...]
    ) -> None:
        store = EvidenceStore()
        for drug, (kind, people) in drugs.items():
            number = str(99000 + len(store.evidence))
            content = f"{people} adults were included." if people else "Testitis hurts."
            record = paper(f"{drug} {number}", content, pmid=number, publication_types=kind)
            (key,) = store.add([record])
            store.add_appraisal(appraisal(record, key, drug=drug))
        assert rank_drugs(store)[: len(ranked)] == ranked

    def test_a_drug_without_a_record_that_counts_is_left_out(self) -> None:
        store = EvidenceStore()
        record = paper()
        (key,) = store.add([record])
        store.add_appraisal(appraisal(record, key, excluded_because="does not name examplol"))
        assert rank_drugs(store) == ()

    def test_the_drug_asked_about_is_the_best_whatever_the_rank(self) -> None:
        store = EvidenceStore()
        read(store, "otherol")
        assert best_drug(QUESTION, store) == "examplol"

    def test_without_one_asked_about_the_first_of_the_rank_is(self) -> None:
        store = EvidenceStore()
        read(store, "otherol")
        assert best_drug(CANDIDATES, store) == "otherol"


class TestMechanismScore:
    @pytest.mark.parametrize(
        ("hypotheses", "score"),
        [
            ((), 0),
            ((NOTHING,), 0),
            ((GAP,), 2),
            ((HARMS,), 4),
            ((NO_CHANGE,), 4),
            ((HELPS,), 6),
            ((HELPS, GAP), 6),
            ((HELPS, HARMS), 4),
            ((DISPUTED,), 2),
            ((HELPS, DISPUTED), 4),
        ],
        ids=[
            "no chain",
            "no edge",
            "a drug-target edge",
            "predicts harm",
            "predicts no change",
            "predicts benefit",
            "a gap beside it costs nothing",
            "opposite predictions",
            "a disputed edge",
            "a disputed chain beside it",
        ],
    )
    def test_follows_its_table(
        self, hypotheses: tuple[MechanismHypothesis, ...], score: int
    ) -> None:
        assert mechanism_score(hypotheses) == score


class TestAssessment:
    @pytest.mark.parametrize("question", [QUESTION, CANDIDATES], ids=["drug", "candidates"])
    def test_of_an_empty_store_scores_nothing_and_goes_on(self, question: ResearchQuestion) -> None:
        found = assess(question, EvidenceStore())
        assert (found.mechanism_score, found.clinical_score, found.confidence) == (0, 0, 0.2)
        assert (found.sufficient, found.recommendation) == (False, "continue")

    def test_of_an_empty_store_asks_for_the_first_sides(self) -> None:
        store = EvidenceStore()
        assert assess(QUESTION, store).next_queries == next_sides(QUESTION, store)

    @pytest.mark.parametrize("chain", [HELPS, GAP], ids=["up to the condition", "a gap"])
    def test_with_a_trial_and_a_known_effect_is_sufficient(
        self, chain: MechanismHypothesis
    ) -> None:
        store = EvidenceStore()
        read(store)
        store.hypotheses = (chain,)
        found = assess(QUESTION, store)
        assert (found.sufficient, found.recommendation) == (True, "synthesize")

    def test_with_a_trial_that_could_not_be_read_is_not_sufficient(self) -> None:
        store = EvidenceStore()
        (key,) = store.add([record := paper("A study", CONTENT, publication_types=RCT)])
        store.add_appraisal(appraisal(record, key, drug="examplol", direct=True, unread=True))
        store.hypotheses = (HELPS,)
        found = assess(QUESTION, store)
        assert (found.sufficient, found.recommendation) == (False, "continue")

    @pytest.mark.parametrize("hypotheses", [(), (NOTHING,)], ids=["no chain", "no evidence"])
    def test_without_anything_known_of_how_it_acts_is_not_sufficient(
        self, hypotheses: tuple[MechanismHypothesis, ...]
    ) -> None:
        store = EvidenceStore()
        read(store)
        store.hypotheses = hypotheses
        assert not assess(QUESTION, store).sufficient

    def test_names_the_records_that_decided(self) -> None:
        store = EvidenceStore()
        read(store)
        assert assess(QUESTION, store).key_findings[0].endswith("[E1]")

    def test_of_candidates_lists_them_by_rank(self) -> None:
        store = EvidenceStore()
        read(store, "nullol", helps=False)
        read(store, "examplol")
        assert assess(CANDIDATES, store).drug_candidates == ("examplol", "nullol")


class TestGaps:
    @pytest.mark.parametrize(
        ("kind", "harms", "hypotheses", "gap", "query"),
        [
            (
                COHORT,
                True,
                (HELPS,),
                "No randomised study with a result for examplol.",
                "examplol testitis randomised placebo-controlled trial",
            ),
            (
                RCT,
                False,
                (HELPS,),
                "No record reports harms of examplol.",
                "examplol adverse events tolerability safety",
            ),
            (RCT, True, (GAP,), "No record shows that tau acts on testitis.", "tau testitis"),
            (
                RCT,
                True,
                (),
                "No target of examplol was recognised in the records.",
                "examplol mechanism target pathway",
            ),
        ],
        ids=["no trial", "no harms", "open edge", "no target"],
    )
    def test_each_has_the_query_that_could_close_it(
        self,
        kind: tuple[str, ...],
        harms: bool,
        hypotheses: tuple[MechanismHypothesis, ...],
        gap: str,
        query: str,
    ) -> None:
        store = EvidenceStore()
        read(store, kind=kind, harms=harms)
        store.hypotheses = hypotheses
        found = assess(QUESTION, store)
        assert found.gaps == (gap,)
        assert found.next_queries[0].text == query

    def test_there_is_none_when_all_is_shown(self) -> None:
        store = EvidenceStore()
        read(store, harms=True)
        store.hypotheses = (HELPS,)
        assert assess(QUESTION, store).gaps == ()

    def test_one_edge_open_in_two_chains_is_one_gap(self) -> None:
        store = EvidenceStore()
        read(store, harms=True)
        store.hypotheses = (GAP, GAP)
        assert len(assess(QUESTION, store).gaps) == 1


class TestSearchSides:
    def test_the_first_round_begins_with_drug_and_condition(self) -> None:
        assert next_sides(QUESTION, EvidenceStore())[0].text == "examplol testitis"

    def test_the_first_round_also_looks_for_what_speaks_against_the_drug(self) -> None:
        sides = next_sides(QUESTION, EvidenceStore())
        assert "examplol testitis no effect increased risk" in [side.text for side in sides]

    def test_a_round_that_was_run_is_followed_by_the_next(self) -> None:
        store = EvidenceStore()
        first = next_sides(QUESTION, store)
        searched(store, first)
        assert set(next_sides(QUESTION, store)).isdisjoint(first)

    def test_what_is_open_of_a_round_is_given_again_with_the_next_round(self) -> None:
        store, whole = EvidenceStore(), EvidenceStore()
        first = next_sides(QUESTION, store)
        searched(whole, first)
        searched(store, first[:1])
        assert next_sides(QUESTION, store) == (*first[1:], *next_sides(QUESTION, whole))

    def test_after_three_rounds_nothing_is_left(self) -> None:
        store = EvidenceStore()
        rounds = []
        while sides := next_sides(QUESTION, store):
            rounds.append(sides)
            searched(store, sides)
        assert len(rounds) == 3

    def test_candidates_are_first_sought_by_the_condition_alone(self) -> None:
        assert next_sides(CANDIDATES, EvidenceStore())[0].text == "testitis"

    def test_each_candidate_found_is_then_searched_for_and_against(self) -> None:
        store = EvidenceStore()
        read(store)
        assert tuple(side.text for side in next_sides(CANDIDATES, store)) == (
            "examplol testitis",
            "examplol testitis randomised trial placebo",
            "examplol testitis results randomized significantly median ratio confidence interval",
            "examplol testitis no effect not associated",
        )


class TestWhichCandidatesAreSearched:
    def test_the_first_round_also_asks_in_the_words_of_results(self) -> None:
        sides = next_sides(QUESTION, EvidenceStore())
        assert any("hazard ratio" in side.text for side in sides)


class TestCitations:
    def test_those_of_the_studies_that_decide_are_followed_once(self) -> None:
        store = EvidenceStore()
        read(store, kind=COHORT)
        read(store, kind=RCT)
        (query,) = (
            q for q in assess(QUESTION, store).next_queries if q.block is SearchBlock.CITATIONS
        )
        assert query.linked_to == ("99002", "99001")
        searched(store, (query,))
        assert query not in assess(QUESTION, store).next_queries

    def test_without_a_gap_none_is_followed(self) -> None:
        store = EvidenceStore()
        read(store, harms=True)
        store.hypotheses = (HELPS,)
        asked = assess(QUESTION, store)
        assert not asked.gaps
        assert all(q.block is not SearchBlock.CITATIONS for q in asked.next_queries)


NO_HARMS = "No record reports harms of examplol."
ARMS = (arm("A", "examplol"), arm("B"), arm("C", "otherol"))


@pytest.mark.parametrize(
    ("of", "feared", "is_missing"),
    [
        (result("nausea", kind="safety", a="A", b="B"), False, False),
        (result("nausea", kind="safety", a="C", b="B"), False, True),
        (result("nausea", kind="safety", a="B", b="", contrast="single"), False, True),
        (result(), False, True),
        (result("myocardial infarction", a="A", b="B", better="b"), True, False),
    ],
)
def test_harms_are_missing_where_no_study_measured_those_of_the_drug(
    of: Result, feared: bool, is_missing: bool
) -> None:
    store = EvidenceStore()
    record = paper(publication_types=RCT)
    (key,) = store.add([record])
    cast = vote(Direction.SUPPORTS, 2, 400, key, direct=True)
    votes = (cast.model_copy(update={"feared": feared}),)
    store.add_appraisal(appraisal(record, key, direct=True, votes=votes))
    store.add_study(key, study(of, arms=ARMS))
    assert (NO_HARMS in {gap.text for gap in open_gaps(QUESTION, store)}) is is_missing


@pytest.mark.parametrize(("known", "told"), [(True, " of testitis"), (False, "")])
def test_a_missing_trial_names_a_known_condition(known: bool, told: str) -> None:
    store = EvidenceStore()
    read(store, "examplol", COHORT)
    named = QUESTION.condition
    assert named
    asked = QUESTION.model_copy(update={"condition": named.model_copy(update={"known": known})})
    missing = f"No randomised study{told} with a result for examplol."
    assert missing in {gap.text for gap in open_gaps(asked, store)}
