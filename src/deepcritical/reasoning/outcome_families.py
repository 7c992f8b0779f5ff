"""Outcomes, and groups of people, by what studies report of them.

A question on cognitive decline is answered by a finding on memory or on ADAS-Cog: each is a measure
of the outcome. What is asked more narrowly stays narrow: memory is not answered by attention.
"""

from __future__ import annotations

from collections.abc import Iterator

from deepcritical.reasoning.phrases import Phrase, read_phrases

__all__ = ["general_names", "with_measures"]

_MEASURES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        (
            "cognition",
            "cognitive decline",
            "cognitive function",
            "cognitive functioning",
            "cognitive impairment",
            "cognitive performance",
            "cognitive outcomes",
            "cognitive symptoms",
            "memory decline",
        ),
        (
            "memory",
            "recall",
            "learning",
            "attention",
            "executive function",
            "executive functioning",
            "ADAS-Cog",
            "MMSE",
            "mini-mental state",
            "MoCA",
            "CDR-SB",
            "selective reminding",
        ),
    ),
    (
        ("tau pathology", "tauopathy", "tangle pathology"),
        ("tau phosphorylation", "tau aggregation", "neurofibrillary tangles", "phosphorylated tau"),
    ),
    (
        ("amyloid pathology", "amyloid burden", "amyloid load"),
        ("amyloid", "amyloid plaques", "Aβ", "Abeta"),
    ),
    (
        ("depression", "depressive symptoms"),
        ("HAM-D", "HDRS", "MADRS", "PHQ-9", "Beck inventory"),
    ),
    (
        ("glycaemic control", "glycemic control", "blood sugar"),
        ("HbA1c", "glycated haemoglobin", "fasting glucose", "blood glucose"),
    ),
    (
        ("older", "elderly", "old", "geriatric"),
        ("older", "elderly", "aged", "geriatric", "dementia", "Alzheimer"),
    ),
    (
        ("disability", "physical function"),
        ("EDSS", "activities daily living", "HAQ", "WOMAC"),
    ),
)
"""How an outcome is asked for, and what studies measure of it."""


def with_measures(groups: tuple[tuple[Phrase, ...], ...]) -> tuple[tuple[Phrase, ...], ...]:
    """The groups of a question's phrases, each with the measures of the outcomes that it names."""
    return tuple(tuple(dict.fromkeys((*group, *_measures(group)))) for group in groups)


def general_names(group: tuple[Phrase, ...]) -> tuple[str, ...]:
    """The broadest name of each outcome that a group of phrases names, for a search."""
    return tuple(names[0] for names, _ in _MEASURES if {_phrase(n) for n in names} & set(group))


def _measures(group: tuple[Phrase, ...]) -> Iterator[Phrase]:
    for names, measures in _MEASURES:
        outcomes = dict.fromkeys(map(_phrase, names))
        if outcomes.keys() & set(group):
            yield from outcomes
            yield from map(_phrase, measures)


def _phrase(text: str) -> Phrase:
    """All words of a short name, as one phrase."""
    return frozenset().union(*(phrase for group in read_phrases(text) for phrase in group))
