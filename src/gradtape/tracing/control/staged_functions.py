"""Control flow over tensors that have no value yet: what `tf.cond`, `tf.while_loop`, `tf.scan` … put into a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, TensorShape, TensorSpec
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.tracing.control.block import BlockTrace, spec
from gradtape.tracing.control.build import Leaves, as_bool, fits, relaxed, run_branches, run_steps, traced


def choose(who: str, index: Any, fns: Sequence[Callable[[], Any]], names: Sequence[str], first: int = 0) -> Any:
    """What the function with the number `index` returns; all of them are traced.

    Args:
      who: the function that was called, for messages.
      index: a scalar bool or int; the last function stands for all other numbers.
      fns: functions without arguments, whose results have one structure.
      names: what they are called, for messages.
      first: the number of the function that is traced before the others, and to whose results theirs are compared.
    """
    traces, results = [BlockTrace(name) for name in names], []
    values: list[Any] = [None] * len(fns)
    order = sorted(range(len(fns)), key=lambda k: k != first)
    for k in order:
        with traces[k]:
            values[k] = fns[k]()
    for trace, value in zip(traces, _with_equal_rows(traces, completed(traces, values)), strict=True):
        with trace:
            results.append(Leaves(value))
    for k in order[1:]:
        _check_alike(who, results[first], results[k], names[first], names[k])
    return results[first].packed(run_branches(index, traces, [r.tensors for r in results]))


def _check_alike(who: str, first: Leaves, other: Leaves, a: str, b: str) -> None:
    what = f"{a} and {b} arguments to tf.{who} must have the same number, type, and overall structure of return values."
    try:
        nest.assert_same_structure(first.structure, other.structure)
    except (TypeError, ValueError) as problem:
        raise TypeError(errors.compose(f"{what} {problem}", "return the same structure from all.", depth=2)) from None
    for i, (x, y) in enumerate(zip(first.leaves, other.leaves, strict=True)):
        if isinstance(x, IndexedSlices) != isinstance(y, IndexedSlices):
            raise TypeError(
                errors.compose(
                    f"Cannot reconcile tf.{who} {i}-th outputs: {a if isinstance(x, IndexedSlices) else b} returns "
                    "tf.IndexedSlices, and the other does not.",
                    "return a tensor from both: tf.convert_to_tensor(slices).",
                    depth=2,
                )
            )
    if len(first.tensors) != len(other.tensors) or [x is None for x in first.leaves] != [
        x is None for x in other.leaves
    ]:
        raise ValueError(
            errors.compose(f"{what} One returns None where the other does not.", "return a value.", depth=2)
        )
    for x, y in zip(first.tensors, other.tensors, strict=True):
        p, q = spec(x), spec(y)
        if p.dtype is not q.dtype:
            raise TypeError(
                errors.compose(
                    f"{what} dtypes differ: {a} returns {p.dtype.name}, {b} returns {q.dtype.name}.",
                    "cast one of them.",
                    depth=2,
                )
            )


def completed(traces: Sequence[BlockTrace], values: Sequence[Any]) -> list[Any]:
    """What branches give, in which a `TensorArray` that nothing was written to has elements like those of the others."""
    found = list(values)
    flat = [nest.flatten(value) for value in values]
    for k, leaves in enumerate(flat):
        if not any(getattr(leaf, "_is_open", False) for leaf in leaves):
            continue
        for others in [o for o in flat if len(o) == len(leaves)]:
            with traces[k]:
                leaves = [_complete(own, new) for own, new in zip(leaves, others, strict=True)]
        found[k] = nest.pack_sequence_as(values[k], leaves)
    return found


def _with_equal_rows(traces: Sequence[BlockTrace], values: list[Any]) -> list[Any]:
    """What branches give, in which the row numbers of `IndexedSlices` have one dtype: int64 where some are."""
    flat = [nest.flatten(value) for value in values]
    if len({len(leaves) for leaves in flat}) > 1:
        return values
    for column in zip(*flat, strict=True):
        if not all(isinstance(leaf, IndexedSlices) for leaf in column):
            continue
        if len({leaf.indices.dtype for leaf in column}) > 1:
            for trace, leaves, leaf in zip(traces, flat, column, strict=True):
                with trace:
                    indices = REGISTRY["cast_to_discrete"](leaf.indices, dtype=dtypes.int64)
                leaves[next(i for i, x in enumerate(leaves) if x is leaf)] = IndexedSlices(
                    leaf.values, indices, leaf.dense_shape
                )
    return [nest.pack_sequence_as(value, leaves) for value, leaves in zip(values, flat, strict=True)]


def _complete(own: Any, new: Any) -> Any:
    return own._completed(new) if getattr(own, "_is_open", False) and hasattr(new, "_completed") else own


def repeat(
    who: str,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    invariants: Any = None,
    limit: Any = -1,
) -> Any:
    """The loop variables after `body` has been applied while `cond` is true, at most `limit` times."""
    start = settled(Leaves(list(loop_vars)), lambda leaves: traced(who, _unpacked(leaves, body), leaves.specs)[1])
    specs = _invariant_specs(start, invariants)
    test, result = traced(f"{who} cond", lambda *v: as_bool(cond(*start.packed(v))), specs)
    if test.assigned or any(n.effect for n in test.graph.nodes):
        return _repeat_tested(who, cond, body, loop_vars, invariants, limit)
    trace, after = traced(f"{who} body", lambda *v: _next(start, body(*start.packed(v))), specs)
    with trace:
        results = _checked(who, start, specs, after)
    _, last, _ = run_steps(limit, start.tensors, [], (test, result), (trace, results))
    return nest.pack_sequence_as(loop_vars, nest.flatten(start.packed(last)))


def _repeat_tested(who: str, cond: Any, body: Any, loop_vars: Any, invariants: Any, limit: Any) -> Any:
    """A loop whose condition draws random numbers or assigns variables: it is evaluated at the end of each step."""

    def step(*values: Any) -> Any:
        after = body(*values[:-1])
        after = list(after) if isinstance(after, (list, tuple)) else [after]
        return [*after, as_bool(cond(*after))]

    more = None if invariants is None else [*invariants, TensorShape([])]
    first = as_bool(cond(*nest.map_structure(lambda v: v, list(loop_vars))))
    found = repeat(who, lambda *v: v[-1], step, [*loop_vars, first], more, limit)
    return nest.pack_sequence_as(loop_vars, nest.flatten(found[:-1]))


def _unpacked(leaves: Leaves, fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *v: _next(leaves, fn(*leaves.packed(v)))


def settled(start: Leaves, trial: Callable[[Leaves], Leaves]) -> Leaves:
    """The first values of a loop. Those of which a part is only known after a step (the elements of a `TensorArray`) are
    completed by what a trial step gives."""
    while any(getattr(leaf, "_is_open", False) for leaf in start.leaves):
        after = trial(start)
        if len(after.leaves) != len(start.leaves):
            break
        leaves = [_complete(own, new) for own, new in zip(start.leaves, after.leaves, strict=True)]
        if all(a is b for a, b in zip(leaves, start.leaves, strict=True)):
            break
        start = Leaves(nest.pack_sequence_as(start.structure, leaves))
    return start


def _next(start: Leaves, returned: Any) -> Leaves:
    """What a body returned; one variable need not be put in a list."""
    count = len(start.structure)
    if not isinstance(returned, (list, tuple)) or (
        count == 1
        and not isinstance(start.structure[0], (list, tuple))
        and not (isinstance(returned, (list, tuple)) and len(returned) == 1)
    ):
        returned = [returned]
    return Leaves(list(returned))


def _invariant_specs(start: Leaves, invariants: Any) -> list[Spec]:
    """The specs that the tensors of loop variables keep in all steps.

    Sparse and ragged ones may have another number of elements after each step, and keep their rows unless invariants tell
    otherwise.
    """
    shapes = [None] * len(start.leaves) if invariants is None else _flat_shapes(start.structure, invariants)
    found: list[Spec] = []
    for n, (t, own) in enumerate(zip(start.tensors, start.specs, strict=True)):
        i = start.position(n)
        leaf, invariant = start.leaves[i], shapes[i]
        place = n - sum(start.position(k) < i for k in range(n))
        if isinstance(leaf, Composite):
            found.append(relaxed(t, _kind_of(leaf, invariant)._component_specs()[place].shape))
        elif hasattr(leaf, "_components") or invariant is None:
            found.append(own)
        elif isinstance(leaf, IndexedSlices):  # the invariant is of the values
            found.append(relaxed(t, TensorShape(invariant)[: 1 if place else None]))
        else:
            _check_kind(leaf, invariant, own)
            found.append(relaxed(t, getattr(invariant, "shape", invariant)))
    return found


def _check_kind(leaf: Any, invariant: Any, own: Spec) -> None:
    """Refuse the spec of something else as the invariant of a tensor."""
    is_other = isinstance(invariant, CompositeSpec) or getattr(invariant, "dtype", own.dtype) != own.dtype
    if is_other:
        raise _incompatible(invariant, leaf)


def _incompatible(invariant: Any, leaf: Any) -> Exception:
    return TypeError(
        errors.compose(
            f"while_loop: TypeSpec {invariant!r} is not compatible with {leaf!r}.",
            "give the spec of the loop variable, with None for dimensions that vary.",
        )
    )


def _kind_of(leaf: Composite, invariant: Any) -> CompositeSpec:
    """The spec that a sparse or ragged loop variable keeps."""
    own = leaf._spec()
    if invariant is None:
        return own
    if isinstance(invariant, (CompositeSpec, TensorSpec)):
        if type(invariant) is not type(own) or getattr(invariant, "dtype", None) != getattr(own, "dtype", None):
            raise _incompatible(invariant, leaf)
        return invariant
    shape = TensorShape(invariant)
    if isinstance(leaf, SparseTensor):  # the shape of the vector `dense_shape`: it tells the rank
        shape = TensorShape(None if shape.rank is None or shape[0] is None else [None] * shape[0])
    return own._with_shape(shape)


def _flat_shapes(structure: Any, shapes: Any) -> list[Any]:
    """The shape for each leaf of a structure: a list of ints is a shape where the structure has a leaf."""
    if not nest.is_nested(structure):
        return [shapes]
    if isinstance(structure, dict):
        return [s for k in sorted(structure) for s in _flat_shapes(structure[k], shapes[k])]
    if len(structure) != len(shapes):
        raise ValueError(
            errors.compose(
                "while_loop: shape_invariants and loop_vars differ in structure.", "give one shape for each variable."
            )
        )
    return [s for part, own in zip(structure, shapes, strict=True) for s in _flat_shapes(part, own)]


def _checked(who: str, start: Leaves, specs: Sequence[Spec], after: Leaves) -> list[Any]:
    """The new values of loop variables, of the specs that they had."""
    nest.assert_same_structure(start.structure, after.structure, check_types=False)
    if len(after.tensors) != len(specs):
        raise ValueError(
            errors.compose(f"{who}: body returns None for a loop variable, or gives one that was None.", "keep it.")
        )
    results = []
    for n, (new, kept) in enumerate(zip(after.tensors, specs, strict=True)):
        leaf = after.leaves[after.position(n)]
        if not hasattr(leaf, "dtype") and not isinstance(leaf, Composite):
            new = convert.like(leaf, kept.dtype)
        own = spec(new)
        name = f"loop variable {start.position(n)}"
        if own.dtype is not kept.dtype:
            raise TypeError(
                errors.compose(
                    f"{who}: {name} enters the loop with dtype {kept.dtype.name}, but has dtype {own.dtype.name} after one "
                    "iteration.",
                    "cast it.",
                )
            )
        if not fits(own, kept):
            raise ValueError(
                errors.compose(
                    f"{who}: {name} enters the loop with shape {TensorShape(kept.shape)}, but has shape "
                    f"{TensorShape(own.shape)} after one iteration. To allow the shape to vary across iterations, use the "
                    "`shape_invariants` argument of tf.while_loop to specify a less-specific shape.",
                    "give shape_invariants, with None for dimensions that vary.",
                )
            )
        results.append(new)
    return results


def over_rows(
    who: str, fn: Callable[[Any, Any], tuple[Any, Any]], start: Any, rows: Any, reverse: bool = False
) -> tuple[Any, Any]:
    """A value that is computed row by row, and results of each step, stacked.

    Args:
      who: the function that was called.
      fn: a function of the value so far and a row, that gives the new value and results.
      start: the first value, a structure; it may be empty.
      rows: a structure of tensors with equally many rows.
      reverse: begin with the last row.

    Returns:
      The last value, and the structure of the results with a leading axis.
    """
    elements = Leaves(rows)

    def trial(begin: Leaves) -> Any:
        count = len(begin.tensors)

        def step(*values: Any) -> Any:
            value, results = fn(begin.packed(values[:count]), elements.packed(values[count:]))
            return Leaves(value), Leaves(results)

        row_specs = [Spec(spec(t).shape[1:], t.dtype) for t in elements.tensors]
        return traced(who, step, [*begin.specs, *row_specs])

    begin = settled(Leaves(start), lambda leaves: trial(leaves)[1][0])
    trace, (after, made) = trial(begin)
    with trace:
        results = _checked(who, begin, begin.specs, after)
    _, last, stacked = run_steps(-1, begin.tensors, elements.tensors, None, (trace, [*results, *made.tensors]), reverse)
    return begin.packed(last), made.packed(stacked)
