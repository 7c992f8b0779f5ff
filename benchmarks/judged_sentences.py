"""True and wrong sentences through the gate with a model that judges them: what passes, by half.

    python -m benchmarks.judged_sentences [--record BASE_URL] [--own]

`claim_data/sentences.jsonl` holds sentences on the records beside them, written from the abstracts
alone by somebody who had not seen the code; each cites all sentences of its record, as a writer
may at most. The judge is whoever answered in a model's place: `claim_data/judged.jsonl.gz` holds
the answers by a hash of each request, and `--record` asks what it lacks. With `--own` the judge
counts as the writer itself, so that code checks more.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recorded_model import PATIENCE_S, RecordedModel
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.report.sentences import Draft, Finding
from deepcritical.domain.run.budget import RunLimits
from deepcritical.evaluation.scores import json_lines, share_words, wilson
from deepcritical.models.asking import open_asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.providers import model_server
from deepcritical.reading.sentences import numbered
from deepcritical.verification.gate import CheckedDraft, Gate
from deepcritical.verification.verifiers import Item, Judged, ModelVerifier
from deepcritical.writing.sentences.passages import passage_finding
from tests.servers.running import running

FOLDER = Path(__file__).parent / "claim_data"
ANSWERS = FOLDER / "judged.jsonl.gz"
_AT_ONCE = 20
"""Sentences of one request, as a brief has them."""


def records() -> dict[str, Evidence]:
    """The records by the ids that the sentences name."""
    return {
        row["id"]: Evidence(
            content=row["text"],
            citation=Citation(source="pubmed", title=row["title"] or "-"),
            metadata=EvidenceMetadata(pmid=row.get("pmid"), nct_id=row.get("nct")),
        )
        for row in json_lines(FOLDER / "records.jsonl")
    }


def findings_of(key: str, record: Evidence) -> Iterator[Finding]:
    """The sentences of a record as a writer may cite them."""
    for number, span in enumerate(numbered(record)):
        if number:
            yield passage_finding(f"{key}.{number}", key, span, record, None)


class Judgements:
    """The judge's answers, asked of every sentence before code has said anything of it."""

    def __init__(self, by_text: Mapping[str, Judged], name: str) -> None:
        self.name = name
        self._by_text = by_text

    async def entail(self, items: Sequence[Item]) -> Mapping[str, Judged]:
        """Return the judgement of each sentence, by its words."""
        known = self._by_text
        return {item.id: known[item.text] for item in items if item.text in known}


async def asked(items: Sequence[Item], model: RecordedModel) -> dict[str, Judged]:
    """Return the judge's answer to each sentence, by its words."""
    texts = {item.id: item.text for item in items}
    async with running(model.app) as url:
        server = model_server(
            "compatible:recorded", base_url=f"{url}v1", profile="large", timeout_s=PATIENCE_S
        )
        async with open_asker(server, RunDesk(RunLimits())) as asker:
            judge = ModelVerifier(asker, "recorded")
            parts = (items[n : n + _AT_ONCE] for n in range(0, len(items), _AT_ONCE))
            found = await asyncio.gather(*map(judge.entail, parts))
    return {texts[key]: one for some in found for key, one in some.items()}


async def judged(
    rows: Sequence[dict[str, Any]], model: RecordedModel, *, own: bool
) -> list[CheckedDraft]:
    """Each sentence with its checks, in order."""
    held = records()
    known = {f.id: f for key, record in held.items() for f in findings_of(key, record)}
    cited = {key: [f for f in known.values() if f.evidence_ids == (key,)] for key in held}
    texts = {key: (one.citation.title, one.content) for key, one in held.items()}
    items = [
        Item(
            row["id"], row["sentence"], {row["record"]: texts[row["record"]]}, cited[row["record"]]
        )
        for row in rows
    ]
    judge = Judgements(await asked(items, model), "recorded")
    drafts = [Draft(text=i.text, finding_ids=tuple(f.id for f in i.findings)) for i in items]
    return [*await Gate(known, held, judge, own=own).checked(drafts)]


def counted(rows: Sequence[dict[str, Any]], found: Sequence[CheckedDraft]) -> Iterator[str]:
    """The true and the wrong sentences that are stopped, by half; and who stopped them."""
    for half in ("tuned", "aside"):
        for label in ("true", "wrong"):
            both = zip(rows, found, strict=True)
            some = [one for row, one in both if (row["half"], row["label"]) == (half, label)]
            stopped = [one for one in some if not one.passed]
            by = Counter(
                "judge" if any(c.by and not c.passed for c in one.checks) else "code"
                for one in stopped
            )
            told = "refused" if label == "true" else "caught"
            share = share_words(wilson(len(stopped), len(some)))
            yield f"{half}: {label} sentences {told} {share}; {dict(by)}"


def main() -> None:
    """Judge all sentences, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default="", metavar="BASE_URL")
    parser.add_argument("--own", action="store_true")
    given = parser.parse_args()
    rows = [*json_lines(FOLDER / "sentences.jsonl")]
    model = RecordedModel(ANSWERS, given.record)
    found = asyncio.run(judged(rows, model, own=given.own))
    if given.record:
        model.save(used_alone=False)
    elif model.refused:
        sys.exit(f"{model.refused} requests have no recorded answer; record with --record.")
    sys.stdout.write("\n".join(counted(rows, found)) + "\n")


if __name__ == "__main__":
    main()
