"""Lets a model's sentences through only after their checks; else the template takes their place.

No other code may print the words of a model. First come the deterministic checks against the typed
findings, then a verifier. Of what the writer judged itself code also checks the terms; without any
judgement a sentence passes only if its findings bear every part of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.sentences import CheckName, Draft, Finding, Sentence, SentenceCheck
from deepcritical.services.tasks import calculated
from deepcritical.verification.binding import checks_of
from deepcritical.verification.fields import VAGUE, keys_of
from deepcritical.verification.ids import cited_records, keys_in
from deepcritical.verification.terms import strange_terms, unbound
from deepcritical.verification.verifiers import LONGEST_TEXT, Item, Judged, Verifier


class CheckedDraft(NamedTuple):
    """A draft with the outcome of its checks."""

    draft: Draft
    checks: tuple[SentenceCheck, ...]

    @property
    def passed(self) -> bool:
        """Return whether it may be printed."""
        return all(check.passed for check in self.checks)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why it may not be printed, for whoever writes it again."""
        return tuple(check.reason for check in self.checks if not check.passed)


Rewrite = Callable[[Sequence[CheckedDraft]], Awaitable[Sequence[Sequence[Draft]]]]
"""Is given the refused drafts and the accepted ones of the text, with their checks, and writes the
refused ones again, in the same order: each as one or several, or none where it gives up."""


async def check_sentences(
    drafts: Sequence[Draft],
    findings: Mapping[str, Finding],
    records: Mapping[str, Evidence],
    verifier: Verifier | None,
    *,
    rewrite: Rewrite | None = None,
    own: bool = False,
    above: str = "",
    question: str = "",
) -> tuple[Sentence, ...]:
    """Return the sentences to print, in the order of the drafts.

    Args:
        drafts: What a model wrote.
        findings: All findings that drafts may cite, by id.
        records: The run's records, by evidence id.
        verifier: Judges what code cannot; None for none.
        rewrite: Is given refused and accepted drafts once, and a refused first one once more.
        own: Whether the verifier is the writer, so that its judgement alone lets nothing through.
        above: What is printed before these sentences.
        question: What they answer.

    Returns:
        A passed draft as it is. For each other one of the text the template sentence of the finding
        that it is nearest to, unless that is printed already.
    """
    gate = Gate(findings, records, verifier, own=own, question=question)
    checked = await gate.checked(_opened(drafts))
    if rewrite:
        refused = [n for n, one in enumerate(checked) if not one.passed]
        checked = await _rewritten(gate, checked, refused, rewrite)
        if checked and checked[0].draft.opens and not checked[0].passed:
            checked = await _rewritten(gate, checked, [0], rewrite)
    return _printed(checked, findings, above)


def _opened(drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Return drafts of which the first one alone opens the text, if it is no row, and shows."""
    first = {"opens": bool(drafts) and not drafts[0].cells}
    others = [draft.model_copy(update={"opens": False, "shows": None}) for draft in drafts[1:]]
    return [*(draft.model_copy(update=first) for draft in drafts[:1]), *others]


async def _rewritten(
    gate: Gate,
    checked: Sequence[CheckedDraft],
    refused: Sequence[int],
    rewrite: Rewrite,
) -> tuple[CheckedDraft, ...]:
    """Return checked drafts with those at the places `refused` written again, if they are."""
    if not refused:
        return tuple(checked)
    accepted = {n for n, one in enumerate(checked) if one.passed}
    told = [checked[n] for n in sorted({*refused, *accepted})]
    written = dict(zip(refused, await rewrite(told), strict=True))
    written |= {0: _opened(written[0])} if 0 in written else {}
    again = iter(await gate.checked([d for several in written.values() for d in several]))
    parts = [[*islice(again, len(written.get(n, ())))] or [one] for n, one in enumerate(checked)]
    return tuple(one for part in parts for one in part)


def _printed(
    checked: Sequence[CheckedDraft], findings: Mapping[str, Finding], above: str
) -> tuple[Sentence, ...]:
    made: list[Sentence] = []
    told = {i for one in checked if one.passed for i in one.draft.finding_ids}
    of_told = {i for key in told if key in findings for i in findings[key].evidence_ids}
    for one in checked:
        draft = one.draft
        cited = [findings[i] for i in dict.fromkeys(draft.finding_ids) if i in findings]
        if one.passed:
            made += () if draft.text in {s.text for s in made} else (_sentence(one, cited),)
            continue
        finding = None if draft.cells else _nearest(draft.text, cited)
        if finding is None or finding.id in told or finding.sentence in above:
            continue
        # Of a record that is told a quote is less, unless it speaks against the drug.
        speaks_against = finding.way not in (None, Way.BENEFIT)
        if speaks_against or not {*finding.evidence_ids} <= of_told:
            told.add(finding.id)
            failed = tuple(check for check in one.checks if not check.passed)
            made.append(_template_of(finding).model_copy(update={"in_place_of": failed}))
    return tuple(made)


def _nearest(text: str, cited: Sequence[Finding]) -> Finding | None:
    """Return the finding that a text tells: of those with a result, the one most alike in words.

    Without a result that counts it must name the drug.
    """
    there = keys_of(text)
    named = [f for f in cited if keys_of(f.drug) - VAGUE <= keys_of("\n".join(f.quotes))]
    results = [f for f in cited if f.way] or named
    alike = {f.id: len(there & keys_of("\n".join(f.quotes))) for f in results}
    return max(results, key=lambda f: alike[f.id], default=None)


def _sentence(one: CheckedDraft, cited: Sequence[Finding]) -> Sentence:
    return Sentence(
        text=one.draft.text,
        evidence_ids=_evidence_of(cited),
        finding_ids=tuple(finding.id for finding in cited),
        origin="model",
        written_by=one.draft.written_by,
        checks=one.checks,
        cells=one.draft.cells,
        rated=one.draft.rated,
        opens=one.draft.opens,
        shows=one.draft.shows,
    )


def _template_of(finding: Finding) -> Sentence:
    """Return the template sentence of a finding, which code wrote from its typed fields."""
    return Sentence(
        text=finding.sentence, evidence_ids=finding.evidence_ids, finding_ids=(finding.id,)
    )


def _evidence_of(cited: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(i for finding in cited for i in finding.evidence_ids))


class Gate:
    """The material and the checker for drafts; arguments are those of `check_sentences`."""

    def __init__(
        self,
        findings: Mapping[str, Finding],
        records: Mapping[str, Evidence],
        verifier: Verifier | None,
        *,
        own: bool = False,
        question: str = "",
    ) -> None:
        self._question = question
        self._findings = findings
        self._records = records
        self._verifier = verifier
        self._own = own or verifier is None

    async def checked(self, drafts: Sequence[Draft]) -> tuple[CheckedDraft, ...]:
        """Return each draft with its checks."""
        by_code = await calculated(
            lambda: [CheckedDraft(draft, self._by_code(draft)) for draft in drafts]
        )
        items = {
            n: self._item(f"{n}", one.draft)
            for n, one in enumerate(by_code)
            if one.passed and one.checks[-1].name != "verbatim"
        }
        asked = self._verifier if items else None
        judged = await asked.entail([*items.values()]) if asked else {}
        return await calculated(
            lambda: tuple(
                self._judged(one, judged.get(f"{n}")) if n in items else one
                for n, one in enumerate(by_code)
            )
        )

    def _cited(self, draft: Draft) -> list[Finding]:
        return [self._findings[i] for i in dict.fromkeys(draft.finding_ids)]

    def _by_code(self, draft: Draft) -> tuple[SentenceCheck, ...]:
        fault = self._id_fault(draft)
        ids = SentenceCheck(name="ids", passed=not fault, reason=fault)
        if fault:
            return (ids,)
        cited = self._cited(draft)
        if draft.text in {finding.sentence for finding in cited}:
            return ids, SentenceCheck(name="verbatim", passed=True)
        texts = self._texts(cited)
        judged = self._verifier is not None
        checks = checks_of(draft.text, cited, texts=texts, own=self._own, judged=judged)
        return (ids, *checks)

    def _texts(self, cited: Sequence[Finding]) -> list[str]:
        records = [self._records[key] for key in _evidence_of(cited)]
        return [f"{one.citation.title}\n{one.content[:LONGEST_TEXT]}" for one in records]

    def _id_fault(self, draft: Draft) -> str:
        if not draft.finding_ids:
            return "it cites no finding"
        if strange := [i for i in draft.finding_ids if i not in self._findings]:
            return f"there is no finding {', '.join(strange)}"
        for key in _evidence_of(self._cited(draft)):
            record = self._records.get(key)
            if record is None:
                return f"there is no record {key}"
            if is_retracted(record) or record.metadata.integrity == "retracted":
                return f"{key} is retracted and supports nothing"
        # References are written by code, from the findings' records; a trial may be called by id.
        text = draft.text
        for finding in self._cited(draft):
            text = text.replace(finding.study, "") if finding.study else text
        named = {i: self._records[i] for i in _evidence_of(self._cited(draft))}
        return "it names an id in its text" if keys_in(text) else cited_records(text, named)[1]

    def _item(self, key: str, draft: Draft) -> Item:
        """Return a sentence with title, text and quotes of its records, and its findings."""
        cited = self._cited(draft)
        texts: dict[str, tuple[str, ...]] = {}
        for evidence_id in _evidence_of(cited):
            record = self._records[evidence_id]
            text = record.content[:LONGEST_TEXT]
            own = (q for f in cited if evidence_id in f.evidence_ids for q in f.quotes)
            beyond = [q for q in own if q not in text and q in record.content]
            texts[evidence_id] = tuple(dict.fromkeys((record.citation.title, text, *beyond)))
        return Item(key, draft.text, texts, cited, self._question)

    def _judged(self, one: CheckedDraft, judged: Judged | None) -> CheckedDraft:
        """Add the entailment check; without a judge, the check that everything is bound.

        Of what the writer judged itself code also checks the terms.

        A finding of one study whose record bears no part of the sentence is no longer cited, if the
        sentence stands without it.
        """
        draft, added = one.draft, []
        if judged is not None:
            fault = ""
            if judged.verdict != "supported":
                fault = judged.reason or judged.verdict.replace("_", " ")
            else:
                draft = self._without_idle(draft, judged)
            name = self._verifier.name if self._verifier else ""
            added.append(SentenceCheck(name="entailment", passed=not fault, by=name, reason=fault))
        if judged is None or self._own:
            cited = self._cited(draft)
            texts = self._texts(cited)
            check: CheckName = "terms"
            left = strange_terms(draft.text, cited, texts, self._question)
            if judged is None:
                check = "bound"
                again = checks_of(draft.text, cited, texts=texts)
                added += [one for one in again if not one.passed]
                left = unbound(draft.text, cited, texts)
            added.append(SentenceCheck(name=check, passed=not left, reason=left))
        return one._replace(draft=draft, checks=(*one.checks, *added))

    def _without_idle(self, draft: Draft, judged: Judged) -> Draft:
        """Return a sentence without the findings that it does not need.

        What holds over studies, such as a certainty, stands in none of their records.
        """
        findings = {i: self._findings[i] for i in draft.finding_ids}
        kept = [i for i, f in findings.items() if not f.study or judged.records & {*f.evidence_ids}]
        fewer = draft.model_copy(update={"finding_ids": tuple(kept)})
        stands = judged.records and all(check.passed for check in self._by_code(fewer))
        return fewer if stands else draft
