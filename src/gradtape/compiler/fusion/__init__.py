"""Fusion: ops become kernels, and kernels absorb the computation before and after them. `pipeline.py` has the order."""
