"""The query that Europe PMC is asked, in its own fields.

TITLE_ABS is title and abstract, KW are keywords and MeSH headings, PUB_TYPE is the kind of
publication and SRC the collection, of which PPR are preprints; CITES and REFFED_BY take the id of
a work and its collection (Europe PMC, search syntax reference).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import SearchBlock
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.concepts import Concept, condition_concepts, drug_concept
from deepcritical.tools.query_utils import any_of_terms, free_text

__all__ = ["europepmc_query"]

_FIELD = bounded(
    r"(?:ABSTRACT|ACCESSION_\w+|AFF|AUTH\w*|CHEM|CHEBI_\w+|CITED|CITES|CREATION_DATE|DATA_\w+|DISEASE|"
    r"DISEASE_ID|DOI|EXT_ID|FIRST_PDATE|GENE_PROTEIN|GRANT_\w+|HAS_\w+|IN_EPMC|IN_PMC|JOURNAL|KW|"
    r"LANG|LICENSE|METHODS|OPEN_ACCESS|ORGANISM|ORGANISM_ID|PMCID|PUB_TYPE|PUB_YEAR|RESULTS|SRC|"
    r"TITLE|TITLE_ABS|UPDATE_DATE|FIRST_IDATE|ISSN|ISBN):"
)


def _words(*words: str) -> str:
    return " OR ".join(f'TITLE_ABS:"{word}"' for word in words)


_FILTERS: Mapping[SearchBlock, str] = {
    SearchBlock.TRIALS: 'PUB_TYPE:"Randomized Controlled Trial" OR PUB_TYPE:"Clinical Trial" OR '
    + _words("randomized", "randomised", "randomly", "placebo"),
    SearchBlock.REVIEWS: 'PUB_TYPE:"systematic-review" OR PUB_TYPE:"Systematic Review" OR '
    'PUB_TYPE:"Meta-Analysis" OR ' + _words("systematic review", "meta-analysis"),
    SearchBlock.OBSERVATIONAL: 'PUB_TYPE:"Observational Study" OR '
    + _words("cohort", "case-control", "observational"),
    SearchBlock.HARMS: _words(
        "adverse events", "adverse effects", "side effects", "safety", "tolerability", "mortality"
    ),
    SearchBlock.MECHANISM: _words("mechanism", "mechanisms", "pathway", "signaling", "signalling"),
    # What is not in an index yet is here as a preprint.
    SearchBlock.RECENT: 'SRC:"PPR"',
}
"""Ours, after the filters for PubMed; none is validated for Europe PMC."""


def europepmc_query(query: SourceQuery) -> str:
    """Return the query that Europe PMC is asked; '' when nothing is left to search for."""
    drug = _block(drug_concept(query.drug)) if query.drug else ""
    condition = " OR ".join(filter(None, map(_block, condition_concepts(query))))
    terms = any_of_terms(query.terms, _lucene_text)
    groups = [f"({group})" for group in (drug, condition, terms) if group]
    if query.linked_to:
        groups.insert(0, f"({' OR '.join(_links(query.linked_to))})")
    groups = groups or [text for text in (free_text(query.text, _lucene_text),) if text]
    if not groups:
        return ""
    filtered = _FILTERS.get(query.block, "")
    return " AND ".join((*groups, *([f"({filtered})"] if filtered else ())))


def _links(pmids: Iterable[str]) -> Iterator[str]:
    """Works that cite these or that these cite."""
    for pmid in pmids:
        yield from (f"CITES:{pmid}_med", f"REFFED_BY:{pmid}_med")


def _block(concept: Concept) -> str:
    """A concept as keyword, truncated words and names in titles and abstracts."""
    keyword = concept.heading or (concept.names[0] if concept.names else "")
    parts = [f'KW:"{keyword}"'] if keyword else []
    parts += [f"TITLE_ABS:{stem}*" for stem in concept.stems]
    parts += [f'TITLE_ABS:"{name}"' for name in concept.names]
    return " OR ".join(parts)


def _lucene_text(text: str) -> str:
    """Text without what Lucene would read as syntax that the user did not mean.

    A colon behind a word that is no field finds nothing, a slash begins a regular expression.
    """
    pieces = re.split(r'("[^"]*")', text)
    pieces[::2] = [" ".join(map(_lucene_word, piece.split(" "))) for piece in pieces[::2]]
    pieces[1::2] = [piece.replace("\\", " ") for piece in pieces[1::2]]
    return "".join(pieces)


def _lucene_word(word: str) -> str:
    if _FIELD.match(word.lstrip("(-+")):
        return word.replace("\\", " ")
    word = re.sub(r"[:/\\!{}^]", " ", word)
    return " " if re.fullmatch(r"[-+&|~]+", word) else word
