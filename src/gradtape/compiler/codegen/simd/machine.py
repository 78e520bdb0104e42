"""The machine that code is emitted for, which vectors it has, and assembly of modules to machine code."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd import llvm as library
from gradtape.compiler.codegen.simd.translation import GOOD, translated
from gradtape.core import dtypes, locks
from gradtape.core.caching import once
from gradtape.core.dtypes import DType

# LLVM's contexts are not safe to share: one module is assembled at a time, and none while the process forks.
_LOCK = locks.rlock("machine")
_NUMBER = itertools.count()
_llvm: list[Any] = []
_adopted: list[Any] = []


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Run a block in which no other thread uses LLVM by this module."""
    with _LOCK:
        # Where a program uses llvmlite by itself, a thread may hold that package's own lock when another one forks.
        if not _adopted and (theirs := library.package_lock()) is not None:
            _adopted.append(locks.adopt("llvmlite", theirs._lock))
        yield


def llvm() -> Any:
    """LLVM. It is loaded under the lock: what it holds meanwhile, a child would never get."""
    if not _llvm:
        with _LOCK:
            if not _llvm:
                _llvm.append(library.llvm())
    return _llvm[0]


def add_symbol(name: str, address: int) -> None:
    """Give an address a name, under which code may import it."""
    with _alone():
        llvm().add_symbol(name, address)


def has_symbols(names: tuple[str, ...]) -> bool:
    """True if all names have addresses."""
    with _alone():
        return all(llvm().address_of_symbol(name) for name in names)


class Machine(NamedTuple):
    """A processor, as LLVM names it.

    Attributes:
      triple: architecture and operating system.
      cpu: the model whose instruction timings are used.
      features: the instruction sets that may be used, `+avx2,-avx512f,...`.
      register_bytes: the size of a vector register.
      converts_half: True if there are instructions that convert float16.
    """

    triple: str
    cpu: str
    features: str
    register_bytes: int
    converts_half: bool

    @property
    def multiplies_bfloat16(self) -> bool:
        """Whether there is an instruction for sums of products of bfloat16 in registers of 64 bytes."""
        return self.register_bytes == 64 and "+avx512bf16" in self.features.split(",")

    def lanes(self, itemsize: int) -> int:
        """How many elements of that many bytes one vector register holds."""
        return self.register_bytes // itemsize


@once
def host() -> Machine:
    """The machine that this process runs on."""
    with _alone():
        found, triple, processor = llvm().features(), llvm().triple(), llvm().processor()
    if found.get("avx512f") and found.get("avx512vl"):
        size = 64
    else:
        size = 32 if found.get("avx2") else 16
    half = bool(found.get("f16c")) or triple.startswith(("aarch64", "arm64"))
    features = ",".join([f"{'+' if has else '-'}{name}" for name, has in sorted(found.items())])
    return Machine(triple, processor, features, size, half)


@once
def _linker() -> Any:
    """What puts machine code into this process."""
    here = host()
    return llvm().linker(here.triple, here.cpu, here.features)


class Library:
    """Machine code in memory. It lives as long as this object."""

    def __init__(self, addresses: dict[str, int], tracker: Any) -> None:
        self._addresses, self._tracker = addresses, tracker

    def address(self, name: str) -> int:
        """The address of a function."""
        return self._addresses[name]


class Code(NamedTuple):
    """Machine code that is not in a process yet. It may be kept, and loaded by another process on a like machine.

    Attributes:
      image: an object file.
      exports: names of its functions.
      imports: names of functions that it calls and does not have.
    """

    image: bytes
    exports: tuple[str, ...]
    imports: tuple[str, ...]


def assemble(module: ir.Module | str, machine: Machine | None = None) -> Library:
    """The functions of a module, or of LLVM's text of one, as machine code in this process."""
    return load(translate(module, machine))


def translate(module: ir.Module | str, machine: Machine | None = None, effort: int = GOOD) -> Code:
    """The machine code of a module, or of LLVM's text of one, made with QUICK effort or for GOOD speed."""
    chosen = machine or host()
    with _alone():
        return Code(*translated(str(module), chosen.triple, chosen.cpu, chosen.features, effort))


def assembly(module: ir.Module | str, effort: int = GOOD) -> str:
    """The instructions of a module, or of LLVM's text of one, as text."""
    chosen = host()
    with _alone():
        text: str = llvm().assembly_of(str(module), chosen.triple, chosen.cpu, chosen.features, effort)
        return text


def load(code: Code) -> Library:
    """Machine code in this process. Imports are what `add_symbol` of LLVM has named, or functions of the process."""
    with _alone():
        imports = {name: address for name in code.imports if (address := llvm().address_of_symbol(name))}
        return Library(*llvm().link(_linker(), code.image, f"gradtape.{next(_NUMBER)}", imports, code.exports))


_NARROW = ("float16", "bfloat16")
_SUPPORTED = frozenset(
    ["bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
)


def supports(dtype: Any) -> bool:
    """True if vectors of a dtype can be emitted: not complex numbers, strings, float8 and four-bit integers.

    >>> from gradtape.compiler.codegen.simd.machine import supports
    >>> supports(tf.float32), supports(tf.complex64)
    (True, False)
    """
    name = dtypes.as_dtype(dtype).name
    return name in _SUPPORTED or (name == "float16" and host().converts_half)


def is_narrow(dtype: DType) -> bool:
    """True for the floats that are computed as float32."""
    return dtype.name in _NARROW


def computed(dtype: DType) -> DType:
    """The dtype that a dtype is computed in: float32 for the narrow floats."""
    return dtypes.float32 if is_narrow(dtype) else dtype


def default_width(types: Sequence[DType]) -> int:
    """The number of lanes for a loop over these dtypes: what the widest has in one register."""
    return host().lanes(max(1 if d is dtypes.bool_ else computed(d).size for d in types))


def least_vectors() -> int:
    """How many vectors of a row are worth a start of their own: two, or one of 64 bytes."""
    return 1 if host().register_bytes >= 64 else 2
