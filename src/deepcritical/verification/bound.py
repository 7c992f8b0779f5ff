"""Checks that every part of a sentence is borne by the findings that it cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from deepcritical.domain.sentences import Finding
from deepcritical.verification.claims import is_near_verbatim
from deepcritical.verification.fields import (
    VAGUE,
    Judge,
    fields_of,
    keys_of,
    measured_in,
    source_of,
    strange_figures,
)
from deepcritical.verification.signs import SIGN_WORDS, clauses, signs
from deepcritical.verification.words import Word, stem, words
from deepcritical.vocabulary.words import is_english

_LINKING = frozenset(
    map(
        stem,
        "about above across after again against agree alike all alone along already although "
        "always and another any appear apart around as at away because before behind below "
        "beside besides between beyond both but by can case clear clearly come compare comparison "
        "confirm consistent contrast could despite direction directly different during each "
        "either else even every except few first for former from further give given hence here "
        "how however if in indeed instead into just last latter least less like likely likewise "
        "limit main mainly make many may might more most mostly much nearly nor now of off on "
        "once one only onto opposite or other others otherwise out outside over own part per "
        "point provide put rather remain repeat rest same second see seem separate several short "
        "since single so some still such take than that the their them then there these they "
        "third this those though three through throughout thus to together too toward true two "
        "under unlike until up upon use used user versus very via way well what when where whereas "
        "whether which while who whole whose why will with within would yet".split(),
    )
)
"""Stems of words that link the parts of a sentence and are no part of a result."""
_REPORTING = frozenset(
    map(
        stem,
        "study trial review analysis participant patient people result finding find show report "
        "observe suggest indicate evidence certainty group arm treatment treat receive "
        "significant significantly statistically hr or rr ci md smd p risk ratio odds hazard mean "
        "time week month year based include total relative random trials pooled figure data "
        "estimate interval confidence background add combine join".split(),
    )
)
_KIN_LETTERS = 5


def unbound(text: str, cited: Sequence[Finding], judge: Judge) -> str:
    """Return what of a sentence nothing in its findings bears; '' if it is bound in every part.

    Without a model that judged it, typed fields must bear every word but those that link and
    report. If the writer judged it, quotes bear words and figures too, and ordinary words that
    name no outcome are left to that judgement. What is near-verbatim the quote of its only
    finding is bound. A sentence without a direction, such as one on what was given beside the drug,
    is not left to it.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        judge: Who judged its meaning.
    """
    if len(cited) == 1 and is_near_verbatim(text, cited[0].quotes):
        return ""
    is_judged = judge == "writer"
    source = source_of(cited) if is_judged else "\n".join(map(fields_of, cited))
    if figures := strange_figures(text, cited, source):
        return f"{figures[0]} is no figure of the findings"
    is_result = any(signs(clause) for clause in clauses(text))
    free = keys_of(source) | SIGN_WORDS | _LINKING | _REPORTING
    strange = [[*run] for new, run in groupby(words(text), lambda w: _is_new(w, free)) if new]
    if is_judged and is_result:
        strange = [run for run in strange if _changes(run, cited)]
    if strange:
        return f"“{' '.join(w.raw for w in strange[0])}” is in no field of the findings"
    if not (is_result or is_judged):
        return "it tells no direction"
    return next(_unnamed(text, cited, is_judged=is_judged, is_result=is_result), "")


def _is_new(word: Word, free: frozenset[str]) -> bool:
    if word.is_figure or word.key in free:
        return False
    # Drugs that are given together have one name, in which that of each stands.
    return not any(len(key) > _KIN_LETTERS and key in word.key for key in free)


def _changes(run: Sequence[Word], cited: Sequence[Finding]) -> bool:
    """Whether words that follow each other name an outcome that no finding has, or no word."""
    kin = keys_of(source_of(cited))
    run = [word for word in run if not any(_are_kin(word.key, key) for key in kin)]
    if not all(is_english(word.raw) for word in run):
        return True
    new = measured_in(" ".join(word.raw for word in run))
    texts = [t for f in cited for t in (f.outcome, f.population, f.design, *f.quotes)]
    known = {measured_in(part) for t in texts for part in (t, *(w.raw for w in words(t)))}
    return bool(new) and new not in known


def _are_kin(one: str, other: str) -> bool:
    """Whether two stems begin alike for most of their length, as "respond" and "response" do."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    shared = len([*alike])
    return shared >= _KIN_LETTERS and 3 * shared >= 2 * max(len(one), len(other))


def _unnamed(
    text: str, cited: Sequence[Finding], *, is_judged: bool, is_result: bool
) -> Iterator[str]:
    """Yield the drug or outcome of a finding that a sentence does not name."""
    told = keys_of(text)
    named = {measured_in(text), *(measured_in(word.raw) for word in words(text))} - {""}
    for finding in cited:
        if not keys_of(finding.drug) - VAGUE <= told:
            yield f"the drug of {finding.id} is not named"
        if is_judged and (finding.way is None or not is_result):
            continue
        wanted = keys_of(finding.outcome) - VAGUE
        near = wanted & told or measured_in(finding.outcome) in named
        if not (wanted <= told or (is_judged and near)):
            yield f"the outcome of {finding.id} is not named"
        if finding.way is None:
            yield f"it tells no direction of {finding.id}"
