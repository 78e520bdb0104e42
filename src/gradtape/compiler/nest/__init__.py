"""One description of what a kernel computes: axes, loads, scalar steps, reductions and stores, as plain data.

description.py   Nest and its parts; what sort of kernel it is, read off its axes
body.py          a nest under construction, an emitter for the rules of ops
translation.py   nests of the nodes of a fused graph
check.py         a verifier
text.py          for people: `f.explain(stage="kernels")`
"""
