"""Translates a query into the query language of a source.

Nothing that the user wrote is lost: operators, quotes, field tags, parentheses, acronyms and names
stay, other names of a drug or a condition are added with OR.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import SearchBlock
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.concepts import Concept, condition_concepts, drug_concept

_MOST_AT_REGISTRY = 25
_OF_CLASSES = (SearchBlock.REVIEWS, SearchBlock.TRIALS)
"""The kinds of evidence that are sought on the classes of a drug, too."""
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
"""What no cleaning may look into."""

# Lower case but for the first letter: written in capitals, CAN, IS or MAY are acronyms.
_MODAL = r"(?:[Cc]an|[Cc]ould|[Mm]ay|[Mm]ight|[Ss]hould|[Ww]ould|[Ww]ill)"
_USED = (
    r"(?:repurposed|repositioned|used|effective|useful|beneficial|helpful|prescribed|given|tried|"
    r"considered)"
)
_FOR = (
    r"(?:for(?: the)? (?:treatment|management|prevention) of|"
    r"(?:for|to) (?:treat|prevent|cure|manage)(?:ing)?|for|in|against)"
)
_AS = r"(?: as an? (?:treatment|therapy|option|drug|medicine))?"
_DRUGS = r"(?:(?:existing |approved |old |generic )*(?:drugs?|medicines?|compounds?|treatments?) )?"
_OPENERS = tuple(
    bounded(pattern)
    for pattern in (
        rf"^(?:[Ww]hat|[Ww]hich) {_DRUGS}{_MODAL} be {_USED}{_AS} {_FOR}\s+(?=\w)",
        r"^[Ii]s there (?:any |some |good )?evidence (?:that|for|of|on)\s+(?=\w)",
        r"^[Ww]hat (?:is|are|was|were) the (?:evidence|role|effects?|efficacy|effectiveness|"
        r"benefits?|use) (?:for|of|on|that)\s+(?=\w)",
        rf"^(?:[Hh]ow|[Ww]hy) (?:{_MODAL}|[Dd]oes|[Dd]o|[Dd]id|[Ii]s|[Aa]re)\s+(?=\w)",
        # Without a sign of a question behind it, the word may be a name: the allergen Can f 1.
        rf"^(?:{_MODAL}|[Dd]oes|[Dd]o|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Ww]ere)\s+(?=\w)"
        rf"(?=.*(?:\?\s*$|\b{_USED}{_AS} {_FOR}\b))",
    )
)
_LINKS = bounded(
    rf"(?:(?<=\s)|^)(?:(?:(?:can|could|may|might|should|would|will) )?be )?{_USED}{_AS} {_FOR}"
    r"(?=\s+\S)"
)
_VERBS = bounded(
    r"(?<=\s)(?:help(?:s|ful)?(?: to)?(?: (?:with|in|treat|prevent|against))?|"
    r"works? (?:for|in|against)|treats?|an? (?:treatment|therapy|option|drug) for)(?=\s+\S)"
)
"""Dropped from a question only: elsewhere they may be what is searched."""
_END_OF_SENTENCE = bounded(r"(?<=\w)[?!]+(?=\s|$)|(?<=\s)[?!]+(?=\s|$)|^[?!]+(?=\s|$)")


def clean_query(text: str) -> str:
    """A question without the words that only make it a question.

    Operators, phrases in quotes, field tags, parentheses, acronyms and names stay as they are.
    """
    pieces = re.split(f"({_PROTECTED.pattern})", _plain(text))
    question = any(opener.match(pieces[0]) for opener in _OPENERS)
    cleaned = "".join(
        piece if _PROTECTED.fullmatch(piece) else _without_noise(piece, question and not index)
        for index, piece in enumerate(pieces)
    )
    return " ".join(cleaned.split())


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
        drug(drug_concept(query.drug, with_classes=query.block in _OF_CLASSES))
        if query.drug
        else "",
        " OR ".join(filter(None, map(condition, condition_concepts(query)))),
        any_of_terms(query.terms, worded),
    )
    groups = [f"({block})" for block in blocks if block]
    return groups or list(filter(None, (free_text(query.text, worded),)))


def is_searchable(query: str) -> bool:
    """Return whether a query has any word that is not an operator."""
    return any(word not in _OPERATORS for word in re.findall(r"\w+", query))


def _plain(text: str) -> str:
    """One kind of quote and apostrophe, no control characters, single blanks."""
    text = re.sub(r"[\u201c\u201d\u201e\u00ab\u00bb\u2033]", '"', text)
    text = re.sub(r"[\u2018\u2019\u02bc]", "'", text)
    return " ".join(re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", text).split())


def _without_noise(piece: str, question: bool) -> str:
    if question:
        for opener in _OPENERS:
            piece = opener.sub("", piece, count=1)
    piece = _LINKS.sub(" ", piece)
    if question:
        piece = _VERBS.sub(" ", piece)
    return _END_OF_SENTENCE.sub("", piece)


def _any_of(concept: Concept) -> str:
    """Names as phrases joined by OR, not too many: the registry adds synonyms of its own."""
    names = dict.fromkeys((*concept.names[:1], concept.heading, *concept.names[1:]))
    return " OR ".join(f'"{name}"' for name in tuple(filter(None, names))[:_MOST_AT_REGISTRY])


def any_of_terms(terms: Iterable[str], worded: Callable[[str], str] = str) -> str:
    """Terms joined by OR; one of several words in parentheses."""
    texts = dict.fromkeys(_balanced(worded(_plain(term))) for term in terms)
    kept = [text for text in texts if is_searchable(text)]
    if len(kept) == 1:
        return kept[0]
    one = re.compile(r'[^ ]+|"[^"]*"')
    return " OR ".join(text if one.fullmatch(text) else f"({text})" for text in kept)


def free_text(text: str, worded: Callable[[str], str] = str) -> str:
    """A whole question as a query; '' when it has no word to search for."""
    text = worded(_plain(text))
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
