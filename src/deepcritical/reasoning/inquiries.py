"""Reads a free question: what kind it is, what a sentence must name, what a record must bear on.

No name has to be in a vocabulary: what none knows is a phrase of the question, looked for as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.checklist import Aspect, Inquiry, InquiryKind
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.frame import QuestionFrame
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Drug
from deepcritical.domain.text import Span, fold
from deepcritical.questions.forms import require_answerable
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.wording import plain_wording
from deepcritical.reasoning import lexicon
from deepcritical.reasoning.asked import Asked, read_asked
from deepcritical.reasoning.directions import HARM, NO_EFFECT
from deepcritical.reasoning.outcome_families import with_measures
from deepcritical.reasoning.phrases import names_phrase, read_phrases, words_of
from deepcritical.reasoning.tolerability import asks_for_harm
from deepcritical.reasoning.wanted import DOSE, WANTED, Wanted
from deepcritical.vocabulary.drugs import DrugKind, find_drugs

__all__ = [
    "DOSES",
    "HARMS",
    "MECHANISMS",
    "RECOMMENDED",
    "Focus",
    "asks_for_stopped",
    "asks_what_is_recommended",
    "focus_of",
    "inquiry_of",
    "read_inquiry",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return bounded("|".join(patterns), re.IGNORECASE)


_STEP = _any(
    r"\b(?:activat|inhibit|(?:de)?phosphorylat|suppress|stimulat|bind|induc|(?:down|up)-?regulat|"
    r"mediat|modulat|signal|pathway|receptor|express|degrad|mechanism|antagoni|vasoconstrict|"
    r"angiogen|apopto|autophag|block)\w*",
    r"\b(?:through|via)\b",
    r"\b(?:increas|rais|reduc|lower|decreas|attenuat|enhanc|restor)\w* (?:[\w-]+ ){0,4}"
    r"(?:levels?|activity|phosphorylation|expression|secretion|release|production|uptake|"
    r"pathology|aggregation|burden|load|plaques?|tangles?|inflammation)\b",
)
_RECOMMENDED = _any(
    r"\bfirst[- ](?:line|choice)\b|\b(?:drug|treatment|therapy) of choice\b|\bmainstay\b",
    r"\bstandard(?: of care| treatment| therapy)\b|\brecommend\w*|\bguidelines?\b|\bconsensus\b",
    r"\bapproved\b",
)
_COUNTED = _any(r"\bprevalen\w+|\bincidence\b|\bper \d|\d\s?%|\bcases\b|\bfrequency\b")
_TESTED = _any(
    r"\bsensitiv\w+|\bspecificit\w+|\bspecific\b|\baccura\w+|\bAUC\b|\bcut-?off\b|\bdiagnos\w+|"
    r"\bbiomarkers?\b|\bcriteria\b|\bpredictive value\b"
)
_CAUSED = _any(
    r"\bcaus(?:es?|ed|ing|al)\b|\brisk factors?\b|\bpathogen\w+|\baetiolog\w+|\betiolog\w+|"
    r"\bmutation\w*|\b(?:higher|increased|greater) risk\b"
)
_DRUGS = (DrugKind.DRUG, DrugKind.DRUG_CLASS)


def _names_treatment(span: Span) -> bool:
    told = lexicon.OUTCOME.search(span.text) or _RECOMMENDED.search(span.text)
    return bool(told) and any(m.drug.kind in _DRUGS for m in find_drugs(span.text))


def _says(pattern: re.Pattern[str]) -> Wanted:
    """What is told by words; nothing in the question asks for it by itself."""
    return Wanted("", bounded("$^"), lambda span: bool(pattern.search(span.text)))


HARMS = next(want for want in WANTED if want.is_safety)
DOSES = next(want for want in WANTED if want.name == DOSE)
MECHANISMS = _says(_STEP)
RECOMMENDED = Wanted(
    "",
    bounded("$^"),
    lambda span: bool(_RECOMMENDED.search(span.text)) and _names_treatment(span),
)
_TREATMENTS = Wanted("", bounded("$^"), _names_treatment)


class _Kind(NamedTuple):
    kind: InquiryKind
    asked: re.Pattern[str]
    """Words of a question that make it one of this kind; they are not looked for in sentences."""
    told: Wanted | None = None
    """What its sentences must tell, if the words of the question do not say so already."""


_LISTED = bounded(
    r"^(?:which|what(?! (?:do|did|does|have)\b)|are there|is there|list|find|show|any|how many)\b"
    r"(?:\s+[\w-]+){0,4}?\s+trials?\b",
    re.IGNORECASE,
)
"""Asks which trials there are, not what they found."""
_KINDS = (
    _Kind(
        InquiryKind.TRIALS,
        _any(
            _LISTED.pattern,
            r"\b(?:are|is) (?:there|under ?way|ongoing|running|registered|recruiting|planned)\b",
            r"\b(?:test(?:ed|ing)?|stopped(?: early)?|terminated|completed|failed|recruiting|"
            r"ongoing)\b",
        ),
    ),
    _Kind(
        InquiryKind.DOSE,
        _any(r"\b(?:what|which|how (?:much|high|large))\b[\w ]{0,20}\b(?:dos(?:es?|ages?)|mg)\b"),
        DOSES,
    ),
    _Kind(
        InquiryKind.SAFETY,
        _any(
            r"\b(?:adverse|side)[- ](?:events?|effects?|reactions?)\b|\bsafe(?:ty|ly)?\b|"
            r"\b(?:well[- ])?tolerat\w+|\btolerab\w+|\btoxi\w+|\bharm(?:s|ful)?\b|"
            r"\bcontra-?indicat\w+"
        ),
        HARMS,
    ),
    _Kind(
        InquiryKind.MECHANISM,
        _any(
            r"\bmechanisms?(?: of action)?(?: of)?\b|\bmode of action\b|"
            r"^how (?:do|does|did|might|may|could|can)\b|\bacts?(?: on| through| via| by)?\b|"
            r"\bthrough (?:which|what)\b|\bby (?:which|what)\b|\bpathways?\b"
        ),
        MECHANISMS,
    ),
    _Kind(
        InquiryKind.FREQUENCY,
        _any(r"\bprevalence(?: of)?\b|\bhow (?:common|frequent|often|many)\b|\bincidence of\b"),
        _says(_COUNTED),
    ),
    _Kind(
        InquiryKind.DIAGNOSIS,
        _any(r"\bdiagnos\w+|\bdetect\w*\b|\bscreen(?:ing|ed)?(?: for)?\b|\bbiomarkers?\b"),
        _says(_TESTED),
    ),
    _Kind(
        InquiryKind.TREATMENT,
        _any(
            r"\bfirst[- ](?:line|choice)\b|\bstandard of care\b|\bguidelines?\b|"
            r"\b(?:drug|treatment|therapy) of choice\b|\b(?:treatments?|therap(?:y|ies)|drugs?|"
            r"medicines?|medications?)\b(?= (?:of|for|in|are|is|work|help|can|could))|"
            r"\bmanag(?:ed|ement)\b|\btreated\b"
        ),
        _TREATMENTS,
    ),
    _Kind(
        InquiryKind.CAUSE,
        _any(r"^(?:what|which)\b[\w ]{0,12}\bcauses?\b|\brisk factors?(?: for)?\b|^why\b"),
        _says(_CAUSED),
    ),
)
_OPENING = bounded(
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have)\b", re.IGNORECASE
)
_WHO = bounded(
    r"\b(?:non-?)?(?:hospitali[sz]ed|critically ill|ambulatory)\b"
    r"(?= (?:\w+ )?(?:adults?|patients?|people|children|infants|with))",
    re.IGNORECASE,
)
"""Says which patients, not that admission to hospital is asked for."""
_GROUP = bounded(
    r"\b(?:in|among)\s+((?:[\w-]+\s+){0,2}(?:outpatients?|inpatients?|adults?|adolescents?|children|"
    r"infants?|elderly|women|men)(?: people)?)(?=\W*$)",
    re.IGNORECASE,
)
"""Who was studied, at the end of a question of yes or no: the record must name them."""
_CONTEXT: dict[Aspect, re.Pattern[str]] = {
    Aspect.SAFETY: _any(r"\bsafe\w*|\badverse\b|\bside effects?\b|\btolerab\w+|\bharms?\b"),
    Aspect.DOSE: _any(r"\bdos(?:e|es|age|ing)\b"),
    Aspect.MECHANISM: _any(r"\bmechanis\w+|\bpathways?\b|\bhow \w+ it (?:act|work)\b"),
    Aspect.TRIALS: _any(r"\brandomi[sz]ed\b|\btrials?\b|\bRCTs?\b"),
}
_NO_BENEFIT = _any(NO_EFFECT.pattern, HARM.pattern, r"\bfutil\w+")
_NOT_SO = _any(
    NO_EFFECT.pattern,
    r"\bindependent(?:ly)? of\b|\b(?:did|do|does|was|were|is|are) not\b|\bno evidence\b|"
    r"\bcontra(?:ry|dict\w*)\b|\binconsistent\b|\bfailed to\b",
)
_TOLERATED = _any(
    r"\b(?:well|generally|safely)[- ]tolerated\b|\bno (?:\w+ ){0,2}(?:adverse|difference|increase)",
    r"\bdid not (?:differ|increase)\b|\b(?:similar|comparable)\b",
)


_FURTHER = bounded(
    r"[,;?]?\s+and,?\s+(?:if so,?\s+)?"
    r"(?=(?:is|are|was|does|do|can|how|what|which|at what|by what|through what|why)\s)",
    re.IGNORECASE,
)
"""Between a question and another one about the same thing: "..., and is it safe?"."""


_OF_BENEFIT = frozenset(
    {InquiryKind.EFFECT, InquiryKind.TREATMENT, InquiryKind.DOSE, InquiryKind.TRIALS}
)


class Focus(NamedTuple):
    """A free question as what a sentence must name."""

    kind: InquiryKind
    asked: Asked
    """With everything named in the sentence."""
    related: Asked | None
    """With what is only named in the record; None where that would say nothing."""

    def is_against(self, span: Span) -> bool:
        """Whether the words of a sentence speak against what is asked about."""
        if self.kind is InquiryKind.SAFETY:
            words = _TOLERATED if asks_for_harm(self.asked.text) else HARM
            return bool(words.search(span.text))
        if self.kind not in _OF_BENEFIT:
            return bool(_NOT_SO.search(span.text))
        # That there was no adverse event says nothing against a treatment.
        words = HARM if HARMS.found_in(span) else _NO_BENEFIT
        return bool(words.search(span.text))


@lru_cache(maxsize=256)
def focus_of(text: str) -> Focus:
    """What a free question is after, by rules over its words; of several questions, the first."""
    text = _first_of(text)
    found = next((k for k in _KINDS if k.asked.search(text) and _fits(k, text)), None)
    of_trials = found is not None and found.kind is InquiryKind.TRIALS
    yes_no = bool(_OPENING.match(text)) and not of_trials
    kind = found.kind if found else InquiryKind.EFFECT if yes_no else InquiryKind.OTHER
    plain = _WHO.sub("", text)
    if found and kind not in (InquiryKind.SAFETY, InquiryKind.DOSE):
        plain = " ".join(found.asked.sub(" ", plain).split())
    group = _GROUP.search(plain) if yes_no else None
    plain = plain.replace(group[0], "").strip() if group else plain
    asked = read_asked(plain)
    if group:
        asked = asked._replace(studied=(*asked.studied, *read_phrases(group[1])))
    told = found.told if found and found.told else None
    wanted = asked.wanted if told is None or told in asked.wanted else (*asked.wanted, told)
    finding = kind is not InquiryKind.DOSE
    if kind is InquiryKind.TRIALS:
        asked = asked._replace(conditions=(), population=(*asked.population, *asked.conditions))
    if kind is InquiryKind.TREATMENT:
        # A sentence on a drug names the condition less often than the title of its paper does.
        asked = asked._replace(
            conditions=(),
            population=(*asked.population, *asked.conditions),
            phrases=(),
            studied=(*asked.studied, *asked.phrases),
        )
    asked = asked._replace(
        text=plain if yes_no else text,
        phrases=with_measures(asked.phrases),
        studied=with_measures(asked.studied),
        wanted=wanted,
        yes_no=yes_no and asked.yes_no,
        finding=finding,
    )
    return Focus(kind, asked, _related(asked))


def asks_for_stopped(text: str) -> bool:
    """Whether a question on trials asks for those that did not come to their end."""
    return bool(re.search(r"\b(?:stopp|terminat|withdr|halt|suspend)\w+", text, re.IGNORECASE))


def asks_what_is_recommended(text: str) -> bool:
    """Whether a question asks for a first line, a standard or a guideline."""
    return bool(_RECOMMENDED.search(text))


def _first_of(text: str) -> str:
    """The first of the questions that a text asks of one thing, if it names something itself."""
    first, *further = _FURTHER.split(text, maxsplit=1)
    if not further or not (find_drugs(first) or read_asked(first).names_something):
        return text
    return f"{first}?"


def _fits(kind: _Kind, text: str) -> bool:
    """A question of yes or no that names a drug asks for its effect, not for treatments."""
    if kind.kind is InquiryKind.TRIALS:
        return bool(_LISTED.match(text))
    if kind.kind is not InquiryKind.TREATMENT:
        return True
    return not any(m.drug.kind in _DRUGS for m in find_drugs(text))


def _related(asked: Asked) -> Asked | None:
    """The question with some of what it names looked for in the whole record."""
    if asked.drugs and (asked.phrases or asked.conditions):
        population = (*asked.population, *asked.conditions)
        studied = (*asked.studied, *asked.phrases)
        return asked._replace(
            conditions=(), population=population, phrases=(), studied=studied, yes_no=False
        )
    if len(asked.phrases) > (0 if asked.conditions else 1):
        kept = () if asked.conditions else asked.phrases[:1]
        studied = (*asked.studied, *asked.phrases[len(kept) :])
        return asked._replace(phrases=kept, studied=studied, yes_no=False)
    return None


def inquiry_of(text: str, context: str = "") -> Inquiry:
    """A free question on records that are there already; see `read_inquiry`."""
    return read_inquiry(literal_frame(text), context)


def read_inquiry(frame: QuestionFrame, context: str = "") -> Inquiry:
    """A free question, read by rules.

    Raises:
        QuestionDeclinedError: It is none that papers and trials answer.
        QuestionError: It names nothing that could be looked for.
    """
    require_answerable(frame)
    first = _first_of(frame.text)
    text = plain_wording(frame) if first == frame.text else frame.text
    focus = focus_of(text)
    asked = focus.asked
    beside = f"{frame.text.removeprefix(first.rstrip('?'))} {context}"
    conditions = (*asked.conditions, *asked.population)
    drugs = tuple(_as_written(drug, frame.text) for drug in asked.drugs)
    names = (*(d.name for d in drugs), *(c.name for c in conditions), *_phrases(asked, text))
    if not names:
        raise QuestionError(
            "The question names nothing to look for.",
            "Name a drug, a condition, a target or an outcome.",
        )
    return Inquiry(
        text=frame.text,
        read_as="" if text == frame.text else text,
        context=context,
        kind=focus.kind,
        drugs=drugs,
        conditions=conditions,
        key_terms=tuple(dict.fromkeys(name for name in names if name)),
        aspects=tuple(a for a, pattern in _CONTEXT.items() if pattern.search(beside)),
        scope_in=_scope(focus),
        scope_out=(
            "plans and protocols without a result",
            "retracted records, which are counted and never used",
            "advice for one patient",
        ),
        notices=frame.notices,
        frame=frame,
    )


def _phrases(asked: Asked, text: str) -> Iterator[str]:
    for phrase in (p for group in (*asked.phrases, *asked.studied) for p in group):
        if names_phrase(phrase, text):
            yield _as_spelled(dict.fromkeys(words_of(phrase, text)), text)


def _as_spelled(words: Iterable[str], text: str) -> str:
    """Folded words as the text spells them: "AMPK", not "ampk"."""
    spelled = {fold(word): word for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", text)}
    return " ".join(spelled.get(word, word) for word in words)


def _as_written(drug: Drug, text: str) -> Drug:
    """By the name that the user gave it, with the vocabulary's name among the others."""
    written = next((m.text for m in find_drugs(text) if m.drug.name == drug.name), drug.name)
    others = tuple(n for n in (drug.name, *drug.synonyms) if n.lower() != written.lower())
    return Drug(name=written, synonyms=others, known=drug.known)


def _scope(focus: Focus) -> tuple[str, ...]:
    people = "studies of people first, then animals and cells"
    if focus.kind is InquiryKind.MECHANISM:
        people = "studies of people, animals and cells alike"
    return (
        "sentences that name all of the key terms, or stand in a record that does",
        people,
    )
