"""What a model is asked about a free question, one function for each judgement."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.checklist import Checklist, Inquiry, ItemFact
from deepcritical.prompts.asks import READ_QUESTION, Prompt, compose, records_part
from deepcritical.prompts.evidence import ShownRecords, record_text


def ask_inquiry(text: str, context: str, *, short: bool = False) -> Prompt:
    """What else a question wants known, and searches for it."""
    return compose(
        "plan_inquiry",
        f"""{READ_QUESTION} Then name the needs that an expert would want met to answer it, of
        the kinds that the answer's form lists; and up to 6 searches, each as 1-6 plain words to be
        added to the names in the question: outcomes, populations, designs or mechanisms, those
        that could speak against it included.""",
        f"Question: {text}",
        f"Context: {context}" if context else "",
        short=short,
    )


def ask_facts(
    inquiry: Inquiry, checklist: Checklist, shown: ShownRecords, *, short: bool = False
) -> Prompt:
    """The sentences of records that speak to items of the checklist."""
    return compose(
        "map_facts",
        """For each record give the sentences that speak to an item of the checklist, with the ids
        of these items. Plans, aims, background and what others found are no findings of the record,
        unless an item asks for doses, for who was studied, for trials or for background. Of a
        question of yes or no say also whether the sentence speaks for a yes or for a no. Most
        records have none.""",
        _question(inquiry),
        _checklist(checklist),
        records_part(shown),
        short=short,
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
    """How far the facts cover each item, and what to search for next."""
    searched = "\n".join(f"- {text}" for text in run[-20:])
    return compose(
        "check_completeness",
        """For each item of the checklist say whether the facts located so far satisfy it, cover it
        in part, or leave it unsatisfied. An item on which studies disagree is covered in part. Then
        give up to 6 searches for what is missing, each as 1-6 plain words to be added to the names
        in the question, none that was run already.""",
        _question(inquiry),
        _checklist(checklist),
        f"Searches run so far:\n{searched}" if searched else "",
        _facts(facts, limit_chars),
        short=short,
    )


def _question(inquiry: Inquiry) -> str:
    context = f"\nContext: {inquiry.context}" if inquiry.context else ""
    return f"Question: {inquiry.text}{context}"


def _checklist(checklist: Checklist) -> str:
    return "Checklist:\n" + "\n".join(f"- {item.id}: {item.text}" for item in checklist.items)


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
