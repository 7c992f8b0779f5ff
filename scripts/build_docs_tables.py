"""Write what the documentation takes from the code.

docs/reference.md: options, exit codes, settings, events, the report, its formats.
docs/report.schema.json, docs/answer.schema.json, docs/study.schema.json: the JSON Schemas of
report.json, of answer.json and of a line of readings.jsonl.
docs/sources.md: the table of the sources, between its marks.
docs/mcp-tools.json: the tools for agents, as the server lists them.

Usage: `python scripts/build_docs_tables.py`. With `--check` nothing is written, and the exit code
is 1 when a file is not what the code says.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import typer
from pydantic import AliasChoices, BaseModel, SecretStr
from typer.models import ArgumentInfo, OptionInfo

from deepcritical.bootstrap import Lookups, build_runs, build_similar
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.model_keys import key_variable
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.parts import Claim, Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.events import TERMINAL, Event, LoggedEvent
from deepcritical.domain.study.reading import StudyReading
from deepcritical.export.formats import ANSWER_FORMATS, FORMATS
from deepcritical.interfaces.cli.output import EXIT_CODES
from deepcritical.interfaces.main import app
from deepcritical.interfaces.mcp.models import Tool
from deepcritical.interfaces.mcp.server import catalogue, listed
from deepcritical.models.providers import PROVIDERS
from deepcritical.models.registry import Listed, listed_providers
from deepcritical.settings import Settings
from deepcritical.tools.registry import SOURCES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"
SCHEMAS: Mapping[str, type[BaseModel]] = {
    "report.schema.json": ResearchReport,
    "answer.schema.json": DeepAnswer,
    "study.schema.json": StudyReading,
}
"""The models behind report.json, answer.json and a line of readings.jsonl."""
TOOLS_NAME = "mcp-tools.json"
SOURCES_PAGE = PAGE.with_name("sources.md")
SOURCES_PART = re.compile(r"(?<=<!-- sources -->\n).*?(?=<!-- /sources -->)", re.DOTALL)
HEAD = """\
# Reference

This page is generated from the code by `scripts/build_docs_tables.py`.
What the terms mean is in the [glossary](glossary.md).
"""


class Command(NamedTuple):
    """A command of the command line with the function behind it."""

    name: str
    function: Callable[..., Any]


# --- words ------------------------------------------------------------------------------------


def plain(text: str | None) -> str:
    """Write a docstring as one line of Markdown."""
    return re.sub(r"\s+", " ", inspect.cleandoc(text or "")).replace("``", "`")


def first_sentence(thing: object) -> str:
    """Take the first paragraph of a docstring."""
    return plain((inspect.getdoc(thing) or "").split("\n\n")[0])


def code(value: object) -> str:
    """Write a value as code; nothing for no value."""
    return "" if value in (None, "") else f"`{value}`"


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table in Markdown."""
    cells = [list(header), *(list(row) for row in rows)]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells]
    return "\n".join([lines[0], f"|{'---|' * len(cells[0])}", *lines[1:]])


# --- the command line -------------------------------------------------------------------------


def list_commands(of: typer.Typer, prefix: str = "deepcritical") -> Iterator[Command]:
    """Yield the commands of an application, those of its groups too."""
    for info in of.registered_commands:
        if info.callback and not info.hidden:
            name = info.name or info.callback.__name__.replace("_", "-")
            yield Command(f"{prefix} {name}", info.callback)
    for group in of.registered_groups:
        if group.typer_instance and not group.hidden:
            yield from list_commands(group.typer_instance, f"{prefix} {group.name}")


def list_parameters(function: Callable[..., Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, value, default and meaning of each parameter of a command."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, *extras = get_args(hints[name]) or (hints[name],)
        found = [extra for extra in extras if isinstance(extra, OptionInfo | ArgumentInfo)]
        if not found or found[0].hidden:
            continue
        required = parameter.default is inspect.Parameter.empty
        default = "" if required or kind is bool else parameter.default
        shown = default.value if isinstance(default, Enum) else default
        written = "required" if required else code(shown)
        yield spelling(name, found[0]), value_words(kind), written, plain(found[0].help)


def spelling(name: str, info: OptionInfo | ArgumentInfo) -> str:
    """Write how a parameter is given on the command line."""
    if isinstance(info, ArgumentInfo):
        return code(name.upper())
    # In an annotation typer takes the first spelling for the default, which stands elsewhere there.
    first = (info.default,) if isinstance(info.default, str) else ()
    spellings = (*first, *(info.param_decls or ())) or (f"--{name.replace('_', '-')}",)
    return ", ".join(map(code, spellings))


def value_words(kind: Any) -> str:
    """Write what may follow an option."""
    kinds = [part for part in get_args(kind) or (kind,) if part is not type(None)]
    if kinds == [bool]:
        return ""
    if isinstance(kinds[0], type) and issubclass(kinds[0], Enum):
        return ", ".join(code(member.value) for member in kinds[0])
    if choices := [
        word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)
    ]:
        return ", ".join(map(code, choices))
    return {str: "text", int: "integer", float: "number", Path: "path"}.get(kinds[0], "text")


def command_line() -> str:
    """Write the commands with their options."""
    header = ("option", "value", "default", "meaning")
    parts = ["## Command line"]
    for command in list_commands(app):
        parts += [f"### {command.name}", first_sentence(command.function)]
        if rows := list(list_parameters(command.function)):
            parts.append(table(header, rows))
    return "\n\n".join(parts)


def exit_codes() -> str:
    """Write the exit codes: the words of the command's help, and the errors behind them."""
    told = " ".join(plain(command.function.__doc__) for command in list_commands(app))
    listed = re.search(r"Exit codes: (.*?)\.(?: |$)", told)
    if listed is None:
        raise ValueError('no command lists its exit codes as "Exit codes: 0 ...; 1 ...."')
    words = dict(part.strip().split(" ", 1) for part in listed[1].split(";"))
    if missing := {str(number) for _, number in EXIT_CODES} - set(words):
        raise ValueError(f"the help of the command does not name the exit codes {missing}")
    errors = {str(number): kind for kind, number in EXIT_CODES}
    rows = (
        (number, meaning, error_words(errors[number]) if number in errors else "")
        for number, meaning in words.items()
    )
    return "\n\n".join(["## Exit codes", table(("code", "meaning", "error"), rows)])


def error_words(kind: type[BaseException]) -> str:
    """Write an error's name and what it stands for."""
    return f"{code(kind.__name__)}: {first_sentence(kind)}"


# --- models -----------------------------------------------------------------------------------


def type_words(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """Write a JSON schema's type in the words of JSON."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        target = defs[name]
        return type_words(target, defs) if "enum" in target else f"object ({name})"
    if "enum" in schema:
        return "one of " + ", ".join(code(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_words(part, defs) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return f"array of {type_words(schema.get('items', {}), defs)}"
    return str(schema.get("type", "object"))


def list_fields(model: type[BaseModel], but: Iterable[str] = ()) -> str:
    """Write the fields of a model as a list."""
    schema = model.model_json_schema(mode="serialization")
    defs = schema.get("$defs", {})
    lines = []
    for name, field in schema["properties"].items():
        if name not in but:
            meaning = plain(field.get("description"))
            kind = type_words(field, defs)
            lines.append(f"- {code(name)} ({kind}){': ' + meaning if meaning else ''}")
    return "\n".join(lines)


def model_section(heading: str, model: type[BaseModel], but: Iterable[str] = ()) -> str:
    """Write a model under a heading."""
    parts = (heading, plain(model.__doc__), list_fields(model, but))
    return "\n\n".join(part for part in parts if part)


def variable_of(name: str) -> str:
    """Write the environment variables that set a field, the first that counts first."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return ", ".join(code(choice) for choice in alias.choices)
    return code(alias or f"{Settings.model_config['env_prefix']}{name}".upper())


def settings() -> str:
    """Write the settings."""
    schema = Settings.model_json_schema(by_alias=False)
    rows = []
    for name, field in Settings.model_fields.items():
        words = type_words(schema["properties"][name], schema.get("$defs", {}))
        kind = words.removesuffix(" or null")
        default = "" if field.is_required() else field.get_default(call_default_factory=True)
        if isinstance(default, SecretStr):
            default = default.get_secret_value()  # what stands in the code is no secret
        if isinstance(default, tuple):
            default = ",".join(default)  # as it is written in the environment
        rows.append((variable_of(name), kind, code(default), plain(field.description)))
    note = "Environment variables, or lines of a file `.env` in the working directory."
    return "\n\n".join(
        ["## Settings", note, table(("variable", "value", "default", "meaning"), rows)]
    )


def model_providers() -> str:
    """Write the providers of models, those of the installed library among them."""
    rows = [
        (code(key), code(key_variable(key)) if one.needs_key else "", code(one.base_url))
        for key, one in PROVIDERS.items()
    ]
    listed = [one for one in listed_providers() if one.key not in PROVIDERS]
    rows += [(code(one.key), code(key_variable(one.key)), provider_words(one)) for one in listed]
    note = (
        "What may stand before the colon in `DEEPCRITICAL_MODEL` and the other settings of models: "
        "`provider:name`. `compatible` is any OpenAI-compatible server, at "
        "`DEEPCRITICAL_MODEL_BASE_URL`. See [Models](models.md)."
    )
    header = ("provider", "key, beside `DEEPCRITICAL_MODEL_API_KEY`", "where, or what it needs")
    return "\n\n".join(["## Providers of models", note, table(header, rows)])


def provider_words(provider: Listed) -> str:
    """Write what a provider of the library needs, and the way round it."""
    if provider.kind:
        return "the provider's own address"
    at = f"; or `compatible` at {code(provider.compatible_at)}" if provider.compatible_at else ""
    conflict = ", which conflicts with our lock" if provider.conflicts else ""
    return f"{code(f'pydantic-ai-slim[{provider.extra}]')}{conflict}{at}"


def events() -> str:
    """Write the events of a run's log."""
    kinds = get_args(get_args(Event)[0])
    ends = ", ".join(code(kind.model_fields["type"].default) for kind in TERMINAL)
    parts = [
        "## Events",
        "The log of a run, one JSON object a line in `events.jsonl`. Every line is an envelope "
        f"with the event in it; exactly one of {ends} comes, as the last.",
        model_section("### Envelope", LoggedEvent),
    ]
    for kind in kinds:
        name = kind.model_fields["type"].default
        parts.append(model_section(f"### {name}", kind, but=["type"]))
    return "\n\n".join(parts)


def report() -> str:
    """Write the parts of report.json that a reader follows."""
    note = (
        "What `--json` prints and `--out` writes; the command adds `run_id` and `generated_at`. "
        "The parts that lead from a sentence to its source are listed below it."
    )
    parts = ["## report.json", note, list_fields(ResearchReport)]
    parts += [model_section(f"### {kind.__name__}", kind) for kind in (Verdict, Claim, Reference)]
    return "\n\n".join(parts)


def formats() -> str:
    """Write the files that a report can be had as."""
    rows = [
        (code(f"report.{form.suffix}"), form.holds, code(form.media_type))
        for form in FORMATS.values()
    ]
    note = (
        "What `--out` writes, the page offers and `/api/runs/{id}/export/{suffix}` answers. Of an "
        "answer to a free question there are " + ", ".join(map(code, ANSWER_FORMATS)) + "."
    )
    return "\n\n".join(["## Formats", note, table(("file", "holds", "media type"), rows)])


def build_schema(model: type[BaseModel]) -> str:
    """Write the JSON Schema of report.json or answer.json: the document, headed by its run."""
    schema = model.model_json_schema(mode="serialization")
    head = {
        "run_id": {"type": "string", "description": "The run that wrote it."},
        "generated_at": {"type": "string", "format": "date-time", "description": "UTC."},
    }
    schema["properties"] = head | schema["properties"]
    schema["required"] = [*head, *schema["required"]]
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def list_tools() -> list[Tool]:
    """List the tools for agents; nothing is run or searched."""
    settings = Settings.model_construct(snapshot="demo", database_url=None)
    runs = build_runs(settings)
    similar = build_similar(settings, runs, runs.place)
    return list(catalogue(runs, Lookups(settings, settings.snapshot), similar).values())


def tools() -> str:
    """Write the tools for agents with their arguments."""
    parts = [
        "## Tools",
        "What `deepcritical mcp` and `/mcp` of `deepcritical serve` offer to an agent; see "
        "[Tools for agents](mcp.md). The schemas of arguments and results are in "
        "[mcp-tools.json](mcp-tools.json).",
    ]
    for tool in list_tools():
        rows = list(list_arguments(tool.arguments))
        header = ("argument", "value", "default", "meaning")
        parts += [f"### {tool.name}", tool.description, table(header, rows)]
        parts.append(f"Returns {', '.join(code(name) for name in tool.result.model_fields)}.")
    return "\n\n".join(parts)


def list_arguments(model: type[BaseModel]) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, value, default and meaning of each argument of a tool."""
    schema = model.model_json_schema()
    for name, field in schema["properties"].items():
        default = "required" if "default" not in field else code(field["default"])
        meaning = plain(field.get("description"))
        yield code(name), type_words(field, schema.get("$defs", {})), default, meaning


def build_tools() -> str:
    """Write the tools as the server lists them."""
    shown = map(listed, list_tools())
    told = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in shown]
    return json.dumps({"tools": told}, ensure_ascii=False, indent=2) + "\n"


def build_sources() -> str:
    """Write the page on sources with the table of the registry in it."""
    header = ("source", "key", "holds", "how", "requests a second", "beside")
    names = ((f"[{one.name}]({one.terms})", code(one.key), one) for one in SOURCES)
    rows = ((*n, s.indexes, s.asked, str(s.per_second), s.beside) for *n, s in names)
    return SOURCES_PART.sub(lambda _: f"{table(header, rows)}\n", _read(SOURCES_PAGE))


def build_page() -> str:
    """Write the whole page."""
    parts = (command_line, exit_codes, settings, model_providers, events, report, formats, tools)
    return "\n\n".join((HEAD.strip(), *(part() for part in parts))) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check the page and return the exit code."""
    schemas = {PAGE.with_name(name): build_schema(model) for name, model in SCHEMAS.items()}
    files = {PAGE: build_page(), PAGE.with_name(TOOLS_NAME): build_tools(), **schemas}
    files[PAGE.with_name(SOURCES_PAGE.name)] = build_sources()
    if "--check" not in arguments:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [p for p, text in files.items() if not p.is_file() or _read(p) != text]
    for path in stale:
        print(f"docs/{path.name} is stale. Run: python scripts/build_docs_tables.py")
    return 1 if stale else 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
