"""Saved models in graphs of version 1."""

from __future__ import annotations

from pathlib import Path

import gradtape as tf
from gradtape.compat import v1


def test_a_signature_in_a_graph(tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(3.0)  # type: ignore[attr-defined]
    module.f = tf.function(lambda x: {"y": x * module.v}, input_signature=[tf.TensorSpec([None], name="x")])  # type: ignore[attr-defined]
    tf.saved_model.save(module, tmp_path)
    with tf.Graph().as_default(), v1.Session() as session:
        model = v1.saved_model.load(session, ["serve"], str(tmp_path))
        signature = model.signature_def["serving_default"]
        x = session.graph.get_tensor_by_name(signature.inputs["x"].name)
        y = session.graph.get_tensor_by_name(signature.outputs["y"].name)
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [3.0, 6.0]
