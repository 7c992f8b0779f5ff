"""Text that speaks to whoever reads for a machine, which no study does."""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded

_ADDRESS = bounded(
    r"\b(?:ignore|disregard|forget|override) (?:[\w-]+ ){0,4}(?:instructions?|rules|prompts?)\b|"
    r"(?:^|[.!?\n>\]])\s*(?:system|assistant|developer|user) ?:|\bsystem prompt\b|"
    r"\b(?:language model|chatbot|AI (?:model|assistant|reviewer|agent))s?\b.{0,60}"
    r"\b(?:must|shall|please|now|always|never)\b|\byou (?:are (?:now|an?)|must|will now)\b|"
    r"\b(?:call|invoke|run|use) the (?:tool|function)\b|<\s*/?\s*(?:system|record|instructions?)\b|"
    r"\b(?:respond|reply|answer) only with\b|\bset (?:the )?(?:verdict|score)\b|"
    r"\b(?:report|mark|rate|score|classify|treat|label|count) (?:this|the|every|each|all|it)\b"
    r".{0,60}\bas (?:supported|(?:a )?benefits?|beneficial|proven|effective|10)\b|"
    r"\b(?:note|message|instructions?) (?:for|to) (?:the |any |all )?(?:automated|automatic|"
    r"machine|LLM|AI)\b|"
    r"\bignor(?:iere[nt]?|ez|a|ad|e|are)\b.{0,40}\b(?:anweisung|instruc|istruz|instruç)\w*|"
    r"(?:忽略|无视).{0,12}(?:指令|指示|说明)",
    re.IGNORECASE,
)
"""Words that speak to whoever reads for a machine, which no finding does."""


def addresses_a_model(text: str) -> bool:
    """Whether a text gives orders to a machine; it is then no finding and never cited."""
    return _ADDRESS.search(text) is not None
