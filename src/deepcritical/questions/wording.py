"""One wording for every question of the same frame, so that how it was put changes no answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Literal

from deepcritical.domain.frame import SERIOUS_HARM, QuestionFrame, QuestionKind
from deepcritical.domain.named import Condition
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import ResearchQuestion
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.questions import cues
from deepcritical.questions.naming import find_names, joined
from deepcritical.vocabulary.classes import find_classes
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.vocabulary.words import is_english

__all__ = [
    "ASKING_WORDS",
    "answer_on",
    "answer_to",
    "as_meant",
    "claim_of",
    "headed",
    "plain_wording",
    "proposition_of",
    "subject_of",
]

_OPEN = {
    VerdictLabel.MIXED: "Not settled: the results found point both ways on whether {claim}.",
    VerdictLabel.INSUFFICIENT: "Not known: the evidence found does not show whether {claim}.",
    VerdictLabel.NOT_ASSESSED: "Not assessed: it could not be read whether {claim}.",
}
_SAID = _OPEN | {
    VerdictLabel.SUPPORTED: "Yes: the evidence supports that {claim}.",
    VerdictLabel.PROMISING: "Possibly: early evidence suggests that {claim}, without proof.",
    VerdictLabel.UNSUPPORTED: "Not shown: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "No: the evidence speaks against the claim that {claim}.",
    VerdictLabel.HARMFUL: "No: patients did worse in studies of whether {claim}.",
}
_SAID_OF_DENIAL = _OPEN | {
    VerdictLabel.SUPPORTED: "No: the evidence supports that {claim}.",
    VerdictLabel.PROMISING: "Perhaps not: early evidence suggests that {claim}, without proof.",
    VerdictLabel.UNSUPPORTED: "So far, yes: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "Yes: the evidence speaks against the claim that {claim}.",
    VerdictLabel.HARMFUL: "Yes: patients even did worse in studies of whether {claim}.",
}
_SAID_OF_RISE = _OPEN | {
    VerdictLabel.SUPPORTED: "No: the evidence supports the opposite of the claim that {claim}.",
    VerdictLabel.PROMISING: (
        "Probably not: early evidence suggests the opposite of the claim that {claim}."
    ),
    VerdictLabel.UNSUPPORTED: "Not shown: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "Not shown: large studies found no sign that {claim}.",
    VerdictLabel.HARMFUL: "Yes: the evidence supports that {claim}.",
}
_SAID_OF_NO_RISE = _OPEN | {
    VerdictLabel.SUPPORTED: "Yes: the evidence supports the opposite of the claim that {claim}.",
    VerdictLabel.PROMISING: (
        "Probably: early evidence suggests the opposite of the claim that {claim}."
    ),
    VerdictLabel.UNSUPPORTED: "So far, yes: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "So far, yes: large studies found no sign that {claim}.",
    VerdictLabel.HARMFUL: "No: the evidence supports that {claim}.",
}
_WORDS = {
    (False, False): _SAID,
    (True, False): _SAID_OF_DENIAL,
    (False, True): _SAID_OF_RISE,
    (True, True): _SAID_OF_NO_RISE,
}
"""By whether the question denies its claim, and whether the claim is that something bad rises."""
_SAID_OF_SAFETY = _OPEN | {
    VerdictLabel.UNSUPPORTED: "Not shown: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "Not shown: large studies found no sign that {claim}.",
    VerdictLabel.HARMFUL: "Not safe in every respect: the evidence supports that {claim}.",
}
"""Of a question whether a drug is safe, to which "yes" would be read as the opposite."""
_SAID_OF_SIGNAL = {
    ("weak", False): "Possibly: results too weak to prove it suggest that {claim}.",
    ("weak", True): "Perhaps not: results too weak to prove it suggest that {claim}.",
    ("likely", False): "Probably: the studies found suggest that {claim}, without proof.",
    ("likely", True): "Probably not: the studies found suggest that {claim}, without proof.",
}
_EFFECTS = frozenset({QuestionKind.EFFICACY, QuestionKind.CLASS})


Strength = Literal["", "weak", "likely"]
"""How far a harm is from proof; '' where it is proven."""


def answer_to(frame: QuestionFrame, label: VerdictLabel, *, strength: Strength = "") -> str:
    """A verdict as the answer to a question as it was put; '' where it asks for no yes or no.

    The verdict is always on the positive proposition, so "Is it true that it does not help?" is
    answered with a yes where it was refuted.
    """
    claim = claim_of(frame)
    said = answer_on(
        claim, label, denied=frame.negative, raises=frame.is_on_harm, strength=strength
    )
    return said if claim else ""


def answer_on(
    claim: str,
    label: VerdictLabel,
    *,
    denied: bool = False,
    raises: bool = False,
    strength: Strength = "",
) -> str:
    """A verdict on a claim as an answer: "Yes: the evidence supports that X helps in Y."."""
    if raises and claim.find(SERIOUS_HARM.name) >= 0 and label in _SAID_OF_SAFETY:
        likely = _SAID_OF_SIGNAL[strength, False] if strength else _SAID_OF_SAFETY[label]
        return likely.format(claim=claim)
    if raises and strength:
        return _SAID_OF_SIGNAL[strength, denied].format(claim=claim)
    return _WORDS[denied, raises][label].format(claim=claim)


def claim_of(frame: QuestionFrame) -> str:
    """What a verdict is on: "colchicine reduces recurrence in pericarditis"; '' for no one drug."""
    verb = "increase" if frame.is_on_harm else _verb(frame)
    return _claim(frame, verb) if frame.kind in _EFFECTS or frame.is_on_harm else ""


def proposition_of(frame: QuestionFrame, label: VerdictLabel) -> str:
    """What a verdict is on, where the question puts it the other way round; '' elsewhere.

    Of a harm a benefit is told the other way round: "supported" is that there are fewer deaths.
    """
    if frame.is_on_harm:
        return _claim(frame, "reduce") if label in _FEWER_WITH_IT else claim_of(frame)
    return claim_of(frame) if frame.negative else ""


_FEWER_WITH_IT = (VerdictLabel.SUPPORTED, VerdictLabel.PROMISING)


def _claim(frame: QuestionFrame, verb: str) -> str:
    if len(frame.drugs) != 1 or not (frame.condition or frame.feared):
        return ""
    ending = "" if _are_several(frame) else "s"
    measured = f"the risk of {frame.feared.name}" if frame.feared else _listed(frame.outcomes)
    if frame.prevents and frame.condition and not measured:
        return f"{frame.drugs[0].name} prevent{ending} {frame.condition.name}{_whom(frame)}"
    did = f"{verb}{ending} {measured}" if measured else f"help{ending}"
    than = (
        f" compared with {_listed(frame.comparators)}" if frame.feared and frame.comparators else ""
    )
    return f"{frame.drugs[0].name} {did}{than}{_where(frame)}"


def subject_of(question: ResearchQuestion) -> str:
    """Who is asked about for what: "colchicine for pericarditis"; of a harm "A and B in C"."""
    drug = question.drug.name if question.drug else "candidates"
    frame = question.frame
    if frame and frame.feared:
        return f"{drug} and {frame.feared.name}{_where(frame)}"
    return f"{drug} for {question.condition.name if question.condition else question.text}"


def as_meant(frame: QuestionFrame) -> QuestionFrame:
    """The frame with the question in plain words, so that all its wordings look for the same."""
    if not (frame.condition or frame.harm):
        return frame
    return frame.model_copy(update={"text": plain_wording(frame)})


def plain_wording(frame: QuestionFrame) -> str:
    """The question in the words of its frame; as written where the frame says less than the text.

    That is so where any word is left that neither a name, a measure or a group of the frame nor the
    wording stands for: "unsafe", "high-dose", "without", "stopping".
    """
    worded = _WORDINGS.get(frame.kind)
    asked = _POLITE.sub("", frame.text)
    asked = f"{asked[:1].upper()}{asked[1:]}"
    if worded is None or not frame.drugs or frame.not_understood:
        return asked
    names = {
        "condition": frame.condition and headed(frame.condition),
        "harm": frame.harm and headed(frame.harm),
    }
    plain, stands_for = worded(frame.model_copy(update=names))
    return plain if plain and _says_all(frame, stands_for) else asked


_POLITE = bounded(
    r"^(?:(?:hi|hello|hey|please|kindly|could you|can you|would you|tell me|explain|show me|"
    r"i was wondering|i wonder|i would like to know|i'd like to know)[, ]+){1,4}(?=\w+ \w+ \w+)",
    re.IGNORECASE,
)
ASKING_WORDS = frozenset(
    "a able about actual actually adult adults all also an and any anything are as at be been "
    "being benefit beneficial benefits by can case clinical correct could current currently "
    "data day days did do does drug drugs effect effective effectiveness effects efficacious "
    "efficacy ever evidence find finds for found from given good had has have having hello help "
    "helpful helping helps hi how i if impact in into is it its just know known latest let like "
    "literature me medication medicine might may my new newest now of on or patient patients "
    "people person persons please proof pt pts question really recent research results right "
    "role said say says science should show shown shows so some still studies study summarise "
    "summarize tell than that the their them there these they this those to today treat treated "
    "treating treatment treats trial trials true use used useful using value want was we well "
    "were what whether which who will with wonder wondering work working works would you "
    "therapy therapeutic option".split()
)
"""Words that ask, and change nothing of what is asked."""
_DENIALS = frozenset(
    "no not doesn't don't didn't isn't aren't cannot can't never useless ineffective fail fails "
    "failed lack myth pointless worthless unable false untrue incorrect wrong".split()
)
_FEWER = (
    "cut cuts decrease decreases decreasing delay delays fewer less lower lowers lowering prevent "
    "prevents preventing reduce reduced reduces reducing reduction risk risks shorten shortens "
    "shorter slow slows slowing likely rate rates chance chances number"
)
_GETTING = "against develop developing from get gets getting incidence keep keeps onset stop stops"
_MORE = "extend extends improve improves improving improvement longer prolong prolongs better"
_SIDE_EFFECTS = bounded(
    r"\b(?:side[- ]effects?|adverse (?:events?|effects?|reactions?)|SAEs?|AEs?|safe(?:ty|ly)?|"
    r"harms?|toxicity|tolerab\w+|well[- ]tolerated)\b",
    re.IGNORECASE,
)
_CAUSES = bounded(
    r"\bcaus(?:es?|ed|ing)\b|\brisk of\b|\blead(?:s|ing)? to\b|\bhow (?:common|often|frequent)\b|"
    r"\b(?:incidence|rate|frequency) of\b|\bincidence$",
    re.IGNORECASE,
)
_SAFETY_WORDS = (
    "side effect effects adverse event events reaction reactions safe safety safely ae aes sae "
    "saes harm harms toxicity tolerability tolerated tolerable cause causes caused causing "
    "raise raises raised increase increases increased risk likely likelihood lead leads leading "
    "common often frequent frequency incidence rate occur occurs more taking take takes rx "
    "associated"
)
_TRIALS = bounded(r"\b(?:trials?|registered|recruiting|ongoing|under ?way)\b", re.IGNORECASE)
_SHORT_FOR = bounded(r"\b[A-Z][A-Za-z]{0,5} \(")
"""An abbreviation before what it stands for."""
_WORD = bounded(r"[^\W_]+(?:['’-][^\W_]+)*")


def _says_all(frame: QuestionFrame, stands_for: str) -> bool:
    """Whether each word of the question is one of its frame, or of those that a wording is for."""
    rest = cues.asks_in(frame.text)[1]  # of a story its roles are read, not its words
    names = find_names(rest)
    asked = {drug.name for drug in frame.drugs}
    kinds = (c.text for c in find_classes(rest) if asked & {*c.group.members})
    named = (*(d.text for d in names.drugs), *(c.text for c in names.conditions))
    for written in (*named, *kinds):
        rest = rest.replace(written, " ")
    said = {*frame.population, *frame.outcomes}
    for name, pattern in (*cues.GROUPS, *cues.OUTCOMES):
        rest = pattern.sub(" ", rest) if name in said else rest
    rest = _SHORT_FOR.sub("(", cues.LATEST.sub(" ", rest))
    words = {word.casefold().replace("’", "'") for word in _WORD.findall(rest)}
    return words <= ASKING_WORDS | set(stands_for.split()) | (_DENIALS if frame.negative else set())


Worded = tuple[str, str]
"""A wording, and the words of a question that it stands for."""


def _effect(frame: QuestionFrame) -> Worded:
    verb = _verb(frame)
    if frame.prevents and frame.condition and not frame.outcomes:
        put = f"{_do(frame)} prevent {frame.condition.name}{_whom(frame)}?"
        return put, f"{_FEWER} {_GETTING}"
    words = {"reduce": _FEWER, "improve": _MORE}.get(verb, "") if frame.outcomes else ""
    did = f"{verb} {_listed(frame.outcomes)}" if frame.outcomes else "help"
    asks = bool(frame.condition or frame.outcomes) and verb != "affect"
    return f"{_do(frame)} {did}{_where(frame)}?" if asks else "", words


def _safety(frame: QuestionFrame) -> Worded:
    told = bool(_SIDE_EFFECTS.search(frame.text))
    if frame.outcomes or not (told or _CAUSES.search(frame.text)):
        return "", ""  # the harm that is asked about is in its words alone
    if frame.harm and not told:
        return f"{_do(frame)} cause {frame.harm.name}{_where(frame)}?", _SAFETY_WORDS
    if frame.condition or frame.population:
        be = "Are" if _are_several(frame) else "Is"
        return f"{be} {_drugs(frame)} safe{_where(frame)}?", _SAFETY_WORDS
    return f"What are the side effects of {_drugs(frame)}?", _SAFETY_WORDS


def _dose(frame: QuestionFrame) -> Worded:
    given = f"What dose of {_drugs(frame)} was given{_where(frame)}?" if frame.condition else ""
    return given, "dose doses dosing dosage much normally usually give gave"


def _mechanism(frame: QuestionFrame) -> Worded:
    ways = _listed(frame.through)
    acts = f"{_do(frame)} act through {ways}{_where(frame)}?" if ways else ""
    return acts, f"through via by act acts pathway {ways.casefold()} {_FEWER} {_MORE}"


def _status(frame: QuestionFrame) -> Worded:
    asks = f"Which trials of {_drugs(frame)}{_where(frame)} are registered?"
    words = "registered recruiting ongoing running under way list see been tested testing myself"
    return asks if _TRIALS.search(frame.text) else "", words


def _comparison(frame: QuestionFrame) -> Worded:
    other = _listed(frame.comparators)
    be = "Are" if _are_several(frame) else "Is"
    asks = f"{be} {_drugs(frame)} more effective than {other}{_where(frame)}?" if other else ""
    return asks, "better more superior versus vs compared comparison comparing compare against"


_WORDINGS: dict[QuestionKind, Callable[[QuestionFrame], Worded]] = {
    QuestionKind.EFFICACY: _effect,
    QuestionKind.COMBINATION: _effect,
    QuestionKind.CLASS: _effect,
    QuestionKind.SAFETY: _safety,
    QuestionKind.DOSE: _dose,
    QuestionKind.MECHANISM: _mechanism,
    QuestionKind.COMPARISON: _comparison,
    QuestionKind.STATUS: _status,
}


def _verb(frame: QuestionFrame) -> str:
    """What a drug that helps does to all that is measured; "affect" where that is not one thing."""
    outcomes = set(frame.outcomes)
    if outcomes <= cues.BETTER_HIGHER:
        return "improve"
    return "reduce" if outcomes <= cues.BETTER_LOWER else "affect"


def _do(frame: QuestionFrame) -> str:
    return f"{'Do' if _are_several(frame) else 'Does'} {_drugs(frame)}"


def _are_several(frame: QuestionFrame) -> bool:
    is_plural = frame.kind is QuestionKind.CLASS or bool(frame.members)
    return len(frame.drugs) > 1 or (is_plural and frame.drugs[0].name.endswith("s"))


def _drugs(frame: QuestionFrame) -> str:
    return _listed(drug.name for drug in frame.drugs)


def _where(frame: QuestionFrame) -> str:
    condition = f" in {frame.condition.name}" if frame.condition else ""
    return f"{condition}{_whom(frame)}"


def headed(condition: Condition) -> Condition:
    """The condition under the name that the table has for it, whatever the user calls it."""
    if condition.either:
        return joined([headed(one) for one in condition.either])
    known = condition_named(condition.name) if condition.known else None
    return condition.model_copy(update={"name": _in_a_sentence(known.name)}) if known else condition


def _in_a_sentence(name: str) -> str:
    """A heading with small letters but for names of persons and abbreviations."""
    words = (w.lower() if w.istitle() and is_english(w.lower()) else w for w in name.split())
    return " ".join(words)


def _whom(frame: QuestionFrame) -> str:
    whom = _listed(_in_a_sentence(name) for name in frame.population)
    return f" in {whom}" if whom else ""


def _listed(names: Iterable[str]) -> str:
    *others, last = (*names,) or ("",)
    return f"{', '.join(others)} and {last}" if others else last
