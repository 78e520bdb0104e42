"""`hvd.run`: call a function on several ranks, and collect what it returns.

The function travels by pickle, which knows functions by their names; those without a name that can be imported need cloudpickle. A function of
the main program is found as `multiprocessing` finds it: each rank imports that program under another name than `__main__`.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing.spawn as spawn
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gradtape.core import errors
from gradtape.ranks import _library as library

_TASK = "gradtape.horovod._run"


def run(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    num_proc: int = 1,
    min_num_proc: int | None = None,
    max_num_proc: int | None = None,
    slots: int | None = None,
    reset_limit: int | None = None,
    cooldown_range: Any = None,
    hosts: str | None = None,
    hostfile: str | None = None,
    host_discovery_script: str | None = None,
    start_timeout: float | None = None,
    ssh_port: int | None = None,
    ssh_identity_file: str | None = None,
    disable_cache: Any = None,
    output_filename: str | None = None,
    verbose: Any = None,
    use_gloo: bool | None = None,
    use_mpi: bool | None = None,
    mpi_args: str | None = None,
    network_interface: str | None = None,
    network_interfaces: str | None = None,
    executable: str | None = None,
    np: int | None = None,
    min_np: int | None = None,
    max_np: int | None = None,
) -> list[Any]:
    """Call a function on several ranks, as `gradtape launch` starts them.

    Args:
      func: the function. If it is defined in the main program, the part that calls `run` stands under `if __name__ == "__main__":`.
      args, kwargs: its arguments.
      num_proc, np: how many ranks there are.
      reset_limit: how often to start again after a failure.
      hosts, hostfile: machines, as mpiexec reads them, which share the present folder; this machine by default.
      start_timeout: seconds to wait for a rank that does not come.
      output_filename: a folder for what the ranks print, in `rank.N/stdout` and `rank.N/stderr`.
      executable: the Python that runs the ranks; this one by default.
      min_num_proc, max_num_proc, min_np, max_np, slots, cooldown_range, host_discovery_script: ignored: the ranks of a job do not change.
      ssh_port, ssh_identity_file, disable_cache, verbose, use_gloo, use_mpi, mpi_args, network_interface, network_interfaces: ignored:
        the settings of ssh and the environment of MPI say such things.

    Returns:
      What the function has returned, by rank.
    """
    if hosts is not None and hostfile is not None:
        raise errors.build(
            ValueError, "run: hosts and hostfile must not both be given.", "run(f, num_proc=2, hosts='a,b')."
        )
    if use_gloo and use_mpi:
        raise errors.build(ValueError, "run: use_gloo and use_mpi must not both be True.", "leave them out.")
    count = num_proc if np is None else np
    is_here = hosts is None and hostfile is None
    with tempfile.TemporaryDirectory(prefix="gradtape-run-", dir=None if is_here else os.getcwd()) as name:
        folder = Path(name)
        (folder / "call").write_bytes(_packed(func, tuple(args), dict(kwargs or {})))
        command = [executable or sys.executable, "-m", "gradtape", "launch", "-n", str(count)]
        options = {"--hosts": hosts, "--hostfile": hostfile, "--timeout": start_timeout, "--restarts": reset_limit}
        command += [part for option, value in options.items() if value is not None for part in (option, str(value))]
        command += ["-m", _TASK, name, os.path.abspath(output_filename) if output_filename else ""]
        status = subprocess.run(command, check=False).returncode
        if status:
            raise errors.build(
                RuntimeError,
                f"run: the ranks have ended with exit status {status}.",
                "see what they have printed above.",
            )
        return [pickle.loads((folder / f"result-{rank}").read_bytes()) for rank in range(count)]


def _packed(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """What a rank needs to call a function: how to find the main program, and the call, pickled."""
    setting = spawn.get_preparation_data("gradtape")
    setting = {
        k: v for k, v in setting.items() if k in ("sys_path", "sys_argv", "init_main_from_name", "init_main_from_path")
    }
    try:
        call = pickle.dumps((func, args, kwargs))
        has_main = any(k.startswith("init_main") for k in setting)
        if b"__main__" in call and not has_main:
            raise pickle.PicklingError("the main program is no file")
    except Exception as problem:
        cloudpickle = _cloudpickle()
        if cloudpickle is None:
            raise errors.build(
                TypeError,
                f"run: the function and its arguments cannot be pickled: {problem}",
                "define the function with `def` at the top of a file, or pip install cloudpickle.",
            ) from problem
        call = cloudpickle.dumps((func, args, kwargs))
        setting = {k: v for k, v in setting.items() if not k.startswith("init_main")}  # the call has all that it needs
    return pickle.dumps((setting, call))


def _cloudpickle() -> Any:
    with contextlib.suppress(ImportError):
        return importlib.import_module("cloudpickle")
    return None


def _called(folder: Path) -> Any:
    """What the function returns on this rank."""
    setting, call = pickle.loads((folder / "call").read_bytes())
    setting["sys_path"] += [p for p in sys.path if p not in setting["sys_path"]]
    spawn.prepare(setting)
    func, args, kwargs = pickle.loads(call)
    return func(*args, **kwargs)


def _work(folder: Path, output: str) -> None:
    """Call the function, and leave its result for the process that waits."""
    rank = library.told_number()
    with contextlib.ExitStack() as streams:
        if output:
            place = Path(output) / f"rank.{rank}"
            place.mkdir(parents=True, exist_ok=True)
            streams.enter_context(contextlib.redirect_stdout(streams.enter_context((place / "stdout").open("w"))))
            streams.enter_context(contextlib.redirect_stderr(streams.enter_context((place / "stderr").open("w"))))
        found = _called(folder)
        try:
            data = pickle.dumps(found)
        except Exception as problem:
            cloudpickle = _cloudpickle()
            if cloudpickle is None:
                raise errors.build(
                    TypeError,
                    f"run: the result of rank {rank} cannot be pickled: {problem}",
                    "return numbers or arrays.",
                ) from problem
            data = cloudpickle.dumps(found)
        (folder / f"result-{rank}").write_bytes(data)


if __name__ == "__main__":
    _work(Path(sys.argv[1]), sys.argv[2])
