"""Imports large libraries lazily, and without blocking the event loop."""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

_PUT_OFF = "sklearn.metrics"
"""A module of which sentence_transformers uses one function, for distances that are not cosines. It
costs a third of the whole import."""
_TORCH_LIBRARIES = ("libtorch_cpu", "libtorch_python")

# Switching the collector off and on again must not overlap with another import's.
_importing = threading.Lock()


def import_quietly(*names: str) -> None:
    """Import modules in this thread without stalling the others; once loaded it costs nothing.

    A full garbage collection over the objects of such a library, which an import sets off several
    times, stops every thread for some 200 ms. So there is none meanwhile, and what was loaded is
    not looked through again.
    """
    with _importing:
        if all(name in sys.modules for name in names):
            return
        enabled = gc.isenabled()
        gc.disable()
        try:
            for name in names:
                if name == "torch":
                    _open_torch_libraries()
                with _put_off(_PUT_OFF):
                    importlib.import_module(name)
        finally:
            gc.freeze()
            if enabled:
                gc.enable()


@contextmanager
def _put_off(name: str) -> Iterator[None]:
    """Have modules that are imported meanwhile load this one when they first call a part of it."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = Later(name)
    try:
        yield
    finally:
        del sys.modules[name]


class Lazy(ModuleType):
    """Stands in for a module, which is loaded when one of its parts is first asked for."""

    def __getattr__(self, part: str) -> Any:
        if part.startswith("__"):
            raise AttributeError(part)
        return getattr(importlib.import_module(self.__name__), part)


class Later(ModuleType):
    """Stands in for a module; its parts are functions that load it when they are first called."""

    def __getattr__(self, part: str) -> Callable[..., Any]:
        if part.startswith("__"):
            raise AttributeError(part)
        module = self.__name__

        def called(*args: Any, **kwargs: Any) -> Any:
            return getattr(importlib.import_module(module), part)(*args, **kwargs)

        return called


def _open_torch_libraries() -> None:
    """Open torch's shared libraries beforehand; where that fails, the import does it.

    The import would hold the interpreter's lock for the 200 ms that the system takes to link them;
    a C function called through ctypes, as `dlopen` here, does not.
    """
    spec = importlib.util.find_spec("torch")
    if os.name != "posix" or spec is None or spec.origin is None:
        return
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.restype = ctypes.c_void_p
    for name in _TORCH_LIBRARIES:
        path = Path(spec.origin).parent / "lib" / f"{name}{suffix}"
        if path.is_file():
            dlopen(os.fsencode(path), os.RTLD_NOW | os.RTLD_GLOBAL)
