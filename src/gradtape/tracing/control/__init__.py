"""Branches and loops in graphs: ops, gradients, vectorization, loop fission.

block.py               Blocks: the branches of a conditional and the bodies of loops
block_op.py            What the ops that run blocks have in common
branch.py              Branch: one of several blocks, chosen when the program runs; also on many examples
branch_gradient.py     The derivative of a branch: a branch of the derivatives of its blocks
build.py               From traced branches and bodies to the ops that run them
checks.py              Conditions that are checked when a program runs
fit_rows.py            Arrays with as many rows as another one
in_place.py            Which carried arrays a step may change in place: those that are only written to, row by row
loop.py                Loop: a block that runs again and again, on values that it carries from step to step
loop_fission.py        Loops divided: what the steps of a loop can do at once is done before it and after it
loop_gradient.py       The derivative of a loop: a loop in the other direction
merge.py               One node in place of several that run the same blocks on the same operands for different
stacking.py            What loops keep of their steps: rows of one shape in an array
staged_functions.py    Control flow over tensors that have no value yet: what `tf.cond`, `tf.while_loop`
tensor_array.py        Arrays that are filled row by row: what a `TensorArray` is in a graph
specialize_blocks.py   Blocks written again for sizes that a call supplies
trip_count.py          How often a loop runs, where that can be told when it is traced
varied.py              A list of arrays of different shapes, in place of an array
varied_rows.py         Arrays of elements with different shapes: a `TensorArray` with infer_shape=False
vectorize_blocks.py    Blocks on many examples at once
vectorize_loop.py      Loops on many examples at once
"""
