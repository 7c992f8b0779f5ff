"""Runs the web server: the page at ``/``, its data under ``/api``, tools at ``/mcp``."""

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

from deepcritical.interfaces.page.layout import build_page
from deepcritical.interfaces.page.parts import HEAD, THEME
from deepcritical.interfaces.site import Served, build_site
from deepcritical.jobs.runs import RunService

SHUTDOWN_S = 2
"""Seconds that open streams get when the server is stopped."""


class Front(NamedTuple):
    """The address at which the server is reached, and the proxies before it."""

    proxies: str | None = None
    """Proxies that are believed for whom they ask, see `Settings.proxies`; None for none."""
    public_url: str = ""
    """The address behind a proxy; '' for the server's own."""
    name: str = ""
    """The host name that was bound, if it was given as a name."""


def create_app(served: Served, host: str, names: Sequence[str] = ()) -> FastAPI:
    """The whole application; see `build_site`."""
    # The page last, for it answers every other path.
    mounted: FastAPI = gr.mount_gradio_app(
        build_site(served, host, names),
        build_page(served.runs, served.access, served.similar),
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


def serve_page(served: Served, listening: socket.socket, front: Front | None = None) -> None:
    """Answer requests at a bound socket until the process is stopped.

    Its runs then wait for the next process.
    """
    front = front or Front()
    logging.basicConfig(level=logging.WARNING)
    # While a run calculates, the loop and every statement to the database wait for their turn. By
    # default that takes 5 ms each time: with twenty runs, events come seconds late.
    sys.setswitchinterval(0.001)
    host, port, *_ = listening.getsockname()
    config = _config(create_app(served, host, (front.name, front.public_url)), front.proxies)
    logging.getLogger("uvicorn.error").addFilter(_is_worth_saying)
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"DeepCritical is at http://{shown}:{port} (Ctrl-C ends it)")
    _Server(config, served.runs).run(sockets=[listening])


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
