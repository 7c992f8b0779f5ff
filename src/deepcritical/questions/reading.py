"""Reads a question into a frame: names by vocabularies, the kind by a classifier, roles by rule."""

from __future__ import annotations

from collections.abc import Iterable

from deepcritical.domain.frame import Ambiguity, DeclineReason, QuestionFrame, QuestionKind
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Drug
from deepcritical.questions import cues
from deepcritical.questions.classifying import ANSWERABLE, probabilities, scores
from deepcritical.questions.declining import line_of
from deepcritical.questions.features import features_of, is_other_script
from deepcritical.questions.naming import DrugNamed, Names, as_condition, find_names
from deepcritical.questions.roles import roles_of
from deepcritical.questions.sides import other_arm, sides_of
from deepcritical.questions.through import split_through
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug
from deepcritical.vocabulary.nearest import offers

__all__ = ["names_in", "read_frame"]

_COMBINED = bounded(r"\s*(?:/|\band\b|\bwith\b|\bplus\b|,)\s*")
_RANKS_ONLY = 12
_SURE = 0.5
_SURE_WHERE_NAMED = 0.65
"""Least probability to decline a question; more where it names a drug or a condition."""


def read_frame(text: str) -> QuestionFrame:
    """What a question asks.

    Never raises: what cannot be searched comes back as `declined` or as conversation, with a line
    for the reader in `notices`, and in `offers` the known names that are nearest.
    """
    written = " ".join(text.split())
    if not any(c.isalpha() for c in written):
        return _declined(written, DeclineReason.GIBBERISH if written else DeclineReason.EMPTY, None)
    names, through = names_in(written)
    if is_other_script(written):
        return _declined(written, DeclineReason.OTHER_LANGUAGE, names)
    said = scores(features_of(names, through))
    refused = probabilities(said, _possible_refusals(names))
    sure = _SURE_WHERE_NAMED if names.drugs or names.conditions else _SURE
    if 1 - refused.pop(ANSWERABLE) > sure:
        likely = max(refused, key=refused.__getitem__)
        if likely == QuestionKind.CONVERSATION:
            return QuestionFrame(
                text=written, kind=QuestionKind.CONVERSATION, notices=(line_of(None),)
            )
        return _declined(written, DeclineReason(likely), names)
    kind = max(_possible(names), key=said.__getitem__)
    return _frame(written, kind, names, through)


def names_in(text: str) -> tuple[Names, tuple[str, ...]]:
    """What a question names, and the targets of the clause that says how a drug acts."""
    body, through = split_through(text)
    return find_names(body), through


def _possible_refusals(names: Names) -> set[str]:
    """The reasons for which a text with these names can be declined, and that it is not."""
    reasons = set(map(str, DeclineReason)) - {str(DeclineReason.EMPTY)}
    if not names.unknown:
        reasons.discard(DeclineReason.UNKNOWN_NAME)
    return {*reasons, str(QuestionKind.CONVERSATION), ANSWERABLE}


def _possible(names: Names) -> list[QuestionKind]:
    """The kinds that a question with these names can be of, of those that the classifier tells."""
    drugs = _distinct(names.drugs)
    kinds = [
        QuestionKind.OPEN,
        QuestionKind.LOOK_UP,
        QuestionKind.STATUS,
        QuestionKind.CANDIDATES,
    ]
    if not drugs:
        return kinds
    kinds += [
        QuestionKind.SAFETY,
        QuestionKind.DOSE,
        QuestionKind.MECHANISM,
        QuestionKind.POPULATION,
    ]
    if len(drugs) == 1:
        kinds.append(QuestionKind.EFFICACY)
    if len(drugs) > 1 or len(_parts(drugs[0])) > 1:
        kinds.append(QuestionKind.COMBINATION)
    if len(drugs) > 1 or other_arm(names):
        kinds.append(QuestionKind.COMPARISON)
    return kinds


def _frame(
    text: str,
    kind: QuestionKind,
    names: Names,
    through: tuple[str, ...],
) -> QuestionFrame:
    drugs = [] if kind is QuestionKind.CANDIDATES else _distinct(names.drugs)
    if kind is QuestionKind.EFFICACY:
        kind = _narrowed(drugs[0], through)
    roles = roles_of(names)
    asked, compared, other = sides_of(names, drugs, two=kind is QuestionKind.COMPARISON)
    return QuestionFrame(
        text=text,
        kind=kind,
        drugs=tuple(d for named in asked for d in _parts(named)),
        members=asked[0].group.members if asked and asked[0].group else (),
        comparators=(*(part.name for named in compared for part in _parts(named)), *other),
        condition=roles.condition,
        population=roles.population,
        outcomes=roles.outcomes,
        through=(through or names.targets) if kind is QuestionKind.MECHANISM else (),
        negative=cues.is_negative(text),
        latest=bool(cues.LATEST.search(text)),
        not_understood=names.unknown[:_RANKS_ONLY],
        ambiguities=tuple(
            Ambiguity(text=c.text, taken=c.condition.name, others=tuple(o.name for o in c.others))
            for c in names.conditions
            if c.others
        ),
        notices=(*names.notices, *_read_as(names)),
    )


def _narrowed(named: DrugNamed, through: tuple[str, ...]) -> QuestionKind:
    """What a question is whether this helps, by what it is and how it is said to act."""
    if through:
        return QuestionKind.MECHANISM
    if named.group:
        return QuestionKind.CLASS
    return QuestionKind.COMBINATION if len(_parts(named)) > 1 else QuestionKind.EFFICACY


def _read_as(names: Names) -> Iterable[str]:
    """What the reader must know of the names: a brand's drug, an abbreviation's meaning."""
    for named in _distinct(names.drugs):
        if not named.drug.known:
            yield f'No vocabulary knows "{named.text}" as a drug; it was searched literally.'
        elif named.group is None and named.drug.name.casefold() not in named.text.casefold():
            yield f'"{named.text}" was read as {named.drug.name}.'
    for mention in names.conditions:
        also = " or ".join(other.name for other in mention.others)
        if also:
            yield (
                f'"{mention.text}" was read as {mention.condition.name}; it can also mean {also}.'
            )


def _distinct(drugs: Iterable[DrugNamed]) -> list[DrugNamed]:
    """Each drug once; a combination and its parts told twice are the combination."""
    kept: dict[str, DrugNamed] = {}
    for named in drugs:
        kept.setdefault(named.drug.name, named)
    listed = list(kept.values())
    parts = {part.name for n in listed for part in _parts(n) if len(_parts(n)) > 1}
    return [n for n in listed if n.drug.name not in parts]


def _parts(named: DrugNamed) -> tuple[Drug, ...]:
    """The drugs of a fixed combination, each under its own name; else the drug itself."""
    if named.group is not None:
        return (named.drug,)
    parts = [lookup_drug(part) for part in _COMBINED.split(named.drug.name)]
    if len(parts) > 1 and all(part.kind is DrugKind.DRUG for part in parts):
        return tuple(Drug(name=part.name, synonyms=part.synonyms) for part in parts)
    return (named.drug,)


def _declined(text: str, reason: DeclineReason, names: Names | None) -> QuestionFrame:
    unknown = ""
    if reason is DeclineReason.UNKNOWN_NAME and names and names.unknown:
        unknown = max(names.unknown, key=len)
    return QuestionFrame(
        text=text,
        kind=QuestionKind.DECLINED,
        declined=reason,
        drugs=tuple(n.drug for n in names.drugs) if names else (),
        condition=as_condition(names.conditions[0].condition)
        if names and names.conditions
        else None,
        not_understood=(unknown,) if unknown else (),
        notices=(line_of(reason, unknown),),
        offers=offers(unknown) if unknown else (),
    )
