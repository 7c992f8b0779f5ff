"""A record as numbered sentences, which is how a reader is shown it and how it cites."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Literal

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import Effect, Result
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.quantities import quantities
from deepcritical.domain.text.spans import Span, addresses_a_model, sentences
from deepcritical.vocabulary.folding import tokens_of

_READ_FIELDS = (
    "kind",
    "publication_types",
    "conditions",
    "interventions",
    "status",
    "enrollment",
    "planned_enrollment",
    "why_stopped",
    "language",
    "text_kind",
    "registry_entry",
)
"""Fields that are read beside title and text; a reading holds while these are the same."""
_ABSTRACT_CHARS = 4_000
"""Characters from the beginning of a long text that are shown before its other sections."""
_COMPARES = bounded(
    r"\b(?:differ\w*|better|worse|more|less|fewer|lower|higher|great\w*|improv\w*|reduc\w*|"
    r"increas\w*|decreas\w*|similar|effects?|signific\w+|versus|vs)\b|\d\s*%|\bp\s*[<=>]",
    re.IGNORECASE,
)
"""Words of a sentence that tells a result."""
_PLANS = bounded(
    r"\b(?:aim(?:ed|s)?|objectives?|purpose|sought|hypothesi[sz]ed|eligib\w+|inclusion criteria|"
    r"to (?:assess|evaluate|investigate|determine|examine|compare|test|study|explore)|"
    r"(?:was|were) (?:\w+ )?(?:randomi[sz]ed|randomly|assigned|allocated|enrolled|recruited|"
    r"included|measured|assessed|evaluated|treated)|"
    r"(?:end ?points?|outcomes?|measures?) (?:was|were) "
    r"(?:the )?(?:change|time|score|rate|incidence|proportion|number))\b",
    re.IGNORECASE,
)
"""Words of a sentence on what a study was to find, and how."""
_TELLING = ("result", "finding", "main result", "conclusion", "interpretation", "harm", "safety")


def text_hash(evidence: Evidence) -> str:
    """SHA-256 of what is read of a record, as hexadecimal digits."""
    given = evidence.metadata.model_dump(mode="json")
    read = [
        evidence.citation.title,
        evidence.content,
        {name: given[name] for name in _READ_FIELDS if given.get(name)},
    ]
    told = json.dumps(read, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def numbered(evidence: Evidence) -> tuple[Span, ...]:
    """The sentences of a record: the title at 0, then those of the text with their offsets."""
    title = " ".join(evidence.citation.title.split())
    return (Span(title, 0, 0, "title"), *sentences(evidence.content))


def without_tables(evidence: Evidence) -> tuple[Span, ...]:
    """The numbered sentences without rows of tables, which mean nothing to rules over words."""
    end = evidence.metadata.tables_from
    return tuple(span for span in numbered(evidence) if end is None or span.start < end)


def text_read(evidence: Evidence) -> Literal["abstract", "full_text"]:
    """Return which text of a record a reading of it is made of."""
    return "abstract" if evidence.metadata.full_text_from is None else "full_text"


def quoted(numbers: Iterable[int], evidence: Evidence) -> tuple[Span, ...]:
    """The sentences of a text that a reading cites; the title, which no text holds, is left out."""
    told = numbered(evidence)
    return tuple(told[n] for n in numbers if 0 < n < len(told))


def telling(result: Result, evidence: Evidence) -> int | None:
    """Return where the cited sentence begins that tells a result, best with a figure of it.

    Aims, methods and meaning tell none, where anything else is cited.
    """
    wanted = {token.folded for token in tokens_of(f"{result.outcome} {result.concept}")}
    figures = _figures(result)

    def told(span: Span) -> tuple[bool, bool, int]:
        held = len(figures & {abs(q.value) for q in quantities(span.text)})
        words = len({token.folded for token in tokens_of(span.text)} & wanted)
        compares = _COMPARES.search(span.text) is not None
        return held > 0, not _PLANS.search(span.text), held + words + 2 * compares

    spans = quoted(result.sentences, evidence)
    return max(spans, key=told).start if spans else None


def _figures(result: Result) -> set[float]:
    effect = result.effect or Effect()
    told = [effect.value, effect.ci_low, effect.ci_high, effect.p]
    told += [x for figure in result.figures for x in (figure.value, figure.events)]
    return {abs(x) for x in told if x is not None}


def shown_numbers(told: tuple[Span, ...], limit_chars: int) -> tuple[int, ...]:
    """Return which sentences a reader is shown, in the order of the text.

    Of a text that is too long, the title, the beginning, and then sections with results go first.
    Sentences that speak to machines are left out.
    """
    order = [0, *(n for n in range(1, len(told)) if told[n].end <= _ABSTRACT_CHARS)]
    order += [n for n in range(1, len(told)) if told[n].label.startswith(_TELLING)]
    shown: list[int] = []
    room = limit_chars
    for number in dict.fromkeys((*order, *range(len(told)))):
        span = told[number]
        if number and addresses_a_model(span.text):
            continue
        if len(span.text) > room and number:
            break
        shown.append(number)
        room -= len(span.text) + 1
    return tuple(sorted(shown))
