"""How well questions are understood: `python -m benchmarks.questions [-v]`.

Prints for the development half and for the half that was kept aside: wordings with the right frame
(kind, drugs, comparators, condition, polarity), inputs declined for the right reason, fine
questions that were declined, names of conditions and drugs that were known, and the time of one
question. With -v what is wrong in the development half is listed; the other half is only counted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from deepcritical.domain.frame import QuestionFrame
from deepcritical.questions.naming import find_names
from deepcritical.questions.reading import read_frame

DATA = Path(__file__).parent / "questions_data"
HALVES = ("dev", "held_out")


def lines(half: str, name: str) -> Iterator[dict[str, Any]]:
    """The examples of a file."""
    text = (DATA / half / f"{name}.jsonl").read_text(encoding="utf-8")
    yield from map(json.loads, text.splitlines())


def outcome(frame: QuestionFrame) -> str:
    """The kind of a frame, or the reason why it was declined."""
    return frame.declined.value if frame.declined else frame.kind.value


def canonical(names: list[str]) -> set[str]:
    """The names of drugs as the vocabulary has them."""
    known = {n: read_frame(f"Does {n} help in asthma?").drugs for n in names}
    return {d.name for n in names for d in known[n]} | {n for n in names if not known[n]}


def wrong(frame: QuestionFrame, intent: dict[str, Any], wording: dict[str, Any]) -> list[str]:
    """What of a frame is not as labelled."""
    found = []
    if outcome(frame) != intent["kind"]:
        found.append(f"kind {outcome(frame)}")
    if {d.name for d in frame.drugs} != canonical(intent["drugs"]):
        found.append(f"drugs {[d.name for d in frame.drugs]}")
    if set(frame.comparators) != canonical(intent["comparators"]):
        found.append(f"comparators {frame.comparators}")
    labelled = find_names(intent["condition"]).conditions if intent["condition"] else ()
    name = labelled[0].condition.name if labelled else ""
    own = frame.condition
    # Of a symptom within a disease, either may lead: both are searched.
    same = (own is None and not intent["condition"]) or name in frame.population
    if own is not None and intent["condition"]:
        same |= name in own.names or own.mesh_id == f"MESH:{intent['mesh']}"
    if not same:
        found.append(f"condition {own.name if own else None}")
    if frame.negative != wording["negative"]:
        found.append("polarity")
    return found


def show_frames(half: str, *, tell: bool) -> None:
    """Wordings that are understood as labelled, and how long one takes."""
    took, right, refused, n = [], 0, 0, 0
    for intent in lines(half, "intents"):
        for wording in intent["wordings"]:
            begun = time.perf_counter()
            frame = read_frame(wording["text"])
            took.append((time.perf_counter() - begun) * 1000)
            faults = wrong(frame, intent, wording)
            n, right, refused = n + 1, right + (not faults), refused + (not frame.answerable)
            if tell and faults:
                print(f"  {intent['id']} {intent['kind']}: {wording['text']} -> {faults}")
    print(f"{half}: same frame {right} of {n} ({right / n:.1%}); declined {refused}")
    print(f"{half}: a question takes {median(took):.1f} ms, p95 {quantiles(took, n=20)[-1]:.1f} ms")


def show_declined(half: str, *, tell: bool) -> None:
    """Inputs that are declined for the right reason, and fine questions that are not."""
    told = [(d, read_frame(d["text"])) for d in lines(half, "declines")]
    right = sum(outcome(frame) == d["kind"] for d, frame in told)
    refused = sum(not frame.answerable for _, frame in told)
    print(f"{half}: not searched {refused} of {len(told)}, for the right reason {right}")
    for d, frame in told if tell else ():
        if outcome(frame) != d["kind"]:
            print(f"  {d['kind']} was {outcome(frame)}: {d['text']}")
    traps = [read_frame(d["text"]) for d in lines(half, "answerable_traps")]
    print(f"{half}: fine questions answered {sum(f.answerable for f in traps)} of {len(traps)}")


def show_names(half: str, *, tell: bool) -> None:
    """Names that are known as users write them, and words that are taken for drugs."""
    for name in ("conditions", "drugs"):
        told, right = list(lines(half, name)), 0
        for d in told:
            good = _is_known(name, d)
            right += good
            if tell and not good:
                print(f"  {name}: {d['text']} is {d['name']}")
        print(f"{half}: {name} known {right} of {len(told)} ({right / len(told):.0%})")
    words = list(lines(half, "non_drugs"))
    taken = [d for d in words if _is_taken(d)]
    print(f"{half}: words taken for drugs {len(taken)} of {len(words)}")


def _is_known(name: str, d: dict[str, Any]) -> bool:
    found, meant = find_names(d["text"]), find_names(d["name"])
    if name == "conditions":
        if not found.conditions:
            return False
        first = found.conditions[0].condition
        same = bool(meant.conditions) and meant.conditions[0].condition == first
        return same or (first.mesh_id == d["mesh"] != "")
    return bool(found.drugs) and canonical([d["text"]]) == canonical([d["name"]])


def _is_taken(d: dict[str, Any]) -> bool:
    names = {n.casefold() for drug in read_frame(d["text"]).drugs for n in drug.names}
    return d["word"].casefold() in names


def main() -> None:
    """Print the figures of both halves."""
    read_frame("Does metformin help in asthma?")  # loads the vocabularies
    for half in HALVES:
        tell = half == "dev" and "-v" in sys.argv
        show_frames(half, tell=tell)
        show_declined(half, tell=tell)
        show_names(half, tell=tell)


if __name__ == "__main__":
    main()
