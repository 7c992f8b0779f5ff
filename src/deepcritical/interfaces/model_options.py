"""Options that choose the model, for every command that asks one.

A key is no option: the list of processes would show it.
"""

from __future__ import annotations

import sys
from getpass import getpass
from typing import Annotated, NamedTuple

import typer
from pydantic import SecretStr

from deepcritical.domain.errors import ConfigurationError

__all__ = ["AskKey", "BaseUrl", "ChosenModel", "ModelName", "chosen_model"]

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


class ChosenModel(NamedTuple):
    """What the command line says of the model; None leaves it to the settings."""

    model: str | None
    base_url: str | None
    api_key: SecretStr | None


def chosen_model(model: str | None, base_url: str | None, ask_key: bool) -> ChosenModel:
    """What the options say; asks for the key if it is to be asked for.

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
