"""Measures the reading of studies, on sets labelled by experts.

The PICO corpus (people by arm), Evidence Inference (directions), outcome triplets with figures, our
own pairs of outcomes, which come into one row or into two, and BioRED, in its PubTator form (names
and mechanisms; Luo et al., Brief Bioinform 2022).
Rules are written on every other article, and the rest is only counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.study.effects import has_more, significant
from deepcritical.domain.study.reading import Arm, ArmFigure, Result, StudyReading
from deepcritical.domain.text.quantities import quantities
from deepcritical.domain.text.spans import fold
from deepcritical.evaluation.scores import Half, Outcome, half_of, json_lines, text_of
from deepcritical.questions.naming import find_names
from deepcritical.reading.sentences import numbered
from deepcritical.vocabulary.outcomes import construct_of

Row = dict[str, Any]
HALVES: tuple[Half, Half] = ("development", "kept aside")


class Labelled(NamedTuple):
    """A record with the labels of its article."""

    record: Evidence
    rows: tuple[Row, ...]
    half: Half


class Judge(NamedTuple):
    """A measure, with its answers for one article: told, right, and the evidence."""

    measure: str
    answers: Callable[[Labelled, StudyReading], Iterator[Answer]]


class Answer(NamedTuple):
    """The reading for one label."""

    told: bool
    right: bool
    shown: str = ""


def labelled_record(title: str, text: str, **ids: str) -> Evidence:
    """Return a paper of a published set, with its ids as `EvidenceMetadata` names them."""
    citation = Citation(source="pubmed", title=title.strip()[:500] or "Untitled")
    return Evidence(content=text, citation=citation, metadata=EvidenceMetadata.model_validate(ids))


def halved(found: Sequence[tuple[Evidence, tuple[Row, ...]]]) -> list[Labelled]:
    """Return the articles with every other one kept aside."""
    return [Labelled(record, rows, HALVES[n % 2]) for n, (record, rows) in enumerate(found)]


def pico(path: Path) -> list[Labelled]:
    """Return the abstracts of the PICO corpus; the first sentence is the title."""
    found = []
    for row in json_lines(path):
        begun = re.match(r".{20,300}?[.?!] ", row["text"])
        end = begun.end() if begun else 0
        title = row["text"][:end].strip() or "Untitled"
        found.append((labelled_record(title, row["text"][end:], pmid=row["pmid"]), (row,)))
    return halved(found)


def inference(path: Path) -> list[Labelled]:
    """Return the articles of Evidence Inference with the rows that their abstracts answer."""
    articles: dict[str, list[Row]] = {}
    for row in json_lines(path):
        articles.setdefault(row["pmcid"], []).append(row)
    found = []
    for pmcid, rows in articles.items():
        begun = re.match(r"TITLE:\s*(.*?)\n", rows[0]["text"], re.DOTALL)
        title = begun[1] if begun else "Untitled"
        text = rows[0]["text"][begun.end() :] if begun else rows[0]["text"]
        text = re.sub(
            r"ABSTRACT\.?([A-Z &/,]{0,80})\.?:\s{0,9}",
            lambda m: f"{m[1].capitalize()}: " if m[1] else "",
            text,
        )
        told = tuple(row for row in rows if row["evidence_in_abstract"])
        text = re.sub(r"\n+", "\n", text).strip()
        found.append((labelled_record(title, text, pmcid=pmcid), told))
    return halved(found)


def triplets(path: Path) -> list[Labelled]:
    """Return the articles with figures by arm; the text is abstract and results."""
    found = []
    for row in json_lines(path):
        record = labelled_record("Randomised trial", row["text"], pmcid=f"PMC{row['pmcid']}")
        found.append((record, tuple(row["triplets"])))
    return halved(found)


def _sizes(row: Row, labels: Sequence[str]) -> list[int]:
    told = (a["text"] for a in row["annotations"] if a["label"] in labels)
    return [int(abs(q.value)) for text in told for q in quantities(f"{text} patients")[:1]]


def judge_people(item: Labelled, reading: StudyReading) -> Iterator[Answer]:
    """Yield whether the number of all people is one of those labelled."""
    labelled = _sizes(item.rows[0], ("total-participants",))
    n = reading.population.n_randomised
    if labelled:
        yield Answer(n is not None, n in labelled, f"{n} for {labelled}")


def judge_arm_sizes(item: Labelled, reading: StudyReading) -> Iterator[Answer]:
    """Yield for each labelled arm, or arm read beyond them, whether its number is labelled."""
    labelled = _sizes(item.rows[0], ("intervention-participants", "control-participants"))
    sizes = [arm.n for arm in reading.arms if arm.n is not None]
    if not labelled:
        return
    for n in sizes:
        yield Answer(True, n in labelled, f"{n} for {labelled}")
    for _ in range(max(0, min(2, len(labelled)) - len(sizes))):
        yield Answer(False, False, f"none for {labelled}")


_STOP = frozenset("the a an of in on at to for with by and or from than as was were is are".split())


def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W_]+", fold(text))
    return frozenset(w[:6].rstrip("s") for w in found if w not in _STOP)


_MEASURES = _words(
    "mean median rate score level number proportion incidence overall total one two year"
)
_LOWERED = re.compile(r"^(?:\w+ )?(?:reductions?|decreases?|declines?|falls?|drops?)\b", re.I)


def direction(result: Result) -> str | None:
    """Return what a result tells of arm a against b; None where it does not tell which has more."""
    if result.better == "no_difference" or significant(result.effect) is False:
        return "no difference"
    more = has_more(result) if result.more or significant(result.effect) else None
    if more is None and result.better in ("a", "b"):
        if result.higher_is_better is None:
            return "better"
        more = "a" if (result.better == "a") == result.higher_is_better else "b"
    return None if more is None else "increased" if more == "a" else "decreased"


_TURNED = {"increased": "decreased", "decreased": "increased"}
_CONTROL = re.compile(r"placebo|control|usual|sham|standard|\bno\b|untreated|conventional", re.I)


def _arm_text(arm: Arm | None) -> str:
    return " ".join((arm.label, *(i.name for i in arm.interventions))) if arm else ""


def _overlap(one: str, other: str) -> float:
    a, b = _words(one), _words(other)
    shared = len(a & b) / min(len(a), len(b)) if a and b else 0.0
    return shared + 0.5 * (bool(_CONTROL.search(one)) and bool(_CONTROL.search(other)))


def side(reading: StudyReading, result: Result, row: Row) -> int:
    """Return 1 if arm a is the row's intervention, -1 if b is, 0 if that cannot be told."""
    a, b = (_arm_text(reading.arm(i)) for i in (result.a, result.b))
    one, other = row["intervention"], row["comparator"]
    same = _overlap(a, one) + _overlap(b, other)
    turned = _overlap(a, other) + _overlap(b, one)
    if max(same, turned) <= 0 or same == turned:
        return 0
    return 1 if same > turned else -1


def _tells(result: Result, row: Row, told: Sequence[str]) -> bool:
    """Return whether a result is from the row's sentence and of its outcome."""
    evidence = fold(row["evidence"])
    sentence = fold(" ".join(told[n] for n in result.sentences))
    within = evidence in sentence or sentence in evidence
    near = _words(evidence) & _words(sentence)
    close = len(near) >= 0.7 * min(len(_words(evidence)), len(_words(sentence)))
    if fold(result.outcome) in sentence and fold(result.outcome) not in evidence:
        return False  # of another part of the sentence
    return (within or close) and _is_about(result, row)


def judge_directions(item: Labelled, reading: StudyReading) -> Iterator[Answer]:
    """Yield for each row whether its direction was read, and rightly."""
    told = [span.text for span in numbered(item.record)]
    for row in item.rows:
        label = row["label"].removeprefix("significantly ").replace("no significant", "no")
        found = [r for r in reading.results if _tells(r, row, told)]
        answers = [a for r in found if (a := _answer(reading, r, row))]
        right = bool(answers) and label in (answers[0], answers[0].partition("/")[2])
        shown = f"{answers[:1]} for {label}: {row['outcome'][:50]} | {row['evidence'][:160]}"
        yield Answer(bool(answers), right, shown)


def _answer(reading: StudyReading, result: Result, row: Row) -> str | None:
    """The direction by intervention and comparator of the row; None where it is not told."""
    way, turn = direction(result), side(reading, result, row)
    if way in (None, "better") or (turn == 0 and way != "no difference"):
        return None
    if _LOWERED.match(result.outcome) and not _LOWERED.search(row["outcome"]):
        way = _TURNED.get(way, way)
    return _TURNED.get(way, way) if turn < 0 else way


def judge_articles(item: Labelled, reading: StudyReading) -> Iterator[Answer]:
    """Yield whether an article has a result with a direction."""
    if item.rows:
        told = any(direction(r) is not None for r in reading.results)
        yield Answer(told, told)


def judge_figures(item: Labelled, reading: StudyReading) -> Iterator[Answer]:
    """Yield for each triplet with figures whether they were read by arm, and rightly."""
    for row in item.rows:
        if row["is_data_complete"] != "TRUE":
            continue
        found = [r for r in reading.results if r.figures and _is_about(r, row)]
        judged = [right for r in found if (right := _figures_right(reading, r, row)) is not None]
        yield Answer(bool(judged), any(judged), f"{row['outcome'][:60]}: {found[:1]}")


def _is_about(result: Result, row: Row) -> bool:
    outcome, asked = _words(result.outcome) - _MEASURES, _words(row["outcome"]) - _MEASURES
    return len(outcome & asked) >= 0.5 * min(len(outcome), len(asked)) > 0


def _figures_right(reading: StudyReading, result: Result, row: Row) -> bool | None:
    """Judge the figures of the two arms that the row names, whichever arms the result compares."""
    by_arm = {figure.arm: figure for figure in result.figures}
    a, b = (_arm_named(reading, by_arm, row[side]) for side in ("intervention", "comparator"))
    if not a or not b or a == b:
        return None
    return _is_figure(by_arm[a], row, "intervention") and _is_figure(by_arm[b], row, "comparator")


def _arm_named(reading: StudyReading, among: Iterable[str], name: str) -> str:
    """Return the one arm that is nearest to a name; '' where none or several are."""
    near = sorted((_overlap(_arm_text(reading.arm(i)), name), i) for i in among)
    if not near or near[-1][0] <= 0 or (len(near) > 1 and near[-2][0] == near[-1][0]):
        return ""
    return near[-1][1]


def _is_figure(figure: ArmFigure, row: Row, arm: str) -> bool:
    events, size, mean = (row[f"{arm}_{k}"] for k in ("events", "group_size", "mean"))
    if figure.events is not None:
        return bool(figure.events == events)
    value = figure.value
    if value is None:
        return False
    shares = [100 * float(events) / float(size)] if events != "" and size not in ("", 0) else []
    wanted = [float(x) for x in (events, mean) if x != ""] + shares
    return any(abs(value - w) <= max(0.6 if w in shares else 0.0, 1e-9) for w in wanted)


def judge_outcomes(path: Path) -> Iterator[Outcome]:
    """Yield for each pair of outcomes whether it is joined, or kept apart, as labelled.

    A line has `a` and `b`, each with `concept` and `outcome`, and `same`; every other line may be
    looked at.
    """
    for n, pair in enumerate(json_lines(path)):
        joined = _row_of(pair["a"]) == _row_of(pair["b"])
        measure = "same outcomes joined" if pair["same"] else "different outcomes kept apart"
        shown = f"{pair['a']['outcome']} | {pair['b']['outcome']}"
        yield Outcome(measure, HALVES[n % 2], True, joined == pair["same"], shown)


def _row_of(outcome: dict[str, str]) -> str:
    """The name of the row that an outcome comes into."""
    found = construct_of(outcome["concept"], outcome["outcome"])
    return found.name if found else " ".join(outcome["concept"].casefold().split())


OF_PICO = (Judge("people randomised", judge_people), Judge("people by arm", judge_arm_sizes))
OF_INFERENCE = (
    Judge("directions", judge_directions),
    Judge("articles with a direction", judge_articles),
)
OF_TRIPLETS = (Judge("figures by arm", judge_figures),)


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
