"""How well records are judged: stance, edges and chains on public labelled sets.

    python benchmarks/quality.py --data PATH

PATH holds the sets as they are published: PubMedQA, Evidence Inference, BioRED and DrugMechDB. A
set that is not there is left out. Beside each figure stands a trivial baseline. The halves are by a
hash of each row's id: far apart, they would show rules that fit single rows. Both have been looked
at, so that only other rows of these sets, or other sets, are unseen.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from deepcritical import stance
from deepcritical.domain.evidence import Citation, Evidence
from deepcritical.domain.hypotheses import Relation
from deepcritical.reasoning.edges import edges_between
from deepcritical.reasoning.mentions import EntityKind, Mention, find_mentions
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.nodes import CONDITION_LABELS, vocabulary


class Row(NamedTuple):
    """One judged row: its half, what is right and what was said."""

    half: str
    gold: str
    said: str


def half(key: str) -> str:
    """A or B, by a hash of the row's id."""
    return (
        "B" if int(hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest(), 16) % 2 else "A"
    )


class Scores(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def scored(hits: int, said: int, gold: int) -> Scores:
    """The scores of so many hits; 0 where nothing was said or is to be found."""
    either = said + gold
    return Scores(*(hits / n if n else 0.0 for n in (said, gold, either / 2)))


def by_class(rows: Sequence[Row], name: str) -> Scores:
    """The scores of one class."""
    hits = sum(r.gold == r.said == name for r in rows)
    return scored(hits, sum(r.said == name for r in rows), sum(r.gold == name for r in rows))


def macro(rows: Sequence[Row]) -> float:
    """The mean F1 of the classes."""
    return fmean(by_class(rows, name).f1 for name in {r.gold for r in rows})


def tell(title: str, rows: Sequence[Row], baseline: Sequence[Row]) -> None:
    """Print a table per class, with both halves and the baseline."""
    print(f"\n{title}")
    print(f"  {'class':<16}{'n':>6}{'precision':>11}{'recall':>9}{'F1':>7}{'baseline F1':>13}")
    for name in sorted({r.gold for r in rows}):
        own, trivial = by_class(rows, name), by_class(baseline, name)
        n = sum(r.gold == name for r in rows)
        print(
            f"  {name:<16}{n:>6}{own.precision:>11.3f}{own.recall:>9.3f}{own.f1:>7.3f}"
            f"{trivial.f1:>13.3f}"
        )
    parts = {"all": rows} | {
        f"half {name}": [r for r in rows if r.half == name] for name in ("A", "B")
    }
    for name, part in parts.items():
        right = sum(r.gold == r.said for r in part) / len(part)
        print(f"  {name:<16}{len(part):>6}  macro-F1 {macro(part):.3f}  accuracy {right:.3f}")
    print(f"  {'baseline':<16}{len(baseline):>6}  macro-F1 {macro(baseline):.3f}")


def record(content: str) -> Evidence:
    """A record of a text alone."""
    return Evidence(content=content, citation=Citation(source="pubmed", title="Untitled"))


_GOLD = {"yes": "supports", "no": "refutes", "maybe": "neutral"}
_DENIES = re.compile(
    r"\b(?:no|not|cannot|neither|nor|without|fail\w*|lack\w*|unlikely|unnecessary|insufficient|"
    r"inadequate|poor|limited)\b",
    re.IGNORECASE,
)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a gzipped JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def by_cue_words(text: str) -> str:
    """The baseline: a denial refutes, a wish for more is neutral, all else supports."""
    open_ended = re.search(r"\b(?:further|unclear|unknown|inconclusive)\b", text, re.IGNORECASE)
    return "refutes" if _DENIES.search(text) else "neutral" if open_ended else "supports"


def sections(row: dict[str, Any]) -> str:
    """The abstract without its conclusion, each section behind its label."""
    return "\n".join(
        f"{label}: {text}" for label, text in zip(row["LABELS"], row["CONTEXTS"], strict=True)
    )


_TEXTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "full text incl. conclusion (LONG_ANSWER)": lambda row: (
        f"{sections(row)}\nCONCLUSIONS: {row['LONG_ANSWER']}"
    ),
    "conclusion alone": lambda row: row["LONG_ANSWER"],
    "full text without section labels": lambda row: (
        f"{' '.join(row['CONTEXTS'])} {row['LONG_ANSWER']}"
    ),
    "abstract without the conclusion": sections,
}


def judge_questions(path: Path) -> None:
    """PubMedQA in each of its texts, yes and no alone, and with the questions mixed up."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for title, text_of in _TEXTS.items():
        rows, trivial = [], []
        for key, row in data.items():
            text, gold = text_of(row), _GOLD[row["final_decision"]]
            said = stance(record(text), row["QUESTION"]).stance.value
            rows.append(Row(half(key), gold, said))
            end = row["LONG_ANSWER"] if "without the" not in title else text
            trivial.append(Row(half(key), gold, by_cue_words(end)))
        tell(f"PubMedQA, {title}", rows, trivial)
        tell_decided([r for r in rows if r.gold != "neutral"])
    mixed_up(list(data.values()))


def tell_decided(rows: Sequence[Row]) -> None:
    """Print how often yes and no are told apart, over all and over those that are decided."""
    right = sum(r.gold == r.said for r in rows)
    taken = sum(r.said != "neutral" for r in rows)
    print(
        f"  yes and no only: right in {right / len(rows):.3f}; where decided, {right / taken:.3f}"
    )


def mixed_up(rows: Sequence[dict[str, Any]]) -> None:
    """Each abstract with the question of another one, towards which it should be neutral."""
    text_of = next(iter(_TEXTS.values()))
    moved = [*rows[37:], *rows[:37]]
    pairs = zip(rows, moved, strict=True)
    said = Counter(stance(record(text_of(a)), b["QUESTION"]).stance.value for a, b in pairs)
    print(f"\nPubMedQA, each abstract with another one's question: {dict(said)}")


_DIRECTIONS = {
    "significantly increased": "increased",
    "significantly decreased": "decreased",
    "no significant difference": "no difference",
}


def judge_claims(path: Path) -> None:
    """Evidence Inference: the stance towards a claim of more and one of less, made of each row."""
    rows = []
    for row in read_lines(path):
        for verb, direction in (("increase", "increased"), ("reduce", "decreased")):
            arms = (
                f"{row['intervention']} {verb} {row['outcome']} compared with {row['comparator']}"
            )
            gold = "supports" if _DIRECTIONS[row["label"]] == direction else "refutes"
            said = stance(record(row["text"]), f"Does {arms}?").stance.value
            rows.append(Row(half(row["pmcid"]), gold, said))
    trivial = [Row(r.half, r.gold, "refutes") for r in rows]
    tell("Evidence Inference, stance towards a claim of more or less", rows, trivial)


_KINDS = {
    "ChemicalEntity": EntityKind.CHEMICAL,
    "GeneOrGeneProduct": EntityKind.GENE,
    "DiseaseOrPhenotypicFeature": EntityKind.DISEASE,
}
_SIGNS = {"Positive_Correlation": "increases", "Negative_Correlation": "decreases"}
_Signed = dict[frozenset[str], str]


class Annotated(NamedTuple):
    """One abstract with its names and its relations."""

    key: str
    text: str
    names: tuple[tuple[int, int, EntityKind, tuple[str, ...]], ...]
    signed: _Signed
    related: frozenset[frozenset[str]]
    """All pairs of chemical, gene and disease with any relation."""

    @property
    def mentions(self) -> list[Mention]:
        """The annotated names, each under its identifiers."""
        return [Mention(one, kind, a, b) for a, b, kind, ids in self.names for one in ids]


def read_pubtator(path: Path) -> Iterator[Annotated]:
    """The abstracts of a file in PubTator format."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.split("\n") if line]
        if lines:
            yield annotated(lines)


def annotated(lines: Sequence[str]) -> Annotated:
    """One block of a PubTator file."""
    key, _, title = lines[0].split("|", 2)
    text = f"{title} {lines[1].split('|', 2)[2]}"
    fields = [line.split("\t") for line in lines[2:]]
    names = tuple(
        (int(f[1]), int(f[2]), _KINDS[f[4]], tuple(f[5].split(",")))
        for f in fields
        if len(f) == 6 and f[4] in _KINDS
    )
    known = {one for *_, ids in names for one in ids}
    related = {frozenset(f[2:4]): f[1] for f in fields if len(f) == 5 and {*f[2:4]} <= known}
    signed = {pair: _SIGNS[kind] for pair, kind in related.items() if kind in _SIGNS}
    return Annotated(key, text, names, signed, frozenset(related))


def judge_edges(path: Path) -> None:
    """Pairs and signs, with the names given and with the names found."""
    docs = list(read_pubtator(path))
    print("\nBioRED, signed relations of chemicals, genes and diseases")
    print("  pair: any annotated relation; signed pair: one with a sign; sign: pair and sign")
    ways: dict[str, Callable[[Annotated], _Signed]] = {
        "names given": lambda doc: voted(edges_between(doc.text, doc.mentions)),
        "names found": lambda doc: voted(under_gold_names(doc)),
        "baseline: any two names near each other, increases": near_each_other,
    }
    for title, judged in ways.items():
        for part in ("A", "B"):
            tell_edges(f"{title}, half {part}", [d for d in docs if half(d.key) == part], judged)


def under_gold_names(doc: Annotated) -> tuple[Relation, ...]:
    """The edges between the names found, each under the identifier annotated at its place."""
    found = []
    for name in find_mentions(doc.text):
        ids = (
            i[0]
            for start, end, kind, i in doc.names
            if start < name.end and name.start < end and kind is name.kind
        )
        found.append(name._replace(name=next(ids, f"not annotated: {name.name}")))
    return edges_between(doc.text, found)


def voted(relations: Iterable[Relation]) -> _Signed:
    """One sign for each pair of names: that of most sentences."""
    votes: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for relation in relations:
        votes[frozenset((relation.subject, relation.object))][relation.sign.value] += 1
    return {pair: signs.most_common(1)[0][0] for pair, signs in votes.items() if len(pair) == 2}


def near_each_other(doc: Annotated) -> _Signed:
    """The baseline: every two annotated names with less than 100 characters between them."""
    names = sorted(doc.mentions, key=lambda m: m.start)
    near = (
        frozenset((a.name, b.name))
        for n, a in enumerate(names)
        for b in names[n + 1 :]
        if b.start - a.end < 100 and a.kind is not b.kind
    )
    return {pair: "increases" for pair in near if len(pair) == 2}


def tell_edges(
    title: str, docs: Sequence[Annotated], judged: Callable[[Annotated], _Signed]
) -> None:
    """Print the scores of pairs and signs over some abstracts."""
    said = gold = related = pairs = signed = signs = 0
    for doc in docs:
        found = judged(doc)
        said, gold, related = said + len(found), gold + len(doc.signed), related + len(doc.related)
        pairs += sum(pair in doc.related for pair in found)
        signed += sum(pair in doc.signed for pair in found)
        signs += sum(doc.signed.get(pair) == sign for pair, sign in found.items())
    print(f"  {title} ({len(docs)} abstracts, {gold} signed of {related} pairs)")
    for name, hits, wanted in (
        ("pair", pairs, related),
        ("signed pair", signed, gold),
        ("sign", signs, gold),
    ):
        got = scored(hits, said, wanted)
        told = f"precision {got.precision:.3f}  recall {got.recall:.3f}  F1 {got.f1:.3f}"
        print(f"    {name:<12} {told}")
    print(f"    sign right where the pair is signed: {signs / signed if signed else 0:.3f}")


_SIGNED_KEYS = re.compile(
    r"^(?:positively|negatively) (?:regulates|correlated with)$|increases|decreases|treats|causes|"
    r"prevents|disrupts|contributes to|produces"
)


def judge_chains(path: Path) -> None:
    """Which of the chains' words are known, and which of their shapes a hypothesis can have."""
    data = read_lines(path)
    nodes = [node for row in data for node in row["nodes"]]
    total = Counter(node["label"] for node in nodes)
    known = Counter(node["label"] for node in nodes if is_known(node))
    print(f"\nDrugMechDB, {len(data)} chains: nodes whose name is recognised")
    for label, n in total.most_common():
        print(f"  {label:<24}{n:>6}  {known[label] / n:.3f}")
    links = [link["key"] for row in data for link in row["links"]]
    told = sum(bool(_SIGNED_KEYS.search(key)) for key in links)
    straight = sum(is_straight(row) for row in data) / len(data)
    print(f"  links with a sign or a cause: {told / len(links):.3f} of {len(links)}")
    print(f"  chains that are one path from drug to disease: {straight:.3f}")


def is_known(node: dict[str, str]) -> bool:
    """Whether the drug dictionary, the vocabulary or the finder of names knows a node."""
    name = node["name"]
    if node["label"] == "Drug":
        return bool(find_drugs(name))
    labels = CONDITION_LABELS if node["label"] in CONDITION_LABELS else (node["label"],)
    return bool(vocabulary().find(name, labels) or find_mentions(name))


def is_straight(row: dict[str, Any]) -> bool:
    """Whether each node leads to one other at most: no branch."""
    sources = [link["source"] for link in row["links"]]
    targets = [link["target"] for link in row["links"]]
    return len(set(sources)) == len(sources) and len(set(targets)) == len(targets)


_SETS: dict[str, Callable[[Path], None]] = {
    "pubmedqa_dev.json": judge_questions,
    "evidence_inference_dev.jsonl.gz": judge_claims,
    "biored_train.pubtator": judge_edges,
    "drugmechdb_dev.jsonl.gz": judge_chains,
}


def main() -> None:
    """Score each set that is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the labelled sets")
    folder = parser.parse_args().data
    for name, judge in _SETS.items():
        path = folder / name
        judge(path) if path.is_file() else print(f"\n{name}: not in {folder}")


if __name__ == "__main__":
    main()
