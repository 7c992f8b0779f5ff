"""The arms of a study, and the mentions of them in a clause as numbered marks.

With arms as marks the rules of results see no name: "the score was lower in ⟦0⟧ than in ⟦1⟧".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from deepcritical.domain.study.reading import (
    Arm,
    ControlKind,
    DesignFeature,
    Intervention,
    StudyKind,
)
from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span
from deepcritical.reading.building import canonical_drug
from deepcritical.reading.rules.arm_phrases import (
    CONTROLS,
    allocated,
    compared_in_title,
    control_kind,
    group_names,
    sized,
)
from deepcritical.reading.rules.clauses import content_words, plain
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.words import is_english

_TESTED_ROLE = bounded(
    r"^(?:the )?(?:intervention|treatment|treated|experimental|active|study|test|trial|case|"
    r"investigational|active treatment|drug)$",
    re.IGNORECASE,
)
_CONTROL_ROLE = bounded(
    r"^(?:the )?(?:control|controls|comparison|comparator|reference|standard|conventional|"
    r"control treatment)$",
    re.IGNORECASE,
)
ROLES = frozenset(
    "intervention treatment treated experimental active study test trial case drug control "
    "comparison comparator reference standard conventional".split()
)
"""Words that mean an arm only before "group" and the like."""
_PLUS = bounded(
    r"\s(?:plus|and|with|combined with|in combination with|followed by|added to)\s|\s?\+\s?", re.I
)
_NUMBERED = bounded(r"^(?:group|arm) \w+$", re.IGNORECASE)
_NEW_DRUG = bounded(
    r"^(?:(?:effects?|efficacy|safety|efficacy and safety|trial|study) of )?([A-Za-z][\w-]{5,30})"
    r" (?:in|for|versus|vs\.?|compared with|against)\s",
    re.IGNORECASE,
)
"""Names of what a title tests, where no dictionary has them: words that are none of English."""
_LISTED = bounded(r",?\s(?:and|or|versus|vs\.?)\s|,\s", re.IGNORECASE)
_MOST_ARMS = 6
_THIRD = bounded(
    r"\b(?:arm|group) (?:C|3|III)\b|\b(?:three|four|five|[3-5])[- ](?:\w+ )?(?:arms?|groups)\b",
    re.IGNORECASE,
)
_OPEN = frozenset({"open_label", "single_arm"})
_REVIEWS = frozenset({"systematic_review", "pooled_analysis", "narrative_review", "guideline"})
_BACKGROUND = ("background", "introduction", "context", "rationale", "importance")
_OWN = bounded(r"\b(?:we|our|this|present|current|aim\w*|objectives?|purpose)\b", re.IGNORECASE)
_OF_OTHERS = bounded(
    r"\b(?:previous(?:ly)?|extension|(?:prior|earlier|other|several|many|most|few|recent|"
    r"further|future) (?:[\w-]+ ){0,4}(?:trial|study)|trials|studies|"
    r"(?:has|have|had) (?:\w+ )?been (?:shown|reported|demonstrated|found|proven|suggested)|"
    r"(?:needed|warranted|required|lack\w*|without|no|not|nor) (?:an? )?placebo|"
    r"placebo[- ](?:run-?in|lead-?in|wash-?out|effects?|responders?))\b|"
    r"\b(?:needed|warranted|required)\b",
    re.IGNORECASE,
)
"""Words of a sentence that tells of other studies, of what came before, or of no control."""


@dataclass
class _Draft:
    """An arm while names are gathered."""

    label: str
    aliases: set[str] = field(default_factory=set)
    listed: bool = False
    """True where an allocation or the title names it, and not merely a group."""
    n: int | None = None

    @property
    def control(self) -> ControlKind | None:
        """The kind of control that its label names."""
        return control_kind(self.label)

    @property
    def is_control(self) -> bool:
        """Return whether it is compared with, by its kind or its name."""
        return self.control is not None or bool(_CONTROL_ROLE.match(self.label))


class KnownArms(NamedTuple):
    """Arms by id, and the names by which a text calls them."""

    arms: tuple[Arm, ...]
    aliases: dict[str, str]
    """A name in lower case -> id of the arm."""
    pair: tuple[str, str] | None
    """The ids of the two arms of a study that has two."""

    @property
    def controls(self) -> frozenset[str]:
        """The ids of the arms that others are compared with."""
        named = (arm for arm in self.arms if arm.control or _CONTROL_ROLE.match(arm.label))
        return frozenset(arm.id for arm in named)


def find_arms(
    told: Sequence[Span], kinds: Sequence[StudyKind] = (), design: Sequence[DesignFeature] = ()
) -> KnownArms:
    """Find the arms that a record's sentences, the title first, name as such."""
    text = "\n".join(span.text for span in told)
    parted = [plain(span.text) for span in told]
    lines = [line for line, _ in parted]
    drafts: list[_Draft] = []
    sizes = next((found for part in parted[1:] if (found := sized(*part))), {})
    named = next((names for line in lines[1:] if (names := allocated(line))), ())
    for name in tuple(sizes) or named or compared_in_title(lines[0]):
        draft = _add(drafts, name, listed=True)
        if draft and draft.n is None:
            draft.n = sizes.get(name)
    _add_groups(drafts, lines)
    _add_control(drafts, "\n".join(_of_its_control(told, kinds, design)))
    _add_tested(drafts, lines[0])
    _alias(drafts, text)
    return _known(drafts[:_MOST_ARMS], expand_abbreviations(text), many=bool(_THIRD.search(text)))


def _add(drafts: list[_Draft], name: str, *, listed: bool = False) -> _Draft | None:
    """Add an arm, or a name of one that is known; None for a part of a name."""
    same = next((d for d in drafts if _is_same(d.label, name)), None)
    if same:
        same.aliases.add(name)
        return same
    if not listed and _is_part_of_one(drafts, name):
        return None
    drafts.append(_Draft(name, {name}, listed))
    return drafts[-1]


def _is_same(label: str, name: str) -> bool:
    one, other = content_words(label), content_words(name)
    return bool(one) and one == other


def _is_part_of_one(drafts: list[_Draft], name: str) -> bool:
    """Return whether a name is a shorter one of an arm; it becomes its alias."""
    words = content_words(name)
    within = [d for d in drafts if words and words < content_words(d.label)]
    if len(within) == 1 and not within[0].is_control:
        within[0].aliases.add(name)
        return True
    return False


def _add_groups(drafts: list[_Draft], lines: Sequence[str]) -> None:
    """Add the names of groups; beside listed arms those only that are names of them."""
    found = [name for line in lines[1:] for names in group_names(line) for name in names]
    settled = bool(drafts)
    for name in dict.fromkeys(found):
        if not settled or found.count(name) > 1 or _is_known(drafts, name):
            _add(drafts, name)


def _is_known(drafts: list[_Draft], name: str) -> bool:
    words = content_words(name)
    return any(words & content_words(d.label) for d in drafts)


def _of_its_control(
    told: Sequence[Span], kinds: Sequence[StudyKind], design: Sequence[DesignFeature]
) -> Iterator[str]:
    """Yield the title and the sentences in which a control is one of the study itself.

    An open study that allocates nobody by chance has none: a control that it names is that of the
    trial before it, or of others.
    """
    yield told[0].text
    if not _OPEN.isdisjoint(design) and "randomised" not in design:
        return
    reviews = not _REVIEWS.isdisjoint(kinds)
    for span in told[1:]:
        is_own = _OWN.search(span.text) or not span.label.startswith(_BACKGROUND)
        of_others = not reviews and _OF_OTHERS.search(span.text)
        if is_own and not of_others:
            yield span.text


def _add_control(drafts: list[_Draft], text: str) -> None:
    """Add a placebo or the like that the text names, if no control is known."""
    if any(d.is_control for d in drafts) or len(drafts) > 1:
        return
    for kind, pattern in CONTROLS:
        if kind in ("placebo", "sham", "usual_care") and (found := pattern.search(text)):
            drafts.append(_Draft(found.group(), {found.group()}, listed=True))
            return


def _add_tested(drafts: list[_Draft], title: str) -> None:
    """Add the drugs of the title: beside a control alone, or one that no arm of a drug has."""
    if not any(d.is_control for d in drafts):
        return
    mentions = find_drugs(title)
    drugs = {mention.drug.name: title[mention.start : mention.end] for mention in mentions}
    if len(drafts) > 1:
        tested = [{m.drug.name for m in find_drugs(d.label)} for d in drafts if not d.is_control]
        if len(drugs) == 1 and all(tested) and drugs.keys().isdisjoint(set().union(*tested)):
            _add(drafts, next(iter(drugs.values())))
        return
    if not drugs and (new := _NEW_DRUG.match(title)) and not is_english(new[1]):
        drugs = {new[1]: new[1]}
    between = (title[m.end : n.start] for m, n in pairwise(mentions))
    if len(drugs) == 1 or all(_LISTED.fullmatch(text) for text in between):
        for name in drugs.values():
            drafts[0].listed = True
            _add(drafts, name, listed=True)


def _alias(drafts: Sequence[_Draft], text: str) -> None:
    """Give each arm its abbreviations, and its roles where there are two arms."""
    for short, long in expand_abbreviations(text).items():
        for draft in drafts:
            if long.casefold() in draft.label.casefold() or short in draft.label.split():
                draft.aliases |= {short, long}
    if len(drafts) == 2 and sum(d.is_control for d in drafts) == 1:
        for draft in drafts:
            roles = _CONTROL_NAMES if draft.is_control else _TESTED_NAMES
            draft.aliases |= {f"{role} {group}" for role in roles for group in ("group", "arm")}
            draft.aliases |= {"controls"} if draft.is_control else set()
    _alias_places(drafts, text)
    for draft in drafts:
        drugs = set(_drug_words(draft.label))
        others = {w.casefold() for d in drafts if d is not draft for w in _drug_words(d.label)}
        draft.aliases |= {word for word in drugs if word.casefold() not in others}


def _alias_places(drafts: Sequence[_Draft], text: str) -> None:
    """Give the only control of a kind its other names."""
    for kind, pattern in CONTROLS:
        of_kind = [d for d in drafts if d.control == kind]
        if len(of_kind) == 1:
            of_kind[0].aliases |= {m.group() for m in pattern.finditer(text)}


_CONTROL_NAMES = ("control", "controls", "comparison")
_TESTED_NAMES = ("intervention", "treatment", "experimental", "treated", "study", "active")


def _drug_words(label: str) -> list[str]:
    return [label[m.start : m.end] for m in find_drugs(label)]


def _known(drafts: Sequence[_Draft], long_forms: dict[str, str], *, many: bool) -> KnownArms:
    ids = "ABCDEFGH"
    aliases: dict[str, str] = {}
    shared: set[str] = set()
    for letter, draft in zip(ids, drafts, strict=False):
        for alias in draft.aliases:
            key = " ".join(alias.casefold().split())
            if aliases.setdefault(key, letter) != letter:
                shared.add(key)
    listed = [letter for letter, d in zip(ids, drafts, strict=False) if d.listed]
    two = listed if len(listed) == 2 and not _has_others(drafts) else list(ids[: len(drafts)])
    return KnownArms(
        tuple(_arm(letter, d, long_forms) for letter, d in zip(ids, drafts, strict=False)),
        {alias: arm for alias, arm in aliases.items() if alias not in shared and len(alias) > 1},
        (two[0], two[1]) if len(two) == 2 and len(listed) in (0, 2) and not many else None,
    )


def _has_others(drafts: Sequence[_Draft]) -> bool:
    """Return whether a group has a drug that no listed arm has: more arms exist than are listed."""
    listed = {w.casefold() for d in drafts if d.listed for w in _drug_words(d.label)}
    others = (_drug_words(d.label) for d in drafts if not d.listed)
    return any(word.casefold() not in listed for words in others for word in words)


def _arm(letter: str, draft: _Draft, long_forms: dict[str, str]) -> Arm:
    bare = draft.is_control or _TESTED_ROLE.match(draft.label) or _NUMBERED.match(draft.label)
    return Arm(
        id=letter,
        label=draft.label,
        n=draft.n,
        control=draft.control,
        interventions=() if bare else tuple(_interventions(draft.label, long_forms)),
    )


def _interventions(label: str, long_forms: dict[str, str]) -> Iterable[Intervention]:
    parts = [
        re.sub(r"\s(?:alone|only|group|arm)$", "", one.strip())
        for part in _PLUS.split(label)
        for one in _of_two(part)
    ]
    for part in parts:
        if part and control_kind(part) is None:
            yield Intervention(name=part, drug=canonical_drug(long_forms.get(part, part)))


def _of_two(name: str) -> Sequence[str]:
    """The drugs of a name such as "examplol-testomab", of a control and a drug; else the name."""
    parts = re.split(r"[-/]", name)
    known = [control_kind(part) is not None or len(find_drugs(part)) == 1 for part in parts]
    return parts if len(parts) == 2 and all(known) else (name,)
