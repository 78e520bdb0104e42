"""`gradtape launch`: a program on several ranks.

mpiexec starts `python -m gradtape.cli.rank` for each rank, which runs the program as `gradtape run` does. The ranks tell in a folder of the
launcher where they are, so that it can say which one died without a word.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradtape.ranks import _board as board

_USAGE = "gradtape launch -n RANKS [--hosts a,b | --hostfile F] [--restarts N] [--timeout S] script.py [args ...]"
_TOGETHER = 0.06  # seconds: last signs of life that are no further apart do not tell which rank ended first
_PATIENCE = 10.0  # seconds that mpiexec gets to end the ranks after Ctrl-C


def main(given: Sequence[str]) -> int:
    """Run the command; returns the exit status of the program."""
    parser = argparse.ArgumentParser(prog="gradtape launch", usage=_USAGE)
    parser.add_argument("-n", "--ranks", type=_at_least(1), required=True, help="how many processes to start")
    parser.add_argument("--hosts", help="machines, separated by commas; this one by default")
    parser.add_argument("--hostfile", help="a file that lists machines, as mpiexec reads it")
    parser.add_argument("--restarts", type=_at_least(0), default=0, help="how often to start again after a failure")
    parser.add_argument("--timeout", type=float, help="seconds to wait for a rank that does not come (60)")
    parser.add_argument("--mpiexec", help="the launcher of MPI to use")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, default=[], help="a module and its arguments")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="a script and its arguments")
    chosen = parser.parse_args(list(given))
    if chosen.module:
        chosen.program = ["-m", *chosen.module]
    if not chosen.program:
        parser.error("a program must be given: gradtape launch -n 2 train.py")
    if chosen.program[0] != "-m" and not os.path.exists(chosen.program[0]):
        print(f"gradtape launch: there is no file {chosen.program[0]!r}", file=sys.stderr)
        return 2
    launcher = chosen.mpiexec or _mpiexec()
    if launcher is None:
        print(
            "gradtape launch: mpiexec was not found.\n"
            '  fix: pip install "gradtape[mpi]", or load the module of your cluster\'s MPI.',
            file=sys.stderr,
        )
        return 2
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _raise_ended)
    try:
        with tempfile.TemporaryDirectory(prefix="gradtape-launch-") as folder:
            return _launched_repeatedly(launcher, chosen, Path(folder))
    except _Ended as ended:
        return 128 + ended.number


def _launched_repeatedly(launcher: str, chosen: argparse.Namespace, folder: Path) -> int:
    """The exit status of the program, or of its last restart."""
    for turn in range(chosen.restarts + 1):
        status = _launched(launcher, chosen, folder, turn)
        if status == 0:
            break
        if turn < chosen.restarts:
            print(
                f"gradtape launch: start {turn + 2} of {chosen.restarts + 1}, after exit status {status}",
                file=sys.stderr,
            )
    return status


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"the number must be at least {least}, got {text}")
        return int(text)

    return number


def _mpiexec() -> str | None:
    """The launcher of the MPI in this environment, else the one on the path."""
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec") or shutil.which("mpirun")


def _launched(launcher: str, chosen: argparse.Namespace, folder: Path, turn: int) -> int:
    for file in folder.glob("rank-*"):
        file.unlink()
    environment = {
        **os.environ,
        "GRADTAPE_LAUNCH_SIZE": str(chosen.ranks),
        "GRADTAPE_LAUNCH_FOLDER": str(folder),
        "GRADTAPE_LAUNCH_HOST": socket.gethostname(),
        "GRADTAPE_LAUNCH_RESTART": str(turn),
        "GRADTAPE_ELASTIC_FILE": os.environ.get("GRADTAPE_ELASTIC_FILE", str(folder / "elastic")),
    }
    if chosen.timeout is not None:
        environment["GRADTAPE_RANKS_TIMEOUT"] = str(chosen.timeout)
    if _is_open_mpi(launcher):
        environment.update(_OPEN_MPI)
    if chosen.hosts or chosen.hostfile:
        _bound_waiting(environment)
    command = [
        launcher,
        *_options(launcher, chosen, environment),
        sys.executable,
        "-m",
        "gradtape.cli.rank",
        *chosen.program,
    ]
    is_wordy = _is_open_mpi(launcher)
    job = subprocess.Popen(
        command, env=environment, start_new_session=True, stderr=subprocess.PIPE if is_wordy else None
    )
    reader = threading.Thread(target=_pass_on, args=(job.stderr,), name="gradtape-errors", daemon=True)
    if is_wordy:
        reader.start()
    try:
        status = job.wait()
    except BaseException:
        _end(job)
        raise
    finally:
        if is_wordy:
            reader.join(_PATIENCE)
    if status:
        _report(folder)
        if (chosen.hosts or chosen.hostfile) and not any(folder.glob("rank-*")):
            print(
                f"gradtape launch: the hosts could not be reached, or the program did not start there: {chosen.hosts or chosen.hostfile}\n"
                "  fix: `ssh HOST true` must work without a password from here, and Python and the program be at the same paths there.",
                file=sys.stderr,
            )
    return status if status >= 0 else 128 - status


# Without them, ssh waits for minutes for a host that does not answer, and for ever for a password.
_SSH = "-o BatchMode=yes -o ConnectTimeout=20"


def _bound_waiting(environment: dict[str, str]) -> None:
    """Let ssh give up soon, where the user or Slurm has not chosen another way to the hosts."""
    if not any(n in environment for n in ("HYDRA_LAUNCHER", "HYDRA_LAUNCHER_EXEC", "SLURM_JOBID", "SLURM_JOB_ID")):
        environment.setdefault("HYDRA_LAUNCHER_EXTRA_ARGS", _SSH)
    if not any(n in environment for n in ("PRTE_MCA_plm_ssh_agent", "OMPI_MCA_plm_rsh_agent")):
        environment.setdefault("PRTE_MCA_plm_ssh_args", _SSH)
        environment.setdefault("OMPI_MCA_plm_rsh_args", _SSH)


_RULE = b"-" * 74  # Open MPI prints one before and after what it says itself
_ENDINGS = (b"MPI_ABORT was invoked", b"prterun has exited due to process rank")


def _pass_on(errors: Any) -> None:
    """Print what comes from the ranks and from Open MPI, but not what it says about a rank that ends the job: the traceback comes last."""
    held, drops = b"", False
    for raw in errors:
        line = raw.replace(b"\0", b"")  # Open MPI writes one after its last words
        is_rule = line.strip() == _RULE
        if drops:
            drops = not is_rule
            continue
        if is_rule and not held:
            held = line  # the next line decides
            continue
        if held and line.startswith(_ENDINGS):
            held, drops = b"", True
            continue
        os.write(2, held + line)
        held = b""
    os.write(2, held)


def _end(job: subprocess.Popen[bytes]) -> None:
    """End mpiexec, which ends the ranks."""
    job.send_signal(signal.SIGINT)
    try:
        job.wait(_PATIENCE)
    except (subprocess.TimeoutExpired, _Ended):  # who presses Ctrl-C twice does not want to wait
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


class _Ended(BaseException):
    """A signal asked the launcher to end.

    Args:
      number: the signal's number.
    """

    def __init__(self, number: int) -> None:
        self.number = number


def _raise_ended(number: int, frame: object) -> None:
    raise _Ended(number)


# More ranks than cores are allowed, idle ranks leave the core to others, and root may start programs, as with MPICH.
_OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


def _is_open_mpi(launcher: str) -> bool:
    said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False)
    return "Open MPI" in said.stdout or "OpenRTE" in said.stdout or "PRRTE" in said.stdout


# Variables that belong to a machine or a session; MPI hands on its own ones.
_OWN = ("OMPI_", "PRTE_", "PMIX_", "SSH_", "XDG_", "DISPLAY", "HOSTNAME", "OLDPWD", "PWD", "SHLVL", "TMPDIR", "_")


def _options(launcher: str, chosen: argparse.Namespace, environment: Mapping[str, str]) -> list[str]:
    options = ["-n", str(chosen.ranks)]
    if (chosen.hosts or chosen.hostfile) and _is_open_mpi(launcher):  # MPICH hands on all variables by itself
        names = [n for n in sorted(environment) if n.isidentifier() and not n.startswith(_OWN)]
        options += [part for name in names for part in ("-x", name)]
    if chosen.hosts:
        options += ["-host" if _is_open_mpi(launcher) else "-hosts", chosen.hosts]
    if chosen.hostfile:
        options += ["--hostfile" if _is_open_mpi(launcher) else "-f", chosen.hostfile]
    return options


def _report(folder: Path) -> None:
    """Say which ranks ended without a word, and where they were.

    The others are ended by mpiexec soon after, so their last signs of life are later. Where that does not tell them apart, those that
    waited for others are not meant.
    """
    told = {int(f.name.partition("-")[2]): np.fromfile(f, board.SLOT)[0] for f in folder.glob("rank-*")}
    if any(slot["state"] == board.FAILED for slot in told.values()):  # which was said; the others were ended for it
        return
    silent = {r: slot for r, slot in told.items() if slot["state"] in (board.RUNNING, board.WAITING)}
    first = min([slot["beat"] for slot in silent.values()], default=0.0)
    silent = {r: slot for r, slot in silent.items() if slot["beat"] - first < _TOGETHER}
    running = {r: slot for r, slot in silent.items() if slot["state"] == board.RUNNING}
    for rank, slot in sorted((running or silent).items()):
        what = "at" if slot["state"] == board.RUNNING else "waiting in"
        line = f"rank {rank} ended without raising an error; it was last seen {what} {slot['where'].decode(errors='replace')}"
        print(f"gradtape launch: {line}", file=sys.stderr)
