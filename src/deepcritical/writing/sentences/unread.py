"""Chooses what a study says of a drug in its own words, where its results could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import is_notice
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionFrame, QuestionKind
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.domain.text.harms import HARMS_SECTION, SAFETY, reports_harm
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import (
    Span,
    addresses_a_model,
    body_sentences,
    fold,
    whole_sentences,
)
from deepcritical.vocabulary.classes import classes_of, drug_class, find_classes
from deepcritical.vocabulary.drugs import find_drugs, lookup_drug

_CONCLUDING = ("conclusion", "interpretation", "author")
_FINDING = ("result", "finding", "main result")
_LONGEST = 6_000
"""Characters of the longest abstract: in a longer text no place tells what the main result is."""
_LAST = 3
"""Sentences at the end of a text without headings that may conclude it."""
_NO_FINDING = bounded(
    r"\b(?:needed|warranted|requir\w+|should|recommend\w*|"
    r"aims? (?:of|was|were|is|to)|aimed|objectives?|purpose|"
    r"hypothes\w+|(?:outcomes?|end ?points?)(?: measures?)? (?:includ\w+|comprised)|nct\d+|"
    r"(?:this|the) (?:study|trial) (?:test\w*|examin\w+|evaluat\w+|assess\w+)|"
    r"we (?:estimated|tested|examined|evaluated|assessed)|"
    r"to (?:evaluate|assess|determine|compare|investigate|examine)|"
    r"(?:we|report|paper|article|review) (?:review|discuss|describe)s?|"
    r"will be|is discussed|are discussed)\b",
    re.IGNORECASE,
)
"""Words that call for more research, or tell an aim."""
_TELLS_RESULT = bounded(
    r"\b(?:p ?[<=>]|ci\b|significan\w+|differ(?:ed|ence)?s?\b|versus|vs\b|compar\w+|ratio|reduc\w+|"
    r"increas\w+|improv\w+|worse\w*|lower\w*|higher|fewer|greater|decreas\w+|superior|similar)",
    re.IGNORECASE,
)
"""That a sentence compares, and does not only tell who got what."""
_NULL = bounded(
    r"\b(?:not (?:\w+ )?significant(?:ly)?|did not differ|non-?significant|"
    r"(?:no|without) (?:\w+ ){0,2}(?:differences?|associations?)|"
    r"neither\b.{0,160}\bdiffer(?:ed|ences?))\b",
    re.IGNORECASE,
)
_FAILED = bounded(
    rf"{_NULL.pattern}|\b(?:did not|does not|failed to) (?:[\w-]+ )?(?:improve|reduce|slow|prevent|"
    r"delay|prolong|increase|decrease|show|demonstrate|provide|differ|affect|find|confer|offer|meet|"
    r"achieve)\b|"
    r"\bno (?:[\w-]+ ){0,3}(?:benefits?|effects?|efficacy|improvements?|evidence)\b|"
    r"\bineffective\b|"
    r"\b(?:not|no|neither) (?!only )(?:[\w-]+ ){0,4}(?:effective|efficacious|superior|better)\b|"
    r"\bneither\b.{0,80}\b(?:improved|prolonged|reduced|increased)\b|"
    r"\b(?:adverse|side) effects offset\b",
    re.IGNORECASE,
)
"""Words in which authors conclude that a drug did no better."""
_OF_EFFECT = bounded(r"\b(?:efficacy|effective|benefits?)\b", re.IGNORECASE)
"""Beside a harm, these make a sentence one on what a drug does."""
_MAIN = bounded(
    r"\b(?:co-?)?(?:primary|main|principal) (?:[\w-]+ ){0,2}"
    r"(?:outcomes?|end ?-?points?|measures?|variables?)\b",
    re.IGNORECASE,
)
_OF_ARMS = bounded(r"\b(?:groups?|arms?|treatments?|drug|therapy)\b", re.IGNORECASE)
_BETWEEN = bounded(r"\b(?:placebo|controls?|between|versus|vs|compared|than)\b", re.IGNORECASE)
"""Without the name of a drug, a sentence that compares arms is on what the study tests."""
_ASIDE = bounded(
    r"\bsub-?groups?\b|\bpost[- ]hoc\b|\bat baseline\b|\bcharacteristics\b|"
    r"\b(?:differ\w*|similar|comparable|balanced) (?:\w+ ){0,4}(?:in|for|by) (?:mean |median )?"
    r"(?:age|sex|gender)\b",
    re.IGNORECASE,
)
"""A result on a part of the people, or on who was let in, is not the main one."""
_OF_METHODS = bounded(
    r"\b(?:randomly|(?:was|were) randomi[sz]ed|assigned|allocated|enrol\w+|hypothes\w+|"
    r"(?:was|were) (?:conducted|performed|defined|used)|analys[ie]s compared)\b",
    re.IGNORECASE,
)
_MEASURED = bounded(r"\bp ?[<=>]|\bci\b|\d ?%|\bsignificant|\bdiffer", re.IGNORECASE)
"""Signs of a figure that was found."""
_ONSET = bounded(
    r"\b(?:risks?|rates?|incidence|incident|hazards?|odds|develop\w*)\b", re.IGNORECASE
)
"""Without these, a condition that is to be prevented is one that people have already."""
_IMPRINT = bounded(
    r"\bclinical ?trials\.|\bcopyright\b|\bfunded\b|\bregist(?:ry|ered|ration)\b|\bnct\d|"
    r"\bpublished by\b|\ball rights\b",
    re.IGNORECASE,
)
_BESIDE = bounded(r"[;,]| but | although | with | and (?:was|were|had) ", re.IGNORECASE)
"""The end of the clause that tells a result."""
_TREATED = bounded(
    r"(?<!risk )\b(?:in|with|for|against|treat\w*|correct\w*)"
    r"(?: (?!risk|and\b|or\b|[\w-]*(?:induced|associated|related))[\w-]+){0,2} $",
    re.IGNORECASE,
)
"""Words of a title before what the people have."""
_DOSE = bounded(
    r"\b(?:low|lower|standard|high|higher)(?=[- ]dose\b)|\d[\d.]* ?mg\b(?! ?/ ?d?L\b)",
    re.IGNORECASE,
)
"""That one of several doses failed is no failure of the drug."""
_AS_SUBJECT = bounded(
    r"^(?!in |among |of |for )(?:the |all )?(?:[\w-]+ ){0,2}"
    r"(?:patients|people|persons|women|men|adults|children|subjects|"
    r"participants|users|those) (?:who )?(?:were )?(?:receiv\w+|t[ao]k\w+|on|treated with|given) $",
    re.IGNORECASE,
)
"""People whom a sentence tells of by the drug that they take."""
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


def own_words(record: Evidence, drugs: str | Sequence[str], *args: Any, **more: Any) -> str:
    """Return the text of `main_result` in one line; '' where there is none."""
    found = main_result(record, drugs, *args, **more)
    return " ".join(found.text.split()) if found else ""


def main_result(
    record: Evidence,
    drugs: str | Sequence[str],
    asked: Sequence[str] | None = None,
    *,
    in_title: bool = True,
    wanted: Sequence[str] = (),
    null: bool = False,
) -> Span | None:
    """Return the sentence of a record that states its main result on a drug, if it can be told.

    That is its conclusion where the drug did no better; else the result on the main outcome, the
    first one on what was asked about, or the first one; else the conclusion. Background, aims,
    methods, and results on a part of the people are none.

    Args:
        record: It says nothing where it is retracted, a notice, a plan, or longer than an abstract.
        drugs: Names of the drug or class that the question is on; of a combination, of all drugs.
        asked: Folded names of which the sentence must have one; None for any.
        in_title: Whether a title that names the drug and one of these will do; it does not where
            these are a condition to be prevented.
        wanted: Folded names of the outcomes that the question names.
        null: Whether only that no difference was found is wanted, but for one from another drug.
    """
    if _says_nothing(record):
        return None
    tested = Tested.of(record, (drugs,) if isinstance(drugs, str) else drugs)
    fit, results, ends = _fit(record, tested, asked, in_title=in_title)
    main = [s for s in results if _MAIN.search(s.text) and tested.is_of(s.text)]
    failed = [s for s in fit if _FAILED.search(s.text) and tested.is_of(s.text, classes=True)]
    failed = [s for s in failed if not is_of_one_dose(s.text, record)]
    failed = [*(s for s in ends if s in failed), *(s for s in main if s in failed)]
    if null:
        title = record.citation.title
        failed = [s for s in failed if not _is_of_others(f"{title} {s.text}", tested)]
        return min(failed, key=lambda s: s not in main, default=None)
    told = [s for s in results if tested.is_of(s.text)]
    told.sort(key=lambda s: not _names_any(s.text, wanted))
    concluded = (s for s in reversed(ends) if tested.names_it(s.text))
    return next(iter([*failed, *main, *told, *concluded]), None)


def _says_nothing(record: Evidence) -> bool:
    is_plan = record.metadata.kind == "trial" and not record.metadata.has_results
    is_no_abstract = len(record.content) > _LONGEST
    return is_plan or is_no_abstract or grade(record).retracted or is_notice(record)


def _fit(
    record: Evidence, tested: Tested, asked: Sequence[str] | None, *, in_title: bool
) -> tuple[list[Span], list[Span], list[Span]]:
    """Return the sentences that may state the main result: all, of the results, at the end."""
    title, (results, ends) = record.citation.title, _findings(record)
    fit = [s for s in (*results, *ends) if asked or not _is_on_harm(s, title)]
    titled = any(_places(fold(title), name) for name in tested.names)
    if not titled and not any(tested.names_it(s.text) for s in fit):
        return [], [], []
    if asked is not None and not (titled and in_title and _names_any(title, asked)):
        free = in_title or _is_to_prevent(title, asked)
        fit = [s for s in fit if _names_any(s.text, asked) and (free or _ONSET.search(s.text))]
    return fit, [s for s in results if s in fit], [s for s in ends if s in fit]


def is_of_one_dose(text: str, record: Evidence) -> bool:
    """Return whether a sentence is on one of several doses that a record tells of."""
    doses = {dose.casefold() for dose in _DOSE.findall(record.content)}
    return len(doses) > 1 and _DOSE.search(text) is not None


def tells_failure(text: str) -> bool:
    """Return whether a sentence tells that a drug did no better."""
    return _FAILED.search(text) is not None


def _is_of_others(text: str, tested: Tested) -> bool:
    found = [mention.drug.name for mention in find_drugs(text)]
    named = {fold(group.name if (group := drug_class(name)) else name) for name in found}
    return not named <= tested.names | tested.classes


def _is_on_harm(span: Span, title: str) -> bool:
    """Return whether what a sentence tells first is a harm, not what it adds to an effect."""
    clauses = [span._replace(text=told) for told in _BESIDE.split(span.text)]
    if any(_FAILED.search(one.text) and not reports_harm(one) for one in clauses):
        return False
    found = [m.start() for p in (_FAILED, _TELLS_RESULT) if (m := p.search(span.text))]
    behind = _BESIDE.search(span.text, min(found, default=0))
    told = span.text[: behind.start()] if behind and found else span.text
    offset = _FAILED.search(told)
    on_effect = _OF_EFFECT.search(told) or (offset and "offset" in offset[0])
    return reports_harm(span._replace(text=without_treated(told, title))) and not on_effect


def without_treated(text: str, title: str) -> str:
    """Return a text without words for a harm, such as hypotension, that is what is treated."""
    found = (m for m in SAFETY.finditer(title) if _TREATED.search(title[: m.start()]))
    treated = {m[0].casefold() for m in found if not m[0].casefold().startswith(HARMS_SECTION)}
    return SAFETY.sub(lambda m: "" if m[0].casefold() in treated else m[0], text)


def _is_to_prevent(title: str, conditions: Sequence[str]) -> bool:
    """Return whether a title is on preventing a condition, or on the risk of it."""
    near = r"\b(?:prevent\w*|risks? of|incidence of)\b(?:(?! in | with )[^.:;]){0,20}"
    return any(re.search(f"{near}{re.escape(name)}", fold(title)) for name in conditions)


def is_opening(start: int, record: Evidence) -> bool:
    """Return whether a place is in the first sentence of an abstract without headings."""
    told = body_sentences(record.content, record.citation.title)
    return len(told) > 2 * _LAST and not told[0].label and start <= told[0].start


def _names_any(text: str, names: Sequence[str]) -> bool:
    return any(name in fold(text) for name in names)


def _findings(record: Evidence) -> tuple[list[Span], list[Span]]:
    """Return the sentences that tell results, and those that conclude, in their order.

    Of a text without headings, results begin with the first sentence that compares figures.
    """
    whole = {span.start for span in whole_sentences(record.content)}
    told = [s for s in body_sentences(record.content, record.citation.title) if s.start in whole]
    fit = [s for s in told if tells_finding(s.text) and not _ASIDE.search(s.text)]
    fit = [s for s in fit if _MEASURED.search(s.text) or not _OF_METHODS.search(s.text)]
    compare = [s for s in fit if _TELLS_RESULT.search(s.text) or _FAILED.search(s.text)]
    if any(s.label for s in told):
        results = [s for s in compare if s.label.startswith(_FINDING)]
        return results, [s for s in fit if s.label.startswith(_CONCLUDING)]
    ends = [s for s in told if not _IMPRINT.search(s.text)][-_LAST:]
    measured = (s for s in compare if _MEASURED.search(s.text))
    begin = next((s.start for s in (*measured, *ends)), 0)
    return [s for s in compare if s.start >= begin], [s for s in fit if s in ends]


class Tested(NamedTuple):
    """The drug or class that a study tests, by the names that its record has for it."""

    names: frozenset[str]
    """Folded names, abbreviations that the record defines among them."""
    classes: frozenset[str]
    """Folded names of classes that it belongs to."""
    is_alone: bool
    """Whether the title, or where it names no drug all of the text, names no other drug."""

    @classmethod
    def of(cls, record: Evidence, drugs: Sequence[str]) -> Tested:
        """Return it for the drugs or classes of a question."""
        named = set[str]()
        classes = set[str]()
        for drug in drugs:
            group = drug_class(drug)
            own = {drug, lookup_drug(drug).name, *((group.name, *group.members) if group else ())}
            named |= set(map(fold, own))
            classes |= {fold(one.name) for one in classes_of(lookup_drug(drug).name)}
        named |= {name.removesuffix("s") for name in named}
        short = expand_abbreviations(f"{record.citation.title}. {record.content}")
        named |= {
            fold(one).removesuffix("s")
            for one, long in short.items()
            if any(_places(fold(long), name) for name in named)
        }
        title = record.citation.title
        titled = find_drugs(title) or any(_places(fold(title), name) for name in named)
        text = title if titled else record.content
        found = {fold(mention.drug.name) for mention in find_drugs(text)}
        return cls(frozenset(named), frozenset(classes), found <= named)

    def is_of(self, text: str, *, classes: bool = False) -> bool:
        """Return whether a sentence tells of it, by name or, where it names no drug, of arms.

        Args:
            text: The sentence.
            classes: Whether the name of its class will do.
        """
        if self.names_it(text):
            return True
        if classes and any(fold(m.group.name) in self.classes for m in find_classes(text)):
            return True
        on_arms = _OF_ARMS.search(text) or _MAIN.search(text)
        tells = _BETWEEN.search(text) or (_FAILED.search(text) and on_arms)
        return bool(tells) and self.is_alone and not find_drugs(text)

    def names_it(self, text: str) -> bool:
        """Return whether a sentence names the drug as what is tested."""
        folded = fold(text)
        places = [at for name in self.names for at in _places(folded, name)]
        if places:
            return not all(_is_background(folded, *at) for at in places)
        return any(fold(mention.drug.name) in self.names for mention in find_drugs(text))


def _places(folded: str, name: str) -> list[tuple[int, int]]:
    found = re.finditer(rf"(?<!\w){re.escape(name)}s?(?!\w)", folded)
    return [(at.start(), at.end()) for at in found]


def _is_background(folded: str, start: int, end: int) -> bool:
    before = folded[:start]
    if _AS_SUBJECT.search(before):
        return False
    return bool(_BEFORE_BACKGROUND.search(before) or _BEHIND_BACKGROUND.match(folded[end:]))


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
