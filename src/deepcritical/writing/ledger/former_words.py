"""Checks what earlier versions wrote, in words that the present code no longer writes.

Such a sentence is compared with the typed results that it cites: its records, figures, names,
numbers of studies, certainty and direction have to be theirs. Its other words are not checked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import product
from typing import NamedTuple

from deepcritical.appraisal.body.certainty import LADDER
from deepcritical.domain.appraisal.effect_words import is_of_fears_beside, size_words
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import OutcomeRow, Vote, Way
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.brief import Brief
from deepcritical.domain.report.parts import LedgerEntry, Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import WORDING, Finding, Sentence
from deepcritical.questions.claims import answer_on
from deepcritical.verification.binding import checks_of
from deepcritical.verification.ids import ids_in
from deepcritical.verification.signs import Sign, signs
from deepcritical.vocabulary.conditions import condition_in
from deepcritical.writing.sentences.brief import certainty_words
from deepcritical.writing.sentences.findings import row_finding, study_sentence
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import CONTROL, is_asset

IN_FORMER_WORDS = (
    "in the words of an earlier version: its records, figures, names and direction are those of "
    "the results; its other words are not checked"
)
"""The reason of an entry that holds as far as that."""
_NO_RESULT = "no row and no result of the report has these records"
_NO_HARMS = re.compile(r"No (?:comparison|result)\b[^.]*\. That is not evidence of safety\.")
_BEYOND = re.compile(r"; and (\d+) more outcomes?\.$")
"""The end of a list of harms."""
_CAUSES = re.compile(r"\bcauses(?= more\b)")
"""In "studies disagree on whether it causes more": what nobody says that it does."""
_WHOM = re.compile(r", (?:not only )?in (?:the )?(?:people|adults|patients)\b.*")
_BRACKETS = re.compile(r"\([^()]*\)")
_SIGNS: dict[Way, frozenset[Sign]] = {
    Way.BENEFIT: frozenset({"good", "less"}),
    Way.HARM: frozenset({"bad", "more"}),
    Way.NO_DIFFERENCE: frozenset({"none"}),
    Way.CONFLICT: frozenset({"good", "bad", "less", "more", "none"}),
}
"""The directions that may be told of a result, unless more of its outcome may be good."""
_TURNING = re.compile(r"(?i)\b(?:not?|never|nor|cannot|against|opposite)\b")


def is_in_present_words(document: ResearchReport | DeepAnswer) -> bool:
    """Return whether the present code writes the sentences of a document again as they stand."""
    return document.wording == WORDING


def is_kept_whole(document: ResearchReport | DeepAnswer) -> bool:
    """Return whether its schema is one whose documents must keep their wording and all parts."""
    return document.schema_version >= (3 if isinstance(document, DeepAnswer) else 7)


def in_former_words(entries: Sequence[LedgerEntry]) -> int:
    """Return the number of sentences of which only the typed parts were checked."""
    return sum(entry.holds and IN_FORMER_WORDS in entry.reason for entry in entries)


Result = OutcomeRow | Vote


class Results(NamedTuple):
    """The typed results that the sentences of a document may tell."""

    rows: Sequence[OutcomeRow]
    """Those that their studies bear out."""
    votes: Sequence[Vote]
    references: dict[str, Reference]
    """By evidence id."""

    def fault(self, sentence: Sentence, drug: str) -> str:
        """Return why no results bear a sentence on them; '' where some do."""
        ids = frozenset(sentence.evidence_ids)
        cited = [self.references[i] for i in sentence.evidence_ids if i in self.references]
        if len(cited) < len(sentence.evidence_ids) or any(one.retracted for one in cited):
            return "it cites a record that the report does not have, or a retracted one"
        if not {*ids_in(sentence.text)} <= {i for one in cited for i in one.ids}:
            return "it names an id that is none of its records'"
        reason = _NO_RESULT
        for told in self._told(sentence.text, ids):
            if not (reason := self._misfit(sentence.text, told, drug, cited)):
                break
        return reason

    def _told(self, text: str, ids: Set[str]) -> Iterator[Sequence[Result]]:
        """Yield what a sentence with some citations may tell: one result, or harms in a list."""
        for row in self.rows:
            if ids in ({*row.evidence_ids}, {*row.evidence_ids, *row.beside}) and _names(text, row):
                yield [row]
        for vote in self.votes:
            if ids == {vote.evidence_id} and _names(text, vote):
                yield [vote]
        for way in Way:
            near = (r for r in self.rows if {*r.evidence_ids} <= ids and _names(text, r))
            harms = (row for row in near if row.importance == "harm" or row.is_grave)
            several = [row for row in harms if row.way is way]
            if several and ids == {i for row in several for i in row.evidence_ids}:
                yield several

    def _misfit(
        self, text: str, told: Sequence[Result], drug: str, cited: Sequence[Reference]
    ) -> str:
        """Return what of a sentence is not that of some results; '' where all of it is."""
        if fault := _direction_fault(text, told, drug):
            return fault
        if (more := _BEYOND.search(text)) and int(more[1]) < len(self.rows):
            text = text[: more.start()]
        if all(one.way is Way.CONFLICT for one in told):
            text = _CAUSES.sub("has", text)
        for one in told:  # its name may compare figures by itself: "weight gain greater than 7 %"
            if isinstance(one, OutcomeRow) and one.told_as:
                text = re.sub(re.escape(one.told_as), one.outcome, text, flags=re.IGNORECASE)
        findings = [_finding(one, drug, cited) for one in told]
        if len(findings) > 1:  # harms in a list were told with the least certainty of them
            levels = {finding.certainty for finding in findings}
            least = next(level.value for level in LADDER if level in levels)
            findings = [f.model_copy(update={"certainty": least}) for f in findings]
        checks = checks_of(text, findings, texts=[f"{one.title}\n{one.text}" for one in cited])
        failed = (c.reason for c in checks if not c.passed and c.name != "direction")
        return "; ".join(failed)


def _names_of(result: Result) -> Iterator[str]:
    """Yield the names under which versions have told the outcome of a result."""
    inner = _BRACKETS.findall(result.outcome) if result.outcome.startswith("composite") else ()
    told = (result.outcome, result.told_as if isinstance(result, OutcomeRow) else result.row)
    names = (*told, *(condition_in(name) for name in told), *(name.strip("()") for name in inner))
    yield from sorted({name.casefold() for name in names if name}, key=len, reverse=True)


def _names(text: str, result: Result) -> bool:
    return any(name in text.casefold() for name in _names_of(result))


def _direction_fault(text: str, told: Iterable[Result], drug: str) -> str:
    """Return the direction that a sentence tells of results and that is not theirs; '' if none."""
    said = text.casefold().replace("without randomisation", "")
    for one in told:
        given = (drug, one.comparator, one.control, one.one_arm, one.other_arm, one.tested_as)
        for name in (one.population, *_names_of(one), *given):
            said = said.replace(name.casefold(), " it ") if name else said
    while (bare := _BRACKETS.sub("", said)) != said:
        said = bare
    found = signs(_WHOM.sub("", said))
    for one in told:
        is_good = one.polarity == "more" or is_asset(one) or one.tier == "uncontrolled"
        allowed = _SIGNS[one.way]
        if is_good and one.way in (Way.BENEFIT, Way.HARM):
            allowed |= {"more", "less"}
        if isinstance(one, OutcomeRow) and is_of_fears_beside(one):
            allowed -= {"good", "less"}
        if not found <= allowed:
            return f"it tells of another direction than the result on {one.outcome}"
    return ""


def _finding(result: Result, drug: str, cited: Sequence[Reference]) -> Finding:
    """Return a result as a finding that holds the figures of each of its studies."""
    if isinstance(result, OutcomeRow):
        found = row_finding(drug, result)
        ways = Counter(effect.way for effect in result.effects)
        known = sum(bool(effect.people) for effect in result.effects)
        counts = {len(result.effects), known, *ways.values()}
        counts = (counts | {len(result.effects) - ways[result.way]}) - {0}
        figures = (*map(size_words, result.effects), " , ".join(map(str, sorted(counts))))
        return found.model_copy(update={"sentence": "\n".join((found.sentence, *figures))})
    study = cited[0].short_name
    return Finding(
        id="F0",
        evidence_ids=(result.evidence_id,),
        study=study,
        drug=drug,
        comparator=result.other_arm or result.comparator or result.control or CONTROL,
        population=result.population,
        outcome=result.outcome,
        way=result.way,
        effect=result.effect,
        level=result.level,
        people=result.people,
        sentence=f"{study_sentence(study, result, drug)}\n{vote_words(result)}",
    )


def verdict_fault(sentence: Sentence, brief: Brief, verdict: Verdict) -> str:
    """Return why a sentence does not state a verdict, or that no harms were compared."""
    text, ids = sentence.text, sentence.evidence_ids
    if not ids and _NO_HARMS.fullmatch(text) and brief.drug in text:
        harms = any(r.importance == "harm" and not r.comparator for r in verdict.rows)
        return "the verdict has results on harms" if harms or re.search(r"\d", text) else ""
    rated = [row for row in verdict.rows if row.reasons == verdict.downgrades]
    reasons = [(certainty_words(verdict, row), row.evidence_ids) for row in rated]
    reasons += [(text, verdict.deciding_ids) for text, _ in reasons]
    reasons += [(certainty_words(verdict, None), verdict.deciding_ids)]
    if verdict.downgrades and (text, ids) in reasons:
        return ""
    is_decided = ids == verdict.deciding_ids[: len(ids)]
    states = is_decided and _stated(text, brief.claim) in [*_answers(brief, verdict)]
    return "" if states else "it is not what the verdict gives"


def _answers(brief: Brief, verdict: Verdict) -> Iterator[tuple[object, ...]]:
    """Yield what tells the answers that a verdict may be told as.

    Formerly safety had no answers of its own, a weak harm was told as a proven one, and a benefit
    at a price as any other.
    """
    strength = verdict.strength_of_harm
    strengths = {strength, "" if strength == "weak" else strength}
    for claim, far, priced in product(
        (brief.claim, "X"), strengths, {verdict.is_at_a_price, False}
    ):
        put = {"denied": brief.denied, "raises": brief.raises, "priced": priced}
        yield _stated(answer_on(claim, verdict.label, **put, strength=far), claim)


def _stated(text: str, claim: str) -> tuple[object, ...]:
    """Return what of an answer tells which one it is: its opening, and what turns it round."""
    before, told, behind = text.partition(claim)
    opening, _, rest = before.partition(":")
    turned = sorted(word.casefold() for word in _TURNING.findall(rest))
    return opening, bool(told), turned, signs(behind), re.findall(r"\d+", before + behind)
