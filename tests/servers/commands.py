"""The command as a process that starts at once: it is forked from one that has loaded everything.

``forked_command()`` is a program for tests to start in place of the installed ``deepcritical``. It
hands its arguments, folder, environment and streams to a server of this test session, which forks a
process that runs them; signals and the exit code are passed on. To start Python and to load the
libraries takes the installed command three seconds of a core each time.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from tests.environment import without_settings

ROOT = Path(__file__).parents[2]
INSTALLED = Path(sys.executable).with_name("deepcritical")
PRELOADED = (
    "deepcritical.interfaces.main",
    "deepcritical.bootstrap",
    "deepcritical.bootstrap.parts",
    "deepcritical.jobs.dbos_engine",
    "deepcritical.export",
    "deepcritical.reasoning.llm",
    "deepcritical.models.providers",
    "deepcritical.interfaces.server",
    "deepcritical.interfaces.mcp",
    # What they load once they need it: the migrations of a new database take 0.4 s of a core.
    "alembic.operations",
    "deepcritical.interfaces.cli.terminal_brief",
    "deepcritical.reasoning.llm_chat",
    "deepcritical.services.storage.schema",
    "deepcritical.services.storage.trace_queries",
    "openai.resources.chat",
    "rapidfuzz.process",
    "sqlalchemy.dialects.sqlite",
)
STREAMS = (0, 1, 2)
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SIZE = struct.Struct("!I")
CODE = struct.Struct("!i")
"""How a process ended: its exit code, or the signal that killed it, negative."""

CLIENT = """#!{python} -IS
import contextlib, json, os, signal, socket, struct, sys
def pass_on(number, _frame):
    with contextlib.suppress(BrokenPipeError):  # the command has just ended
        server.send(bytes([number]))
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    order = json.dumps([sys.argv[1:], {runs!r}, os.getcwd(), dict(os.environ)]).encode()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signals!r})
    for number in {signals!r}:
        signal.signal(number, pass_on)
    socket.send_fds(server, [struct.pack("!I", len(order))], [0, 1, 2])
    server.sendall(order)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signals!r})
    said = server.recv(4)
code = struct.unpack("!i", said)[0] if len(said) == 4 else -signal.SIGKILL
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
    os.kill(os.getpid(), -code)
os._exit(code)
"""


def forked_command() -> Path:
    """Return the program to start as ``deepcritical``; the installed one where Linux is not."""
    return _programs() / "deepcritical" if sys.platform == "linux" else INSTALLED


def forked_module() -> tuple[str, ...]:
    """Return the beginning of a command line that runs a module of the tests or of ours."""
    if sys.platform == "linux":
        return (str(_programs() / "module"),)
    return (sys.executable, "-m")


@cache
def _programs() -> Path:
    """Return the folder of the programs, whose server one test process starts for all of them."""
    session = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    # A name that nobody can guess, and that no other session has.
    name = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid4().hex
    folder = Path(tempfile.gettempdir()) / f"deepcritical-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "module").exists():
            _begin(folder, session)
    return folder


def _begin(folder: Path, session: int) -> None:
    address = str(folder / "server")
    with subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "tests.servers.commands", folder, str(session)],
        cwd=ROOT,
        env=without_settings(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"listening\n"
        server.stdout.close()
        server.returncode = 0  # it outlasts this test process, and ends with the session
    for name in ("deepcritical", "module"):
        text = CLIENT.format(
            python=sys.executable, address=address, runs=name, signals=tuple(map(int, PASSED_ON))
        )
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o700)


class _Order(NamedTuple):
    """The command that a process is to run."""

    args: list[str]
    runs: str
    """``deepcritical``, or ``module`` for the module that is the first argument."""
    folder: str
    environment: dict[str, str]


class _Server:
    """Forks a process for every order, as long as the test session lasts."""

    def __init__(self, folder: Path, session: int) -> None:
        self._folder, self._session = folder, session
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / "server"))
        self._listening.listen(64)
        self._waiting = selectors.DefaultSelector()
        self._waiting.register(self._listening, selectors.EVENT_READ)

    def serve(self) -> _Order:
        """Return the order in each process that is to run one; the server itself does not."""
        while self._is_wanted():
            for key, _ in self._waiting.select(timeout=1.0):
                if key.fileobj is self._listening:
                    client, _address = self._listening.accept()
                    if (order := self._forked(client)) is not None:
                        return order
                elif self._waiting.get_map().get(key.fd) is key:  # else it ended with one before
                    self._told(*key.data)
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(0)

    def _is_wanted(self) -> bool:
        try:
            os.kill(self._session, 0)
        except ProcessLookupError:
            return False
        return True

    def _forked(self, client: socket.socket) -> _Order | None:
        head, streams, _flags, _address = socket.recv_fds(client, SIZE.size, len(STREAMS))
        size = SIZE.unpack(head)[0] if len(head) == SIZE.size else 0
        said = client.recv(size, socket.MSG_WAITALL)
        if not size or len(said) < size:  # it was killed before it had said what it wants
            for stream in (*streams, client.detach()):
                os.close(stream)
            return None
        order = _Order(*json.loads(said))
        child = os.fork()
        if child:
            for stream in streams:
                os.close(stream)
            ended = os.pidfd_open(child)
            self._waiting.register(client, selectors.EVENT_READ, ("client", child, client, ended))
            self._waiting.register(ended, selectors.EVENT_READ, ("ended", child, client, ended))
            return None
        client.close()
        for stream, given in zip(STREAMS, streams, strict=True):
            os.dup2(given, stream)
            os.close(given)
        for key in list(self._waiting.get_map().values()):
            if key.fileobj is not client:
                os.close(key.fd)
        self._waiting.close()
        return order

    def _told(self, what: str, child: int, client: socket.socket, ended: int) -> None:
        if what == "client" and (numbers := client.recv(16)):
            for number in numbers:
                os.kill(child, number)
            return
        if what == "client":  # it was killed, and its process with it
            self._waiting.unregister(client)
            os.kill(child, signal.SIGKILL)
            return
        _, status = os.waitpid(child, 0)
        self._waiting.unregister(ended)
        os.close(ended)
        if client in {key.fileobj for key in self._waiting.get_map().values()}:
            self._waiting.unregister(client)
        with suppress(BrokenPipeError):  # nobody waits for it
            client.sendall(CODE.pack(os.waitstatus_to_exitcode(status)))
        client.close()


def _run(order: _Order) -> None:
    os.chdir(order.folder)
    os.environ.clear()
    os.environ.update(order.environment)
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        stream.reconfigure(line_buffering=number == 2 or os.isatty(number))  # type: ignore[union-attr]
    if order.runs == "module":
        sys.argv = order.args
        runpy.run_module(order.args[0], run_name="__main__", alter_sys=True)
        return
    sys.argv = [str(INSTALLED), *order.args]
    import_module("deepcritical.interfaces.main").main()


def _end(order: _Order) -> None:
    """Run it, and end as the interpreter does, but for taking down what was loaded."""
    code: object = 0
    try:
        _run(order)
    except SystemExit as error:
        code = error.code
    except BaseException:  # noqa: BLE001 - printed, as the interpreter does
        traceback.print_exc()
        code = 1
    if not isinstance(code, int | None):
        sys.stderr.write(f"{code}\n")
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(int(code or 0))


def _main() -> None:
    # A suite in the background is started deaf to Ctrl-C, which its commands must not inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    server = _Server(Path(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for name in PRELOADED:
        import_module(name)
    import_module("deepcritical.questions.reading").read_frame("Does aspirin help in asthma?")
    gc.freeze()
    _end(server.serve())


if __name__ == "__main__":
    _main()
