"""What kind of record one is: a paper or a registry entry, retracted, or a notice about another."""

from __future__ import annotations

import re

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded

_RETRACTED = bounded(
    r"retracted publication|^\W*(?:retracted|withdrawn)\b|\bretraction in\b", re.IGNORECASE | re.M
)
_RETRACTED_TEXT = bounded(
    r"\W*(?:This|The) (?:article|paper|publication|preprint|manuscript|study) has been "
    r"(?:retracted|withdrawn)\b",
    re.IGNORECASE,
)
_NOTICE_TYPE = bounded(
    r"retraction (?:of publication|notice)|^(?:partial[ -])?retraction$|"
    r"expression[ -]of[ -]concern|^(?:published )?erratum|^corrigendum|^correction$",
    re.IGNORECASE | re.MULTILINE,
)
_NOTICE_TITLE = bounded(
    r"^\W*(?:retraction(?: notice| note)?\s*(?:to\b|of\b|:)|expression of concern\b|"
    r"(?:erratum|corrigendum|correction)\s*(?:to\b|:))",
    re.IGNORECASE,
)
_RETRACTED_TITLE = bounded(
    r"^\W*(?:(?:RETRACTED|WITHDRAWN)\b|(?:Retracted|Withdrawn)(?: [Aa]rticle| [Pp]aper)?\s*[:\]])|"
    r"[(\[](?:\w+ )?(?:RETRACTED|WITHDRAWN)[)\]]\W*$"
)

_PREPRINT = bounded(r"preprint", re.IGNORECASE)


def is_paper(evidence: Evidence) -> bool:
    """Whether the text is a paper's: a registry entry may have been merged with its publication."""
    meta = evidence.metadata
    published = bool(meta.pmid or meta.pmcid or meta.doi)
    return meta.kind != "trial" or (
        published
        and bool(evidence.content)
        and meta.text_kind in ("abstract", "full_text", "summary")
    )


def is_preprint(evidence: Evidence) -> bool:
    """Whether the index calls the paper a preprint, or its text begins with that mark."""
    told = "\n".join((*evidence.metadata.publication_types, evidence.content[:60]))
    return is_paper(evidence) and bool(_PREPRINT.search(told))


def is_retracted(evidence: Evidence) -> bool:
    """Whether its index, its title or an integrity look-up say so, or its text is the notice.

    A notice has the words of title and text from the work that it takes back.
    """
    types = "\n".join(evidence.metadata.publication_types)
    if _RETRACTED.search(types) or _NOTICE_TYPE.search(types):
        return bool(_RETRACTED.search(types))
    return evidence.metadata.integrity == "retracted" or bool(
        _RETRACTED_TITLE.search(evidence.citation.title) or _RETRACTED_TEXT.match(evidence.content)
    )


def is_notice(evidence: Evidence) -> bool:
    """Whether the record is a notice about another one: a retraction, a concern, a correction."""
    types = "\n".join(evidence.metadata.publication_types)
    return bool(_NOTICE_TYPE.search(types) or _NOTICE_TITLE.search(evidence.citation.title))
