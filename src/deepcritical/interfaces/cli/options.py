"""Command-line options that several commands share: model, sources, own documents.

A key is no option: the list of processes would show it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from pydantic import SecretStr

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.text.markdown import visible
from deepcritical.tools.registry import DEFAULT_KEYS, KEYS, parse_sources

if TYPE_CHECKING:
    from deepcritical.domain.run.recipe import OwnDocument

ModelName = Annotated[
    str | None,
    typer.Option(
        help="Model as provider:name, such as ollama:qwen3:8b, for this call; '' for rules alone."
    ),
]
BaseUrl = Annotated[str | None, typer.Option(help="Address of the model's server, for this call.")]
AskKey = Annotated[
    bool,
    typer.Option(
        "--ask-key", help="Ask for the model's key, unseen; or read it from a pipe, one line."
    ),
]
Snapshot = Annotated[
    str | None,
    typer.Option(help="Search a snapshot, not live: 'demo', or the path of a .jsonl file."),
]
Sources = Annotated[
    str | None,
    typer.Option(
        help=f"Live sources, with commas between them: {', '.join(KEYS)}; "
        f"by default {', '.join(DEFAULT_KEYS)}."
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        help="A document of your own that is read too: a .pdf, .txt or .md file, a folder of them, "
        "or a PMID, PMCID, DOI or NCT id; may be given several times.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr, only warnings.")]


class ChosenModel(NamedTuple):
    """The model that the command line names; None leaves it to the settings."""

    model: str | None
    base_url: str | None
    api_key: SecretStr | None


def chosen_model(model: str | None, base_url: str | None, ask_key: bool) -> ChosenModel:
    """Return the model that the options name; asks for the key if it is to be asked for.

    Raises:
        ConfigurationError: The key that was asked for was not given.
    """
    return ChosenModel(model, base_url, _asked_key() if ask_key else None)


def _asked_key() -> SecretStr:
    try:
        typed = getpass("Key of the model: ") if sys.stdin.isatty() else sys.stdin.readline()
    except EOFError:
        typed = ""
    if not typed.strip():
        raise ConfigurationError("No key was given.", "Type it, or leave --ask-key out.")
    return SecretStr(typed.strip())


class Choice(NamedTuple):
    """The place to search, if the command line names one."""

    snapshot: str | None
    sources: tuple[str, ...]
    documents: tuple[OwnDocument, ...] = ()

    @property
    def sought(self) -> dict[str, Any]:
        """Return the place to search, as keyword arguments."""
        return {"snapshot": self.snapshot, "sources": self.sources}


def chosen(snapshot: str | None, sources: str | None, own: Sequence[str] | None = None) -> Choice:
    """The options that choose where to search, and what is read too.

    Raises:
        BadParameter: Both are given, or a source is none, or a document.
        DocumentError: A document cannot be read.
    """
    if snapshot is not None and sources is not None:
        raise typer.BadParameter("choose these or a snapshot, not both", param_hint="--sources")
    try:
        named = parse_sources(sources) if sources is not None else ()
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--sources") from error
    return Choice(snapshot, named, _documents_of(own) if own else ())


def _documents_of(named: Sequence[str]) -> tuple[OwnDocument, ...]:
    """The documents that a run reads too: those of files and folders as they are now, and ids."""
    from deepcritical.domain.run.recipe import MAX_DOCUMENTS, OwnDocument
    from deepcritical.tools.documents import documents_in
    from deepcritical.verification.ids import id_named

    found: list[OwnDocument] = []
    for what in dict.fromkeys(named):
        path = Path(what).expanduser()
        if is_file(path):
            found += documents_in(path)
        elif known := id_named(what):
            found.append(OwnDocument(name=known))
        else:
            told = f"{visible(what)} is neither a document that is there nor an id"
            raise typer.BadParameter(told, param_hint="--with")
    if len(found) > MAX_DOCUMENTS:
        raise typer.BadParameter(f"at most {MAX_DOCUMENTS} documents", param_hint="--with")
    return tuple(found)


def is_file(path: Path) -> bool:
    """Return whether a path, not an id, is meant."""
    return path.exists() or path.suffix.lower() in (".pdf", ".txt", ".md")


def folder_of(out: str | None) -> Path | None:
    """The folder for files, if one is named.

    Raises:
        BadParameter: Its name is empty.
    """
    if out is not None and not out.strip():
        raise typer.BadParameter("name a folder", param_hint="--out")
    return Path(out) if out else None
