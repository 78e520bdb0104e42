"""Nothing hangs in silence: every fault ends the job, and the ranks say who is missing and where."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from jobs import RANKS, TIMES

PROGRAM = """
import os, resource, signal, sys, threading, time
hvd.init(timeout=4)
v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
fault, last = sys.argv[1], hvd.rank() == hvd.size() - 1
state = hvd.elastic.TensorFlowState([v], path="state", step=0)
checkpoint = tf.train.Checkpoint(v=v, w=w)

def now():
    with open("fault", "w") as file:
        file.write(str(time.time()))

def die(seconds):
    def end():
        time.sleep(seconds)
        now()
        os.kill(os.getpid(), 9)
    threading.Thread(target=end, daemon=True).start()

for step in range(12):
    time.sleep(0.05)
    if step == 8:
        state.step = step
        state.commit()
        if hvd.rank() == 0:
            checkpoint.write("checkpoint")
        hvd.barrier()
    if step == 9 and fault == "kill in a collective":
        if last:
            die(0.3)
        else:
            time.sleep(1.5)
    if step == 9 and fault == "kill in a checkpoint" and hvd.rank() == 0:
        die(0.2 * np.random.default_rng().random())
        while True:
            checkpoint.write("checkpoint")
    if step == 9 and fault == "full disk":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if hvd.rank() == 0:
            now()
            resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))  # writing more fails as it does on a full disk
        state.step = 9
        state.commit()
    if step == 9 and last and fault not in ("kill in a collective", "kill in a checkpoint", "full disk"):
        now()
        if fault == "kill":
            os.kill(os.getpid(), 9)
        elif fault == "stop":
            os.kill(os.getpid(), 19)
        elif fault == "exception":
            raise ValueError("boom")
        elif fault == "exit":
            sys.exit(0)
        elif fault == "silent exit":
            os._exit(3)
        elif fault == "late":
            time.sleep(1000)
        elif fault == "order":
            hvd.broadcast(v, 0)
        elif fault == "shape":
            v = tf.Variable([1.0, 2.0, 3.0])
        elif fault == "fewer":
            break
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v) + tf.reduce_sum(w)
    hvd.DistributedGradientTape(tape).gradient(loss, [v, w])
"""

# What is said, and within how many seconds the job has ended. Ranks that do not come are waited for 4 seconds here.
SAID: dict[str, tuple[float, list[str]]] = {
    "kill": (10, ["rank {last} ended without raising an error"]),
    "kill in a collective": (10, ["ended without raising an error"]),
    "kill in a checkpoint": (10, ["ended without raising an error"]),
    "silent exit": (10, ["rank {last} ended without raising an error"]),
    "stop": (14, ["no sign of life", "rank 0 waited"]),
    "exception": (10, ["failed: ValueError: boom", "[{last}] ValueError: boom"]),
    "exit": (10, ["rank {last}: left the program"]),
    "late": (14, ["alive, last seen at", "time.sleep(1000)"]),
    "order": (5, ["The ranks want different collectives", "rank {last} wants broadcast", "want"]),
    "shape": (5, ["The ranks want different collectives", "(3,) float32", "(2,) float32"]),
    "fewer": (10, ["rank {last}: left the program"]),
    "full disk": (10, ["commit: the state cannot be written"]),
}


@pytest.mark.parametrize("turn", range(TIMES))
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("fault", SAID)
def test_a_fault_ends_the_job_and_is_named(
    launch: Callable[..., Any], record_property: Callable[..., None], tmp_path: Path, fault: str, ranks: int, turn: int
) -> None:
    job = launch(ranks, PROGRAM, fault)
    ended = time.time()
    assert job.status != 0
    limit, said = SAID[fault]
    for words in said:
        assert words.format(last=ranks - 1) in job.err, job.err
    took = ended - float((tmp_path / "fault").read_text())
    record_property("seconds", round(took, 2))  # `--junitxml` lists them
    assert took < limit, f"the job ended {took:.1f} s after the fault"
    # What was written before the fault is whole.
    kept = tf.Variable([0.0, 0.0])
    tf.train.Checkpoint(v=kept).read(str(tmp_path / "checkpoint")).expect_partial()
    assert kept.numpy().tolist() == [1.0, 2.0]
    assert pickle.loads((tmp_path / "state").read_bytes())["step"] == 8


BEFORE = """
import os, sys, time
fault, number = sys.argv[1], os.environ.get("PMI_RANK") or os.environ["OMPI_COMM_WORLD_RANK"]
if number == "1":
    with open("fault", "w") as file:
        file.write(str(time.time()))
    if fault == "exception":
        raise ValueError("boom")
    elif fault == "exit":
        sys.exit(0)
    elif fault == "kill":
        os.kill(os.getpid(), 9)
    time.sleep(1000)
hvd.init(timeout=4)
"""


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("exception", ["ValueError: boom"]),
        ("exit", ["rank 0 waited", "in init at", "rank 1: left the program"]),
        ("late", ["rank 0 waited", "in init at", "rank 1: alive, last seen at", "time.sleep(1000)"]),
        ("kill", []),
    ],
)
def test_ranks_that_do_not_come_to_init_are_named(
    launch: Callable[..., Any], tmp_path: Path, fault: str, said: list[str]
) -> None:
    """MPI starts when all ranks have come, and would wait for ever."""
    job = launch(2, BEFORE, fault)
    took = time.time() - float((tmp_path / "fault").read_text())
    assert job.status != 0
    for words in said:
        assert words in job.err, job.err
    assert took < 20, f"the job ended {took:.1f} s after the fault"


def test_a_slow_start_of_mpi_is_no_missing_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit is for ranks that do not come; where all are there, the machine is only busy."""
    from gradtape.ranks import _arrival as arrival
    from gradtape.ranks import _board as board

    slots = np.zeros(2, board.SLOT)
    slots["pid"] = os.getpid()
    ended: list[Any] = []
    monkeypatch.setenv("GRADTAPE_LAUNCH_SIZE", "3")
    monkeypatch.setattr(arrival, "_others", lambda rank: dict(enumerate(slots, 1)))
    monkeypatch.setattr(arrival.Watch, "_end", lambda self, waited, gone: ended.append(sorted(gone)))
    slots["state"] = board.WAITING
    with arrival.Watch(0.1):
        time.sleep(1)
    assert not ended
    slots["state"][1] = board.RUNNING
    with arrival.Watch(0.1):
        time.sleep(1)
    assert ended[0] == [2]


def test_a_rank_that_stops_while_others_are_at_the_end_is_named(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        import os, time
        hvd.init(timeout=3)
        hvd.barrier()
        if hvd.rank() == 1:
            os.kill(os.getpid(), 19)
        """,
    )
    assert job.status != 0
    assert "the end of the program" in job.err
    assert "rank 1: no sign of life" in job.err


def test_the_end_of_the_program_waits_for_a_rank_that_is_at_work_and_says_so(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        import time
        hvd.init()
        hvd.init(timeout=1)
        if hvd.rank() == 1:
            from gradtape.ranks import _board, _engine
            while _engine.engine("").board.slots["state"][0] != _board.LEFT:
                time.sleep(0.1)
            time.sleep(5)
            print("saved")
        """,
    )
    assert job.status == 0, job.err
    assert "[1] saved" in job.out
    assert "rank 0 is at the end of the program, and waits for" in job.err
    assert "rank 1: alive, last seen at" in job.err


def test_after_a_disagreement_no_data_moves(launch: Callable[..., Any]) -> None:
    """The ranks' collectives no longer fit together: a program that goes on would add the wrong arrays."""
    job = launch(
        2,
        """
        hvd.init()
        try:
            hvd.allreduce(tf.ones([2 + hvd.rank()]))
        except hvd.RanksError as problem:
            assert "The ranks want different collectives" in str(problem)
        for _ in range(2):
            try:
                hvd.allreduce(tf.ones([2]))
            except hvd.RanksError as problem:
                assert "cannot work together after an earlier error: The ranks want different" in str(problem), problem
            else:
                raise SystemExit(1)
        print("ok")
        """,
    )
    assert job.out.count("ok") == 2, job.err


def test_other_ways_to_reduce_are_named(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        hvd.init()
        try:
            if hvd.rank():
                hvd.allreduce(tf.ones([2]), op=hvd.Sum, postscale_factor=0.5)
            else:
                hvd.allreduce(tf.ones([2]), op=hvd.Average)
        except hvd.RanksError as problem:
            print("told", " ".join(str(problem).split()))
        """,
    )
    for rank in range(2):
        (told,) = [line for line in job.out.splitlines() if line.startswith(f"[{rank}] told")]
        assert "rank 0 wants allreduce at" in told, told
        assert "of Average, (2,) float32" in told, told
        assert "of Sum times 0.5, (2,) float32" in told, told


def test_a_fault_on_another_machine_is_named(launch: Callable[..., Any]) -> None:
    job = launch(3, PROGRAM, "stop", GRADTAPE_RANKS_PER_NODE="2")
    assert job.status != 0
    assert "rank 2: no sign of life" in job.err


def test_restarts_go_on_from_what_was_committed(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        import os
        hvd.init()
        v = tf.Variable(0.0)
        state = hvd.elastic.TensorFlowState([v], step=0)

        @hvd.elastic.run
        def train(state):
            while state.step < 6:
                if state.step == 4 and os.environ["GRADTAPE_LAUNCH_RESTART"] == "0" and hvd.rank() == 1:
                    raise ValueError("lost")
                v.assign_add(float(hvd.allreduce(tf.constant(1.0), op=hvd.Sum)))
                state.step += 1
                if state.step % 3 == 0:
                    state.commit()

        start = []
        train(state)
        print("value", float(v), os.environ["GRADTAPE_LAUNCH_RESTART"])
        """,
        options=("--restarts", "1"),
    )
    assert job.status == 0, job.err
    assert sorted(job.out.splitlines()) == ["[0] value 12.0 1", "[1] value 12.0 1"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no modes on Windows")
def test_a_state_that_another_user_may_have_written_is_not_read(launch: Callable[..., Any], tmp_path: Path) -> None:
    program = """
    import os
    hvd.init()
    state = hvd.elastic.State(path="state", step=1)
    os.umask(0o002)
    state.commit()
    print("mode", oct(os.stat("state").st_mode & 0o777))
    state.sync()
    os.chmod("state", 0o620)
    state.sync()
    """
    job = launch(1, program)
    assert "mode 0o600" in job.out
    assert job.status != 0
    assert "must not be writable by other users" in job.err


MISTAKES = {
    "hvd.rank()": "must come after init",
    "hvd.init(timeout=-1)": "timeout must be a positive number",
    "hvd.init(); hvd.broadcast(tf.constant(1.0), 7)": "root_rank must be one of the ranks",
    "hvd.init(); hvd.allgather(tf.constant(1.0))": "must have at least one dimension",
    "hvd.init(); hvd.alltoall(tf.ones([3]), splits=[1])": "splits must be 1 counts whose sum",
    "hvd.init(); hvd.allreduce(tf.constant('a'))": "strings cannot be reduced",
    "hvd.init(); hvd.DistributedGradientTape(3)": "must be a tf.GradientTape",
    "hvd.init(); hvd.allreduce(tf.ones([2]), average=True, op=hvd.Sum)": "must not both be given",
    "hvd.init(comm=3)": "comm must be None, a list of ranks",
}


def test_mistakes_are_explained() -> None:
    """One process, without a launcher: the ranks are one, and every mistake has its message."""
    program = "import gradtape as tf, gradtape.horovod as hvd\nfrom gradtape.ranks import _engine\n"
    for code, words in MISTAKES.items():
        program += f"try:\n    {code}\nexcept Exception as problem:\n    assert {words!r} in str(problem), (problem, {words!r})\n"
        program += f"else:\n    raise SystemExit({code!r})\n"
    program += "hvd.init(); assert hvd.size() == 1 and hvd.is_initialized(); hvd.init()\n"
    program += "assert float(hvd.allreduce(tf.constant(2.0))) == 2.0\nhvd.shutdown(); assert not hvd.is_initialized()\n"
    program += "try:\n    hvd.init()\nexcept tf.errors.FailedPreconditionError as problem:\n    assert 'were shut down' in str(problem)\n"
    program += "else:\n    raise SystemExit('init after shutdown')\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_another_launcher_is_noticed() -> None:
    """An mpiexec of another MPI starts n jobs of one rank each."""
    program = "import gradtape.horovod as hvd; hvd.init()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMPI_COMM_WORLD_SIZE": "4"},
    )
    assert done.returncode != 0
    assert "belong to different MPIs" in done.stderr


def test_srun_without_a_way_for_mpi_is_noticed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import gradtape.horovod as hvd; hvd.init()"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "SLURM_STEP_NUM_TASKS": "4"},
    )
    assert done.returncode != 0
    assert "srun started 4 tasks" in done.stderr
    assert "--mpi=pmi2" in done.stderr


def test_mpi_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "mpi4py.py").write_text("raise ImportError('no')")
    for code in (
        "import gradtape.horovod as hvd; hvd.init()",
        "import gradtape as tf; tf.distribute.MultiWorkerMirroredStrategy()",
    ):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=300,
            env={
                **os.environ,
                "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
                "GRADTAPE_LAUNCH_SIZE": "2",
            },
        )
        assert done.returncode != 0
        assert 'pip install "gradtape[mpi]"' in done.stderr, done.stderr
    alone = [
        sys.executable,
        "-c",
        "import gradtape as tf; assert tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync == 1",
    ]
    assert subprocess.run(alone, timeout=300, cwd=tmp_path).returncode == 0


def test_ranks_with_other_versions_are_named(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        import os
        if (os.environ.get("PMI_RANK") or os.environ.get("OMPI_COMM_WORLD_RANK")) == "1":
            tf.__version__ = "0.0.1"
        hvd.init()
        """,
    )
    assert job.status != 0
    assert "the ranks run different versions of gradtape" in job.err
    assert "rank 1 has 0.0.1" in job.err


def test_a_host_that_cannot_be_reached_is_named(launch: Callable[..., Any]) -> None:
    job = launch(2, "hvd.init()", options=("--hosts", "no..such..host"))
    assert job.status != 0
    assert "no..such..host" in job.err
    assert "gradtape launch: the hosts could not be reached" in job.err
