"""Some random programs in all ways to run them; `make fuzz` runs more."""

from collections import Counter

import pytest

import ops.samples
from fuzz import modes, worker
from fuzz.draws import draw_with_failures
from fuzz.report import printed

SEEDS = range(150)
AT_ONCE = 10


@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_programs_agree(first):
    worker.prepare(ops.samples.__name__)
    for seed in range(first, first + AT_ONCE):
        program, failures = draw_with_failures(seed, 5)
        assert not failures, failures
        with modes.quality(modes.QUALITIES[seed % 2]):
            found = worker.run_program(program, Counter())
        assert not found, "\n".join(printed(program, one) for one in found)
