"""Writes the prompts about a free question, one function for each judgement."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.appraisal.checklist import Checklist, Inquiry, ItemFact
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.prompts.asks import (
    MATCH,
    READ_QUESTION,
    Prompt,
    compose,
    question_part,
    records_part,
)
from deepcritical.prompts.evidence import ShownRecords, record_text


def ask_inquiry(text: str, context: str, *, short: bool = False) -> Prompt:
    """Ask what else a question wants known, and for searches for it."""
    return compose(
        "plan_inquiry",
        f"""{READ_QUESTION} Then name the needs that an expert would want met to answer it, of
        the kinds that the answer's form lists, first the one that the question itself asks for
        (why something might do harm asks for a mechanism first, then for safety); a test, scan or
        screening, if the question is on one;
        and up to 6 searches, each as 1-6 plain words to be added to the names in the question:
        outcomes, populations, designs or mechanisms, those that could speak against it
        included.""",
        f"Question: {text}",
        f"Context: {context}" if context else "",
        short=short,
    )


def ask_facts(
    inquiry: Inquiry,
    checklist: Checklist,
    shown: ShownRecords,
    run: Sequence[str] = (),
    *,
    short: bool = False,
) -> Prompt:
    """The numbered sentences of records that meet items of the checklist."""
    return compose(
        "map_facts",
        """For each item of the checklist give the sentences that meet it, by their numbers and the
        most telling first, at most 8 an item; those that deny what another sentence given here
        found, or what a question of yes or no asks, go to contradicts: that groups, doses or
        treatments differ denies nothing. A sentence meets an item if by itself it
        states what the item wants known of just what the question asks about: these people, this
        treatment or test, this outcome, with figures where there are some. C1 is the question
        itself: whatever answers it meets C1, in whatever words the item is put. Prefer what the
        record itself found, and of one study the sentence that says most. Plans, aims, background
        and what others found are no findings of the record, unless an item asks for doses, for who
        was studied, for trials, for reviews and guidelines, or for background. A sentence on other
        people, another treatment or outcome goes to near, and only where nothing meets the item.
        Most sentences meet none, and an item may stay open. Give up to 6 searches for what stays
        open, each as 1-6 plain words to be added to the names in the question, none that was run
        already.""",
        _question(inquiry),
        _checklist(checklist),
        _searched(run),
        records_part(shown),
        short=short,
    )


def ask_matches(question: ResearchQuestion, context: str, shown: ShownRecords) -> Prompt:
    """The results of studies that bear on what a drug does in a condition."""
    return compose(
        "match_results",
        MATCH,
        question_part(question),
        f"Context: {context}" if context else "",
        records_part(shown),
        short=False,
    )


def ask_completeness(
    inquiry: Inquiry,
    checklist: Checklist,
    facts: Sequence[ItemFact],
    run: Sequence[str],
    limit_chars: int,
    *,
    short: bool = False,
) -> Prompt:
    """Ask how far the facts cover each item, and what to search for next."""
    return compose(
        "check_completeness",
        """For each item of the checklist say whether the facts located so far satisfy it, cover it
        in part, or leave it unsatisfied. An item on which studies disagree is covered in part. Then
        give up to 6 searches for what is missing, each as 1-6 plain words to be added to the names
        in the question, none that was run already.""",
        _question(inquiry),
        _checklist(checklist),
        _searched(run),
        _facts(facts, limit_chars),
        short=short,
    )


def beside_question(inquiry: Inquiry, checklist: Checklist) -> str:
    """The context of a question and its needs, for who writes the answer."""
    context = [f"Context: {inquiry.context}"] if inquiry.context else []
    needs = "\n".join(f"- {i.text}" for i in checklist.items if i.text != inquiry.text)
    first = "The first sentence answers the question itself. Then tell, where findings do:"
    return "\n".join((*context, first, needs))


def _question(inquiry: Inquiry) -> str:
    context = f"\nContext: {inquiry.context}" if inquiry.context else ""
    return f"Question: {inquiry.text}{context}"


def _checklist(checklist: Checklist) -> str:
    return "Checklist:\n" + "\n".join(f"- {item.id}: {item.text}" for item in checklist.items)


def _searched(run: Sequence[str]) -> str:
    return "\n".join(("Searches run so far:", *(f"- {text}" for text in run[-20:]))) if run else ""


def _facts(facts: Sequence[ItemFact], limit_chars: int) -> str:
    """The facts as delimited data, the strongest first, as many as fit."""
    lines: list[str] = []
    room = limit_chars
    for fact in sorted(facts, key=lambda one: (not one.direct, one.level or 9, one.id)):
        level = f"OCEBM level {fact.level}" if fact.level else "no level"
        line = (
            f'<record id="{fact.fact.evidence_id}">\n[{fact.id}] items {", ".join(fact.items)}; '
            f"{level}; text: {record_text(fact.fact.quote)}\n</record>"
        )
        if len(line) > room:
            break
        lines.append(line)
        room -= len(line) + 1
    return "Facts:\n" + ("\n".join(lines) or "none")
