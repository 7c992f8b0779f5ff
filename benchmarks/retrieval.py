"""Question to its abstract among all of a set, by the product's own retrieval.

Give PubMedQA's JSON file (github.com/pubmedqa/pubmedqa, MIT). For each way of ranking: nDCG@10,
Recall@10 and MRR, with one relevant abstract for each question. The last column is nDCG@10 as a
ratio to the better of BM25 and vectors alone (target for hybrid: at least 0.99).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from deepcritical.domain.evidence.record import Citation, Evidence
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import DEFAULT_MODEL, EmbeddingService
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService, Method

DEPTH = 100


class Question(NamedTuple):
    """A question and the id of its abstract."""

    text: str
    answer: str


class Figures(NamedTuple):
    """Means over all questions, 0-1."""

    ndcg: float
    recall: float
    mrr: float


def read(path: Path, limit: int) -> tuple[dict[str, Evidence], list[Question]]:
    """Abstracts by id, and the questions. Without titles: the real ones are the questions."""
    items = list(json.loads(path.read_text(encoding="utf-8")).items())[:limit]
    records = {
        key: Evidence(
            content=" ".join(item["CONTEXTS"]), citation=Citation(source="pubmed", title="Abstract")
        )
        for key, item in items
    }
    return records, [Question(item["QUESTION"], key) for key, item in items]


def score(ranks: Sequence[int | None]) -> Figures:
    """Figures of the ranks, from 1, at which the abstracts were found; None where they were not."""
    top = [rank for rank in ranks if rank and rank <= 10]
    return Figures(
        ndcg=sum(1 / math.log2(rank + 1) for rank in top) / len(ranks),
        recall=len(top) / len(ranks),
        mrr=sum(1 / rank for rank in ranks if rank) / len(ranks),
    )


async def measure(
    records: dict[str, Evidence], questions: list[Question], embeddings: EmbeddingService
) -> dict[Method, Figures]:
    """Figures of every way of ranking."""
    found: dict[Method, Figures] = {}
    async with LlamaIndexRAGService("benchmark", embeddings, ChromaIndex()) as rag:
        await rag.ingest(records)
        print((await rag.retrieval()).label)
        for method in get_args(Method):
            ranks = []
            for question in questions:
                order = list(await rag.query(question.text, DEPTH, method=method))
                ranks.append(order.index(question.answer) + 1 if question.answer in order else None)
            found[method] = score(ranks)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=10**9, help="questions and abstracts")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--cache", type=Path, help="SQLite file that keeps vectors")
    args = parser.parse_args()
    records, questions = read(args.data, args.limit)
    found = asyncio.run(measure(records, questions, EmbeddingService(args.model, cache=args.cache)))
    best = max(found["lexical"].ndcg, found["dense"].ndcg)
    print(f"{'ranking':8} {'nDCG@10':>8} {'R@10':>6} {'MRR':>6} {'x best':>7}")
    for method, figures in found.items():
        print(
            f"{method:8} {figures.ndcg:8.4f} {figures.recall:6.3f} {figures.mrr:6.3f} "
            f"{figures.ndcg / best:7.4f}"
        )


if __name__ == "__main__":
    main()
