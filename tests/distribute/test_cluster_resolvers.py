"""Resolvers say which worker of a cluster this process is."""

from __future__ import annotations

import json
import os

import pytest

import gradtape as tf
from gradtape.distribute.cluster_resolver import expand_counts, expand_hosts

resolvers = tf.distribute.cluster_resolver


def test_tf_config(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"chief": ["c:1"], "worker": ["a:1", "b:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}}))
    resolver = resolvers.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == ("worker", 1, "grpc")
    assert resolver.cluster_spec().as_dict() == cluster
    assert resolver.master() == "grpc://b:1"
    assert resolver.master("chief", 0, rpc_layer="x") == "x://c:1"
    assert resolver.num_accelerators() == {}
    assert isinstance(resolver, resolvers.ClusterResolver)


def test_a_cluster_by_hand() -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:1"]})
    resolver = resolvers.SimpleClusterResolver(spec, master="m", task_type="worker", task_id=0)
    assert resolver.master() == "m"
    assert resolver.master("worker", 1) == "b:1"
    both = resolvers.UnionResolver(resolver, resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["c:1"]})))
    assert both.cluster_spec().as_dict() == {"worker": ["a:1", "b:1", "c:1"]}
    assert (both.task_type, both.task_id) == ("worker", 0)
    with pytest.raises(TypeError, match=r"must be a `tf\.train\.ClusterSpec`"):
        resolvers.SimpleClusterResolver({"worker": ["a:1"]})


def test_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(RuntimeError, match="SLURM_PROCID is not set"):
        resolvers.SlurmClusterResolver()
    for name, value in {
        "SLURM_PROCID": "4",
        "SLURM_STEP_NUM_TASKS": "5",
        "SLURM_STEP_NODELIST": "n[1-2],m07",
        "SLURM_STEP_TASKS_PER_NODE": "2(x2),1",
    }.items():
        monkeypatch.setenv(name, value)
    resolver = resolvers.SlurmClusterResolver()
    assert resolver.get_task_info() == ("worker", 4)
    assert resolver.cluster_spec().job_tasks("worker") == ["m07:8888", "n1:8888", "n1:8889", "n2:8888", "n2:8889"]
    assert resolver.master() == "grpc://n2:8889"
    for jobs in ({"chief": 1, "worker": 4}, {"worker": 4, "chief": 1}):  # jobs have their tasks in the order of names
        assert resolvers.SlurmClusterResolver(jobs).get_task_info() == ("worker", 3)
    spread = resolvers.SlurmClusterResolver(
        tasks_per_node={"a": 3, "b": 2}, gpus_per_node=8, gpus_per_task=2, port_base=5
    )
    assert spread.cluster_spec().job_tasks("worker") == ["a:5", "a:6", "a:7", "b:5", "b:6"]
    assert spread.num_accelerators() == {"GPU": 2}
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    fifteen = resolvers.SlurmClusterResolver({"worker": 15}, tasks_per_node=5)
    assert len(fifteen.cluster_spec().job_tasks("worker")) == 15
    with pytest.raises(RuntimeError, match="jobs must have 15 tasks"):
        resolvers.SlurmClusterResolver(tasks_per_node=5)
    with pytest.raises(RuntimeError, match="cannot share 2 GPUs"):
        resolvers.SlurmClusterResolver(gpus_per_node=2, gpus_per_task=2)
    with pytest.raises(RuntimeError, match="jobs must have 5 tasks"):
        resolvers.SlurmClusterResolver({"worker": 3})


def test_short_forms_of_slurm() -> None:
    assert expand_hosts("n[1-3,07],m") == ["n1", "n2", "n3", "n07", "m"]
    assert expand_hosts("r[1-2]n[08-09]") == ["r1n08", "r1n09", "r2n08", "r2n09"]
    assert expand_counts("2(x3),1") == [2, 2, 2, 1]
