"""One application on one port: the page at ``/``, its data under ``/api``, tools at ``/mcp``."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NamedTuple

import gradio as gr
import typer
import uvicorn
from fastapi import FastAPI

from deepcritical.bootstrap import Lookups
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.page.layout import build_page
from deepcritical.interfaces.page.style import HEAD, THEME
from deepcritical.interfaces.site import Opening, build_site
from deepcritical.jobs.runs import RunService
from deepcritical.jobs.similar_runs import SimilarRuns

__all__ = ["Front", "create_app", "serve_page"]

SHUTDOWN_S = 2
"""Seconds that open streams get when the server is stopped."""


class Front(NamedTuple):
    """A proxy in front of the server."""

    proxies: str | None = None
    """Those that are believed for whom they ask, see `Settings.proxies`; None for none."""
    public_url: str = ""
    """The address at which it is reached; '' for the server's own."""


def create_app(
    runs: RunService,
    access: Access,
    lookups: Lookups,
    *,
    host: str,
    names: Sequence[str] = (),
    similar: SimilarRuns | None = None,
    chats: Opening | None = None,
) -> FastAPI:
    """The whole application; see `build_site`."""
    # The page last, for it answers every other path.
    site = build_site(runs, access, lookups, host=host, names=names, similar=similar, chats=chats)
    mounted: FastAPI = gr.mount_gradio_app(
        site,
        build_page(runs, access, similar),
        path="",
        theme=THEME,
        head=HEAD,
        run_history=False,
        ssr_mode=False,
        show_error=False,
        mcp_server=False,
        footer_links=[],
    )
    return mounted


def serve_page(
    runs: RunService,
    access: Access,
    lookups: Lookups,
    listening: socket.socket,
    *,
    name: str = "",
    similar: SimilarRuns | None = None,
    chats: Opening | None = None,
    front: Front | None = None,
) -> None:
    """Answer requests at a bound socket until the process is stopped.

    Its runs then wait for the next process.

    Args:
        runs: Runs the questions.
        access: Who may start, stop and list runs.
        lookups: Searches and finds records outside of runs.
        listening: Where requests arrive.
        name: The host name that was bound, if it was given as a name.
        similar: Finds former runs of similar questions; without it none are found.
        chats: Opens the chats for as long as the server runs; without it there are none.
        front: What stands in front of it, if anything does.
    """
    front = front or Front()
    logging.basicConfig(level=logging.WARNING)
    # While a run calculates, the loop and every statement to the database wait for their turn. By
    # default that takes 5 ms each time: with twenty runs, events come seconds late.
    sys.setswitchinterval(0.001)
    host, port, *_ = listening.getsockname()
    names = (name, front.public_url)
    app = create_app(runs, access, lookups, host=host, names=names, similar=similar, chats=chats)
    config = _config(app, front.proxies)
    logging.getLogger("uvicorn.error").addFilter(_is_worth_saying)
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"DeepCritical is at http://{shown}:{port} (Ctrl-C ends it)")
    _Server(config, runs).run(sockets=[listening])


def _config(app: FastAPI, proxies: str | None) -> uvicorn.Config:
    # With "on" a server whose start fails ends; by default it would answer half prepared.
    return uvicorn.Config(
        app,
        lifespan="on",
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_S,
        # By default loopback is believed, so that anybody on this machine could be anybody.
        proxy_headers=proxies is not None,
        forwarded_allow_ips=proxies or "",
    )


def _is_worth_saying(record: logging.LogRecord) -> bool:
    """False for what a server says of streams that it cuts when it ends: an open page has one."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, asyncio.CancelledError) or "Cancel %s running" in str(record.msg))


class _Server(uvicorn.Server):
    """Lets its runs go when it is told to end, which ends the open streams."""

    def __init__(self, config: uvicorn.Config, runs: RunService) -> None:
        super().__init__(config)
        self._runs = runs

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the first signal and by every further one."""
        self._runs.cancel_all()
        super().handle_exit(sig, frame)
