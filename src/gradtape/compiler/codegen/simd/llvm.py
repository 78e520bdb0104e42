"""The part of LLVM that the compiler uses, from llvmlite.

llvmlite's own package for it, `llvmlite.binding`, has much more, and loading it takes longer than all the rest of a small first call. So
the few functions are called in its library directly, where it is of a version that is known; else by that package. This module needs nothing
of gradtape: the process that makes good code loads it by itself.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import functools
import os
import re
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_KNOWN = ("0.50.",)  # versions whose library has the functions as they are declared here
_TEXT, _POINTER, _WORD, _INT = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_OBJECTS = 256  # that one linker of LLVM's puts into the process
_OBJECT, _PROCESS = 2, 3  # what a library is linked of: an object file, or what the process has
_AS_ASSEMBLY, _AS_OBJECT = 0, 1  # what is made of a module


class _Element(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint8), ("value", _TEXT), ("size", _WORD)]


class _Symbol(ctypes.Structure):
    _fields_ = [("name", _TEXT), ("address", ctypes.c_uint64)]


# Result and arguments of each function. A pointer to a pointer at the end is for a text: what has gone wrong, or the answer.
_OUT = ctypes.POINTER(_POINTER)
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "InitializeNativeTarget": (None, ()),
    "InitializeNativeAsmPrinter": (None, ()),
    "GetProcessTriple": (None, (_OUT,)),
    "GetHostCPUName": (None, (_OUT,)),
    "GetHostCPUFeatures": (_INT, (_OUT,)),
    "GetTargetFromTriple": (_POINTER, (_TEXT, _OUT)),
    "CreateTargetMachine": (_POINTER, (_POINTER, _TEXT, _TEXT, _TEXT, _INT, _TEXT, _TEXT, _INT, _INT, _TEXT)),
    "DisposeTargetMachine": (None, (_POINTER,)),
    "CreateTargetMachineData": (_POINTER, (_POINTER,)),
    "CopyStringRepOfTargetData": (None, (_POINTER, _OUT)),
    "DisposeTargetData": (None, (_POINTER,)),
    "ContextCreate": (_POINTER, ()),
    "ContextDispose": (None, (_POINTER,)),
    "ParseAssembly": (_POINTER, (_POINTER, _TEXT, _OUT)),
    "SetTarget": (None, (_POINTER, _TEXT)),
    "SetDataLayout": (None, (_POINTER, _TEXT)),
    "DisposeModule": (None, (_POINTER,)),
    "TargetMachineEmitToMemory": (_POINTER, (_POINTER, _POINTER, _INT, _OUT)),
    "GetBufferStart": (_POINTER, (_POINTER,)),
    "GetBufferSize": (_WORD, (_POINTER,)),
    "DisposeMemoryBuffer": (None, (_POINTER,)),
    "DisposeString": (None, (_POINTER,)),
    "AddSymbol": (None, (_TEXT, _POINTER)),
    "SearchAddressOfSymbol": (_POINTER, (_TEXT,)),
    "CreateLLJITCompiler": (_POINTER, (_POINTER, ctypes.c_bool, ctypes.c_bool, _OUT)),
    "LLJITDispose": (None, (_POINTER,)),
    "LLJIT_Link": (
        _POINTER,
        (_POINTER, _TEXT, ctypes.POINTER(_Element), _WORD, ctypes.POINTER(_Symbol), _WORD, ctypes.POINTER(_Symbol), _WORD, _OUT),
    ),
    "LLJIT_Dylib_Tracker_Dispose": (ctypes.c_bool, (_POINTER, _OUT)),
}  # fmt: skip


def package_lock() -> Any:
    """The lock of llvmlite's own package, under which it calls LLVM; None if the package is not loaded."""
    return getattr(getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None), "_lock", None)


def _links_closely(triple: str) -> bool:
    """Whether the linker is JITLink, which lays the sections of an object side by side. The older one takes memory for each where there is
    some: on 64-bit ARM, code that is too far from its constants ends the process."""
    return triple.startswith(("aarch64", "arm64"))


class Linker:
    """What puts objects into this process.

    LLVM's linker keeps some 9 KB of every object that it has ever linked, also when the object is taken out again. So after some hundred
    objects another one takes its place; the first goes, with all that it kept, when none of its objects is in use.

    Args:
      make: makes one.
      dispose: lets go of one.
    """

    def __init__(self, make: Callable[[], Any], dispose: Callable[[Any], None]) -> None:
        self._make, self._dispose = make, dispose
        self._handle, self._left = make(), _OBJECTS

    def use(self) -> Any:
        """LLVM's linker, for one more object."""
        if not self._left:
            new = self._make()
            self._dispose(self._handle)
            self._handle, self._left = new, _OBJECTS
        self._left -= 1
        return self._handle


class Direct:
    """LLVM by the functions of llvmlite's library.

    Args:
      path: of the library.
    """

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        self._functions: dict[str, Any] = {}
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"LLVMPY_{name}")
            function.restype, function.argtypes = result, arguments
            self._functions[name] = function
        self._in_process = _InProcess()
        self._call("InitializeNativeTarget")
        self._call("InitializeNativeAsmPrinter")

    def _call(self, name: str, *arguments: Any) -> Any:
        with package_lock() or contextlib.nullcontext():
            return self._functions[name](*arguments)

    def _tell(self, name: str, *arguments: Any) -> tuple[Any, str]:
        """What a function returns, and the text that it writes."""
        place = ctypes.c_void_p()
        result = self._call(name, *arguments, ctypes.byref(place))
        if not place:
            return result, ""
        text = ctypes.string_at(place).decode()
        self._call("DisposeString", place)
        return result, text

    def _made(self, name: str, *arguments: Any) -> Any:
        """What a function makes; a RuntimeError with its words if it makes nothing."""
        made, problem = self._tell(name, *arguments)
        if not made:
            raise RuntimeError(f"LLVM: {problem or name}")
        return made

    def triple(self) -> str:
        """Architecture and operating system of this process."""
        return self._tell("GetProcessTriple")[1]

    def processor(self) -> str:
        """The model of the processor."""
        return self._tell("GetHostCPUName")[1]

    def features(self) -> dict[str, bool]:
        """The instruction sets that LLVM knows, and whether the processor has them."""
        found, text = self._tell("GetHostCPUFeatures")
        return {word[1:]: word[0] == "+" for word in text.split(",") if word} if found else {}

    def _target(self, triple: str, processor: str, features: str, effort: int) -> Any:
        target = self._made("GetTargetFromTriple", triple.encode())
        kind = triple + "-elf" if os.name == "nt" else triple  # the linker knows no other objects there
        words = [word.encode() for word in (kind, processor, features)]
        made = self._call("CreateTargetMachine", target, *words, effort, b"default", b"jitdefault", 0, 1, b"")
        if not made:
            raise RuntimeError(f"LLVM: no machine code for {kind}.")
        return made, kind

    def object_of(self, text: str, triple: str, processor: str, features: str, effort: int) -> bytes:
        """An object file of a module."""
        return self._emit(text, triple, processor, features, effort, _AS_OBJECT)

    def assembly_of(self, text: str, triple: str, processor: str, features: str, effort: int) -> str:
        """The same as instructions that people can read."""
        return self._emit(text, triple, processor, features, effort, _AS_ASSEMBLY).decode()

    def _emit(self, text: str, triple: str, processor: str, features: str, effort: int, form: int) -> bytes:
        machine, kind = self._target(triple, processor, features, effort)
        context = self._call("ContextCreate")
        module = buffer = None
        try:
            module, problem = self._tell("ParseAssembly", context, text.encode())
            if problem or not module:
                raise RuntimeError(f"LLVM IR parsing error\n{problem}")
            layout = self._call("CreateTargetMachineData", machine)
            self._call("SetTarget", module, kind.encode())
            self._call("SetDataLayout", module, self._tell("CopyStringRepOfTargetData", layout)[1].encode())
            self._call("DisposeTargetData", layout)
            buffer = self._made("TargetMachineEmitToMemory", machine, module, form)
            return ctypes.string_at(self._call("GetBufferStart", buffer), self._call("GetBufferSize", buffer))
        finally:
            for name, made in (("DisposeMemoryBuffer", buffer), ("DisposeModule", module), ("ContextDispose", context)):
                if made:
                    self._call(name, made)
            self._call("DisposeTargetMachine", machine)

    def add_symbol(self, name: str, address: int) -> None:
        """Give an address a name, under which code may import it."""
        self._call("AddSymbol", name.encode(), address)

    def address_of_symbol(self, name: str) -> int | None:
        """The address of a name; None if nothing has it."""
        found: int | None = self._call("SearchAddressOfSymbol", name.encode())
        return found

    def linker(self, triple: str, processor: str, features: str) -> Linker:
        """What puts objects into this process."""

        def make() -> Any:
            machine, _ = self._target(triple, processor, features, 2)
            try:
                return self._made("CreateLLJITCompiler", machine, False, _links_closely(triple))
            finally:
                self._call("DisposeTargetMachine", machine)

        return Linker(make, functools.partial(self._call, "LLJITDispose"))

    def link(
        self, linker: Linker, image: bytes, name: str, imports: Mapping[str, int], exports: Sequence[str]
    ) -> tuple[dict[str, int], Any]:
        """The addresses of the functions of an object file, and what keeps them. What nobody keeps any more is taken out first."""
        self._unlink_dropped()
        parts = (_Element * 2)(_Element(_OBJECT, image, len(image)), _Element(_PROCESS, b"", 0))
        known = (_Symbol * len(imports))(*[_Symbol(n.encode(), address) for n, address in imports.items()])
        wanted = (_Symbol * len(exports))(*[_Symbol(n.encode(), 0) for n in exports])
        tracker = self._made(
            "LLJIT_Link", linker.use(), name.encode(), parts, len(parts), known, len(known), wanted, len(wanted)
        )
        return {n: symbol.address for n, symbol in zip(exports, wanted, strict=True)}, self._in_process.add(tracker)

    def _unlink_dropped(self) -> None:
        for tracker in self._in_process.dropped():
            self._tell("LLJIT_Dylib_Tracker_Dispose", tracker)


class _Kept:
    """A library in the process, as long as this lives, and until another one is linked."""

    __slots__ = ("__weakref__",)


class _Linked(weakref.ref[_Kept]):
    """A library in the process, and whether somebody keeps it. A `__del__` would lose a Ctrl-C that comes meanwhile."""

    __slots__ = ("tracker",)
    tracker: Any


class _InProcess:
    """Libraries in the process, and those of them that nobody keeps any more."""

    def __init__(self) -> None:
        self._linked: set[_Linked] = set()
        self._dropped: deque[_Linked] = deque()

    def add(self, tracker: Any) -> _Kept:
        """What keeps a library."""
        kept = _Kept()
        library = _Linked(kept, self._dropped.append)
        library.tracker = tracker
        self._linked.add(library)
        return kept

    def dropped(self) -> Iterator[Any]:
        """Trackers of libraries to take out."""
        while self._dropped:
            library = self._dropped.popleft()
            self._linked.discard(library)
            yield library.tracker


def _aside(function: F) -> F:
    """The function, run by a thread of its own while the caller waits: llvmlite's objects have finalizers in Python, and a Ctrl-C, which
    goes to the main thread alone, would be lost in one."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        answers: list[tuple[Any, BaseException | None]] = []
        ended: SimpleQueue[None] = SimpleQueue()

        def run() -> None:
            try:
                answers.append((function(*args, **kwargs), None))
            except BaseException as problem:
                answers.append((None, problem.with_traceback(None)))  # frames would keep such objects
            ended.put(None)

        begin = map(_thread.start_new_thread, [run], [()])
        interruption: BaseException | None = None
        while not answers:
            try:
                list(begin)  # once, also if a Ctrl-C comes right behind
                ended.get()
            except BaseException as pressed:  # not before the end: the lock that the caller holds is for the thread
                interruption = pressed
        result, failure = answers[0]
        if interruption is not None:
            raise interruption
        if failure is not None:
            raise failure
        return result

    return call  # type: ignore[return-value]


class ByPackage:
    """LLVM by `llvmlite.binding`; what `Direct` has, with the same meanings."""

    @_aside
    def __init__(self) -> None:
        from llvmlite import binding  # loaded where its private library is not known

        self._binding = binding
        self._in_process = _InProcess()
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        self.add_symbol, self.address_of_symbol = binding.add_symbol, binding.address_of_symbol
        self.triple, self.processor = _aside(binding.get_process_triple), _aside(binding.get_host_cpu_name)
        self.features = _aside(binding.get_host_cpu_features)

    def _target(self, triple: str, processor: str, features: str, effort: int) -> Any:
        target = self._binding.Target.from_triple(triple)
        return target.create_target_machine(cpu=processor, features=features, opt=effort, jit=True)

    @_aside
    def object_of(self, text: str, triple: str, processor: str, features: str, effort: int) -> bytes:
        """An object file of a module."""
        machine, module = self._parse(text, triple, processor, features, effort)
        return bytes(machine.emit_object(module))

    @_aside
    def assembly_of(self, text: str, triple: str, processor: str, features: str, effort: int) -> str:
        """The same as instructions that people can read."""
        machine, module = self._parse(text, triple, processor, features, effort)
        return str(machine.emit_assembly(module))

    def _parse(self, text: str, triple: str, processor: str, features: str, effort: int) -> tuple[Any, Any]:
        machine = self._target(triple, processor, features, effort)
        module = self._binding.parse_assembly(text)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        return machine, module

    @_aside
    def linker(self, triple: str, processor: str, features: str) -> Linker:
        """What puts objects into this process."""

        def make() -> Any:
            machine = self._target(triple, processor, features, 2)
            return self._binding.create_lljit_compiler(machine, use_jit_link=_links_closely(triple))

        return Linker(make, lambda linker: linker.close())  # used by `link` alone, on its thread

    @_aside
    def link(
        self, linker: Linker, image: bytes, name: str, imports: Mapping[str, int], exports: Sequence[str]
    ) -> tuple[dict[str, int], Any]:
        """The addresses of the functions of an object file, and what keeps them. What nobody keeps any more is taken out first."""
        for tracker in self._in_process.dropped():
            tracker.close()
        library = self._binding.JITLibraryBuilder().add_object_img(image).add_current_process()
        for known, address in imports.items():
            library.import_symbol(known, address)
        for wanted in exports:
            library.export_symbol(wanted)
        tracker = library.link(linker.use(), name)
        return {wanted: int(tracker[wanted]) for wanted in exports}, self._in_process.add(tracker)


@functools.lru_cache(maxsize=1)
def llvm() -> Direct | ByPackage:
    """LLVM, ready for this kind of machine."""
    import llvmlite  # loaded with the first function that is compiled
    from llvmlite.utils import get_library_name

    if llvmlite.__version__.startswith(_KNOWN):
        path = os.path.join(os.path.dirname(os.path.abspath(llvmlite.__file__)), "binding", get_library_name())
        try:
            return Direct(path)
        except (OSError, AttributeError):  # another library than it was
            pass
    return ByPackage()


_DEFINED = re.compile(r'^(define|declare) (?!internal |private )[^@\n]*@"?([\w.$]+)"?\(', re.MULTILINE)


def names_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the functions that a module shows to others, and of those that it has from others."""
    found = _DEFINED.findall(text)
    shown = [name for word, name in found if word == "define"]
    return tuple(shown), tuple([n for word, n in found if word == "declare" and not n.startswith("llvm.")])
