"""Translates a query into the query language of a source.

Nothing that the user wrote is lost: operators, quotes, field tags, parentheses, acronyms and names
stay, other names of a drug or a condition are added with OR.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from deepcritical.domain.text.patterns import bounded
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.concepts import BROADLY, Concept, condition_concepts, drug_concept, plain

_MOST_AT_REGISTRY = 25
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_LOOSE_OPERATORS = bounded(r"^(?:(?:AND|OR)\s+)+|(?:\s+(?:AND|OR|NOT))+$")
"""Operators without an operand, which a source would refuse or search for as words."""

_PROTECTED = bounded(
    r'"[^"]*"'  # a phrase
    r"|\[[^\[\]]*\]"  # a field tag of PubMed
    r'|\b[A-Z][A-Z_]+:(?:"[^"]*"|\S+)'  # a field of Europe PMC
    r"|(?<![?!])\b(?:AND|OR|NOT)\b"  # a word behind the end of a sentence joins nothing
    r"|[()]"
)
"""Parts of a query that no cleaning may change."""

_ASKS = bounded(
    r"\?\s*$|\b(?:used|repurposed|repositioned|effective)(?: as an? \w+)? (?:for|to|in|against)\b"
)
"""By which a text is a question."""
_OF_QUESTIONS = frozenset(
    "a against an any approved are as be beneficial benefit benefits can compounds considered "
    "could did do does drug drugs effect effective effectiveness effects efficacy evidence "
    "existing for given good help helpful helps how in is management manage may medicine medicines "
    "might of on prescribed prevent prevention repositioned repurposed role should some that the "
    "there therapy to treat treating treatment treatments treats tried use used useful was were "
    "what which why will with work works would".split()
)
"""Words that only make a question. In capitals they are acronyms: CAN, IS, MAY, WHO."""
_END_OF_SENTENCE = bounded(r"(?<=\w)[?!]+(?=\s|$)|(?<=\s)[?!]+(?=\s|$)|^[?!]+(?=\s|$)")


def clean_query(text: str) -> str:
    """A question without the words that only make it a question.

    Operators, phrases in quotes, field tags, parentheses, acronyms and names stay as they are.
    """
    text = plain(text)
    pieces = re.split(f"({_PROTECTED.pattern})", text)
    asks = any(_ASKS.search(piece) for piece in pieces[::2])
    kept = [_END_OF_SENTENCE.sub("", piece) for piece in pieces[::2]]
    if asks:
        words = [piece.split(" ") for piece in kept]
        first = words[0][0]
        if first[1:].islower() and first.lower() in _OF_QUESTIONS:
            words[0][0] = ""
        left = [" ".join("" if w in _OF_QUESTIONS else w for w in piece) for piece in words]
        kept = left if "".join(left).strip() else kept
    pieces[::2] = kept
    return " ".join("".join(pieces).split())


def trial_params(query: SourceQuery) -> dict[str, str]:
    """The query parameters of ClinicalTrials.gov; none when nothing is left to search for."""
    drug = _any_of(drug_concept(query.drug)) if query.drug else ""
    condition = " OR ".join(filter(None, map(_any_of, condition_concepts(query))))
    terms = any_of_terms(query.terms)
    if not (drug or condition or terms):
        terms = free_text(query.text)
    named = {"query.intr": drug, "query.cond": condition, "query.term": terms}
    return {name: value for name, value in named.items() if value}


def concept_groups(
    query: SourceQuery,
    drug: Callable[[Concept], str],
    condition: Callable[[Concept], str],
    worded: Callable[[str], str] = str,
) -> list[str]:
    """The blocks of drug, condition and terms of which a source with fields must find each.

    Without any the whole question is the only one; without a word to search for there is none.

    `worded` removes what a source would misread.
    """
    blocks = (
        drug(drug_concept(query.drug, with_classes=query.block in BROADLY)) if query.drug else "",
        " OR ".join(filter(None, map(condition, condition_concepts(query)))),
        any_of_terms(query.terms, worded),
    )
    groups = [f"({block})" for block in blocks if block]
    return groups or list(filter(None, (free_text(query.text, worded),)))


def is_searchable(query: str) -> bool:
    """Return whether a query has any word that is not an operator."""
    return any(word not in _OPERATORS for word in re.findall(r"\w+", query))


def _any_of(concept: Concept) -> str:
    """Names as phrases joined by OR, not too many: the registry adds synonyms of its own."""
    names = dict.fromkeys((*concept.names[:1], concept.heading, *concept.names[1:]))
    return " OR ".join(f'"{name}"' for name in tuple(filter(None, names))[:_MOST_AT_REGISTRY])


def any_of_terms(terms: Iterable[str], worded: Callable[[str], str] = str) -> str:
    """Terms joined by OR; one of several words in parentheses."""
    texts = dict.fromkeys(_balanced(worded(plain(term))) for term in terms)
    kept = [text for text in texts if is_searchable(text)]
    if len(kept) == 1:
        return kept[0]
    one = re.compile(r'[^ ]+|"[^"]*"')
    return " OR ".join(text if one.fullmatch(text) else f"({text})" for text in kept)


def free_text(text: str, worded: Callable[[str], str] = str) -> str:
    """A whole question as a query; '' when it has no word to search for."""
    text = worded(plain(text))
    cleaned = _LOOSE_OPERATORS.sub("", _balanced(clean_query(text)))
    return cleaned if is_searchable(cleaned) else ""


def _balanced(text: str) -> str:
    """The text without quotes and parentheses that have no partner."""
    if text.count('"') % 2:
        at = text.rindex('"')
        text = f"{text[:at]} {text[at + 1 :]}"
    pieces = re.split(r'("[^"]*")', text)
    inner = (_matched_parentheses(piece[1:-1]).strip() for piece in pieces[1::2])
    phrases = [f'"{phrase}"' if phrase else " " for phrase in inner]
    # Parentheses outside of phrases belong together across them.
    outside = _matched_parentheses("\0".join(pieces[::2])).split("\0")
    woven = "".join(a + b for a, b in zip(outside, [*phrases, ""], strict=True))
    return " ".join(re.sub(r"\(\s*\)", " ", woven).split())


def _matched_parentheses(text: str) -> str:
    opened: list[int] = []
    lost: set[int] = set()
    for at, char in enumerate(text):
        if char == "(":
            opened.append(at)
        elif char == ")":
            if opened:
                opened.pop()
            else:
                lost.add(at)
    lost.update(opened)
    return "".join(" " if at in lost else char for at, char in enumerate(text))
