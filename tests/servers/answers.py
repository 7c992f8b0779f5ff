"""Answers of a made-up model, out of the records in its prompt, so that its quotes are real."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from deepcritical.domain.text.spans import whole_sentences

Answer = dict[str, Any]

_RECORD = re.compile(r'<record id="(?P<id>E\d+)">\n(?P<body>.*?)\n</record>', re.DOTALL)
_STUDY = re.compile(r'<record id="(?P<id>R\d+)">\n(?P<body>.*?)\n</record>', re.DOTALL)
_CITABLE = re.compile(r"^\[(?P<id>\d+\.\d+)\] (?P<text>.+)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\[(?P<number>\d+)\](?: \([\w ,;:&-]+\))? (?P<text>.+)$", re.MULTILINE)
_NEGATIVE = re.compile(r"\bno (?:effect|benefit|difference)\b|\bdid not\b|\bnot improve", re.I)
_POSITIVE = re.compile(r"\b(?:improved|reduced|lowered|protected)\b", re.IGNORECASE)


def task_of(prompt: str) -> str:
    """The task that a prompt names; one that names none is not of the product."""
    found = re.search(r"^Task: (\w+)$", prompt, re.MULTILINE)
    return found[1] if found else "prose"


def records_of(prompt: str) -> dict[str, str]:
    """The records of a prompt: id and text that may be quoted."""
    return {
        match["id"]: match["body"].partition("\ntext: ")[2] for match in _RECORD.finditer(prompt)
    }


def sentences_of(text: str) -> list[str]:
    return [span.text for span in whole_sentences(text) if len(span.text.split()) > 3]


def field(prompt: str, name: str) -> str:
    """Return the text of a prompt after ``Name:``."""
    found = re.search(rf"^{name}: (.+)$", prompt, re.MULTILINE)
    return found[1] if found else ""


def plan(prompt: str) -> Answer:
    question = field(prompt, "Question").strip("?")
    named = re.search(r"Can (.+) be repurposed for (.+)$", question)
    drug, condition = (named[1], named[2]) if named else ("", "")
    searches = ["quality of life", "stopped early for futility"]
    return {
        "kind": "efficacy",
        "drugs": [drug] if drug else [],
        "condition": condition,
        "searches": searches,
    }


def _better(sentence: str) -> str | None:
    if _NEGATIVE.search(sentence):
        return "no_difference"
    return "a" if _POSITIVE.search(sentence) else None


def studies_of(prompt: str) -> dict[str, dict[int, str]]:
    """The records of a prompt for reading: id and sentences by their numbers, the title at 0."""
    return {
        match["id"]: {
            int(line["number"]): line["text"] for line in _NUMBERED.finditer(match["body"])
        }
        for match in _STUDY.finditer(prompt)
    }


def read_studies(
    prompt: str, judged: Callable[[str], str | None] = lambda text: _better(text)
) -> Answer:
    """The sentences with a direction as results of one arm that got what the title names first."""

    def study(key: str, told: dict[int, str]) -> Answer:
        drug = re.match(r"\W*([\w-]+)", told[0])
        results = [
            {"outcome": "symptoms", "a": "A", "better": judged(text), "s": [number]}
            for number, text in told.items()
            if number and judged(text)
        ]
        named = drug[1] if drug else ""
        arms = [{"id": "A", "gets": [named]}]
        return {"id": key, "arms": arms, "results": results, "mechanism": _steps(named, told)}

    return {"studies": [study(key, told) for key, told in studies_of(prompt).items()]}


def _steps(drug: str, told: dict[int, str]) -> list[Answer]:
    """Answer that the drug raises each of a few names found in sentences of the text."""
    names = re.compile(r"\b(AMPK|mTOR|testase|inflammation)\b")
    found = [(names.search(text), number) for number, text in told.items() if number]
    step = {"subject": drug, "relation": "increases", "system": "animal"}
    return [{**step, "object": named[1], "s": [number]} for named, number in found if named]


def propose_hypotheses(prompt: str) -> Answer:
    """The first two edges of the graph that leave the drug, each as a chain to the condition."""
    drug, condition = field(prompt, "Drug"), field(prompt, "Condition")
    found = re.findall(rf"^{re.escape(drug)} -> ([^:]+):", prompt, re.MULTILINE)
    return {"chains": [[drug, name, condition] for name in found[:2]]}


def assess_evidence(_prompt: str) -> Answer:
    return {
        "mechanism_score": 9,
        "clinical_score": 9,
        "confidence": "high",
        "answers_question": True,
        "gaps": ["long_term_outcome"],
        "searches": ["long term follow up"],
    }


def cited_from(prompt: str) -> list[str]:
    """The numbers of the records that a writer may cite from."""
    return re.findall(r'^<record id="(\d+)">$', prompt, re.MULTILINE)


def findings_of(prompt: str) -> dict[str, str]:
    """The sentences of records that a writer may cite: id and words."""
    return {match["id"]: match["text"] for match in _CITABLE.finditer(prompt)}


def write_report(prompt: str) -> Answer:
    """Answer with the first sentences that tell a result, word for word, and one as a row."""
    tells = [
        {"text": text, "findings": [i]}
        for i, text in findings_of(prompt).items()
        if _POSITIVE.search(text) or _NEGATIVE.search(text)
    ]
    rows = [{"outcome": "result", "result": t["text"], "findings": t["findings"]} for t in tells]
    return {"sentences": tells[:4], "rows": rows[:1]}


def verify(prompt: str) -> Answer:
    """An answer that finds every sentence supported by all that it cites."""
    cited = re.findall(r'<sentence id="(S\d+)" cites="([RF\d ]+)">', prompt)
    return {
        "judgements": [
            {"id": i, "verdict": "supported", "records": re.findall(r"R\d+", cites)}
            for i, cites in cited
        ]
    }


def team_note(_prompt: str) -> Answer:
    return {"lines": ["Search first.", "Then judge."]}


def team_ledger(prompt: str) -> Answer:
    """The first agent of those that can act."""
    (*_, possible) = re.findall(r"^Agents that can act now: (\w+)", prompt, re.MULTILINE)
    return {
        "request_satisfied": False,
        "in_loop": False,
        "progress": True,
        "next_agent": possible,
        "instruction": "Go on.",
    }


def plan_inquiry(_prompt: str) -> Answer:
    return {"kind": "open", "needs": ["effect", "safety", "dose"], "searches": ["quality of life"]}


def map_facts(prompt: str) -> Answer:
    """Every numbered sentence with a direction, for two items of the checklist."""
    numbers = [
        f"{i}.{found[1]}"
        for i, text in records_of(prompt).items()
        for line in text.splitlines()
        if (found := re.match(r"(\d+)\. ", line))
        and (_POSITIVE.search(line) or _NEGATIVE.search(line))
    ]
    return {"needs": [{"item": item, "meets": numbers} for item in ("C1", "C4")]}


def match_results(_prompt: str) -> Answer:
    return {"results": [], "shows": None}


def check_completeness(prompt: str) -> Answer:
    items = re.findall(r"^- (C\d): ", prompt, re.MULTILINE)
    judged = [{"item": item, "coverage": "satisfied"} for item in items]
    return {"items": judged, "searches": ["long term follow up"]}


def choose_tool(prompt: str) -> Answer:
    """The first tool of those offered that were not tried, with the message as it is."""
    names = re.findall(r"^- (\w+): ", prompt.partition("Tools:")[2], re.MULTILINE)
    return {"tool": names[0], "query": field(prompt, "Message")}


def chat_sentences(prompt: str) -> Answer:
    said = [
        {"evidence_id": i, "quote": sentence}
        for i, text in records_of(prompt).items()
        for sentence in sentences_of(text)[:2]
    ]
    return {"sentences": said[:6]}


def prose(prompt: str) -> str:
    """A sentence on the first text with a number, as a baseline asks for it."""
    cited = re.search(r"^\[(\d+)\]", prompt, re.MULTILINE)
    return f"Nothing is shown [{cited[1] if cited else 1}].\nVerdict: mixed"


ANSWERS: dict[str, Callable[[str], Answer | str]] = {
    "prose": prose,
    "plan": plan,
    "read_studies": read_studies,
    "propose_hypotheses": propose_hypotheses,
    "assess_evidence": assess_evidence,
    "write_report": write_report,
    "verify": verify,
    "team_note": team_note,
    "team_ledger": team_ledger,
    "plan_inquiry": plan_inquiry,
    "map_facts": map_facts,
    "match_results": match_results,
    "check_completeness": check_completeness,
    "choose_tool": choose_tool,
    "chat_sentences": chat_sentences,
}
"""The answers by task."""


def answer(prompt: str) -> Answer | str:
    """Answer a prompt as a sane model does."""
    return ANSWERS[task_of(prompt)](prompt)
