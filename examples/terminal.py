"""Headings, code with its output, a progress bar and plots, in plain text for terminals of 80 columns."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

WIDTH = 78
_COLOURED = sys.stdout.isatty() and "NO_COLOR" not in os.environ
_CLASS_COLOURS = (36, 33, 35)


def paint(text: str, code: int) -> str:
    """The text in a colour of the terminal, if the output is one."""
    return f"\033[{code}m{text}\033[0m" if _COLOURED else text


def heading(text: str) -> None:
    """Print the title of a section."""
    print(f"\n{paint(text, 1)}\n{'─' * WIDTH}")


def show(example: Callable[[], Any]) -> None:
    """Print the code of an example, run it, and print what it printed."""
    source = textwrap.dedent(inspect.getsource(example).partition(":\n")[2])
    print()
    for line in source.rstrip().splitlines():
        print(f"  {paint('│', 2)} {line}")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        example()
    for line in printed.getvalue().splitlines():
        for piece in (
            textwrap.wrap(line, 92, subsequent_indent="    ", drop_whitespace=False) if len(line) > 92 else [line]
        ):
            print(f"    {paint(piece, 32)}")


def progress(steps: Iterable[int], total: int, describe: Callable[[], str]) -> Iterator[int]:
    """The steps, with a bar that moves on; one line at each fifth where the output is no terminal."""
    live = sys.stdout.isatty()
    every = max(1, total // (100 if live else 5))
    for done, step in enumerate(steps, 1):
        yield step
        if done % every and done != total:
            continue
        filled = 30 * done // total
        bar = "█" * filled + "░" * (30 - filled)
        line = f"  {paint(bar, 36)} {done:>4}/{total}  {describe()}"
        print(f"\r{line}" if live else line, end="" if live and done != total else "\n", flush=True)


def curve(values: Any, height: int = 7, width: int = WIDTH - 10) -> str:
    """A line plot on a logarithmic scale, in Braille characters of two by four dots, with the range at its left."""
    values = np.log(np.asarray(values, np.float64))
    columns, rows = 2 * width, 4 * height
    sampled = np.interp(np.linspace(0, len(values) - 1, columns), np.arange(len(values)), values)
    low, high = float(sampled.min()), float(sampled.max())
    level = np.rint((sampled - low) / (high - low or 1.0) * (rows - 1)).astype(int)
    dots = np.zeros((rows, columns), bool)
    for column, here in enumerate(level):
        before = level[max(column - 1, 0)]
        dots[min(before, here) : max(before, here) + 1, column] = True
    lines = _braille(dots[::-1])
    margin = [f"{np.exp(high):8.4f}", *[" " * 8] * (height - 2), f"{np.exp(low):8.4f}"]
    return "\n".join(f"{label} {paint('┤', 2)}{paint(line, 36)}" for label, line in zip(margin, lines, strict=True))


# The bits of a Braille character, for four rows of two dots.
_BRAILLE = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


def _braille(dots: Any) -> list[str]:
    rows, columns = dots.shape
    cells = dots.reshape(rows // 4, 4, columns // 2, 2)
    codes = (cells * _BRAILLE[:, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + int(c)) for c in line) for line in codes]


def regions(classes: Any, points: Any, labels: Any) -> str:
    """A map of predicted classes (`classes[row, column]`) in `·`, `:` and `-`, with the points as letters in it."""
    rows, columns = classes.shape
    cells = [[paint("·:-"[c], _CLASS_COLOURS[c]) for c in row] for row in classes]
    for (x, y), label in zip(points, labels, strict=True):
        row = round((1.0 - y) / 2.0 * (rows - 1))
        column = round((x + 1.0) / 2.0 * (columns - 1))
        cells[row][column] = paint("ABC"[label], _CLASS_COLOURS[label])
    return "\n".join("  " + "".join(row) for row in cells)
