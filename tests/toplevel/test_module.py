"""Module and name_scope."""

import pytest

import gradtape as tf


class Box(tf.Module):
    """A module without anything of its own."""


def variable(name, **options):
    return tf.Variable(1.0, name=name, **options)


def names(variables):
    return [v.name.removesuffix(":0") for v in variables]


class TestVariables:
    def test_in_attributes_also_private_ones(self):
        m = Box()
        m.b, m._a = variable("b"), variable("_a")
        assert names(m.variables) == ["_a", "b"]

    def test_in_nested_containers(self):
        m = Box()
        m.x = [variable("x0"), {"k2": variable("k2"), "k1": (variable("k1"),)}]
        assert names(m.variables) == ["x0", "k1", "k2"]

    def test_not_in_other_objects(self):
        class Plain:
            def __init__(self):
                self.v = variable("hidden")

        m = Box()
        m.plain, m.function = Plain(), lambda: None
        assert m.variables == ()

    def test_init_of_the_base_class_may_be_omitted(self):
        class Lazy(tf.Module):
            def __init__(self):
                self.v = variable("v")

        assert names(Lazy().variables) == ["v"]
        with pytest.raises(AttributeError):
            _ = Lazy().name

    def test_trainable_or_not(self):
        m = Box()
        m.a, m.b = variable("a"), variable("b", trainable=False)
        assert names(m.trainable_variables) == ["a"]
        assert names(m.non_trainable_variables) == ["b"]
        assert names(m.variables) == ["a", "b"]

    def test_those_that_can_be_trained_do_not_ask_what_a_subclass_says_of_all(self):
        class Strict(tf.Module):
            @property
            def variables(self):
                raise ValueError("all")

        assert Strict().trainable_variables == Strict().non_trainable_variables == ()

    def test_results_are_tuples(self):
        m = Box()
        assert [m.variables, m.trainable_variables, m.non_trainable_variables, m.submodules] == [()] * 4

    def test_order_own_ones_first_then_each_submodule(self):
        m, first, second, deep = Box(), Box(), Box(), Box()
        m.z, m.a, m.x10, m.x2 = variable("z"), variable("a"), variable("x10"), variable("x2")
        m.m1, m.m2 = first, [second]
        first.v, first.deep, second.v, deep.v = variable("first"), deep, variable("second"), variable("deep")
        assert names(m.variables) == ["a", "x10", "x2", "z", "first", "deep", "second"]
        assert m.submodules == (first, second, deep)

    def test_each_once_and_cycles(self):
        m, inner = Box(), Box()
        m.a = m.b = variable("v")
        m.inner, inner.back, inner.v = inner, m, m.a
        assert names(m.variables) == ["v"]
        assert m.submodules == (inner,)
        assert inner.submodules == (m,)

    def test_equal_values_are_not_taken_for_the_same(self):
        m = Box()
        m.a, m.b = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
        assert len(m.variables) == 2

    def test_properties_are_not_run(self):
        class Careful(tf.Module):
            @property
            def boom(self):
                raise RuntimeError

        assert Careful().variables == ()

    def test_as_sources_of_a_gradient(self):
        m = Box()
        m.a, m.b = variable("a"), variable("b")
        with tf.GradientTape() as tape:
            y = m.a * 2.0 + m.b * 3.0
        found = tape.gradient(y, m.trainable_variables)
        assert isinstance(found, tuple)
        assert [float(g) for g in found] == [2.0, 3.0]


class TestNames:
    @pytest.mark.parametrize(
        ("cls", "wanted"),
        [("Dense", "dense"), ("MyLayer", "my_layer"), ("MyHTTPServer2D", "my_http_server2_d"), ("_Private", "__private"),
         ("MLP", "mlp"), ("ABCDef", "abc_def")],
    )  # fmt: skip
    def test_default_is_the_class_in_snake_case(self, cls, wanted):
        assert type(cls, (tf.Module,), {})().name == wanted

    def test_given(self):
        assert Box("given").name == "given"
        assert Box(name="given").name == "given"

    @pytest.mark.parametrize("name", ["", "1x", "a b", "a/b"])
    def test_invalid(self, name):
        with pytest.raises(ValueError, match="not a valid module name"):
            Box(name)

    def test_scope(self):
        class Layer(tf.Module):
            @tf.Module.with_name_scope
            def build(self, suffix=""):
                """Makes a variable."""
                return variable("w" + suffix)

        layer = Layer()
        with layer.name_scope:
            assert variable("w").name == "layer/w:0"
        assert layer.build().name == "layer/w:0"
        assert layer.build(suffix="2").name == "layer/w2:0"
        assert (Layer.build.__name__, Layer.build.__doc__) == ("build", "Makes a variable.")
        assert variable("w").name == "w:0"

    def test_scope_remembers_those_around_the_construction(self):
        with tf.name_scope("outer"):
            m = Box("inner")
        assert m.name == "inner"
        assert m.name_scope.name == "outer/inner/"
        with tf.name_scope("elsewhere"), m.name_scope:
            assert variable("w").name == "outer/inner/w:0"


class TestNameScope:
    def test_nested(self):
        with tf.name_scope("a") as outer:
            with tf.name_scope("b") as inner:
                assert (outer, inner) == ("a/", "a/b/")
                assert variable("v").name == "a/b/v:0"
            assert variable("v").name == "a/v:0"
        assert variable("v").name == "v:0"

    def test_absolute_and_empty(self):
        with tf.name_scope("x"):
            with tf.name_scope("a/b/") as scope:
                assert scope == "a/b/"
                assert variable("v").name == "a/b/v:0"
            with tf.name_scope("") as scope:
                assert scope == ""
                assert variable("v").name == "v:0"
            assert variable("v").name == "x/v:0"

    def test_entered_again_and_in_itself(self):
        scope = tf.name_scope("q")
        assert scope.name == "q"
        for _ in range(2):
            with scope as name:
                assert name == "q/"
        with scope, scope as name:
            assert name == "q/q/"
        assert variable("v").name == "v:0"

    def test_left_by_an_exception(self):
        with pytest.raises(KeyError), tf.name_scope("q"):
            raise KeyError
        assert variable("v").name == "v:0"

    @pytest.mark.parametrize("name", [None, 3])
    def test_must_be_a_string(self, name):
        with pytest.raises(ValueError, match="must be a string"):
            tf.name_scope(name)

    def test_a_module_has_one(self):
        module = tf.Module(name="q")
        assert module.name_scope is module.name_scope
        with module.name_scope, module.name_scope as name:
            assert name == "q/"
        assert variable("v").name == "v:0"
