"""From LLVM's text of a module to machine code; also as a program, which does it for another process.

The program imports nothing of gradtape, so that it starts quickly. Its arguments are the folder of llvmlite and the machine; it reads
texts and writes machine code, each behind its length in eight bytes, until there is no more to read.
"""

from __future__ import annotations

import functools
import struct
import sys
from typing import Any, BinaryIO

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
    from llvmlite import binding

    target = target_of(triple, cpu, features, effort)
    parsed = binding.parse_assembly(text)
    parsed.triple = target.triple
    parsed.data_layout = str(target.target_data)
    exports = [f.name for f in parsed.functions if not f.is_declaration and f.linkage.name == "external"]
    imports = [f.name for f in parsed.functions if f.is_declaration and not f.name.startswith("llvm.")]
    return bytes(target.emit_object(parsed)), tuple(exports), tuple(imports)


def target_of(triple: str, cpu: str, features: str, effort: int = GOOD) -> Any:
    """A new target machine, LLVM's own object, which is not to be shared."""
    from llvmlite import binding

    initialize()
    target = binding.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=effort, jit=True)


@functools.lru_cache(maxsize=1)
def initialize() -> None:
    """Make LLVM ready for this kind of machine."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


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
    sys.path.append(sys.argv[1])
    serve(*sys.argv[2:])
