"""Writes the answer to a free question out of located sentences, item by item.

Every sentence on a study is the record's own, with its number behind it; what the studies come to
is said by rule. What speaks against is never left out for want of room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from deepcritical.domain.answer import AnsweredItem, DeepAnswer
from deepcritical.domain.appraisal import Stance
from deepcritical.domain.checklist import (
    Aspect,
    ChecklistItem,
    Coverage,
    Inquiry,
    InquiryKind,
    ItemFact,
    facts_of,
)
from deepcritical.domain.events import StopReason
from deepcritical.domain.grading import grade
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.report_parts import ReportSection
from deepcritical.domain.trial_status import (
    is_stopped,
    is_under_way,
    status_and_size,
    told_status,
)
from deepcritical.reasoning.figures import has_result_figures
from deepcritical.reasoning.inquiries import asks_for_stopped, focus_of
from deepcritical.reasoning.item_facts import ItemReader, checklist_in, counting, covered
from deepcritical.reasoning.ratings import Rating, Strongest
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.citing import Citer
from deepcritical.writing.context import ReportContext
from deepcritical.writing.evidence_rows import evidence_rows

__all__ = ["synthesize"]

_MOST: dict[Aspect, int] = {Aspect.ANSWER: 6, Aspect.AGAINST: 5, Aspect.REGISTERED: 10}
_MOST_OF_OTHERS = 4
_MOST_TRIALS = 10
_UNGRADED = 9
_ANIMALS = 5
_SIDES = {Stance.SUPPORTS: "for a yes", Stance.REFUTES: "for a no"}
_OPEN = "without a clear side"
_EARLY = {
    StopReason.DEADLINE: "the time for it was over",
    StopReason.BUDGET: "the model's budget was used up",
    StopReason.USER_STOP: "it was stopped by the user",
    StopReason.MAX_ITERATIONS: "the limit of rounds was reached",
}


def synthesize(
    inquiry: Inquiry,
    store: EvidenceStore,
    context: ReportContext,
    author: str,
    chosen: Sequence[ItemFact] = (),
    chosen_by: str = "",
) -> DeepAnswer:
    """The answer from the facts in the store.

    Args:
        inquiry: The question.
        store: The run's store with checklist and facts.
        context: What is to be said of the run.
        author: Who wrote it.
        chosen: Facts that a model finds most telling, in its order.
        chosen_by: The model.
    """
    return _Writer(inquiry, store, context).written(author, chosen, chosen_by)


class _Writer:
    def __init__(self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext) -> None:
        self._inquiry = inquiry
        self._store = store
        self._context = context
        self._citer = Citer(store)
        self._facts = counting(store)
        self._study_of = store.study_of
        self._told: set[str] = set()
        self._noted: set[str] = set()

    def written(self, author: str, chosen: Sequence[ItemFact], chosen_by: str) -> DeepAnswer:
        """The whole answer; the parts are written in the order in which they are read."""
        overview = self._overview()
        sections = tuple(self._sections(chosen_by, chosen))
        checklist = tuple(self._checklist())
        return DeepAnswer(
            question=self._inquiry.text,
            context=self._inquiry.context,
            scope_in=self._inquiry.scope_in,
            scope_out=self._inquiry.scope_out,
            key_terms=self._inquiry.key_terms,
            overview=overview,
            sections=sections,
            checklist=checklist,
            limitations=tuple(self._limitations(checklist)),
            references=self._citer.references,
            evidence_table=evidence_rows(self._store, self._citer.references, ()),
            claims=self._citer.claims,
            searches=tuple(self._store.searches),
            sources_searched=self._context.sources,
            records_read=len(self._store.evidence),
            search_iterations=self._context.iterations,
            stop_reason=StopReason(self._context.stop_reason),
            notices=self._context.notices,
            written_by=author,
        )

    # --- what the studies come to -----------------------------------------------------------------

    def _overview(self) -> str:
        direct = [fact for fact in self._facts if fact.direct and not self._is_beside(fact)]
        if listed := self._registered(direct):
            return listed
        if not direct:
            near = " Sentences of related records are told below." if self._facts else ""
            return f"Nothing in the records found answers this question directly.{near}"
        if focus_of(self._inquiry.plain).asked.yes_no:
            return "\n".join(f"- {line}" for line in self._sides(direct))
        answering = self._answering(direct)
        studies = self._number(answering)
        if not studies:
            return "No study found answers the question itself; what is told below is beside it."
        number = "One study speaks" if studies == 1 else f"{studies} studies speak"
        best = min(fact.level or _UNGRADED for fact in answering)
        level = f"; the best is of OCEBM level {best}" if best < _UNGRADED else ""
        people = ", and none of them studied people" if best == _ANIMALS else ""
        return (
            f"{number} to the question{level}{people}. What the records say is told below, "
            "strongest study first."
        )

    def _is_beside(self, fact: ItemFact) -> bool:
        """Whether it tells a harm of the drug where no harm is asked for."""
        if self._inquiry.kind is InquiryKind.SAFETY:
            return False
        aspects = {i.aspect for i in checklist_in(self._store).items if i.id in fact.items}
        return aspects <= {Aspect.SAFETY, Aspect.SERIOUS}

    def _registered(self, direct: Sequence[ItemFact]) -> str:
        """The trials that were asked for, those under way first; '' where none was."""
        items = checklist_in(self._store).items
        item = next((i for i in items if i.aspect is Aspect.REGISTERED), None)
        keys = [fact.fact.evidence_id for fact in facts_of(item, direct)] if item else []
        if not keys:
            return ""
        records = self._store.evidence
        today = self._context.searched_on
        stopped = asks_for_stopped(self._inquiry.text)
        keys.sort(
            key=lambda key: (
                stopped and not is_stopped(records[key]),
                not is_under_way(records[key], today),
            )
        )
        named = [
            f"{self._citer.name(key)}, {status_and_size(records[key])} {self._citer.cite([key])}"
            for key in keys[:_MOST_TRIALS]
        ]
        rest = keys[_MOST_TRIALS:]
        more = f"; and {len(rest)} more {self._citer.cite(rest)}" if rest else ""
        return Rating.REGISTERED.told(trials="; ".join(named) + more)

    def _sides(self, direct: Sequence[ItemFact]) -> Iterator[str]:
        sided = [fact for fact in direct if fact.side is not Stance.NEUTRAL]
        if not sided:
            yield "Studies bear on the question, and none of them takes a side."
            return
        best = min(fact.level or _UNGRADED for fact in sided)
        strongest = [fact for fact in sided if (fact.level or _UNGRADED) == best]
        level = f" (OCEBM level {best})" if best < _UNGRADED else ""
        verdict = self._verdict(sided, strongest)
        yield Rating.STRONGEST.told(strongest=verdict, level=level, cited=self._cite(strongest))
        for side, name in _SIDES.items():
            if own := [fact for fact in sided if fact.side is side]:
                yield self._side(name, own)
        took = {self._study_of[fact.fact.evidence_id] for fact in sided}
        if open_ := [
            f for f in self._answering(direct) if self._study_of[f.fact.evidence_id] not in took
        ]:
            yield self._side(_OPEN, open_)

    def _answering(self, facts: Sequence[ItemFact]) -> list[ItemFact]:
        """The facts on the question itself, not on what is told beside it."""
        answer = next(i for i in checklist_in(self._store).items if i.aspect is Aspect.ANSWER)
        return facts_of(answer, facts)

    def _side(self, name: str, own: Sequence[ItemFact]) -> str:
        n, best = self._number(own), min(fact.level or _UNGRADED for fact in own)
        return Rating.SIDE.told(
            side=name.capitalize(),
            n=n,
            studies="study" if n == 1 else "studies",
            best=f", the best of OCEBM level {best}" if best < _UNGRADED else "",
            cited=self._cite(own),
        )

    def _verdict(self, sided: Sequence[ItemFact], strongest: Sequence[ItemFact]) -> Strongest:
        """For what the strongest studies speak; one study alone is called one."""
        sides = {fact.side for fact in strongest}
        if len(sides) > 1:
            return Strongest.DISAGREE
        yes = Stance.SUPPORTS in sides
        if self._number(sided) == 1:
            return Strongest.ONLY_YES if yes else Strongest.ONLY_NO
        if self._number(strongest) == 1:
            return Strongest.ONE_YES if yes else Strongest.ONE_NO
        return Strongest.YES if yes else Strongest.NO

    def _number(self, facts: Sequence[ItemFact]) -> int:
        return len({self._study_of[fact.fact.evidence_id] for fact in facts})

    def _cite(self, facts: Iterable[ItemFact]) -> str:
        ranked = sorted(facts, key=_strength)
        return self._citer.cite(fact.fact.evidence_id for fact in ranked)

    # --- the sentences ----------------------------------------------------------------------------

    def _sections(self, by: str, chosen: Sequence[ItemFact]) -> Iterator[ReportSection]:
        items = checklist_in(self._store).items
        # What speaks against has its own place, so that no other section tells it away.
        kept = {i.id: self._picked(i, ()) for i in items if i.aspect is Aspect.AGAINST}
        reserved = {fact.id for facts in kept.values() for fact in facts}
        if key := [fact for fact in chosen if fact.id not in reserved]:
            told = self._section("Key sentences", key)
            lead = f"As {escape_markdown(by)} chose them:"
            yield told.model_copy(update={"content": f"{lead}\n\n{told.content}"})
        for item in items:
            facts = kept.get(item.id) or self._picked(item, reserved)
            if facts:
                yield self._section(item.text, facts)

    def _section(self, title: str, facts: Sequence[ItemFact]) -> ReportSection:
        self._told.update(fact.id for fact in facts)
        return ReportSection(title=title, content="\n".join(map(self._line, facts)))

    def _picked(self, item: ChecklistItem, reserved: Iterable[str]) -> list[ItemFact]:
        """The best sentence of each of the strongest studies, both sides among them."""
        passed = {*self._told, *reserved}
        own = [fact for fact in facts_of(item, self._facts) if fact.id not in passed]
        by_study: dict[int, ItemFact] = {}
        for fact in sorted(own, key=_strength):
            by_study.setdefault(self._study_of[fact.fact.evidence_id], fact)
        ranked = list(by_study.values())
        most = _MOST.get(item.aspect, _MOST_OF_OTHERS)
        first = {
            fact.id
            for side in _SIDES
            for fact in [f for f in ranked if f.side is side][: most // 2]
        }
        ranked.sort(key=lambda fact: fact.id not in first)
        return sorted(ranked[:most], key=_strength)

    def _line(self, fact: ItemFact) -> str:
        key = fact.fact.evidence_id
        name, source = self._citer.name(key), self._citer.source(key)
        told = f"- **{name}** ({self._strength_of(fact)}), {source}: "
        return f"{told}{self._citer.sentence(fact.fact)}{self._note(key)}"

    def _strength_of(self, fact: ItemFact) -> str:
        record = self._store.evidence[fact.fact.evidence_id]
        graded = grade(record)
        parts = (
            graded.design.value,
            told_status(record),
            f"OCEBM level {graded.level}" if graded.level else "no OCEBM level",
            f"{graded.participants:,} participants" if graded.participants else "",
            _SIDES.get(fact.side, ""),
            "" if fact.direct else "related only",
            "expression of concern" if graded.concern else "",
        )
        said = ", ".join(part for part in parts if part)
        return escape_markdown(said.replace("(", "").replace(")", ""))

    def _note(self, evidence_id: str) -> str:
        note = self._store.evidence[evidence_id].metadata.note
        if not note or evidence_id in self._noted:
            return ""
        self._noted.add(evidence_id)
        said = escape_markdown(note.rstrip("."))
        return f"\n  - Note kept with the record: {said} {self._citer.cite([evidence_id])}."

    # --- what is missing --------------------------------------------------------------------------

    def _checklist(self) -> Iterator[AnsweredItem]:
        at = {fact.id: fact.fact.evidence_id for fact in self._facts}
        by_item = {c.item: c for c in self._store.coverage or covered(self._store)}
        for item in checklist_in(self._store).items:
            said = by_item[item.id]
            yield AnsweredItem(
                item=item,
                coverage=said.coverage,
                reason=said.reason,
                evidence_ids=tuple(dict.fromkeys(at[i] for i in said.fact_ids if i in at)),
            )

    def _limitations(self, checklist: Sequence[AnsweredItem]) -> Iterator[str]:
        yield "Read were titles, abstracts, registry entries and snippets, not full texts."
        yield (
            f"The sentences were found by {self._context.found_by}; a record that says it in quite "
            "other words may have been missed."
        )
        if any(
            a.item.aspect is Aspect.AGAINST and a.coverage is Coverage.UNSATISFIED
            for a in checklist
        ):
            yield "That nothing was found which speaks against it does not show that there is none."
        if retracted := self._retracted():
            verb = "record bears" if retracted == 1 else "records bear"
            yield f"{retracted} retracted {verb} on the question; none of its words is used."
        if why := _EARLY.get(StopReason(self._context.stop_reason)):
            yield f"Research ended before the checklist was satisfied, because {why}."

    def _retracted(self) -> int:
        reader = ItemReader(self._inquiry, checklist_in(self._store))
        records = self._store.evidence.values()
        return sum(grade(r).retracted and reader.bears(r) for r in records)


def _strength(fact: ItemFact) -> tuple[object, ...]:
    """The strongest first: direct, of the best level, with a side, with figures."""
    return (
        not fact.direct,
        fact.level or _UNGRADED,
        fact.side is Stance.NEUTRAL,
        not has_result_figures(fact.fact.quote),
        # That nothing occurred says less than what did.
        fact.fact.quote.startswith("No "),
        int(fact.id[1:]),
    )
