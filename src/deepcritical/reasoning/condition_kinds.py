"""Conditions that are kinds of another one without bearing its name.

"Vascular dementia" is found by "dementia"; Alzheimer's disease is not, though it is one. After the
branches of the MeSH tree: C10.228.140.380 (dementia), C10.574 (neurodegenerative diseases),
C06.405.205.731 (inflammatory bowel diseases), C14 (cardiovascular diseases).
"""

from __future__ import annotations

__all__ = ["kinds_of"]

_KINDS: dict[str, tuple[str, ...]] = {
    "dementia": ("Alzheimer's disease", "Alzheimer disease", "Alzheimer's dementia"),
    "neurodegenerative diseases": (
        "Alzheimer's disease",
        "Parkinson's disease",
        "Huntington's disease",
        "amyotrophic lateral sclerosis",
    ),
    "inflammatory bowel diseases": ("Crohn's disease", "Crohn disease", "ulcerative colitis"),
    "cardiovascular diseases": (
        "myocardial infarction",
        "heart failure",
        "stroke",
        "coronary artery disease",
        "coronary heart disease",
        "atrial fibrillation",
    ),
}


def kinds_of(condition: str) -> tuple[str, ...]:
    """Names of the kinds of a condition that its own name does not find."""
    name = condition.lower()
    plural = f"{name}s" if name.endswith("disease") else name
    return _KINDS.get(plural, ())
