"""Reads a question into a frame: names by vocabularies, kind and roles by classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deepcritical.domain.question.frame import (
    Ambiguity,
    DeclineReason,
    Drug,
    OutsideName,
    QuestionFrame,
    QuestionKind,
)
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.questions.asked_drugs import DrugNamed
from deepcritical.questions.classifying import ANSWERABLE, probabilities, scores
from deepcritical.questions.declining import as_typed, line_of, unsearched
from deepcritical.questions.features import features_of, is_in_english, is_other_script
from deepcritical.questions.naming import Names, as_condition, find_names
from deepcritical.questions.placing import unplaced, with_outside
from deepcritical.questions.roles import (
    brings,
    fears,
    names_harm,
    prevents,
    raises,
    roles_of,
    treats,
)
from deepcritical.questions.sides import (
    are_together,
    is_added,
    other_arm,
    sets_beside,
    sides_of,
    split_through,
)
from deepcritical.questions.withdrawing import with_stopping
from deepcritical.vocabulary.drugs import DrugKind, lookup_drug
from deepcritical.vocabulary.nearest import offers
from deepcritical.vocabulary.words import is_english

ORDERS_LEFT_OUT = "Words of the question that instruct the program were left out."
_COMBINED = bounded(r"\s*(?:/|\band\b|\bwith\b|\bplus\b|,)\s*")
_MOST_SENTENCES, _RANKS_ONLY = 20, 12
_OF_SEVERAL = (QuestionKind.COMPARISON, QuestionKind.COMBINATION)
_SURE, _SURE_WHERE_NAMED, _SURE_WHERE_PLACED, _BEYOND_DOUBT = 0.5, 0.65, 0.5, 0.97
"""Least probability to decline: at all, what names something, what has unknown names, for good."""


def literal_frame(text: str) -> QuestionFrame:
    """Return what a question asks, with names that nobody knows taken as they stand.

    For questions on records that are there already, which may be the only ones to know a name.
    """
    frame = read_frame(text)
    return read_frame(text, frame.missing) if frame.missing else frame


def read_frame(
    text: str, outside: Sequence[OutsideName] = (), *, context: str = ""
) -> QuestionFrame:
    """Return what a question asks.

    Never raises: what cannot be searched comes back as `declined` or as conversation, with a line
    for the reader in `notices`, and in `offers` the known names that are nearest. A frame that is
    declined for an unknown name has in `not_understood` what somebody else may know.

    Args:
        text: The question.
        outside: Names of it that no table has, as somebody else knows them.
        context: What was said beside it or before; its names count where the question has none.
    """
    written = " ".join(text.split())
    if not any(c.isalpha() for c in written):
        return _declined(written, DeclineReason.GIBBERISH if written else DeclineReason.EMPTY, None)
    asked, ordered = without_orders(written)
    if ordered:
        frame = read_frame(asked, outside, context=context)
        return frame.model_copy(update={"notices": (ORDERS_LEFT_OUT, *frame.notices)})
    names, through = names_in(written, context)
    names = with_outside(names, outside)
    if is_other_script(written):
        return _declined(written, DeclineReason.OTHER_LANGUAGE, names)
    if cues.KILLS.search(written):
        return _declined(written, DeclineReason.HARMFUL, names)
    said = scores(features_of(names, through))
    refused = _refused(said, written)
    names = with_outside(names, (name for name in unplaced(names) if _is_plain(name)))
    missing = unplaced(names)
    if missing and _are_names(names, missing, through, refused):
        return _unknown(written, missing)
    sure = _SURE_WHERE_NAMED if names.drugs or names.conditions else _SURE
    if 1 - refused.pop(ANSWERABLE) > sure:
        return _not_searched(written, refused, names)
    return with_stopping(_frame(written, _kind(names, said), names, through))


def _kind(names: Names, said: dict[str, float]) -> QuestionKind:
    """The likeliest kind, unless words say another one."""
    return _as_cued(max(_possible(names), key=said.__getitem__), names)


def _is_plain(name: OutsideName) -> bool:
    """Return whether a condition without a heading is in plain English: "kidney injury"."""
    return bool(name.condition) and all(map(is_english, name.text.casefold().split()))


def names_in(text: str, context: str = "") -> tuple[Names, tuple[str, ...]]:
    """Return the names in a question, and the targets of the clause on how a drug acts."""
    body, through = split_through(text)
    return _within(find_names(body), context), through


def without_orders(text: str) -> tuple[str, bool]:
    """A text without its sentences that instruct the program, and whether any was left out.

    A text that names no drug and no condition beside them stays as it is, and is declined.
    """
    sentences = cues.SENTENCE_END.split(text, maxsplit=_MOST_SENTENCES)
    if len(sentences) == 1:
        return text, False
    orders = [_is_order(sentence) for sentence in sentences]
    kept = " ".join(s for s, order in zip(sentences, orders, strict=True) if not order)
    found = find_names(kept) if any(orders) and kept else None
    names_something = found and (found.drugs or found.conditions or unplaced(found))
    return (kept, True) if names_something else (text, False)


def _is_order(sentence: str) -> bool:
    names, through = names_in(sentence)
    refused = probabilities(scores(features_of(names, through)), _REFUSALS)
    sure = _SURE_WHERE_NAMED if names.drugs or names.conditions else _SURE
    return refused[DeclineReason.INSTRUCTION] > sure


def _within(names: Names, context: str) -> Names:
    """The names of a question; of one that has none ("Is it safe?") those of its context."""
    if not context or names.drugs or names.conditions:
        return names
    beside = find_names(context)
    # Placed before all words of the question, which nothing of the context stands between.
    return names._replace(
        drugs=tuple(d._replace(start=0, end=0) for d in beside.drugs),
        conditions=tuple(c._replace(start=0, end=0) for c in beside.conditions),
    )


def _are_names(
    names: Names,
    missing: Sequence[OutsideName],
    through: tuple[str, ...],
    refused: dict[str, float],
) -> bool:
    """Return whether a question is surely on names, once its unknown words are taken for such."""
    if refused[DeclineReason.OTHER_LANGUAGE] > _SURE_WHERE_NAMED:
        return False
    placed = with_outside(names, missing)
    said = scores(features_of(placed, through))
    if probabilities(said, _REFUSALS)[ANSWERABLE] < _SURE_WHERE_PLACED:
        return False
    kinds = probabilities(said, [*map(str, _possible(placed))])
    kind = max(kinds, key=kinds.__getitem__)
    if kinds[kind] < _SURE_WHERE_PLACED:
        return False
    # "What is the capital of Examplia?" looks up what nobody has to know.
    is_named = names.drugs or any(name.condition for name in missing)
    return kind not in {QuestionKind.OPEN, QuestionKind.LOOK_UP} or bool(is_named)


def _refused(said: dict[str, float], text: str) -> dict[str, float]:
    """Return the probability of each refusal and of `ANSWERABLE`; medical words count for it."""
    found = probabilities(said, _REFUSALS)
    if is_in_english(text):
        # A brand or a place with an accent makes no other language.
        found[ANSWERABLE] += found[DeclineReason.OTHER_LANGUAGE]
        found[DeclineReason.OTHER_LANGUAGE] = 0.0
    if cues.MEDICAL.search(text):
        found[ANSWERABLE] += found.pop(DeclineReason.NOT_BIOMEDICAL)
    return found


_REFUSALS = (
    *(str(r) for r in DeclineReason if r not in (DeclineReason.EMPTY, DeclineReason.UNKNOWN_NAME)),
    str(QuestionKind.CONVERSATION),
    ANSWERABLE,
)
"""The reasons for which a text can be declined by how it is put, and that it is not."""


def _as_cued(kind: QuestionKind, names: Names) -> QuestionKind:
    """The kind as words say that leave no doubt, where the classifier took another.

    Drugs of a class that are asked for go before whatever the classifier took, and side effects
    before gains. The rules beside these mend different kinds: their order changes nothing.
    """
    text, drugs = names.text, _distinct(names.drugs)
    if not drugs:
        return kind
    if all(named.group for named in drugs) and _asks_which(names):
        return QuestionKind.CANDIDATES
    is_one = len(drugs) == 1
    kind = _as_put(kind, text) if is_one else kind
    if kind in _OF_SEVERAL and is_added(names):
        return QuestionKind.COMBINATION
    if kind in (QuestionKind.EFFICACY, QuestionKind.POPULATION) and sets_beside(names):
        return QuestionKind.COMPARISON
    if kind in (QuestionKind.COMBINATION, QuestionKind.OPEN) and cues.COMPARES.search(text):
        return kind if is_one else QuestionKind.COMPARISON
    if kind is QuestionKind.SAFETY and is_one and _is_on_help(names):
        return QuestionKind.EFFICACY
    doubtful = {QuestionKind.EFFICACY, QuestionKind.OPEN, QuestionKind.DOSE}
    if kind in doubtful | {QuestionKind.MECHANISM} and cues.SIDE_EFFECTS.search(text):
        return QuestionKind.SAFETY
    if kind is QuestionKind.MECHANISM and names_harm(names):
        return QuestionKind.SAFETY
    injures = (cues.INJURES.search(text) or brings(names)) and not cues.LOWERS.search(text)
    if kind in doubtful and is_one and injures:
        return QuestionKind.SAFETY
    return kind


def _as_put(kind: QuestionKind, text: str) -> QuestionKind:
    """The kind of a question on one drug that names its people, or asks for its trials."""
    if kind is QuestionKind.POPULATION and not cues.ASKS_WHO.search(cues.asks_in(text)[1]):
        return QuestionKind.EFFICACY
    is_list = kind is QuestionKind.EFFICACY and cues.LISTS_TRIALS.search(text)
    return QuestionKind.STATUS if is_list else kind


def _is_on_help(names: Names) -> bool:
    """Return whether what looks like a question on a harm asks if a drug helps."""
    measured = set(
        cues.measures_in(names.text, " ".join(c.text for c in names.conditions).casefold())
    )
    is_gain = bool(measured) and measured <= cues.BETTER_HIGHER
    if is_gain or cues.HELPS_AND_IS_SAFE.search(names.text):
        return True
    if any(p.search(names.text) for p in (cues.SAFETY, cues.INJURES, cues.WORSE)):
        return False
    return treats(names) or bool(names.conditions and cues.LOWERS.search(names.text))


def _asks_which(names: Names) -> bool:
    """Return whether drugs of a class are asked for: "which antivirals", "antibiotic options"."""
    return bool(names.conditions) and any(
        cues.WHICH.search(names.text[: named.start]) for named in names.drugs
    )


def _possible(names: Names) -> list[QuestionKind]:
    """The kinds that a question with these names can be of, of those that the classifier tells."""
    drugs = _distinct(names.drugs)
    kinds = [QuestionKind.OPEN, QuestionKind.LOOK_UP, QuestionKind.STATUS]
    if not drugs or cues.OTHERS.search(names.text):
        kinds.append(QuestionKind.CANDIDATES)
    if not drugs:
        is_bare = any(c.text == names.text.strip(" ?.!") for c in names.conditions)
        return [QuestionKind.CANDIDATES] if is_bare else kinds
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
    if len(drugs) > 1 or names.beside or other_arm(names):
        kinds.append(QuestionKind.COMPARISON)
    return kinds


def _frame(text: str, kind: QuestionKind, names: Names, through: tuple[str, ...]) -> QuestionFrame:
    drugs = [] if kind is QuestionKind.CANDIDATES else _distinct(names.drugs)
    if kind is QuestionKind.EFFICACY:
        kind = QuestionKind.MECHANISM if through else _narrowed(drugs[0])
    is_on_harm = kind is QuestionKind.SAFETY or (kind in _OF_SEVERAL and fears(names))
    roles = roles_of(names, on_harm=is_on_harm)
    if kind is QuestionKind.CANDIDATES and cues.WORSE.search(cues.asks_in(text)[1]):
        kind = QuestionKind.OPEN  # for drugs that do harm, not for some that help
    prevented = not is_on_harm and prevents(names, roles.condition)
    sides = sides_of(names, drugs, two=kind is QuestionKind.COMPARISON)
    asked = sides.asked
    return QuestionFrame(
        text=text,
        kind=kind,
        drugs=tuple(d for named in asked for d in _parts(named)),
        members=asked[0].group.members if asked and asked[0].group else (),
        comparators=(*(p.name for named in sides.compared for p in _parts(named)), *sides.other),
        compared_together=sides.together,
        condition=roles.condition,
        harm=roles.harm,
        population=roles.population,
        outcomes=roles.outcomes,
        through=(through or names.targets) if kind is QuestionKind.MECHANISM else (),
        negative=cues.is_negative(text),
        prevents=prevented,
        raises=raises(text, roles.outcomes),
        mixed=kind is QuestionKind.SAFETY and are_together(names),
        latest=bool(cues.LATEST.search(text)),
        not_understood=names.unknown[:_RANKS_ONLY],
        ambiguities=tuple(
            Ambiguity(text=c.text, taken=c.condition.name, others=tuple(o.name for o in c.others))
            for c in names.conditions
            if c.others
        ),
        notices=(*names.notices, *_read_as(names)),
    )


def _narrowed(named: DrugNamed) -> QuestionKind:
    """Return the kind of a question on help, by what the drug is."""
    if named.group:
        return QuestionKind.CLASS
    return QuestionKind.COMBINATION if len(_parts(named)) > 1 else QuestionKind.EFFICACY


def _read_as(names: Names) -> Iterable[str]:
    """Yield notes on the names for the reader: a brand's drug, an abbreviation's meaning."""
    for named in _distinct(names.drugs):
        if not named.drug.known:
            yield as_typed(named.text, "drug")
        elif named.group is None and named.drug.name.casefold() not in named.text.casefold():
            yield f'"{named.text}" was read as {named.drug.name}.'
    for mention in names.conditions:
        if not as_condition(mention.condition).known:
            yield as_typed(mention.text, "condition")
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


def _unknown(text: str, missing: Sequence[OutsideName]) -> QuestionFrame:
    """Declined for names that no table has; with the nearest ones that are known."""
    names = tuple(name.text for name in missing)
    near = dict.fromkeys(offer for name in names for offer in offers(name))
    return QuestionFrame(
        text=text,
        kind=QuestionKind.DECLINED,
        declined=DeclineReason.UNKNOWN_NAME,
        not_understood=names,
        notices=(line_of(DeclineReason.UNKNOWN_NAME, names),),
        offers=tuple(near),
        missing=tuple(missing),
    )


def _not_searched(text: str, refused: dict[str, float], names: Names) -> QuestionFrame:
    likely = max(refused, key=refused.__getitem__)
    if likely == QuestionKind.CONVERSATION:
        return unsearched(text)
    doubt = {"doubtful": bool(names.drugs) and refused[likely] < _BEYOND_DOUBT}
    return _declined(text, DeclineReason(likely), names).model_copy(update=doubt)


def _declined(text: str, reason: DeclineReason, names: Names | None) -> QuestionFrame:
    found = names.conditions[0] if names and names.conditions else None
    condition = as_condition(found.condition, found.text) if found else None
    drugs = tuple(n.drug for n in names.drugs) if names else ()
    return unsearched(text, reason, drugs, condition)
