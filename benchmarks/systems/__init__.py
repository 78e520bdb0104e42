"""The works of `works.py`, once for each system.

A module has one function for each work. It takes the NumPy inputs and returns a function without arguments, which does
the work once and returns the results as a list of that system's own arrays. `use_threads` comes first, before the system
starts its threads; `to_numpy` reads a result.
"""
