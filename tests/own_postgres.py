"""A PostgreSQL server of one's own, on a socket address of loopback, that can be restarted."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deepcritical.services.storage.database_url import normalised_url
from tests.ports import lasting_port

HOMES = ("/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt")


def programs() -> Path | None:
    """Return the folder of initdb and pg_ctl; None if PostgreSQL is not installed."""
    if found := shutil.which("initdb"):
        return Path(found).parent
    here = sorted(path for home in HOMES for path in Path(home).glob("*/bin/initdb"))
    return here[-1].parent if here else None


class OwnServer:
    """A server that nobody else uses.

    Args:
        folder: Where its data are; owned by whom the server runs as.
    """

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._port = lasting_port()
        self._call("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-N")
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(
                f"port = {self._port}\nlisten_addresses = '127.0.0.1'\n"
                f"unix_socket_directories = '{folder}'\nmax_connections = 200\n"
            )

    @property
    def url(self) -> str:
        """The normalised address of its one database."""
        return normalised_url(f"postgresql://postgres@127.0.0.1:{self._port}/postgres")

    def start(self) -> None:
        self._call("pg_ctl", "-D", self._data, "-w", "-l", self._data / "log", "start")

    def stop(self) -> None:
        """As an operator does who restarts it: open transactions are cut off."""
        self._call("pg_ctl", "-D", self._data, "-w", "-m", "fast", "stop")

    def _call(self, program: str, *args: str | Path) -> None:
        home = programs()
        assert home is not None
        command = [home / program, *args]
        if os.getuid() == 0:  # the server refuses to run as root
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A server that is started, and gone in the end."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if os.getuid() == 0:
            os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
        server = OwnServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
