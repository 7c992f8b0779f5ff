"""Sentences that may tell a result, cut into clauses with their brackets taken out and kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span

_TELLING = ("result", "finding", "main result", "conclusion", "author", "interpretation")
_ALSO_TELLING = ("harm", "safety", "adverse", "side effect", "toxicit", "tolerability", "efficacy")
_BACKGROUND = bounded(
    r"\b(?:aims?|aimed|objectives?|purpose|hypothes[ie]\w*|whether|will be|(?:has|have) been shown|"
    r"previous(?:ly)?|prior (?:study|studies|trials?)|earlier (?:study|studies|trials?)|"
    r"other (?:study|studies|trials)|is known|(?:was|were) designed|was planned|to (?:compare|"
    r"evaluate|assess|determine|investigate|examine|test)|power(?:ed)? to|sample size|"
    r"eligib\w+|baseline (?:characteristics|demographic\w*)|(?:further|future|more) (?:study|"
    r"studies|trials?|research))\b",
    re.IGNORECASE,
)
_METHOD = bounded(
    r"\b(?:randomi[sz]ed|randomly|allocated|enrolled|recruited|assigned|double-blind|we compared|"
    r"were (?:studied|treated|given|compared|evaluated|measured|assessed))\b",
    re.IGNORECASE,
)
_GOES_ON = r"(?!(?:however,?\s)?(?:this|it|the differences?|these|without|not)\b)"
"""Guard against words that follow and take back what was said: "but this was not significant"."""
_BUT = r"(?:but|whereas|while|although|though|yet)"
_CONTRAST = bounded(
    rf"\b(?:{_BUT}|however|except|at the (?:cost|expense|price) of|despite)\b", re.IGNORECASE
)
COMPARES = bounded(
    r"\b(?:more|less|fewer|higher|lower|greater|smaller|longer|shorter|faster|slower|better|"
    r"worse|poorer|superior|inferior|increas\w+|reduc\w+|decreas\w+|prolong\w+|shorten\w+|"
    r"improve\w*|worsen\w*|rais\w+|excess|differ\w*|similar\w*|comparable|likel\w+|"
    r"doubl\w+|driven)\b",
    re.IGNORECASE,
)
"""Words of a clause that may tell a result, whether or not it can be read."""
DETAIL = bounded(r"(?:this|it|these|those)\b", re.IGNORECASE)
"""Begins a clause that says more of what came before, and takes nothing back."""
_TAKES_BACK = (
    r"(?!(?:however,?\s)?(?:without|not|(?:this|it|the differences?|these)\b[^;.]{0,80}"
    r"\b(?:not?|without|n['’]t|failed|only|limited|disappear\w*|vanish\w*|lost|revers\w+|offset|"
    r"similar\w*|comparable|smaller|worse|higher|lower))\b)"
)
_BREAK = bounded(
    rf";\s{_TAKES_BACK}|:\s|,?\s{_BUT}[,\s]\s?{_GOES_ON}|"
    r",\sand\s(?=(?:the|there|an?|no|was|were|had|did|in|these|this)\b)|"
    r",\s(?:and|with)\s(?=(?:no|significantly|a|also)\b)|\sand\s(?=there (?:was|were)\b)|"
    r"\swith\s(?=(?:similar|no)\s)",
    re.IGNORECASE,
)
_OPEN, _CLOSE = "([", ")]"

PEOPLE = (
    r"(?:patients|participants|subjects|women|men|children|infants|adults|individuals|people|"
    r"persons|volunteers|veterans|mothers|girls|boys|adolescents|students|outpatients|inpatients|"
    r"survivors|athletes|residents|recipients|mice|rats|animals|pigs|eyes|cases)"
)
_STOP_WORDS = frozenset(
    "a an the of in on at to for with by and or from than as was were is are be been being that "
    "those these this which who had has have did not no it its their our we during after before "
    "between among both all per into group groups arm arms patients participants subjects women "
    "men children people treatment therapy treated receiving received alone either respectively "
    "using given plus".split()
)
_WORD = bounded(r"[^\W_]+")


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that tell it from others, in lower case and without plural s."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(
        word.rstrip("s") if len(word) > 3 else word for word in words if word not in _STOP_WORDS
    )


class Aside(NamedTuple):
    """The text of a bracket, and where the bracket was in the text without brackets."""

    at: int
    text: str


class Clause(NamedTuple):
    """A part of a sentence, without its brackets."""

    text: str
    asides: tuple[Aside, ...]
    sentence: int

    @property
    def whole(self) -> str:
        """The clause with its brackets behind it: where figures are looked for."""
        return " ; ".join((self.text, *(aside.text for aside in self.asides)))


def plain(text: str) -> tuple[str, tuple[Aside, ...]]:
    """Return a text on one line without its brackets, and the brackets with their places."""
    line = " ".join(text.replace("⟦", "[").replace("⟧", "]").split())
    if sum(map(line.count, _OPEN)) != sum(map(line.count, _CLOSE)):
        return line, ()
    kept: list[str] = []
    asides: list[Aside] = []
    depth = start = length = 0
    for at, char in enumerate(line):
        if char in _OPEN:
            if depth == 0:
                start = at + 1
                if kept and kept[-1] == " ":
                    kept.pop()
                    length -= 1
            depth += 1
        elif char in _CLOSE and depth:
            depth -= 1
            if depth == 0:
                asides.append(Aside(length, line[start:at]))
        elif depth == 0:
            kept.append(char)
            length += 1
    return "".join(kept), tuple(asides)


def clauses(text: str, sentence: int) -> Iterator[Clause]:
    """Yield the clauses of a sentence; each has the brackets that stood in it."""
    line, asides = plain(text)
    cuts = [(m.start(), m.end()) for m in _BREAK.finditer(line)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(line)]
    for start, end in zip(starts, ends, strict=True):
        own = tuple(Aside(a.at - start, a.text) for a in asides if start < a.at <= end)
        if piece := line[start:end].rstrip(" .,;"):
            yield Clause(piece, own, sentence)


def is_contrasting(sentence: str) -> bool:
    """Return whether one part of a sentence limits or reverses another: "but", "whereas"."""
    return ";" in sentence or _CONTRAST.search(sentence) is not None


def result_sentences(told: Sequence[Span]) -> Iterator[tuple[int, Span]]:
    """Yield the sentences of results and conclusions with their numbers.

    In a text without labels they follow the first sentence that tells a method.
    """
    labelled = any(s.label.startswith(_TELLING) for s in told[1:])
    begun = False
    for number, span in enumerate(told[1:], 1):
        if labelled:
            told_here = span.label.startswith((*_TELLING, *_ALSO_TELLING))
        else:
            told_here = begun
            begun = begun or bool(_METHOD.search(span.text))
        if told_here and not _BACKGROUND.search(span.text):
            yield number, span
