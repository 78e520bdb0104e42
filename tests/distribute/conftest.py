"""A strategy of two replicas, on two halves of the CPU; and programs on several ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf
from jobs import Job, launcher


@pytest.fixture
def two() -> Iterator[Any]:
    """A MirroredStrategy of two replicas."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    part = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [part, part])
    yield tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    tf.config.set_logical_device_configuration(cpu, [part])


@pytest.fixture
def launch(tmp_path: Path) -> Callable[..., Job]:
    """A function that runs the text of a program on some ranks, by `gradtape launch`."""
    return launcher(tmp_path)
