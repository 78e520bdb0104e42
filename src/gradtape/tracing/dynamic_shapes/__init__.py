"""Sizes that only a run will tell: symbolic shapes and late nodes.

late_node.py        Late nodes: functions that need sizes or values which only a run will tell
symbolic_shapes.py  Symbolic shapes: what can be said of results whose sizes only a run will tell
symbolic_values.py  Small integer tensors that depend on sizes alone: `tf.shape(x)[0] * 2`
"""
