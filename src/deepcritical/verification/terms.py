"""Checks that the findings, or the records, that a sentence cites bear its words.

A word is of a part that has to be borne where a vocabulary knows it: it names an outcome, or is no
word of ordinary English and so a name or a term. Figures, drugs, people and directions have checks
of their own. Any other word of a sentence that tells a result links its parts. A sentence that
tells no result has no such parts and may only retell what its findings say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, takewhile

from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.text.patterns import bounded
from deepcritical.verification.binding import spelled_out
from deepcritical.verification.direction import ABSENT, CONTROLS, is_arm, names_of
from deepcritical.verification.fields import APPRAISAL, VAGUE, keys_of, measured_in, source_of
from deepcritical.verification.signs import SIGN_WORDS, clauses, signs, without_open
from deepcritical.verification.words import Word, stem, stems, words
from deepcritical.vocabulary.classes import drug_class
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.words import is_english

_GRAMMAR = frozenset(
    map(
        stem,
        "about across after against all although any around because before between both but by "
        "during each either every few first from here how if into less like many may more most "
        "much on one only or other out over per rather same second since so some such than then "
        "they this those though through throughout to together under until up upon very what when "
        "where whereas whether which while who whose why will with would".split(),
    )
)
"""Stems of words of closed classes, which tell nothing by themselves."""
_SYMBOL = bounded(r"\b[a-z]?[A-Z][A-Z0-9-]+s?\b")
"""An abbreviation, which is a name and has a check of its own."""
_GLOSS = bounded(r"\(([A-Za-z][A-Za-z ,'-]{3,80})\)")
"""Behind a term what it means: "lymphoedema (lasting swelling)"."""
_CLAIMS = frozenset("no not none nobody never every all died everyone and but".split())
_MOST_GLOSS = 5
"""Words of an explanation; more, or of these, may be a claim."""
_GIVEN = stems("treatment therapy drug")
_FEWEST_SHARED = 2  # words of quotes of which no outcome is named
_KIN_LETTERS = 5
_MOST_NEW = 0.25
"""Share of the words of a retelling that may be its own."""


def strange_terms(
    text: str, cited: Sequence[Finding], texts: Sequence[str], question: str = ""
) -> str:
    """Return the first outcome or term of a sentence that its records do not name; '' for none.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        texts: Titles and texts of their records.
        question: What is asked, whose words for something else than outcomes need no record.
    """
    source = "\n".join((source_of(cited), *texts))
    known = keys_of("\n".join((source, *spelled_out(source, texts)))) | APPRAISAL | SIGN_WORDS
    known |= _lay_words(question)
    told = [w for w in words(_SYMBOL.sub("", _plainly(without_open(text)))) if not w.is_figure]
    told = [w for w in told if w.key not in _GRAMMAR]
    runs = groupby(told, lambda w: w.key not in known and not _has_kin(w.key, known))
    new = ([*run] for is_new, run in runs if is_new)
    strange = (run for run in new if _names_something(run, cited, known, texts))
    faults = (f"“{_raw(run)}” is in no record cited" for run in strange)
    typed = [finding for finding in cited if "." not in finding.id]
    return next(chain(faults, _unnamed(text, typed, each=False)), "")


def _lay_words(question: str) -> frozenset[str]:
    """Return the stems of the words of a question that are of no outcome, by itself or together."""
    asked = [word for word in words(question) if not word.is_figure]
    of_outcomes = {
        word.key
        for size in (1, 2, 3)
        for at in range(len(asked))
        if measured_in(_raw(asked[at : at + size]))
        for word in asked[at : at + size]
    }
    return frozenset(word.key for word in asked) - of_outcomes


def _plainly(text: str) -> str:
    """A sentence without what no record tells, and without terms explained in ordinary words."""
    left = ABSENT.sub("", text)
    for gloss in _GLOSS.findall(left):
        own = gloss.casefold().replace(",", " ").split()
        claims = signs(gloss) or not _CLAIMS.isdisjoint(own) or len(own) > _MOST_GLOSS
        if not claims and all(map(is_english, own)):
            left = left.replace(f"({gloss})", " ")
    return left


def unbound(text: str, cited: Sequence[Finding], texts: Sequence[str] = ()) -> str:
    """Return what of a sentence nothing in its findings bears; '' if it is bound in every part.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        texts: Titles and texts of their records, which bear terms.
    """
    is_result = any(signs(clause) for clause in clauses(text))
    is_result = is_result or any(f.way is Way.CONFLICT for f in cited)
    titles = (text.partition("\n")[0] for text in texts)
    source = "\n".join((source_of(cited), *titles))
    known = keys_of("\n".join((source, *spelled_out(source, texts)))) | APPRAISAL
    known |= SIGN_WORDS if is_result else frozenset()
    told = [w for w in words(text) if not w.is_figure and (is_result or w.key not in _GRAMMAR)]
    runs = groupby(told, lambda w: w.key not in known and not _has_kin(w.key, known))
    new = [[*run] for is_new, run in runs if is_new]
    if sum(map(len, new)) > _MOST_NEW * len(told):
        return f"“{_raw(new[0])}” is in no finding"
    terms = frozenset().union(*map(keys_of, texts))
    if strange := [run for run in new if _names_something(run, cited, terms)]:
        return f"“{_raw(strange[0])}” is in no finding"
    return next(_unnamed(text, cited), "") if is_result else ""


def _raw(run: Sequence[Word]) -> str:
    return " ".join(word.raw for word in run)


def _has_kin(key: str, known: frozenset[str]) -> bool:
    """Return whether a stem begins like a known one for most of its length, or has one in it.

    "Respond" and "response" do; drugs that are given together have one name with that of each.
    """
    return any(_are_kin(key, other) for other in known)


def _are_kin(one: str, other: str) -> bool:
    if len(other) > _KIN_LETTERS and other in one:
        return True
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    shared = len([*alike])
    return shared >= _KIN_LETTERS and 3 * shared >= 2 * max(len(one), len(other))


def _names_something(
    run: Sequence[Word],
    cited: Sequence[Finding],
    terms: frozenset[str],
    texts: Sequence[str] = (),
) -> bool:
    """Return whether words in a row name an outcome or a term that no finding, or text, has."""
    if not all(is_english(w.raw) or w.key in terms or _has_kin(w.key, terms) for w in run):
        return True
    new = measured_in(_raw(run))
    told = [t for f in cited for t in (f.outcome, f.population, f.design, *f.quotes)] + [*texts]
    known = {measured_in(part) for t in told for part in (t, *(w.raw for w in words(t)))}
    return bool(new) and new not in known


def _unnamed(text: str, cited: Sequence[Finding], *, each: bool = True) -> Iterator[str]:
    """Yield the drug of each finding, or of all of them, and the outcome that are not named."""
    told = keys_of(text)
    named = {measured_in(text), *(measured_in(word.raw) for word in words(text))} - {""}
    results = [f for f in cited if f.way]
    # A sentence that names nothing that was given is of what the text is about.
    named_arms = {word.key for word in words(text) if is_arm(word)} - CONTROLS
    named_arms |= told & _GIVEN if each else frozenset()
    unsaid = [f.id for f in results if named_arms and not _names_drug(f, told)]
    if not each and len(unsaid) < len(results):
        unsaid = []
    yield from (f"the drug of {finding_id} is not named" for finding_id in unsaid)
    outcomes = [(keys_of(f.outcome) - VAGUE, measured_in(f.outcome)) for f in results]
    if outcomes and not any(w & told or w <= told or m in named for w, m in outcomes):
        arms = frozenset().union(*(keys_of(f"{f.drug} {f.comparator}") for f in cited))
        of_quotes = keys_of("\n".join(q for f in results for q in f.quotes))
        if len(told & of_quotes - arms - SIGN_WORDS - APPRAISAL) < _FEWEST_SHARED:
            yield "no outcome of its findings is named"


def _names_drug(finding: Finding, told: frozenset[str]) -> bool:
    """Return whether some words name the drug of a finding."""
    return keys_of(finding.drug) - VAGUE <= told or bool(_names(finding) & told)


def _names(finding: Finding) -> frozenset[str]:
    """Return what names the drug of a finding by itself: its one name, or a drug of its class."""
    drug, other = names_of(finding)
    group = drug_class(finding.drug)
    if group is None:
        is_one = len({mention.drug.name for mention in find_drugs(finding.drug)}) == 1
        own = frozenset(word.key for word in words(finding.drug) if is_arm(word))
        return own & drug if is_one else frozenset()
    told = "\n".join((finding.sentence, *finding.quotes))
    members = frozenset(word.key for member in group.members for word in words(member)[:1])
    members -= CONTROLS | other
    return members & keys_of(told)
