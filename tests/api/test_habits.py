"""Names that people type from habit: the error says what to write, and what it says exists."""

import re
from types import ModuleType

import pytest

import gradtape as tf
from gradtape.api import absent, habits
from gradtape.core import attribute_hints


def found(name):
    """The object of a dotted name that starts with `tf.`."""
    owner = tf
    for part in name.split(".")[1:]:
        owner = getattr(owner, part)
    return owner


def test_there_are_enough():
    assert len(habits.TABLE) >= 200


@pytest.mark.parametrize("name", habits.TABLE)
def test_name(name):
    with pytest.raises(AttributeError) as caught:
        found(name)
    text = str(caught.value)
    assert "\n  fix: " in text
    assert absent.lookup(name) is not None or habits.TABLE[name].instead in text


@pytest.mark.parametrize("text", [h.instead for h in habits.TABLE.values()] + list(attribute_hints._HINTS.values()))
def test_what_it_says_exists(text):
    for name in re.findall(r"\btf(?:\.\w+)+", text):
        found(name)


@pytest.mark.parametrize("name", attribute_hints._HINTS)
@pytest.mark.parametrize("owner", [tf.constant([1.0]), tf.Variable([1.0])], ids=["tensor", "variable"])
def test_attribute(owner, name):
    if not hasattr(owner, name):  # a Variable has some of them
        with pytest.raises(AttributeError, match=rf"object has no attribute '{name}'\. (Use|Leave it out: )"):
            getattr(owner, name)


def modules(module, seen):
    """A module of gradtape and all public ones that can be reached from it."""
    if id(module) not in seen and module.__name__.startswith("gradtape"):
        seen[id(module)] = module
        for name in dir(module):
            value = None if name.startswith("_") else getattr(module, name, None)
            if isinstance(value, ModuleType):
                modules(value, seen)
    return list(seen.values())


def test_every_module_lets_python_suggest_names():
    reached = modules(tf, {})
    assert len(reached) >= 80
    for module in reached:
        with pytest.raises(AttributeError) as caught:
            module.no_such_name  # noqa: B018
        problem = caught.value
        is_left_out = "\n  fix: " in str(problem)  # which names the replacement itself
        assert problem.name == "no_such_name", module
        assert is_left_out or problem.obj is module, module


def test_python_suggests_names():
    with pytest.raises(AttributeError) as caught:
        tf.reduce_men  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("reduce_men", tf)
    with pytest.raises(AttributeError) as caught:
        tf.nn.sofmax  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("sofmax", tf.nn)
    assert hasattr(tf, "no_such_name") is False
