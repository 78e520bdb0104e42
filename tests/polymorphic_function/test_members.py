"""tf.function: its members, and concrete functions."""

import sys

import numpy as np
import pytest

import gradtape as tf
from tracing.counting import counted


class TestMembers:
    def test_description_of_the_parameters(self):
        f = tf.function(lambda x, y=1, *args, z=2, **kwargs: x)
        spec = f.function_spec.fullargspec
        assert (spec.args, spec.varargs, spec.varkw, spec.defaults) == (["x", "y"], "args", "kwargs", (1,))
        assert (spec.kwonlyargs, spec.kwonlydefaults) == (["z"], {"z": 2})
        assert f.function_spec.arg_names == ("x", "y")
        hidden = "<captured_default_value>"
        assert str(f.function_type) == f"(x, y={hidden}, *args, z={hidden}, **kwargs)"

    def test_kinds_of_arguments_captures_and_result(self):
        y = tf.constant([1, 2])
        v = tf.Variable(1.0)
        f = tf.function(lambda x, n, *rest: {"a": x * v, "b": y})
        kinds = f.get_concrete_function(tf.TensorSpec([None], tf.float32), 3, tf.constant(1)).function_type
        x, n, rest = kinds.parameters.values()
        assert x.type_constraint == tf.TensorSpec([None], tf.float32)
        assert (repr(n.type_constraint), rest.name, n.optional) == ("Literal[3]", "rest_0", False)
        assert kinds.captures[id(y)] == tf.TensorSpec([2], tf.int32)
        assert kinds.captures[id(v)].dtype == tf.resource
        assert repr(kinds.output) == (
            "Dict[['a', TensorSpec(shape=(None,), dtype=tf.float32, name=None)], "
            "['b', TensorSpec(shape=(2,), dtype=tf.int32, name=None)]]"
        )
        assert kinds == kinds.replace()
        assert f.function_type.parameters["x"].type_constraint is None

    def test_operation_of_a_symbolic_tensor(self):
        @tf.function(autograph=False)
        def f(x):
            y, z = tf.split(tf.reduce_sum(x, axis=1), 2)
            assert (x.op.type, x.op.name, x.op.inputs, x.op.graph is x.graph) == ("Placeholder", "x", (), True)
            assert len(y.op.outputs) == 2
            assert y.op == z.op != x.op
            assert len({y.op, z.op, x.op}) == 2
            (total,) = y.op.inputs
            assert total.op.get_attr("axis") == (1,)
            with pytest.raises(ValueError, match="no attr named 'other'"):
                total.op.get_attr("other")
            assert total.op.inputs[0].op == x.op
            return y

        f(tf.ones([4, 3]))

    def test_initialization_function(self):
        made = []

        @tf.function(autograph=False)
        def f(x):
            if not made:
                made.append(tf.Variable(2.0))
            return x * made[0]

        initialize = f.get_initialization_function(tf.TensorSpec([], tf.float32))
        assert initialize() is None
        assert float(f(tf.constant(3.0))) == 6.0
        with pytest.raises(RuntimeError, match="has been used"):
            f.get_initialization_function(tf.constant(1.0))

    def test_compiler_ir(self):
        f = tf.function(lambda x: x * 2.0 + 1.0, jit_compile=True, autograph=False)
        text = f.experimental_get_compiler_ir(tf.constant([1.0]))
        assert "multiply(" in text()
        assert "parameter x" in text(stage="optimized_hlo")
        with pytest.raises(ValueError, match="Invalid stage"):
            text(stage="machine")
        general = f.experimental_get_compiler_ir(tf.TensorSpec([None], tf.float32))
        with pytest.raises(ValueError, match="has not run yet"):
            general(stage="optimized_hlo")
        with pytest.raises(ValueError, match="jit_compile=True"):
            tf.function(lambda x: x).experimental_get_compiler_ir(tf.constant(1.0))

    def test_init_scope(self):
        @tf.function(autograph=False)
        def f(x):
            with tf.init_scope():
                assert tf.executing_eagerly()
                number = float(tf.constant(2.0))
            assert not tf.executing_eagerly()
            return x * number

        assert float(f(tf.constant(3.0))) == 6.0

    def test_rows_are_returned_as_rows(self):
        table = tf.Variable(tf.ones([4, 2]))

        @tf.function(autograph=False)
        def f(ids):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.gather(table, ids) ** 2)
            return {"rows": tape.gradient(y, table)}

        rows = f(tf.constant([1, 3]))["rows"]
        assert isinstance(rows, tf.IndexedSlices)
        assert rows.indices.numpy().tolist() == [1, 3]
        assert rows.values.numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]


class TestConcreteFunction:
    def test_traces_specs_and_is_kept(self):
        f, traces = counted(lambda x, y=2.0, *, z=3: {"sum": x * y + z})
        concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
        assert f.get_concrete_function(tf.TensorSpec([2], tf.float32)) is concrete
        assert f(tf.constant([1.0, 2.0]))["sum"].numpy().tolist() == [5.0, 7.0]
        assert len(traces) == 1

    def test_is_called_with_its_tensors(self):
        concrete = tf.function(lambda x, y: x - y).get_concrete_function(tf.constant(1.0), 2.0)
        assert float(concrete(tf.constant(5.0))) == 3.0
        assert float(concrete(x=tf.constant(5.0))) == 3.0
        assert float(concrete(tf.constant(5.0), 2.0)) == 3.0

    def test_refuses_what_is_no_tensor(self):
        concrete = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([], tf.float32))
        with pytest.raises(TypeError, match="must be Tensors"):
            concrete([1.0])
        with pytest.raises(TypeError, match="flat signature"):
            concrete()
        with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
            concrete(tf.constant(1))

    def test_whole_signatures_and_flat_ones(self):
        def f(x, s, *more, k=3, **rest):
            return x + s["a"] * s["n"] + more[0] * k + rest["z"]

        spec = tf.TensorSpec([], tf.float32)
        named = tf.TensorSpec([], tf.float32, name="given")
        concrete = tf.function(f).get_concrete_function(spec, {"a": named, "n": 2.0}, spec, z=spec)
        x = [tf.constant(v) for v in (1.0, 10.0, 100.0, 1000.0)]
        for result in (
            concrete(x[0], {"a": x[1], "n": 2.0}, x[2], z=x[3]),
            concrete(1, {"a": 10, "n": 2.0}, np.float32(100), k=3, z=tf.Variable(1000.0)),
            concrete(*x),
            concrete(x[0], more_0=x[2], z=x[3], given=x[1]),
        ):
            assert float(result) == 1321.0
        with pytest.raises(TypeError, match="Can not cast"):
            concrete(x[0], {"a": x[1], "n": 4.0}, x[2], z=x[3])
        assert list(concrete.function_type.parameters) == ["x", "s", "more_0", "k", "z"]

    def test_attributes(self):
        v = tf.Variable(1.0, name="v")
        w = tf.Variable(1.0, trainable=False)
        concrete = tf.function(lambda x: (x * v + w, [x])).get_concrete_function(tf.TensorSpec([2], tf.float32))
        assert concrete.name == b"<lambda>"
        assert concrete.variables == (v, w)
        assert concrete.trainable_variables == (v,)
        assert concrete.structured_input_signature == ((tf.TensorSpec([2], tf.float32, name="x"),), {})
        assert [s.shape.as_list() for s in concrete.inputs] == [[2]]
        assert len(concrete.outputs) == 2
        assert concrete.output_shapes[1][0].as_list() == [2]
        assert concrete.output_dtypes[0] is tf.float32
        assert concrete.graph.name == "<lambda>"

    def test_the_graph_as_programs_look_at_it(self):
        scale = tf.Variable([2.0, 3.0], name="scale")
        concrete = tf.function(lambda x: tf.nn.relu(x * scale) + x * 2.0).get_concrete_function(
            tf.TensorSpec([None, 2])
        )
        graph = concrete.graph
        names = {op.name: op for op in graph.get_operations()}
        assert names["x"].type == names["scale"].type == "Placeholder"
        assert [names[n].type for n in ("multiply", "multiply_1", "relu", "add")] == ["Mul", "Mul", "Relu", "AddV2"]
        assert graph.get_operation_by_name("relu").inputs[0].value is names["multiply"].outputs[0].value
        assert graph.get_tensor_by_name("x:0").shape.as_list() == [None, 2]
        with pytest.raises(KeyError, match="not in the graph"):
            graph.get_tensor_by_name("nothing:0")
        written = {node.name: node for node in graph.as_graph_def().node}
        assert written["add"].op == "AddV2"
        assert written["add"].input == ["relu", "multiply_1"]
        signature = concrete.function_def.signature
        assert [a.name for a in signature.input_arg] == ["x"]
        assert len(signature.output_arg) == 1
        assert len(concrete.function_def.node_def) == len(written)

    def test_attributes_of_the_python_function(self):
        def f(x):
            return x

        f.version = 3
        assert tf.function(f).version == 3
        with pytest.raises(AttributeError, match="'Function' object has no attribute 'author'"):
            _ = tf.function(f).author

    def test_pretty_signature(self):
        def f(x, y, *, z):
            return x * y + z

        concrete = tf.function(f).get_concrete_function(tf.TensorSpec([2], tf.float32), 2.0, z=3)
        text = concrete.pretty_printed_signature()
        assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,), dtype=tf.float32, name=None)" in text
        assert "y (POSITIONAL_OR_KEYWORD): Literal[2.0]" in text
        assert "z (KEYWORD_ONLY): Literal[3]" in text
        assert "Captures:\n  None" in text

    def test_parameters_that_have_names_only(self):
        f = tf.function(lambda x, y=2.0, *, z=3: {"s": x * y + z}, autograph=False)
        spec = "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
        concrete = f.get_concrete_function(tf.TensorSpec([None]))
        assert f"(x: {spec}, y: Literal[2.0], *, z: Literal[3]) -> Dict[['s', {spec}]]" in repr(concrete)
        g = tf.function(lambda *args, z=3: args[0], autograph=False)
        assert f"(args_0: {spec}, /, *, z: Literal[3]) -> {spec}" in repr(
            g.get_concrete_function(tf.TensorSpec([None]))
        )

    def test_is_differentiable(self):
        concrete = tf.function(lambda x: x * x).get_concrete_function(tf.TensorSpec([], tf.float32))
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = concrete(x.read_value())
        assert float(tape.gradient(y, x)) == 6.0


def test_profilers_see_the_function():
    def train_step(x):
        return tf.tanh(x) * 2.0

    function = tf.function(train_step)
    seen = set()
    function(tf.ones([3]))
    sys.setprofile(lambda frame, event, value: seen.add(frame.f_code.co_filename))
    try:
        function(tf.ones([3]))
    finally:
        sys.setprofile(None)
    assert any(name.startswith("<gradtape train_step ") and "test_members.py:" in name for name in seen)


def test_handles_of_variables_are_returned_as_they_are():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return {"y": x * v, "handle": v.handle}

    for x in (1.0, 3.0):
        found = f(tf.constant(x))
        assert found["y"].numpy() == 2.0 * x
        assert found["handle"] == v.handle
    assert tf.function(lambda: v.handle)() == v.handle
