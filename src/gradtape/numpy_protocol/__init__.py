"""NumPy's protocols: `np.sin(t)` on tensors is a recorded op.

functions.py  NumPy functions that are composed of the ops that `import gradtape` loads: reductions, movement
library.py    NumPy functions whose ops are loaded when they are first used: scans, sorting, statistics
operands.py   What NumPy functions are given: tensors among other values
protocol.py   NumPy functions on tensors: `np.sin(t)`, `np.mean(t, axis=0)`, `np.concatenate([t
"""
