"""Reads one record for one drug and condition: which sentences are for it, against it, or beside.

The sentences are those that the reading of its study cites; what they count for is in its votes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from deepcritical.appraisal.pico.arms import LESS_OF_IT, MORE_OF_IT, given_by, tests_in
from deepcritical.appraisal.pico.asked import Asked, canonical
from deepcritical.appraisal.pico.matching import ways_of
from deepcritical.appraisal.pico.outcomes import placed
from deepcritical.appraisal.pico.people import are_asked_about, concerns, may_be_asked_about
from deepcritical.appraisal.pico.stopped import is_on_stopping
from deepcritical.appraisal.votes.silent import is_of_animals
from deepcritical.appraisal.votes.voting import Ballot, ballot_of, may_count
from deepcritical.domain.appraisal.findings import Matched, Reading, Remark
from deepcritical.domain.appraisal.votes import STOPPED_EARLY, Importance, Vote, Way
from deepcritical.domain.evidence.grading import Grade
from deepcritical.domain.evidence.kinds import (
    is_harm_stop,
    is_negative_stop,
    is_notice,
    is_retracted,
)
from deepcritical.domain.evidence.record import Evidence, Fact, FactRole
from deepcritical.domain.study.reading import MAIN_RESULT_NOT_READ, StudyReading
from deepcritical.domain.text.harms import reports_harm
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span, addresses_a_model, fold, sentences, whole_sentences
from deepcritical.questions.cues import ANIMALS
from deepcritical.reading.rules.arm_phrases import CONTROLS
from deepcritical.reading.sentences import quoted
from deepcritical.vocabulary.classes import find_classes
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.folding import key_of
from deepcritical.vocabulary.outcomes import terms_of

_EFFICACY: tuple[Importance, ...] = ("critical", "important", "surrogate")
_DESIGN = ("design", "method", "study design")
_BACKGROUND = (
    "background",
    "introduction",
    "context",
    "rationale",
    "importance",
    "objective",
    "aim",
)
_WITHOUT = bounded(r"\b(?:alone|without|added to|adding|addition of)\b", re.IGNORECASE)


def read_for(
    asked: Asked,
    evidence_id: str,
    evidence: Evidence,
    study: StudyReading | None,
    graded: Grade,
    matched: Matched | None = None,
) -> Reading:
    """Return what one record says of the drug in the condition; every fact is a sentence of it.

    Args:
        asked: What the question asks for.
        evidence_id: The record's id in the run.
        evidence: The record.
        study: What it says of its study; None where it holds no text to read.
        graded: Its grade.
        matched: What a model found the record to tell of the question; None where none was asked.
    """
    found = bool(matched and matched.results)
    if excluded := _exclusion(asked, evidence, study, matched=found):
        return Reading(evidence_id=evidence_id, drug=asked.drug, excluded_because=excluded)
    matches = matched.results if matched else None
    ballot = ballot_of(study, evidence, asked, graded, matches) if study else Ballot()
    stop = _stop_vote(asked, evidence, study)
    votes = [v.model_copy(update={"evidence_id": evidence_id}) for v in (*ballot.votes, *stop)]
    if study and MAIN_RESULT_NOT_READ in study.unread:
        votes = [v for v in votes if v.importance == "harm" or (v.is_grave and v.way is Way.HARM)]
    reading = _reading(asked, evidence_id, evidence, study, ballot, votes)
    if not matched or not study:
        return reading
    shown = tuple(dict.fromkeys(ways_of(study, matched.results)))
    told = {"proposed": matched.proposed, "rated": matched.rated, "shown": shown}
    return reading.model_copy(update=told)


def results_to_match(
    asked: Asked, evidence: Evidence, study: StudyReading, graded: Grade
) -> tuple[int, ...]:
    """Return the places, from 0, of the results that a model is asked to match to the question."""
    if _exclusion(asked, evidence, study, matched=True):
        return ()
    return may_count(study, evidence, asked, graded)


def _reading(
    asked: Asked,
    evidence_id: str,
    evidence: Evidence,
    study: StudyReading | None,
    ballot: Ballot,
    votes: Sequence[Vote],
) -> Reading:
    leading = _leading(votes)
    on_it = not asked.stopping or is_on_stopping(evidence.citation.title, asked)
    by_rules = not leading and study is not None and _may_be_unread(evidence, study)
    of_these = study is not None and may_be_asked_about(study, evidence, asked)
    unclear = by_rules and on_it and of_these
    spans = {span.start: span for span in whole_sentences(evidence.content)}
    own_people = study is not None and are_asked_about(study, evidence, asked)
    supporting = _facts(
        (v for v in leading if v.way in (Way.BENEFIT, Way.CONFLICT)), spans, evidence_id
    )
    refuting = _facts((v for v in leading if v.way is not Way.BENEFIT), spans, evidence_id)
    taken = {fact.start for fact in (*supporting, *refuting)}
    return Reading(
        evidence_id=evidence_id,
        drug=asked.drug,
        direct=any(v.directness == "direct" for v in votes) if votes else own_people,
        about_drug=any(v.directness == "direct" for v in leading),
        supporting=supporting,
        refuting=refuting,
        null=any(v.way is Way.NO_DIFFERENCE for v in leading),
        harmful=any(v.way is Way.HARM for v in leading),
        context=_context(evidence, evidence_id, study, ballot, votes, taken),
        remark=_remark(evidence, ballot, votes, leading) if not supporting + refuting else "",
        votes=tuple(votes),
        given=given_by(study, asked) if study else "",
        unread=unclear and _is_missed(asked, evidence, study),
        unclear=unclear,
        by_rules=by_rules,
    )


def _leading(votes: Sequence[Vote]) -> list[Vote]:
    """The votes on the weightiest outcomes that the record reports of the drug's own effect."""
    own = [v for v in votes if v.against_asked or not v.comparator]
    for weight in _EFFICACY:
        of_weight = [v for v in own if v.importance == weight and v.directness != "related"]
        if of_weight:
            return of_weight
    return []


def _facts(votes: Iterable[Vote], spans: dict[int, Span], evidence_id: str) -> tuple[Fact, ...]:
    starts = dict.fromkeys(v.start for v in votes if v.start in spans)
    return tuple(
        Fact.of(spans[at], evidence_id, FactRole.RESULT) for at in starts if at is not None
    )


def _context(
    evidence: Evidence,
    evidence_id: str,
    study: StudyReading | None,
    ballot: Ballot,
    votes: Sequence[Vote],
    taken: set[int],
) -> tuple[Fact, ...]:
    """Other results on the drug, harms, design and the authors' conclusion, in this order."""
    roles: dict[int, tuple[Span, FactRole]] = {}
    for span, role in _told(evidence, study, ballot, votes):
        if span.start not in taken and not addresses_a_model(span.text):
            roles.setdefault(span.start, (span, role))
    return tuple(Fact.of(span, evidence_id, role) for span, role in roles.values())


def _told(
    evidence: Evidence, study: StudyReading | None, ballot: Ballot, votes: Sequence[Vote]
) -> list[tuple[Span, FactRole]]:
    spans = {span.start: span for span in whole_sentences(evidence.content)}
    told = [
        (spans[v.start], FactRole.HARM if v.importance == "harm" or v.feared else FactRole.RESULT)
        for v in votes
        if v.start in spans
    ]
    for result in ballot.told:
        role = FactRole.HARM if result.kind == "safety" else FactRole.RESULT
        told += [(span, role) for span in quoted(result.sentences, evidence)]
    told += [(s, FactRole.DESIGN) for s in spans.values() if s.label.startswith(_DESIGN)]
    found = (s for s in spans.values() if not s.label.startswith(_BACKGROUND))
    told += [(s, FactRole.HARM) for s in found if reports_harm(s)]
    if study:
        ends = quoted(study.conclusion.sentences, evidence)
        told += [(span, FactRole.CONCLUSION) for span in ends]
    return told


def _exclusion(
    asked: Asked, evidence: Evidence, study: StudyReading | None, *, matched: bool
) -> str:
    """Return why the record does not bear on the question; '' when it does.

    That it names neither drug nor condition is no reason where a model `matched` a result of it.
    """
    if is_notice(evidence):
        return "a notice about another record, not a study"
    meta = evidence.metadata
    if not evidence.content and meta.kind != "trial" and not is_retracted(evidence):
        return "no text available, bibliography only"
    given = meta.kind == "trial" and bool(meta.interventions)
    where = [evidence.citation.title, *meta.interventions, *([] if given else [evidence.content])]
    if not matched and not _names_drug("\n".join(where), asked, study):
        return f"does not name {asked.drug}" + (" as intervention" if given else "")
    if study and ANIMALS in asked.population and not is_of_animals(study):
        return "no experiment in animals, on which the question is"
    if matched:
        return ""
    told = [evidence.citation.title, *meta.conditions, evidence.content]
    if study:
        told += [*study.population.conditions, study.population.description]
    is_open = asked.on_harm or asked.in_anyone
    named = concerns(told, asked) or (study and is_open and _tells_of_it(study, asked))
    return "" if named else f"does not name {asked.condition.name}"


def _tells_of_it(study: StudyReading, asked: Asked) -> bool:
    """Return whether a study reports the harm or outcome asked about, under whatever name."""
    return any(placed(result, asked).importance == "critical" for result in study.results)


def is_of_other_drugs(
    asked: Asked, evidence: Evidence, study: StudyReading, *, known: bool = False
) -> bool:
    """Return whether all that was given is known, and none of it what is asked about or its kin.

    Of what is asked about and `known` by all its names, it is enough that none of them stands here.
    """
    given = [i for arm in study.arms for i in arm.interventions]
    if not (known or (given and all(i.drug for i in given))):
        return False
    near = asked.kin.union(asked.comparators, *asked.partners)
    text = "\n".join((evidence.citation.title, *evidence.metadata.interventions, evidence.content))
    named = _names_drug(text, asked, study)
    return not named and near.isdisjoint(canonical(i.drug) for i in given)


def may_have_given(asked: Asked, study: StudyReading) -> bool:
    """Return whether an arm got what is asked about, its class, or what is not known."""
    given = [i for arm in study.arms for i in arm.interventions]
    own = asked.names.union(asked.classes, asked.comparators, *asked.partners)
    return not (given and all(i.drug and canonical(i.drug) not in own for i in given))


def _names_drug(text: str, asked: Asked, study: StudyReading | None) -> bool:
    names = _drugs_in(text)
    if study:
        names |= {canonical(i.drug or i.name) for arm in study.arms for i in arm.interventions}
    wanted = asked.names | asked.classes
    if names & wanted:
        return True
    unknown = _unknown(asked)
    folded = f" {key_of(text)} " if unknown else ""
    return any(f" {key_of(name)} " in folded for name in unknown)


@lru_cache(maxsize=2048)  # a record is read for each of many candidates
def _drugs_in(text: str) -> frozenset[str]:
    """The drugs and classes that a text names, in small letters."""
    drugs = frozenset(mention.drug.name.casefold() for mention in find_drugs(text))
    return drugs | {mention.group.name.casefold() for mention in find_classes(text)}


def _unknown(asked: Asked) -> list[str]:
    """The names asked about that no vocabulary finds in a text; there, the name itself counts."""
    return [
        name
        for name in asked.names
        if len(name) > 2 and not find_drugs(name) and not find_classes(name)
    ]


def _remark(
    evidence: Evidence, ballot: Ballot, votes: Sequence[Vote], leading: Sequence[Vote]
) -> str:
    """Return why no sentence of the record is for or against the drug."""
    if leading:
        return Remark.COUNTED
    if any(v.comparator for v in votes if v.importance != "harm"):
        return Remark.HEAD_TO_HEAD
    if votes and all(v.importance == "harm" for v in votes):
        return "only harms are reported"
    if votes:
        return "its people have another condition"
    if is_negative_stop(evidence):
        return Remark.NOT_CHARGED
    return ballot.why or Remark.SILENT


def _stop_vote(asked: Asked, evidence: Evidence, study: StudyReading | None) -> tuple[Vote, ...]:
    """A stop for futility or harm, as its registry gives it, where it is charged to the drug."""
    if study is None or asked.stopping or not is_negative_stop(evidence):
        return ()
    from_arms = {(i.drug or i.name).casefold() for arm in study.arms for i in arm.interventions} & (
        _known_drugs(evidence) | asked.names
    )
    why = evidence.metadata.why_stopped or ""
    alone = from_arms <= asked.names if from_arms else False
    if not alone and not _names_drug(why, asked, None):
        return ()
    spans = (s for s in sentences(evidence.content) if fold(why)[:60] in fold(s.text))
    span = next(spans, None)
    return (
        Vote(
            row=STOPPED_EARLY,
            outcome="stopped early for harm" if is_harm_stop(why) else "stopped early for futility",
            importance="important",  # results of trials that were not stopped go before it
            way=Way.HARM if is_harm_stop(why) else Way.NO_DIFFERENCE,
            tier="randomised" if "randomised" in study.design else "controlled",
            people=evidence.metadata.enrollment,
            start=span.start if span else None,
        ),
    )


def _known_drugs(evidence: Evidence) -> set[str]:
    text = "\n".join(evidence.metadata.interventions)
    return {mention.drug.name.casefold() for mention in find_drugs(text)}


def _may_be_unread(evidence: Evidence, study: StudyReading) -> bool:
    """Return whether one who understands the text might find a result in it: only rules fail so."""
    if study.reader.kind != "rules" or not evidence.content:
        return False
    if set(study.kinds) & {"protocol", "narrative_review", "animal", "in_vitro", "guideline"}:
        return False
    return evidence.metadata.kind != "trial"


def _is_missed(asked: Asked, evidence: Evidence, study: StudyReading | None) -> bool:
    """Return whether a record that could not be read is likely one that decides.

    One that does not name the drug in its title is seldom a test of it; one that never names the
    other side of a comparison, or the outcome that was asked about, seldom answers the question,
    nor does one whose arms set the drug against active drugs that were not asked about.
    """
    if not _names_drug(evidence.citation.title, asked, None):
        return False
    if study and _is_of_other_comparison(study, evidence, asked):
        return False
    text = f"{evidence.citation.title}. {evidence.content}"
    folded = f" {key_of(text)} "
    sides = asked.comparators or frozenset().union(*asked.partners)
    if sides:
        written = any(f" {key_of(name)} " in folded for name in sides)
        if not written and not _drugs_in(text) & set(sides):
            return False
    known = [terms_of(name) for name in asked.measured]
    terms = {term for of_one in known for term in of_one} | set(map(key_of, asked.measured))
    return not all(known) or not known or any(f" {term} " in folded for term in terms)


def _is_of_other_comparison(study: StudyReading, evidence: Evidence, asked: Asked) -> bool:
    """Return whether the arms set the drug against active drugs only, none that was asked about.

    Of harms every comparison tells. Where the text names a control, or a treatment with and without
    another, an arm may be unknown.
    """
    text = f"{evidence.citation.title}. {evidence.content}"
    if any(words.search(text) for words in (_WITHOUT, *(words for _, words in CONTROLS))):
        return False
    if asked.on_harm or asked.partners:
        return False
    if any(name in asked.comparators for name in _drugs_in(evidence.citation.title)):
        return False
    tests = [test for test in tests_in(study, asked) if not test.why_not]
    doses = (*LESS_OF_IT, *MORE_OF_IT)
    others = [t for t in tests if t.comparator and not t.asked and t.comparator not in doses]
    return bool(tests) and len(others) == len(tests)
