"""The term that PubMed is asked: concept blocks joined by AND, and a filter for a kind of evidence.

[Mesh] includes the narrower headings by itself. A phrase in quotes or with a field tag is searched
as it is; a name with neither is mapped by PubMed to its heading and its other names (PubMed User
Guide, Automatic Term Mapping). So a concept without a heading of ours has its first name once
without quotes.
"""

from __future__ import annotations

from collections.abc import Mapping

from deepcritical.domain.question import SearchBlock
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.concepts import Concept, condition_concepts, drug_concept
from deepcritical.tools.query_utils import any_of_terms, free_text

__all__ = ["pubmed_term"]

_FILTERS: Mapping[SearchBlock, str] = {
    # The Cochrane Highly Sensitive Search Strategy for identifying randomized trials in MEDLINE:
    # sensitivity-maximizing version (2008 revision), PubMed format: Cochrane Handbook 5.1, Box
    # 6.4.a; its last line excludes studies of animals alone. The British spelling is added: a word
    # with a field tag is not mapped to it.
    SearchBlock.TRIALS: (
        '("randomized controlled trial"[pt] OR "controlled clinical trial"[pt]'
        " OR randomized[tiab] OR randomised[tiab] OR placebo[tiab]"
        ' OR "drug therapy"[sh] OR randomly[tiab]'
        " OR trial[tiab] OR groups[tiab]) NOT (animals[mh] NOT humans[mh])"
    ),
    # PubMed's own filter for systematic reviews (a subset of the National Library of Medicine),
    # and what its indexers call a meta-analysis.
    SearchBlock.REVIEWS: (
        'systematic[sb] OR "meta-analysis"[pt] OR "systematic review"[tiab]'
        ' OR "meta-analysis"[tiab]'
    ),
    # Ours, not validated: publication type and headings of MeSH with the words of authors.
    SearchBlock.OBSERVATIONAL: (
        '"observational study"[pt] OR "cohort studies"[Mesh] OR "case-control studies"[Mesh]'
        ' OR cohort*[tiab] OR "case-control"[tiab] OR observational[tiab]'
    ),
    # Ours, not validated: subheadings of MeSH for harms with the words of authors.
    SearchBlock.HARMS: (
        '"adverse effects"[sh] OR toxicity[sh] OR poisoning[sh] OR safety[tiab]'
        ' OR "adverse event*"[tiab] OR "adverse effect*"[tiab] OR "side effect*"[tiab]'
        " OR tolerability[tiab] OR mortality[tiab] OR harm*[tiab]"
    ),
    # Ours, not validated.
    SearchBlock.MECHANISM: (
        '"signal transduction"[Mesh] OR mechanism*[tiab] OR pathway*[tiab]'
        " OR signaling[tiab] OR signalling[tiab]"
    ),
}


def pubmed_term(query: SourceQuery) -> str:
    """Return the term that ESearch is asked; '' when nothing is left to search for."""
    drug = _block(drug_concept(query.drug), "nm") if query.drug else ""
    conditions = (_block(concept, "") for concept in condition_concepts(query))
    condition = " OR ".join(filter(None, conditions))
    terms = any_of_terms(query.terms)
    groups = [f"({group})" for group in (drug, condition, terms) if group]
    groups = groups or [text for text in (free_text(query.text),) if text]
    if not groups:
        return ""
    if filtered := _FILTERS.get(query.block):
        groups.append(f"({filtered})")
    asked = " AND ".join(groups)
    return f"({asked}) NOT medline[sb]" if query.block is SearchBlock.RECENT else asked


def _block(concept: Concept, field: str) -> str:
    """A concept in its heading, its truncated words and its names.

    Args:
        concept: What is searched.
        field: A further field of its first name, such as `nm`, the names of substances.
    """
    parts = [f'"{concept.heading}"[Mesh]'] if concept.heading else [concept.mapped]
    if field and concept.names:
        parts.append(f'"{concept.names[0]}"[{field}]')
    parts += [f"{stem}*[tiab]" for stem in concept.stems]
    parts += [f'"{name}"[tiab]' for name in concept.names]
    return " OR ".join(filter(None, parts))
