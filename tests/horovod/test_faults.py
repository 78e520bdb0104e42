"""Nothing hangs in silence: every fault ends the job, and the ranks say who is missing and where."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

PROGRAM = """
import os, sys, time
hvd.init(timeout=4)
v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
fault = sys.argv[1]
for step in range(12):
    time.sleep(0.05)
    if step == 9 and hvd.rank() == hvd.size() - 1:
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

SAID = {
    "kill": ["rank 1 ended without an error of its own"],
    "silent exit": ["rank 1 ended without an error of its own"],
    "stop": ["no sign of life", "rank 0 waited"],
    "exception": ["failed: ValueError: boom", "[1] ValueError: boom"],
    "exit": ["rank 1: left the program"],
    "late": ["alive, last seen at", "time.sleep(1000)"],
    "order": ["The ranks want different collectives", "rank 1 wants broadcast", "rank 0 wants gradient"],
    "shape": ["The ranks want different collectives", "(3,) float32", "(2,) float32"],
    "fewer": ["rank 1: left the program"],
}


@pytest.mark.parametrize("fault", SAID)
def test_a_fault_ends_the_job_and_is_named(launch: Callable[..., Any], fault: str) -> None:
    job = launch(2, PROGRAM, fault)
    assert job.status != 0
    for words in SAID[fault]:
        assert words in job.err, job.err


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


MISTAKES = {
    "hvd.rank()": "must come after init",
    "hvd.init(timeout=-1)": "timeout must be a positive number",
    "hvd.init(); hvd.broadcast(tf.constant(1.0), 7)": "root_rank must be one of the ranks",
    "hvd.init(); hvd.allgather(tf.constant(1.0))": "must have at least one dimension",
    "hvd.init(); hvd.alltoall(tf.ones([3]), splits=[1])": "splits must be 1 counts whose sum",
    "hvd.init(); hvd.allreduce(tf.constant('a'))": "strings cannot be reduced",
    "hvd.init(); hvd.DistributedGradientTape(3)": "must be a tf.GradientTape",
    "hvd.init(); hvd.allreduce(tf.ones([2]), average=True, op=hvd.Sum)": "must not both be given",
    "hvd.init(comm=3)": "comm must be None",
}


def test_mistakes_are_explained() -> None:
    """One process, without a launcher: the ranks are one, and every mistake has its message."""
    program = "import gradtape as tf, gradtape.horovod as hvd\nfrom gradtape.ranks import _engine\n"
    for code, words in MISTAKES.items():
        program += f"try:\n    {code}\nexcept Exception as problem:\n    assert {words!r} in str(problem), (problem, {words!r})\n"
        program += f"else:\n    raise SystemExit({code!r})\n"
    program += "hvd.init(); assert hvd.size() == 1 and hvd.is_initialized(); hvd.init()\n"
    program += "assert float(hvd.allreduce(tf.constant(2.0))) == 2.0\nhvd.shutdown(); assert not hvd.is_initialized()\n"
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
