"""Typed, signed edges between the drugs, genes and diseases that a text names.

Each edge rests on one sentence, in which words between, before or behind two names say what one
does to the other. A text that only names two things together gives none, nor does a variant of a
gene, which is neither more nor less of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.evidence import Fact, FactRole
from deepcritical.domain.hypotheses import Relation, Sign
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span, sentences
from deepcritical.reasoning import edge_cues as cues
from deepcritical.reasoning.mentions import EntityKind, Mention, find_mentions

__all__ = ["edges", "edges_between"]

_FAR, _FAR_MOLECULES = 130, 90
"""Characters between two names, with a disease among them and without."""
_NEAR, _BESIDE, _APPOSED = 45, 30, 60
"""Characters within which "A-induced B", "A inhibitor B" and "B, an A inhibitor" stand."""
_AROUND = 60
_BY = bounded(r"\b(?:by|with|using|after|following)\b")
_AGENT = bounded(r"\bby\b")
_JOINING = bounded(r"(?:^|\s|,)\s*(?:and|but|yet|while)\s+(?:\w+ly\s+|also\s+|thereby\s+)?$")


class _Edge(NamedTuple):
    subject: Mention
    sign: Sign
    object: Mention


class _Pair(NamedTuple):
    """Two names of one sentence, with the words between, before and behind them."""

    first: Mention
    second: Mention
    between: str
    before: str
    behind: str
    sentence: str

    @property
    def kinds(self) -> frozenset[EntityKind]:
        return frozenset((self.first.kind, self.second.kind))

    def is_of(self, first: EntityKind, second: EntityKind) -> bool:
        """Whether the names are of these kinds, in this order."""
        return (self.first.kind, self.second.kind) == (first, second)

    @property
    def verb(self) -> re.Match[str] | None:
        """The verb of a direction between the names; of two molecules a verb of such.

        It is the first one, or the last that is joined to it: in "A raises B and lowers C" what A
        does to C is told by "lowers".
        """
        molecular = EntityKind.DISEASE not in self.kinds
        found = [
            verb
            for verb in cues.VERB.finditer(self.between)
            if not (molecular and cues.OF_PATIENTS.match(verb[0]))
        ]
        joined = [verb for verb in found if _JOINING.search(self.between, 0, verb.start())]
        return joined[-1] if joined else found[0] if found else None

    @property
    def is_hedged(self) -> bool:
        """Whether the words before and between hold what they say for possible only."""
        return bool(cues.HEDGED.search(self.before + self.between))

    @property
    def is_of_another(self) -> bool:
        """Whether the verb behind the first name is that of an earlier subject.

        In "A raises B and lowers C" it is not B that lowers C.
        """
        verb = self.verb
        if verb is None:
            return False
        begins = _JOINING.fullmatch(self.between, 0, verb.start())
        return bool(begins and cues.VERB.search(self.before)) or self._is_of_other_clause(verb)

    def _is_of_other_clause(self, verb: re.Match[str]) -> bool:
        """Whether the verb has a subject of its own, or its object does what the sentence tells."""
        if _AGENT.search(self.between, verb.end()):
            return False
        other = cues.OTHER_SUBJECT.search(self.between)
        has_own = other is not None and other.start("verb") <= verb.start()
        return has_own or bool(cues.ANOTHER_CLAUSE.search(self.between, verb.end()))


def edges(text: str) -> tuple[Relation, ...]:
    """The signed edges between the drugs, genes and diseases that a text names.

    Args:
        text: Any text, such as an abstract.

    Returns:
        Relations such as examplol -decreases-> TST1, in the order of the text. Each holds the
        sentence it rests on as a fact with offsets into `text`, whose evidence id is empty, and is
        `hedged` where the sentence says "may", "suggests" and the like.
    """
    return edges_between(text, find_mentions(text))


def edges_between(text: str, mentions: Sequence[Mention]) -> tuple[Relation, ...]:
    """The signed edges between given names of a text, each with its sentence."""
    found: dict[Relation, None] = {}
    ordered = sorted(mentions, key=lambda m: m.start)
    starts = [m.start for m in ordered]
    for span in sentences(text):
        within = ordered[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        for first, second in _near([m for m in within if m.end <= span.end]):
            pair = _pair(text, span, first, second)
            if edge := _edge(pair):
                found[_relation(edge, span, hedged=pair.is_hedged)] = None
    return tuple(found)


def _near(own: Sequence[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Every two names of a sentence that are not too far apart, in the order of the text."""
    for number, first in enumerate(own):
        # Names do not overlap, so no more than these can be near; all of them make it quadratic.
        for second in own[number + 1 : number + 1 + _FAR]:
            apart = second.start - first.end
            if apart > _FAR:
                break
            far = _FAR if EntityKind.DISEASE in (first.kind, second.kind) else _FAR_MOLECULES
            if first.name != second.name and 0 <= apart <= far:
                yield first, second


def _relation(edge: _Edge, span: Span, *, hedged: bool) -> Relation:
    return Relation(
        subject=edge.subject.name,
        sign=edge.sign,
        object=edge.object.name,
        fact=Fact.of(span, "", FactRole.MECHANISM),
        subject_kind=edge.subject.kind.value,
        object_kind=edge.object.kind.value,
        hedged=hedged,
    )


def _pair(text: str, span: Span, first: Mention, second: Mention) -> _Pair:
    return _Pair(
        first,
        second,
        between=cues.DENIED_TWICE.sub(" ", text[first.end : second.start]),
        before=text[max(span.start, first.start - _AROUND) : first.start],
        behind=text[second.end : min(span.end, second.end + _AROUND)],
        sentence=span.text,
    )


def _edge(pair: _Pair) -> _Edge | None:
    """The edge by the first rule whose words stand there; None where they say nothing."""
    if _says_nothing(pair):
        return None
    if cues.INDUCED.match(pair.between):
        return _induced(pair)
    named = _named_by_action(pair)
    if named or cues.NOT.search(pair.between):
        return named
    nominal = _nominal(pair)
    if nominal or _is_object(pair):
        return nominal
    if pair.kinds == {EntityKind.CHEMICAL, EntityKind.DISEASE}:
        return _of_treatment(pair)
    return _verbal(pair)


def _is_object(pair: _Pair) -> bool:
    """Whether the first name is only what something is done to."""
    acts = cues.LOSS.search(pair.before) or cues.RELATIVE.match(pair.between)
    return bool(cues.OBJECT.search(pair.before)) and not acts


def _says_nothing(pair: _Pair) -> bool:
    if pair.kinds == {EntityKind.DISEASE} or _is_denied(pair):
        return True
    genetic = pair.kinds == {EntityKind.DISEASE, EntityKind.GENE}
    return genetic and _is_of_variants(pair.sentence)


@lru_cache(maxsize=1)
def _is_of_variants(sentence: str) -> bool:
    """Asked of every two names of a sentence, which may be long."""
    return bool(cues.VARIANT.search(sentence))


def _is_denied(pair: _Pair) -> bool:
    """Whether the sentence asks, or says that nothing was seen: "no inhibition of A by B"."""
    if pair.sentence.endswith("?"):
        return True
    of = cues.OF.search(pair.before)
    told = pair.before[: of.start()] if of else pair.before
    return bool(cues.DENIED.search(told) or (of and cues.UNSEEN.match(pair.behind)))


def _induced(pair: _Pair) -> _Edge | None:
    """From "A-induced B"; further off, B is no longer what A induces."""
    told = len(pair.between) < _NEAR and not cues.NOT.search(pair.between)
    return _Edge(pair.first, Sign.INCREASES, pair.second) if told else None


def _named_by_action(pair: _Pair) -> _Edge | None:
    """From "the A inhibitor B" and from "B, an A inhibitor"."""
    beside = len(pair.between) < _BESIDE and pair.is_of(EntityKind.GENE, EntityKind.CHEMICAL)
    if beside and (sign := _action(pair.between)):
        return _Edge(pair.second, sign, pair.first)
    apposed = (
        len(pair.between) < _APPOSED
        and pair.is_of(EntityKind.CHEMICAL, EntityKind.GENE)
        and cues.APPOSED.match(pair.between)
        and not cues.NOT.search(pair.between)
        and not cues.VERB.search(pair.between)
    )
    sign = _action(pair.behind) if apposed else None
    return _Edge(pair.first, sign, pair.second) if sign else None


def _action(words: str) -> Sign | None:
    if cues.INHIBITOR.match(words):
        return Sign.DECREASES
    return Sign.INCREASES if cues.AGONIST.match(words) else None


def _nominal(pair: _Pair) -> _Edge | None:
    """From "inhibition of A by B"."""
    of = cues.OF.search(pair.before)
    if of is None or not _BY.search(pair.between):
        return None
    return _Edge(pair.second, Sign.INCREASES if of["up"] else Sign.DECREASES, pair.first)


def _verbal(pair: _Pair) -> _Edge | None:
    """From "A raises B" and "A is raised by B"; less of A, or of what B is, turns the sign."""
    verb = pair.verb
    if verb is None or pair.is_of_another or not _governs(pair, verb):
        return None
    sign = Sign.INCREASES if verb["up"] else Sign.DECREASES
    if cues.INHIBITOR.match(pair.between) or cues.LOSS.search(pair.before):
        sign = sign.flipped
    if cues.INHIBITOR.match(pair.behind) or cues.REMOVED.search(pair.between):
        sign = sign.flipped
    if _AGENT.search(pair.between[verb.end() :]):
        return _Edge(pair.second, sign, pair.first)
    return _Edge(pair.first, sign, pair.second)


def _governs(pair: _Pair, verb: re.Match[str]) -> bool:
    """Whether one name is the subject of the verb and the other its object."""
    object_phrase = pair.between[verb.end() :]
    if cues.NOUN.search(verb[0]) or cues.MEANS.search(object_phrase):
        return False
    if cues.BY_THE_WAY.search(verb[0]) and verb.start() > _BESIDE:
        return False
    if pair.second.kind is EntityKind.DISEASE and cues.SETTING.search(object_phrase):
        return False
    return "," not in object_phrase or bool(cues.LISTED.match(object_phrase))


def _of_treatment(pair: _Pair) -> _Edge | None:
    """What a drug does to a disease: it treats it, or brings it about."""
    if cues.NEW_CLAUSE.search(pair.between):
        return None
    if pair.first.kind is EntityKind.CHEMICAL:
        sign = _by_drug(pair)
        return _Edge(pair.first, sign, pair.second) if sign else None
    sign = _on_disease(pair)
    return _Edge(pair.second, sign, pair.first) if sign else None


def _by_drug(pair: _Pair) -> Sign | None:
    pair = pair._replace(between=cues.GIVEN.sub("", pair.between))
    if cues.BENEFIT.search(pair.before) or cues.TREATS.search(pair.between):
        return Sign.DECREASES
    verb = pair.verb
    return (Sign.INCREASES if verb["up"] else Sign.DECREASES) if verb else None


def _on_disease(pair: _Pair) -> Sign | None:
    verb = pair.verb
    came_up = cues.TREATED.search(pair.between) and cues.AMONG_PATIENTS.search(pair.between)
    if came_up or cues.CAUSED.search(pair.between):
        return Sign.INCREASES
    if cues.TREATED.search(pair.between) or (verb and verb["down"]):
        return Sign.DECREASES
    return Sign.INCREASES if verb or cues.ADVERSE.search(pair.between) else None
