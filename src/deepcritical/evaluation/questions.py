"""Measures the understanding of questions, on own wordings and published tables of names."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.evaluation.scores import Half, Outcome, half_of, json_lines, table
from deepcritical.questions.by_model import read_by_model
from deepcritical.questions.model_reading import ModelReading
from deepcritical.questions.naming import find_names
from deepcritical.questions.reading import read_frame


def _side(path: Path) -> Half:
    """Own sets lie in two folders: one that is tuned on, and one that is only counted."""
    return "kept aside" if path.parent.name == "held_out" else "development"


def _outcome(frame: QuestionFrame) -> str:
    return frame.declined.value if frame.declined else frame.kind.value


def _canonical(names: Sequence[str]) -> set[str]:
    """The names of drugs as the vocabulary has them."""
    known = {n: read_frame(f"Does {n} help in asthma?").drugs for n in names}
    return {d.name for n in names for d in known[n]} | {n for n in names if not known[n]}


def judge_wordings(path: Path) -> Iterator[Outcome]:
    """Yield for each wording of an intent whether the frame is the labelled one.

    Where the answers of a model's place lie beside the intents, also whether it is with these.
    """
    recorded = dict(_recorded(path))
    for intent in json_lines(path):
        for wording in intent["wordings"]:
            text = wording["text"]
            frame = read_frame(text)
            yield _judged("same frame", path, frame, (intent, wording))
            if text in recorded:
                read = read_by_model(frame, recorded[text])
                yield _judged("same frame (recorded readings)", path, read, (intent, wording))
                yield _judged("same frame (the same, by rule)", path, frame, (intent, wording))


def _judged(
    measure: str, path: Path, frame: QuestionFrame, told: tuple[dict[str, Any], dict[str, Any]]
) -> Outcome:
    intent, wording = told
    faults = _faults(frame, intent, wording)
    shown = f"{intent['kind']}: {wording['text']} -> {faults}"
    return Outcome(measure, _side(path), frame.answerable, not faults, shown)


def _recorded(path: Path) -> Iterator[tuple[str, ModelReading]]:
    """Yield wordings with the answers of readers who saw only the model's prompt."""
    beside = path.with_name(path.name.replace("intents", "readings"))
    for row in json_lines(beside) if beside != path and beside.exists() else ():
        yield row["text"], ModelReading.model_validate(row["answer"])


def _faults(frame: QuestionFrame, intent: dict[str, Any], wording: dict[str, Any]) -> list[str]:
    """Return the parts of a frame that differ from its label."""
    found = []
    if _outcome(frame) != intent["kind"]:
        found.append(f"kind {_outcome(frame)}")
    if {d.name for d in frame.drugs} != _canonical(intent["drugs"]):
        found.append(f"drugs {[d.name for d in frame.drugs]}")
    if set(frame.comparators) != _canonical(intent["comparators"]):
        found.append(f"comparators {frame.comparators}")
    if not _same_condition(frame, intent):
        found.append(f"condition {frame.condition.name if frame.condition else None}")
    if frame.negative != wording["negative"]:
        found.append("polarity")
    return found


def _same_condition(frame: QuestionFrame, intent: dict[str, Any]) -> bool:
    own = frame.condition
    if not intent["condition"]:
        return own is None
    labelled = find_names(intent["condition"]).conditions
    name = labelled[0].condition.name if labelled else ""
    # Of a symptom within a disease, either may lead: both are searched.
    if name in frame.population:
        return True
    return own is not None and (name in own.names or own.mesh_id == f"MESH:{intent['mesh']}")


def judge_declined(path: Path) -> Iterator[Outcome]:
    """Yield for each input without an answer whether it is declined, for the right reason."""
    for row, way, frame in _read_both_ways(path):
        right = _outcome(frame) == row["kind"]
        shown = f"{row['kind']} was {_outcome(frame)}: {row['text']}"
        yield Outcome(f"declined rightly{way}", _side(path), not frame.answerable, right, shown)


def judge_answerable(path: Path) -> Iterator[Outcome]:
    """Yield for each fine question that looks otherwise whether it is answered."""
    for row, way, frame in _read_both_ways(path):
        ok = frame.answerable
        yield Outcome(f"fine questions answered{way}", _side(path), ok, ok, row["text"])


def _read_both_ways(path: Path) -> Iterator[tuple[dict[str, Any], str, QuestionFrame]]:
    """Yield each input as the rules read it, and where answers of a model's place lie beside it.

    A model is asked only about what the rules let through, or doubt.
    """
    file = path.with_name("read_inputs.jsonl")
    told = {row["text"]: row["answer"] for row in json_lines(file)} if file.exists() else {}
    for row in json_lines(path):
        frame = read_frame(row["text"])
        yield row, "", frame
        if file.exists():
            answer = told.get(row["text"])
            said = ModelReading.model_validate(answer) if answer else None
            yield row, " (recorded readings)", read_by_model(frame, said) if said else frame


def judge_names(path: Path) -> Iterator[Outcome]:
    """Yield for each name of a condition or a drug whether it is known as it is written."""
    for row in json_lines(path):
        found, meant = find_names(row["text"]), find_names(row["name"])
        if path.stem == "drugs":
            told = bool(found.drugs)
            right = told and _canonical([row["text"]]) == _canonical([row["name"]])
        else:
            told = bool(found.conditions)
            first = found.conditions[0].condition if told else None
            same = bool(meant.conditions) and meant.conditions[0].condition == first
            right = first is not None and (same or first.mesh_id == row["mesh"] != "")
        yield Outcome(f"{path.stem} known", _side(path), told, right, row["text"])


def judge_words(path: Path) -> Iterator[Outcome]:
    """Yield for each word that is no drug whether it is left alone."""
    for row in json_lines(path):
        names = {n.casefold() for drug in read_frame(row["text"]).drugs for n in drug.names}
        right = row["word"].casefold() not in names
        yield Outcome("words that are no drugs", _side(path), True, right, row["text"])


def judge_pairs(path: Path) -> Iterator[Outcome]:
    """Yield for each drug and disease of a curated table whether a question on both is understood.

    The published forms: repoDB (`drug_name`, `ind_name`), PharmacotherapyDB's indications (`drug`,
    `disease`) and DrugMechDB (`graph`, with the disease's MeSH id).
    """
    for drug, disease, mesh in dict.fromkeys(_pairs(path)):
        frame = read_frame(f"Can {drug} be repurposed for {disease}?")
        own = frame.condition
        told = bool(frame.drugs) and own is not None
        right = len(frame.drugs) == 1 and own is not None and mesh in ("", own.mesh_id)
        shown = f"{drug} ({frame.drugs}), {disease} ({own.name if own else None})"
        yield Outcome("drug and disease known", half_of(f"{drug}|{disease}"), told, right, shown)


def _pairs(path: Path) -> Iterator[tuple[str, str, str]]:
    """The drug, the disease, and its MeSH id or ''."""
    if path.suffix in (".csv", ".tsv"):
        for row in table(path):
            yield row.get("drug_name") or row["drug"], row.get("ind_name") or row["disease"], ""
        return
    for linked in json_lines(path):
        graph = linked["graph"]
        yield graph["drug"], graph["disease"], graph.get("disease_mesh") or ""
