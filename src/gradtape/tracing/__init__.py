"""`tf.function`: tracing, the cache of traces, and functions as ops that tapes see as one.

composites.py       Structures that hold IndexedSlices, sparse and ragged tensors, and slices of Python
function_graph.py   The graph of a function, as programs see it that look at its operations
init_scope.py       Whether code is being traced, and how to step out of a trace
operation.py        What computes a symbolic tensor, as programs see it that look at graphs
operation_types.py  The names of operations in TensorFlow's graphs
outputs.py          What a traced function returns: tensors in a structure, and nothing else
runner.py           Runner: an optimised program of some values of a graph
services.py         What traces leave to modules above them
shape_check.py      A value that must have the shape of another one
specialize.py       Programs of functions whose sizes are known only when they run
staged.py           Staged: a finished trace, as something to run alone, under tapes, and inside other traces
symbol.py           Symbol: the tensor of a function that is being traced
trace.py            Trace: a run of the user's function that writes down what happens
user_errors.py      Exceptions of the user's code while it is traced: the same class, with the lines in front
weakly_held.py      Tensors from outside, so that what a trace computes of them is not found again by weak references
control/            Branches and loops in graphs: ops, gradients, vectorization, loop fission
dynamic_shapes/     Sizes that only a run will tell: symbolic shapes, late nodes
probes/             Calls that are run on symbolic or invented sizes, to learn what they return
"""
