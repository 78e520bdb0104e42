"""Tensors, variables, dtypes, dispatch: the base of every other layer. NumPy and the standard library only."""
