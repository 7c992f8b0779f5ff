"""The words of a frame in a sentence: what is measured, in whom, in which condition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from deepcritical.domain.appraisal.votes import STOPPING
from deepcritical.domain.question.frame import Condition, QuestionFrame
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.questions.naming import joined
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.vocabulary.outcomes import term_in
from deepcritical.vocabulary.words import is_english

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
EFFECT_WORDS = frozenset(
    "adverse ae aes against aren't associated better can't cannot cause caused causes causing "
    "chance chances common cut cuts decrease decreases decreasing delay delays develop developing "
    "didn't doesn't don't event events extend extends fail failed fails false fewer frequency "
    "frequent get gets getting harm harms improve improvement improves improving incidence "
    "incorrect increase increased increases ineffective isn't keep keeps lack lead leading leads "
    "less likelihood likely longer lower lowering lowers more myth never no not number occur "
    "occurs often onset pointless prevent preventing prevents prolong prolongs raise raised "
    "raises rate rates reaction reactions reduce reduced reduces reducing reduction risk risks rx "
    "sae saes safe safely safety shorten shortens shorter side slow slowing slows stop stops take "
    "takes taking tolerability tolerable tolerated toxicity "
    "unable untrue useless worthless wrong".split()
)
"""Words by which an effect is asked for, of whatever kind."""
SHORT_FOR = bounded(r"\b[A-Z][A-Za-z]{0,5} \(")
"""An abbreviation before what it stands for."""


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


def are_several(frame: QuestionFrame) -> bool:
    """Return whether the verb that follows the drugs is in the plural."""
    is_plural = len(frame.drugs) > 1 or _PLURAL.search(frame.drugs[0].name) is not None
    return is_plural and not frame.stopping


_PLURAL = re.compile(r"(?<![aiosu])s$")
"""An ending as that of "inhibitors" and "acids", and not as that of "digitalis"."""


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
    named = (name for name in others if not _OF_THE_ASKER.search(name))
    return groups, tuple(name for name in named if name.casefold() not in held)


_OF_THE_ASKER = bounded(
    r"\bI(?:['’]|(?= (?:am|have|had|was|do|can|take|get|still)\b))|"
    r"\b(?:me|[Mm]y|[Ww]e|us|[Oo]ur|[Yy]ou|[Yy]our)\b|"
    r"^(?:(?:(?:still|already|yet) )?(?:am|have|had|do)|no longer)\b"
)
"""People in the words of who asks, which name nobody: "still have my periods"."""


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
