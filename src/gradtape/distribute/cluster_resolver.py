"""`tf.distribute.cluster_resolver`: which worker of a cluster this process is.

Nothing is connected by a resolver: MPI connects the processes of a job.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gradtape.core import device, errors
from gradtape.distribute._absent_classes import GCEClusterResolver as GCEClusterResolver
from gradtape.distribute._absent_classes import KubernetesClusterResolver as KubernetesClusterResolver
from gradtape.distribute._absent_classes import TPUClusterResolver as TPUClusterResolver
from gradtape.distribute._cluster_spec import ClusterSpec

__all__ = [
    "ClusterResolver",
    "GCEClusterResolver",
    "KubernetesClusterResolver",
    "SimpleClusterResolver",
    "SlurmClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
    "UnionResolver",
]


class ClusterResolver:
    """Base of the classes that name the workers of a cluster.

    Attributes:
      task_type: the job of this process, such as "worker"; None if it is unknown.
      task_id: the number of this process in its job.
      rpc_layer: kept and passed on.
      environment: "" everywhere.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment = ""

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        raise NotImplementedError

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of a task, by default of this one; empty if it is unknown."""
        job = task_type if task_type is not None else self.task_type
        number = task_id if task_id is not None else self.task_id
        if job is None or number is None:
            return ""
        layer, address = rpc_layer or self.rpc_layer, self.cluster_spec().task_address(job, number)
        return f"{layer}://{address}" if layer else address

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """The devices of a task besides its CPU."""
        return {"GPU": device.gpu_count()} if device.gpu_count() else {}


class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program names.

    Args:
      cluster_spec: a tf.train.ClusterSpec.
      master: the answer of `master` without arguments.
      task_type, task_id, environment, rpc_layer: see ClusterResolver.
      num_accelerators: the answer of `num_accelerators`.

    >>> spec = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec, task_type="worker", task_id=1)
    >>> resolver.master("worker", 0)
    'a:2222'
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._spec, self._master, self._accelerators = cluster_spec, master, num_accelerators
        self.task_type, self.task_id = task_type, task_id
        self.environment, self.rpc_layer = environment, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        return self._spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of a task."""
        if task_type is None and task_id is None:
            layer = rpc_layer or self.rpc_layer
            return f"{layer}://{self._master}" if layer and self._master else self._master
        return super().master(task_type, task_id, rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """The devices of a task besides its CPU."""
        return super().num_accelerators() if self._accelerators is None else dict(self._accelerators)


class TFConfigClusterResolver(ClusterResolver):
    """The cluster given by the environment variable `TF_CONFIG`.

    Args:
      task_type, task_id, rpc_layer, environment: in place of what `TF_CONFIG` says.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        config = _config()
        task = config.get("task", {})
        self.task_type = str(task["type"]) if task_type is None and "type" in task else task_type
        index = task_id if task_id is not None else task.get("index")
        self.task_id = None if index is None else int(index)
        self.rpc_layer = rpc_layer or config.get("rpc_layer", "grpc")
        self.environment = environment or config.get("environment", "")
        self._cluster = config.get("cluster", {})

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        return ClusterSpec(self._cluster)


def _config() -> Any:
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        found = json.loads(text)
    except ValueError as problem:
        raise errors.build(
            ValueError,
            f"TF_CONFIG must be JSON, got {text[:80]!r}: {problem}.",
            """TF_CONFIG='{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}}'.""",
        ) from None
    if not isinstance(found, dict):
        raise errors.build(
            ValueError, f"TF_CONFIG must be a JSON object, got {text[:80]!r}.", 'it has the keys "cluster" and "task".'
        )
    return found


class SlurmClusterResolver(ClusterResolver):
    """The cluster of a Slurm step, from the environment of `srun`.

    Args:
      jobs: how many tasks each job has; by default, all are workers. Jobs have their tasks in the order of their names.
      port_base: the port of the first task of a machine, counted up for the others.
      gpus_per_node: the GPUs of a machine, which its tasks share.
      gpus_per_task: those of a task; what a machine has, divided by its tasks.
      tasks_per_node: a number, or a dictionary of numbers by machine; the environment says it by default.
      auto_set_gpu: whether `cluster_spec` shows this task its GPUs alone, by CUDA_VISIBLE_DEVICES.
      rpc_layer: kept and passed on.
    """

    def __init__(
        self,
        jobs: dict[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: Any = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self._number = _slurm_number("SLURM_PROCID")
        hosts = _slurm_hosts(tasks_per_node)
        count = sum(hosts.values())
        wanted = {"worker": _slurm_number("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")} if jobs is None else jobs
        self._jobs = dict(sorted(wanted.items()))
        if sum(self._jobs.values()) != count:
            raise errors.build(
                RuntimeError,
                f"SlurmClusterResolver: jobs must have {count} tasks, as the step has, got {self._jobs}.",
                "srun -n sets the number of tasks.",
            )
        self._addresses = [f"{host}:{port_base + i}" for host, tasks in sorted(hosts.items()) for i in range(tasks)]
        most = max(hosts.values())
        self._gpus = (gpus_per_node or 0) // most if gpus_per_task is None else gpus_per_task
        if gpus_per_node is not None and most * self._gpus > gpus_per_node:
            raise errors.build(
                RuntimeError,
                f"SlurmClusterResolver: {most} tasks with {self._gpus} GPUs each cannot share {gpus_per_node} GPUs of a machine.",
                "give a smaller gpus_per_task.",
            )
        places = [i for _, tasks in sorted(hosts.items()) for i in range(tasks)]
        self._first_gpu = places[self._number] * self._gpus if auto_set_gpu and self._gpus else None
        self.rpc_layer = rpc_layer
        place = self._number
        for job, size in self._jobs.items():
            if place < size:
                self.task_type, self.task_id = job, place
                break
            place -= size

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        if self._first_gpu is not None:
            shown = range(self._first_gpu, self._first_gpu + self._gpus)
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, shown))
        found, start = {}, 0
        for job, size in self._jobs.items():
            found[job] = self._addresses[start : start + size]
            start += size
        return ClusterSpec(found)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """The GPUs of a task."""
        return {"GPU": self._gpus} if self._gpus else super().num_accelerators()

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The job and number of this process."""
        return self.task_type, self.task_id


def _slurm_number(*names: str) -> int:
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    raise errors.build(
        RuntimeError,
        f"SlurmClusterResolver: {names[0]} is not set: this process is not a Slurm task.",
        "start it with srun.",
    )


def _slurm_hosts(tasks_per_node: Any) -> dict[str, int]:
    """How many tasks each machine has."""
    if isinstance(tasks_per_node, Mapping):
        return {str(host): int(tasks) for host, tasks in tasks_per_node.items()}
    hosts = expand_hosts(os.environ.get("SLURM_STEP_NODELIST") or os.environ.get("SLURM_NODELIST", "localhost"))
    told = os.environ.get("SLURM_STEP_TASKS_PER_NODE") or os.environ.get("SLURM_TASKS_PER_NODE", "")
    if tasks_per_node is not None:
        per_host = list(tasks_per_node) if isinstance(tasks_per_node, Sequence) else [int(tasks_per_node)] * len(hosts)
    elif told:
        per_host = expand_counts(told)
    else:
        count = _slurm_number("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
        per_host = [count // len(hosts) + (i < count % len(hosts)) for i in range(len(hosts))]
    return dict(zip(hosts, per_host, strict=True))


def expand_hosts(text: str) -> list[str]:
    """The machines of a list in Slurm's short form: n[1-3,07],m is n1, n2, n3, n07, m."""
    found: list[str] = []
    for part in re.findall(r"[^,\[]*(?:\[[^\]]*\][^,\[]*)*", text):
        if part:
            found += _expand_brackets(part)
    return found


def _expand_brackets(part: str) -> list[str]:
    start, bracket, rest = part.partition("[")
    if not bracket:
        return [part]
    inside, _, tail = rest.partition("]")
    found = []
    for piece in inside.split(","):
        low, _, high = piece.partition("-")
        for number in range(int(low), int(high or low) + 1):
            found += [f"{start}{number:0{len(low)}d}{end}" for end in _expand_brackets(tail)]
    return found


def expand_counts(text: str) -> list[int]:
    """The numbers of tasks in Slurm's short form: 2(x3),1 is 2, 2, 2, 1."""
    found: list[int] = []
    for part in text.split(","):
        number, _, times = part.partition("(x")
        found += [int(number)] * int(times.rstrip(")") or 1)
    return found


class MPIClusterResolver(ClusterResolver):
    """The ranks of an MPI job, as a cluster of workers. Ports are numbers of ranks: nobody listens there."""

    def __init__(self) -> None:
        from gradtape.ranks import _engine as engines
        from gradtape.ranks import _group as groups

        self.task_type, self.task_id = "worker", int(engines.engine("cluster_resolver").rank)
        name = engines.engine("cluster_resolver").mpi.Get_processor_name()
        self._hosts = groups.world().exchange(name, "cluster_resolver")

    def cluster_spec(self) -> ClusterSpec:
        """The machines of all ranks."""
        return ClusterSpec({"worker": [f"{host}:{rank}" for rank, host in enumerate(self._hosts)]})


class UnionResolver(ClusterResolver):
    """A union of clusters; the first names this process's task.

    Args:
      *resolvers: the clusters.
      task_type, task_id, rpc_layer: in place of what the first says.
    """

    def __init__(self, *resolvers: ClusterResolver, **arguments: Any) -> None:
        if not resolvers or not all(isinstance(r, ClusterResolver) for r in resolvers):
            raise TypeError("UnionResolver: all arguments must be of the class ClusterResolver.")
        self._resolvers, first = resolvers, resolvers[0]
        self.task_type = arguments.get("task_type", first.task_type)
        self.task_id = arguments.get("task_id", first.task_id)
        self.rpc_layer = arguments.get("rpc_layer", first.rpc_layer)
        self.environment = first.environment

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks: a job's tasks of one cluster after those of the one before."""
        found: dict[str, list[str]] = {}
        for resolver in self._resolvers:
            spec = resolver.cluster_spec()
            for job in spec.jobs:
                found.setdefault(job, []).extend([t for t in spec.job_tasks(job) if t is not None])
        return ClusterSpec(found)
