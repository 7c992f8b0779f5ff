"""The parts of a report that say how the evidence was found and read, and what limits it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.report.parts import PrismaFlow, RecordCount
from deepcritical.domain.study.identity import study_groups
from deepcritical.domain.text.markdown import escape_markdown
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.context import ReportContext
from deepcritical.writing.sections.quoting import Citer

_SEARCHED_BY_WORDS = "The snapshot ranks its records by words (BM25)."
_RANKED = (
    "What was found is ranked for the question before it is read; of records of one strength those "
    "that fit it best are told first."
)
_RANKED_BY_SOURCE = "Each source ranks its records by its own measure of relevance."
_REVIEWED = (
    "The question as understood, the sources, the searches of the first round and the limits were "
    "fixed before the run, in a plan that was reviewed."
)
_ANSWERED = ("data", "empty", "degraded")
_GIVEN = "given without a search"
_NO_CANDIDATE = "names none of the candidates"
_OFF_TOPIC_SHOWN = 10
"""Titles shown of records on other drugs, which lexical retrieval brings by the dozen."""
_STOPPED = {
    "sufficient_evidence": (
        "the evidence answers the question, whichever way, and a round brought little that is new"
    ),
    "no_new_evidence": "a further round brought nothing new",
    "max_iterations_reached": "the limit of rounds was reached",
    "deadline": "the time limit was reached",
    "no_evidence": "nothing was found",
    "user_stop": "the user wanted the report from what there was",
}


@dataclass(frozen=True)
class Methods:
    """Writes the methodology, with the PRISMA counts, and the limitations.

    Args:
        question: The question as understood.
        store: The run's store.
        context: What is to be said of the run itself.
        citer: Numbers the citations of the whole report.
        drugs: Names of the drug asked about, or of the candidates in the report.
        written_by: Name of the reasoner.
    """

    question: ResearchQuestion
    store: EvidenceStore
    context: ReportContext
    citer: Citer
    drugs: tuple[str, ...]
    written_by: str

    @property
    def _condition(self) -> str:
        return self.question.condition.name if self.question.condition else self.question.text

    @property
    def _live(self) -> bool:
        return any(search.searched_at for search in self.store.searches)

    def _unread_hits(self) -> str:
        """Say how many live answers held only the first records of more that match."""
        answered = [s for s in self.store.searches if s.searched_at and s.identified]
        cut = sum(search.total > search.identified for search in answered)
        return (
            f"{cut} of {len(answered)} answers hold only the records that the source ranks first; "
            "the search log has the number of hits."
            if cut
            else ""
        )

    def _failures(self) -> tuple[str, ...]:
        """Say which sources gave nothing at all, and which gave less than they were asked for."""
        searches = self.store.searches
        failed = {s.source for s in searches if s.outcome in ("unavailable", "degraded")}
        silent = failed - {s.source for s in searches if s.outcome in _ANSWERED}
        told = (
            ("Could not be read at all, so that its records are missing here", silent),
            ("Not fully readable", failed - silent),
        )
        return tuple(f"{what}: {', '.join(sorted(names))}." for what, names in told if names)

    def _kept_answers(self) -> str:
        answers = [s for s in self.store.searches if s.outcome in _ANSWERED]
        kept = sum(search.cached for search in answers)
        return (
            f"{kept} of {len(answers)} answers were kept from an earlier search "
            "and may lack records that were added since."
            if kept
            else ""
        )

    def methodology(self) -> str:
        """The question as understood, the searches, the PRISMA counts and the rules applied."""
        read = self._understood()
        sources = "\n".join(f"- {escape_markdown(line)}" for line in self.context.sources)
        stopped = _STOPPED.get(self.context.stop_reason, self.context.stop_reason)
        return "\n\n".join(
            part
            for part in (
                f"Question understood as: {read}.",
                _REVIEWED if self.context.plan_reviewed else "",
                f"Sources, searched on {self.context.searched_on}:\n\n{sources}",
                f"{self._retrieval()} "
                f"Rounds: {self.context.iterations}; the search ended because {stopped}.",
                self._facts(),
                self._flow(),
                f"Written by: {escape_markdown(self.written_by)}. "
                "Every sentence quoted is one whole "
                f"sentence of its record's text, found by {self.context.found_by}; "
                "counts, grades and verdict are computed. "
                "Levels are OCEBM 2011; a review counts as the weakest design that it includes. "
                "The verdict is the first rule that applies in a fixed table over studies "
                "that are not retracted.",
            )
            if part
        )

    def _retrieval(self) -> str:
        """Say how sources rank what they find, and how the run ranks that."""
        by_source = _RANKED_BY_SOURCE if self._live else _SEARCHED_BY_WORDS
        if not self.context.retrieval:
            return by_source
        label = escape_markdown(self.context.retrieval.rstrip("."))
        return f"{by_source} Retrieval within the run is {label}. {_RANKED}"

    def _facts(self) -> str:
        """Say who was asked for curated facts; their section has the outcome of each look-up."""
        facts = self.store.drug_facts
        if facts is None:
            return "Curated facts on drugs: not requested."
        if not facts:
            return "Curated facts on drugs: not applicable, for no single drug was asked about."
        names = ", ".join(dict.fromkeys(asked.source for one in facts for asked in one.asked))
        drugs = ", ".join(escape_markdown(one.drug) for one in facts)
        down = dict.fromkeys(
            asked.source for one in facts for asked in one.asked if asked.outcome == "unavailable"
        )
        missing = f" Could not be asked: {', '.join(down)}." if down else ""
        return f"Curated facts on {drugs} were asked of {names}.{missing}"

    def _understood(self) -> str:
        drug, frame = self.question.drug, self.question.frame
        asked = "stopping" if frame and frame.stopping else "drug"
        named = (
            f"{asked} {escape_markdown(drug.name)}"
            if drug
            else "candidates among the drugs that the records name"
        )
        terms = (
            f", through {escape_markdown(', '.join(self.question.mechanism_terms))}"
            if self.question.mechanism_terms
            else ""
        )
        return f"{named}; condition {escape_markdown(self._condition)}{terms}"

    def prisma(self) -> PrismaFlow:
        """The counts of the search: identified, duplicates, screened, excluded, included."""
        excluded = self._excluded()
        included = {i for i in self.store.evidence if i not in excluded}
        groups = study_groups(self.store.evidence, self.store.readings)
        found: Counter[str] = Counter()
        for search in self.store.searches:
            found[search.source] += search.identified
        if (given := len(self.store.evidence) - found.total()) > 0:
            found[_GIVEN] = given
        return PrismaFlow(
            by_source=_counts(found.items()),
            duplicates=found.total() - len(self.store.evidence),
            exclusions=_counts(sorted(Counter(excluded.values()).items())),
            included=len(included),
            studies=sum(any(i in included for i in group) for group in groups),
        )

    def _flow(self) -> str:
        """The counts in words, and the titles that were left out."""
        flow = self.prisma()
        why = "; ".join(f"{c.records} × {escape_markdown(c.name)}" for c in flow.exclusions)
        by_source = ", ".join(f"{escape_markdown(c.name)} {c.records}" for c in flow.by_source)
        line = (
            f"Records: {flow.identified} identified"
            f"{f' ({by_source})' if len(flow.by_source) > 1 else ''}, "
            f"{flow.duplicates} duplicates removed, {flow.screened} screened, "
            f"{flow.excluded} excluded{f' ({why})' if why else ''}, "
            f"{flow.included} included, of {flow.studies} "
            f"{'study' if flow.studies == 1 else 'studies'}."
        )
        left_out = self._excluded()
        listed = "\n\n".join(self._listed(c.name, c.records, left_out) for c in flow.exclusions)
        return line + (f"\n\nRetrieved but not used:\n\n{listed}" if listed else "")

    def _listed(self, reason: str, count: int, excluded: Mapping[str, str]) -> str:
        """The titles left out for one reason; of those on other drugs only the first ones."""
        titles = [
            f"- {escape_markdown(self.store.evidence[i].citation.title)}"
            for i, why in excluded.items()
            if why == reason
        ]
        shown = titles[:_OFF_TOPIC_SHOWN] if self._is_off_topic(reason) else titles
        more = [f"- and {count - len(shown)} more"] if count > len(shown) else []
        head = f"{escape_markdown(reason[:1].upper() + reason[1:])} ({count}):"
        return "\n".join((head, "", *shown, *more))

    def _is_off_topic(self, reason: str) -> bool:
        """Say whether a reason is that the record is about other drugs: noise of the search."""
        named = (f"does not name {drug}" for drug in self.drugs)
        several = (_NO_CANDIDATE, f"does not name {self._condition}") if len(self.drugs) > 1 else ()
        return reason in several or reason.startswith(tuple(named))

    def _excluded(self) -> dict[str, str]:
        """Return why each record that no drug of the report uses was left out."""
        readings = [self.store.appraisals(drug) for drug in self.drugs]
        excluded = {}
        for evidence_id in self.store.evidence:
            found = [r[evidence_id].reading for r in readings if evidence_id in r]
            if not any(reading.included for reading in found):
                excluded[evidence_id] = self._reason([r.excluded_because for r in found])
        return excluded

    def _reason(self, reasons: list[str]) -> str:
        """The one reason of several readings: that of a candidate which the record names."""
        if len(self.drugs) < 2 or not reasons:
            return reasons[0] if reasons else "not read"
        unnamed = tuple(f"does not name {drug}" for drug in self.drugs)
        return next((why for why in reasons if not why.startswith(unnamed)), _NO_CANDIDATE)

    def limitations(self) -> tuple[str, ...]:
        """Return the report's limits; some depend on what it cites, so other parts come first."""
        kinds = {r.text_kind for r in self.citer.references}
        candidates = (
            "Only the sources listed were searched; literature outside of them may say otherwise.",
            (
                "The text of records marked as summary was written for the snapshot; "
                "the figures are those of the abstract, the words are not."
            )
            if "summary" in kinds
            else "",
            (
                "Abstracts, and results of some full texts: methods and risk of bias were not read."
                if "full_text" in kinds
                else "Abstracts only: methods, risk of bias and full results were not read."
            ),
            "Registry entries come from stored copies and may be out of date."
            if not self._live
            and any(r.source in ("clinicaltrials", "registry") for r in self.citer.references)
            else "",
            (
                "Stance and relations are read by rules over words; an unusual phrasing can be "
                "missed or misread, so read the quoted sentence itself."
            ),
            *self._failures(),
            self._unread_hits(),
            self._kept_answers(),
            (
                f"{self.store.facts_dropped} statements were dropped "
                "because their quote was not a sentence of the record."
            )
            if self.store.facts_dropped
            else "",
        )
        return tuple(text for text in candidates if text)


def _counts(named: Iterable[tuple[str, int]]) -> tuple[RecordCount, ...]:
    return tuple(RecordCount(name=name, records=records) for name, records in named)
