"""Sizes that only a run will tell: symbolic shapes, late nodes, probes.

guided_runs.py      Numbers for functions that ask for them, chosen to fit the answers so far
late_node.py        Late nodes: functions that need sizes or values which only a run will tell
postpone.py         From a call that needs what is not known yet to a late node
probe.py            Scratch: a trace in which a call runs on symbolic sizes, only to see what comes out
specialize.py       Programs of functions whose sizes are known only when they run
symbolic_shapes.py  Symbolic shapes: what can be said of results whose sizes only a run will tell
symbolic_values.py  Small integer tensors that depend on sizes alone: `tf.shape(x)[0] * 2`
"""
