"""States what a verdict is on, and how it answers a question as it was put."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.question.frame import (
    ANY_HARM,
    IF_STOPPED_WORSE,
    SERIOUS_HARM,
    QuestionFrame,
    QuestionKind,
)
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.dosing import dose_asked, is_between_doses, is_between_durations
from deepcritical.questions.wording import (
    are_several,
    as_nouns,
    given_in,
    is_deed,
    listed,
    verb_of,
    where,
    whom_of,
)

_OPEN = {
    VerdictLabel.MIXED: "Not settled: the results found differ on whether {claim}.",
    VerdictLabel.INSUFFICIENT: "Not known: the evidence found does not show whether {claim}.",
    VerdictLabel.NOT_ASSESSED: "Not assessed: it could not be read whether {claim}.",
}
_SAID = _OPEN | {
    VerdictLabel.SUPPORTED: "Yes: the evidence supports that {claim}.",
    VerdictLabel.PROMISING: "Possibly: the studies found suggest that {claim}, without proof.",
    VerdictLabel.UNSUPPORTED: "Not shown: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "No: the evidence speaks against the claim that {claim}.",
    VerdictLabel.HARMFUL: "No: patients did worse in studies of whether {claim}.",
}
_SAID_OF_DENIAL = _OPEN | {
    VerdictLabel.SUPPORTED: "No: the evidence supports that {claim}.",
    VerdictLabel.PROMISING: "Perhaps not: the studies found suggest that {claim}, without proof.",
    VerdictLabel.UNSUPPORTED: "So far, yes: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "Yes: the evidence speaks against the claim that {claim}.",
    VerdictLabel.HARMFUL: "Yes: patients even did worse in studies of whether {claim}.",
}
_SAID_OF_RISE = _OPEN | {
    VerdictLabel.SUPPORTED: "No: the evidence supports the opposite of the claim that {claim}.",
    VerdictLabel.PROMISING: (
        "Probably not: the studies found suggest the opposite of the claim that {claim}."
    ),
    VerdictLabel.UNSUPPORTED: "Not shown: the studies found do not show that {claim}.",
    VerdictLabel.REFUTED: "Not shown: large studies found no sign that {claim}.",
    VerdictLabel.HARMFUL: "Yes: the evidence supports that {claim}.",
}
_SAID_OF_NO_RISE = _OPEN | {
    VerdictLabel.SUPPORTED: "Yes: the evidence supports the opposite of the claim that {claim}.",
    VerdictLabel.PROMISING: (
        "Probably: the studies found suggest the opposite of the claim that {claim}."
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
_SAID_OF_SAFER = _SAID_OF_SAFETY | {
    VerdictLabel.SUPPORTED: (
        "Less harm: the evidence supports the opposite of the claim that {claim}."
    ),
    VerdictLabel.PROMISING: (
        "Possibly less harm: the studies found suggest the opposite of the claim that {claim}."
    ),
    VerdictLabel.HARMFUL: "More harm: the evidence supports that {claim}.",
}
_SIGNAL_OF_SAFER = {
    "weak": "Weak signs of more harm: results too weak to prove it suggest that {claim}.",
    "likely": "Signs of more harm: the studies found suggest that {claim}, without proof.",
}
"""Of a question which of two drugs is safer, that can be put either way round."""
_SAID_OF_SIGNAL = {
    ("weak", False): "Possibly: results too weak to prove it suggest that {claim}.",
    ("weak", True): "Perhaps not: results too weak to prove it suggest that {claim}.",
    ("likely", False): "Probably: the studies found suggest that {claim}.",
    ("likely", True): "Probably not: the studies found suggest that {claim}.",
}
_SIGNS_OF_HARM = {
    "weak": "There are signs of harm, too weak to prove it: some suggest that {claim}.",
    "likely": "There are signs of harm: studies suggest that {claim}, without proof.",
}
"""Of a question whether a drug is safe: "probably" would be read as probably safe."""
_THAN = " compared with "
_EFFECTS = frozenset(
    {
        QuestionKind.EFFICACY,
        QuestionKind.CLASS,
        QuestionKind.COMBINATION,
        QuestionKind.COMPARISON,
    }
)


_DOSES = ("higher", "lower"), "dose of"
_DURATIONS = ("longer", "shorter"), "treatment with"
"""More and less of a drug, and what it is more or less of."""
_BESIDE = frozenset(
    {
        QuestionKind.DOSE,
        QuestionKind.LOOK_UP,
        QuestionKind.MECHANISM,
        QuestionKind.POPULATION,
        QuestionKind.STATUS,
    }
)
"""Kinds that a verdict on the effect does not answer by itself."""
_AT_A_PRICE = (
    "A benefit at a price: trials suggest that {claim}, but deaths or grave harms were more "
    "frequent."
)
"""Of a benefit beside grave harms, of which nobody would say that results differ on it."""
Strength = Literal["", "weak", "likely"]
"""The distance of a harm from proof; '' where it is proven."""


def answer_to(
    frame: QuestionFrame, label: VerdictLabel, *, strength: Strength = "", priced: bool = False
) -> str:
    """A verdict as the answer to a question as it was put; '' where it asks for no yes or no.

    The verdict is always on the positive proposition, so "Is it true that it does not help?" is
    answered with a yes where it was refuted.
    """
    claim = claim_of(frame)
    put = {"denied": frame.negative, "raises": frame.is_on_harm, "priced": priced}
    said = answer_on(claim, label, **put, strength=strength)
    return said if claim else ""


def answer_on(
    claim: str,
    label: VerdictLabel,
    *,
    denied: bool = False,
    raises: bool = False,
    strength: Strength = "",
    priced: bool = False,
) -> str:
    """A verdict on a claim as an answer: "Yes: the evidence supports that X helps in Y.".

    The question may have `denied` the claim, or the claim `raises` something bad, of which
    `strength` says how far it is from proof; `priced` is a benefit with deaths or grave harms
    beside it.
    """
    if priced and not raises:
        return _AT_A_PRICE.format(claim=claim)
    is_on_safety = raises and any(harm.name in claim for harm in (SERIOUS_HARM, ANY_HARM))
    if is_on_safety and _THAN in claim and (strength or label in _SAID_OF_SAFER):
        said = _SIGNAL_OF_SAFER[strength] if strength else _SAID_OF_SAFER[label]
        return said.format(claim=claim)
    if is_on_safety and label in _SAID_OF_SAFETY:
        said = _SIGNS_OF_HARM[strength] if strength else _SAID_OF_SAFETY[label]
        return said.format(claim=claim)
    if raises and strength:
        return _SAID_OF_SIGNAL[strength, denied].format(claim=claim)
    return _WORDS[denied, raises][label].format(claim=claim)


def claim_of(frame: QuestionFrame) -> str:
    """Word a verdict's claim: "colchicine reduces recurrence in pericarditis"; '' for no one drug.

    Of a comparison "A works better than B in C"; of a combination "A with B helps in C".
    """
    if frame.brings_harm:
        return _claim(frame, "increase")
    active = [name for name in frame.comparators if name != "placebo"]
    if frame.kind is QuestionKind.COMPARISON and frame.drugs and active:
        return _comparison(frame, active, worse=frame.is_on_being_worse)
    if frame.stopping and frame.is_on_being_worse:
        worse = [name for name in frame.outcomes if not IF_STOPPED_WORSE.search(name)]
        told = f"worsens {listed(worse)}" if worse else "makes people worse"
        return f"{_given(frame)} {told}{where(frame)}" if frame.drugs else ""
    if frame.kind is QuestionKind.DOSE:
        return _of_doses(frame)
    return _claim(frame, verb_of(frame)) if frame.kind in _EFFECTS else ""


def _of_doses(frame: QuestionFrame) -> str:
    """Return what is asked of more against less of one drug; '' without two doses."""
    if len(frame.drugs) != 1 or not is_between_doses(frame.text):
        return ""
    drug, asked = frame.drugs[0].name, dose_asked(frame.text, frame.drugs[0].names)
    (more, less), of_what = _DURATIONS if is_between_durations(frame.text) else _DOSES
    one, other = (more, less) if asked == "high" else (less, more)
    how = "at least as well as" if is_on_being_as_good(frame) else "better than"
    return f"a {one} {of_what} {drug} works {how} a {other} one{where(frame)}"


def answered_by(verdict: Verdict, frame: QuestionFrame) -> QuestionFrame:
    """The question as far as a verdict answers it.

    Where no row that decides is on the outcomes asked about, it is on whether the drug helps; of
    one on safety, where more harm was found and none of it is serious, it is on harm of any kind.
    """
    decided = set(verdict.deciding_ids)
    if frame.feared == SERIOUS_HARM and verdict.label is VerdictLabel.HARMFUL:
        harms = [r for r in verdict.rows if r.harm_asked and decided.intersection(r.evidence_ids)]
        mild = harms and not any(r.is_grave or _GRAVE.search(r.outcome) for r in harms)
        return frame.model_copy(update={"harm": ANY_HARM}) if mild else frame
    is_on_them = any(r.wanted and decided.intersection(r.evidence_ids) for r in verdict.rows)
    if is_on_them or frame.brings_harm or verdict.label in _OPEN_YET:
        return frame
    return frame.model_copy(update={"outcomes": ()})


_GRAVE = bounded(
    r"(?<!non-)(?<!non )\b(?:serious|severe|life-threatening|fatal\w*|deaths?|failure|hospital\w*|"
    r"grade [345]|discontinu\w*)\b",
    re.IGNORECASE,
)
_OPEN_YET = (VerdictLabel.INSUFFICIENT, VerdictLabel.NOT_ASSESSED)

_AS_GOOD = bounded(
    r"\b(?:at least )?as (?:good|well|effective|reliabl[ey]|efficacious|quick(?:ly)?|fast)\b|"
    r"\bnon-?inferior",
    re.IGNORECASE,
)
_IN_ITS_PLACE = bounded(
    r"\b(?:use|give|take|prescribe|choose|have)\b[^.?;]{0,80}\b(?:instead|in place) of\b|"
    r"\b(?:equivalent|interchangeable|comparable) (?:to|with)\b|"
    r"\b(?:similarly|equally) effective\b",
    re.IGNORECASE,
)
_MORE = bounded(
    r"\b(?:better|best|superior\w*|more|greater|fewer|less|reduc\w+|lower\w*|improv\w+|"
    r"prevent\w*)\b",
    re.IGNORECASE,
)


def is_on_being_as_good(frame: QuestionFrame) -> bool:
    """Return whether a comparison asks if a drug is no worse than another, or may replace it."""
    more = _MORE.search(frame.text)
    told = _AS_GOOD.search(frame.text)
    if told and more and told[0].casefold() == "as well":  # "better, as well as cheaper"
        told = None
    return bool(told or (_IN_ITS_PLACE.search(frame.text) and not more))


def _others(frame: QuestionFrame, names: Iterable[str]) -> str:
    return listed(names, "plus" if frame.compared_together else "or")


def _comparison(frame: QuestionFrame, active: list[str], *, worse: bool = False) -> str:
    how = "at least as well as" if is_on_being_as_good(frame) else "better than"
    ending = "" if are_several(frame) else "s"
    if worse:
        how = "worse than"
    on = f" on {listed(as_nouns(frame.outcomes))}" if frame.outcomes else ""
    others = _others(frame, active)
    at = where(frame)
    if frame.prevents and frame.condition and not on:
        at = f" at preventing {frame.condition.name}{whom_of(frame)}"
    return f"{given_in(frame, frame.drugs[0].name)} work{ending} {how} {others}{on}{at}"


def proposition_of(frame: QuestionFrame, label: VerdictLabel) -> str:
    """Return what a verdict is on, where the question puts it the other way round or asks for more.

    Of a harm a benefit is told the other way round: "supported" is that there are fewer deaths.
    """
    if frame.brings_harm:
        return _claim(frame, "reduce") if label in _FEWER_WITH_IT else claim_of(frame)
    if frame.kind in _BESIDE and not claim_of(frame):
        return _claim(frame, verb_of(frame))
    if frame.is_on_being_worse and label in _FEWER_WITH_IT:
        if frame.stopping:
            return _claim(frame, verb_of(frame))
        return _comparison(frame, [name for name in frame.comparators if name != "placebo"])
    return claim_of(frame) if frame.negative or frame.is_on_being_worse else ""


_FEWER_WITH_IT = (VerdictLabel.SUPPORTED, VerdictLabel.PROMISING)


def _claim(frame: QuestionFrame, verb: str) -> str:
    together = frame.together
    is_on_something = frame.condition or frame.feared or frame.outcomes
    if not is_on_something or not (len(frame.drugs) == 1 or together):
        return ""
    ending = "" if are_several(frame) and not together else "s"
    measured = f"the risk of {frame.feared.name}" if frame.feared else ""
    measured = measured or listed(as_nouns(frame.outcomes))
    if frame.prevents and frame.condition and not measured:
        if is_deed(frame.condition.name):
            deed = frame.condition.name.removeprefix("to ")
            return f"{_given(frame)} help{ending} to {deed}{whom_of(frame)}"
        return f"{_given(frame)} prevent{ending} {frame.condition.name}{whom_of(frame)}"
    did = f"{verb}{ending} {measured}" if measured else f"help{ending}"
    than = f"{_THAN}{listed(frame.comparators)}" if frame.feared and frame.comparators else ""
    return f"{_given(frame)} {did}{than}{where(frame)}"


def _given(frame: QuestionFrame) -> str:
    """The drug, with those that are given together with it."""
    first, *others = (drug.name for drug in frame.drugs)
    return given_in(frame, f"{first} with {listed(others)}" if others else first)


def subject_of(question: ResearchQuestion) -> str:
    """Return who is asked about for what: "colchicine for pericarditis"; of a harm "A and B in C".

    Of a comparison "A compared with B for C", of a combination "A with B for C".
    """
    frame = question.frame
    drug = question.drug.name if question.drug else "candidates"
    if frame and (frame.together or frame.stopping) and frame.drugs:
        drug = _given(
            frame if frame.together else frame.model_copy(update={"drugs": frame.drugs[:1]})
        )
    if frame and frame.feared:
        is_open = frame.feared.name == SERIOUS_HARM.name
        of = f"safety of {drug}" if is_open else f"{drug} and {frame.feared.name}"
        return f"{of}{where(frame)}"
    if frame and frame.kind is QuestionKind.COMPARISON and frame.comparators:
        drug = f"{drug} compared with {_others(frame, frame.comparators)}"
    if frame and frame.stopping:
        return f"{drug}{where(frame)}"
    return f"{drug} for {question.condition.name if question.condition else question.text}"
