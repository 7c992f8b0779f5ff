"""Chooses what a study says of a drug in its own words, where its results could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from deepcritical.domain.citation_validator import build_reference_from_evidence
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.grading import grade
from deepcritical.domain.harms import reports_harm
from deepcritical.domain.patterns import bounded
from deepcritical.domain.record_kinds import is_notice
from deepcritical.domain.text import Span, addresses_a_model, body_sentences, fold, whole_sentences
from deepcritical.vocabulary.drugs import find_drugs, lookup_drug

_CONCLUDING = ("conclusion", "interpretation", "author")
_FINDING = ("result", "finding", "main result")
_LAST = 3
"""Sentences at the end of a text without headings that may conclude it."""
_NO_FINDING = bounded(
    r"\b(?:needed|warranted|required|should|recommend\w*|aims?|aimed|objectives?|purpose|"
    r"hypothes\w+|(?:outcomes?|end ?points?)(?: measures?)? (?:includ\w+|comprised)|nct\d+|"
    r"(?:this|the) (?:study|trial) (?:test\w*|examin\w+|evaluat\w+|assess\w+)|"
    r"we (?:estimated|tested|examined|evaluated|assessed)|"
    r"to (?:evaluate|assess|determine|compare|investigate|examine)|we (?:review|discuss|describe)|"
    r"will be|is discussed|are discussed)\b",
    re.IGNORECASE,
)
"""Words that call for more research, or tell an aim."""
_TELLS_RESULT = bounded(
    r"\b(?:p ?[<=>]|ci\b|significan\w+|differ(?:ed|ence)?s?\b|versus|vs\b|compared|ratio|reduc\w+|"
    r"increas\w+|improv\w+|worse\w*|lower\w*|higher|fewer|greater|decreas\w+)",
    re.IGNORECASE,
)
"""Of a sentence with a figure, that it compares and does not only tell who got what."""
_NULL = bounded(
    r"\b(?:not (?:\w+ )?significant(?:ly)?|no (?:\w+ ){0,2}differences?|did not differ|"
    r"non-?significant)\b",
    re.IGNORECASE,
)
_FAILED = bounded(
    rf"{_NULL.pattern}|\b(?:did not|does not|failed to) (?:[\w-]+ )?(?:improve|reduce|slow|prevent|"
    r"delay|prolong|increase|decrease|show|demonstrate|provide|differ|affect)\b|"
    r"\bno (?:[\w-]+ ){0,3}(?:benefits?|effects?|efficacy|improvements?)\b|\bineffective\b|"
    r"\b(?:not|no) (?:more )?(?:effective|superior|better)\b",
    re.IGNORECASE,
)
"""Words in which authors conclude that a drug did no better."""
_MAIN = bounded(
    r"\b(?:co-?)?(?:primary|main|principal) (?:[\w-]+ ){0,2}"
    r"(?:outcomes?|end ?-?points?|measures?)\b",
    re.IGNORECASE,
)
_DOSE = bounded(
    r"\b(?:low|lower|standard|high|higher)(?=[- ]dose\b)|\d[\d.]* ?mg\b(?! ?/ ?d?L\b)",
    re.IGNORECASE,
)
"""That one of several doses failed is no failure of the drug."""
_MOST_WORDS = 60
_BEFORE_BACKGROUND = bounded(
    r"\b(?:receiv\w+|tak(?:e|ing)|undergo\w+|during|after|despite|(?:start|initiat)\w+|"
    r"(?:patients|people|those|women|men|adults|children|subjects) (?:who (?:are|were) )?on|"
    r"treated with|because of|due to|resistant to|failed)(?: [\w-]+){0,2} $",
    re.IGNORECASE,
)
_BEHIND_BACKGROUND = bounded(
    r"^s?(?: therapy| treatment)?[ -](?:related|associated|induced|treated|users?|resistant|"
    r"refractory|naive)\b",
    re.IGNORECASE,
)
"""A drug that people get already, or that brought their complaint, is not what is tested."""


def own_words(
    record: Evidence, drug: str, asked: Sequence[str] | None = None, *, null: bool = False
) -> str:
    """Return the sentence in which a record concludes on a drug, or reports a result; else ''.

    Args:
        record: Its text is searched; one that is retracted, a notice, or an entry of a registry
            without results, which tells plans, says nothing.
        drug: Name of the drug or class that the question is on.
        asked: Folded names of which a sentence must have one; None for any sentence.
        null: Whether only that no difference was found on the main outcome, or over all, is wanted;
            one from another drug is no failure.
    """
    plans = record.metadata.kind == "trial" and not record.metadata.has_results
    if grade(record).retracted or is_notice(record) or plans:
        return ""
    whole = {span.start for span in whole_sentences(record.content)}
    told = [s for s in body_sentences(record.content, record.citation.title) if s.start in whole]
    named = _names(drug)
    fit = [span for span in _by_place(told) if tells_finding(span.text)]
    if asked is not None:
        fit = [span for span in fit if any(name in fold(span.text) for name in asked)]
    on_drug = [span for span in fit if _is_on(span.text, named)]
    measured = [
        s for s in on_drug if _TELLS_RESULT.search(s.text) and any(map(str.isdigit, s.text))
    ]
    # What the authors conclude is not told alone where they found no difference.
    none = [span for span in fit if _NULL.search(span.text)]
    ends = [s for s in on_drug if s.label.startswith(_CONCLUDING) or s in told[-_LAST:]]
    failed = [s for s in none if _MAIN.search(s.text)] + [s for s in ends if _FAILED.search(s.text)]
    title = record.citation.title
    several = len({dose.casefold() for dose in _DOSE.findall(record.content)}) > 1
    failed = [s for s in failed if not (reports_harm(s) or (several and _DOSE.search(s.text)))]
    failed = [s for s in failed if _is_of(f"{title} {s.text}", named)]
    ranked = failed if null else [*measured, *none, *on_drug]
    chosen = next(iter(ranked), None) if on_drug else None
    return " ".join(chosen.text.split()) if chosen else ""


def tells_finding(text: str) -> bool:
    """Return whether a sentence may be quoted as a finding: short, no aim, no order to a model."""
    short = len(text.split()) <= _MOST_WORDS
    return short and not _NO_FINDING.search(text) and not addresses_a_model(text)


_QUOTED = bounded(r"^“(.+)”$")
_SUMMARY = "In summary: "


def quoted(words: str, *, quotable: bool) -> str:
    """Return a sentence of a record as it is printed: in quotation marks only if it is its own."""
    return f"“{words.rstrip('.')}”" if quotable else f"{_SUMMARY}{words}"


def quote_in(text: str) -> str:
    """Return the words of the record in what `quoted` printed; '' in anything else."""
    if match := _QUOTED.match(text):
        return match[1]
    return text.removeprefix(_SUMMARY) if text.startswith(_SUMMARY) else ""


def _by_place(told: list[Span]) -> Iterator[Span]:
    """Yield the sentences that may conclude, the last first, then those of the results.

    Of a text without headings all may tell results.
    """
    ends = told[-_LAST:] if not any(s.label for s in told) else []
    yield from reversed([s for s in told if s.label.startswith(_CONCLUDING) or s in ends])
    yield from (s for s in told if s.label.startswith(_FINDING) or (ends and s not in ends))


def _names(drug: str) -> frozenset[str]:
    found = lookup_drug(drug)
    return frozenset(map(fold, (drug, found.name)))


def _is_of(text: str, named: frozenset[str]) -> bool:
    """Return whether a text names no drug but these."""
    return all(fold(mention.drug.name) in named for mention in find_drugs(text))


def _is_on(text: str, named: frozenset[str]) -> bool:
    """Return whether a sentence names the drug as what is tested."""
    folded = fold(text)
    places = [
        (at.start(), at.end()) for name in named for at in re.finditer(re.escape(name), folded)
    ]
    if not places:
        return any(fold(mention.drug.name) in named for mention in find_drugs(text))
    return not all(
        _BEFORE_BACKGROUND.search(folded[:start]) or _BEHIND_BACKGROUND.match(folded[end:])
        for start, end in places
    )


def without_text(drug: str, frame: QuestionFrame, records: Iterable[Evidence]) -> Iterator[str]:
    """Yield a sentence on each record on the asked comparison of which only the title was at hand.

    Args:
        drug: The drug asked about.
        frame: The question; of one that compares nothing there is none.
        records: All that were found.
    """
    others = {name for name in frame.comparators if name != "placebo"}
    for record in records if frame.kind is QuestionKind.COMPARISON else ():
        title = record.citation.title.strip().rstrip(".")
        # Where a source gives no abstract the title stands in its place.
        is_bare = fold(record.content).strip(". ") in fold(title)
        named = {mention.drug.name for mention in find_drugs(title)} if is_bare else set()
        if drug in named and named & others:
            name = build_reference_from_evidence(record).short_name
            yield f"“{title}” ({name}) was found without a text to read."
