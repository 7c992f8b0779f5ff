"""Draws the verdict from the rows of a summary of findings; a model may propose its direction.

The leading rows decide (`leading`). Harms stand beside and cap the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from deepcritical.appraisal.body.certainty import LADDER, VERY_MANY
from deepcritical.appraisal.body.leading import (
    SURE,
    between_doses,
    doubted,
    is_against_active,
    is_confirmed,
    is_no_loss,
    leading,
    together,
)
from deepcritical.appraisal.body.proposals import LESS, PROPOSED, rating_of, with_proposal
from deepcritical.appraisal.body.rows import outcome_rows, row_rated
from deepcritical.appraisal.votes.silent import READ_ENOUGH, is_close, not_read, too_little_read
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import AT_A_PRICE, WEAK_SIGNAL, Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import CONTINUED, OTHER_COMPARISON, OutcomeRow, Way
from deepcritical.domain.evidence.certainty import OPTIMAL_INFORMATION_SIZE, VERY_FEW, Certainty

_Rows = Sequence[OutcomeRow]
_DOUBTED = "what an expression of concern stands against supports nothing"
_SUPPORTED = (
    f"Several trials, or a review of trials, with {OPTIMAL_INFORMATION_SIZE} participants or more "
    "found a benefit on an outcome that matters to patients."
)
_LARGE_TRIAL = (
    f"One trial with {VERY_MANY:,} participants or more found a benefit, with high certainty, on "
    "an outcome that matters to patients."
)
_ONE_TRIAL = (
    "Randomised evidence found a benefit, but it is a single trial, small, or of low certainty."
)
_LESSER = "Trials found a benefit, but only on outcomes that do not decide by themselves."
_SURROGATE = "Trials found a benefit only on a surrogate, not on an outcome of patients."
_NOT_RANDOMISED = (
    "Studies without randomisation found a benefit, and no trial of the people asked about tells."
)
_UNCONTROLLED_SURROGATE = (
    "Only a surrogate changed from before, in studies that compared people with nobody."
)
_UNCONTROLLED = "People got better than before, in studies that compared them with nobody."
_REPORTED = "A narrative review tells of a benefit, and no study that it tells of was found."
_NONE_REPORTED = "A narrative review tells of no benefit, and no study that it tells of was found."
_MIXED_REPORTED = "What narrative reviews tell of points both ways, and no study of it was found."
_MIXED = "Trials of the people asked about, or their critical outcomes, point both ways."
_MIXED_COHORTS = "Studies without randomisation point both ways, and no trial tells."
_MIXED_ALONE = "People fared better and worse than before, in studies that compared with nobody."
_MIXED_IN = {"randomised": _MIXED, "reported": _MIXED_REPORTED, "uncontrolled": _MIXED_ALONE}
_REFUTED = (
    f"Several trials, or a review of trials, with {OPTIMAL_INFORMATION_SIZE} participants or more "
    "found no benefit, or one too small to matter."
)
_UNSUPPORTED = "Randomised evidence found no benefit, but it is a single trial or a small body."
_NONE_IN_COHORTS = "Studies without randomisation found no benefit, and no trial tells."
_SECONDARY = (
    "Trials found a benefit on a critical outcome, but their primary outcome showed no difference."
)
_PREVENTION = (
    "Fewer people without the condition got it with the drug; no trial treated people who have it."
)
_NOT_EXCLUDED = "No benefit was shown, and a relevant benefit is not excluded."
_NOT_WORSE = "Trials showed that the drug is not worse than the one that it was compared with."
_AS_GOOD = "Several trials showed that it is no worse than the other by more than a set margin."
_NOT_BETTER = "Trials showed no difference from the drug that it was compared with."
_NO_LOSS = (
    "Studies found no difference from what the drug may replace; whether it is not worse was not "
    "tested."
)
_LOSS_OPEN = (
    "Studies found no difference, and do not tell whether the drug is as good as the other."
)
_OTHER_BETTER = "Patients did better with what the drug was compared with, without proof."
_BETTER_THAN_ACTIVE = (
    "Several trials found the drug better than another drug; none compared it with no treatment."
)
_MORE_BETTER = (
    "More of the drug, by dose or duration, helped more than less of it; none compared it with no "
    "treatment."
)
_MORE_NO_BETTER = (
    "More of the drug, by dose or duration, helped no more than less of it; none compared it with "
    "no treatment."
)
_SIGNAL = "Some patients did worse with the drug, in results that are too weak to tell of harm."
_HARMFUL = "Patients did worse with the drug on an outcome that matters to them."
_HARM_OBSERVED = (
    "Studies without randomisation found that patients did worse with the drug on the outcome that "
    "was asked about, and no trial tells."
)
_FEWER = "Fewer patients had the harm that was asked about with the drug, and not more."
_SURELY_FEWER = (
    f"Several trials, or a review of trials, with {OPTIMAL_INFORMATION_SIZE} participants or more "
    "found that fewer patients had the harm that was asked about with the drug."
)
_OTHERS = "The results that count are of other people or another condition than asked about."
_OTHER_COMPARISON = (
    "Studies of the drug were found, but no result that counts in the comparison asked about."
)
_ACTIVE = "It was compared with other drugs only, so whether it helps by itself is not told."
_BESIDE = "The results that count are of harms only, or do not bear on the condition."
_NOT_ASKED = "No result was recognised as one on the outcome that was asked about."
_OF_CLASS = "The results that count are of its class of drugs, and not of the drug by itself."
_HARM_OF_CLASS = (
    "Trials of its class of drugs found more of the harm that was asked about; none tells of the "
    "drug by itself."
)
_PRECLINICAL = "Only experiments without patients were found."
_NO_RESULT = "Studies exist, but none of them has a result that counts for this question."
_NOTHING = "No record bears on the question."
_UNREAD = "Too few of the studies could be read without a language model."

RULES: dict[str, VerdictLabel] = {
    _SUPPORTED: VerdictLabel.SUPPORTED,
    _LARGE_TRIAL: VerdictLabel.SUPPORTED,
    _ONE_TRIAL: VerdictLabel.PROMISING,
    _LESSER: VerdictLabel.PROMISING,
    _SURROGATE: VerdictLabel.PROMISING,
    _NOT_RANDOMISED: VerdictLabel.PROMISING,
    _UNCONTROLLED: VerdictLabel.PROMISING,
    _UNCONTROLLED_SURROGATE: VerdictLabel.INSUFFICIENT,
    _REPORTED: VerdictLabel.PROMISING,
    _NONE_REPORTED: VerdictLabel.UNSUPPORTED,
    _MIXED_REPORTED: VerdictLabel.MIXED,
    _MIXED: VerdictLabel.MIXED,
    _MIXED_COHORTS: VerdictLabel.MIXED,
    _MIXED_ALONE: VerdictLabel.INSUFFICIENT,
    AT_A_PRICE: VerdictLabel.MIXED,
    _REFUTED: VerdictLabel.REFUTED,
    _UNSUPPORTED: VerdictLabel.UNSUPPORTED,
    _NONE_IN_COHORTS: VerdictLabel.UNSUPPORTED,
    _SECONDARY: VerdictLabel.PROMISING,
    _PREVENTION: VerdictLabel.PROMISING,
    _NOT_EXCLUDED: VerdictLabel.UNSUPPORTED,
    _NOT_WORSE: VerdictLabel.PROMISING,
    _AS_GOOD: VerdictLabel.SUPPORTED,
    _NOT_BETTER: VerdictLabel.UNSUPPORTED,
    _NO_LOSS: VerdictLabel.PROMISING,
    _LOSS_OPEN: VerdictLabel.INSUFFICIENT,
    _OTHER_BETTER: VerdictLabel.UNSUPPORTED,
    _BETTER_THAN_ACTIVE: VerdictLabel.PROMISING,
    _MORE_BETTER: VerdictLabel.PROMISING,
    _MORE_NO_BETTER: VerdictLabel.UNSUPPORTED,
    _SIGNAL: VerdictLabel.INSUFFICIENT,
    WEAK_SIGNAL: VerdictLabel.INSUFFICIENT,
    _HARMFUL: VerdictLabel.HARMFUL,
    _HARM_OBSERVED: VerdictLabel.HARMFUL,
    _FEWER: VerdictLabel.UNSUPPORTED,
    _SURELY_FEWER: VerdictLabel.REFUTED,
    _OTHERS: VerdictLabel.INSUFFICIENT,
    _OTHER_COMPARISON: VerdictLabel.INSUFFICIENT,
    _ACTIVE: VerdictLabel.INSUFFICIENT,
    _BESIDE: VerdictLabel.INSUFFICIENT,
    _NOT_ASKED: VerdictLabel.INSUFFICIENT,
    _OF_CLASS: VerdictLabel.INSUFFICIENT,
    _HARM_OF_CLASS: VerdictLabel.HARMFUL,
    _PRECLINICAL: VerdictLabel.INSUFFICIENT,
    _NO_RESULT: VerdictLabel.INSUFFICIENT,
    _NOTHING: VerdictLabel.INSUFFICIENT,
    _UNREAD: VerdictLabel.NOT_ASSESSED,
    **{rule: label for labels in (PROPOSED, LESS) for label, rule in labels.items()},
}
"""The sentences in which a rule is told, with the label that each gives."""
_LESS_THAN_PROOF = (VerdictLabel.PROMISING, VerdictLabel.UNSUPPORTED)
"""Labels of what is not proven, so that nothing of it is highly certain."""


def decide(studies: Sequence[StudyFinding]) -> Verdict:
    """The verdict for one drug and one condition, with the rows that it rests on."""
    return with_proposal(_by_rule(studies), studies, too_weak=(_SIGNAL, WEAK_SIGNAL, _OTHER_BETTER))


def _by_rule(studies: Sequence[StudyFinding]) -> Verdict:
    rows = outcome_rows(studies)
    if unread := too_little_read(studies):
        open_ids = _ids_of(study for study in studies if study.unread)
        return _verdict(_UNREAD, Certainty.VERY_LOW, rows, open_ids, caps=(unread,))
    doubts = (_DOUBTED,) if any(study.concern for study in studies) else ()
    first = leading(rows)
    if first and all(row.of_class for row in first):
        shown = first[0].harm_asked and first[0].tier == "randomised"
        rule = _HARM_OF_CLASS if shown and together(first)[0] is Way.HARM else _OF_CLASS
        return _verdict(rule, Certainty.VERY_LOW, rows, _ids_of(first), caps=doubts)
    if first:
        return _led(first, rows, studies, doubts)
    active = [row for row in rows if is_against_active(row) and row.way is Way.BENEFIT]
    if active and is_confirmed(active, studies):
        return _verdict(_BETTER_THAN_ACTIVE, Certainty.LOW, rows, _ids_of(active), caps=doubts)
    if rule := _by_dose(active := between_doses(rows)):
        return _verdict(rule, Certainty.VERY_LOW, rows, _ids_of(active), caps=doubts)
    silent = [s for s in studies if s.unread or s.unclear or s.by_rules]
    most = len(silent) > (1 - READ_ENOUGH) * len(studies)
    if most or any(s.unread or s.unclear for s in silent):
        # That nothing was found can be said only of what could be read.
        told = not_read(len(silent), len(studies), "study", which="")
        return _verdict(_UNREAD, Certainty.VERY_LOW, rows, _ids_of(silent), caps=(told,))
    rule = _without_lead(studies)
    return _verdict(rule, Certainty.VERY_LOW, rows, _named_by(rule, studies), caps=doubts)


def _ids_of(told: Iterable[OutcomeRow | StudyFinding]) -> list[str]:
    return [i for one in told for i in one.evidence_ids]


def _verdict(
    rule: str,
    certainty: Certainty,
    rows: tuple[OutcomeRow, ...],
    ids: Sequence[str],
    downgrades: tuple[str, ...] = (),
    caps: tuple[str, ...] = (),
) -> Verdict:
    return Verdict(
        label=RULES[rule],
        certainty=certainty,
        rule=rule,
        deciding_ids=tuple(dict.fromkeys(ids)),
        downgrades=downgrades,
        caps=caps,
        rows=rows,
    )


def _by_dose(rows: Sequence[OutcomeRow]) -> str:
    """The rule where trials compared doses and nothing else; '' where these tell nothing.

    That more of a drug helps more tells that it helps; the other way round it is a doubt.
    """
    way = together(rows)[0] if rows else Way.CONFLICT
    return {Way.BENEFIT: _MORE_BETTER, Way.NO_DIFFERENCE: _MORE_NO_BETTER}.get(way, "")


def _without_lead(studies: Sequence[StudyFinding]) -> str:
    votes = [vote for study in studies for vote in study.votes]
    if not studies:
        return _NOTHING
    own = [v for v in votes if v.importance != "harm" and is_close(v)]
    if any(v.of_other_kind and (v.against_asked or not v.comparator) for v in own):
        return _NOT_ASKED
    if any(v.comparator and not v.against_asked for v in own):
        return _ACTIVE
    if any(v.directness == "related" and v.importance != "harm" for v in votes):
        return _OTHERS
    if any(study.why.endswith(OTHER_COMPARISON) for study in studies):
        return _OTHER_COMPARISON
    if votes:
        return _NOT_ASKED if any(v.of_other_kind for v in votes) else _BESIDE
    if all(study.level == 5 for study in studies):
        return _PRECLINICAL
    return _NO_RESULT


def _named_by(rule: str, studies: Sequence[StudyFinding]) -> list[str]:
    """The records that a rule without a leading result is about."""
    voting = rule in (_ACTIVE, _OTHERS, _BESIDE, _NOT_ASKED)
    return [i for s in studies if bool(s.votes) is voting for i in s.evidence_ids]


def _led(
    first: Sequence[OutcomeRow],
    rows: tuple[OutcomeRow, ...],
    studies: Sequence[StudyFinding],
    doubts: tuple[str, ...],
) -> Verdict:
    way, deciding = together(first)
    certainty, downgrades = _certainty(way, deciding)
    # Asked about one harm, the answer is on that one alone.
    grave = [] if deciding[0].harm_asked else [row for row in rows if _is_grave(row)]
    rule = _rule(way, deciding, grave, certainty, confirmed=is_confirmed(deciding, studies))
    if rule in (_SUPPORTED, _LARGE_TRIAL, _ONE_TRIAL) and _is_beside_primary(first, deciding):
        rule = _SECONDARY
    sure = [row for row in grave if _is_proven(row)]
    if rule == _HARMFUL and way is not Way.HARM:
        certainty, downgrades = sure[0].certainty, sure[0].reasons
    elif level := rating_of(RULES[rule], studies):
        told = {id(row): row_rated(row, level) for row in deciding}
        certainty, downgrades = _certainty(way, [*told.values()])
        rows = tuple(told.get(id(row), row) for row in rows)
    if RULES[rule] in _LESS_THAN_PROOF and certainty is Certainty.HIGH:
        certainty = Certainty.MODERATE
    feared = [*grave, *doubted(rows, deciding)]
    caps = (*doubts, *(() if rule == _HARM_OBSERVED else _caps(first[0], feared)))
    ids = sorted({*_ids_of(deciding)}, key=lambda i: (len(i), i))
    return _verdict(rule, certainty, rows, ids, downgrades, caps)


def _is_beside_primary(first: Sequence[OutcomeRow], deciding: Sequence[OutcomeRow]) -> bool:
    """Return whether some leading rows are on a primary outcome, and none of them decides."""
    return any(r.primary for r in first) and not any(r.primary for r in deciding)


def _certainty(way: Way, rows: Sequence[OutcomeRow]) -> tuple[Certainty, tuple[str, ...]]:
    """That of the largest row that decides, lowered where outcomes conflict."""
    first = max(rows, key=lambda row: (row.primary, row.people or 0))
    differ = "inconsistency: the main outcomes disagree"
    if way is not Way.CONFLICT or any("inconsistency" in reason for reason in first.reasons):
        return first.certainty, first.reasons
    return LADDER[max(0, LADDER.index(first.certainty) - 1)], (*first.reasons, differ)


def _is_grave(row: OutcomeRow) -> bool:
    """Return whether deaths, or disabling harms, were surely enough more frequent with the drug."""
    worse = row.is_grave and row.way is Way.HARM and (row.asked or not row.comparator)
    return worse and row.directness != "related" and row.certainty is not Certainty.VERY_LOW


def _is_proven(row: OutcomeRow) -> bool:
    """Return whether trials showed more grave harm: of deaths with any certainty, else surely."""
    return row.tier == "randomised" and (row.is_fatal or row.certainty in SURE)


def _rule(
    way: Way,
    rows: Sequence[OutcomeRow],
    grave: Sequence[OutcomeRow],
    certainty: Certainty,
    *,
    confirmed: bool,
) -> str:
    """The rule that applies.

    Args:
        way: Which way the leading rows point together.
        rows: Those that decide it.
        grave: Rows on grave harms that were more frequent with the drug.
        certainty: How certain the way is.
        confirmed: Whether several studies of enough people found it.
    """
    first = rows[0]
    randomised = first.tier == "randomised"
    if way is Way.HARM:
        proven = randomised and first.importance != "surrogate"
        is_other = first.asked and not first.harm_asked
        weak = _OTHER_BETTER if is_other else WEAK_SIGNAL if first.wanted else _SIGNAL
        if certainty is Certainty.VERY_LOW or (first.people or VERY_FEW) < VERY_FEW:
            return weak
        # Harms, also of stopping, are looked for in cohorts: trials are too short and small.
        observed = first.tier == "controlled" and (first.harm_asked or first.control == CONTINUED)
        return _HARMFUL if proven else _HARM_OBSERVED if observed else weak
    if way is Way.NO_DIFFERENCE:
        none = _none_shown(rows, certainty, grave, confirmed=confirmed)
        return _HARMFUL if any(map(_is_proven, grave)) else none
    if way is Way.CONFLICT:
        return _MIXED_IN.get(first.tier, _MIXED_COHORTS)
    if first.harm_asked:
        sure = certainty in SURE and randomised and confirmed
        return _SURELY_FEWER if sure else _FEWER
    fatal = any(row.is_fatal for row in grave)
    if randomised and grave and (fatal or first.importance != "critical"):
        return AT_A_PRICE
    return _benefit(first, certainty, confirmed=confirmed)


def _none_shown(rows: _Rows, certainty: Certainty, grave: _Rows, *, confirmed: bool) -> str:
    first = rows[0]
    if first.asked:
        if all(row.non_inferior for row in rows):
            leads = first.importance == "critical" and first.primary and first.as_good_asked
            is_shown = leads and confirmed and certainty in SURE and not grave
            return _AS_GOOD if is_shown else _NOT_WORSE
        if not all(row.as_good_asked for row in rows):
            return _NOT_BETTER
        return _NO_LOSS if is_no_loss(first) else _LOSS_OPEN
    if first.tier != "randomised":
        return _NONE_REPORTED if first.tier == "reported" else _NONE_IN_COHORTS
    if all(row.inconclusive for row in rows):
        return _NOT_EXCLUDED
    sure = certainty in SURE and first.importance == "critical"
    return _REFUTED if sure and confirmed else _UNSUPPORTED


def _benefit(first: OutcomeRow, certainty: Certainty, *, confirmed: bool) -> str:
    if first.tier == "uncontrolled":
        return _UNCONTROLLED_SURROGATE if first.importance == "surrogate" else _UNCONTROLLED
    if first.tier != "randomised":
        return _REPORTED if first.tier == "reported" else _NOT_RANDOMISED
    if first.importance != "critical":
        return _SURROGATE if first.importance == "surrogate" else _LESSER
    if first.prevention:
        return _PREVENTION
    if certainty is Certainty.HIGH and not confirmed and (first.people or 0) >= VERY_MANY:
        return _LARGE_TRIAL
    return _SUPPORTED if confirmed and certainty in SURE else _ONE_TRIAL


def _caps(first: OutcomeRow, grave: Sequence[OutcomeRow]) -> Iterator[str]:
    for row in grave:
        yield row.sentence.rstrip(".")
    if first.importance == "surrogate":
        yield "a surrogate alone never makes more than promising"
    if first.tier != "randomised":
        yield "non-randomised evidence alone never yields more than promising"
