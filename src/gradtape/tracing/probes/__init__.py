"""Calls that are run on symbolic or invented sizes, to learn what they return before the sizes are known.

guided_runs.py      Numbers for functions that ask for them, chosen to fit the answers so far
postpone.py         From a call that needs what is not known yet to a late node
probe.py            Scratch: a trace in which a call runs on symbolic sizes, only to see what comes out
"""
