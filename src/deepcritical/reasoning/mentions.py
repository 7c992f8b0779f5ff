"""The drugs, genes and diseases that a text names, each under one name, with offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.patterns import bounded
from deepcritical.vocabulary.drugs import DrugKind, DrugMention, find_drugs
from deepcritical.vocabulary.nodes import vocabulary

__all__ = ["NOT_A_MOLECULE", "SYMBOL", "EntityKind", "Mention", "find_mentions"]


class EntityKind(StrEnum):
    """What kind of thing a name stands for."""

    CHEMICAL = "chemical"
    GENE = "gene"
    DISEASE = "disease"


class Mention(NamedTuple):
    """A name in a text, at ``text[start:end]``."""

    name: str
    """What it is called, whatever the text writes: an abbreviation by its long form."""
    kind: EntityKind
    start: int
    end: int


SYMBOL = bounded(
    r"(?<![\w/-])(?:p-)?(?:[A-Z]{2}-\d{1,2}|[A-Z][A-Za-z]{0,3}\d+[A-Z]?\d*|[A-Z]{3,6}\d?(?:-\d+)?|"
    r"[a-z][A-Z]{2,4}\d?|[A-Z]{2,5}-?[α-ωκ]\w?|[A-Z]{2,4}\d[α-ω]|Aβ(?:\d+)?)(?![\w\u2010-\u2015-])"
)
"""What looks like a gene or protein symbol: BACE1, AMPK, mTOR, NF-κB, IL-6, p-AMPK."""
NOT_A_MOLECULE = frozenset(
    "CSF PET MRI RNA DNA I2 USA ADAS MMSE SRT FDG CI HR OR RR RCT WHO FDA ADL BMI".split()
)
_OTHER_CAPITALS = frozenset(
    "ANOVA PCR SNP SNPS ELISA MAP ECG EEG BACKGROUND METHODS METHOD RESULTS CONCLUSION CONCLUSIONS "
    "AIM AIMS AND THE FOR NOT WITH UK EU ICU OBJECTIVE PURPOSE STUDY DESIGN CT IQR SEM HIV HIV-1 "
    "HBV HCV HPV LOH SSCP UTR HAART BID PFS OS DFS AIDS MCF7 CA1 CA3 II III IV VI BMD SD AUC "
    "PTSD ADHD COPD NSAID CKD CVD PCI MI ATP GTP ADP LPS GSH ROS MDA".split()
)
"""Capitals that are no gene: methods, measures, viruses, cells, small molecules."""
_GENE = bounded(
    r"(?<![\w/])(?:[A-Z]{2,5}-?(?:alpha|beta|gamma|delta|kappa ?B?)\d?|"
    r"[A-Z][a-z]{1,4}-?\d{1,2}[a-z]?\d?|[A-Z][A-Z0-9]{2,6}|[A-Z]{1,3}\d{1,2}[A-Za-z]?\d?|"
    r"[A-Z]{2,5}-\d{1,2}[A-Za-z]?|p\d{2}|(?:Akt|Ras|Myc|Kras|Src|Shh|Wnt|apoE|mTOR|"
    r"c-[A-Z][a-z]{2}))(?=\b)(?![\w])"
)
_GENE_WORDS = bounded(
    r"\b(?:[\w-]{1,30} ){0,2}(?:[\w-]{0,30}kinases?|[\w-]{1,30} receptors?(?: \d?[A-Za-z]?\d?\b)?|"
    r"[\w-]{0,30}transferases?|[\w-]{0,30}oxidases?|[\w-]{0,30}reductases?|"
    r"[\w-]{0,30}synthases?|[\w-]{0,30}hydroxylases?|"
    r"[\w-]{0,30}proteases?|[\w-]{0,30}peptidases?|[\w-]{0,30}phosphatases?|"
    r"interleukins?(?:[- ]\d+)?|"
    r"caspases?(?:-\d+)?|growth factors?|necrosis factor(?:[- ]alpha)?|"
    r"interferons?(?:[- ](?:alpha|beta|gamma))?|transcription factors?|cytokines?|chemokines?|"
    r"[\w-]{0,30}dehydrogenases?|[\w-]{0,30}transporters?|insulin|leptin|albumin|adiponectin|"
    r"ghrelin|"
    r"prolactin|calcineurin|erythropoietin)\b",
    re.IGNORECASE,
)
_SMALL = bounded(
    r"\b(?:glucose|creatinine|(?:m?ethanol|alcohol)|Ca ?\(?2 ?\+?\)?\+?|calcium|potassium|sodium|"
    r"ATP|GTP|lactate|steroids?|corticosteroids?|oxygen|superoxide|glutathione|GSH|"
    r"malondialdehyde|MDA|nitric oxide|cholesterol|triglycerides?|LPS|lipopolysaccharides?|"
    r"reactive oxygen species|ROS|H2O2|hydrogen peroxide|urea|uric acid|lipids?|antioxidants?|"
    r"cannabis|contrast|salt|iron|zinc|copper|arsenic|galactose|dexamethasone|isoproterenol|"
    r"corticosterone|cortisol|estrogens?|androgens?|opioids?|statins?|thiazolidinediones?|"
    r"fatty acids?|[a-z]{4,}(?:amine|azole|olol|statin|pril|sartan|mycin|cillin|azine|idine|"
    r"oxacin|tidine|terol|caine|barbital|azepam|triptan|setron|prazole|parin|nib|mab|vir)s?)\b"
)
"""Small molecules of the body that no dictionary of drugs holds, and stems of drug names (INN)."""
_NUCLEIC = bounded(
    r"rna\b|\bdna\b|nucleotides?|genome|antibod|antigen|blood|serum|plasma", re.IGNORECASE
)
_MESSENGERS = frozenset(
    "serotonin|dopamine|glutamic acid|histamine|acetylcholine|norepinephrine|epinephrine|"
    "gamma-aminobutyric acid|nitric oxide|"
    "melatonin|adenosine|estradiol|testosterone|progesterone|cortisol|hydrocortisone|"
    "cholesterol|thyroxine|triiodothyronine|"
    "aldosterone|glycine|prostaglandins|dinoprostone|thromboxane a2|arachidonic acid|ceramides|"
    "lipopolysaccharides|catecholamines|"
    "reactive oxygen species|hydrogen peroxide|superoxides|lactic acid|malondialdehyde|"
    "glutathione|tryptophan|tyrosine".split("|")
)
"""Substances of the body that are no proteins."""
_PROTEIN_DRUGS = bounded(
    r"\binsulin\b|hormone\b|interferon|interleukin|factor\b|erythropoietin", re.IGNORECASE
)
_KINDS = {
    "Disease": EntityKind.DISEASE,
    "PhenotypicFeature": EntityKind.DISEASE,
    "Protein": EntityKind.GENE,
    "GeneFamily": EntityKind.GENE,
    "ChemicalSubstance": EntityKind.CHEMICAL,
}
_DISEASE = bounded(
    r"\b(?:(?!(?:the|an?|of|in|with|and|or|for|by|to|from|patients?|this|that|these|those|any|on|"
    r"at|as|is|was|were|has|had|have|severe|risk|developed|induced|human)\b)[\w'’-]{1,30} ){0,2}"
    r"(?:diseases?|syndromes?|disorders?|cancers?|carcinomas?|infections?|failure|deficiency|"
    r"dysfunction|toxicity|injury|impairments?|seizures?|ischemia|infarction|tumou?rs?|"
    r"hypertension|hypotension|arrhythmias?|stroke|fibrosis|pain|hemorrhage|edema|neuropathy)\b|"
    r"\b\w{2,40}(?:itis|osis|a?emia|omas?|opathy|opathies|algia|uria|plegia|megaly|rrhea|ectasia|"
    r"penia|kinesias?|epsy|toxicity|phrenia|phobia)\b|\b(?:inflammat\w+|obese|hypertensive|"
    r"convulsions?|deafness|sepsis|metasta\w+|amnesia|hypoxia|necrosis|leukemi[ac]\w*|dystonia|"
    r"bleeding|toxic\w*|hyperalgesia|cirrho\w+|syncope|atherosclero\w+|dyskinesias?|"
    r"tumou?rigenesis|seizures?|depression|anxiety|schizophrenia|migraine|obesity|diabetes|cancer|"
    r"catalepsy|delirium|psychosis|bradycardia|tachycardia|nausea|vomiting|fever|coma|death)\b",
    re.IGNORECASE,
)
"""What is called a disease by its last word or by its ending, for names no vocabulary holds."""
_NOT_DISEASES = frozenset(
    "diagnosis prognosis apoptosis mitosis meiosis osmosis hypnosis necrosis homeostasis "
    "phagocytosis endocytosis exocytosis transcytosis autosomes".split()
)


def find_mentions(text: str) -> tuple[Mention, ...]:
    """The names of a text in order, without overlap; at one place the longest name wins."""
    taken: list[Mention] = []
    for one in sorted(_candidates(text), key=lambda m: (m.start, m.start - m.end)):
        if not taken or one.start >= taken[-1].end:
            taken.append(one)
    return tuple(m for m in taken if not _NUCLEIC.search(text[m.start : m.end]))


def _candidates(text: str) -> Iterator[Mention]:
    """Vocabularies first: at one place, of names equally long, the first candidate stays."""
    for drug in find_drugs(text):
        if kind := _kind_of_drug(drug):
            yield Mention(drug.drug.name, kind, drug.start, drug.end)
    for node in vocabulary().find(text, tuple(_KINDS)):
        yield Mention(node.node.name, _KINDS[node.node.label], node.start, node.end)
    for pattern, kind in (
        (_SMALL, EntityKind.CHEMICAL),
        (_GENE_WORDS, EntityKind.GENE),
        (_DISEASE, EntityKind.DISEASE),
    ):
        for match in pattern.finditer(text):
            if match.group().lower() not in _NOT_DISEASES:
                yield Mention(match.group().lower(), kind, match.start(), match.end())
    yield from _of_abbreviations(text)
    for pattern in (SYMBOL, _GENE):
        for match in pattern.finditer(text):
            if match.group() not in NOT_A_MOLECULE and match.group() not in _OTHER_CAPITALS:
                name = match.group().removeprefix("p-")
                yield Mention(name, EntityKind.GENE, match.start(), match.end())


def _kind_of_drug(drug: DrugMention) -> EntityKind | None:
    """Of the dictionary of drugs a protein is a gene, and a nucleic acid neither."""
    name = drug.drug.name
    if _NUCLEIC.search(name):
        return None
    if drug.drug.kind is DrugKind.TARGET:
        return EntityKind.CHEMICAL if name in _MESSENGERS else EntityKind.GENE
    return EntityKind.GENE if _PROTEIN_DRUGS.search(name) else EntityKind.CHEMICAL


def _of_abbreviations(text: str) -> Iterator[Mention]:
    """Abbreviations under the name and kind of what they stand for."""
    for short, long in expand_abbreviations(text).items():
        kind = _kind_of(long)
        if kind is None:
            continue
        for match in re.finditer(rf"(?<![\w-]){re.escape(short)}(?![\w])", text):
            yield Mention(kind.name, kind.kind, match.start(), match.end())


def _kind_of(long: str) -> Mention | None:
    """The last name within the long form of an abbreviation: "rat model of testitis"."""
    found = [
        *(
            Mention(d.drug.name, k, d.start, d.end)
            for d in find_drugs(long)
            if (k := _kind_of_drug(d))
        ),
        *(
            Mention(n.node.name, _KINDS[n.node.label], n.start, n.end)
            for n in vocabulary().find(long, tuple(_KINDS))
        ),
        *(
            Mention(m.group().lower(), kind, m.start(), m.end())
            for pattern, kind in (
                (_GENE_WORDS, EntityKind.GENE),
                (_DISEASE, EntityKind.DISEASE),
                (_SMALL, EntityKind.CHEMICAL),
            )
            for m in pattern.finditer(long)
        ),
    ]
    return max(found, key=lambda m: (m.end, m.end - m.start), default=None)
