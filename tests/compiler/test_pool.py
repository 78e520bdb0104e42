"""The thread pool: every chunk of every job runs once, whoever calls, whatever happens around it."""

import ctypes
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from llvmlite import binding

from compiler.pool_tasks import Tasks
from gradtape.compiler.runtime import pool, pool_code, pool_sleep
from gradtape.compiler.runtime.pool import Pool
from gradtape.core import errors

# The monitor, for systems other than Linux, works on Linux too.
SLEEPS = [False] + [True] * pool_sleep.has_futex(sys.platform, platform.machine())


@pytest.fixture(scope="module")
def tasks():
    return Tasks()


@pytest.fixture(params=[(futex, threads) for futex in SLEEPS for threads in (1, 2, 5)], ids=str)
def workers(request):
    made = Pool(request.param[1], futex=request.param[0])
    yield made
    made.close()


def eventually(condition):
    """Whether a condition comes to hold, soon unless the machine is very busy."""
    end = time.monotonic() + 30
    while not condition():  # once is enough: a worker may come late to a job that has ended, and sleep again
        if time.monotonic() >= end:
            return False
        time.sleep(0.001)
    return True


def alive(workers):
    return sum(ended.locked() for ended in workers._ended)


@pytest.mark.parametrize("chunks", [-1, 0, 1, 2, 3, 64, 1000])
def test_every_chunk_runs_once(workers, tasks, chunks):
    counts = np.zeros(1001, np.int64)
    for _ in range(3):
        workers.parallel_for(tasks.count, counts.ctypes.data, chunks)
    np.testing.assert_array_equal(counts, 3 * (np.arange(1001) < chunks))


def test_no_thread_before_a_job_of_several_chunks(workers, tasks):
    counts, before = np.zeros(4, np.int64), threading.active_count()
    workers.entry()
    workers.parallel_for(tasks.count, counts.ctypes.data, 1)
    assert workers._code.read("workers") == -1
    workers.parallel_for(tasks.count, counts.ctypes.data, 4)
    assert workers._code.read("workers") == workers.threads() - 1 == alive(workers)
    assert threading.active_count() == before


def test_idle_workers_sleep_and_come_back(workers, tasks):
    counts = np.zeros(64, np.int64)
    for k in range(5):
        workers.parallel_for(tasks.count, counts.ctypes.data, 64)
        assert eventually(lambda: workers._code.read("sleeping") == workers.threads() - 1)
        assert (counts == k + 1).all()
    assert eventually(sleeps)


def sleeps():
    """Whether the process takes next to no time of a processor for a while."""
    begin = time.process_time()
    time.sleep(0.1)
    return time.process_time() - begin < 0.05


def test_workers_take_part(workers, tasks):
    names = set()

    @ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)
    def note(argument, chunk):
        names.add(threading.get_ident())
        time.sleep(0.002)

    for _ in range(50):  # on a busy machine a worker may miss a job
        workers.parallel_for(ctypes.cast(note, ctypes.c_void_p).value, 0, 20)
        assert threading.get_ident() in names
        if len(names) > 1 or workers.threads() == 1:
            break
    assert (len(names) > 1) == (workers.threads() > 1)


def test_a_job_within_a_chunk_runs_alone(workers, tasks):
    counts = np.zeros(30, np.int64)
    function, state = workers.entry()
    inner = np.array([function, state, tasks.count, counts.ctypes.data, 30])
    for _ in range(20):
        workers.parallel_for(tasks.nest, inner.ctypes.data, 16)
    assert (counts == 20 * 16).all()


def test_hundred_thousand_jobs_from_two_threads(workers, tasks):
    with ThreadPoolExecutor(2) as callers:
        for end in [callers.submit(tasks.stress, workers, 50_000, seed) for seed in (1, 2)]:
            end.result()


def test_changing_the_number_of_threads(workers, tasks):
    with ThreadPoolExecutor(1) as caller:
        end, count = caller.submit(tasks.stress, workers, 100_000, 3), 0
        while not end.done():
            count += 1
            workers.set_threads(1 + count % 4)
            tasks.stress(workers, 20, count)
        end.result()
    workers.set_threads(3)
    tasks.stress(workers, 20, 7)
    assert workers._code.read("workers") == 2 == workers.threads() - 1
    assert eventually(lambda: alive(workers) == 2)
    workers.set_threads(0)
    assert workers.threads() == pool.threads()


def test_a_negative_number_of_threads_is_refused():
    with pytest.raises(errors.InvalidArgumentError, match=r"count is -2, a number of threads cannot be negative"):
        pool.set_threads(-2)


def test_jobs_after_close_run_alone(tasks):
    workers = Pool(3)
    tasks.stress(workers, 100, 1)
    workers.close()
    assert not alive(workers)
    tasks.stress(workers, 100, 2)
    assert not alive(workers)


def test_exceptions_leave_the_pool_usable(workers, tasks, monkeypatch):
    heard = []
    monkeypatch.setattr(sys, "unraisablehook", lambda problem: heard.append(problem.exc_type))

    @ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)
    def fail(argument, chunk):
        raise KeyError(chunk)

    workers.parallel_for(ctypes.cast(fail, ctypes.c_void_p).value, 0, 6)
    assert heard == [KeyError] * 6
    with pytest.raises(ctypes.ArgumentError):
        workers.parallel_for("no address", 0, 2)
    tasks.stress(workers, 100, 1)


def test_a_signal_waits_for_the_job(workers, tasks):
    counts = np.zeros(64, np.int64)

    def handler(number, frame):
        raise TimeoutError("a signal's handler")

    def interrupted_jobs():
        timer.start()
        while True:
            workers.parallel_for(tasks.count, counts.ctypes.data, 64)

    tasks.stress(workers, 10, 1)
    timer = threading.Timer(0.005, signal.raise_signal, (signal.SIGINT,))
    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(TimeoutError, match="handler"):
            interrupted_jobs()
    finally:
        signal.signal(signal.SIGINT, before)
        timer.join()
    assert (counts == counts[0]).all()
    tasks.stress(workers, 100, 1)


@pytest.mark.parametrize(
    ("system", "processor", "triple"),
    [
        ("linux", "aarch64", "aarch64-unknown-linux-gnu"),
        ("linux", "ppc64le", "powerpc64le-unknown-linux-gnu"),
        ("darwin", "arm64", "arm64-apple-darwin"),
        ("darwin", "x86_64", "x86_64-apple-darwin"),
        ("win32", "AMD64", "x86_64-pc-windows-msvc"),
    ],
)
def test_the_code_suits_other_systems(system, processor, triple):
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    code = pool_code.assembly(system, processor, pool_sleep.has_futex(system, processor))
    module = binding.parse_assembly(code)
    module.verify()
    needed = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    assert needed == set(pool_code.symbols(code))
    assert binding.Target.from_triple(triple).create_target_machine().emit_object(module)


FORKS = """
import os, sys, threading, time
from compiler.pool_tasks import Tasks
from gradtape.compiler.runtime.pool import Pool

def hammer(seed):
    while not is_over:
        tasks.stress(workers, 1000, seed)

is_over = not hasattr(os, "fork")
tasks, workers = Tasks(), Pool(2, futex=FUTEX)
threading.Thread(target=hammer, args=(1,)).start()
for k in range(0 if is_over else 8):
    tasks.stress(workers, 100, k)
    child = os.fork()
    if not child:
        workers.set_threads(1 + k % 3)
        tasks.stress(workers, 100, k)
        assert workers._code.read("workers") == k % 3
        if k % 2:
            threading.Thread(target=hammer, args=(k,), daemon=True).start()
        time.sleep(0.001 * (k % 3))
        sys.exit(3)  # the interpreter ends as usual, while workers spin, sleep or work
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3, k
is_over = True
"""


@pytest.mark.parametrize("futex", SLEEPS)
def test_forks_amid_jobs_and_the_end_of_the_interpreter(futex):
    command = [sys.executable, "-W", "ignore", "-c", FORKS.replace("FUTEX", str(futex))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
