"""The verifier of segments finds what a pass over launches could do wrong."""

import pytest

from gradtape.compiler import pipeline
from gradtape.compiler.graph import Node, Value
from gradtape.compiler.lowering import segment_check
from gradtape.compiler.lowering.segments import Segment
from gradtape.compiler.memory.arena import Home, Part, PieceHome
from gradtape.compiler.runtime.kernels import NOTHING, Launch, Lowered, Operand
from gradtape.core import dtypes
from gradtape.core.shape import Spec

SPEC = Spec((32,), dtypes.float32)  # 128 bytes: two lines


class _Step:
    name = "step"


def part(*inputs, shares=(), scratch=(), operands=()):
    launches = (Launch(NOTHING, operands),) if operands else ()
    return Part(Node(_Step(), inputs, {}, (SPEC,)), Lowered(launches, scratch, shares))


def made_by(part):
    return part.node.outputs[0]


@pytest.fixture
def segment():
    """x -> a -> b -> c, and a again: a must live until the last step."""
    x = Value(SPEC, name="x")
    a = part(x, scratch=(64,))
    b = part(made_by(a), shares=((0, 0),))
    c = part(made_by(b), shares=((0, 0),))
    d = part(made_by(a), made_by(c))
    return pipeline.plan(Segment([a, b, c, d], {x: 0, made_by(d): 1}, {made_by(d)}, {}, {}))


def moved(segment, number, offset):
    """The segment with the value of a part somewhere else in the arena."""
    value = made_by(segment.parts[number])
    return segment._replace(layout=segment.layout._replace(homes=segment.layout.homes | {value: Home(None, offset)}))


def test_what_passes_leave_is_right(segment):
    segment_check.verify(segment)


def test_reading_before_writing(segment):
    a, b, c, d = segment.parts
    with pytest.raises(AssertionError, match="before it is made"):
        segment_check.verify(segment._replace(parts=[b, a, c, d], layout=None))


def test_a_value_that_is_overwritten_while_it_is_needed(segment):
    home = segment.layout.homes[made_by(segment.parts[0])]
    with pytest.raises(AssertionError, match="over which"):
        segment_check.verify(moved(segment, 2, home.offset))


def test_a_result_over_an_input_that_may_not_be(segment):
    a, b, c, d = segment.parts
    b = Part(b.node, b.lowered._replace(shares=()))
    home = segment.layout.homes[made_by(a)]
    with pytest.raises(AssertionError, match="which it reads"):
        segment_check.verify(moved(segment._replace(parts=[a, b, c, d]), 1, home.offset))


def test_a_temporary_over_an_operand(segment):
    home = segment.layout.homes[made_by(segment.parts[0])]
    layout = segment.layout._replace(scratch=[(home.offset,), (), (), ()])
    with pytest.raises(AssertionError, match="a temporary"):
        segment_check.verify(segment._replace(layout=layout))


def test_what_is_read_afterwards_is_there(segment):
    with pytest.raises(AssertionError, match="never made"):
        segment_check.verify(segment._replace(kept={Value(SPEC)}, layout=None))


@pytest.mark.parametrize("operand", [Operand("input", 1), Operand("output", 0, 128), Operand("scratch", 0)], ids=str)
def test_operands_that_there_are_not(operand):
    x = Value(SPEC)
    wrong = part(x, operands=(operand,))
    with pytest.raises(AssertionError, match=r"has no|begins at byte"):
        segment_check.verify(Segment([wrong], {x: 0, made_by(wrong): 1}, {made_by(wrong)}, {}, {}))


def test_pieces_lie_in_their_whole():
    x = Value(SPEC)
    a, b = part(x), part(x)
    whole = Part(Node(_Step(), [made_by(a), made_by(b)], {}, (Spec((64,), dtypes.float32),)), Lowered(()))
    pieces = {made_by(a): PieceHome(made_by(whole), 0), made_by(b): PieceHome(made_by(whole), 128)}
    arrays = {x: 0, made_by(whole): 1}
    found = pipeline.lay_out(Segment([a, b, whole], arrays, {made_by(whole)}, {}, {}, pieces))
    segment_check.verify(found)
    # Both at the beginning: the second overwrites the first.
    homes = found.layout.homes | {made_by(b): Home(1, 0)}
    with pytest.raises(AssertionError, match="over which"):
        segment_check.verify(found._replace(layout=found.layout._replace(homes=homes)))
