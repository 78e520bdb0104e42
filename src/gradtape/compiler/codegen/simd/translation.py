"""From LLVM's text of a module to machine code; also as a program, which does it for another process.

The program loads nothing of gradtape but `llvm.py` beside it, so that it starts quickly. Its arguments are the folder of llvmlite and the machine; it reads
texts and writes machine code, each behind its length in eight bytes, until there is no more to read.
"""

from __future__ import annotations

import struct
import sys
from typing import BinaryIO

if __name__ == "__main__":
    import os

    sys.path += [sys.argv[1], os.path.dirname(os.path.abspath(__file__))]
    from llvm import llvm, names_in  # type: ignore[import-not-found]
else:
    from gradtape.compiler.codegen.simd.llvm import llvm, names_in

# LLVM's levels for the choice of instructions and registers. Vectors are explicit, so that quickly made code is two to four times
# slower than good code, and has the same results; it is made in a fifth of the time.
QUICK, GOOD = 0, 2
_LENGTH = struct.Struct("<q")


def translated(
    text: str, triple: str, cpu: str, features: str, effort: int
) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
    """An object file, the names of its functions, and the names of those that it calls and does not have.

    LLVM's optimiser is left out: it would take half as long again and gain nothing, since vectors are explicit already, and
    the choice of instructions simplifies them and drops repeated and unused ones.
    """
    made = llvm().object_of(text, triple, cpu, features, effort)
    exports, imports = names_in(text)
    return made, exports, imports


def send(stream: BinaryIO, *parts: bytes) -> None:
    """Write some parts, each behind its length."""
    rest = memoryview(b"".join(_LENGTH.pack(len(part)) + part for part in parts))
    while rest:
        rest = rest[stream.write(rest) or 0 :]
    stream.flush()


def receive(stream: BinaryIO) -> bytes:
    """The next part. EOFError if there is none."""
    (size,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return _read(stream, size)


def _read(stream: BinaryIO, size: int) -> bytes:
    found = b""
    while len(found) < size:
        piece = stream.read(size - len(found))
        if not piece:
            raise EOFError
        found += piece
    return found


def serve(triple: str, cpu: str, features: str) -> None:
    """Make good code of what comes in until nothing comes any more."""
    while True:
        try:
            text = receive(sys.stdin.buffer).decode()
        except EOFError:
            return
        image, exports, imports = translated(text, triple, cpu, features, GOOD)
        send(sys.stdout.buffer, image, "\n".join(exports).encode(), "\n".join(imports).encode())


if __name__ == "__main__":
    serve(*sys.argv[2:])
