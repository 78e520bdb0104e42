"""ClusterSpec: the addresses of the tasks of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
        """The number of tasks of a job."""
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
