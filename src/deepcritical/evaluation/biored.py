"""Measures names and mechanisms on BioRED, in its PubTator form (Luo et al., Brief Bioinform 2022).

An article is a block of lines: `PMID|t|title`, `PMID|a|abstract`, mentions (PMID, start, end, text,
kind, id) and relations (PMID, kind, id, id, novelty); the last two have tabs between their columns.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from deepcritical.domain.study import StudyReading
from deepcritical.domain.text import fold
from deepcritical.evaluation.scores import Outcome, half_of, text_of
from deepcritical.evaluation.trials import Answer, Judge, Labelled, halved, labelled_record
from deepcritical.questions.naming import find_names

_CHEMICAL, _DISEASE = "ChemicalEntity", "DiseaseOrPhenotypicFeature"
_STEPS = {"Positive_Correlation": "increases", "Negative_Correlation": "decreases"}
_LINKED = (_CHEMICAL, _DISEASE, "GeneOrGeneProduct")


class Mention(NamedTuple):
    """A name as it stands in an article, with its kind and id: MeSH's, NCBI Gene's or others."""

    text: str
    kind: str
    id: str


def _blocks(path: Path) -> Iterator[tuple[list[str], list[Mention], list[list[str]]]]:
    """Yield the texts, the mentions and the relations of each article."""
    for block in text_of(path).strip().split("\n\n"):
        title, abstract, *rows = block.splitlines()
        columns = [row.split("\t") for row in rows]
        mentions = [Mention(*row[3:6]) for row in columns if row[1].isdigit()]
        texts = [line.split("|", 2)[2] for line in (title, abstract)]
        yield [title.split("|")[0], *texts], mentions, [r for r in columns if not r[1].isdigit()]


def judge_entities(path: Path) -> Iterator[Outcome]:
    """Yield for each name of a disease with a MeSH id whether it is known by that id.

    Then for each further name of a chemical whose first one is known as a drug, whether it is known
    as the same drug; other chemicals are none of the vocabulary.
    """
    drugs: dict[str, str] = {}
    told = (mention for _, mentions, _ in _blocks(path) for mention in mentions)
    for text, kind, identity in dict.fromkeys(told):
        shown, half = f"{text} ({identity})", half_of(identity)
        if kind == _DISEASE and re.fullmatch(r"D\d+", identity):
            found = [one.condition.mesh_id for one in find_names(text).conditions]
            yield Outcome("diseases known", half, bool(found), found[:1] == [identity], shown)
        elif kind == _CHEMICAL:
            names = [one.drug.name for one in find_names(text).drugs]
            if identity in drugs:
                right = names == [drugs[identity]]
                yield Outcome("further names of a drug known", half, bool(names), right, shown)
            elif len(names) == 1:
                drugs[identity] = names[0]


def articles(path: Path) -> list[Labelled]:
    """Return the articles with the relations that raise or lower something."""
    found = []
    for (pmid, title, abstract), mentions, relations in _blocks(path):
        names = {
            m.id: {fold(o.text) for o in mentions if o.id == m.id}
            for m in mentions
            if m.kind in _LINKED
        }
        rows = tuple(
            {"ends": (names[one], names[other]), "relation": _STEPS[kind]}
            for _, kind, one, other, _ in relations
            if kind in _STEPS and one in names and other in names
        )
        found.append((labelled_record(title, abstract, pmid=pmid), rows))
    return halved(found)


def judge_steps(item: Labelled, reading: StudyReading) -> Iterator[Answer]:
    """Yield for each relation whether a step of the mechanism has its ends, and its direction."""
    for row in item.rows:
        ends = row["ends"]
        steps = [
            step.relation
            for step in reading.mechanism
            if step.relation in _STEPS.values()
            and any(
                _names(step.subject, one) and _names(step.object, other)
                for one, other in (ends, ends[::-1])
            )
        ]
        yield Answer(bool(steps), steps[:1] == [row["relation"]], f"{steps} for {row}")


def _names(text: str, names: set[str]) -> bool:
    return any(name in fold(text) for name in names)


OF_RELATIONS = (Judge("directions of relations", judge_steps),)
