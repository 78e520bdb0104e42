"""ClusterSpec, and Coordinator: threads that stop together."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradtape.core import errors, locks


class ClusterSpec:
    """The addresses of the tasks of jobs. It can be read and passed on; nothing is connected.

    Args:
      cluster: a dict of a list, or of a dict by number, of addresses for each job; or another ClusterSpec.

    >>> spec = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"], "ps": {1: "c:2222"}})
    >>> spec.num_tasks("worker"), spec.task_indices("ps")
    (2, [1])
    """

    def __init__(self, cluster: Any) -> None:
        given = cluster.as_dict() if isinstance(cluster, ClusterSpec) else cluster
        if not isinstance(given, Mapping):
            raise TypeError(f"`cluster` must be a dictionary of jobs, or a ClusterSpec, got {cluster!r}.")
        self._tasks: dict[str, dict[int, str]] = {}
        for job, tasks in sorted(given.items()):
            if not isinstance(tasks, (list, tuple, Mapping)):
                raise TypeError(f"The tasks of job {job!r} must be a list of addresses, got {tasks!r}.")
            numbered = dict(tasks) if isinstance(tasks, Mapping) else dict(enumerate(tasks))
            self._tasks[job] = {int(i): str(numbered[i]) for i in sorted(numbered)}

    jobs = property(lambda self: list(self._tasks), doc="The names of the jobs.")

    def as_dict(self) -> dict[str, Any]:
        """The jobs: a list of addresses, or a dict of them where numbers are missing."""
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._tasks.items()
        }

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of a job."""
        return list(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}.")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job by number; None where a number is missing."""
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._tasks:
            raise ValueError(f"No such job in cluster: {name!r}; there are {self.jobs}.")
        return self._tasks[name]

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and other._tasks == self._tasks

    def __hash__(self) -> int:
        return hash(str(self._tasks))

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"


class Coordinator:
    """Lets several threads stop together: one asks for it, and the others look now and then.

    Args:
      clean_stop_exception_types: exceptions that stop the threads without being raised by `join`;
        `tf.errors.OutOfRangeError` by default.

    >>> coordinator = tf.train.Coordinator()
    >>> coordinator.request_stop()
    >>> coordinator.should_stop()
    True
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean = tuple(clean_stop_exception_types or (errors.OutOfRangeError,))
        self._event = locks.event("coordinator")
        self._lock = locks.lock("cluster")
        self._problem: BaseException | None = None
        self._threads: list[threading.Thread] = []
        self.joined = False

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; an exception, if one is given, is raised by `join`."""
        problem = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if problem is not None and not isinstance(problem, self._clean) and self._problem is None:
                self._problem = problem
            self._event.set()

    def should_stop(self) -> bool:
        """True after `request_stop`."""
        return self._event.is_set()

    def clear_stop(self) -> None:
        """Begin anew."""
        with self._lock:
            self._event.clear()
            self._problem, self.joined = None, False

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until somebody asks to stop; False if that took too long."""
        return self._event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Add a thread to those that `join` waits for."""
        self._threads.append(thread)

    def join(
        self,
        threads: Sequence[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until threads are done, and raise the exception with which one asked to stop."""
        waited = [*self._threads, *(threads or [])]
        while any(t.is_alive() for t in waited) and not self.wait_for_stop(0.01):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            thread.join(max(0.0, end - time.monotonic()))
        self.joined = True
        alive = [t.name for t in waited if t.is_alive()]
        self._threads = []
        if self._problem is not None:
            raise self._problem
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self) -> None:
        """Raise the exception with which somebody asked to stop, if there was one."""
        if self._problem is not None:
            raise self._problem

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A block whose exceptions ask all threads to stop."""
        try:
            yield
        except Exception:
            self.request_stop(sys.exc_info())
