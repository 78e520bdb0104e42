"""Spektral, under `gradtape run`: a graph convolutional network finds the two communities of a random graph.

Spektral is written for Keras 2, on TensorFlow as here: TF_USE_LEGACY_KERAS chooses it for `tensorflow.keras`.
"""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import scipy.sparse
import tensorflow as tf
from spektral.data import Dataset, Graph, SingleLoader
from spektral.layers import GCNConv
from spektral.models.gcn import GCN
from spektral.transforms import LayerPreprocess

NODES, FEATURES = 120, 8


class Communities(Dataset):
    """One graph: edges are frequent within a community, rare between them; the features say little by themselves."""

    def read(self):
        rng = np.random.default_rng(0)
        community = np.arange(NODES) % 2
        is_same = community[:, None] == community[None]
        edges = np.triu(rng.random((NODES, NODES)) < np.where(is_same, 0.15, 0.02), 1)
        features = rng.normal(size=(NODES, FEATURES)) + 0.3 * community[:, None]
        adjacency = scipy.sparse.csr_matrix((edges + edges.T).astype("float32"))
        return [Graph(x=features.astype("float32"), a=adjacency, y=np.eye(2, dtype="float32")[community])]


tf.keras.utils.set_random_seed(0)
dataset = Communities(transforms=[LayerPreprocess(GCNConv)])
is_known = np.random.default_rng(1).random(NODES) < 0.25
known = SingleLoader(dataset, sample_weights=is_known.astype("float32"))
others = SingleLoader(dataset, sample_weights=(~is_known).astype("float32"))

model = GCN(n_labels=2, channels=16)
model.compile(tf.keras.optimizers.Adam(0.01), "categorical_crossentropy", weighted_metrics=["accuracy"])
history = model.fit(known.load(), steps_per_epoch=known.steps_per_epoch, epochs=100, verbose=0)
_, accuracy = model.evaluate(others.load(), steps=others.steps_per_epoch, verbose=0)

losses = history.history["loss"]
first, last = np.mean(losses[:10]), np.mean(losses[-10:])  # dropout makes single ones differ
assert last < first / 2
assert accuracy > 0.85
print(f"loss from {first:.3f} to {last:.3f}, {accuracy:.0%} of the other nodes are right")
