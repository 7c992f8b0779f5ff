"""Hostile records and questions, and the time that it takes to read them whole."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from deepcritical import stance
from deepcritical.answering.needs import checklist_of, inquiry_of
from deepcritical.answering.passages import read_passages
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Citation, Evidence
from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.domain.text.spans import align_quote, locate_quote
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.sameness import meaning_of
from deepcritical.reading.library import read_by_code
from deepcritical.services.ranking import terms
from deepcritical.verification.claims import verify_claim
from deepcritical.vocabulary.drugs import find_drugs

__all__ = ["TimedReading", "hostile_readings"]

_OPENING = "Results: Examplol improved testitis. "
_QUESTION = "Does examplol reduce pain in testitis? "
_CLAIM = "Examplol improved testitis in 40 patients (p = 0.03)."
_UNITS = (
    f"randomised {'a-' * 200}",
    *("a-", "a ", "x", " ", "\n", "(", "[", "1,", "1 ", "1 (2 to 3) ", "p < 0.05, ", "no "),
    *("were ", "patients ", "meta-", "analysis of ", "It is. ", "AB ", "30 mg/day of "),
    *("examplol ", "testitis ", "examplol (EX) ", "examplol improved testitis "),
    *("AMPK ", "insulin raises AMPK and lowers glucose, ", "not due to ", "safety or efficacy "),
)


class TimedReading(NamedTuple):
    """A text by what it repeats, with the seconds of CPU that each length took."""

    name: str
    unit: str
    times: tuple[float, ...]

    def __str__(self) -> str:
        """Return a line of a table."""
        ratios = (after / max(before, 1e-6) for before, after in pairwise(self.times))
        seconds = "  ".join(f"{seconds:6.2f}" for seconds in self.times)
        grown = "  ".join(f"{ratio:4.1f}" for ratio in ratios)
        return f"{self.name:8} {self.unit[:24]!r:28} {seconds} s  x {grown}"


def hostile_readings(lengths: Sequence[int], linear: float) -> Iterator[TimedReading]:
    """Yield how long records of these lengths take, and questions up to the longest allowed.

    Args:
        lengths: Characters, each twice the one before.
        linear: A text is not read at more than two lengths where this ratio is not exceeded.
    """
    _read_record(_OPENING)  # loads the vocabularies
    gc.freeze()  # or each collection would go through all that is loaded
    for name, read, longest in (
        ("record", _read_record, lengths),
        ("question", _read_question, [MAX_QUESTION_CHARS // 4 * n for n in (1, 2, 4)]),
    ):
        for unit in _UNITS:
            times: list[float] = []
            for length in longest:
                times.append(_seconds(read, (unit * (length // len(unit) + 1))[:length]))
                if len(times) == 2 and times[1] < linear * times[0]:
                    break
            yield TimedReading(name, unit, tuple(times))


def _seconds(read: Callable[[str], None], text: str) -> float:
    gc.collect()
    gc.disable()  # it would be counted against whichever text it comes with
    begun = time.process_time()
    read(text)
    seconds = time.process_time() - begun
    gc.enable()
    return seconds


def _read_record(text: str) -> None:
    """Do with a record what a run, a deep question and a check of a claim do with it."""
    record = Evidence(
        content=(_OPENING + text)[: len(text)],
        citation=Citation(source="pubmed", title="Examplol in testitis"),
    )
    inquiry, records = inquiry_of(_QUESTION), {"E1": record}
    grade(record)
    find_drugs(record.content)
    terms(record.content)
    readings = read_by_code(records)
    read_passages(inquiry, checklist_of(inquiry), records, readings, [record])
    stance(record, _QUESTION)
    locate_quote("These words are nowhere in it.", record.content)
    align_quote("These words are nowhere in it.", record.content, record.citation.title)
    verify_claim(_CLAIM, record)


def _read_question(text: str) -> None:
    """Do with a question what each kind of run does with it."""
    question = (_QUESTION + text)[: len(text)]
    frame = literal_frame(question)
    meaning_of(frame)
    inquiry_of(question)
