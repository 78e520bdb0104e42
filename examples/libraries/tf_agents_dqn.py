"""TF-Agents learns with DQN to walk to the end of a corridor, with a replay buffer and a target network.

TF_USE_LEGACY_KERAS=1 gradtape run examples/libraries/tf_agents_dqn.py
"""

from __future__ import annotations

import os
from typing import Any

os.environ["TF_USE_LEGACY_KERAS"] = "1"  # TF-Agents is written for Keras 2

import numpy as np
import tensorflow as tf
from tf_agents.agents.dqn import dqn_agent
from tf_agents.environments import py_environment, tf_py_environment
from tf_agents.networks import q_network
from tf_agents.replay_buffers import tf_uniform_replay_buffer
from tf_agents.specs import array_spec
from tf_agents.trajectories import time_step as ts
from tf_agents.trajectories import trajectory

LENGTH, STEPS = 5, 12
tf.random.set_seed(0)


class Corridor(py_environment.PyEnvironment):
    """A row of cells; the last one is worth 1. Action 1 goes right, action 0 left."""

    def __init__(self) -> None:
        super().__init__()
        self._at = self._count = 0

    def action_spec(self) -> Any:
        return array_spec.BoundedArraySpec([], np.int32, 0, 1, "action")

    def observation_spec(self) -> Any:
        return array_spec.BoundedArraySpec([LENGTH], np.float32, 0.0, 1.0, "observation")

    def _seen(self) -> Any:
        return np.eye(LENGTH, dtype=np.float32)[self._at]

    def _reset(self) -> Any:
        self._at = self._count = 0
        return ts.restart(self._seen())

    def _step(self, action: Any) -> Any:
        if self._current_time_step.is_last():
            return self.reset()
        self._at = min(max(self._at + (1 if action == 1 else -1), 0), LENGTH - 1)
        self._count += 1
        if self._at == LENGTH - 1:
            return ts.termination(self._seen(), 1.0)
        return ts.termination(self._seen(), 0.0) if self._count == STEPS else ts.transition(self._seen(), 0.0, 0.9)


environment = tf_py_environment.TFPyEnvironment(Corridor())
network = q_network.QNetwork(environment.observation_spec(), environment.action_spec(), fc_layer_params=(16,))
agent = dqn_agent.DqnAgent(
    environment.time_step_spec(),
    environment.action_spec(),
    q_network=network,
    optimizer=tf.keras.optimizers.Adam(0.02),
    epsilon_greedy=0.5,
    target_update_period=10,
    td_errors_loss_fn=tf.keras.losses.Huber(reduction="none"),
)
agent.initialize()
memory = tf_uniform_replay_buffer.TFUniformReplayBuffer(agent.collect_data_spec, batch_size=1, max_length=1000)


def collect(steps: int) -> None:
    """Put some steps of the collecting policy into the replay buffer."""
    for _ in range(steps):
        before = environment.current_time_step()
        action = agent.collect_policy.action(before)
        memory.add_batch(trajectory.from_transition(before, action, environment.step(action.action)))


collect(100)
batches = iter(memory.as_dataset(sample_batch_size=32, num_steps=2))
for _ in range(150):
    collect(2)
    loss = agent.train(next(batches)[0]).loss

step, total, count = environment.reset(), 0.0, 0
while not step.is_last():
    step = environment.step(agent.policy.action(step).action)
    total, count = total + float(step.reward[0]), count + 1
print(f"the greedy policy earns {total:.0f} in {count} steps")
assert (total, count) == (1.0, LENGTH - 1)
