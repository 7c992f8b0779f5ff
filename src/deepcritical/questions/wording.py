"""One wording for every question of the same frame, so that how it was put changes no answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.named import Condition
from deepcritical.domain.patterns import bounded
from deepcritical.domain.votes import STOPPING
from deepcritical.questions import cues
from deepcritical.questions.naming import find_names, joined
from deepcritical.vocabulary.classes import find_classes
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.vocabulary.outcomes import term_in
from deepcritical.vocabulary.words import is_english

Worded = tuple[str, str]
"""A wording, and the words of a question that it stands for."""


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
    asked = _POLITE.sub("", frame.text)
    asked = f"{asked[:1].upper()}{asked[1:]}"
    if frame.not_understood:
        return asked
    plain, stands_for = worded(frame)
    return plain if plain and _says_all(frame, stands_for) else asked


def worded(frame: QuestionFrame) -> Worded:
    """The wording of a frame, whatever else the text says, and the words that it stands for.

    Both are '' where the frame has none.
    """
    of_kind = _WORDINGS.get(frame.kind)
    if of_kind is None or not frame.drugs:
        return "", ""
    names = {
        "condition": frame.condition and headed(frame.condition),
        "harm": frame.harm and headed(frame.harm),
    }
    return of_kind(frame.model_copy(update=names))


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
EFFECT_WORDS = frozenset(
    word for words in (*_DENIALS, _FEWER, _GETTING, _MORE, _SAFETY_WORDS) for word in words.split()
)
"""Words by which an effect is asked for, of whatever kind."""
_TRIALS = bounded(r"\b(?:trials?|registered|recruiting|ongoing|under ?way)\b", re.IGNORECASE)
SHORT_FOR = bounded(r"\b[A-Z][A-Za-z]{0,5} \(")
"""An abbreviation before what it stands for."""
_WORD = bounded(r"[^\W_]+(?:['’-][^\W_]+)*")


def _says_all(frame: QuestionFrame, stands_for: str) -> bool:
    """Return whether each word of the question is in its frame, or in those a wording is for."""
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
    rest = SHORT_FOR.sub("(", cues.LATEST.sub(" ", rest))
    words = {word.casefold().replace("’", "'") for word in _WORD.findall(rest)}
    return words <= ASKING_WORDS | set(stands_for.split()) | (_DENIALS if frame.negative else set())


def _effect(frame: QuestionFrame) -> Worded:
    verb = verb_of(frame)
    if frame.prevents and frame.condition and not frame.outcomes:
        put = f"{_do(frame)} prevent {frame.condition.name}{whom_of(frame)}?"
        return put, f"{_FEWER} {_GETTING}"
    words = {"reduce": _FEWER, "improve": _MORE}.get(verb, "") if frame.outcomes else ""
    did = f"{verb} {listed(as_nouns(frame.outcomes))}" if frame.outcomes else "help"
    asks = bool(frame.condition or frame.outcomes) and verb != "affect"
    return f"{_do(frame)} {did}{where(frame)}?" if asks else "", words


def _safety(frame: QuestionFrame) -> Worded:
    told = bool(_SIDE_EFFECTS.search(frame.text))
    if frame.outcomes or not (told or _CAUSES.search(frame.text)):
        return "", ""  # the harm that is asked about is in its words alone
    if frame.harm and not told:
        return f"{_do(frame)} cause {frame.harm.name}{where(frame)}?", _SAFETY_WORDS
    if frame.condition or frame.population:
        be = "Are" if are_several(frame) else "Is"
        return f"{be} {_drugs(frame)} safe{where(frame)}?", _SAFETY_WORDS
    return f"What are the side effects of {_drugs(frame)}?", _SAFETY_WORDS


def _dose(frame: QuestionFrame) -> Worded:
    given = f"What dose of {_drugs(frame)} was given{where(frame)}?" if frame.condition else ""
    return given, "dose doses dosing dosage much normally usually give gave"


def _mechanism(frame: QuestionFrame) -> Worded:
    ways = listed(frame.through)
    acts = f"{_do(frame)} act through {ways}{where(frame)}?" if ways else ""
    return acts, f"through via by act acts pathway {ways.casefold()} {_FEWER} {_MORE}"


def _status(frame: QuestionFrame) -> Worded:
    asks = f"Which trials of {_drugs(frame)}{where(frame)} are registered?"
    words = "registered recruiting ongoing running under way list see been tested testing myself"
    return asks if _TRIALS.search(frame.text) else "", words


def _comparison(frame: QuestionFrame) -> Worded:
    other = listed(frame.comparators)
    be = "Are" if are_several(frame) else "Is"
    asks = f"{be} {_drugs(frame)} more effective than {other}{where(frame)}?" if other else ""
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


def verb_of(frame: QuestionFrame) -> str:
    """Return a helpful drug's verb for all that is measured; "affect" where it is not one thing."""
    better = {_higher_is_better(outcome) for outcome in frame.outcomes}
    if None in better or len(better) > 1:
        return "affect"
    return "reduce" if False in better else "improve"


_DONE = bounded(
    r"^(?:to|not|be)\b|"
    r"^\w+ (?:the|my|our|your|his|her|their|its|this|that|these|those)\b|"
    r"^(?!no )\w+ (?:better|worse|longer|shorter|sooner|faster|earlier|later|more|less|well)$",
    re.IGNORECASE,
)
"""Words on what is done and not on what is measured: no noun has an article behind it.

"A" is none in hepatitis A.
"""


def is_deed(name: str) -> bool:
    """Return whether a name tells what is done, such as "protect the skin"."""
    return _DONE.search(name) is not None


def as_nouns(outcomes: Iterable[str]) -> Iterator[str]:
    """Yield outcomes as they fit where a noun stands; what is none, in quotation marks."""
    return (f"the outcome “{name}”" if is_deed(name) else name for name in outcomes)


def _higher_is_better(outcome: str) -> bool | None:
    if is_deed(outcome):
        return None
    if outcome in cues.BETTER_HIGHER or outcome in cues.BETTER_LOWER:
        return outcome in cues.BETTER_HIGHER
    if outcome in dict(cues.OUTCOMES):
        return None  # it depends on who has it
    term = term_in(outcome)
    higher = term.construct.higher_is_better if term else None
    return higher if term is None or higher is None else higher != term.is_reversed


def _do(frame: QuestionFrame) -> str:
    return f"{'Do' if are_several(frame) else 'Does'} {_drugs(frame)}"


def are_several(frame: QuestionFrame) -> bool:
    """Return whether the verb that follows the drugs is in the plural."""
    is_plural = len(frame.drugs) > 1 or _PLURAL.search(frame.drugs[0].name) is not None
    return is_plural and not frame.stopping


_PLURAL = re.compile(r"(?<![aiosu])s$")
"""An ending as that of "inhibitors" and "acids", and not as that of "digitalis"."""


def _drugs(frame: QuestionFrame) -> str:
    return given_in(frame, listed(drug.name for drug in frame.drugs))


def given_in(frame: QuestionFrame, drug: str) -> str:
    """Return what is done with a drug, as the subject of a sentence: "stopping aspirin"."""
    return f"{STOPPING}{drug}" if frame.stopping else drug


def where(frame: QuestionFrame) -> str:
    """In which condition and whom: " in children with asthma"."""
    if frame.condition is None:
        return whom_of(frame)
    groups, others = _groups_and_others(frame)
    who = f" in {listed(groups)} with " if groups else " in "
    return f"{who}{frame.condition.name}{whom_of(frame.model_copy(update={'population': others}))}"


def _groups_and_others(frame: QuestionFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The groups of people, and the conditions that they have beside the one that is treated."""
    treated = frame.condition.each if frame.condition else ()
    held = {name.casefold() for one in treated for name in (one.name, *one.names)}
    groups = tuple(name for name in frame.population if name in dict(cues.GROUPS))
    others = (name for name in frame.population if name not in groups)
    return groups, tuple(name for name in others if name.casefold() not in held)


def headed(condition: Condition) -> Condition:
    """The condition under the name that the table has for it, whatever the user calls it."""
    if condition.either:
        return joined([headed(one) for one in condition.either])
    known = condition_named(condition.name) if condition.known else None
    return condition.model_copy(update={"name": in_a_sentence(known.name)}) if known else condition


_LATIN = re.compile(r"(?:us|is|ia|um|ae)$")
"""Ends of the Latin words of headings, which no person is called by."""


def in_a_sentence(name: str) -> str:
    """A heading with small letters but for names of persons and abbreviations."""
    plain = (w.istitle() and (is_english(w.lower()) or _LATIN.search(w)) for w in name.split())
    return " ".join(w.lower() if p else w for w, p in zip(name.split(), plain, strict=True))


_ADJECTIVE = bounded(r"(?:[^e\W]ed|obese|pregnant|fertile|febrile|ous|[st]ive)$", re.IGNORECASE)
_OF_PEOPLE = bounded(rf"(?:ics?|ers|patients?|people|{_ADJECTIVE.pattern})$", re.IGNORECASE)
"""Ends of words for those who have a condition, or for what is theirs: "diabetic"."""


def _as_said(name: str, text: str) -> str:
    """A condition under the longest of its names that the question uses."""
    known = condition_named(name)
    names = sorted((known.name, *known.names), key=len, reverse=True) if known else ()
    said = next((n for n in names if n.casefold() in text.casefold()), name)
    return name if _OF_PEOPLE.search(said) else said


def whom_of(frame: QuestionFrame) -> str:
    """In whom: " in children"; '' where nobody is named."""
    groups, others = _groups_and_others(frame)
    said = [in_a_sentence(_as_said(name, frame.text)) for name in others]
    had = listed(name for name in said if not _ADJECTIVE.search(name))
    named = " with ".join(filter(None, (listed(groups), had)))
    if described := listed(name for name in said if _ADJECTIVE.search(name)):
        named = f"{named or 'people'} described as {described}"
    return f" in {named}" if named else ""


def listed(names: Iterable[str], conjunction: str = "and") -> str:
    """The names as ``a, b and c``."""
    *others, last = (*names,) or ("",)
    return f"{', '.join(others)} {conjunction} {last}" if others else last
