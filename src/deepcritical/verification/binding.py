"""Checks a sentence against the findings that it cites: figures, names, species, direction.

Where another model judges the sentence, code decides only what it can decide surely. Where the
writer judges its own sentence, code checks each typed slot: also the people, randomisation, how
firmly it is said, and which outcome a ratio belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from deepcritical.domain.report.sentences import CheckName, Finding, SentenceCheck
from deepcritical.domain.study.reading import Effect
from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import quantities
from deepcritical.domain.text.spans import whole_sentences
from deepcritical.verification.direction import (
    COMPARING,
    NOTHING,
    direction_faults,
    is_arm,
    names_of,
    turned_faults,
)
from deepcritical.verification.fields import (
    RATIOS,
    VAGUE,
    count_faults,
    keys_of,
    measured_in,
    source_of,
    strange_figures,
    told_of,
)
from deepcritical.verification.ids import ids_in
from deepcritical.verification.names import unknown_names
from deepcritical.verification.people import people_faults, species_faults
from deepcritical.verification.signs import clauses
from deepcritical.verification.words import stems, words
from deepcritical.vocabulary.drugs import DrugKind, find_drugs

_SHORT = re.compile(r"[^\s()\[\],;:]+")
_ODDS = bounded(r"\bORs?\b|\b[Oo]dds ratio")
"""The places where "or" is a ratio and joins nothing."""


def checks_of(
    text: str,
    cited: Sequence[Finding],
    *,
    texts: Sequence[str] = (),
    own: bool = True,
    judged: bool = False,
) -> tuple[SentenceCheck, ...]:
    """Return the deterministic checks of a sentence, each with the reason where it failed.

    Args:
        text: The sentence.
        cited: The findings that it cites.
        texts: Those of the records cited, of which the first line is the title.
        own: Whether nobody but the writer judges what the sentence means.
        judged: Whether anybody does: then code does not say which clause tells of which result.
    """
    found: dict[CheckName, list[str]] = {}
    for name, faults in _faults(text, cited, texts, own=own, judged=judged):
        found.setdefault(name, []).extend(faults)
    told = {name: "; ".join(dict.fromkeys(faults)) for name, faults in found.items()}
    return tuple(SentenceCheck(name=n, passed=not why, reason=why) for n, why in told.items())


def _faults(
    text: str,
    cited: Sequence[Finding],
    texts: Sequence[str],
    *,
    own: bool,
    judged: bool,
) -> Iterator[tuple[CheckName, Iterator[str]]]:
    """Yield the faults of a sentence by the check that they are of; see `checks_of`."""
    text = NOTHING.sub("control", text)
    source = _source(cited, texts)
    records = "\n".join((source, *texts))
    beside, judged_records = (records, records) if judged else (source, "")
    is_one = len(cited) == 1 and cited[0].way is not None
    # Whoever else judges it also judges what was worked out, such as "24 % lower" of 0.76.
    by_other = judged and not own
    worked = [q for f in cited for q in f.quotes] if by_other else []
    figured = records if by_other else source
    yield "figures", _figure_faults(text, cited, figured, records, worked)
    yield (
        "figures",
        _role_faults(text, "\n".join((source, *chain(*(_typed(f.effect) for f in cited))))),
    )
    yield "names", _strange_names(text, records)
    yield "population", species_faults(text, cited, source, own=own or not judged)
    yield "direction", _turned(text, cited, own=own, judged=judged)
    yield "strength", _certainty_faults(text, cited)
    yield "strength", _masking_faults(text, records)
    yield "counts", count_faults(text, cited, source, judged_records)
    if own or is_one:
        yield "names", _comparator_faults(text, cited, source, judged_records)
    if own:
        yield "names", _strange_drugs(text, source)
        yield "figures", _of_outcomes(text, cited)
        yield "population", people_faults(text, cited, beside)
        yield "strength", _overstated(text, cited, source)


def _source(cited: Sequence[Finding], texts: Sequence[str]) -> str:
    """Return all that is known of findings, with the titles of their records, spelled out."""
    titles = (text.partition("\n")[0] for text in texts)
    source = "\n".join((source_of(cited), *titles))
    return "\n".join((source, *spelled_out(source, texts)))


def _of_outcomes(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield figures whose role is another in the sentences on the outcomes that are told."""
    told = {measured_in(part) for part in (text, *clauses(text))}
    return _role_faults(text, "\n".join(_on_outcome(f, told) for f in cited))


def _turned(text: str, cited: Sequence[Finding], *, own: bool, judged: bool) -> Iterator[str]:
    """Yield the directions that are none of the findings: by clause where code must tell, else all.

    A result that code typed has one direction; a sentence of a record may tell of several.
    """
    is_one = len(cited) == 1 and cited[0].way is not None
    typed = all("." not in finding.id for finding in cited)
    if not judged or (typed and (own or is_one)):
        yield from direction_faults(text, cited, own=own)
    else:
        yield from turned_faults(text, cited, own=own)


def spelled_out(source: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield the abbreviations of a source with what records say that they stand for."""
    there = set(_SHORT.findall(source))
    for text in texts:
        for short, long in expand_abbreviations(text).items():
            if short in there or long in source:
                yield f"{long} ({short})"


def _strange_names(text: str, records: str) -> Iterator[str]:
    """Yield names that no record has; ids are checked against those of the records."""
    named = unknown_names(_NONE_TESTS.sub("", text), records)
    yield from (f"{name} is not in the findings cited" for name in named if not ids_in(name))


def _strange_drugs(text: str, source: str) -> Iterator[str]:
    """Yield the drugs that stand in no sentence cited, though the records may name them."""
    named = {mention.text for mention in find_drugs(text) if mention.drug.kind is DrugKind.DRUG}
    strange = (n for n in unknown_names(_NONE_TESTS.sub("", text), source) if n in named)
    yield from (f"{name} is not in the findings cited" for name in strange)


_ONE_OF = bounded(
    r"\bone (?=(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)[- ]"
    r"(?:day|week|month|year)s?\b)",
    re.IGNORECASE,
)
"""The article of "one eight-week trial"."""
_NAMES_TRIAL = bounded(
    r"-(?:wom[ae]n|m[ae]n|person|patient|people|resident|child|participant|infant|adult|student)\b"
)
"""Behind a number by which a trial is called: "the 416-woman trial"."""
_NONE_TESTS = bounded(
    r"\bno (?:records?|trials?|stud(?:y|ies))(?: found| here| shown)? "
    r"(?:tests?|tested|names?|named|covers?|is on|are on) [\w -]{2,40}",
    re.IGNORECASE,
)
"""That nothing tests what is named there, which then need not stand in a record."""
_SMALL = 12
"""A number up to which a count may stand in any sentence of a record: "seven trials"."""


def _figure_faults(
    text: str, cited: Sequence[Finding], source: str, records: str, worked: Sequence[str]
) -> Iterator[str]:
    """Yield the figures that no finding has, and ratios that are told as percentages.

    A figure may be worked out from those of one of the sentences `worked`.
    """
    text = _ONE_OF.sub("a ", text)
    counts = {(q.value, q.noun) for q in quantities(records) if q.noun and 1 < q.value <= _SMALL}
    counted = {text[q.start : q.end] for q in quantities(text) if (q.value, q.noun) in counts}
    numbers = {q.value for q in quantities(records) if q.noun == "people"}
    named = (q for q in quantities(text) if q.value in numbers and _NAMES_TRIAL.match(text, q.end))
    counted.update(text[q.start : q.end] for q in named)
    for figure in strange_figures(text, cited, source, worked):
        if figure not in counted:
            yield f"{figure} is no figure of the findings cited"
    ratios = [f.effect.value for f in cited if f.effect and f.effect.measure in RATIOS]
    shares = [q.value for q in quantities(source) if q.unit.dimension == "%"]
    for q in quantities(text):
        said = q.unit.dimension == "%" and not q.kind
        told = any(_alike(share, q.value) for share in shares)
        if said and not told and any(_alike(ratio, q.value / 100) for ratio in ratios):
            yield f"{q.value:g}% is a ratio and no percentage"


def _role_faults(text: str, source: str) -> Iterator[str]:
    """Yield estimates and intervals that are none in the source, whatever else they are."""
    known = [*_roles(source)]
    for label, *values in _roles(text):
        fitting = [v for name, *v in known if name == label]
        limits = sorted(values, key=abs)  # of a fall, either limit may go first
        if not fitting and _is_listed(label, values, source):
            continue
        if not any(all(map(_alike, sorted(v, key=abs), limits)) for v in fitting):
            told = " to ".join(f"{value:g}" for value in values)
            yield f"{label} {told} stands so in no finding"


def _is_listed(label: str, values: Sequence[float], source: str) -> bool:
    """Return whether a sentence has figures behind a plural: "odds ratios were 0.8 and 0.9"."""
    for line in source.splitlines():
        keys = [word.key for word in words(line)]
        there = [_number(key) for key in keys if key.startswith("#")]
        labels = {label, f"{label}S"} - {"ORS"}  # which are salts
        is_of_it = not labels.isdisjoint(key.upper() for key in keys)
        if is_of_it and all(any(_alike(one, value) for one in there) for value in values):
            return True
    return False


def _on_outcome(finding: Finding, measured: Collection[str]) -> str:
    """Return what is told of the outcome of a finding: typed, and where quotes name it, if any.

    Of one that names none, the sentences on what is `measured` count.
    """
    named = keys_of(finding.outcome) - VAGUE
    spans = [s.text for quote in finding.quotes for s in whole_sentences(quote)]
    near = [text for text in spans if named & keys_of(text)]
    if not finding.outcome:
        near = [text for text in spans if measured_in(text) in ("", *measured)]
    if not near and (finding.effect is None or finding.effect.ci_low is None):
        near = [text for text in spans if measured_in(text) in ("", measured_in(finding.outcome))]
    return "\n".join((finding.sentence, *_typed(finding.effect), *near))


def _typed(effect: Effect | None) -> Iterator[str]:
    if effect and effect.value is not None:
        yield f"{effect.measure or ''} {effect.value:g};"
        if None not in (effect.ci_low, effect.ci_high):
            yield f"CI {effect.ci_low:g} to {effect.ci_high:g}"


def _roles(text: str) -> Iterator[tuple[str, *tuple[float, ...]]]:
    """Yield each ratio with its estimate, and each confidence interval with its limits."""
    is_ratio = bool(_ODDS.search(text))
    keys = [word.key for word in words(_OR_ELSE.sub(",", text) if is_ratio else text)]
    label = ""
    for at, key in enumerate(keys):
        behind = [k for k in keys[at + 1 : at + 4] if not k.endswith("confidence")]
        figures = [_number(k) for k in behind if k.startswith("#")]
        if key.upper() in RATIOS and (key != "or" or is_ratio):
            label = key.upper()
        if figures and (key.upper() == label or (key == "round" and label)):
            yield label, figures[0]  # "hazard ratio 0.80, turned round from 1.25"
        if key == "ci" and len(figures) > 1 and behind[0].startswith("#"):
            yield "CI", *figures[:2]


def _number(key: str) -> float:
    found = re.search(r"-?\d+(?:\.\d+)?", key)
    return float(found[0]) if found else 0.0


def _alike(known: float | None, told: float) -> bool:
    return known is not None and abs(abs(known) - abs(told)) <= 0.006 * max(1.0, abs(known))


def _comparator_faults(
    text: str, cited: Sequence[Finding], source: str, records: str
) -> Iterator[str]:
    """Yield what a drug is said to be compared with and is not, as far as findings name it.

    Arms that `records` name are known, too: which of them it was somebody judged.
    """
    arms = [names_of(finding) for finding in cited]
    known = frozenset().union(*(drug | other for drug, other in arms))
    named_in = records if all(other for _, other in arms) else f"{source}\n{records}"
    known |= {word.key for word in words(NOTHING.sub("control", named_in)) if is_arm(word)}
    told, is_told = words(text), False
    for at, word in enumerate(told):
        behind = told[at + 1 : at + 4] if word.key in COMPARING else ()
        named = [w.raw for w in behind if is_arm(w)]
        is_known = not known.isdisjoint(w.key for w in behind)
        # "Against placebo rather than usual care" says what it was not compared with.
        is_not = is_told and at and told[at - 1].key in _NOT_BUT
        is_told |= bool(named) and is_known
        if named and not (is_known or is_not):
            yield f"the comparison is not with {named[0]}"


_CAUSAL = bounded(
    r"\b(?:caus(?:e[sd]?|ing)|prevent(?:s|ed|ing)?|leads? to|led to|due to|because of|"
    r"result(?:ed|ing) in|(?<!the )results in (?:an?|less|more|fewer|lower|higher|better|worse)|"
    r"responsible for)\b",
    re.IGNORECASE,
)
_FIRM = bounded(
    r"\b(?:prove[sdn]?|proof|cure[sd]?|eliminate[sd]?|eradicate[sd]?|halt(?:s|ed)?|reverse[sd]|vanished|disappeared|"
    r"guarantee[sd]?|definit(?:e|ive)ly|conclusively|certainly|undoubtedly|always|"
    r"establish(?:es|ed)?|confirm(?:s|ed)?|should be (?:used|given|prescribed)|recommended|"
    r"licensed|approved|dramatic(?:ally)?|substantial(?:ly)?|marked(?:ly)?|considerabl[ey]|"
    r"clinically (?:meaningful|important|relevant)|complete(?:ly)?)\b",
    re.IGNORECASE,
)
"""Words that no code can derive from figures: they must be the record's own."""
_DENIED = bounded(
    r"\b(?:not|no|never|nor|without|cannot|neither|rather than)(?: \w+){0,2} $|"
    r"\b(?:cannot|could not) (?:show|tell|say) (?:that|whether|if)(?: \w+){0,5} $",
    re.IGNORECASE,
)
_NOT_BUT = stems("rather")
_OR_ELSE = re.compile(r"(?<!\d )\bor\b")
"""The word in "200 mL or more", which is no odds ratio."""
_OBSERVED = (
    r"\b(?:cohort|observational|case[- ]control|cross[- ]sectional|registry|database|retrospective|"
    r"survey|case series|single[- ]arm|(?:without|no|not|non-?) ?(?:randomi[sz]\w+|controlled))\b"
)
_OBSERVATIONAL = bounded(_OBSERVED, re.IGNORECASE)
_CERTAINTY = bounded(
    r"\b(?P<one>very[- ]low|low|moderate|high)[- ](?:certainty|quality)\b|"
    r"\b(?:certainty|quality)(?: of (?:the )?evidence)? (?:is|was) "
    r"(?P<two>very[- ]low|low|moderate|high)\b",
    re.IGNORECASE,
)
_BY_CHANCE = r"(?<!non)(?<!non-)(?<!not )(?<!no )(?<!without )\b(?:randomi[sz]|RCTs?\b)"
_DESIGNS = tuple(
    (bounded(said, re.IGNORECASE), bounded(known, re.IGNORECASE))
    for said, known in (
        (_BY_CHANCE, _BY_CHANCE),
        (
            r"\b(?:in an? cohort|cohort stud(?:y|ies)|case[- ]control|cross[- ]sectional|"
            r"observational)\b",
            _OBSERVED,
        ),
        (r"\b(?:meta|pooled)[- ]analys[ei]s\b", r"meta-?\s?analys|pooled|\breview of"),
        (r"\bsystematic reviews?\b", r"\breview|meta-?\s?analys"),
    )
)


_MASKED = tuple(
    (bounded(said, re.IGNORECASE), bounded(known, re.IGNORECASE))
    for said, known in (
        (r"\bopen[- ]label\b", r"\bopen\b|unblinded|unmasked|not blinded"),
        (
            r"\bdouble[- ](?:blind|mask)\w*",
            r"\b(?:double|doubly|triple)[- ]?(?:blind|mask|dummy)\w*",
        ),
        (r"\bplacebo[- ]controlled\b", r"placebo|\bPBO\b|\bsham\b"),
        (r"\bcross-?over\b", r"cross(?:ed)?[- ]?over"),
    )
)
"""Words for how a study was done, with those by which its record says so."""


def _certainty_faults(text: str, cited: Sequence[Finding]) -> Iterator[str]:
    """Yield the certainties that a sentence tells, where they are not those of its findings."""
    known = {f.certainty for f in cited if f.certainty}
    named = (found["one"] or found["two"] for found in _CERTAINTY.finditer(text))
    rated = {name.lower().replace("-", " ") for name in named}
    if known and rated and rated != known:
        yield f"the certainty is not {' and '.join(sorted(rated))}"


def _masking_faults(text: str, records: str) -> Iterator[str]:
    """Yield how a study is said to be masked or controlled, where no record cited says so."""
    for said, known in _MASKED:
        if (masked := said.search(text)) and not known.search(records):
            yield f"no record cited is “{masked[0]}”"


def _overstated(text: str, cited: Sequence[Finding], source: str) -> Iterator[str]:
    """Yield what a sentence says more firmly, or of a better design, than its findings allow."""
    own = source.lower()
    weak = any(_is_weak(finding) for finding in cited)
    firm = [*_FIRM.finditer(text), *(_CAUSAL.finditer(text) if weak else ())]
    yield from (
        f"“{f[0]}” is stronger than the findings"
        for f in firm
        if f[0].lower() not in own and not _DENIED.search(text[: f.start()])
    )
    for said, known in _DESIGNS:
        if (design := said.search(text)) and not known.search(source):
            yield f"the design is not “{design[0]}”"


def _is_weak(finding: Finding) -> bool:
    """Return whether a finding can show no cause: people only observed, or very uncertain."""
    return finding.certainty == "very low" or _OBSERVATIONAL.search(told_of(finding)) is not None
