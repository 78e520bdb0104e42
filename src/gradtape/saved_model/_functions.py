"""Descriptions of functions and signatures, and functions from descriptions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from gradtape.core import errors, log, nest
from gradtape.core.composite import CompositeSpec
from gradtape.core.shape import TensorSpec
from gradtape.polymorphic_function import cache_key
from gradtape.polymorphic_function.concrete_function import ConcreteFunction
from gradtape.polymorphic_function.function import Function
from gradtape.polymorphic_function.function_signature import Signature
from gradtape.polymorphic_function.restored_function import (
    RestoredConcreteFunction,
    RestoredFunction,
    SignatureFunction,
    stub,
)
from gradtape.saved_model._graph_reader import GraphReader
from gradtape.saved_model._graph_writer import GraphWriter
from gradtape.saved_model._references import UnsaveableError
from gradtape.tracing.composites import fold
from gradtape.tracing.symbol import Symbol

DEFAULT_SIGNATURE = "serving_default"


def traced(function: Any) -> list[ConcreteFunction]:
    """The saveable traces of a function; if it has an `input_signature`, it is traced for that."""
    if isinstance(function, ConcreteFunction):
        return [function]
    if function.input_signature is not None:
        function.get_concrete_function()
    return [c for c in list(function._traces.values()) if not _is_inside(c)]


def _is_inside(concrete: ConcreteFunction) -> bool:
    """True if a trace closes over tensors of another function that was being traced around it."""
    return any(isinstance(source, Symbol) for source in concrete.captured_inputs)


def describe_function(writer: GraphWriter, function: Function[..., Any]) -> Any:
    """A function with its traces."""
    concretes = []
    found = traced(function)
    if not found:
        log.info(
            "saved_model.save: the function %s is saved without a trace, and cannot be called after loading; call it "
            "before saving, or give it an input_signature.",
            function.name,
        )
    for concrete in found:
        try:
            concretes.append(describe_concrete(writer, concrete))
        except UnsaveableError as problem:
            log.warning("saved_model.save: a trace of %s is left out: its arguments hold %s.", function.name, problem)
    return {
        "name": function.name,
        "parameters": [_parameter(writer, p) for p in function.function_spec.parameters],
        "input signature": writer.describe(function.input_signature),
        "jit compile": function._jit_compile,
        "traces": concretes,
    }


def _parameter(writer: GraphWriter, parameter: inspect.Parameter) -> Any:
    entry = [parameter.name, int(parameter.kind)]
    if parameter.default is parameter.empty:
        return entry
    try:
        return [*entry, writer.describe(parameter.default)]
    except UnsaveableError:
        return entry


def describe_concrete(writer: GraphWriter, concrete: ConcreteFunction) -> Any:
    """One trace of a function."""
    return {
        "name": concrete._staged.name,
        "arguments": [writer.describe(v) for v in concrete._described],
        "parameters": [_parameter(writer, p) for p in concrete._signature.parameters],
        "structure": writer.describe(concrete._structure),
        "results": [None if y is None else writer.symbol(y) for y in concrete._leaves],
        "slots": [writer.describe(slot) for slot in concrete._slots],
        "trace": writer.trace(concrete._staged.trace),
    }


def restored_function(reader: GraphReader, content: Any) -> RestoredFunction:
    """A function from its description."""
    concretes = [restored_concrete(reader, entry) for entry in content["traces"]]
    parameters = [_restored_parameter(reader, *entry) for entry in content["parameters"]]
    return RestoredFunction(
        content["name"], parameters, reader.value(content["input signature"]), concretes, content.get("jit compile")
    )


def _restored_parameter(reader: GraphReader, name: str, kind: int, *default: Any) -> inspect.Parameter:
    value = reader.value(default[0]) if default else inspect.Parameter.empty
    return inspect.Parameter(name, _KINDS[kind], default=value)


_KINDS = {
    int(kind): kind
    for kind in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.KEYWORD_ONLY,
        inspect.Parameter.VAR_KEYWORD,
    )
}


def restored_concrete(reader: GraphReader, content: Any) -> ConcreteFunction:
    """One trace of a function, from its description."""
    parameters = [_restored_parameter(reader, *entry) for entry in content["parameters"]]
    signature = Signature(stub(content["name"], parameters), None, content["name"])
    arguments = [reader.value(v) for v in content["arguments"]]
    names = iter(signature.leaf_names(arguments))
    concrete = RestoredConcreteFunction(
        reader.traces[content["trace"]],
        reader.value(content["structure"]),
        [None if y is None else reader.symbol(*y) for y in content["results"]],
        [reader.value(slot) for slot in content["slots"]],
        signature,
        [cache_key.rebuild(v, lambda s: TensorSpec(s.shape, s.dtype, next(names)), lambda v: v) for v in arguments],
    )
    concrete.because = "it was loaded"
    return concrete


def signatures_of(given: Any) -> dict[str, ConcreteFunction]:
    """The traces that `signatures` of `save` names."""
    if given is None:
        return {}
    named = given if isinstance(given, Mapping) else {DEFAULT_SIGNATURE: given}
    return {name: _signature(name, function) for name, function in named.items()}


def _signature(name: str, function: Any) -> ConcreteFunction:
    if not isinstance(name, str):
        raise ValueError(
            errors.compose(f"the name of a signature must be a string, got {name!r}.", "name signatures by strings.")
        )
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    if isinstance(function, RestoredFunction) and len(function.concrete_functions) == 1:
        return function.concrete_functions[0]
    if isinstance(function, ConcreteFunction):
        return function
    raise ValueError(
        errors.compose(
            f"saved_model.save: Expected a TensorFlow function as the signature {name!r}, got {function!r}; only a tf.function with an "
            "input signature or a concrete function can be one.",
            "pass f.get_concrete_function(tf.TensorSpec(shape, dtype)), or decorate it with input_signature.",
        )
    )


def describe_signature(writer: GraphWriter, name: str, concrete: ConcreteFunction) -> Any:
    """A signature: a trace with named tensors in and out."""
    if concrete._slots or any(isinstance(leaf, CompositeSpec) for leaf in nest.flatten(list(concrete._described))):
        raise ValueError(
            errors.compose(
                f"saved_model.save: the arguments of signature {name!r} must be tensors, not variables, sparse or ragged tensors.",
                "take tensors; the function itself can be saved, as an attribute of the object.",
            )
        )
    return {
        "name": concrete._staged.name,
        "inputs": [[n, writer.describe(TensorSpec(s.shape, s.dtype, n))] for n, s in _inputs(concrete)],
        "outputs": [[n, writer.symbol(y)] for n, y in _outputs(name, concrete).items()],
        "trace": writer.trace(concrete._staged.trace),
    }


def _inputs(concrete: ConcreteFunction) -> list[tuple[str, TensorSpec]]:
    """The arguments by name: that of the spec, if it was given one, or of the parameter; with a number where it comes again."""
    given = concrete._signature.input_names(concrete._described)
    names = [_identifier(name) for name in given]
    if changed := [name for name, own in zip(given, names, strict=True) if name != own]:
        log.info(
            "saved_model.save: function %s has input names %s with characters that names cannot have; in the saved model "
            "they are %s.",
            concrete._staged.name,
            ", ".join(changed),
            ", ".join(map(_identifier, changed)),
        )
    # What was declared: `set_shape` in the function may have changed the shape of its argument there.
    specs = [leaf for leaf in nest.flatten(list(concrete._described)) if isinstance(leaf, TensorSpec)]
    return list(zip(names, specs, strict=True))


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _outputs(name: str, concrete: ConcreteFunction) -> dict[str, Symbol]:
    returned = concrete.structured_outputs
    if isinstance(returned, Mapping):
        named = dict(returned)
    else:
        flat = list(returned) if isinstance(returned, (list, tuple)) else [returned]
        named = {f"output_{i}": y for i, y in enumerate(flat)}
    if all(isinstance(k, str) and isinstance(y, Symbol) for k, y in named.items()):
        return named
    if returned is None:
        return {}
    raise ValueError(
        errors.compose(
            f"saved_model.save: the signature {name!r} returns a non-Tensor value, {fold(returned)!r}; signatures return a tensor, a "
            "sequence of tensors, or a dict of tensors only.",
            "return a flat dict: {'name': tensor}.",
        )
    )


def restored_signature(reader: GraphReader, content: Any) -> SignatureFunction:
    """A signature from its description."""
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name, _ in content["inputs"]]
    return SignatureFunction(
        reader.traces[content["trace"]],
        {name: None for name, _ in content["outputs"]},
        [reader.symbol(*y) for _, y in sorted(content["outputs"])],  # as leaves of a dict are
        [],
        Signature(stub(content["name"], parameters), None, content["name"]),
        [reader.value(spec) for _, spec in content["inputs"]],
    )
