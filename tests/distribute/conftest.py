"""A strategy of two replicas, on two halves of the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import gradtape as tf


@pytest.fixture
def two() -> Iterator[Any]:
    """A MirroredStrategy of two replicas."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    part = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [part, part])
    yield tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    tf.config.set_logical_device_configuration(cpu, [part])
