"""LLVM by the functions of llvmlite's library, and by its package: the same answers."""

import ctypes
import signal
import subprocess
import sys
import threading
import time

import llvmlite
import pytest
from llvmlite.utils import get_library_name

from gradtape.compiler.codegen.simd import llvm as subject
from gradtape.compiler.codegen.simd.llvm import ByPackage, Direct, names_in

TEXT = """
declare double @llvm.fabs.f64(double)
declare i64 @gradtape_test_helper(i64)
define internal i64 @hidden(i64 %x) {
  %y = mul i64 %x, 3
  ret i64 %y
}
define i64 @"shown"(i64 %x) {
  %y = call i64 @hidden(i64 %x)
  %z = call i64 @gradtape_test_helper(i64 %y)
  ret i64 %z
}
"""
LONG = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


IS_KNOWN = llvmlite.__version__.startswith(subject._KNOWN)


def direct():
    if not IS_KNOWN:
        pytest.skip(f"the library of llvmlite {llvmlite.__version__} is not called directly")
    return Direct(f"{llvmlite.__path__[0]}/binding/{get_library_name()}")


@pytest.fixture(params=[direct, ByPackage])
def llvm(request):
    return request.param()


def machine(llvm):
    features = ",".join(f"{'+' if has else '-'}{name}" for name, has in sorted(llvm.features().items()))
    return llvm.triple(), llvm.processor(), features


def test_both_know_the_same_machine_and_make_the_same_code():
    library, package = direct(), ByPackage()
    assert machine(library) == machine(package)
    for effort in (0, 2):
        assert library.object_of(TEXT, *machine(library), effort) == package.object_of(TEXT, *machine(library), effort)
        assert "shown:" in library.assembly_of(TEXT, *machine(library), effort)
        assert library.assembly_of(TEXT, *machine(library), effort) == package.assembly_of(
            TEXT, *machine(library), effort
        )


def test_code_runs_and_finds_what_it_imports(llvm):
    helper = LONG(lambda x: x + 1)
    address = ctypes.cast(helper, ctypes.c_void_p).value
    image = llvm.object_of(TEXT, *machine(llvm), 2)
    linker = llvm.linker(*machine(llvm))
    for k in range(3):  # each under a name of its own
        addresses, kept = llvm.link(linker, image, f"test.{k}", {"gradtape_test_helper": address}, ["shown"])
        assert LONG(addresses["shown"])(14) == 43
        del kept


def test_code_outlives_the_linker_that_linked_it(llvm, monkeypatch):
    """LLVM's linker keeps memory for every object, so another one takes its place after some; its code stays while it is in use."""
    monkeypatch.setattr(subject, "_OBJECTS", 2)
    helper = LONG(lambda x: x + 1)
    address = ctypes.cast(helper, ctypes.c_void_p).value
    image = llvm.object_of(TEXT, *machine(llvm), 2)
    linker = llvm.linker(*machine(llvm))
    handles, linked = set(), []
    for k in range(7):
        linked.append(llvm.link(linker, image, f"test.{k}", {"gradtape_test_helper": address}, ["shown"]))
        handles.add(id(linker._handle) if isinstance(llvm, ByPackage) else linker._handle)
    assert len(handles) > 1
    for addresses, _ in linked:
        assert LONG(addresses["shown"])(14) == 43
    del linked[::2]
    llvm.link(linker, image, "last", {"gradtape_test_helper": address}, ["shown"])
    for addresses, _ in linked:
        assert LONG(addresses["shown"])(14) == 43


def test_no_finalizer_runs_in_the_main_thread(llvm):
    """A Ctrl-C that comes in one would be lost."""
    helper = LONG(lambda x: x + 1)
    address = ctypes.cast(helper, ctypes.c_void_p).value
    entered = []
    sys.setprofile(lambda frame, event, _: entered.append(frame.f_code.co_name) if event == "call" else None)
    try:
        image = llvm.object_of(TEXT, *machine(llvm), 2)
        linker = llvm.linker(*machine(llvm))
        for k in range(3):
            kept = llvm.link(linker, image, f"test.{k}", {"gradtape_test_helper": address}, ["shown"])[1]
            before = len(entered)
            del kept
            assert len(entered) == before
    finally:
        sys.setprofile(None)
    assert entered
    assert "__del__" not in entered


def test_an_interrupt_waits_for_llvmlite(monkeypatch):
    """Not longer than one call; what the call holds is free then."""
    package, kept = ByPackage(), []

    @subject._aside
    def call():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.1)
        kept.append(package.triple())

    with pytest.raises(KeyboardInterrupt):
        call()
    assert kept == [package.triple()]
    assert subject.package_lock()._lock.acquire(blocking=False)
    subject.package_lock()._lock.release()


def test_symbols(llvm):
    assert not llvm.address_of_symbol("gradtape_no_such_symbol")
    llvm.add_symbol("gradtape_test_symbol", 4096)
    assert llvm.address_of_symbol("gradtape_test_symbol") == 4096


def test_what_llvm_refuses_is_said(llvm):
    with pytest.raises(RuntimeError, match="expected type"):
        llvm.object_of("define nonsense @f() {}", *machine(llvm), 0)
    with pytest.raises(RuntimeError, match="nowhere"):
        llvm.object_of(TEXT, "nowhere-unknown-linux", "", "", 0)
    with pytest.raises(RuntimeError):
        llvm.link(llvm.linker(*machine(llvm)), b"no object", "test.wrong", {}, [])


def test_names_of_a_module():
    assert names_in(TEXT) == (("shown",), ("gradtape_test_helper",))


CHOICE = """
import sys
if "package first" in sys.argv: import llvmlite.binding
if "other version" in sys.argv:
    import llvmlite
    llvmlite.__version__ = "99.0"
import gradtape as tf
from gradtape.compiler.codegen.simd.llvm import llvm
assert float(tf.function(lambda x: tf.reduce_sum(tf.exp(x) * 2.0))(tf.zeros([64]))) == 128.0
print(type(llvm()).__name__, "llvmlite.binding" in sys.modules)
"""


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("plain", "Direct False" if IS_KNOWN else "ByPackage True"),
        ("package first", "Direct True" if IS_KNOWN else "ByPackage True"),
        ("other version", "ByPackage True"),
    ],
)
def test_which_of_them_is_used(case, expected, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path))
    done = subprocess.run([sys.executable, "-c", CHOICE, case], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == (expected, "")
