"""Tests find the process as it was before the others."""

import gradtape as tf
import switches
from gradtape.core import state


def test_switches_are_turned_back() -> None:
    before = switches.positions()
    tf.config.set_soft_device_placement(False)
    tf.config.run_functions_eagerly(True)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(3)
    tf.config.hints(False)
    tf.config.set_visible_devices([], "CPU")
    tf.data.experimental.enable_debug_mode()
    tf.debugging.enable_check_numerics()
    tf.GradientTape().__enter__()
    tf.device("/CPU:0").__enter__()
    assert len(switches.restore(before)) >= 8
    assert tf.config.get_soft_device_placement()
    assert not tf.config.functions_run_eagerly()
    assert tf.config.threading.get_intra_op_parallelism_threads() == 0
    assert tf.config.get_visible_devices("CPU")
    assert state.current.recorders == ()
    assert switches.restore(before) == []
