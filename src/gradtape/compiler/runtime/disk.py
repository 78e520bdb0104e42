"""Machine code on disk: what one process has compiled, the next one loads.

A file (`core/disk_cache.py`) holds one kernel. Its name is made of a text with everything that the code depends on: the sources and versions of
gradtape, Python, NumPy and llvmlite, the machine, and in the last line the description of the kernel: its body and its plan. The file
begins with a checksum of 32 bytes and this text, so that people can read what a file is (`strings -n 40 file`), and another
kernel that happens to have the same name is not taken for it.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import struct
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape.compiler.codegen.simd import machine
from gradtape.compiler.codegen.simd.machine import Code, Library, host
from gradtape.compiler.codegen.simd.translation import QUICK
from gradtape.core import disk_cache
from gradtape.core.dtypes import DType
from gradtape.core.op import REGISTRY, Op

_FORMAT = "gradtape kernel 4"


class StoredKernel(NamedTuple):
    """A kernel as it is kept."""

    code: Code
    task: str
    chunks: int


def text_of(key: Any) -> str | None:
    """A text that is equal for equal descriptions only; None if a description has parts that no text can stand for."""
    parts: list[str] = []
    return "".join(parts) if _write(key, parts) else None


def _write(key: Any, parts: list[str]) -> bool:
    kind = type(key)
    if key is None or kind in (bool, int, float, complex, str, bytes):
        parts.append(repr(key))
    elif isinstance(key, tuple):
        parts.append("(" if kind is tuple else f"{kind.__name__}(")
        for item in key:
            if not _write(item, parts):
                return False
            parts.append(",")
        parts.append(")")
    elif kind is DType:
        parts.append(key.name)
    elif isinstance(key, Op) and REGISTRY.get(key.name) is key and type(key).__module__.startswith("gradtape."):
        # The rules of ops that others declare may change between two runs, or under the same name.
        parts.append(f"op {key.name}")
    elif dataclasses.is_dataclass(key) and not isinstance(key, type):
        parts.append(kind.__name__)
        return _write(tuple([getattr(key, f.name) for f in dataclasses.fields(key)]), parts)
    else:
        return False
    return True


def load(text: str) -> StoredKernel | None:
    """The kernel that was kept under a text, if there is one."""
    text = full_text(text)
    body = disk_cache.read(text)
    return None if body is None else _unpack(text, body)


def store(text: str, entry: StoredKernel) -> None:
    """Keep a kernel, if that is possible."""
    text = full_text(text)
    disk_cache.write(text, _pack(text, entry))


def library(key: Any, make: Callable[[], Any]) -> Library:
    """The machine code of a module, or of LLVM's text of one, that `make` gives and the key describes, for what takes no time that
    counts when it runs: it is made with little effort. Names that it needs from the process must be known to LLVM before."""
    text = text_of(key)
    entry = None if text is None else load(text)
    if entry is None:
        entry = StoredKernel(machine.translate(make(), effort=QUICK), "", 0)
        if text is not None:
            store(text, entry)
    return machine.load(entry.code)


def _pack(text: str, entry: StoredKernel) -> bytes:
    names = ["\n".join(names).encode() for names in (entry.code.exports, entry.code.imports, (entry.task,))]
    parts = [*names, entry.code.image]
    packed = struct.pack("<q", entry.chunks) + b"".join(struct.pack("<q", len(p)) + p for p in parts)
    return text.encode() + b"\n\0" + packed


def _unpack(text: str, body: bytes) -> StoredKernel | None:
    """The kernel of a file; None if the file is that of another text."""
    begin = text.encode() + b"\n\0"
    if not body.startswith(begin):
        return None
    (chunks,), at, parts = struct.unpack_from("<q", body, len(begin)), len(begin) + 8, []
    for _ in range(4):
        (size,) = struct.unpack_from("<q", body, at)
        parts.append(body[at + 8 : at + 8 + size])
        at += 8 + size
    exports, imports = [tuple(p.decode().split("\n")) if p else () for p in parts[:2]]
    return StoredKernel(Code(parts[3], exports, imports), parts[2].decode(), chunks)


def full_text(text: str) -> str:
    """The text under which a kernel is kept."""
    return f"{_version()}\n{text}"


@functools.lru_cache(maxsize=1)
def _version() -> str:
    """What all kernels depend on."""
    import llvmlite  # only for its version

    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sources = disk_cache.fingerprint([os.path.join(package, sub) for sub in ("compiler", "ops", "core")])
    here = host()
    versions = [disk_cache.library_version(), sys.version, np.__version__, llvmlite.__version__]
    return "\n".join([_FORMAT, sources, *versions, here.triple, here.cpu, here.features, str(sys.maxsize)])
