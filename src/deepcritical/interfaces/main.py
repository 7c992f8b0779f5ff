"""The entry point of the ``deepcritical`` command; registers all commands.

Those that run until they are stopped are here: ``serve``, ``mcp`` and ``worker``.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import logging
import os
import socket
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer

from deepcritical.domain.errors import ConfigurationError, ResearchCancelled
from deepcritical.interfaces.cli import options
from deepcritical.interfaces.cli.admin import admin, doctor
from deepcritical.interfaces.cli.ask import ask
from deepcritical.interfaces.cli.chat import chat
from deepcritical.interfaces.cli.evaluate import evaluate_sets
from deepcritical.interfaces.cli.output import bootstrap, exit_code, on_signals
from deepcritical.interfaces.cli.records import read, readings, search, understand
from deepcritical.interfaces.cli.reports import render, verify
from deepcritical.interfaces.cli.research import research
from deepcritical.interfaces.cli.traces import traces
from deepcritical.interfaces.render import describe

if TYPE_CHECKING:
    from pydantic import SecretStr

    from deepcritical.interfaces.access import Access
    from deepcritical.interfaces.sign_in import SignIn
    from deepcritical.jobs.runs import RunService

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
for command in (research, ask, chat, search, read, understand, verify, render):
    app.command()(command)
app.command("eval")(evaluate_sets)
app.command()(doctor)
app.add_typer(traces, name="traces")
app.add_typer(admin, name="admin")
app.add_typer(readings, name="readings")
_GREETING = """\
DeepCritical answers whether a drug may help in a disease, from studies that it cites.

  deepcritical research "Can colchicine prevent heart attacks?"
  deepcritical research "What could be repurposed for pulmonary fibrosis?" --out report
  deepcritical serve   # the same on a page in your browser

All commands: deepcritical --help"""


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"deepcritical {version('deepcritical')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Drug-repurposing answers from located evidence."""
    if context.invoked_subcommand is None:
        typer.echo(_GREETING)


@app.command()
def mcp(
    snapshot: options.Snapshot = None,
    sources: options.Sources = None,
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
) -> None:
    """Serve the tools to the agent that starts this command (MCP).

    It speaks over stdin and stdout, and ends when stdin does, and the next server goes on with its
    runs. The key of a model is read from the environment.
    """
    sought = options.chosen(snapshot, sources).sought
    settings = bootstrap.read_settings(model, model_base_url)
    runs = bootstrap.build_runs(settings, **sought, serves=True)
    lookups = bootstrap.Lookups(settings, runs.place.snapshot)
    similar = bootstrap.build_similar(settings, runs, runs.place)
    asyncio.run(runs.sources())  # a source that cannot be read is told before anybody asks
    try:
        from deepcritical.interfaces.mcp.transports import serve_stdio
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The tools need a library that is not installed: {error.name}.",
            "Install it in a checkout with: pip install '.[mcp]'",
        ) from error
    serve_stdio(runs, lookups, similar)


@app.command()
def worker() -> None:
    """Conduct the runs that wait in DATABASE_URL.

    Ctrl-C or SIGTERM ends it. What is under way then is handed over to the other workers, or waits
    for the next one. Model and sources of a run are those that it was asked with; their keys are
    read from the environment.
    """
    settings = bootstrap.read_settings()
    if settings.database_url is None:
        raise ConfigurationError(
            "A worker takes its runs from a database, and none is set.",
            "Set DATABASE_URL to that of the servers.",
        )
    runs = bootstrap.build_runs(settings, serves=True)
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(_conduct(runs, settings.worker_runs))
    logging.shutdown()
    sys.stdout.flush()
    # All is closed. Threads of the engine that try to reach a database that is away would keep the
    # process for as long as they pause between two tries.
    os._exit(0)


async def _conduct(runs: RunService, slots: int) -> None:
    told_to_end = asyncio.Event()
    on_signals(told_to_end.set)
    warming: asyncio.Task[None] | None = None
    try:
        await runs.start_engine()
        typer.echo(f"This worker conducts up to {slots} runs at once (Ctrl-C hands them over)")
        warming = asyncio.create_task(runs.warm_up())
        await told_to_end.wait()
    finally:
        if warming:
            warming.cancel()
        await runs.close()


NoWorker = Annotated[
    bool, typer.Option("--no-worker", help="Leave the runs to `deepcritical worker` processes.")
]
_OPEN = (
    "This server is open to the network. Its token, until it ends: {}\n"
    "A browser asks for it as the password, with any name. To choose tokens, set "
    "DEEPCRITICAL_TOKENS; to let everybody in, DEEPCRITICAL_PUBLIC=1."
)


@app.command()
def serve(
    snapshot: options.Snapshot = None,
    sources: options.Sources = None,
    host: Annotated[
        str | None, typer.Option(help="Address to bind; by default 127.0.0.1: this machine only.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port, by default 7860; 0 takes a free one."),
    ] = None,
    model: options.ModelName = None,
    model_base_url: options.BaseUrl = None,
    ask_key: options.AskKey = False,
    no_worker: NoWorker = False,
) -> None:
    """Serve the page, the REST API and the tools at /mcp.

    Ctrl-C ends it. Beyond this machine it asks for a token (DEEPCRITICAL_TOKENS), or has quotas
    (_PUBLIC=1).
    """
    sought = options.chosen(snapshot, sources).sought
    settings = bootstrap.read_settings(*options.chosen_model(model, model_base_url, ask_key))
    runs = bootstrap.build_runs(settings, **sought, serves=True, conducts=not no_worker)
    asyncio.run(runs.sources())  # a source that cannot be read is told before anybody asks
    with _bound(host or settings.host, settings.port if port is None else port) as listening:
        # Late, for the page takes seconds to load.
        from deepcritical.interfaces.server import Served, serve_page

        local = "" if settings.public_url else listening.getsockname()[0]  # '': nobody is
        rules = settings.public, settings.public_documents, settings.public_runs_per_hour
        access = _access(local, settings.token_entries(), settings.share_secret, *rules)
        if settings.sign_in:
            access.sign_in = _signing_in(settings.public, *settings.sign_in_client)
        lookups = bootstrap.Lookups(settings, runs.place.snapshot)
        similar = bootstrap.build_similar(settings, runs, runs.place)
        chats = bootstrap.open_chats(settings, runs, runs.place, describe)
        served = Served(runs, access, lookups, similar, chats)
        names = host or settings.host, settings.public_url
        serve_page(served, listening, settings.proxies, names)


def _access(
    local: str, tokens: str, secret: SecretStr | None, public: bool, documents: bool, runs: int
) -> Access:
    from deepcritical.interfaces.access import access_for, parse_tokens

    access, made = access_for(
        local,
        parse_tokens(tokens),
        public=public,
        public_documents=documents,
        runs_per_hour=runs,
        share_secret=secret,
    )
    if made:
        typer.echo(_OPEN.format(made.get_secret_value()), err=True)
    return access


def _signing_in(
    public: bool, address: str, client: str, secret: SecretStr | None, scopes: str, provider: str
) -> SignIn:
    """Return the client of the provider that signs visitors in."""
    from deepcritical.interfaces.sign_in import SignIn

    if not public:
        raise ConfigurationError(
            "Visitors sign in to a public server only.",
            "Set DEEPCRITICAL_PUBLIC=1, or leave out DEEPCRITICAL_SIGN_IN.",
        )
    if not (address and client and secret):
        raise ConfigurationError(
            "Visitors cannot sign in: Hugging Face does not know this server.",
            "Write hf_oauth: true into the README.md of a Space. Elsewhere set "
            "DEEPCRITICAL_PUBLIC_URL, OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.",
        )
    return SignIn(address, client, secret, scopes, provider)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (while")[0]
        raise ConfigurationError(
            f"The page cannot be served at port {port} of {host}: {why}.",
            "Choose another one with --port or --host.",
        ) from error


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the ``deepcritical`` command; `args` as on the command line."""
    # What is loaded are millions of objects that stay. To look through them for cycles again and
    # again takes a fifth of the start, and to go through them once more at the end a second.
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)
    try:
        app(args)
    except (ResearchCancelled, Exception) as error:
        raise SystemExit(exit_code(error)) from error
