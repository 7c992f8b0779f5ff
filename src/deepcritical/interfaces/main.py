"""The ``deepcritical`` command, which joins the terminal and the page."""

from __future__ import annotations

import asyncio
import atexit
import gc
import socket
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer

from deepcritical.domain.errors import ConfigurationError, ResearchCancelled
from deepcritical.interfaces.admin_command import admin
from deepcritical.interfaces.ask_command import ask
from deepcritical.interfaces.chat_command import chat
from deepcritical.interfaces.cli import Snapshot, Sources, chosen, research
from deepcritical.interfaces.doctor_command import doctor
from deepcritical.interfaces.eval_command import evaluate_sets
from deepcritical.interfaces.exit_codes import exit_code
from deepcritical.interfaces.mcp_command import mcp
from deepcritical.interfaces.model_options import AskKey, BaseUrl, ModelName, chosen_model
from deepcritical.interfaces.read_command import read
from deepcritical.interfaces.readings_command import readings
from deepcritical.interfaces.render import describe
from deepcritical.interfaces.render_command import render
from deepcritical.interfaces.search_command import search
from deepcritical.interfaces.traces_command import traces
from deepcritical.interfaces.understand_command import understand
from deepcritical.interfaces.verify_command import verify
from deepcritical.interfaces.worker_command import worker

if TYPE_CHECKING:
    from pydantic import SecretStr

    from deepcritical.interfaces.access import Access

__all__ = ["app", "main"]

NoWorker = Annotated[
    bool, typer.Option("--no-worker", help="Leave the runs to `deepcritical worker` processes.")
]

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(research)
app.command()(ask)
app.command()(chat)
app.command()(search)
app.command()(read)
app.command()(understand)
app.command()(verify)
app.command()(render)
app.command("eval")(evaluate_sets)
app.command()(doctor)
app.command()(mcp)
app.command()(worker)
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
def serve(
    snapshot: Snapshot = None,
    sources: Sources = None,
    host: Annotated[
        str | None, typer.Option(help="Address to bind; by default 127.0.0.1: this machine only.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port, by default 7860; 0 takes a free one."),
    ] = None,
    model: ModelName = None,
    model_base_url: BaseUrl = None,
    ask_key: AskKey = False,
    no_worker: NoWorker = False,
) -> None:
    """Serve the page, the REST API and the tools at /mcp until Ctrl-C.

    Beyond this machine it asks for a token (DEEPCRITICAL_TOKENS), or has quotas (_PUBLIC=1).
    """
    from deepcritical import bootstrap  # late: `--help` must not wait for the framework

    chosen_place = chosen(snapshot, sources).sought
    settings = bootstrap.read_settings(*chosen_model(model, model_base_url, ask_key))
    runs = bootstrap.build_runs(settings, **chosen_place, serves=True, conducts=not no_worker)
    place = bootstrap.place_of(settings, **chosen_place)
    asyncio.run(runs.sources())  # a source that cannot be read is told before anybody asks
    with _bound(host or settings.host, settings.port if port is None else port) as listening:
        # Later still, for the page takes seconds to load.
        from deepcritical.interfaces.server import Front, serve_page

        local = "" if settings.public_url else listening.getsockname()[0]  # '': nobody is
        rules = settings.public, settings.public_documents, settings.public_runs_per_hour
        access = _access(local, settings.token_entries(), settings.share_secret, *rules)
        serve_page(
            *(runs, access, bootstrap.Lookups(settings, place.snapshot), listening),
            name=host or settings.host,
            similar=bootstrap.build_similar(settings, runs, place),
            chats=bootstrap.open_chats(settings, runs, place, describe),
            front=Front(settings.proxies, settings.public_url),
        )


def _access(
    host: str,
    tokens: str,
    secret: SecretStr | None,
    public: bool,
    public_documents: bool,
    runs_per_hour: int,
) -> Access:
    from deepcritical.interfaces.access import access_for, parse_tokens

    access, made = access_for(
        host,
        parse_tokens(tokens),
        public=public,
        public_documents=public_documents,
        runs_per_hour=runs_per_hour,
        share_secret=secret,
    )
    if made:
        token = made.get_secret_value()
        typer.echo(
            f"This server is open to the network. Its token, until it ends: {token}\n"
            "A browser asks for it as the password, with any name. To choose tokens, set "
            "DEEPCRITICAL_TOKENS; to let everybody in, DEEPCRITICAL_PUBLIC=1.",
            err=True,
        )
    return access


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
    except ResearchCancelled as error:
        raise SystemExit(exit_code(error)) from error
    except Exception as error:
        raise SystemExit(exit_code(error)) from error
