"""Tensors, variables, dtypes, dispatch: what every other layer stands on. NumPy and the standard library only."""
