"""Checks the direction that a model proposes for a verdict against what the studies found.

The written rules weigh outcomes alike whatever is asked; a model that has read the question may
weigh them otherwise. Its direction holds where a typed result that answers the question shows it.
It is never a strong verdict: those are for what rules and results agree on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set

from deepcritical.appraisal.body.certainty import LADDER, certainty_told, most_of
from deepcritical.appraisal.body.leading import SURE
from deepcritical.domain.appraisal.findings import Direction, StudyFinding
from deepcritical.domain.appraisal.verdict import DIRECTIONS, Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import OutcomeRow, Way
from deepcritical.domain.evidence.certainty import Certainty

_MATCHED = "A model that matched the results to the question found"
PROPOSED: dict[VerdictLabel, str] = {
    VerdictLabel.PROMISING: f"{_MATCHED} that they show a benefit; the written rules do not.",
    VerdictLabel.MIXED: f"{_MATCHED} that they point both ways; the written rules do not.",
    VerdictLabel.UNSUPPORTED: (
        f"{_MATCHED} that they do not show what was asked about; the written rules weigh them "
        "otherwise."
    ),
    VerdictLabel.HARMFUL: (
        f"{_MATCHED} that patients did worse with the drug; the written rules weigh them otherwise."
    ),
    VerdictLabel.INSUFFICIENT: f"{_MATCHED} that none of them answers it.",
}
"""The sentences in which it is told that a proposal holds, by the label that it gives."""
_WEAKER = {
    VerdictLabel.SUPPORTED: VerdictLabel.PROMISING,
    VerdictLabel.REFUTED: VerdictLabel.UNSUPPORTED,
}
_DIFFER = "inconsistency: the answer depends on which of these results weighs most"
_JUDGED = "indirectness: how far the results answer the question was judged by a model alone"
_OTHERWISE = "inconsistency: a model that read the records weighs them otherwise"
LESS: dict[VerdictLabel, str] = {
    VerdictLabel.PROMISING: (
        "Studies found a benefit; a model that read the records holds it for less than proven."
    ),
    VerdictLabel.UNSUPPORTED: (
        "Studies found no benefit; a model that read the records holds that for less than proven."
    ),
}
"""The sentences in which it is told that a label is the weaker one that was proposed."""
_OPEN = (VerdictLabel.INSUFFICIENT, VerdictLabel.UNSUPPORTED)
"""The change that a result that a model matched, and that does not count by the rules, may make."""
_AGAINST = {Way.NO_DIFFERENCE, Way.HARM, Way.CONFLICT}


_BEARING = {
    VerdictLabel.PROMISING: {Way.BENEFIT},
    VerdictLabel.UNSUPPORTED: _AGAINST,
    VerdictLabel.HARMFUL: {Way.HARM, Way.CONFLICT},
}
"""The ways of rows that bear a label out."""
_TOLD_WAY = {
    VerdictLabel.SUPPORTED: Way.BENEFIT,
    VerdictLabel.PROMISING: Way.BENEFIT,
    VerdictLabel.MIXED: Way.CONFLICT,
    VerdictLabel.UNSUPPORTED: Way.NO_DIFFERENCE,
    VerdictLabel.REFUTED: Way.NO_DIFFERENCE,
    VerdictLabel.HARMFUL: Way.HARM,
}
"""The way of a result on which a text rests that comes to a label."""


def with_proposal(
    by_rule: Verdict, studies: Sequence[StudyFinding], too_weak: Collection[str]
) -> Verdict:
    """The verdict by the written rules, or that of the direction which a model proposes instead.

    Args:
        by_rule: The verdict by the written rules, with its rows.
        studies: What each study says.
        too_weak: Rules that found that patients did worse, and too little to tell it as harm: how
            much is enough is theirs to say, but for the outcome that was asked about, of which a
            weak sign is told as one.
    """
    return _as_told(_as_proposed(by_rule, studies, too_weak), studies)


def _as_proposed(
    by_rule: Verdict, studies: Sequence[StudyFinding], too_weak: Collection[str]
) -> Verdict:
    proposed = next((study.proposed for study in studies if study.proposed), None)
    if proposed is None:
        return by_rule
    label = _WEAKER.get(proposed, proposed)
    if _WEAKER.get(by_rule.label) is proposed:
        most = min(by_rule.certainty, Certainty.MODERATE, key=LADDER.index)
        told = {"label": proposed, "rule": LESS[proposed], "certainty": most}
        return by_rule.model_copy(update=told)
    if label is VerdictLabel.HARMFUL and by_rule.rule in too_weak and not by_rule.is_weak_signal:
        return by_rule
    ids = _borne_out(label, by_rule, studies)
    if ids is None:
        return _doubted(by_rule, label)
    ways = _BEARING.get(label, {*Way})
    rows = [row for row in by_rule.rows if _answers(row) and _ways(row) & ways]
    level = next((study.rated for study in studies if study.proposed), None)
    own = [row for row in rows if {*row.evidence_ids} & {*ids}]
    # Whom and what a result is of weighed with the model that rated it.
    rated = [certainty_told(r, level) for r in own if r.importance != "surrogate" or r.asked]
    bound = most_of(study for study in studies if {*study.evidence_ids} & {*ids})
    bearing = rated or [bound, level or Certainty.VERY_LOW]
    lowest = min(LADDER.index(Certainty.LOW), *map(LADDER.index, bearing))
    differ = len({way for row in by_rule.rows if _answers(row) for way in _ways(row)}) > 1
    return Verdict(
        label=label,
        certainty=LADDER[lowest],
        rule=PROPOSED[label],
        downgrades=(_DIFFER if differ else _JUDGED,),
        deciding_ids=tuple(dict.fromkeys(ids)) or by_rule.deciding_ids,
        caps=by_rule.caps,
        rows=by_rule.rows,
    )


def rating_of(label: VerdictLabel, studies: Sequence[StudyFinding]) -> Certainty | None:
    """Return how certain a model holds what decides to be, that came to this direction.

    What a label calls proven is at least moderately certain. None where nothing is known.
    """
    own = next((study for study in studies if study.proposed and study.rated), None)
    direction = DIRECTIONS[label]
    if not (own and own.proposed and own.rated) or DIRECTIONS[own.proposed] != direction:
        return None
    least = Certainty.MODERATE if label in _WEAKER else own.rated
    return None if direction == "open" else max(own.rated, least, key=LADDER.index)


def rated_alike(
    studies: Sequence[StudyFinding], level: Certainty | None
) -> tuple[StudyFinding, ...]:
    """Return studies that a model rated, rated at this level; as they are where there is none."""
    return tuple(s.model_copy(update={"rated": level}) if s.rated and level else s for s in studies)


def _as_told(verdict: Verdict, studies: Sequence[StudyFinding]) -> Verdict:
    """Return a verdict that is of low certainty where all rows that tell what decides are.

    "Very low" beside them would say that they tell nothing.
    """
    own = (s for s in studies if s.told_as and {*s.evidence_ids} & {*verdict.deciding_ids})
    least = next((study.told_as for study in own), None)
    if least is None or DIRECTIONS[verdict.label] == "open":
        return verdict
    low = min(least, Certainty.LOW, key=LADDER.index)
    surer = max(low, verdict.certainty, key=LADDER.index)
    return verdict.model_copy(update={"certainty": surer})


def held_to_show(
    studies: Sequence[StudyFinding],
    label: VerdictLabel,
    told: Collection[str],
    level: Certainty | None,
) -> tuple[StudyFinding, ...]:
    """Return studies of which a model that wrote on them holds that they show this together.

    Args:
        studies: What each study says.
        label: The verdict that its text comes to.
        told: Records on which rows of its table rest: these bear the label out where the written
            rules leave the question open.
        level: How certain it holds the surest of these rows to be.
    """
    way = _TOLD_WAY.get(label)

    def held(study: StudyFinding) -> StudyFinding:
        is_told = way is not None and {*study.evidence_ids} & {*told}
        shown = dict.fromkeys((*study.shown, *((way,) if way and is_told else ())))
        update = {"proposed": label, "rated": study.rated or level, "shown": tuple(shown)}
        return study.model_copy(update=update)

    return tuple(map(held, studies))


def judged_alike(
    studies: Sequence[StudyFinding], others: Sequence[StudyFinding]
) -> tuple[StudyFinding, ...]:
    """Return studies rated, told and held to show what the others are."""
    if not others:
        return tuple(studies)
    alike = {
        name: next((told for one in others if (told := getattr(one, name))), None)
        for name in ("proposed", "rated", "told_as")
    }
    shown = {i: one.shown for one in others for i in one.evidence_ids}
    own = (next((shown[i] for i in s.evidence_ids if i in shown), s.shown) for s in studies)
    return tuple(
        s.model_copy(update={**alike, "shown": told}) for s, told in zip(studies, own, strict=True)
    )


def _borne_out(
    label: VerdictLabel, by_rule: Verdict, studies: Sequence[StudyFinding]
) -> list[str] | None:
    """The records on which a proposed label rests; None where the written rules' verdict stands.

    It stands where it has the same direction or is sure, where no result shows the other one, where
    a grave harm stands beside the benefit, and where patients did worse: that may be mixed, and not
    gone. What is sure may be mixed, where rows that decide point both ways; one with studies apart
    is weighed already. Results beside a row, and what a model matched, bear a label out, too.
    """
    if DIRECTIONS[label] == DIRECTIONS[by_rule.label]:
        return None
    rows = [row for row in by_rule.rows if _answers(row)]
    helps = [row for row in rows if Way.BENEFIT in _ways(row)]
    fails = [row for row in rows if _ways(row) & _AGAINST]
    apart = [r for r in rows if r.way is Way.BENEFIT], [r for r in rows if r.way in _AGAINST]
    if label is VerdictLabel.MIXED and all(map(_decides, apart)):
        return _ids((*apart[0], *apart[1]))
    harmed = by_rule.label is VerdictLabel.HARMFUL and label is not VerdictLabel.MIXED
    if harmed or by_rule.certainty in SURE:
        return None
    worse = [row for row in _of_arms(by_rule.rows, helps) if row.way is Way.HARM]
    is_alone, grave = _is_compared_with_nobody(rows), [row for row in worse if row.is_grave]
    hides = bool(helps and grave)
    if label is VerdictLabel.INSUFFICIENT:
        return None if hides else []
    bars = grave or (is_alone and worse) or by_rule.label is VerdictLabel.MIXED
    if (label is VerdictLabel.PROMISING and bars) or (label is VerdictLabel.UNSUPPORTED and hides):
        return None
    ids = _ids(row for row in rows if row.importance != "surrogate" and row in helps)
    against = _ids(fails or [row for row in rows if row.harm_asked])
    is_open = _is_open(by_rule) and not by_rule.is_weak_signal
    open_for = () if not is_open or any(study.concern for study in studies) else studies
    told = {
        VerdictLabel.PROMISING: ids or _shown(open_for, {Way.BENEFIT}),
        VerdictLabel.UNSUPPORTED: against or _shown(open_for, {Way.NO_DIFFERENCE, Way.HARM}),
        VerdictLabel.HARMFUL: _ids(_worse(rows) or grave) or _shown(open_for, {Way.HARM}),
    }
    both = _ids((*helps, *fails)) if helps and fails else _parted(studies)
    return told.get(label, [] if is_alone else both or _shown(open_for, {Way.CONFLICT})) or None


def _is_open(by_rule: Verdict) -> bool:
    """Return whether little speaks for a label: also a benefit of very low certainty."""
    is_least = by_rule.certainty is Certainty.VERY_LOW and by_rule.label is VerdictLabel.PROMISING
    return is_least or by_rule.label in _OPEN


def _of_arms(rows: Iterable[OutcomeRow], helps: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """The rows of the drug by itself; of a class, where all that helps is of the class."""
    of_class = bool(helps) and all(row.of_class for row in helps)
    return [row for row in rows if _is_own(row) or (of_class and row.of_class)]


def _worse(rows: Iterable[OutcomeRow]) -> list[OutcomeRow]:
    return [row for row in rows if Way.HARM in _ways(row)]


def _is_compared_with_nobody(rows: Iterable[OutcomeRow]) -> bool:
    return {row.tier for row in rows} == {"uncontrolled"}


def _parted(studies: Sequence[StudyFinding]) -> list[str]:
    """The records that decide for trials, where some of these are for it and some against."""
    own = [study for study in studies if study.deciding_ids and _bears_on(study)]
    is_parted = {Direction.SUPPORTS, Direction.REFUTES} <= {study.direction for study in own}
    return [i for study in own for i in study.deciding_ids] if is_parted else []


def _bears_on(study: StudyFinding) -> bool:
    """Return whether a sound trial has a result on whether the drug helps those asked about."""
    votes = (v for v in study.votes if v.importance not in ("harm", "surrogate"))
    told = (v for v in votes if v.directness != "related" and not v.harm_asked)
    is_told = any(v.against_asked or not v.comparator for v in told)
    return is_told and study.randomised and not study.concern


def _doubted(by_rule: Verdict, proposed: VerdictLabel) -> Verdict:
    """The verdict by the written rules, less sure where a model came to another direction.

    Harm, what a label calls proven, and what is highly certain, no judgement makes less sure.
    """
    is_other = DIRECTIONS[proposed] not in (DIRECTIONS[by_rule.label], "open")
    is_kept = by_rule.label in (*_WEAKER, VerdictLabel.HARMFUL)
    if not is_other or is_kept or by_rule.certainty is not Certainty.MODERATE:
        return by_rule
    told = (*by_rule.downgrades, _OTHERWISE)
    return by_rule.model_copy(update={"certainty": Certainty.LOW, "downgrades": told})


def _shown(studies: Sequence[StudyFinding], ways: Set[Way]) -> list[str]:
    """The records with a result of such a way that a model has for deciding."""
    return [i for study in studies if ways & {*study.shown} for i in study.evidence_ids]


def _ids(rows: Iterable[OutcomeRow]) -> list[str]:
    return [i for row in rows for i in row.evidence_ids]


def _decides(rows: Sequence[OutcomeRow]) -> bool:
    own = (row for row in rows if row.directness == "direct" and row.tier == "randomised")
    return any(row.importance == "critical" for row in own)


def _ways(row: OutcomeRow) -> set[Way]:
    return {row.way, *(effect.way for effect in row.effects)}


def _answers(row: OutcomeRow) -> bool:
    """Return whether a row tells whether the drug helps, on an outcome of the kind asked about."""
    return row.importance != "harm" and not row.of_other_kind and _is_own(row)


def _is_own(row: OutcomeRow) -> bool:
    """Return whether a row is of the drug by itself: against nothing, or just as was asked.

    What a model matched is of what was asked, though its arms are of one of a class.
    """
    compared = row.asked or not row.comparator
    return compared and row.directness != "related" and (row.matched or not row.of_class)
