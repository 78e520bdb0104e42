"""Ops become kernels, and kernels take over what is done before and after them. `pipeline.py` has the order."""
