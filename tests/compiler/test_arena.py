"""The plan of a program's memory: nothing that is still needed is overwritten, and room is used again."""

import itertools

import numpy as np
import pytest

from gradtape.compiler.graph import Node, Value
from gradtape.compiler.memory.arena import Part, lay_out, size_of
from gradtape.compiler.runtime.kernels import Lowered
from gradtape.core import dtypes
from gradtape.core.shape import Spec


class _Step:
    name = "step"


def spec(*shape: int) -> Spec:
    return Spec(shape, dtypes.float32)


def part(inputs, *specs, shares=(), views=(), scratch=()) -> Part:
    return Part(Node(_Step(), inputs, {}, specs), Lowered((), tuple(scratch), tuple(shares), tuple(views)))


def chain(count: int, size: int, shares=()) -> tuple[Value, list[Part]]:
    x = Value(spec(size))
    parts, last = [], x
    for _ in range(count):
        parts.append(part([last], spec(size), shares=shares))
        last = parts[-1].node.outputs[0]
    return x, parts


def test_a_chain_needs_two_places():
    x, parts = chain(10, 100)
    layout = lay_out(parts, {x: 0, parts[-1].node.outputs[0]: 1}, {})
    assert layout.size == 2 * 448  # rounded up to whole lines


def test_results_that_may_share_need_no_place():
    x, parts = chain(10, 100, shares=[(0, 0)])
    result = parts[-1].node.outputs[0]
    layout = lay_out(parts, {x: 0, result: 1}, {})
    assert layout.size == 0
    assert {layout.homes[p.node.outputs[0]].array for p in parts} == {1}


def test_an_input_of_the_run_is_never_written():
    x, parts = chain(1, 100, shares=[(0, 0)])
    layout = lay_out(parts, {x: 0, parts[0].node.outputs[0]: 1}, {})
    assert layout.homes[parts[0].node.outputs[0]].array == 1


def test_a_value_that_is_read_later_is_not_shared():
    x = Value(spec(8))
    a = part([x], spec(8))
    b = part([a.node.outputs[0]], spec(8), shares=[(0, 0)])
    c = part([a.node.outputs[0], b.node.outputs[0]], spec(8))
    layout = lay_out([a, b, c], {x: 0, c.node.outputs[0]: 1}, {})
    assert layout.homes[a.node.outputs[0]] != layout.homes[b.node.outputs[0]]


def test_views_lie_where_their_source_lies_and_keep_it():
    x = Value(spec(8))
    a = part([x], spec(8))
    view = part([a.node.outputs[0]], spec(2, 4), views=[(0, 0)])
    b = part([x], spec(8))
    c = part([view.node.outputs[0], b.node.outputs[0]], spec(8))
    layout = lay_out([a, view, b, c], {x: 0, c.node.outputs[0]: 1}, {})
    assert layout.roots[view.node.outputs[0]] is a.node.outputs[0]
    assert layout.homes[a.node.outputs[0]] != layout.homes[b.node.outputs[0]]


def test_an_update_shares_with_nobody_else():
    """`w - t` over w: t must not be put there before, though the kernel could take it."""
    w, g = Value(spec(8)), Value(spec(8))
    t = part([g], spec(8))
    new = part([w, t.node.outputs[0]], spec(8), shares=[(0, 0), (0, 1)])
    result = new.node.outputs[0]
    layout = lay_out([t, new], {w: 0, g: 1, result: 2}, {result: w})
    assert layout.homes[t.node.outputs[0]].array is None


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_never_overlap(seed):
    """Replay of random programs: at each part, all values that are alive have places of their own."""
    random = np.random.default_rng(seed)
    values = [Value(spec(int(n))) for n in random.integers(1, 200, 3)]
    arrays = {v: i for i, v in enumerate(values)}
    parts = []
    for _ in range(40):
        inputs = [values[i] for i in random.integers(0, len(values), 2)]
        size = inputs[0].spec.shape[0] if random.random() < 0.5 else int(random.integers(1, 200))
        shares = [(0, i) for i in range(2) if inputs[i].spec.shape == (size,)]
        parts.append(part(inputs, spec(size), shares=shares, scratch=[int(random.integers(0, 300))]))
        values.append(parts[-1].node.outputs[0])
    arrays[values[-1]] = len(arrays)
    layout = lay_out(parts, arrays, {})
    last = {v: i for i, p in enumerate(parts) for v in p.node.inputs} | {values[-1]: len(parts)}
    made = {p.node.outputs[0]: i for i, p in enumerate(parts)}
    for i, (p, scratch) in enumerate(zip(parts, layout.scratch, strict=True)):
        output = p.node.outputs[0]
        alive = [v for v in made if made[v] < i and last.get(v, -1) > i] + [output]
        spans = [(layout.homes[v].offset, size_of(v)) for v in alive if layout.homes[v].array is None]
        spans += [(at, size) for at, size in zip(scratch, p.lowered.scratch, strict=True)]
        for (a, m), (b, n) in itertools.combinations([s for s in spans if s[1]], 2):
            assert a + m <= b or b + n <= a
        assert all(at + size <= layout.size for at, size in spans)
        inside = [layout.homes[v].array for v in alive if layout.homes[v].array is not None]
        assert len(set(inside)) == len(inside)
        for v in p.node.inputs:  # what a part reads and may not share is elsewhere
            may_share = v.spec.shape == output.spec.shape and last[v] == i
            if not may_share and layout.homes[v].array is None and layout.homes[output].array is None:
                (a, m), (b, n) = [(layout.homes[x].offset, size_of(x)) for x in (v, output)]
                assert a + m <= b or b + n <= a
