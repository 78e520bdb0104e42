"""`tf.function`: signatures, the cache of traces, concrete functions.

cache_key.py           The arguments of a call: which trace they belong to, and which tensors go into it
concrete_function.py   ConcreteFunction: one trace of a function, with the structure of its arguments and results
created_variables.py   Variables that a function makes in its first trace: who notices them
explain.py             What `f.explain()` says of a function: its traces, what they cost, and what runs natively
function.py            tf.function: a Python function that is traced once per kind of arguments
function_signature.py  The signature of a traced function: how a call's arguments are bound, converted and checked
function_type.py       FunctionType: the parameters of a traced function with their kinds, what it closes over, and what it returns
matching.py            Arguments of a call, matched with the description of a trace
restored_function.py   Functions without their Python code: the traces that were saved, and nothing to trace anew
retracing.py           Why a function was traced again: how the key of a call differs from those before
stages.py              The text of a trace at each stage of its way to machine code
"""
