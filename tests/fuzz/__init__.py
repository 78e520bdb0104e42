"""Random programs, run in all ways that must agree.

draw_program    a program from a seed
script          a program as Python text
differences     what disagrees between the ways to run it
shrunk          a small program with the same difference

`python -m fuzz 1000 --seed 1` draws, runs and shrinks; `--help` tells more.
"""

from __future__ import annotations

from fuzz.checks import Difference, differences
from fuzz.draws import draw_program
from fuzz.shrink import shrunk
from fuzz.text import script

__all__ = ["Difference", "differences", "draw_program", "script", "shrunk"]
