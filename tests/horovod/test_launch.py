"""`gradtape launch`: what it gives to the program, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradtape.cli import launch as launching
from jobs import LIMIT

PROGRAM = """
import os, sys
import gradtape.horovod as hvd
hvd.init()
cores = hvd.allgather_object(sorted(os.sched_getaffinity(0)))
threads = hvd.allgather_object(os.environ.get("OMP_NUM_THREADS"))
if hvd.rank() == 0:
    print("cores", cores, "threads", threads)
numbers = hvd.rank(), hvd.size(), hvd.local_rank(), hvd.local_size(), hvd.cross_rank(), hvd.cross_size()
print(" ".join(map(str, ("arguments", sys.argv[1:], *numbers))))  # in one piece, where output is not buffered
sys.stdout.write("a line without an end")
sys.exit(int(sys.argv[1]) if hvd.rank() else 0)
"""


def started(folder: Path, *command: str, **environment: str) -> subprocess.Popen[str]:
    """A job that runs beside the test."""
    return subprocess.Popen(
        [sys.executable, "-m", "gradtape", "launch", *command],
        cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_ranks_have_their_numbers_cores_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(PROGRAM)
    for program in (["-m", "module"], ["module.py"]):
        job = started(
            tmp_path, "-n", "2", *program, "0", "--flag", PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
        )
        out, err = job.communicate(timeout=LIMIT)
        assert job.returncode == 0, err
        lines = out.splitlines()
        for rank in range(2):
            assert f"[{rank}] arguments ['0', '--flag'] {rank} 2 {rank} 2 0 1" in lines
            assert f"[{rank}] a line without an end" in lines
        (cores,) = [line.partition("cores ")[2] for line in lines if "cores" in line]
        shares, threads = [eval(part) for part in cores.split(" threads ")]
        if len(os.sched_getaffinity(0)) > 1:
            assert not set(shares[0]) & set(shares[1])
            assert threads == [str(len(share)) for share in shares]


def test_the_exit_status_is_that_of_the_rank_that_failed(launch: Callable[..., Any]) -> None:
    job = launch(2, PROGRAM, "7")
    assert job.status != 0


def test_the_traceback_of_the_rank_that_failed_comes_last(launch: Callable[..., Any]) -> None:
    job = launch(
        3,
        """
        hvd.init()
        if hvd.rank() == 1:
            raise ValueError("boom")
        hvd.barrier()
        """,
    )
    assert job.status != 0
    assert job.err.splitlines()[-1] == "[1] ValueError: boom", job.err
    assert "rank 1: failed: ValueError: boom" in job.err


def test_other_words_of_open_mpi_are_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    rule = b"-" * 74 + b"\n"
    said = [
        rule,
        b"MPI_ABORT was invoked on rank 1\n",
        b"text\n",
        rule,
        rule,
        b"No hosts.\n",
        rule,
        b"[0] a\n",
        rule,
        b"\0",
    ]
    launching._pass_on(said)
    assert capfd.readouterr().err.encode() == b"".join([rule, b"No hosts.\n", rule, b"[0] a\n", rule])


WAITING = """
import os, time
import gradtape.horovod as hvd
hvd.init()
with open(f"pid-{os.getpid()}", "w"):
    pass
if hvd.rank():
    time.sleep(1000)
hvd.barrier()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_ranks(tmp_path: Path, number: signal.Signals) -> None:
    """One rank waits in a collective, the other sleeps; mpiexec would leave neither."""
    (tmp_path / "program.py").write_text(WAITING)
    job = started(tmp_path, "-n", "2", "--restarts", "3", "program.py")
    until = time.monotonic() + LIMIT
    while len(pids := [int(f.name[4:]) for f in tmp_path.glob("pid-*")]) < 2:
        assert time.monotonic() < until, "the ranks do not start"
        assert job.poll() is None, job.communicate()
        time.sleep(0.1)
    time.sleep(0.5)
    start = time.monotonic()
    job.send_signal(number)
    _, err = job.communicate(timeout=LIMIT)
    took = time.monotonic() - start
    assert job.returncode == 128 + number, err
    assert took < 10, f"the job ended {took:.1f} s after the signal"
    until = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < until, "a rank was left behind"
        time.sleep(0.1)


SHELL = """#!/bin/bash
# A remote shell onto this machine, which keeps no variables, as sshd does.
echo "$@" >> "$(dirname "$0")/told"
while [[ "$1" == -* ]]; do case "$1" in -l|-p|-o|-i) shift 2;; *) shift;; esac; done
shift
exec env -i PATH=/usr/bin:/bin HOME="$HOME" USER="$USER" bash -c "$*"
"""


def command(folder: Path, name: str, text: str) -> str:
    """Write a command; returns the PATH that finds it first."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / name).write_text(text)
    (folder / "bin" / name).chmod(0o755)
    return f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("option", ["--hosts", "--hostfile"])
def test_ranks_on_other_hosts_have_the_variables_of_the_launcher(tmp_path: Path, option: str) -> None:
    """Both MPIs start them by the `ssh` that is found first."""
    (tmp_path / "hosts").write_text("127.0.0.2\n127.0.0.3\n")
    (tmp_path / "program.py").write_text(
        "import os\nimport gradtape.horovod as hvd\nhvd.init()\n"
        "names = ('GRADTAPE_RANKS_TIMEOUT', 'GRADTAPE_LAUNCH_RESTART', 'OWN_SETTING')\n"
        "print('variables', hvd.size(), *[os.environ.get(n) for n in names])\n"
    )
    path = command(tmp_path, "ssh", SHELL)
    job = started(
        tmp_path, "-n", "2", "--timeout", "33", option, "127.0.0.2,127.0.0.3" if option == "--hosts" else "hosts", "program.py",
        OWN_SETTING="kept", PATH=path,
    )  # fmt: skip
    out, err = job.communicate(timeout=LIMIT)
    assert job.returncode == 0, err
    assert out.count("variables 2 33.0 0 kept") == 2, out + err
    told = (tmp_path / "bin" / "told").read_text().splitlines()
    assert told
    assert all("-o BatchMode=yes -o ConnectTimeout=20" in line for line in told), told  # a host may not answer


SRUN = """#!/bin/bash
# Slurm's own way to start what MPI needs on the machines of an allocation; here there is one.
while [[ "$1" == -* ]]; do case "$1" in -N|-n|-w|--nodelist|--input|--ntasks-per-node) shift 2;; --version) echo slurm 23; exit;; *) shift;; esac; done
export SLURM_NODEID=0 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_STEP_NODELIST=$(hostname)
exec "$@"
"""


def test_the_launcher_works_in_an_allocation_of_slurm(tmp_path: Path) -> None:
    """There mpiexec of MPICH starts its helpers by srun, whose variables name a task for each machine."""
    (tmp_path / "module.py").write_text(PROGRAM)
    machine = subprocess.run(["hostname"], capture_output=True, text=True, check=True).stdout.strip()
    job = started(
        tmp_path, "-n", "2", "module.py", "0", PATH=command(tmp_path, "srun", SRUN), SLURM_JOBID="7", SLURM_JOB_ID="7",
        SLURM_NODELIST=machine, SLURM_JOB_NODELIST=machine, SLURM_NNODES="1", SLURM_JOB_NUM_NODES="1", SLURM_NTASKS="2",
        SLURM_TASKS_PER_NODE="2",
    )  # fmt: skip
    out, err = job.communicate(timeout=LIMIT)
    assert job.returncode == 0, err
    for rank in range(2):
        assert f"[{rank}] arguments ['0'] {rank} 2 {rank} 2 0 1" in out.splitlines()


TASK = """#!/bin/bash
export SLURM_PROCID=${PMI_RANK:-$OMPI_COMM_WORLD_RANK} SLURM_LOCALID=${PMI_RANK:-$OMPI_COMM_WORLD_RANK} SLURM_STEP_NUM_TASKS=2
export SLURM_NTASKS=2 SLURM_STEP_NODELIST=n[1-2] SLURM_STEP_TASKS_PER_NODE='1(x2)'
exec "$@"
"""

RESOLVED = """
import os
import gradtape as tf
import gradtape.horovod as hvd

resolver = tf.distribute.cluster_resolver.SlurmClusterResolver()
strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
assert strategy.cluster_resolver is resolver and strategy.num_replicas_in_sync == 2
assert resolver.cluster_spec().as_dict() == {"worker": ["n1:8888", "n2:8888"]}
assert strategy.cluster_resolver.task_id == int(os.environ["SLURM_PROCID"])
assert strategy.gather(tf.constant([resolver.task_id]), 0).numpy().tolist() == [0, 1]
hvd.init()
assert hvd.size() == 2 and hvd.rank() == resolver.task_id
print("resolved")
"""


def test_tasks_of_srun_are_workers(tmp_path: Path) -> None:
    """`srun --mpi=pmi2` gives MPI what mpiexec does; here mpiexec plays that part."""
    (tmp_path / "program.py").write_text(RESOLVED)
    path = command(tmp_path, "task", TASK)
    mpiexec = launching._mpiexec()
    assert mpiexec
    options = launching._OPEN_MPI if launching._is_open_mpi(mpiexec) else {}
    job = subprocess.run(
        [mpiexec, "-n", "2", str(tmp_path / "bin" / "task"), sys.executable, "program.py"],
        cwd=tmp_path, env={**os.environ, **options, "PATH": path}, capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    assert job.returncode == 0, job.stderr
    assert job.stdout.count("resolved") == 2


def test_mpiexec_alone_does_the_same(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    mpiexec = launching._mpiexec()
    assert mpiexec
    options = launching._OPEN_MPI if launching._is_open_mpi(mpiexec) else {}
    job = subprocess.run(
        [mpiexec, "-n", "2", sys.executable, "program.py", "0"],
        cwd=tmp_path, env={**os.environ, **options}, capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    assert job.returncode == 0, job.stderr
    assert "arguments ['0'] 1 2 1 2 0 1" in job.stdout


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["-n", "0", "x.py"], "at least 1"),
        (["-n", "2", "--restarts", "-1", "x.py"], "at least 0"),
        (["-n", "2", "no_such_file.py"], "there is no file 'no_such_file.py'"),
        (["-n", "2"], "a program must be given"),
    ],
)
def test_wrong_commands_are_refused(
    command: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        status = launching.main(command)
    except SystemExit as ended:
        status = int(ended.code or 0)
    assert status == 2
    assert words in capsys.readouterr().err


def test_an_environment_without_mpi_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("x.py").write_text("")
    assert launching.main(["-n", "2", "x.py"]) == 2
    assert 'pip install "gradtape[mpi]"' in capsys.readouterr().err
