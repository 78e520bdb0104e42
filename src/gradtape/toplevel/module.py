"""Module: a named container of variables. name_scope: a prefix for names."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradtape.core import errors, nest
from gradtape.core.variable import Variable
from gradtape.core.variable_creation import names
from gradtape.toplevel.trackable import AutoTrackable


class name_scope:  # noqa: N801
    """A block in which variables get a prefix: under `with tf.name_scope("a"):`, `w` is named `a/w`.

    Args:
      name: the prefix. One that ends with a slash replaces the prefixes around it, and the empty one removes them.

    Entering gives the whole prefix, with a slash at its end.

    >>> with tf.name_scope("layer"):
    ...     w = tf.Variable(1.0, name="w")
    >>> w.name
    'layer/w:0'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._outer: list[tuple[str, ...]] = []

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    def __enter__(self) -> str:
        self._outer.append(names.scopes)
        if not self._name or self._name.endswith("/"):
            names.scopes = tuple([part for part in self._name.split("/") if part])
        else:
            names.scopes = (*names.scopes, self._name)
        return "".join(f"{part}/" for part in names.scopes)

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        names.scopes = self._outer.pop()


class Module(AutoTrackable):
    """A container of variables and other modules, which it finds in its attributes.

    Lists, tuples and dicts in attributes are searched, other objects are not. A class need not call `super().__init__()`
    unless it wants a name.

    Args:
      name: a valid identifier; the class's name in snake case by default.

    >>> class Dense(tf.Module):
    ...     def __init__(self, size, name=None):
    ...         super().__init__(name)
    ...         self.w = tf.Variable(tf.ones([size]), name="w")
    >>> [v.name for v in Dense(3).trainable_variables]
    ['w:0']
    """

    # Attributes that are not searched; subclasses add their own.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = snake_case(type(self).__name__)
        elif not isinstance(name, str):
            raise errors.build(
                errors.AttributeTypeError,
                f"Module: name must be text, got {errors.brief(name)}.",
                'super().__init__(name="dense"), or leave it out.',
            )
        elif not name.isidentifier():
            raise errors.build(
                ValueError,
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name).",
                "use letters, digits and underscores.",
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope(scope)

    @property
    def name(self) -> str:
        """The name, without the scopes around it."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A scope with the module's name, inside of the scopes in which the module was created."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and its submodules: attributes in the order of their names, own ones first."""
        return tuple(self._find(Variable, {id(self)}))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes watch automatically."""
        return tuple([v for v in self._find(Variable, {id(self)}) if v.trainable])

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that tapes do not watch automatically."""
        return tuple([v for v in self._find(Variable, {id(self)}) if not v.trainable])

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules inside of this one, at any depth."""
        return tuple(self._find(Module, {id(self)}))

    def _find(self, wanted: type, seen: set[int]) -> Iterator[Any]:
        """Objects of a class that were not seen before: those in this module's attributes, then those of each submodule."""
        inner = []
        for name in sorted(vars(self)):
            if name in self._TF_MODULE_IGNORED_PROPERTIES:
                continue
            for leaf in nest.flatten(vars(self)[name]):
                if id(leaf) in seen or not isinstance(leaf, (wanted, Module)):
                    continue
                seen.add(id(leaf))
                if isinstance(leaf, wanted):
                    yield leaf
                if isinstance(leaf, Module):
                    inner.append(leaf)
        for module in inner:
            yield from module._find(wanted, seen)

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """What is in the attributes of this module and its submodules and meets a condition, as TensorFlow's modules tell."""
        return self._flattened(
            {id(self)},
            recursive,
            predicate or (lambda _: True),
            attribute_traversal_key,
            with_path,
            expand_composites,
            (),
        )

    def _flattened(
        self,
        seen: set[int],
        recursive: bool,
        predicate: Any,
        key: Any,
        with_path: bool,
        expand: bool,
        before: tuple[Any, ...],
    ) -> Iterator[Any]:
        inner = []
        for name in sorted(vars(self), key=key):
            if name in self._TF_MODULE_IGNORED_PROPERTIES:
                continue
            for path, leaf in _leaves(vars(self)[name], (*before, name), expand):
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                if predicate(leaf):
                    yield (path, leaf) if with_path else leaf
                if recursive and isinstance(leaf, Module):
                    inner.append((path, leaf))
        for path, module in inner:
            yield from module._flattened(seen, recursive, predicate, key, with_path, expand, path)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method that runs in the module's name scope.

        >>> class Layer(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def build(self):
        ...         return tf.Variable(1.0, name="w")
        >>> Layer().build().name
        'layer/w:0'
        """

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def snake_case(name: str) -> str:
    """`my_layer` of `MyLayer`: a word begins at a capital that follows a small letter or a digit, or precedes one."""
    written = []
    for i, letter in enumerate(name):
        before, after = name[i - 1 : i], name[i + 1 : i + 2]
        if i and letter.isupper() and (before.islower() or before.isdigit() or after.islower()):
            written.append("_")
        written.append(letter.lower())
    return "".join(written)


def _leaves(structure: Any, path: tuple[Any, ...], expand: bool) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaves of a structure with the keys that lead to them."""
    if isinstance(structure, Mapping):
        for key in nest.sorted_keys(structure):
            yield from _leaves(structure[key], (*path, key), expand)
    elif isinstance(structure, (list, tuple)):
        fields = getattr(structure, "_fields", None) or range(len(structure))
        for key, item in zip(fields, structure, strict=True):
            yield from _leaves(item, (*path, key), expand)
    elif expand and not isinstance(structure, (Variable, Module)) and hasattr(structure, "_components"):
        for i, part in enumerate(structure._components()):
            yield (*path, i), part
    else:
        yield path, structure
