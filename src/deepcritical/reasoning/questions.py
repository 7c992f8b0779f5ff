"""Reads a question in one of its three forms without a model."""

from __future__ import annotations

import re

from deepcritical.domain.errors import QuestionError
from deepcritical.domain.question import Condition, Drug, QuestionForm, ResearchQuestion
from deepcritical.reasoning.names import known_condition
from deepcritical.vocabulary.drugs import DrugKind, DrugMention, find_drugs, lookup_drug

__all__ = ["read_question"]

_FOR = (
    r"(?:for|in|against|with|on|to (?:treat|prevent|cure|manage|slow|delay|help|combat)|"
    r"treat(?:ing|s)?|prevent(?:ing|s)?|of)"
)
_VERB = (
    r"(?:help|work|treat|prevent|slow(?: down)?|improve|reduce|cure|benefit|delay|stop|protect|"
    r"alleviate|ameliorate|lower|lessen|shrink|heal|relieve|ease|halt|arrest|mitigate|attenuate|"
    r"combat|fight|control|manage|"
    r"increase|affect|modify|reverse|act|have an? (?:\w+ )?(?:effect|benefit|role)|play a role|be)"
)
_USE = (
    r"(?:repurposed|repositioned|used|effective|useful|of (?:use|benefit|help|value)|given|"
    r"beneficial|prescribed|safe|promising|helpful|tried|considered|"
    r"an? .*?(?:treatment|therapy|option|candidate|drug|remedy))"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"^(?:what|which)\b.*?\b(?:could|can|might|may|should|would)\s+(?P<drug>\S+(?: \S+)?)"
            rf"\s+be\s+{_USE}\s+{_FOR}\s+(?P<condition>.+)$"
        ),
        (
            r"^(?:can|could|should|may|might|would|will)\s+(?P<drug>.+?)"
            rf"\s+be\s+{_USE}(?:\s+as .+?)?\s+{_FOR}\s+(?P<condition>.+)$"
        ),
        rf"^(?:is|are|was|were)\s+(?!there)(?P<drug>.+?)\s+{_USE}\s+{_FOR}\s+(?P<condition>.+)$",
        (
            rf"^(?:does|do|did|can|could|may|might|will|would)\s+(?P<drug>.+?)\s+{_VERB}\s+"
            r"(?:(?:the )?(?:risk|progression|course|onset|symptoms|severity|outcomes?)\s+"
            r"(?:of|in)\s+)?"
            rf"(?:{_FOR}\s+)?(?P<condition>.+)$"
        ),
        (
            r"\b(?:evidence|effects?|role|efficacy|effectiveness|benefits?|use|repurposing|"
            r"repositioning|value)\s+(?:for|of|that)\s+(?P<drug>.+?)\s+"
            rf"(?:{_VERB}s?\s+)?(?:{_FOR}\s+)?(?P<condition>.+)$"
        ),
        rf"^(?P<drug>.+?)\s+(?:as an? .+? )?{_FOR}\s+(?P<condition>.+)$",
    )
)
_CANDIDATES = re.compile(
    r"^(?:what|which|are there|is there|find|list|name|suggest|show)\b.*?"
    rf"\b{_FOR}\s+(?P<condition>.+)$|"
    r"^(?P<other>.+?)\s+(?:drug )?(?:repurposing|repositioning)(?: candidates?)?$|"
    r"^(?:drugs?|candidates?|treatments?|medicines?|repurposing|repurposed drugs?|"
    rf"repurposing candidates?)\s+{_FOR}\s+(?P<third>.+)$",
    re.IGNORECASE,
)
_MECHANISM = re.compile(
    r"[,\s]+(?:(?:acting |working )?"
    r"(?:through|via|by way of|thanks to|because of|mediated by|"
    r"by (?:\w+ly )?(?:inhibit|activat|block|target|modulat|reduc|increas|lower|rais|suppress|"
    r"stimulat|restor|improv|enhanc|act|promot|chang|regulat|clear|decreas|induc)"
    r"\w*(?:ing)?(?: on)?))\s+(?P<terms>.+)$",
    re.IGNORECASE,
)
_TERM_BREAK = re.compile(r"\s*(?:,|;|/|&|\band\b|\bor\b)\s*", re.IGNORECASE)
_TERM_NOISE = re.compile(
    r"^(?:the|its|an?|effects? on|levels? of|inhibition of|activation of)\s+|"
    r"\s+(?:pathways?|signall?ing|axis|activity|expression)$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:what about|the|an?|any|some|drug|compound|"
    r"(?:long-term |early |low-dose )?(?:use|treatment|management|prevention|progression|risk|"
    r"onset|symptoms?|course) of|"
    r"(?:patients|people|adults|children|those|individuals|infants|someone) "
    r"(?:with|who have|suffering from|having)|with|treating|preventing|slowing)\s+)+",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"(?:\s+(?:patients?|sufferers|please|or not|at all|in humans|treatment|therapy|"
    r"in (?:adults|patients|people|older people)))+$",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"^(?:(?:mortality|deaths?|survival|symptoms?|severity|progression|outcomes?|"
    r"hospitali[sz]ations?|recovery|risk|lifespan)(?: (?:in|of|from|with|among))?\s+|"
    r"(?:very )?(?:early|late|early-stage|late-stage|mild|moderate|severe|critical|advanced|"
    r"non-?hospitali[sz]ed|hospitali[sz]ed|ambulatory)(?: to (?:moderate|severe))?\s+)+",
    re.IGNORECASE,
)
"""Outcomes and states of a condition: dropped when the condition itself is searched."""
_NO_DRUG = re.compile(
    r"^(?:what|which|any|anything|something|drugs?|medicines?|existing|approved|old|generic|"
    r"compounds?|candidates?|there|treatments?|repurposed|repurposing|repositioning|"
    r"for|we|i|you|are there|is there|find|list|name|suggest|show)\b",
    re.IGNORECASE,
)


def _clean(slot: str) -> str:
    slot = slot.strip(" ?!.,;:\"'“”")
    return _TRAIL.sub("", _LEAD.sub("", slot)).strip(' ?!.,;:"“”')


def _mechanism(text: str) -> tuple[str, tuple[str, ...]]:
    """The question without its mechanism clause, and the terms of that clause."""
    match = _MECHANISM.search(text)
    if match is None:
        return text, ()
    terms = (
        _TERM_NOISE.sub("", _TERM_NOISE.sub("", term.strip(" ?.!")))
        for term in _TERM_BREAK.split(match.group("terms"))
    )
    return text[: match.start()], tuple(dict.fromkeys(term for term in terms if term))


def _slots(text: str) -> tuple[str, str]:
    """The drug slot and the condition slot.

    The drug's is '' when candidates are sought; both are '' when no form fits.
    """
    for pattern in _PATTERNS:
        if (match := pattern.search(text)) and not _NO_DRUG.match(
            drug := _clean(match.group("drug"))
        ):
            return drug, _clean(match.group("condition"))
    if match := _CANDIDATES.search(text):
        return "", _clean(
            match.group("condition") or match.group("other") or match.group("third") or ""
        )
    return "", ""


def _recognised(mention: DrugMention) -> Drug:
    """A drug by its canonical name; a class by the name that the user gave it.

    Papers name a class by that name too.
    """
    drug = mention.drug
    if drug.kind is DrugKind.DRUG:
        return Drug(name=drug.name, synonyms=drug.synonyms)
    return Drug(
        name=mention.text.lower(),
        synonyms=tuple(n for n in (drug.name, *drug.synonyms) if n != mention.text.lower()),
    )


def _naming(mention: DrugMention) -> list[str]:
    if mention.drug.kind is DrugKind.DRUG_CLASS:
        return [
            f'"{mention.text}" is a class of drugs; '
            "records are read for the class by its name, not for each drug of it."
        ]
    if mention.drug.name not in mention.text.lower():
        return [f'"{mention.text}" was read as {mention.drug.name}.']
    return []


def _drug(slot: str, text: str, condition_slot: str) -> tuple[Drug | None, list[str]]:
    """The drug asked about, and what the reader must know about how it was found."""
    found = find_drugs(slot or (text.replace(condition_slot, " ") if condition_slot else text))
    drugs = [m for m in found if m.drug.kind is DrugKind.DRUG] or [
        m for m in found if m.drug.kind is DrugKind.DRUG_CLASS
    ]
    if drugs:
        others = len({m.drug.name for m in drugs}) > 1
        return _recognised(drugs[0]), [
            *(
                [f"Several drugs are named; this run asks about {drugs[0].text} only."]
                if others
                else []
            ),
            *_naming(drugs[0]),
        ]
    if not slot:
        return None, []
    literal = lookup_drug(slot)
    return Drug(name=literal.name, known=False), [
        f'No vocabulary knows "{slot}" as a drug; it was searched literally.'
    ]


_NOT_A_NAME = re.compile(
    r"\b(?:is|are|was|were|be|the|an?|does|do|did|can|could|would|should|will|good|bad|safe|work|works|"
    r"help|helps|helpful|useful|effective|about|and|or|what|which|why|how|when|who|it|its|of|for|in|to|"
    r"with|on|at|by|any|there|evidence|drug|drugs|repurposed|repurposing|repositioning|used|use)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:not|never|n't|worsen\w*|cause[sd]?|causing|raise[sd]?|harm\w*|aggravat\w+|trigger\w*|"
    r"increase[sd]? the risk)\b",
    re.IGNORECASE,
)
_MISSING_APOSTROPHE = re.compile(r"\b([A-Z][a-z]{3,})s\b")


def _leftover(text: str, drug_text: str) -> str:
    """What remains of a question beside the drug, when it is short enough to be a name."""
    rest = _NOT_A_NAME.sub(" ", re.sub(re.escape(drug_text), " ", text, flags=re.IGNORECASE))
    words = _clean(" ".join(rest.split())).split()
    return " ".join(words) if 1 <= len(words) <= 4 else ""


def _polarity(text: str) -> list[str]:
    """A question about harm or no effect is answered from the other side; the reader is told."""
    if not _AGAINST.search(text):
        return []
    return [
        "The question asks about harm or no effect. The report answers whether the drug helps; "
        "findings of harm or no effect are shown as such."
    ]


def _condition(slot: str, text: str) -> tuple[Condition | None, list[str]]:
    known = known_condition(slot or text) or known_condition(
        _MISSING_APOSTROPHE.sub(r"\1's", slot or text)
    )
    shouted = slot.isupper() and len(slot) > 5
    if known and not shouted and slot.casefold() in {name.casefold() for name in known.names}:
        return known.model_copy(update={"name": slot}), []
    if known or not slot:
        return known, []
    slot = _STATE.sub("", slot) or slot
    return Condition(name=slot, names=(slot,), known=False), [
        f'No vocabulary knows "{slot}" as a condition; it was searched literally.'
    ]


def read_question(text: str) -> ResearchQuestion:
    """Form, drug, condition and mechanism of a question.

    Raises:
        QuestionError: It names no condition, or nothing that could be a drug or a condition.
    """
    # A run of blanks costs the patterns the square of its length, and says nothing.
    body, terms = _mechanism(" ".join(text.split()).strip(" ?!."))
    drug_slot, condition_slot = _slots(body)
    if known_condition(drug_slot) and not find_drugs(drug_slot) and find_drugs(condition_slot):
        drug_slot, condition_slot = condition_slot, drug_slot  # "Can X be treated with Y?"
    condition, condition_notices = _condition(condition_slot, body)
    seeks_candidates = not drug_slot and bool(_CANDIDATES.search(body))
    drug, drug_notices = (None, []) if seeks_candidates else _drug(drug_slot, body, condition_slot)
    if condition is None and drug and (rest := _leftover(body, drug_slot or drug.name)):
        condition, condition_notices = _condition(rest, rest)
    if condition is None:
        named = f" for {drug.name}" if drug else ""
        raise QuestionError(
            f"No condition could be recognised in the question{named}.",
            'Name one, as in "Can metformin be repurposed for Alzheimer\'s disease?" '
            'or "What could be repurposed for long COVID?"',
        )
    form = (
        QuestionForm.CONDITION
        if drug is None
        else QuestionForm.HYPOTHESIS
        if terms
        else QuestionForm.DRUG_CONDITION
    )
    return ResearchQuestion(
        text=text,
        form=form,
        drug=drug,
        condition=condition,
        mechanism_terms=terms if drug else (),
        notices=(*drug_notices, *condition_notices, *_polarity(body)),
    )
