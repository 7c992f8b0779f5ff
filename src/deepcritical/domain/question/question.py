"""The question of a run: population, drug, condition and mechanism terms."""

from enum import StrEnum

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.errors import EmptyQuestionError, QuestionTooLongError
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame
from deepcritical.domain.text.patterns import bounded

MAX_QUESTION_CHARS = 2000
_UNSEEN = bounded(
    r"\x1b\[[0-9;]{0,9}[A-Za-z]|"
    r"[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
"""Colours of a terminal, and characters that no reader sees: they would part a name."""
_CONTROL = bounded(r"[\x00-\x1f\x7f-\x9f]")


class QuestionForm(StrEnum):
    """The three forms in which a question comes."""

    DRUG_CONDITION = "drug_condition"
    CONDITION = "condition"
    HYPOTHESIS = "hypothesis"


class SearchBlock(StrEnum):
    """The kind of evidence that a search is for; each source has its own filter for it."""

    NONE = "none"
    """No filter: drug, condition and terms alone."""
    REVIEWS = "reviews"
    TRIALS = "trials"
    OBSERVATIONAL = "observational"
    HARMS = "harms"
    MECHANISM = "mechanism"
    RECENT = "recent"
    """Records that are not indexed yet. A snapshot, which has no index, is not asked."""
    CITATIONS = "citations"
    """Works that cite those of `linked_to`, that these cite or that are like them. Only a source
    that links its records is asked."""
    WORDS = "words"
    """A wording for sources that rank by words. Sources with fields are not asked: another block
    finds the same records there."""


class SearchQuery(Model):
    """One search: in plain words, and taken apart for sources that have fields."""

    text: str = Field(min_length=1)
    """In plain words: what the reader is shown, and what a source without fields is asked."""
    drug: Drug | None = None
    condition: Condition | None = None
    within: Condition | None = None
    """The disease in which a symptom is treated. Authors name the one or the other in an abstract,
    so a source with fields is asked for either."""
    terms: tuple[str, ...] = ()
    """Words of which one at least must occur beside drug and condition."""
    block: SearchBlock = SearchBlock.NONE
    linked_to: tuple[str, ...] = ()
    """PMIDs whose citations are followed."""
    literature_only: bool = False
    """Whether the words are those of papers: a registry, which holds no results in prose and no
    mechanism, and the web are not asked."""
    web_only: bool = False
    """Whether the words are for the web alone."""


class ResearchQuestion(Model):
    """A question in terms that can be searched."""

    text: str
    """The question as the user wrote it, blanks trimmed."""
    form: QuestionForm
    drug: Drug | None = None
    """None when candidates are sought for a condition."""
    condition: Condition | None = None
    """None when the question names no condition that could be recognised."""
    mechanism_terms: tuple[str, ...] = ()
    """Targets or processes that a hypothesis names, as the user wrote them."""
    notices: tuple[str, ...] = ()
    """What the reader must know about how the question was understood."""
    frame: QuestionFrame | None = None
    """Everything that was understood; None in what was stored before there were frames."""


def checked_question(text: str) -> str:
    """The question trimmed of blanks, and without control characters.

    Raises:
        EmptyQuestionError: It has no letters.
        QuestionTooLongError: It has more than `MAX_QUESTION_CHARS` characters.
    """
    # A terminal in another encoding gives surrogates, which no file or log can hold.
    readable = _UNSEEN.sub("", text.encode("utf-8", "replace").decode("utf-8"))
    # No database can search a text with a NUL.
    question = " ".join(_CONTROL.sub(" ", readable).split())
    if not any(char.isalpha() for char in question):
        raise EmptyQuestionError(
            "The question is empty.",
            'Ask something like "Can metformin be repurposed for Alzheimer\'s disease?"',
        )
    if len(question) > MAX_QUESTION_CHARS:
        raise QuestionTooLongError(
            f"The question has {len(question):,} characters; "
            f"at most {MAX_QUESTION_CHARS:,} are read.",
            "Ask one question in a sentence or two.",
        )
    return question
