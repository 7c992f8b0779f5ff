"""Lets a model's sentences through only after their checks; else the template takes their place.

No other code may print the words of a model. First come the deterministic checks against the typed
findings, then a verifier that is not the writer. Without the judgement of such a verifier, a
sentence passes only if its findings bear every part of it.

A word is of a part that has to be borne where a vocabulary knows it: it names an outcome, or is no
word of ordinary English and so a name or a term. Figures, drugs, people and directions have checks
of their own. Any other word of a sentence that tells a result links its parts. A sentence that
tells no result has no such parts and may only retell what its findings say.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import groupby, islice, takewhile
from typing import NamedTuple

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.record_kinds import is_retracted
from deepcritical.domain.sentences import Draft, Finding, Sentence, SentenceCheck
from deepcritical.domain.votes import Way
from deepcritical.services.tasks import calculated
from deepcritical.verification.binding import checks_of, spelled_out
from deepcritical.verification.direction import CONTROLS, is_arm, names_of
from deepcritical.verification.fields import APPRAISAL, VAGUE, keys_of, measured_in, source_of
from deepcritical.verification.ids import ids_in, keys_in
from deepcritical.verification.signs import SIGN_WORDS, clauses, signs
from deepcritical.verification.verifiers import LONGEST_TEXT, Item, Judged, Verifier
from deepcritical.verification.words import Word, stem, stems, words
from deepcritical.vocabulary.classes import drug_class
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.words import is_english

_GRAMMAR = frozenset(
    map(
        stem,
        "about across after against all although any around because before between both but by "
        "during each either every few first from here how if into less like many may more most "
        "much on one only or other out over per rather same second since so some such than then "
        "they this those though through throughout to together under until up upon very what when "
        "where whereas whether which while who whose why will with would".split(),
    )
)
"""Stems of words of closed classes, which tell nothing by themselves."""
_GIVEN = stems("treatment therapy drug")
_FEWEST_SHARED = 2  # words of quotes of which no outcome is named
_KIN_LETTERS = 5
_MOST_NEW, _MOST_JUDGED = 0.25, 0.3
"""Share of the words of a retelling that may be its own; more where the writer judged it, too."""


def unbound(
    text: str,
    cited: Sequence[Finding],
    texts: Sequence[str] = (),
    *,
    judged: bool,
) -> str:
    """Return what of a sentence nothing in its findings bears; '' if it is bound in every part.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        texts: Titles and texts of their records, which bear terms.
        judged: Whether the writer found it supported; else it may only retell.
    """
    is_result = any(signs(clause) for clause in clauses(text))
    is_result = is_result or any(f.way is Way.CONFLICT for f in cited)
    titles = (text.partition("\n")[0] for text in texts)
    source = "\n".join((source_of(cited), *titles))
    known = keys_of("\n".join((source, *spelled_out(source, texts)))) | APPRAISAL
    known |= SIGN_WORDS if is_result else frozenset()
    told = [w for w in words(text) if not w.is_figure and (is_result or w.key not in _GRAMMAR)]
    runs = groupby(told, lambda w: w.key not in known and not _has_kin(w.key, known))
    new = [[*run] for is_new, run in runs if is_new]
    most = _MOST_JUDGED if judged else _MOST_NEW
    if not (judged and is_result) and sum(map(len, new)) > most * len(told):
        return f"“{_raw(new[0])}” is in no finding"
    terms = frozenset().union(*map(keys_of, texts))
    if strange := [run for run in new if _names_something(run, cited, terms)]:
        return f"“{_raw(strange[0])}” is in no finding"
    return next(_unnamed(text, cited), "") if is_result else ""


def _raw(run: Sequence[Word]) -> str:
    return " ".join(word.raw for word in run)


def _has_kin(key: str, known: frozenset[str]) -> bool:
    """Return whether a stem begins like a known one for most of its length, or has one in it.

    "Respond" and "response" do; drugs that are given together have one name with that of each.
    """
    return any(_are_kin(key, other) for other in known)


def _are_kin(one: str, other: str) -> bool:
    if len(other) > _KIN_LETTERS and other in one:
        return True
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    shared = len([*alike])
    return shared >= _KIN_LETTERS and 3 * shared >= 2 * max(len(one), len(other))


def _names_something(run: Sequence[Word], cited: Sequence[Finding], terms: frozenset[str]) -> bool:
    """Return whether words in a row name an outcome or a term that no finding has."""
    if not all(is_english(w.raw) or w.key in terms or _has_kin(w.key, terms) for w in run):
        return True
    new = measured_in(_raw(run))
    told = [t for f in cited for t in (f.outcome, f.population, f.design, *f.quotes)]
    known = {measured_in(part) for t in told for part in (t, *(w.raw for w in words(t)))}
    return bool(new) and new not in known


def _unnamed(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the drug or outcome of a finding that a sentence does not name."""
    told = keys_of(text)
    named = {measured_in(text), *(measured_in(word.raw) for word in words(text))} - {""}
    results = [f for f in cited if f.way]
    # A sentence that names nothing that was given is of what the text is about.
    named_arms = ({word.key for word in words(text) if is_arm(word)} - CONTROLS) | (told & _GIVEN)
    unsaid = [f.id for f in results if named_arms and not _names_drug(f, told)]
    yield from (f"the drug of {finding_id} is not named" for finding_id in unsaid)
    outcomes = [(keys_of(f.outcome) - VAGUE, measured_in(f.outcome)) for f in results]
    if outcomes and not any(w & told or w <= told or m in named for w, m in outcomes):
        arms = frozenset().union(*(keys_of(f"{f.drug} {f.comparator}") for f in cited))
        of_quotes = keys_of("\n".join(q for f in results for q in f.quotes))
        if len(told & of_quotes - arms - SIGN_WORDS - APPRAISAL) < _FEWEST_SHARED:
            yield "no outcome of its findings is named"


def _names_drug(finding: Finding, told: frozenset[str]) -> bool:
    """Return whether some words name the drug of a finding."""
    return keys_of(finding.drug) - VAGUE <= told or bool(_names(finding) & told)


def _names(finding: Finding) -> frozenset[str]:
    """Return what names the drug of a finding by itself: its one name, or a drug of its class."""
    drug, other = names_of(finding)
    group = drug_class(finding.drug)
    if group is None:
        is_one = len({mention.drug.name for mention in find_drugs(finding.drug)}) == 1
        own = frozenset(word.key for word in words(finding.drug) if is_arm(word))
        return own & drug if is_one else frozenset()
    told = "\n".join((finding.sentence, *finding.quotes))
    members = frozenset(word.key for member in group.members for word in words(member)[:1])
    members -= CONTROLS | other
    return members & keys_of(told)


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
"""Is given all drafts with their checks, and writes the refused ones again, in the same order: each
as one or several, or none where it gives up."""


async def check_sentences(
    drafts: Sequence[Draft],
    findings: Mapping[str, Finding],
    records: Mapping[str, Evidence],
    verifier: Verifier | None,
    *,
    rewrite: Rewrite | None = None,
    own: bool = False,
    above: str = "",
) -> tuple[Sentence, ...]:
    """Return the sentences to print, in the order of the drafts.

    Args:
        drafts: What a model wrote.
        findings: All findings that drafts may cite, by id.
        records: The run's records, by evidence id.
        verifier: Judges what code cannot; None for none.
        rewrite: Is given the drafts with the reasons of the refused ones, once.
        own: Whether the verifier is the writer, so that its judgement alone lets nothing through.
        above: What is printed before these sentences.

    Returns:
        A passed draft as it is. For each other one the template sentence of the finding that it is
        nearest to, unless that is printed already.
    """
    gate = Gate(findings, records, verifier, own=own)
    checked = list(await gate.checked(_opened(drafts)))
    refused = [n for n, one in enumerate(checked) if not one.passed]
    if rewrite and refused:
        written = dict(zip(refused, await rewrite(checked), strict=True))
        written |= {0: _opened(written[0])} if 0 in written else {}
        again = iter(await gate.checked([d for several in written.values() for d in several]))
        parts = [
            [*islice(again, len(written.get(n, ())))] or [one] for n, one in enumerate(checked)
        ]
        checked = [one for part in parts for one in part]
    return _printed(checked, findings, above)


def _opened(drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Return drafts of which the first opens the text."""
    return [draft.model_copy(update={"opens": not n}) for n, draft in enumerate(drafts)]


def _printed(
    checked: Sequence[CheckedDraft], findings: Mapping[str, Finding], above: str
) -> tuple[Sentence, ...]:
    made: list[Sentence] = []
    told = {i for one in checked if one.passed for i in one.draft.finding_ids}
    for one in checked:
        draft = one.draft
        cited = [findings[i] for i in dict.fromkeys(draft.finding_ids) if i in findings]
        if one.passed:
            made.append(_sentence(one, cited))
            continue
        finding = _nearest(draft.text, cited)
        if finding and finding.id not in told and finding.sentence not in above:
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
        opens=one.draft.opens,
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
    ) -> None:
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
        return (ids, *checks_of(draft.text, cited, texts=texts, own=self._own))

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
        return "it names an id in its text" if ids_in(text) or keys_in(text) else ""

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
        return Item(key, draft.text, texts, cited)

    def _judged(self, one: CheckedDraft, judged: Judged | None) -> CheckedDraft:
        """Add the entailment check; without an honest judge, the check that everything is bound.

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
            again = checks_of(draft.text, cited, texts=texts)
            added += [check for check in again if not check.passed]
            left = unbound(draft.text, cited, texts, judged=judged is not None)
            added.append(SentenceCheck(name="bound", passed=not left, reason=left))
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
