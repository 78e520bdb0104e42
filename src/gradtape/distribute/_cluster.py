"""Joining the workers of a job: MPI and `TF_CONFIG` (or a resolver) name the workers, and must agree."""

from __future__ import annotations

import os
import sys
from typing import Any

from gradtape.core import errors
from gradtape.distribute import cluster_resolver as resolvers

# The variables in which launchers tell a process how many there are.
_SIZES = ("GRADTAPE_LAUNCH_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")


def started() -> int:
    """The number of processes that a launcher started together; 1 without a launcher."""
    from gradtape.ranks import _engine as engines

    if engines.is_started():
        return int(engines.engine("strategy").size)
    return max([int(os.environ[n]) for n in _SIZES if os.environ.get(n, "").isdigit()], default=1)


def join(resolver: Any, timeout: float | None) -> tuple[Any, Any]:
    """The workers, None if there is only one, and the resolver that names them."""
    named = resolver if resolver is not None else resolvers.TFConfigClusterResolver()
    spec = named.cluster_spec().as_dict()
    for job in ("ps", "evaluator"):
        if getattr(named, "task_type", None) == job:
            raise errors.build(
                errors.UnimplementedError,
                f"MultiWorkerMirroredStrategy: a task of type {job!r} cannot be a worker.",
                "start it without a strategy; workers have the task type chief or worker.",
            )
    tasks = [(job, i) for job in ("chief", "worker") for i in range(len(spec.get(job, [])))]
    count = started()
    if len(tasks) > 1 and count != len(tasks):
        raise errors.build(
            errors.FailedPreconditionError,
            f"MultiWorkerMirroredStrategy: the cluster names {len(tasks)} workers, but {count} process"
            f"{' was' if count == 1 else 'es were'} started together.",
            f"start them as one job: gradtape launch -n {len(tasks)} --hosts a,b train.py, or mpirun or srun.",
        )
    if count == 1:
        return None, resolver if resolver is not None or spec else None
    return _workers(named, tasks, timeout), named if tasks else resolvers.MPIClusterResolver()


def _workers(named: Any, tasks: list[tuple[str, int]], timeout: float | None) -> Any:
    """The workers in the order of the cluster, else in that of the ranks."""
    from gradtape.distribute._workers import Workers
    from gradtape.ranks import _engine as engines
    from gradtape.ranks import _group as groups

    engine = engines.start(timeout)
    world = groups.world()
    groups.check_versions(str(sys.modules["gradtape"].__version__))
    place = tasks.index((named.task_type, named.task_id)) if tasks and named.task_type is not None else engine.rank
    places = world.exchange(place, "worker")
    if sorted(places) != list(range(engine.size)):
        told = ", ".join([f"rank {r} is task {p}" for r, p in enumerate(places)])
        raise errors.build(
            errors.InvalidArgumentError,
            f"MultiWorkerMirroredStrategy: the workers must have different tasks: {told}.",
            'give each process another "index" in the "task" of TF_CONFIG, or leave TF_CONFIG out.',
        )
    members = sorted(range(engine.size), key=places.__getitem__)
    return Workers(world if members == world.members else groups.Group(members))
