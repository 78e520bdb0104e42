"""Tasks in machine code for the tests of the thread pool."""

import ctypes
from typing import Any

import numpy as np

from gradtape.compiler.codegen.simd import machine

CODE = """
define void @count(i64 %counts, i64 %chunk) {
  %first = inttoptr i64 %counts to ptr
  %p = getelementptr i64, ptr %first, i64 %chunk
  %before = atomicrmw add ptr %p, i64 1 monotonic
  ret void
}

define void @count_thousands(i64 %counts, i64 %chunk) {
  %first = inttoptr i64 %counts to ptr
  %p = getelementptr i64, ptr %first, i64 %chunk
  %before = atomicrmw add ptr %p, i64 1000 monotonic
  ret void
}

; A job within a chunk; the argument points to parallel_for, its state, the task, its argument and the chunks.
define void @nest(i64 %job, i64 %chunk) {
  %p0 = inttoptr i64 %job to ptr
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  %p3 = getelementptr i64, ptr %p0, i64 3
  %p4 = getelementptr i64, ptr %p0, i64 4
  %parallel_for = load ptr, ptr %p0
  %state = load ptr, ptr %p1
  %task = load i64, ptr %p2
  %argument = load i64, ptr %p3
  %chunks = load i64, ptr %p4
  call void %parallel_for(ptr %state, i64 %task, i64 %argument, i64 %chunks)
  ret void
}

; Many jobs: bits of a random number choose the chunks, and the task together with its counts.
define void @storm(ptr %parallel_for, ptr %state, i64 %counts, i64 %jobs, i64 %seed) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %random = phi i64 [ %seed, %entry ], [ %random.next, %loop ]
  %scaled = mul i64 %random, 6364136223846793005
  %random.next = add i64 %scaled, 1442695040888963407
  %high = lshr i64 %random.next, 40
  %chunks = and i64 %high, 15
  %bit = lshr i64 %random.next, 50
  %choice = and i64 %bit, 1
  %is.first = icmp eq i64 %choice, 0
  %task = select i1 %is.first, ptr @count, ptr @count_thousands
  %task.address = ptrtoint ptr %task to i64
  %offset = mul i64 %choice, 128
  %argument = add i64 %counts, %offset
  call void %parallel_for(ptr %state, i64 %task.address, i64 %argument, i64 %chunks)
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %jobs
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""


class Tasks:
    """Addresses of tasks, and a loop of random jobs.

    Attributes:
      count: a task that adds 1 to `counts[chunk]`.
      nest: a task that runs a job.
    """

    def __init__(self) -> None:
        self._library = machine.assemble(CODE)
        self.count = self._library.address("count")
        self.nest = self._library.address("nest")
        integers = [ctypes.c_int64] * 3
        storm = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *integers)
        self._storm = storm(self._library.address("storm"))

    def stress(self, pool: Any, jobs: int, seed: int) -> None:
        """Run jobs from machine code, and check that every chunk of every job ran once."""
        counts = np.zeros((2, 16), np.int64)
        self._storm(*pool.entry(), counts.ctypes.data, jobs, seed)
        np.testing.assert_array_equal(counts, _expected(jobs, seed))


def _expected(jobs: int, seed: int) -> Any:
    """What the counts of `storm` must be."""
    counts = np.zeros((2, 17), np.int64)
    random = seed
    for _ in range(jobs):
        random = (random * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        counts[random >> 50 & 1, random >> 40 & 15] += 1
    # A chunk ran in the jobs that had more chunks than its number.
    return np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1] * [[1], [1000]]
