"""A verifier for segments: what each launch reads is there and whole, and what it writes is free.

It follows a run without computing anything: which value each place of memory holds. A value that something else was written over is gone; to read it
is an error of a pass.
"""

from __future__ import annotations

from collections.abc import Mapping

from gradtape.compiler.graph import Value
from gradtape.compiler.lowering.segments import Segment
from gradtape.compiler.memory.arena import Layout, Part, roots, size_of


class _Span:
    """A range of bytes in an array of the run, or in the arena."""

    __slots__ = ("array", "begin", "end")

    def __init__(self, array: int | None, begin: int, size: int) -> None:
        self.array, self.begin, self.end = array, begin, begin + size

    def meets(self, other: _Span) -> bool:
        """Whether two ranges have a byte in common."""
        first, last = max(self.begin, other.begin), min(self.end, other.end)
        return self.array == other.array and first < last

    def __str__(self) -> str:
        return f"{'arena' if self.array is None else f'array {self.array}'}[{self.begin}:{self.end}]"


def verify(segment: Segment) -> None:
    """AssertionError unless every value is made before it is read and, once places are planned, is still in its place then."""
    same = roots(segment.parts)
    made = {v for part in segment.parts for v in part.node.outputs}
    known = {v for v in segment.arrays if v not in made} | set(segment.constants)
    for part in segment.parts:
        if _is_view(part):
            continue  # another name for a value; it may stand anywhere
        for value in part.node.inputs:
            assert same.get(value, value) in known, f"{part.node} reads {value} before it is made."
        known.update(part.node.outputs)
        _verify_operands(part)
    for value in segment.kept:
        assert same.get(value, value) in known, f"{value} is read afterwards and never made."
    if segment.layout is not None:
        _Memory(segment, segment.layout, same).run()


def _is_view(part: Part) -> bool:
    """True if nothing runs for a part, and its results are inputs in another shape."""
    lowered = part.lowered
    return not lowered.launches and lowered.grouped is None and len(lowered.views) == len(part.node.outputs)


def _verify_operands(part: Part) -> None:
    """Launches speak of inputs, outputs and temporaries that there are, and of places inside them."""
    node, lowered = part
    grouped = lowered.grouped.launches if lowered.grouped is not None else ()
    for launch in (*lowered.launches, *grouped):
        for kind, number, offset in launch.operands:
            if kind in ("number", "status"):
                continue
            several = {"input": node.inputs, "output": node.outputs, "scratch": lowered.scratch}[kind]
            assert number < len(several), f"{node} has no {kind} {number}."
            size = lowered.scratch[number] if kind == "scratch" else size_of(several[number])  # type: ignore[arg-type]
            assert 0 <= offset < max(size, 1), f"{node} begins at byte {offset} of {kind} {number}, which has {size}."
    for output, i in (*lowered.shares, *lowered.views):
        assert output < len(node.outputs), f"{node} has no output {output}."
        assert i < len(node.inputs), f"{node} has no input {i}."


class _Memory:
    """What lies where while a segment runs."""

    def __init__(self, segment: Segment, layout: Layout, same: Mapping[Value, Value]) -> None:
        self._segment, self._layout, self._same = segment, layout, same
        self._gone: dict[Value, str] = {}
        made = {v for part in segment.parts for v in part.node.outputs}
        self._there = {v: self._span(v) for v in segment.arrays if v not in made}

    def run(self) -> None:
        """Follow all launches."""
        for part, scratch in zip(self._segment.parts, self._layout.scratch, strict=True):
            node, lowered = part
            if _is_view(part):
                continue
            inputs = [self._same.get(v, v) for v in node.inputs]
            for value in inputs:
                assert value not in self._gone, f"{node} reads {value}, over which {self._gone[value]} was written."
            views = {output for output, _ in lowered.views}
            given = {v: self._span(v) for v in inputs if v not in self._segment.constants}
            written = {v: self._span(v) for k, v in enumerate(node.outputs) if k not in views}
            temporary = [_Span(None, at, size) for at, size in zip(scratch, lowered.scratch, strict=True) if size]
            shares = {(node.outputs[o], inputs[i]) for o, i in lowered.shares}
            for value, span in written.items():
                for other, place in given.items():
                    is_legal = (value, other) in shares or self._is_piece(other, value) or self._is_update(value, other)
                    assert is_legal or not span.meets(place), f"{node} writes {value} over {other}, which it reads."
            for span in temporary:
                for place in (*given.values(), *written.values()):
                    assert not span.meets(place), f"a temporary of {node} at {span} lies over an operand at {place}."
            for span in temporary:
                self._write(span, f"a temporary of {node}", None)
            for value, span in written.items():
                self._write(span, f"{value} of {node}", value)
                self._there[value] = span
        for value in self._segment.kept:
            value = self._same.get(value, value)
            assert value not in self._gone, f"{value} is read afterwards, and {self._gone[value]} was written over it."

    def _write(self, span: _Span, by: str, value: Value | None) -> None:
        """Note that whatever else lies in a range is gone."""
        for other, place in list(self._there.items()):
            related = value is not None and (self._is_piece(other, value) or self._is_piece(value, other))
            if other is not value and span.meets(place) and not related:
                self._gone[other] = by
                del self._there[other]

    def _span(self, value: Value) -> _Span:
        home = self._layout.homes[value]
        return _Span(home.array, home.offset, size_of(value))

    def _is_piece(self, value: Value, whole: Value) -> bool:
        """Whether a value is computed in its place in another one."""
        piece = self._segment.pieces.get(value)
        return piece is not None and piece.whole is whole

    def _is_update(self, new: Value, old: Value) -> bool:
        """Whether a value may be written over the array of an input, which happens only if the caller passes that array twice."""
        return self._segment.updated.get(new) is old
