"""Looks up mechanisms, indications and target data of a drug in Open Targets (GraphQL).

An error of Open Targets arrives with status 200, under `errors`. Names of fields are those since
2026: `maxClinicalStage`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence.drug_facts import (
    Association,
    DrugFacts,
    DrugTarget,
    Indication,
    TargetSafety,
)
from deepcritical.domain.question.frame import Drug
from deepcritical.domain.text.spans import fold
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.drug_facts.base import FactSource, Found, Terms, is_form_of
from deepcritical.tools.json_values import as_dict, as_text, decoded, dicts, dicts_at, unique

TERMS = Terms("Open Targets", "CC0 1.0", "https://platform.opentargets.org/")
_QUERY = """
query Facts($name: String!) {
  search(queryString: $name, entityNames: ["drug"], page: {index: 0, size: 5}) {
    hits { id name object { ... on Drug {
      id name
      indications { rows { maxClinicalStage disease { id name } } }
      mechanismsOfAction { rows { mechanismOfAction actionType targets {
        id approvedSymbol approvedName proteinIds { id source }
        associatedDiseases(page: {index: 0, size: 25}) {
          rows { score disease { id name } datatypeScores { id score } }
        }
        safetyLiabilities { event datasource effects { direction } }
      } } }
    } } }
  }
}
"""
Any_ = dict[str, Any]


def _data(content: bytes) -> tuple[Any_, tuple[str, ...]]:
    """The data of an answer and the errors beside it; raises SearchError without data."""
    answer = as_dict(decoded(content, TERMS.source))
    told = (as_text(error.get("message")) for error in dicts(answer.get("errors")))
    errors = tuple(message[:200] or "an error without words" for message in told)
    data = answer.get("data")
    if not isinstance(data, dict) or not any(value is not None for value in data.values()):
        why = f": {errors[0]}" if errors else ", and not with data"
        raise SearchError(f"Open Targets answered with an error{why}", "Try again later.")
    return data, errors


class _Entry(NamedTuple):
    """An entry of the drug, or of a salt of it."""

    fields: Any_
    form: str


def read_open_targets(content: bytes, drug: Drug, today: str) -> Found:
    """Read the facts on a drug from an answer."""
    data, errors = _data(content)
    if "search" not in data and "drug" not in data:
        raise SearchError("Open Targets' answer holds no search.", "Try again later.")
    entries = sorted(_entries(data, drug), key=lambda entry: bool(entry.form))
    rows = [
        (entry, row)
        for entry in entries
        for row in dicts_at(entry.fields, "mechanismsOfAction", "rows")
    ]
    targets = [target for _, row in rows for target in dicts(row.get("targets"))]
    genes = {as_text(t.get("id")) or id(t): t for t in targets}.values()
    facts = DrugFacts(
        drug=drug.name,
        targets=tuple(
            {
                (t.symbol, t.target, t.action_type): t
                for entry, row in reversed(rows)
                for t in _mechanisms(entry, row, today)
            }.values()
        )[::-1],
        indications=_indications(entries, today),
        associations=tuple(a for gene in genes for a in _associations(gene, today)),
        target_safety=tuple(s for gene in genes for s in _safety(gene, today)),
    )
    skipped = list(errors)
    if entries and not facts.targets and not facts.indications:
        known = ("mechanismsOfAction", "indications")
        if any(not isinstance(e.fields.get(name), dict) for e in entries for name in known):
            skipped.append("its records hold none of the fields that are known")
    return Found(facts, tuple(skipped))


def _entries(data: Any_, drug: Drug) -> Iterator[_Entry]:
    found = [as_dict(hit.get("object")) for hit in dicts_at(data, "search", "hits")]
    for fields in (*found, as_dict(data.get("drug"))):
        for names in ((drug.name,), drug.synonyms):
            form = is_form_of(as_text(fields.get("name")), names)
            if form is not None and fields:
                yield _Entry(fields, as_text(fields.get("name")) if form else "")
                break


def _mechanisms(entry: _Entry, row: Any_, today: str) -> Iterator[DrugTarget]:
    for target in dicts(row.get("targets")):
        symbol = as_text(target.get("approvedSymbol"))
        name = as_text(target.get("approvedName")) or symbol
        if name:
            yield DrugTarget(
                origin=_origin(today, f"target/{as_text(target.get('id'))}"),
                target=name,
                symbol=symbol,
                ids=_protein_ids(target),
                action_type=as_text(row.get("actionType")).upper(),
                mechanism=as_text(row.get("mechanismOfAction")),
                form=entry.form,
            )


def _protein_ids(target: Any_) -> tuple[str, ...]:
    """The reviewed protein of UniProt that a gene makes; others are parts and predictions."""
    rows = dicts(target.get("proteinIds"))
    found = (as_text(row.get("id")) for row in rows if row.get("source") == "uniprot_swissprot")
    return tuple(f"UniProt:{one}" for one in found if one)


def _indications(entries: list[_Entry], today: str) -> tuple[Indication, ...]:
    """Each condition once, at the highest stage that the drug or a salt of it has reached."""
    kept: dict[str, Indication] = {}
    for entry in entries:
        url = f"drug/{as_text(entry.fields.get('id'))}"
        for row in dicts_at(entry.fields, "indications", "rows"):
            disease, stage = as_dict(row.get("disease")), as_text(row.get("maxClinicalStage"))
            name = as_text(disease.get("name"))
            if not name or (fold(name) in kept and stage != "APPROVAL"):
                continue
            kept[fold(name)] = Indication(
                origin=_origin(today, url),
                condition=name,
                ids=unique([as_text(disease.get("id"))]),
                stage=stage,
                approved=stage == "APPROVAL",
            )
    return tuple(kept.values())


def _associations(gene: Any_, today: str) -> Iterator[Association]:
    symbol = as_text(gene.get("approvedSymbol"))
    url = f"target/{as_text(gene.get('id'))}/associations"
    for row in dicts_at(gene, "associatedDiseases", "rows"):
        disease, score = as_dict(row.get("disease")), _score(row)
        name = as_text(disease.get("name"))
        if symbol and name and score is not None:
            yield Association(
                origin=_origin(today, url),
                symbol=symbol,
                disease=name,
                disease_id=as_text(disease.get("id")),
                score=score,
                datatypes=tuple(_datatypes(row)),
            )


def _datatypes(row: Any_) -> Iterator[tuple[str, float]]:
    for one in dicts(row.get("datatypeScores")):
        score = _score(one)
        if score is not None and as_text(one.get("id")):
            yield as_text(one.get("id")), score


def _safety(gene: Any_, today: str) -> Iterator[TargetSafety]:
    for row in dicts(gene.get("safetyLiabilities")):
        effects = dicts(row.get("effects"))
        if event := as_text(row.get("event")):
            yield TargetSafety(
                origin=_origin(today, f"target/{as_text(gene.get('id'))}"),
                symbol=as_text(gene.get("approvedSymbol")),
                event=event,
                directions=unique(as_text(one.get("direction")) for one in effects),
                datasource=as_text(row.get("datasource")),
            )


def _score(row: Any_) -> float | None:
    """A number from 0 to 1."""
    score = row.get("score")
    fits = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
    return float(score) if fits and score is not None else None


def _origin(today: str, path: str) -> Any:
    return TERMS.origin(today, TERMS.url + path.rstrip("/"))


class OpenTargets(FactSource):
    """Asks Open Targets."""

    _read = staticmethod(read_open_targets)
    terms = TERMS
    _path = "graphql"

    def request(self, drug: Drug) -> str:
        """The request in words for a reader."""
        return f"graphql: search of drugs for {drug.name}"

    async def ask(self, drug: Drug, today: str, by: Deadline) -> Found:
        """Return the source's facts on the drug; raises SearchError."""
        body = {"query": _QUERY, "variables": self._asked(drug)}
        payload = await self._client.post_json(self._path, body, _data, by)
        return self._read(payload.content, drug, today)

    def _asked(self, drug: Drug) -> dict[str, str]:
        return {"name": drug.name}
